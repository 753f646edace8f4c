//! Damaged databases on real files: what is saved, what a snapshot gives back, what is counted as lost.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::{
    Exchange, LostRows, MemoryKind, NewMemory, ScheduleChange, ScheduleWrite, Store, TableLoss, WordedBy,
};
use joi_base::message::{Channel, ConversationId, Origin, Private};

const PAGE: usize = 4096;

fn at(day: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + day * 86_400).unwrap()
}

fn somewhere() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/joi.db");
    (folder, path)
}

async fn say(store: &Store, day: i64, text: &str) {
    let exchange = Exchange {
        conversation: ConversationId { channel: Channel::Voice, ..ConversationId::console() },
        asked_at: at(day),
        asked: Private(text.into()),
        answered_at: at(day),
        answer: Private("All right.".into()),
        answer_origin: Origin::Ours,
        asked_origin: Origin::Speech,
        wording: WordedBy::Model,
    };
    store.add_exchange(exchange).await.unwrap();
}

async fn timer(store: &Store, id: i64, entry: &str) {
    let changes = vec![ScheduleChange::Put(id, entry.to_owned())];
    store.schedule(move |_| Ok(ScheduleWrite { changes, latest: None, answer: () })).await.unwrap();
}

async fn timers(store: &Store) -> Vec<i64> {
    let all = |table: crate::ScheduleTable| {
        let answer = table.rows.iter().map(|row| row.id).collect::<Vec<i64>>();
        Ok(ScheduleWrite { changes: vec![], latest: None, answer })
    };
    store.schedule(all).await.unwrap()
}

/// A database with some of everything, closed.
async fn filled(path: &Path) {
    let store = Store::open(path).unwrap();
    for n in 0..300 {
        say(&store, 0, &format!("message {n} {}", "word ".repeat(60))).await;
    }
    for n in 1..=3 {
        timer(&store, n, "{}").await;
    }
    store.add_notes("shopping", vec!["milk".into(), "bread".into()], at(0)).await.unwrap();
    let text = Private("my sister is called Ann".into());
    store
        .remember(vec![NewMemory { kind: MemoryKind::User, at: at(0), text, source: "said".into() }])
        .await
        .unwrap();
    store.set_setting("volume", "40".into()).await.unwrap();
    store.set_tool_history(ConversationId::console(), "{}".into()).await.unwrap();
    store.close().await.unwrap();
}

/// Overwrites pages, the first of which is number 1.
fn damage(path: &Path, pages: impl IntoIterator<Item = usize>) {
    let mut bytes = fs::read(path).unwrap();
    for page in pages {
        bytes[(page - 1) * PAGE..page * PAGE].fill(0xA5);
    }
    fs::write(path, bytes).unwrap();
}

fn root(path: &Path, table: &str) -> usize {
    let db = Connection::open(path).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    db.query_row(sql, [table], |row| row.get::<_, i64>(0)).unwrap() as usize
}

/// A leaf page of the table `message` in the middle of it.
fn leaf_of_messages(path: &Path) -> usize {
    let db = Connection::open(path).unwrap();
    let sql = "SELECT pageno FROM dbstat WHERE name = 'message' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 10";
    db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as usize
}

fn of<'a>(losses: &'a [TableLoss], table: &str) -> Option<&'a TableLoss> {
    losses.iter().find(|loss| loss.table == table)
}

#[tokio::test]
async fn a_damaged_page_costs_its_own_rows_and_they_are_counted_exactly() {
    let (_folder, path) = somewhere();
    filled(&path).await;
    damage(&path, [leaf_of_messages(&path)]);
    let broken = fs::read(&path).unwrap();
    let store = Store::open(&path).unwrap();
    let kept = store.dialogue_since(Timestamp::UNIX_EPOCH, 10_000).await.unwrap();
    let lost = 600 - kept.len() as u64;
    assert!((1..=40).contains(&lost), "{lost}");
    assert_eq!(timers(&store).await, [1, 2, 3]);
    assert_eq!(store.notes("shopping").await.unwrap(), ["milk", "bread"]);
    assert_eq!(store.memories(None, 9).await.unwrap().len(), 1);
    assert_eq!(store.setting("volume").await.unwrap().as_deref(), Some("40"));
    let losses = store.losses().await.unwrap();
    let expected = TableLoss {
        table: "message".into(),
        saved: kept.len() as u64,
        from_snapshot: 0,
        lost: LostRows::Exactly(lost),
    };
    assert_eq!(losses[0].tables, [expected]);
    assert_eq!(fs::read(&losses[0].kept_as).unwrap(), broken, "the damaged file is kept as it was");
    say(&store, 1, "and on").await;
    let newest = store.dialogue_since(at(1), 10).await.unwrap();
    assert!(newest[0].id > 600, "numbers are not used again");
}

