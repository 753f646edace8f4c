use std::time::Duration;

use super::super::LineRole;
use super::*;

const TURN: TurnId = TurnId(7);
/// A clip without silence in front.
const AT_ONCE: Option<Duration> = Some(Duration::ZERO);

fn line(index: u32) -> SpokenLine {
    SpokenLine {
        turn: TURN,
        index,
        text: format!("line {index} "),
        part: LineRole::Answer,
        language: "en".into(),
    }
}

fn heard(index: u32, at: Instant) -> SpeakEvent {
    SpeakEvent::Heard { line: line(index), at }
}

fn open(ledger: &mut Ledger, index: u32) -> LineId {
    ledger.open(line(index), format!("spoken {index}"))
}

fn saying(index: u32, at: Instant) -> SpeakEvent {
    SpeakEvent::Saying { turn: TURN, spoken: format!("spoken {index}"), at }
}

#[test]
fn a_turn_starts_once_its_lines_are_heard_in_order_and_it_is_done_behind_the_last() {
    let start = Instant::now();
    let later = start + Duration::from_secs(3);
    let mut ledger = Ledger::default();
    ledger.enter(TURN).unwrap();
    let first = open(&mut ledger, 0);
    let (a, b) = (ledger.clip(first, AT_ONCE).unwrap(), ledger.clip(first, AT_ONCE).unwrap());
    let begins = SpeakEvent::Started { turn: TURN, taken: start, at: later };
    assert_eq!(ledger.started(a, (start, later)), [begins, saying(0, later)]);
    assert_eq!(ledger.finished(a, start), []);
    assert_eq!(ledger.started(b, (start, start)), []);
    assert_eq!(ledger.close(first, start), []);
    let second = open(&mut ledger, 1);
    let c = ledger.clip(second, AT_ONCE).unwrap();
    // A line with nothing to say waits for the ones before it.
    assert_eq!(ledger.close(second, start), []);
    let silent = open(&mut ledger, 2);
    assert_eq!(ledger.close(silent, start), []);
    assert_eq!(ledger.finish(TURN, start), []);
    assert_eq!(ledger.finished(b, start), [heard(0, start)]);
    assert_eq!(ledger.started(c, (later, later)), [saying(1, later)]);
    assert_eq!(
        ledger.finished(c, later),
        [heard(1, later), heard(2, later), SpeakEvent::Done { turn: TURN, at: later }]
    );
    assert_eq!(ledger.finished(c, later), []);
}

#[test]
fn a_finish_behind_the_last_sample_is_the_end() {
    let now = Instant::now();
    let mut ledger = Ledger::default();
    let row = open(&mut ledger, 0);
    let tag = ledger.clip(row, AT_ONCE).unwrap();
    assert_eq!(ledger.close(row, now), []);
    assert_eq!(ledger.finished(tag, now), [heard(0, now)]);
    assert_eq!(ledger.finish(TURN, now), [SpeakEvent::Done { turn: TURN, at: now }]);
}

#[test]
fn a_stop_forgets_what_is_not_heard_and_refuses_the_turn_but_not_the_next() {
    let now = Instant::now();
    let mut ledger = Ledger::default();
    ledger.enter(TURN).unwrap();
    let row = open(&mut ledger, 0);
    let tag = ledger.clip(row, AT_ONCE).unwrap();
    ledger.stop();
    assert_eq!(ledger.clip(row, AT_ONCE), None);
    assert_eq!(ledger.finished(tag, now), []);
    assert_eq!(ledger.close(row, now), []);
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
    let lost = open(&mut ledger, 0);
    let (a, b) = (ledger.clip(lost, AT_ONCE).unwrap(), ledger.clip(lost, AT_ONCE).unwrap());
    assert_eq!(ledger.close(lost, now), []);
    let failed = open(&mut ledger, 1);
    assert_eq!(ledger.give_up(failed, now), []);
    assert_eq!(ledger.finish(TURN, now), []);
    assert_eq!(ledger.dropped(a, now), []);
    assert_eq!(ledger.finished(b, now), [SpeakEvent::Done { turn: TURN, at: now }]);
}

#[test]
fn a_turn_is_heard_from_its_first_sound_on_not_from_the_silence_in_front_of_it() {
    let (taken, at) = (Instant::now(), Instant::now() + Duration::from_millis(20));
    let mut ledger = Ledger::default();
    let row = open(&mut ledger, 0);
    let silent = ledger.clip(row, None).unwrap();
    assert_eq!(ledger.started(silent, (taken, at)), [saying(0, at)], "there is nothing to hear yet");
    let begins = ledger.clip(row, Some(Duration::from_millis(10))).unwrap();
    let later = at + Duration::from_millis(500);
    let heard = SpeakEvent::Started { turn: TURN, taken: later, at: later + Duration::from_millis(10) };
    assert_eq!(ledger.started(begins, (later, later)), [heard]);
    let goes_on = ledger.clip(row, AT_ONCE).unwrap();
    assert_eq!(ledger.started(goes_on, (later, later)), []);
}
