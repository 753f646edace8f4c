//! Uses the memory within a turn: recalls for the prompt, and obeys requests about the memory.
//!
//! Runs in the task of the turn. Input: what was asked, what was planned, and the dialogue in the prompt. Output: a
//! block for the head of the newest message. A model may be asked what to look for, and to make shorter what is long;
//! each has its own time. A store that fails, hangs or is not there costs the block and never the answer.

use std::sync::Arc;

use jiff::Zoned;

use crate::agent::prompt_kind::PromptKind;
use crate::agent::request::TurnRequest;
use crate::deadline::{self, in_time};
use crate::memory::coverage::Coverage;
use crate::memory::extractor::ExtractRules;
use crate::memory::recall_query::RecallQuery;
use crate::model::ChatModel;
use crate::prompt::side_query::SideQueries;
use crate::session::Session;
use crate::sink::ReceiverClosed;
use block::Block;
use joi_answer::plan::{Plan, Recall};
use joi_answer::protocol::is_result;
use joi_base::message::Origin;
use joi_store::{HitSource, MemoryHit, MemoryKind, MemoryProfile, MemoryQuery, Store, StoreError};
use joi_understand::question;
use joi_understand::reference;
use meaning::Embeddings;

pub(crate) mod block;
mod config;
pub(crate) mod coverage;
pub mod diary;
mod digest;
pub(crate) mod extractor;
mod meaning;
pub(crate) mod recall_query;
pub(crate) mod remember;
pub(crate) mod told;

pub use config::{Extractor, MemoryConfig, MemoryDigest, Sources};
pub use meaning::Everyday;

/// Most entries of each kind that are read for the profile; far more than fit into it.
const PROFILE: u32 = 40;

/// Returns what a question looks for in the memory at `now`, with no limit set.
pub fn memory_question(asked: &str, now: &Zoned) -> MemoryQuery {
    let question = question::read(asked, now);
    MemoryQuery {
        words: question.words,
        from: question.from,
        until: question.until,
        now: now.timestamp(),
        ..MemoryQuery::default()
    }
}

/// Inputs of the decision whether and how the memory is asked about a request.
#[derive(Clone, Copy)]
pub(crate) struct RecallRules<'a> {
    /// Whether the conversation covers it.
    pub(crate) coverage: Coverage,
    /// The plan for it.
    pub(crate) plan: &'a Plan,
    /// The way it becomes a query.
    pub(crate) extract: ExtractRules<'a>,
}

/// Finds what is remembered.
pub(crate) struct MemoryService<M> {
    rules: MemoryConfig,
    store: Option<Store>,
    embeddings: Embeddings<M>,
}

impl<M: ChatModel> MemoryService<M> {
    /// The memory in `store`, with embeddings of `model`.
    pub(crate) fn new(rules: MemoryConfig, store: Option<Store>, model: Arc<M>) -> Self {
        Self { rules, store, embeddings: Embeddings::new(model) }
    }

    /// The store, when anything is to be remembered.
    pub(crate) fn store(&self) -> Option<&Store> {
        self.store.as_ref().filter(|_| self.rules.enabled)
    }

    /// Returns whether anything can be recalled at all.
    pub(crate) fn can_recall(&self) -> bool {
        self.store().is_some() && self.rules.recall > 0 && !self.embeddings.is_withheld()
    }

    /// Returns how near texts are to a question, by their meaning.
    pub(crate) async fn nearness(&self, asked: &str, texts: &[String]) -> Option<Vec<f32>> {
        self.embeddings.nearness(asked, texts).await
    }

    /// Makes embeddings of all memories that have none.
    pub(crate) async fn embed_all(&self) -> Result<(), StoreError> {
        match self.store() {
            Some(store) => self.embeddings.embed_all(store).await,
            None => Ok(()),
        }
    }

    /// Returns the memories that every prompt holds: of a request that is talk, standing wishes, and
    /// what the user said about themselves where the request is about them.
    pub(crate) async fn warm(&self, request: &TurnRequest<'_>, session: &Session) -> Block {
        if self.embeddings.is_withheld() || request.turn.origin == Origin::Stranger {
            return Block::default();
        }
        block::profile(&shown_of(self.profile(session).await, request), &request.turn.now)
    }

    /// Returns the user's profile.
    async fn profile(&self, session: &Session) -> MemoryProfile {
        let Some(store) = self.store() else { return MemoryProfile::default() };
        let changes = store.profile_changes();
        let held = session.with(|state| state.caches.known.clone()).filter(|(state, _)| *state == changes);
        match held {
            Some((_, profile)) => profile,
            None => match in_time(deadline::KNOWN, store.profile(PROFILE)).await {
                Ok(mut profile) => {
                    profile.user = joi_understand::newest::holding(
                        profile.user,
                        |memory| (memory.at, &memory.text.0),
                        &[],
                    );
                    session.with(|state| state.caches.known = Some((changes, profile.clone())));
                    profile
                }
                Err(error) => {
                    tracing::warn!(%error, "what is known of the user can't be read");
                    MemoryProfile::default()
                }
            },
        }
    }

