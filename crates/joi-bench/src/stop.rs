//! `joi-bench stop`: somebody says "stop" while joi speaks, in a simulated room. How often joi obeys, how soon, and how
//! often joi stops though nobody said so.
//!
//! Stream time from the end of the word until the decision, and what was computed until then; the fade-out of
//! joi's voice is added. The recogniser is the one that always hears interjections.

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::room::{RoomDirector, Shape, level_db, room, samples};
use joi::app;
use joi::cli::context::CliContext;
use joi::cli::show;
use joi::cli::wake::voices::{Speaker, Spoken, Voices};
use joi_audio::{AudioSource, EchoCancel, EchoCancelled, EchoMeter, RATE, SourceEvent};
use joi_base::message::Utterance;
use joi_hear::judge::{
    BargeInPolicy, JudgeInput, JudgeRules, JudgeVerdict, Judgement, Sounded, SpokenSentence, judge_by,
    judge_sound, rivals,
};
use joi_hear::score::{OpinionRequest, opine};
use joi_hear::transcript_filter::Evidence;
use joi_hear::whisper::Whisper;
use joi_hear::{HearCommand, HearEvent, Listener, SoundBlock, SpeakingState};
use joi_language::Language;

mod report;
mod script;

use report::{Outcome, StopTally};
use script::{StopTrial, trials};

const EXAMPLES: &str = "\
Examples:
  joi-bench stop                        every voice at three levels, early and late in her answer
  joi-bench stop --second-opinion off   what transcripts alone achieve
  joi-bench stop --few --json           a sample, with every trial";

