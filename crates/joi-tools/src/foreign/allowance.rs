//! What the owner allows of a tool, and what a call of it does, as far as its program's claims make that stricter.
//!
//! Any thread. In: the owner's lists, the program's claims, whether the description is the one that the owner has
//! seen. Out: a permission and an effect for the gate, which decides. Pure: no I/O, no clock.

use crate::Effect;
use crate::permission::ToolPermission;

/// The claims of a program about a tool; nothing where it makes none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Claims {
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

/// What the owner allows of a program's tools, by their names as the program has them, in which `*` stands for any signs.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolAllowance<'a> {
    /// Tools that may be called without asking.
    pub allow: &'a [String],
    /// Tools that are asked about before each call.
    pub confirm: &'a [String],
    /// Tools that are never called.
    pub deny: &'a [String],
    /// Whether tools that the program calls read-only may be called without asking.
    pub trusted: bool,
}

impl ToolAllowance<'_> {
    /// Returns what the owner allows. The strictest of the lists counts; a tool in none of them is asked about, unless its
    /// program is trusted and calls it read-only.
    pub(super) fn permission(self, tool: &str, claims: Claims, seen: Approval) -> ToolPermission {
        let is_in = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, tool));
        if is_in(self.deny) {
            return ToolPermission::Deny;
        }
        let is_free = is_in(self.allow) || self.trusted && claims.read_only == Some(true);
        let is_asked = is_in(self.confirm) || seen == Approval::Changed;
        if is_free && !is_asked { ToolPermission::Allow } else { ToolPermission::Confirm }
    }
}

impl Claims {
    /// Returns the effect of a call: it brings in a stranger's words, and changes something where the program says so.
    pub(super) fn effect(self) -> Effect {
        match (self.read_only, self.destructive) {
            (Some(false), _) | (None, Some(true)) => Effect::Changes,
            (Some(true) | None, _) => Effect::Fetches,
        }
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
    fn claims_of_a_program_only_make_it_stricter() {
        use ToolPermission::{Allow, Confirm, Deny};
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (allow, confirm, deny) = (list(&["get_*"]), list(&["get_secret"]), list(&["*_all"]));
        let listed = ToolAllowance { allow: &allow, confirm: &confirm, deny: &deny, trusted: false };
        let trusted = ToolAllowance { trusted: true, ..ToolAllowance::default() };
        let read = Claims { read_only: Some(true), destructive: None };
        let none = Claims::default();
        for (allowance, tool, claims, seen, expected) in [
            (listed, "get_time", none, Approval::Same, Allow),
            (listed, "get_time", none, Approval::Changed, Confirm),
            (listed, "get_secret", read, Approval::Same, Confirm),
            (listed, "get_all", read, Approval::Same, Deny),
            (listed, "read", read, Approval::Same, Confirm),
            (trusted, "read", read, Approval::Same, Allow),
            (trusted, "read", read, Approval::Changed, Confirm),
            (trusted, "read", none, Approval::Same, Confirm),
        ] {
            assert_eq!(allowance.permission(tool, claims, seen), expected, "{tool} {claims:?} {seen:?}");
        }
        let claims = |read_only, destructive| Claims { read_only, destructive }.effect();
        assert_eq!(claims(None, None), Effect::Fetches);
        assert_eq!(claims(Some(true), Some(true)), Effect::Fetches);
        assert_eq!((claims(Some(false), None), claims(None, Some(true))), (Effect::Changes, Effect::Changes));
    }
}
