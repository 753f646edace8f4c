//! What is remembered, within a turn: recalled for the prompt, and obeyed when somebody speaks of it.
//!
//! Runs in the task of the turn. In: what was asked, what was planned, and the dialogue in the prompt. Out: a block
//! for the head of the newest message. A model may be asked what to look for, and to make shorter what is long; each
//! has its own time. A store that fails, hangs or is not there costs the block and never the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use jiff::Zoned;

use super::deadline::{self, in_time};
use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::plan::{Plan, Recall};
use super::{Engine, Turn, dialogue};
use crate::message::Channel;
use crate::store::{Hit, MemoryKind, Origin, Profile, Search, Store, StoreError};

mod block;
mod config;
mod digest;
mod extractor;
mod meaning;
mod newest;
pub(crate) mod question;
mod recall_gate;
mod spoken;
mod told;

pub(crate) use block::{Block, LINE_START};
pub use config::{Extractor, MemoryConfig, MemoryDigest, Sources};
pub(crate) use extractor::Sought;
pub use meaning::Everyday;
pub(crate) use recall_gate::Gate;

/// Most entries of each kind that are read for the profile; far more than fit into it.
const PROFILE: u32 = 40;

/// What an engine holds of the memory.
#[derive(Default)]
pub(super) struct Held {
    /// What is to be forgotten, once somebody says yes.
    forgetting: Mutex<HashMap<Channel, spoken::Forgetting>>,
    /// Everyday sentences by the model that makes vectors.
    everyday: tokio::sync::Mutex<Option<Arc<Everyday>>>,
}

/// What a question looks for in the memory at `now`, with no limit set.
pub fn memory_question(asked: &str, now: &Zoned) -> Search {
    let question = question::read(asked, now);
    Search {
        words: question.words,
        from: question.from,
        until: question.until,
        now: now.timestamp(),
        ..Search::default()
    }
}

impl<M: ChatModel> Engine<M> {
    /// The store, when anything is to be remembered.
    fn memory_store(&self) -> Option<&Store> {
        self.parts.store.as_ref().filter(|_| self.parts.memory.enabled)
    }

    /// What is in every prompt, whatever is asked.
    pub(super) async fn warm(&self, now: &Zoned) -> Block {
        let Some(store) = self.memory_store() else { return Block::default() };
        let changes = store.profile_changes();
        let held = self.lock(&self.scratch).known.clone().filter(|(state, _)| *state == changes);
        let profile = match held {
            Some((_, profile)) => profile,
            None => match in_time(deadline::KNOWN, store.profile(PROFILE)).await {
                Ok(mut profile) => {
                    profile.user = newest::holding(profile.user, |memory| (memory.at, &memory.text.0), &[]);
                    self.lock(&self.scratch).known = Some((changes, profile.clone()));
                    profile
                }
                Err(error) => {
                    tracing::warn!(%error, "what is known of the user can't be read");
                    Profile::default()
                }
            },
        };
        block::profile(&profile, now)
    }

    /// What is in the prompt of this question: the profile, and what is recalled for it.
    pub(super) async fn recalled(
        &self,
        turn: &Turn<'_>,
        past: &dialogue::Past,
        (gate, plan): (Gate, &Plan),
        outlet: &Outlet,
    ) -> Result<Block, Unheard> {
        let warm = self.warm(&turn.now).await;
        let Some(store) = self.memory_store().filter(|_| self.parts.memory.recall > 0) else {
            return Ok(warm);
        };
        let topic = match &plan.recall {
            Recall::Skip => {
                outlet.decided("recall", "skipped", "the plan needs no memory").await?;
                return Ok(warm);
            }
            Recall::AsUsual => None,
            Recall::About(topic) => Some(topic.as_str()),
        };
        if topic.is_none() && gate == Gate::Shut {
            outlet.decided("recall", "skipped", "the conversation holds what is asked").await?;
            return Ok(warm);
        }
        let sought = self.sought(turn, past, topic, outlet).await?;
        if sought.question.is_empty() {
            return Ok(warm);
        }
        let hits = match self.found(store, &sought, past, &turn.now).await {
            Ok(hits) => hits,
            Err(error) => {
                tracing::warn!(%error, "nothing could be recalled");
                outlet.decided("recall", "failed", error.to_string()).await?;
                return Ok(warm);
            }
        };
        let snippets = block::snippets(&hits, &turn.now);
        let verdict = if hits.is_empty() { "nothing" } else { "found" };
        let chars: usize =
            snippets.own.iter().chain(&snippets.documents).map(|line| line.chars().count()).sum();
        outlet.decided("recall", verdict, format!("{} entries, {chars} characters", hits.len())).await?;
        let found = self.digested_memory(turn, past, snippets, outlet).await?;
        Ok(warm.and(found))
    }

    /// Whether what is in the prompt leaves anything to be recalled.
    pub(super) fn recall_gate(&self, turn: &Turn<'_>, past: &dialogue::Past) -> Gate {
        if past.live == 0 {
            return Gate::Open;
        }
        let asked = question::read(turn.asked, &turn.now).words;
        let rows = self.carried();
        let results: Vec<_> = rows.iter().flat_map(|(_, messages)| messages).collect();
        let has_result = results.iter().any(|message| super::protocol::is_result(message));
        let window: Vec<&str> = past
            .messages
            .iter()
            .chain(results.iter().copied())
            .map(|message| message.content.as_str())
            .collect();
        match recall_gate::is_covered(&asked, &window, has_result) {
            true => Gate::Shut,
            false => Gate::Open,
        }
    }

    async fn found(
        &self,
        store: &Store,
        sought: &Sought,
        past: &dialogue::Past,
        now: &Zoned,
    ) -> Result<Vec<Hit>, StoreError> {
        let kinds = match self.parts.memory.sources {
            Sources::All => Vec::new(),
            Sources::Diary => vec![MemoryKind::Diary],
            Sources::Facts => vec![MemoryKind::User, MemoryKind::World, MemoryKind::Document],
        };
        let vector = self.meant(&sought.about).await;
        let question = sought.question.clone();
        let search = Search {
            words: question.words,
            from: question.from,
            until: question.until,
            now: now.timestamp(),
            before_message: past.oldest(),
            kinds,
            vector,
            limit: self.parts.memory.recall as usize + PROFILE as usize,
        };
        let searching = async {
            let hits = store.search(search.clone()).await?;
            if !hits.is_empty() || search.from.is_none() || search.words.is_empty() {
                return Ok(hits);
            }
            // People are often wrong about when.
            store.search(Search { from: None, until: None, ..search }).await
        };
        let hits = in_time(deadline::SEARCH, searching).await?;
        // What the profile shows need not be told twice; a command says nothing about the world.
        let known = self.lock(&self.scratch).known.as_ref().map(|(_, profile)| profile.clone());
        let profile = known.unwrap_or_default();
        let shown = block::shown(&profile);
        let of_user: Vec<_> = profile.user.iter().map(|memory| (memory.at, &*memory.text.0)).collect();
        let mut hits = newest::holding(hits, |hit| (hit.at, &hit.text.0), &of_user);
        hits.retain(|hit| match hit.origin {
            Origin::Memory(id, _) => !shown.contains(&id),
            Origin::Message(_) => super::intents::match_intent(&hit.text.0).is_none(),
        });
        hits.truncate(self.parts.memory.recall as usize);
        Ok(hits)
    }
}
