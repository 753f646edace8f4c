//! Status board and control server with real sockets, without the program.

mod board;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::wire::ControlRequest;
use super::*;
use joi_base::clock::ManualClock;
use joi_base::message::{Activity, OutsideRequest};
use joi_base::pulse::Pulse;

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(60);

fn new_board(data: &Path) -> StatusBoard {
    let clock = Arc::new(ManualClock::at("2026-03-01T13:00:00.5+01:00[Europe/Vienna]".parse().unwrap()));
    let mute = PersistentMute::read(data).0;
    StatusBoard::new(StatusBoardParts {
        mute,
        pulse: Pulse::default(),
        journal: Journal::new(clock.clone()),
        clock,
    })
}

/// Returns a board whose start is over.
pub(super) fn board(data: &Path) -> StatusBoard {
    let board = new_board(data);
    board.started();
    board.microphone(DeviceStatus::Device("mic".into()));
    board
}

fn state(state: impl Into<ShownState>) -> StateEvent {
    StateEvent { state: state.into(), at: "2026-03-01T12:00:00.5Z".into(), note: None }
}

/// A board that is served.
struct Served {
    folder: TempDir,
    board: StatusBoard,
    stop: CancellationToken,
    task: JoinHandle<io::Result<()>>,
}

impl Served {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let (board, stop) = (board(&folder.path().join("data")), CancellationToken::new());
        let door = Arc::new(ControlServer::open(&folder.path().join("run")).unwrap());
        let task = tokio::spawn(door.serve(board.clone(), stop.clone()));
        Self { folder, board, stop, task }
    }

    fn runtime(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    fn connect(&self) -> BufReader<UnixStream> {
        let stream = UnixStream::connect(socket(&self.runtime())).unwrap();
        stream.set_read_timeout(Some(FOR_EVER)).unwrap();
        stream.set_write_timeout(Some(FOR_EVER)).unwrap();
        BufReader::new(stream)
    }

    async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }
}

fn ask(stream: &mut BufReader<UnixStream>, line: &str) -> String {
    stream.get_mut().write_all(line.as_bytes()).unwrap();
    line_of(stream)
}

