//! Lists what an archive may hold: a closed list of names, each with its place on a machine and its largest size.
//!
//! A name that is not on the list is refused, whatever path it spells: `..`, absolute paths, links and further folders
//! can't be expressed. BackupSecrets are members of their own, so that they can be left out.
//! Pure: no I/O, no clock.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use joi_home::StoredHome;
use serde::{Deserialize, Serialize};

use crate::config::{Config, leaves};

/// The database.
pub(super) const DATABASE: &str = "data/joi.db";
/// The configuration.
pub(super) const CONFIG: &str = "config/config.toml";
/// Below this are files with secrets.
const SECRETS: &str = "secret/";
/// Below this are the owner's languages.
pub(super) const LANGUAGES: &str = "config/languages/";
/// The end of a key of the configuration that names a file with a secret.
const SECRET_KEY: &str = "_file";

/// Bytes of the largest database: more than a lifetime of talk.
const LARGEST_DATABASE: u64 = 64 << 30;
/// Bytes of the largest other file.
const LARGEST_FILE: u64 = 4 << 20;
/// Bytes of the largest secret.
const LARGEST_SECRET: u64 = 4096;
/// Letters of the longest name of a language, and of a file of it.
const LONGEST_NAME: usize = 64;

/// Files of the data directory beside the database, by their member and their name there.
const DATA: [(&str, &str); 2] = [("data/wake.json", "wake.json"), ("data/muted", "muted")];

/// Returns the keys of the configuration that name a file with a secret, each with the member that holds that file.
pub(super) fn secret_keys() -> &'static [(String, String)] {
    static KEYS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let config =
            toml::Table::try_from(Config::default()).map(|config| leaves(&config)).unwrap_or_default();
        let member = |key: String| {
            let (section, kind) = key.strip_suffix(SECRET_KEY)?.rsplit_once('.')?;
            // Archives that exist hold that of `mcp.serve` under `mcp`.
            let section = section.strip_suffix(".serve").unwrap_or(section).replace('.', "-");
            let member = format!("{SECRETS}{section}-{kind}");
            Some((key, member))
        };
        config.into_keys().filter_map(member).collect()
    });
    &KEYS
}

/// The name of a file in an archive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct MemberName(String);

/// Where a member belongs on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MemberPlace {
    /// The database itself.
    Database,
    /// The configuration file itself.
    Config,
    /// A file below the data directory.
    Data(PathBuf),
    /// A file beside the configuration file or below that folder.
    BesideConfig(PathBuf),
}

impl MemberName {
    /// Returns a name of the list; nothing for any other.
    pub(super) fn known(name: &str) -> Option<Self> {
        place(name).map(|_| Self(name.to_owned()))
    }

    /// Returns the file of a language, by its path below the folder of languages.
    pub(super) fn of_language(below: &Path) -> Option<Self> {
        Self::known(&format!("{LANGUAGES}{}", below.to_str()?))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns where it belongs.
    pub(super) fn place(&self) -> MemberPlace {
        // Names are made by `known` alone.
        place(&self.0).unwrap_or(MemberPlace::Database)
    }

    /// Returns whether it is left out unless asked for.
    pub(super) fn is_secret(&self) -> bool {
        self.0.starts_with(SECRETS)
    }

    /// Bytes that it may have.
    pub(super) fn most_bytes(&self) -> u64 {
        match self.place() {
            MemberPlace::Database => LARGEST_DATABASE,
            _ if self.is_secret() => LARGEST_SECRET,
            _ => LARGEST_FILE,
        }
    }

    /// Returns all members with a name of their own that are files of the data directory, secrets included.
    pub(super) fn in_data() -> impl Iterator<Item = Self> {
        let house = StoredHome::files().map(|file| format!("{SECRETS}{file}"));
        DATA.iter().map(|(name, _)| (*name).to_owned()).chain(house).map(Self)
    }
}

impl TryFrom<String> for MemberName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::known(&name).ok_or_else(|| {
            let shown: String = name.chars().take(80).collect();
            format!("it holds {shown:?}, which belongs to no backup")
        })
    }
}

