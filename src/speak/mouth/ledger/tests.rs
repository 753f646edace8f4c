use std::time::Duration;

use super::*;

const TURN: TurnId = TurnId(7);

fn line(index: u32) -> Line {
    Line { turn: TURN, index, text: format!("line {index} ") }
}

fn heard(index: u32) -> SpeakEvent {
    SpeakEvent::Heard { turn: TURN, index, text: format!("line {index} ") }
}

#[test]
fn a_turn_starts_once_its_lines_are_heard_in_order_and_it_is_done_behind_the_last() {
    let start = Instant::now();
    let later = start + Duration::from_secs(3);
    let mut ledger = Ledger::default();
    ledger.enter(TURN).unwrap();
    let first = ledger.open(line(0));
    let (a, b) = (ledger.clip(first).unwrap(), ledger.clip(first).unwrap());
    assert_eq!(ledger.started(a, start), [SpeakEvent::Started { turn: TURN, at: start }]);
    assert_eq!(ledger.finished(a, start), []);
    assert_eq!(ledger.started(b, start), []);
    assert_eq!(ledger.close(first), []);
    let second = ledger.open(line(1));
    let c = ledger.clip(second).unwrap();
    // A line with nothing to say waits for the ones before it.
    assert_eq!(ledger.close(second), []);
    let silent = ledger.open(line(2));
    assert_eq!(ledger.close(silent), []);
    assert_eq!(ledger.finish(TURN, start), []);
    assert_eq!(ledger.finished(b, start), [heard(0)]);
    assert_eq!(ledger.finished(c, later), [heard(1), heard(2), SpeakEvent::Done { turn: TURN, at: later }]);
    assert_eq!(ledger.finished(c, later), []);
}

#[test]
fn a_finish_behind_the_last_sample_is_the_end() {
    let now = Instant::now();
    let mut ledger = Ledger::default();
    let row = ledger.open(line(0));
    let tag = ledger.clip(row).unwrap();
    assert_eq!(ledger.close(row), []);
    assert_eq!(ledger.finished(tag, now), [heard(0)]);
    assert_eq!(ledger.finish(TURN, now), [SpeakEvent::Done { turn: TURN, at: now }]);
}

#[test]
fn a_stop_forgets_what_is_not_heard_and_refuses_the_turn_but_not_the_next() {
    let now = Instant::now();
    let mut ledger = Ledger::default();
    ledger.enter(TURN).unwrap();
    let row = ledger.open(line(0));
    let tag = ledger.clip(row).unwrap();
    ledger.stop();
    assert_eq!(ledger.clip(row), None);
    assert_eq!(ledger.finished(tag, now), []);
    assert_eq!(ledger.close(row), []);
    assert_eq!(ledger.enter(TURN), Err(Stopped));
    // A second stop, with nothing to stop, does not let the stopped turn back in.
    ledger.stop();
    assert_eq!(ledger.enter(TURN), Err(Stopped));
    assert_eq!(ledger.enter(TurnId(8)), Ok(()));
}

#[test]
fn what_was_not_played_or_not_computed_was_not_heard_and_does_not_hold_the_turn() {
    let now = Instant::now();
    let mut ledger = Ledger::default();
    let lost = ledger.open(line(0));
    let (a, b) = (ledger.clip(lost).unwrap(), ledger.clip(lost).unwrap());
    assert_eq!(ledger.close(lost), []);
    let failed = ledger.open(line(1));
    assert_eq!(ledger.give_up(failed), []);
    assert_eq!(ledger.finish(TURN, now), []);
    assert_eq!(ledger.dropped(a, now), []);
    assert_eq!(ledger.finished(b, now), [SpeakEvent::Done { turn: TURN, at: now }]);
}
