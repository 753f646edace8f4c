//! Finds stop commands and stop words in an utterance.
//!
//! In: the words of an utterance, and the vocabulary of a language. Out: how many stop words are meant as
//! such. Words are compared whole: "bus stop", "non-stop", "quite" and "don't stop" are none.
//! Pure: no I/O, no clock.

use joi_language::{PhraseWords, Vocabulary};

/// How a stop phrase is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandKind {
    /// A command: anything polite may stand before it.
    Command,
    /// A word that also describes: "just enough", "so quiet".
    Word,
}

/// Returns the words of an utterance for this purpose: lower case, apostrophes and hyphens inside words kept.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '-'))
        .map(|word| squeeze(word.trim_matches(['\'', '-'])))
        .filter(|word| !word.is_empty())
        .collect()
}

/// "shhhh" and "shhh" are one word.
fn squeeze(word: &str) -> String {
    let is_hiss = word.len() > 3 && word.starts_with("sh") && word[2..].bytes().all(|b| b == b'h');
    if is_hiss { "shh".to_owned() } else { word.to_owned() }
}

/// Returns how many stop commands an utterance holds that is little else, or nothing. `names` are the assistant's
/// names, in lower case.
pub(super) fn clear_commands(
    words: &[String],
    names: &[PhraseWords],
    vocabulary: &Vocabulary,
) -> Option<usize> {
    let mut at = 0;
    let mut orders = 0;
    while at < words.len() {
        let lead = skip(words, at, &[&vocabulary.before, names]);
        let polite = skip(words, at, &[&vocabulary.before, &vocabulary.before_orders, names]);
        let (len, _) = order_at(words, polite, vocabulary)
            .filter(|(_, kind)| lead == polite || *kind == CommandKind::Command)?;
        orders += 1;
        at = skip(words, polite + len, &[&vocabulary.behind, names]);
    }
    (orders > 0).then_some(orders)
}

fn order_at(words: &[String], at: usize, vocabulary: &Vocabulary) -> Option<(usize, CommandKind)> {
    let of = |list: &[PhraseWords], kind| {
        list.iter().find(|order| stands_at(words, at, order)).map(|order| (order.len(), kind))
    };
    of(&vocabulary.orders, CommandKind::Command).or_else(|| of(&vocabulary.words, CommandKind::Word))
}

fn stands_at(words: &[String], at: usize, phrase: &[String]) -> bool {
    words.get(at..at + phrase.len()).is_some_and(|there| there == phrase)
}

/// Returns the position behind all phrases of `lists` that stand at `at`.
fn skip(words: &[String], mut at: usize, lists: &[&[PhraseWords]]) -> usize {
    loop {
        let phrases = lists.iter().copied().flatten();
        let there = phrases.filter(|phrase| !phrase.is_empty() && stands_at(words, at, phrase));
        match there.map(Vec::len).max() {
            Some(len) => at += len,
            None => return at,
        }
    }
}

/// Returns how many stop words stand in an utterance as words of their own.
pub(super) fn loose_commands(words: &[String], vocabulary: &Vocabulary) -> usize {
    (0..words.len()).filter(|&at| is_loose_order(words, at, vocabulary)).count()
}

fn is_loose_order(words: &[String], at: usize, vocabulary: &Vocabulary) -> bool {
    let word = &words[at];
    if !vocabulary.hearts.contains(word) {
        return false;
    }
    let beside = |spoilers: Option<&Vec<String>>, neighbour: Option<&String>| matches!((spoilers, neighbour), (Some(spoilers), Some(neighbour)) if spoilers.contains(neighbour));
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    !beside(vocabulary.not_behind.get(word), before)
        && !beside(vocabulary.not_before.get(word), words.get(at + 1))
        && vocabulary.within.get(word).is_none_or(|phrase| stands_within(words, at, phrase))
}

/// Returns whether the word at `at` is a part of `phrase`.
fn stands_within(words: &[String], at: usize, phrase: &str) -> bool {
    let phrase: PhraseWords = phrase.split(' ').map(str::to_owned).collect();
    let places = phrase.iter().enumerate().filter(|(_, part)| **part == words[at]);
    places.filter_map(|(place, _)| at.checked_sub(place)).any(|from| stands_at(words, from, &phrase))
}

/// Returns whether nothing was said but backchannels: "mhm", "yeah, right".
pub(super) fn is_backchannel(words: &[String], vocabulary: &Vocabulary) -> bool {
    !words.is_empty() && skip(words, 0, &[&vocabulary.backchannels]) == words.len()
}

/// Returns how many of the played `said` words whisper may have taken for the stop words among the `heard` ones.
pub(super) fn own(said: &[String], heard: &[String], vocabulary: &Vocabulary) -> usize {
    (0..said.len()).filter(|&at| is_own(said, at, heard, vocabulary)).count()
}

