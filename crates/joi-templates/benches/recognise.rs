//! How long a sentence takes by the templates of a language, in a house of 500 things.
//!
//! Run with `cargo bench -p joi-templates`. Sentences are made from the templates themselves, three an intent, with some
//! that no template knows; the fetched templates are needed. Beside the mean of each language, the median and the 99th
//! percentile of single sentences are printed: of so many rounds the fastest counts for each, since others may use the
//! machine.

#![allow(clippy::expect_used, reason = "in a benchmark, what was not expected ends it")]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use joi_templates::{ListValue, MatchContext, SentenceTemplates, SlotLists};

const ROUNDS: usize = 15;
const KINDS: [&str; 10] =
    ["light", "switch", "fan", "cover", "lock", "climate", "media_player", "vacuum", "scene", "sensor"];
const THINGS: [&str; 10] =
    ["lamp", "ceiling light", "heater", "blind", "socket", "door", "speaker", "fan", "window", "pump"];
const ROOMS: [&str; 50] = [
    "kitchen",
    "hall",
    "attic",
    "cellar",
    "garage",
    "garden",
    "office",
    "bathroom",
    "bedroom",
    "nursery",
    "pantry",
    "study",
    "library",
    "porch",
    "balcony",
    "terrace",
    "corridor",
    "closet",
    "laundry",
    "workshop",
    "shed",
    "lobby",
    "gym",
    "sauna",
    "pool",
    "den",
    "loft",
    "guest room",
    "living room",
    "dining room",
    "play room",
    "music room",
    "store room",
    "boiler room",
    "front yard",
    "back yard",
    "driveway",
    "greenhouse",
    "stable",
    "barn",
    "studio",
    "lounge",
    "parlour",
    "bar",
    "cinema",
    "archive",
    "landing",
    "stairs",
    "carport",
    "mezzanine",
];
const CHITCHAT: [&str; 6] = [
    "how was your day and what are you going to do about the weather in the mountains tomorrow",
    "tell me a story about a fox",
    "turn the page and read on to the end of the chapter please",
    "wie geht es dir heute",
    "set the table for six people and light the candles before they come",
    "what is the meaning of life the universe and everything in it if there is any",
];

fn house() -> SlotLists {
    let things = ROOMS.iter().enumerate().flat_map(|(room_number, room)| {
        THINGS.iter().enumerate().map(move |(number, thing)| {
            let kind = KINDS[(number + room_number) % KINDS.len()];
            ListValue::new(format!("{room} {thing}")).context("domain", kind)
        })
    });
    SlotLists::new()
        .with("name", things)
        .with("area", ROOMS.map(ListValue::new))
        .with("floor", ["ground floor", "first floor", "basement"].map(ListValue::new))
}

fn templates(language: &str) -> SentenceTemplates {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache =
        cache.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").expect("HOME")).join(".cache"));
    let models = std::env::var_os("JOI_MODELS").map_or_else(|| cache.join("joi/models"), PathBuf::from);
    let path = models.join("sentence-templates").join(format!("{language}.json"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; fetch the models first", path.display()));
    SentenceTemplates::parse(&text).expect("templates")
}

fn sentences(templates: &SentenceTemplates, lists: &SlotLists, context: &MatchContext) -> Vec<String> {
    let mut sampler = templates.sampler(lists, context, 7);
    let mut sentences: Vec<String> = CHITCHAT.map(str::to_owned).to_vec();
    for intent in templates.intents() {
        sentences.extend((0..3).filter_map(|_| sampler.sentence(intent)).map(|sample| sample.sentence));
    }
    sentences
}

#[allow(missing_docs, reason = "criterion writes the function")]
fn recognise(criterion: &mut Criterion) {
    let (lists, context) = (house(), MatchContext::new().with("area", "kitchen"));
    for language in ["en", "de", "fr", "nl", "zh-CN"] {
        let begin = Instant::now();
        let templates = templates(language);
        let loaded = begin.elapsed();
        let sentences = sentences(&templates, &lists, &context);
        let mut took = vec![Duration::MAX; sentences.len()];
        for _ in 0..ROUNDS {
            for (best, sentence) in took.iter_mut().zip(&sentences) {
                let begin = Instant::now();
                let found = templates.recognise(black_box(sentence), &lists, &context);
                *best = begin.elapsed().min(*best);
                black_box(found.expect("little work"));
            }
        }
        let mut sorted: Vec<_> = took.iter().zip(&sentences).collect();
        sorted.sort();
        let at = |share: usize| sorted[(sorted.len() - 1) * share / 100];
        let last = at(100);
        println!(
            "{language}: {} templates, loaded in {loaded:.0?}, {} KiB; {} sentences: p50 {:.1?}, p99 {:.1?}, max {:.1?} \"{}\"",
            templates.len(),
            templates.bytes() >> 10,
            sentences.len(),
            at(50).0,
            at(99).0,
            last.0,
            last.1,
        );
        criterion.bench_function(&format!("recognise {language}"), |bencher| {
            bencher.iter(|| {
                for sentence in &sentences {
                    black_box(templates.recognise(black_box(sentence), &lists, &context))
                        .expect("little work");
                }
            });
        });
    }
}

criterion_group!(benches, recognise);
criterion_main!(benches);
