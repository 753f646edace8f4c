//! The community's sentence templates, asked where the patterns of a language find nothing.
//!
//! In: a sentence, the compiled templates of the language. Out: the same intents, calls of lists and orders to the house that
//! our own patterns make, so that consent, permission and read-back are the same. `table` says what becomes of each intent;
//! the house's part is in `house/by_template.rs`. Pure but for the first use, which compiles the templates of a language.

pub(crate) mod list;
pub(crate) mod quick;
pub(crate) mod slots;
pub(crate) mod table;
#[cfg(test)]
mod tests;
