//! Watches: "let me know when the garage opens", "every time the doorbell rings, …", "what are you watching?".
//!
//! In: an utterance, the house, the words of the language, what reads a time. Out: an order about watches that names
//! everything that was said, a question back, or a refusal by name; nothing for anything else. Things, values and
//! times are read as in questions and commands to the house. A condition that is negated or in the past is none.
//! Pure: no I/O, no clock.

mod condition;
pub(super) mod frame;
mod orders;
mod phrasings;
mod presence;
mod refusal;
mod situation;
#[cfg(test)]
mod tests;
mod times;
mod understanding;
mod wish;

use super::decision::{HouseDecision, HouseRefusal, PlannedCommand};
use super::later::{self, LaterTime};
use super::lexicon::HouseLexicon;
use super::reader::Reader;
use super::things::Things;
use super::{decide, say};
use frame::{Framed, FramedDeed};
use joi_language::values::{
    LaterCommand, NewWatch, WatchCondition, WatchDeed, WatchOrder, WatchRepeat, WatchTest,
};
use joi_language::watch::WatchWords;
pub use refusal::{WatchRefusal, refused};
use situation::{WatchSituation, Watcher};
pub use understanding::{WatchPlace, WatchUnderstanding};
use wish::ConditionRead;
pub use wish::WatchWish;

/// The deed of a watch, and its commands as they were checked.
type PlannedDeed = (WatchDeed, Vec<PlannedCommand>);

/// Returns whether `text` may be about watches, whatever the house holds.
pub fn may_be(text: &str, words: &WatchWords) -> bool {
    let said = frame::words(text, &words.frame);
    let holds = |phrases: &[String]| (0..said.len()).any(|at| frame::longest(&said[at..], phrases).is_some());
    holds(&words.frame.when) || holds(&words.frame.whenever)
}

/// Returns what `text` wishes; nothing when it is not about watches.
fn wished(text: &str, situation: &WatchSituation<'_>) -> Option<WatchWish> {
    let said = frame::words(text, &situation.words.frame);
    if text.contains(['"', '“', '„', '«', '»'])
        || !(may_be(text, situation.words) || orders::may_be(&said, situation))
    {
        return None;
    }
    let mut lexicon = HouseLexicon::new(situation.house.words, situation.house.phonetic);
    let things = Things::of(situation.house.house, &mut lexicon);
    let reader = Reader { situation: &situation.house, lexicon: &lexicon, things: &things };
    let watcher = Watcher { situation, reader };
    watcher.ordered(&said).or_else(|| watcher.set(&said))
}

impl Watcher<'_> {
    /// Returns a new watch, or what is to be asked or refused.
    fn set(&self, said: &[String]) -> Option<WatchWish> {
        let mut fallback = None;
        for (rest, end) in times::without_end(said, self.situation) {
            for framed in frame::frames(&rest, &self.situation.words.frame) {
                let wish = match self.framed(&framed, end.as_ref()) {
                    Some(wish) => wish,
                    None => continue,
                };
                match wish {
                    WatchWish::Refused(_) => fallback = fallback.or(Some(wish)),
                    wish => return Some(wish),
                }
            }
        }
        fallback
    }

    fn framed(&self, framed: &Framed, end: Option<&times::WatchEnd>) -> Option<WatchWish> {
        // Before the condition is read: most of what is said in front of one is no deed.
        let deed = match &framed.deed {
            FramedDeed::Tell => Ok((WatchDeed::Tell, Vec::new())),
            FramedDeed::Words(words) => self.deed(words)?,
        };
        let (condition, is_event) = match self.condition(&framed.condition)? {
            ConditionRead::So(condition, is_event) => (condition, is_event),
            ConditionRead::Wish(wish) => return Some(wish),
        };
        if framed.asks && !is_event && condition.for_s == 0 {
            return None;
        }
        let (deed, planned) = match deed {
            Ok(deed) => deed,
            Err(wish) => return Some(wish),
        };
        let until = match end.map(|end| end.moment(self.situation.now)) {
            None => None,
            Some(Some(until)) => Some(until),
            Some(None) => return Some(WatchWish::Refused(WatchRefusal::NoEnd)),
        };
        if framed.repeats == WatchRepeat::Once && self.is_scheduled(&condition, &deed) {
            return None;
        }
        let watch = NewWatch { condition, deed, repeats: framed.repeats, until };
        Some(WatchWish::Order(WatchOrder::Add(watch), planned))
    }

    /// Returns whether a command of the schedule does the same: the moment is known, and ahead.
    fn is_scheduled(&self, condition: &WatchCondition, deed: &WatchDeed) -> bool {
        let is_sun = matches!(condition.test, WatchTest::Sunset | WatchTest::Sunrise);
        is_sun
            && matches!(deed, WatchDeed::Command { .. })
            && self.moment(&condition.test).is_some_and(|(.., at)| at > self.situation.now.timestamp())
    }

    /// Returns what is to be done then; an error is what is asked or refused, nothing is no deed.
    fn deed(&self, words: &[String]) -> Option<Result<PlannedDeed, WatchWish>> {
        let text = words.join(" ");
        if !(self.situation.may_act)(&text) {
            return None;
        }
        let house = &self.situation.house;
        let refused = |refusal| Some(Err(WatchWish::Refused(refusal)));
        match decide(&text, house) {
            Some(HouseDecision::Send(batch)) if batch.left_out.is_empty() => {
                let name = say::later(&batch.commands, house.words);
                let commands = batch.commands.iter().map(|one| LaterCommand {
                    item: one.ordered.item.clone(),
                    text: one.ordered.text.clone(),
                });
                let deed = WatchDeed::Command { name, commands: commands.collect() };
                Some(Ok((deed, batch.commands)))
            }
            Some(HouseDecision::AskFirst(_)) => refused(WatchRefusal::House(HouseRefusal::NobodyThere)),
            Some(HouseDecision::Which(things)) => Some(Err(WatchWish::Which(things))),
            Some(HouseDecision::Where(things)) => Some(Err(WatchWish::Where(things))),
            Some(HouseDecision::Refused(refusal)) => refused(WatchRefusal::House(refusal)),
            Some(HouseDecision::Send(_) | HouseDecision::Told(_)) => None,
            None => {
                let has_time = later::without_time(&text, house.words, self.situation.when);
                let acts = |rest: &str| {
                    matches!(decide(rest, house), Some(HouseDecision::Send(_) | HouseDecision::AskFirst(_)))
                };
                let is_timed = |way: &later::LaterWords| way.time != LaterTime::Unclear && acts(&way.rest);
                has_time.iter().any(is_timed).then_some(Err(WatchWish::Refused(WatchRefusal::DeedTime)))
            }
        }
    }
}
