//! The meaning of items for awareness and alarms: smoke, gas, water, a break-in, a door, warmth, presence.
//!
//! In: the lists of `[home.meaning]`, which name items or groups, and the house. Out: the meaning of each item, and
//! proposals for what is not named, worked out of the semantic model, the icon, or words of the name
//! (`assets/home/meaning.toml`). An item that is named nowhere means nothing.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::House;
use super::caution::words;
use super::item::{Item, ItemKind};

/// What the state of an item is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemMeaning {
    /// Smoke or fire, when it is on or open.
    Smoke,
    /// Gas, when it is on or open.
    Gas,
    /// Water where none should be, when it is on or open.
    Water,
    /// Somebody breaks in, when it is on or open.
    Intrusion,
    /// Somebody is at home, when it is on.
    Presence,
    /// A warning of the weather service: its text, or that there is one.
    WeatherAlert,
    /// How warm it is in a room.
    Temperature,
    /// A door or a window.
    Door,
}

impl ItemMeaning {
    /// All of them, the weightiest first.
    pub const ALL: [Self; 8] = [
        Self::Smoke,
        Self::Gas,
        Self::Water,
        Self::Intrusion,
        Self::Presence,
        Self::WeatherAlert,
        Self::Temperature,
        Self::Door,
    ];

    /// Its key in the configuration.
    pub fn key(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Gas => "gas",
            Self::Water => "water",
            Self::Intrusion => "intrusion",
            Self::Presence => "presence",
            Self::WeatherAlert => "weather_alert",
            Self::Temperature => "temperature",
            Self::Door => "door",
        }
    }
}

/// `[home.meaning]`: the items of each meaning. Names of items or groups; a group stands for all its members.
/// `joi home meanings` proposes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeaningConfig {
    /// Smoke detectors: ON, OPEN, 1, or a word such as ALARM is an alarm at any hour.
    pub smoke: Vec<String>,
    /// Detectors of gas or carbon monoxide: ON, OPEN, 1, or a word such as ALARM is an alarm at any hour.
    pub gas: Vec<String>,
    /// Leak sensors: ON, OPEN, 1, or a word such as ALARM is an alarm at any hour.
    pub water: Vec<String>,
    /// Alarm systems and glass break sensors: ON, OPEN, 1, or a word such as ALARM is an alarm at any hour.
    pub intrusion: Vec<String>,
    /// Switches that are ON while somebody is at home.
    pub presence: Vec<String>,
    /// Warnings of a weather service: a text, or ON. "storm" or "flood" in it is an alarm, anything else is worth
    /// mentioning.
    pub weather_alert: Vec<String>,
    /// Temperatures of rooms; see `awareness.comfort_low`.
    pub temperature: Vec<String>,
    /// Contacts of doors and windows; see `awareness.open_min`.
    pub door: Vec<String>,
}

impl MeaningConfig {
    /// The names that mean this.
    pub fn of(&self, meaning: ItemMeaning) -> &[String] {
        match meaning {
            ItemMeaning::Smoke => &self.smoke,
            ItemMeaning::Gas => &self.gas,
            ItemMeaning::Water => &self.water,
            ItemMeaning::Intrusion => &self.intrusion,
            ItemMeaning::Presence => &self.presence,
            ItemMeaning::WeatherAlert => &self.weather_alert,
            ItemMeaning::Temperature => &self.temperature,
            ItemMeaning::Door => &self.door,
        }
    }

    /// The meaning of each item of `house` that has one; what is named itself goes before its groups.
    pub fn meanings(&self, house: &House) -> BTreeMap<String, ItemMeaning> {
        let mut found = BTreeMap::new();
        for meaning in ItemMeaning::ALL {
            for name in self.of(meaning) {
                for member in house.members(name) {
                    found.entry(member.name.clone()).or_insert(meaning);
                }
            }
        }
        for meaning in ItemMeaning::ALL.into_iter().rev() {
            for name in self.of(meaning).iter().filter(|name| house.item(name).is_some_and(is_single)) {
                found.insert(name.clone(), meaning);
            }
        }
        found
    }

