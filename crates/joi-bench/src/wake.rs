//! `joi-bench wake`: how often a wake phrase is missed, and how often something else is taken for it.
//!
//! The true listener hears the phrase from every voice at hand, alone and in one breath with an order, in a quiet
//! room, beside noise and in a crowd; then other speech, phrases that are nearly the same, noise and
//! silence. All of it is synthetic unless a folder of recordings is given; what holds for people and rooms has to
//! be measured with theirs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use fastrand::Rng;

use joi::app;
use joi::cli::context::CliContext;
use joi::cli::show;
use joi::cli::wake::noise::{NoiseKind, amplitude, bring_to, piece};
use joi::cli::wake::rig::{Rig, RigResult};
use joi::cli::wake::voices::{Speaker, Spoken, VoiceGroup, Voices};
use joi::cli::wake::{pronounced, sentences, wavs, written};
use joi_audio::{RATE, read_wav};
use joi_base::machine::own_cpu_time;
use joi_hear::wake::{TEMPLATES_ARE_BUILT_IN, TemplateError, WakePhrase};

mod learnt;
mod near;
mod report;

use report::{Near, OtherSound, WakeReport, WakeSaid};

const EXAMPLES: &str = "\
Examples:
  joi-bench wake                              the first phrase she listens for
  joi-bench wake --phrase \"hey jarvis\" --minutes 180
  joi-bench wake --set hear.wake.mode=stock   without the second stage's onsets
  joi-bench wake --learnt                     known by recordings alone (FEATURES=rustpotter)
  joi-bench wake recordings/                  recordings/positives/*.wav and recordings/negatives/*.wav
  joi-bench wake --json | jq .misses";

/// Voices that nothing was tuned with, beside those of `joi-bench trust`.
const MORE_VOICES: [Speaker; 5] = [
    Speaker::Flite("kal"),
    Speaker::Espeak("en-us+f2"),
    Speaker::Espeak("en-gb-scotland+m2"),
    Speaker::Espeak("en-gb-x-rp+f4"),
    Speaker::Espeak("en-029+m6"),
];
/// What may follow the phrase in one breath.
const ORDERS: [&str; 6] = [
    "what time is it?",
    "turn on the light.",
    "set a timer for ten minutes.",
    "how are you today?",
    "play some music.",
    "stop.",
];

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WakeArgs {
    /// Recordings instead of synthetic sound: positives/*.wav hold the phrase once, negatives/*.wav never
    #[arg(value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// Which phrase is said; by default the first one
    #[arg(long)]
    phrase: Option<String>,
    /// Minutes of other speech; of everything else a quarter
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=6000))]
    minutes: u32,
    /// How often every voice says the phrase in every way
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100))]
    rounds: u32,
    /// The same seed makes the same sound
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Known by recordings of each voice alone, as `joi wake add --engine rustpotter` makes them
    #[arg(long, conflicts_with = "recordings")]
    learnt: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Where the phrase is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WakeRoom {
    Quiet,
    Fan,
    Crowd,
}

impl WakeRoom {
    const ALL: [Self; 3] = [Self::Quiet, Self::Fan, Self::Crowd];

    fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet room",
            Self::Fan => "fan, 10 dB below",
            Self::Crowd => "crowd, 10 dB below",
        }
    }
}

pub(crate) fn run(args: &WakeArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let means = app::wake_setup(context.config(), &context.paths)?;
    let phrase = match &args.phrase {
        Some(phrase) => WakePhrase::new(written(phrase)?),
        None => means.heard().next().cloned().unwrap_or_else(|| WakePhrase::new("hey jarvis")),
    };
    let is_heard = means.heard().any(|heard| heard.name.to_lowercase() == phrase.name.to_lowercase());
    anyhow::ensure!(
        is_heard,
        "\"{}\" is not listened for; `joi wake list` shows what is, `joi wake add` adds it",
        phrase.name
    );
    let (rig, rng) = (Rig::load(context)?, Rng::with_seed(args.seed));
    let mut bench = WakeBench { rig, rng, speech: Vec::new(), report: WakeReport::default() };
    bench.report.phrase = phrase.name.to_lowercase();
    bench.report.means = app::wake_summary(&means);
    if args.learnt {
        anyhow::ensure!(TEMPLATES_ARE_BUILT_IN, TemplateError::NotBuilt);
        return bench.report_learnt(args, &phrase, context);
    }
    match &args.recordings {
        Some(folder) => bench.recordings(folder)?,
        None => bench.synthetic(args, &phrase, context)?,
    }
    if args.json {
        show::line(serde_json::to_string_pretty(&bench.report.json())?)?;
    } else {
        show::line(bench.report.text())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Once the phrase.
#[derive(Clone, Copy)]
struct Saying<'a> {
    words: &'a str,
    speaker: &'a Speaker,
    room: WakeRoom,
    /// The command in the same breath.
    order: Option<&'a str>,
}

struct WakeBench {
    rig: Rig,
    rng: Rng,
    /// What other people say.
    speech: Vec<Vec<f32>>,
    report: WakeReport,
}

impl WakeBench {
    fn recordings(&mut self, folder: &Path) -> anyhow::Result<()> {
        for file in wavs(&folder.join("positives"))? {
            let sound = read_wav(&file, RATE)?;
            let length = sound.len() as u64;
            let heard = self.rig.hear_alone(&[sound, silence(2.0)].concat());
            self.positive(heard, "recorded".into(), "as recorded", 0..length);
        }
        for file in wavs(&folder.join("negatives"))? {
            let sound = read_wav(&file, RATE)?;
            self.other("recordings", &[sound]);
        }
        anyhow::ensure!(
            !self.report.said.is_empty() || !self.report.sounds.is_empty(),
            "{} holds neither positives/*.wav nor negatives/*.wav",
            folder.display()
        );
        Ok(())
    }

    fn report_learnt(
        &mut self,
        args: &WakeArgs,
        phrase: &WakePhrase,
        context: &CliContext,
    ) -> anyhow::Result<ExitCode> {
        let mut voices = Voices::open(context)?;
        let speakers = speakers(&voices);
        self.speech = sentences(&mut voices)?;
        let (name, words) = (phrase.name.to_lowercase(), pronounced(phrase));
        let all = self.learnt((&mut voices, &speakers), (&name, &words), args.minutes)?;
        show::line(if args.json {
            serde_json::to_string_pretty(&learnt::json(&name, &all))?
        } else {
            learnt::text(&name, &all)
        })?;
        Ok(ExitCode::SUCCESS)
    }

    fn synthetic(
        &mut self,
        args: &WakeArgs,
        phrase: &WakePhrase,
        context: &CliContext,
    ) -> anyhow::Result<()> {
        let mut voices = Voices::open(context)?;
        for remark in voices.remarks() {
            show::remark(remark);
        }
        let speakers = speakers(&voices);
        self.speech = sentences(&mut voices)?;
        let words = pronounced(phrase);
        let progress = show::progress("phrases", u64::from(args.rounds) * speakers.len() as u64 * 6);
        for round in 0..args.rounds as usize {
            for (number, speaker) in speakers.iter().enumerate() {
                for room in WakeRoom::ALL {
                    for breath in [None, Some(ORDERS[(number + round) % ORDERS.len()])] {
                        self.say(&mut voices, &Saying { words: &words, speaker, room, order: breath })?;
                        progress.inc(1);
                    }
                }
            }
        }
        progress.finish_and_clear();
        self.near(&mut voices, &words, &speakers)?;
        self.others(args.minutes);
        Ok(())
    }

    /// The phrase once, by one voice in one room, alone or with an order behind it.
    fn say(&mut self, voices: &mut Voices, saying: &Saying<'_>) -> anyhow::Result<()> {
        let Saying { words, speaker, room, order } = *saying;
        let text = order.map_or_else(|| words.to_owned(), |order| format!("{words}, {order}"));
        let mut say = |word: String| {
            let spoken = Spoken { word, speaker: speaker.clone(), group: VoiceGroup::HeldOut };
            anyhow::Ok((spoken.voice(), voices.say(&spoken)?))
        };
        let (voice, mut said) = say(text)?;
        // Where in a breath the phrase ends is known only about: as long as it takes alone.
        let alone = if order.is_some() { say(words.to_owned())?.1.len() } else { said.len() };
        bring_to(&mut said, -26.0 + 6.0 * (self.rng.f32() - 0.5));
        let lead = if room == WakeRoom::Crowd { 8 * RATE as usize } else { RATE as usize };
        let sound = self.in_room(&said, room, lead);
        let heard = self.rig.hear_alone(&sound);
        let way = if order.is_some() { "in one breath" } else { "alone" };
        let condition = format!("{}, {way}", room.name());
        self.positive(heard, voice, &condition, lead as u64..(lead + alone) as u64);
        Ok(())
    }

    fn positive(&mut self, heard: RigResult, voice: String, condition: &str, place: std::ops::Range<u64>) {
        let phrase = &self.report.phrase;
        // What comes long before it or long after it was not owed to it.
        let reach = place.start..place.end + 4 * u64::from(RATE);
        let wake = heard.wakes.iter().find(|wake| wake.phrase == *phrase && reach.contains(&wake.at));
        let latency = wake.map(|wake| {
            let after = wake.at.saturating_sub(place.end) as f64 / f64::from(RATE);
            after + wake.scoring.unwrap_or(Duration::ZERO).as_secs_f64()
        });
        let by_model = heard.wakes.iter().any(|wake| wake.scoring.is_none() && wake.phrase == *phrase);
        let held_back = wake.is_none() && heard.is_held_back(phrase);
        self.report.said.push(WakeSaid { voice, condition: condition.into(), latency, by_model, held_back });
    }

    fn in_room(&mut self, said: &[f32], room: WakeRoom, lead: usize) -> Vec<f32> {
        let length = lead + said.len() + 3 * RATE as usize;
        let hiss = amplitude(-66.0);
        let mut sound: Vec<f32> = (0..length).map(|_| hiss * (2.0 * self.rng.f32() - 1.0)).collect();
        let kind = match room {
            WakeRoom::Quiet => None,
            WakeRoom::Fan => Some(NoiseKind::Fan),
            WakeRoom::Crowd => Some(NoiseKind::Babble),
        };
        if let Some(kind) = kind {
            let mut noise = piece(kind, &mut self.rng, &self.speech);
            bring_to(&mut noise, level(said) - 10.0);
            sound.iter_mut().zip(noise.iter().cycle()).for_each(|(s, n)| *s += n);
        }
        sound[lead..].iter_mut().zip(said).for_each(|(s, x)| *s = (*s + x).clamp(-1.0, 1.0));
        sound
    }

    fn near(&mut self, voices: &mut Voices, words: &str, speakers: &[Speaker]) -> anyhow::Result<()> {
        let rivals = near::phrases(words);
        let progress = show::progress("near", rivals.len() as u64);
        for rival in rivals {
            let mut near = Near { phrase: rival.clone(), ..Near::default() };
            let some: Vec<_> = speakers.iter().take(6).collect();
            for speaker in &some {
                let spoken =
                    Spoken { word: rival.clone(), speaker: (*speaker).clone(), group: VoiceGroup::HeldOut };
                let mut said = voices.say(&spoken)?;
                bring_to(&mut said, -26.0);
                let sound = self.in_room(&said, WakeRoom::Quiet, RATE as usize);
                let heard = self.rig.hear_alone(&sound);
                let phrase = &self.report.phrase;
                let is_woken = heard.wakes.iter().any(|wake| wake.phrase == *phrase);
                near.said += 1;
                near.accepted += usize::from(is_woken);
                near.held_back += usize::from(!is_woken && heard.is_held_back(phrase));
                near.otherwise += usize::from(!is_woken && !heard.wakes.is_empty());
            }
            self.report.near.push(near);
            progress.inc(1);
        }
        progress.finish_and_clear();
        Ok(())
    }

    /// Everything in which the phrase is not said.
    fn others(&mut self, minutes: u32) {
        if minutes == 0 {
            return;
        }
        let few = minutes.div_ceil(4);
        let progress = show::progress("other", u64::from(minutes + 4 * few));
        for _ in 0..minutes {
            let sound = self.minute_of_speech();
            self.other("continuous speech", &[sound]);
            progress.inc(1);
        }
        for (name, kinds) in [
            ("crowd", &[NoiseKind::Babble][..]),
            ("music", &[NoiseKind::Music]),
            ("noise", &[NoiseKind::Fan, NoiseKind::Rain, NoiseKind::Hum, NoiseKind::Clatter]),
        ] {
            for _ in 0..few {
                let three = (0..3).map(|n| piece(kinds[n % kinds.len()], &mut self.rng, &self.speech));
                let sound: Vec<Vec<f32>> = three.collect();
                self.other(name, &sound);
                progress.inc(1);
            }
        }
        for _ in 0..few {
            self.other("silence", &[silence(60.0)]);
            progress.inc(1);
        }
        progress.finish_and_clear();
    }

    /// A minute of sentences by all voices, at different levels.
    fn minute_of_speech(&mut self) -> Vec<f32> {
        let minute = 60 * RATE as usize;
        let mut sound = Vec::with_capacity(minute);
        while sound.len() < minute {
            let mut sentence = self.speech[self.rng.usize(0..self.speech.len())].clone();
            bring_to(&mut sentence, -26.0 + 10.0 * (self.rng.f32() - 0.5));
            sound.extend(sentence);
            sound.extend(silence(0.1 + 0.7 * self.rng.f64()));
        }
        sound
    }

    /// Goes on listening, to sound without the phrase.
    fn other(&mut self, name: &'static str, pieces: &[Vec<f32>]) {
        let before = own_cpu_time();
        let mut sound = OtherSound::named(name);
        for piece in pieces {
            let heard = self.rig.hear(piece);
            sound.length += Duration::from_secs_f64(piece.len() as f64 / f64::from(RATE));
            sound.wakes += heard.wakes.len() as u32;
            sound.by_model += heard.wakes.iter().filter(|wake| wake.scoring.is_none()).count() as u32;
            sound.held_back += heard.held_back() as u32;
            sound.scored += heard.weighed.iter().filter(|weighed| !weighed.is_unlike()).count() as u32;
        }
        sound.cpu = own_cpu_time().saturating_sub(before);
        self.report.add(sound);
    }
}

/// All voices: those at hand for other measurements, and more.
fn speakers(voices: &Voices) -> Vec<Speaker> {
    let known: Vec<Speaker> = voices.speakers().into_iter().map(|(speaker, _)| speaker).collect();
    let has = |is: fn(&Speaker) -> bool| known.iter().any(is);
    let flite = has(|speaker| matches!(speaker, Speaker::Flite(_)));
    let espeak = has(|speaker| matches!(speaker, Speaker::Espeak(_)));
    let more = MORE_VOICES.into_iter().filter(|speaker| match speaker {
        Speaker::Flite(_) => flite,
        Speaker::Espeak(_) => espeak,
        Speaker::Configured | Speaker::Recording(_) => true,
    });
    known.iter().cloned().chain(more).collect()
}

/// Very soft noise.
fn silence(seconds: f64) -> Vec<f32> {
    let mut rng = Rng::with_seed(9);
    (0..(seconds * f64::from(RATE)) as usize).map(|_| (rng.f32() - 0.5) * 4e-4).collect()
}

/// The level of sound in dBFS.
fn level(sound: &[f32]) -> f32 {
    10.0 * (sound.iter().map(|s| s * s).sum::<f32>() / sound.len().max(1) as f32 + 1e-10).log10()
}
