//! What is remembered, within a turn: recalled for the prompt, and obeyed when somebody speaks of it.
//!
//! Runs in the task of the turn. In: what was asked, and the dialogue in the prompt. Out: a block for the head
//! of the newest message. Nothing here asks a model but the digest of what is long, and that has its own time. A
//! store that fails, hangs or is not there costs the block and never the answer.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use jiff::Zoned;
use tokio::time::timeout;

use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::{Engine, Turn, dialogue};
use crate::message::Channel;
use crate::store::{Hit, MemoryKind, Origin, Profile, Search, Store, StoreError, Vector};

mod block;
mod config;
mod digest;
#[cfg(test)]
mod quality;
pub(crate) mod question;
mod recall_gate;
mod spoken;
mod told;

pub(crate) use block::{Block, LINE_START};
pub use config::{MemoryConfig, MemoryDigest, Sources};

/// A question becomes a vector within this time, or it is looked for by its words.
const EMBED: Duration = Duration::from_millis(1_500);
/// Most entries of each kind that are read for the profile; far more than fit into it.
const PROFILE: u32 = 40;

/// What an engine holds of the memory.
#[derive(Default)]
pub(super) struct Held {
    /// The profile and the state of the store it is from.
    profile: Mutex<Option<(u64, Profile)>>,
    /// Digests, by what they are of.
    digests: Mutex<HashMap<String, Option<String>>>,
    /// What is to be forgotten, once somebody says yes.
    forgetting: Mutex<HashMap<Channel, spoken::Forgetting>>,
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

    /// Drops what was kept of one conversation.
    pub(super) fn forget_recalled(&self) {
        *self.lock(&self.memory.profile) = None;
        self.lock(&self.memory.digests).clear();
    }

    /// What is in every prompt, whatever is asked.
    pub(super) async fn warm(&self, now: &Zoned) -> Block {
        let Some(store) = self.memory_store() else { return Block::default() };
        let changes = store.profile_changes();
        let held = self.lock(&self.memory.profile).clone().filter(|(state, _)| *state == changes);
        let profile = match held {
            Some((_, profile)) => profile,
            None => match store.profile(PROFILE).await {
                Ok(profile) => {
                    *self.lock(&self.memory.profile) = Some((changes, profile.clone()));
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
        outlet: &Outlet,
    ) -> Result<Block, Unheard> {
        if past.live == 0 {
            self.forget_recalled();
        }
        let warm = self.warm(&turn.now).await;
        let Some(store) = self.memory_store().filter(|_| self.parts.memory.recall > 0) else {
            return Ok(warm);
        };
        let (wanted, topic) = super::plan::memory_step(&turn.plan);
        if !wanted {
            outlet.decided("recall", "skipped", "the plan needs no memory").await?;
            return Ok(warm);
        }
        let asked = format!("{} {}", turn.asked, topic.unwrap_or_default());
        let question = question::read(&asked, &turn.now);
        if question.is_empty() {
            return Ok(warm);
        }
        if topic.is_none() && self.is_covered(&question, past) {
            outlet.decided("recall", "skipped", "the conversation holds what is asked").await?;
            return Ok(warm);
        }
        let hits = match self.found(store, &asked, past, &turn.now).await {
            Ok(hits) => hits,
            Err(why) => {
                tracing::warn!(%why, "nothing could be recalled");
                outlet.decided("recall", "failed", why).await?;
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

    /// Whether what is in the prompt covers the question.
    fn is_covered(&self, question: &question::Question, past: &dialogue::Past) -> bool {
        if past.live == 0 {
            return false;
        }
        let rules = &self.parts.tool_rules;
        let chars = rules.carryover_per_entry_chars as usize;
        let rows = self.lock(&self.carry).rows(rules.carryover_max_turns as usize, chars);
        let results: Vec<_> = rows.iter().flat_map(|(_, messages)| messages).collect();
        let has_result = results.iter().any(|message| super::protocol::is_result(message));
        let window: Vec<&str> = past
            .messages
            .iter()
            .chain(results.iter().copied())
            .map(|message| message.content.as_str())
            .collect();
        recall_gate::is_covered(&question.words, &window, has_result)
    }

    async fn found(
        &self,
        store: &Store,
        asked: &str,
        past: &dialogue::Past,
        now: &Zoned,
    ) -> Result<Vec<Hit>, String> {
        let kinds = match self.parts.memory.sources {
            Sources::All => Vec::new(),
            Sources::Diary => vec![MemoryKind::Diary],
            Sources::Facts => vec![MemoryKind::User, MemoryKind::World, MemoryKind::Document],
        };
        let vector = timeout(EMBED, self.parts.model.embed(vec![asked.trim().to_owned()])).await;
        let vector = vector.ok().and_then(Result::ok).and_then(|embedded| {
            let value = embedded.vectors.into_iter().next()?;
            Some(Vector { model: embedded.model, value })
        });
        let told = |error: StoreError| error.to_string();
        let search = Search {
            before_message: past.oldest(),
            kinds,
            vector,
            limit: self.parts.memory.recall as usize + PROFILE as usize,
            ..memory_question(asked, now)
        };
        let has_range = search.from.is_some();
        let mut hits = store.search(search.clone()).await.map_err(told)?;
        if hits.is_empty() && has_range && !search.words.is_empty() {
            // People are often wrong about when.
            hits = store.search(Search { from: None, until: None, ..search }).await.map_err(told)?;
        }
        // What the profile shows need not be told twice; a command says nothing about the world.
        let shown = self.lock(&self.memory.profile).clone().map(|(_, profile)| block::shown(&profile));
        let shown = shown.unwrap_or_default();
        hits.retain(|hit| match hit.origin {
            Origin::Memory(id, _) => !shown.contains(&id),
            Origin::Message(_) => super::intents::match_intent(&hit.text.0).is_none(),
        });
        hits.truncate(self.parts.memory.recall as usize);
        Ok(hits)
    }
}
