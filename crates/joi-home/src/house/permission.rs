//! The permission of an item for commands by voice: the server's `voiceSystem` permissions, resolved as it resolves them.
//!
//! The server does not enforce them on its REST interface; joi does, in [`super::House::order`] and in its answers.
//! Resolution: the item's own; else its groups, layer by layer, the most restrictive of the first layer that has any;
//! else the default of the configuration.
//! Pure: no I/O, no clock.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::item::Item;

/// The permission of an item for voice, from nothing to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Hidden: not named, not read, not commanded.
    NoAccess,
    /// Can be asked for, not commanded.
    ReadOnly,
    /// Everything.
    #[default]
    ReadWrite,
}

/// The owner's rules about items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HouseRules {
    /// The default for items without a permission of their own or of a group.
    pub default_permission: Permission,
    /// Items that are confirmed first though nothing about them says so.
    pub ask_first: Vec<String>,
    /// Items that are never confirmed though they are locks, doors, valves or alarms.
    pub act_freely: Vec<String>,
}

impl Permission {
    /// The exact words of the server; anything else counts as absent.
    pub(super) fn read(value: &str) -> Option<Self> {
        match value {
            "NO_ACCESS" => Some(Self::NoAccess),
            "READ_ONLY" => Some(Self::ReadOnly),
            "READ_WRITE" => Some(Self::ReadWrite),
            _ => None,
        }
    }

    /// As in the configuration and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoAccess => "no access",
            Self::ReadOnly => "read only",
            Self::ReadWrite => "read, write",
        }
    }
}

/// Sets every item's permission.
pub(super) fn resolve(items: &mut BTreeMap<String, Item>, rules: &HouseRules) {
    let resolved: Vec<_> =
        items.values().map(|item| effective(item, items, rules.default_permission)).collect();
    for (item, permission) in items.values_mut().zip(resolved) {
        item.permission = permission;
    }
}

fn effective(item: &Item, items: &BTreeMap<String, Item>, default: Permission) -> Permission {
    if let Some(own) = item.own_permission {
        return own;
    }
    let mut seen: HashSet<&str> = HashSet::from([item.name.as_str()]);
    let mut layer: Vec<&Item> = vec![item];
    loop {
        let mut above: Vec<&Item> = Vec::new();
        for name in layer.iter().flat_map(|item| &item.groups) {
            if let Some(group) = items.get(name).filter(|group| seen.insert(&group.name)) {
                above.push(group);
            }
        }
        if above.is_empty() {
            return default;
        }
        if let Some(strictest) = above.iter().filter_map(|group| group.own_permission).min() {
            return strictest;
        }
        layer = above;
    }
}
