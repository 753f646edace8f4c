//! Carries out calls of other programs inside the running one.
//!
//! Tokio tasks; clones share one desk. In: the name of a tool and its arguments. Out: a [`CallAnswer`]. Every call passes
//! the gate of the tools as one with a stranger's words in it; that the owner has named a tool in `mcp.serve.allow` is the
//! yes which the gate wants then. What opens or locks something, and what the owner wants to be asked about, is never done
//! from here. At most [`PLACES`] calls run at once, a further one is refused. Dropping a call takes back what it has not
//! done yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use joi_answer::check::{check, estimated_tokens};
use joi_base::clock::Clock;
use joi_base::message::{ConversationId, Private};
use joi_language::Languages;
use joi_schedule::announce::{
    Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementOutcome, AnnouncementPriority, Announcer,
};
use joi_tools::gate::{self, Address, CallFacts, Consent, GateVerdict, Handed, Taint, ToolPermission, Wish};
use joi_tools::{Arguments, Call, Effect, Output, Source, Tool, Toolbox, ToolsConfig, fence, run, schema};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::catalog::{self, ServedRow, ServedWork};
use super::config::{McpServeConfig, ServedSwitch};
use super::{CallAnswer, HouseTools, ServedList, ServedTool};

/// Calls that run at once.
const PLACES: usize = 4;
/// Longest wait until a text is heard; what has not been said then is taken back.
const HEARD_WITHIN: Duration = Duration::from_secs(45);
/// The time in which calls that change something are counted.
const COUNTED: SignedDuration = SignedDuration::from_secs(60);
/// Longest text of a result, in characters.
const LONGEST: usize = 4_000;

/// A question of another program, for the task that answers questions.
#[derive(Debug)]
pub struct OutsideQuestion {
    /// Who asks: the questions of one asker are a conversation.
    pub asker: &'static str,
    /// The question.
    pub text: Private<String>,
    /// Cancelled when nobody waits for the answer any more.
    pub cancel: CancellationToken,
    /// Takes the answer.
    pub answer: oneshot::Sender<AskedAnswer>,
}

/// The answer to a question of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedAnswer {
    /// The words.
    pub text: String,
    /// Whether something was asked for that a program does not get done by asking.
    pub is_refused: bool,
}

/// The parts of a desk.
pub struct DeskParts {
    /// `[mcp.serve]`.
    pub config: McpServeConfig,
    /// `[tools]`.
    pub rules: ToolsConfig,
    /// The shipped tools.
    pub tools: Toolbox,
    /// Takes what is to be said aloud.
    pub announcer: Announcer,
    /// Takes questions; when it is full, the question is refused.
    pub questions: mpsc::Sender<OutsideQuestion>,
    /// Returns how joi is, without a word that was said.
    pub status: Box<dyn Fn() -> Value + Send + Sync>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The languages; results are in the present one.
    pub languages: Languages,
}

/// Carries out calls of other programs.
#[derive(Clone)]
pub struct ToolDesk(Arc<DeskShared>);

struct DeskShared {
    parts: DeskParts,
    places: Semaphore,
    /// When calls changed something.
    recent: Mutex<VecDeque<Timestamp>>,
}

impl HouseTools for ToolDesk {
    async fn listed(&self) -> Result<ServedList, String> {
        let mut list = ServedList::default();
        for row in catalog::ROWS.iter().filter(|row| self.0.has(row)) {
            match self.0.parts.config.switch(row) {
                ServedSwitch::On => list.tools.push(ServedTool {
                    name: row.name.to_owned(),
                    title: row.title.to_owned(),
                    description: row.description.to_owned(),
                    schema: row.schema(),
                    is_reading: row.is_reading,
                }),
                ServedSwitch::Off => list.off.push(row.name.to_owned()),
                ServedSwitch::Denied => {}
            }
        }
        Ok(list)
    }

    async fn call(&self, name: &str, arguments: Arguments) -> CallAnswer {
        let Some(row) = catalog::row(name) else {
            return CallAnswer::Unknown(name.chars().take(64).collect());
        };
        match self.0.answered(row, &arguments).await {
            Ok(text) => CallAnswer::Done(fence::cut(&text, LONGEST)),
            Err(why) => CallAnswer::Failed(why),
        }
    }
}

