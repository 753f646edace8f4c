//! A clause of an utterance and its form.
//!
//! Pure: no I/O, no clock.

/// The form of a clause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// It asks for a deed.
    Request,
    /// It wants something to stay as it is.
    Stay,
    /// It asks about something.
    Question,
    /// It imagines something.
    Hypothesis,
    /// It states what somebody said.
    Reported,
    /// It states something.
    Statement,
    /// Its form does not show: an answer, a name.
    #[default]
    Open,
}

/// A part of an utterance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) form: Form,
    /// Without what leads to it and trails behind it; of a polite request only what is asked for.
    pub(super) words: Vec<String>,
    /// It was asked for politely, or wished for: its verb need not come first.
    pub(super) is_polite: bool,
    /// It is to be done only if something is so.
    pub(super) has_condition: bool,
    /// It is a bare verb with a question mark: "set a timer?".
    pub(super) is_echo: bool,
    /// It is only said back as a question, and not wanted: "set a timer? why would I".
    pub(super) is_turned_down: bool,
}
