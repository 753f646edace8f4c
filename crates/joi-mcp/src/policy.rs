//! What the owner allows of a tool, and what a call of it does, as far as its server's claims make that stricter.
//!
//! Any thread. In: the owner's lists, the server's annotations, whether the description is the one that the owner has
//! seen. Out: a permission and an effect for the gate, which decides. Pure: no I/O, no clock.

use joi_tools::Effect;
use joi_tools::gate::ToolPermission;

use crate::config::ServerEntry;

/// The claims of a server about a tool; nothing where it makes none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
}

/// Whether the description of a tool is the one that the owner has approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// It is, or nothing was ever approved of this tool.
    Same,
    /// It has changed since.
    Changed,
}

/// Returns what the owner allows. The strictest of the lists counts; a tool in none of them is asked about, unless its
/// server is trusted and calls it read-only.
pub fn permission(entry: &ServerEntry, tool: &str, claims: Annotations, seen: Approval) -> ToolPermission {
    let is_in = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, tool));
    if is_in(&entry.deny) {
        return ToolPermission::Deny;
    }
    let is_free = is_in(&entry.allow) || entry.trusted && claims.read_only == Some(true);
    let is_asked = is_in(&entry.confirm) || seen == Approval::Changed;
    if is_free && !is_asked { ToolPermission::Allow } else { ToolPermission::Confirm }
}

/// Returns the effect of a call: it brings in a stranger's words, and changes something where the server says so.
pub fn effect(claims: Annotations) -> Effect {
    match (claims.read_only, claims.destructive) {
        (Some(false), _) | (None, Some(true)) => Effect::Changes,
        (Some(true) | None, _) => Effect::Fetches,
    }
}

/// Returns whether `name` fits `pattern`, in which `*` stands for any signs.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_names() {
        for (pattern, name, fits) in [
            ("get_*", "get_time", true),
            ("get_*", "forget_it", false),
            ("*", "", true),
            ("*_time", "get_time", true),
            ("a*b*c", "axbyc", true),
            ("a*b*c", "acb", false),
            ("get", "get_time", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn claims_of_a_server_only_make_it_stricter() {
        use ToolPermission::{Allow, Confirm, Deny};
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let entry = ServerEntry {
            allow: list(&["get_*"]),
            confirm: list(&["get_secret"]),
            deny: list(&["*_all"]),
            ..ServerEntry::default()
        };
        let trusted = ServerEntry { trusted: true, ..ServerEntry::default() };
        let read = Annotations { read_only: Some(true), destructive: None };
        let none = Annotations::default();
        for (entry, tool, claims, seen, expected) in [
            (&entry, "get_time", none, Approval::Same, Allow),
            (&entry, "get_time", none, Approval::Changed, Confirm),
            (&entry, "get_secret", read, Approval::Same, Confirm),
            (&entry, "get_all", read, Approval::Same, Deny),
            (&entry, "read", read, Approval::Same, Confirm),
            (&trusted, "read", read, Approval::Same, Allow),
            (&trusted, "read", read, Approval::Changed, Confirm),
            (&trusted, "read", none, Approval::Same, Confirm),
        ] {
            assert_eq!(permission(entry, tool, claims, seen), expected, "{tool} {claims:?} {seen:?}");
        }
        let claims = |read_only, destructive| effect(Annotations { read_only, destructive });
        assert_eq!(claims(None, None), Effect::Fetches);
        assert_eq!(claims(Some(true), Some(true)), Effect::Fetches);
        assert_eq!((claims(Some(false), None), claims(None, Some(true))), (Effect::Changes, Effect::Changes));
    }
}
