//! What calls of a model cost, and their sums by day, use and model.
//!
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use joi_store::{UsageRow, UsageSum};
use serde::{Deserialize, Serialize};

/// The price of a model, for a million tokens each, in whatever currency the owner counts in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelPrice {
    /// For a million tokens that it reads, 0 to 10000.
    pub input: f64,
    /// For a million tokens that it writes, 0 to 10000.
    pub output: f64,
}

/// Returns what a call cost, in millionths; nothing for a local model and one without a price.
pub fn cost_micros(
    prices: &BTreeMap<String, ModelPrice>,
    (provider, model): (&str, &str),
    (read, written): (u64, u64),
) -> u64 {
    let Some(price) = prices.get(model).filter(|_| provider != LOCAL) else { return 0 };
    // For a million tokens in whole units is for one token in millionths.
    let cost = price.input * read as f64 + price.output * written as f64;
    cost.round().clamp(0.0, 1e15) as u64
}

/// The name of the embedded server, which costs nothing whatever its model is called.
const LOCAL: &str = "local";

/// Returns the sums by what `key` says of a call.
pub fn sums<K: Ord>(rows: &[UsageRow], key: impl Fn(&UsageRow) -> K) -> BTreeMap<K, UsageSum> {
    let mut sums = BTreeMap::new();
    for row in rows {
        let sum: &mut UsageSum = sums.entry(key(row)).or_default();
        *sum = sum.plus(row);
    }
    sums
}

/// Returns the day of a call.
pub fn day(row: &UsageRow, zone: &TimeZone) -> Date {
    row.at.to_zoned(zone.clone()).date()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_costs_what_the_table_says_and_a_local_one_nothing() {
        let prices = BTreeMap::from([("big".to_owned(), ModelPrice { input: 2.5, output: 10.0 })]);
        let cost = |provider, model| cost_micros(&prices, (provider, model), (1_000, 100));
        assert_eq!(cost("openai", "big"), 3_500);
        assert_eq!((cost("openai", "small"), cost("local", "big")), (0, 0));
        let odd = BTreeMap::from([("big".to_owned(), ModelPrice { input: f64::INFINITY, output: 0.0 })]);
        assert!(cost_micros(&odd, ("openai", "big"), (u64::MAX, 0)) <= 1_000_000_000_000_000);
    }

    #[test]
    fn the_sum_of_all_rows_is_the_total() {
        let row = |day: i64, purpose: &str| UsageRow {
            at: jiff::Timestamp::from_second(day * 86_400).unwrap(),
            work: 1,
            agent: "goal".into(),
            purpose: purpose.into(),
            provider: "local".into(),
            model: "m".into(),
            tokens_in: 10,
            tokens_out: 1,
            took_ms: 2,
            cost_micros: 3,
        };
        let rows = [row(1, "goals"), row(1, "tasks"), row(2, "goals")];
        let by_use = sums(&rows, |row| row.purpose.clone());
        assert_eq!((by_use["goals"].calls, by_use["tasks"].calls), (2, 1));
        let by_day = sums(&rows, |row| day(row, &TimeZone::UTC));
        let total = rows.iter().fold(UsageSum::default(), UsageSum::plus);
        let added: u64 = by_day.values().map(|sum| sum.tokens_in).sum();
        assert_eq!((total.calls, total.cost_micros, added), (3, 9, total.tokens_in));
    }
}
