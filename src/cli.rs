//! The command line, one file per command.
//!
//! Runs on the main thread; commands that wait start a Tokio runtime of their own through
//! `CliContext::block_on`. Errors end here: one sentence on stderr, and an exit code.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub mod context;
pub mod hear;
pub mod show;
pub mod wake;
mod watch;

mod agents;
mod alert;
mod ask;
mod backup;
mod bench;
mod completions;
mod config;
mod devices;
mod doctor;
mod events;
mod exit;
mod forget;
mod goals;
mod home;
mod impulse;
mod languages;
mod latency;
mod listen;
mod log;
mod man;
mod mcp;
mod memory;
mod models;
mod mute;
mod page;
mod qr;
mod restore;
mod rooms;
mod run;
mod satellite;
mod say;
mod signal;
mod slash;
mod status;
mod stoppable;
mod tasks;
mod text;
mod timers;
mod typed;
mod unseen;
mod usage;
mod why;

use self::exit::{EXIT_FAILED, EXIT_USAGE};
use crate::config::ConfigError;
use crate::control::MuteCommand;

const EXAMPLES: &str = "\
Examples:
  joi run                               talk to joi: say \"hey jarvis, what time is it?\"
  joi text                              type instead
  joi ask \"why is the sky blue?\"        one question, the answer on stdout
  joi say \"Dinner is ready.\"            speak a sentence
  joi status                            what joi is doing, and how every part of it is
  joi doctor                            what works, what does not, and what to do about it
  joi config init                       write a commented configuration file";

/// A private voice companion: say "hey jarvis", talk, and joi answers aloud.
#[derive(Debug, Parser)]
#[command(name = "joi", version, about, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    wants: context::Wants,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Talk to joi: microphone, wake word, answers aloud
    Run(run::RunArgs),
    /// Type to joi; works in a pipe
    Text(text::TextArgs),
    /// Switch the microphone off, until `joi unmute`
    #[command(after_help = mute::MUTE_EXAMPLES)]
    Mute,
    /// Switch the microphone on
    #[command(after_help = mute::UNMUTE_EXAMPLES)]
    Unmute,
    /// Switch the microphone to the other position
    #[command(after_help = mute::TOGGLE_EXAMPLES)]
    Toggle,
    /// What the running program is doing and how its parts are
    Status(status::StatusArgs),
    /// Follow what joi is doing: starting, idle, listening, thinking, speaking, muted, error
    Events(events::EventsArgs),
    /// Sign a browser in to the page: what goes on, why, memory, house, health, settings
    Page(page::PageArgs),
    /// Timers, alarms and reminders: list, add, cancel, snooze, stop what rings
    Timers(timers::TimersArgs),
    /// The agents of the configuration: what they do, talk with one, its events, its calls that wait for a yes
    Agents(agents::AgentsArgs),
    /// Goals that joi works on in the background: list, open, show, say, pause, archive
    Goals(goals::GoalsArgs),
    /// The research that goals have others do: list, show, cancel
    Tasks(tasks::TasksArgs),
    /// What calls of language models for goals came to: a table and a plot
    Usage(usage::UsageArgs),
    /// What joi watches for in the house: list, add, remove, test
    Watch(watch::WatchArgs),
    /// The house: connect openHAB, its items and rooms, send a command, watch, a house to try
    Home(home::HomeArgs),
    /// Ears and mouth of another room, for a bigger joi that thinks
    Satellite(satellite::SatelliteArgs),
    /// Satellites in other rooms: list, add, test, rename, remove
    Rooms(rooms::RoomsArgs),
    /// Tools of other programs (MCP): add servers, test them, call a tool, say what each may do
    Mcp(mcp::McpArgs),
    /// Messages over Signal: link an account, how it is, send a test, groups
    Signal(signal::SignalArgs),
    /// Alarms: try, list, acknowledge
    Alert(alert::AlertArgs),
    /// Simulate when joi would speak unasked: a month in a scripted house
    Impulse(impulse::ImpulseArgs),
    /// Ask one question, the answer goes to stdout
    Ask(ask::AskArgs),
    /// Speak a text, or write it to a WAV file
    Say(say::SayArgs),
    /// Transcribe the microphone or a WAV file
    Listen(listen::ListenArgs),
    /// A whole spoken conversation over files
    Hear(hear::HearArgs),
    /// List microphones and speakers
    Devices(devices::DevicesArgs),
    /// The languages there are, and what each of them has
    Languages(languages::LanguagesArgs),
    /// List, fetch and verify models
    Models(models::ModelsArgs),
    /// Check microphone, speaker, models, model server, disk, memory and clock
    Doctor(doctor::DoctorArgs),
    /// Show, check or write the configuration
    Config(config::ConfigArgs),
    /// The last turn: what was heard, every decision and its reason, milliseconds per stage
    Why(why::WhyArgs),
    /// The wake phrases: list, add, remove, test
    #[command(subcommand, after_help = wake::EXAMPLES)]
    Wake(wake::WakeCommand),
    /// How fast whole turns are over given WAV files, and what this machine can do
    #[command(subcommand, after_help = bench::EXAMPLES)]
    Bench(bench::BenchCommand),
    /// What joi remembers: list, search, show, add, forget, export, import
    Memory(memory::MemoryArgs),
    /// Erase all stored dialogue and everything joi remembers
    Forget(forget::ForgetArgs),
    /// The text of a PDF from stdin to stdout, within limits: what `joi memory add` starts for one
    #[cfg(feature = "pdf")]
    #[command(hide = true)]
    ReadPdf,
    /// Everything that can't be made or fetched again, in one file
    Backup(backup::BackupArgs),
    /// Bring a backup back, here or on another machine
    Restore(restore::RestoreArgs),
    /// The samples of a voice message from stdin to stdout, within limits: what the running program starts for one
    #[command(hide = true)]
    ReadVoice,
    /// Write the manual pages of all commands into a directory: what a package starts when it is built
    #[command(hide = true)]
    ManPages {
        /// Which directory; it must exist
        directory: std::path::PathBuf,
    },
    /// Print a completion script for your shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// Parses the command line, runs the command, and prints its error.
