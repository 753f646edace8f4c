//! `[signal]`: which daemon, which account, and who may write to joi.
//!
//! Plain data, immutable after start.

use serde::{Deserialize, Serialize};

use super::address::DaemonAddress;
use joi_base::problem::Problem;

/// Whose account the daemon uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountMode {
    /// Joi has a number of its own, and the owner writes to it.
    #[default]
    OwnNumber,
    /// Joi is a linked device of the owner's account; the owner uses "Note to Self".
    Linked,
}

/// How the daemon was started to hand over what it receives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiveMode {
    /// As soon as somebody is connected.
    #[default]
    OnConnection,
    /// To whoever subscribes.
    Manual,
}

/// Signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignalConfig {
    /// The owner's uuid (ACI), as `joi signal status` shows it: the only one who is answered. "": no Signal. Numbers
    /// and names can be taken by others, a uuid can't.
    pub owner: String,
    /// Where the signal-cli daemon listens: "unix:/PATH", "tcp:HOST:PORT" or "http://HOST:PORT"; "": its own socket,
    /// signal-cli/socket among the sockets of this user. None of them knows a password: whoever can open it reads and
    /// writes as you.
    pub daemon: String,
    /// The account's number, as "+491701234567", where the daemon serves several; "": its only one.
    pub account: String,
    /// "own_number": joi has a number of its own; "linked": joi is a device of your own account, and you write to
    /// yourself ("Note to Self").
    pub mode: AccountMode,
    /// Id of the group that gets alerts, as `joi signal groups` shows it; "": the owner alone gets them.
    pub group: String,
    /// Whether the owner's messages in that group are answered, in the group.
    pub answer_in_group: bool,
    /// How the daemon was started: "on-connection" or "manual" (--receive-mode). With its default, "on-start", messages
    /// are lost while joi does not run.
    pub receive: ReceiveMode,
    /// Seconds after which a message is too old to be obeyed, 10 to 86400: it is answered with the question whether it
    /// still counts. More, and what was meant for this morning is done this evening.
    pub stale_after_s: u32,
    /// Whether senders see that their messages were read.
    pub read_receipts: bool,
    /// Whether the owner sees that joi is writing.
    pub typing: bool,
}

impl Default for SignalConfig {
    fn default() -> Self {
        Self {
            owner: String::new(),
            daemon: String::new(),
            account: String::new(),
            mode: AccountMode::default(),
            group: String::new(),
            answer_in_group: false,
            receive: ReceiveMode::default(),
            stale_after_s: 120,
            read_receipts: false,
            typing: false,
        }
    }
}

impl SignalConfig {
    /// Returns whether Signal is in use.
    pub fn is_on(&self) -> bool {
        !self.owner.is_empty()
    }

    /// Returns the owner's uuid as the daemon writes it.
    pub fn owner_uuid(&self) -> String {
        self.owner.trim().to_ascii_lowercase()
    }

    /// Returns the daemon's address.
    ///
    /// # Errors
    /// The configured value is not an address.
    pub fn address(&self) -> Result<DaemonAddress, String> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").filter(|dir| !dir.is_empty());
        DaemonAddress::read(&self.daemon, runtime.map(Into::into))
    }

    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.is_on() && !is_uuid(&self.owner_uuid()) {
            let remedy = "`joi signal status` shows the uuids that the daemon knows.";
            let allowed = "a uuid, 8-4-4-4-12 hexadecimal digits, or \"\"";
            problems.push(Problem::new("signal.owner", &self.owner, allowed).remedy(remedy));
        }
        if let Err(allowed) = DaemonAddress::read(&self.daemon, None) {
            problems.push(Problem::new("signal.daemon", &self.daemon, format!("{allowed}, or \"\"")));
        }
        let digits = self.account.strip_prefix('+').unwrap_or_default();
        let is_number = (5..=17).contains(&digits.len()) && digits.bytes().all(|sign| sign.is_ascii_digit());
        if !self.account.is_empty() && !is_number {
            problems.push(Problem::new(
                "signal.account",
                &self.account,
                "a number as \"+491701234567\", or \"\"",
            ));
        }
        let is_base64 = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '+' | '/' | '=');
        if !self.group.chars().all(is_base64) {
            let remedy = "`joi signal groups` shows the groups with their ids.";
            problems
                .push(Problem::new("signal.group", &self.group, "the id of a group, or \"\"").remedy(remedy));
        }
        if self.answer_in_group && self.group.is_empty() {
            problems.push(Problem::new("signal.answer_in_group", true, "false while signal.group is \"\""));
        }
        let stale = f64::from(self.stale_after_s);
        problems.extend(Problem::outside("signal.stale_after_s", stale, 10.0..=86_400.0, "s"));
        problems
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|sign| sign.is_ascii_hexdigit() || sign == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_reported() {
        let wrong = SignalConfig {
            owner: "+491701".into(),
            daemon: "localhost".into(),
            account: "0170".into(),
            group: "my family".into(),
            stale_after_s: 5,
            ..SignalConfig::default()
        };
        let keys: Vec<_> = wrong.check().into_iter().map(|problem| problem.key).collect();
        let expected =
            ["signal.owner", "signal.daemon", "signal.account", "signal.group", "signal.stale_after_s"];
        assert_eq!(keys, expected);
        assert_eq!(SignalConfig::default().check(), []);
        let good = SignalConfig {
            owner: "5E7F0000-1111-4222-8333-444455556666".into(),
            group: "a+b/c=".into(),
            answer_in_group: true,
            ..SignalConfig::default()
        };
        assert_eq!(good.check(), []);
        assert_eq!(good.owner_uuid(), "5e7f0000-1111-4222-8333-444455556666");
    }
}
