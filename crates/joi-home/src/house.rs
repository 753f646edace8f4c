//! The house as one immutable snapshot: items with their states, locations, equipment, permissions.
//!
//! Where to begin, when an utterance has to become a command:
//!
//! 1. Candidates: [`House::items`], [`House::equipment`], [`House::locations`]; each has `names()`: its label without a
//!    format, its synonyms, and for locations the words of the vocabulary ("kitchen", "Küche").
//! 2. Narrow by room: [`House::is_within`] (a kitchen lies on the ground floor), by class: [`SemanticClass::is`].
//! 3. Act: build an [`ItemCommand`] and pass it through [`House::order`], which checks permission, type and range and
//!    answers with the text for the server, with what must be asked first ([`Caution`]), or why not ([`Refused`]).
//!
//! A snapshot never changes; a newer one has a greater [`HouseRevision`]. `layout` counts names, rooms and permissions
//! (rebuild indexes and prompts when it differs), `states` counts states.
//! Pure: no I/O, no clock.

mod caution;
mod command;
mod find;
mod item;
mod kind;
mod location;
pub mod meaning;
mod names;
mod permission;
pub mod read;
mod semantics;
pub(super) mod state;
#[cfg(test)]
mod tests;
pub mod typed;
pub(super) mod unit;
pub(super) mod words;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

pub use caution::{Caution, CautionCause, is_called_as_door};
pub use command::{ItemCommand, Ordered, Refused};
pub use find::FoundItem;
pub use item::{Item, ItemKind, ItemOption, ValueRange};
pub use location::{Equipment, Location};
pub use meaning::{ItemMeaning, MeaningConfig, MeaningProposal, MeaningSign};
pub use permission::{HouseRules, Permission};
pub use read::{TagVocabulary, UnreadItem};
pub use semantics::{SemanticClass, Semantics};
pub use state::{ItemState, StateValue};

/// The revision of a snapshot. Both numbers only grow as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct HouseRevision {
    /// Grows when items, names, rooms or permissions differ.
    pub layout: u64,
    /// Grows when any state differs, and with `layout`.
    pub states: u64,
}

/// An immutable snapshot of the house as the server describes it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct House {
    revision: HouseRevision,
    items: Arc<[Arc<Item>]>,
    layout: Arc<Layout>,
}

/// The parts that do not change with a state.
#[derive(Debug, Default)]
struct Layout {
    index: HashMap<String, usize>,
    locations: Vec<Location>,
    equipment: Vec<Equipment>,
}

impl House {
    /// Builds a house of `items`: derives rooms, equipment, permissions and cautions. Items keep the order of
    /// their names; of two with one name the later counts.
    pub fn new(items: Vec<Item>, vocabulary: &TagVocabulary, rules: &HouseRules) -> Self {
        let mut by_name: std::collections::BTreeMap<String, Item> =
            items.into_iter().map(|item| (item.name.clone(), item)).collect();
        let mut locations = location::locations(&by_name, vocabulary);
        location::place(&mut by_name, &locations);
        let mut equipment = location::equipment(&by_name, vocabulary);
        permission::resolve(&mut by_name, rules);
        caution::resolve(&mut by_name, rules);
        by_name.values_mut().for_each(Item::cut_names);
        locations.iter_mut().for_each(|room| names::cut_all(&mut room.label, &mut room.synonyms));
        equipment.iter_mut().for_each(|thing| names::cut_all(&mut thing.label, &mut thing.synonyms));
        let items: Arc<[_]> = by_name.into_values().map(Arc::new).collect();
        let index = items.iter().enumerate().map(|(at, item)| (item.name.clone(), at)).collect();
        let layout = Arc::new(Layout { index, locations, equipment });
        Self { revision: HouseRevision { layout: 1, states: 1 }, items, layout }
    }

    /// Makes the house the successor of `before`: revisions grow where something differs.
    #[must_use]
    pub fn following(mut self, before: &House) -> Self {
        let same_layout = self.items.len() == before.items.len()
            && self.layout.locations == before.layout.locations
            && self.layout.equipment == before.layout.equipment
            && self.items.iter().zip(before.items.iter()).all(|(now, then)| now.is_described_as(then));
        let same_states = same_layout
            && self.items.iter().zip(before.items.iter()).all(|(now, then)| now.state == then.state);
        let old = before.revision;
        self.revision = HouseRevision {
            layout: old.layout + u64::from(!same_layout),
            states: old.states + u64::from(!same_states),
        };
        self
    }

