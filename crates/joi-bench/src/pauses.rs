//! `joi-bench pauses`: how often a command that goes on would be cut off, by the silence that is asked for.
//!
//! Sentences that are whole commands or questions before their end are said by voices of flite, with a comma there and without, and
//! with a silence put in. What the listener takes for a pause is transcribed as a trial is, by the quickest model and,
//! where that is not sure, by the chosen one. Any silence of that length or more would have been the end.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use joi::app;
use joi::cli::context::CliContext;
use joi::cli::show;
use joi_audio::RATE;
use joi_base::message::Utterance;
use joi_channels::voice::first_look::is_decisive;
use joi_hear::EndpointPatience;
use joi_hear::whisper::Whisper;
use joi_hear::{HearCommand, HearEvent, Listener};
use joi_language::Language;
use joi_models::ModelLibrary;
use joi_understand::intents::{Completeness, completeness};
use serde::Deserialize;
use serde_json::json;

use super::first_look::spoken;

const EXAMPLES: &str = "\
Examples:
  joi-bench pauses                        as the voices speak
  joi-bench pauses --silences 0.3,0.5     with a silence behind the command as well
  joi-bench pauses --json | jq '.[] | select(.meaning == \"WHOLE\")'";

/// The utterances.
const SENTENCES: &str = include_str!("../assets/pauses.toml");
/// Silences that may be asked for, in ms.
const WAITS: [u64; 9] = [200, 250, 300, 350, 400, 450, 500, 600, 700];
/// What the words before a pause are.
const MEANINGS: [&str; 7] =
    ["WHOLE", "CAN BE AMENDED", "QUESTION", "SENTENCE", "MAY GO ON", "BEGUN", "NO COMMAND"];
