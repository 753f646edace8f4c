//! State of one conversation: its open question, what was set last, which tools were called, whether a stranger's
//! words are in it.
//!
//! Belongs to the channel that holds the conversation; nothing of it is shared with another one. Turns of the same
//! conversation may overlap for a moment (one is cancelled while the next begins), so the state is behind a mutex whose
//! sections are short and hold no await. What must outlive a restart, the tool history with its taint, is kept beside
//! the dialogue under the name of the conversation.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp, Zoned};
use tokio::sync::OnceCell;

use crate::deadline::{self, in_time};
use crate::outgoing::Withheld;
use crate::prompt::head::{HeadSet, Speaking};
use crate::session::last_deed::LastDeed;
use crate::session::last_set::{Clarification, LastEntry, LastSet};
use crate::sink::ReplySink;
use caches::Caches;
use joi_answer::tool_list::ToolList;
use joi_base::message::ConversationId;
use joi_language::LanguageCode;
use joi_llm::EarlyAnswer;
use joi_llm::Message;
use joi_store::{ExchangeId, Store};
use joi_tools::WayBack;
use joi_tools::{ToolRegistry, ToolsConfig, fence};
use joi_understand::house::thread::HouseThread;
use open_question::OpenQuestion;
use tool_history::ToolHistory;

pub(crate) mod asked;
pub(crate) mod caches;
pub(crate) mod forgetting;
pub(crate) mod last_deed;
pub(crate) mod last_set;
pub(crate) mod open_question;
pub(crate) mod tool_history;

/// Calls that change something are counted over so long.
const RATE_WINDOW: SignedDuration = SignedDuration::from_secs(60);

/// A matter that was answered with care; what follows may go on with it.
#[derive(Clone)]
pub(crate) struct LastMatter {
    /// Its name.
    pub(crate) name: String,
    /// The user's question about it.
    pub(crate) query: String,
}

/// The part of a conversation that turns change.
#[derive(Default)]
pub(crate) struct SessionState {
    /// The question to the user.
    pub(crate) question: Option<OpenQuestion>,
    /// The missing part of a command, which the user was asked for.
    pub(crate) clarification: Option<Clarification>,
    /// The order that was just set: the user may go on.
    pub(crate) last_set: Option<LastSet>,
    /// The entry that was set or changed last, until the talk is about the house.
    pub(crate) last_entry: Option<LastEntry>,
    /// The last action outside of the house.
    pub(crate) last_deed: Option<LastDeed>,
    /// The talk about the house.
    pub(crate) house: HouseThread,
    /// The words of the turn before, and when: "and in Tokyo?" asks them once more.
    pub(crate) last_asked: Option<(String, Timestamp)>,
    /// For "repeat that".
    pub(crate) last_reply: Option<String>,
    /// The matter that was answered with care just before.
    pub(crate) matter: Option<LastMatter>,
    /// Calls of earlier answers, and whether the conversation is tainted.
    pub(crate) history: ToolHistory,
    /// When calls changed something.
    recent_calls: VecDeque<Timestamp>,
    /// Cached results.
    pub(crate) caches: Caches,
    /// The answer that the model begins to words that may be the next question.
    pub(crate) early_answer: Option<EarlyAnswer>,
    /// The tools and heads this conversation began with.
    heads: Option<Arc<HeadSet>>,
    /// The language spoken last.
    pub(crate) language: Option<LanguageCode>,
    /// When the newest turn began or ended.
    last_turn: Option<Timestamp>,
    /// Its words disappear where they are read: none of them is stored.
    pub(crate) is_fleeting: bool,
    /// The failure of the store was reported to the owner.
    pub(crate) is_store_failing: bool,
    /// How often something had been erased from the store when this was last looked at.
    forgotten: u64,
}

/// One conversation.
pub struct Session {
    id: ConversationId,
    state: Mutex<SessionState>,
    /// The tool history as it is stored; set once what an earlier run of the program kept is known.
    stored: OnceCell<Mutex<String>>,
}

impl Session {
    /// A conversation that has not begun.
    pub fn new(id: ConversationId) -> Self {
        Self { id, state: Mutex::default(), stored: OnceCell::new() }
    }

