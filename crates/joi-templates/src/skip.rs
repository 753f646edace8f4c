//! Words that may be left out of a sentence ("please"). Comes in: a sentence and the words of a language. Goes out: the
//! sentence without them, anywhere or at one end. Pure: no I/O, no clock.

use crate::text::{Normalised, SentenceLetter, is_word};

/// Which words are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SkipPlace {
    Anywhere,
    Start,
    End,
}

impl Normalised {
    /// Returns the sentence without the words, which are folded and the longest first.
    pub(crate) fn without(&self, words: &[Vec<char>], place: SkipPlace, joins_words: bool) -> Self {
        let mut text = self.clone();
        match place {
            SkipPlace::Anywhere => text.drop_anywhere(words, joins_words),
            SkipPlace::Start => text.drop_at_start(words, joins_words),
            SkipPlace::End => text.drop_at_end(words, joins_words),
        }
        text.single_spaces();
        text
    }

    fn drop_anywhere(&mut self, words: &[Vec<char>], joins_words: bool) {
        let letters = std::mem::take(&mut self.letters);
        let mut at = 0;
        while at < letters.len() {
            let length = longest_at(&letters, at, words, joins_words);
            if length > 0 && !joins_words {
                self.letters.push(SentenceLetter { folded: ' ', shown: ' ', ..letters[at] });
            } else if length == 0 {
                self.letters.push(letters[at]);
            }
            at += length.max(1);
        }
    }

    fn drop_at_start(&mut self, words: &[Vec<char>], joins_words: bool) {
        loop {
            let length = longest_at(&self.letters, 0, words, joins_words);
            if length == 0 {
                break;
            }
            let spaces = self.letters[length..].iter().take_while(|letter| letter.shown == ' ').count();
            self.letters.drain(..length + spaces);
        }
    }

    fn drop_at_end(&mut self, words: &[Vec<char>], joins_words: bool) {
        loop {
            let count = self.letters.len();
            let fits = |word: &&Vec<char>| {
                word.len() <= count
                    && longest_at(&self.letters, count - word.len(), &[(*word).clone()], joins_words) > 0
            };
            let Some(word) = words.iter().find(fits) else { break };
            self.letters.truncate(count - word.len());
            while self.letters.last().is_some_and(|last| last.shown == ' ') {
                self.letters.pop();
            }
        }
    }
}

/// Returns the length of the first of the words that stands at a place, 0 when there is none.
fn longest_at(letters: &[SentenceLetter], at: usize, words: &[Vec<char>], joins_words: bool) -> usize {
    let inside = |at: usize| letters.get(at).is_some_and(|letter| is_word(letter.shown));
    if !joins_words && at > 0 && inside(at - 1) {
        return 0;
    }
    let stands = |word: &&Vec<char>| {
        let said = letters.get(at..at + word.len());
        let is_same = said.is_some_and(|said| said.iter().map(|l| l.folded).eq(word.iter().copied()));
        is_same && (joins_words || !inside(at + word.len()))
    };
    words.iter().find(stands).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(sentence: &str, place: SkipPlace) -> String {
        let words: Vec<Vec<char>> =
            ["could you", "please"].map(|word| word.chars().collect()).into_iter().collect();
        Normalised::new(sentence).without(&words, place, false).folded().into_iter().collect()
    }

    #[test]
    fn whole_words_are_left_out() {
        assert_eq!(without("Could you please turn it on, please?", SkipPlace::Anywhere), "turn it on");
        assert_eq!(without("pleased", SkipPlace::Anywhere), "pleased");
    }

    #[test]
    fn only_one_end_is_shortened() {
        assert_eq!(without("please say please please", SkipPlace::Start), "say please please");
        assert_eq!(without("please say please please", SkipPlace::End), "please say");
    }
}
