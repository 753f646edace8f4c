//! The binary `joi-bench`: measurements for those who work on Joi. It is neither installed nor needed to run joi.
//!
//! Every command measures the library as `joi` uses it, with the same configuration and models, on the main thread.
//! Results go to stdout, as tables or as JSON. How fast whole turns are on one's own machine: `joi bench turns`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use joi::cli::context::{self, Wants};

mod acting;
mod bound;
mod echo;
mod everyday;
mod first_look;
mod house;
mod latency;
mod model;
mod pauses;
mod residue;
mod room;
mod soak;
mod stop;
mod trunk;
mod trust;
mod wake;
mod wishes;

const EXAMPLES: &str = "\
Examples:
  joi-bench trust                       an hour of noise, and a hundred short words
  joi-bench wake                        misses and false accepts of the first wake phrase
  joi-bench echo                        what is made of her own voice
  joi-bench stop                        how soon she falls silent when told to
  joi-bench model                       how soon the first word comes
  joi-bench trunk                       what sharing one prompt is worth
  joi-bench acting                      what typical turns cost, and whether the right tool is called
  joi-bench everyday                    what becomes of everyday questions, beside the model alone
  joi-bench first-look                  what is lost when the quickest speech model decides commands
  joi-bench pauses                      what a shorter wait for the end of a command would cut off
  joi-bench house                       what becomes of spoken commands to a house, by voice
  joi-bench latency                     how soon she is heard after the last word, through a sound server
  joi-bench wishes                      what becomes of wishes in words that no pattern serves
  joi-bench soak                        a day of sound in minutes, and what is left behind of it";

/// Measurements of Joi, over synthetic sound and fixed conversations.
#[derive(Debug, Parser)]
#[command(name = "joi-bench", version, about, after_help = EXAMPLES, max_term_width = 100)]
struct BenchCli {
    #[command(flatten)]
    wants: Wants,
    #[command(subcommand)]
    what: Measurement,
}

#[derive(Debug, Subcommand)]
enum Measurement {
    /// How often noise passes for words, and how many short words are kept
    Trust(trust::TrustArgs),
    /// How often a wake phrase is missed, and how often something else is taken for it
    Wake(wake::WakeArgs),
    /// What joi's ears make of joi's own voice in a simulated room
    Echo(echo::EchoArgs),
    /// How soon joi is silent when somebody says stop over joi, in a simulated room
    Stop(stop::StopArgs),
    /// How soon the model's first word comes: cold, with a known head, in a conversation
    Model(model::ModelArgs),
    /// How soon the first word of a follow-up comes after a plan, with a shared prompt and without
    Trunk(trunk::TrunkArgs),
    /// What ten typical turns cost the model, and how often it calls the right tool
    Acting(acting::ActingArgs),
    /// What becomes of everyday questions, through Joi and by the model alone
    Everyday(everyday::EverydayArgs),
    /// The errors when the quickest speech model decides commands that it is sure of
    FirstLook(first_look::FirstLookArgs),
    /// How often a command that goes on would be cut off, by the silence that is asked for
    Pauses(pauses::PausesArgs),
    /// What becomes of commands and questions about a house that synthetic voices say
    House(house::HouseArgs),
    /// From the last word of a command to the first sound of the answer, at the loudspeaker of a sound server
    Latency(latency::LatencyArgs),
    /// What becomes of wishes in words that no pattern serves, for joi's own tools and those of other programs
    Wishes(wishes::WishesArgs),
    /// A day of sound in minutes: memory, threads and descriptors afterwards, and turns that nobody asked for
    Soak(soak::SoakArgs),
}

fn main() -> ExitCode {
    // SAFETY: nothing has started a thread yet.
    unsafe { joi_speak::refuse_telemetry() };
    let BenchCli { wants, what } = BenchCli::parse();
    joi::cli::exit_code(run(&what, wants))
}

fn run(what: &Measurement, wants: Wants) -> anyhow::Result<ExitCode> {
    let context = context::open(wants)?;
    match what {
        Measurement::Trust(args) => trust::run(args, &context),
        Measurement::Wake(args) => wake::run(args, &context),
        Measurement::Echo(args) => echo::run(args, &context),
        Measurement::Stop(args) => stop::run(args, &context),
        Measurement::Model(args) => model::run(args, &context),
        Measurement::Trunk(args) => trunk::run(args, &context),
        Measurement::Acting(args) => acting::run(args, &context),
        Measurement::Everyday(args) => everyday::run(args, &context),
        Measurement::FirstLook(args) => first_look::run(args, &context),
        Measurement::Pauses(args) => pauses::run(args, &context),
        Measurement::House(args) => house::run(args, &context),
        Measurement::Latency(args) => latency::run(args, &context),
        Measurement::Wishes(args) => wishes::run(args, &context),
        Measurement::Soak(args) => soak::run(args, &context),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::BenchCli;

    #[test]
    fn the_command_line_is_well_formed_and_every_command_shows_examples() {
        BenchCli::command().debug_assert();
        for command in BenchCli::command().get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            assert!(help.contains("Example") || command.get_name() == "help", "{}", command.get_name());
        }
    }
}
