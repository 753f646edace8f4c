//! A model that says what the script says, when it says it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{Stream, stream};
use tokio::sync::watch;

use super::super::model::{ChatModel, Delta, Fault, Length, Message, ModelSize, ModelState, Room, Speaker};
use super::*;
use crate::trace::ModelUse;

/// One step of one answer.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Text(&'static str),
    /// Silence, in seconds.
    Wait(u64),
    Done,
    /// The length limit was hit.
    Cut,
    Passing,
    Lasting,
}

/// A whole answer in one piece.
pub(super) fn answers(text: &'static str) -> Vec<Step> {
    vec![Step::Text(text), Step::Done]
}

pub(super) struct Scripted {
    script: Mutex<VecDeque<Vec<Step>>>,
    asked: Mutex<Vec<(Length, Vec<(Speaker, String)>)>>,
    pub(super) state: watch::Sender<ModelState>,
    aborted: Arc<AtomicUsize>,
}

impl Scripted {
    pub(super) fn new(script: Vec<Vec<Step>>) -> Self {
        let (state, _) = watch::channel(ModelState::Ready(ModelSize::Small));
        Self { script: Mutex::new(script.into()), asked: Mutex::default(), state, aborted: Arc::default() }
    }

    /// All whole-reply requests so far.
    pub(super) fn requests(&self) -> Vec<Vec<(Speaker, String)>> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(length, _)| *length == Length::Reply).map(|(_, m)| m.clone()).collect()
    }

    /// All read-ahead requests so far.
    pub(super) fn read_ahead(&self) -> Vec<Vec<(Speaker, String)>> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(length, _)| *length == Length::ReadAhead).map(|(_, m)| m.clone()).collect()
    }

    /// How many answers were dropped before their end.
    pub(super) fn aborted(&self) -> usize {
        self.aborted.load(Ordering::SeqCst)
    }
}

/// What the model reports at the end of every answer.
pub(super) fn used() -> ModelUse {
    ModelUse { model: "scripted".into(), backend: "local".into(), reply_tokens: 7, ..ModelUse::default() }
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

async fn play(mut running: Running) -> Option<(Result<Delta, Fault>, Running)> {
    loop {
        // The front step stays until it is over: a drop in the middle of it is an abort.
        let delta = match running.steps.front()?.clone() {
            Step::Wait(seconds) => {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                running.steps.pop_front();
                continue;
            }
            Step::Text(text) => Ok(Delta::Text(text.into())),
            Step::Done => Ok(Delta::Done { cut: false, used: used() }),
            Step::Cut => Ok(Delta::Done { cut: true, used: used() }),
            Step::Passing => Err(Fault::Passing("the server hiccuped".into())),
            Step::Lasting => Err(Fault::Lasting("no such model; fetch one".into())),
        };
        running.steps.pop_front();
        return Some((delta, running));
    }
}

impl ChatModel for Scripted {
    type Words = Pin<Box<dyn Stream<Item = Result<Delta, Fault>> + Send>>;

    fn state(&self) -> ModelState {
        self.state.borrow().clone()
    }

    async fn settled(&self) -> ModelState {
        let mut state = self.state.subscribe();
        state.wait_for(|s| *s != ModelState::Starting).await.unwrap().clone()
    }

    fn room(&self) -> Room {
        ROOM
    }

    async fn ask(&self, messages: Vec<Message>, length: Length) -> Result<Self::Words, Fault> {
        let seen = messages.into_iter().map(|m| (m.from, m.text)).collect();
        self.asked.lock().unwrap().push((length, seen));
        let steps = match length {
            Length::Reply => self.script.lock().unwrap().pop_front().expect("one more call than scripted"),
            Length::ReadAhead => vec![Step::Cut],
        };
        let running = Running { steps: steps.into(), aborted: Arc::clone(&self.aborted) };
        Ok(Box::pin(stream::unfold(running, play)))
    }
}
