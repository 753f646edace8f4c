//! The commands and states of each item type, and the state that follows a command.
//! Pure: no I/O, no clock.

/// A command that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TakenCommand {
    /// As it stands in the event.
    pub(super) text: String,
    /// The state that follows; none for what changes no state, as STOP.
    pub(super) state: Option<String>,
}

/// What `text` does to an item of `kind` in `state`; nothing when it is refused.
pub(super) fn command(kind: &str, unit: Option<&str>, text: &str, state: &str) -> Option<TakenCommand> {
    let taken = |text: &str, state: Option<String>| Some(TakenCommand { text: text.to_owned(), state });
    if text == "REFRESH" && kind != "String" {
        return taken(text, None);
    }
    let text = if text.eq_ignore_ascii_case("toggle") { toggled(kind, state)? } else { text };
    match (kind, text) {
        ("Switch", "ON" | "OFF") => taken(text, Some(text.to_owned())),
        ("Dimmer", "ON") => taken(text, Some("100".to_owned())),
        ("Dimmer", "OFF") => taken(text, Some("0".to_owned())),
        ("Color", "ON") => taken(text, Some(with_brightness(state, "100"))),
        ("Color", "OFF") => taken(text, Some(with_brightness(state, "0"))),
        ("Dimmer" | "Color", "INCREASE" | "DECREASE") => taken(text, None),
        ("Rollershutter", "UP") => taken(text, Some("0".to_owned())),
        ("Rollershutter", "DOWN") => taken(text, Some("100".to_owned())),
        ("Rollershutter", "STOP" | "MOVE") => taken(text, None),
        ("Dimmer" | "Rollershutter", _) => percent(text).and_then(|text| taken(&text, Some(text.clone()))),
        ("Color", _) => match percent(text) {
            Some(level) => taken(&level, Some(with_brightness(state, &level))),
            None => colour(text).and_then(|text| taken(&text, Some(text.clone()))),
        },
        ("Player", "PLAY" | "PAUSE" | "REWIND" | "FASTFORWARD") => taken(text, Some(text.to_owned())),
        ("Player", "NEXT" | "PREVIOUS") => taken(text, None),
        ("String", _) => taken(text, Some(text.to_owned())),
        ("Location", _) => place(text).and_then(|text| taken(&text, Some(text.clone()))),
        ("DateTime", _) => moment(text).and_then(|text| taken(&text, Some(text.clone()))),
        (kind, _) if kind == "Number" || kind.starts_with("Number:") => number(kind, unit, text),
        _ => None,
    }
}

/// A state that is set from outside; nothing when the type has no such state.
pub(super) fn state(kind: &str, unit: Option<&str>, text: &str, before: &str) -> Option<String> {
    match (kind, text) {
        (_, "NULL" | "UNDEF") => Some(text.to_owned()),
        ("Contact", "OPEN" | "CLOSED") => Some(text.to_owned()),
        ("Contact" | "Call", _) => None,
        ("Image", _) => text.starts_with("data:").then(|| text.to_owned()),
        (_, "REFRESH" | "STOP" | "MOVE" | "INCREASE" | "DECREASE" | "NEXT" | "PREVIOUS" | "toggle")
            if kind != "String" =>
        {
            None
        }
        _ => command(kind, unit, text, before)?.state,
    }
}

/// The type of a value as events have it.
pub(super) fn value_type(kind: &str, text: &str) -> &'static str {
    match (kind, text) {
        (_, "NULL" | "UNDEF") => "UnDef",
        (_, "REFRESH") => "Refresh",
        ("String", _) => "String",
        (_, "ON" | "OFF") => "OnOff",
        (_, "OPEN" | "CLOSED") => "OpenClosed",
        (_, "UP" | "DOWN") => "UpDown",
        (_, "STOP" | "MOVE") => "StopMove",
        (_, "INCREASE" | "DECREASE") => "IncreaseDecrease",
        (_, "PLAY" | "PAUSE") => "PlayPause",
        (_, "REWIND" | "FASTFORWARD") => "RewindFastforward",
        (_, "NEXT" | "PREVIOUS") => "NextPrevious",
        ("Dimmer" | "Rollershutter", _) => "Percent",
        ("Color", text) if text.contains(',') => "HSB",
        ("Color", _) => "Percent",
        ("DateTime", _) => "DateTime",
        ("Location", _) => "Point",
        ("Image", _) => "Raw",
        ("Call", _) => "StringList",
        (_, text) if text.contains(' ') => "Quantity",
        _ => "Decimal",
    }
}

