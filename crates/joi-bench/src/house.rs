//! `joi-bench house`: what becomes of commands and questions about a house that synthetic voices say.
//!
//! Each sentence is said behind the wake phrase, and heard as the program hears it: by the quickest speech model where
//! that is sure of a whole command, else by the chosen one. It is understood in the family's house of `tests/data/homes`,
//! and looked at a second time by its sound where the program does so. Nothing is sent: what would be is compared with
//! what is meant. A deed that was not meant counts as wrong; a question back, a refusal and what goes to the language
//! model don't.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use joi::app;
use joi::cli::context::CliContext;
use joi::cli::show;
use joi::cli::wake::voices::{Speaker, Spoken, VoiceGroup, Voices};
use joi_audio::RATE;
use joi_base::message::{OpenedBy, Utterance};
use joi_channels::voice::first_look::is_decisive;
use joi_hear::score::{LONGEST, ReadingChoice, choose, support};
use joi_hear::wake::strip_phrase;
use joi_hear::whisper::Whisper;
use joi_home::house::{House, HouseRules, TagVocabulary, read};
use joi_language::Language;
use joi_understand::house::HouseUnderstanding;
use joi_understand::intents::Reading;
use serde_json::json;

mod report;
mod sentences;

use report::{HeardSentence, voices_table};
use sentences::HouseSentence;

const EXAMPLES: &str = "\
Examples:
  joi-bench house                                   65 sentences by four voices
  joi-bench house --names told                      the names of rooms and things are told to the speech model
  joi-bench house --set hear.stt.model=base --json | jq '.sentences[] | select(.verdict == \"wrong deed\")'
  joi-bench house --set language=de                 30 sentences in German";

/// The wake phrase.
const PHRASE: &str = "hey jarvis";
/// Soft noise around what is said, in seconds before and behind it.
const AROUND_S: (f64, f64) = (0.1, 0.4);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HouseArgs {
    /// Whether the names of rooms and things are given to the speech model
    #[arg(long, value_enum, default_value_t = NamesTold::Untold)]
    names: NamesTold,
    /// A file of sentences and what is meant, as tests/data/homes has them
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Only every so many sentences
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// As JSON, with each transcript
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum NamesTold {
    Told,
    Untold,
}

/// Who speaks English, and German.
const ENGLISH: [Speaker; 4] =
    [Speaker::Configured, Speaker::Flite("slt"), Speaker::Flite("rms"), Speaker::Espeak("en-us")];
const GERMAN: [Speaker; 4] =
    [Speaker::Configured, Speaker::Espeak("de"), Speaker::Espeak("de+f3"), Speaker::Espeak("de+m3")];

/// What hears and understands.
struct HouseEars {
    language: Arc<Language>,
    whisper: Whisper,
    /// Decides first where it is another model, and looks at the sound a second time, as the program does.
    quickest: Whisper,
    decides: FirstDecision,
    understanding: HouseUnderstanding,
    house: House,
    noise: fastrand::Rng,
}

/// Which model is asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstDecision {
    /// The quickest; what it is not sure of is the chosen one's.
    Quickest,
    /// The chosen one is the quickest.
    Chosen,
}

/// A transcribed sentence.
struct HeardWords {
    /// Without the wake phrase.
    text: String,
    /// Whether the quickest model decided, before the chosen one.
    is_first_look: bool,
    took: Duration,
}

