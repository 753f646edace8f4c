//! Follows the timers that were set in a room, for its satellite.
//!
//! One task. In: changes of the schedule, and of what rings. Out: the timers of the room, as a value that is always the newest.

use jiff::Zoned;
use tokio::sync::watch;

use crate::app::voice_brain::VoiceBrain;
use joi_base::message::{Place, Private};
use joi_satellites::{RoomTimer, RoomTimerState};
use joi_schedule::{Entry, EntryKind, Schedule};

/// Follows until it is dropped. Cancel-safe.
pub(super) async fn follow(brain: &VoiceBrain, place: &Place, shown: watch::Sender<Vec<RoomTimer>>) {
    let Some(schedule) = &brain.schedule else { return std::future::pending().await };
    let (mut changes, mut rings) = (schedule.changes(), brain.announcer.changes());
    loop {
        changes.mark_unchanged();
        rings.mark_unchanged();
        if let Some(now) = timers(schedule, place, &brain.clock.now()).await {
            shown.send_if_modified(|before| std::mem::replace(before, now.clone()) != now);
        }
        // Both arms are cancel-safe. The schedule and the queue live as long as the brain, which is here.
        tokio::select! {
            _ = changes.changed() => {}
            _ = rings.changed() => {}
        }
    }
}

/// Returns the timers of `place`; nothing where the database does not answer, which is logged elsewhere.
async fn timers(schedule: &Schedule, place: &Place, now: &Zoned) -> Option<Vec<RoomTimer>> {
    let entries = schedule.entries().await.ok()?;
    let here =
        |entry: &&Entry| entry.kind == EntryKind::Timer && entry.place.as_deref() == Some(place.name());
    let timer = |entry: &Entry| {
        let left_s = u32::try_from(entry.left(now).as_secs()).unwrap_or_default();
        let (state, ends) = match (entry.is_ringing(), entry.is_paused()) {
            (true, _) => (RoomTimerState::Rings, 0),
            (false, true) => (RoomTimerState::Paused, left_s.into()),
            (false, false) => (RoomTimerState::Runs, entry.due.moment(now.time_zone()).as_second()),
        };
        RoomTimer { id: entry.id.0, name: entry.name.clone().map(Private), left_s, ends, state }
    };
    Some(entries.iter().filter(here).map(timer).collect())
}