fn toggled<'a>(kind: &str, state: &str) -> Option<&'a str> {
    if matches!(state, "NULL" | "UNDEF") {
        return None;
    }
    match kind {
        "Switch" => Some(if state == "ON" { "OFF" } else { "ON" }),
        "Dimmer" => Some(if state == "0" { "ON" } else { "OFF" }),
        "Color" => Some(if state.ends_with(",0") { "ON" } else { "OFF" }),
        "Rollershutter" if state == "0" => Some("DOWN"),
        "Rollershutter" => Some("UP"),
        _ => None,
    }
}

fn plain(text: &str) -> Option<f64> {
    let is_number =
        text.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | '-' | '+' | 'E' | 'e'));
    text.parse().ok().filter(|_| is_number && !text.is_empty())
}

fn percent(text: &str) -> Option<String> {
    plain(text).filter(|value| (0.0..=100.0).contains(value)).map(|_| text.to_owned())
}

fn colour(text: &str) -> Option<String> {
    let parts: Vec<f64> = text.split(',').map(|part| plain(part.trim())).collect::<Option<_>>()?;
    let [hue, saturation, brightness] = parts[..] else { return None };
    let fits = (0.0..=360.0).contains(&hue) && (0.0..=100.0).contains(&saturation);
    (fits && (0.0..=100.0).contains(&brightness)).then(|| text.replace(' ', ""))
}

fn with_brightness(state: &str, level: &str) -> String {
    match state.rsplit_once(',') {
        Some((colour, _)) => format!("{colour},{level}"),
        None => format!("0,0,{level}"),
    }
}

/// A comma is a thousands sign here: `21,5` is 215.
fn number(kind: &str, unit: Option<&str>, text: &str) -> Option<TakenCommand> {
    let (value, given) = match text.split_once(' ') {
        Some((value, given)) => (value, Some(given)),
        None => (text, None),
    };
    let value = plain(&value.replace(',', ""))?;
    let written = |value: f64| super::house::written(value);
    let state = match (kind, unit, given) {
        ("Number", ..) => Some(written(value)),
        (_, Some(unit), None) => Some(format!("{} {unit}", written(value))),
        (_, Some(unit), Some(given)) if unit == given => Some(format!("{} {unit}", written(value))),
        (_, Some("°C"), Some("°F")) => Some(format!("{} °C", written((value - 32.0) / 1.8))),
        (_, Some("°F"), Some("°C")) => Some(format!("{} °F", written(value * 1.8 + 32.0))),
        (_, None, given) => {
            Some(given.map_or_else(|| written(value), |given| format!("{} {given}", written(value))))
        }
        // A unit of another dimension is taken, and nothing happens.
        _ => None,
    };
    Some(TakenCommand { text: text.to_owned(), state })
}

fn place(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_place = (2..=3).contains(&parts.len()) && parts.iter().all(|part| plain(part).is_some());
    is_place.then(|| parts.join(","))
}

fn moment(text: &str) -> Option<String> {
    let zoned = jiff::Timestamp::strptime("%Y-%m-%dT%H:%M:%S%.f%z", text).or_else(|_| text.parse()).ok()?;
    Some(zoned.strftime("%Y-%m-%dT%H:%M:%S.000+0000").to_string())
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_place_is_two_or_three_numbers_with_or_without_spaces_between() {
        assert_eq!(place("1.1, 1.2, 1.3").as_deref(), Some("1.1,1.2,1.3"));
        assert_eq!(place("52.5,13.4").as_deref(), Some("52.5,13.4"));
        assert_eq!(place("90 10 10"), None);
        assert_eq!(place("52.5"), None);
    }
}