pub(crate) fn run(args: &HouseArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let language = context.language()?;
    let is_german = language.code() == "de";
    let (items, lines) = sentences::of(language.code());
    let lines = match &args.file {
        Some(file) => std::fs::read_to_string(file).with_context(|| file.display().to_string())?,
        None => lines.to_owned(),
    };
    let all: Vec<HouseSentence> =
        sentences::read(&lines).into_iter().step_by(usize::from(args.every)).collect();
    let mut ears = HouseEars::open(context, items)?;
    if args.names == NamesTold::Told {
        let names = ears.understanding.names(&ears.house, Some("Living"));
        ears.whisper.set_names(&names);
    }
    let mut voices = Voices::open(context)?;
    for remark in voices.remarks() {
        show::remark(remark);
    }
    let speakers = if is_german { GERMAN } else { ENGLISH };
    let bar = show::progress("sentences", (all.len() * speakers.len()) as u64);
    let mut heard = Vec::new();
    for speaker in speakers {
        for sentence in &all {
            let word = format!("{PHRASE}, {}", sentence.said);
            let spoken = Spoken { word, speaker: speaker.clone(), group: VoiceGroup::HeldOut };
            heard.push(ears.hear(&mut voices, &spoken, sentence)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if args.json {
        let told = json!({
            "model": ears.whisper.path(),
            "voices": report::voices_json(&heard),
            "sentences": heard.iter().map(HeardSentence::json).collect::<Vec<_>>(),
        });
        show::line(serde_json::to_string_pretty(&told)?)?;
    } else {
        show::line(voices_table(&heard))?;
        for one in heard.iter().filter(|one| one.is_worth_showing()) {
            show::line(one.line())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl HouseEars {
    fn open(context: &CliContext, items: &str) -> anyhow::Result<Self> {
        let config = context.config();
        let (_, file) = app::chosen_whisper(config, &context.paths)?;
        let library = app::library(config, &context.paths)?;
        let quickest = app::quickest_whisper(config, &library)?;
        let language = context.language()?;
        let understanding =
            HouseUnderstanding::of(&language).context("the language has no words for a house")?;
        let decides = if file == quickest { FirstDecision::Chosen } else { FirstDecision::Quickest };
        let (items, _) = read::items(serde_json::from_str(items)?);
        let mut vocabulary = TagVocabulary::default();
        for tags in sentences::TAGS {
            vocabulary.add(&serde_json::from_str::<Vec<_>>(tags)?);
        }
        Ok(Self {
            language,
            decides,
            whisper: Whisper::load(&file, &config.hear.stt)?,
            quickest: Whisper::load(&quickest, &config.hear.stt)?,
            understanding,
            house: House::new(items, &vocabulary, &HouseRules::default()),
            noise: fastrand::Rng::with_seed(1),
        })
    }

    fn hear(
        &mut self,
        voices: &mut Voices,
        spoken: &Spoken,
        sentence: &HouseSentence,
    ) -> anyhow::Result<HeardSentence> {
        let mut noise = |seconds: f64| -> Vec<f32> {
            (0..(seconds * f64::from(RATE)) as usize).map(|_| (self.noise.f32() - 0.5) * 6e-4).collect()
        };
        let said = [noise(AROUND_S.0), voices.say(spoken)?, noise(AROUND_S.1)].concat();
        let utterance = utterance(said);
        let HeardWords { text, is_first_look, took } = self.words(&utterance)?;
        let room = sentence.room.as_deref();
        let readings = self.understanding.readings(&text, &self.house, room);
        let read = self.looked_again(&utterance, &text, &readings)?.unwrap_or_else(|| text.clone());
        let got = self.understanding.written(&read, &self.house, room);
        Ok(HeardSentence {
            voice: spoken.voice(),
            said: sentence.said.clone(),
            expected: sentence.expected.clone(),
            text,
            settled: (!readings.is_empty()).then_some(read),
            got,
            is_first_look,
            took,
        })
    }

    /// What the model says that decides.
    fn words(&mut self, utterance: &Utterance) -> anyhow::Result<HeardWords> {
        let quiet = AtomicBool::new(false);
        let begun = Instant::now();
        let bare = |text: &str| strip_phrase(text, &[PHRASE.to_owned()]).to_owned();
        if self.decides == FirstDecision::Quickest {
            let transcript = self.quickest.understand(utterance, &quiet)?;
            let text = bare(&transcript.text);
            if is_decisive(&self.language, &text, &transcript) {
                return Ok(HeardWords { text, is_first_look: true, took: begun.elapsed() });
            }
        }
        let transcript = self.whisper.understand(utterance, &quiet)?;
        Ok(HeardWords { text: bare(&transcript.text), is_first_look: false, took: begun.elapsed() })
    }

    /// What the sound is sure of, where the words make no sense.
    fn looked_again(
        &mut self,
        utterance: &Utterance,
        text: &str,
        readings: &[Reading],
    ) -> anyhow::Result<Option<String>> {
        if readings.is_empty() || utterance.samples.len() > LONGEST {
            return Ok(None);
        }
        let sentences: Vec<String> =
            std::iter::once(text.to_owned()).chain(readings.iter().map(|one| one.text.clone())).collect();
        let quiet = AtomicBool::new(false);
        let lead = utterance.lead.as_deref();
        let support = support(&mut self.quickest, &utterance.samples, lead, &sentences, &quiet)?;
        let Some((written, others)) = support.split_first() else { return Ok(None) };
        let meaning =
            |at: usize| readings.iter().position(|other| other.what == readings[at].what).unwrap_or(at);
        let numbered: Vec<(f32, usize)> =
            others.iter().enumerate().map(|(at, score)| (*score, meaning(at))).collect();
        Ok(match choose(*written, &numbered) {
            Some(ReadingChoice::Sure { place, .. }) => Some(readings[place].text.clone()),
            Some(ReadingChoice::Unsure { .. }) | None => None,
        })
    }
}

fn utterance(samples: Vec<f32>) -> Utterance {
    let length = samples.len() as u64;
    Utterance {
        generation: 1,
        revision: 0,
        opened_by: OpenedBy::Wake { phrase: PHRASE.into(), score: 1.0 },
        lead: Some(PHRASE.into()),
        samples: Arc::from(samples),
        begins_at: 0,
        speech_begins_at: 0,
        speech_ends_at: length,
        voiced: length,
        voice: 1.0,
        captured: Instant::now(),
    }
}

/// Sentences of a language that are sent at once.
pub(super) fn commands(code: &str) -> Vec<String> {
    let is_sent = |one: &HouseSentence| one.expected.contains('=') && !one.expected.starts_with("yes?");
    let all = sentences::read(sentences::of(code).1).into_iter().filter(is_sent);
    all.map(|one| one.said).collect()
}

/// Milliseconds for tables.
fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
