//! Whether the user's own words ask for a call: the deed, that it be done, and every value in it.
//!
//! Any thread. In: what was said, what was asked back before it, the dialogue, and what a call does. Out: a [`Wish`].
//! Statements, questions, wishes that something stay, hypotheses and reported speech ask for nothing; a request for
//! another deed, or with another value, makes the call one to be asked about. The words of it are in `consent.toml` of
//! each language.
//! Pure: no I/O, no clock.

mod answer;
mod asked_for;
mod bare_request;
mod clause;
mod clauses;
mod coverage;
mod deeds;
mod figures;
mod grounds;
mod guess;
mod listed;
mod meant;
mod reasons;
mod sentences;
mod told;
mod unasked;
mod wanted;
mod word_order;

use crate::{intents, text::without_quotes};
pub use asked_for::{AskedClause, AskedFor, asked_for};
pub use bare_request::bare_request;
use clause::{Clause, Form};
use clauses::clauses;
use coverage::CallCoverage;
use deeds::{DeedMatch, ThingNamed};
pub use deeds::{only_asks, orders};
use grounds::Grounds;
use joi_language::values::{CallValue, ValueKind, Wish};
use joi_language::{Language, Phrases, RequestWords, words_of};
pub use reasons::{CONDITION, GUESS, LEFT_OVER, REASONS, REFUSED, UNCLEAR, VALUE};
use reasons::{INVENTED, NOTHING, OBJECT, OTHER};
pub use {guess::of_guess, told::reports_past, unasked::objection, wanted::reads_as_wish};

/// The utterance of this turn, and those that it may refer to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Utterances<'a> {
    /// The utterance of this turn.
    pub asked: &'a str,
    /// The question of joi just before.
    pub asked_back: Option<&'a str>,
    /// Earlier utterances that may be referred to, without words of strangers.
    pub dialogue: &'a [String],
}

/// A call by its deed and values.
#[derive(Debug, Clone, Default)]
pub struct CallWords<'a> {
    /// The deed, as the tool names it.
    pub deed: String,
    /// The values that the user must have said.
    pub values: Vec<CallValue>,
    /// Words that point at the tool, for a deed that no language has words for.
    pub cues: Vec<&'a str>,
}

/// Returns whether `part`, a stretch of `whole`, is a request of its own there: nothing of it belongs to something
/// reported, stands behind its colon, is quoted, or is not meant.
pub fn is_asked_within(language: &Language, whole: &str, part: &str) -> bool {
    told::stands_alone_within(language, whole, part) && objection(language, whole).is_none()
}

/// Decides in the language in which the words are understood: the spoken one, unless only another one finds a request.
pub fn wish(language: &Language, said: &Utterances<'_>, call: &CallWords<'_>) -> Wish {
    if listed::asks_for(language, said.asked, &call.deed, &call.values) {
        return Wish::Act;
    }
    let mut wishes = language.requests().iter().map(|words| wish_in(language, words, said, call));
    let first = wishes.next().unwrap_or(Wish::Talk(NOTHING));
    match first {
        Wish::Ask(UNCLEAR) => wishes.find(|wish| !matches!(wish, Wish::Ask(UNCLEAR))).unwrap_or(first),
        other => other,
    }
}

/// Returns the same of a call that only looks: a name, a place or numbers that nobody mentioned are the model's own.
/// Earlier words count where the new ones go on with them ("and in Rome?"), and so do memories.
pub fn mentioned(language: &Language, said: &Utterances<'_>, remembered: &str, values: &[CallValue]) -> Wish {
    let Some(words) = language.requests().first() else { return Wish::Act };
    let asked = words_of(said.asked);
    let goes_on = words.form.references.are_in(&asked) || words.form.continues.are_in(&asked);
    let mut texts = vec![said.asked.to_owned(), remembered.to_owned()];
    texts.extend(said.asked_back.map(str::to_owned));
    texts.extend(said.dialogue.iter().filter(|_| goes_on).cloned());
    let grounds = Grounds::of(language, words, texts);
    if values.iter().all(|value| grounds.mention(value)) { Wish::Act } else { Wish::Talk(INVENTED) }
}