pub fn main() -> ExitCode {
    // SAFETY: nothing has started a thread yet.
    unsafe {
        joi_speak::refuse_telemetry();
        #[cfg(feature = "pulseaudio")]
        joi_audio::pulse_server::set_for_client();
    }
    joi_base::machine::give_back_memory();
    joi_base::machine::ignore_buttons();
    let cli = Cli::parse();
    keep_files_private(&cli.command);
    exit_code(dispatch(cli))
}

/// Prints an error in one sentence on stderr, and returns the exit code.
pub fn exit_code(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            show::error(&error);
            ExitCode::from(if error.is::<ConfigError>() { EXIT_USAGE } else { EXIT_FAILED })
        }
    }
}

/// Files that this process makes are for its user alone: exports, recordings, spoken answers. Models are no secret, nor
/// is a new configuration; an administrator may write both for a service with a user of its own.
fn keep_files_private(command: &Command) {
    let is_for_others = match command {
        Command::Models(_) => true,
        Command::Config(_) => rustix::process::geteuid().is_root(),
        _ => false,
    };
    if !is_for_others {
        rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    }
}

/// Commands that talk to the running program, or to the stored data alone, work with a broken configuration.
fn dispatch(cli: Cli) -> anyhow::Result<ExitCode> {
    let wants = cli.wants;
    match cli.command {
        Command::Run(args) => run::run(args, &context::open(wants)?),
        Command::Mute => mute::run(MuteCommand::Mute, &context::open_anyway(wants)?),
        Command::Unmute => mute::run(MuteCommand::Unmute, &context::open_anyway(wants)?),
        Command::Toggle => mute::run(MuteCommand::Toggle, &context::open_anyway(wants)?),
        Command::Status(args) => status::run(args, &context::open_anyway(wants)?),
        Command::Events(args) => events::run(args, &context::open_anyway(wants)?),
        Command::Page(args) => page::run(args, &context::open_anyway(wants)?),
        Command::Timers(args) => timers::run(args, &context::open_anyway(wants)?),
        Command::Agents(args) => agents::run(args, &context::open_anyway(wants)?),
        Command::Goals(args) => goals::run(args, &context::open_anyway(wants)?),
        Command::Tasks(args) => tasks::run(args, &context::open_anyway(wants)?),
        Command::Usage(args) => usage::run(args, &context::open_anyway(wants)?),
        Command::Watch(args) => watch::run(args, &context::open_anyway(wants)?),
        Command::Home(args) => home::run(args, &context::open(wants)?),
        Command::Satellite(args) => satellite::run(args, &context::open(wants)?),
        Command::Rooms(args) => rooms::run(args, &context::open(wants)?),
        Command::Mcp(args) => mcp::run(args, &context::open(wants)?),
        Command::Signal(args) => signal::run(args, &context::open(wants)?),
        Command::Alert(args) => alert::run(args, &context::open_anyway(wants)?),
        Command::Impulse(args) => impulse::run(args, &context::open(wants)?),
        Command::Text(args) => text::run(args, &context::open(wants)?),
        Command::Ask(args) => ask::run(args, &context::open(wants)?),
        Command::Say(args) => say::run(args, &context::open(wants)?),
        Command::Listen(args) => listen::run(args, &context::open(wants)?),
        Command::Hear(args) => hear::run(args, &context::open(wants)?),
        Command::Devices(args) => devices::run(args, &context::open(wants)?),
        Command::Languages(args) => languages::run(args, &context::open(wants)?),
        Command::Models(args) => models::run(args, &context::open(wants)?),
        Command::Doctor(args) => doctor::run(args, &context::open_anyway(wants)?),
        Command::Config(args) => config::run(args, wants),
        Command::Why(args) => why::run(args, &context::open_anyway(wants)?),
        Command::Wake(what) => wake::run(what, &context::open(wants)?),
        Command::Bench(what) => bench::run(what, &context::open(wants)?),
        Command::Memory(args) => memory::run(args, &context::open_anyway(wants)?),
        Command::Backup(args) => backup::run(args, &context::open(wants)?),
        Command::Restore(args) => restore::run(args, wants),
        Command::Forget(args) => forget::run(args, &context::open_anyway(wants)?),
        #[cfg(feature = "pdf")]
        Command::ReadPdf => memory::document::read_for_parent(),
        Command::ReadVoice => crate::app::read_voice_for_parent(),
        Command::ManPages { directory } => man::write(&directory, <Cli as clap::CommandFactory>::command()),
        Command::Completions { shell } => {
            completions::write(shell, &mut <Cli as clap::CommandFactory>::command())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Returns whether the reader of stdout is gone: `joi why | head -1` is not a failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::{CommandFactory, Parser as _};

    use super::Cli;

    /// Returns the words of a line of a shell, as far as documents need it: quotes, and a comment at the end.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut is_quoted, mut word) = (Vec::new(), false, None::<String>);
        for sign in line.chars() {
            match sign {
                '"' => {
                    is_quoted = !is_quoted;
                    word.get_or_insert_default();
                }
                '#' if word.is_none() && !is_quoted => break,
                ' ' if !is_quoted => words.extend(word.take()),
                sign => word.get_or_insert_default().push(sign),
            }
        }
        words.extend(word);
        words
    }

    /// Returns what a line of a shell has joi do: `sudo JOI_DATA=/x joi status && …`.
    fn asked_of_joi(line: &str) -> Vec<Vec<String>> {
        let all = words(line);
        let commands = all.split(|word| ["&&", "||", "|", ";"].contains(&word.as_str()));
        let with_joi = commands.filter_map(|command| {
            let is_before = |word: &&String| ["sudo", "env"].contains(&word.as_str()) || word.contains('=');
            let at = command.iter().take_while(is_before).count();
            let is_joi = command.get(at).is_some_and(|word| word == "joi" || word == "joi-service");
            is_joi.then(|| command[at..].to_vec())
        });
        with_joi.collect()
    }

    #[test]
    fn every_command_of_the_documents_is_understood() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let docs = ["docs/user", "docs/dev"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
        let docs = docs.into_iter().flatten().map(|file| file.unwrap().path());
        let files = docs.filter(|file| file.extension().is_some_and(|it| it == "md"));
        let (mut seen, mut wrong) = (0, Vec::new());
        for file in files.chain([root.join("README.md")]) {
            let text = std::fs::read_to_string(&file).unwrap();
            let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
            for command in blocks.flat_map(str::lines).flat_map(asked_of_joi) {
                seen += 1;
                if let Err(error) = Cli::try_parse_from(&command) {
                    wrong.push(format!("{}: {command:?}: {error}", file.display()));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(seen > 40, "only {seen} commands were found");
        assert!(Cli::try_parse_from(["joi", "runs"]).is_err());
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_in_its_help() {
        let mut without = Vec::new();
        let mut open: Vec<clap::Command> = vec![Cli::command()];
        while let Some(mut command) = open.pop() {
            let name = command.get_name().to_string();
            let help = command.render_long_help().to_string();
            if !help.contains("Example") && name != "completions" && name != "help" {
                without.push(name);
            }
            open.extend(command.get_subcommands().filter(|c| c.get_subcommands().count() > 0).cloned());
        }
        for command in Cli::command().get_subcommands_mut() {
            let name = command.get_name().to_string();
            let help = command.render_long_help().to_string();
            if !help.contains("Example") && !command.is_hide_set() && name != "completions" {
                without.push(name);
            }
        }
        assert!(without.is_empty(), "no examples: {without:?}");
    }
}
