//! The store over real files.

mod dialogue;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use joi_base::message::{Channel, ConversationId, Origin, Private, TurnId};
use joi_base::trace::{Decision, Mark, ModelUse, Stage};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn conversation(channel: Channel) -> ConversationId {
    ConversationId { channel, ..ConversationId::console() }
}

fn exchange(channel: Channel, second: i64, asked: &str, answer: &str) -> Exchange {
    Exchange {
        conversation: conversation(channel),
        asked_at: at(second),
        asked: Private(asked.into()),
        answered_at: at(second + 2),
        answer: Private(answer.into()),
        answer_origin: Origin::Ours,
        asked_origin: Origin::of_user(channel),
        wording: WordedBy::Model,
    }
}

fn row(id: i64, channel: Channel, role: DialogueRole, at: Timestamp, text: &str) -> DialogueRow {
    let origin = if role == DialogueRole::User { Origin::of_user(channel) } else { Origin::Ours };
    let (conversation, text) = (conversation(channel), Private(text.into()));
    DialogueRow { id, conversation, role, at, text, origin, wording: WordedBy::Model }
}

fn record(id: u64, at: Timestamp, heard: &str) -> TurnRecord {
    TurnRecord {
        id: TurnId(id),
        channel: Channel::Voice,
        at: at.to_string(),
        heard: heard.into(),
        reply: "Half past four.".into(),
        marks: vec![Mark { stage: Stage::SpeechEnd, ms: 0.0 }, Mark { stage: Stage::Endpoint, ms: 712.25 }],
        decisions: vec![Decision::new("intents", "time", "asks for the time")],
        model_use: vec![ModelUse { model: "m".into(), backend: "local".into(), ..ModelUse::default() }],
        tool_use: Vec::new(),
    }
}

fn somewhere() -> (PathBuf, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (folder.path().join("data/joi.db"), folder)
}

/// Every byte of the database and its side files.
fn bytes(path: &Path) -> Vec<u8> {
    let folder = fs::read_dir(path.parent().unwrap()).unwrap();
    folder.flat_map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
}

fn contains(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|w| w == word.as_bytes())
}

#[tokio::test]
async fn exchanges_come_back_in_order_also_after_a_restart() {
    let (path, _folder) = somewhere();
    let store = Store::open(&path).unwrap();
    store.add_exchange(exchange(Channel::Voice, 0, "hello", "Hi.")).await.unwrap();
    store.add_exchange(exchange(Channel::Console, 10, "and now?", "Now too.")).await.unwrap();
    store.close().await.unwrap();
    let store = Store::open(&path).unwrap();
    let expected = vec![
        row(1, Channel::Voice, DialogueRole::User, at(0), "hello"),
        row(2, Channel::Voice, DialogueRole::Assistant, at(2), "Hi."),
        row(3, Channel::Console, DialogueRole::User, at(10), "and now?"),
        row(4, Channel::Console, DialogueRole::Assistant, at(12), "Now too."),
    ];
    assert_eq!(store.dialogue_since(at(0), 100).await.unwrap(), expected);
    assert_eq!(store.dialogue_since(at(0), 3).await.unwrap(), expected[1..]);
    assert_eq!(store.dialogue_since(at(3), 100).await.unwrap(), expected[2..]);
    assert_eq!(store.set_aside(), None);
}

#[tokio::test]
async fn a_clock_that_was_set_back_does_not_drag_new_messages_into_the_future() {
    let store = Store::in_memory().unwrap();
    store.add_exchange(exchange(Channel::Voice, 90_000, "a", "b")).await.unwrap();
    store.add_exchange(exchange(Channel::Voice, 0, "c", "d")).await.unwrap();
    let rows = store.dialogue_since(at(-10), 100).await.unwrap();
    assert_eq!(rows.iter().map(|r| r.at).collect::<Vec<_>>(), [at(90_000), at(90_002), at(0), at(2)]);
}

#[tokio::test]
async fn an_interrupted_answer_is_remembered_as_far_as_it_was_heard() {
    let store = Store::in_memory().unwrap();
    let first = store.add_exchange(exchange(Channel::Voice, 0, "a", "One. Two. Three.")).await.unwrap();
    let second = store.add_exchange(exchange(Channel::Voice, 10, "b", "Four.")).await.unwrap();
    store.amend_answer(first, "One.".into()).await.unwrap();
    store.amend_answer(second, " ".into()).await.unwrap();
    let rows = store.dialogue_since(at(0), 100).await.unwrap();
    let expected = [
        row(1, Channel::Voice, DialogueRole::User, at(0), "a"),
        row(2, Channel::Voice, DialogueRole::Assistant, at(2), "One."),
    ];
    assert_eq!(rows, expected);
}

