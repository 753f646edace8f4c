//! Charts as SVG: drawn here, without a script, and readable in a file of their own.
//!
//! Colours are attributes, for a file; a page sets them anew by the classes of the parts. No word that was said is in a
//! chart. Pure: no I/O, no clock.

pub mod histogram;
pub(crate) mod impulse;
pub mod waterfall;

/// Returns text as it may stand in SVG.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
