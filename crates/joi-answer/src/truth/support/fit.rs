//! Whether the calls of a claimed deed were made with what the claim says: its things, its list, its time, its numbers.

use joi_language::ObjectFamily;
use joi_language::WordPattern;
use joi_language::values::ValueKind;
use joi_language::values::When;
use joi_language::words_of;
use joi_understand::intents;
use joi_understand::text::alike;

use super::super::DoneCall;
use super::super::claim::Claim;
use super::super::turn::families;
use super::{Support, given, record_of};

/// Most words of a time.
const LONGEST_TIME: usize = 8;

impl Support<'_> {
    /// Returns whether the calls were made with what the claim says.
    pub(super) fn fits(&self, claim: &Claim, calls: &[&DoneCall]) -> bool {
        let words = self.judge.words;
        let given = calls.iter().map(|call| given(call)).collect::<Vec<_>>().join(" ");
        let is_all = words.turn.all.is_match(&claim.clause) && !words.turn.not_all.is_match(&claim.clause);
        let is_sweep = calls.len() > 1
            || calls.iter().any(|call| words.support.sweeps.contains(&call.deed))
            || calls.iter().flat_map(|call| &call.values).any(|value| words.joints.is_match(&value.text))
            || words.turn.all.is_match(&given);
        let clash = |one: &WordPattern, other: &WordPattern| {
            one.is_match(&claim.clause) && other.is_match(&given) && !one.is_match(&given)
        };
        let clashes =
            words.support.opposites.iter().any(|(one, other)| clash(one, other) || clash(other, one));
        (is_sweep || !is_all)
            && !clashes
            && self.is_of_kind(claim, calls)
            && self.is_of_whole(claim, calls)
            && self.is_of_list(claim, calls)
            && self.is_at_time(claim, calls)
            && match calls.iter().any(|call| self.is_known(call)) {
                true => self.has_things(claim, calls, &given),
                false => self.has_several(claim, calls) && self.has_numbers(claim, calls, &given),
            }
    }

    /// Of several things each is named by a call; of one, how it is called may differ.
    fn has_several(&self, claim: &Claim, calls: &[&DoneCall]) -> bool {
        let said = words_of(&claim.object);
        let is_several =
            said.iter().any(|word| self.judge.words.and.contains(word)) || claim.object.contains(',');
        let all = calls.iter().map(|call| record_of(call)).collect::<Vec<_>>().join(" ");
        let names = self.things(&claim.object);
        let mut names = names.iter().filter(|name| families(self.judge.words, name).is_empty());
        !is_several || names.all(|name| self.is_in(name, &all))
    }

    /// Returns whether a claim about all of a list rests on more than one entry of it.
    fn is_of_whole(&self, claim: &Claim, calls: &[&DoneCall]) -> bool {
        let support = &self.judge.words.support;
        let is_swept =
            |call: &&DoneCall| support.sweeps.contains(&call.deed) || support.emptied.is_match(&call.answer);
        let takes_away = self.deeds(claim).any(|deed| !deed.supports.is_disjoint(&support.sweeps));
        let ends = &self.judge.words.parts.ends;
        let object: Vec<String> =
            words_of(&claim.object).into_iter().take_while(|word| !ends.contains(word)).collect();
        let is_list = support.wholes.is_match(&object.join(" "));
        let names_entry = || {
            self.things(&claim.object)
                .iter()
                .any(|word| !support.wholes.is_match(word) && self.is_given(word, calls))
        };
        !takes_away || !is_list || calls.iter().any(is_swept) || names_entry()
    }

    fn is_given(&self, word: &str, calls: &[&DoneCall]) -> bool {
        let words = calls.iter().flat_map(|call| &call.values).filter(|value| value.kind == ValueKind::Words);
        words.into_iter().any(|value| self.is_in(word, &value.text.to_lowercase()))
    }

    /// Returns whether the choices that the claim names were made.
    fn is_of_kind(&self, claim: &Claim, calls: &[&DoneCall]) -> bool {
        let said = words_of(&claim.clause);
        let values = calls.iter().flat_map(|call| &call.values);
        let chosen: Vec<(&str, &str)> = values
            .filter_map(|value| match value.kind {
                ValueKind::Choice(argument) => Some((argument, value.text.as_str())),
                _ => None,
            })
            .collect();
        let is_chosen = |argument: &str, name: &str| {
            chosen.iter().any(|(of, value)| *of == argument && [name, "every"].contains(value))
        };
        chosen.iter().all(|(argument, _)| {
            let mut named =
                self.judge.requests.choices(argument).filter(|(_, phrases)| phrases.are_in(&said));
            named.all(|(name, _)| is_chosen(argument, name))
        })
    }

    /// Returns whether the list that the claim names is that of a call.
    fn is_of_list(&self, claim: &Claim, calls: &[&DoneCall]) -> bool {
        let values = calls.iter().flat_map(|call| &call.values).filter(|value| value.kind == ValueKind::List);
        let lists: Vec<String> = values.map(|value| value.text.to_lowercase()).collect();
        let known: Vec<_> = self.judge.language.lists().collect();
        let is_shopping = |word: &str| {
            word == "shopping" || known.iter().any(|lists| lists.shopping.iter().any(|one| one == word))
        };
        let is_notes = |word: &str| known.iter().any(|lists| lists.notes.iter().any(|one| one == word));
        let is_one = |name: &str| {
            let plain = |name: &str| name.replace('-', "");
            let is_it = |list: &String| {
                plain(name) == plain(list)
                    || self.is_in(name, list)
                    || (is_shopping(name) && is_shopping(list))
                    || (is_notes(name) && is_notes(list))
            };
            lists.iter().any(is_it)
        };
        let named = self.judge.words.support.list_name.captures(&claim.clause).and_then(|found| found.get(1));
        let function = &self.judge.requests.form.function_words;
        let is_name = |name: &&str| {
            !self.judge.words.parts.empty.contains(*name)
                && function.at_start(&[(*name).to_owned()]).is_none()
        };
        let named = named.map(|name| name.as_str()).filter(is_name);
        let notes = words_of(&claim.clause);
        let notes = notes
            .iter()
            .map(String::as_str)
            .filter(|word| is_notes(word) && !self.judge.words.done.has(word));
        // The model's name for a list that the user calls otherwise: "todo" for "Aufgabenliste".
        let asked = self.topic.asked.join(" ");
        let is_own_name = |name: &&str| {
            let all: Vec<&str> =
                self.judge.words.support.list_name.find_iter(&asked).map(|list| list.as_str()).collect();
            !is_shopping(name) && !is_notes(name) && all.len() == 1 && all[0].starts_with(*name)
        };
        let mut said = named.into_iter().chain(notes).filter(|name| !is_own_name(name));
        lists.is_empty() || claim.object.is_empty() || said.all(is_one)
    }

    /// Returns whether the time that the claim names is that of a call.
    fn is_at_time(&self, claim: &Claim, calls: &[&DoneCall]) -> bool {
        let read = |text: &str| intents::when(self.judge.language, text);
        let function = &self.judge.requests.form.function_words;
        let bare = |text: &str| {
            let mut words = words_of(text);
            words.retain(|word| function.at_start(std::slice::from_ref(word)).is_none());
            words.join(" ")
        };
        let values = calls.iter().flat_map(|call| &call.values).filter(|value| value.kind == ValueKind::When);
        let set: Vec<When> =
            values.filter_map(|value| read(&value.text).or_else(|| read(&bare(&value.text)))).collect();
        if set.is_empty() {
            return true;
        }
        let words = words_of(&claim.clause);
        let mut said: Vec<When> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let longest = (1..=LONGEST_TIME.min(words.len() - at)).rev();
            let found =
                longest.filter_map(|length| Some((length, read(&words[at..at + length].join(" "))?))).next();
            let (length, when) = found.map_or((1, None), |(length, when)| (length, Some(when)));
            said.extend(when);
            at += length;
        }
        // A time may be reported as a length, and a length as a time.
        let is_like = |one: &&When| {
            set.iter().any(|wanted| std::mem::discriminant(wanted) == std::mem::discriminant(*one))
        };
        let is_it = |one: &When| {
            set.iter().any(|wanted| match (wanted, one) {
                (When::In(wanted), When::In(said)) => wanted == said,
                (When::At(wanted), When::At(said)) => {
                    (said.clock.is_none() || wanted.may_be_at(said))
                        && (said.day_goes_without_saying() || said.clock.is_some() || wanted.is_on(said))
                }
                (When::In(_), When::At(_)) | (When::At(_), When::In(_)) => false,
            })
        };
        said.iter().filter(is_like).all(is_it)
    }

    /// Returns what a word of an object names besides one of the things that are kept: nothing in "timer", "tea" in
    /// "teatimer".
    fn own_name(&self, word: &str) -> Option<String> {
        let kept = |family: &&ObjectFamily| !family.tools.is_empty() && family.says.is_match(word);
        let Some(family) = self.judge.words.families.iter().find(kept) else { return Some(word.to_owned()) };
        let heads = family.heads.iter().filter_map(|head| word.strip_suffix(head.as_str()));
        let name = heads.min_by_key(|name| name.len())?.trim_end_matches(['s', '-']);
        (name.chars().count() > 2).then(|| name.to_owned())
    }

    /// Returns whether the calls hold the things that the claim names.
    fn has_things(&self, claim: &Claim, calls: &[&DoneCall], given: &str) -> bool {
        let is_gist = calls.iter().any(|call| call.values.iter().any(|value| value.kind == ValueKind::Gist));
        let has_names =
            calls.iter().any(|call| call.values.iter().any(|value| value.kind == ValueKind::Words));
        let things: Vec<String> =
            self.things(&claim.object).iter().filter_map(|word| self.own_name(word)).collect();
        // Where the calls have no names, what the user called it goes.
        let goes_by_asked = !has_names && !self.families(claim).is_empty();
        let is_asked = |word: &String| self.topic.asked.iter().any(|one| alike(one, word));
        let is_there = |word: &String| {
            // The rest of a compound is short.
            let begins = |one: &String| self.judge.requests.form.verbs_last && one.starts_with(word.as_str());
            let is_given = self.is_in(word, given) || words_of(given).iter().any(begins);
            is_given || (goes_by_asked && (is_asked(word) || self.topic.asked.iter().any(begins)))
        };
        let mut names = things.iter().peekable();
        let fits = match is_gist {
            true => names.peek().is_none() || names.any(is_there),
            false => names.all(is_there),
        };
        let asked_too = |word: &&String| self.topic.wanted.iter().any(|one| alike(one, word));
        fits && self.things(&claim.behind).iter().filter(asked_too).all(|word| self.is_in(word, given))
            && self.has_numbers(claim, calls, given)
    }

    /// Numbers that are named are in the calls, where these have any; times are looked at apart.
    fn has_numbers(&self, claim: &Claim, calls: &[&DoneCall], given: &str) -> bool {
        let values = || calls.iter().flat_map(|call| &call.values);
        let is_measured = values().any(|value| {
            matches!(value.kind, ValueKind::Percent | ValueKind::Numbers) || value.text.parse::<f64>().is_ok()
        });
        let has_time = values().any(|value| value.kind == ValueKind::When);
        let numbers = &self.judge.language.grammar().numbers;
        !is_measured
            || has_time
            || words_of(&claim.clause)
                .iter()
                .filter(|word| numbers.counts(word))
                .all(|word| self.is_in(word, given))
    }
}
