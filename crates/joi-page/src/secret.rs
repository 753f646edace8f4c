//! Random secrets of browsers and links, and the form in which they are kept: a SHA-256 of which nobody finds the secret.
//!
//! In: chance of the system. Out: text of hexadecimal digits.

use std::fmt::Write as _;

use joi_base::message::Private;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Bytes of a secret: 128 bits.
const BYTES: usize = 16;

/// The SHA-256 of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SecretDigest(String);

impl SecretDigest {
    /// Returns the digest of `secret`.
    pub(crate) fn of(secret: &str) -> Self {
        Self(hex(&Sha256::digest(secret.as_bytes())))
    }

    /// Returns the beginning of it: names what has the secret, without saying more.
    pub(crate) fn name(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

/// Makes a new secret; nothing where the system has no chance to give.
pub(crate) fn fresh() -> Option<Private<String>> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).ok()?;
    Some(Private(hex(&bytes)))
}

/// Returns what the forms of a page have to bring beside the cookie `secret`, which other pages can't read.
pub(crate) fn form_key(secret: &str) -> String {
    hex(&Sha256::digest(format!("form of {secret}").as_bytes()))
}

/// Returns the SHA-256 of `bytes`, cut to a name for a version of them.
pub(crate) fn version(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..6])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
