//! What the user's words say of a call that a model only guessed.
//!
//! Pure: no I/O, no clock.

use super::reasons::{GUESS, NOTHING};
use super::{Utterances, mentioned};
use joi_language::Language;
use joi_language::values::{CallValue, ValueKind, Wish};

/// Returns the verdict on a call that a model only guessed, `wish` being that on a call in plain words. Nothing is done
/// unasked, and a name of something that nobody mentioned is not even asked about.
pub fn of_guess(language: &Language, said: &Utterances<'_>, wish: Wish, values: &[CallValue]) -> Wish {
    // A choice of few words is asked about in full; it need not have been said.
    let is_said = |value: &&CallValue| !matches!(value.kind, ValueKind::Choice(_) | ValueKind::List);
    let values: Vec<CallValue> = values.iter().filter(is_said).cloned().collect();
    match wish {
        Wish::Act | Wish::Ask(_) | Wish::Talk(NOTHING) => match mentioned(language, said, "", &values) {
            Wish::Act => Wish::Ask(GUESS),
            invented => invented,
        },
        Wish::Talk(why) => Wish::Talk(why),
    }
}
