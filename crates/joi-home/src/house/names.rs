//! Cuts the names that a hub gives to things: they are shown in tables, spoken, and put in prompts.
//!
//! Cautions are decided by whole names before.
//! Pure: no I/O, no clock.

/// Characters of the longest name. Longer ones are no names: a hub that is damaged or hostile sends them.
pub(super) const LONGEST_NAME: usize = 120;

/// Cuts a label and synonyms to [`LONGEST_NAME`].
pub(super) fn cut_all(label: &mut Option<String>, synonyms: &mut [String]) {
    label.iter_mut().chain(synonyms).for_each(cut);
}

/// Cuts a name to [`LONGEST_NAME`], an ellipsis included.
pub(super) fn cut(name: &mut String) {
    if name.chars().nth(LONGEST_NAME).is_some() {
        let kept: String = name.chars().take(LONGEST_NAME - 1).collect();
        *name = format!("{}…", kept.trim_end());
    }
}