    /// Which one it is.
    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    /// Looks at the state, or changes it. Short: others of the same conversation wait.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut SessionState) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether a question waits for a yes at `now`.
    pub fn awaits_yes(&self, now: Timestamp) -> bool {
        let until = self.with(|state| state.question.as_ref().and_then(OpenQuestion::yes_until));
        until.is_some_and(|until| now <= until)
    }

    /// Whether the words of the turns from here on are stored at all.
    pub fn keeps_words(&self, keeps: bool) {
        self.with(|state| state.is_fleeting = !keeps);
    }

    /// What the model has begun to answer in advance is not asked.
    pub fn drop_early_answer(&self) {
        self.with(|state| state.early_answer = None);
    }

    /// Returns whether the model begins to answer in advance.
    pub fn has_early_answer(&self) -> bool {
        self.with(|state| state.early_answer.is_some())
    }

    /// Drops the open question to the user.
    pub fn drop_question(&self) {
        self.with(|state| (state.question, state.clarification) = (None, None));
    }

    /// Notes that a turn begins. After a silence longer than `window` it begins a conversation, with the newest tools.
    pub(crate) fn begin_turn(&self, now: Timestamp, window: SignedDuration) {
        self.with(|state| {
            let last = state.last_turn.replace(now);
            if last.is_none_or(|last| now.duration_since(last) > window) {
                state.heads = None;
                state.matter = None;
            }
        });
    }

    /// Notes that a turn is over.
    pub(crate) fn end_turn(&self, now: Timestamp) {
        self.with(|state| state.last_turn = Some(now));
    }

    /// The speaker went on with what was answered last: the next turn holds all of it.
    pub fn supersede(&self, now: Timestamp) {
        self.with(|state| {
            if let Some(set) = &mut state.last_set {
                set.supersede(now);
            }
            state.house.supersede(now);
        });
    }

    /// The tools and heads of the conversation: those there were when it began.
    pub(crate) fn heads(&self, registry: &ToolRegistry, who: &Speaking<'_>) -> Arc<HeadSet> {
        self.with(|state| {
            let heads = match state.heads.take() {
                Some(heads) => heads.of(who),
                None => Arc::new(HeadSet::new(registry.snapshot(), who)),
            };
            Arc::clone(state.heads.insert(heads))
        })
    }

    /// The tools on offer in the conversation.
    pub(crate) fn tools(&self, registry: &ToolRegistry, who: &Speaking<'_>) -> ToolList {
        let heads = self.heads(registry, who);
        let (profile, grown) = self.with(|state| (state.caches.profile, state.history.grown.clone()));
        let conversation = self.id.to_string();
        ToolList { toolbox: heads.of_profile(profile).toolbox().clone(), grown, conversation }
    }

    /// Takes up, once, what an earlier run of the program kept, and again whenever something was erased from the store,
    /// by this or another program. What can't be known counts as tainted.
    pub(crate) async fn restore(&self, store: Option<&Store>) {
        let Some(store) = store else { return };
        let is_new = !self.stored.initialized();
        self.stored.get_or_init(|| self.take_up(store)).await;
        let forgotten = match in_time(deadline::CALLS, store.times_forgotten()).await {
            Ok(forgotten) => forgotten,
            Err(error) => {
                tracing::warn!(%error, "whether something was erased is not known");
                return;
            }
        };
        let before = self.with(|state| std::mem::replace(&mut state.forgotten, forgotten));
        if is_new || before == forgotten {
            return;
        }
        // Rows that were erased from the store, by whichever program, must not live on here.
        self.with(|state| {
            let (recent_calls, is_fleeting) = (std::mem::take(&mut state.recent_calls), state.is_fleeting);
            *state = SessionState { forgotten, recent_calls, is_fleeting, ..SessionState::default() };
        });
        let kept = self.take_up(store).await.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(stored) = self.stored.get() {
            *stored.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        }
    }

    /// Reads the stored tool history into the state; returns it as it is stored.
    async fn take_up(&self, store: &Store) -> Mutex<String> {
        let (history, kept) = match in_time(deadline::CALLS, store.tool_history(self.id.clone())).await {
            Ok(kept) => (ToolHistory::read(kept.as_deref().unwrap_or_default()), kept.unwrap_or_default()),
            Err(error) => {
                tracing::warn!(%error, "the stored tool history can't be read");
                (ToolHistory::tainted(), String::new())
            }
        };
        self.with(|state| state.history = history);
        Mutex::new(kept)
    }

