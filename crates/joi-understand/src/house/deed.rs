//! Which item of a thing takes a command, and the command: by the type of the item, its class and what it is about.
//!
//! Pure: no I/O, no clock.

use super::phrasing::TakenWords;
use super::things::{Thing, Things};
use joi_home::house::{Item, ItemCommand, ItemKind, ItemOption, StateValue};
use joi_language::house::{HouseDeed, ThingKind};

/// Hue and saturation of light at 2,700 kelvins, and of a light without a hue.
const WARM_WHITE: [f64; 2] = [28.0, 65.0];
const COLD_WHITE: [f64; 2] = [0.0, 0.0];
/// Brighter or darker by so many percent.
const LIGHT_STEP: f64 = 20.0;
/// Louder or quieter by so many percent.
const VOLUME_STEP: f64 = 10.0;
/// Warmer or cooler by so many degrees.
const HEAT_STEP: f64 = 1.0;
/// Who dims does not want darkness.
const DARKEST: f64 = 5.0;

/// Why a thing does not do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotDone {
    /// It has nothing that could.
    Cannot,
    /// "Warmer" than what, is not known.
    NoValue,
}

/// Returns the item of `thing`, and its command.
pub(super) fn command<'a>(
    thing: &Thing<'a>,
    deed: HouseDeed,
    taken: &TakenWords,
    things: &Things<'a>,
) -> Result<(&'a Item, ItemCommand), NotDone> {
    let with = |item: Option<&'a Item>, command: ItemCommand| {
        item.map(|item| (item, command)).ok_or(NotDone::Cannot)
    };
    let number = taken.number;
    let is_heat = thing.kind == Some(ThingKind::Heating) || thing.kind.is_none() && setpoint(thing).is_some();
    match deed {
        HouseDeed::On => switched(thing, ItemCommand::On, ItemCommand::Play),
        HouseDeed::Off => switched(thing, ItemCommand::Off, ItemCommand::Pause),
        HouseDeed::Percent => level(thing, number.ok_or(NotDone::Cannot)?, things),
        // What takes degrees takes no percent.
        HouseDeed::Level if setpoint(thing).is_some() && dimmable(thing).is_none() && !taken.is_percent => {
            with(setpoint(thing), ItemCommand::Number(number.ok_or(NotDone::Cannot)?))
        }
        HouseDeed::Level => level(thing, number.ok_or(NotDone::Cannot)?, things),
        HouseDeed::Degrees => {
            let item = setpoint(thing).ok_or(NotDone::Cannot)?;
            Ok((item, ItemCommand::Number(degrees(number.ok_or(NotDone::Cannot)?, taken, item))))
        }
        HouseDeed::Up | HouseDeed::Warmer if is_heat => heat(thing, number.unwrap_or(HEAT_STEP)),
        HouseDeed::Down | HouseDeed::Colder if is_heat => heat(thing, -number.unwrap_or(HEAT_STEP)),
        HouseDeed::Warmer => stepped(warmth(thing), number.unwrap_or(LIGHT_STEP), 0.0),
        HouseDeed::Colder => stepped(warmth(thing), -number.unwrap_or(LIGHT_STEP), 0.0),
        HouseDeed::WarmWhite => white(thing, 100.0, WARM_WHITE),
        HouseDeed::ColdWhite => white(thing, 0.0, COLD_WHITE),
        HouseDeed::Up if shutter(thing).is_some() => with(shutter(thing), ItemCommand::Up),
        HouseDeed::Down if shutter(thing).is_some() => with(shutter(thing), ItemCommand::Down),
        HouseDeed::Up => brighter(thing, 1.0, number, things),
        HouseDeed::Down => brighter(thing, -1.0, number, things),
        HouseDeed::Open => opened(thing, ItemCommand::Up, ItemCommand::On),
        HouseDeed::Close => opened(thing, ItemCommand::Down, ItemCommand::Off),
        HouseDeed::Opened => {
            with(shutter(thing), ItemCommand::Percent(100.0 - number.ok_or(NotDone::Cannot)?))
        }
        HouseDeed::Lock => with(lock(thing), ItemCommand::On),
        HouseDeed::Unlock => with(lock(thing), ItemCommand::Off),
        HouseDeed::Stop if shutter(thing).is_some() => with(shutter(thing), ItemCommand::Stop),
        HouseDeed::Stop => with(player(thing), ItemCommand::Pause),
        HouseDeed::Play => with(player(thing), ItemCommand::Play),
        HouseDeed::Next => with(player(thing), ItemCommand::Next),
        HouseDeed::Previous => with(player(thing), ItemCommand::Previous),
        HouseDeed::Colour => coloured(thing, taken.colour.ok_or(NotDone::Cannot)?),
        HouseDeed::Option | HouseDeed::Scene => Err(NotDone::Cannot),
    }
}

