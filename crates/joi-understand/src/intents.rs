//! Commands that need no model: timers, alarms, reminders, memory, the house, time, date, stop, repeat, volume, goodbye.
//!
//! Any thread, far below a millisecond. In: a transcript, or a typed line. Out: what was asked
//! for, or nothing, and then the model is asked. The whole utterance, apart from names and politeness,
//! must fit one of the templates; a command that is only part of a sentence, asked about or negated never
//! triggers. The templates and all words are data of the [`Language`] that every function takes.
//! Pure: no I/O, no clock.

mod amend;
mod another;
mod answer;
mod before;
mod both;
mod completeness;
mod filled;
mod frames;
mod home;
mod memory;
mod mood;
mod near;
mod orders;
mod table;
#[cfg(test)]
mod tests;
mod wishes;

use filled::Filled;
use joi_language::Language;
use joi_language::grammar::TemplateGroup;
use joi_language::grammar::disfluency::{self, Fluent};
use joi_language::grammar::lifted;
use joi_language::grammar::machine::{Fit, GrammarUtterance};
use joi_language::grammar::words::{self, Word};
use joi_language::values::{
    Day, DayPart, Days, Exactness, Many, MemoryKind, Rank, Said, ScheduleOrder, ScheduleQuestion, When, Which,
};

use crate::templates::{self, quick::Freedom};
pub use amend::{Settled, amended, only_repeats, settled};
pub use another::about_entry;
pub use answer::answer;
pub use before::on_day_before;
pub use both::both;
pub use completeness::{Completeness, completeness, is_amendable};
pub use home::{HomeDeed, HomeOrder, not_connected};
pub use joi_language::DeviceKind;
pub use memory::{MemoryOrder, said_back};
pub use mood::{Mood, is_statement, mood};
pub use near::{Reading, near};
pub use table::{EquivalentCall, IntentPart, IntentRow, Undo};
pub use wishes::{QuietWish, TakingBack, VolumeChange};

/// A request that needs no model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// The time of day.
    Time,
    /// Today's date.
    Date,
    /// The date of another day.
    DateOf(Day),
    /// Silence at once, and the end of the conversation.
    Stop,
    /// The last answer again.
    Repeat,
    /// A change of the volume.
    Volume(VolumeChange),
    /// Thanks.
    Thanks,
    /// The user no longer wants anything.
    NeverMind,
    /// The undo of the last deed.
    TakeBack(TakingBack),
    /// A greeting at this part of the day.
    Greeting(DayPart),
    /// The return of the user.
    HomeAgain,
    /// A farewell.
    Goodbye,
    /// A farewell for the night.
    GoodNight,
    /// A decision by chance.
    Chance(Chance),
    /// A question about joi.
    Herself(Herself),
    /// An order about timers, alarms or reminders.
    Schedule(ScheduleOrder),
    /// An order about the memory.
    Memory(MemoryOrder),
    /// A command to the house.
    Home(HomeOrder),
    /// A repetition that the schedule does not know.
    CannotRepeat,
    /// A time of day that there is not.
    NoSuchTime,
    /// A time that is over.
    TimeOver,
    /// A wish about proactive speech, or the news that an alarm was heard.
    Quiet(QuietWish),
}

/// An object that decides by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chance {
    /// A coin.
    Coin,
    /// A die with six sides.
    Die,
}

/// A question about joi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Herself {
    /// Its abilities.
    Abilities,
    /// Its nature: a person or a machine.
    Nature,
    /// Its hearing: "can you hear me?".
    Hears,
}

/// An intent and why it was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickIntent {
    /// The request.
    pub what: Intent,
    /// The phrasing that fits, for `joi why`. It quotes the list of phrasings, not the user.
    pub reason: String,
}

