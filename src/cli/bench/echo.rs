//! `joi bench echo`: what her ears make of her own voice. She tells a long story in a simulated room, and
//! whatever they take for a wake phrase, a stop word or a follow-up is a mistake.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::app;
use crate::audio::{EchoCancel, EchoCancelled, FarEnd, FarFeed, Heard, RATE, Resampler, Source};
use crate::cli::session::Session;
use crate::cli::show;
use crate::hear::judge::{Case, Sentence, Verdict, judge};
use crate::hear::trust::Evidence;
use crate::hear::whisper::{SttModel, Whisper};
use crate::hear::{HearCommand, HearEvent, Listener, Sound, SpeakingState, Window};
use crate::message::Utterance;
use crate::speak::Voice;

const EXAMPLES: &str = "\
Examples:
  joi bench echo                          three minutes of her own voice
  joi bench echo --minutes 30             the whole test
  joi bench echo --no-canceller --json    what the judge alone makes of it";

const MONOLOGUE: &str = include_str!("../../../assets/speech/monologue.txt");
/// Sentences between two windows for follow-ups.
const TURN: usize = 4;
/// The echo's reflections: so many, within this time.
const REFLECTIONS: usize = 60;
const REVERBERATION: Duration = Duration::from_millis(250);
/// From the speaker to the microphone, the sound system included.
const DELAY: Duration = Duration::from_millis(60);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How long she speaks, 0.1 to 600
    #[arg(long, default_value_t = 3.0)]
    minutes: f64,
    /// Level of the echo against what is played, in dB
    #[arg(long, default_value_t = -10.0, allow_negative_numbers = true)]
    level: f32,
    /// Which room
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave the echo as it is
    #[arg(long)]
    no_canceller: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// What her ears made of her own voice.
#[derive(Debug, Default)]
struct Tally {
    spoken: Duration,
    wakes: u32,
    interjections: u32,
    stops: u32,
    windows: u32,
    follow_ups: u32,
    /// What was mistaken, and why.
    mistakes: Vec<String>,
}

pub(crate) fn run(args: &Args, session: &Session) -> anyhow::Result<ExitCode> {
    anyhow::ensure!((0.1..=600.0).contains(&args.minutes), "--minutes takes 0.1 to 600");
    let mut bench = Bench::new(args, session)?;
    let bar = indicatif::ProgressBar::new((args.minutes * 60.0) as u64);
    let mut lines = MONOLOGUE.lines().filter(|line| !line.starts_with('#')).cycle();
    while bench.tally.spoken.as_secs_f64() < args.minutes * 60.0 {
        bench.turn(&lines.by_ref().take(TURN).collect::<Vec<_>>())?;
        bar.set_position(bench.tally.spoken.as_secs());
    }
    bar.finish_and_clear();
    let tally = &bench.tally;
    if args.json {
        show::line(json!({
            "spoken_s": tally.spoken.as_secs_f64(),
            "canceller": !args.no_canceller,
            "echo_db": args.level,
            "interjections": tally.interjections,
            "wakes": tally.wakes,
            "stops": tally.stops,
            "windows": tally.windows,
            "follow_ups": tally.follow_ups,
            "mistakes": tally.mistakes,
        }))?;
    } else {
        let mut table = show::table(["WHAT", "COUNT"]);
        for (what, count) in [
            ("stretches of her voice that reached whisper", tally.interjections),
            ("windows for follow-ups", tally.windows),
            ("taken for a wake phrase", tally.wakes),
            ("taken for a stop word", tally.stops),
            ("taken for a follow-up", tally.follow_ups),
        ] {
            table.add_row([what.to_owned(), count.to_string()]);
        }
        show::line(table)?;
        show::line(format!("\nshe spoke for {:.1} minutes", tally.spoken.as_secs_f64() / 60.0))?;
        for mistake in &tally.mistakes {
            show::line(mistake)?;
        }
    }
    let is_clean = tally.wakes + tally.stops + tally.follow_ups == 0;
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Her mouth, a room, and her ears.
struct Bench<'a> {
    session: &'a Session,
    voice: Voice,
    whisper: Whisper,
    listener: Listener,
    ears: EchoCancelled,
    stage: std::sync::mpsc::Sender<Scene>,
    echo: Echo,
    origin: Instant,
    /// Samples so far.
    now: u64,
    said: Vec<Sentence>,
    last: Option<(u64, u32)>,
    tally: Tally,
}

