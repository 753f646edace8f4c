//! Writes and reads the manifest of an archive: the first file in it, as JSON.
//!
//! In: its bytes. Out: the manifest, or why it can't be used. Everything in it is checked before anything else of the
//! archive is read: names, sizes, their sum, the order.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::member::{DATABASE, MemberName};

/// Its name in the archive.
pub(super) const MANIFEST: &str = "manifest.json";
/// The form of archives that this program makes.
const FORMAT: u32 = 1;
/// Bytes of the longest one.
pub(super) const LONGEST_MANIFEST: u64 = 1 << 20;

/// What an archive holds, who made it, and of what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupManifest {
    /// The form of the archive.
    pub(super) format: u32,
    /// The version of the program that made it.
    pub joi: String,
    /// When: RFC 3339, UTC.
    pub made_at: String,
    /// The schema of the database.
    pub schema: usize,
    /// The home directory there; paths below it are mapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) home: Option<PathBuf>,
    /// Whether secrets are part of it.
    pub with_secrets: bool,
    /// Keys of the configuration that were left out because they are secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Its files, in their order.
    pub members: Vec<ArchivedFile>,
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedFile {
    pub(super) name: MemberName,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: String,
}

impl ArchivedFile {
    /// Its name in the archive.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }
}

/// Why a manifest can't be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ManifestFault {
    /// It contradicts itself, or holds what no backup holds.
    Unsound(String),
    /// A newer program made it.
    Newer { made_by: String, what: &'static str },
}

impl BackupManifest {
    pub(super) fn new(made_at: String, home: Option<PathBuf>) -> Self {
        Self {
            format: FORMAT,
            joi: env!("CARGO_PKG_VERSION").to_owned(),
            made_at,
            schema: 0,
            home,
            with_secrets: false,
            left_out: Vec::new(),
            members: Vec::new(),
        }
    }

    /// Reads and checks one; `newest_schema` is what this program knows.
    pub(super) fn read(bytes: &[u8], newest_schema: usize) -> Result<Self, ManifestFault> {
        #[derive(Deserialize)]
        struct ManifestHead {
            format: u32,
            joi: String,
        }
        let unreadable = |error: serde_json::Error| ManifestFault::Unsound(format!("its manifest: {error}"));
        // Of a newer form no more than this may be readable.
        let head: ManifestHead = serde_json::from_slice(bytes).map_err(unreadable)?;
        let made_by: String = head.joi.chars().filter(|sign| sign.is_ascii_graphic()).take(20).collect();
        if head.format > FORMAT {
            return Err(ManifestFault::Newer { made_by, what: "archive" });
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(unreadable)?;
        if manifest.schema > newest_schema {
            return Err(ManifestFault::Newer { made_by, what: "database" });
        }
        manifest.check().map_err(ManifestFault::Unsound)?;
        Ok(manifest)
    }

    /// Bytes of all its files together.
    pub fn bytes(&self) -> u64 {
        self.members.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// Returns whether it holds a database.
    pub(super) fn has_database(&self) -> bool {
        self.members.iter().any(|file| file.name.as_str() == DATABASE)
    }

    fn check(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for file in &self.members {
            let name = file.name.as_str();
            if !seen.insert(name) {
                return Err(format!("it holds {name} twice"));
            }
            if file.bytes > file.name.most_bytes() {
                return Err(format!("{name} is too large for one: {} bytes", file.bytes));
            }
            if file.name.is_secret() && !self.with_secrets {
                return Err(format!("it holds {name} and says that it holds no secrets"));
            }
            let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
            if file.sha256.len() != 64 || !file.sha256.bytes().all(is_digit) {
                return Err(format!("the checksum of {name} is none"));
            }
        }
        match (self.format, self.members.is_empty()) {
            (0, _) => Err("its form is unknown".to_owned()),
            (_, true) => Err("it holds nothing".to_owned()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> serde_json::Value {
        serde_json::json!({
            "format": 1, "joi": "0.1.0", "made_at": "2026-11-24T12:00:00Z", "schema": 3, "with_secrets": false,
            "members": [{ "name": "data/joi.db", "bytes": 10, "sha256": "a".repeat(64) }],
        })
    }

    fn read(manifest: &serde_json::Value) -> Result<BackupManifest, ManifestFault> {
        BackupManifest::read(manifest.to_string().as_bytes(), 3)
    }

    #[test]
    fn what_contradicts_itself_is_refused_before_anything_is_read() {
        assert_eq!(read(&manifest()).unwrap().bytes(), 10);
        let file = |name: &str, bytes: u64, sum: &str| serde_json::json!({ "name": name, "bytes": bytes, "sha256": sum });
        let sound = "b".repeat(64);
        for (members, told) in [
            (vec![], "it holds nothing"),
            (vec![file("data/joi.db", 1, &sound), file("data/joi.db", 1, &sound)], "data/joi.db twice"),
            (vec![file("../../etc/passwd", 1, &sound)], "belongs to no backup"),
            (vec![file("data/wake.json", 5 << 20, &sound)], "too large"),
            (vec![file("data/joi.db", u64::MAX, &sound)], "too large"),
            (vec![file("data/joi.db", 1, "zz")], "checksum"),
            (vec![file("secret/openhab/token", 1, &sound)], "says that it holds no secrets"),
        ] {
            let mut wrong = manifest();
            wrong["members"] = members.into();
            let Err(ManifestFault::Unsound(why)) = read(&wrong) else { panic!("{told}") };
            assert!(why.contains(told), "{why}");
        }
    }

    #[test]
    fn a_newer_one_is_refused_as_newer_even_where_it_can_not_be_read() {
        let mut newer = manifest();
        newer["schema"] = 4.into();
        let fault = ManifestFault::Newer { made_by: "0.1.0".into(), what: "database" };
        assert_eq!(read(&newer), Err(fault));
        let form = serde_json::json!({ "format": 2, "joi": "9.0.0\u{1b}[2J", "contents": {} });
        let fault = ManifestFault::Newer { made_by: "9.0.0[2J".into(), what: "archive" };
        assert_eq!(read(&form), Err(fault));
    }
}