impl From<MemberName> for String {
    fn from(name: MemberName) -> Self {
        name.0
    }
}

fn place(name: &str) -> Option<MemberPlace> {
    match name {
        DATABASE => return Some(MemberPlace::Database),
        CONFIG => return Some(MemberPlace::Config),
        _ => {}
    }
    if let Some((_, file)) = DATA.iter().find(|(known, _)| *known == name) {
        return Some(MemberPlace::Data(file.into()));
    }
    if let Some(file) = StoredHome::files().find(|file| name.strip_prefix(SECRETS) == Some(file)) {
        return Some(MemberPlace::Data(file.into()));
    }
    if secret_keys().iter().any(|(_, known)| *known == name) {
        return Some(MemberPlace::BesideConfig(name.strip_prefix(SECRETS)?.into()));
    }
    let below = name.strip_prefix(LANGUAGES)?;
    let parts: Vec<&str> = below.split('/').collect();
    let is_place = match parts[..] {
        [code, file] => is_plain(code) && is_file(file),
        [code, "prompts", file] => is_plain(code) && is_file(file),
        _ => false,
    };
    is_place.then(|| MemberPlace::BesideConfig(Path::new("languages").join(below)))
}

/// Returns whether `name` has letters, digits, `.`, `_` and `-` only and is neither a hidden file nor `.` nor `..`.
fn is_plain(name: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || ['.', '_', '-'].contains(&sign);
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.starts_with('.') && name.chars().all(is_sign)
}

/// Returns whether `name` is a file of a language other than a model.
fn is_file(name: &str) -> bool {
    is_plain(name) && !name.contains(".onnx")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_names_of_the_list_are_members() {
        for name in [
            DATABASE,
            CONFIG,
            "data/wake.json",
            "secret/openhab/token",
            "secret/home-token",
            "secret/llm-key",
            "config/languages/fr/commands.toml",
            "config/languages/fr/prompts/persona.md",
        ] {
            assert!(MemberName::known(name).is_some(), "{name}");
        }
        for name in [
            "",
            "/etc/passwd",
            "../joi.db",
            "data/../data/joi.db",
            "data/joi.db/",
            "./data/joi.db",
            "data//joi.db",
            "data/joi.db\0",
            "data/history.txt",
            "config/languages/fr/../../../.bashrc",
            "config/languages/../x.toml",
            "config/languages/fr/.hidden",
            "config/languages/fr/voice.onnx",
            "config/languages/fr/voice.onnx.json",
            "config/languages/fr/prompts/deep/x.md",
            "config/languages/fr/a\\b",
            "secret/home-token/x",
        ] {
            assert_eq!(MemberName::known(name), None, "{name}");
        }
    }

    #[test]
    fn every_key_that_names_a_secret_has_a_member_of_its_own() {
        let members: BTreeSet<_> = secret_keys().iter().map(|(_, member)| member.as_str()).collect();
        assert_eq!(members.len(), secret_keys().len(), "{members:?}");
        assert!(members.iter().all(|member| MemberName::known(member).is_some()), "{members:?}");
        for (key, member) in [
            ("home.token_file", "secret/home-token"),
            ("ntfy.token_file", "secret/ntfy-token"),
            ("llm.key_file", "secret/llm-key"),
            ("metrics.token_file", "secret/metrics-token"),
            ("alert.token_file", "secret/alert-token"),
            ("mcp.serve.token_file", "secret/mcp-token"),
        ] {
            assert!(secret_keys().contains(&(key.to_owned(), member.to_owned())), "{key}");
        }
    }

    proptest! {
        #[test]
        fn no_name_leads_out_of_its_folder(name in "(config/languages/)?[a-z./\\\\\0]{0,40}") {
            if let Some(name) = MemberName::known(&name) {
                let below = match name.place() {
                    MemberPlace::Data(below) | MemberPlace::BesideConfig(below) => below,
                    MemberPlace::Database | MemberPlace::Config => return Ok(()),
                };
                let is_inside = |part| matches!(part, std::path::Component::Normal(_));
                prop_assert!(below.components().all(is_inside), "{below:?}");
            }
        }
    }
}