    /// Keeps the tool history beside the dialogue, where it has changed.
    pub(crate) async fn keep(&self, store: Option<&Store>) {
        let (Some(store), Some(stored)) = (store, self.stored.get()) else { return };
        let written = self.with(|state| state.history.written());
        let is_stored =
            |stored: &Mutex<String>| *stored.lock().unwrap_or_else(PoisonError::into_inner) == written;
        if is_stored(stored) {
            return;
        }
        let writing = store.set_tool_history(self.id.clone(), written.clone());
        match in_time(deadline::WRITE, writing).await {
            Ok(()) => *stored.lock().unwrap_or_else(PoisonError::into_inner) = written,
            Err(error) => tracing::warn!(%error, "the tool history is not kept over a restart"),
        }
    }

    /// Keeps what a turn called, for the prompts that follow.
    pub(crate) fn carry_over(&self, exchange: Option<ExchangeId>, sink: &mut ReplySink) {
        let rows = std::mem::take(&mut sink.rows);
        self.with(|state| match exchange {
            Some(exchange) => state.history.add(exchange, rows),
            None => {
                state.history.is_tainted |= rows.iter().any(|row| fence::is_fenced(&row.message.content));
            }
        });
    }

    /// Returns the calls of earlier answers, as far as prompts show them.
    pub(crate) fn called(&self, rules: &ToolsConfig, withheld: Withheld) -> Vec<(i64, Vec<Message>)> {
        let chars = rules.carryover_per_entry_chars as usize;
        self.with(|state| state.history.rows(rules.carryover_max_turns as usize, chars, withheld))
    }

    /// Returns how many calls changed something within the last minute.
    pub(crate) fn recent_calls(&self, now: &Zoned) -> u32 {
        let now = now.timestamp();
        self.with(|state| {
            // A clock that was set back must not make old calls count for ever, nor forget new ones.
            state.recent_calls.retain(|at| now.duration_since(*at).abs() < RATE_WINDOW);
            u32::try_from(state.recent_calls.len()).unwrap_or(u32::MAX)
        })
    }

    /// Counts a call that changes something.
    pub(crate) fn note_call(&self, now: &Zoned) {
        self.with(|state| state.recent_calls.push_back(now.timestamp()));
    }

    /// The conversation is over: drops what earlier answers called and what was worked out for them.
    pub(crate) fn forget_conversation(&self) {
        self.with(SessionState::forget_conversation);
    }
}

impl SessionState {
    /// Records an action at `now`, outside of the house; what was done in the house is no longer the last deed.
    pub(crate) fn note_deed(&mut self, back: WayBack, now: Timestamp) {
        self.house = HouseThread::default();
        self.last_deed = Some(LastDeed::new(back, now));
    }

    fn forget_conversation(&mut self) {
        self.history.end_conversation();
        self.caches = Caches::default();
        self.heads = None;
        self.matter = None;
        self.last_entry = None;
        self.house = HouseThread::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_store::Forget;

    #[tokio::test]
    async fn what_another_program_erases_is_gone_from_a_running_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        let (here, there) = (Store::open(&path).unwrap(), Store::open(&path).unwrap());
        let session = Session::new(ConversationId::console());
        session.restore(Some(&here)).await;
        session.with(|state| {
            state.last_reply = Some("Aunt Philomena is well.".into());
            state.history.is_tainted = true;
        });
        session.restore(Some(&here)).await;
        assert!(session.with(|state| state.last_reply.is_some()), "nothing was erased");
        session.keep(Some(&here)).await;
        there.forget_about("Philomena").await.unwrap();
        session.restore(Some(&here)).await;
        assert_eq!(session.with(|state| state.last_reply.clone()), None);
        assert!(session.with(|state| state.history.is_tainted), "the taint is no word of hers");
        there.forget(Forget { dialogue: true, ..Forget::default() }).await.unwrap();
        session.restore(Some(&here)).await;
        assert!(!session.with(|state| state.history.is_tainted), "the conversation is gone");
    }
}
