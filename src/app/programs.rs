//! What joi does for other programs while it runs: answers to their questions, and the HTTP endpoint.
//!
//! Two services. In: calls from the control socket and over HTTP, which the desk of `joi-mcp` decides on, and words from
//! satellites. Out: answers. Questions are answered one after the other, those of each asker in a conversation of their own
//! of which no word is stored: they see nothing of the household's dialogue and change nothing.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use super::Brain;
use super::daemon::{Service, ServiceContext};
use super::outside::token_of;
use crate::config::Config;
use crate::control::{DeviceStatus, ServiceState, StatusBoard};
use joi_agent::model::ChatModel;
use joi_agent::{Action, ConversationStatus, Engine, Session, TurnInput};
use joi_base::message::{Channel, ConversationId, Place, Private, TurnId};
use joi_base::trace::Trace;
use joi_channels::turn::{self, Reporter};
use joi_mcp::serve::{AskedAnswer, DeskParts, OutsideQuestion, ToolDesk, http_routes};
use joi_serve::{EndpointRules, RequestTimes};
use joi_tools::Toolbox;

/// Questions that wait. When full, further ones are refused.
const QUESTIONS: usize = 2;
/// Bytes of the largest request over HTTP.
const BODY_BYTES: usize = 64 * 1024;
/// Longest answer over HTTP: a turn of the model and what waits before it.
const LONGEST_CALL: Duration = Duration::from_secs(300);

/// Returns the queue of questions from outside, and the service that answers them.
pub(super) fn questions(brain: &Brain) -> (mpsc::Sender<OutsideQuestion>, Service) {
    let (questions, asked) = mpsc::channel(QUESTIONS);
    (questions, answering(Arc::clone(&brain.engine), asked))
}

/// Makes the desk for calls of other programs and shows it on `board`; returns the service that serves it over HTTP.
pub(super) fn programs(
    config: &Config,
    brain: &Brain,
    board: &StatusBoard,
    questions: mpsc::Sender<OutsideQuestion>,
) -> Option<Service> {
    let serve = &config.mcp.serve;
    if !serve.enabled {
        return None;
    }
    let (engine, shown) = (Arc::clone(&brain.engine), board.clone());
    let desk = ToolDesk::new(DeskParts {
        config: serve.clone(),
        rules: config.tools.clone(),
        tools: shipped(&engine.parts.tools.snapshot().toolbox),
        announcer: brain.announcer.clone(),
        questions,
        status: Box::new(move || status(&shown)),
        clock: Arc::clone(&brain.clock),
        languages: brain.languages.clone(),
    });
    board.serves(desk.clone());
    serve.address().map(|address| endpoint(address, serve.token_file.clone(), desk))
}

/// Returns the tools that are part of joi: at the start of the program no server of tools has added any.
fn shipped(toolbox: &Toolbox) -> Toolbox {
    let names: Vec<String> = joi_tools::SHIPPED.iter().map(|name| (*name).to_owned()).collect();
    toolbox.clone().only(&names)
}

/// Returns the service that answers questions of other programs.
fn answering<M: ChatModel + 'static>(
    engine: Arc<Engine<M>>,
    asked: mpsc::Receiver<OutsideQuestion>,
) -> Service {
    let asked = Arc::new(Mutex::new(asked));
    let run = move |context: ServiceContext| {
        let (engine, asked) = (Arc::clone(&engine), Arc::clone(&asked));
        async move {
            let mut asked = asked.lock().await;
            let mut sessions = BTreeMap::new();
            let mut last = TurnId(0);
            // Both arms are cancel-safe.
            while let Some(question) = tokio::select! {
                () = context.stop.cancelled() => None,
                question = asked.recv() => question,
            } {
                last = TurnId(last.0 + 1);
                let OutsideQuestion { asker, text, cancel, answer } = question;
                let session = sessions.entry(asker).or_insert_with(|| fleeting(asker));
                let answered = tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    answered = answered((&engine, session), last, text, cancel) => answered,
                };
                // Whoever asked may be gone.
                let _ = answer.send(answered);
            }
            Ok(())
        }
    };
    Service::new("questions of programs", "questions of other programs are not answered", run)
}

/// Returns the conversation with an asker, of which no word is stored.
fn fleeting(asker: &str) -> Session {
    let id = ConversationId { channel: Channel::Program, place: Place::named(asker) };
    let session = Session::new(id);
    session.keeps_words(false);
    session
}

/// Answers one question.
async fn answered<M: ChatModel>(
    (engine, session): (&Engine<M>, &Session),
    id: TurnId,
    text: Private<String>,
    cancel: CancellationToken,
) -> AskedAnswer {
    let input = TurnInput { id, text, language: None, is_unsure: false };
    let trace = Trace::starting(Instant::now());
    let mut words = AnswerWords::default();
    let end = turn::run((engine, session), input, trace, &mut words, cancel).await;
    let is_held = |verdict: &str| verdict == "forbidden" || verdict == "asked";
    let was_held = end.trace.decisions.iter().any(|it| it.stage == "gate" && is_held(&it.verdict));
    let asks = matches!(end.outcome.conversation, ConversationStatus::Awaits(_));
    AskedAnswer { text: words.0.trim().to_owned(), is_refused: was_held || asks }
}

/// The words of an answer, which is read when it is complete. No action of the voice is another program's.
#[derive(Default)]
struct AnswerWords(String);

impl Reporter for AnswerWords {
    async fn words(&mut self, words: &str) {
        self.0.push_str(words);
    }
    async fn aside(&mut self, _: &str) {}
    async fn offer(&mut self, _: &str) {}
    fn notice(&mut self, _: &str) {}
    fn act(&mut self, _: Action) {}
    async fn end(&mut self) -> Option<Instant> {
        None
    }
}

/// Returns the service that serves the same desk over HTTP.
fn endpoint(address: SocketAddr, token_file: String, desk: ToolDesk) -> Service {
    let run = move |context: ServiceContext| {
        let (desk, token_file) = (desk.clone(), token_file.clone());
        async move {
            let token = token_of(&token_file)?.context("mcp.serve.token_file names no file")?;
            let listener = TcpListener::bind(address).await.with_context(|| {
                format!("cannot listen on {address} (mcp.serve.listen); choose another port")
            })?;
            let times = RequestTimes { whole: LONGEST_CALL, ..RequestTimes::default() };
            let rules = EndpointRules {
                body_bytes: BODY_BYTES,
                token: Some(token),
                times,
                ..EndpointRules::default()
            };
            let routes = http_routes(desk, context.stop.child_token());
            joi_serve::serve(listener, routes, rules, context.stop).await?;
            Ok(())
        }
    };
    Service::new("tool endpoint", "other programs are not served over HTTP", run)
}

/// Returns how joi is, for another program: no figures that only a developer reads, and no word that was said.
fn status(board: &StatusBoard) -> Value {
    let status = board.status();
    let device = |device: &DeviceStatus| match device {
        DeviceStatus::Pending => "not opened yet".to_owned(),
        DeviceStatus::Device(_) => "works".to_owned(),
        DeviceStatus::Fault(fault) => fault.clone(),
    };
    let is_down = |state: &ServiceState| !matches!(state, ServiceState::Running);
    let faults: Vec<&str> = status
        .services
        .iter()
        .filter(|row| is_down(&row.state))
        .filter_map(|row| row.degraded.as_deref())
        .collect();
    json!({
        "state": status.shown.state, "note": status.shown.note, "ready": status.ready, "muted": status.muted,
        "microphone": device(&status.microphone), "speaker": device(&status.speaker),
        "model": status.models.chat, "alarms": status.alarms, "faults": faults,
    })
}