/// Returns degrees as `item` counts them: to half a degree where they were said on the other scale.
fn degrees(said: f64, taken: &TakenWords, item: &Item) -> f64 {
    let counts_fahrenheit = item.unit.as_deref().is_some_and(|unit| unit.ends_with('F'));
    if taken.is_fahrenheit && !counts_fahrenheit { ((said - 32.0) / 1.8 * 2.0).round() / 2.0 } else { said }
}

/// Returns the option of `item` that is called so.
pub(super) fn option(item: &Item, is_called: impl Fn(&str) -> bool) -> Option<&ItemOption> {
    let options = if item.command_options.is_empty() { &item.options } else { &item.command_options };
    options.iter().find(|option| is_called(&option.label) || is_called(&option.value))
}

fn is_about(item: &Item, property: &str) -> bool {
    item.semantics.as_ref().and_then(|s| s.property.as_ref()).is_some_and(|own| own.is(property))
}

/// Returns the best of the points that fit: controls go before what only states.
fn point<'a>(thing: &Thing<'a>, fits: impl Fn(&Item) -> bool) -> Option<&'a Item> {
    let rank = |item: &Item| {
        let class = item.semantics.as_ref().map(|s| &s.class);
        match class {
            Some(class) if class.is("Measurement") || class.is("Status") => 2,
            Some(class) if class.is("Control") || class.is("Setpoint") || class.is_equipment() => 0,
            _ => 1,
        }
    };
    thing.points.iter().copied().filter(|item| fits(item)).min_by_key(|item| (item.is_read_only, rank(item)))
}

fn is_main(item: &Item) -> bool {
    !["ColorTemperature", "SoundVolume", "Tilt", "LowBattery"].iter().any(|name| is_about(item, name))
}

/// Returns what switches the thing.
pub(super) fn switch<'a>(thing: &Thing<'a>) -> Option<&'a Item> {
    let is_switch = |item: &Item| {
        matches!(item.kind.acts_as(), ItemKind::Switch | ItemKind::Dimmer | ItemKind::Colour) && is_main(item)
    };
    point(thing, is_switch)
}

fn dimmable<'a>(thing: &Thing<'a>) -> Option<&'a Item> {
    let is_volume = thing.kind == Some(ThingKind::Volume);
    point(thing, |item| {
        let dims = matches!(item.kind.acts_as(), ItemKind::Dimmer | ItemKind::Colour);
        dims && (is_main(item) || is_volume || thing.points.len() == 1)
    })
}

/// Returns what moves it up and down.
pub(super) fn shutter<'a>(thing: &Thing<'a>) -> Option<&'a Item> {
    point(thing, |item| *item.kind.acts_as() == ItemKind::Rollershutter)
}

/// Returns what plays.
pub(super) fn player<'a>(thing: &Thing<'a>) -> Option<&'a Item> {
    point(thing, |item| *item.kind.acts_as() == ItemKind::Player)
}

/// Returns what its temperature is to become.
pub(super) fn setpoint<'a>(thing: &Thing<'a>) -> Option<&'a Item> {
    point(thing, |item| {
        let is_temperature = match item.kind.acts_as() {
            ItemKind::Number { dimension } => dimension.as_deref().is_none_or(|name| name == "Temperature"),
            _ => false,
        };
        let tells_only =
            item.semantics.as_ref().is_some_and(|s| s.class.is("Measurement") || s.class.is("Status"));
        is_temperature && !item.is_read_only && !tells_only
    })
}

/// Returns what locks it.
pub(super) fn lock<'a>(thing: &Thing<'a>) -> Option<&'a Item> {
    let is_lock = thing.kind == Some(ThingKind::Lock);
    point(thing, |item| *item.kind.acts_as() == ItemKind::Switch && (is_lock || is_about(item, "LockState")))
}

fn warmth<'a>(thing: &Thing<'a>) -> Option<&'a Item> {
    point(thing, |item| *item.kind.acts_as() == ItemKind::Dimmer && is_about(item, "ColorTemperature"))
}

type ChosenPoint<'a> = Result<(&'a Item, ItemCommand), NotDone>;

fn switched<'a>(thing: &Thing<'a>, command: ItemCommand, played: ItemCommand) -> ChosenPoint<'a> {
    if let Some(item) = switch(thing) {
        return Ok((item, command));
    }
    player(thing).map(|item| (item, played)).ok_or(NotDone::Cannot)
}

