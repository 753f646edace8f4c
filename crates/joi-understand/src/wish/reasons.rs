//! The reasons why a call does not run at once, for the trace and for the model.
//!
//! Pure: no I/O, no clock.

/// The reason of a call that somebody else may have been asked for.
pub(super) const ELSE: &str = "the user may have spoken to somebody else";
pub(super) const NOTHING: &str = "the user asked for nothing to be done";
/// The reason of a wish that something stay as it is.
pub const REFUSED: &str = "the user wants this not to be done";
pub(super) const INVENTED: &str = "nobody mentioned what the call is about";
/// The reason of a call where the form of the words leaves the wish open.
pub const UNCLEAR: &str = "it is not clear whether the user asked for this";
pub(super) const OTHER: &str = "the user asked for something else";
/// The reason of a call with a value that the user did not say.
pub const VALUE: &str = "the user did not say every value of the call";
/// The reason of a call that the user tied to a condition.
pub const CONDITION: &str = "the user named a condition";
pub(super) const OBJECT: &str = "the user did not say what it is to be done to";
/// The reason of a call that leaves a word of the request unexplained.
pub const LEFT_OVER: &str = "the user said more than the call does";
/// The reason of a call that a model took from words which say it in no known way.
pub const GUESS: &str = "the call is a guess at what the user meant";
/// All reasons: texts that a model gets about a call that is not made, and that are not an answer.
pub const REASONS: [&str; 11] =
    [NOTHING, REFUSED, INVENTED, UNCLEAR, OTHER, VALUE, CONDITION, OBJECT, LEFT_OVER, GUESS, ELSE];
