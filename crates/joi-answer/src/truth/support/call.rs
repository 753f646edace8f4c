//! Whether a call that succeeded is one of the claimed deed.
//!
//! A tool whose words are not in `truth.toml` is known by what it says of itself: its name, what points at it, and what
//! it was called with.

use std::collections::BTreeSet;

use joi_language::WordPattern;
use joi_language::words_of;
use joi_language::{ClaimForm, ClaimedDeed};

use super::super::DoneCall;
use super::super::claim::Claim;
use super::super::turn::{TurnAim, families};
use super::{Support, record_of};

impl Support<'_> {
    /// Returns whether a call that read reports it, and nothing else.
    pub(super) fn was_read(&self, claim: &Claim, call: &DoneCall) -> bool {
        let agrees = if self.is_known(call) {
            self.has_read_numbers(claim, call)
        } else {
            self.agrees_with_answer(claim, call)
        };
        agrees && self.is_of_read(claim, call)
    }

    /// Returns whether what was answered of the things that are named says no other state of them: "the lamp is on",
    /// and "lamp: OFF".
    pub(super) fn agrees_with_answer(&self, claim: &Claim, call: &DoneCall) -> bool {
        let things = self.things(&claim.object);
        let is_of_it = |piece: &&str| things.iter().any(|thing| self.is_in(thing, piece));
        let pieces: Vec<&str> = call.answer.split(['\n', ';', ',']).collect();
        let named: Vec<&str> = pieces.iter().copied().filter(is_of_it).collect();
        let read = if named.is_empty() { pieces } else { named }.join(" ");
        let clash = |one: &WordPattern, other: &WordPattern| {
            one.is_match(&claim.clause) && other.is_match(&read) && !one.is_match(&read)
        };
        !self.judge.words.support.opposites.iter().any(|(one, other)| clash(one, other) || clash(other, one))
    }

    /// Returns whether the numbers of what is reported were read, where something was to be done: "your ten minute
    /// timer is running", and "no timers".
    fn has_read_numbers(&self, claim: &Claim, call: &DoneCall) -> bool {
        let numbers = &self.judge.language.grammar().numbers;
        self.topic.aim != TurnAim::Deed
            || call.answer.is_empty()
            || words_of(&claim.clause)
                .iter()
                .filter(|word| numbers.counts(word))
                .all(|word| self.is_in(word, &call.answer))
    }

    /// Returns whether a call that read is about it.
    fn is_of_read(&self, claim: &Claim, call: &DoneCall) -> bool {
        let families = self.families(claim);
        let wants_deed = self.topic.aim == TurnAim::Deed;
        let names_deed = self.deeds(claim).any(|deed| deed.supports.contains(&call.deed));
        let is_of_family = families
            .iter()
            .filter_map(|name| self.family(name))
            .any(|family| family.tools.contains(&call.tool));
        let is_known = self.is_known(call);
        let has_things = is_of_family
            || (families.is_empty() && self.is_own(call))
            || (!is_known && self.is_grounded(claim, call));
        // A state that begins now did not hold when it was read.
        let is_fresh = wants_deed && self.judge.words.turn.fresh.is_match(&claim.clause);
        match claim.form {
            _ if is_fresh && is_of_family => false,
            ClaimForm::State | ClaimForm::Topic | ClaimForm::Fragment => has_things,
            ClaimForm::Is | ClaimForm::Was | ClaimForm::Bare => {
                has_things && (!wants_deed || self.judge.words.turn.now.is_match(&claim.clause))
            }
            _ if names_deed => {
                let is_kept = families.is_empty() || is_of_family && !families.contains("list");
                self.deeds(claim).all(|deed| deed.implies.is_none())
                    || (!wants_deed && is_kept && claim.form != ClaimForm::Will)
            }
            _ => false,
        }
    }

    /// Returns whether the call did such a deed to such a thing.
    pub(super) fn is_of_call(&self, claim: &Claim, call: &DoneCall) -> bool {
        let mut families = self.families(claim);
        let supports = |deed: &ClaimedDeed| {
            deed.supports.contains("*")
                || deed.supports.contains(&call.deed)
                || deed.supports.contains(&call.tool)
        };
        let belongs =
            |name: &&&str| self.family(name).is_some_and(|family| family.tools.contains(&call.tool));
        if self.is_known(call) {
            return (claim.deeds.is_empty() || self.deeds(claim).any(supports))
                && (families.is_empty() || families.iter().any(|name| belongs(&name)));
        }
        families.extend(self.deeds(claim).filter_map(|deed| deed.implies.as_deref()));
        !self.is_of_others(claim, &families) && self.is_grounded(claim, call)
    }

    /// Returns whether deed and things belong to tools that are known.
    fn is_of_others(&self, claim: &Claim, families: &BTreeSet<&str>) -> bool {
        let is_theirs = |name: &&str| {
            self.family(name).is_some_and(|family| {
                let does = |tool: &String| {
                    let names =
                        |known: &String| known == tool || known.split(' ').next() == Some(tool.as_str());
                    self.deeds(claim).any(|deed| deed.supports.iter().any(names))
                };
                family.tools.iter().any(does)
            })
        };
        !families.is_empty() && families.iter().all(is_theirs)
    }

    /// Returns whether the tool's own words name what it is about: its things, or where none is named, the deed or what
    /// was asked.
    fn is_grounded(&self, claim: &Claim, call: &DoneCall) -> bool {
        let given = record_of(call);
        let is_in = |word: &String| self.is_in(word, &given);
        if self.deeds(claim).all(|deed| deed.supports.is_empty()) && self.does_another(claim, call) {
            return false;
        }
        let things = self.things(&claim.object);
        let (kinds, names): (Vec<&String>, Vec<&String>) =
            things.iter().partition(|thing| !families(self.judge.words, thing).is_empty());
        if !names.is_empty() {
            // How a thing is called may differ, but not where another one may be called so.
            let mut names = names.into_iter();
            let is_exact = self.judge.words.support.exact.contains(&call.tool);
            return if is_exact { names.all(is_in) } else { names.any(is_in) };
        }
        if kinds.is_empty() && self.same_side(claim, &given) {
            return true;
        }
        let is_deed = |word: &String| *word == claim.verb || self.judge.words.done.has(word);
        let said = words_of(&claim.clause);
        let mut said = said.iter().filter(|word| self.is_meaningful(word) && !is_deed(word)).peekable();
        match said.peek() {
            Some(_) => said.any(is_in),
            // It stands for what was asked, and of several requests for that one.
            None => {
                let wants =
                    |part: &&Vec<String>| part.iter().filter(|word| self.is_meaningful(word)).any(is_in);
                let begins = |word: &String| self.judge.words.base.deeds_begun(word);
                let is_it = |part: &Vec<String>| {
                    claim.deeds.is_empty()
                        || part.iter().flat_map(begins).any(|deed| claim.deeds.contains(&deed))
                };
                let parts = &self.topic.parts;
                let mut wanted = parts.iter().filter(wants);
                if parts.len() > 1 { wanted.any(is_it) } else { wanted.next().is_some() }
            }
        }
    }

    /// Returns whether the name of the tool says that it does something else.
    fn does_another(&self, claim: &Claim, call: &DoneCall) -> bool {
        let words = self.judge.words;
        let deeds = call.words.iter().flat_map(|word| words.base.deeds(word, &[]));
        let does: Vec<usize> = deeds.filter(|at| words.deeds[*at].supports.is_empty()).collect();
        !does.is_empty() && !claim.deeds.is_empty() && !does.iter().any(|deed| claim.deeds.contains(deed))
    }

    /// Returns whether one of two opposites is in both.
    fn same_side(&self, claim: &Claim, given: &str) -> bool {
        let both = |side: &WordPattern| side.is_match(&claim.clause) && side.is_match(given);
        self.judge.words.support.opposites.iter().any(|(one, other)| both(one) || both(other))
    }
}