/// Joi's voice fades out, and the sound system plays what it holds.
const FADE: Duration = Duration::from_millis(60);
/// Joi's answer goes on for so long after the word.
const AFTER: Duration = Duration::from_secs(3);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StopArgs {
    /// Whether stop words are known by their sound, too
    #[arg(long, value_enum, default_value_t = Switch::On)]
    second_opinion: Switch,
    /// Which room and which sentences
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Level of the echo against what is played, in dB
    #[arg(long, default_value_t = -10.0, allow_negative_numbers = true)]
    level: f32,
    /// How much faster the microphone's clock is than the speaker's, in parts per million
    #[arg(long, default_value_t = 40.0, allow_negative_numbers = true)]
    drift: f64,
    /// One word of each voice only
    #[arg(long)]
    few: bool,
    /// As JSON, every trial a line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

pub(crate) fn run(args: &StopArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let mut voices = Voices::open(context)?;
    for remark in voices.remarks() {
        show::remark(remark);
    }
    let trials = trials(&voices.speakers(), args.few);
    let mut bench = StopBench::new(args, context)?;
    let bar = indicatif::ProgressBar::new(trials.len() as u64);
    let mut tally = StopTally::default();
    for trial in trials {
        let outcome = bench.attempt(&trial, &mut voices)?;
        if args.json {
            show::line(outcome.json(&trial))?;
        }
        tally.count(&trial, outcome);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !args.json {
        tally.show(app::whisper_model(joi_hear::whisper::SttModel::TinyEn), args.second_opinion)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Joi's ears, and all joi may say.
struct StopBench<'a> {
    args: &'a StopArgs,
    context: &'a CliContext,
    language: Arc<Language>,
    whisper: Whisper,
    listener: Listener,
    origin: Instant,
    /// Samples so far.
    now: u64,
    /// Where the trial began.
    began: u64,
    /// The sound of words spoken before, by voice and words.
    spoken: HashMap<String, Vec<f32>>,
}

/// One trial under way.
struct StopScene {
    stage: RoomDirector,
    ears: EchoCancelled,
    meter: EchoMeter,
    said: Vec<SpokenSentence>,
    /// How loud joi is, in dBFS.
    level_db: f32,
}

/// A decision, and when it was made.
struct StopDecision {
    judgement: Judgement,
    /// Position in samples, and what was computed since.
    at: u64,
    computed: Duration,
}

impl<'a> StopBench<'a> {
    fn new(args: &'a StopArgs, context: &'a CliContext) -> anyhow::Result<Self> {
        let config = context.config();
        let library = app::library(config, &context.paths)?;
        let whisper = Whisper::load(&app::quickest_whisper(config, &library)?, &config.hear.stt)?;
        let listener = app::listener(config, &context.paths)?;
        Ok(Self {
            args,
            context,
            language: context.language()?,
            whisper,
            listener,
            origin: Instant::now(),
            now: 0,
            began: 0,
            spoken: HashMap::new(),
        })
    }

    fn attempt(&mut self, trial: &StopTrial, voices: &mut Voices) -> anyhow::Result<Outcome> {
        let (mut scene, length) = self.scene(trial, voices)?;
        self.began = self.now;
        let begins = self.now + samples(trial.begins) as u64;
        let word = self.word(trial, voices, scene.level_db)?;
        let word_ends = begins + word.len() as u64;
        let end = self.now + length.min(samples(trial.begins + AFTER) + word.len()) as u64;
        self.listener.interrupt();
        self.listener.command(HearCommand::Speaking(SpeakingState::Talking));
        let (mut buffer, mut events) = (Vec::new(), Vec::new());
        let (mut ducked, mut seen, mut is_said) = (None, Vec::new(), false);
        let mut stopped = None;
        while self.now < end && stopped.is_none() {
            if !is_said && self.now >= begins {
                scene.stage.talk(&word);
                is_said = true;
            }
            buffer.clear();
            let SourceEvent::Samples(count) = scene.ears.read(&mut buffer) else { break };
            self.now += count as u64;
            let sound = SoundBlock { samples: &buffer, tracks: scene.ears.tracks() };
            self.listener.step(sound, self.moment(self.now), &mut events);
            for event in events.drain(..) {
                match event {
                    HearEvent::Wake { .. } => seen.push("wake".into()),
                    HearEvent::Interrupting { .. } if scene.meter.report().converged => {
                        ducked.get_or_insert(self.now);
                        scene.stage.loudness(0.1);
                    }
                    HearEvent::Interjected { utterance, .. } if stopped.is_none() => {
                        let decided = self.decide(&scene, &utterance, &mut seen)?;
                        if matches!(
                            decided.judgement.verdict,
                            JudgeVerdict::Stop | JudgeVerdict::Interrupts(_)
                        ) {
                            stopped = Some(decided);
                        }
                    }
                    _ => {}
                }
            }
        }
        self.listener.command(HearCommand::Speaking(SpeakingState::Silent));
        let since = |position: u64| (position as f64 - word_ends as f64) / f64::from(RATE);
        Ok(Outcome {
            silent_s: stopped.as_ref().map(|d| since(d.at) + (d.computed + FADE).as_secs_f64()),
            ducked_s: ducked.map(|at| (at as f64 - begins as f64) / f64::from(RATE)),
            converged: scene.meter.report().converged,
            is_order: stopped.as_ref().is_some_and(|d| d.judgement.verdict == JudgeVerdict::Stop),
            reason: stopped.map(|decided| decided.judgement.reason),
            seen,
        })
    }

    /// Joi begins to say the trial's sentences in a room joi does not know yet.
    fn scene(&mut self, trial: &StopTrial, voices: &mut Voices) -> anyhow::Result<(StopScene, usize)> {
        let drift_ppm = self.args.drift;
        let (stage, room, far) = room(Shape { seed: self.args.seed, level_db: self.args.level, drift_ppm });
        let ears = EchoCancelled::new(Box::new(room), far, EchoCancel::On);
        let (mut said, mut all) = (Vec::new(), Vec::new());
        for line in &trial.says {
            let spoken =
                Spoken { word: (*line).to_owned(), speaker: Speaker::Configured, group: trial.group };
            let samples = self.say(&spoken, voices)?;
            let from = self.now + all.len() as u64;
            let until = from + samples.len() as u64;
            said.push(SpokenSentence {
                text: (*line).to_owned(),
                from: self.moment(from),
                until: self.moment(until),
            });
            all.extend_from_slice(&samples);
        }
        stage.play(&all);
        let meter = ears.meter();
        Ok((StopScene { stage, ears, meter, said, level_db: level_db(&all) }, all.len()))
    }

    /// The word at the trial's level against the echo of joi, who is so loud.
    fn word(&mut self, trial: &StopTrial, voices: &mut Voices, her_db: f32) -> anyhow::Result<Vec<f32>> {
        let Some((speaker, word)) = &trial.cries else { return Ok(Vec::new()) };
        let spoken = Spoken { word: (*word).to_owned(), speaker: speaker.clone(), group: trial.group };
        let mut word = self.say(&spoken, voices)?;
        let floor = word.iter().fold(0.0_f32, |most, s| most.max(s.abs())) / 100.0;
        let end = word.iter().rposition(|s| s.abs() > floor).map_or(0, |at| at + 1);
        word.truncate(end);
        let first = word.iter().position(|s| s.abs() > floor).unwrap_or(0);
        word.drain(..first);
        let echo = her_db + self.args.level;
        let gain = 10_f32.powf((echo + trial.level_db - level_db(&word)) / 20.0);
        word.iter_mut().for_each(|s| *s *= gain);
        Ok(word)
    }

    /// Judges an interjection, first by its words, then by its sound.
    fn decide(
        &mut self,
        scene: &StopScene,
        utterance: &Utterance,
        seen: &mut Vec<String>,
    ) -> anyhow::Result<StopDecision> {
        let (at, began) = (self.now, Instant::now());
        let hear = &self.context.config().hear;
        let words = self.language.vocabulary();
        let rules = JudgeRules { trust: &hear.trust, config: &hear.judge, words };
        let (began_at, ended_at) =
            (self.moment(utterance.speech_begins_at), self.moment(utterance.speech_ends_at));
        let sounded = Sounded { began: began_at, ended: ended_at, said: &scene.said };
        let never = AtomicBool::new(false);
        let transcript = self.whisper.understand(utterance, &never)?;
        let evidence = Evidence::of(utterance, &transcript);
        let case = JudgeInput {
            text: &transcript.text,
            evidence: &evidence,
            opened_by: &utterance.opened_by,
            began: began_at,
            ended: ended_at,
            said: &scene.said,
            names: &[],
            prompt: None,
        };
        let is_open = scene.meter.report().converged;
        let openness = if is_open { BargeInPolicy::Words } else { BargeInPolicy::StopWords };
        let judgement = judge_by(&rules, &case, openness);
        let (name, ms) = (judgement.verdict.name(), transcript.took.as_millis());
        seen.push(format!("{:.2} s: \"{}\", {name}, {ms} ms", self.since(at), transcript.text));
        let is_settled = matches!(judgement.verdict, JudgeVerdict::Stop | JudgeVerdict::Interrupts(_));
        if is_settled || self.args.second_opinion == Switch::Off {
            return Ok(StopDecision { judgement, at, computed: began.elapsed() });
        }
        let question = OpinionRequest {
            key: (utterance.generation, utterance.revision),
            samples: Arc::clone(&utterance.samples),
            words: words.stop_phrases().to_vec(),
            rivals: rivals(&rules, sounded),
        };
        let like = opine(&mut self.whisper, &question, &never)?;
        let (place, margin) = like.best().unwrap_or_default();
        let word = question.words.get(place).map_or("", String::as_str);
        let (hers, ms) = (like.rival(), began.elapsed().as_millis());
        seen.push(format!("  {word} {margin:.1}, hers {hers:.1}, \"{}\", {ms} ms", like.text));
        let judgement = judge_sound(&rules, sounded, &like).unwrap_or(judgement);
        Ok(StopDecision { judgement, at, computed: began.elapsed() })
    }

    /// Says it, once: some voices are slow.
    fn say(&mut self, spoken: &Spoken, voices: &mut Voices) -> anyhow::Result<Vec<f32>> {
        let key = format!("{} {}", spoken.voice(), spoken.word);
        if let Some(known) = self.spoken.get(&key) {
            return Ok(known.clone());
        }
        let samples = voices.say(spoken)?;
        self.spoken.insert(key, samples.clone());
        Ok(samples)
    }

    /// Seconds since the trial began.
    fn since(&self, position: u64) -> f64 {
        (position - self.began) as f64 / f64::from(RATE)
    }

    fn moment(&self, position: u64) -> Instant {
        self.origin + Duration::from_secs_f64(position as f64 / f64::from(RATE))
    }
}
