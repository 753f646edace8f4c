//! Which readings of a sensor are worth a notification: a condition of the house, a score of a model, or any change.
//!
//! In: a reading, the item it is of, a score where one was asked for, time. Out: whether it fires. A score that can't be read
//! fires nothing. A condition is read as watches read it, and fires at a change. Pure: no I/O, no clock.

use jiff::Timestamp;
use joi_home::house::Item;
use serde_json::Value;

use super::hot_state::shown;
use super::sensor_entry::SignalEntry;
use crate::watch::ItemCondition;

/// A signal with what it remembers.
#[derive(Debug, Clone)]
pub struct Signal {
    /// Its name, which is that of its notifications.
    pub name: String,
    /// Its table of the configuration.
    pub entry: SignalEntry,
    condition: Option<ItemCondition>,
    last: Option<Value>,
    fired_at: Option<Timestamp>,
}

/// How a signal decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SignalScore {
    /// Without a model.
    Unasked,
    /// A model has given this score.
    Given(f64),
    /// A model has given none that can be read.
    None,
}

impl Signal {
    /// A signal that has seen nothing.
    pub fn new(name: String, entry: SignalEntry) -> Self {
        let condition = entry.is.clone().map(ItemCondition::new);
        Self { name, entry, condition, last: None, fired_at: None }
    }

    /// Returns what a model is to be asked about a reading; nothing where none is asked.
    pub fn question(&self, reading: &Value) -> Option<String> {
        let asked = self.entry.prompt.trim();
        let question = || {
            include_str!("../../../../assets/prompts/agent.signal.md")
                .trim()
                .replace("{prompt}", asked)
                .replace("{reading}", &shown(reading))
        };
        (!asked.is_empty()).then(question)
    }

    /// Returns whether a reading fires, and remembers it.
    pub fn fires(
        &mut self,
        reading: &Value,
        item: Option<&Item>,
        score: SignalScore,
        now: Timestamp,
    ) -> bool {
        let is_other = self.last.replace(reading.clone()).is_some_and(|last| last != *reading);
        let is_worth_it = match (&mut self.condition, score) {
            (Some(condition), _) => item.is_some_and(|item| condition.becomes_so(item, now)),
            (None, SignalScore::Given(score)) => score > self.entry.threshold,
            (None, SignalScore::None) => false,
            (None, SignalScore::Unasked) => is_other && 1.0 > self.entry.threshold,
        };
        is_worth_it && self.has_cooled(now)
    }

    /// Returns the words of its notification.
    pub fn words(&self, reading: &Value) -> String {
        match self.entry.notify.trim() {
            "" => shown(reading),
            words => words.to_owned(),
        }
    }

    fn has_cooled(&mut self, now: Timestamp) -> bool {
        let cooldown = i64::from(self.entry.cooldown_s);
        let has_cooled = self.fired_at.is_none_or(|at| now.duration_since(at).as_secs().abs() >= cooldown);
        if has_cooled {
            self.fired_at = Some(now);
        }
        has_cooled
    }
}

/// Reads the score in an answer of a model: the first number from 0 to 1 in it.
pub fn score(answer: Option<&str>) -> SignalScore {
    let Some(answer) = answer else { return SignalScore::None };
    let words = answer.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-')));
    let number = words.filter_map(|word| word.trim_end_matches('.').parse::<f64>().ok()).next();
    number.filter(|score| (0.0..=1.0).contains(score)).map_or(SignalScore::None, SignalScore::Given)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    fn signal(text: &str) -> Signal {
        Signal::new("hot".into(), toml::from_str(text).unwrap())
    }

    #[test]
    fn a_score_fires_above_the_threshold_and_not_at_it() {
        for (given, fires) in [(0.69, false), (0.7, false), (0.71, true), (1.0, true)] {
            let mut signal = signal("prompt = \"Is it hot?\"\nthreshold = 0.7");
            assert_eq!(signal.fires(&json!(30), None, SignalScore::Given(given), at(0)), fires, "{given}");
        }
    }

    #[test]
    fn a_score_that_can_not_be_read_fires_nothing() {
        for (answer, expected) in [
            (Some("0.8"), SignalScore::Given(0.8)),
            (Some("Score: 0.8."), SignalScore::Given(0.8)),
            (Some("1"), SignalScore::Given(1.0)),
            (Some("8"), SignalScore::None),
            (Some("-0.5"), SignalScore::None),
            (Some("hot"), SignalScore::None),
            (None, SignalScore::None),
        ] {
            assert_eq!(score(answer), expected, "{answer:?}");
        }
        let mut signal = signal("prompt = \"Is it hot?\"\nthreshold = 0.0");
        assert!(!signal.fires(&json!(30), None, SignalScore::None, at(0)));
    }

    #[test]
    fn without_a_question_every_changed_reading_fires_but_the_first() {
        let mut signal = signal("");
        let mut fires = |reading| signal.fires(&json!(reading), None, SignalScore::Unasked, at(0));
        assert_eq!([fires(1), fires(1), fires(2), fires(2), fires(1)], [false, false, true, false, true]);
        assert_eq!(signal.question(&json!(1)), None);
    }

    #[test]
    fn within_its_cooldown_it_fires_once() {
        let mut signal = signal("prompt = \"Is it hot?\"\ncooldown_s = 60");
        let mut fires = |seconds| signal.fires(&json!(seconds), None, SignalScore::Given(0.9), at(seconds));
        assert_eq!([fires(0), fires(59), fires(60), fires(61)], [true, false, true, false]);
    }

    #[test]
    fn the_question_holds_the_reading_and_the_notification_its_words() {
        let asked = signal("prompt = \"Is it hot?\"\nnotify = \"It is hot.\"");
        let question = asked.question(&json!(31.5)).unwrap();
        assert!(
            question.contains("Is it hot?") && question.contains("31.5") && !question.contains('{'),
            "{question}"
        );
        assert_eq!(asked.words(&json!(31.5)), "It is hot.");
        assert_eq!(signal("").words(&json!(31.5)), "31.5");
    }
}
