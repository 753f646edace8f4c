//! Texts that servers send, in the form in which they are kept and shown.
//!
//! Pure: no I/O, no clock.

use super::address::ServerAddress;
use super::house::state::rounded;
use super::house::unit::converted;

/// Returns the state of an item out of an event, converted to `unit`. Averages of temperatures come in kelvin whatever
/// the item's unit.
pub(crate) fn state_text(text: &str, unit: Option<&str>) -> String {
    let kelvin = text.strip_suffix(" K").and_then(|value| value.parse::<f64>().ok());
    match (kelvin, unit) {
        (Some(kelvin), Some(unit @ ("°C" | "°F"))) => {
            let value = converted(kelvin, "K", unit);
            value.map_or_else(|| text.to_owned(), |value| format!("{} {unit}", rounded(value)))
        }
        _ => text.to_owned(),
    }
}

/// Returns a redirection's target without a login, a query, or the path of the interface.
pub(crate) fn shown_target(location: &str) -> String {
    ServerAddress::read(location).map_or_else(|_| "unknown".to_owned(), |a| a.to_string())
}