/// Recognises a quick command, or nothing when the model should answer. Disfluencies are taken out where nothing fits
/// with them, and times may stand anywhere where that leaves fewer words without a meaning of their own. A reason
/// behind a command says nothing that changes it.
pub fn match_intent(language: &Language, text: &str) -> Option<QuickIntent> {
    let grammar = language.grammar();
    let said = disfluency::without_pauses(words::normalise(text, &grammar.manners)?, grammar);
    // "Forget the number, it's another one now" is more than an erasure; what is called off has no reason.
    let is_complete = |read: &Matched<Intent>| !matches!(read.made, Intent::Memory(_) | Intent::NeverMind);
    let unreasoned = || read(language, text, disfluency::without_reason(&said, grammar)?).filter(is_complete);
    let own = read(language, text, &said).or_else(unreasoned);
    // Words that could have been any words lose against a template of the community that knows them.
    let by_template = || {
        let freedom = Freedom::of(own.as_ref().map(|read| read.open));
        let (quick, found) = templates::quick::command(language, text, freedom)?;
        let reason = format!("the whole utterance is \"{}\"", found.template);
        Some(QuickIntent { what: orders::of_template(quick, &found)?, reason })
    };
    let known = if own.as_ref().is_none_or(|read| read.open > 0) { by_template() } else { None };
    let Matched { made: what, template, .. } = match known {
        Some(known) => return Some(known),
        None => own?,
    };
    // "From now on an alarm at seven" is to be done, not to be remembered.
    if let Intent::Memory(MemoryOrder::Remember { kind: MemoryKind::Wish, text: wish }) = &what
        && words::normalise(wish, &grammar.manners).is_some_and(|wish| wish.len() < said.len())
        && let Some(wanted) = match_intent(language, wish)
    {
        return Some(wanted);
    }
    Some(QuickIntent { what, reason: format!("the whole utterance is \"{template}\"") })
}

/// Returns the reading of `said` that leaves the fewest words without a meaning of their own.
fn read<'a>(language: &'a Language, text: &str, said: &[Word]) -> Option<Matched<'a, Intent>> {
    let whole = |said: &Fluent| matched(language, text, said, TemplateGroup::Command, orders::intent);
    let ways = disfluency::fluent(said, language.grammar());
    let plain = ways.iter().find_map(whole);
    if plain.as_ref().is_some_and(|read| read.open == 0) {
        return plain;
    }
    let lifted = ways.iter().filter_map(|said| frames::intent(language, text, said));
    // Of equals, the first.
    plain.into_iter().chain(lifted).min_by_key(|read| read.open)
}

/// The reading of an utterance that fits a template.
struct Matched<'a, T> {
    made: T,
    template: &'a str,
    /// Words that could have been any words, and those that were taken out.
    open: usize,
}

/// Returns what `made` makes of the first template that fits `said`, politeness aside.
fn matched<'a, T>(
    language: &'a Language,
    text: &str,
    said: &Fluent,
    group: TemplateGroup,
    made: impl Fn(&str, &Filled<'_>) -> Option<T>,
) -> Option<Matched<'a, T>> {
    let grammar = language.grammar();
    let Fluent { words, dropped } = said;
    let utterance = GrammarUtterance::new(words, grammar);
    let cores = words::without_politeness(words, &grammar.manners);
    cores.into_iter().find_map(|core| {
        let Fit { template, captures, open } = utterance.find(group, core.start, core.end).fit?;
        let template = &grammar.templates[template];
        let filled = Filled { captures: &captures, words, core, text, dropped, grammar };
        if filled.is_cut_short() {
            return None;
        }
        Some(Matched {
            made: made(&template.intent, &filled)?,
            template: template.text.as_str(),
            open: open + dropped.len(),
        })
    })
}

/// Returns whether `text` says yes, and nothing else.
pub fn is_yes(language: &Language, text: &str) -> bool {
    answered(language, text, |name, _| matches!(name, "yes" | "clear yes").then_some(())).is_some()
}

/// Returns whether `text` says yes in words that are said for nothing else: "right" and "great" are not.
pub fn is_clear_yes(language: &Language, text: &str) -> bool {
    answered(language, text, |name, _| (name == "clear yes").then_some(())).is_some()
}

/// Returns whether `text` wants to hear the rest of an answer.
pub fn wants_more(language: &Language, text: &str) -> bool {
    answered(language, text, |name, _| matches!(name, "yes" | "clear yes" | "more").then_some(())).is_some()
}

/// Returns whether `text` says no, and nothing else.
pub fn is_refusal(language: &Language, text: &str) -> bool {
    answered(language, text, |name, _| (name == "no").then_some(())).is_some()
}

/// Returns whether a part of `text` between its signs says "stop", whatever the others say.
pub fn says_stop(language: &Language, text: &str) -> bool {
    let is_stop = |part| match_intent(language, part).is_some_and(|quick| quick.what == Intent::Stop);
    text.split([',', '.', '!', '?', ';']).any(is_stop)
}

