//! Whether a transcript, as far as it was heard, is a whole command or question, or the beginning of one.
//!
//! In: the words before a pause. Out: how likely it is that more follows. The grammar states: a command whose
//! last slot can go on ("nine minutes … and thirty seconds") is whole, but not surely over. That a question is one states
//! the question mark, which a recogniser writes behind a sentence that is whole, or how it begins; that anything else is
//! over, its full stop.
//! Pure: no I/O, no clock.

use super::filled::Filled;
use super::{Intent, Matched, MemoryOrder, VolumeChange, match_intent, matched, orders, words};
use crate::requests::{ReadyEnd, ready_end};
use joi_language::Language;
use joi_language::grammar::disfluency::Fluent;
use joi_language::grammar::machine::{GrammarUtterance, Slot, TemplateSearch};
use joi_language::grammar::words::Word;
use joi_language::grammar::{Grammar, TemplateGroup};
use joi_language::values::ScheduleOrder;

/// Fewer words with a full stop are no sentence: a recogniser puts one behind anything.
const SHORTEST_SENTENCE: usize = 3;

/// The likelihood that more words follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It is a whole command.
    Complete,
    /// It is a whole command, and what it ends with can go on: a length, a time, days, a name. What follows can be taken
    /// up when it is carried out already ("nine minutes … and thirty seconds").
    Amendable,
    /// It is a whole command, and what it ends with can go on, but not once it is carried out.
    Open,
    /// It is a whole command to which any word may belong: only silence ends it.
    Free,
    /// It is the beginning of one, or of a sentence of which more must follow.
    Incomplete,
    /// It is no command, but a whole question, or asks for information: what is added to it makes another one.
    Question,
    /// It is neither, but a whole sentence.
    Sentence,
    /// It is none of these.
    Unknown,
}

impl Completeness {
    /// Returns whether it is a whole command by the words that it is known by.
    pub fn is_whole(self) -> bool {
        match self {
            Self::Complete | Self::Amendable | Self::Open => true,
            Self::Free | Self::Incomplete | Self::Question | Self::Sentence | Self::Unknown => false,
        }
    }
}

/// Returns whether `text`, as far as it was heard, is a whole command. Of one that ends in a number, and can't be
/// amended, that does not follow from its words: "change the alarm to seven" may become "seven thirty".
pub fn completeness(language: &Language, text: &str) -> Completeness {
    let grammar = language.grammar();
    let Some(said) = words::normalise(text, &grammar.manners) else { return Completeness::Unknown };
    let with_end = |name: &str, filled: &Filled<'_>| {
        Some((orders::intent(name, filled)?, is_open(filled), ends_in(filled, Slot::Text)))
    };
    if let Some(Matched { made: (what, is_open, ends_in_text), .. }) =
        matched(language, text, &Fluent::of(said.clone()), TemplateGroup::Command, with_end)
    {
        let last = text.split_whitespace().next_back().unwrap_or_default().to_lowercase();
        let ends_in_number = grammar.numbers.counts(last.trim_matches(|c: char| !c.is_alphanumeric()));
        return match what {
            Intent::Schedule(ScheduleOrder::Set(wanted)) if wanted.when.is_none() => Completeness::Incomplete,
            Intent::Schedule(ScheduleOrder::Move { when: None, .. }) => Completeness::Incomplete,
            Intent::Memory(
                MemoryOrder::Remember { .. } | MemoryOrder::Forget(_) | MemoryOrder::Replace { .. },
            ) => Completeness::Free,
            // A request mostly follows.
            Intent::Greeting(_) | Intent::HomeAgain => Completeness::Amendable,
            // Nothing follows a day of which something is asked.
            Intent::DateOf(_) => Completeness::Complete,
            Intent::Schedule(ScheduleOrder::Set(_)) if !ends_in_text && (ends_in_number || is_open) => {
                Completeness::Amendable
            }
            Intent::Volume(VolumeChange::Set(_)) if ends_in_number => Completeness::Amendable,
            _ if ends_in_number => Completeness::Free,
            _ if is_open => Completeness::Open,
            _ => Completeness::Complete,
        };
    }
    match ready_end(text, language) {
        Some(ReadyEnd::Closed) => return Completeness::Complete,
        // A sum does nothing: "twelve times twelve … plus three" is reckoned again.
        Some(ReadyEnd::Open) => return Completeness::Amendable,
        None => {}
    }
    without_a_command(grammar, text, &said)
}

