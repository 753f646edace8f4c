//! `[home]` of the configuration: which house, and the permissions for commands by voice.
//!
//! Plain data, immutable after start. The token is not part of it: it has a file of its own.

use serde::{Deserialize, Serialize};

use super::address::allowed;
use super::house::{HouseRules, ItemMeaning, MeaningConfig, Permission};
use super::hub::Hub;
use joi_base::problem::Problem;

/// The house's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HomeConfig {
    /// Address of the home automation server, with the path of a proxy if there is one, as
    /// `https://home.example/openhab`; "": the one that `joi home connect` has stored, or none. An address with a
    /// login can only be stored.
    pub url: String,
    /// The kind of server at `home.url`, for example "home-assistant". For a server stored by `joi home connect`, the
    /// stored kind is used.
    pub hub: Hub,
    /// File with the token, readable by its owner only; "": the systemd credential `home-token`, else the file
    /// that `joi home connect` has written, where `home.url` is empty or the server it was checked with.
    pub token_file: String,
    /// The permission of items without one of their own (metadata `voiceSystem`): "read_write", "read_only" or
    /// "no_access".
    pub permission: Permission,
    /// Names of items that are asked back before they are commanded, beside locks, doors that a command opens, valves
    /// and alarms, as `["Pool_Pump"]`. A group or an equipment stands for what is in it.
    pub ask_first: Vec<String>,
    /// Names of items that are never asked back, though they look like a lock, door, valve or alarm, or are in a group
    /// of `ask_first`. A group stands for itself alone.
    pub act_freely: Vec<String>,
    /// Name of the location item in which this device stands, as `joi home rooms` lists it: what "here" means. "":
    /// none.
    pub room: String,
    /// Comfortable temperatures inside, in °C, the lower bound first, -20 to 50 each; the model gets only those beyond.
    pub comfort_c: [i32; 2],
    /// Which items report danger, doors, warmth and presence.
    pub meaning: MeaningConfig,
}

impl Default for HomeConfig {
    fn default() -> Self {
        Self {
            hub: Hub::default(),
            url: String::new(),
            token_file: String::new(),
            permission: Permission::default(),
            ask_first: Vec::new(),
            act_freely: Vec::new(),
            room: String::new(),
            comfort_c: [17, 27],
            meaning: MeaningConfig::default(),
        }
    }
}

impl HomeConfig {
    /// Returns the owner's rules about items.
    pub fn rules(&self) -> HouseRules {
        HouseRules {
            default_permission: self.permission,
            ask_first: self.ask_first.clone(),
            act_freely: self.act_freely.clone(),
        }
    }

    /// Returns all problems of these values.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        // The value may hold a password and is not shown.
        let allowed = allowed(self.hub.schemes);
        let problem = |value: &str, remedy: &str| Problem::new("home.url", value, &allowed).remedy(remedy);
        match self.hub.address(&self.url) {
            _ if self.url.is_empty() => {}
            Err(_) => {
                problems.push(problem("no address", &format!("Write for example {}.", self.hub.example)));
            }
            Ok(address) if address.has_login() => {
                let remedy =
                    "Leave it empty and run `joi home connect` with that address: it is kept for you alone.";
                problems.push(problem("an address with a login", remedy));
            }
            Ok(_) => {}
        }
        if !self.token_file.is_empty() && !self.token_file.starts_with('/') {
            problems.push(Problem::new("home.token_file", &self.token_file, "an absolute path, or \"\""));
        }
        let is_name =
            |name: &str| name.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.'));
        let lists = [("home.ask_first", &self.ask_first), ("home.act_freely", &self.act_freely)];
        for (key, names) in lists {
            for name in names.iter().filter(|name| name.is_empty() || !is_name(name)) {
                problems.push(Problem::new(key, name, "names of items: letters, digits, underscores, dots"));
            }
        }
        for meaning in ItemMeaning::ALL {
            for name in self.meaning.of(meaning).iter().filter(|name| name.is_empty() || !is_name(name)) {
                let allowed = "names of items or groups: letters, digits, underscores";
                problems.push(Problem::new(format!("home.meaning.{}", meaning.key()), name, allowed));
            }
        }
        for name in self.ask_first.iter().filter(|name| self.act_freely.contains(name)) {
            problems.push(Problem::new("home.act_freely", name, "names that are not in home.ask_first"));
        }
        if !is_name(&self.room) {
            let allowed = "the name of a location item, as `joi home rooms` shows it, or \"\"";
            problems.push(Problem::new("home.room", &self.room, allowed));
        }
        let [from, to] = self.comfort_c;
        if from >= to || from < -20 || to > 50 {
            let written = format!("[{from}, {to}]");
            let allowed = "two temperatures from -20 to 50 °C, the lower one first, as [17, 27]";
            problems.push(Problem::new("home.comfort_c", &written, allowed));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_reported_without_passwords() {
        let wrong = HomeConfig {
            url: "ftp://me:secret@oh".into(),
            token_file: "token".into(),
            ask_first: vec!["a b".into(), "Lock".into()],
            act_freely: vec!["Lock".into()],
            room: "living room".into(),
            comfort_c: [27, 17],
            ..HomeConfig::default()
        };
        let problems = wrong.check();
        let keys: Vec<_> = problems.iter().map(|problem| problem.key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "home.url",
                "home.token_file",
                "home.ask_first",
                "home.act_freely",
                "home.room",
                "home.comfort_c"
            ]
        );
        assert!(!format!("{problems:?}").contains("secret"));
        assert_eq!(HomeConfig::default().check(), []);
        let login = HomeConfig { url: "http://me:secret@oh".into(), ..HomeConfig::default() }.check();
        assert!(login.len() == 1 && !format!("{login:?}").contains("secret"), "{login:?}");
        let good = HomeConfig {
            url: "http://openhab:8080".into(),
            room: "Living_2".into(),
            ..HomeConfig::default()
        };
        assert_eq!(good.check(), []);
    }
}