#[tokio::test]
async fn turn_records_come_back_whole_and_newest_first() {
    let store = Store::in_memory().unwrap();
    assert_eq!(store.last_turn().await.unwrap(), None);
    let (one, two) = (record(1, at(0), "one"), record(2, at(1), "two"));
    store.save_turn(&one).await.unwrap();
    store.save_turn(&two).await.unwrap();
    assert_eq!(store.last_turn().await.unwrap(), Some(two.clone()));
    assert_eq!(store.turns(5).await.unwrap(), [two, one]);
    let zoned = TurnRecord { at: "2027-01-15T09:00:00+01:00[Europe/Vienna]".into(), ..record(3, at(0), "x") };
    store.save_turn(&zoned).await.unwrap();
    let undated = TurnRecord { at: "yesterday".into(), ..zoned };
    assert!(matches!(store.save_turn(&undated).await, Err(StoreError::Record(_))));
}

#[tokio::test]
async fn a_record_of_another_version_is_skipped() {
    let store = Store::in_memory().unwrap();
    store.save_turn(&record(1, at(0), "one")).await.unwrap();
    let foreign = "INSERT INTO turn (at_ms, record) VALUES (0, '{\"v\": 9}')";
    store.run(|db| Ok(db.execute_batch(foreign)?)).await.unwrap();
    assert_eq!(store.turns(5).await.unwrap(), [record(1, at(0), "one")]);
}

#[tokio::test]
async fn settings_are_remembered() {
    let store = Store::in_memory().unwrap();
    assert_eq!(store.setting("volume").await.unwrap(), None);
    store.set_setting("volume", "40".into()).await.unwrap();
    store.set_setting("volume", "50".into()).await.unwrap();
    assert_eq!(store.setting("volume").await.unwrap(), Some("50".into()));
}

#[tokio::test]
async fn forgetting_leaves_no_word_in_any_file_and_keeps_settings() {
    let (path, _folder) = somewhere();
    let store = Store::open(&path).unwrap();
    for n in 0..50 {
        let said = exchange(Channel::Voice, n * 10, "my aunt Philomena", "Philomena is well.");
        store.add_exchange(said).await.unwrap();
        store.save_turn(&record(1, at(n), "my aunt Philomena")).await.unwrap();
    }
    store.set_setting("volume", "50".into()).await.unwrap();
    assert!(contains(&bytes(&path), "Philomena"));
    assert_eq!(
        store.forget(DIALOGUE).await.unwrap(),
        Deleted { messages: 100, turns: 50, ..Deleted::default() }
    );
    assert!(!contains(&bytes(&path), "Philomena"));
    assert_eq!(store.setting("volume").await.unwrap(), Some("50".into()));
    assert_eq!(store.forget(DIALOGUE).await.unwrap(), Deleted::default());
}

#[tokio::test]
async fn what_is_older_than_the_retention_is_purged() {
    let store = Store::in_memory().unwrap();
    let days = |n: i64| n * 86_400;
    for day in [0, 10, 30] {
        store.add_exchange(exchange(Channel::Voice, days(day), "a", "b")).await.unwrap();
        store.save_turn(&record(1, at(days(day)), "a")).await.unwrap();
    }
    let cutoff = StoreConfig::default().cutoff(at(days(40)));
    assert_eq!(cutoff, at(days(10)));
    let purged = store.purge_older_than(cutoff).await.unwrap();
    assert_eq!(purged, Deleted { messages: 2, turns: 1, ..Deleted::default() });
    assert_eq!(store.dialogue_since(at(0), 100).await.unwrap().len(), 4);
}

#[tokio::test]
async fn the_database_is_private_to_its_owner() {
    let (path, _folder) = somewhere();
    let store = Store::open(&path).unwrap();
    store.add_exchange(exchange(Channel::Voice, 0, "a", "b")).await.unwrap();
    let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for file in fs::read_dir(path.parent().unwrap()).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}

