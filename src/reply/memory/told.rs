//! What she says of her memory without a model: "I'll remember: …", "shall I forget it for good?".
//!
//! PURE. In: what was done or is known. Out: sentences, which stand in the files of the languages, `assets/told`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::newest;
use crate::reply::intents::{self, Tongue};
use crate::store::{Memory, MemoryKind};

/// Most things that are told at once.
const MOST_TOLD: usize = 8;

/// The sentences of a language; what they are for is said beside them in the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Told {
    remembered: String,
    wished: String,
    pub(super) no_secrets: String,
    pub(super) failed: String,
    nothing_about: String,
    one_thing: String,
    things: String,
    pub(super) everything: String,
    pub(super) left_alone: String,
    gone_one: String,
    gone: String,
    pub(super) gone_everything: String,
    facts: String,
    wishes: String,
    nothing: String,
    one_more: String,
    more: String,
    diary: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    memory: Told,
}

/// The sentences of `tongue`; all empty when its file can't be read.
pub(super) fn told(tongue: Tongue) -> &'static Told {
    static ENGLISH: LazyLock<Told> = LazyLock::new(|| read(include_str!("../../../assets/told/en.toml")));
    static GERMAN: LazyLock<Told> = LazyLock::new(|| read(include_str!("../../../assets/told/de.toml")));
    match tongue {
        Tongue::English => &ENGLISH,
        Tongue::German => &GERMAN,
    }
}

fn read(text: &str) -> Told {
    let file: Result<File, _> = toml::from_str(text);
    let file = file.inspect_err(|error| tracing::error!(%error, "what is said of the memory can't be read"));
    file.unwrap_or_default().memory
}

impl Told {
    /// This is remembered now.
    pub(super) fn remembered(&self, tongue: Tongue, kind: MemoryKind, text: &str) -> String {
        match kind {
            MemoryKind::Wish => self.wished.replace("{text}", text),
            MemoryKind::User | MemoryKind::World | MemoryKind::Diary | MemoryKind::Document => {
                self.remembered.replace("{about}", &intents::told_back_in(tongue, text))
            }
        }
    }

    /// So many things are known about what was said, and the question whether to forget them; nothing to ask when
    /// there are none.
    pub(super) fn forgetting(&self, tongue: Tongue, things: usize, said: &str) -> String {
        let sentence = match things {
            0 => &self.nothing_about,
            1 => &self.one_thing,
            _ => &self.things,
        };
        let about = intents::told_back_in(tongue, said);
        sentence.replace("{count}", &things.to_string()).replace("{about}", &about)
    }

    /// So many things are gone.
    pub(super) fn gone(&self, things: usize) -> &str {
        if things == 1 { &self.gone_one } else { &self.gone }
    }

    /// What is known, in sentences.
    pub(super) fn about_me(&self, tongue: Tongue, known: &[Memory], has_diary: bool) -> String {
        let of = |kind: MemoryKind| known.iter().filter(move |memory| memory.kind == kind);
        let back = |memory: &Memory| sentence(&intents::told_back_in(tongue, &memory.text.0));
        let user = newest::holding(of(MemoryKind::User).collect(), |memory| (memory.at, &memory.text.0), &[]);
        let user: Vec<String> = user.into_iter().map(back).collect();
        let wishes: Vec<String> = of(MemoryKind::Wish).map(|memory| sentence(&memory.text.0)).collect();
        let others = of(MemoryKind::World).count() + of(MemoryKind::Document).count();
        let mut told = Vec::new();
        for (head, list) in [(&self.facts, &user), (&self.wishes, &wishes)] {
            if !list.is_empty() {
                told.push(head.clone());
                told.extend(list.iter().take(MOST_TOLD).cloned());
            }
        }
        if told.is_empty() {
            told.push(self.nothing.clone());
        }
        let more = user.len().saturating_sub(MOST_TOLD) + wishes.len().saturating_sub(MOST_TOLD) + others;
        match more {
            0 => {}
            1 => told.push(self.one_more.clone()),
            more => told.push(self.more.replace("{count}", &more.to_string())),
        }
        if has_diary {
            told.push(self.diary.clone());
        }
        told.join(" ")
    }
}

fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::message::Private;

    fn memory(kind: MemoryKind, text: &str) -> Memory {
        let (at, source) = (Timestamp::UNIX_EPOCH, String::new());
        Memory { id: 1, kind, at, text: Private(text.into()), source }
    }

    #[test]
    fn every_language_says_everything_and_fills_in_what_it_names() {
        let known: Vec<Memory> = (0..12)
            .map(|_| memory(MemoryKind::User, "mine"))
            .chain([memory(MemoryKind::Wish, "be brief"), memory(MemoryKind::World, "x")])
            .collect();
        for tongue in [Tongue::English, Tongue::German] {
            let told = told(tongue);
            let all = [
                told.remembered(tongue, MemoryKind::User, "mine"),
                told.remembered(tongue, MemoryKind::Wish, "be brief"),
                told.no_secrets.clone(),
                told.failed.clone(),
                told.forgetting(tongue, 0, "the boat"),
                told.forgetting(tongue, 1, "the boat"),
                told.forgetting(tongue, 7, "the boat"),
                told.everything.clone(),
                told.left_alone.clone(),
                told.gone(1).to_owned(),
                told.gone(2).to_owned(),
                told.gone_everything.clone(),
                told.about_me(tongue, &[], true),
                told.about_me(tongue, &known[11..], false),
                told.about_me(tongue, &known, true),
            ];
            for (place, sentence) in all.iter().enumerate() {
                assert!(
                    sentence.len() > 10 && !sentence.contains(['{', '}']),
                    "{tongue:?} {place}: {sentence}"
                );
                assert_eq!(all.iter().position(|other| other == sentence), Some(place), "{sentence}");
            }
        }
    }

    // covers the house's language rules: German is data
    #[test]
    fn german_tells_a_speaker_of_himself_in_german() {
        let told = told(Tongue::German);
        let remembered = told.remembered(Tongue::German, MemoryKind::User, "meine Katze heißt Mia");
        assert_eq!(remembered, "Ich merke mir: deine Katze heißt Mia.");
        let known = [memory(MemoryKind::User, "ich bin Lehrer"), memory(MemoryKind::Wish, "Antworte kurz.")];
        assert_eq!(
            told.about_me(Tongue::German, &known, true),
            "Das hast du mir gesagt. Du bist Lehrer. Und das möchtest du von mir. Antworte kurz. \
             Und ich führe ein Tagebuch unserer Gespräche."
        );
        assert_eq!(
            told.forgetting(Tongue::German, 0, "mein Boot"),
            "Ich erinnere mich an nichts über dein Boot."
        );
    }
}