/// `order` with what `text` answers to `question`; nothing when that is no answer.
pub fn complete(
    language: &Language,
    order: &ScheduleOrder,
    question: &ScheduleQuestion,
    text: &str,
) -> Option<ScheduleOrder> {
    let mut order = order.clone();
    let when = |name: &str, filled: &Filled<'_>| match (question, name) {
        (ScheduleQuestion::Length, "length" | "moved")
        | (ScheduleQuestion::Moment, "length" | "moment" | "moved") => filled.when(),
        _ => None,
    };
    match (question, &mut order) {
        (ScheduleQuestion::Text, ScheduleOrder::Set(wanted)) => {
            wanted.name = Some(statement(language, text)?)
        }
        (ScheduleQuestion::Length | ScheduleQuestion::Moment, ScheduleOrder::Set(wanted)) => {
            wanted.when = Some(answered(language, text, when)?.behind(wanted.when.as_ref()))
        }
        (ScheduleQuestion::Length | ScheduleQuestion::Moment, ScheduleOrder::Move { when: at, .. }) => {
            *at = Some(answered(language, text, when)?)
        }
        (ScheduleQuestion::Length, ScheduleOrder::Snooze { seconds, .. }) => {
            match answered(language, text, when)? {
                When::In(length) => *seconds = Some(length),
                When::At(_) => return None,
            }
        }
        (
            ScheduleQuestion::Which(_),
            ScheduleOrder::Left(which)
            | ScheduleOrder::Cancel(which)
            | ScheduleOrder::Skip(which)
            | ScheduleOrder::Add { which, .. }
            | ScheduleOrder::Move { which, .. }
            | ScheduleOrder::Pause(which)
            | ScheduleOrder::Resume(which)
            | ScheduleOrder::Restart(which)
            | ScheduleOrder::Snooze { which, .. },
        ) => {
            let said = answered(language, text, |name, filled| match name {
                "all" => Some(Which { many: Many::All, ..Which::default() }),
                "which" => Some(filled.meant()),
                _ => None,
            })?;
            // "The second one" is the second of those that were asked about.
            let is_place =
                said.rank.is_some() && Which { rank: None, kind: None, ..said.clone() } == Which::default();
            let ScheduleQuestion::Which(several) = question else { return None };
            let named = match said.rank {
                Some(Rank::Nth(nth)) => several.get(usize::from(nth).wrapping_sub(1)),
                _ => None,
            };
            *which = match (is_place, named) {
                (true, Some(named)) => Which { id: Some(named.id), many: Many::One, ..which.clone() },
                (true, None) => Which { rank: said.rank, many: said.many, ..which.clone() },
                (false, _) => Which { kind: said.kind.or(which.kind), ..said },
            };
        }
        _ => return None,
    }
    Some(order)
}

/// Returns the statement of `text`, as the answer to what is to be kept; nothing for a question, a yes, a no, or a time.
fn statement(language: &Language, text: &str) -> Option<String> {
    let said = |name: &str, filled: &Filled<'_>| match name {
        "what" => filled.name(),
        "which" => filled.as_said(filled.core.clone()),
        _ => None,
    };
    if mood(language, text) == Mood::Question { None } else { answered(language, text, said) }
}

/// Returns the order to remember the statement of `text`, as the answer to what is to be remembered.
pub fn to_remember(language: &Language, text: &str) -> Option<MemoryOrder> {
    Some(memory::to_remember(statement(language, text)?, language.grammar()))
}

/// When `text` says something and nothing else: "nine minutes", "9m30s", "half past six on weekdays".
pub fn when(language: &Language, text: &str) -> Option<When> {
    answered(language, &words::apart(text), |name, filled| {
        if matches!(name, "length" | "moment") { filled.when() } else { None }
    })
}

/// Returns whether a time stands in `text` that is one among any words: "at nine", "on Friday".
pub fn holds_time(language: &Language, text: &str) -> bool {
    let grammar = language.grammar();
    words::normalise(text, &grammar.manners).is_some_and(|said| lifted::holds_strict(&said, grammar))
}

/// Returns the same where nothing else than a time can be meant, whatever stands beside it: "at nine", "9 PM", but not the
/// nine of "lamp nine".
pub fn clear_when(language: &Language, text: &str) -> Option<When> {
    let said = words::normalise(text, &language.grammar().manners)?;
    let is_hour = |said: &Said| {
        said.clock.is_some_and(|clock| clock.exactness == Exactness::Either && clock.minute == 0)
            && (said.part, said.day, said.days) == (None, None, Days::NONE)
    };
    let when = when(language, text)?;
    let is_bare = matches!(&when, When::At(said) if is_hour(said));
    (!is_bare || lifted::is_strict(&said, language.grammar())).then_some(when)
}

fn answered<T>(language: &Language, text: &str, made: impl Fn(&str, &Filled<'_>) -> Option<T>) -> Option<T> {
    let said = words::normalise(text, &language.grammar().manners)?;
    matched(language, text, &Fluent::of(said), TemplateGroup::Answer, made).map(|matched| matched.made)
}
