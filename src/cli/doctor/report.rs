//! Shows the findings of `joi doctor` as they come, or all of them as JSON at the end.
//!
//! Main thread. In: the rows of one part after the other. Out: lines on stdout. A part that can't be checked is a finding as
//! well, and keeps no other part from being checked.

use serde_json::json;

use crate::app::checks::Row;
use crate::cli::show::{self, Tone};

/// How findings are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportForm {
    /// Lines for people, each at once.
    Lines,
    /// One array at the end.
    Json,
}

/// The findings so far.
pub(super) struct DoctorReport {
    form: ReportForm,
    rows: Vec<Row>,
}

impl DoctorReport {
    pub(super) fn new(form: ReportForm) -> Self {
        Self { form, rows: Vec::new() }
    }

    /// Takes what `check` finds about the part called `what`, and shows on a terminal that it goes on.
    ///
    /// # Errors
    /// Nobody reads it any more.
    pub(super) fn part(
        &mut self,
        what: &'static str,
        check: impl FnOnce() -> anyhow::Result<Vec<Row>>,
    ) -> std::io::Result<()> {
        let working = show::working(what);
        let found = check();
        working.finish_and_clear();
        let rows = found.unwrap_or_else(|error| {
            vec![Row::bad(what, format!("can't be checked: {error:#}"), "correct that and ask again")]
        });
        self.rows(rows)
    }

    /// Takes rows that are there already.
    ///
    /// # Errors
    /// As [`DoctorReport::part`].
    pub(super) fn rows(&mut self, rows: Vec<Row>) -> std::io::Result<()> {
        if self.form == ReportForm::Lines {
            rows.iter().try_for_each(print)?;
        }
        self.rows.extend(rows);
        Ok(())
    }

    /// Ends the report; returns whether something is bad.
    ///
    /// # Errors
    /// As [`DoctorReport::part`].
    pub(super) fn end(self) -> anyhow::Result<bool> {
        if self.form == ReportForm::Json {
            let row = |r: &Row| json!({ "what": r.what, "verdict": r.verdict(), "told": r.told, "remedy": r.remedy });
            show::line(serde_json::to_string_pretty(&self.rows.iter().map(row).collect::<Vec<_>>())?)?;
        }
        Ok(self.rows.iter().any(|row| row.mood == Tone::Bad))
    }
}

fn print(row: &Row) -> std::io::Result<()> {
    let sign = match row.mood {
        Tone::Good | Tone::Quiet => "✓",
        Tone::Fair => "!",
        Tone::Bad => "✗",
    };
    show::line(format!("{} {:14} {}", show::coloured(row.mood, sign), row.what, row.told))?;
    if !row.remedy.is_empty() {
        show::line(format!("  {:14} → {}", "", row.remedy))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_can_not_be_checked_is_bad_and_the_others_are_checked() {
        let mut report = DoctorReport::new(ReportForm::Lines);
        report.part("house", || anyhow::bail!("no such language")).unwrap();
        report.part("disk", || Ok(vec![Row::good("disk", "all there")])).unwrap();
        let shown: Vec<_> =
            report.rows.iter().map(|row| (row.what, row.verdict(), row.told.as_str())).collect();
        assert_eq!(
            shown,
            [("house", "bad", "can't be checked: no such language"), ("disk", "good", "all there")]
        );
        assert!(report.end().unwrap());
    }
}
