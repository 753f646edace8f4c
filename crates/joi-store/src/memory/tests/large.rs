//! A memory of 50,000 entries: erasing takes seconds, and leaves as little as that of a few.

use std::time::{Duration, Instant};

use super::*;
use crate::{Forget, word_index};

/// Erasing row by row took 35 s on the machine on which this takes three, with all checks of a debug build.
const LIMIT: Duration = Duration::from_secs(15);

/// Stores `many` entries, every tenth about the dentist, and as many messages of both sides.
async fn fill(store: &Store, many: i64) {
    let put = move |db: &mut Connection| {
        let tx = db.transaction()?;
        word_index::deleting(&tx, usize::MAX, |tx| {
            let mut entry = tx.prepare(
                "INSERT INTO memory (id, kind, at_ms, text, source) VALUES (?1, 'world', 0, ?2, 'said')",
            )?;
            let mut said = tx.prepare(
                "INSERT INTO message (channel, place, at_ms, role, text) VALUES ('voice', 'home', 0, ?1, ?2)",
            )?;
            for id in 1..=many {
                let about = if id % 10 == 0 { "dentist" } else { "boiler" };
                entry.execute(params![id, format!("the {about} number {id} is in the garden")])?;
                said.execute(params!["user", format!("what about the {about} number {id}")])?;
                said.execute(params!["assistant", format!("nothing of importance, I think {id}")])?;
            }
            Ok(())
        })?;
        Ok(tx.commit()?)
    };
    store.run(put).await.unwrap();
}

#[tokio::test]
async fn of_many_that_are_erased_no_byte_stays_and_the_others_are_found() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    fill(&store, 6_000).await;
    store.embed("model", vec![(10, vec![1.0; 4]), (11, vec![1.0; 4])]).await.unwrap();
    let gone = store.forget_about("dentist").await.unwrap();
    assert_eq!((gone.memories, gone.exchanges), (600, 600));
    store.clone().close().await.unwrap();
    assert!(!is_in_file(&path, "dentist"));
    let of = |words: &[&str]| found(&store, MemoryQuery { limit: 4, ..sought(words) });
    assert_eq!(
        of(&["5999"]).await,
        ["the boiler number 5999 is in the garden", "what about the boiler number 5999"]
    );
    assert!(of(&["6000"]).await.is_empty() && of(&["importance"]).await.is_empty());
    let embedded = store.run(|db| {
        Ok(db.query_row("SELECT group_concat(memory) FROM vector", [], |row| row.get::<_, String>(0))?)
    });
    assert_eq!(embedded.await.unwrap(), "11");
    // Later changes row by row are indexed as ever.
    let id = store.remember(vec![new(MemoryKind::World, 1, "the zeppelin flies")]).await.unwrap()[0];
    assert_eq!(of(&["zeppelin"]).await, ["the zeppelin flies"]);
    store.forget_memories(vec![id]).await.unwrap();
    assert!(of(&["zeppelin"]).await.is_empty());
    store
        .run(|db| {
            Ok(db.execute_batch(
                "INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)",
            )?)
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn fifty_thousand_entries_are_erased_in_seconds() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    fill(&store, 50_000).await;
    let began = Instant::now();
    assert_eq!(store.forget_about("dentist").await.unwrap().memories, 5_000);
    let about = began.elapsed();
    let began = Instant::now();
    let all = Forget { dialogue: true, ..Forget::default() };
    let gone = store.forget(all).await.unwrap();
    assert_eq!((gone.memories, gone.messages), (45_000, 90_000));
    let everything = began.elapsed();
    println!("about {about:?}, everything {everything:?}");
    assert!(about < LIMIT && everything < LIMIT, "{about:?} {everything:?}");
    store.clone().close().await.unwrap();
    assert!(!is_in_file(&path, "boiler") && !is_in_file(&path, "garden"));
}
