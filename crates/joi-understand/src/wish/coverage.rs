//! Whether a call explains every word of the request for it.
//!
//! In: the clauses of an utterance, and a call. Out: the first word that neither the deed, nor a value of the call, nor
//! manners, nor a reason explains. A time is explained only by a call that carries one. What only reports something
//! beside the request says why, and is not looked at.
//! Pure: no I/O, no clock.

use std::collections::HashSet;

use super::clause::{Clause, Form};
use super::deeds::{self, DeedMatch, ThingNamed};
use super::figures::{numbers, parts};
use super::sentences::states;
use super::told::takes_all;
use crate::intents;
use crate::text::same;
use joi_language::grammar::numbers::ONE;
use joi_language::values::{CallValue, ValueKind};
use joi_language::{DeedWords, Language, RequestWords, words_of};

/// Most words of a time.
const LONGEST_TIME: usize = 9;
/// Most words of a clause in which times are looked for.
const LONGEST_CLAUSE: usize = 60;
/// Most words of whom somebody speaks to.
const LONGEST_ADDRESS: usize = 3;
/// Most digits that are spoken one by one.
const MOST_DIGITS: usize = 9;
/// Fewest letters of a particle of a verb.
const PARTICLE: usize = 2;
/// Fewest letters by which a part of a compound is known.
const PART: usize = 3;

/// What a call explains.
pub(super) struct CallCoverage<'a> {
    language: &'a Language,
    words: &'a RequestWords,
    deed: &'a DeedWords,
    name: &'a str,
    thing: ThingNamed<'a>,
    own: HashSet<&'a str>,
    values: Vec<String>,
    /// Those that are words of their own.
    named: Vec<String>,
    has_number: bool,
    has_time: bool,
    has_gist: bool,
}

