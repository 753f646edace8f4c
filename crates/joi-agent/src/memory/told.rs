//! Words the answers about the memory without a model: "I'll remember: …", "shall I forget it for good?".
//!
//! Input: what was done or is known. Output: sentences, which stand in the files of the languages.
//! Pure: no I/O, no clock.

use joi_language::{Language, fill};
use joi_store::{Memory, MemoryKind, TopicMentions};
use joi_understand::intents;

/// Maximum number of things said at once.
const MOST_TOLD: usize = 8;

/// Confirms that something is remembered now.
pub(crate) fn remembered(language: &Language, kind: MemoryKind, text: &str) -> String {
    let say = &language.sentences().memory;
    match kind {
        MemoryKind::Wish => fill(&say.wished, &[("text", text)]),
        MemoryKind::User | MemoryKind::World | MemoryKind::Diary | MemoryKind::Document => {
            fill(&say.remembered, &[("about", &intents::said_back(language, text))])
        }
    }
}

/// Answers a question with what the user said before.
pub(crate) fn known(language: &Language, text: &str) -> String {
    let about = intents::said_back(language, text.trim().trim_end_matches('.'));
    fill(&language.sentences().memory.known, &[("about", &about)])
}

/// Words how much is known about a subject, and the question whether to forget it; nothing to ask when there is
/// nothing.
pub(crate) fn forgetting(language: &Language, known: TopicMentions, said: &str) -> String {
    let say = &language.sentences().memory;
    let things = known.things();
    let sentence = match (things, known.notes + known.timers) {
        (0, _) => &say.nothing_about,
        (1, 0) => &say.one_thing,
        (1, _) => &say.one_thing_set,
        (_, 0) => &say.things,
        (_, _) => &say.things_set,
    };
    let about = intents::said_back(language, said);
    fill(sentence, &[("count", &things.to_string()), ("about", &about)])
}

/// Words the question whether what is known about a subject is to be forgotten for what holds now.
pub(crate) fn replacing(language: &Language, about: &str, now: &str) -> String {
    let back = |said: &str| intents::said_back(language, said);
    fill(&language.sentences().memory.replace, &[("about", &back(about)), ("now", &back(now))])
}

/// Returns the fact that something is so now: "my locker number is 512".
pub(crate) fn fact_of(language: &Language, about: &str, now: &str) -> String {
    fill(&language.sentences().memory.holds_now, &[("about", about), ("now", now)])
}

/// Confirms how many things were erased.
pub(crate) fn gone(language: &Language, things: usize) -> &str {
    let say = &language.sentences().memory;
    if things == 1 { &say.gone_one } else { &say.gone }
}

/// Returns what is known, in sentences; `beyond` is how many entries there are besides `known`.
pub(crate) fn about_me(language: &Language, known: &[Memory], beyond: usize, has_diary: bool) -> String {
    let say = &language.sentences().memory;
    let of = |kind: MemoryKind| known.iter().filter(move |memory| memory.kind == kind);
    let back = |memory: &Memory| sentence(&intents::said_back(language, &memory.text.0));
    let user = joi_understand::newest::holding(
        of(MemoryKind::User).collect(),
        |memory| (memory.at, &memory.text.0),
        &[],
    );
    let user: Vec<String> = user.into_iter().map(back).collect();
    let wishes: Vec<String> = of(MemoryKind::Wish).map(|memory| sentence(&memory.text.0)).collect();
    let others = of(MemoryKind::World).count() + of(MemoryKind::Document).count();
    let mut told = Vec::new();
    for (head, list) in [(&say.facts, &user), (&say.wishes, &wishes)] {
        if !list.is_empty() {
            told.push(head.clone());
            told.extend(list.iter().take(MOST_TOLD).cloned());
        }
    }
    if told.is_empty() {
        told.push(say.nothing.clone());
    }
    let more =
        user.len().saturating_sub(MOST_TOLD) + wishes.len().saturating_sub(MOST_TOLD) + others + beyond;
    match more {
        0 => {}
        1 => told.push(say.one_more.clone()),
        more => told.push(fill(&say.more, &[("count", &more.to_string())])),
    }
    if has_diary {
        told.push(say.diary.clone());
    }
    told.join(" ")
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
    use joi_base::message::Private;
    use joi_language::testing::{english, german};

    fn memory(kind: MemoryKind, text: &str) -> Memory {
        let (at, source) = (Timestamp::UNIX_EPOCH, String::new());
        Memory { id: 1, kind, at, text: Private(text.into()), source }
    }

    fn memories(memories: usize) -> TopicMentions {
        TopicMentions { memories, ..TopicMentions::default() }
    }

    #[test]
    fn every_language_says_everything_and_fills_in_what_it_names() {
        let known: Vec<Memory> = (0..12)
            .map(|_| memory(MemoryKind::User, "mine"))
            .chain([memory(MemoryKind::Wish, "be brief"), memory(MemoryKind::World, "x")])
            .collect();
        for language in [english(), german()] {
            let say = &language.sentences().memory;
            let all = [
                remembered(language, MemoryKind::User, "mine"),
                remembered(language, MemoryKind::Wish, "be brief"),
                say.no_secrets.clone(),
                say.failed.clone(),
                forgetting(language, memories(0), "the boat"),
                forgetting(language, memories(1), "the boat"),
                forgetting(language, memories(7), "the boat"),
                forgetting(language, TopicMentions { notes: 1, ..memories(0) }, "the boat"),
                forgetting(language, TopicMentions { timers: 1, ..memories(1) }, "the boat"),
                say.everything.clone(),
                say.left_alone.clone(),
                gone(language, 1).to_owned(),
                gone(language, 2).to_owned(),
                say.gone_everything.clone(),
                about_me(language, &[], 0, true),
                about_me(language, &known[11..], 0, false),
                about_me(language, &known, 0, true),
                about_me(language, &known, 49_000, true),
            ];
            for (place, sentence) in all.iter().enumerate() {
                assert!(
                    sentence.len() > 10 && !sentence.contains(['{', '}']),
                    "{} {place}: {sentence}",
                    language.code()
                );
                assert_eq!(all.iter().position(|other| other == sentence), Some(place), "{sentence}");
            }
        }
    }

    // covers the house's language rules: German is data
    #[test]
    fn german_shows_a_speaker_of_himself_in_german() {
        let remembered = remembered(german(), MemoryKind::User, "meine Katze heißt Mia");
        assert_eq!(remembered, "Ich merke mir: deine Katze heißt Mia.");
        let known = [memory(MemoryKind::User, "ich bin Lehrer"), memory(MemoryKind::Wish, "Antworte kurz.")];
        assert_eq!(
            about_me(german(), &known, 0, true),
            "Das hast du mir gesagt. Du bist Lehrer. Und das möchtest du von mir. Antworte kurz. \
             Und ich führe ein Tagebuch unserer Gespräche."
        );
        assert_eq!(
            forgetting(german(), memories(0), "mein Boot"),
            "Ich erinnere mich an nichts über dein Boot."
        );
    }
}
