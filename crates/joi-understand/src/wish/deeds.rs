//! Which deed a clause asks for.
//!
//! In: a clause, and a deed by its name. Out: whether the clause asks for it. Of several deeds whose verbs fit, the
//! one whose pattern says most counts: "turn the alarm off" is no "turn".
//! Pure: no I/O, no clock.

use super::clause::{Clause, Form};
use super::clauses::clauses;
use crate::text::same;
use joi_language::Language;
use joi_language::{DeedWords, RequestWords};

/// How a request fits a deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeedMatch {
    /// It asks for it.
    Deed,
    /// The verb fits, and what it is to be done to is not named.
    Verb,
    /// It asks for another one.
    Other,
    /// It is not known what it asks for.
    None,
}

/// The fit of a clause to one deed: how exact, and how complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DeedFit {
    has_object: bool,
    exactness: usize,
}

/// Returns how the request `clause` fits the deed of that name.
pub(super) fn matched(words: &RequestWords, clause: &Clause, deed: &str) -> DeedMatch {
    matched_to(words, clause, (deed, None))
}

/// The words of a thing that a call names.
pub(super) type ThingNamed<'a> = Option<&'a [String]>;

/// Returns the same where the deed's own thing may be named.
pub(super) fn matched_to(
    words: &RequestWords,
    clause: &Clause,
    (deed, named): (&str, ThingNamed<'_>),
) -> DeedMatch {
    let named_for = |name: &str, of: &DeedWords| named.filter(|_| of.is_by_name && name == deed);
    let fits: Vec<(&str, DeedFit)> = words
        .deeds()
        .filter_map(|(name, deed)| Some((name, fit(words, clause, (deed, named_for(name, deed)))?)))
        .collect();
    let best = |with_object: bool| {
        let those = fits.iter().filter(|(_, fit)| fit.has_object || !with_object);
        those.map(|(_, fit)| fit.exactness).max()
    };
    let own = fits.iter().find(|(name, _)| *name == deed).map(|(_, fit)| *fit);
    match (own, best(true)) {
        (Some(fit), Some(best)) if fit.has_object && fit.exactness >= best => DeedMatch::Deed,
        (_, Some(_)) => DeedMatch::Other,
        (Some(fit), None) if Some(fit.exactness) >= best(false) => DeedMatch::Verb,
        (_, None) if fits.is_empty() => DeedMatch::None,
        (_, None) => DeedMatch::Other,
    }
}

fn fit(
    words: &RequestWords,
    clause: &Clause,
    (deed, named): (&DeedWords, ThingNamed<'_>),
) -> Option<DeedFit> {
    let all = &clause.words;
    if !deed.needs.is_empty() && !deed.needs.are_in(all) {
        return None;
    }
    let anywhere = clause.is_polite && words.form.verbs_last;
    let alone = if anywhere { deed.alone.anywhere(all) } else { deed.alone.at_start(all) };
    if let Some(exactness) = alone {
        return Some(DeedFit { has_object: true, exactness: exactness + 1 });
    }
    let verb = if anywhere { deed.verbs.anywhere(all) } else { deed.verbs.at_start(all) };
    if let Some(exactness) = verb {
        return Some(DeedFit { has_object: named.is_some() || words.names(&deed.objects, all), exactness });
    }
    let whole = deed.elliptic.whole(all);
    let whole = whole.or_else(|| named.and_then(|thing| ends(words, all, (deed, thing))));
    whole.map(|exactness| DeedFit { has_object: true, exactness })
}

/// Most words of a value at the end: "to twenty one degrees".
const LONGEST_END: usize = 5;

/// Returns whether a clause that looks like a statement ("all the lights off") is nothing but that, without a verb.
pub(super) fn is_name_and_end(
    words: &RequestWords,
    clause: &Clause,
    (deed, thing): (&str, &[String]),
) -> bool {
    let deed = words.deed(deed).filter(|deed| deed.is_by_name);
    !words.form.finite.are_in(&clause.words)
        && deed.is_some_and(|deed| ends(words, &clause.words, (deed, thing)).is_some())
}

/// Returns whether a clause is nothing but the name of a thing and what is to become of it: "the light in the hall
/// off", "lights out in the hall".
fn ends(words: &RequestWords, all: &[String], (deed, thing): (&DeedWords, &[String])) -> Option<usize> {
    let form = &words.form;
    let is_small = |word: &String| {
        let small = [&form.function_words, &form.trail, &form.places];
        small.iter().any(|phrases| phrases.at_start(std::slice::from_ref(word)).is_some())
    };
    let is_part = |word: &String| {
        let in_compound = |one: &String| words.form.verbs_last && one.contains(word.as_str());
        thing.iter().any(|one| same(one, word, &form.endings) || in_compound(one))
    };
    let is_name = |head: &[String]| {
        head.iter().all(|word| {
            is_small(word) || is_part(word) || words.names(&deed.objects, std::slice::from_ref(word))
        })
    };
    let end = |at: usize| {
        let most = all.len().min(at + LONGEST_END);
        (at + 1..=most).filter(|to| is_name(&all[*to..])).filter_map(|to| deed.ends.whole(&all[at..to])).max()
    };
    (1..all.len()).filter(|at| is_name(&all[..*at])).filter_map(end).max()
}

/// Returns whether a clause that wants something to stay is about the deed of that name: it names the verb or the
/// object, points at what was said, or says nothing but no.
pub(super) fn concerns(words: &RequestWords, clause: &Clause, deed: &str) -> bool {
    let Some(own) = words.deed(deed) else { return true };
    let all = &clause.words;
    let rest = &all[words.form.negations.at_start(all).unwrap_or(0)..];
    let is_bare = rest.len() <= 1;
    let points = words.form.references.are_in(rest)
        && !words.deeds().any(|(_, other)| words.names(&other.objects, rest));
    words.names(&own.objects, rest)
        || own.verbs.anywhere(rest).is_some()
        || own.alone.anywhere(rest).is_some()
        || is_bare
        || points
}

/// Returns whether a clause asks for some deed, wholly.
pub(super) fn is_one(words: &RequestWords, clause: &Clause) -> bool {
    clause.form == Form::Request
        && words.deeds().any(|(_, deed)| fit(words, clause, (deed, None)).is_some_and(|fit| fit.has_object))
}

/// Returns whether a request has the verb of some deed.
pub(super) fn names_verb(words: &RequestWords, clause: &Clause) -> bool {
    words.deeds().any(|(_, deed)| fit(words, clause, (deed, None)).is_some())
}

/// Returns whether each clause of `asked` asks about something, imagines it, or states what others said of it: no deed
/// is wanted then.
pub fn only_asks(language: &Language, asked: &str) -> bool {
    let clauses = language.requests().first().map(|words| clauses(words, asked)).unwrap_or_default();
    let asks = |clause: &Clause| matches!(clause.form, Form::Question | Form::Hypothesis | Form::Reported);
    !clauses.is_empty() && clauses.iter().all(asks)
}

/// Returns whether `asked` orders a deed, and asks, states or imagines nothing beside it.
pub fn orders(language: &Language, asked: &str) -> bool {
    language.requests().first().is_some_and(|words| {
        let clauses = clauses(words, asked);
        !asked.contains('?')
            && clauses.iter().any(|clause| is_one(words, clause))
            && clauses.iter().all(|clause| matches!(clause.form, Form::Request | Form::Open))
    })
}

/// Returns whether `text` names what the deed is done to.
pub(super) fn names_object(words: &RequestWords, text: &[String], deed: &str) -> bool {
    words
        .deed(deed)
        .is_some_and(|deed| words.names(&deed.objects, text) || deed.alone.anywhere(text).is_some())
}

/// Returns whether a question asks for what completes the deed, and is about no other.
pub(super) fn asks_for(words: &RequestWords, question: &[String], deed: &str) -> bool {
    words.deed(deed).is_some_and(|deed| deed.asks.are_in(question))
        && !is_about_another(words, question, deed)
}

/// Returns whether a question names what another tool does something to, and not what this deed is done to: "which
/// entry of the list?" is no question about a timer.
pub(super) fn is_about_another(words: &RequestWords, question: &[String], deed: &str) -> bool {
    let tool = |deed: &str| deed.split(' ').next().unwrap_or_default().to_owned();
    let names = |other: &DeedWords| {
        question
            .iter()
            .filter(|word| word.chars().count() >= SHORTEST_OBJECT)
            .any(|word| words.names(&other.objects, std::slice::from_ref(word)))
    };
    let is_own = names_object(words, question, deed) || offers(words, question, deed);
    words.deed(deed).is_some()
        && !is_own
        && words.deeds().any(|(name, other)| tool(name) != tool(deed) && names(other))
}

/// Fewest letters of a word that names something in a question; "up" and "to" are in many.
const SHORTEST_OBJECT: usize = 4;

/// Returns whether a question offers the deed: "Shall I add milk to the shopping list?"
pub(super) fn offers(words: &RequestWords, question: &[String], deed: &str) -> bool {
    let offered = |from: usize| {
        let clause = Clause {
            form: Form::Request,
            words: question[from..].to_vec(),
            is_polite: words.form.verbs_last,
            ..Clause::default()
        };
        matched(words, &clause, deed) == DeedMatch::Deed
    };
    let behind = |at: usize| words.form.offers.at_start(&question[at..]).map(|count| at + count);
    (0..question.len()).filter_map(behind).any(offered)
}
