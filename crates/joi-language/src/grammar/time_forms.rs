//! The forms of a time that may stand anywhere in a command, as the section `times` of `commands.toml` has them.
//!
//! In: rows of templates. Out: programs that match them. Pure: no I/O, no clock.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::program::Program;

/// The section as it stands in the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TimeRows {
    strict: Vec<String>,
    loose: Vec<String>,
    joints: Vec<String>,
    others: Vec<String>,
    twice: Vec<(String, String)>,
    again: Vec<String>,
    sets: BTreeMap<String, String>,
}

/// The forms of a time, ready to match.
#[derive(Debug, Default)]
pub(crate) struct TimeForms {
    pub(super) strict: Vec<Program>,
    pub(super) loose: Vec<Program>,
    /// Between two times of one thing, in words.
    pub(super) joints: Vec<Vec<String>>,
    /// Between the time of one thing and that of another, in words.
    pub(super) others: Vec<Vec<String>>,
    /// What two things are called, and one of them.
    pub(crate) twice: Vec<(String, String)>,
    /// In place of a command to set one more, in words, the longest first.
    pub(super) again: Vec<Vec<String>>,
    /// That command, by the kind of entry.
    pub(super) sets: BTreeMap<String, String>,
}

impl TimeRows {
    pub(super) fn compiled(
        &self,
        compile: &mut impl FnMut(&str, &str) -> Result<Program, String>,
    ) -> Result<TimeForms, String> {
        let mut all = |key: &str, rows: &[String]| {
            rows.iter().map(|row| compile(key, row)).collect::<Result<Vec<_>, _>>()
        };
        let phrases = |rows: &[String]| {
            rows.iter().map(|row| row.split(' ').map(str::to_owned).collect()).collect::<Vec<_>>()
        };
        Ok(TimeForms {
            strict: all("times.strict", &self.strict)?,
            loose: all("times.loose", &self.loose)?,
            joints: phrases(&self.joints),
            others: phrases(&self.others),
            twice: self.twice.clone(),
            again: {
                let mut again = phrases(&self.again);
                again.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
                again
            },
            sets: self.sets.clone(),
        })
    }
}
