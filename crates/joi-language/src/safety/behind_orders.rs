//! Finds where a report may begin behind an order, with no sign between: "turn on the light my chest hurts".
//!
//! In: an utterance in lower case that begins with an order. Out: the places in it where a clause of its own may
//! begin. Pure: no I/O, no clock.

use serde::Deserialize;

use crate::pattern::{PatternMatch, WordPattern};

/// Between clauses and sentences.
const SIGNS: [char; 5] = [',', '.', '!', '?', ';'];

/// Words in front of a report that say whether it is one; no phrase of them is longer.
const WORDS_BEFORE: usize = 6;
/// Words of a report. One that is longer begins once more within it.
const LONGEST_REPORT: usize = 40;

/// The words for it, as patterns.
#[derive(Debug)]
pub struct BehindOrders {
    /// Beginnings of a clause that reports something.
    begins: WordPattern,
    /// Beginnings of one that is only supposed: "if he can't breathe".
    conditions: WordPattern,
    /// Words in front of one that is no report, or within it.
    not_after: WordPattern,
    within: WordPattern,
    /// Orders that have words kept, read or played: what follows may be these words.
    dictates: WordPattern,
    /// Joins a clause to such an order that is none of its words.
    joints: WordPattern,
}

/// The same as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBehindOrders {
    begins: Vec<String>,
    conditions: Vec<String>,
    not_after: Vec<String>,
    dictates: Vec<String>,
    joints: Vec<String>,
}

impl BehindOrders {
    /// Compiles the patterns by `any`.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn read(
        written: &WrittenBehindOrders,
        any: impl Fn(&str, &[String]) -> Result<WordPattern, String>,
    ) -> Result<Self, String> {
        let at_end = |key: &str, patterns: &[String]| any(key, &[format!("(?:{})\\W*$", patterns.join("|"))]);
        Ok(Self {
            begins: any("behind_orders.begins", &written.begins)?,
            conditions: any("behind_orders.conditions", &written.conditions)?,
            not_after: at_end("behind_orders.not_after", &written.not_after)?,
            within: any("behind_orders.not_after", &written.not_after)?,
            dictates: any("behind_orders.dictates", &written.dictates)?,
            joints: at_end("behind_orders.joints", &written.joints)?,
        })
    }

    /// Returns the places in an order where a report may begin, in order.
    fn places(&self, order: &str) -> Vec<usize> {
        let dictates = self.dictates.is_match(order);
        let may_tell = |found: &PatternMatch<'_>| {
            let before = last_words(&order[..found.start()]);
            !before.is_empty()
                && !self.not_after.is_match(before)
                && !self.within.is_match(found.as_str())
                && (!dictates || self.joints.is_match(before))
        };
        let (mut places, mut from) = (Vec::new(), 0);
        // One may begin within another: "the window my chest hurts".
        while let Some(found) = self.begins.find_at(order, from) {
            if may_tell(&found) {
                places.push(found.start());
            }
            from = found.start() + order[found.start()..].chars().next().map_or(1, char::len_utf8);
            if from > order.len() {
                break;
            }
        }
        places
    }

    /// The reports that may stand in an order, each with its place, in order.
    pub fn reports<'a>(&self, order: &'a str) -> impl DoubleEndedIterator<Item = (usize, &'a str)> {
        self.places(order).into_iter().map(|at| (at, first_words(&order[at..])))
    }

    /// What follows the first sign in an order, without what only might be; nothing where there is no sign.
    pub fn behind_sign(&self, order: &str) -> Option<String> {
        let (_, rest) = order.split_once(SIGNS)?;
        let might_be =
            |part: &str| self.conditions.find(part.trim_start()).is_some_and(|found| found.start() == 0);
        Some(rest.split_inclusive(SIGNS).filter(|part| !might_be(part)).collect())
    }

    /// `order` without the word that joins the next clause to it.
    pub fn without_joint<'a>(&self, order: &'a str) -> &'a str {
        match order.trim_end().rsplit_once(char::is_whitespace) {
            Some((rest, joint)) if self.joints.is_match(&joint.to_lowercase()) => rest.trim_end(),
            _ => order.trim_end(),
        }
    }
}

fn first_words(text: &str) -> &str {
    text.match_indices(' ').nth(LONGEST_REPORT).map_or(text, |(end, _)| &text[..end])
}

fn last_words(text: &str) -> &str {
    text.rmatch_indices(' ').nth(WORDS_BEFORE).map_or(text, |(start, _)| &text[start..])
}