    /// Returns the house with these states, named by item; unknown names are ignored. The revision is kept when none differs.
    #[must_use]
    pub fn with_states<'a>(&self, states: impl IntoIterator<Item = (&'a str, ItemState)>) -> Self {
        let mut changed: HashMap<usize, ItemState> = HashMap::new();
        for (name, state) in states {
            if let Some(&at) = self.layout.index.get(name) {
                changed.insert(at, state);
            }
        }
        changed.retain(|at, state| self.items[*at].state != *state);
        if changed.is_empty() {
            return self.clone();
        }
        let mut items = self.items.to_vec();
        for (at, state) in changed {
            items[at] = Arc::new(Item { state, ..Item::clone(&self.items[at]) });
        }
        let revision = HouseRevision { states: self.revision.states + 1, ..self.revision };
        Self { revision, items: items.into(), layout: Arc::clone(&self.layout) }
    }

    /// Returns the house with every state unknown, for a lost connection: stale states are never shown.
    #[must_use]
    pub fn without_states(&self) -> Self {
        self.with_states(self.items.iter().map(|item| (item.name.as_str(), ItemState::unknown())))
    }

    /// Returns the revision of this snapshot.
    pub fn revision(&self) -> HouseRevision {
        self.revision
    }

    /// Returns all items in the order of their names, hidden ones included: see [`Item::permission`].
    pub fn items(&self) -> impl ExactSizeIterator<Item = &Item> {
        self.items.iter().map(|item| &**item)
    }

    /// Items that may be named and read.
    pub fn readable(&self) -> impl Iterator<Item = &Item> {
        self.items().filter(|item| item.permission >= Permission::ReadOnly)
    }

    /// The item called exactly so on the server.
    pub fn item(&self, name: &str) -> Option<&Item> {
        self.layout.index.get(name).map(|&at| &*self.items[at])
    }

    /// Whether nothing was read yet, or the server has no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether any item has a place in the semantic model. Without one there are no rooms, and items go by label.
    pub fn has_semantics(&self) -> bool {
        self.items.iter().any(|item| item.semantics.is_some())
    }

    /// Buildings, floors, rooms, gardens; parents before their children.
    pub fn locations(&self) -> &[Location] {
        &self.layout.locations
    }

    /// The location whose item is called so.
    pub fn location(&self, item: &str) -> Option<&Location> {
        self.layout.locations.iter().find(|location| location.item == item)
    }

    /// Lamps, thermostats, doors: things with points, also those of a single item.
    pub fn equipment(&self) -> &[Equipment] {
        &self.layout.equipment
    }

    /// The equipment whose item is called so.
    pub fn equipment_named(&self, item: &str) -> Option<&Equipment> {
        self.layout.equipment.iter().find(|equipment| equipment.item == item)
    }

    /// `item`'s location and those around it, innermost first: kitchen, ground floor, house.
    pub fn locations_of<'a>(&'a self, item: &Item) -> impl Iterator<Item = &'a Location> + use<'a> {
        let mut seen = HashSet::new();
        let first = item.location.as_deref().and_then(|name| self.location(name));
        std::iter::successors(first, |inner| inner.parent.as_deref().and_then(|name| self.location(name)))
            .take_while(move |location| seen.insert(location.item.as_str()))
    }

    /// Whether `item` lies in the location of that item name, directly or deeper.
    pub fn is_within(&self, item: &Item, location: &str) -> bool {
        self.locations_of(item).any(|around| around.item == location)
    }

    /// All items that are members of the group, through groups within it, each once, without the groups. A cycle of
    /// groups ends.
    pub fn members<'a>(&'a self, group: &str) -> Vec<&'a Item> {
        let mut open = VecDeque::from([group]);
        let mut seen: HashSet<&str> = HashSet::new();
        let mut found = Vec::new();
        while let Some(group) = open.pop_front() {
            for item in self.items().filter(|item| item.groups.iter().any(|name| name == group)) {
                if !seen.insert(&item.name) {
                    continue;
                }
                match item.kind {
                    ItemKind::Group { .. } => open.push_back(&item.name),
                    _ => found.push(item),
                }
            }
        }
        found
    }

    /// Checks a command to the item called `name`: it exists, may be commanded, takes this type of command, and the value
    /// lies in its range. Pure; nothing is sent.
    pub fn order(&self, name: &str, command: &ItemCommand) -> Result<Ordered, Refused> {
        let item = self.item(name).ok_or_else(|| Refused::Unknown { item: name.to_owned() })?;
        match item.permission {
            Permission::NoAccess => return Err(Refused::Unknown { item: name.to_owned() }),
            Permission::ReadOnly => return Err(Refused::NotPermitted { item: item.name.clone() }),
            Permission::ReadWrite => {}
        }
        if matches!(item.kind, ItemKind::Group { .. }) {
            let members = self.members(name);
            let commanded = || members.iter().filter(|member| member.kind.takes_commands());
            if let Some(shut) = commanded().find(|member| member.permission < Permission::ReadWrite) {
                // Hidden items are not named either.
                let named = if shut.permission == Permission::NoAccess { item } else { shut };
                return Err(Refused::NotPermitted { item: named.name.clone() });
            }
            if let Some(shut) = commanded().find(|member| member.is_read_only) {
                return Err(Refused::ReadOnly { item: shut.name.clone() });
            }
        }
        let text = command.text_for(item)?;
        let caution = item.caution_of(&text);
        Ok(Ordered { item: item.name.clone(), text, caution })
    }
}
