//! `joi mcp add`: makes an entry of the arguments, tries the server, stores it.
//!
//! Main thread; starts the server. A server that does not start is not stored, unless `--untested` says so.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

use super::{edit, look, trial::ServerTrial};
use crate::app::mcp;
use crate::cli::context::CliContext;
use crate::cli::show;
use joi_mcp::{ServerEntry, ServerStatus};

#[derive(Debug, clap::Args)]
pub(super) struct AddArgs {
    /// A name for the server; its letters and digits begin the names of its tools
    name: String,
    /// The address of a server over streamable HTTP, instead of a program
    #[arg(long, conflicts_with = "command")]
    url: Option<String>,
    /// An HTTP header, for example "Authorization: Bearer ${TOKEN}"; `joi mcp secret TOKEN` stores the secret
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    headers: Vec<String>,
    /// A variable of its environment; the program gets PATH, HOME, LANG and TZ besides, and nothing else
    #[arg(long = "env", value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Its working directory
    #[arg(long)]
    cwd: Option<String>,
    /// Tools that may be called without asking, by name or with *
    #[arg(long, value_name = "TOOL")]
    allow: Vec<String>,
    /// Tools that are asked about before each call
    #[arg(long, value_name = "TOOL")]
    confirm: Vec<String>,
    /// Tools that are never called
    #[arg(long, value_name = "TOOL")]
    deny: Vec<String>,
    /// Call tools that the server calls read-only without asking
    #[arg(long)]
    trusted: bool,
    /// A word that points at its tools, in any language, beside those of their names
    #[arg(long = "cue", value_name = "WORD")]
    cues: Vec<String>,
    /// Longest wait for an answer, in seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u32>,
    /// Store it without starting it
    #[arg(long)]
    untested: bool,
    /// The program and its arguments, behind --
    #[arg(last = true, value_name = "PROGRAM", required_unless_present = "url")]
    command: Vec<String>,
}

pub(super) fn run(args: &AddArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    edit::refuse_configured(&args.name, context)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let entry = entry(args, &path)?;
    let server = edit::candidate(&args.name, entry.clone(), context)?;
    if args.untested {
        return stored(args, &entry, &[], as_json, context);
    }
    let id = server.id.clone();
    let (status, took) = context.block_on(async {
        let trial = ServerTrial::start(vec![server], context).await?;
        let found = (trial.status(), trial.took);
        trial.end().await;
        Ok(found)
    })?;
    look::print(&status, took, as_json)?;
    if !status.iter().all(ServerStatus::is_up) {
        show::remark("it is not stored, since it does not work; --untested stores it all the same");
        return Ok(ExitCode::FAILURE);
    }
    let tools = status.iter().flat_map(|server| &server.tools);
    let seen = tools.map(|tool| (tool.tool.clone(), tool.fingerprint.clone()));
    mcp::mcp_approvals(&context.paths).approve(&id, seen)?;
    stored(args, &entry, &status, as_json, context)
}

/// Stores the entry, and reports that; `status` is that of the server where it was started, which is printed already.
fn stored(
    args: &AddArgs,
    entry: &ServerEntry,
    status: &[ServerStatus],
    as_json: bool,
    context: &CliContext,
) -> anyhow::Result<ExitCode> {
    let file = edit::store(&args.name, entry, context)?;
    let told = edit::reported(context);
    if !as_json {
        show::line(format!("stored in {}; {told}", file.display()))?;
        let is_asked = |server: &ServerStatus| server.tools.iter().any(|tool| tool.permission == "confirm");
        if status.iter().any(is_asked) {
            let name = &args.name;
            show::line(format!(
                "tools with \"confirm\" are asked about before each call; `joi mcp allow {name} TOOL` changes that"
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the entry that the arguments describe. A program without a folder is looked for in `path`: a service may have
/// another one.
fn entry(args: &AddArgs, path: &OsStr) -> anyhow::Result<ServerEntry> {
    let mut command = args.command.iter();
    let program = command.next().map(|program| found(program, path)).unwrap_or_default();
    let mut entry = ServerEntry {
        command: program,
        args: command.cloned().collect(),
        env: pairs(&args.env, '=', "--env")?,
        cwd: args.cwd.clone().unwrap_or_default(),
        url: args.url.clone().unwrap_or_default(),
        headers: pairs(&args.headers, ':', "--header")?,
        trusted: args.trusted,
        allow: args.allow.clone(),
        confirm: args.confirm.clone(),
        deny: args.deny.clone(),
        cues: args.cues.clone(),
        ..ServerEntry::default()
    };
    if let Some(seconds) = args.timeout {
        entry.timeout_s = seconds;
        entry.longest_s = entry.longest_s.max(seconds);
    }
    Ok(entry)
}

/// Returns the names and values of arguments with `sign` between them.
fn pairs(given: &[String], sign: char, flag: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let pair = |text: &String| match text.split_once(sign) {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(anyhow::anyhow!("{flag} {text} is not NAME{sign}VALUE")),
    };
    given.iter().map(pair).collect()
}

/// Returns the whole path of a program where it is in one of the folders of `path`, else the program as it is.
fn found(program: &str, path: &OsStr) -> String {
    if program.contains('/') {
        return program.to_owned();
    }
    let candidates = std::env::split_paths(path).map(|folder| folder.join(program));
    let found = candidates.into_iter().find(|file| is_program(file));
    found.and_then(|file| file.to_str().map(str::to_owned)).unwrap_or_else(|| program.to_owned())
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        add: AddArgs,
    }

    fn read(line: &[&str]) -> anyhow::Result<ServerEntry> {
        let line = Line::try_parse_from(std::iter::once("add").chain(line.iter().copied()))?;
        entry(&line.add, OsStr::new("/nowhere:/bin"))
    }

    #[test]
    fn a_line_becomes_an_entry_with_the_whole_path_of_its_program() {
        let line = ["t", "--env", "A=b=c", "--allow", "get_*", "--timeout", "70", "--", "sh", "-c", "--x"];
        let entry = read(&line).unwrap();
        assert_eq!((entry.command.as_str(), entry.args.join(" ")), ("/bin/sh", "-c --x".to_owned()));
        assert_eq!((entry.env["A"].as_str(), entry.allow.join(" ")), ("b=c", "get_*".to_owned()));
        assert_eq!((entry.timeout_s, entry.longest_s), (70, 70));
        assert_eq!(read(&["t", "--", "no-such-program"]).unwrap().command, "no-such-program");
        assert_eq!(read(&["t", "--", "./here"]).unwrap().command, "./here");
    }

    #[test]
    fn an_address_has_headers_and_no_program() {
        let entry = read(&["t", "--url", "http://n/mcp", "--header", "Authorization: Bearer ${T}"]).unwrap();
        assert_eq!(
            (entry.url.as_str(), entry.headers["Authorization"].as_str()),
            ("http://n/mcp", "Bearer ${T}")
        );
        assert!(read(&["t"]).is_err(), "neither");
        assert!(read(&["t", "--url", "http://n", "--", "sh"]).is_err(), "both");
        let fault = read(&["t", "--url", "http://n", "--header", "Bearer"]).unwrap_err().to_string();
        assert_eq!(fault, "--header Bearer is not NAME:VALUE");
    }
}