/// Returns whether the user's own words hold all of `text`.
pub fn holds(language: &Language, asked: &str, text: &str) -> bool {
    let own = without_quotes(asked).own;
    language.requests().first().is_some_and(|words| found_in(language, words, own, text))
}

/// Returns whether all words of `text` that matter, and all its numbers, are found in `given`.
pub fn found_in(language: &Language, words: &RequestWords, given: String, text: &str) -> bool {
    let value = CallValue { kind: ValueKind::Words, text: text.to_owned() };
    Grounds::of(language, words, vec![given]).hold(&value)
}

/// Most words of an answer to a question about the call: what it leaves over is known from the question.
const LONGEST_ANSWER: usize = 8;

/// Returns whether a question in `text`, which is the model's, offers a deed that the user's words don't ask for.
pub fn offers_unasked(language: &Language, text: &str, said: &Utterances<'_>) -> bool {
    language.requests().iter().any(|words| {
        let questions = clauses::questions(words, text);
        let offered = |deed: &str| questions.iter().any(|question| deeds::offers(words, question, deed));
        let is_asked = |deed: &str| language.requests().iter().any(|words| is_asked(words, said, deed));
        words.deeds().any(|(deed, _)| offered(deed) && !is_asked(deed))
    })
}

/// Returns whether the words ask for a deed, whatever its values.
fn is_asked(words: &RequestWords, said: &Utterances<'_>, deed: &str) -> bool {
    let clauses = clauses(words, said.asked);
    let is_it = |clause: &Clause| match clause.form {
        Form::Request => matches!(deeds::matched(words, clause, deed), DeedMatch::Deed | DeedMatch::Verb),
        Form::Statement => needs(words, clause, deed),
        Form::Open => completed(words, said, clause, deed) == Some(Wish::Act),
        Form::Stay | Form::Question | Form::Hypothesis | Form::Reported => false,
    };
    clauses.iter().any(is_it) || said.asked_back.is_some() && agrees(words, said, &clauses, deed)
}

/// Returns whether `text` refuses what was asked about, in any words, and what it asks for instead.
pub fn refusal<'a>(language: &Language, text: &'a str) -> Option<Refusal<'a>> {
    let refused = language.requests().iter().find_map(|words| answer::refusal(words, text));
    refused.or_else(|| intents::is_refusal(language, text).then_some(Refusal::Plain))
}

/// Returns whether `text` only states something: no clause of it asks, or asks for anything.
pub fn only_reports(language: &Language, text: &str) -> bool {
    let clauses = language.requests().first().map(|words| clauses(words, text)).unwrap_or_default();
    !clauses.is_empty() && clauses.iter().all(|clause| clause.form == Form::Statement)
}

/// Returns whether `text` only wants something of the user's to stay as it is.
pub fn stays(language: &Language, text: &str) -> bool {
    language.requests().iter().any(|words| {
        let form = &words.form;
        let names_it = |clause: &Clause| {
            form.references.are_in(&clause.words)
                || words.deeds().any(|(_, deed)| words.names(&deed.objects, &clause.words))
        };
        let is_it = |clause: &Clause| {
            clause.form == Form::Stay && form.stays.whole(&clause.words).is_some() && names_it(clause)
        };
        let clauses = clauses(words, text);
        // "No, leave it as it is."
        let is_no = |clause: &Clause| {
            let count = clause.words.len();
            count == 0 || form.refusals.at_start(&clause.words) == Some(count)
        };
        clauses.iter().any(is_it) && clauses.iter().all(|clause| is_it(clause) || is_no(clause))
    })
}

/// A no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal<'a> {
    /// And nothing else.
    Plain,
    /// And this is to be done instead.
    Instead(&'a str),
}