async fn is_usable(store: &Store) {
    store.add_exchange(exchange(Channel::Voice, 0, "a", "b")).await.unwrap();
    assert_eq!(store.dialogue_since(at(0), 100).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_set_aside_untouched() {
    let (path, _folder) = somewhere();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let garbage = b"this was a database once, but the card died ".repeat(100);
    fs::write(&path, &garbage).unwrap();
    let store = Store::open(&path).unwrap();
    is_usable(&store).await;
    assert_eq!(fs::read(store.set_aside().unwrap()).unwrap(), garbage);
}

#[tokio::test]
async fn a_database_with_damaged_pages_is_set_aside() {
    let (path, _folder) = somewhere();
    let store = Store::open(&path).unwrap();
    for n in 0..200 {
        let long = "word ".repeat(100);
        store.add_exchange(exchange(Channel::Voice, n * 10, &long, &long)).await.unwrap();
    }
    store.close().await.unwrap();
    let mut broken = fs::read(&path).unwrap();
    broken[4096..40_960].fill(0xA5);
    fs::write(&path, &broken).unwrap();
    let store = Store::open(&path).unwrap();
    let saved = store.dialogue_since(at(0), 1_000).await.unwrap().len();
    assert_eq!(saved, 400, "the trees are gone; the pages with the rows are not");
    store.add_exchange(exchange(Channel::Voice, 9_000, "a", "b")).await.unwrap();
    assert_eq!(store.dialogue_since(at(0), 1_000).await.unwrap().len(), saved + 2);
    assert_eq!(fs::read(store.set_aside().unwrap()).unwrap(), broken);
}

/// A database that is too large to be checked before it is used; returns its bytes.
async fn large(path: &Path) -> Vec<u8> {
    let store = Store::open(path).unwrap();
    store.schedule(|_| Ok(put(1, "a timer"))).await.unwrap();
    let rows = "INSERT INTO message (channel, at_ms, role, text)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
        SELECT 'voice', i, 'assistant', printf('%d ', i) || hex(zeroblob(200)) FROM n";
    store.run(move |db| Ok(db.execute_batch(rows)?)).await.unwrap();
    store.close().await.unwrap();
    let bytes = fs::read(path).unwrap();
    assert!(bytes.len() as u64 > file::SMALL, "{}", bytes.len());
    bytes
}

fn put(id: i64, entry: &str) -> ScheduleWrite<()> {
    ScheduleWrite { changes: vec![ScheduleChange::Put(id, entry.into())], latest: None, answer: () }
}

#[tokio::test]
async fn a_large_database_is_looked_through_while_it_is_used() {
    let (path, _folder) = somewhere();
    let sound = large(&path).await;
    let (store, check) = Store::open_checked(&path, Heart::unwatched(), Duration::ZERO).unwrap();
    check.unwrap().join().unwrap();
    assert_eq!(store.dialogue_since(Timestamp::UNIX_EPOCH, 100_000).await.unwrap().len(), 12_000);
    assert_eq!(store.set_aside(), None);
    drop(store);
    // The check that is due in a minute keeps nobody waiting: it ends with the store.
    let (store, check) = Store::open_checked(&path, Heart::unwatched(), Duration::from_secs(3600)).unwrap();
    store.close().await.unwrap();
    check.unwrap().join().unwrap();
    assert_eq!(fs::read(&path).unwrap().len(), sound.len());
}

#[tokio::test]
async fn damage_deep_in_a_large_database_is_found_beside_its_use_and_set_aside() {
    let (path, _folder) = somewhere();
    let mut broken = large(&path).await;
    let half = broken.len() / 2;
    broken[half..half + 40_960].fill(0xA5);
    fs::write(&path, &broken).unwrap();
    let (store, check) = Store::open_checked(&path, Heart::unwatched(), Duration::ZERO).unwrap();
    check.unwrap().join().unwrap();
    is_usable(&store).await;
    assert_eq!(fs::read(store.set_aside().unwrap()).unwrap(), broken);
}

#[tokio::test]
async fn damage_in_what_rings_is_found_before_anything_is_done_however_large_the_rest_is() {
    let (path, _folder) = somewhere();
    let mut broken = large(&path).await;
    let pages = Connection::open(&path).unwrap();
    let page = "SELECT rootpage FROM sqlite_schema WHERE name = 'schedule'";
    let page: u32 = pages.query_row(page, [], |row| row.get(0)).unwrap();
    let page = page as usize;
    drop(pages);
    broken[(page - 1) * 4096..page * 4096].fill(0xA5);
    fs::write(&path, &broken).unwrap();
    let (store, check) = Store::open_checked(&path, Heart::unwatched(), Duration::ZERO).unwrap();
    assert!(check.is_none() && store.set_aside().is_some());
    is_usable(&store).await;
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let (path, _folder) = somewhere();
    drop(Store::open(&path).unwrap());
    let db = Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(db);
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(&error, StoreError::Newer { path: p } if *p == path), "{error}");
    assert_eq!(
        fs::read_dir(path.parent().unwrap())
            .unwrap()
            .filter(|f| { f.as_ref().unwrap().file_name().to_string_lossy().contains("damaged") })
            .count(),
        0
    );
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let (_, folder) = somewhere();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Store::open(&file.join("joi.db")).unwrap_err();
    assert!(matches!(&error, StoreError::Folder { path, .. } if *path == file), "{error}");
    let error = Store::open(folder.path()).unwrap_err();
    assert!(matches!(&error, StoreError::Open { path, .. } if path == folder.path()), "{error}");
}

#[tokio::test]
async fn a_full_disk_is_an_error_of_its_own_and_passes() {
    let store = Store::in_memory().unwrap();
    // SQLite's own limit gives the very error of a full disk.
    store.run(|db| Ok(db.execute_batch("PRAGMA max_page_count = 1")?)).await.unwrap();
    let long = "word ".repeat(10_000);
    let full = store.add_exchange(exchange(Channel::Voice, 0, &long, &long)).await;
    assert!(matches!(full, Err(StoreError::Full)), "{full:?}");
    store.run(|db| Ok(db.execute_batch("PRAGMA max_page_count = 100000")?)).await.unwrap();
    is_usable(&store).await;
}

#[test]
fn the_configuration_names_all_its_problems() {
    assert_eq!(StoreConfig::default().check(), []);
    let bad = StoreConfig { retention_days: 0 };
    let keys: Vec<String> = bad.check().into_iter().map(|p| p.key).collect();
    assert_eq!(keys, ["store.retention_days"]);
}

#[tokio::test]
async fn a_change_of_the_schedule_is_flushed_and_nothing_else_pays_for_it() {
    let (path, _folder) = somewhere();
    let store = Store::open(&path).unwrap();
    let level = |db: &mut Connection| Ok(db.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0))?);
    assert_eq!(store.run(level).await.unwrap(), 1, "NORMAL");
    let put = |number: i64, text: &str| ScheduleChange::Put(number, text.to_owned());
    let write = |changes, latest| move |_: ScheduleTable| Ok(ScheduleWrite { changes, latest, answer: () });
    store.schedule(write(vec![put(1, "a"), put(2, "b")], Some(at(5)))).await.unwrap();
    store.schedule(write(vec![put(1, "c"), ScheduleChange::Remove(2)], None)).await.unwrap();
    let refused = store.schedule(|_| Err::<ScheduleWrite<()>, _>(StoreError::ThreadEnded)).await;
    assert!(matches!(refused, Err(StoreError::ThreadEnded)));
    assert_eq!(store.run(level).await.unwrap(), 1, "NORMAL again, also after a refusal");
    drop(store);
    let store = Store::open(&path).unwrap();
    let table = store
        .schedule(|table| Ok(ScheduleWrite { changes: vec![], latest: None, answer: table }))
        .await
        .unwrap();
    let rows = vec![ScheduleRow { id: 1, entry: "c".into() }];
    assert_eq!(table, ScheduleTable { rows, next_id: 3, latest: Some(at(5)) }, "numbers are not used again");
}

