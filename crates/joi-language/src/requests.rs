//! The words by which it is known what an utterance asks for, and what it does not.
//!
//! In: the text of `consent.toml`. Out: phrases of words and patterns, ready to match. In a pattern `*` stands for
//! any words, also none; what can't be used is an error that names its key. Pure: no I/O, no clock.

use std::collections::BTreeMap;

pub use phrases::{Patterns, Phrases, words_of};
use serde::Deserialize;
pub use talk::TalkWords;
pub use told::ToldWords;
pub use unasked::UnaskedWords;
pub use wanted::WantedWords;

mod phrases;
mod talk;
mod told;
mod unasked;
mod wanted;

/// The words of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct RequestWords {
    pub form: FormWords,
    /// Words by which a clause reports something.
    #[serde(default)]
    pub told: ToldWords,
    /// Words by which a request is not meant, or not for joi.
    #[serde(default)]
    pub unasked: UnaskedWords,
    /// Words by which an utterance reads as a wish. Without them none does.
    #[serde(default)]
    pub wanted: WantedWords,
    /// Without them, no answer is longer or shorter than others.
    #[serde(default)]
    pub talk: TalkWords,
    deeds: BTreeMap<String, DeedWords>,
    /// By argument, by value: what it is called.
    choices: BTreeMap<String, BTreeMap<String, Phrases>>,
    /// Words for numbers of percent.
    pub percent: BTreeMap<String, u32>,
    /// Words for other numbers.
    pub quantities: BTreeMap<String, u32>,
}

/// The form of a clause.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct FormWords {
    /// Words in front of a clause and behind it that have no meaning of their own.
    pub lead: Phrases,
    pub trail: Phrases,
    /// Between clauses.
    pub joints: Phrases,
    /// Words that end with a joint and part nothing: "gone and".
    #[serde(default)]
    pub joined: Phrases,
    /// Whom one asks for a deed.
    pub polite: Phrases,
    /// What one asks for.
    pub wishes: Phrases,
    /// What asks about something.
    pub questions: Phrases,
    /// What only imagines something, or puts it off.
    pub hypotheses: Phrases,
    /// Persons whose words are reported.
    pub reported: Phrases,
    /// What turns a request round, at the beginning of a clause, and wherever it stands.
    pub negations: Phrases,
    pub anywhere: Phrases,
    /// Whole requests that something stay as it is.
    #[serde(default)]
    pub stays: Patterns,
    /// With these a negation is what is to be kept in mind.
    pub keeping: Phrases,
    /// Behind one of these a negation belongs to the report: "merk dir, dass Theo keine Pilze mag".
    #[serde(default)]
    pub subordinates: Phrases,
    /// What ends a verb and points at something: the "'s" of "schreib's".
    #[serde(default)]
    pub clitics: Vec<String>,
    /// Verbs that are the subject of a statement, too: "adding milk is easy".
    #[serde(default)]
    pub gerunds: Phrases,
    /// Questions whether something can be done, which may ask for it: then it is asked about.
    #[serde(default)]
    pub abilities: Phrases,
    /// Who is spoken of.
    pub subjects: Phrases,
    /// Verbs that make a clause a statement.
    pub finite: Phrases,
    /// How a verb may end that is the last word of a statement.
    #[serde(default)]
    pub verb_endings: Vec<String>,
    /// Answers that mean no, whatever follows.
    pub refusals: Phrases,
    /// Answers that mean yes.
    pub consents: Phrases,
    /// Those of them with which one may only show that one has heard.
    #[serde(default)]
    pub acknowledgements: Phrases,
    /// Behind these stands what is not meant: "add milk, but not eggs".
    #[serde(default)]
    pub excluded: Phrases,
    /// How words may end in their forms.
    #[serde(default)]
    pub endings: Vec<String>,
    /// Between what was said and what is meant instead.
    pub corrections: Phrases,
    /// A time or a place in front of a request begins with one of these.
    pub adverbs: Phrases,
    /// Units of a length, in all their forms.
    pub units: Phrases,
    /// In front of what is offered: "shall I".
    pub offers: Phrases,
    /// Words for a list.
    pub list_words: Phrases,
    /// A polite request has its verb at the end, and words are put together to new ones.
    pub verbs_last: bool,
    /// Where the words of a wish surround what is wished for: "ich hätte * gern".
    #[serde(default)]
    pub wished: Patterns,
    /// Whom one asks, where that stands behind the verb ("verlängerst du"), and how the verb ends then.
    #[serde(default)]
    pub you: Phrases,
    #[serde(default)]
    pub you_endings: Vec<String>,
    /// A question with one of these in it asks for something.
    #[serde(default)]
    pub pleases: Phrases,
    /// With these an infinitive at the end asks for nothing.
    #[serde(default)]
    pub auxiliaries: Phrases,
    /// Between the words of a name: "die Lampe überm Tisch".
    #[serde(default)]
    pub places: Phrases,
    /// What stands inside an infinitive ("anzurufen"); empty where nothing does.
    pub infix: String,
    /// What makes a request depend on something.
    pub conditions: Phrases,
    /// With these a question goes on with what was said before.
    pub continues: Phrases,
    /// With these a statement may be a request.
    pub needed: Phrases,
    /// What points at something that was spoken of before.
    pub references: Phrases,
    /// No part of what a value must be found by.
    pub function_words: Phrases,
}

