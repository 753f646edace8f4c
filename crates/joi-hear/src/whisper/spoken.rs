//! Which of several languages is spoken.
//!
//! Called by the owner of the model, after the encoder has run. In: the probabilities of what comes first of a
//! transcript, where the model writes the language. Out: the language to transcribe in. Few words tell little, so
//! another language than before must be clearly the likelier one.

use super::{LogProbRow, Whisper};

/// How much likelier than the language before another one must be: nine to one, in nats.
const CLEARLY: f32 = 2.2;

/// The languages that may be spoken, and the one that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpokenLanguage {
    /// As whisper calls them; at least one.
    among: Vec<String>,
    now: usize,
}

impl SpokenLanguage {
    /// Any of these; the first until another one is heard.
    pub(super) fn new(among: Vec<String>) -> Self {
        Self { among, now: 0 }
    }

    /// The same as nothing was heard yet.
    pub(super) fn afresh(&self) -> Self {
        Self::new(self.among.clone())
    }

    /// The language to transcribe in.
    pub(super) fn is(&self) -> &str {
        self.among.get(self.now).map_or("en", String::as_str)
    }

    /// Whether there is anything to find out.
    pub(super) fn may_change(&self) -> bool {
        self.among.len() > 1
    }

    /// The language, where it was found out.
    pub(super) fn found(&self) -> Option<String> {
        self.may_change().then(|| self.is().to_owned())
    }

    /// Takes in how likely each is, as logarithms; whether another one is spoken than before.
    fn hear(&mut self, likely: &[f32]) -> bool {
        let now = likely.get(self.now).copied().unwrap_or(f32::NEG_INFINITY);
        let best = likely.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        match best.filter(|(place, log)| *place != self.now && log - now >= CLEARLY) {
            Some((place, _)) => {
                self.now = place;
                true
            }
            None => false,
        }
    }
}

impl Whisper {
    /// Finds out which language is spoken; whether it is another one than before.
    pub(super) fn hear_language(&mut self, start: &LogProbRow) -> bool {
        let of = |language: &String| {
            let id = whisper_rs::get_lang_id(language);
            id.map_or(f32::NEG_INFINITY, |id| start.log_prob(self.context.token_lang(id)))
        };
        let likely: Vec<f32> = self.spoken.among.iter().map(of).collect();
        tracing::debug!(?likely, among = ?self.spoken.among, "languages heard");
        self.spoken.hear(&likely)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_language_must_be_clearly_the_likelier_one() {
        let mut spoken = SpokenLanguage::new(vec!["en".into(), "de".into()]);
        assert_eq!((spoken.is(), spoken.found()), ("en", Some("en".into())));
        assert!(!spoken.hear(&[-1.5, -0.5]), "few words tell little");
        assert!(spoken.hear(&[-4.0, -0.1]));
        assert_eq!(spoken.is(), "de");
        assert!(!spoken.hear(&[-1.0, -1.2]) && spoken.is() == "de");
        assert!(!spoken.hear(&[f32::NAN, f32::NAN]));
        assert!(spoken.hear(&[-0.1, -3.0]) && spoken.is() == "en");
        let one = SpokenLanguage::new(vec!["de".into()]);
        assert_eq!((one.is(), one.may_change(), one.found()), ("de", false, None));
    }
}