impl ToolDesk {
    /// Makes a desk. Nothing is started.
    pub fn new(parts: DeskParts) -> Self {
        Self(Arc::new(DeskShared { parts, places: Semaphore::new(PLACES), recent: Mutex::default() }))
    }
}

impl DeskShared {
    /// Returns whether there is what a tool needs.
    fn has(&self, row: &ServedRow) -> bool {
        match row.work {
            ServedWork::Shipped { tool, .. } => self.parts.tools.get(tool).is_some(),
            ServedWork::Say | ServedWork::Ask | ServedWork::Status => true,
        }
    }

    /// Carries out a call; or says why not.
    async fn answered(&self, row: &ServedRow, arguments: &Arguments) -> Result<String, String> {
        let name = row.name;
        match self.parts.config.switch(row) {
            ServedSwitch::On => {}
            ServedSwitch::Off => {
                return Err(format!(
                    "{name} is switched off. Joi's owner switches it on with mcp.serve.allow = [\"{name}\"] in joi's \
                     configuration, and starts joi again."
                ));
            }
            ServedSwitch::Denied => {
                return Err(format!("{name} is forbidden by mcp.serve.deny in joi's configuration."));
            }
        }
        let arguments = schema::checked(&row.schema(), arguments)
            .map_err(|fault| format!("{name} was not called: {fault} Correct the arguments."))?;
        let _place = self.places.try_acquire().map_err(|_| {
            format!("{PLACES} calls of other programs are running; call {name} again when one has ended.")
        })?;
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
        match row.work {
            ServedWork::Status => Ok((self.parts.status)().to_string()),
            ServedWork::Ask => self.ask(text).await,
            ServedWork::Say => self.say(text).await,
            ServedWork::Shipped { tool, .. } => {
                let Some(tool) = self.parts.tools.get(tool) else {
                    return Err(format!(
                        "{name} is not there: joi has no house, or tools.never forbids {tool}. `joi doctor` shows what is \
                         connected."
                    ));
                };
                self.shipped(row, &**tool, row.completed(arguments)).await
            }
        }
    }

    async fn ask(&self, text: &str) -> Result<String, String> {
        let (answer, answered) = oneshot::channel();
        let cancel = CancellationToken::new();
        // Nobody waits any more when this is dropped.
        let _cancelled = cancel.clone().drop_guard();
        let text = Private(text.to_owned());
        let question = OutsideQuestion { asker: ConversationId::HOME, text, cancel, answer };
        self.parts
            .questions
            .try_send(question)
            .map_err(|_| "Other questions are being answered; ask again in a moment.".to_owned())?;
        match answered.await {
            Ok(AskedAnswer { text, is_refused: false }) => Ok(text),
            Ok(AskedAnswer { text, is_refused: true }) => Err(format!(
                "{text}\n(Nothing is changed by asking, and another program can't say yes. What changes something has a tool \
                 of its own; joi's owner switches it on with mcp.serve.allow.)"
            )),
            Err(_) => Err("Joi is ending; ask again when it runs.".to_owned()),
        }
    }

    async fn say(&self, text: &str) -> Result<String, String> {
        let why = |why: &dyn std::fmt::Display| {
            format!("It was not said: {why}. Send one to three plain sentences without markup.")
        };
        check(text, estimated_tokens(text)).map_err(|refusal| why(&refusal))?;
        let announcer = &self.parts.announcer;
        let now = self.parts.clock.now();
        if let Some(until) = announcer.quiet_until(&now) {
            let until = until.strftime("%H:%M");
            return Err(format!("It was not said: nothing is said unasked before {until}. Call again then."));
        }
        self.permitted("say", Effect::Changes, Consent::Given)?;
        let expires = announcer.moment_after(HEARD_WITHIN);
        let new = Announcement::new(AnnouncementOrigin::Agent, AnnouncementPriority::Notice, text);
        let mut changes = announcer.changes();
        let id = announcer.announce(Announcement { expires, ..new }).await;
        let waiting = UnsaidText { announcer: announcer.clone(), id };
        let outcome = timeout(HEARD_WITHIN, async {
            loop {
                if let Some(outcome) = announcer.outcome(id) {
                    return outcome;
                }
                if changes.changed().await.is_err() {
                    return AnnouncementOutcome::Dropped;
                }
            }
        });
        let outcome = outcome.await;
        drop(waiting);
        match outcome {
            Ok(AnnouncementOutcome::Heard) => Ok("It was said aloud.".to_owned()),
            Ok(AnnouncementOutcome::CutShort | AnnouncementOutcome::Silenced) => {
                Ok("It was begun, and somebody interrupted it.".to_owned())
            }
            Ok(AnnouncementOutcome::Dropped) => {
                Err("It was not said: too much waits to be said. Call again later.".to_owned())
            }
            Ok(AnnouncementOutcome::Expired | AnnouncementOutcome::Withdrawn) | Err(_) => Err(
                "It was not said: no moment came within 45 seconds, since somebody was speaking, nobody is at home, or the \
                 loudspeaker is missing; status shows which. Call again later."
                    .to_owned(),
            ),
        }
    }