/// A frame of the voice activity network, in samples.
const FRAME: usize = 512;
/// Frames by which the listener knows that a voice goes on.
const RESUMED: u64 = 2;
/// Silence behind each sentence, in seconds.
const BEHIND_S: f64 = 1.6;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PausesArgs {
    /// Voices of flite
    #[arg(long, value_delimiter = ',', default_value = "slt,rms,awb")]
    voices: Vec<String>,
    /// Silences put in behind the command, in seconds; 0 is none
    #[arg(long, value_delimiter = ',', default_value = "0")]
    silences: Vec<f64>,
    /// As JSON, each pause
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
struct Script {
    sentences: Vec<String>,
}

/// A silence in a sentence that went on.
struct Pause {
    said: String,
    text: String,
    meaning: &'static str,
    ms: u64,
}

pub(crate) fn run(args: &PausesArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let script: Script = toml::from_str(SENTENCES)?;
    let mut ears = Ears::new(context)?;
    let (mut pauses, mut said) = (Vec::new(), 0);
    let rounds = script.sentences.len() * args.voices.len() * (args.silences.len() + 1);
    let bar =
        if args.json { indicatif::ProgressBar::hidden() } else { indicatif::ProgressBar::new(rounds as u64) };
    for (line, voice) in script.sentences.iter().flat_map(|line| args.voices.iter().map(move |v| (line, v))) {
        let (head, tail) = line.split_once(" | ").unwrap_or((line, ""));
        let mut sounds = vec![spoken(voice, &format!("{head}, {tail}"))?];
        for silence in &args.silences {
            sounds.push(match silence {
                none if *none <= 0.0 => spoken(voice, &format!("{head} {tail}"))?,
                silence => [trimmed(spoken(voice, head)?), noise(*silence), spoken(voice, tail)?].concat(),
            });
        }
        for sound in sounds {
            ears.hear(&sound, &format!("{voice}: {line}"), &mut pauses)?;
            said += 1;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if args.json {
        let told = pauses.iter().map(|pause| {
            json!({ "said": pause.said, "so_far": pause.text, "meaning": pause.meaning, "ms": pause.ms })
        });
        show::line(serde_json::to_string_pretty(&told.collect::<Vec<_>>())?)?;
        return Ok(ExitCode::SUCCESS);
    }
    show::line(format!("{said} sentences, {} pauses", pauses.len()))?;
    report(&pauses)?;
    Ok(ExitCode::SUCCESS)
}

/// How many of the pauses are as long as each silence, by what was understood before them.
fn report(pauses: &[Pause]) -> anyhow::Result<()> {
    let [whole, amendable, question, sentence, open, begun, none] = MEANINGS;
    let mut table = show::table(["SILENCE", whole, amendable, question, sentence, open, begun, none]);
    let row = |first: String, least: u64| {
        let count = |meaning: &&str| {
            pauses.iter().filter(|pause| pause.meaning == *meaning && pause.ms >= least).count().to_string()
        };
        std::iter::once(first).chain(MEANINGS.iter().map(count)).collect::<Vec<_>>()
    };
    table.add_row(row("all pauses".to_owned(), 0));
    for wait in WAITS {
        table.add_row(row(format!("{wait} ms or more"), wait));
    }
    show::line(table)?;
    Ok(())
}

/// What a listener and both models make of sound.
struct Ears {
    listener: Listener,
    quickest: Whisper,
    chosen: Whisper,
    language: std::sync::Arc<Language>,
}

impl Ears {
    fn new(context: &CliContext) -> anyhow::Result<Self> {
        let mut config = context.config().clone();
        config.hear.endpoint.patience = EndpointPatience::Relaxed;
        config.hear.endpoint = config.hear.endpoint.with_short_pause();
        let library = ModelLibrary::open(context.paths.models.clone())?;
        let (_, chosen) = app::chosen_whisper(&config, &context.paths)?;
        Ok(Self {
            listener: app::listener(&config, &context.paths)?,
            quickest: Whisper::load(&app::quickest_whisper(&config, &library)?, &config.hear.stt)?,
            chosen: Whisper::load(&chosen, &config.hear.stt)?,
            language: context.languages()?.get(),
        })
    }

    /// The pauses of `sound` behind which somebody goes on.
    fn hear(&mut self, sound: &[f32], said: &str, pauses: &mut Vec<Pause>) -> anyhow::Result<()> {
        let all = [noise(0.4), sound.to_vec(), noise(BEHIND_S)].concat();
        self.listener.command(HearCommand::Listen);
        let (now, mut paused) = (Instant::now(), None);
        for samples in all.chunks(FRAME) {
            let mut events = Vec::new();
            self.listener.step(samples, now, &mut events);
            for event in events {
                match event {
                    HearEvent::Paused { utterance } => paused = Some(utterance),
                    HearEvent::Resumed { .. } => {
                        let Some(before) = paused.take() else { continue };
                        let resumed = self.listener.position() - RESUMED * FRAME as u64;
                        let silence = resumed.saturating_sub(before.speech_ends_at);
                        let (meaning, text) = self.meaning(&before)?;
                        let ms = silence * 1000 / u64::from(RATE);
                        pauses.push(Pause { said: said.to_owned(), text, meaning, ms });
                    }
                    _ => {}
                }
            }
        }
        self.listener.command(HearCommand::Cancel);
        Ok(())
    }

    /// Returns the result of a trial of the words before a pause.
    fn meaning(&mut self, before: &Utterance) -> anyhow::Result<(&'static str, String)> {
        let quiet = AtomicBool::new(false);
        let mut heard = self.quickest.transcribe(&before.samples, &quiet)?;
        if !is_decisive(&self.language, &heard.text, &heard) {
            heard = self.chosen.transcribe(&before.samples, &quiet)?;
        }
        let [whole, amendable, question, sentence, open, begun, none] = MEANINGS;
        let meaning = match completeness(&self.language, &heard.text) {
            Completeness::Complete => whole,
            Completeness::Amendable => amendable,
            Completeness::Open => open,
            Completeness::Incomplete => begun,
            Completeness::Question => question,
            Completeness::Sentence => sentence,
            Completeness::Free | Completeness::Unknown => none,
        };
        Ok((meaning, heard.text))
    }
}

/// Without the silence at the end.
fn trimmed(mut sound: Vec<f32>) -> Vec<f32> {
    let end = sound.iter().rposition(|sample| sample.abs() > 1e-2).map_or(0, |last| last + 1);
    sound.truncate(end);
    sound
}

/// Nobody speaks.
fn noise(seconds: f64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(1);
    (0..(seconds * f64::from(RATE)) as usize).map(|_| (random.f32() - 0.5) * 6e-4).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sentence_goes_on() {
        let script: Script = toml::from_str(SENTENCES).unwrap();
        assert!(script.sentences.iter().all(|line| line.matches(" | ").count() == 1));
        assert!(script.sentences.len() >= 30);
    }

    #[test]
    fn a_silence_behind_the_last_sound_is_cut_off() {
        assert_eq!(trimmed(vec![0.0, 0.5, 0.0, 0.2, 0.001, 0.0]), [0.0, 0.5, 0.0, 0.2]);
    }
}
