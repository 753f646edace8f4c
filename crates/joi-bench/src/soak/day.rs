//! The sounds of a day: noise, people who talk, joi's own voice from elsewhere, and commands. Made from a seed.
//!
//! Out: scenes of mono f32 at 16 kHz, each with the command that is said in it.

use std::collections::HashMap;

use fastrand::Rng;
use joi::cli::wake::noise::{self, NoiseKind};
use joi::cli::wake::voices::{SENTENCES, Speaker, Spoken, VoiceGroup, Voices};
use joi_audio::RATE;
use joi_language::Language;
use joi_language::english::consonants;

use crate::latency;

/// Of a hundred scenes so many are commands, sentences of somebody, and sentences in joi's own voice; the others are noise.
const COMMANDS: u32 = 4;
const TALK: u32 = 10;
const HER_VOICE: u32 = 3;
/// Of a hundred pieces of noise so many are hardly more than silence.
const STILL: u32 = 70;
/// What joi may be heard saying from another room, none of which is meant for joi.
const HERS: [&str; 6] = [
    "The pasta timer is done. It was set for twenty minutes.",
    "I've cancelled the alarm for half past seven.",
    "Should I turn off all the lights in the house?",
    "It's quarter past nine. Your next alarm is tomorrow at six.",
    "There is milk, bread and olive oil on the shopping list.",
    "I'm Joi. I can set timers, keep lists, and look after the house.",
];
/// After a command the room is still for so long: an answer, and the window for a follow-up.
const AFTER_S: usize = 14;

/// How alike the consonants of two sentences are, from 0 to 1, of which one was misheard for the other.
const SOUNDS_LIKE: f64 = 0.55;

/// A stretch of the day.
pub(super) struct Scene {
    pub(super) samples: Vec<f32>,
    /// The words said to joi, in lower case and with figures, as whisper writes numbers.
    pub(super) command: Option<String>,
}

/// Makes it up as it goes.
pub(super) struct Day<'a> {
    voices: &'a mut Voices,
    rng: Rng,
    phrase: String,
    commands: Vec<String>,
    /// Of the commands.
    language: Language,
    said: usize,
    /// For a crowd.
    speech: Vec<Vec<f32>>,
    /// The sound of words spoken before, by voice and words: some voices are slow.
    spoken: HashMap<(String, String), Vec<f32>>,
}

impl<'a> Day<'a> {
    pub(super) fn new(voices: &'a mut Voices, rng: Rng, phrase: &str) -> anyhow::Result<Self> {
        let speech = SENTENCES.iter().map(|text| voices.sentence(text)).collect::<anyhow::Result<_>>()?;
        let (phrase, commands) = (phrase.to_owned(), latency::commands()?);
        let language = Language::load("en")?;
        Ok(Self { voices, rng, phrase, commands, language, said: 0, speech, spoken: HashMap::new() })
    }

    /// Returns the next scene, at most so many samples of it. The first scene is a command.
    pub(super) fn next(&mut self, most: usize) -> anyhow::Result<Scene> {
        let drawn = if self.said == 0 { 0 } else { self.rng.u32(0..100) };
        let mut scene = match drawn {
            0..COMMANDS => self.command()?,
            drawn if drawn < COMMANDS + TALK => self.talk()?,
            drawn if drawn < COMMANDS + TALK + HER_VOICE => self.her_voice()?,
            _ => self.noise(),
        };
        if scene.samples.len() > most {
            // A command that is cut off is none.
            scene.samples = still(most, &mut self.rng);
            self.said -= usize::from(scene.command.take().is_some());
        }
        Ok(scene)
    }

    fn command(&mut self) -> anyhow::Result<Scene> {
        let words = self.commands[self.said % self.commands.len()].clone();
        self.said += 1;
        let text = format!("{}, {words}", self.phrase);
        let speaker = self.somebody(|speaker| matches!(speaker, Speaker::Flite(_)));
        let mut samples = still(RATE as usize / 2, &mut self.rng);
        samples.extend(self.say(speaker, &text, -24.0)?);
        samples.extend(still(AFTER_S * RATE as usize, &mut self.rng));
        let command = Some(self.language.in_figures(&words.to_lowercase()));
        Ok(Scene { samples, command })
    }

    fn talk(&mut self) -> anyhow::Result<Scene> {
        let text = SENTENCES[self.rng.usize(0..SENTENCES.len())];
        let speaker = self.somebody(|speaker| !matches!(speaker, Speaker::Configured));
        let level = -42.0 + 22.0 * self.rng.f32();
        self.aside(speaker, text, level)
    }

