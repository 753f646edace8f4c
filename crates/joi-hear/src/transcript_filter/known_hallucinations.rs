//! Recognises known hallucinations of whisper, in many languages.
//!
//! In: a transcript. Out: whether it is one of the list in `assets/speech/inventions.txt`, and whether people
//! say it too.
//! Pure: no I/O, no clock.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::syllables::{has_no_spaces, words};

const LIST: &str = include_str!("../../../../assets/speech/inventions.txt");

/// What kind of known text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KnownText {
    /// Hallucinated, and now and then really said.
    SaidToo,
    /// Never said to a voice assistant.
    Invented,
}

struct Inventions {
    /// Texts that count wherever they stand.
    contained: Vec<String>,
    whole: HashMap<String, KnownText>,
    /// Words of the longest whole text.
    longest: usize,
}

static ALL: LazyLock<Inventions> = LazyLock::new(|| Inventions::read(LIST));

/// What `text` is known as, if it consists of known hallucinations or contains one that counts anywhere.
pub(super) fn known(text: &str) -> Option<KnownText> {
    ALL.find(text)
}

impl Inventions {
    /// Lines without a mark (comments, sections) are left out.
    fn read(list: &str) -> Self {
        let mut all = Self { contained: Vec::new(), whole: HashMap::new(), longest: 0 };
        for line in list.lines() {
            let Some((mark, text)) = line.split_once(' ') else { continue };
            let key = key(text);
            match mark {
                "~" => all.contained.push(key),
                "=" => drop(all.whole.insert(key, KnownText::Invented)),
                "?" => drop(all.whole.insert(key, KnownText::SaidToo)),
                _ => {}
            }
        }
        let count = |key: &String| key.split(' ').count();
        all.longest = all.whole.keys().map(count).max().unwrap_or(0);
        all
    }

    fn find(&self, text: &str) -> Option<KnownText> {
        let key = key(text);
        let padded = format!(" {key} ");
        let is_in = |part: &String| {
            if part.contains(has_no_spaces) {
                key.contains(part)
            } else {
                padded.contains(&format!(" {part} "))
            }
        };
        if self.contained.iter().any(is_in) {
            return Some(KnownText::Invented);
        }
        if key.contains(has_no_spaces) {
            return self.whole.get(&key).copied();
        }
        self.sequence(&key.split(' ').collect::<Vec<_>>())
    }

    /// What `words` are when they can be split into known texts without a rest: the worst of the pieces.
    fn sequence(&self, words: &[&str]) -> Option<KnownText> {
        let mut best: Vec<Option<KnownText>> = vec![None; words.len() + 1];
        for end in 1..=words.len() {
            best[end] = (end.saturating_sub(self.longest)..end)
                .filter_map(|from| {
                    let piece = *self.whole.get(&words[from..end].join(" "))?;
                    if from == 0 { Some(piece) } else { best[from].map(|before| before.max(piece)) }
                })
                .min();
        }
        best[words.len()]
    }
}

/// Lower case, words alone; where words have no spaces between them, no spaces at all.
fn key(text: &str) -> String {
    let words = words(text);
    if text.contains(has_no_spaces) { words.concat() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_are_found_anywhere_and_in_many_languages() {
        for text in [
            "Thanks for watching!",
            "Thank you. Thanks for watching. Bye.",
            "Subtitles by the Amara.org community",
            "Untertitel im Auftrag des ZDF für funk, 2017",
            "Sous-titres réalisés para la communauté d'Amara.org",
            "Subtítulos realizados por la comunidad de Amara.org",
            "Sottotitoli creati dalla comunità Amara.org",
            "Legendas pela comunidade Amara.org",
            "Ondertiteld door de Amara.org gemeenschap",
            "Napisy stworzone przez społeczność Amara.org",
            "Субтитры сделал DimaTorzok",
            "ご視聴ありがとうございました。",
            "字幕由Amara.org社区提供",
            "시청해주셔서 감사합니다.",
            "You",
            "Hmm...",
        ] {
            assert_eq!(known(text), Some(KnownText::Invented), "{text}");
        }
    }

    #[test]
    fn words_that_people_say_too_are_kept() {
        for text in [
            "Thank you.",
            "Thank you. Thank you. Bye!",
            "Danke.",
            "Merci beaucoup",
            "谢谢",
            "No.",
            "Okay, bye-bye.",
        ] {
            assert_eq!(known(text), Some(KnownText::SaidToo), "{text}");
        }
    }

    #[test]
    fn a_sentence_that_only_begins_like_one_is_none() {
        for text in [
            "Thank you for the light.",
            "Tell her thanks for watching the kids.",
            "Bye means good bye in German",
            "Do you subscribe to the newspaper?",
            "What time is it?",
            "您好吗",
            "",
        ] {
            assert_eq!(known(text), None, "{text}");
        }
    }

    #[test]
    fn every_line_of_the_list_is_a_comment_a_section_or_has_a_mark() {
        for line in LIST.lines().filter(|l| !l.is_empty()) {
            let is_marked =
                ["~ ", "= ", "? "].iter().any(|mark| line.starts_with(mark)) && !key(&line[2..]).is_empty();
            assert!(line.starts_with('#') || line.starts_with('[') || is_marked, "{line}");
        }
    }
}
