//! Finds other readings of a transcript in this house, for a second look at its sound.
//!
//! Any thread. Input: the words. Output: readings that are commands of the house and need no yes; what is understood
//! already, a question, and what negates is none.

use super::ConnectedHome;
use joi_language::Language;
use joi_understand::house::follow::FollowUp;
use joi_understand::house::{HouseSituation, near};
use joi_understand::intents::Reading;

impl ConnectedHome {
    /// The commands that `text` may be; none without states that are true.
    pub(crate) fn near(&self, language: &Language, text: &str) -> Vec<Reading> {
        let view = self.view();
        let read = |situation: &HouseSituation<'_>| near::readings(language, text, situation);
        let is_up = view.link.is_up();
        is_up
            .then(|| self.situated((language, None), &view.house, FollowUp::default(), read))
            .flatten()
            .unwrap_or_default()
    }
}