/// What asks for a deed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct DeedWords {
    /// At the head of a request, with one of the objects in it.
    pub verbs: Patterns,
    pub objects: Phrases,
    /// A request as they stand.
    #[serde(default)]
    pub alone: Patterns,
    /// A whole request without a verb.
    #[serde(default)]
    pub elliptic: Patterns,
    /// What stands behind the name of a thing in a whole request without a verb: "the light in the hall off".
    #[serde(default)]
    pub ends: Patterns,
    /// It is done to anything that is called by its name.
    #[serde(default)]
    pub is_by_name: bool,
    /// One of these must be in it.
    #[serde(default)]
    pub needs: Phrases,
    /// Words of questions whose answer completes the request.
    pub asks: Phrases,
}

impl RequestWords {
    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The words of a deed; nothing when the language has none for it.
    pub fn deed(&self, name: &str) -> Option<&DeedWords> {
        self.deeds.get(name)
    }

    /// All deeds there are words for.
    pub fn deeds(&self) -> impl Iterator<Item = (&str, &DeedWords)> {
        self.deeds.iter().map(|(name, words)| (name.as_str(), words))
    }

    /// Whether `phrases` name something in `said`, as a word of its own or at the end of one.
    pub fn names(&self, phrases: &Phrases, said: &[String]) -> bool {
        if self.form.verbs_last { phrases.are_in_compounds(said) } else { phrases.are_in(said) }
    }

    /// What the values of an argument are called.
    pub fn choices(&self, argument: &str) -> impl Iterator<Item = (&str, &Phrases)> {
        self.choices.get(argument).into_iter().flatten().map(|(value, words)| (value.as_str(), words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(written: &[&str]) -> Patterns {
        written.iter().map(|pattern| (*pattern).to_owned()).collect::<Vec<_>>().into()
    }

    #[test]
    fn words_are_bare_and_figures_whole() {
        assert_eq!(words_of("Don’t set it to 7:30, please!"), ["don't", "set", "it", "to", "7:30", "please"]);
        assert_eq!(words_of("Volume: 30% - now."), ["volume", "30", "%", "now"]);
        assert_eq!(words_of(" … "), [""; 0]);
    }

    #[test]
    fn the_most_exact_pattern_counts() {
        let off = patterns(&["turn", "turn * off"]);
        assert_eq!(off.at_start(&words_of("turn the alarm off now")), Some(2));
        assert_eq!(off.at_start(&words_of("turn it up")), Some(1));
        assert_eq!(off.at_start(&words_of("please turn it up")), None);
        assert_eq!(off.anywhere(&words_of("please turn it up")), Some(1));
        let timer = patterns(&["* timer"]);
        assert_eq!(timer.whole(&words_of("ten minute timer")), Some(1));
        assert_eq!(timer.whole(&words_of("ten minute timer rang")), None);
    }

    #[test]
    fn a_file_that_can_not_be_used_names_its_key() {
        let problem = RequestWords::read("[form]\nlead = 3").unwrap_err();
        assert!(problem.contains("lead"), "{problem}");
    }
}
