//! The memory over real files and in memory.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::{Deleted, Exchange, WordedBy};
use joi_base::message::{Channel, ConversationId, Origin};
use joi_base::trace::TurnRecord;

mod elsewhere;
mod large;

fn at(day: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + day * 86_400).unwrap()
}

fn new(kind: MemoryKind, day: i64, text: &str) -> NewMemory {
    NewMemory { kind, at: at(day), text: Private(text.into()), source: "said".into() }
}

fn exchange(day: i64, asked: &str, answer: &str) -> Exchange {
    let text = |text: &str| Private(text.to_owned());
    let (asked_at, answered_at) = (at(day), at(day));
    Exchange {
        conversation: ConversationId::voice(ConversationId::HOME),
        asked_at,
        asked: text(asked),
        answered_at,
        answer: text(answer),
        answer_origin: Origin::Ours,
        asked_origin: Origin::Speech,
        wording: WordedBy::Model,
    }
}

fn record(text: &str) -> TurnRecord {
    TurnRecord {
        id: joi_base::message::TurnId(1),
        channel: Channel::Voice,
        at: at(0).to_string(),
        heard: text.into(),
        reply: String::new(),
        marks: Vec::new(),
        decisions: Vec::new(),
        model_use: Vec::new(),
        tool_use: Vec::new(),
    }
}

fn texts(memories: &[Memory]) -> Vec<&str> {
    memories.iter().map(|memory| memory.text.0.as_str()).collect()
}

fn sought(words: &[&str]) -> MemoryQuery {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    MemoryQuery { words, now: at(100), limit: 3, ..MemoryQuery::default() }
}

async fn found(store: &Store, search: MemoryQuery) -> Vec<String> {
    store.search(search).await.unwrap().into_iter().map(|hit| hit.text.0).collect()
}

fn somewhere() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/joi.db");
    (folder, path)
}

