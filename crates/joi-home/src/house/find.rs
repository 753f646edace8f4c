//! Items by the words that name them: labels, synonyms, rooms, the server's names.
//!
//! For whoever has a few written words and no language to read them by: a model that calls a tool. In: words. Out: the
//! items that fit best, or the one that is meant. Items that may not be spoken of are never found.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;

use super::{House, Item};

/// Fewest letters by which the beginning of a word is known.
const STEM: usize = 4;

/// The result of a search by words.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundItem<'a> {
    /// Exactly this item.
    One(&'a Item),
    /// Several candidates, the best first.
    Several(Vec<&'a Item>),
    /// No item.
    Nothing,
}

impl House {
    /// Returns the items that match `words`, in the order of their names: those with the most of the words known in the
    /// house at all. Without any words, all that may be read.
    pub fn matching(&self, words: &str) -> Vec<&Item> {
        let said = terms(words);
        if said.is_empty() {
            return self.readable().collect();
        }
        let held = |item: &Item| {
            let own = self.terms_of(item);
            said.iter().filter(|word| own.iter().any(|term| is_same(term, word))).count()
        };
        let counted: Vec<(usize, &Item)> = self.readable().map(|item| (held(item), item)).collect();
        let most = counted.iter().map(|(count, _)| *count).max().unwrap_or_default();
        counted.into_iter().filter(|(count, _)| most > 0 && *count == most).map(|(_, item)| item).collect()
    }

    /// Finds the item called `name`: by the server's name, by its label, or by words that fit no other as well.
    pub fn meant(&self, name: &str) -> FoundItem<'_> {
        let name = name.trim();
        if let Some(item) = self.readable().find(|item| item.name == name) {
            return FoundItem::One(item);
        }
        if terms(name).is_empty() {
            return FoundItem::Nothing;
        }
        let lower = name.to_lowercase();
        let called: Vec<&Item> =
            self.readable().filter(|item| item.names().any(|own| own.to_lowercase() == lower)).collect();
        let found = if called.is_empty() { self.matching(name) } else { called };
        match found[..] {
            [] => FoundItem::Nothing,
            [one] => FoundItem::One(one),
            _ => FoundItem::Several(found),
        }
    }

    /// Returns every word that an item is known by.
    fn terms_of(&self, item: &Item) -> BTreeSet<String> {
        let equipment = item.equipment.as_deref().and_then(|name| self.equipment_named(name));
        let names = item.names().chain(equipment.into_iter().flat_map(|equipment| equipment.names()));
        let mut all: BTreeSet<String> = names.flat_map(terms).collect();
        all.extend(terms(&item.name));
        for location in self.locations_of(item) {
            all.extend(
                location.names().chain(location.class_names.iter().map(String::as_str)).flat_map(terms),
            );
        }
        all
    }
}

/// The words of a text, lower case.
fn terms(text: &str) -> Vec<String> {
    let parts = text.split(|sign: char| !sign.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Whether two words are the same but for an ending.
fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short == long || short.chars().count() >= STEM && long.starts_with(short) && long.len() - short.len() <= 2
}

#[cfg(test)]
mod tests {
    use super::super::{HouseRules, ItemKind, Permission, TagVocabulary};
    use super::*;

    fn house() -> House {
        let item = |name: &str, label: &str| Item {
            label: Some(label.into()),
            ..Item::named(name, ItemKind::Switch)
        };
        let mut hidden = item("Safe", "Kitchen safe");
        hidden.own_permission = Some(Permission::NoAccess);
        let items = vec![
            item("Kitchen_Light", "Kitchen light"),
            item("Kitchen_Fan", "Extractor"),
            item("Hall_Light", "Hall light"),
            hidden,
        ];
        House::new(items, &TagVocabulary::default(), &HouseRules::default())
    }

    fn names(words: &str) -> Vec<String> {
        house().matching(words).into_iter().map(|item| item.name.clone()).collect()
    }

    #[test]
    fn items_are_found_by_any_of_their_words_and_the_most_of_them_count() {
        assert_eq!(names("the lights"), ["Hall_Light", "Kitchen_Light"]);
        assert_eq!(names("light in the kitchen"), ["Kitchen_Light"]);
        assert_eq!(names("kitchen"), ["Kitchen_Fan", "Kitchen_Light"]);
        assert_eq!(names("submarine"), [] as [&str; 0]);
        assert_eq!(names("").len(), 3);
    }

    #[test]
    fn one_is_meant_by_its_name_its_label_or_words_that_fit_no_other() {
        let house = house();
        for name in ["Hall_Light", "hall light", "the hall light", "hall"] {
            assert!(matches!(house.meant(name), FoundItem::One(item) if item.name == "Hall_Light"), "{name}");
        }
        assert!(matches!(house.meant("light"), FoundItem::Several(of) if of.len() == 2));
        assert_eq!(house.meant("Safe"), FoundItem::Nothing, "what may not be spoken of is not there");
        assert_eq!(house.meant(" ?"), FoundItem::Nothing);
    }
}