    fn her_voice(&mut self) -> anyhow::Result<Scene> {
        let text = HERS[self.rng.usize(0..HERS.len())];
        self.aside(Speaker::Configured, text, -30.0)
    }

    /// Something that is not said to joi.
    fn aside(&mut self, speaker: Speaker, text: &str, level: f32) -> anyhow::Result<Scene> {
        let mut samples = self.say(speaker, text, level)?;
        let pause = self.rng.usize(RATE as usize / 2..4 * RATE as usize);
        samples.extend(still(pause, &mut self.rng));
        Ok(Scene { samples, command: None })
    }

    fn noise(&mut self) -> Scene {
        let samples = if self.rng.u32(0..100) < STILL {
            still((noise::PIECE_SECONDS * RATE) as usize, &mut self.rng)
        } else {
            let kind = NoiseKind::ALL[self.rng.usize(0..NoiseKind::ALL.len())];
            noise::piece(kind, &mut self.rng, &self.speech)
        };
        Scene { samples, command: None }
    }

    fn somebody(&mut self, fits: impl Fn(&Speaker) -> bool) -> Speaker {
        let speakers: Vec<_> =
            self.voices.speakers().into_iter().map(|(speaker, _)| speaker).filter(fits).collect();
        if speakers.is_empty() {
            Speaker::Configured
        } else {
            speakers[self.rng.usize(0..speakers.len())].clone()
        }
    }

    /// Says it at this level, in dBFS, over what is left of a silence.
    fn say(&mut self, speaker: Speaker, text: &str, level: f32) -> anyhow::Result<Vec<f32>> {
        let spoken = Spoken { word: text.to_owned(), speaker, group: VoiceGroup::Tuned };
        let key = (spoken.voice(), text.to_owned());
        let mut samples = match self.spoken.get(&key) {
            Some(known) => known.clone(),
            None => {
                let said = self.voices.say(&spoken)?;
                self.spoken.entry(key).or_insert(said).clone()
            }
        };
        noise::bring_to(&mut samples, level);
        let floor = still(samples.len(), &mut self.rng);
        samples.iter_mut().zip(floor).for_each(|(sample, floor)| *sample += floor);
        Ok(samples)
    }
}

/// The noise floor of a still room.
fn still(samples: usize, rng: &mut Rng) -> Vec<f32> {
    let loud = 2.0 * noise::amplitude(-66.0);
    (0..samples).map(|_| loud * (rng.f32() - 0.5)).collect()
}

/// Whether what was heard is about what was said: half of the words of either are the same, or most of the consonants.
pub(super) fn is_about(said: &str, heard: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let letters = text.to_lowercase().replace(|c: char| !c.is_alphanumeric() && c != ' ', "");
        letters.split_whitespace().map(str::to_owned).collect()
    };
    let (said_words, heard_words) = (words(said), words(heard));
    let same = said_words.iter().filter(|word| heard_words.contains(word)).count();
    let (said, heard) = (consonants(said), consonants(heard));
    same * 2 >= said_words.len().max(heard_words.len()).max(1)
        || strsim::normalized_levenshtein(&said, &heard) >= SOUNDS_LIKE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_heard_is_about_what_was_said_when_half_of_its_words_are() {
        assert!(is_about("set a timer for ten minutes", "Set a timer for 10 minutes."));
        assert!(is_about("what's the date", "What's the date?"));
        assert!(!is_about("set a timer for ten minutes", "My brother works for a bank."));
        assert!(is_about("what is fifteen percent of eighty", "What is 15% of 80?"));
        assert!(!is_about("cancel the timer", ""));
        let english = Language::load("en").unwrap();
        for (said, heard) in [
            ("remind me tomorrow at noon to call Ann", "Remind me to Morrowat noom to Kolaan."),
            ("cancel the alarm", "Cancel heel arm"),
            ("what is twelve times twelve", "but is 12 times 12."),
            ("where is the spare key", "where is this parakeet?"),
            ("set a timer for ten minutes", "Set to time at 4-10 minutes."),
        ] {
            assert!(is_about(&english.in_figures(said), heard), "{heard}");
        }
        for heard in SENTENCES {
            assert!(!latency::commands().unwrap().iter().any(|said| is_about(said, heard)), "{heard}");
        }
        assert!(!is_about("what time is it", "The pasta timer is done. It was set for twenty minutes."));
    }

    #[test]
    fn a_still_room_is_hardly_heard() {
        let samples = still(16_000, &mut Rng::with_seed(1));
        assert!(samples.iter().all(|sample| sample.abs() < 0.001) && samples.iter().any(|s| *s != 0.0));
    }
}
