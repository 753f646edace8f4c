//! Reads a command whose time stands anywhere in it: "for tomorrow at seven would you set an alarm".
//!
//! In: the words of an utterance. Out: the intent, or nothing. The times are lifted out, and what is left must fit a
//! template as a whole, so that no word of the utterance is without a meaning. A time beside words that may be
//! anything needs a form that nothing else has; one within such words is a part of them.
//! Pure: no I/O, no clock.

use super::filled::Filled;
use super::{Intent, Matched, orders};
use joi_language::Language;
use joi_language::grammar::TemplateGroup;
use joi_language::grammar::disfluency::Fluent;
use joi_language::grammar::lifted::{Lifted, lifted};
use joi_language::grammar::machine::{Capture, Fit, GrammarUtterance, Slot};
use joi_language::grammar::slots::Taken;
use joi_language::grammar::words;

/// Returns the intent of `said`, and the template that fits what is not a time.
pub(super) fn intent<'a>(language: &'a Language, text: &str, said: &Fluent) -> Option<Matched<'a, Intent>> {
    let grammar = language.grammar();
    lifted(&said.words, grammar).iter().find_map(|lifted| {
        let utterance = GrammarUtterance::new(&lifted.words, grammar);
        words::without_politeness(&lifted.words, &grammar.manners).into_iter().find_map(|core| {
            let fit = utterance.find(TemplateGroup::Frame, core.start, core.end).fit?;
            let captures = together(&fit, lifted)?;
            let template = &grammar.templates[fit.template];
            let filled = Filled {
                captures: &captures,
                words: &lifted.words,
                core,
                text,
                dropped: &said.dropped,
                grammar,
            };
            if filled.is_cut_short() {
                return None;
            }
            let made = orders::intent(&template.intent, &filled)?;
            Some(Matched { made, template: template.text.as_str(), open: fit.open + said.dropped.len() })
        })
    })
}

/// Returns what `fit` and the times took; nothing where that makes no sense together.
fn together(fit: &Fit, lifted: &Lifted) -> Option<Vec<Capture>> {
    let is_clear = fit.captures.iter().all(|capture| is_clear(capture, lifted));
    let times = lifted.times.iter().flat_map(|time| time.captures.iter().cloned());
    let all: Vec<Capture> = fit.captures.iter().cloned().chain(times).collect();
    (is_clear && is_one_time(&all)).then_some(all)
}

/// Returns whether no time stands within the words that `capture` took, and none beside them that may belong to them.
fn is_clear(capture: &Capture, lifted: &Lifted) -> bool {
    if !matches!(capture.taken, Taken::Words(_)) {
        return true;
    }
    let within = (capture.at.start + 1..capture.at.end).flat_map(|place| lifted.at_place(place)).count();
    let beside = [capture.at.start, capture.at.end];
    let mut beside = beside.into_iter().flat_map(|place| lifted.at_place(place));
    within == 0 && (capture.slot != Slot::Text || beside.all(|time| time.is_strict))
}

/// Returns whether `captures` say one time: each kind of value once, and a length or a moment, not both.
fn is_one_time(captures: &[Capture]) -> bool {
    let count = |slots: &[Slot]| captures.iter().filter(|capture| slots.contains(&capture.slot)).count();
    let length = count(&[Slot::Duration]);
    let moment = [&[Slot::Clock][..], &[Slot::Part, Slot::Today], &[Slot::Day, Slot::Month, Slot::MonthDay]];
    let days = count(&[Slot::Days, Slot::Several, Slot::Nth]);
    let most = moment.iter().map(|slots| count(slots)).max().unwrap_or(0);
    length <= 1 && most <= 1 && (length == 0 || (most == 0 && days == 0))
}
