//! `joi devices`: microphones and speakers, with the ids that go into the configuration.

use std::process::ExitCode;

use serde_json::json;

use super::context::CliContext;
use super::show;
use joi_audio as audio;

const EXAMPLES: &str = "\
Examples:
  joi devices
  joi devices --json | jq -r '.[].id'
  joi run --set 'audio.input=[\"USB\"]'       the first microphone with USB in its name";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DevicesArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: DevicesArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let found = audio::devices(context.config().audio.host)?;
    if args.json {
        let rows: Vec<_> = found
            .iter()
            .map(|d| {
                json!({
                    "id": d.id, "name": d.name, "direction": format!("{:?}", d.direction).to_lowercase(),
                    "default": d.default, "rate": d.rate, "channels": d.channels,
                })
            })
            .collect();
        show::line(serde_json::to_string_pretty(&rows)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    anyhow::ensure!(!found.is_empty(), "there is no sound device; plug in a microphone and a speaker");
    let mut table = show::table(["", "KIND", "ID", "NAME", "RATE", "CHANNELS"]);
    for device in found {
        table.add_row([
            if device.default { "*".into() } else { String::new() },
            format!("{:?}", device.direction).to_lowercase(),
            device.id.clone(),
            device.name.clone(),
            format!("{} Hz", device.rate),
            device.channels.to_string(),
        ]);
    }
    show::line(table)?;
    show::line("\n* what \"default\" means at the moment")?;
    for choice in audio::device_choices(&context.config().audio)? {
        show::line(format!("! {choice}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
