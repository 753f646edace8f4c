//! The command line: its arguments and their validation. PURE except for reading the token file.

use std::net::SocketAddr;
use std::num::{NonZeroU16, NonZeroU32};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Parser};

use crate::api::{AuthPolicy, BearerToken};
use crate::engine::EngineConfig;
use crate::name::{InvalidName, Name};

/// Serves a GGUF chat model, one for vectors, or both over Ollama's HTTP API, on this machine only.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, group(ArgGroup::new("where").required(true).args(["socket", "listen"])))]
#[command(after_help = "Examples:\n  \
    joi-model --model qwen.gguf --socket /run/user/1000/joi/model.sock\n  \
    joi-model --model qwen.gguf --listen 127.0.0.1:11434 --open\n  \
    joi-model --embed-model minilm.gguf --socket /run/user/1000/joi/vectors.sock\n  \
    JOI_MODEL_TOKEN=… joi-model --model qwen.gguf --listen 127.0.0.1:0")]
pub(crate) struct ServerArgs {
    /// The chat model's file
    #[arg(long, value_name = "FILE.gguf", required_unless_present = "embed_model")]
    model: Option<PathBuf>,
    /// What the chat model is called, for example qwen2.5-coder:0.5b [default: after the file]
    #[arg(long, value_parser = parse_name, requires = "model")]
    name: Option<Name>,
    /// A model file that makes embeddings of texts (/api/embed)
    #[arg(long, value_name = "FILE.gguf")]
    embed_model: Option<PathBuf>,
    /// What that model is called, for example all-minilm [default: after the file]
    #[arg(long, value_parser = parse_name, requires = "embed_model")]
    embed_name: Option<Name>,
    /// Listen on a unix socket that only its owner can use
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Listen on a loopback address; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// File with the bearer token that requests to the port must carry [or: env JOI_MODEL_TOKEN]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["socket", "open"])]
    token_file: Option<PathBuf>,
    /// Let every program of this machine use the port, without a token
    #[arg(long, conflicts_with = "socket")]
    open: bool,
    /// Threads for the model [default: one less than there are cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroU16>,
    /// Threads for the first tokens of a reply, for which somebody waits [default: as --threads]
    #[arg(long, value_name = "N")]
    first_threads: Option<NonZeroU16>,
    /// Context window in tokens, unless a request says otherwise
    #[arg(long, value_name = "TOKENS", default_value = "4096")]
    ctx: NonZeroU32,
    /// Requests that may wait for their turn; one more gets the answer that the server is busy
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=512))]
    queue: u16,
    /// End when standard input ends: with the program that started this one
    #[arg(long)]
    parent_stdin: bool,
    /// Outlive the program and the terminal that started this one, and end when nobody has been connected for so long
    #[arg(long, value_name = "SECONDS", conflicts_with_all = ["parent_stdin", "listen"])]
    idle_exit: Option<NonZeroU32>,
}

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListenAddress {
    /// A unix socket.
    Socket(PathBuf),
    /// A loopback port.
    Port(SocketAddr),
}

/// The embedding model.
#[derive(Debug, Clone)]
pub(crate) struct EmbeddingModel {
    /// The GGUF file.
    pub(crate) path: PathBuf,
    /// Its name.
    pub(crate) name: Name,
}

/// The chat model.
#[derive(Debug, Clone)]
pub(crate) struct ChatPlan {
    /// Its name.
    pub(crate) name: Name,
    /// How it is run.
    pub(crate) engine: EngineConfig,
}

/// How the program can be ended, besides signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShutdownTrigger {
    /// Only by signals.
    None,
    /// Standard input ends.
    Stdin,
    /// Nobody has been connected for so long.
    Idle(Duration),
}

/// The validated command line.
#[derive(Debug)]
pub(crate) struct ServerPlan {
    pub(crate) place: ListenAddress,
    pub(crate) access: AuthPolicy,
    /// At least one of the two is there.
    pub(crate) chat: Option<ChatPlan>,
    pub(crate) vectors: Option<EmbeddingModel>,
    /// Requests that may wait for each of them.
    pub(crate) queue: usize,
    pub(crate) leash: ShutdownTrigger,
}

