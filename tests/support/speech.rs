//! Words and sounds of spoken tests.

use joi::audio::{RATE, read_wav};

use super::program::project;

/// The words alone: lower case, no punctuation, one space between.
pub(crate) fn plain(text: &str) -> String {
    let letters = text.to_lowercase().replace(|c: char| !c.is_alphanumeric() && !c.is_whitespace(), "");
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The two questions of the demo ("what time is it", "why is the sky blue"), each with its wake
/// phrase: the recording, cut in the middle of its longest silence.
pub(crate) fn questions() -> [Vec<f32>; 2] {
    let all = read_wav(project("assets/demo/conversation.wav"), RATE).expect("the demo");
    let (mut longest, mut begin) = (0..0, 0);
    for (at, sample) in all.iter().enumerate() {
        if sample.abs() > 1e-3 {
            if at - begin > longest.len() {
                longest = begin..at;
            }
            begin = at + 1;
        }
    }
    let cut = usize::midpoint(longest.start, longest.end);
    [all[..cut].to_vec(), all[cut..].to_vec()]
}
