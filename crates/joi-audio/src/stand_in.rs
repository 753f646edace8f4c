//! Chooses the device that stands in where nothing is configured and the default device can't record, or can't play.
//!
//! In: the devices that ALSA lists, described. Out: those that may stand in, best first, and a sentence about the
//! choice. ALSA's default is card 0 whatever it is: on a Raspberry Pi that is HDMI or the headphones, and a USB
//! microphone is another card. A sound server chooses its default itself, so nothing stands in for it.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::Direction;

/// A device as ALSA lists it, for one direction. Nothing was opened to know this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DescribedDevice<D> {
    /// "alsa:plughw:CARD=Device,DEV=0".
    pub(super) id: String,
    /// "USB PnP Sound Device, USB Audio".
    pub(super) name: String,
    /// Whether it is listed for this direction.
    pub(super) is_able: bool,
    /// The device itself.
    pub(super) device: D,
}

/// How ALSA leads to a card, best first: with conversions, with what its maker configured, as it is. Surround and mixing
/// devices lead to the same cards.
const WAYS: [&str; 3] = ["plughw", "sysdefault", "hw"];

/// Returns the card behind a device, and the place of its way to it among [`WAYS`].
fn way_and_card(id: &str) -> Option<(usize, &str)> {
    let (way, rest) = id.strip_prefix("alsa:")?.split_once(":CARD=")?;
    let card = rest.split(',').next().filter(|card| !card.is_empty())?;
    Some((WAYS.iter().position(|known| *known == way)?, card))
}

/// Returns the card behind a device; nothing for a device without a card.
pub(super) fn card(id: &str) -> Option<&str> {
    way_and_card(id).map(|(_, card)| card)
}

/// Returns whether nothing but the system's choice is configured.
pub(super) fn is_left_to_the_system(wanted: &[String]) -> bool {
    wanted.iter().all(|id| matches!(id.trim(), "" | "default"))
}

/// Returns the devices that may stand in: the cards at USB first, else as they are listed, each by its best way first.
pub(super) fn stand_ins<D>(devices: Vec<DescribedDevice<D>>) -> Vec<DescribedDevice<D>> {
    let mut able: Vec<_> = devices.into_iter().filter(|d| d.is_able && card(&d.id).is_some()).collect();
    // Each card is listed by its name and by its number, and the number changes with what is plugged in.
    if able.iter().any(|device| !is_by_number(&device.id)) {
        able.retain(|device| !is_by_number(&device.id));
    }
    let mut cards: Vec<String> = Vec::new();
    for name in able.iter().filter_map(|device| card(&device.id)) {
        if !cards.iter().any(|known| known == name) {
            cards.push(name.to_owned());
        }
    }
    able.sort_by_key(|device| {
        let (way, name) = way_and_card(&device.id).unwrap_or_default();
        (!is_usb(&device.name), cards.iter().position(|known| known == name), way)
    });
    able
}