fn wish_in(language: &Language, words: &RequestWords, said: &Utterances<'_>, call: &CallWords<'_>) -> Wish {
    let clauses = clauses(words, said.asked);
    let is_answer = said.asked_back.is_some();
    if is_answer && answer::refusal(words, said.asked) == Some(Refusal::Plain) {
        return Wish::Talk(REFUSED);
    }
    if told::is_taken_back(words, said.asked) {
        return Wish::Talk(REFUSED);
    }
    let objection = unasked::objected(words, said.asked);
    if let Some(objection @ Wish::Talk(_)) = objection {
        return objection;
    }
    let is_no = answer::refusal(words, said.asked).is_some();
    // Behind a no only what the user says themselves counts.
    let of = if is_no { Grounds::behind_no } else { Grounds::new };
    let grounds = of(language, words, said, &call.deed);
    let wish = match words.deed(&call.deed) {
        Some(_) if is_answer && agrees(words, said, &clauses, &call.deed) => Wish::Act,
        Some(_) => {
            let is_name = |value: &&CallValue| value.kind == ValueKind::Words;
            let thing = call.values.iter().find(is_name).filter(|thing| grounds.hold(thing));
            let thing = thing.map(|thing| words_of(&thing.text));
            let wish = of_known((words, thing.as_deref()), &clauses, said, call);
            let is_short = is_answer && words_of(said.asked).len() <= LONGEST_ANSWER;
            let leaves_a_word = || {
                let coverage =
                    CallCoverage::of(language, words, (&call.deed, &call.values), thing.as_deref());
                coverage.is_some_and(|coverage| coverage.leaves_a_word(&clauses))
            };
            if wish == Wish::Act && !is_short && leaves_a_word() { Wish::Ask(LEFT_OVER) } else { wish }
        }
        None => of_unknown(&clauses, said, call),
    };
    let put_right = Grounds::put_right(language, words, said.asked);
    let is_put_right = put_right.is_none_or(|later| call.values.iter().any(|value| later.hold_said(value)));
    // "Yes, but make it twenty": a number of their own stands for the one they were asked about.
    let own = is_answer.then(|| Grounds::of(language, words, vec![said.asked.to_owned()]));
    let is_other_number =
        own.is_some_and(|own| own.has_numbers() && !call.values.iter().all(|value| own.agrees(value)));
    match wish {
        Wish::Act if objection.is_some() => objection.unwrap_or(wish),
        Wish::Act
            if is_other_number || !is_put_right || !call.values.iter().all(|value| grounds.hold(value)) =>
        {
            Wish::Ask(VALUE)
        }
        other => other,
    }
}

/// Returns whether the words say yes to what was offered, and take nothing back.
fn agrees(words: &RequestWords, said: &Utterances<'_>, clauses: &[Clause], deed: &str) -> bool {
    let question = words_of(said.asked_back.unwrap_or_default());
    answer::consents(words, said.asked)
        && clauses.iter().all(|clause| !matches!(clause.form, Form::Stay | Form::Hypothesis))
        && clauses.iter().all(|clause| !deeds::is_one(words, clause))
        && deeds::offers(words, &question, deed)
}

