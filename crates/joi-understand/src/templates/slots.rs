//! Reads the slots of a match. Pure: no I/O, no clock.

use joi_templates::{IntentMatch, SlotOrigin};
use serde_json::Value;

/// Returns the text of a slot that is one.
pub(crate) fn text<'m>(found: &'m IntentMatch, name: &str) -> Option<&'m str> {
    found.slot(name)?.value.as_str()
}

/// Returns the number of a slot that is one.
pub(crate) fn number(found: &IntentMatch, name: &str) -> Option<f64> {
    found.slot(name)?.value.as_f64()
}

/// Returns a slot that was said: the context fills others.
pub(crate) fn said<'m>(found: &'m IntentMatch, name: &str) -> Option<&'m str> {
    let slot = found.slot(name).filter(|slot| slot.origin != SlotOrigin::Context)?;
    slot.value.as_str()
}

/// Returns whether the words of a slot say how something is instead of what it is to be: "too loud".
pub(crate) fn describes(found: &IntentMatch, name: &str) -> bool {
    found.slot(name).is_some_and(|slot| slot.origin == SlotOrigin::List && slot.text.contains(' '))
}

/// Returns the values of a slot that is a text or a list of them.
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns the length of time of the slots `hours`, `minutes` and `seconds`, with `prefix` before their names, in seconds;
/// nothing where there is none.
pub(crate) fn length(found: &IntentMatch, prefix: &str) -> Option<u32> {
    let units = [("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0)];
    let mut total = 0.0;
    for slot in &found.slots {
        let unit =
            slot.name.strip_prefix(prefix).and_then(|name| units.iter().find(|(unit, _)| *unit == name));
        if let (Some((_, seconds)), Some(value)) = (unit, slot.value.as_f64()) {
            total += value * seconds;
        }
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most some hundred hours")]
    (total >= 1.0).then_some(total.round() as u32)
}
