//! `joi-model`: a GGUF chat model, an embedding model, or both behind Ollama's HTTP API, on this machine only.
//!
//! ```text
//!  client ─► serve ─► api (guard ─► request ─► options) ─► engine queue
//!                                                              ▼
//!  client ◄─ stream of JSON lines ◄─ text ◄─ tokens ◄─ loaded model ◄─ window ◄─ template
//!  client ◄─ embeddings ◄─ encoder ◄─ tokens (a thread of its own)
//! ```
//! A program of its own, because llama.cpp and whisper.cpp must never be linked together, and so that a crash
//! or a shortage of memory in here does not affect the voice. Prints one line on standard output when it is
//! ready (`ready URL`), and errors as one sentence on standard error. Exit code: 0 ended on request, 1
//! failed, 2 wrong command line, 3 the model can't be used, 4 too little memory for it.

mod api;
mod cli;
mod embeddings;
mod engine;
mod facts;
mod grammar;
mod idle;
mod keep_alive;
mod llama;
mod man;
mod memory;
mod name;
mod options;
mod serve;
mod template;

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;
use clap::{CommandFactory as _, Parser as _};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use api::{App, ChatService};
use cli::{ChatPlan, EmbeddingModel, ServerArgs, ServerPlan, ShutdownTrigger};
use embeddings::EmbeddingService;
use engine::{Engine, SetUpError, Started};
use idle::Connections;
use serve::Bound;

/// Another model may do, or the same after it was fetched again.
const UNUSABLE_MODEL: u8 = 3;
/// A smaller model may do.
const TOO_LITTLE_MEMORY: u8 = 4;

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_env("JOI_MODEL_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        // Whoever read it may be dead: to complain about that on the same stderr would panic.
        .log_internal_errors(false)
        .init();
    let ended = match std::env::args_os().nth(1) {
        Some(first) if first == man::ASKED => print_manual(),
        _ => run(ServerArgs::parse()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("joi-model: {error:#}");
            match error.downcast_ref::<SetUpError>() {
                Some(shortage) if shortage.is_shortage() => ExitCode::from(TOO_LITTLE_MEMORY),
                Some(_) => ExitCode::from(UNUSABLE_MODEL),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn print_manual() -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(&man::page(ServerArgs::command())?)?)
}

fn run(args: ServerArgs) -> anyhow::Result<()> {
    let plan = args.plan(std::env::var("JOI_MODEL_TOKEN").ok())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the operating system gives no threads")?;
    let threads = runtime.block_on(serve(plan))?;
    // Cancels the requests that are still open, and with them the engine's work.
    runtime.shutdown_timeout(Duration::from_secs(1));
    // llama.cpp must not compute while the process exits.
    let join =
        |thread: JoinHandle<()>| thread.join().map_err(|_| anyhow::anyhow!("a model's thread panicked"));
    threads.into_iter().try_for_each(join)
}

async fn serve(plan: ServerPlan) -> anyhow::Result<Vec<JoinHandle<()>>> {
    let end = CancellationToken::new();
    let dismissed = CancellationToken::new();
    match plan.leash {
        ShutdownTrigger::None => {}
        ShutdownTrigger::Stdin => end_with_stdin(end.clone())?,
        ShutdownTrigger::Idle(_) => {
            // A session of its own: the terminal's end and its Ctrl-C are not for this server.
            let _ = rustix::process::setsid();
            tokio::spawn(dismissal(dismissed.clone())?);
        }
    }
    let bound = Bound::bind(&plan.place).await?;
    let mut threads = Vec::new();
    let chat = match plan.chat {
        Some(ChatPlan { name, engine }) => {
            let Started { engine, facts, thread } = Engine::start(engine).await?;
            threads.push(thread);
            Some(ChatService { engine, facts, name })
        }
        None => None,
    };
    let vectors = match plan.vectors {
        Some(EmbeddingModel { path, name }) => match EmbeddingService::start(&path, plan.queue).await {
            Ok((vectors, thread)) => {
                threads.push(thread);
                Some((name, vectors))
            }
            // Chat does not depend on it.
            Err(error) if chat.is_some() => {
                tracing::error!("embeddings are unavailable: {error:#}");
                None
            }
            Err(error) => return Err(error),
        },
        None => None,
    };
    let url = bound.url();
    tracing::info!(url, "ready");
    writeln!(std::io::stdout(), "ready {url}").context("nobody reads standard output")?;
    let engine = chat.as_ref().map(|chat| chat.engine.clone());
    tokio::spawn(close_at_the_end(engine, signals()?, end.clone()));
    let router = api::router(App::new(chat, vectors), plan.access);
    let connections = Connections::default();
    if let (ShutdownTrigger::Idle(limit), Some(address)) = (plan.leash, bound.address()) {
        let (connections, end) = (connections.clone(), end.clone());
        tokio::spawn(async move {
            connections.idle(limit, &dismissed, || address.is_there()).await;
            end.cancel();
        });
    }
    bound.serve(router, connections, end).await?;
    Ok(threads)
}

/// Ends the server for whichever reason comes first, and cancels open requests.
async fn close_at_the_end(engine: Option<Engine>, signals: impl Future<Output = ()>, end: CancellationToken) {
    let ended = async {
        match &engine {
            Some(engine) => engine.ended().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = signals => tracing::info!("stopped by a signal"),
        () = end.cancelled() => tracing::info!("nobody needs it any more"),
        () = ended => tracing::error!("the engine has ended unexpectedly"),
    }
    if let Some(engine) = engine {
        engine.close();
    }
    end.cancel();
}

fn signals() -> anyhow::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate()).context("no signals can be received")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("no signals can be received")?;
    Ok(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    })
}

/// Another server has taken the place of this one: SIGUSR1.
fn dismissal(dismissed: CancellationToken) -> anyhow::Result<impl Future<Output = ()>> {
    let mut usr1 = signal(SignalKind::user_defined1()).context("no signals can be received")?;
    Ok(async move {
        if usr1.recv().await.is_some() {
            dismissed.cancel();
        }
    })
}

/// Reading can't be cancelled, so this thread is abandoned when the program ends otherwise.
fn end_with_stdin(end: CancellationToken) -> anyhow::Result<()> {
    std::thread::Builder::new().name("leash".to_owned()).spawn(move || {
        let mut ignored = [0; 256];
        while matches!(std::io::stdin().read(&mut ignored), Ok(n) if n > 0) {}
        end.cancel();
    })?;
    Ok(())
}
