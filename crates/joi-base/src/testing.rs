//! What tests of several modules need: how work grows with its input, and input as a broken or hostile sender has it.
//!
//! Compiled for tests only, any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::pulse::Pulse;

/// Returns how many times as long the prepared work takes for four times the size: about 4 where it is linear, 16 where
/// it is quadratic. Measured as CPU time of this thread, the best of three, so that a busy machine makes no difference.
pub fn growth<W: FnMut()>(prepare: impl Fn(usize) -> W) -> f64 {
    let cpu = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let best = |size: usize| {
        let took = |_| {
            let mut work = prepare(size);
            let begun = cpu();
            work();
            cpu() - begun
        };
        (0..3).map(took).fold(f64::INFINITY, f64::min)
    };
    best(4) / best(1).max(1e-6)
}

/// `whole` as it arrives from somebody who is broken or means harm: some bytes changed, one stretch written again
/// elsewhere, cut off. Sometimes nothing but chance.
pub fn damaged(whole: &[u8]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let whole = whole.to_vec();
    let changes = prop::collection::vec((any::<Index>(), any::<u8>()), 0..8);
    let stretch = (any::<Index>(), 0_usize..64, any::<Index>());
    let cut = prop::option::weighted(0.3, any::<Index>());
    let hurt = (changes, prop::option::of(stretch), cut).prop_map(move |(changes, stretch, cut)| {
        let mut bytes = whole.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some((from, length, to)) = stretch {
            let from = from.index(bytes.len());
            let copied = bytes[from..(from + length).min(bytes.len())].to_vec();
            let to = to.index(bytes.len());
            bytes.splice(to..to, copied);
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        bytes
    });
    prop_oneof![9 => hurt, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

/// `whole` with some of its values exchanged for others: JSON that can be read and does not say what it should.
pub fn damaged_json(whole: &Value) -> impl Strategy<Value = Value> + use<> {
    let whole = whole.clone();
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        Just(serde_json::json!([[], {}, "x"])),
        Just(serde_json::json!({ "value": {}, "name": [1] })),
    ];
    prop::collection::vec((any::<Index>(), value), 0..6).prop_map(move |changes| {
        let mut damaged = whole.clone();
        for (at, value) in changes {
            let mut at = at.index(values(&damaged));
            exchange(&mut damaged, &mut at, &value);
        }
        damaged
    })
}

/// Returns how many values are in `whole`, itself among them.
fn values(whole: &Value) -> usize {
    1 + match whole {
        Value::Array(all) => all.iter().map(values).sum(),
        Value::Object(all) => all.values().map(values).sum(),
        _ => 0,
    }
}

/// Puts `value` in the place of the one of `whole` that stands `at`.
fn exchange(whole: &mut Value, at: &mut usize, value: &Value) -> bool {
    if *at == 0 {
        *whole = value.clone();
        return true;
    }
    *at -= 1;
    match whole {
        Value::Array(all) => all.iter_mut().any(|one| exchange(one, at, value)),
        Value::Object(all) => all.values_mut().any(|one| exchange(one, at, value)),
        _ => false,
    }
}

/// [`damaged`] as text; invalid UTF-8 becomes replacement characters.
pub fn damaged_text(whole: &str) -> impl Strategy<Value = String> + use<> {
    damaged(whole.as_bytes()).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns a time source that stands still, and a function that advances it by milliseconds.
pub fn manual_pulse() -> (Pulse, Arc<AtomicU64>) {
    let (start, passed) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let shown = Arc::clone(&passed);
    (Pulse::with_time(move || start + Duration::from_millis(shown.load(Ordering::Relaxed))), passed)
}
