//! Where something may be told behind an order with no sign between: "turn on the light my chest hurts".
//!
//! PURE, read once with the rest of `care.toml`. In: an utterance in lower case that begins with an order. Out: the
//! places in it where a clause of its own may begin.

use regex::Regex;
use serde::Deserialize;

/// The words for it, as patterns.
#[derive(Debug)]
pub(crate) struct BehindOrders {
    /// Begins a clause that tells something.
    begins: Regex,
    /// In front of one that only might be: "if she can't breathe".
    not_after: Regex,
    /// Orders that have words kept, read or played: what follows may be these words.
    dictates: Regex,
    /// Joins a clause to such an order that is none of its words.
    joints: Regex,
}

/// The same as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBehindOrders {
    begins: Vec<String>,
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
        any: impl Fn(&str, &[String]) -> Result<Regex, String>,
    ) -> Result<Self, String> {
        let at_end =
            |key: &str, patterns: &[String]| any(key, &[format!("(?:{})\\W*$", patterns.join("|"))]);
        Ok(Self {
            begins: any("behind_orders.begins", &written.begins)?,
            not_after: at_end("behind_orders.not_after", &written.not_after)?,
            dictates: any("behind_orders.dictates", &written.dictates)?,
            joints: at_end("behind_orders.joints", &written.joints)?,
        })
    }

    /// The places in an order where a clause may begin that tells something, the first one first.
    pub(crate) fn places<'a>(&'a self, order: &'a str) -> impl Iterator<Item = usize> + 'a {
        let dictates = self.dictates.is_match(order);
        self.begins.find_iter(order).map(|found| found.start()).filter(move |at| {
            let before = &order[..*at];
            !before.is_empty()
                && !self.not_after.is_match(before)
                && (!dictates || self.joints.is_match(before))
        })
    }

    /// `order` without the word that joins the next clause to it.
    pub(crate) fn without_joint<'a>(&self, order: &'a str) -> &'a str {
        match order.trim_end().rsplit_once(char::is_whitespace) {
            Some((rest, joint)) if self.joints.is_match(&joint.to_lowercase()) => rest.trim_end(),
            _ => order.trim_end(),
        }
    }
}
