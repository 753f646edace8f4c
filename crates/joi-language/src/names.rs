//! What the things of a home are called, and what the phrases of a lexicon may stand for.
//!
//! In: names from whoever knows the home. Out: rows of a grammar's lexicons. It refuses values that no command
//! understands. Pure: no I/O, no clock.

/// Names that a home adds to what is understood: "library", "moon lamp". Empty while no home is connected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// What rooms and places are called.
    pub rooms: Vec<String>,
    /// What things are called, and of what kind they are.
    pub devices: Vec<(String, DeviceKind)>,
}

/// Kinds of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    /// Lamps.
    Light,
    /// Blinds, shutters, curtains.
    Blind,
    /// What makes warm or cool.
    Heating,
    /// Doors, gates, windows, locks.
    Opening,
    /// Anything else that has a switch.
    Appliance,
}

impl DeviceKind {
    const ALL: [Self; 5] = [Self::Light, Self::Blind, Self::Heating, Self::Opening, Self::Appliance];

    /// The kind of this name in the files.
    pub fn called(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|device| device.name() == name)
    }

    /// Its name in the files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Blind => "blind",
            Self::Heating => "heating",
            Self::Opening => "opening",
            Self::Appliance => "appliance",
        }
    }
}

impl Names {
    /// Phrases and their values, by the slot that takes them.
    pub(super) fn rows(&self) -> [(&'static str, Vec<(String, String)>); 2] {
        let plain = |name: &String| name.trim().to_lowercase();
        let rooms = self.rooms.iter().map(|room| (plain(room), room.clone())).collect();
        let device = |(name, device): &(String, DeviceKind)| (plain(name), device.name().to_owned());
        [("place", rooms), ("device", self.devices.iter().map(device).collect())]
    }
}

/// The places of an entry among several that have a name.
const RANKS: [&str; 7] = ["soonest", "latest", "early", "late", "longest", "shortest", "newest"];

/// Whether the phrases of `slot` may stand for `value`.
///
/// # Errors
/// What they may stand for.
pub(super) fn usable(slot: &str, value: &str) -> Result<(), &'static str> {
    let is_one_of = |known: &[&str], value: &str| known.contains(&value);
    let is_weekday = |day: &str| is_one_of(&["mon", "tue", "wed", "thu", "fri", "sat", "sun"], day);
    let is_ahead = |day: &str| day.strip_prefix('+').is_some_and(|days| days.parse::<i8>().is_ok());
    let is_feast = |day: &str| {
        let date =
            day.split_once('-').and_then(|(month, day)| Some((month.parse().ok()?, day.parse().ok()?)));
        date.is_some_and(|(month, day)| jiff::civil::Date::new(2024, month, day).is_ok())
    };
    let is_part = |part: &str| is_one_of(&["morning", "afternoon", "evening", "night"], part);
    let (head, rest) = value.split_once(' ').unzip();
    let (head, rest) = (head.unwrap_or(value), rest);
    let (is_usable, allowed) = match slot {
        "part" | "today" => (
            is_part(head) && rest.is_none_or(is_ahead),
            "\"morning\", \"afternoon\", \"evening\" or \"night\", and a day ahead such as \"+0\" behind it",
        ),
        "day" => (
            is_ahead(value) || is_weekday(value) || is_feast(value),
            "a day ahead such as \"+1\", \"mon\" to \"sun\", or a month and a day such as \"12-25\"",
        ),
        "days" | "several" => {
            let (first, last) = head.split_once('-').unwrap_or((head, head));
            let is_days = is_weekday(first) && is_weekday(last) && rest.is_none_or(is_part);
            (is_days, "days such as \"mon\" or \"mon-fri\", and a part of the day behind them")
        }
        "nth" => (is_one_of(&["1", "2", "3", "4", "last"], value), "\"1\" to \"4\", or \"last\""),
        "rank" => (
            is_one_of(&RANKS, value) || value.parse::<u8>().is_ok_and(|nth| (1..=9).contains(&nth)),
            "\"soonest\", \"latest\", \"early\", \"late\", \"longest\", \"shortest\", \"newest\", or \"1\" to \"9\"",
        ),
        "month" => (value.parse::<u8>().is_ok_and(|month| (1..=12).contains(&month)), "\"1\" to \"12\""),
        "kind" | "kinds" => {
            (is_one_of(&["timer", "alarm", "reminder"], value), "\"timer\", \"alarm\" or \"reminder\"")
        }
        "device" => (
            DeviceKind::called(value).is_some(),
            "\"light\", \"blind\", \"heating\", \"opening\" or \"appliance\"",
        ),
        "place" => (!value.is_empty(), "a place"),
        _ => (false, "a lexicon that a slot is named after"),
    };
    if is_usable { Ok(()) } else { Err(allowed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_stand_for_what_commands_understand_and_nothing_else() {
        for (slot, value) in [
            ("part", "morning"),
            ("today", "night +0"),
            ("day", "+1"),
            ("day", "sun"),
            ("days", "mon-fri"),
            ("days", "mon-sun evening"),
            ("several", "sat-sun"),
            ("month", "12"),
            ("nth", "last"),
            ("kind", "alarm"),
            ("device", "blind"),
            ("rank", "latest"),
            ("rank", "2"),
            ("place", "library"),
        ] {
            assert_eq!(usable(slot, value), Ok(()), "{slot} {value}");
        }
        for (slot, value) in [
            ("part", "noon"),
            ("today", "night soon"),
            ("day", "monday"),
            ("days", "mon-"),
            ("month", "13"),
            ("nth", "5"),
            ("kinds", "timers"),
            ("device", "lamp"),
            ("rank", "10"),
            ("rank", "next"),
            ("place", ""),
            ("colour", "red"),
        ] {
            assert!(usable(slot, value).is_err(), "{slot} {value}");
        }
    }
}
