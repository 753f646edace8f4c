//! Placeholders in records for what is not to be kept.
//!
//! Plain data. What is spoken stands in the files of the languages.

/// In records, in place of what is not to be kept.
pub const NOT_KEPT: &str = "(not kept)";
