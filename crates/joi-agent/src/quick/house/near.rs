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
        let Some(words) = language.house().filter(|_| view.link.is_up()) else { return Vec::new() };
        let (phrasings, follow) = (self.phrasings(words), FollowUp::default());
        let (house, phonetic, room) = (&view.house, language.phonetic(), self.room.as_deref());
        let situation = HouseSituation { house, words, phrasings: &phrasings, phonetic, room, follow };
        near::readings(language, text, &situation)
    }
}