/// Returns the same of words that are no command as they stand.
fn without_a_command(grammar: &Grammar, text: &str, said: &[Word]) -> Completeness {
    let utterance = GrammarUtterance::new(said, grammar);
    let cores = words::without_politeness(said, &grammar.manners);
    let begins = |from: usize| {
        // A single word is the beginning of too much.
        let TemplateSearch { may_go_on, .. } = utterance.find(TemplateGroup::Command, from, said.len());
        may_go_on && said.len() - from > 1
    };
    let mark = SentenceMark::of(text);
    let is_begun = cores.iter().filter(|core| core.end == said.len()).any(|core| begins(core.start));
    let is_unfinished = said.last().is_some_and(|last| grammar.manners.is_unfinished(&last.text));
    let plain: Vec<&str> = said.iter().map(|word| word.text.as_str()).collect();
    let last = plain.last().copied().unwrap_or_default();
    let leads_on = grammar.manners.leads_on(last);
    let asks = cores.iter().any(|core| grammar.manners.asks(&plain[core.start..]));
    // "Where is the spare key?" could go on as a command does, and is a question; "can you remind me?" is begun.
    let is_asked =
        asks && matches!(mark, SentenceMark::Question) && !leads_on && !grammar.numbers.counts(last);
    if is_unfinished || is_begun && !is_asked {
        return Completeness::Incomplete;
    }
    match mark {
        SentenceMark::Question => Completeness::Question,
        _ if leads_on => Completeness::Unknown,
        _ if asks => Completeness::Question,
        SentenceMark::Stop if plain.len() >= SHORTEST_SENTENCE => Completeness::Sentence,
        SentenceMark::Stop | SentenceMark::None => Completeness::Unknown,
    }
}

/// The mark that the recogniser wrote behind the words.
enum SentenceMark {
    Question,
    Stop,
    None,
}

impl SentenceMark {
    fn of(text: &str) -> Self {
        let text = text.trim_end();
        match text.chars().next_back() {
            Some('?') => Self::Question,
            Some('.' | '!') if !text.ends_with("..") => Self::Stop,
            _ => Self::None,
        }
    }
}

/// Returns whether `text` is a command that does nothing, or nothing that the whole of it could not take up once it is
/// carried out already: what is set is amended, and a volume is the last one that was said.
pub fn is_amendable(language: &Language, text: &str) -> bool {
    let Some(quick) = match_intent(language, text) else {
        return ready_end(text, language) == Some(ReadyEnd::Open);
    };
    match quick.what {
        Intent::Time | Intent::Date | Intent::DateOf(_) | Intent::Greeting(_) | Intent::HomeAgain => true,
        Intent::Volume(VolumeChange::Set(_)) => true,
        Intent::Schedule(order) => {
            matches!(order, ScheduleOrder::Set(_) | ScheduleOrder::List(_) | ScheduleOrder::Left(_))
        }
        _ => false,
    }
}

/// Returns whether the last thing that was said is a slot that can go on; behind a "please" it is over.
fn is_open(filled: &Filled<'_>) -> bool {
    filled.captures.last().is_some_and(|last| last.slot.can_go_on() && ends_in(filled, last.slot))
}

/// Returns whether the last thing that was said is in such a slot.
fn ends_in(filled: &Filled<'_>, slot: Slot) -> bool {
    filled.captures.last().is_some_and(|last| last.at.end == filled.words.len() && last.slot == slot)
}
