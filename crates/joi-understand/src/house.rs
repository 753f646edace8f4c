//! Utterances to a connected house: commands, questions about its state, and follow-ups.
//!
//! Any thread. In: an utterance, a snapshot of the house, the words of the language, the room of the device. Out: a
//! [`HouseDecision`]: commands that passed [`House::order`](joi_home::house::House::order), a question back, a refusal, or
//! an answer; nothing when the utterance is not about the house. A question never acts, and neither does an utterance
//! that is negated or reported. Pure: no I/O, no clock.

mod ask;
mod by_template;
mod decision;
mod deed;
pub mod follow;
mod forbidden;
pub mod later;
mod lexicon;
mod measured;
pub(crate) mod names;
pub mod near;
mod order;
mod phrasing;
mod reader;
pub mod say;
mod situation;
mod spoken;
mod target;
mod template_names;
#[cfg(test)]
mod tests;
mod things;
pub mod thread;
pub mod unreached;
pub mod watch;

pub use ask::holds;
pub use decision::{HouseAnswer, HouseDecision, HouseRefusal, NamedThing, PlannedBatch, PlannedCommand};
pub use measured::HouseUnderstanding;
pub use situation::{HousePhrasings, HouseSituation, HouseTemplates};
pub use template_names::TemplateNames;

use forbidden::is_forbidden;
use joi_language::house::{HouseDeed, HouseWords, ThingKind};
use lexicon::HouseLexicon;
use phrasing::{Phrasing, TakenWords, exception};
use reader::{Reader, Wanted};
use things::Things;

/// Returns whether `text` has the form of a command or a question about a house, whatever the house holds.
pub fn may_be_about(text: &str, words: &HouseWords, phrasings: &HousePhrasings) -> bool {
    let said = spoken::without_skipped(&spoken::request(text, words), words);
    let fits = |phrasing: &Phrasing| !phrasing.ways(&said, words).is_empty();
    !said.is_empty()
        && (phrasings.deeds.iter().any(|(.., phrasing)| fits(phrasing))
            || phrasings.questions.iter().any(|(.., phrasing)| fits(phrasing)))
}

/// Returns whether something that plays is named by its kind: "the music".
pub(crate) fn names_player(text: &str, words: &HouseWords) -> bool {
    let said = spoken::words(text);
    let kinds = [ThingKind::Player, ThingKind::Screen].into_iter().filter_map(|kind| words.kinds.get(&kind));
    kinds.flatten().flatten().any(|name| said.contains(name))
}

/// Decides about `text`; returns nothing when it is not about the house. Sentence templates are asked where the phrasings
/// of the language find no thing that does it.
pub fn decide(text: &str, situation: &HouseSituation<'_>) -> Option<HouseDecision> {
    let all = spoken::request(text, situation.words);
    if all.is_empty() || is_forbidden(&all, situation) {
        return None;
    }
    let own = by_phrasings(&all, situation);
    if own.as_ref().is_some_and(|decision| !is_unfound(decision)) {
        return own;
    }
    if !situation.follow.it.is_empty()
        && let Some(said) = follow::with_pronoun(&all, situation.words)
        && let Some(decision) = by_phrasings(&said, situation).filter(|decision| !is_unfound(decision))
    {
        return Some(decision);
    }
    let core = without_remark(&all, situation.words).and_then(|core| by_phrasings(core, situation));
    if let Some(decision) = core.filter(|decision| !is_unfound(decision)) {
        return Some(decision);
    }
    // That a thing can't is no better answer than that of a model where the language reads more than the templates.
    let is_alone = situation.phrasings.deeds.is_empty();
    let known = by_template::decide(text, &all, situation);
    known.filter(|decision| is_alone || !is_unfound(decision)).or(own)
}

/// Returns the command and the time of `text`, where only a sentence template reads times in its language.
pub fn later_by_template(text: &str, situation: &HouseSituation<'_>) -> Option<later::LaterWords> {
    let all = spoken::request(text, situation.words);
    if is_forbidden(&all, situation) { None } else { by_template::later(text, situation) }
}

/// Fewest words of a command that has a remark behind it.
const SHORTEST_COMMAND: usize = 2;

/// Returns a command without the remark behind it: "bathroom light off, it's wasting electricity". One with a figure in it
/// may say more.
fn without_remark<'a>(all: &'a [String], words: &HouseWords) -> Option<&'a [String]> {
    let begins = |at: &usize| {
        let is_begun = |phrase: &String| {
            let phrase = phrase.split(' ');
            phrase.clone().count() < all.len() - at
                && phrase.zip(&all[*at..]).all(|(word, said)| word == said.as_str())
        };
        words.words.remarks.iter().any(is_begun)
    };
    let at = (SHORTEST_COMMAND..all.len()).find(begins)?;
    let has_figure = all[at..].iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
    (!has_figure).then_some(&all[..at])
}

fn is_unfound(decision: &HouseDecision) -> bool {
    matches!(decision, HouseDecision::Refused(HouseRefusal::NoSuch(_) | HouseRefusal::Cannot(_)))
}

/// Decides about the words of an utterance by the phrasings of the language.
fn by_phrasings(all: &[String], situation: &HouseSituation<'_>) -> Option<HouseDecision> {
    let words = situation.words;
    let said = spoken::without_skipped(all, words);
    if said.is_empty() {
        return None;
    }
    let asks = |word: &String| words.words.asks.contains(word);
    let is_question = all.first().is_some_and(asks);
    // Before the house is read: most of what is said fits no phrasing.
    let questions: Vec<_> = situation
        .phrasings
        .questions
        .iter()
        .flat_map(|(asked, kind, phrasing)| {
            phrasing.ways(&said, words).into_iter().map(move |taken| (*asked, *kind, taken))
        })
        .collect();
    let except = if is_question { None } else { exception(&said, words) };
    let deeds = if is_question { Vec::new() } else { deeds(&said, situation) };
    let deeds = deeds.into_iter().map(|found| (found, None));
    let with_except = except.iter().flat_map(|(core, except)| {
        self::deeds(core, situation).into_iter().map(move |found| (found, Some((core, except))))
    });
    // An exception is read as one before it counts as a part of a thing.
    let deeds: Vec<_> = with_except.chain(deeds).collect();
    if questions.is_empty() && deeds.is_empty() {
        return None;
    }
    let mut lexicon = HouseLexicon::new(words, situation.phonetic);
    let things = Things::of(situation.house, &mut lexicon);
    let reader = Reader { situation, lexicon: &lexicon, things: &things };
    for (asked, kind, taken) in &questions {
        if let Some(answer) = reader.answer(*asked, *kind, taken, &said) {
            return Some(answer);
        }
    }
    let mut fallback = None;
    for ((deed, kind, taken), except) in &deeds {
        let said: &[String] = except.map_or(&said, |(core, _)| core);
        let wanted =
            Wanted { deed: *deed, kind: *kind, taken, except: except.map(|(_, words)| words.as_slice()) };
        match reader.carried_out(&wanted, said) {
            Some(decision) if is_unfound(&decision) => fallback = fallback.or(Some(decision)),
            Some(decision) => return Some(decision),
            None => {}
        }
    }
    fallback
}

type DeedFound = (HouseDeed, Option<ThingKind>, TakenWords);

fn deeds(said: &[String], situation: &HouseSituation<'_>) -> Vec<DeedFound> {
    let all = situation.phrasings.deeds.iter().flat_map(|(deed, kind, value, phrasing)| {
        phrasing.ways(said, situation.words).into_iter().map(move |mut taken| {
            taken.number = taken.number.or(*value);
            (*deed, *kind, taken)
        })
    });
    all.collect()
}