    /// Returns the memories for the prompt of this question: the profile, and what is recalled for it.
    pub(crate) async fn recall(
        &self,
        request: &TurnRequest<'_>,
        wanted: RecallRules<'_>,
        session: &Session,
        side: &SideQueries<'_, M>,
    ) -> Result<Block, ReceiverClosed> {
        let (now, sink) = (&request.turn.now, side.sink);
        if request.turn.origin == Origin::Stranger {
            // Another program has a tool of its own for that, which the owner can forbid.
            return Ok(Block::default());
        }
        let warm = self.warm(request, session).await;
        let Some(store) = self.store().filter(|_| self.can_recall()) else { return Ok(warm) };
        let RecallRules { coverage, plan, extract } = wanted;
        let topic = match &plan.recall {
            Recall::Skip => {
                sink.decided("recall", "skipped", "the plan needs no memory").await?;
                return Ok(warm);
            }
            Recall::AsUsual => None,
            Recall::About(topic) => Some(topic.as_str()),
        };
        if topic.is_none() && coverage == Coverage::Covered {
            sink.decided("recall", "skipped", "the conversation holds what is asked").await?;
            return Ok(warm);
        }
        let query = extractor::extract(request, topic, extract, session, side).await?;
        if query.question.is_empty() {
            return Ok(warm);
        }
        let hits = match self.found(store, &query, request, session).await {
            Ok(hits) => hits,
            Err(error) => {
                tracing::warn!(%error, "nothing could be recalled");
                sink.decided("recall", "failed", error.to_string()).await?;
                return Ok(warm);
            }
        };
        let snippets = block::snippets(&hits, now);
        let verdict = if hits.is_empty() { "nothing" } else { "found" };
        let chars: usize =
            snippets.own.iter().chain(&snippets.documents).map(|line| line.chars().count()).sum();
        sink.decided("recall", verdict, format!("{} entries, {chars} characters", hits.len())).await?;
        let found = digest::digested(request, snippets, self.rules.digest, session, side).await?;
        Ok(warm.and(found))
    }

    async fn found(
        &self,
        store: &Store,
        query: &RecallQuery,
        request: &TurnRequest<'_>,
        session: &Session,
    ) -> Result<Vec<MemoryHit>, StoreError> {
        let kinds = match self.rules.sources {
            Sources::All => Vec::new(),
            Sources::Diary => vec![MemoryKind::Diary],
            Sources::Facts => vec![MemoryKind::User, MemoryKind::World, MemoryKind::Document],
        };
        let vector = self.embeddings.of_question(&query.about).await;
        let question = query.question.clone();
        let search = MemoryQuery {
            words: question.words,
            from: question.from,
            until: question.until,
            now: request.turn.now.timestamp(),
            // The dialogue is for the user's own conversations.
            before_message: match request.turn.channel.is_of_user() {
                true => request.past.oldest(),
                false => Some(i64::MIN),
            },
            kinds,
            vector,
            limit: self.rules.recall as usize + PROFILE as usize,
        };
        let searching = async {
            let hits = store.search(search.clone()).await?;
            if !hits.is_empty() || search.from.is_none() || search.words.is_empty() {
                return Ok(hits);
            }
            // People are often wrong about when.
            store.search(MemoryQuery { from: None, until: None, ..search }).await
        };
        let hits = in_time(deadline::SEARCH, searching).await?;
        // What the profile shows need not be repeated; a command says nothing about the world.
        let known = session.with(|state| state.caches.known.as_ref().map(|(_, profile)| profile.clone()));
        let profile = known.unwrap_or_default();
        let shown = block::shown(&shown_of(profile.clone(), request));
        let of_user: Vec<_> = profile.user.iter().map(|memory| (memory.at, &*memory.text.0)).collect();
        let mut hits = joi_understand::newest::holding(hits, |hit| (hit.at, &hit.text.0), &of_user);
        hits.retain(|hit| match hit.origin {
            HitSource::Memory(id, _) => !shown.contains(&id),
            HitSource::Message(_) => {
                joi_understand::intents::match_intent(&request.turn.language, &hit.text.0).is_none()
            }
        });
        hits.truncate(self.rules.recall as usize);
        Ok(hits)
    }
}

/// Returns what of a profile the prompt of a request shows.
fn shown_of(profile: MemoryProfile, request: &TurnRequest<'_>) -> MemoryProfile {
    let is_about_user = || reference::speaks_of_the_speaker(&request.turn.language, request.turn.asked);
    match request.prompt {
        PromptKind::Tools => profile,
        PromptKind::Talk if is_about_user() => MemoryProfile { last: None, ..profile },
        PromptKind::Talk => MemoryProfile { wishes: profile.wishes, ..MemoryProfile::default() },
    }
}

/// Returns whether what is in the prompt leaves anything to be recalled.
/// Whether what is remembered for a request holds at least half of its words.
pub(crate) fn holds(memory: &block::Block, request: &TurnRequest<'_>) -> bool {
    let asked = question::read(request.turn.asked, &request.turn.now).words;
    coverage::is_covered(&asked, &[&memory.text], !memory.text.is_empty())
}

pub(crate) fn coverage(request: &TurnRequest<'_>) -> Coverage {
    if request.past.live == 0 {
        return Coverage::Uncovered;
    }
    let asked = question::read(request.turn.asked, &request.turn.now).words;
    let results: Vec<_> = request.called.iter().flat_map(|(_, messages)| messages).collect();
    let has_result = results.iter().any(|message| is_result(message));
    let window: Vec<&str> = request
        .past
        .messages
        .iter()
        .chain(results.iter().copied())
        .map(|message| message.content.as_str())
        .collect();
    match coverage::is_covered(&asked, &window, has_result) {
        true => Coverage::Covered,
        false => Coverage::Uncovered,
    }
}