#[tokio::test]
async fn a_damaged_root_and_a_damaged_head_cost_nothing_but_their_own_page() {
    let (_folder, path) = somewhere();
    filled(&path).await;
    damage(&path, [root(&path, "message")]);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.dialogue_since(Timestamp::UNIX_EPOCH, 10_000).await.unwrap().len(), 600);
    let losses = store.losses().await.unwrap();
    assert!(!losses[0].is_loss(), "{losses:?}");
    store.close().await.unwrap();
    damage(&path, [1]);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.dialogue_since(Timestamp::UNIX_EPOCH, 10_000).await.unwrap().len(), 600);
    assert_eq!(timers(&store).await, [1, 2, 3]);
    assert_eq!(store.notes("shopping").await.unwrap(), ["milk", "bread"]);
    assert_eq!(store.memories(None, 9).await.unwrap().len(), 1);
    assert_eq!(store.setting("volume").await.unwrap().as_deref(), Some("40"));
}

#[tokio::test]
async fn nothing_that_was_erased_comes_back_by_a_salvage() {
    let (_folder, path) = somewhere();
    filled(&path).await;
    let store = Store::open(&path).unwrap();
    store.add_notes("shopping", vec!["plum jam".into()], at(0)).await.unwrap();
    store.remove_note("shopping", "plum jam").await.unwrap();
    store.purge_older_than(at(1)).await.unwrap();
    store.close().await.unwrap();
    damage(&path, [1, 2]);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.dialogue_since(Timestamp::UNIX_EPOCH, 10_000).await.unwrap(), []);
    assert_eq!(store.notes("shopping").await.unwrap(), ["milk", "bread"]);
}

#[tokio::test]
async fn what_is_lost_comes_back_from_the_snapshot_and_only_the_rest_is_counted() {
    let (_folder, path) = somewhere();
    filled(&path).await;
    let store = Store::open(&path).unwrap();
    store.snapshot(at(1)).await.unwrap().expect("a snapshot");
    timer(&store, 4, "{}").await;
    store.close().await.unwrap();
    damage(&path, [root(&path, "schedule"), leaf_of_messages(&path)]);
    let store = Store::open(&path).unwrap();
    assert_eq!(timers(&store).await, [1, 2, 3], "the fourth is newer than the snapshot");
    assert_eq!(store.dialogue_since(Timestamp::UNIX_EPOCH, 10_000).await.unwrap().len(), 600);
    let losses = store.losses().await.unwrap();
    assert_eq!(losses[0].snapshot.as_deref(), Some("2027-01-16"));
    assert_eq!(
        of(&losses[0].tables, "schedule").map(|loss| (loss.from_snapshot, loss.lost)),
        Some((3, LostRows::AtMost(1)))
    );
    let message = of(&losses[0].tables, "message").unwrap();
    assert!(message.from_snapshot > 0 && !message.lost.is_loss(), "{message:?}");
}

#[tokio::test]
async fn a_file_of_which_nothing_can_be_read_is_replaced_by_the_newest_snapshot() {
    let (_folder, path) = somewhere();
    filled(&path).await;
    let store = Store::open(&path).unwrap();
    store.snapshot(at(1)).await.unwrap().expect("a snapshot");
    store.close().await.unwrap();
    fs::write(&path, b"the card died ".repeat(9_000)).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(timers(&store).await, [1, 2, 3]);
    assert_eq!(store.notes("shopping").await.unwrap(), ["milk", "bread"]);
    assert_eq!(store.dialogue_since(Timestamp::UNIX_EPOCH, 10_000).await.unwrap().len(), 600);
    let loss = store.losses().await.unwrap().remove(0);
    assert!(
        loss.tables.iter().all(|table| table.lost == LostRows::Unknown),
        "since then, anything may be lost"
    );
    assert!(loss.summary().contains("from the snapshot of 2027-01-16"), "{}", loss.summary());
}

