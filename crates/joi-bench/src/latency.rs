//! `joi-bench latency`: from the last word of a command to the first sound of the answer, at the loudspeaker.
//!
//! The program under test runs as its user runs it, against a sound server without hardware; what is measured comes from
//! recordings of that server, not from the program, whose own record stands beside it. In real time: a turn takes some
//! ten seconds. Another program that listens to the default source and answers on the default sink can be measured in
//! the same way (`--peer`).

mod figures;
mod house;
mod plot;
mod report;
mod server;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use indicatif::ProgressBar;
use jiff::Timestamp;
use joi::cli::context::CliContext;
use joi_audio::{RATE, read_wav, write_wav};
use joi_base::trace::TurnRecord;
use serde::Deserialize;

use self::figures::{MeasuredTurn, first_loud, is_silent_for, last_loud};
use self::house::ReceivingHouse;
use self::server::{Recording, SoundServer};

const EXAMPLES: &str = "\
Examples:
  joi-bench latency                                   40 commands and 20 questions by three voices, a quarter of an hour
  joi-bench latency --only commands --limit 10
  joi-bench latency --only house                      how soon a command comes to a house, 43 of them
  joi-bench latency --peer 'python3 chain.py'         another program in the same run, and the ratio
  joi-bench latency --plot latency.svg                a picture of it, too
  joi-bench latency --json > latency.json";

/// The utterances.
const SCRIPT: &str = include_str!("latency/script.toml");
/// How long a program may take until it listens.
const READY_WITHIN: Duration = Duration::from_secs(180);
/// An answer that takes longer is none.
const ANSWER_WITHIN: Duration = Duration::from_secs(40);
/// The same of a command.
const COMMAND_WITHIN: Duration = Duration::from_secs(10);
/// Joi has finished when nothing was heard for so long: beyond the pauses between joi's sentences, and joi's window.
const OVER_AFTER: Duration = Duration::from_millis(4_500);
/// How often recordings are looked at.
const LOOK: Duration = Duration::from_millis(20);
/// Soft noise around what is said, in seconds before and behind it.
const AROUND_S: (f64, f64) = (0.4, 0.6);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LatencyArgs {
    /// The program `joi`; without it the one beside this program
    #[arg(long, value_name = "FILE")]
    joi: Option<PathBuf>,
    /// A command line that is measured as well: it prints "ready" once it listens
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
    /// Voices of flite
    #[arg(long, value_delimiter = ',', default_value = "slt,rms,awb")]
    voices: Vec<String>,
    /// The wake phrase
    #[arg(long, default_value = "hey jarvis")]
    phrase: String,
    /// Only this kind of turns
    #[arg(long, value_enum)]
    only: Option<Kind>,
    /// At most so many turns of each kind
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    limit: usize,
    /// Draw histograms into this file (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Commands,
    Questions,
    /// Commands to a house: a part of the measurement only where it is asked for
    House,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Questions => "questions",
            Self::House => "house",
        }
    }

    fn within(self) -> Duration {
        match self {
            Self::Commands | Self::House => COMMAND_WITHIN,
            Self::Questions => ANSWER_WITHIN,
        }
    }
}

/// Returns the utterances that need no model.
pub(super) fn commands() -> anyhow::Result<Vec<String>> {
    let script: Script = toml::from_str(SCRIPT)?;
    Ok(script.commands)
}

#[derive(Debug, Deserialize)]
struct Script {
    commands: Vec<String>,
    questions: Vec<String>,
    #[serde(skip)]
    house: Vec<String>,
}

impl Script {
    fn lines(&self, kind: Kind) -> &[String] {
        match kind {
            Kind::Commands => &self.commands,
            Kind::Questions => &self.questions,
            Kind::House => &self.house,
        }
    }
}

