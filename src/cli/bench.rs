//! `joi bench`: how fast she answers, and how well she tells words from noise.

use std::process::ExitCode;

use super::session::Session;

mod acting;
pub(in crate::cli) mod bound;
mod echo;
mod model;
mod residue;
mod room;
mod stop;
mod trunk;
pub(in crate::cli) mod trust;
mod turns;

pub(super) const EXAMPLES: &str = "\
Examples:
  joi bench turns questions/*.wav       latency of whole turns
  joi bench trust                       an hour of noise, and a hundred short words
  joi bench echo                        what her ears make of her own voice
  joi bench stop                        how soon she falls silent when told to
  joi bench model                       how soon the first word comes
  joi bench trunk                       what sharing one prompt is worth
  joi bench acting                      what typical turns cost, and whether the right tool is called";

#[derive(Debug, clap::Subcommand)]
pub(crate) enum What {
    /// Latency of whole turns over given WAV files
    Turns(turns::Args),
    /// How often noise passes for words, and how many short words are kept
    Trust(trust::Args),
    /// What her ears make of her own voice in a simulated room
    Echo(echo::Args),
    /// How soon she is silent when somebody says stop over her, in a simulated room
    Stop(stop::Args),
    /// How soon the model's first word comes: cold, with a known head, in a conversation
    Model(model::Args),
    /// How soon the first word of a follow-up comes after a plan, with a shared prompt and without
    Trunk(trunk::Args),
    /// What ten typical turns cost the model, and how often it calls the right tool
    Acting(acting::Args),
}

pub(crate) fn run(what: What, session: &Session) -> anyhow::Result<ExitCode> {
    match what {
        What::Turns(args) => turns::run(args, session),
        What::Trust(args) => trust::run(&args, session),
        What::Echo(args) => echo::run(&args, session),
        What::Stop(args) => stop::run(&args, session),
        What::Model(args) => model::run(&args, session),
        What::Trunk(args) => trunk::run(&args, session),
        What::Acting(args) => acting::run(&args, session),
    }
}
