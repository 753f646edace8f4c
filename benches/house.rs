//! Reading a whole house of 536 items: what it costs this machine, without the network, and what an event costs then.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use joi_home::house::{House, HouseRules, ItemState, TagVocabulary, read};
use serde_json::{Value, json};

/// The furnished house again and again under other names: more than 500 items.
fn rows() -> Vec<Value> {
    let furniture: Vec<Value> = serde_json::from_str(include_str!("../assets/home/demo.json")).unwrap();
    let renamed = |at: usize| {
        furniture.iter().cloned().map(move |mut row| {
            let other = |name: &Value| json!(format!("{}_{at}", name.as_str().unwrap_or_default()));
            row["name"] = other(&row["name"]);
            row["groupNames"] = row["groupNames"].as_array().unwrap().iter().map(other).collect();
            if let Some(config) = row.pointer_mut("/metadata/semantics/config").and_then(Value::as_object_mut)
            {
                for key in ["hasLocation", "isPartOf", "isPointOf"] {
                    if let Some(name) = config.get_mut(key) {
                        *name = other(name);
                    }
                }
            }
            row
        })
    };
    (0..9).flat_map(renamed).take(536).collect()
}

fn house_of(text: &str, vocabulary: &TagVocabulary) -> House {
    let rows: Vec<Value> = serde_json::from_str(text).unwrap();
    House::new(read::items(rows).0, vocabulary, &HouseRules::default())
}

fn reading(c: &mut Criterion) {
    let text = serde_json::to_string(&rows()).unwrap();
    let mut vocabulary = TagVocabulary::default();
    vocabulary.add(&serde_json::from_str::<Vec<Value>>(include_str!("../assets/home/tags.json")).unwrap());
    let house = house_of(&text, &vocabulary);
    assert_eq!(house.items().len(), 536);
    c.bench_function("a house of 536 items out of its JSON", |b| {
        b.iter(|| house_of(black_box(&text), &vocabulary))
    });
    let item = house.item("Hall_Light_3").unwrap();
    let states = ["ON", "OFF"].map(|text| ItemState::read(text, &item.kind));
    let mut at = 0;
    c.bench_function("one state of 536 items", |b| {
        b.iter(|| {
            at = (at + 1) % 2;
            black_box(house.with_states([("Hall_Light_3", states[at].clone())]))
        });
    });
}

criterion_group!(benches, reading);
criterion_main!(benches);
