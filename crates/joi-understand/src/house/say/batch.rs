//! Sentences about commands that were sent together.
//!
//! Pure: no I/O, no clock.

use super::{PlannedBatch, capital, listed, number, outcomes, titles};
use joi_home::CommandOutcome;
use joi_language::fill;
use joi_language::house::HouseWords;

/// Returns what is said of `batch`, each command of which came out as in `outcomes`.
pub fn of_batch(batch: &PlannedBatch, outcomes_of: &[CommandOutcome], words: &HouseWords) -> String {
    let is_done = |outcome: &CommandOutcome| matches!(outcome, CommandOutcome::Done(_));
    match &batch.answer {
        Some(answer) if outcomes_of.iter().all(is_done) => answer.clone(),
        _ => outcomes(&batch.commands.iter().zip(outcomes_of).collect::<Vec<_>>(), words),
    }
}

/// Returns what of `batch` was not done as it was said: things that are left out, and others that go less far.
pub fn beside(batch: &PlannedBatch, words: &HouseWords) -> String {
    let say = &words.say;
    let mut told = Vec::new();
    if !batch.left_out.is_empty() {
        let things = listed(titles(&batch.left_out), &say.and);
        told.push(fill(&say.left_out, &[("things", &things)]));
    }
    let clamped = batch.commands.iter().filter_map(|planned| Some((planned, planned.clamped?)));
    told.extend(clamped.map(|(planned, nearest)| {
        let nearest = number(nearest, say);
        capital(&fill(&say.clamped, &[("thing", &planned.title), ("nearest", &nearest)]))
    }));
    told.join(" ")
}