/// Returns whether playback contained a stop word or command that was heard, or something that sounds like its main
/// word.
fn is_own(said: &[String], at: usize, heard: &[String], vocabulary: &Vocabulary) -> bool {
    let word = &said[at];
    let sounds_like = |heart: &String| {
        let is_form = word.strip_prefix(heart.as_str()).is_some_and(|ending| ending.chars().count() <= 4);
        is_form || strsim::osa_distance(word, heart) <= 1
    };
    let is_heard = |order: &PhraseWords| (0..heard.len()).any(|at| stands_at(heard, at, order));
    let begins_order = |order: &PhraseWords| {
        stands_at(said, at, order) && !order.iter().any(|w| vocabulary.hearts.contains(w)) && is_heard(order)
    };
    vocabulary.hearts.iter().filter(|heart| heard.contains(heart)).any(sounds_like)
        || vocabulary.orders.iter().chain(&vocabulary.words).any(begins_order)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn english() -> &'static Vocabulary {
        joi_language::testing::english().vocabulary()
    }

    fn clear(text: &str) -> Option<usize> {
        let names = [vec!["hey".into(), "jarvis".into()], vec!["friday".into()]];
        clear_commands(&words(text), &names, english())
    }

    #[test]
    fn orders_are_understood_in_their_polite_and_named_forms() {
        for text in [
            "Stop.",
            "stop!",
            "Quiet!",
            "Be quiet.",
            "Shush.",
            "Shhhh!",
            "Silence.",
            "Enough!",
            "Shut up.",
            "Stop talking.",
            "That's enough.",
            "That is enough, thank you.",
            "Okay, stop.",
            "Please stop.",
            "Stop it, Joi.",
            "Hey Jarvis, stop.",
            "Friday, be quiet please.",
            "No, stop now!",
            "Can you stop talking?",
            "All right, that's enough.",
            "Okay, enough.",
            "Stop that, please.",
        ] {
            assert_eq!(clear(text), Some(1), "{text}");
        }
        assert_eq!(clear("Stop, stop, stop!"), Some(3));
        assert_eq!(clear("Stop it! Be quiet!"), Some(2));
    }

    #[test]
    fn sentences_about_stopping_are_none() {
        for text in [
            "bus stop",
            "non-stop",
            "Quite.",
            "Don't stop.",
            "When does the bus stop?",
            "Stop the kitchen timer.",
            "just enough",
            "well enough",
            "it's quiet",
            "Is it quiet?",
            "so quiet",
            "not enough",
            "Will it stop?",
            "please",
            "Okay.",
            "Top.",
            "stopwatch",
            "Play the sound of silence",
            "I can't stop",
            "",
            "Stop sign.",
        ] {
            assert_eq!(clear(text), None, "{text}");
        }
    }

    #[test]
    fn in_an_interjection_the_word_alone_counts_unless_it_means_something_else() {
        let loose = |text| loose_commands(&words(text), english());
        for (text, orders) in [
            ("mm stop that thing", 1),
            ("oh come on shut up", 1),
            ("stop stop please stop", 3),
            ("enough of that", 0),
            ("at the bus stop", 0),
            ("don't stop", 0),
            ("non-stop", 0),
            ("quite", 0),
            ("it's quiet", 0),
            ("a stop sign", 0),
            ("shut the door", 0),
            ("that's enough I think", 1),
        ] {
            assert_eq!(loose(text), orders, "{text}");
        }
    }

    #[test]
    fn her_own_words_count_when_they_sound_like_one() {
        let own = |(said, heard): (&str, &str)| super::own(&words(said), &words(heard), english());
        let alike = [
            ("the bus stopped", "stop"),
            ("at the shop", "please stop it"),
            ("quite", "be quiet"),
            ("be silently", "silent"),
            ("it stops and stops", "stop"),
            ("that's enough", "enough"),
            ("and she said", "shh"),
            ("keep it down, ssh", "ssh"),
        ];
        assert_eq!(alike.map(own), [1, 1, 1, 1, 2, 1, 1, 1]);
        let others = [
            ("the weather is nice", "stop"),
            ("a storm is coming", "stop"),
            ("stopgapmeasures", "stop"),
            ("and she said it quite often", "stop"),
            ("we stopped there", "be quiet"),
            ("ssh", "stop"),
        ];
        assert_eq!(others.map(own), [0; 6], "nobody takes the one for the other");
    }

    #[test]
    fn whoever_only_listens_is_known_by_every_word() {
        let hums = |text: &str| is_backchannel(&words(text), english());
        for text in ["Mhm.", "yeah", "Right, okay.", "Uh-huh.", "I see.", "Oh, really?", "Hmm, yes."] {
            assert!(hums(text), "{text}");
        }
        for text in ["", "right there", "yes but", "okay stop", "what", "I see a bird", "no"] {
            assert!(!hums(text), "{text}");
        }
    }

    #[test]
    fn another_language_has_its_own_words() {
        let german = joi_language::testing::german().vocabulary();
        for text in ["Stopp!", "Halt!", "Sei still, bitte.", "Joi, hör auf!", "Das reicht jetzt.", "Ruhe!"] {
            assert_eq!(clear_commands(&words(text), &[], german), Some(1), "{text}");
        }
        for text in ["Hör auf dein Herz", "Das ist halt so.", "Wann hält der Bus?", "nicht genug"] {
            assert_eq!(clear_commands(&words(text), &[], german), None, "{text}");
            assert_eq!(loose_commands(&words(text), german), 0, "{text}");
        }
        assert!(is_backchannel(&words("Ja, genau."), german));
    }

    proptest! {
        #[test]
        fn a_stop_word_inside_another_word_is_none(before in "[a-z]{0,3}", after in "[a-z]{0,3}", heart in 0_usize..9) {
            let inside = format!("{before}{}{after}", english().hearts[heart]);
            let known = english().orders.iter().chain(&english().words).any(|order| order.contains(&inside));
            prop_assume!(!known && !inside.starts_with("shh"));
            prop_assert_eq!(clear(&inside), None);
            prop_assert_eq!(loose_commands(&words(&format!("um {inside} er")), english()), 0);
        }
    }
}
