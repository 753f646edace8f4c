//! Requests for the weather of the configured place.
//!
//! In: the table `[weather]` of `tools.toml`, and a request. Out: the day whose weather is asked for.
//! Pure: no I/O, no clock.

use serde::Deserialize;

use super::super::words_of;

/// In which words the weather is asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WeatherWords {
    /// Of these a request for it has at least one.
    sure: Vec<String>,
    /// With one of these it need not be a question.
    names: Vec<String>,
    /// Of all other words it has only these.
    other: Vec<String>,
    today: Vec<String>,
    tomorrow: Vec<String>,
}

/// A request for the weather of the configured place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeatherAsked {
    /// It is asked for tomorrow.
    pub is_tomorrow: bool,
    /// It is named, so that the words need not be a question.
    pub is_named: bool,
}

impl WeatherWords {
    /// Returns what is asked, where every word of `asked` belongs to it: a place or another day has words of its own.
    pub(crate) fn asked(&self, asked: &str) -> Option<WeatherAsked> {
        let said = words_of(asked);
        let is_in = |words: &[String], word: &String| words.contains(word);
        let all = [&self.sure, &self.names, &self.other, &self.today, &self.tomorrow];
        let has = |words: &[String]| said.iter().any(|word| is_in(words, word));
        let is_all_known = said.iter().all(|word| all.iter().any(|words| is_in(words, word)));
        let is_sure = has(&self.sure) || has(&self.names);
        (is_sure && is_all_known).then(|| WeatherAsked {
            is_tomorrow: has(&self.tomorrow) && !has(&self.today),
            is_named: has(&self.names),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Language;
    use crate::testing::{english, german};

    #[test]
    fn the_weather_at_home_is_asked_for_in_its_own_words() {
        let day =
            |language: &Language, asked: &str| language.weather_asked(asked).map(|asked| asked.is_tomorrow);
        for (asked, is_tomorrow) in [
            ("What's the weather like?", false),
            ("what is the weather for this evening", false),
            ("Will it rain tomorrow?", true),
            ("do I need an umbrella tonight", false),
        ] {
            assert_eq!(day(english(), asked), Some(is_tomorrow), "{asked}");
        }
        for asked in [
            "What's the weather in Rome?",
            "What's the weather on Friday?",
            "How cold is it in the kitchen?",
            "is it you outside",
            "do I have an umbrella",
            "is my umbrella dry",
            "remind me to take an umbrella",
            "what is it",
            "the weather makes me sad",
        ] {
            assert_eq!(day(english(), asked), None, "{asked}");
        }
        assert_eq!(day(german(), "Wie wird das Wetter morgen?"), Some(true));
        assert_eq!(day(german(), "Regnet es heute Abend?"), Some(false));
        assert_eq!(day(german(), "Wie ist das Wetter in Rom?"), None);
    }
}