impl<'a> Bench<'a> {
    fn new(args: &Args, session: &'a Session) -> anyhow::Result<Self> {
        let config = session.config();
        let library = app::library(config, &session.paths)?;
        let model = library.path(app::whisper_model(SttModel::TinyEn))?;
        let (feed, far) = FarEnd::by_hand(RATE);
        let (stage, scenes) = std::sync::mpsc::channel();
        let room = Room { scenes, scene: Scene::default(), at: 0, feed };
        let choice = if args.no_canceller { EchoCancel::Off } else { EchoCancel::On };
        Ok(Self {
            session,
            voice: Voice::load(&app::voice_files(config, &session.paths)?, &config.speak)?,
            whisper: Whisper::load(&model, &config.hear.stt)?,
            listener: app::listener(config, &session.paths)?,
            ears: EchoCancelled::new(Box::new(room), far, choice),
            stage,
            echo: Echo::new(args.seed, args.level),
            origin: Instant::now(),
            now: 0,
            said: Vec::new(),
            last: None,
            tally: Tally::default(),
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
            self.said.push(Sentence { text: (*line).to_owned(), from, until });
        }
        self.tally.spoken += Duration::from_secs_f64(played.len() as f64 / f64::from(RATE));
        self.listener.command(HearCommand::Speaking(SpeakingState::Talking));
        self.play(played)?;
        self.listener.command(HearCommand::Speaking(SpeakingState::Silent));
        let (after, lasts) = (Duration::from_millis(300), Duration::from_secs(3));
        self.listener.command(HearCommand::FollowUp(Window { since: self.moment(self.now), after, lasts }));
        self.tally.windows += 1;
        self.play(vec![0.0; 4 * RATE as usize])
    }

    fn say(&mut self, line: &str) -> anyhow::Result<Vec<f32>> {
        let mut samples = Vec::new();
        self.voice.say(line, &|| false, &mut |piece| samples.extend_from_slice(&piece))?;
        let mut resampler = Resampler::new(self.voice.rate(), RATE)?;
        let mut out = Vec::new();
        resampler.push(&samples, &mut out);
        resampler.finish(&mut out);
        Ok(out)
    }

    /// Plays through the room into her ears.
    fn play(&mut self, played: Vec<f32>) -> anyhow::Result<()> {
        let heard = self.echo.of(&played);
        let length = played.len();
        self.stage.send(Scene { played, heard })?;
        let (mut taken, mut samples, mut events) = (0, Vec::new(), Vec::new());
        while taken < length {
            samples.clear();
            // Less than a frame may stay behind, and comes with the next scene.
            let Heard::Samples(count) = self.ears.read(&mut samples) else { break };
            taken += count;
            self.now += count as u64;
            let sound = Sound { samples: &samples, captured: self.ears.captured() };
            self.listener.step(sound, self.moment(self.now), &mut events);
            for event in events.drain(..) {
                self.weigh(event)?;
            }
        }
        Ok(())
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
                self.tally.stops += u32::from(verdict == Verdict::Stop);
            }
            HearEvent::Ended { utterance, .. } => {
                let verdict = self.verdict(&utterance)?;
                let is_mistake = matches!(verdict, Verdict::FollowUp(_) | Verdict::Stop);
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

    fn verdict(&mut self, utterance: &Utterance) -> anyhow::Result<Verdict> {
        let transcript = self.whisper.understand(utterance, &AtomicBool::new(false))?;
        let evidence = Evidence::of(utterance, &transcript);
        let hear = &self.session.config().hear;
        let case = Case {
            text: &transcript.text,
            evidence: &evidence,
            opened_by: &utterance.opened_by,
            began: self.moment(utterance.speech_begins_at),
            ended: self.moment(utterance.speech_ends_at),
            said: &self.said,
            names: &[],
            prompt: None,
        };
        let judgement = judge(&case, &hear.trust, &hear.judge);
        if !matches!(judgement.verdict, Verdict::Echo | Verdict::Ignore) {
            let (verdict, reason) = (judgement.verdict.name(), &judgement.reason);
            self.tally.mistakes.push(format!("{verdict}: \"{}\" ({reason})", transcript.text));
        }
        Ok(judgement.verdict)
    }

    fn moment(&self, position: u64) -> Instant {
        self.origin + Duration::from_secs_f64(position as f64 / f64::from(RATE))
    }
}

/// A stretch of sound as it is played and as it reaches the microphone.
#[derive(Default)]
struct Scene {
    played: Vec<f32>,
    heard: Vec<f32>,
}

/// The room as a microphone: what is heard comes together with what is played.
struct Room {
    scenes: std::sync::mpsc::Receiver<Scene>,
    scene: Scene,
    at: usize,
    feed: FarFeed,
}

impl Source for Room {
    fn read(&mut self, into: &mut Vec<f32>) -> Heard {
        if self.at >= self.scene.heard.len() {
            let Ok(next) = self.scenes.try_recv() else { return Heard::Nothing };
            (self.scene, self.at) = (next, 0);
        }
        let end = (self.at + RATE as usize / 50).min(self.scene.heard.len());
        self.feed.played(&self.scene.played[self.at..end]);
        into.extend_from_slice(&self.scene.heard[self.at..end]);
        let count = end - self.at;
        self.at = end;
        Heard::Samples(count)
    }
}

/// The way from the speaker to the microphone: a delay, decaying reflections, and a little noise.
struct Echo {
    taps: Vec<(usize, f32)>,
    /// The last samples that were played.
    tail: Vec<f32>,
    random: fastrand::Rng,
}

impl Echo {
    fn new(seed: u64, level_db: f32) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let samples = |length: Duration| (length.as_secs_f64() * f64::from(RATE)) as usize;
        let (delay, length) = (samples(DELAY), samples(REVERBERATION));
        let mut taps = vec![(delay, 1.0)];
        for _ in 0..REFLECTIONS {
            let at = random.usize(1..length);
            let decay = (-6.9 * at as f32 / length as f32).exp();
            taps.push((delay + at, 0.5 * decay * (2.0 * random.f32() - 1.0)));
        }
        let power: f32 = taps.iter().map(|(_, gain)| gain * gain).sum();
        let scale = 10_f32.powf(level_db / 20.0) / power.sqrt();
        taps.iter_mut().for_each(|(_, gain)| *gain *= scale);
        Self { taps, tail: vec![0.0; delay + length], random }
    }

    fn of(&mut self, played: &[f32]) -> Vec<f32> {
        let before = self.tail.len();
        self.tail.extend_from_slice(played);
        let heard = (before..self.tail.len())
            .map(|at| {
                let echo: f32 = self.taps.iter().map(|(lag, gain)| gain * self.tail[at - lag]).sum();
                echo + (self.random.f32() - 0.5) * 1e-3
            })
            .collect();
        self.tail.drain(..played.len());
        heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_echo_comes_late_softer_and_goes_on_over_the_joints() {
        let mut whole = Echo::new(3, -10.0);
        let mut pieces = Echo::new(3, -10.0);
        let noise: Vec<f32> = (0..16_000_u32).map(|i| ((i * 7919) % 1000) as f32 / 1000.0 - 0.5).collect();
        let heard = whole.of(&noise);
        let joined = [pieces.of(&noise[..5000]), pieces.of(&noise[5000..])].concat();
        assert_eq!(heard, joined);
        assert!(heard[..960].iter().all(|s| s.abs() <= 5e-4), "nothing but noise before the delay");
        let power = |s: &[f32]| s.iter().map(|s| s * s).sum::<f32>() / s.len() as f32;
        let level = 10.0 * (power(&heard[8000..]) / power(&noise)).log10();
        assert!((-13.0..-7.0).contains(&level), "{level} dB");
    }
}
