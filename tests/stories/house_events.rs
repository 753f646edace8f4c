//! A house in which much happens: what the program keeps of tens of thousands of events.

use joi_house_demo::{DemoHome, DemoWants};

use crate::support::program::{Home, NOBODY, Running};

/// Some minutes' worth at 10 000 a minute.
const BATCH: usize = 10_000;
/// So many at once: fewer than the program keeps for whoever follows them.
const PIECE: usize = 250;
/// What may come and go by itself: 30 bytes an event would be more.
const GROWTH_KB: u64 = 800;

/// Lets so much happen in the house, and waits until all of it was seen.
fn batch(house: &DemoHome, watch: &mut Running) {
    for piece in 0..BATCH / PIECE {
        for level in 0..PIECE {
            house.set("Living_Ceiling", &(level % 100).to_string());
        }
        let state = ["ON", "OFF"][piece % 2];
        house.set("Hall_Light", state);
        watch.until(&format!("Hall_Light is {state}"));
    }
}

#[test]
fn ten_thousand_events_leave_nothing_behind() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let house = runtime.block_on(DemoHome::start(DemoWants::default())).unwrap();
    let mut home = Home::with_model_server(NOBODY);
    home.set(&format!("home.url={}", house.url()));
    let mut watch = Running::start(&mut home.command(&["home", "watch"]));
    watch.until("connected");
    batch(&house, &mut watch);
    let before = watch.memory_kb();
    for _ in 0..3 {
        batch(&house, &mut watch);
    }
    let after = watch.memory_kb();
    println!("{before} kB after {BATCH} events, {after} kB after {}", 4 * BATCH);
    assert!(after <= before + GROWTH_KB, "{before} kB became {after} kB");
    watch.signal(rustix::process::Signal::INT);
    let ran = watch.end().well();
    let seen = ran.out.lines().filter(|line| line.contains(" Living_Ceiling is ")).count();
    assert!(seen >= 4 * BATCH && !ran.err.contains("came too fast"), "{seen} were seen: {}", ran.err);
}
