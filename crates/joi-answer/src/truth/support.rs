//! Whether a claim is about the user's things, and whether a call of the turn supports it.
//!
//! In: a claim, what the turn is about, the calls that succeeded. Out: yes or no. A call supports a claim of its own
//! deed with its own values; one of a tool that no language has words for only what its own words name. A call that
//! only read supports how things are, and no deed.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;

use joi_language::words_of;
use joi_language::{ClaimForm, ClaimedDeed, ObjectFamily};
use joi_understand::text::alike;
use joi_understand::wish::found_in;

use super::claim::Claim;
use super::turn::{TurnAim, TurnTopic, families};
use super::{ClaimJudge, DoneCall};

mod about;
mod call;
mod fit;

/// Letters of a word that is like no other.
const SHORT: usize = 2;
/// Letters of the shortest part of a compound.
const PART: usize = 4;

/// The evidence against which a claim is checked.
pub(super) struct Support<'a> {
    pub(super) judge: ClaimJudge<'a>,
    pub(super) topic: &'a TurnTopic<'a>,
}

impl Support<'_> {
    /// Returns whether a call supports it.
    pub(super) fn holds(&self, claim: &Claim) -> bool {
        let done = self.judge.evidence.done;
        if claim.form == ClaimForm::Settled {
            return done.iter().any(|call| call.has_changed || self.topic.aim != TurnAim::Deed);
        }
        if done.iter().any(|call| !call.has_changed && self.was_read(claim, call)) {
            return true;
        }
        let agrees = |call: &DoneCall| self.is_known(call) || self.agrees_with_answer(claim, call);
        let is_it = |call: &&DoneCall| call.has_changed && self.is_of_call(claim, call) && agrees(call);
        let fitting: Vec<&DoneCall> = done.iter().filter(is_it).collect();
        !fitting.is_empty() && self.fits(claim, &fitting)
    }

    fn deeds<'s>(&'s self, claim: &'s Claim) -> impl Iterator<Item = &'s ClaimedDeed> {
        claim.deeds.iter().filter_map(|at| self.judge.words.deeds.get(*at))
    }

    fn families(&self, claim: &Claim) -> BTreeSet<&str> {
        families(self.judge.words, &claim.clause)
    }

    fn family(&self, name: &str) -> Option<&ObjectFamily> {
        self.judge.words.families.iter().find(|family| family.name == name)
    }

    /// Returns whether everything of this turn was fetched from elsewhere.
    fn has_only_fetched(&self) -> bool {
        let done = self.judge.evidence.done;
        !done.is_empty() && !done.iter().any(|call| call.has_changed || self.is_own(call))
    }

    /// Returns whether there are words for its tool.
    fn is_known(&self, call: &DoneCall) -> bool {
        self.judge.words.families.iter().any(|family| family.tools.contains(&call.tool))
    }

    /// Returns whether a call is about what is kept for the user.
    fn is_own(&self, call: &DoneCall) -> bool {
        let own = ["list", "timers", "memory"];
        own.iter().filter_map(|name| self.family(name)).any(|family| family.tools.contains(&call.tool))
    }

    fn names_family(&self, text: &str) -> bool {
        !families(self.judge.words, text).is_empty()
    }

    /// Returns whether `text` speaks of a family that the user spoke of.
    fn is_topical(&self, text: &str) -> bool {
        families(self.judge.words, text).iter().any(|family| self.topic.families.contains(family))
    }

    /// Returns whether it names something that was to be done, or was asked about.
    fn shares(&self, text: &str) -> bool {
        let of_asked = match self.topic.aim {
            TurnAim::Own | TurnAim::Nothing => &self.topic.asked,
            TurnAim::Deed | TurnAim::Words => &self.topic.wanted,
        };
        let wanted: Vec<String> = of_asked.iter().filter(|word| self.is_meaningful(word)).cloned().collect();
        let is_one = |word: &String| wanted.iter().any(|one| alike(word, one) || self.in_compound(word, one));
        words_of(text).iter().filter(|word| self.is_meaningful(word)).any(is_one)
    }

    /// Returns whether a word says what is meant.
    pub(super) fn is_meaningful(&self, word: &str) -> bool {
        if word.contains('-') {
            return word.split('-').any(|part| self.is_meaningful(part));
        }
        let parts = &self.judge.words.parts;
        let grammar = self.judge.language.grammar();
        let is_time = || {
            ["part", "day", "days", "month"]
                .iter()
                .filter_map(|name| grammar.lexicons.get(*name))
                .any(|lexicon| lexicon.phrases.iter().any(|(phrase, _)| phrase.iter().any(|one| one == word)))
        };
        let function = &self.judge.requests.form.function_words;
        word.chars().count() > 1
            && !parts.empty.contains(word)
            && !parts.adverbs.is_match(word)
            && function.at_start(&[word.to_owned()]).is_none()
            && !grammar.numbers.knows(word)
            && !word.starts_with(|c: char| c.is_ascii_digit())
            && !is_time()
    }

    /// Returns the words of the things that `object` names: up to where another part of the clause begins.
    fn things(&self, object: &str) -> Vec<String> {
        let ends = &self.judge.words.parts.ends;
        let words =
            words_of(object).into_iter().skip_while(|word| self.judge.words.parts.particles.contains(word));
        let mut is_named = false;
        let mut goes_on = |word: &String| {
            let kept = |family: &ObjectFamily| !family.tools.is_empty() && family.says.is_match(word);
            let is_kept = self.judge.words.families.iter().any(kept);
            // Behind the list stands what became of it.
            let ends = ends.contains(word) || (is_named && !is_kept && self.is_meaningful(word));
            is_named |= is_kept;
            !ends
        };
        words.take_while(|word| goes_on(word)).filter(|word| self.is_meaningful(word)).collect()
    }

    fn is_in(&self, word: &str, given: &str) -> bool {
        // A short name is like too many words.
        if word.chars().count() <= SHORT && !word.starts_with(|c: char| c.is_ascii_digit()) {
            return words_of(given).iter().any(|one| one == word);
        }
        found_in(self.judge.language, self.judge.requests, given.to_owned(), word)
            || words_of(given).iter().any(|one| alike(one, word) || self.in_compound(word, one))
    }

    /// Returns whether one is a part of the other, in a language with compounds.
    pub(super) fn in_compound(&self, word: &str, other: &str) -> bool {
        let is_part = |whole: &str, part: &str| part.chars().count() >= PART && whole.contains(part);
        self.judge.requests.form.verbs_last && (is_part(other, word) || is_part(word, other))
    }
}

/// Returns all words of a call, and of its answer.
fn record_of(call: &DoneCall) -> String {
    format!("{} {}", given(call), call.answer)
}

/// Returns all words of a call.
fn given(call: &DoneCall) -> String {
    let values = call.values.iter().map(|value| match value.text.contains(' ') {
        true => value.text.to_lowercase(),
        // "light.living_room"
        false if value.text.contains(char::is_alphabetic) => {
            value.text.replace(['_', '.', '-'], " ").to_lowercase()
        }
        false => value.text.clone(),
    });
    values.chain(call.words.iter().cloned()).collect::<Vec<_>>().join(" ")
}
