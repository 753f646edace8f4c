//! When a session is over, and what is kept of it: its full text, and a summary that needs no model where there is none.
//!
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};
use joi_base::message::Origin;
use joi_store::{InnerStep, NewArchive, ThreadCell};
use joi_tools::fence;

/// Characters of the full text of a session.
const LONGEST_SESSION: usize = 40_000;
/// Characters of a summary.
const LONGEST_SUMMARY: usize = 600;
/// Messages of the user of which a summary is made where no model makes one.
const QUOTED: usize = 3;
/// Characters of each.
const LONGEST_QUOTE: usize = 120;

/// Returns whether the session of these cells is over: somebody has spoken in it, and nobody for `silence`.
pub fn is_over(cells: &[ThreadCell], silence: SignedDuration, now: Timestamp) -> bool {
    let has_words = cells.iter().any(|cell| cell.author == "user");
    has_words && cells.last().is_some_and(|last| now.duration_since(last.at) >= silence)
}

/// Returns the question by which a model sums a session up.
pub fn question(cells: &[ThreadCell]) -> String {
    let text = thread(cells);
    include_str!("../../../assets/prompts/goal.summary.md")
        .trim()
        .replace("{session}", &fence::shortened(&text, 4_000))
}

/// Returns the summary that a model has written; nothing where there is none.
pub fn written(summary: Option<&str>) -> Option<String> {
    let summary = summary?.trim();
    (!summary.is_empty()).then(|| fence::shortened(summary, LONGEST_SUMMARY))
}

/// Returns a summary of what the user said.
pub fn quoted(cells: &[ThreadCell]) -> String {
    let said: Vec<String> = cells
        .iter()
        .filter(|cell| cell.author == "user")
        .map(|cell| format!("\"{}\"", fence::shortened(&cell.text, LONGEST_QUOTE)))
        .collect();
    let shown = said.len().min(QUOTED);
    let more = said.len() - shown;
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    fence::shortened(&format!("The owner said {}{more}.", said[..shown].join(", ")), LONGEST_SUMMARY)
}

/// Returns the archive of a session; nothing of none.
pub fn archive(
    work: i64,
    (cells, steps): (&[ThreadCell], &[InnerStep]),
    summary: String,
    reason: &str,
) -> Option<NewArchive> {
    let (first, last) = (cells.first()?, cells.last()?);
    let steps_text: String = steps.iter().map(|step| format!("{}: {}\n", step.role, step.text)).collect();
    let is_foreign = cells.iter().map(|cell| cell.origin).chain(steps.iter().map(|step| step.origin));
    let is_foreign = is_foreign.into_iter().any(|origin| origin == Origin::Stranger);
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Some(NewArchive {
        work,
        last_cell: last.id,
        began: first.at,
        ended: last.at,
        reason: reason.to_owned(),
        messages: count(cells.len()),
        calls: count(steps.iter().filter(|step| step.role == "call").count()),
        summary,
        full_text: fence::shortened(&format!("{}{steps_text}", thread(cells)), LONGEST_SESSION),
        origin: if is_foreign { Origin::Stranger } else { Origin::Ours },
    })
}

/// Returns the words of a thread, a line each.
fn thread(cells: &[ThreadCell]) -> String {
    cells.iter().map(|cell| format!("{}: {}\n", cell.author, cell.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::SESSION_OVER;
    use crate::tests::rows::cell;

    #[test]
    fn a_session_is_over_after_half_an_hour_of_silence_if_somebody_spoke_in_it() {
        let said = [cell(1, "user", "in May"), cell(2, "agent", "Noted.")];
        let at = |seconds: i64| said[1].at + SESSION_OVER + SignedDuration::from_secs(seconds);
        assert!(!is_over(&said, SESSION_OVER, at(-1)));
        assert!(is_over(&said, SESSION_OVER, at(0)));
        assert!(is_over(&said, SESSION_OVER, at(1)));
        assert!(!is_over(&said[1..], SESSION_OVER, at(9)), "nobody has spoken");
        assert!(!is_over(&[], SESSION_OVER, at(9)));
    }

    #[test]
    fn without_a_model_a_summary_quotes_the_owner() {
        let cells: Vec<_> = (0..5).map(|n| cell(n, "user", &format!("wish {n}"))).collect();
        assert_eq!(quoted(&cells), "The owner said \"wish 0\", \"wish 1\", \"wish 2\" and 2 more.");
        assert_eq!(written(Some("  ")), None);
        assert_eq!(written(None), None);
        assert_eq!(written(Some(" May it is. ")), Some("May it is.".into()));
    }

    #[test]
    fn an_archive_holds_everything_and_whose_words_they_are() {
        let mut cells = [cell(1, "user", "in May"), cell(2, "agent", "Noted.")];
        let step = |role: &str, origin| InnerStep {
            run: 1,
            at: cells[0].at,
            role: role.into(),
            text: "webSearch".into(),
            origin,
        };
        let steps = [step("call", Origin::Ours), step("result", Origin::Stranger)];
        let made = archive(7, (&cells, &steps), "s".into(), "silence").unwrap();
        assert_eq!((made.messages, made.calls, made.last_cell, made.origin), (2, 1, 2, Origin::Stranger));
        assert_eq!(made.full_text, "user: in May\nagent: Noted.\ncall: webSearch\nresult: webSearch\n");
        cells[0].origin = Origin::Typing;
        assert_eq!(archive(7, (&cells, &[]), "s".into(), "silence").unwrap().origin, Origin::Ours);
        assert!(archive(7, (&[], &[]), "s".into(), "silence").is_none());
    }
}
