//! Quick commands by sentence templates: timers, the volume, the time, the date.
//!
//! In: a sentence that fits no pattern of the language. Out: the intent that a pattern would have made. A timer that is to
//! carry out a command at its end is none: the house has those. Pure but for the first use.

use joi_language::Language;
use joi_language::values::{Bias, EntryKind, Many, NewEntry, ScheduleOrder, When, Which};
use joi_templates::{IntentMatch, MatchContext, SlotLists, SlotOrigin};

use super::slots;
use super::table::{self, QuickUse};
use crate::house;
use crate::intents::{Intent, QuickIntent, VolumeChange};

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

/// Returns the quick command that `text` is by the templates of its language.
pub(crate) fn intent(language: &Language, text: &str, freedom: Freedom) -> Option<QuickIntent> {
    let context = MatchContext::new().with("area", ITSELF);
    let all = language.templates()?.recognise(text, &SlotLists::new(), &context).ok()?;
    let found = all.first()?;
    let quick = table::of(&found.intent)?.quick?;
    if is_too_free(found, (text, freedom), language) || is_of_house(quick, text, language) {
        return None;
    }
    let what = intent_of(quick, found)?;
    Some(QuickIntent { what, reason: format!("the whole utterance is \"{}\"", found.template) })
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

fn intent_of(quick: QuickUse, found: &IntentMatch) -> Option<Intent> {
    let schedule = match quick {
        QuickUse::Time => return Some(Intent::Time),
        QuickUse::Date => return Some(Intent::Date),
        QuickUse::NeverMind => return Some(Intent::NeverMind),
        QuickUse::Volume => return volume(found).map(Intent::Volume),
        QuickUse::VolumeStep => return step(found).map(Intent::Volume),
        QuickUse::TimerSet => timer(found)?,
        QuickUse::TimerLonger => longer(found, 1)?,
        QuickUse::TimerShorter => longer(found, -1)?,
        QuickUse::TimerCancel => ScheduleOrder::Cancel(which(found, Many::One)?),
        QuickUse::TimerCancelAll => ScheduleOrder::Cancel(which(found, Many::All)?),
        QuickUse::TimerPause => ScheduleOrder::Pause(which(found, Many::One)?),
        QuickUse::TimerResume => ScheduleOrder::Resume(which(found, Many::One)?),
        QuickUse::TimerLeft => ScheduleOrder::Left(which(found, Many::All)?),
    };
    Some(Intent::Schedule(schedule))
}

fn timer(found: &IntentMatch) -> Option<ScheduleOrder> {
    if found.slot("conversation_command").is_some() {
        return None;
    }
    let name = slots::text(found, "name").map(str::to_owned);
    let when = Some(When::In(slots::length(found, "")?));
    let kind = EntryKind::Timer;
    Some(ScheduleOrder::Set(NewEntry { kind, name, when, bias: Bias::Next, is_foreign: false }))
}

fn which(found: &IntentMatch, many: Many) -> Option<Which> {
    // Timers belong to no room.
    if slots::said(found, "area").is_some() {
        return None;
    }
    let name = slots::text(found, "name").map(str::to_owned);
    let length_s = slots::length(found, "start_");
    Some(Which { kind: Some(EntryKind::Timer), name, length_s, many, ..Which::default() })
}

fn longer(found: &IntentMatch, sign: i64) -> Option<ScheduleOrder> {
    let seconds = sign * i64::from(slots::length(found, "")?);
    Some(ScheduleOrder::Add { which: which(found, Many::One)?, seconds })
}

fn volume(found: &IntentMatch) -> Option<VolumeChange> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
    let percent = |level: f64| level.round().clamp(0.0, 100.0) as u8;
    slots::number(found, "volume_level").map(percent).map(VolumeChange::Set)
}

fn step(found: &IntentMatch) -> Option<VolumeChange> {
    #[expect(clippy::cast_possible_truncation, reason = "between -100 and 100")]
    let points = |by: f64| by.round().clamp(-100.0, 100.0) as i8;
    if slots::describes(found, "volume_step") {
        return None;
    }
    match (slots::text(found, "volume_step"), slots::number(found, "volume_step")) {
        (Some("up"), _) => Some(VolumeChange::Up),
        (Some("down"), _) => Some(VolumeChange::Down),
        (_, by) => by.map(points).map(VolumeChange::By),
    }
}
