//! Profiles: joi's role for one conversation, with its own words and a list of tools.
//!
//! Plain data of `assets/profiles.toml`, read once.

use std::sync::LazyLock;

use serde::Deserialize;

/// A profile.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// Its name.
    pub(crate) name: String,
    /// By what it is picked.
    pub(crate) about: String,
    /// The shipped tools that it may not use.
    without: Vec<String>,
    /// The text behind the character.
    pub(crate) prompt: String,
}

impl Profile {
    /// Returns the tools it may use.
    pub(crate) fn tools(&self) -> Vec<String> {
        let shipped = joi_tools::SHIPPED.iter().map(|tool| (*tool).to_owned());
        shipped.filter(|tool| !self.without.contains(tool)).collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfilesFile {
    profile: Vec<Profile>,
}

/// All there are. A file that can't be read holds none, and is in the log; a test reads it.
pub(crate) fn all() -> &'static [Profile] {
    static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
        toml::from_str(include_str!("../../../../assets/profiles.toml"))
            .inspect_err(|error| tracing::error!(%error, "the profiles can't be read"))
            .map_or_else(|_| Vec::new(), |file: ProfilesFile| file.profile)
    });
    &PROFILES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_profiles_can_be_read_and_name_tools_that_exist() {
        let names: Vec<&str> = all().iter().map(|profile| profile.name.as_str()).collect();
        assert_eq!(names, ["developer", "business", "life"]);
        let shipped = joi_tools::SHIPPED;
        for profile in all() {
            assert!(profile.without.iter().all(|tool| shipped.contains(&tool.as_str())), "{}", profile.name);
            assert!(profile.prompt.len() < 400, "{}", profile.name);
        }
    }
}