/// The program that is measured.
enum Subject<'a> {
    /// `joi run` with the given settings, and the folder of its data.
    Joi { program: PathBuf, context: &'a CliContext, data: PathBuf, settings: Vec<String> },
    /// Another one.
    Peer { command: &'a str },
}

pub(crate) fn run(args: &LatencyArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let script = Script { house: house::lines(), ..toml::from_str(SCRIPT)? };
    let kinds = args.only.map_or_else(|| vec![Kind::Commands, Kind::Questions], |only| vec![only]);
    let house = kinds.contains(&Kind::House).then(|| ReceivingHouse::start(house::ITEMS)).transpose()?;
    let scratch = Scratch::new()?;
    let program = args.joi.clone().map_or_else(beside_this, Ok)?;
    let settings = house.as_ref().map(ReceivingHouse::settings).unwrap_or_default();
    let joi = Subject::Joi { program, context, data: scratch.0.join("data"), settings };
    let mut subjects = vec![("joi", joi)];
    if let Some(command) = args.peer.as_deref() {
        subjects.push(("peer", Subject::Peer { command }));
    }
    let turns = kinds.iter().map(|kind| script.lines(*kind).len().min(args.limit)).sum::<usize>();
    let bar =
        if args.json { ProgressBar::hidden() } else { ProgressBar::new((turns * subjects.len()) as u64) };
    let mut measured = Vec::new();
    for (name, subject) in &subjects {
        let rig = Rig::start(&scratch.0.join(name), subject)?;
        for kind in &kinds {
            let lines = script.lines(*kind).iter().take(args.limit);
            let voices = args.voices.iter().cycle();
            let mut turns = Vec::new();
            for (words, voice) in lines.zip(voices) {
                turns.push(rig.turn((words, voice, &args.phrase), *kind, house.as_ref())?);
                bar.inc(1);
            }
            measured.push((*name, *kind, turns));
        }
        let records = rig.end(subject)?;
        assign(&mut measured, name, records);
    }
    bar.finish_and_clear();
    report::print(&measured, args)?;
    if let Some(file) = &args.plot {
        report::draw(&measured, file)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Turns of one kind by one program.
type Measured = (&'static str, Kind, Vec<MeasuredTurn>);

/// Gives each turn its own record, by what was heard: both are in the order in which they were said.
fn assign(measured: &mut [Measured], subject: &str, records: Vec<TurnRecord>) {
    let mut records = records.into_iter().filter(|record| !record.was_dismissed()).peekable();
    let turns = measured.iter_mut().filter(|(name, ..)| *name == subject).flat_map(|(.., turns)| turns);
    for turn in turns.filter(|turn| turn.audible.is_some()) {
        turn.record = records.next();
    }
}

/// A sound server, both recordings, and the running program.
struct Rig {
    place: PathBuf,
    microphone: Recording,
    loudspeaker: Recording,
    program: Running,
    server: SoundServer,
}

impl Rig {
    fn start(place: &Path, subject: &Subject<'_>) -> anyhow::Result<Self> {
        std::fs::create_dir_all(place)?;
        let server = SoundServer::start(place)?;
        let (microphone, loudspeaker) = (server.microphone()?, server.loudspeaker()?);
        let mut program = Running(subject.command(&server)?.spawn().context("the program can't be started")?);
        program.wait_until_ready(subject)?;
        Ok(Self { place: place.to_owned(), microphone, loudspeaker, program, server })
    }

    /// Says it, and waits until the answer is over.
    fn turn(
        &self,
        (words, voice, phrase): (&str, &str, &str),
        kind: Kind,
        house: Option<&ReceivingHouse>,
    ) -> anyhow::Result<MeasuredTurn> {
        let wav = self.place.join("said.wav");
        write_wav(&wav, RATE, &said(&self.place, voice, &format!("{phrase}, {words}"))?)?;
        let begun = Instant::now();
        self.server.say(&wav)?;
        let until = Instant::now() + kind.within();
        let mut heard = None;
        while heard.is_none() && Instant::now() < until {
            std::thread::sleep(LOOK);
            heard = self.heard(begun);
        }
        let said_at = heard.and_then(|(said, _)| Timestamp::now().checked_sub(said.elapsed()).ok());
        let audible = heard.map(|(said, heard)| heard.saturating_duration_since(said));
        // The window for a follow-up is over, too: each turn begins with the wake phrase.
        while !is_silent_for(&self.loudspeaker.levels(), OVER_AFTER) {
            std::thread::sleep(LOOK);
        }
        let sent = house.and_then(|house| {
            let said = last_loud(&self.microphone.levels(), begun)?;
            Some(house.first_since(begun)?.saturating_duration_since(said))
        });
        let (words, voice) = (words.to_owned(), voice.to_owned());
        Ok(MeasuredTurn { words, voice, said_at, audible, sent, record: None })
    }

    /// The end of the last word said since `begun`, and the first sound behind it.
    fn heard(&self, begun: Instant) -> Option<(Instant, Instant)> {
        let said = last_loud(&self.microphone.levels(), begun)?;
        Some((said, first_loud(&self.loudspeaker.levels(), said)?))
    }

    /// Ends the program and returns its records of its turns, where it has any.
    fn end(mut self, subject: &Subject<'_>) -> anyhow::Result<Vec<TurnRecord>> {
        self.program.end();
        match subject {
            Subject::Peer { .. } => Ok(Vec::new()),
            Subject::Joi { program, data, .. } => {
                let output = Command::new(program)
                    .args(["why", "--last", "1000", "--json"])
                    .env("JOI_DATA", data)
                    .output()?;
                let lines = String::from_utf8(output.stdout)?;
                lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
            }
        }
    }
}

impl Subject<'_> {
    fn command(&self, server: &SoundServer) -> anyhow::Result<Command> {
        match self {
            Self::Joi { program, context, data, settings } => {
                std::fs::create_dir_all(data)?;
                let config = data.join("config.toml");
                std::fs::write(&config, toml::to_string(context.config())?)?;
                let mut command = server.command(program);
                command
                    .args(["--set", "audio.host=pulseaudio", "--set", "audio.tone=false"])
                    .args(["--set", "audio.silent_after_s=0", "--set", "audio.volume=100"])
                    .args(["--set", "conversation.thinking_s=0", "--set", "announce.awake=false"])
                    .args(settings.iter().flat_map(|setting| ["--set", setting]))
                    .arg("run")
                    .env("JOI_CONFIG", config)
                    .env("JOI_DATA", data)
                    .env("JOI_RUNTIME", data.join("run"))
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped());
                Ok(command)
            }
            Self::Peer { command: line } => {
                let mut command = server.command("sh");
                command.args(["-c", line]).stdout(Stdio::null()).stderr(Stdio::piped());
                Ok(command)
            }
        }
    }

    /// What a line on stderr holds once it listens.
    fn ready_mark(&self) -> &'static str {
        match self {
            Self::Joi { .. } => "listening through",
            Self::Peer { .. } => "ready",
        }
    }
}

/// A program that is ended with this.
struct Running(Child);

impl Running {
    fn wait_until_ready(&mut self, subject: &Subject<'_>) -> anyhow::Result<()> {
        let stderr = self.0.stderr.take().context("the program has an output")?;
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let mark = subject.ready_mark();
        std::thread::Builder::new().name("output".into()).spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if line.contains(mark) {
                    let _ = tell.try_send(());
                }
            }
        })?;
        told.recv_timeout(READY_WITHIN).with_context(|| format!("the program did not tell \"{mark}\""))
    }

    fn end(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `text` by a voice of flite, with soft noise around it.
fn said(place: &Path, voice: &str, text: &str) -> anyhow::Result<Vec<f32>> {
    let wav = place.join("voice.wav");
    let status = Command::new("flite").args(["-voice", voice, "-t", text, "-o"]).arg(&wav).status();
    let spoken = status.is_ok_and(|status| status.success());
    anyhow::ensure!(spoken, "flite could not say it with the voice {voice}; apt-get install flite");
    let mut random = fastrand::Rng::with_seed(1);
    let mut noise = |seconds: f64| -> Vec<f32> {
        (0..(seconds * f64::from(RATE)) as usize).map(|_| (random.f32() - 0.5) * 6e-4).collect()
    };
    Ok([noise(AROUND_S.0), read_wav(&wav, RATE)?, noise(AROUND_S.1)].concat())
}

fn beside_this() -> anyhow::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("joi"))
}

/// A folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> anyhow::Result<Self> {
        let place = std::env::temp_dir().join(format!("joi-bench-latency-{}", std::process::id()));
        std::fs::create_dir_all(&place)?;
        Ok(Self(place))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_has_what_is_promised() {
        let script: Script = toml::from_str(SCRIPT).unwrap();
        assert!(script.commands.len() >= 40 && script.questions.len() >= 20);
    }
}
