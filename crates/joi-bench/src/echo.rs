//! `joi-bench echo`: what joi's ears make of joi's own voice. Joi speaks a long story in a simulated room, and whatever
//! they take for a wake phrase, a stop word or a follow-up is a mistake.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::residue::Residue;
use crate::room::{DELAY, RoomDirector, Shape, room};
use joi::app;
use joi::cli::context::CliContext;
use joi::cli::show;
use joi_audio::{AudioSource, EchoCancel, EchoCancelled, RATE, SourceEvent, resample};
use joi_base::message::{OpenedBy, Utterance};
use joi_base::pulse::Heart;
use joi_hear::judge::{
    BargeInPolicy, JudgeInput, JudgeRules, JudgeVerdict, Judgement, Sounded, SpokenSentence, judge_by,
    judge_sound, rivals,
};
use joi_hear::score::{OpinionRequest, opine};
use joi_hear::transcript_filter::Evidence;
use joi_hear::whisper::{Stt, SttEvent, SttModel, Whisper};
use joi_hear::{FollowUpWindow, HearCommand, HearEvent, Listener, SoundBlock, SpeakingState};
use joi_language::Language;
use joi_speak::LanguageVoice;
use tokio::sync::mpsc::Receiver;

const EXAMPLES: &str = "\
Examples:
  joi-bench echo                          three minutes of her own voice
  joi-bench echo --minutes 30             the whole test
  joi-bench echo --no-canceller --json    what the judge alone makes of it";

