//! The status board alone: which state is shown, when joi is ready, who takes requests.

use super::*;

#[test]
fn the_switch_overrides_a_fault_and_a_fault_overrides_the_activity() {
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
fn delays_are_reported_once_the_devices_are_open() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    assert_eq!((board.status().delays, board.status().counters.sound_lost_s), (None, None));
    let microphone = Some(DelayStatus { last_ms: 31.0, highest_ms: 1_043.0 });
    let delays = DeviceDelays { microphone, speaker: None };
    board.sound(move || SoundStatus { lost_s: 0.25, delays });
    let status = board.status();
    assert_eq!((status.delays, status.counters.sound_lost_s), (Some(delays), Some(0.25)));
}

#[test]
fn the_state_is_starting_until_services_and_microphone_are_ready() {
    let folder = TempDir::new().unwrap();
    let device = || DeviceStatus::Device("mic".into());
    let fault = || DeviceStatus::Fault("no microphone".into());
    let now = |board: &StatusBoard| {
        let status = board.status();
        (status.shown.state, status.ready)
    };
    let (starting, idle) = (ShownState::Starting, ShownState::from(Activity::Idle));
    let board = new_board(folder.path());
    assert_eq!(now(&board), (starting, false));
    board.microphone(device());
    assert_eq!(now(&board), (starting, false), "the services are missing");
    board.started();
    assert_eq!(now(&board), (idle, true));
    let board = new_board(folder.path());
    board.started();
    assert_eq!(now(&board), (starting, false), "the microphone is missing");
    board.does(Activity::Listening);
    assert_eq!(now(&board).0, ShownState::from(Activity::Listening), "what happens is shown");
    board.does(Activity::Idle);
    board.microphone(fault());
    assert_eq!(
        now(&board),
        (ShownState::from(Activity::Error), true),
        "the channels are ready without a microphone"
    );
    let board = new_board(folder.path());
    assert!(board.turn_mute(MuteCommand::Mute).muted);
    assert_eq!(now(&board), (ShownState::from(Activity::Muted), false));
    board.started();
    assert_eq!(now(&board), (ShownState::from(Activity::Muted), true));
}

#[tokio::test]
async fn the_board_is_settled_once_the_microphone_is_known() {
    let folder = TempDir::new().unwrap();
    let board = new_board(folder.path());
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
fn a_missing_service_is_noted_beside_any_state() {
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
    assert_eq!(shown(&board), (ShownState::from(Activity::Idle), "no timer rings".into()));
    board.microphone(DeviceStatus::Fault("no microphone".into()));
    assert_eq!(shown(&board), (ShownState::from(Activity::Error), "no microphone; no timer rings".into()));
    assert!(board.turn_mute(MuteCommand::Mute).muted);
    assert_eq!(shown(&board), (ShownState::from(Activity::Muted), "no timer rings".into()));
    board.services(vec![row("tools", None), row("timers", None)]);
    assert_eq!(shown(&board), (ShownState::from(Activity::Muted), String::new()));
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
fn a_ring_overrides_speaking_and_idling_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    board.rings(true);
    let shown = |activity| {
        board.does(activity);
        board.status().shown.state
    };
    let all = [Activity::Idle, Activity::Speaking, Activity::Listening, Activity::Thinking];
    let seen = [Activity::Timer, Activity::Timer, Activity::Listening, Activity::Thinking];
    assert_eq!(all.map(shown), seen.map(ShownState::from));
    board.rings(false);
    assert_eq!(shown(Activity::Idle), ShownState::from(Activity::Idle));
}

#[test]
fn a_change_of_timers_reaches_the_ringer() {
    let folder = TempDir::new().unwrap();
    let board = board(folder.path());
    assert!(!board.timers_changed(), "nobody rings yet");
    let (told, mut looks) = mpsc::channel(2);
    board.takes_timers(move || assert!(told.try_send(()).is_ok()));
    assert!(board.timers_changed());
    assert_eq!(looks.try_recv(), Ok(()));
}
