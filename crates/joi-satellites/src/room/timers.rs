//! Timers of a room, as its satellite shows them.
//!
//! In: the timers before and now. Out: events for what has changed. What they are called is shown in the room where it was said.
//! Pure: no I/O, no clock.

use serde_json::json;

use joi_base::message::Private;

use crate::wire::WireEvent;

/// A timer that was set in the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomTimer {
    /// Names it.
    pub id: i64,
    /// What it is called.
    pub name: Option<Private<String>>,
    /// Seconds that are left.
    pub left_s: u32,
    /// What changes when it is moved: when it ends, or how much is left while it stands still.
    pub ends: i64,
    /// How it is.
    pub state: RoomTimerState,
}

/// How a timer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoomTimerState {
    /// It counts.
    Runs,
    /// It stands still.
    Paused,
    /// It is over, and rings.
    Rings,
}

/// Returns the events that lead from `before` to `now`.
pub(crate) fn changes(before: &[RoomTimer], now: &[RoomTimer]) -> Vec<WireEvent> {
    let of = |all: &[RoomTimer], id| all.iter().find(|timer| timer.id == id).cloned();
    let mut events = Vec::new();
    for timer in now {
        let old = of(before, timer.id);
        match old {
            None => {
                events.push(started(timer));
                if timer.state == RoomTimerState::Rings {
                    events.push(named("timer-finished", timer.id));
                }
            }
            Some(old) if timer.state == RoomTimerState::Rings => {
                let is_new = old.state != RoomTimerState::Rings;
                events.extend(is_new.then(|| named("timer-finished", timer.id)));
            }
            Some(old) if (old.state, old.ends) != (timer.state, timer.ends) => events.push(updated(timer)),
            Some(_) => {}
        }
    }
    let gone = before.iter().filter(|old| old.state != RoomTimerState::Rings && of(now, old.id).is_none());
    events.extend(gone.map(|old| named("timer-cancelled", old.id)));
    events
}

fn started(timer: &RoomTimer) -> WireEvent {
    let RoomTimer { id, name, left_s, .. } = timer;
    let (hours, minutes, seconds) = (left_s / 3_600, left_s / 60 % 60, left_s % 60);
    WireEvent::new(
        "timer-started",
        json!({
            "id": id.to_string(), "total_seconds": left_s, "name": name.as_ref().map(|name| &name.0),
            "start_hours": hours, "start_minutes": minutes, "start_seconds": seconds,
        }),
    )
}

fn updated(timer: &RoomTimer) -> WireEvent {
    let is_active = timer.state == RoomTimerState::Runs;
    let data = json!({ "id": timer.id.to_string(), "is_active": is_active, "total_seconds": timer.left_s });
    WireEvent::new("timer-updated", data)
}

fn named(kind: &str, id: i64) -> WireEvent {
    WireEvent::new(kind, json!({ "id": id.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_one_event_and_nothing_is_repeated() {
        let timer = |id, ends, state| RoomTimer {
            id,
            name: (id == 1).then(|| Private("tea".into())),
            left_s: 3_725,
            ends,
            state,
        };
        let (runs, paused, rings) = (RoomTimerState::Runs, RoomTimerState::Paused, RoomTimerState::Rings);
        let kinds = |before: &[RoomTimer], now: &[RoomTimer]| {
            changes(before, now).into_iter().map(|event| event.kind).collect::<Vec<_>>()
        };
        let tea = timer(1, 100, runs);
        let begun = changes(&[], std::slice::from_ref(&tea));
        let expected = json!({ "id": "1", "total_seconds": 3_725, "name": "tea", "start_hours": 1, "start_minutes": 2,
                               "start_seconds": 5 });
        assert_eq!(serde_json::Value::from(begun[0].data.clone()), expected);
        let later = RoomTimer { left_s: 10, ..tea.clone() };
        assert_eq!(kinds(std::slice::from_ref(&tea), &[later]), [""; 0], "time goes on");
        assert_eq!(kinds(std::slice::from_ref(&tea), &[timer(1, 200, runs)]), ["timer-updated"]);
        let still = changes(std::slice::from_ref(&tea), &[timer(1, 60, paused)]);
        assert_eq!((still[0].kind.as_str(), &still[0].data["is_active"]), ("timer-updated", &json!(false)));
        assert_eq!(kinds(std::slice::from_ref(&tea), &[timer(1, 100, rings)]), ["timer-finished"]);
        assert_eq!(kinds(&[timer(1, 100, rings)], &[timer(1, 100, rings)]), [""; 0]);
        assert_eq!(kinds(&[timer(1, 100, rings)], &[]), [""; 0], "it was over");
        assert_eq!(kinds(&[tea], &[timer(2, 1, runs)]), ["timer-started", "timer-cancelled"]);
        assert_eq!(kinds(&[], &[timer(3, 1, rings)]), ["timer-started", "timer-finished"]);
    }
}