fn is_by_number(id: &str) -> bool {
    card(id).is_some_and(|card| card.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The kernel's driver calls every device of a USB card "USB Audio".
fn is_usb(name: &str) -> bool {
    name.to_lowercase().contains("usb")
}

/// Returns a notice that the `place`-th of `all` stands in, with the setting that decides it.
pub(super) fn notice<D>(all: &[DescribedDevice<D>], place: usize, direction: Direction) -> Option<String> {
    let DescribedDevice { id, name, .. } = all.get(place)?;
    let (does, key) = match direction {
        Direction::Input => ("record", "audio.input"),
        Direction::Output => ("play", "audio.output"),
    };
    let cards: BTreeSet<_> = all.iter().filter_map(|device| card(&device.id)).collect();
    let of = match cards.len() {
        0 | 1 => String::new(),
        count => format!(", one of {count} cards that may"),
    };
    Some(format!("the default device can't {does}, so {name} is used{of}; {key} = [\"{id}\"] settles it"))
}

/// Logs each choice once, however often the device is opened.
#[derive(Debug, Default)]
pub(super) struct ChoiceLog(Mutex<Option<String>>);

impl ChoiceLog {
    /// Logs the sentence about a choice, unless it is the last one or there is none.
    pub(super) fn log(&self, notice: Option<&str>) {
        let Some(notice) = notice else { return };
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_deref() != Some(notice) {
            tracing::warn!("{notice}");
            *last = Some(notice.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(devices: &[(&str, &str, bool)]) -> Vec<DescribedDevice<()>> {
        let described = |(id, name, is_able): &(&str, &str, bool)| DescribedDevice {
            id: format!("alsa:{id}"),
            name: (*name).to_owned(),
            is_able: *is_able,
            device: (),
        };
        devices.iter().map(described).collect()
    }

    fn ids(devices: &[(&str, &str, bool)]) -> Vec<String> {
        let ranked = stand_ins(listed(devices));
        ranked.into_iter().map(|device| device.id.replacen("alsa:", "", 1)).collect()
    }

    const USB: &str = "USB PnP Sound Device, USB Audio";

    /// Microphones as a Raspberry Pi lists its devices, with one at USB.
    const PI: &[(&str, &str, bool)] = &[
        ("null", "Discard all samples", true),
        ("default", "Default Audio Device", true),
        ("jack", "JACK Audio Connection Kit", true),
        ("hw:CARD=Headphones,DEV=0", "bcm2835 Headphones, bcm2835 Headphones", false),
        ("plughw:CARD=Headphones,DEV=0", "bcm2835 Headphones, bcm2835 Headphones", false),
        ("hw:CARD=Device,DEV=0", USB, true),
        ("plughw:CARD=Device,DEV=0", USB, true),
        ("default:CARD=Device", USB, true),
        ("sysdefault:CARD=Device", USB, true),
        ("front:CARD=Device,DEV=0", USB, true),
        ("dsnoop:CARD=Device,DEV=0", USB, true),
        ("plughw:CARD=0,DEV=0", "bcm2835 Headphones, bcm2835 Headphones", false),
        ("hw:CARD=1,DEV=0", USB, true),
        ("plughw:CARD=1,DEV=0", USB, true),
    ];

    #[test]
    fn the_one_card_that_records_stands_in_by_its_best_way() {
        assert_eq!(ids(PI), ["plughw:CARD=Device,DEV=0", "sysdefault:CARD=Device", "hw:CARD=Device,DEV=0"]);
    }

    #[test]
    fn of_several_the_first_at_usb_goes_first_else_the_first() {
        let hat = ("plughw:CARD=Hat,DEV=0", "Voice HAT", true);
        let usb = ("plughw:CARD=Device,DEV=0", USB, true);
        let other = ("plughw:CARD=Device_1,DEV=0", USB, true);
        let old = ("sysdefault:CARD=Old", "Line in", true);
        assert_eq!(
            ids(&[hat, old, usb, other]),
            [
                "plughw:CARD=Device,DEV=0",
                "plughw:CARD=Device_1,DEV=0",
                "plughw:CARD=Hat,DEV=0",
                "sysdefault:CARD=Old"
            ]
        );
        assert_eq!(ids(&[old, hat]), ["sysdefault:CARD=Old", "plughw:CARD=Hat,DEV=0"]);
    }

    #[test]
    fn a_card_without_a_name_stands_in_by_its_number() {
        let numbered = [("hw:CARD=1,DEV=0", USB, true), ("plughw:CARD=1,DEV=0", USB, true)];
        assert_eq!(ids(&numbered), ["plughw:CARD=1,DEV=0", "hw:CARD=1,DEV=0"]);
    }

    #[test]
    fn nothing_stands_in_for_a_sound_server_or_where_no_card_can() {
        let server = DescribedDevice {
            id: "pulseaudio:alsa_input.usb-1".to_owned(),
            name: USB.to_owned(),
            is_able: true,
            device: (),
        };
        assert_eq!(stand_ins(vec![server]), []);
        assert_eq!(ids(&[PI[0], PI[1], PI[3], PI[4]]), Vec::<String>::new());
    }

    #[test]
    fn only_what_is_left_to_the_system_is_chosen_by_us() {
        let is_left =
            |ids: &[&str]| is_left_to_the_system(&ids.iter().map(|id| (*id).into()).collect::<Vec<_>>());
        assert!(is_left(&["default"]) && is_left(&[" default ", ""]));
        assert!(!is_left(&["USB"]) && !is_left(&["USB", "default"]));
    }

    #[test]
    fn the_notice_names_the_setting_that_decides() {
        let one = stand_ins(listed(PI));
        assert_eq!(
            notice(&one, 0, Direction::Input).as_deref(),
            Some(
                "the default device can't record, so USB PnP Sound Device, USB Audio is used; \
                 audio.input = [\"alsa:plughw:CARD=Device,DEV=0\"] settles it"
            )
        );
        let two = [("plughw:CARD=A,DEV=0", "A", true), ("plughw:CARD=B,DEV=0", "B", true)];
        let of_two = notice(&listed(&two), 1, Direction::Output);
        assert_eq!(
            of_two.as_deref(),
            Some(
                "the default device can't play, so B is used, one of 2 cards that may; \
                 audio.output = [\"alsa:plughw:CARD=B,DEV=0\"] settles it"
            )
        );
        assert_eq!(notice(&listed(&two), 2, Direction::Output), None);
    }
}
