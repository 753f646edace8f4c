//! Listens to voice messages: decoded by a process of its own, transcribed by whisper.
//!
//! A blocking thread for each, one at a time. In: the bytes of a file, which are foreign. Out: words that the sound
//! supports. The child is the hidden command `joi read-voice`; here only its samples are looked at. The models are loaded
//! for each message and freed again: messages are rare, and memory is not.

use std::io::Read as _;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use crate::config::Config;
use joi_audio::{RATE, VoiceNoteError, decode_voice_note};
use joi_base::confined::{self, ReaderFault, ReaderLimits};
use joi_base::message::{Private, Transcript};
use joi_base::paths::Paths;
use joi_channels::signal::notes::{HeardNote, LONGEST, NoteFault, NoteListener};
use joi_hear::transcribe_recording;
use joi_hear::vad::Vad;
use joi_hear::whisper::Whisper;
use joi_language::Languages;

/// This program, also after its file was replaced.
const THIS_PROGRAM: &str = "/proc/self/exe";
const LIMITS: ReaderLimits = ReaderLimits {
    memory: 1_000_000_000,
    cpu_seconds: 30,
    patience: Duration::from_secs(60),
    most: LONGEST.as_secs() * RATE as u64 * 4 + 4,
};
/// Exit codes of the child.
const UNKNOWN_KIND: u8 = 11;
const TOO_LONG: u8 = 12;
const NO_SOUND: u8 = 13;

/// The child's side: limits itself, decodes stdin, hands over samples.
pub(crate) fn read_for_parent() -> anyhow::Result<ExitCode> {
    Ok(ExitCode::from(decoded()?))
}

/// The same; gives the exit code.
fn decoded() -> anyhow::Result<u8> {
    confined::limit_this_process(&LIMITS)?;
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    Ok(match decode_voice_note(bytes, LONGEST) {
        Ok(samples) => {
            let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
            confined::hand_over(&bytes)?;
            0
        }
        Err(VoiceNoteError::UnknownKind) => UNKNOWN_KIND,
        Err(VoiceNoteError::TooLong) => TOO_LONG,
        Err(VoiceNoteError::NoSound) => NO_SOUND,
    })
}

