//! Days on which nothing is said: what is written all the same, and that a clock that is wrong afterwards is noticed.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use super::ringing::{Wall, schedule, watch as let_ring};
use super::*;
use joi_store::{LAST_RUN, snapshots};

/// What an idle day may write.
const MOST: usize = 1_000_000;
/// Looks of a day whether to speak up.
const LOOKS: u32 = 115;
/// Between two of them.
const EVERY: Duration = Duration::from_secs(751);
/// Days that their decisions are kept.
const KEPT_DAYS: i64 = 30;
/// A page of the database, and what stands before each one in the log and before all of them.
const PAGE: usize = 4_096;
const FRAME_HEAD: usize = 24;
const LOG_HEAD: usize = 32;

/// A decision to be silent, about as long as a real one.
fn decision() -> String {
    format!("{{\"threshold\":0.5,\"factors\":\"{}\"}}", "x".repeat(330))
}

/// The numbers of the pages in the log, one for each time that a page was written.
fn logged(database: &Path) -> Vec<u32> {
    let log = fs::read(database.with_extension("db-wal")).unwrap();
    assert_eq!(log[8..12], (PAGE as u32).to_be_bytes(), "the size of a page");
    let frames = log[LOG_HEAD..].chunks_exact(FRAME_HEAD + PAGE);
    frames.map(|frame| u32::from_be_bytes(frame[..4].try_into().unwrap())).collect()
}

fn days(many: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * many)
}

/// A database that has been running for longer than decisions are kept, with the snapshot of the day.
async fn run_in(schedule: &Schedule, now: Timestamp) {
    let store = &schedule.parts.store;
    for day in (1..=KEPT_DAYS + 1).rev() {
        for look in 0..LOOKS {
            let at = now - days(day) + SignedDuration::try_from(EVERY * look).unwrap();
            store.add_impulse(at, decision()).await.unwrap();
        }
    }
    store.set_setting("test.word", "rhubarb".to_owned()).await.unwrap();
    store.snapshot(now).await.unwrap().expect("the first one");
    // From here on the log begins anew.
    store.clone().close().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn all_that_an_idle_day_writes_stays_below_a_megabyte() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let wall = Wall::at(at(0, 0));
    let schedule = schedule(&file, wall.clone());
    let store = schedule.parts.store.clone();
    let now = || wall.now().timestamp();
    run_in(&schedule, now()).await;
    let inode = |path: &Path| fs::metadata(path).unwrap().ino();
    let before = inode(&snapshots(&file)[0]);

    store.set_setting(LAST_RUN, "{\"boot\":\"another one\",\"has_ended\":false}".to_owned()).await.unwrap();
    assert_eq!(store.purge_impulses(now() - days(KEPT_DAYS)).await.unwrap(), LOOKS as usize);
    let (_alerts, _stop) = let_ring(&schedule);
    for _ in 0..LOOKS {
        tokio::time::sleep(EVERY).await;
        store.add_impulse(now(), decision()).await.unwrap();
    }
    store.snapshot(now()).await.unwrap().expect("one of that day");

    let kept = snapshots(&file);
    assert_eq!((kept.len(), inode(&kept[0])), (1, before), "it is the one from before: no byte was copied");
    let pages = logged(&file);
    // A checkpoint writes each of them once more, and is at most one a day.
    let copied = pages.iter().collect::<BTreeSet<_>>().len();
    let written = LOG_HEAD + pages.len() * (FRAME_HEAD + PAGE) + copied * PAGE;
    assert!(written < MOST, "{written} bytes: {} pages in the log, {copied} different ones", pages.len());
    assert!(pages.len() > LOOKS as usize + 40, "the looks and the notes of the clock are among them");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_back_by_more_than_half_an_hour_is_noticed_after_idle_hours() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let wall = Wall::at(at(8, 0));
    let running = schedule(&file, wall.clone());
    let (_alerts, stop) = let_ring(&running);
    for minutes in [45, 170, 301] {
        tokio::time::sleep(Duration::from_secs(60 * minutes)).await;
        // As after a power cut at this moment.
        let back = wall.now().checked_sub(34.minutes()).unwrap();
        let after = schedule(&file, Arc::new(ManualClock::at(back)));
        let done = after.obey(ScheduleOrder::List(None)).await.unwrap();
        assert_eq!(done.trust, Trust::Behind, "after {minutes} minutes");
    }
    stop.cancel();
}

#[test]
fn a_believed_clock_is_noted_each_half_hour_and_at_once_where_it_was_put_back() {
    let now = at(17, 0).timestamp();
    let noted = |minutes: i64| watch::is_worth_noting(now, Some(now + SignedDuration::from_mins(minutes)));
    assert!(watch::is_worth_noting(now, None), "never yet");
    assert!(!noted(0) && !noted(-30) && noted(-31) && noted(-60 * 24));
    assert!(!noted(2), "as much as a clock may be put back");
    assert!(noted(3) && noted(60 * 24), "else it would be in doubt at the next start");
}
