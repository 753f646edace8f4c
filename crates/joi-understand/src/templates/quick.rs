//! Quick commands by sentence templates: timers, the volume, the time, the date.
//!
//! In: a sentence that fits no pattern of the language. Out: which quick command it is, and its slots. Pure but for the first use.

use joi_language::Language;
use joi_templates::{IntentMatch, MatchContext, SlotLists, SlotOrigin};

use super::table::{self, QuickUse};
use crate::house;

/// The area of the device, which is no area of a house: the device itself is meant.
const ITSELF: &str = "itself";

/// Whether any words may stand in a slot of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// As the name of a timer.
    Names,
    None,
}

impl Freedom {
    /// That beside a reading of our own with so many words that could have been any, or beside none.
    pub(crate) fn of(open: Option<usize>) -> Self {
        if open.is_some() { Self::None } else { Self::Names }
    }
}

/// Returns the quick command that `text` is by the templates of its language, with what was said in it.
pub(crate) fn command(language: &Language, text: &str, freedom: Freedom) -> Option<(QuickUse, IntentMatch)> {
    let context = MatchContext::new().with("area", ITSELF);
    let all = language.templates()?.recognise(text, &SlotLists::new(), &context).ok()?;
    let found = all.into_iter().next()?;
    let quick = table::of(&found.intent)?.quick?;
    let is_meant = !is_too_free(&found, (text, freedom), language) && !is_of_house(quick, text, language);
    is_meant.then_some((quick, found))
}

/// Returns whether any words at all stand where the name of a timer may: they count only as a name, and beside a word for a
/// timer.
fn is_too_free(found: &IntentMatch, (text, freedom): (&str, Freedom), language: &Language) -> bool {
    let Some(name) = found.slot("name").filter(|slot| slot.origin == SlotOrigin::Wildcard) else {
        return false;
    };
    let grammar = language.grammar();
    let span = name.span.clone().unwrap_or_default();
    let around = [text.get(..span.start), text.get(span.end..)].map(Option::unwrap_or_default).join(" ");
    freedom == Freedom::None || !grammar.is_name(&name.text) || !grammar.speaks_of_timer(&around)
}

/// Returns whether the volume is that of something in the house that plays: "the music".
fn is_of_house(quick: QuickUse, text: &str, language: &Language) -> bool {
    let is_volume = matches!(quick, QuickUse::Volume | QuickUse::VolumeStep);
    is_volume && language.house().is_some_and(|words| house::names_player(text, words))
}
