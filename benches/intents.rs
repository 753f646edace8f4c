//! How long the pure steps in front of the model take: quick commands and redaction.
//!
//! Run with `cargo bench --bench intents`. Each is measured on inputs that differ in kind, since the
//! slowest input is the one that counts.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use joi::reply::intents::match_intent;
use joi::reply::redact::redact_structured;

const PHRASINGS: &str = include_str!("../tests/data/intents/phrasings.txt");
const CHITCHAT: &str = include_str!("../tests/data/intents/chitchat.txt");

fn lines(list: &str) -> Vec<&str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '='])).collect()
}

fn intents(c: &mut Criterion) {
    let mut group = c.benchmark_group("intents");
    for (name, list) in [("commands", lines(PHRASINGS)), ("chit-chat", lines(CHITCHAT))] {
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
