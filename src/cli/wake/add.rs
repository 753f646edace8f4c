//! `joi wake add`: adds a phrase. It is checked, said by the available voices or recorded by the user, and compared with
//! other speech and noise made on the spot; the margin that separates it from those is stored for this user.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use fastrand::Rng;

use super::input::written;
use super::learn;
use super::noise::{NoiseKind, around_word, piece};
use super::record::{self, PhraseJudge, Recorder};
use super::voices::{SENTENCES, Spoken, Voices};
use crate::app;
use crate::cli::context::CliContext;
use crate::cli::show::{self, Tone};
use joi_audio::RATE;
use joi_hear::enrol::{Take, margin};
use joi_hear::score::{ACCEPT, Effort, Phrase, Score, Scores, score};
use joi_hear::wake::{Enrolled, PhraseBook, SavedPhrase, WakeMode, WakePhrase};
use joi_hear::whisper::Whisper;

const EXAMPLES: &str = "\
Examples:
  joi wake add \"hey luna\"
  joi wake add \"hey joi\" --record                say it six times after a tone; takes a minute
  joi wake add \"hey joi\" --record --user anna    a second voice beside yours
  joi wake add \"hey joi\" --from recordings/      the same from five to eight WAV files
  joi wake add \"hey joi\" --record --engine rustpotter   known by your voice alone, on a slow machine
  joi wake add \"hey chloe\" --alike \"hey khloe\"   a further way to write the same sound
  joi wake add \"good morning\" --stretches 600     tried on more of other people's speech";

/// How much of a stretch of other sound is scored.
const WINDOW: usize = 2 * RATE as usize;
/// Distance of the margin from the likest of the other stretches.
const CLEARANCE: f32 = 0.5;
/// With a higher margin too many people would not be understood.
const HIGHEST: f32 = -1.0;
/// As many of ten voices must be understood.
const LEAST_OF_TEN: usize = 6;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WakeAddArgs {
    /// The phrase, as it is written
    pub(super) phrase: String,
    /// A further way to write what is said, any number of times
    #[arg(long, value_name = "PHRASE")]
    pub(super) alike: Vec<String>,
    /// On so many stretches of other speech and noise it is tried
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(20..=5000))]
    pub(super) stretches: u32,
    /// The same seed makes the same stretches
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// In your own voice: guided, from the microphone
    #[arg(long, conflicts_with = "from")]
    pub(super) record: bool,
    /// In your own voice, from the WAV files of this folder, each of them once the phrase
    #[arg(long, value_name = "DIR")]
    pub(super) from: Option<PathBuf>,
    /// So many recordings
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u8).range(5..=8))]
    pub(super) takes: u8,
    /// What will know it: the scorer, which every machine that is fast enough uses in any case, or for slower ones
    /// rustpotter, which compares with the recordings themselves
    #[arg(long, value_enum, default_value_t = WakeEngine::Scorer)]
    engine: WakeEngine,
    /// Whose voice it is; several stand side by side
    #[arg(long, value_name = "NAME", default_value = "owner")]
    pub(super) user: String,
    /// Keep it in spite of what speaks against it
    #[arg(long)]
    pub(super) force: bool,
}

/// What a phrase is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum WakeEngine {
    /// Its spelling, by the speech model
    Scorer,
    /// Recordings alone
    Rustpotter,
}

/// How a phrase did.
struct Trial {
    /// The margins it had when it was said, each with its voice; minus infinity where a rival was nearer.
    said: Vec<(String, f32)>,
    /// The margins it had in other sound, lowest first.
    others: Vec<f32>,
}

impl Trial {
    /// Returns the margin that keeps clear of everything else.
    fn margin(&self) -> f32 {
        let worst = self.others.last().copied().unwrap_or(f32::NEG_INFINITY);
        ((ACCEPT.max(worst + CLEARANCE)) * 100.0).round() / 100.0
    }

    fn understood(&self) -> usize {
        self.said.iter().filter(|(_, margin)| *margin >= self.margin()).count()
    }

    /// Returns what speaks against it, in the words of its owner.
    fn objection(&self) -> Option<String> {
        let (understood, all) = (self.understood(), self.said.len());
        if self.margin() > HIGHEST {
            return Some("other speech is too much like it".into());
        }
        (understood * 10 < all * LEAST_OF_TEN)
            .then(|| format!("only {understood} of {all} voices were understood"))
    }
}

pub(super) fn run(args: &WakeAddArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    match args.engine {
        WakeEngine::Scorer => add_scored(args, context),
        WakeEngine::Rustpotter => learn::run(args, context),
    }
}