/// Arguments that contradict each other.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// An address that other machines can reach.
    #[error("{0} is not a loopback address: use 127.0.0.1 or [::1], other machines must not reach the model")]
    NotLoopback(SocketAddr),
    /// A port without authentication.
    #[error(
        "a port needs a token (--token-file FILE, or JOI_MODEL_TOKEN), or --open to let every program of this \
         machine use it"
    )]
    Unguarded,
    /// The token's file.
    #[error("the token file {path} can't be read ({source})")]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An empty token.
    #[error("the token is empty: put at least one character into it")]
    EmptyToken,
    /// Two models with the same name.
    #[error("both models are called {0}: give one of them another name with --name or --embed-name")]
    SameName(Name),
    /// Neither socket nor port.
    #[error("say where to listen: --socket PATH or --listen ADDRESS:PORT")]
    Nowhere,
}

impl ServerArgs {
    /// Validates it; `secret` is the token from the environment.
    pub(crate) fn plan(self, secret: Option<String>) -> Result<ServerPlan, CliError> {
        let (place, access) = match (&self.socket, self.listen) {
            (Some(path), _) => (ListenAddress::Socket(path.clone()), AuthPolicy::Socket),
            (None, Some(address)) => (ListenAddress::Port(address), self.port_access(address, secret)?),
            (None, None) => return Err(CliError::Nowhere),
        };
        let queue = usize::from(self.queue);
        let threads = self.threads.map_or_else(spare_one_core, NonZeroU16::get);
        let chat = self.model.map(|model| ChatPlan {
            name: self.name.unwrap_or_else(|| Name::of_file(&model)),
            engine: EngineConfig {
                model,
                num_ctx: self.ctx.get(),
                threads,
                first_threads: self.first_threads.map_or(threads, NonZeroU16::get),
                queue,
            },
        });
        let vectors = self.embed_model.map(|path| {
            let name = self.embed_name.unwrap_or_else(|| Name::of_file(&path));
            EmbeddingModel { path, name }
        });
        if let (Some(chat), Some(vectors)) = (&chat, &vectors)
            && chat.name == vectors.name
        {
            return Err(CliError::SameName(chat.name.clone()));
        }
        let leash = match self.idle_exit {
            Some(seconds) => ShutdownTrigger::Idle(Duration::from_secs(seconds.get().into())),
            None if self.parent_stdin => ShutdownTrigger::Stdin,
            None => ShutdownTrigger::None,
        };
        Ok(ServerPlan { place, access, chat, vectors, queue, leash })
    }

    fn port_access(&self, address: SocketAddr, secret: Option<String>) -> Result<AuthPolicy, CliError> {
        if !address.ip().is_loopback() {
            return Err(CliError::NotLoopback(address));
        }
        let secret = match &self.token_file {
            Some(path) => {
                let read = std::fs::read_to_string(path);
                Some(read.map_err(|source| CliError::TokenFile { path: path.clone(), source })?)
            }
            None => secret,
        };
        match secret.as_deref().map(str::trim) {
            Some("") => Err(CliError::EmptyToken),
            Some(secret) => Ok(AuthPolicy::Bearer(BearerToken::new(secret))),
            None if self.open => Ok(AuthPolicy::Open),
            None => Err(CliError::Unguarded),
        }
    }
}

fn parse_name(text: &str) -> Result<Name, InvalidName> {
    Name::parse(text)
}

