//! Finds words that sound like a phrase, from an embedded lexicon.
//!
//! In: a phrase as it is written. Out: what somebody may have said instead, the likeliest first. The lexicon
//! is made by `scripts/lexicon.py` from the CMU Pronouncing Dictionary: nineteen thousand words that are
//! single tokens of the model, the most frequent first.
//! Pure: no I/O, no clock.

use super::phonetics::{distance, guess};

const LEXICON: &str = include_str!("../../../../assets/wake/lexicon.txt");

/// How much nearer a word that is ten times as frequent counts.
const FREQUENT: f32 = 0.1;
/// Other names behind the same greeting: how many, how far away, and from which rank in the lexicon on too
/// rare.
const NAMES: LexiconSearch = LexiconSearch { most: 32, farthest: 2.6, rarest: usize::MAX };
/// Other greetings before the same name.
const GREETINGS: LexiconSearch = LexiconSearch { most: 8, farthest: 1.2, rarest: 6000 };
/// Single words that sound like the whole phrase.
const WHOLES: LexiconSearch = LexiconSearch { most: 6, farthest: 2.4, rarest: usize::MAX };

/// Another word before the same name is weighted down: the small words that sound like "hey" are what a model
/// writes for a soft one, and nobody says "they Jarvis".
const GREETING_DOUBT: f32 = 2.0;
/// So is one word for the whole phrase: that is how a small model likes to write a name it does not know
/// ("Enjoy" for "hey joi"), while the sound of that word hardly supports the phrase.
const WHOLE_DOUBT: f32 = 3.0;

struct LexiconSearch {
    most: usize,
    farthest: f32,
    rarest: usize,
}

/// Words that sound like a phrase.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alike {
    /// As they are written, lower case.
    pub(super) written: String,
    /// By how much, in nats, they must be better supported than other rivals to count.
    pub(super) doubt: f32,
}

/// What sounds like one of `forms`, which are ways to write the same phrase, lower case. The most similar
/// first, and nothing that sounds the same as one of them.
pub(super) fn sound_alikes(forms: &[String]) -> Vec<Alike> {
    let split = |form: &String| match form.rsplit_once(' ') {
        Some((before, name)) => (before.to_owned(), name.to_owned()),
        None => (String::new(), form.clone()),
    };
    let forms: Vec<(String, String)> = forms.iter().map(split).collect();
    let Some((before, own)) = forms.last().cloned() else { return Vec::new() };
    let names: Vec<String> = forms.iter().flat_map(|(_, name)| said(name)).collect();
    let mut found: Vec<Alike> = Vec::new();
    let mut add = |written: String, doubt: f32| {
        let is_own = forms.iter().any(|(before, name)| written == format!("{before} {name}").trim());
        if !is_own && !found.iter().any(|known| known.written == written) {
            found.push(Alike { written, doubt });
        }
    };
    for name in nearest(&names, &NAMES) {
        add(format!("{before} {name}").trim().to_owned(), 0.0);
    }
    let Some(first) = before.split(' ').next().filter(|first| !first.is_empty()) else { return found };
    for greeting in nearest(&said(first), &GREETINGS) {
        add(format!("{greeting}{} {own}", &before[first.len()..]), GREETING_DOUBT);
    }
    let starts = before.split(' ').map(said).fold(vec![String::new()], |starts, ways| joined(&starts, &ways));
    for whole in nearest(&joined(&starts, &names), &WHOLES) {
        add(whole.to_owned(), WHOLE_DOUBT);
    }
    add(own, 0.0);
    found
}

/// Returns how a word may be said.
fn said(word: &str) -> Vec<String> {
    let known = entries().find(|(entry, _)| *entry == word);
    known.map_or_else(|| vec![guess(word)], |(_, ways)| ways.map(str::to_owned).collect())
}

fn joined(starts: &[String], ends: &[String]) -> Vec<String> {
    starts.iter().flat_map(|start| ends.iter().map(move |end| format!("{start}{end}"))).collect()
}

fn entries() -> impl Iterator<Item = (&'static str, std::str::SplitAsciiWhitespace<'static>)> {
    LEXICON.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        Some((words.next()?, words))
    })
}

/// Returns the words that sound most like one of `said`, and not the same.
fn nearest(said: &[String], search: &LexiconSearch) -> Vec<&'static str> {
    let mut found: Vec<(f32, &str)> = Vec::new();
    for (rank, (word, ways)) in entries().take(search.rarest).enumerate() {
        let away = |way: &str| said.iter().map(|said| distance(said, way)).fold(f32::INFINITY, f32::min);
        let nearest = ways.map(away).fold(f32::INFINITY, f32::min);
        if nearest > 0.0 && nearest <= search.farthest {
            found.push((nearest + FREQUENT * ((rank + 1) as f32).log10(), word));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(search.most);
    found.into_iter().map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alikes(forms: &[&str]) -> Vec<String> {
        let forms: Vec<String> = forms.iter().map(|form| (*form).to_owned()).collect();
        sound_alikes(&forms).into_iter().map(|alike| alike.written).collect()
    }

    #[test]
    fn they_are_other_names_other_greetings_and_words_like_the_whole() {
        let joi = alikes(&["hey joi", "hey joy"]);
        for likely in ["hey joyce", "hey joe", "hey toy", "hey boy", "hey joey", "may joy", "joy"] {
            assert!(joi.iter().any(|rival| rival == likely), "{likely} is not in {joi:?}");
        }
        assert!(!joi.iter().any(|rival| ["hey joi", "hey joy"].contains(&rival.as_str())), "{joi:?}");
        let jarvis = alikes(&["hey jarvis"]);
        for likely in ["hey service", "hey harvest", "hey travis", "jarvis"] {
            assert!(jarvis.iter().any(|rival| rival == likely), "{likely} is not in {jarvis:?}");
        }
    }

    #[test]
    fn a_phrase_of_one_word_and_one_of_three_have_them_too() {
        let alexa = alikes(&["alexa"]);
        assert!(
            alexa.contains(&"alexis".into()) && alexa.iter().all(|rival| !rival.contains(' ')),
            "{alexa:?}"
        );
        let three = alikes(&["good morning luna"]);
        assert!(
            three.iter().any(|rival| rival.starts_with("good morning ") && rival.ends_with("una")),
            "{three:?}"
        );
        assert_eq!(alikes(&[]), Vec::<String>::new());
        let doubted = sound_alikes(&["hey joy".into()]);
        let doubt = |written: &str| doubted.iter().find(|alike| alike.written == written).map(|a| a.doubt);
        assert_eq!(
            [doubt("may joy"), doubt("hey boy"), doubt("joy"), doubt("enjoy")],
            [Some(GREETING_DOUBT), Some(0.0), Some(0.0), Some(WHOLE_DOUBT)]
        );
    }

    #[test]
    fn the_lexicon_is_words_with_their_sounds() {
        assert!(LEXICON.is_ascii());
        for (word, ways) in entries() {
            let ways: Vec<&str> = ways.collect();
            assert!((1..=2).contains(&ways.len()) && word.bytes().all(|c| c.is_ascii_lowercase()), "{word}");
        }
    }
}
