use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::*;
use crate::control::{Journal, PersistentMute, StatusBoardParts, watchdog};
use joi_base::clock::ManualClock;
use joi_base::pulse::Pulse;
use joi_base::restart::RestartPolicy;

mod toys;

const POLICY: RestartPolicy = RestartPolicy {
    first_wait: Duration::from_secs(1),
    longest_wait: Duration::from_secs(2),
    sound_after: Duration::from_secs(60),
    give_up_after: 5,
};

/// What the toys did, and at which second.
#[derive(Clone)]
struct Log(Arc<Mutex<Vec<(u64, String)>>>, Instant);

impl Log {
    fn new() -> Self {
        Self(Arc::default(), Instant::now())
    }

    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push((self.1.elapsed().as_secs(), what.into()));
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|(_, what)| what.clone()).collect()
    }

    fn seconds(&self, what: &str) -> Vec<u64> {
        let notes = self.0.lock().unwrap();
        notes.iter().filter(|(_, noted)| noted == what).map(|(second, _)| *second).collect()
    }
}

/// Returns a board of Tokio's paused time.
fn board() -> StatusBoard {
    let data = TempDir::new().unwrap();
    let clock = Arc::new(ManualClock::at("2026-03-01T12:00:00[UTC]".parse().unwrap()));
    StatusBoard::new(StatusBoardParts {
        mute: PersistentMute::read(data.path()).0,
        pulse: Pulse::with_time(|| Instant::now().into_std()),
        journal: Journal::new(clock.clone()),
        clock,
    })
}

/// Lets the daemon supervise for so long; returns whether it goes on.
async fn run(daemon: &mut Daemon, seconds: f32) -> bool {
    daemon.supervise(sleep(Duration::from_secs_f32(seconds))).await.is_some()
}

/// Returns the services as `joi status --json` shows them.
fn services(board: &StatusBoard) -> Value {
    serde_json::to_value(board.status()).unwrap()["services"].take()
}

fn note(board: &StatusBoard) -> Option<String> {
    board.status().shown.note
}

