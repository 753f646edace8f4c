//! Writes the diary: a few sentences about a conversation that has ended, with the user's statements about themselves.
//!
//! Runs in a task of its own, beside all turns. One model call for each conversation, which shares the prompt's trunk
//! and yields at once to any turn; nothing is lost then, since a page and the diary's progress are one transaction. If
//! a model answers nonsense, or none answers for two days, the page holds the user's own words.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::agent::protocols::Answering;
use crate::agent::side_call::{SideCall, side_call};
use crate::memory::config::MemoryConfig;
use crate::model::{ChatModel, ModelAccess, Room};
use crate::prompt::{self, head::HeadSet};
use crate::sink::ReplySink;
use joi_base::clock::Clock;
use joi_base::message::Origin;
use joi_language::Language;
use joi_llm::{Ask, HomeData, Length};
use joi_store::{DialogueRow, DiaryPage, MemoryKind, Store, StoreError};

mod page;
mod rounds;

pub use rounds::{Rounds, Tidying};

/// Messages that are looked at once.
const READ: u32 = 600;
/// Time for a page: nobody waits for it.
const LIMIT: Duration = Duration::from_secs(180);
/// Most tokens of a page.
const TOKENS: u32 = 320;

/// The outcome of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// All conversations that have ended are written down; so many pages are new.
    Done(usize),
    /// Somebody began to talk. The next pass goes on.
    GaveWay,
    /// The model could not be had. The next pass tries again.
    NoModel,
}

/// Writes the diary.
pub(crate) struct Diary<'a, M> {
    /// The store of the dialogue and the pages.
    pub(crate) store: Option<&'a Store>,
    /// `[memory]`.
    pub(crate) rules: MemoryConfig,
    /// A conversation has ended after so many seconds of silence.
    pub(crate) window_s: u32,
    /// Writes the pages.
    pub(crate) access: ModelAccess<'a, M>,
    /// The clock.
    pub(crate) clock: &'a dyn Clock,
    /// The heads of prompts.
    pub(crate) heads: HeadSet,
    /// Which model answers.
    pub(crate) answering: Answering,
    /// Its window.
    pub(crate) room: Room,
    /// The language that is spoken.
    pub(crate) language: Arc<Language>,
}

impl<M: ChatModel> Diary<'_, M> {
    /// Writes down all conversations that have ended and are not in the diary yet. Dropping it loses nothing.
    ///
    /// # Errors
    /// The database's.
    pub(crate) async fn write(&self) -> Result<Pass, StoreError> {
        let Some(store) = self.store.filter(|_| self.rules.enabled && self.rules.diary) else {
            return Ok(Pass::Done(0));
        };
        let window = self.window_s;
        let mut pages = 0;
        loop {
            let rows = store.beyond_diary(READ).await?;
            let now = self.clock.now().timestamp();
            let Some(rows) = page::first_finished(&rows, now, window) else { return Ok(Pass::Done(pages)) };
            let is_foreign = rows.iter().any(|row| row.origin == Origin::Stranger);
            let memories = if is_foreign || self.access.model.withholds(HomeData::Memory) {
                // Not retold by a model: the page would bring strangers' words into every prompt as our own.
                page::in_own_words(rows, &self.language)
            } else if page::is_worth_writing(rows, &self.language) {
                let told = tokio::select! {
                    biased;
                    () = self.access.arbiter.somebody_waits() => return Ok(Pass::GaveWay),
                    page = self.model_page(rows) => page,
                };
                match told {
                    Some(told) => page::verified(&told, rows, &self.language).unwrap_or_else(|why| {
                        tracing::info!(why, "a page of the diary is in the user's own words");
                        page::in_own_words(rows, &self.language)
                    }),
                    None if page::is_stale(rows, now) => page::in_own_words(rows, &self.language),
                    None => return Ok(Pass::NoModel),
                }
            } else {
                Vec::new()
            };
            let is_page = !memories.is_empty();
            let written = store.write_diary(DiaryPage { rows: rows.to_vec(), memories }).await?;
            pages += usize::from(written && is_page);
        }
    }

    /// Returns the model's page about a conversation.
    async fn model_page(&self, rows: &[DialogueRow]) -> Option<String> {
        let head = self.heads.of_profile(None).of(self.answering.size, self.answering.protocol, &[]);
        let newest = prompt::Newest::auxiliary(include_str!("../../../../assets/prompts/diary.md").trim());
        let ask = Ask {
            messages: prompt::build(&head, page::messages(rows), &newest, self.room),
            tools: head.tools,
            format: Some(page::schema()),
            length: Length::AtMost(TOKENS),
            model: None,
        };
        // What it costs is on nobody's record.
        let (events, _kept) = mpsc::channel(4);
        let side = SideCall { purpose: "diary", limit: LIMIT };
        side_call(self.access, ask, side, &ReplySink::new(events, Arc::clone(&self.language))).await
    }

    /// Removes pages that are too old. Repeating it changes nothing.
    ///
    /// # Errors
    /// The database's.
    pub(crate) async fn consolidate(&self) -> Result<(), StoreError> {
        let Some(store) = self.store.filter(|_| self.rules.enabled) else {
            return Ok(());
        };
        let cutoff = self.rules.diary_cutoff(self.clock.now().timestamp());
        let gone = store.purge_memories(MemoryKind::Diary, cutoff).await?;
        if gone > 0 {
            tracing::info!(gone, "old pages of the diary were removed");
        }
        Ok(())
    }
}