    async fn shipped(
        &self,
        row: &ServedRow,
        tool: &dyn Tool,
        arguments: Arguments,
    ) -> Result<String, String> {
        let effect = tool.effect(&arguments);
        let writes = !matches!(effect, Effect::Looks | Effect::Fetches | Effect::Ends);
        if writes && holds_secret(&arguments) {
            return Err("It was not done: secrets are not kept. Leave them out.".to_owned());
        }
        let must_ask = self.parts.rules.always_ask.iter().any(|name| name == tool.name());
        let is_allowed = writes && !must_ask;
        let consent = if is_allowed { Consent::Given } else { Consent::NotAsked };
        self.permitted(tool.name(), effect, consent)
            .map_err(|why| format!("{} was not done: {why}", row.name))?;
        let language = self.parts.languages.get();
        let now = self.parts.clock.now();
        let call = Call {
            arguments: &arguments,
            effect,
            now: &now,
            source: Source::Foreign,
            language: &language,
            conversation: "",
        };
        match run(tool, call).await {
            Ok(output) => Ok(result(output)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Asks the gate; counts the call where it may run and does more than look.
    fn permitted(&self, tool: &str, effect: Effect, consent: Consent) -> Result<(), String> {
        let now = self.parts.clock.now().timestamp();
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back must not make old calls count for ever.
        recent.retain(|at| now.duration_since(*at).abs() < COUNTED);
        let facts = CallFacts {
            tool,
            effect,
            taint: Taint::Tainted,
            address: Address::Made,
            permission: ToolPermission::Allow,
            handed: Handed::Nothing,
            wish: Wish::Act,
            consent,
            refused: false,
            lately: u32::try_from(recent.len()).unwrap_or(u32::MAX),
        };
        match gate::judge(&facts, &self.parts.rules) {
            GateVerdict::Allow => {
                if !matches!(effect, Effect::Looks | Effect::Ends) {
                    recent.push_back(now);
                }
                Ok(())
            }
            GateVerdict::Ask(why) => {
                Err(format!("{why}, and another program can't say yes. Ask the user to say it to joi."))
            }
            GateVerdict::Forbid(why) => Err(format!("{why}.")),
        }
    }
}

/// Words that wait to be said; taken back when nobody waits for the outcome any more.
struct UnsaidText {
    announcer: Announcer,
    id: AnnouncementId,
}

impl Drop for UnsaidText {
    fn drop(&mut self) {
        if self.announcer.outcome(self.id).is_none() {
            let (announcer, id) = (self.announcer.clone(), self.id);
            tokio::spawn(async move { announcer.withdraw(id).await });
        }
    }
}

/// Returns a result as text; words of strangers are marked.
fn result(output: Output) -> String {
    match output.source {
        Source::Own => output.text,
        Source::Foreign if fence::is_fenced(&output.text) => output.text,
        Source::Foreign => fence::wrap(&output.text, LONGEST),
    }
}

fn holds_secret(arguments: &Arguments) -> bool {
    let arguments = Value::Object(arguments.clone());
    joi_redact::redact_json(&arguments) != arguments || joi_redact::has_label(&arguments.to_string())
}