/// llama.cpp's threads wait for each other by spinning: one that is preempted by the audio threads delays all
/// others.
fn spare_one_core() -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u16::try_from(cores.saturating_sub(1).max(1)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(args: &[&str], secret: Option<&str>) -> Result<(ListenAddress, AuthPolicy), String> {
        let all = ["joi-model", "--model", "m.gguf"].iter().chain(args);
        let args = ServerArgs::try_parse_from(all).map_err(|e| e.kind().to_string())?;
        let plan = args.plan(secret.map(str::to_owned)).map_err(|e| e.to_string())?;
        Ok((plan.place, plan.access))
    }

    #[test]
    fn a_socket_needs_no_token() {
        let socket = ListenAddress::Socket("/tmp/s".into());
        assert_eq!(plan(&["--socket", "/tmp/s"], Some("x")), Ok((socket, AuthPolicy::Socket)));
    }

    #[test]
    fn a_port_is_guarded_or_open_on_purpose() {
        let port = || ListenAddress::Port("127.0.0.1:80".parse().unwrap());
        let listen = ["--listen", "127.0.0.1:80"];
        assert_eq!(plan(&listen, Some("x\n")), Ok((port(), AuthPolicy::Bearer(BearerToken::new("x")))));
        assert_eq!(plan(&["--listen", "127.0.0.1:80", "--open"], None), Ok((port(), AuthPolicy::Open)));
        assert_eq!(plan(&listen, None), Err(CliError::Unguarded.to_string()));
        assert_eq!(plan(&listen, Some(" ")), Err(CliError::EmptyToken.to_string()));
    }

    #[test]
    fn other_machines_stay_out_whatever_is_said() {
        let error = plan(&["--listen", "0.0.0.0:80", "--open"], Some("x")).unwrap_err();
        assert!(error.starts_with("0.0.0.0:80 is not a loopback address"), "{error}");
    }

    #[test]
    fn only_a_server_that_can_be_found_again_outlives_its_starter() {
        assert!(plan(&["--socket", "/s", "--idle-exit", "300"], None).is_ok());
        assert!(plan(&["--socket", "/s", "--idle-exit", "0"], None).is_err());
        assert!(plan(&["--socket", "/s", "--idle-exit", "300", "--parent-stdin"], None).is_err());
        assert!(plan(&["--listen", "127.0.0.1:1", "--open", "--idle-exit", "300"], None).is_err());
    }

    #[test]
    fn the_first_tokens_get_as_many_threads_as_all_others_unless_more_are_given() {
        let threads = |args: &[&str]| {
            let all = ["joi-model", "--socket", "/s", "--model", "m.gguf"].iter().chain(args);
            let engine = ServerArgs::try_parse_from(all).unwrap().plan(None).unwrap().chat.unwrap().engine;
            (engine.threads, engine.first_threads)
        };
        assert_eq!(threads(&["--threads", "3"]), (3, 3));
        assert_eq!(threads(&["--threads", "1", "--first-threads", "2"]), (1, 2));
    }

    #[test]
    fn either_model_is_enough_and_none_is_not() {
        let models = |args: &[&str]| {
            let all = ["joi-model", "--socket", "/s"].iter().chain(args);
            let plan = ServerArgs::try_parse_from(all).map_err(|e| e.to_string())?.plan(None);
            plan.map(|plan| (plan.chat.is_some(), plan.vectors.is_some())).map_err(|e| e.to_string())
        };
        assert_eq!(models(&["--model", "c.gguf"]), Ok((true, false)));
        assert_eq!(models(&["--embed-model", "v.gguf"]), Ok((false, true)));
        assert_eq!(models(&["--model", "c.gguf", "--embed-model", "v.gguf"]), Ok((true, true)));
        assert!(models(&[]).unwrap_err().contains("--model"));
        assert!(models(&["--embed-model", "v.gguf", "--name", "c"]).unwrap_err().contains("--model"));
        let same = models(&["--model", "a/m.gguf", "--embed-model", "b/m.gguf"]).unwrap_err();
        assert!(same.starts_with("both models are called m"), "{same}");
    }

    #[test]
    fn exactly_one_place_is_needed() {
        assert!(plan(&[], None).is_err());
        assert!(plan(&["--socket", "/s", "--listen", "127.0.0.1:1"], None).is_err());
    }
}
