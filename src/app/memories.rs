//! What the owner types to be remembered, wherever: checked before it is stored.
//!
//! Pure but for the clock that dates it.

use jiff::Timestamp;

use joi_base::message::Private;
use joi_store::{MemoryKind, NewMemory};

/// Why a text is not remembered. Report it to whoever typed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MemoryRefusal {
    /// There are no words.
    #[error("there is nothing to remember; say it in words")]
    Empty,
    /// It holds a secret.
    #[error("secrets are not stored, and this text contains one; leave it out")]
    Secret,
}

/// Returns `text` as it may be stored.
///
/// # Errors
/// It is empty, or holds a secret.
pub fn storable(text: &str) -> Result<String, MemoryRefusal> {
    let text = joi_redact::redact(text);
    if text.as_str().is_empty() {
        return Err(MemoryRefusal::Empty);
    }
    if !text.labels().is_empty() {
        return Err(MemoryRefusal::Secret);
    }
    Ok(text.into_string())
}

/// Returns an entry of the memory that was typed.
///
/// # Errors
/// As [`storable`].
pub fn typed_memory(text: &str, kind: MemoryKind, at: Timestamp) -> Result<NewMemory, MemoryRefusal> {
    Ok(NewMemory { kind, at, text: Private(storable(text)?), source: "typed".into() })
}