    /// Names that no item of `house` has.
    pub fn unknown<'a>(&'a self, house: &House) -> Vec<&'a str> {
        let all = ItemMeaning::ALL.into_iter().flat_map(|meaning| self.of(meaning));
        all.filter(|name| house.item(name).is_none()).map(String::as_str).collect()
    }
}

fn is_single(item: &Item) -> bool {
    !matches!(item.kind, ItemKind::Group { .. })
}

/// Why a meaning is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MeaningSign {
    /// Its class in the semantic model, or that of the thing it is a point of.
    Class,
    /// Its icon.
    Category,
    /// A word of its name.
    Word,
}

/// What an item most likely means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeaningProposal {
    /// The item.
    pub item: String,
    /// What it would mean.
    pub meaning: ItemMeaning,
    /// Why.
    pub sign: MeaningSign,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeaningMarks {
    kinds: Vec<String>,
    classes: Vec<String>,
    categories: Vec<String>,
    words: Vec<String>,
}

static MARKS: LazyLock<BTreeMap<ItemMeaning, MeaningMarks>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    toml::from_str(include_str!("../../../../assets/home/meaning.toml")).expect("assets/home/meaning.toml")
});

impl House {
    /// Returns the names of items that state whether somebody is at home: those of `[home.meaning]`, else those that most
    /// likely do, and people as Home Assistant knows them.
    pub fn people(&self, config: &MeaningConfig) -> Vec<String> {
        let named =
            config.meanings(self).into_iter().filter(|(_, meaning)| *meaning == ItemMeaning::Presence);
        let mut people: Vec<String> = named.map(|(name, _)| name).collect();
        if people.is_empty() {
            let likely = proposals(self).into_iter().filter(|one| one.meaning == ItemMeaning::Presence);
            people.extend(likely.map(|proposal| proposal.item));
        }
        people
            .extend(self.items().filter(|item| item.name.starts_with(PERSON)).map(|item| item.name.clone()));
        people.sort_unstable();
        people.dedup();
        people
    }
}

/// People of Home Assistant are called so.
const PERSON: &str = "person.";

/// What items of `house` most likely mean; each has one meaning at most, the weightiest.
pub fn proposals(house: &House) -> Vec<MeaningProposal> {
    let single = house.items().filter(|item| is_single(item));
    single.filter_map(|item| proposal(house, item)).collect()
}

fn proposal(house: &House, item: &Item) -> Option<MeaningProposal> {
    let kind = item.kind.written();
    let fitting = || {
        let all = ItemMeaning::ALL.into_iter().filter_map(|meaning| Some((meaning, MARKS.get(&meaning)?)));
        all.filter(|(_, marks)| marks.kinds.contains(&kind))
    };
    let thing = item.equipment.as_ref().and_then(|name| house.item(name));
    let is_set = item.semantics.as_ref().is_some_and(|s| s.class.is("Setpoint") || s.class.is("Control"));
    if is_set && !matches!(item.kind, ItemKind::Switch) {
        return None;
    }
    let by_class = |(_, marks): &(ItemMeaning, &MeaningMarks)| {
        let of = |item: &Item| {
            item.semantics.as_ref().is_some_and(|semantics| {
                let mut classes = std::iter::once(&semantics.class).chain(&semantics.property);
                classes.any(|class| marks.classes.iter().any(|name| class.is(name)))
            })
        };
        of(item) || thing.is_some_and(of)
    };
    let by_category = |(_, marks): &(ItemMeaning, &MeaningMarks)| {
        item.category.as_ref().is_some_and(|category| marks.categories.contains(category))
    };
    let said = words(item);
    let by_word =
        |(_, marks): &(ItemMeaning, &MeaningMarks)| said.iter().any(|word| marks.words.contains(word));
    let found = fitting()
        .find(by_class)
        .map(|(meaning, _)| (meaning, MeaningSign::Class))
        .or_else(|| fitting().find(by_category).map(|(meaning, _)| (meaning, MeaningSign::Category)))
        .or_else(|| {
            let word = || fitting().find(by_word).map(|(meaning, _)| (meaning, MeaningSign::Word));
            item.semantics.is_none().then(word).flatten()
        });
    found.map(|(meaning, sign)| MeaningProposal { item: item.name.clone(), meaning, sign })
}

