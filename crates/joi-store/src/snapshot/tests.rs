//! Snapshots of real files: when one is written, and how much.

use std::os::unix::fs::MetadataExt as _;

use tempfile::TempDir;

use super::*;
use crate::{LAST_RUN, MemoryKind, NewMemory, ScheduleChange, ScheduleWrite};
use joi_base::message::Private;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + hour * 3_600).unwrap()
}

/// A database of some hundred kB.
async fn remembering() -> (TempDir, PathBuf, Store) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("joi.db");
    let store = Store::open(&path).unwrap();
    remember(&store, &"a page of a diary ".repeat(20_000)).await;
    (folder, path, store)
}

async fn remember(store: &Store, text: &str) {
    let text = Private(text.to_owned());
    let page = NewMemory { kind: MemoryKind::Diary, at: at(0), text, source: "diary".into() };
    store.remember(vec![page]).await.unwrap();
}

/// What the schedule stores, with the moment of the clock, as the one that rings does.
async fn schedule(store: &Store, changes: Vec<ScheduleChange>, latest: Timestamp) {
    let write = move |_| Ok(ScheduleWrite { changes, latest: Some(latest), answer: () });
    store.schedule(write).await.unwrap();
}

/// Files of snapshots, and the bytes of those that were not there before.
fn written(path: &Path, known: &mut Vec<u64>) -> u64 {
    let mut bytes = 0;
    for about in all(path).iter().map(|file| fs::metadata(file).unwrap()) {
        if !known.contains(&about.ino()) {
            known.push(about.ino());
            bytes += about.len();
        }
    }
    bytes
}

#[tokio::test]
async fn idle_days_write_no_snapshot_and_a_day_with_a_change_writes_one() {
    let (_folder, path, store) = remembering().await;
    let mut known = Vec::new();
    store.snapshot(at(0)).await.unwrap().expect("the first one");
    let first = written(&path, &mut known);
    assert!(first > 300_000, "{first} bytes");
    for day in 1..=3 {
        // What goes on by itself.
        for look in 0..115 {
            store.add_impulse(at(24 * day), format!("look {look}")).await.unwrap();
        }
        store.set_context_state(format!("day {day}")).await.unwrap();
        for hour in 0..24 {
            schedule(&store, Vec::new(), at(24 * (day - 1) + hour)).await;
        }
        store.set_setting(LAST_RUN, format!("begun on day {day}")).await.unwrap();
        let taken = store.snapshot(at(24 * day)).await.unwrap().expect("one of that day");
        assert_eq!(super::super::snapshots(&path), [taken], "it is the one from before");
        assert_eq!(written(&path, &mut known), 0, "and nothing was written");
    }
    store.set_setting("test.word", "rhubarb".to_owned()).await.unwrap();
    assert_eq!(store.snapshot(at(24 * 3 + 1)).await.unwrap(), None, "there is one of that day");
    store.snapshot(at(24 * 4)).await.unwrap().expect("one of the next");
    assert!(written(&path, &mut known) > 300_000, "with what has changed");
    assert_eq!(super::super::snapshots(&path).len(), 2, "beside the one before");
}

#[tokio::test]
async fn every_change_that_counts_is_seen_however_small() {
    let (_folder, path, store) = remembering().await;
    store.set_setting("test.word", "rhubarb".to_owned()).await.unwrap();
    let mut known = Vec::new();
    store.snapshot(at(0)).await.unwrap().expect("the first one");
    written(&path, &mut known);
    // As long as before, and as many rows.
    store.set_setting("test.word", "rhubarp".to_owned()).await.unwrap();
    store.snapshot(at(24)).await.unwrap();
    assert!(written(&path, &mut known) > 0, "a letter");
    store.add_alert(at(25), "{}".into()).await.unwrap();
    store.snapshot(at(48)).await.unwrap();
    assert!(written(&path, &mut known) > 0, "an alarm");
    remember(&store, "a memory").await;
    store.snapshot(at(72)).await.unwrap();
    assert!(written(&path, &mut known) > 0, "a memory");
    store.snapshot(at(96)).await.unwrap();
    assert_eq!(written(&path, &mut known), 0, "nothing");
    schedule(&store, vec![ScheduleChange::Put(1, "{}".to_owned())], at(97)).await;
    store.snapshot(at(120)).await.unwrap();
    assert!(written(&path, &mut known) > 0, "a timer");
}

#[tokio::test]
async fn what_was_replaced_stays_in_no_snapshot_for_longer_than_seven_days() {
    let (_folder, path, store) = remembering().await;
    store.set_setting("test.word", "walrus".to_owned()).await.unwrap();
    store.snapshot(at(0)).await.unwrap().expect("the first one");
    store.set_setting("test.word", "heron".to_owned()).await.unwrap();
    for day in 1..8 {
        store.snapshot(at(24 * day)).await.unwrap().expect("one of that day");
    }
    let kept = super::super::snapshots(&path);
    assert_eq!(kept.len(), 1, "{kept:?}");
    let bytes = fs::read(&kept[0]).unwrap();
    assert!(!bytes.windows(6).any(|word| word == b"walrus"));
}

#[tokio::test]
async fn a_snapshot_that_can_not_be_read_is_not_relied_on() {
    let (_folder, _path, store) = remembering().await;
    let first = store.snapshot(at(0)).await.unwrap().expect("the first one");
    let length = fs::metadata(&first).unwrap().len();
    fs::OpenOptions::new().write(true).open(&first).unwrap().set_len(length / 2).unwrap();
    let second = store.snapshot(at(24)).await.unwrap().expect("one of the next day");
    assert_eq!(fs::metadata(second).unwrap().len(), length);
}
