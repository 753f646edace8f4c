//! Lights, blinds, heating, doors: what is to be done in the house, out of a template that fits.
//!
//! In: the name of the template's intent and what its slots took. Out: an order. What is said while no home is
//! connected stands in the files of the languages, and claims nothing: a home that is connected replaces the answer,
//! not the understanding.
//! Pure: no I/O, no clock.

use super::filled::Filled;
use joi_language::grammar::machine::Slot;
use joi_language::grammar::numbers::ONE;
use joi_language::values::Many;
use joi_language::{DeviceKind, Language, fill};

/// Something to be done in the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeOrder {
    /// What.
    pub deed: HomeDeed,
    /// With what kind of thing.
    pub device: DeviceKind,
    /// The thing as it was named, without an article: "kitchen light".
    pub thing: String,
    /// With one, or with all that are named so.
    pub many: Many,
}

/// A deed on a thing of the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeDeed {
    /// Switch it on.
    On,
    /// Switch it off.
    Off,
    /// Brighter, warmer.
    Up,
    /// Darker, cooler.
    Down,
    /// Open it.
    Open,
    /// Close it.
    Close,
    /// Lock it.
    Lock,
    /// Unlock it.
    Unlock,
    /// To so many percent, 0 to 100.
    Percent(u8),
    /// To so many tenths of a degree, 0 to 1000, in the unit of the house.
    Degrees(u16),
    /// In another colour.
    Colour,
}

impl HomeOrder {
    /// Returns whether it may be guessed from a transcript that is one word off: it is seen at once, and lets nobody in.
    pub(super) fn is_harmless(&self) -> bool {
        match self.deed {
            HomeDeed::Lock | HomeDeed::Unlock => false,
            HomeDeed::On
            | HomeDeed::Off
            | HomeDeed::Up
            | HomeDeed::Down
            | HomeDeed::Open
            | HomeDeed::Close
            | HomeDeed::Percent(_)
            | HomeDeed::Degrees(_)
            | HomeDeed::Colour => self.device != DeviceKind::Opening,
        }
    }
}

/// Returns the order of a template; `name` is what follows "home".
pub(super) fn order(name: &str, filled: &Filled<'_>) -> Option<HomeOrder> {
    let level = || filled.number(Slot::Level);
    let percent = || u8::try_from(level()?.div_ceil(ONE)).ok().map(HomeDeed::Percent);
    let degrees = || u16::try_from(level()? * 10 / ONE).ok().map(HomeDeed::Degrees);
    // "The bedroom to 20 degrees" names no device.
    let device = filled.value(Slot::Device).map_or(Some(DeviceKind::Heating), DeviceKind::called)?;
    let deed = match (name, device) {
        ("on", _) => HomeDeed::On,
        ("off", _) => HomeDeed::Off,
        ("open", _) | ("up", DeviceKind::Blind) => HomeDeed::Open,
        ("close", _) | ("down", DeviceKind::Blind) => HomeDeed::Close,
        ("up", _) => HomeDeed::Up,
        ("down", _) => HomeDeed::Down,
        ("lock", _) => HomeDeed::Lock,
        ("unlock", _) => HomeDeed::Unlock,
        ("colour", DeviceKind::Light) => HomeDeed::Colour,
        ("degrees", _) | ("level", DeviceKind::Heating) => degrees()?,
        ("percent" | "level", _) => percent()?,
        _ => return None,
    };
    let named =
        || filled.captures.iter().filter(|c| matches!(c.slot, Slot::Place | Slot::Name | Slot::Device));
    let (first, last) = (named().next()?.at.start, named().next_back()?.at.end);
    let thing = filled.as_said(first..last)?;
    // The first word of a sentence has a capital that it has nowhere else.
    let thing = if first == 0 { uncapitalised(&thing) } else { thing };
    let is_all = filled.words[filled.core.start..first].iter().any(|w| filled.grammar.all.contains(&w.text));
    Some(HomeOrder { deed, device, thing, many: if is_all { Many::All } else { Many::One } })
}

/// Returns what is said to `order` while no home is connected: one sentence that claims nothing.
pub fn not_connected(language: &Language, order: &HomeOrder) -> String {
    let words = &language.sentences().home;
    let (deed, level) = match order.deed {
        HomeDeed::On => (&words.on, String::new()),
        HomeDeed::Off => (&words.off, String::new()),
        HomeDeed::Up => (&words.up, String::new()),
        HomeDeed::Down => (&words.down, String::new()),
        HomeDeed::Open => (&words.open, String::new()),
        HomeDeed::Close => (&words.close, String::new()),
        HomeDeed::Lock => (&words.lock, String::new()),
        HomeDeed::Unlock => (&words.unlock, String::new()),
        HomeDeed::Colour => (&words.colour, String::new()),
        HomeDeed::Percent(percent) => (&words.percent, percent.to_string()),
        HomeDeed::Degrees(tenths) if tenths % 10 == 0 => (&words.degrees, (tenths / 10).to_string()),
        HomeDeed::Degrees(tenths) => (&words.degrees, format!("{}.{}", tenths / 10, tenths % 10)),
    };
    let deed = fill(deed, &[("level", &level), ("thing", &order.thing)]);
    fill(&words.missing, &[("deed", &deed)])
}

fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
