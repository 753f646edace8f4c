//! How long the pure steps in front of the model take: quick commands and redaction.
//!
//! Run with `cargo bench --bench intents`. Each is measured on inputs that differ in kind, since the
//! slowest input is the one that counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use joi::reply::intents::{match_intent, near};
use joi::reply::redact::redact_structured;

const PHRASINGS: &str = include_str!("../tests/data/intents/phrasings.txt");
const TIMERS: &str = include_str!("../tests/data/intents/timers.en.tsv");
const CHITCHAT: &str = include_str!("../tests/data/intents/chitchat.txt");

fn lines(list: &str) -> Vec<&str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '='])).collect()
}

/// How long single utterances take: of the slowest hundredth, the fastest.
fn percentiles() {
    let timers = TIMERS.lines().filter_map(|line| line.split('\t').next());
    let all: Vec<&str> = lines(PHRASINGS).into_iter().chain(lines(CHITCHAT)).chain(timers).collect();
    let mut took: Vec<Duration> = Vec::new();
    for _ in 0..20 {
        for text in &all {
            let begin = Instant::now();
            black_box(match_intent(black_box(text)));
            took.push(begin.elapsed());
        }
    }
    took.sort_unstable();
    let at = |share: usize| took[(took.len() - 1) * share / 100];
    println!("{} utterances: p50 {:?}, p99 {:?}, slowest {:?}", all.len(), at(50), at(99), at(100));
}

/// The same for the search for commands that a transcript is one word away from.
fn percentiles_of_near() {
    let slips: Vec<String> = TIMERS
        .lines()
        .filter_map(|line| line.split('\t').next())
        .map(|text| text.replace("et a", "aid a").replace("off", "of").replace("ancel", "ouncil"))
        .collect();
    let slips = slips.iter().map(String::as_str);
    let all: Vec<&str> = slips.chain(lines(CHITCHAT)).collect();
    let mut took: Vec<Duration> = Vec::new();
    for text in &all {
        let begin = Instant::now();
        black_box(near(black_box(text)));
        took.push(begin.elapsed());
    }
    took.sort_unstable();
    let at = |share: usize| took[(took.len() - 1) * share / 100];
    println!("{} almost or not at all: p50 {:?}, p99 {:?}, slowest {:?}", all.len(), at(50), at(99), at(100));
}

fn intents(c: &mut Criterion) {
    match_intent("set a timer for one minute");
    percentiles();
    percentiles_of_near();
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

criterion_group!(benches, intents, redaction);
criterion_main!(benches);