#[cfg(test)]
mod tests {
    use super::super::{HouseRules, Semantics, TagVocabulary, semantics::SemanticClass};
    use super::*;

    fn item(name: &str, kind: &str) -> Item {
        Item::named(name, ItemKind::named(kind))
    }

    fn with_class(name: &str, kind: &str, class: &str, property: Option<&str>) -> Item {
        let semantics = Semantics {
            class: SemanticClass::read(class).unwrap(),
            property: property.and_then(SemanticClass::read),
            has_location: None,
            is_point_of: None,
            is_part_of: None,
        };
        Item { semantics: Some(semantics), ..item(name, kind) }
    }

    fn house(items: Vec<Item>) -> House {
        House::new(items, &TagVocabulary::default(), &HouseRules::default())
    }

    #[test]
    fn a_group_gives_its_members_a_meaning_and_an_item_of_its_own_name_goes_before() {
        let group = Item { kind: ItemKind::Group { of: None, function: None }, ..item("gDoors", "Group") };
        let in_group = |name: &str| Item { groups: vec!["gDoors".into()], ..item(name, "Contact") };
        let house = house(vec![group, in_group("Front"), in_group("Glass"), item("Other", "Switch")]);
        let config = MeaningConfig {
            door: vec!["gDoors".into()],
            intrusion: vec!["Glass".into(), "Gone".into()],
            ..MeaningConfig::default()
        };
        let meanings = config.meanings(&house);
        assert_eq!(
            meanings.into_iter().collect::<Vec<_>>(),
            [("Front".to_owned(), ItemMeaning::Door), ("Glass".to_owned(), ItemMeaning::Intrusion)]
        );
        assert_eq!(config.unknown(&house), ["Gone"]);
    }

    #[test]
    fn people_are_those_of_the_configuration_else_the_likely_ones_and_persons() {
        let house = house(vec![
            item("Anna_Home", "Switch"),
            item("Ben", "Switch"),
            item("person.charlotte", "String"),
            item("Lamp", "Switch"),
        ]);
        let people = |presence: &[&str]| {
            let presence = presence.iter().map(|name| (*name).to_owned()).collect();
            house.people(&MeaningConfig { presence, ..MeaningConfig::default() })
        };
        assert_eq!(people(&[]), ["Anna_Home", "person.charlotte"]);
        assert_eq!(people(&["Ben"]), ["Ben", "person.charlotte"]);
    }

    #[test]
    fn proposals_come_of_class_icon_and_words_and_only_for_types_that_fit() {
        let house = house(vec![
            with_class("A", "Switch", "Equipment_Sensor_SmokeDetector", None),
            with_class("B", "Number:Temperature", "Point_Measurement", Some("Property_Temperature")),
            with_class("C", "Number:Temperature", "Point_Setpoint", Some("Property_Temperature")),
            Item { category: Some("door".into()), ..item("D", "Contact") },
            item("Kitchen_Window", "Contact"),
            item("Smoke_Text", "String"),
            item("Rauchmelder_Flur", "Switch"),
            item("Lamp", "Switch"),
        ]);
        let found: Vec<_> =
            proposals(&house).into_iter().map(|p| (p.item, p.meaning.key(), p.sign)).collect();
        let expected = [
            ("A", "smoke", MeaningSign::Class),
            ("B", "temperature", MeaningSign::Class),
            ("D", "door", MeaningSign::Category),
            ("Kitchen_Window", "door", MeaningSign::Word),
            ("Rauchmelder_Flur", "smoke", MeaningSign::Word),
        ];
        assert_eq!(found, expected.map(|(item, key, sign)| (item.to_owned(), key, sign)));
        assert_eq!(MARKS.len(), ItemMeaning::ALL.len(), "every meaning has its marks");
    }
}
