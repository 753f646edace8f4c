//! Computes the encoder's window for an utterance and detects a decoder that repeats itself.
//!
//! Pure: no I/O, no clock.

use std::borrow::Cow;

use joi_audio::RATE;
use joi_language::loops_by_letters;

/// The encoder's whole window of 30 s, in positions of 20 ms.
pub const WHOLE: u32 = 1500;
/// The encoder's window for a phrase, in positions of 20 ms: 5.1 s.
pub(super) const PHRASE_AUDIO_CTX: u32 = 256;
/// The most tokens of speech during playback, which lasts three seconds at most.
pub(super) const PHRASE_TOKENS: u32 = 24;
/// The longest sound that window suits, in samples: 3.5 s.
pub(super) const PHRASE_SAMPLES: usize = RATE as usize * 7 / 2;
/// Below this the decoder tends to repeat itself.
const LEAST: u32 = 384;
/// whisper.cpp transcribes nothing from less than a second.
const LEAST_SAMPLES: usize = RATE as usize * 11 / 10;
/// A shorter sentence, in words, may be meant twice: "No, stop. No, stop."
const SHORTEST_SENTENCE: usize = 3;
/// The longest phrase that is checked for repetition.
const LONGEST_PHRASE: usize = 8;

/// Returns the encoder's window for `samples` of 16 kHz audio, in positions of 20 ms: the audio, a margin of
/// 2.5 s, rounded up to 64.
pub fn audio_ctx(samples: usize) -> u32 {
    let positions = (samples.max(LEAST_SAMPLES) as u64 * 50).div_ceil(u64::from(RATE)) + 128;
    positions.next_multiple_of(64).clamp(u64::from(LEAST), u64::from(WHOLE)) as u32
}

/// Returns the window in which a decoder that repeated itself in `audio_ctx` mostly does not: twice as wide, and then
/// the whole one, which takes three times as long and some 80 MB more.
pub(super) fn wider(audio_ctx: u32) -> Option<u32> {
    let twice = audio_ctx * 2;
    (audio_ctx < WHOLE).then_some(if twice < WHOLE * 3 / 4 { twice } else { WHOLE })
}

/// Returns the most tokens a decode of `samples` may yield. Fast speech has about five a second; reaching this means
/// the decoder is in a repetition loop.
pub(crate) fn max_tokens(samples: usize) -> u32 {
    let seconds = (samples / RATE as usize).min(28) as u32;
    (seconds * 8).max(64)
}

/// `samples`, or a copy in `buffer` padded with silence when whisper would find it too short.
pub(super) fn padded<'a>(samples: &'a [f32], buffer: &'a mut Vec<f32>) -> &'a [f32] {
    if samples.len() >= LEAST_SAMPLES {
        return samples;
    }
    buffer.clear();
    buffer.extend_from_slice(samples);
    buffer.resize(LEAST_SAMPLES, 0.0);
    buffer
}

/// `text`, or its first half where it is a sentence twice ("How do I make pancakes? How do I make pancakes?"): small
/// models transcribe the silence behind it as the same once more.
pub(super) fn said_once(text: &str) -> &str {
    let words: Vec<(usize, &str)> =
        text.split_whitespace().map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word)).collect();
    let half = words.len() / 2;
    let bare = |(_, word): &(usize, &str)| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_twice = half >= SHORTEST_SENTENCE
        && words.len() == 2 * half
        && words[..half].iter().map(bare).eq(words[half..].iter().map(bare));
    if is_twice { text[..words[half].0].trim_end() } else { text }
}

/// Returns whether some phrase of up to eight words occurs three times in a row, or letters go round in a word.
pub(crate) fn repeats(text: &str) -> bool {
    if loops_by_letters(text) {
        return true;
    }
    let words: Vec<Cow<'_, str>> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(
            |word| {
                if word.chars().any(char::is_uppercase) { word.to_lowercase().into() } else { word.into() }
            },
        )
        .collect();
    (1..=LONGEST_PHRASE)
        .any(|n| words.windows(3 * n).any(|run| run[..n] == run[n..2 * n] && run[..n] == run[2 * n..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_window_is_cut_to_the_utterance() {
        let seconds = |s: f64| (s * f64::from(RATE)) as usize;
        let windows: Vec<u32> =
            [0.0, 0.3, 3.0, 5.2, 11.0, 20.0, 27.4, 30.0, 95.0].map(|s| audio_ctx(seconds(s))).into();
        assert_eq!(windows, [384, 384, 384, 448, 704, 1152, 1500, 1500, 1500]);
    }

    #[test]
    fn a_phrase_three_times_in_a_row_is_repetition() {
        assert!(repeats("Stop. Stop. Stop."));
        assert!(repeats("well, turn it on Turn it on, turn it on. okay"));
        assert!(repeats(&"abc".repeat(200)), "by its letters");
        assert!(!repeats("Stop. Stop."));
        assert!(!repeats("no, turn on the light, and turn on the fan, and turn on the heater"));
        assert!(!repeats(""));
        assert!(!repeats("... ... ..."));
    }

    #[test]
    fn a_sentence_twice_is_kept_once() {
        assert_eq!(said_once("How do I make tea? How do I make tea?"), "How do I make tea?");
        assert_eq!(said_once("Tell Me A Story Tell Me A Story"), "Tell Me A Story");
        assert_eq!(said_once("It's cold, isn't it? It's cold, isn't it."), "It's cold, isn't it?");
        for kept in
            ["Stop. Stop.", "No, stop. No, stop.", "turn it on and turn it off", "How do I make tea?", ""]
        {
            assert_eq!(said_once(kept), kept);
        }
    }

    #[test]
    fn a_window_is_made_wider_until_it_is_the_whole_one() {
        let all = |ctx| std::iter::successors(Some(ctx), |ctx| wider(*ctx)).collect::<Vec<_>>();
        assert_eq!(all(384), [384, 768, WHOLE]);
        assert_eq!(all(512), [512, 1024, WHOLE]);
        assert_eq!(all(704), [704, WHOLE], "nearly all of it");
        assert_eq!(all(WHOLE), [WHOLE]);
    }

    #[test]
    fn short_audio_is_padded_and_long_audio_untouched() {
        let mut buffer = vec![1.0; 40];
        assert_eq!(padded(&[0.5; 10], &mut buffer).len(), 17_600);
        assert_eq!(padded(&[0.5; 10], &mut buffer)[9..11], [0.5, 0.0]);
        assert_eq!(padded(&[0.5; 17_600], &mut buffer), [0.5; 17_600]);
    }

    proptest! {
        #[test]
        fn the_window_holds_the_audio_and_never_leaves_its_bounds(samples in 0_usize..2_000_000) {
            let ctx = audio_ctx(samples);
            prop_assert!((384..=1500).contains(&ctx));
            prop_assert!(ctx == WHOLE || ctx as usize * 320 >= samples);
            prop_assert!(ctx == WHOLE || ctx.is_multiple_of(64));
            prop_assert!((64..=224).contains(&max_tokens(samples)));
        }

        #[test]
        fn any_phrase_said_three_times_is_found(phrase in "[a-z]{1,6}( [a-z]{1,6}){0,7}", before in "[A-Z]{0,5}") {
            let text = format!("{before} {phrase}, {phrase}. {phrase}");
            prop_assert!(repeats(&text));
        }
    }
}
