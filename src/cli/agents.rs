//! `joi agents`: what the agents of the configuration do, talking with one, its events, deciding about its calls.
//!
//! Main thread. In: the control socket. Out: a table, an answer, or one line for each event.

use std::process::ExitCode;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::control::Client;
use joi_autonomy::agent::lines::{AgentRest, AgentRow};
use joi_autonomy::agent::news::{AgentEvent, AgentNews};

const EXAMPLES: &str = "\
Examples:
  joi agents                                what each agent does, and which calls wait for your yes
  joi agents say garage is the door closed?
  joi agents tail                           every event, for people; without the words of it
  joi agents tail --words --json | jq .
  joi agents approve garage 3               a yes to call 3 of the agent garage; deny is a no
  joi agents pause garage                   it rests, also over a restart, until: joi agents resume garage";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    action: Option<AgentsCommand>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum AgentsCommand {
    /// What each agent does, and which calls wait for a yes
    #[command(after_help = EXAMPLES)]
    List,
    /// Talk with an agent
    #[command(after_help = EXAMPLES)]
    Say {
        /// Its name
        agent: String,
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Every event of the agents, until joi ends
    #[command(after_help = EXAMPLES)]
    Tail {
        /// Also the words: what was said, why a sensor failed
        #[arg(long)]
        words: bool,
    },
    /// Say yes to a call that waits for it
    #[command(after_help = EXAMPLES)]
    Approve {
        /// The agent
        agent: String,
        /// The number of the call
        call: u32,
    },
    /// Have an agent rest until it is resumed, also over a restart
    #[command(after_help = EXAMPLES)]
    Pause {
        /// The agent
        agent: String,
    },
    /// Have an agent go on
    #[command(after_help = EXAMPLES)]
    Resume {
        /// The agent
        agent: String,
    },
    /// Say no to a call that waits for a yes
    #[command(after_help = EXAMPLES)]
    Deny {
        /// The agent
        agent: String,
        /// The number of the call
        call: u32,
    },
}

pub(crate) fn run(args: AgentsArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let mut client = Client::connect(&context.paths.runtime)?.ok_or_else(super::exit::not_running)?;
    match args.action.unwrap_or(AgentsCommand::List) {
        AgentsCommand::List => list(&client.agents()?, args.json)?,
        AgentsCommand::Say { agent, words } => show::line(client.say(&agent, &words.join(" "))?)?,
        AgentsCommand::Approve { agent, call } => client.decide(&agent, call, true)?,
        AgentsCommand::Deny { agent, call } => client.decide(&agent, call, false)?,
        AgentsCommand::Pause { agent } => client.rest(&agent, AgentRest::Pause)?,
        AgentsCommand::Resume { agent } => client.rest(&agent, AgentRest::Resume)?,
        AgentsCommand::Tail { words } => client.follow(words, |event| -> anyhow::Result<()> {
            let line = if args.json { serde_json::to_string(event)? } else { readable(event) };
            // Stdout keeps lines back when it is a pipe.
            show::line(line)?;
            show::flush()?;
            Ok(())
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(agents: &[AgentRow], json: bool) -> anyhow::Result<()> {
    if json {
        return Ok(show::line(serde_json::to_string_pretty(agents)?)?);
    }
    let mut table = show::table(["AGENT", "PACE", "DOES", "NEXT"]);
    for agent in agents {
        let next = agent.next.as_deref().map_or_else(|| "when something happens".to_owned(), local);
        table.add_row([agent.name.clone(), agent.pace.clone(), agent.doing.clone(), next]);
    }
    show::line(table)?;
    for agent in agents {
        for call in &agent.approvals {
            let mark = show::coloured(Tone::Fair, "?");
            let (name, number) = (&agent.name, call.approval);
            show::line(format!(
                "{mark} {name} would like to {}; `joi agents approve {name} {number}`",
                call.deed
            ))?;
        }
    }
    Ok(())
}

/// Returns a moment as a time of day here.
fn local(at: &str) -> String {
    at.parse::<jiff::Timestamp>().map_or_else(
        |_| at.to_owned(),
        |at| at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string(),
    )
}

/// Returns an event as a line for people.
fn readable(event: &AgentEvent) -> String {
    let (time, name) = (local(&event.at.to_string()), event.news.name().trim_start_matches("autonomy:"));
    let about = match &event.news {
        AgentNews::TurnStarted { turn } => format!("turn {turn}"),
        AgentNews::TurnCompleted { turn, end, tokens, actions } => {
            format!("turn {turn}: {end:?}, {tokens} tokens, {actions} actions").to_lowercase()
        }
        AgentNews::PrecheckSkipped { changes } => format!("{changes} changes"),
        AgentNews::GuardrailTriggered { guardrail, until } => {
            let until = until.map_or_else(|| "something happens".to_owned(), |at| local(&at.to_string()));
            format!("{guardrail:?}, asleep until {until}")
        }
        AgentNews::SensorUpdated { sensor, readings } => format!("{sensor}: {readings} readings"),
        AgentNews::NotificationPushed { name } => name.clone(),
        AgentNews::SensorError { sensor, failures, retry_s: 0 } => {
            format!("{sensor}: failure {failures}, given up")
        }
        AgentNews::SensorError { sensor, failures, retry_s } => {
            format!("{sensor}: failure {failures}, again in {retry_s} s")
        }
        AgentNews::ApprovalPending { approval, tool } => format!("call {approval}: {tool}"),
        AgentNews::ApprovalDecided { approval, tool, decision } => {
            format!("call {approval}: {tool}: {decision:?}").to_lowercase()
        }
        AgentNews::GoalRunStarted { work, run, mode } => format!("{work}: run {run}, {mode}"),
        AgentNews::GoalThink { work, calls, tokens } => format!("{work}: {calls} calls, {tokens} tokens"),
        AgentNews::GoalToolStarted { work, tool } => format!("{work}: {tool}"),
        AgentNews::GoalToolCompleted { work, tool, success } => {
            format!("{work}: {tool}, {}", if *success { "done" } else { "not done" })
        }
        AgentNews::GoalMessage { work } => format!("{work}"),
        AgentNews::GoalStatus { work, status } => format!("{work}: {status}"),
        AgentNews::GoalRunCompleted { work, run, ending } => format!("{work}: run {run}, {ending}"),
    };
    let words = event.words.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
    format!("{time} {} {name} {about}{words}", event.agent)
}
