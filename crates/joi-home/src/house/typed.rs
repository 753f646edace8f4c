//! Commands as they are typed or written by a model: `on`, `45 %`, `21,5`, `70 °F`, an option's value or label.
//! Pure: no I/O, no clock.

use jiff::Zoned;

use super::command::{ItemCommand, Refused};
use super::item::{Item, ItemKind};

/// Reads a command as somebody types it for `item`: `on`, `45 %`, `21,5`, `70 °F`, `up`, an option's value or label.
pub fn command(text: &str, item: &Item) -> Result<ItemCommand, Refused> {
    let text = text.trim();
    let kind = item.kind.acts_as();
    let option = item
        .command_options
        .iter()
        .chain(&item.options)
        .find(|option| option.value == text || option.label.to_lowercase() == text.to_lowercase());
    let text = option.map_or(text, |option| option.value.as_str());
    if *kind == ItemKind::Text {
        return Ok(ItemCommand::Text(text.to_owned()));
    }
    let command = word(text).or_else(|| match kind {
        ItemKind::Number { .. } => typed_number(text),
        ItemKind::Dimmer | ItemKind::Rollershutter => percent(text),
        ItemKind::Colour => colour(text).or_else(|| percent(text)),
        ItemKind::Position => {
            let (latitude, longitude) = text.split_once(',')?;
            Some(ItemCommand::Position(latitude.trim().parse().ok()?, longitude.trim().parse().ok()?))
        }
        ItemKind::DateTime => moment(text),
        _ => None,
    });
    command.ok_or_else(|| Refused::NotUnderstood {
        item: item.name.clone(),
        kind: item.kind.written(),
        text: text.to_owned(),
    })
}

fn word(text: &str) -> Option<ItemCommand> {
    Some(match text.to_ascii_uppercase().as_str() {
        "ON" => ItemCommand::On,
        "OFF" => ItemCommand::Off,
        "INCREASE" => ItemCommand::Increase,
        "DECREASE" => ItemCommand::Decrease,
        "UP" => ItemCommand::Up,
        "DOWN" => ItemCommand::Down,
        "STOP" => ItemCommand::Stop,
        "MOVE" => ItemCommand::Move,
        "PLAY" => ItemCommand::Play,
        "PAUSE" => ItemCommand::Pause,
        "NEXT" => ItemCommand::Next,
        "PREVIOUS" => ItemCommand::Previous,
        "FASTFORWARD" => ItemCommand::FastForward,
        "REWIND" => ItemCommand::Rewind,
        _ => return None,
    })
}

/// A number with a dot, or one comma that can't be a thousands sign.
fn decimal(text: &str) -> Option<f64> {
    let text = match text.split_once(',') {
        None => text.to_owned(),
        Some((whole, part)) if !part.contains(',') && !text.contains('.') && part.len() != 3 => {
            format!("{whole}.{part}")
        }
        Some(_) => return None,
    };
    let is_plain = text.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | '-' | '+'));
    text.parse().ok().filter(|_| is_plain)
}

fn percent(text: &str) -> Option<ItemCommand> {
    decimal(text.trim_end_matches('%').trim_end()).map(ItemCommand::Percent)
}

fn typed_number(text: &str) -> Option<ItemCommand> {
    let end = text.find(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '.' | ',' | '-' | '+')));
    let (value, unit) = text.split_at(end.unwrap_or(text.len()));
    let value = decimal(value)?;
    Some(match unit.trim() {
        "" => ItemCommand::Number(value),
        unit => ItemCommand::Quantity(value, unit.to_owned()),
    })
}

fn colour(text: &str) -> Option<ItemCommand> {
    let parts: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match parts?.as_slice() {
        [hue, saturation, brightness] => Some(ItemCommand::Colour(*hue, *saturation, *brightness)),
        _ => None,
    }
}

fn moment(text: &str) -> Option<ItemCommand> {
    let zoned = text.parse::<Zoned>().ok();
    let with_offset = || Some(text.parse::<jiff::Timestamp>().ok()?.to_zoned(jiff::tz::TimeZone::UTC));
    zoned.or_else(with_offset).map(ItemCommand::Moment)
}