impl<'a> CallCoverage<'a> {
    /// Returns what `call` explains; nothing where the language has no words for its deed.
    pub(super) fn of(
        language: &'a Language,
        words: &'a RequestWords,
        (name, values): (&'a str, &[CallValue]),
        thing: ThingNamed<'a>,
    ) -> Option<Self> {
        let deed = words.deed(name)?;
        let patterns = [&deed.verbs, &deed.alone, &deed.elliptic, &deed.ends];
        let phrases = [&deed.objects, &deed.needs];
        let own = patterns.iter().flat_map(|all| all.words());
        let own = own.chain(phrases.iter().flat_map(|all| all.words())).collect();
        let of_value =
            |text: &str| words_of(text).into_iter().flat_map(|word| parts(&word)).collect::<Vec<_>>();
        let mut texts: Vec<String> = values.iter().flat_map(|value| of_value(&value.text)).collect();
        for value in values {
            if let ValueKind::Choice(argument) = value.kind {
                let named = words.choices(argument).filter(|(name, _)| *name == value.text);
                texts.extend(named.flat_map(|(_, phrases)| phrases.words()).map(str::to_owned));
            }
        }
        let is_named = |value: &&CallValue| matches!(value.kind, ValueKind::Words | ValueKind::Gist);
        let named = values.iter().filter(is_named).flat_map(|value| of_value(&value.text)).collect();
        let is = |kinds: &[ValueKind]| values.iter().any(|value| kinds.contains(&value.kind));
        let has_time = is(&[ValueKind::When]);
        Some(Self {
            language,
            words,
            deed,
            name,
            thing,
            own,
            values: texts,
            named,
            has_number: has_time || is(&[ValueKind::Numbers, ValueKind::Percent]),
            has_time,
            has_gist: is(&[ValueKind::Gist]),
        })
    }

    /// Returns whether nothing explains a word of the request for the call.
    pub(super) fn leaves_a_word(&self, clauses: &[Clause]) -> bool {
        let of_it: Vec<&Clause> = clauses.iter().filter(|clause| self.is_of_it(clause)).collect();
        // "Put milk on the list and put tea on my notes" is asked for by two calls.
        let is_requested = |clause: &&Clause| clause.form == Form::Request;
        let has_value = |clause: &&Clause| clause.words.iter().any(|word| self.is_named(word));
        let is_one_of_several = of_it.iter().filter(|clause| is_requested(clause)).count() > 1
            && of_it.iter().any(|clause| is_requested(clause) && has_value(clause));
        let counts = |clause: &&Clause| !is_one_of_several || !is_requested(clause) || has_value(clause);
        of_it.into_iter().filter(counts).any(|clause| self.leaves_one_in(&clause.words))
    }

    /// Returns whether a word is one of what the call is done with.
    fn is_named(&self, word: &str) -> bool {
        let endings = &self.words.form.endings;
        self.named.iter().any(|name| same(name, word, endings))
    }

    /// Returns whether a clause is of the request for the call, and not one for something else.
    fn is_of_it(&self, clause: &Clause) -> bool {
        match clause.form {
            Form::Request if self.has_gist && takes_all(self.words, clause) => false,
            Form::Request => {
                let found = deeds::matched_to(self.words, clause, (self.name, self.thing));
                matches!(found, DeedMatch::Deed | DeedMatch::Verb)
            }
            Form::Open => {
                let is_no = self.words.told.retractions.at_start(&clause.words) == Some(clause.words.len());
                !is_no && !self.is_remark(&clause.words)
            }
            Form::Statement => {
                self.thing.is_some_and(|thing| deeds::is_name_and_end(self.words, clause, (self.name, thing)))
            }
            Form::Stay | Form::Question | Form::Hypothesis | Form::Reported => false,
        }
    }

    /// Returns whether words are a remark of their own that has nothing of the request: "telly's boring me to tears".
    fn is_remark(&self, said: &[String]) -> bool {
        let has_verb = said.iter().any(|word| word.contains('\''));
        let is_small =
            |word: &String| self.words.form.function_words.at_start(std::slice::from_ref(word)).is_some();
        let is_of_it = |word: &String| !is_small(word) && (self.is_value(word) || self.is_object(word));
        let says_something = has_verb || said.len() > LONGEST_ADDRESS || states(self.words, said);
        says_something && !said.iter().any(is_of_it)
    }

    fn is_object(&self, word: &str) -> bool {
        self.words.names(&self.deed.objects, std::slice::from_ref(&word.to_owned()))
    }

    /// Returns whether a remark begins at `at` without a sign in front: "turn it down the baby's asleep".
    fn begins_remark(&self, said: &[String], at: usize) -> bool {
        let is_verb = |word: &String| word.ends_with("'s") || word.ends_with("'re");
        let ends_well =
            |at: usize| said.get(at + 1).is_some_and(|next| !self.is_value(next) && !self.is_object(next));
        let form = &self.words.form;
        let is_small = |at: usize| form.function_words.at_start(&said[at..]).is_some();
        let is_behind_place = || at.checked_sub(1).is_some_and(is_small);
        let is_article = is_small(at);
        let verb = if is_article { at + 1 } else { at };
        // "My sister's phone" is no remark.
        at > 1 && !is_behind_place() && said.get(verb).is_some_and(is_verb) && ends_well(verb)
    }

    fn leaves_one_in(&self, said: &[String]) -> bool {
        let form = &self.words.form;
        let unasked = &self.words.unasked;
        let small = [
            &form.function_words,
            &form.polite,
            &form.places,
            &form.list_words,
            &unasked.manners,
            &self.words.talk.greetings,
            &self.words.talk.nods,
        ];
        let times = self.times(said);
        // Words in front of a correction are not meant any more.
        let put_right = (1..said.len()).rev().find(|at| form.corrections.at_start(&said[*at..]).is_some());
        let mut at = put_right.unwrap_or(0);
        at += form.corrections.at_start(&said[at..]).unwrap_or(0);
        at += usize::from(at == 0 && said.first().is_some_and(|first| self.is_misheard_verb(first)));
        while at < said.len() {
            let rest = &said[at..];
            let is_why = at > 0 && unasked.reasons.at_start(rest).is_some();
            // "For the guests", but not "for the weekend".
            let for_whom = unasked.purposes.at_start(rest).filter(|_| at > 1);
            let is_time = |word: &String| intents::when(self.language, word).is_some();
            let is_why = is_why
                || for_whom.is_some_and(|count| {
                    rest.get(count).is_some_and(|whom| !is_time(whom) && !self.is_number(whom))
                });
            if is_why || self.begins_remark(said, at) {
                return false;
            }
            if let Some(count) = small.iter().filter_map(|phrases| phrases.at_start(rest)).max() {
                at += count;
            } else if let Some(count) = self.number_of_words(rest) {
                at += count;
            } else if times[at] || form.clitics.contains(&said[at]) || self.explains(&said[at]) {
                at += 1;
            } else {
                return true;
            }
        }
        false
    }

    /// Returns how many words at the head are a number of a value together: "half a dozen", "four two one seven".
    fn number_of_words(&self, rest: &[String]) -> Option<usize> {
        let of_values = |found: &[u32]| {
            self.values
                .iter()
                .any(|value| numbers(self.language, self.words, value).iter().any(|of| found.contains(of)))
        };
        let phrase = |(phrase, _): (&String, &u32)| {
            let words = phrase.split(' ');
            words.clone().eq(rest.iter().take(words.clone().count())).then(|| words.count())
        };
        let joined = |count: &usize| numbers(self.language, self.words, &rest[..*count].join(" "));
        let quantity = self.words.quantities.iter().filter_map(phrase).max();
        if let Some(count) = quantity.filter(|count| *count > 1 && of_values(&joined(count))) {
            return Some(count);
        }
        let is_digit =
            |word: &String| numbers(self.language, self.words, word).iter().any(|number| *number < 10 * ONE);
        let digits = rest.iter().take(MOST_DIGITS).take_while(|word| is_digit(word)).count();
        (digits > 1 && joined(&digits).last().is_some_and(|number| of_values(&[*number]))).then_some(digits)
    }

    /// Returns whether the verb of an order for a list is heard as this word: "boot olive oil on the list".
    fn is_misheard_verb(&self, word: &str) -> bool {
        let mut heard = self.language.lists().flat_map(|words| words.ready.misheard.iter());
        self.name.starts_with("lists ") && heard.any(|(heard, _)| heard.eq_ignore_ascii_case(word))
    }

    /// Returns which words are part of a time, where the call carries one.
    fn times(&self, said: &[String]) -> Vec<bool> {
        let mut times = vec![false; said.len()];
        if !self.has_time || said.len() > LONGEST_CLAUSE {
            return times;
        }
        for from in 0..said.len() {
            let longest = (from + 1..=said.len().min(from + LONGEST_TIME)).rev();
            let is_time = |to: &usize| intents::when(self.language, &said[from..*to].join(" ")).is_some();
            if let Some(to) = longest.clone().find(is_time) {
                times[from..to].fill(true);
            }
        }
        times
    }

    fn explains(&self, word: &str) -> bool {
        let form = &self.words.form;
        let is_part = |word: &str| {
            let is_verb = |ending: &String| {
                word.strip_suffix(ending.as_str()).is_some_and(|stem| self.own.contains(stem))
            };
            let is_own = self.own.contains(word)
                || self.own.iter().any(|own| same(own, word, &form.endings))
                || form.you_endings.iter().any(is_verb);
            is_own || self.is_value(word) || self.is_number(word) || self.is_unit(word)
        };
        is_part(word)
            || word.contains('-')
                && (is_part(&word.replace('-', "")) || parts(word).iter().all(|part| is_part(part)))
            || self.is_verb_with_particle(word)
            || self.is_compound(word)
    }

    /// Returns whether a verb of the deed stands behind a particle of it: "runterdimmen".
    fn is_verb_with_particle(&self, word: &str) -> bool {
        let is_own = |part: &str| part.chars().count() >= PARTICLE && self.own.contains(part);
        self.words.form.verbs_last
            && word.char_indices().any(|(at, _)| is_own(&word[..at]) && is_own(&word[at..]))
    }

    fn is_unit(&self, word: &str) -> bool {
        self.has_number && self.words.form.units.at_start(&[word.to_owned()]).is_some()
    }

    fn is_number(&self, word: &str) -> bool {
        let found = || numbers(self.language, self.words, word);
        let is_of_value = |number: &u32| {
            self.values.iter().any(|value| numbers(self.language, self.words, value).contains(number))
        };
        if self.has_number {
            !found().is_empty() || self.words.percent.contains_key(word)
        } else {
            found().iter().any(is_of_value)
        }
    }

    fn is_value(&self, word: &str) -> bool {
        let form = &self.words.form;
        let is_inside =
            |value: &String| form.verbs_last && word.chars().count() >= PART && value.contains(word);
        let is_infinitive =
            |value: &String| !form.infix.is_empty() && word.replacen(form.infix.as_str(), "", 1) == **value;
        let is_one =
            |value: &String| same(value, word, &form.endings) || is_inside(value) || is_infinitive(value);
        self.values.iter().any(is_one)
    }

    /// Returns whether a word is put together of what is explained: "einkaufsliste", "lasagnetimer".
    fn is_compound(&self, word: &str) -> bool {
        if !self.words.form.verbs_last {
            return false;
        }
        let is_end = |end: &str| end.chars().count() >= PART && word.len() > end.len() && word.ends_with(end);
        let objects: Vec<&str> =
            self.deed.objects.words().chain(self.words.form.list_words.words()).collect();
        let ends = objects.into_iter().filter(|end| is_end(end)).map(|end| &word[..word.len() - end.len()]);
        let links = ["", "s", "n", "en"];
        let stems = ends.flat_map(|stem| links.iter().filter_map(move |link| stem.strip_suffix(link)));
        stems.into_iter().any(|stem| {
            stem.chars().count() >= PART
                && self.values.iter().any(|value| {
                    value.starts_with(stem)
                        || stem.starts_with(value.as_str()) && value.chars().count() > PART
                })
        })
    }
}