fn line_of(stream: &mut BufReader<UnixStream>) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    line
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_answered_in_their_order_and_nonsense_is_survived() {
    let served = Served::new();
    let mut stream = served.connect();
    assert_eq!(ask(&mut stream, "{\"do\":\"mute\"}\n"), "{\"muted\":true}\n");
    assert!(served.board.mute().is_muted());
    assert_eq!(ask(&mut stream, "{\"do\":\"toggle\",\"why\":\"a button\"}\n"), "{\"muted\":false}\n");
    assert!(ask(&mut stream, "mute\n").starts_with("{\"error\":\"a request is one JSON object"));
    assert!(ask(&mut stream, "{\"do\":\"dance\"}\n").starts_with("{\"error\":\"\\\"do\\\" is one of events"));
    assert_eq!(
        ask(&mut stream, "{\"do\":\"listen\"}\n"),
        "{\"error\":\"can't listen now; try again later\"}\n"
    );
    let status: Status = serde_json::from_str(&ask(&mut stream, "{\"do\":\"status\"}\n")).unwrap();
    assert_eq!((status.shown, status.muted), (state(Activity::Idle), false));
    // Two in one write, and one in pieces.
    assert_eq!(ask(&mut stream, "{\"do\":\"mute\"}\n{\"do\":\"unmute\"}\n"), "{\"muted\":true}\n");
    assert_eq!(line_of(&mut stream), "{\"muted\":false}\n");
    for piece in ["{\"do\"", ":\"mu", "te\"}"] {
        stream.get_mut().write_all(piece.as_bytes()).unwrap();
    }
    assert_eq!(ask(&mut stream, "\n"), "{\"muted\":true}\n");
    assert!(ask(&mut stream, "{\"do\":\"listen\"}\n").contains("joi unmute"));
    served.end().await;
    assert_eq!(line_of(&mut stream), "", "the connection ends with the program");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_begin_with_the_present_state_and_include_every_change() {
    let served = Served::new();
    served.board.does(Activity::Thinking);
    let mut stream = served.connect();
    let event =
        |state| format!("{{\"event\":\"state\",\"state\":\"{state}\",\"at\":\"2026-03-01T12:00:00.5Z\"}}\n");
    assert_eq!(ask(&mut stream, "{\"do\":\"events\"}\n"), event("thinking"));
    for activity in [Activity::Speaking, Activity::Idle, Activity::Listening] {
        served.board.does(activity);
    }
    for name in ["speaking", "idle", "listening"] {
        assert_eq!(line_of(&mut stream), event(name));
    }
    // Orders go on beside it.
    stream.get_mut().write_all(b"{\"do\":\"mute\"}\n").unwrap();
    let mut both = [line_of(&mut stream), line_of(&mut stream)];
    both.sort();
    assert_eq!(both, [event("muted"), "{\"muted\":true}\n".to_owned()]);
    served.end().await;
    assert_eq!(line_of(&mut stream), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_4096_bytes_is_read_and_one_more_ends_the_connection() {
    let served = Served::new();
    let padded = |length: usize| {
        let request = "{\"do\":\"unmute\"}";
        format!("{request}{}\n", " ".repeat(length - request.len() - 1))
    };
    let mut stream = served.connect();
    assert_eq!(ask(&mut stream, &padded(REQUEST_BYTES)), "{\"muted\":false}\n");
    let told = ask(&mut stream, &padded(REQUEST_BYTES + 1));
    assert_eq!(told, "{\"error\":\"a request has at most 4096 bytes\"}\n");
    // A byte was left unread, so the system may call the end a reset.
    let end = stream.read(&mut [0; 16]);
    assert!(end.is_err() || end.is_ok_and(|count| count == 0));
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_never_reads_is_let_go_and_nobody_waits_for_it() {
    let served = Served::new();
    let mut stream = served.connect();
    ask(&mut stream, "{\"do\":\"events\"}\n");
    let mut told = 0;
    // More than the socket's buffer and the queue hold.
    for i in 0..20_000 {
        served.board.microphone(DeviceStatus::Fault(format!("{i} {}", "x".repeat(200))));
    }
    let last = loop {
        let mut line = String::new();
        match stream.read_line(&mut line) {
            Ok(0) | Err(_) => break String::new(),
            Ok(_) if line.contains("too slowly") => break line,
            Ok(_) => told += 1,
        }
    };
    assert!(told < 20_000, "{told}");
    assert!(last.is_empty() || last.contains("connect again"), "{last}");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_connection_too_many_is_refused_with_the_reason() {
    let served = Served::new();
    let mut open: Vec<_> = (0..CONNECTIONS).map(|_| served.connect()).collect();
    for stream in &mut open {
        assert_eq!(ask(stream, "{\"do\":\"unmute\"}\n"), "{\"muted\":false}\n");
    }
    assert_eq!(line_of(&mut served.connect()), "{\"error\":\"16 connections are open; close one\"}\n");
    drop(open.pop());
    // The place is free as soon as the end was noticed.
    let served_again = || {
        let mut stream = served.connect();
        stream.get_mut().write_all(b"{\"do\":\"events\"}\n").is_ok()
            && line_of(&mut stream).starts_with("{\"event\":")
    };
    let give_up = std::time::Instant::now() + FOR_EVER;
    while !served_again() {
        assert!(std::time::Instant::now() < give_up);
    }
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_keep_nobody_from_muting_silencing_and_the_status() {
    let served = Served::new();
    let mut silent: Vec<_> = (0..CONNECTIONS).map(|_| served.connect()).collect();
    for beyond in [0, 3, 100] {
        silent.extend((0..beyond).map(|_| served.connect()));
        assert_eq!(ask(&mut served.connect(), "{\"do\":\"mute\"}\n"), "{\"muted\":true}\n");
        assert_eq!(ask(&mut served.connect(), "{\"do\":\"toggle\"}\n"), "{\"muted\":false}\n");
        assert!(ask(&mut served.connect(), "{\"do\":\"status\"}\n").contains("\"muted\":false"));
        assert!(ask(&mut served.connect(), "{\"do\":\"timers\"}\n").contains("timers are not running yet"));
        assert!(ask(&mut served.connect(), "{\"do\":\"events\"}\n").contains("close one"));
    }
    let began = std::time::Instant::now();
    assert!(line_of(&mut served.connect()).contains("close one"), "a silent one is refused in time");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_socket_is_the_owners_alone_and_there_is_one() {
    let served = Served::new();
    let runtime = served.runtime();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&runtime), mode(&socket(&runtime))), (0o700, 0o600));
    let Err(error) = ControlServer::open(&runtime) else { panic!("two at one door") };
    assert!(error.to_string().starts_with("joi is running already ("), "{error}");
    assert!(Client::connect(&runtime).unwrap().is_some(), "and the first one is still there");
    served.stop.cancel();
    served.task.await.unwrap().unwrap();
    assert!(!socket(&runtime).exists());
    assert!(Client::connect(&runtime).unwrap().is_none());
}

#[test]
fn a_socket_that_was_left_behind_is_replaced() {
    let folder = TempDir::new().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let socket = socket(folder.path());
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    assert!(socket.exists(), "as after a crash");
    assert!(Client::connect(folder.path()).unwrap().is_none());
    let door = ControlServer::open(folder.path()).unwrap();
    assert!(Client::connect(folder.path()).unwrap().is_some());
    assert_eq!(std::fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
    drop(door);
    ControlServer::open(folder.path()).unwrap();
}

#[test]
fn a_place_that_can_not_be_made_is_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let Err(error) = ControlServer::open(&file.join("run")) else { panic!("a directory in a file") };
    assert!(matches!(error, ControlError::Closed { .. }), "{error}");
    let deep = folder.path().join("x".repeat(120));
    assert!(
        matches!(ControlServer::open(&deep), Err(ControlError::Closed { .. })),
        "longer than sockets may be"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_asks_and_follows() {
    let served = Served::new();
    let (runtime, board) = (served.runtime(), served.board.clone());
    let seen = tokio::task::spawn_blocking(move || -> Result<Vec<ShownState>, ControlError> {
        let mut client = Client::connect(&runtime)?.expect("it is served");
        assert_eq!(client.turn(ControlRequest::Mute)?, (true, None));
        assert!(client.status()?.muted);
        let mut seen = Vec::new();
        client.events(|event| {
            seen.push(event.state);
            match event.state {
                ShownState::Activity(Activity::Muted) => drop(board.turn_mute(MuteCommand::Unmute)),
                ShownState::Activity(Activity::Idle) => board.does(Activity::Speaking),
                _ => served.stop.cancel(),
            }
            Ok::<_, ControlError>(())
        })?;
        Ok(seen)
    });
    let states = [Activity::Muted, Activity::Idle, Activity::Speaking].map(ShownState::from);
    assert_eq!(seen.await.unwrap().unwrap(), states);
}
