//! Speech to text (placeholder: the worker that owns the model replaces this file).

use serde::{Deserialize, Serialize};

/// Speech to text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SttConfig {}