#[tokio::test]
async fn without_a_snapshot_the_loss_of_a_whole_table_is_recorded_and_the_others_are_saved() {
    let (_folder, path) = somewhere();
    filled(&path).await;
    damage(&path, [root(&path, "note"), root(&path, "conversation")]);
    let store = Store::open(&path).unwrap();
    assert_eq!(timers(&store).await, [1, 2, 3]);
    assert_eq!(store.notes("shopping").await.unwrap(), [] as [&str; 0]);
    let losses = store.losses().await.unwrap();
    assert_eq!(of(&losses[0].tables, "note").unwrap().lost, LostRows::Exactly(2), "the index names them");
    let history = store.tool_history(ConversationId { channel: Channel::Voice, ..ConversationId::console() });
    assert!(history.await.unwrap().is_some(), "a lost history counts as tainted");
    assert_eq!(crate::unacknowledged(&path), losses);
}

#[tokio::test]
async fn a_salvage_that_is_interrupted_costs_nothing() {
    let (_folder, path) = somewhere();
    filled(&path).await;
    // It broke off while the new database was written: the damaged one is still in its place.
    fs::write(path.with_file_name("joi.db.rescue"), "half").unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(timers(&store).await, [1, 2, 3]);
    store.close().await.unwrap();
    assert!(!path.with_file_name("joi.db.rescue").exists());
    // It broke off between the two renamings: the new one is whole.
    fs::rename(&path, path.with_file_name("joi.db.rescue")).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(timers(&store).await, [1, 2, 3]);
}

/// All files of the data directory.
fn store_files(path: &Path) -> Vec<PathBuf> {
    fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn is_anywhere(path: &Path, word: &str) -> bool {
    store_files(path)
        .iter()
        .any(|file| fs::read(file).unwrap().windows(word.len()).any(|w| w == word.as_bytes()))
}

#[tokio::test]
async fn a_snapshot_is_taken_once_a_day_seven_are_kept_and_all_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = somewhere();
    filled(&path).await;
    let store = Store::open(&path).unwrap();
    for day in 0..9 {
        say(&store, day, "something new every day").await;
        assert!(store.snapshot(at(day)).await.unwrap().is_some());
        assert_eq!(store.snapshot(at(day)).await.unwrap(), None, "there is one of that day");
    }
    let days: Vec<String> = crate::snapshots(&path).iter().map(|path| crate::snapshot_day(path)).collect();
    assert_eq!(days.len(), 7);
    assert_eq!((days[0].as_str(), days[6].as_str()), ("2027-01-23", "2027-01-17"));
    for file in store_files(&path) {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
}

#[tokio::test]
async fn a_snapshot_keeps_nothing_that_retention_deletes() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    say(&store, 0, "about the walrus").await;
    say(&store, 20, "about the heron").await;
    let page = NewMemory {
        kind: MemoryKind::Diary,
        at: at(0),
        text: Private("a page about the ibex".into()),
        source: "diary".into(),
    };
    store.remember(vec![page]).await.unwrap();
    store.snapshot(at(20)).await.unwrap().expect("a snapshot");
    store.purge_older_than(at(10)).await.unwrap();
    store.purge_memories(MemoryKind::Diary, at(10)).await.unwrap();
    let kept = fs::read(&crate::snapshots(&path)[0]).unwrap();
    let holds = |word: &str| kept.windows(word.len()).any(|w| w == word.as_bytes());
    assert!(!holds("walrus") && !holds("ibex") && holds("heron"));
}

#[tokio::test]
async fn forgetting_reaches_snapshots_and_damaged_copies() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    say(&store, 0, "about aunt Philomena").await;
    say(&store, 0, "about the heron").await;
    store.snapshot(at(0)).await.unwrap().expect("a snapshot");
    fs::copy(&path, path.with_file_name("joi.db.damaged-20270101T000000.000")).unwrap();
    fs::write(path.with_file_name("joi.db.damaged-20270101T000000.000-wal"), "Philomena").unwrap();
    assert!(is_anywhere(&path, "Philomena"));
    store.forget_about("Philomena").await.unwrap();
    assert!(!is_anywhere(&path, "Philomena"), "{:?}", store_files(&path));
    assert!(is_anywhere(&path, "heron"));
    assert_eq!(crate::snapshots(&path).len(), 1, "a new one stands behind it");
}