/// Whether a word stands anywhere in the database or its side files, in any case of letters.
fn is_in_file(path: &std::path::Path, word: &str) -> bool {
    let folder = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let bytes: Vec<u8> = folder.flat_map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
    bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

#[tokio::test]
async fn of_two_that_say_the_same_the_newer_or_fuller_one_stays() {
    let store = Store::in_memory().unwrap();
    let user = |day, text| new(MemoryKind::User, day, text);
    store.remember(vec![user(0, "I have a dog"), user(1, "My sister is called Ann")]).await.unwrap();
    store.remember(vec![user(2, "i have a dog."), user(3, "I have a dog called Rex")]).await.unwrap();
    store.remember(vec![user(4, "My sister is called Eve"), user(5, "I have a dog")]).await.unwrap();
    let profile = store.profile(10).await.unwrap();
    assert_eq!(
        texts(&profile.user),
        ["I have a dog called Rex", "My sister is called Eve", "My sister is called Ann"]
    );
    assert_eq!(profile.user[0].at, at(5), "it was said once more");
    store.remember(vec![new(MemoryKind::World, 6, "I have a dog")]).await.unwrap();
    assert_eq!(store.memories(None, 10).await.unwrap().len(), 4, "kinds don't mix");
}

#[tokio::test]
async fn what_a_stranger_wrote_neither_replaces_the_owners_words_nor_stands_for_them() {
    let stranger = |day, text| NewMemory { source: STRANGER.into(), ..new(MemoryKind::User, day, text) };
    let own = |day| new(MemoryKind::User, day, "I like tea");
    for (first, second) in [
        (own(0), stranger(1, "I like tea with bleach")),
        (stranger(0, "I like tea with bleach"), own(1)),
        (stranger(0, "I like tea"), own(1)),
    ] {
        let store = Store::in_memory().unwrap();
        store.remember(vec![first]).await.unwrap();
        store.remember(vec![second]).await.unwrap();
        assert_eq!(texts(&store.profile(10).await.unwrap().user), ["I like tea"]);
        assert_eq!(store.memories(None, 10).await.unwrap().len(), 2);
    }
}

#[tokio::test]
async fn the_profile_changes_with_what_is_in_it_and_with_nothing_else() {
    let store = Store::in_memory().unwrap();
    let before = store.profile_changes();
    store.remember(vec![new(MemoryKind::World, 0, "the key is in the shed")]).await.unwrap();
    store.put_document("manual.txt", vec!["turn the knob".into()], at(0)).await.unwrap();
    assert_eq!(store.profile_changes(), before);
    let ids = store.remember(vec![new(MemoryKind::Wish, 0, "be brief")]).await.unwrap();
    let after = store.profile_changes();
    assert!(after > before);
    assert_eq!(store.forget_memories(ids).await.unwrap(), 1);
    assert!(store.clone().profile_changes() > after, "clones know it, too");
}

#[tokio::test]
async fn search_finds_words_in_any_form_and_only_what_holds_enough_of_them() {
    let store = Store::in_memory().unwrap();
    let memories = [
        new(MemoryKind::Diary, 1, "The user told that he visited the dentist in Graz."),
        new(MemoryKind::World, 2, "The spare key is in the garden shed."),
        new(MemoryKind::Diary, 3, "They talked about a holiday in Rome."),
        new(MemoryKind::Wish, 4, "Never talk about the dentist."),
    ];
    store.remember(memories.into()).await.unwrap();
    store.add_exchange(exchange(5, "the dentists are on strike", "The dentist is in Linz.")).await.unwrap();
    store.add_exchange(exchange(6, "when was I at the dentist?", "I don't know.")).await.unwrap();
    assert_eq!(
        found(&store, sought(&["visiting", "dentist"])).await,
        ["The user told that he visited the dentist in Graz.", "the dentists are on strike"]
    );
    assert_eq!(found(&store, sought(&["spare", "keys"])).await, ["The spare key is in the garden shed."]);
    assert_eq!(found(&store, sought(&["sky", "blue", "holiday", "why"])).await, [""; 0]);
    let earlier = MemoryQuery { before_message: Some(1), ..sought(&["strike"]) };
    assert_eq!(found(&store, earlier).await, [""; 0], "what is in the prompt is not found again");
}

#[tokio::test]
async fn search_keeps_to_the_time_that_is_asked_for() {
    let store = Store::in_memory().unwrap();
    for day in [10, 20, 30] {
        let text = format!("They cooked soup number {day}.");
        store.remember(vec![new(MemoryKind::Diary, day, &text)]).await.unwrap();
        store.add_exchange(exchange(day, &format!("the soup {day} was good"), "Nice.")).await.unwrap();
    }
    let range = |words: &[&str]| MemoryQuery { from: Some(at(15)), until: Some(at(25)), ..sought(words) };
    assert_eq!(
        found(&store, range(&["soup"])).await,
        ["They cooked soup number 20.", "the soup 20 was good"]
    );
    assert_eq!(found(&store, range(&[])).await, ["They cooked soup number 20."]);
    assert_eq!(found(&store, sought(&[])).await, [""; 0]);
}

#[tokio::test]
async fn what_is_near_by_its_vector_is_found_without_its_words() {
    let store = Store::in_memory().unwrap();
    let ids = store
        .remember(vec![
            new(MemoryKind::World, 1, "The puppy sleeps."),
            new(MemoryKind::World, 1, "Taxes are due."),
        ])
        .await
        .unwrap();
    assert_eq!(store.unembedded("m", 10).await.unwrap().len(), 2);
    let vectors = vec![(ids[0], vec![1.0, 0.0]), (ids[1], vec![0.0, 1.0]), (999, vec![1.0, 1.0])];
    store.embed("m", vectors).await.unwrap();
    assert_eq!(store.unembedded("m", 10).await.unwrap(), []);
    assert_eq!(store.unembedded("other", 10).await.unwrap().len(), 2);
    let near = |model: &str| {
        let vector = Some(Embedding { model: model.into(), value: vec![3.0, 0.5], everyday: 0.3 });
        MemoryQuery { vector, ..sought(&["dog"]) }
    };
    assert_eq!(found(&store, near("m")).await, ["The puppy sleeps."]);
    assert_eq!(found(&store, near("other")).await, [""; 0]);
    store.forget_memories(vec![ids[0]]).await.unwrap();
    assert_eq!(found(&store, near("m")).await, [""; 0]);
}

#[tokio::test]
async fn a_document_is_replaced_whole_and_erased_whole() {
    let store = Store::in_memory().unwrap();
    let pieces = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    store.put_document("boiler.md", pieces(&["The valve is red.", "Bleed it yearly."]), at(0)).await.unwrap();
    store.put_document("boiler.md", pieces(&["The valve is blue."]), at(1)).await.unwrap();
    let hits = store.search(sought(&["valve"])).await.unwrap();
    assert_eq!(hits.len(), 1);
    assert!(matches!(hits[0].origin, HitSource::Memory(_, MemoryKind::Document)));
    assert_eq!((hits[0].text.0.as_str(), hits[0].source.as_str()), ("The valve is blue.", "boiler.md"));
    assert_eq!(store.forget_document("boiler.md").await.unwrap(), 1);
    assert_eq!(found(&store, sought(&["valve"])).await, [""; 0]);
}

#[tokio::test]
async fn what_is_about_a_topic_leaves_no_byte_in_any_file_and_the_rest_stays() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    for day in 0..40 {
        store.add_exchange(exchange(day, "my aunt Philomena is ill", "I hope she gets well.")).await.unwrap();
        store.add_exchange(exchange(day, "how is the weather", "Philomenas garden is wet.")).await.unwrap();
        store.add_exchange(exchange(day, "I like chess", "So do I.")).await.unwrap();
        store.save_turn(&record("my aunt Philomena is ill")).await.unwrap();
        store.save_turn(&record("I like chess")).await.unwrap();
    }
    let entry = new(MemoryKind::User, 1, "My aunt is called Philomena");
    let ids = store.remember(vec![entry, new(MemoryKind::User, 2, "I like chess")]).await.unwrap();
    store.embed("m", vec![(ids[0], vec![0.25; 8])]).await.unwrap();
    store.run(|db| Ok(db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?)).await.unwrap();
    assert!(is_in_file(&path, "philomena"));
    let gone = TopicMentions { exchanges: 80, memories: 1, turns: 40, ..TopicMentions::default() };
    assert_eq!(store.known_about("aunt philomena").await.unwrap(), TopicMentions { exchanges: 40, ..gone });
    assert_eq!(store.known_about("Philomena").await.unwrap(), gone);
    assert_eq!(store.forget_about("Philomena").await.unwrap(), gone);
    assert!(!is_in_file(&path, "philomen"), "neither text nor index");
    assert!(is_in_file(&path, "chess"));
    assert_eq!(store.dialogue_since(at(-1), 1_000).await.unwrap().len(), 80);
    assert_eq!(texts(&store.memories(None, 10).await.unwrap()), ["I like chess"]);
    let vectors = |db: &mut Connection| {
        Ok(db.query_row("SELECT count(*) FROM vector", [], |row| row.get::<_, i64>(0))?)
    };
    assert_eq!(store.run(vectors).await.unwrap(), 0);
    assert!(store.known_about("Philomena").await.unwrap().is_nothing());
    assert!(store.forget_about(" ?! ").await.unwrap().is_nothing(), "no words, no topic");
}

