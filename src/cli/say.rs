//! `joi say`: speak a text, or write it to a WAV file.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use super::ask;
use super::context::CliContext;
use super::show;
use super::typed;
use joi_audio::{Pace, Player};

/// The rate of the file, in Hz: the voice's own.
const RATE: u32 = 22_050;

const EXAMPLES: &str = "\
Examples:
  joi say \"Dinner is ready.\"
  joi say --out hello.wav \"Good morning. It is **nine** degrees outside.\"
  fortune | joi say -";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SayArgs {
    /// The text; markdown is read as it sounds; - reads it from stdin
    #[arg(required = true)]
    text: Vec<String>,
    /// Write a WAV file instead
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: SayArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let text = match args.text.as_slice() {
        [dash] if dash == "-" => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).context("can't read the text from stdin")?;
            let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
            let texts: Vec<String> =
                lines.filter_map(|(number, line)| typed::line(line.to_vec(), number)).collect();
            texts.join("\n")
        }
        words => words.join(" "),
    };
    anyhow::ensure!(!text.trim().is_empty(), "there is nothing to say; give a text");
    context.block_on(async {
        match &args.out {
            None => ask::speak(context, &text).await?,
            Some(file) => {
                let (player, events) = Player::to_wav(file, RATE, Pace::Fast)?;
                ask::say_through(context, &text, player.clone(), events).await?;
                let length = tokio::task::spawn_blocking(move || player.finish()).await??;
                show::remark(format!("wrote {} ({:.1} s)", file.display(), length.as_secs_f64()));
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}