/// Returns the samples of a file, mono at [`RATE`], as `reader` reads them.
fn samples(reader: Command, bytes: Vec<u8>) -> Result<Vec<f32>, NoteFault> {
    let refused = |fault: ReaderFault| match fault {
        ReaderFault::Refused(Some(code)) if code == i32::from(UNKNOWN_KIND) => NoteFault::UnknownKind,
        ReaderFault::Refused(Some(code)) if code == i32::from(TOO_LONG) => NoteFault::TooLong,
        ReaderFault::TooLarge(_) => NoteFault::TooLong,
        ReaderFault::NoProcess(error) => not_heard(error),
        // Whatever else such a file does, it has no words.
        _ => NoteFault::Unclear,
    };
    let read = confined::read_by(reader, bytes, &LIMITS).map_err(refused)?;
    let (whole, _) = read.as_chunks::<4>();
    Ok(whole.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// Loads what is needed for each message.
pub(super) struct WhisperNotes {
    config: Config,
    paths: Paths,
    languages: Languages,
    /// One after the other: each takes the memory of a model.
    turn: Mutex<()>,
}

impl WhisperNotes {
    pub(super) fn new(config: &Config, paths: &Paths, languages: &Languages) -> Arc<Self> {
        let (config, paths, languages) = (config.clone(), paths.clone(), languages.clone());
        Arc::new(Self { config, paths, languages, turn: Mutex::default() })
    }
}

impl NoteListener for WhisperNotes {
    fn listen(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<HeardNote, NoteFault>> {
        async move {
            let _turn = self.turn.lock().await;
            let (config, paths) = (self.config.clone(), self.paths.clone());
            let heard = tokio::task::spawn_blocking(move || {
                let mut reader = Command::new(THIS_PROGRAM);
                reader.arg("read-voice");
                transcribed(&samples(reader, bytes)?, &config, &paths)
            });
            let heard = heard.await.map_err(not_heard)??;
            let language = self.languages.heard(heard.language.as_deref()).to_code();
            Ok(HeardNote { text: Private(heard.text), language })
        }
        .boxed()
    }
}

fn not_heard(why: impl ToString) -> NoteFault {
    NoteFault::NotHeard(why.to_string())
}

/// Returns the words of `samples` that they support.
fn transcribed(samples: &[f32], config: &Config, paths: &Paths) -> Result<Transcript, NoteFault> {
    let library = crate::app::library(config, paths).map_err(not_heard)?;
    let model = library.path("silero-vad").map_err(not_heard)?;
    let mut vad = Vad::load(&model, &config.hear.vad).map_err(not_heard)?;
    let (_, model) = crate::app::ears::chosen_whisper(config, paths).map_err(not_heard)?;
    let mut whisper = Whisper::load(&model, &config.hear.stt).map_err(not_heard)?;
    let never = AtomicBool::new(false);
    let all = transcribe_recording(samples, (&mut vad, &mut whisper), &config.hear.trust, &never);
    let all = all.map_err(not_heard)?;
    if all.text.is_empty() { Err(NoteFault::Unclear) } else { Ok(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Set in a child of the tests.
    const VARIABLE: &str = "JOI_TEST_OF_VOICE_READER";

    fn note(name: &str) -> Vec<u8> {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/notes").join(name);
        std::fs::read(path).unwrap()
    }

    /// Runs this very test binary as the child.
    fn read(bytes: Vec<u8>) -> Result<Vec<f32>, NoteFault> {
        let mut reader = Command::new(std::env::current_exe().unwrap());
        reader.args(["--exact", "--nocapture", "app::messages::notes::tests::a_child"]);
        reader.env(VARIABLE, "reads");
        samples(reader, bytes)
    }

    /// Does nothing by itself: the others start it as the child.
    #[test]
    #[expect(clippy::exit, reason = "the harness would write behind what is handed over")]
    fn a_child() {
        if std::env::var_os(VARIABLE).is_some() {
            // As the program ends: nothing is written behind the samples.
            let code = decoded().unwrap_or(1);
            std::process::exit(code.into());
        }
    }

    #[test]
    fn a_process_of_its_own_decodes_and_says_what_it_can_not() {
        let heard = read(note("jfk.m4a")).unwrap();
        assert_eq!(Ok(heard), decode_voice_note(note("jfk.m4a"), LONGEST), "the very same samples");
        assert_eq!(read(note("jfk.ogg")), Ok(decode_voice_note(note("jfk.ogg"), LONGEST).unwrap()));
        assert_eq!(read(note("../jfk.wav")), Err(NoteFault::UnknownKind));
        assert_eq!(read(b"words".repeat(99)), Err(NoteFault::UnknownKind));
    }

    proptest::proptest! {
        // A process for each.
        #![proptest_config(few())]
        #[test]
        fn foreign_bytes_never_break_who_has_a_voice_message_decoded(
            bytes in proptest::prop_oneof![
                joi_base::testing::damaged(&note("jfk.m4a")),
                joi_base::testing::damaged(&note("jfk.aac")),
                joi_base::testing::damaged(&note("jfk.mp3")),
                joi_base::testing::damaged(&note("jfk.ogg")),
                joi_base::testing::damaged(&note("jfk-hybrid.ogg")),
                joi_base::testing::damaged(&note("jfk-celt.ogg")),
            ],
        ) {
            if let Ok(samples) = read(bytes) {
                proptest::prop_assert!(samples.iter().all(|sample| (-1.0..=1.0).contains(sample)));
                proptest::prop_assert!(samples.len() as u64 <= (LONGEST.as_secs() + 1) * u64::from(RATE));
            }
        }
    }

    fn few() -> proptest::test_runner::Config {
        let usual = proptest::test_runner::Config::default();
        proptest::test_runner::Config { cases: usual.cases.div_ceil(8), ..usual }
    }
}
