//! A command whose day was named in a statement before it: "we're going hiking tomorrow, wake me at seven".
//!
//! In: the statement, and the command. Out: the command on that day, or nothing where it has a day of its own, or none to
//! be on. Pure: no I/O, no clock.

use super::{Intent, QuickIntent, match_intent};
use joi_language::Language;
use joi_language::grammar::{lifted, words};
use joi_language::values::{Said, ScheduleOrder, When};

/// Returns the command of `command` on the day that `statement` names.
pub fn on_day_before(language: &Language, statement: &str, command: &str) -> Option<QuickIntent> {
    let grammar = language.grammar();
    let said = words::normalise(statement, &grammar.manners)?;
    let at = lifted::day_in(&said, grammar)?;
    let day = statement.get(said.get(at.start)?.at.start..said.get(at.end.checked_sub(1)?)?.at.end)?;
    let alone = without_reference(language, command);
    let is_dayless = |order: &ScheduleOrder| match order {
        ScheduleOrder::Set(wanted) => match &wanted.when {
            Some(When::At(Said { clock, day, days, .. })) => {
                clock.is_some() && day.is_none() && days.is_none()
            }
            _ => false,
        },
        ScheduleOrder::Skip(which) | ScheduleOrder::Cancel(which) => which.day.is_none(),
        _ => false,
    };
    match &match_intent(language, &alone)?.what {
        Intent::Schedule(order) if is_dayless(order) => {}
        _ => return None,
    }
    let with_day = [format!("{alone} {day}"), format!("{day} {alone}")];
    let on_day =
        with_day.iter().filter_map(|text| match_intent(language, text)).find(|quick| match &quick.what {
            Intent::Schedule(ScheduleOrder::Set(wanted)) => {
                matches!(&wanted.when, Some(When::At(said)) if said.day.is_some() && said.clock.is_some())
            }
            Intent::Schedule(ScheduleOrder::Skip(which)) => which.day.is_some(),
            _ => false,
        });
    on_day.map(|quick| QuickIntent { reason: "its day was named before it".to_owned(), ..quick })
}

/// Returns `command` without words for the day that was named: "an alarm for six that day".
fn without_reference(language: &Language, command: &str) -> String {
    let grammar = language.grammar();
    let Some(mut said) = words::normalise(command, &grammar.manners) else { return command.to_owned() };
    for phrase in &grammar.manners.same_day {
        let is_it = |at: &usize| {
            let texts = said.get(*at..at + phrase.len()).unwrap_or_default().iter().map(|word| &word.text);
            texts.eq(phrase)
        };
        if let Some(at) = (0..said.len()).find(is_it) {
            said.drain(at..at + phrase.len());
        }
    }
    said.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}
