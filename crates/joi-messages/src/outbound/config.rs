//! `[outbound]` and `[ntfy]`: how many messages may leave the house, and a second way for alerts.
//!
//! Plain data, immutable after start. The token of ntfy has a file of its own.

use serde::{Deserialize, Serialize};

use super::ntfy::NtfyServer;
use joi_base::problem::Problem;

/// How many messages are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutboundConfig {
    /// Messages to the owner within any 60 minutes, 10 to 1000: answers and proactive messages, not alerts. Further
    /// answers wait, and the last one before that says until when. More of them risk that the service takes joi for a
    /// sender of spam.
    pub direct_per_hour: u32,
    /// So many messages within 60 minutes, 0 to 60 and no more than `direct_per_hour`, leave no room for proactive
    /// messages: the rest is for answers.
    pub proactive_until: u32,
    /// Messages that the language model took for urgent within any 60 minutes, 1 to 1000. Alerts of sensors are not
    /// counted and never limited.
    pub escalated_per_hour: u32,
}

impl Default for OutboundConfig {
    fn default() -> Self {
        Self { direct_per_hour: 60, proactive_until: 55, escalated_per_hour: 120 }
    }
}

impl OutboundConfig {
    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let (direct, unasked) = (f64::from(self.direct_per_hour), f64::from(self.proactive_until));
        let escalated = f64::from(self.escalated_per_hour);
        [
            Problem::outside("outbound.direct_per_hour", direct, 10.0..=1000.0, "messages"),
            Problem::outside("outbound.proactive_until", unasked, 0.0..=direct, "messages"),
            Problem::outside("outbound.escalated_per_hour", escalated, 1.0..=1000.0, "messages"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A topic of an ntfy server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NtfyConfig {
    /// Address of the server, as `https://ntfy.example.org` or `https://ntfy.sh`; "": nothing is sent to any. Only this
    /// server ever gets a message.
    pub url: String,
    /// The topic: letters, digits, `_` and `-`, 1 to 64 of them. On a server without logins whoever knows it reads all
    /// messages: choose one that nobody can guess.
    pub topic: String,
    /// File with the access token, readable by its owner only; "": the systemd credential `ntfy-token`, else none.
    pub token_file: String,
}

impl NtfyConfig {
    /// Returns whether messages go there.
    pub fn is_on(&self) -> bool {
        !self.url.is_empty()
    }

    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !self.token_file.is_empty() && !self.token_file.starts_with('/') {
            problems.push(Problem::new("ntfy.token_file", &self.token_file, "an absolute path, or \"\""));
        }
        if !self.is_on() {
            return problems;
        }
        // Neither value is shown: an address may hold a password, and a topic is one.
        if NtfyServer::read(&self.url).is_err() {
            let allowed = "http:// or https:// with host and port, without login, path or query";
            problems.push(Problem::new("ntfy.url", "no address", allowed));
        }
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
        if self.topic.is_empty() || self.topic.len() > 64 || !self.topic.chars().all(is_sign) {
            let allowed = "1 to 64 letters, digits, \"_\" and \"-\"";
            problems.push(Problem::new("ntfy.topic", "no topic", allowed));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_contradict_each_other_are_refused() {
        let wrong = OutboundConfig { direct_per_hour: 5, proactive_until: 61, escalated_per_hour: 0 };
        let keys: Vec<_> = wrong.check().into_iter().map(|problem| problem.key).collect();
        assert_eq!(
            keys,
            ["outbound.direct_per_hour", "outbound.proactive_until", "outbound.escalated_per_hour"]
        );
        assert_eq!(OutboundConfig::default().check(), []);
    }

    #[test]
    fn neither_topic_nor_password_is_shown() {
        let wrong = NtfyConfig {
            url: "https://me:secret@ntfy.sh".into(),
            topic: "my secret!".into(),
            token_file: "token".into(),
        };
        let problems = wrong.check();
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(!format!("{problems:?}").contains("secret"));
        assert_eq!(NtfyConfig::default().check(), []);
    }
}
