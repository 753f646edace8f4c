//! `joi satellite`: ears and mouth of another room, for a bigger joi that thinks.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::context::CliContext;
use super::show;
use crate::app::{self, Sound, UnitSetup};
use joi_audio::{MuteSwitch, Pace};
use joi_satellites::{UnitInfo, UnitMode};

const EXAMPLES: &str = "\
Examples:
  joi satellite                               listens for the wake phrases of this machine, on port 10700
  joi satellite --name kitchen --listen 192.168.1.30:10700
  joi satellite --always                      the bigger joi listens for the phrase, and may be followed up without it
  joi rooms add kitchen kitchen.local         on the bigger machine";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SatelliteArgs {
    /// Where the bigger joi connects; anybody in the network may, and there is no password
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:10700")]
    listen: SocketAddr,
    /// Its name [default: that of this machine]
    #[arg(long)]
    name: Option<String>,
    /// Send sound all the time instead of from the wake phrase on
    #[arg(long)]
    always: bool,
    /// Don't announce it by mDNS
    #[arg(long)]
    unannounced: bool,
    /// WAV file in place of the microphone
    #[arg(long, value_name = "FILE", hide = true, requires = "output")]
    input: Option<PathBuf>,
    /// WAV file in place of the loudspeaker
    #[arg(long, value_name = "FILE", hide = true, requires = "input")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: SatelliteArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let setup = UnitSetup {
        listen: args.listen,
        name: args.name,
        mode: if args.always { UnitMode::Always } else { UnitMode::OnPhrase },
        announced: !args.unannounced,
    };
    let sound = match (args.input, args.output) {
        (Some(input), Some(output)) => Sound::Files { input, output, pace: Pace::RealTime },
        _ => Sound::Devices { mute: MuteSwitch::default() },
    };
    let listen = args.listen;
    let ready = move |info: &UnitInfo| {
        let said = info.phrases.iter().map(|phrase| format!("\"{phrase}\"")).collect::<Vec<_>>().join(", ");
        let waits =
            if said.is_empty() { "sends all the time".to_owned() } else { format!("waits for {said}") };
        show::remark(format!("{} {waits}; a bigger joi connects to {listen}; Ctrl-C ends", info.name));
    };
    context.block_on(async {
        let stop = CancellationToken::new();
        app::end_on_signal(stop.clone());
        app::serve_here((context.config(), &context.paths), setup, sound, stop, ready).await
    })?;
    Ok(ExitCode::SUCCESS)
}
