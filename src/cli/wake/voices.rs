//! Synthetic voices that try a wake phrase out: the configured one, and those of flite and espeak-ng where they are installed.
//!
//! In: words. Out: mono f32 at 16 kHz. Two voices are kept out of all tuning, so that measurements can report them
//! separately.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::app;
use crate::cli::context::CliContext;
use joi_audio::{RATE, read_wav, resample};
use joi_speak::LanguageVoice;

/// Said by the crowd.
pub const SENTENCES: [&str; 16] = [
    "I went to the market this morning and bought some apples and a loaf of bread.",
    "She told me that the train would be late again because of the snow.",
    "We should really paint the kitchen before your parents come to visit us.",
    "Have you seen the new film about the old sailor and his dog?",
    "He never answers the phone when you need him, that is so typical.",
    "The children were playing in the garden until it began to rain.",
    "My brother works for a bank in the city, but he does not like it.",
    "There is nothing better than a cup of tea after a long walk.",
    "They have closed the little bookshop at the corner of our street.",
    "Could you pass me the salt, please, and the pepper as well?",
    "Last summer we drove along the coast for almost two weeks.",
    "The doctor says that I have to rest and drink a lot of water.",
    "Nobody knows what will happen next year, and that is fine with me.",
    "It takes about forty minutes to get there if the roads are clear.",
    "I can't believe how expensive everything has become these days.",
    "Our neighbours have a new cat that sits on the wall all day long.",
];

/// Which voices the rules were tuned with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoiceGroup {
    /// The rules were tuned with them.
    Tuned,
    /// Never listened to while the rules were tuned.
    HeldOut,
    /// The user's own.
    Recorded,
}

impl VoiceGroup {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tuned => "tuned",
            Self::HeldOut => "held out",
            Self::Recorded => "recorded",
        }
    }
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speaker {
    /// The configured voice.
    Configured,
    /// One of flite's.
    Flite(&'static str),
    /// One of espeak-ng's.
    Espeak(&'static str),
    /// A person, in this WAV file.
    Recording(PathBuf),
}

/// The synthetic voices and their groups.
const SPEAKERS: [(Speaker, VoiceGroup); 8] = [
    (Speaker::Configured, VoiceGroup::Tuned),
    (Speaker::Flite("awb"), VoiceGroup::Tuned),
    (Speaker::Flite("rms"), VoiceGroup::Tuned),
    (Speaker::Flite("kal16"), VoiceGroup::Tuned),
    (Speaker::Espeak("en-us"), VoiceGroup::Tuned),
    (Speaker::Espeak("en-gb+m3"), VoiceGroup::Tuned),
    (Speaker::Flite("slt"), VoiceGroup::HeldOut),
    (Speaker::Espeak("en-us+f3"), VoiceGroup::HeldOut),
];

/// One word to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The word.
    pub word: String,
    /// Who says it.
    pub speaker: Speaker,
    /// Which voices that one belongs to.
    pub group: VoiceGroup,
}

impl Spoken {
    /// Returns the voice's name in tables.
    pub fn voice(&self) -> String {
        match &self.speaker {
            Speaker::Configured => "joi's own".into(),
            Speaker::Flite(name) => format!("flite {name}"),
            Speaker::Espeak(name) => format!("espeak {name}"),
            Speaker::Recording(_) => "recorded".into(),
        }
    }
}

/// All that can speak here.
pub struct Voices {
    own: LanguageVoice,
    speakers: Vec<(Speaker, VoiceGroup)>,
    remarks: Vec<String>,
    scratch: PathBuf,
}

impl Voices {
    /// Loads the configured voice and looks for the programs.
    ///
    /// # Errors
    /// The configured voice can't be loaded.
    pub fn open(context: &CliContext) -> anyhow::Result<Self> {
        // A measurement by seed leaves nothing to chance.
        let mut config = context.config().clone();
        config.speak.variation = 0.0;
        let (own, _) = app::load_voice(&config, &context.paths, &*context.language()?)?;
        let mut remarks = Vec::new();
        let mut installed = |program: &'static str| {
            let found = is_installed(program);
            if !found {
                remarks.push(format!("{program} is not installed: its voices are left out"));
            }
            found
        };
        let (flite, espeak) = (installed("flite"), installed("espeak-ng"));
        let can_speak = |(speaker, _): &(Speaker, VoiceGroup)| match speaker {
            Speaker::Flite(_) => flite,
            Speaker::Espeak(_) => espeak,
            Speaker::Configured | Speaker::Recording(_) => true,
        };
        let speakers = SPEAKERS.into_iter().filter(can_speak).collect();
        let scratch = std::env::temp_dir().join(format!("joi-voice-{}.wav", std::process::id()));
        Ok(Self { own, speakers, remarks, scratch })
    }

    /// Returns what is missing here.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns who can speak here.
    pub fn speakers(&self) -> Vec<(Speaker, VoiceGroup)> {
        self.speakers.clone()
    }

    /// Says a word, or a sentence.
    ///
    /// # Errors
    /// The voice fails, its program is gone, or the recording can't be read.
    pub fn say(&mut self, spoken: &Spoken) -> anyhow::Result<Vec<f32>> {
        let word = &spoken.word;
        match &spoken.speaker {
            Speaker::Configured => self.sentence(&format!("{word}.")),
            Speaker::Recording(file) => Ok(read_wav(file, RATE)?),
            Speaker::Flite(voice) => self.program("flite", &["-voice", voice, "-t", word, "-o"]),
            Speaker::Espeak(voice) => self.program("espeak-ng", &["-v", voice, word, "-w"]),
        }
    }

    /// Says `text` in the configured voice, exactly as it is written.
    ///
    /// # Errors
    /// The voice fails.
    pub fn sentence(&mut self, text: &str) -> anyhow::Result<Vec<f32>> {
        Ok(resample(&self.own.render(text)?, self.own.rate(), RATE)?)
    }

    /// Runs a speech program whose last argument is the file it writes.
    fn program(&self, name: &str, args: &[&str]) -> anyhow::Result<Vec<f32>> {
        let status = Command::new(name)
            .args(args)
            .arg(&self.scratch)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("can't start {name}"))?;
        anyhow::ensure!(status.success(), "{name} could not speak ({status})");
        Ok(read_wav(&self.scratch, RATE)?)
    }
}

impl Drop for Voices {
    fn drop(&mut self) {
        // There may be none.
        std::fs::remove_file(&self.scratch).ok();
    }
}

fn is_installed(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}