#[tokio::test]
async fn words_of_a_topic_are_erased_across_the_escapes_of_json_and_neighbours_stay() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    let history = r#"{"turns":[{"answer":90,"rows":["{\"found\":\"the J\\u00e4ger\\nsaid \\\"Zoe\\\"\"}"]},{"answer":92,"rows":["the weather"]}],"is_tainted":true,"grown":[]}"#;
    let voice = ConversationId { channel: Channel::Voice, ..ConversationId::console() };
    store.set_tool_history(voice.clone(), history.into()).await.unwrap();
    say(&store, 0, "ann rang").await;
    say(&store, 0, "anna was planning it").await;
    for topic in ["Jäger", "zoe"] {
        assert_eq!(store.known_about(topic).await.unwrap().other, 1, "{topic}");
    }
    store.forget_about("jäger").await.unwrap();
    assert!(!is_anywhere(&path, "Zoe") && !is_anywhere(&path, "u00e4ger"));
    let left = store.tool_history(voice).await.unwrap().unwrap();
    assert_eq!(left, r#"{"turns":[{"answer":92,"rows":["the weather"]}],"is_tainted":true,"grown":[]}"#);
    assert_eq!(store.forget_about("ann").await.unwrap().exchanges, 1);
    let rows = store.dialogue_since(Timestamp::UNIX_EPOCH, 10).await.unwrap();
    assert_eq!(rows[0].text.0, "anna was planning it");
    assert!(!is_anywhere(&path, "ann rang"));
}

#[tokio::test]
async fn an_erasure_by_another_program_is_seen() {
    let (_folder, path) = somewhere();
    let running = Store::open(&path).unwrap();
    say(&running, 0, "about the heron").await;
    let before = (running.times_forgotten().await.unwrap(), running.profile_changes());
    assert_eq!(running.times_forgotten().await.unwrap(), before.0, "nothing was erased meanwhile");
    let other = Store::open(&path).unwrap();
    other.forget_about("heron").await.unwrap();
    other.close().await.unwrap();
    assert!(running.times_forgotten().await.unwrap() != before.0);
    assert!(running.profile_changes() > before.1, "what is in every prompt is read again");
}

const ALERT: &str = r#"{"kind":{"is":"danger","id":"smoke_alarm"},"what":"Kitchen","item":"Smoke","at":"2027-01-15T08:00:00Z"}"#;
const DECISION: &str =
    r#"{"at":"2027-01-15T08:00:00Z","score":{"total":0.1},"threshold":0.5,"verdict":"low"}"#;
const LETTER: &str = r#"{"urgency":"critical","carrier":"signal","state":"waiting","text":"Smoke"}"#;

/// A database with an alarm, a message about it and what is known of the house, closed.
async fn alarmed(path: &Path) {
    let store = Store::open(path).unwrap();
    store.add_alert(at(0), ALERT.into()).await.unwrap();
    store.add_impulse(at(0), DECISION.into()).await.unwrap();
    store.set_context_state(r#"{"presence":{"is":"unknown"}}"#.into()).await.unwrap();
    let add = crate::OutgoingChange::Add(LETTER.into(), at(0));
    store.change_outgoing(move |_| Ok(vec![add])).await.unwrap();
    store.snapshot(at(0)).await.unwrap().expect("a snapshot");
    store.close().await.unwrap();
}

async fn is_all_there(store: &Store) {
    let alerts = store.alerts(9).await.unwrap();
    assert_eq!(alerts.iter().map(|row| row.json.as_str()).collect::<Vec<_>>(), [ALERT]);
    let letters = store.outgoing().await.unwrap();
    assert_eq!(letters.iter().map(|row| row.message.as_str()).collect::<Vec<_>>(), [LETTER]);
    assert_eq!(store.impulses(9).await.unwrap().len(), 1);
    assert_eq!(store.turns(9).await.unwrap(), [], "a decision is no turn");
    assert!(store.context_state().await.unwrap().is_some());
}

#[tokio::test]
async fn alarms_and_messages_about_them_come_back_from_the_pages_without_a_snapshot() {
    let (_folder, path) = somewhere();
    alarmed(&path).await;
    for snapshot in crate::snapshots(&path) {
        fs::remove_file(snapshot).unwrap();
    }
    damage(&path, [1]);
    is_all_there(&Store::open(&path).unwrap()).await;
}

#[tokio::test]
async fn alarms_and_messages_about_them_come_back_from_the_snapshot() {
    let (_folder, path) = somewhere();
    alarmed(&path).await;
    damage(&path, ["alert", "outgoing", "impulse", "context_state"].map(|table| root(&path, table)));
    let store = Store::open(&path).unwrap();
    is_all_there(&store).await;
    let losses = store.losses().await.unwrap();
    assert_eq!(of(&losses[0].tables, "alert").map(|loss| loss.from_snapshot), Some(1));
    assert_eq!(of(&losses[0].tables, "outgoing").map(|loss| loss.from_snapshot), Some(1));
}
