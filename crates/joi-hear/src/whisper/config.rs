//! Settings of speech to text.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// Which whisper model transcribes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SttModel {
    /// The larger of the two that is fast enough on this machine, measured on first start.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// English only, 44 MB; fast enough for a Raspberry Pi 4.
    #[serde(rename = "tiny.en")]
    TinyEn,
    /// Many languages, fewer mistakes, 82 MB; for a Raspberry Pi 5.
    #[serde(rename = "base")]
    Base,
}

/// The language is found out by listening.
pub const AUTO: &str = "auto";

/// `[hear.stt]`: speech to text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SttConfig {
    /// Which model transcribes: "tiny.en", "base", or "auto": the larger one where it is fast enough, which
    /// is measured once. The larger one makes fewer mistakes and takes two to three times as long.
    pub model: SttModel,
    /// Processor threads of a transcription, 0 to 16; 0 takes all cores but one, at most 4. More are
    /// faster until another program needs the cores: then all of them wait for the slowest.
    pub threads: u32,
    /// The language spoken, as a two-letter code, or "auto": that of `language`, and where that is "auto" the one that
    /// is heard. Everything but "en" needs the model "base".
    pub language: String,
    /// How long an utterance that is almost a command ("said a timer for nine minutes") may be scored again
    /// to find out which one was meant, in milliseconds, 0 (never) to 10000. Raising it understands more on a
    /// slow machine, and answers such sentences later.
    pub second_look_ms: u32,
    /// With "auto": the languages that may be heard, the likeliest first; English when empty. They follow from `language`.
    #[serde(skip)]
    pub among: Vec<String>,
}

impl Default for SttConfig {
    fn default() -> Self {
        Self {
            model: SttModel::Auto,
            threads: 0,
            language: AUTO.into(),
            second_look_ms: 600,
            among: Vec::new(),
        }
    }
}

impl SttConfig {
    /// Returns all problems of these values.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        problems.extend(Problem::outside("hear.stt.threads", f64::from(self.threads), 0.0..=16.0, "threads"));
        let look = f64::from(self.second_look_ms);
        problems.extend(Problem::outside("hear.stt.second_look_ms", look, 0.0..=10_000.0, "ms"));
        if self.language != AUTO && !knows_language(&self.language) {
            problems.push(Problem::new(
                "hear.stt.language",
                format!("\"{}\"", self.language),
                "\"auto\", or a language code of whisper such as \"en\", \"de\" or \"fr\"",
            ));
        } else if !["en", AUTO].contains(&self.language.as_str()) && self.model == SttModel::TinyEn {
            problems.push(
                Problem::new(
                    "hear.stt.language",
                    format!("\"{}\"", self.language),
                    "\"en\" with the model tiny.en",
                )
                .remedy("Set hear.stt.model = \"base\"."),
            );
        }
        problems
    }

    /// Returns the languages that may be heard, at least one, the likeliest first.
    pub fn heard(&self) -> Vec<String> {
        match (self.language.as_str(), self.among.as_slice()) {
            (AUTO, []) => vec!["en".to_owned()],
            (AUTO, among) => among.to_vec(),
            (language, _) => vec![language.to_owned()],
        }
    }

    /// Returns whether every model will do: the smallest knows English only.
    pub fn is_english(&self) -> bool {
        self.heard() == ["en"]
    }

    /// Returns how long a second look may take; nothing for never.
    pub fn second_look(&self) -> Option<Duration> {
        (self.second_look_ms > 0).then(|| Duration::from_millis(u64::from(self.second_look_ms)))
    }

    /// Returns the effective number of threads.
    pub fn threads_to_use(&self) -> i32 {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = match self.threads {
            0 => cores.saturating_sub(1).clamp(1, 4),
            n => n.min(16) as usize,
        };
        threads as i32
    }
}

/// Returns whether whisper has a language with this code.
pub fn knows_language(code: &str) -> bool {
    // Without the hook the library prints its own complaint.
    whisper_rs::install_logging_hooks();
    let plain = (2..=3).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_lowercase());
    plain && whisper_rs::get_lang_id(code).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_have_no_problem_and_survive_a_round_trip() {
        let config = SttConfig::default();
        assert_eq!(config.check(), []);
        let text = toml::to_string(&config).unwrap();
        assert_eq!(text, "model = \"auto\"\nthreads = 0\nlanguage = \"auto\"\nsecond_look_ms = 600\n");
        assert_eq!(toml::from_str::<SttConfig>(&text).unwrap(), config);
        assert!(toml::from_str::<SttConfig>("thread = 1").is_err());
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let config = SttConfig {
            model: SttModel::TinyEn,
            threads: 99,
            language: "de".into(),
            second_look_ms: 90_000,
            among: Vec::new(),
        };
        let told: Vec<String> = config.check().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "hear.stt.threads is 99; allowed: 0 to 16 threads",
                "hear.stt.second_look_ms is 90000; allowed: 0 to 10000 ms",
                "hear.stt.language is \"de\"; allowed: \"en\" with the model tiny.en. Set hear.stt.model = \"base\".",
            ]
        );
        for language in ["english", "xx", "", "e\0", "EN"] {
            let config = SttConfig { language: language.into(), ..SttConfig::default() };
            assert_eq!(config.check().len(), 1, "{language:?}");
        }
    }
}
