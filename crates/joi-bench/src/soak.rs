//! `joi-bench soak`: a day of sound in minutes, and what is left behind of it.
//!
//! The program under test is `joi hear`, which takes sound as fast as it can from a pipe: hours of a room with noise,
//! people who talk to each other, joi's own voice from elsewhere, and commands to joi. After each hour its memory,
//! threads and descriptors are counted, and the turns that nobody asked for. Joi's clock is the real one: what becomes of
//! days in which joi speaks up by itself is shown by `joi impulse simulate`.

mod day;
mod report;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::Context as _;
use fastrand::Rng;
use joi::cli::context::CliContext;
use joi::cli::show::{self, Tone};
use joi::cli::wake::voices::Voices;
use joi_audio::RATE;
use joi_base::machine;

use self::day::{Day, Scene};
use self::report::{Held, HourOfSoak, SoakReport};

const EXAMPLES: &str = "\
Examples:
  joi-bench soak                        24 hours of sound; the exit status tells whether it went well
  joi-bench soak --minutes 120 --every 30 --seed 7
  joi-bench soak --json > soak.json";

/// How often is looked whether the program listens.
const KNOCK_EVERY: Duration = Duration::from_millis(50);
/// What a long utterance took is given back after five seconds without work: memory is counted behind that, since in a day
/// that is played some hundred times as fast there is hardly ever so long a pause.
const REST: Duration = Duration::from_secs(7);
/// The last turn may take so long.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SoakArgs {
    /// Minutes of sound
    #[arg(long, value_name = "N", default_value_t = 24 * 60, value_parser = clap::value_parser!(u32).range(2..=60_000))]
    minutes: u32,
    /// Minutes after which it is counted each time
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=600))]
    every: u32,
    /// The same seed makes the same day
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The wake phrase
    #[arg(long, default_value = "hey jarvis")]
    phrase: String,
    /// The program `joi`; without it the one beside this program
    #[arg(long, value_name = "FILE")]
    joi: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SoakArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let scratch = tempfile::tempdir().context("no folder for the pipe")?;
    let mut voices = Voices::open(context)?;
    for remark in voices.remarks() {
        show::remark(remark);
    }
    let mut day = Day::new(&mut voices, Rng::with_seed(args.seed), &args.phrase)?;
    let mut subject = Subject::start(args, context, scratch.path())?;
    let bar = show::progress("soak", u64::from(args.minutes));
    let mut hours = Vec::new();
    for hour in 0..args.minutes.div_ceil(args.every) {
        let minutes = args.every.min(args.minutes - hour * args.every);
        hours.push(subject.hour(&mut day, minutes)?);
        bar.inc(minutes.into());
    }
    bar.finish_and_clear();
    if let (rest, Some(last)) = (subject.end()?, hours.last_mut()) {
        last.unasked.extend(rest);
    }
    let report = SoakReport { seed: args.seed, every: args.every, hours };
    if args.json {
        show::line(serde_json::to_string_pretty(&report.json())?)?;
    } else {
        show::line(report.table())?;
    }
    let faults = report.faults();
    for fault in &faults {
        show::remark(show::coloured(Tone::Bad, fault));
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The running program, the pipe into its microphone, and its output.
struct Subject {
    program: Running,
    microphone: BufWriter<File>,
    lines: Receiver<String>,
}

impl Subject {
    fn start(args: &SoakArgs, context: &CliContext, scratch: &Path) -> anyhow::Result<Self> {
        let pipe = scratch.join("microphone.wav");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU)
            .context("no pipe can be made")?;
        let config = scratch.join("config.toml");
        std::fs::write(&config, toml::to_string(context.config())?)?;
        let program = match &args.joi {
            Some(program) => program.clone(),
            None => std::env::current_exe()?.with_file_name("joi"),
        };
        let mut child = Command::new(program)
            // No chat model: it is not part of what is measured.
            .args(["--set", "llm.backend=ollama", "--set", "llm.url=http://127.0.0.1:9"])
            .args(["hear", "--out", "/dev/null", "--wav"])
            .arg(&pipe)
            .env("JOI_CONFIG", config)
            .env("JOI_DATA", scratch.join("data"))
            .env("JOI_RUNTIME", scratch.join("run"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("joi can't be started")?;
        let told = child.stdout.take().context("the program has an output")?;
        let mut program = Running(child);
        let (tell, lines) = channel();
        std::thread::Builder::new().name("output".into()).spawn(move || {
            for line in BufReader::new(told).lines().map_while(Result::ok) {
                // The measurement is over.
                let Ok(()) = tell.send(line) else { return };
            }
        })?;
        let mut microphone = BufWriter::new(program.opened(&pipe)?);
        microphone.write_all(&wav_header((u64::from(args.minutes) * 60 + 1) * u64::from(RATE)))?;
        Ok(Self { program, microphone, lines })
    }

    /// So many minutes of a day, and what was left behind of them.
    fn hour(&mut self, day: &mut Day<'_>, minutes: u32) -> anyhow::Result<HourOfSoak> {
        let end = minutes as usize * 60 * RATE as usize;
        let (mut heard, mut said) = (0, Vec::new());
        let before = machine::cpu_time(self.program.0.id()).unwrap_or_default();
        while heard < end {
            let scene = day.next(end - heard)?;
            heard += scene.samples.len();
            self.hear(&scene)?;
            said.extend(scene.command);
        }
        self.microphone.flush()?;
        let commands = said.len();
        // Behind a command the room was still for longer than the pipe holds.
        let unasked = unasked(self.lines.try_iter(), &mut said);
        let pid = self.program.0.id();
        std::thread::sleep(REST);
        let held = Held::of(pid).context("the program has ended; its own words: joi hear --wav")?;
        let computed = machine::cpu_time(pid).unwrap_or_default().saturating_sub(before);
        Ok(HourOfSoak { held, computed, said: commands, answered: commands - said.len(), unasked })
    }

    fn hear(&mut self, scene: &Scene) -> anyhow::Result<()> {
        for sample in &scene.samples {
            let whole = (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16;
            self.microphone
                .write_all(&whole.to_le_bytes())
                .context("the program does not listen any more")?;
        }
        Ok(())
    }

    /// The day is over; what was heard in turns of its last moments. A second of silence is kept back until then, so that the
    /// program is still there when the last hour is counted.
    fn end(self) -> anyhow::Result<Vec<String>> {
        let Self { mut program, mut microphone, lines } = self;
        microphone.write_all(&vec![0; 2 * RATE as usize])?;
        drop(microphone);
        let rest = std::iter::from_fn(|| lines.recv_timeout(ANSWER_WITHIN).ok());
        let unasked = unasked(rest, &mut Vec::new());
        let status = program.0.wait()?;
        // Its status shows whether there was a turn.
        anyhow::ensure!(status.code().is_some(), "the program ended with {status}");
        Ok(unasked)
    }
}

/// Returns the words heard in turns that nobody asked for, of what the program reported. Each of the commands that were
/// `said` asks for one turn, and is taken out.
fn unasked(lines: impl Iterator<Item = String>, said: &mut Vec<String>) -> Vec<String> {
    let mut unasked = Vec::new();
    for line in lines {
        let Some(heard) = line.strip_prefix("you: ") else { continue };
        match said.iter().position(|said| day::is_about(said, heard)) {
            Some(place) => drop(said.remove(place)),
            None => unasked.push(heard.to_owned()),
        }
    }
    unasked
}

/// A program that is ended with this.
struct Running(Child);

impl Running {
    /// The end of the pipe to write into, once the program has opened its own.
    fn opened(&mut self, pipe: &Path) -> anyhow::Result<File> {
        use rustix::fs::{Mode, OFlags};
        loop {
            match rustix::fs::open(pipe, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
                Ok(opened) => {
                    rustix::fs::fcntl_setfl(&opened, OFlags::empty())?;
                    return Ok(opened.into());
                }
                // Nobody reads it yet.
                Err(rustix::io::Errno::NXIO) => {}
                Err(error) => return Err(error).context("the pipe can't be opened"),
            }
            if let Some(status) = self.0.try_wait()? {
                anyhow::bail!("joi ended before it listened ({status}); `joi doctor` tells what is missing");
            }
            std::thread::sleep(KNOCK_EVERY);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The head of a WAV file of so many samples: 16 bits, one channel.
fn wav_header(samples: u64) -> Vec<u8> {
    let bytes = u32::try_from(samples * 2).unwrap_or(u32::MAX - 36);
    let mut head = Vec::new();
    for part in [&b"RIFF"[..], &(bytes + 36).to_le_bytes(), b"WAVEfmt ", &16_u32.to_le_bytes()] {
        head.extend_from_slice(part);
    }
    for short in [1_u16, 1] {
        head.extend_from_slice(&short.to_le_bytes());
    }
    for long in [RATE, RATE * 2] {
        head.extend_from_slice(&long.to_le_bytes());
    }
    for short in [2_u16, 16] {
        head.extend_from_slice(&short.to_le_bytes());
    }
    head.extend_from_slice(b"data");
    head.extend_from_slice(&bytes.to_le_bytes());
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_that_of_a_wav_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("two.wav");
        let sound = [wav_header(2), vec![0, 64, 0, 192]].concat();
        std::fs::write(&file, sound).unwrap();
        assert_eq!(joi_audio::read_wav(&file, RATE).unwrap(), [0.5, -0.5]);
    }

    #[test]
    fn a_command_asks_for_one_turn_and_what_else_is_heard_was_not_asked_for() {
        let mut said = vec!["what time is it".to_owned(), "set a pasta timer for twenty minutes".to_owned()];
        let lines = [
            "you: Set a pasta timer for 20 minutes.",
            "joi: Pasta timer, 20 minutes.",
            "you: The pasta timer is done. It was set for twenty minutes.",
            "you: The children were playing.",
        ];
        let heard = unasked(lines.into_iter().map(str::to_owned), &mut said);
        assert_eq!(
            heard,
            ["The pasta timer is done. It was set for twenty minutes.", "The children were playing."]
        );
        assert_eq!(said, ["what time is it"], "it was missed");
    }

    #[test]
    fn a_program_that_ends_before_it_listens_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        let mut program = Running(Command::new("false").spawn().unwrap());
        let error = program.opened(&pipe).unwrap_err().to_string();
        assert!(error.starts_with("joi ended before it listened"), "{error}");
    }
}