const DIALOGUE: Forget = Forget { dialogue: true, notes: false, timers: false };

#[tokio::test]
async fn notes_and_timers_are_forgotten_when_that_is_asked_and_leave_no_byte() {
    let (path, _folder) = somewhere();
    let store = Store::open(&path).unwrap();
    let holds = |what: &str| contains(&bytes(&path), what);
    store.add_notes("notes", vec!["the marmalade is hidden".into()], Timestamp::UNIX_EPOCH).await.unwrap();
    store.set_tool_history(conversation(Channel::Voice), "a stranger said zebra".into()).await.unwrap();
    store.set_setting("volume", "40".into()).await.unwrap();
    let put = |_| {
        let changes = vec![ScheduleChange::Put(1, "{\"name\":\"call the walrus\"}".into())];
        Ok(ScheduleWrite { changes, latest: None, answer: () })
    };
    store.schedule(put).await.unwrap();
    assert_eq!(store.forget(DIALOGUE).await.unwrap(), Deleted::default());
    assert!(!holds("zebra") && holds("marmalade") && holds("walrus"));
    let notes = Forget { notes: true, ..Forget::default() };
    assert_eq!(store.forget(notes).await.unwrap(), Deleted { notes: 1, ..Deleted::default() });
    assert!(!holds("marmalade") && holds("walrus"));
    let all = Forget { dialogue: true, notes: true, timers: true };
    assert_eq!(store.forget(all).await.unwrap(), Deleted { timers: 1, ..Deleted::default() });
    assert!(!holds("walrus"));
    assert_eq!(store.setting("volume").await.unwrap().as_deref(), Some("40"), "settings stay");
}
