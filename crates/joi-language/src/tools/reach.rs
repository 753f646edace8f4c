//! Requests for what no model knows and what is out of this program's reach: news, mail, orders.
//!
//! In: the table `[out_of_reach]` of `tools.toml`, and a request. Out: the topic, and what is said of it.
//! Pure: no I/O, no clock.

use serde::Deserialize;

use super::super::pattern::WordPattern;

/// Requests that are out of reach, with the manners in front of them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ReachWords {
    /// Manners in front of a request.
    before: Vec<String>,
    topic: Vec<ReachTopic>,
}

/// One kind of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachTopic {
    /// Its name, for the record.
    pub name: String,
    /// Where one of these tools is there, it is within reach.
    #[serde(default)]
    pub tools: Vec<String>,
    /// A search of the web may settle it.
    #[serde(default)]
    pub is_public: bool,
    /// How it is asked for, as patterns.
    asks: Vec<String>,
    /// Something else that sounds like it, as patterns.
    #[serde(default)]
    unless: Vec<String>,
    /// The sentence about it.
    pub say: String,
    /// What can be done, where the web can't be searched.
    pub remedy: String,
    #[serde(skip)]
    patterns: Vec<WordPattern>,
    #[serde(skip)]
    others: Vec<WordPattern>,
}

impl ReachWords {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// One that is none.
    pub(crate) fn read_patterns(&mut self) -> Result<(), String> {
        let before = self.before.join("|");
        for topic in &mut self.topic {
            let compiled = |key: &str, patterns: &[String], head: &str| -> Result<Vec<WordPattern>, String> {
                let one = |says: &String| {
                    WordPattern::new(&format!("(?i){head}(?:{says})")).map_err(|error| {
                        format!("out_of_reach.{key} is \"{says}\"; allowed: a pattern: {error}")
                    })
                };
                patterns.iter().map(one).collect()
            };
            topic.patterns = compiled("asks", &topic.asks, &format!("^(?:(?:{before}),? )*"))?;
            topic.others = compiled("unless", &topic.unless, "")?;
        }
        Ok(())
    }

    /// Returns the topic that `asked` asks for.
    pub(crate) fn topic(&self, asked: &str) -> Option<&ReachTopic> {
        let text = asked.trim().replace('’', "'");
        let is_in = |patterns: &[WordPattern]| patterns.iter().any(|pattern| pattern.is_match(&text));
        self.topic.iter().find(|topic| is_in(&topic.patterns) && !is_in(&topic.others))
    }
}

#[cfg(test)]
mod tests {
    use crate::Language;
    use crate::testing::{english, german};

    fn topic(language: &Language, asked: &str) -> Option<String> {
        language.out_of_reach(asked).map(|topic| topic.name.clone())
    }

    #[test]
    fn what_no_model_knows_differs_from_what_sounds_like_it() {
        for (asked, name) in [
            ("What's in the news today?", "news"),
            ("hey joi, read me the latest headlines", "news"),
            ("What's happening in the world?", "news"),
            ("How is the stock market doing?", "prices"),
            ("what's the price of bitcoin", "prices"),
            ("Who won the game last night?", "sport"),
            ("Did Arsenal win yesterday?", "sport"),
            ("Do I have any new emails?", "mail"),
            ("send an email to Anna", "mail"),
            ("Can you check my inbox", "mail"),
            ("What's new on Instagram?", "networks"),
            ("Order me a large pizza, please", "orders"),
            ("where is my parcel", "orders"),
            ("book a table for two at eight", "orders"),
            ("When does the next bus leave?", "travel"),
            ("Is my flight on time?", "travel"),
            ("what's the weather like tomorrow", "weather"),
            ("Will it rain this evening?", "weather"),
            ("do I need an umbrella today", "weather"),
        ] {
            assert_eq!(topic(english(), asked).as_deref(), Some(name), "{asked}");
        }
        for asked in [
            "I have good news",
            "What is news?",
            "put the news of the club on the list",
            "Who won the war?",
            "who wrote Faust",
            "remind me to order a pizza",
            "put pizza on the shopping list",
            "What is an email?",
            "Sort these in alphabetical order",
            "How do I order a pizza in Italian?",
            "What is Instagram?",
            "I got an email from my boss and I'm sad",
            "The weather was lovely yesterday",
            "Who invented the train?",
            "Tell me a story about a bus",
            "what's the time",
            "I lost the race today",
        ] {
            assert_eq!(topic(english(), asked), None, "{asked}");
        }
    }

    #[test]
    fn the_same_in_german() {
        for (asked, name) in [
            ("Was gibt es Neues in der Welt?", "news"),
            ("Lies mir die Nachrichten vor", "news"),
            ("Wie steht der DAX?", "prices"),
            ("Hat Bayern gestern gewonnen?", "sport"),
            ("Habe ich neue Mails?", "mail"),
            ("schreib eine E-Mail an Anna", "mail"),
            ("Bestell mir bitte eine Pizza", "orders"),
            ("Wo bleibt mein Paket?", "orders"),
            ("Wann fährt der nächste Bus?", "travel"),
            ("Wie wird das Wetter morgen?", "weather"),
            ("Regnet es heute Abend?", "weather"),
        ] {
            assert_eq!(topic(german(), asked).as_deref(), Some(name), "{asked}");
        }
        for asked in [
            "Ich habe gute Nachrichten",
            "Wer hat den Faust geschrieben?",
            "Setz Pizza auf die Einkaufsliste",
            "Erinnere mich daran, eine Pizza zu bestellen",
            "Was ist eine E-Mail?",
            "Erzähl mir eine Geschichte von einem Bus",
            "Wer hat das Rad erfunden?",
        ] {
            assert_eq!(topic(german(), asked), None, "{asked}");
        }
    }

    #[test]
    fn every_topic_says_what_can_be_done() {
        for language in [english(), german()] {
            let topics: Vec<_> = language.tools.iter().flat_map(|words| &words.out_of_reach.topic).collect();
            assert!(topics.len() >= 8, "{}", topics.len());
            for topic in topics {
                assert!(topic.say.ends_with('.') && topic.remedy.ends_with('.'), "{}", topic.name);
            }
        }
    }
}
