//! Keeps which of several languages is spoken.
//!
//! In: the probabilities of the first token of a transcript, where the model writes the language. Out: the language to
//! transcribe in. Few words prove little, so another language than before must be clearly the likelier one.
//! Pure: no I/O, no clock.

/// The least difference by which another language must be likelier than the one before: nine to one, in nats.
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

    /// Returns the language to transcribe in.
    pub(super) fn is(&self) -> &str {
        self.among.get(self.now).map_or("en", String::as_str)
    }

    /// Returns whether there is more than one language.
    pub(super) fn may_change(&self) -> bool {
        self.among.len() > 1
    }

    /// Returns the language, where there is more than one.
    pub(super) fn found(&self) -> Option<String> {
        self.may_change().then(|| self.is().to_owned())
    }

    /// Takes in the probability of each language, as logarithms, by its name; returns whether another one is spoken
    /// than before.
    pub(super) fn hear_by(&mut self, log_prob: impl Fn(&str) -> f32) -> bool {
        let likely: Vec<f32> = self.among.iter().map(|language| log_prob(language)).collect();
        tracing::debug!(?likely, among = ?self.among, "languages heard");
        self.hear(&likely)
    }

    /// The same, in the order of the languages.
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