#[tokio::test]
async fn a_fact_takes_the_place_of_all_that_was_about_its_topic() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    store.add_exchange(exchange(1, "my locker number is 418", "I'll remember.")).await.unwrap();
    let old = new(MemoryKind::User, 1, "my locker number is 418");
    store.remember(vec![old, new(MemoryKind::User, 1, "I like chess")]).await.unwrap();
    let now = new(MemoryKind::User, 2, "my locker number is 512");
    let gone = store.replace_about("locker number", now).await.unwrap();
    assert_eq!((gone.exchanges, gone.memories), (1, 1));
    let kept = store.memories(None, 10).await.unwrap();
    assert_eq!(texts(&kept), ["my locker number is 512", "I like chess"]);
    assert!(!is_in_file(&path, "418"));
}

#[tokio::test]
async fn forgetting_everything_leaves_no_word_of_the_memory_in_any_file() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    for day in 0..30 {
        let text = format!("Number {day} is Philomena");
        store.remember(vec![new(MemoryKind::Diary, day, &text)]).await.unwrap();
        store.put_document(&format!("philomena{day}.txt"), vec![text], at(day)).await.unwrap();
    }
    let deleted = store.forget(crate::Forget { dialogue: true, ..crate::Forget::default() }).await.unwrap();
    assert_eq!(deleted, Deleted { memories: 60, ..Deleted::default() });
    assert!(!is_in_file(&path, "philomen"));
}

#[tokio::test]
async fn a_page_of_the_diary_is_written_once_and_never_about_what_was_erased() {
    let store = Store::in_memory().unwrap();
    store.add_exchange(exchange(0, "my aunt Philomena is ill", "Oh.")).await.unwrap();
    store.add_exchange(exchange(1, "I like chess", "So do I.")).await.unwrap();
    let rows = store.beyond_diary(2).await.unwrap();
    let page = |text: &str, rows: &[_]| DiaryPage {
        rows: rows.to_vec(),
        memories: vec![new(MemoryKind::Diary, 0, text)],
    };
    assert!(store.write_diary(page("The aunt is ill.", &rows)).await.unwrap());
    assert!(!store.write_diary(page("The aunt is ill.", &rows)).await.unwrap(), "once");
    let rows = store.beyond_diary(10).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.text.0.as_str()).collect::<Vec<_>>(), ["I like chess", "So do I."]);
    store.forget_about("chess").await.unwrap();
    assert!(!store.write_diary(page("He likes chess.", &rows)).await.unwrap());
    assert_eq!(texts(&store.memories(None, 10).await.unwrap()), ["The aunt is ill."]);
    assert_eq!(store.beyond_diary(10).await.unwrap(), []);
}

