//! `joi mcp`: add servers of tools, list them, try them, call a tool, say what each tool may do.
//!
//! Works on the servers themselves, whether `joi run` runs or not: a program is started for the command and ended with
//! it. A running joi is asked to read the file of servers again after each change.

mod add;
mod call;
mod edit;
mod look;
mod permit;
mod secret;
mod serve;
mod trial;

use std::process::ExitCode;

use super::context::CliContext;

const EXAMPLES: &str = "\
Examples:
  joi mcp add time -- mcp-server-time --local-timezone Europe/Berlin
  joi mcp add files --allow \"read_*\" --allow \"list_*\" -- mcp-server-filesystem /home/me/notes
  joi mcp secret HOUSE_TOKEN                  asks for it, stores it readable by you alone
  joi mcp add house --url http://nas:3001/mcp --header \"Authorization: Bearer ${HOUSE_TOKEN}\"
  joi mcp list
  joi mcp test time                           starts it, lists its tools, their sizes, and what each is allowed
  joi mcp call time get_current_time timezone=Europe/Rome
  joi mcp call files read_file '{\"path\": \"/home/me/notes/list.txt\"}'
  joi mcp allow time get_current_time         calls it without asking; --confirm asks, --deny forbids
  joi mcp allow time                          approves descriptions that have changed
  joi mcp remove time
  joi mcp serve                               what a desktop agent starts to use the running joi; --list shows the tools
  joi mcp test --json | jq '.[].tools[].name'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    what: McpCommand,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum McpCommand {
    /// Add a server, or replace one: starts it, lists its tools, and stores it when that works
    #[command(after_help = EXAMPLES)]
    Add(add::AddArgs),
    /// The servers, where each is configured, and its state in the running program
    #[command(after_help = EXAMPLES)]
    List,
    /// Start servers and list their tools, their sizes, and what each is allowed
    #[command(after_help = EXAMPLES)]
    Test {
        /// Which one [default: all]
        server: Option<String>,
    },
    /// Call a tool
    #[command(after_help = EXAMPLES)]
    Call(call::CallArgs),
    /// Remove a server from the file of servers
    #[command(after_help = EXAMPLES)]
    Remove {
        /// Its name
        server: String,
    },
    /// Say what tools may do, or approve descriptions that have changed
    #[command(after_help = EXAMPLES)]
    Allow(permit::AllowArgs),
    /// Serve the running joi to another program over stdin and stdout: say, ask, timers, lists, memory, house
    #[command(after_help = EXAMPLES)]
    Serve(serve::ServeArgs),
    /// Store a secret for ${NAME} in the entry of a server; asks for it, or reads stdin
    #[command(after_help = EXAMPLES)]
    Secret {
        /// Its name: letters, digits, _, - and .
        name: String,
    },
}

pub(crate) fn run(args: McpArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let json = args.json;
    match args.what {
        McpCommand::Add(server) => add::run(&server, json, context),
        McpCommand::List => look::list(json, context),
        McpCommand::Test { server } => look::test(server.as_deref(), json, context),
        McpCommand::Call(call) => call::run(&call, json, context),
        McpCommand::Remove { server } => edit::remove(&server, json, context),
        McpCommand::Allow(allow) => permit::run(&allow, json, context),
        McpCommand::Serve(serve) => serve::run(&serve, json, context),
        McpCommand::Secret { name } => secret::run(&name, json, context),
    }
}