fn level<'a>(thing: &Thing<'a>, percent: f64, things: &Things<'a>) -> ChosenPoint<'a> {
    let item = dimmable(thing).or_else(|| shutter(thing)).or_else(|| volume_of(thing, things));
    item.map(|item| (item, ItemCommand::Percent(percent))).ok_or(NotDone::Cannot)
}

fn heat<'a>(thing: &Thing<'a>, by: f64) -> ChosenPoint<'a> {
    let item = setpoint(thing).ok_or(NotDone::Cannot)?;
    let now = item.state.number().ok_or(NotDone::NoValue)?;
    Ok((item, ItemCommand::Number(now + by).clamped_to(item)))
}

fn stepped(item: Option<&Item>, by: f64, least: f64) -> Result<(&Item, ItemCommand), NotDone> {
    let item = item.ok_or(NotDone::Cannot)?;
    let command = match item.state.percent() {
        Some(now) => ItemCommand::Percent((now + by).clamp(least.min(now), 100.0)).clamped_to(item),
        None if by > 0.0 => ItemCommand::Increase,
        None => ItemCommand::Decrease,
    };
    Ok((item, command))
}

fn brighter<'a>(thing: &Thing<'a>, sign: f64, by: Option<f64>, things: &Things<'a>) -> ChosenPoint<'a> {
    if player(thing).is_some()
        || thing.kind == Some(ThingKind::Volume)
        || thing.kind == Some(ThingKind::Screen)
    {
        let volume =
            if thing.kind == Some(ThingKind::Volume) { dimmable(thing) } else { volume_of(thing, things) };
        return stepped(volume, sign * by.unwrap_or(VOLUME_STEP), 0.0);
    }
    let least = if by.is_some() { 0.0 } else { DARKEST };
    stepped(dimmable(thing), sign * by.unwrap_or(LIGHT_STEP), least)
}

/// Returns the volume that belongs to what plays: a part of it, called as it is, or the only one in its room.
fn volume_of<'a>(thing: &Thing<'a>, things: &Things<'a>) -> Option<&'a Item> {
    let own = point(thing, |item| is_about(item, "SoundVolume"));
    let volumes: Vec<&Thing<'a>> =
        things.all.iter().filter(|other| other.kind == Some(ThingKind::Volume)).collect();
    let is_called =
        |other: &&&Thing<'a>| other.bags.iter().any(|bag| thing.bags.iter().any(|own| own.is_subset(bag)));
    let called = || volumes.iter().find(is_called);
    let in_room = || {
        let mut near =
            volumes.iter().filter(|other| other.location == thing.location && thing.location.is_some());
        near.next().filter(|_| near.next().is_none())
    };
    let is_source =
        matches!(thing.kind, Some(ThingKind::Player | ThingKind::Screen)) || player(thing).is_some();
    own.or_else(|| if is_source { called().or_else(in_room).and_then(|other| dimmable(other)) } else { None })
}

fn opened<'a>(thing: &Thing<'a>, moved: ItemCommand, switched: ItemCommand) -> ChosenPoint<'a> {
    if let Some(item) = shutter(thing) {
        return Ok((item, moved));
    }
    // A switch opens doors and valves; that of a lamp opens nothing.
    let opens = matches!(thing.kind, Some(ThingKind::Door | ThingKind::Valve | ThingKind::Blind));
    let item = point(thing, |item| *item.kind.acts_as() == ItemKind::Switch).filter(|_| opens);
    item.map(|item| (item, switched)).ok_or(NotDone::Cannot)
}

/// Returns the white of a light: by its colour temperature, in percent of warmth, or else as a colour.
fn white<'a>(thing: &Thing<'a>, warmth_percent: f64, colour: [f64; 2]) -> ChosenPoint<'a> {
    match warmth(thing) {
        Some(item) => Ok((item, ItemCommand::Percent(warmth_percent))),
        None => coloured(thing, colour),
    }
}

fn coloured<'a>(thing: &Thing<'a>, [hue, saturation]: [f64; 2]) -> ChosenPoint<'a> {
    let item = point(thing, |item| *item.kind.acts_as() == ItemKind::Colour).ok_or(NotDone::Cannot)?;
    let brightness = match item.state.value {
        StateValue::Colour { brightness, .. } if brightness > 0.0 => brightness,
        _ => 100.0,
    };
    Ok((item, ItemCommand::Colour(hue, saturation, brightness)))
}
