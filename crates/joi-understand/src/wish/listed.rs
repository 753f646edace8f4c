//! Whether a request is a call of a list by the sentence templates of its language, or one of goals as it stands.
//!
//! In: the request, a call. Out: whether it is this one. Pure but for the first use, which compiles the templates.

use crate::requests::goal;
use crate::requests::list::SHOPPING;
use crate::templates::list;
use joi_language::Language;
use joi_language::values::{CallValue, ValueKind};

/// Returns whether `text` is this very call, the deed and every value of it: as it stands, or by the templates of a language
/// that has no words of consent of its own.
pub(super) fn asks_for(language: &Language, text: &str, deed: &str, values: &[CallValue]) -> bool {
    if goal::asks_for(language, text, deed, values) {
        return true;
    }
    let Some(call) = language.is_by_templates().then(|| list::call(language, text)).flatten() else {
        return false;
    };
    let list = call.list.as_deref().unwrap_or(SHOPPING);
    let is_said = |value: &CallValue| match value.kind {
        ValueKind::List => value.text == list,
        _ => value.text.eq_ignore_ascii_case(&call.text),
    };
    deed == format!("lists {}", call.action) && values.iter().all(is_said)
}
