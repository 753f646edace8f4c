//! The table of a language: each kind with its verdicts, and every sentence that is wrong.
//!
//! Pure: no I/O, no clock.

use std::fmt::Write as _;

use super::judge::SaidVerdict;

/// A sentence that is judged.
pub(super) struct Outcome {
    /// Nothing was changed by it.
    pub(super) is_idle: bool,
    pub(super) kind: &'static str,
    pub(super) line: usize,
    pub(super) is_free: bool,
    pub(super) verdict: SaidVerdict,
    /// The words, and the right effect.
    pub(super) said: String,
    pub(super) expected: &'static str,
    /// What came of it.
    pub(super) happened: String,
}

/// Sentences by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct VerdictCounts {
    pub(super) right: usize,
    pub(super) asked: usize,
    pub(super) model: usize,
    pub(super) wrong: usize,
}

impl VerdictCounts {
    /// Counts those that are meant.
    pub(super) fn of(all: &[Outcome], is_meant: impl Fn(&Outcome) -> bool) -> Self {
        let mut counts = Self::default();
        for outcome in all.iter().filter(|outcome| is_meant(outcome)) {
            *match outcome.verdict {
                SaidVerdict::Right => &mut counts.right,
                SaidVerdict::Asked => &mut counts.asked,
                SaidVerdict::Model => &mut counts.model,
                SaidVerdict::Wrong => &mut counts.wrong,
            } += 1;
        }
        counts
    }

    fn row(self, name: &str) -> String {
        let Self { right, asked, model, wrong } = self;
        let all = right + asked + model + wrong;
        let share = (right + asked) * 100 / all.max(1);
        format!("{name:<18}{all:>4}{right:>7}{asked:>7}{model:>7}{wrong:>7}{share:>5} %\n")
    }
}

/// Returns the table, and below it the sentences of a verdict that is not right, by kind.
pub(super) fn table(code: &str, all: &[Outcome]) -> String {
    let mut text = format!("{code:<18}   n  right  asked  model  wrong   good\n");
    let mut kinds: Vec<&str> = all.iter().map(|outcome| outcome.kind).collect();
    kinds.dedup();
    for kind in kinds {
        text += &VerdictCounts::of(all, |outcome| outcome.kind == kind).row(kind);
    }
    text += &VerdictCounts::of(all, |outcome| !outcome.is_free).row("plain");
    text += &VerdictCounts::of(all, |outcome| outcome.is_free).row("disfluent");
    text += &VerdictCounts::of(all, |_| true).row("total");
    let bad = |outcome: &&Outcome| matches!(outcome.verdict, SaidVerdict::Wrong | SaidVerdict::Model);
    for Outcome { kind, line, verdict, said, expected, happened, .. } in all.iter().filter(bad) {
        let _ = write!(
            text,
            "\n{verdict:?} {kind} {code}.tsv:{line}\n  said  {said}\n  right {expected}\n  was   {happened}\n"
        );
    }
    text
}
