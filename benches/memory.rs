//! How long recall takes over 100,000 messages and 2,000 pages, and what they add to the start.
//!
//! Run with `cargo bench --bench memory`. It prints figures and asserts nothing: they depend on the machine. With
//! `--vectors` as many entries with vectors of 384 numbers each are compared as well.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp, Zoned};
use joi_agent::memory_question;
use joi_base::message::{Channel, Private};
use joi_store::{Embedding, MemoryKind, MemoryQuery, NewMemory, Portable, Store};

const MESSAGES: usize = 100_000;
const PAGES: usize = 2_000;
/// Numbers of one vector.
const WIDTH: usize = 384;

const WORDS: [&str; 40] = [
    "kitchen",
    "garden",
    "dentist",
    "holiday",
    "train",
    "window",
    "coffee",
    "birthday",
    "sister",
    "brother",
    "music",
    "evening",
    "weather",
    "shopping",
    "bicycle",
    "doctor",
    "letter",
    "table",
    "soup",
    "mountain",
    "river",
    "school",
    "office",
    "meeting",
    "present",
    "camera",
    "ticket",
    "museum",
    "concert",
    "neighbour",
    "boiler",
    "carpet",
    "lamp",
    "battery",
    "market",
    "bread",
    "cheese",
    "apple",
    "winter",
    "summer",
];
const NAMES: [&str; 12] =
    ["Ann", "Philomena", "Bob", "Clara", "Dieter", "Eva", "Franz", "Greta", "Hugo", "Ines", "Jonas", "Klara"];
const QUESTIONS: [&str; 8] = [
    "what did I tell you about Philomena and the dentist",
    "when was the concert with Greta in the museum",
    "what did I say about the boiler last week",
    "who gave me the camera for my birthday",
    "where did we go in March",
    "how do birds sing",
    "what was it about the soup and the bread and the cheese at the market in summer",
    "what happened on Friday with Hugo",
];

fn sentence(random: &mut fastrand::Rng) -> String {
    let mut word = || WORDS[random.usize(..WORDS.len())];
    let (one, other, third) = (word(), word(), word());
    let name = NAMES[random.usize(..NAMES.len())];
    format!(
        "I talked with {name} about the {one} and the {other} near the {third}, number {}",
        random.u32(..10_000)
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("joi.db");
    let opening = |what: &str| -> Result<Store, Box<dyn std::error::Error>> {
        let began = Instant::now();
        let store = Store::open(&path)?;
        println!("opening the database {what}: {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
        Ok(store)
    };
    let store = opening("that is new")?;
    runtime.block_on(store.clone().close())?;
    drop(store);
    let store = opening("that is empty")?;
    let now = Zoned::now();
    runtime.block_on(fill(&store, now.timestamp()))?;
    runtime.block_on(store.clone().close())?;
    drop(store);
    println!("the file has {:.1} MB", std::fs::metadata(&path)?.len() as f64 / 1e6);
    let store = opening("with 100,000 messages and 2,000 pages")?;
    runtime.block_on(searches(&store, &now, None))?;
    if std::env::args().any(|argument| argument == "--vectors") {
        runtime.block_on(vectors(&store, &now))?;
    }
    Ok(())
}

async fn fill(store: &Store, now: Timestamp) -> Result<(), Box<dyn std::error::Error>> {
    let mut random = fastrand::Rng::with_seed(7);
    let begin = now.checked_sub(SignedDuration::from_hours(24 * 30))?;
    let every = Duration::from_secs(30 * 86_400) / MESSAGES as u32;
    let mut pieces = Vec::with_capacity(MESSAGES);
    for number in 0..MESSAGES as u32 {
        let role = if number % 2 == 0 { "user" } else { "assistant" };
        let (at, text) = (begin.checked_add(every * number)?, sentence(&mut random));
        pieces.push(Portable::Message {
            channel: Channel::Voice,
            place: "home".into(),
            role: role.into(),
            at,
            text,
            origin: None,
        });
    }
    for number in 0..PAGES {
        let at = now.checked_sub(SignedDuration::from_hours(4 * number as i64))?;
        let (kind, source) = (MemoryKind::Diary.name().to_owned(), "diary".to_owned());
        pieces.push(Portable::Memory { kind, at, text: sentence(&mut random), source });
    }
    let began = Instant::now();
    store.import(pieces).await?;
    println!("filling it: {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

async fn searches(
    store: &Store,
    now: &Zoned,
    vector: Option<Embedding>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut all = Vec::new();
    for asked in QUESTIONS {
        let mut took = Vec::new();
        let mut hits = 0;
        for _ in 0..20 {
            let began = Instant::now();
            let search = MemoryQuery { limit: 3, vector: vector.clone(), ..memory_question(asked, now) };
            hits = store.search(search).await?.len();
            took.push(began.elapsed().as_secs_f64() * 1e3);
        }
        took.sort_by(f64::total_cmp);
        println!("{:6.2} ms p50, {:6.2} ms slowest, {hits} found: {asked}", took[10], took[19]);
        all.extend(took);
    }
    all.sort_by(f64::total_cmp);
    println!("recall: p50 {:.2} ms, p95 {:.2} ms, slowest {:.2} ms", all[80], all[152], all[159]);
    Ok(())
}

async fn vectors(store: &Store, now: &Zoned) -> Result<(), Box<dyn std::error::Error>> {
    let mut random = fastrand::Rng::with_seed(9);
    let more = (0..MESSAGES - PAGES).map(|number| NewMemory {
        kind: MemoryKind::Diary,
        at: now.timestamp(),
        text: Private(format!("{} page {number}", sentence(&mut random))),
        source: "diary".into(),
    });
    store.remember(more.collect()).await?;
    let mut value = || (0..WIDTH).map(|_| random.f32() - 0.5).collect::<Vec<f32>>();
    loop {
        let some = store.unembedded("bench", 5_000).await?;
        if some.is_empty() {
            break;
        }
        store.embed("bench", some.iter().map(|entry| (entry.id, value())).collect()).await?;
    }
    println!("with 100,000 entries and as many vectors of {WIDTH} numbers:");
    searches(store, now, None).await?;
    searches(store, now, Some(Embedding { model: "bench".into(), value: value(), everyday: 0.0 })).await
}
