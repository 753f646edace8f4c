//! Words and sounds of spoken tests.

use joi_audio::{RATE, read_wav};

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

/// `text` in one of flite's voices.
pub(crate) fn flite(voice: &str, text: &str) -> Vec<f32> {
    spoken_by("flite", &["-voice", voice, "-t", text, "-o"])
}

/// What a program writes into the file that is named behind `args`.
fn spoken_by(program: &str, args: &[&str]) -> Vec<f32> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("said.wav");
    let status = std::process::Command::new(program).args(args).arg(&file).status();
    assert!(status.is_ok_and(|s| s.success()), "{program} is installed (apt-get install {program})");
    read_wav(&file, RATE).expect("what was written")
}

/// Nobody speaks: very soft noise.
pub(crate) fn pause(seconds: f64) -> Vec<f32> {
    let mut random = 1_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((random >> 16) as f32 / 32_768.0 - 1.0) * 3e-4
    };
    (0..(seconds * f64::from(RATE)) as usize).map(|_| next()).collect()
}