pub(super) const MONOLOGUE: &str = include_str!("../../../assets/speech/monologue.txt");
/// Sentences between two windows for follow-ups.
const TURN: usize = 4;
/// How far the delay jumps.
const JUMP: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EchoArgs {
    /// How long joi speaks, 0.1 to 600
    #[arg(long, default_value_t = 3.0)]
    minutes: f64,
    /// Level of the echo against what is played, in dB
    #[arg(long, default_value_t = -10.0, allow_negative_numbers = true)]
    level: f32,
    /// Which room
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How much faster the microphone's clock is than the speaker's, in parts per million
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    drift: f64,
    /// Seconds between jumps of the delay from speaker to microphone by 200 ms, as over Bluetooth; 0 for none
    #[arg(long, default_value_t = 0.0)]
    jumps: f64,
    /// Leave the echo as it is
    #[arg(long)]
    no_canceller: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// What joi's ears made of joi's own voice.
#[derive(Debug, Default)]
struct EchoTally {
    spoken: Duration,
    wakes: u32,
    interjections: u32,
    stops: u32,
    interruptions: u32,
    windows: u32,
    follow_ups: u32,
    residue: Residue,
    /// The mistakes, with their reasons.
    mistakes: Vec<String>,
}

pub(crate) fn run(args: &EchoArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    anyhow::ensure!((0.1..=600.0).contains(&args.minutes), "--minutes takes 0.1 to 600");
    let mut bench = EchoBench::new(args, context)?;
    let bar = indicatif::ProgressBar::new((args.minutes * 60.0) as u64);
    let mut lines = MONOLOGUE.lines().filter(|line| !line.starts_with('#')).cycle();
    while bench.tally.spoken.as_secs_f64() < args.minutes * 60.0 {
        bench.turn(&lines.by_ref().take(TURN).collect::<Vec<_>>())?;
        bar.set_position(bench.tally.spoken.as_secs());
    }
    bar.finish_and_clear();
    let tally = &bench.tally;
    if args.json {
        show::line(tally.json(args))?
    } else {
        tally.show()?
    }
    let is_clean = tally.wakes + tally.stops + tally.interruptions + tally.follow_ups == 0;
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl EchoTally {
    fn json(&self, args: &EchoArgs) -> serde_json::Value {
        json!({
            "spoken_s": self.spoken.as_secs_f64(),
            "canceller": !args.no_canceller,
            "echo_db": args.level,
            "softer_db": self.residue.softer_db(),
            "interjections": self.interjections,
            "wakes": self.wakes,
            "stops": self.stops,
            "interruptions": self.interruptions,
            "windows": self.windows,
            "follow_ups": self.follow_ups,
            "mistakes": self.mistakes,
        })
    }

    fn show(&self) -> anyhow::Result<()> {
        let mut table = show::table(["WHAT", "COUNT"]);
        for (what, count) in [
            ("stretches of her voice that reached whisper", self.interjections),
            ("windows for follow-ups", self.windows),
            ("taken for a wake phrase", self.wakes),
            ("taken for a stop word", self.stops),
            ("taken for somebody who talks over her", self.interruptions),
            ("taken for a follow-up", self.follow_ups),
        ] {
            table.add_row([what.to_owned(), count.to_string()]);
        }
        for (when, db) in
            ["in the second second", "up to the fourth", "from then on"].iter().zip(self.residue.softer_db())
        {
            let softer = db.map_or_else(|| "-".into(), |db| format!("{db:.0} dB"));
            table.add_row([format!("echo softer by the filter alone, {when}"), softer]);
        }
        show::line(table)?;
        show::line(format!("\nshe spoke for {:.1} minutes", self.spoken.as_secs_f64() / 60.0))?;
        for mistake in &self.mistakes {
            show::line(mistake)?;
        }
        Ok(())
    }
}

/// Joi's mouth, a room, and joi's ears.
struct EchoBench<'a> {
    context: &'a CliContext,
    language: Arc<Language>,
    voice: LanguageVoice,
    whisper: Whisper,
    listener: Listener,
    /// Scores what its models are unsure about.
    _scorer: (Stt, Receiver<SttEvent>),
    ears: EchoCancelled,
    stage: RoomDirector,
    /// Seconds between jumps of the delay.
    jumps: f64,
    origin: Instant,
    /// Samples so far.
    now: u64,
    said: Vec<SpokenSentence>,
    last: Option<(u64, u32)>,
    tally: EchoTally,
}

impl<'a> EchoBench<'a> {
    fn new(args: &EchoArgs, context: &'a CliContext) -> anyhow::Result<Self> {
        let config = context.config();
        let library = app::library(config, &context.paths)?;
        let model = library.path(app::whisper_model(SttModel::TinyEn))?;
        let shape = Shape { seed: args.seed, level_db: args.level, drift_ppm: args.drift };
        let (stage, room, far) = room(shape);
        let (listener, scorer) = app::wakeful_listener(config, &context.paths, Heart::unwatched())?;
        let choice = if args.no_canceller { EchoCancel::Off } else { EchoCancel::On };
        Ok(Self {
            context,
            language: context.language()?,
            voice: app::load_voice(config, &context.paths, &*context.language()?)?.0,
            whisper: Whisper::load(&model, &config.hear.stt)?,
            listener,
            _scorer: scorer,
            ears: EchoCancelled::new(Box::new(room), far, choice),
            stage,
            jumps: args.jumps,
            origin: Instant::now(),
            now: 0,
            said: Vec::new(),
            last: None,
            tally: EchoTally::default(),
        })
    }

    /// One answer of hers, and the window behind it.
    fn turn(&mut self, lines: &[&str]) -> anyhow::Result<()> {
        let mut played = Vec::new();
        self.said.clear();
        for line in lines {
            let from = self.now + played.len() as u64;
            played.extend(self.say(line)?);
            let until = self.now + played.len() as u64;
            let (from, until) = (self.moment(from), self.moment(until));
            self.said.push(SpokenSentence { text: (*line).to_owned(), from, until });
        }
        self.tally.spoken += Duration::from_secs_f64(played.len() as f64 / f64::from(RATE));
        self.listener.command(HearCommand::Speaking(SpeakingState::Talking));
        self.play(played)?;
        self.listener.command(HearCommand::Speaking(SpeakingState::Silent));
        let (after, lasts) = (Duration::from_millis(300), Duration::from_secs(3));
        self.listener.command(HearCommand::FollowUp(FollowUpWindow {
            since: self.moment(self.now),
            after,
            lasts,
        }));
        self.tally.windows += 1;
        self.play(vec![0.0; 4 * RATE as usize])
    }

    fn say(&mut self, line: &str) -> anyhow::Result<Vec<f32>> {
        Ok(resample(&self.voice.render(line)?, self.voice.rate(), RATE)?)
    }

    /// Plays through the room into joi's ears.
    fn play(&mut self, played: Vec<f32>) -> anyhow::Result<()> {
        let length = played.len();
        let she_speaks = played.iter().any(|sample| *sample != 0.0);
        self.stage.play(&played);
        let (mut taken, mut samples, mut events) = (0, Vec::new(), Vec::new());
        while taken < length {
            samples.clear();
            // Less than a frame may stay behind, and comes with the next scene.
            let SourceEvent::Samples(count) = self.ears.read(&mut samples) else { break };
            taken += count;
            self.now += count as u64;
            self.jump();
            let tracks = self.ears.tracks();
            if let (true, Some(tracks)) = (she_speaks, tracks) {
                self.tally.residue.observe(tracks);
            }
            let sound = SoundBlock { samples: &samples, tracks };
            self.listener.step(sound, self.moment(self.now), &mut events);
            self.listener.settle(self.moment(self.now), &mut events);
            for event in events.drain(..) {
                self.weigh(event)?;
            }
        }
        Ok(())
    }

    /// The delay jumps when it is time.
    fn jump(&mut self) {
        let since = self.now as f64 / f64::from(RATE);
        if self.jumps > 0.0 {
            let is_long = (since / self.jumps) as u64 % 2 == 1;
            self.stage.delay(if is_long { DELAY + JUMP } else { DELAY });
        }
    }

    fn weigh(&mut self, event: HearEvent) -> anyhow::Result<()> {
        match event {
            HearEvent::Wake { phrase, score, .. } => {
                self.tally.wakes += 1;
                self.tally.mistakes.push(format!("wake phrase {phrase} at {score:.2}"));
            }
            HearEvent::Interjected { utterance, .. } if self.is_new(&utterance) => {
                self.tally.interjections += 1;
                let verdict = self.verdict(&utterance)?;
                self.tally.stops += u32::from(verdict == JudgeVerdict::Stop);
                self.tally.interruptions += u32::from(matches!(verdict, JudgeVerdict::Interrupts(_)));
            }
            HearEvent::Ended { utterance, .. } => {
                let verdict = self.verdict(&utterance)?;
                let is_mistake = matches!(verdict, JudgeVerdict::FollowUp(_) | JudgeVerdict::Stop);
                self.tally.follow_ups += u32::from(is_mistake);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether this stretch was not looked at before.
    fn is_new(&mut self, utterance: &Utterance) -> bool {
        let key = Some((utterance.generation, utterance.revision));
        std::mem::replace(&mut self.last, key) != key
    }

    fn verdict(&mut self, utterance: &Utterance) -> anyhow::Result<JudgeVerdict> {
        let (text, judgement) = match self.by_sound(utterance)? {
            Some(judgement) => (String::new(), judgement),
            None => self.by_words(utterance)?,
        };
        if !matches!(judgement.verdict, JudgeVerdict::Echo | JudgeVerdict::Ignore) {
            let (verdict, reason) = (judgement.verdict.name(), &judgement.reason);
            let at = utterance.speech_begins_at as f64 / f64::from(RATE);
            self.tally.mistakes.push(format!("at {at:.1} s, {verdict}: \"{text}\" ({reason})"));
        }
        Ok(judgement.verdict)
    }

    /// What the sound of an interjection says by itself.
    fn by_sound(&mut self, utterance: &Utterance) -> anyhow::Result<Option<Judgement>> {
        if utterance.opened_by != OpenedBy::Interjection {
            return Ok(None);
        }
        let (began, ended) = (self.moment(utterance.speech_begins_at), self.moment(utterance.speech_ends_at));
        let sounded = Sounded { began, ended, said: &self.said };
        let question = OpinionRequest {
            key: (utterance.generation, utterance.revision),
            samples: Arc::clone(&utterance.samples),
            words: self.rules().words.stop_phrases().to_vec(),
            rivals: rivals(&self.rules(), sounded),
        };
        let like = opine(&mut self.whisper, &question, &AtomicBool::new(false))?;
        let sounded = Sounded { began, ended, said: &self.said };
        Ok(judge_sound(&self.rules(), sounded, &like))
    }

    fn by_words(&mut self, utterance: &Utterance) -> anyhow::Result<(String, Judgement)> {
        let transcript = self.whisper.understand(utterance, &AtomicBool::new(false))?;
        let evidence = Evidence::of(utterance, &transcript);
        let case = JudgeInput {
            text: &transcript.text,
            evidence: &evidence,
            opened_by: &utterance.opened_by,
            began: self.moment(utterance.speech_begins_at),
            ended: self.moment(utterance.speech_ends_at),
            said: &self.said,
            names: &[],
            prompt: None,
        };
        let hears_past_herself = self.ears.meter().report().converged;
        let openness = if hears_past_herself { BargeInPolicy::Words } else { BargeInPolicy::StopWords };
        let judgement = judge_by(&self.rules(), &case, openness);
        Ok((transcript.text, judgement))
    }

    fn rules(&self) -> JudgeRules<'_> {
        let hear = &self.context.config().hear;
        JudgeRules { trust: &hear.trust, config: &hear.judge, words: self.language.vocabulary() }
    }

    fn moment(&self, position: u64) -> Instant {
        self.origin + Duration::from_secs_f64(position as f64 / f64::from(RATE))
    }
}