#[tokio::test]
async fn old_pages_go_and_facts_about_the_user_stay() {
    let store = Store::in_memory().unwrap();
    let memories = vec![
        new(MemoryKind::Diary, 0, "Old."),
        new(MemoryKind::Diary, 9, "New."),
        new(MemoryKind::User, 0, "I am old."),
    ];
    store.remember(memories).await.unwrap();
    assert_eq!(store.purge_memories(MemoryKind::Diary, at(5)).await.unwrap(), 1);
    assert_eq!(texts(&store.memories(None, 10).await.unwrap()), ["New.", "I am old."]);
}

#[tokio::test]
async fn an_export_goes_round_and_may_be_imported_twice() {
    let store = Store::in_memory().unwrap();
    store
        .remember(vec![new(MemoryKind::User, 0, "I like \"chess\""), new(MemoryKind::Diary, 1, "Ü.")])
        .await
        .unwrap();
    store.put_document("a.md", vec!["one".into(), "two".into()], at(2)).await.unwrap();
    store.add_exchange(exchange(3, "hello", "Hi.")).await.unwrap();
    let export = store.export().await.unwrap();
    assert_eq!(export.len(), 6);
    let lines: Vec<String> = export.iter().map(|piece| serde_json::to_string(piece).unwrap()).collect();
    let back: Vec<Portable> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let other = Store::in_memory().unwrap();
    other.add_exchange(exchange(9, "newer", "Newer.")).await.unwrap();
    let imported = other.import(back.clone()).await.unwrap();
    assert_eq!(imported, Imported { memories: 4, messages: 2, known: 0 });
    assert_eq!(other.import(back.clone()).await.unwrap(), Imported { memories: 0, messages: 0, known: 6 });
    let mut expected = export.clone();
    expected.extend(other.export().await.unwrap().into_iter().skip(6));
    assert_eq!(other.export().await.unwrap(), expected, "older messages stand before newer ones");
    let empty = Store::in_memory().unwrap();
    empty.import(back).await.unwrap();
    assert_eq!(empty.export().await.unwrap(), export);
}

#[tokio::test]
async fn an_import_with_a_line_that_makes_no_sense_changes_nothing() {
    let store = Store::in_memory().unwrap();
    let piece = |kind: &str| Portable::Memory {
        kind: kind.into(),
        at: at(0),
        text: "x".into(),
        source: String::new(),
    };
    let error = store.import(vec![piece("user"), piece("gossip")]).await.unwrap_err();
    assert!(error.to_string().contains("gossip"), "{error}");
    assert_eq!(store.memories(None, 10).await.unwrap(), []);
}

#[tokio::test]
async fn a_database_from_before_the_memory_is_brought_up_with_its_dialogue_searchable() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    store.add_exchange(exchange(0, "the boiler is broken", "Oh.")).await.unwrap();
    let back = "DROP TRIGGER message_added; DROP TRIGGER message_gone; DROP TRIGGER message_changed;
        DROP TABLE message_words; DROP TABLE memory; DROP TABLE memory_words; DROP TABLE vector;
        DROP TABLE announcement; DROP TABLE outgoing; ALTER TABLE note DROP COLUMN origin; ALTER TABLE message DROP COLUMN wording; ALTER TABLE message DROP COLUMN place; ALTER TABLE message DROP COLUMN origin; DROP TABLE conversation;
        INSERT INTO setting VALUES ('dialogue.calls', 'a stranger said this');
        PRAGMA user_version = 3;";
    store.run(move |db| Ok(db.execute_batch(back)?)).await.unwrap();
    store.close().await.unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.set_aside(), None);
    assert_eq!(found(&store, sought(&["boiler"])).await, ["the boiler is broken"]);
    let rows = store.dialogue_since(Timestamp::MIN, 10).await.unwrap();
    let of: Vec<_> = rows.iter().map(|row| (row.conversation.to_string(), row.origin)).collect();
    let home = "voice/home".to_owned();
    assert_eq!(of, [(home.clone(), Origin::Speech), (home, Origin::Ours)]);
    for conversation in [ConversationId::voice(ConversationId::HOME), ConversationId::console()] {
        let kept = store.tool_history(conversation).await.unwrap();
        assert_eq!(kept.as_deref(), Some("a stranger said this"), "both shared one history before");
    }
}

proptest::proptest! {
    #[test]
    fn foreign_bytes_never_break_the_reader_of_exports(
        line in joi_base::testing::damaged_text(
            r#"{"type":"message","channel":"voice","role":"user","at":"2026-11-22T13:06:02Z","text":"how is the weather"}"#,
        ),
    ) {
        let _ = serde_json::from_str::<Portable>(&line);
    }
}