#[tokio::test(start_paused = true)]
async fn services_start_in_the_order_of_the_list_and_end_against_it() {
    let (board, log) = (board(), Log::new());
    let mut daemon = Daemon::new(board.clone());
    daemon.start_all([
        Some(toys::fine("database", &log)),
        None,
        Some(toys::fine("tools", &log)),
        Some(toys::fine("talk", &log)),
    ]);
    assert!(run(&mut daemon, 1.0).await);
    daemon.end().await.unwrap();
    let expected =
        ["database starts", "tools starts", "talk starts", "talk ends", "tools ends", "database ends"];
    assert_eq!(log.all(), expected);
    assert_eq!(note(&board), None);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_panics_twice_is_degraded_until_it_lives() {
    let (board, log) = (board(), Log::new());
    let mut daemon = Daemon::new(board.clone());
    daemon.start_all([Some(toys::fine("tools", &log)), Some(toys::panics_twice(&log))]);
    let fine = json!({"name": "tools", "state": "running", "restarts": 0});
    run(&mut daemon, 0.5).await;
    let waits = json!({"name": "bells", "state": "restarting", "restarts": 0, "why": "it panicked",
        "degraded": "no bell rings"});
    assert_eq!(services(&board), json!([fine, waits]));
    assert_eq!(note(&board).as_deref(), Some("no bell rings"));
    run(&mut daemon, 1.0).await;
    assert_eq!(services(&board)[1]["restarts"], 1);
    assert_eq!(services(&board)[1]["state"], "restarting");
    run(&mut daemon, 2.0).await;
    let lives = json!({"name": "bells", "state": "running", "restarts": 2, "why": "it panicked"});
    assert_eq!(services(&board), json!([fine, lives]));
    assert_eq!(note(&board), None);
    assert_eq!(log.seconds("bells starts"), [0, 1, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_always_fails_is_restarted_from_the_floor_to_the_ceiling_and_given_up_alone() {
    let (board, log) = (board(), Log::new());
    let mut daemon = Daemon::new(board.clone());
    let (held, mut holds) = mpsc::channel::<()>(1);
    daemon.start_all([Some(toys::fails(held, &log)), Some(toys::fine("talk", &log))]);
    assert!(run(&mut daemon, 600.0).await, "the daemon lives on");
    assert_eq!(log.seconds("mail starts"), [0, 1, 3, 5, 7]);
    let given_up = json!({"name": "mail", "state": "given_up", "restarts": 4, "why": "the letter box is shut",
        "degraded": "no mail comes"});
    assert_eq!(services(&board)[0], given_up);
    assert_eq!(services(&board)[1]["state"], "running");
    assert_eq!(note(&board).as_deref(), Some("no mail comes"));
    assert_eq!(holds.recv().await, None, "what it held on to is let go of");
    daemon.end().await.unwrap();
    assert_eq!(services(&board)[0]["state"], "given_up");
}

#[tokio::test(start_paused = true)]
async fn the_program_ends_rather_than_going_on_without_what_is_indispensable() {
    let (board, log) = (board(), Log::new());
    let mut daemon = Daemon::new(board.clone());
    let (held, mut holds) = mpsc::channel::<()>(1);
    let mail = toys::fails(held, &log).restart(RestartRule::OnFailureThenEnd(POLICY));
    daemon.start_all([Some(toys::fine("talk", &log)), Some(mail)]);
    assert!(run(&mut daemon, 6.0).await, "it may succeed yet");
    assert!(!run(&mut daemon, 600.0).await, "the daemon ends");
    assert_eq!(log.seconds("mail starts"), [0, 1, 3, 5, 7]);
    let failed = daemon.end().await.unwrap_err().to_string();
    assert_eq!(
        failed,
        "mail has failed again and again (the letter box is shut), so joi ends; `joi run` starts it again"
    );
    assert_eq!(log.seconds("talk ends"), [7], "the others end in good order");
    assert_eq!(holds.recv().await, None, "what it held on to is let go of");
}

#[tokio::test(start_paused = true)]
async fn what_is_indispensable_and_always_gets_stuck_ends_the_program_too() {
    let (board, log) = (board(), Log::new());
    let mut daemon = Daemon::new(board.clone());
    let clock = toys::gets_stuck_always(&log).restart(RestartRule::OnFailureThenEnd(POLICY));
    daemon.start_all([Some(toys::fine("talk", &log)), Some(clock)]);
    assert!(!run(&mut daemon, 600.0).await, "the daemon ends");
    assert_eq!(log.seconds("clock starts").len(), 5);
    assert_eq!(services(&board)[1]["state"], "given_up");
    let failed = daemon.end().await.unwrap_err().to_string();
    assert!(failed.starts_with("clock has failed again and again (no heartbeat for "), "{failed}");
}

#[test]
fn what_is_indispensable_is_started_as_often_as_anything_else_before() {
    let usual = RestartPolicy::default();
    let toy = || Service::new("toy", "nothing plays", |_| async { Ok(()) });
    assert_eq!(toy().rule, RestartRule::OnFailure(usual));
    assert_eq!(toy().indispensable().rule, RestartRule::OnFailureThenEnd(usual));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_hangs_at_its_end_is_named_and_left_behind_in_time() {
    let (board, log) = (board(), Log::new());
    let mut daemon = Daemon::new(board.clone());
    daemon.start_all([Some(toys::fine("first", &log)), Some(toys::hangs()), Some(toys::fine("last", &log))]);
    run(&mut daemon, 1.0).await;
    let began = Instant::now();
    daemon.end().await.unwrap();
    assert_eq!(began.elapsed(), toys::PATIENCE);
    let rows = services(&board);
    let states: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["ended", "left_behind", "ended"]);
    assert_eq!((log.seconds("last ends"), log.seconds("first ends")), (vec![1], vec![4]));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_essential_service_is_the_end_of_the_daemon() {
    let (board, log) = (board(), Log::new());
    let mut daemon = Daemon::new(board.clone());
    let talk = Service::essential("talk", "nobody listens", |_| async {
        sleep(Duration::from_secs(3)).await;
        anyhow::bail!("the microphone has burnt down")
    });
    daemon.start_all([Some(toys::fine("tools", &log)), Some(talk)]);
    assert!(run(&mut daemon, 2.0).await);
    assert!(!run(&mut daemon, 2.0).await, "it has ended meanwhile");
    let failed = daemon.end().await.unwrap_err();
    assert!(failed.to_string().contains("talk has failed (the microphone has burnt down)"), "{failed}");
    assert_eq!(log.all(), ["tools starts", "tools ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_stuck_is_dropped_and_started_again_and_the_watchdog_is_kept_alive() {
    let (board, log) = (board(), Log::new());
    let mut daemon = Daemon::new(board.clone());
    daemon.start(toys::gets_stuck_once(&log));
    run(&mut daemon, 5.0).await;
    assert_eq!(services(&board)[0]["state"], "running");
    run(&mut daemon, 5.5).await;
    assert_eq!(services(&board)[0]["state"], "restarting");
    assert_eq!(services(&board)[0]["why"], "no heartbeat for 10 s");
    assert_eq!(watchdog::judge(&board.pulse().vitals()), watchdog::Health::Alive);
    run(&mut daemon, 600.0).await;
    assert_eq!(services(&board)[0]["state"], "running");
    assert_eq!(log.seconds("clock starts"), [0, 11]);
    assert_eq!(watchdog::judge(&board.pulse().vitals()), watchdog::Health::Alive);
}

#[tokio::test(start_paused = true)]
async fn whoever_cancels_the_token_ends_the_daemon_and_work_that_is_done_does_not() {
    let mut daemon = Daemon::new(board());
    daemon.start(toys::fine("tools", &Log::new()));
    assert_eq!(daemon.supervise(async { 7 }).await, Some(7));
    daemon.ending().cancel();
    assert_eq!(daemon.supervise(std::future::pending::<()>()).await, None);
    daemon.end().await.unwrap();
}

#[tokio::test]
async fn a_service_behind_others_begins_when_they_are_there_and_may_be_ended_before() {
    let (loaded, log) = (CancellationToken::new(), Log::new());
    let stop = CancellationToken::new();
    let toy = |loaded: &CancellationToken| {
        let log = log.clone();
        let run = move |context: ServiceContext| {
            let log = log.clone();
            async move {
                log.note("begins");
                context.stop.cancelled().await;
                Ok(())
            }
        };
        Service::new("toy", "nothing plays", run).behind(loaded)
    };
    let context = || ServiceContext { stop: stop.clone(), heart: Heart::unwatched() };
    let running = tokio::spawn((toy(&loaded).make)(context()));
    tokio::task::yield_now().await;
    assert!(log.all().is_empty(), "the others are not there");
    loaded.cancel();
    while log.all().is_empty() {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    running.await.unwrap().unwrap();
    (toy(&CancellationToken::new()).make)(context()).await.unwrap();
    assert_eq!(log.all(), ["begins"], "it was ended before it began");
}
