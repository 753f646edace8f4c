//! How long the pure steps around the model take: quick commands and redaction before it, the user's wish behind it.
//!
//! Run with `cargo bench --bench intents`. Each is measured on inputs that differ in kind, since the
//! slowest input is the one that counts.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use joi_base::clock::SystemClock;
use joi_base::paths::Paths;
use joi_home::house::{House, HouseRules, TagVocabulary, read};
use joi_language::{Language, LanguageLibrary};
use joi_redact::redact_structured;
use joi_tools::{Arguments, HttpClient, ToolServices, ToolsConfig, builtin};
use joi_understand::house::HouseUnderstanding;
use joi_understand::intents::{match_intent, near};
use joi_understand::wish::{CallWords, Utterances, wish};
use serde_json::{Value, json};

const PHRASINGS: &str = include_str!("../tests/data/intents/phrasings.txt");
const TIMERS: &str = include_str!("../tests/data/intents/timers.en.tsv");
const HOME: &str = include_str!("../tests/data/intents/home.en.tsv");
const HOUSES: [[&str; 3]; 2] = [
    [
        "en",
        include_str!("../tests/data/homes/family.en.json"),
        include_str!("../tests/data/homes/family.en.tsv"),
    ],
    [
        "de",
        include_str!("../tests/data/homes/family.de.json"),
        include_str!("../tests/data/homes/family.de.tsv"),
    ],
];
const TAGS: &str = include_str!("../tests/data/openhab/5.2.1/tags.json");
const GERMAN: &str = include_str!("../tests/data/intents/timers.de.tsv");
const CHITCHAT: &str = include_str!("../tests/data/intents/chitchat.txt");
const CONSENT: [(&str, &str); 2] = [
    ("en", include_str!("../tests/data/consent/en.tsv")),
    ("de", include_str!("../tests/data/consent/de.tsv")),
];

fn lines(list: &str) -> Vec<&str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '='])).collect()
}

/// How long single utterances take: of the slowest hundredth, the fastest. Of so many rounds the fastest counts for
/// each, since others may use the machine.
fn percentiles<U, T>(what: &str, all: &[U], rounds: usize, step: impl Fn(&U) -> T) {
    let mut took = vec![Duration::MAX; all.len()];
    for _ in 0..rounds {
        for (best, one) in took.iter_mut().zip(all) {
            let begin = Instant::now();
            black_box(step(black_box(one)));
            *best = begin.elapsed().min(*best);
        }
    }
    took.sort_unstable();
    let at = |share: usize| took[(took.len() - 1) * share / 100];
    println!("{what}, {} utterances: p50 {:?}, p99 {:?}, slowest {:?}", all.len(), at(50), at(99), at(100));
}

/// A language as the program loads it: with the sentence templates that were fetched.
fn load(code: &str) -> Language {
    let models = Paths::discover().unwrap_or_else(|error| panic!("{error}")).models;
    let library = LanguageLibrary::built_in().with_templates(models.join("sentence-templates"));
    let language = library.load(code).unwrap_or_else(|error| panic!("{error}"));
    assert!(language.templates().is_some(), "no sentence templates: `joi models fetch sentence-templates`");
    language
}

fn intents(c: &mut Criterion) {
    let (english, spoken_german) = (load("en"), load("de"));
    let match_intent = |text: &str| match_intent(&english, text);
    let phrasings = || TIMERS.lines().chain(HOME.lines()).filter_map(|line| line.split('\t').next());
    let all: Vec<&str> = lines(PHRASINGS).into_iter().chain(lines(CHITCHAT)).chain(phrasings()).collect();
    percentiles("commands and talk", &all, 20, |text| match_intent(text));
    let slips: Vec<String> = phrasings()
        .map(|text| text.replace("et a", "aid a").replace("off", "of").replace("ancel", "ouncil"))
        .collect();
    let all: Vec<&str> = slips.iter().map(String::as_str).chain(lines(CHITCHAT)).collect();
    percentiles("one word off, and talk", &all, 3, |text| near(&english, text));
    let german: Vec<String> =
        lines(GERMAN).iter().map(|line| line.replace("Timer", "Eimer").replace("eck", "egg")).collect();
    let german: Vec<&str> = german.iter().filter_map(|line| line.split('\t').next()).collect();
    percentiles("one word off, in German", &german, 3, |text| near(&spoken_german, text));
    let mut group = c.benchmark_group("intents");
    let timers: Vec<&str> = TIMERS.lines().filter_map(|line| line.split('\t').next()).collect();
    for (name, list) in [("commands", lines(PHRASINGS)), ("timers", timers), ("chit-chat", lines(CHITCHAT))] {
        group.throughput(Throughput::Elements(list.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| list.iter().filter(|line| match_intent(black_box(line)).is_some()).count());
        });
    }
    let politest = "please can you please can you please can you please can you please can you please now";
    group.throughput(Throughput::Elements(1));
    group.bench_function("endless politeness", |b| b.iter(|| match_intent(black_box(politest))));
    group.finish();
}

