//! A model that says what the script says, when it says it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use futures_util::{Stream, stream};
use tokio::sync::watch;

use super::super::model::{ChatModel, ModelState, Served};
use super::*;
use joi_base::trace::ModelUse;
use joi_llm::{
    ChatEvent, ChatStats, DoneReason, FunctionCall, HomeData, Knowledge, Length, ModelPurpose, ModelSize,
    ServedBy, ToolCall,
};

/// One step of one answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Text(&'static str),
    Thought(&'static str),
    /// The same text again and again, without a pause or an end.
    Endless(&'static str),
    /// The same of thinking.
    Thinks(&'static str),
    /// A native call: id, tool, arguments as JSON.
    Call(&'static str, &'static str, &'static str),
    /// The server takes no tools.
    NoTools,
    /// Silence, in seconds.
    Wait(u64),
    Done,
    /// The length limit was hit.
    Cut,
    /// It took too long.
    Late,
    Passing,
    Lasting,
    /// The server fails in these words.
    Says(&'static str),
}

/// A whole answer in one piece.
pub(super) fn answers(text: &'static str) -> Vec<Step> {
    vec![Step::Text(text), Step::Done]
}

/// A plan, as a planner writes it.
pub(super) fn plans(steps: &[&str]) -> Vec<Step> {
    writes(&serde_json::json!({ "steps": steps }))
}

/// An answer of JSON.
pub(super) fn writes(value: &serde_json::Value) -> Vec<Step> {
    vec![Step::Text(value.to_string().leak()), Step::Done]
}

/// What a model without a script answers.
pub(super) type Rule = Box<dyn Fn(&Ask) -> Vec<Step> + Send + Sync>;

pub(super) struct Scripted {
    script: Mutex<VecDeque<Vec<Step>>>,
    rule: Mutex<Option<Rule>>,
    asked: Mutex<Vec<Ask>>,
    pub(super) state: watch::Sender<ModelState>,
    /// What it must not read.
    pub(super) withheld: Mutex<Vec<HomeData>>,
    /// Serves goals.
    pub(super) of_goals: OnceLock<Box<Scripted>>,
    aborted: Arc<AtomicUsize>,
}

impl Scripted {
    pub(super) fn new(script: Vec<Vec<Step>>) -> Self {
        let (state, _) = watch::channel(ready(ModelSize::Small));
        let (rule, asked) = (Mutex::default(), Mutex::default());
        let (withheld, of_goals) = (Mutex::default(), OnceLock::new());
        let script = Mutex::new(script.into());
        Self { script, rule, asked, state, withheld, of_goals, aborted: Arc::default() }
    }

    /// What it says next, before the rest of the script.
    pub(super) fn first(&self, steps: Vec<Step>) {
        self.script.lock().unwrap().push_front(steps);
    }

    /// Answers by a rule what stands in no script.
    pub(super) fn follows(&self, rule: Rule) {
        *self.rule.lock().unwrap() = Some(rule);
    }

    /// All requests so far.
    pub(super) fn requests(&self) -> Vec<Vec<Message>> {
        self.asked.lock().unwrap().iter().map(|ask| ask.messages.clone()).collect()
    }

    /// The same with everything else that was asked for.
    pub(super) fn asks(&self) -> Vec<Ask> {
        self.asked.lock().unwrap().clone()
    }

    /// How long an answer was wanted each time.
    pub(super) fn lengths(&self) -> Vec<Length> {
        self.asked.lock().unwrap().iter().map(|ask| ask.length).collect()
    }

    /// How many answers were dropped before their end.
    pub(super) fn aborted(&self) -> usize {
        self.aborted.load(Ordering::SeqCst)
    }
}

/// The state of a model of that size that answers.
pub(super) fn ready(size: ModelSize) -> ModelState {
    let knowledge = Knowledge::Fair;
    ModelState::Ready(Served {
        model: "scripted".into(),
        size,
        knowledge,
        has_tools: None,
        by: ServedBy::Local,
    })
}

/// A small model that knows little, as the embedded one does.
pub(super) fn knows_little() -> ModelState {
    match ready(ModelSize::Small) {
        ModelState::Ready(served) => ModelState::Ready(Served { knowledge: Knowledge::Scant, ..served }),
        other => other,
    }
}

/// The end of every answer.
fn done(done_reason: DoneReason) -> ChatEvent {
    let stats = ChatStats {
        done_reason,
        eval_count: 7,
        eval_duration: Duration::from_millis(350),
        ..ChatStats::default()
    };
    ChatEvent::Done(stats)
}

/// What every answer costs.
pub(super) fn used() -> ModelUse {
    let (model, backend, purpose) = ("scripted".into(), "local".into(), "answer".into());
    ModelUse { purpose, model, backend, reply_tokens: 7, reply_ms: 350.0, ..ModelUse::default() }
}

/// The error of [`Step::Late`].
pub(super) fn late() -> LlmError {
    LlmError::TimedOut { what: "the first word of its answer", limit: Duration::from_secs(30) }
}

/// The error of [`Step::Lasting`].
pub(super) fn lacks_model() -> LlmError {
    LlmError::ModelMissing { model: "scripted".into() }
}

/// A native call.
pub(super) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    let function = FunctionCall {
        index: Some(0),
        name: name.into(),
        arguments: serde_json::from_str(arguments).unwrap(),
    };
    ToolCall { id: Some(id.into()), function }
}

/// Counts an answer that was dropped with steps left.
struct Running {
    steps: VecDeque<Step>,
    aborted: Arc<AtomicUsize>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.steps.is_empty() {
            self.aborted.fetch_add(1, Ordering::SeqCst);
        }
    }
}

async fn play(mut running: Running) -> Option<(Result<ChatEvent, LlmError>, Running)> {
    loop {
        // The front step stays until it is over: a drop in the middle of it is an abort.
        let delta = match *running.steps.front()? {
            Step::Wait(seconds) => {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                running.steps.pop_front();
                continue;
            }
            Step::Endless(text) => return Some((Ok(ChatEvent::Text(text.into())), running)),
            Step::Thinks(text) => return Some((Ok(ChatEvent::Thinking(text.into())), running)),
            Step::Text(text) => Ok(ChatEvent::Text(text.into())),
            Step::Thought(text) => Ok(ChatEvent::Thinking(text.into())),
            Step::Call(id, name, arguments) => Ok(ChatEvent::ToolCall(call(id, name, arguments))),
            Step::NoTools => Err(LlmError::NoTools { model: "scripted".into() }),
            Step::Done => Ok(done(DoneReason::Stop)),
            Step::Cut => Ok(done(DoneReason::Length)),
            Step::Late => Err(late()),
            Step::Passing => Err(LlmError::Busy),
            Step::Lasting => Err(lacks_model()),
            Step::Says(text) => Err(LlmError::Server { status: 500, text: text.into() }),
        };
        running.steps.pop_front();
        return Some((delta, running));
    }
}

impl ChatModel for Scripted {
    type Words = Pin<Box<dyn Stream<Item = Result<ChatEvent, LlmError>> + Send>>;

    fn state(&self) -> ModelState {
        self.state.borrow().clone()
    }

    async fn settled(&self) -> ModelState {
        let mut state = self.state.subscribe();
        state.wait_for(|s| *s != ModelState::Starting).await.unwrap().clone()
    }

    fn is_outside(&self) -> bool {
        !self.withheld.lock().unwrap().is_empty()
    }

    fn beside(&self, purpose: ModelPurpose) -> Option<&Self> {
        self.of_goals.get().filter(|_| purpose == ModelPurpose::Goals).map(|model| &**model)
    }

    fn withholds(&self, data: HomeData) -> bool {
        self.withheld.lock().unwrap().contains(&data)
    }

    async fn ask(&self, ask: Ask) -> Result<Self::Words, LlmError> {
        let scripted = self.script.lock().unwrap().pop_front();
        let by_rule = || self.rule.lock().unwrap().as_ref().map(|rule| rule(&ask));
        let steps = scripted.or_else(by_rule).expect("one more call than scripted");
        self.asked.lock().unwrap().push(ask);
        let running = Running { steps: steps.into(), aborted: Arc::clone(&self.aborted) };
        Ok(Box::pin(stream::unfold(running, play)))
    }
}