fn add_scored(args: &WakeAddArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let name = written(&args.phrase)?;
    let file = PhraseBook::file(&context.paths.data);
    let mut book = PhraseBook::read(&file)?;
    let known = book.get(&name).cloned();
    let mut alike = args.alike.iter().map(|form| written(form)).collect::<anyhow::Result<Vec<_>>>()?;
    if alike.is_empty() {
        alike = known.as_ref().map_or_else(Vec::new, |kept| kept.alike.clone());
    }
    let library = app::library(context.config(), &context.paths)?;
    let model = app::quickest_whisper(context.config(), &library)?;
    let mut whisper = Whisper::load(&model, &context.config().hear.stt)?;
    let phrase = app::distinguished(Phrase::new(&whisper, &name, &alike)?, &alike, &mut whisper);
    if let Some(weakness) = app::weakness(&name) {
        show::remark(format!("{} {weakness}", show::coloured(Tone::Fair, "!")));
    }
    let takes = recorded(args, context, &mut PhraseJudge { whisper: &mut whisper, phrase: &phrase })?;
    let mut voices = Voices::open(context)?;
    for remark in voices.remarks() {
        show::remark(remark);
    }
    let kept_as = WakePhrase { alike: alike.clone(), ..WakePhrase::new(&name) };
    let trial = try_out(args, &mut whisper, &phrase, &kept_as, &mut voices)?;
    print(&name, &trial)?;
    let enrolled = match &takes {
        Some(takes) => Some(enrolled(args, takes, &trial)?),
        None => None,
    };
    // Whoever has recorded it is understood, whatever becomes of the others.
    if let Some(objection) = trial.objection().filter(|_| enrolled.is_none()) {
        let sign = show::coloured(Tone::Bad, "✗");
        if !args.force {
            show::remark(format!(
                "{sign} \"{name}\" is not taken in: {objection}; choose a longer phrase, or add --force"
            ));
            return Ok(ExitCode::FAILURE);
        }
        show::remark(format!("{sign} {objection}"));
    }
    let negatives = trial.others.len() as u32;
    let voices = known.map_or_else(Vec::new, |kept| kept.voices);
    let mut kept = SavedPhrase { name: name.clone(), margin: trial.margin(), alike, negatives, voices };
    if let Some(enrolled) = &enrolled {
        kept.enrol(enrolled.clone());
    }
    book.put(kept);
    book.write(&file)?;
    show::line(format!("{} \"{name}\" wakes her from her next start on", show::coloured(Tone::Good, "✓")))?;
    let means = app::wake_setup(context.config(), &context.paths)?;
    if means.mode == WakeMode::Stock && kept_as.stock().is_none() {
        show::remark(format!("{} {}", show::coloured(Tone::Fair, "!"), app::wake_summary(&means)));
    }
    if let (true, Some(Enrolled { margin, .. })) = (args.record, enrolled) {
        let ear = &mut PhraseJudge { whisper: &mut whisper, phrase: &phrase };
        let is_heard = record::live_test(&mut Recorder::open(context)?, ear, margin)?;
        return Ok(if is_heard { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the recordings of whoever wants to be known by voice. The microphone is open no longer than they take.
fn recorded(
    args: &WakeAddArgs,
    context: &CliContext,
    ear: &mut PhraseJudge<'_>,
) -> anyhow::Result<Option<Vec<Take>>> {
    Ok(match (args.record, &args.from) {
        (true, _) => Some(record::guided(&mut Recorder::open(context)?, ear, usize::from(args.takes))?),
        (false, Some(folder)) => Some(record::from_folder(folder, ear)?),
        (false, None) => None,
    })
}

/// Returns what is kept of a voice.
fn enrolled(args: &WakeAddArgs, takes: &[Take], trial: &Trial) -> anyhow::Result<Enrolled> {
    let likest = trial.others.last().copied().unwrap_or(f32::NEG_INFINITY);
    let margin = margin(takes, likest, CLEARANCE).with_context(|| {
        format!(
            "other speech came to {likest:.1}, too near to these recordings; \
             choose a longer phrase, or record it more clearly"
        )
    })?;
    show::line(format!(
        "  from {} recordings, {}'s voice counts from {margin:.2} on",
        takes.len(),
        args.user
    ))?;
    Ok(Enrolled { user: args.user.clone(), margin, takes: takes.len() as u32, templates: None })
}

fn print(name: &str, trial: &Trial) -> anyhow::Result<()> {
    let (said, others) = (trial.said.len(), trial.others.len());
    let worst = trial.others.last().copied().unwrap_or(f32::NEG_INFINITY);
    show::line(format!("\"{name}\": {} of {said} synthetic voices were understood", trial.understood()))?;
    for (voice, margin) in trial.said.iter().filter(|(_, margin)| *margin < trial.margin()) {
        show::line(format!("  not {voice} ({margin:.1})"))?;
    }
    show::line(format!("  the likest of {others} stretches of other speech and noise came to {worst:.1}"))?;
    show::line(format!("  it counts as said from {:.2} on", trial.margin()))?;
    Ok(())
}

fn try_out(
    args: &WakeAddArgs,
    whisper: &mut Whisper,
    phrase: &Phrase,
    kept_as: &WakePhrase,
    voices: &mut Voices,
) -> anyhow::Result<Trial> {
    let mut rng = Rng::with_seed(args.seed);
    let phrases = [phrase.clone()];
    let quiet = AtomicBool::new(false);
    let mut margin = |sound: &[f32]| -> anyhow::Result<f32> {
        let sound = &sound[..sound.len().min(WINDOW)];
        // A sound that far from the phrase needs no exact number.
        let Scores { of, .. } = score(whisper, sound, &phrases, Effort::Above(ACCEPT - 2.0), &quiet)?;
        let said = of.first().filter(|score| score.is_ahead());
        Ok(said.map_or(f32::NEG_INFINITY, Score::margin))
    };
    let progress = show::progress("trying", u64::from(args.stretches));
    let mut trial = Trial { said: Vec::new(), others: Vec::new() };
    for (speaker, group) in voices.speakers() {
        let spoken = Spoken { word: pronounced(kept_as), speaker, group };
        let said = around_word(&voices.say(&spoken)?, &mut rng);
        // Half a second of silence is before the word: a candidate begins a quarter before the voice.
        let lead = said.len().min(RATE as usize * 35 / 100);
        trial.said.push((spoken.voice(), margin(&said[lead..])?));
    }
    let speech = sentences(voices)?;
    while trial.others.len() < args.stretches as usize {
        let sound = other(trial.others.len(), &mut rng, &speech);
        trial.others.push(margin(&sound)?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    trial.others.sort_by(f32::total_cmp);
    Ok(trial)
}

/// Returns how a voice has to be given it: the way English would write it.
pub fn pronounced(phrase: &WakePhrase) -> String {
    let written = phrase.written();
    written.get(1).or(written.first()).unwrap_or(&phrase.name).clone()
}

/// Sentences of every voice, a few of each.
///
/// # Errors
/// A voice can't speak.
pub fn sentences(voices: &mut Voices) -> anyhow::Result<Vec<Vec<f32>>> {
    let speakers = voices.speakers();
    let mut all = Vec::new();
    for (at, sentence) in SENTENCES.iter().enumerate() {
        for turn in 0..2 {
            let (speaker, group) = speakers[(at * 2 + turn) % speakers.len()].clone();
            all.push(voices.say(&Spoken { word: (*sentence).into(), speaker, group })?);
        }
    }
    Ok(all)
}

/// Returns a stretch in which it is not said: mostly speech, from any place in a sentence, alone or beside noise.
pub fn other(number: usize, rng: &mut Rng, speech: &[Vec<f32>]) -> Vec<f32> {
    if number % 8 == 7 {
        let kind = NoiseKind::ALL[number / 8 % NoiseKind::ALL.len()];
        let sound = piece(kind, rng, speech);
        let from = rng.usize(0..sound.len() - WINDOW);
        return sound[from..from + WINDOW].to_vec();
    }
    let sentence = &speech[number % speech.len()];
    let from = if number < speech.len() { 0 } else { rng.usize(0..sentence.len().max(2) / 2) };
    let mut sound = vec![0.0; RATE as usize / 4];
    sound.extend_from_slice(&sentence[from..]);
    sound.resize(sound.len().max(WINDOW), 0.0);
    around_word(&sound[..WINDOW], rng)[RATE as usize * 6 / 10..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(said: &[f32], others: &[f32]) -> Trial {
        Trial { said: said.iter().map(|m| ("a voice".into(), *m)).collect(), others: others.into() }
    }

    #[test]
    fn the_margin_keeps_clear_of_other_speech_and_is_never_laxer_than_usual() {
        assert_eq!(trial(&[-1.0], &[-9.0, -6.0]).margin(), ACCEPT);
        assert_eq!(trial(&[-1.0], &[-9.0, -3.1]).margin(), -2.6);
    }

    #[test]
    fn a_phrase_like_other_speech_or_that_few_voices_can_say_is_objected_to() {
        assert_eq!(trial(&[-1.0, -2.0], &[-7.0]).objection(), None);
        let like = trial(&[-0.1], &[-1.4]).objection();
        assert_eq!(like.as_deref(), Some("other speech is too much like it"));
        let unclear = trial(&[-1.0, -4.0, -5.0], &[-7.0]).objection();
        assert_eq!(unclear.as_deref(), Some("only 1 of 3 voices were understood"));
    }

    #[test]
    fn an_invented_name_is_said_as_english_would_write_it() {
        assert_eq!(pronounced(&WakePhrase::new("hey joi")), "hey joy");
        assert_eq!(pronounced(&WakePhrase::new("hey jarvis")), "hey jarvis");
    }
}