/// Eight families' houses in one: more than 500 items.
fn large_house(rows: &str) -> House {
    let mut all = Vec::new();
    for part in 1..=8 {
        let mut rows: Vec<Value> = serde_json::from_str(rows).unwrap_or_else(|error| panic!("{error}"));
        for row in &mut rows {
            let own = |name: &Value| json!(format!("{}_{part}", name.as_str().unwrap_or_default()));
            row["name"] = own(&row["name"]);
            // The first keeps its names, so that what is said is found.
            if part > 1 && row["label"].is_string() {
                row["label"] = json!(format!("{} {part}", row["label"].as_str().unwrap_or_default()));
            }
            if let Some(groups) = row["groupNames"].as_array_mut() {
                groups.iter_mut().for_each(|group| *group = own(group));
            }
        }
        all.extend(rows);
    }
    let mut vocabulary = TagVocabulary::default();
    vocabulary.add(&serde_json::from_str::<Vec<_>>(TAGS).unwrap_or_else(|error| panic!("{error}")));
    House::new(read::items(all).0, &vocabulary, &HouseRules::default())
}

/// What is said to a house, and talk that is not.
fn houses(_: &mut Criterion) {
    for [code, rows, corpus] in HOUSES {
        let language = Arc::new(load(code));
        let understanding =
            HouseUnderstanding::of(&language).unwrap_or_else(|| panic!("{code} has no house"));
        let house = large_house(rows);
        let said = lines(corpus).into_iter().filter_map(|line| Some(line.split_once('\t')?.0));
        let all: Vec<&str> = said.chain(lines(CHITCHAT)).collect();
        let what = format!("a house of {} items, {code}", house.items().len());
        percentiles(&what, &all, 10, |text| understanding.is_about(text, &house));
        let all = understanding.template_sentences(&house);
        let what = format!("sentences of templates in it, {code}");
        percentiles(&what, &all, 10, |text| understanding.is_about(text, &house));
    }
}

/// What the user's words say of the call a careless model makes behind them.
fn wishes(_: &mut Criterion) {
    for (code, corpus) in CONSENT {
        let language = Language::load(code).unwrap_or_else(|error| panic!("{error}"));
        let means = ToolServices {
            store: None,
            schedule: None,
            reads_when: |_, _| None,
            clock: Arc::new(SystemClock),
            home: None,
            http: HttpClient::public().ok(),
        };
        let tools = builtin(&ToolsConfig::default(), &means);
        let row = |line: &&'static str| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [_, _, asked_back, asked, tool, arguments] = columns.try_into().ok()?;
            let (tool, arguments): (_, Arguments) = (tools.get(tool)?, serde_json::from_str(arguments).ok()?);
            let said =
                Utterances { asked, asked_back: (asked_back != "-").then_some(asked_back), dialogue: &[] };
            let cues = tool.cues().to_vec();
            Some((said, CallWords { deed: tool.deed(&arguments), values: tool.values(&arguments), cues }))
        };
        let rows: Vec<_> = lines(corpus).iter().filter_map(row).collect();
        percentiles(&format!("wishes, {code}"), &rows, 20, |(said, call)| wish(&language, said, call));
    }
}

fn redaction(c: &mut Criterion) {
    const MEGABYTE: usize = 1_000_000;
    let mut group = c.benchmark_group("redact 1 MB");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(MEGABYTE as u64));
    for (name, unit) in [
        ("talk", "What time is it? The train leaves at 17:00 from platform 9. "),
        ("one word", "a"),
        ("addresses", "jane@example.org "),
        ("digits", "1 "),
        ("cards", "4111 1111 1111 1111 "),
        ("keywords", "password: x "),
        ("rejected", "the password is wrong and the code is long "),
        ("at signs", "a@"),
        ("six digits", "123456-"),
        ("not ASCII", "Zürich, größer: 世界 "),
    ] {
        let text: String = unit.chars().cycle().take(MEGABYTE).collect();
        group.bench_with_input(BenchmarkId::from_parameter(name), &text, |b, text| {
            b.iter(|| redact_structured(black_box(text)));
        });
    }
    group.finish();
}

criterion_group!(benches, intents, houses, wishes, redaction);
criterion_main!(benches);