/// Returns what the clauses say of a deed that the language has words for.
fn of_known(
    (words, named): (&RequestWords, ThingNamed<'_>),
    clauses: &[Clause],
    said: &Utterances<'_>,
    call: &CallWords<'_>,
) -> Wish {
    let mut verdict = named.and_then(|thing| {
        begins_with_it(words, (clauses, thing), said, &call.deed)
            .or_else(|| ends_with_it(words, (clauses, thing), said, &call.deed))
    });
    let matched = |clause: &Clause| deeds::matched_to(words, clause, (&call.deed, named));
    for clause in clauses {
        let new = match clause.form {
            Form::Request => match matched(clause) {
                DeedMatch::Deed if clause.has_condition => Some(Wish::Ask(CONDITION)),
                DeedMatch::Deed => Some(Wish::Act),
                DeedMatch::Verb if refers_to(words, said, clause, &call.deed) => Some(Wish::Act),
                DeedMatch::Verb => Some(Wish::Ask(OBJECT)),
                DeedMatch::Other => Some(Wish::Ask(OTHER)),
                DeedMatch::None => Some(Wish::Ask(UNCLEAR)),
            },
            Form::Stay if deeds::concerns(words, clause, &call.deed) => Some(Wish::Talk(REFUSED)),
            // "Clear the list, but keep the milk."
            Form::Stay if is_sweeping(call) => Some(Wish::Ask(CONDITION)),
            Form::Stay => None,
            Form::Question => Some(Wish::Talk("the user asked about it and wanted nothing done")),
            Form::Hypothesis => Some(Wish::Talk("the user only imagined it")),
            Form::Reported => Some(Wish::Talk("the user told what somebody else said")),
            // "All the lights off"
            Form::Statement
                if named.is_some_and(|thing| deeds::is_name_and_end(words, clause, (&call.deed, thing))) =>
            {
                Some(Wish::Act)
            }
            Form::Statement if needs(words, clause, &call.deed) => Some(Wish::Ask(UNCLEAR)),
            Form::Statement => Some(Wish::Talk(NOTHING)),
            // "Fountain on"
            Form::Open if named.is_some() && matched(clause) == DeedMatch::Deed => Some(Wish::Act),
            // "Thirty percent" is no time.
            Form::Open if is_of_another(words, clause, call) => Some(Wish::Ask(OTHER)),
            Form::Open => completed(words, said, clause, &call.deed),
        };
        verdict = stronger(verdict, new);
    }
    verdict.unwrap_or(Wish::Talk(NOTHING))
}

/// Returns whether an answer names what another tool is for, where the call is about a time.
fn is_of_another(words: &RequestWords, clause: &Clause, call: &CallWords<'_>) -> bool {
    call.values.iter().any(|value| value.kind == ValueKind::When)
        && deeds::is_about_another(words, &clause.words, &call.deed)
}

/// Returns whether it is asked for in short, and then reported why: "the shutters down, the sun is in my eyes".
fn begins_with_it(
    words: &RequestWords,
    (all, thing): (&[Clause], &[String]),
    said: &Utterances<'_>,
    deed: &str,
) -> Option<Wish> {
    let (first, _) = said.asked.split_once([',', '.', '!', ';'])?;
    let takes_back = |clause: &Clause| {
        matches!(clause.form, Form::Stay | Form::Hypothesis | Form::Reported | Form::Question)
    };
    let clauses = clauses(words, first);
    let is_it = |clause: &Clause| deeds::matched_to(words, clause, (deed, Some(thing))) == DeedMatch::Deed;
    let is_bare = |clause: &Clause| match clause.form {
        Form::Open => is_it(clause),
        Form::Statement => deeds::is_name_and_end(words, clause, (deed, thing)),
        _ => false,
    };
    let is_short = clauses.len() == 1 && clauses.iter().all(is_bare);
    (is_short && !all.iter().any(takes_back)).then_some(Wish::Act)
}

/// Returns whether it is asked for in short behind what only says why: "I've got a headache, living room light off".
fn ends_with_it(
    words: &RequestWords,
    (all, thing): (&[Clause], &[String]),
    said: &Utterances<'_>,
    deed: &str,
) -> Option<Wish> {
    let (before, last) = said.asked.trim_end_matches(['.', '!', ' ']).rsplit_once([',', '.', '!', ';'])?;
    let only_states =
        |clause: &Clause| matches!(clause.form, Form::Statement | Form::Open) && !clause.has_condition;
    let is_stated = clauses(words, before).iter().any(|clause| clause.form == Form::Statement);
    let last = clauses(words, last);
    // "It is easy, to …": a verb belongs to what is stated.
    let is_bare = |clause: &Clause| !clause.is_polite && deeds::is_name_and_end(words, clause, (deed, thing));
    let is_short = last.len() == 1 && last.iter().all(is_bare);
    (is_short && is_stated && all.iter().all(only_states)).then_some(Wish::Act)
}

/// Returns whether a statement says that what the deed makes is needed.
fn needs(words: &RequestWords, clause: &Clause, deed: &str) -> bool {
    words.form.needed.are_in(&clause.words) && deeds::names_object(words, &clause.words, deed)
}

/// Returns whether the call says nothing of what it is done to but the whole.
fn is_sweeping(call: &CallWords<'_>) -> bool {
    call.values.iter().all(|value| matches!(value.kind, ValueKind::List | ValueKind::Choice(_)))
}

/// Of what two clauses say: a request stands beside talk, and a later no takes it back.
fn stronger(before: Option<Wish>, new: Option<Wish>) -> Option<Wish> {
    use Wish::{Act, Ask, Talk};
    match (before, new) {
        (None, new) => new,
        (before, None) => before,
        (Some(Act), Some(Ask(CONDITION))) => Some(Ask(CONDITION)),
        (Some(Act), Some(Talk(REFUSED))) => Some(Talk(REFUSED)),
        (Some(Act), Some(_)) => Some(Act),
        (Some(Ask(_) | Talk(_)), Some(Act)) => Some(Act),
        (Some(Ask(why)), Some(Talk(_))) => Some(Ask(why)),
        (Some(Talk(_)), Some(Ask(why))) => Some(Ask(why)),
        (Some(before), Some(_)) => Some(before),
    }
}

/// Returns whether what the deed is done to is known all the same: elsewhere in what was said, in what was asked back,
/// or, when the words point at it, in what was said just before.
fn refers_to(words: &RequestWords, said: &Utterances<'_>, clause: &Clause, deed: &str) -> bool {
    let names = |text: &str| deeds::names_object(words, &words_of(text), deed);
    let points = words.form.references.are_in(&clause.words);
    let before = || said.dialogue.iter().rev().take(2).any(|text| names(text));
    let is_no = answer::refusal(words, said.asked).is_some();
    // "For how long?" "Make it ten minutes."
    let completes = |question: &str| {
        !is_no && question.contains('?') && deeds::asks_for(words, &words_of(question), deed)
    };
    names(said.asked)
        || said.asked_back.is_some_and(|text| names(text) || completes(text))
        || points && before()
}

/// Returns an answer to what was asked back: "ten minutes", "yes please".
fn completed(words: &RequestWords, said: &Utterances<'_>, clause: &Clause, deed: &str) -> Option<Wish> {
    let asked_back = said.asked_back.unwrap_or_default();
    if !asked_back.contains('?') {
        return if clause.words.is_empty() { None } else { Some(Wish::Ask(UNCLEAR)) };
    }
    let question = words_of(asked_back);
    // Behind a no it is another value, and what is to be done with it is asked.
    let is_no = answer::refusal(words, said.asked).is_some();
    let asks_for_it = !is_no && deeds::asks_for(words, &question, deed);
    Some(if asks_for_it { Wish::Act } else { Wish::Ask(UNCLEAR) })
}

/// Returns the same of a deed that no language knows: the words must point at the tool and hold every value.
fn of_unknown(clauses: &[Clause], said: &Utterances<'_>, call: &CallWords<'_>) -> Wish {
    let is_talk = |clause: &Clause| {
        matches!(clause.form, Form::Question | Form::Stay | Form::Hypothesis | Form::Reported)
    };
    if clauses.iter().any(is_talk) {
        return Wish::Talk("the user wanted nothing done");
    }
    let cues: Phrases = call.cues.iter().copied().collect();
    let is_statement = clauses.iter().all(|clause| clause.form == Form::Statement);
    match clauses.is_empty() || is_statement {
        true => Wish::Talk(NOTHING),
        false if cues.are_in(&words_of(said.asked)) => Wish::Act,
        false => Wish::Ask(UNCLEAR),
    }
}
