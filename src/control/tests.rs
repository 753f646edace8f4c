//! Status board and door with real sockets and no program around them.

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

fn board(data: &Path) -> StatusBoard {
    let clock = Arc::new(ManualClock::at("2026-03-01T13:00:00.5+01:00[Europe/Vienna]".parse().unwrap()));
    let mute = PersistentMute::read(data).0;
    StatusBoard::new(StatusBoardParts {
        mute,
        pulse: Pulse::default(),
        journal: Journal::new(clock.clone()),
        clock,
    })
}

fn state(state: Activity) -> StateEvent {
    StateEvent { state, at: "2026-03-01T12:00:00.5Z".into(), note: None }
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

#[test]
fn the_switch_beats_a_fault_and_a_fault_beats_what_she_does() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    let now = || board.subscribe().now;
    assert_eq!(now(), state(Activity::Idle));
    board.does(Activity::Listening);
    assert_eq!(now(), state(Activity::Listening));
    board.microphone(DeviceStatus::Fault("no microphone".into()));
    board.speaker(DeviceStatus::Fault("no speaker".into()));
    board.does(Activity::Speaking);
    let error = StateEvent { note: Some("no microphone; no speaker".into()), ..state(Activity::Error) };
    assert_eq!(now(), error);
    assert!(board.turn_mute(MuteCommand::Mute).muted);
    assert_eq!(now(), state(Activity::Muted));
    board.does(Activity::Timer);
    assert_eq!(now(), state(Activity::Muted));
    board.turn_mute(MuteCommand::Unmute);
    board.microphone(DeviceStatus::Device("mic".into()));
    board.speaker(DeviceStatus::Device("spk".into()));
    assert_eq!(now(), state(Activity::Timer));
}

#[tokio::test]
async fn a_subscriber_misses_no_change_and_gets_none_twice_until_it_lags() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    let mut patient = board.subscribe();
    board.does(Activity::Listening);
    board.does(Activity::Listening);
    board.does(Activity::Thinking);
    board.turn_over(Some(840.0));
    board.turn_over(None);
    board.does(Activity::Idle);
    for expected in [Activity::Listening, Activity::Thinking, Activity::Idle] {
        assert_eq!(patient.next().await, Ok(state(expected)));
    }
    let counters = board.status().counters;
    assert_eq!((counters.turns, counters.audible_ms), (2, Some(840.0)), "of the newest one that was heard");
    let mut slow = board.subscribe();
    for _ in 0..100 {
        board.does(Activity::Speaking);
        board.does(Activity::Idle);
    }
    assert!(slow.next().await.is_err());
}

#[test]
fn how_late_the_devices_are_is_told_once_they_are_open() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    assert_eq!((board.status().delays, board.status().counters.sound_lost_s), (None, None));
    let microphone = Some(DelayStatus { last_ms: 31.0, highest_ms: 1_043.0 });
    let delays = DeviceDelays { microphone, speaker: None };
    board.sound(move || SoundStatus { lost_s: 0.25, delays });
    let status = board.status();
    assert_eq!((status.delays, status.counters.sound_lost_s), (Some(delays), Some(0.25)));
}

#[tokio::test]
async fn she_is_settled_once_the_microphone_is_known() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    let settled = {
        let board = board.clone();
        tokio::spawn(async move { board.settled().await })
    };
    tokio::task::yield_now().await;
    assert!(!settled.is_finished());
    board.microphone(DeviceStatus::Fault("none".into()));
    settled.await.unwrap();
    board.settled().await;
}

#[test]
fn a_service_that_is_missing_is_told_whatever_is_shown() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    let row = |name: &str, degraded: Option<&str>| ServiceRow {
        name: name.into(),
        state: if degraded.is_some() { ServiceState::GivenUp } else { ServiceState::Running },
        restarts: 0,
        why: None,
        degraded: degraded.map(Into::into),
    };
    board.services(vec![row("tools", None), row("timers", Some("no timer rings"))]);
    let shown = |board: &StatusBoard| {
        let StateEvent { state, note, .. } = board.status().shown;
        (state, note.unwrap_or_default())
    };
    assert_eq!(shown(&board), (Activity::Idle, "no timer rings".into()));
    board.microphone(DeviceStatus::Fault("no microphone".into()));
    assert_eq!(shown(&board), (Activity::Error, "no microphone; no timer rings".into()));
    assert!(board.turn_mute(MuteCommand::Mute).muted);
    assert_eq!(shown(&board), (Activity::Muted, "no timer rings".into()));
    board.services(vec![row("tools", None), row("timers", None)]);
    assert_eq!(shown(&board), (Activity::Muted, String::new()));
}

#[test]
fn a_request_reaches_the_conversation_or_is_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    assert!(!board.request(OutsideRequest::Listen), "nobody takes it yet");
    let (requests, mut asked) = mpsc::channel(1);
    board.queues(vec![gauge("requests", &requests)]);
    board.takes_requests(requests);
    assert!(board.request(OutsideRequest::Listen));
    assert!(!board.request(OutsideRequest::Listen), "full");
    assert_eq!(board.status().queues, [QueueStatus { name: "requests".into(), length: 1, capacity: 1 }]);
    assert_eq!(asked.try_recv(), Ok(OutsideRequest::Listen));
}

#[test]
fn a_ring_shows_before_her_voice_and_behind_what_is_said_to_her() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    board.rings(true);
    let shown = |activity| {
        board.does(activity);
        board.status().shown.state
    };
    let all = [Activity::Idle, Activity::Speaking, Activity::Listening, Activity::Thinking];
    assert_eq!(all.map(shown), [Activity::Timer, Activity::Timer, Activity::Listening, Activity::Thinking]);
    board.rings(false);
    assert_eq!(shown(Activity::Idle), Activity::Idle);
}

#[test]
fn whoever_rings_is_told_that_timers_were_changed() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    assert!(!board.timers_changed(), "nobody rings yet");
    let (told, mut looks) = mpsc::channel(2);
    board.takes_timers(move || assert!(told.try_send(()).is_ok()));
    assert!(board.timers_changed());
    assert_eq!(looks.try_recv(), Ok(()));
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
async fn events_begin_with_the_present_and_tell_every_change() {
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
async fn one_connection_too_many_is_told_so() {
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
        stream.get_mut().write_all(b"{\"do\":\"unmute\"}\n").is_ok()
            && line_of(&mut stream) == "{\"muted\":false}\n"
    };
    let give_up = std::time::Instant::now() + FOR_EVER;
    while !served_again() {
        assert!(std::time::Instant::now() < give_up);
    }
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
    let seen = tokio::task::spawn_blocking(move || -> Result<Vec<Activity>, ControlError> {
        let mut client = Client::connect(&runtime)?.expect("it is served");
        assert_eq!(client.turn(ControlRequest::Mute)?, (true, None));
        assert!(client.status()?.muted);
        let mut seen = Vec::new();
        client.events(|event| {
            seen.push(event.state);
            match event.state {
                Activity::Muted => drop(board.turn_mute(MuteCommand::Unmute)),
                Activity::Idle => board.does(Activity::Speaking),
                _ => served.stop.cancel(),
            }
            Ok::<_, ControlError>(())
        })?;
        Ok(seen)
    });
    assert_eq!(seen.await.unwrap().unwrap(), [Activity::Muted, Activity::Idle, Activity::Speaking]);
}
