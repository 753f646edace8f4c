//! The diary: a conversation that has ended, told in a few sentences, with what the user said of himself.
//!
//! Runs in a task of its own, beside all turns. One model call for each conversation, which shares the prompt's trunk
//! and gives way at once to any turn; then nothing is lost, since a page and how far the diary has got are one
//! transaction. A model that answers nonsense, or none for two days, leaves a page in the user's own words.

use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::model::ChatModel;
use super::outlet::Outlet;
use super::{Engine, ask, prompt, tool_loop};
use crate::llm::{Ask, Length};
use crate::store::{DialogueRow, DiaryPage, MemoryKind, StoreError};

mod page;
mod rounds;

pub use rounds::Rounds;

/// Messages that are looked at once.
const READ: u32 = 600;
/// Time for a page: nobody waits for it.
const LIMIT: Duration = Duration::from_secs(180);
/// Most tokens of a page.
const TOKENS: u32 = 320;

/// How a pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// All conversations that have ended are told; so many pages are new.
    Done(usize),
    /// Somebody began to talk. The next pass goes on.
    GaveWay,
    /// The model could not be had. The next pass tries again.
    NoModel,
}

/// How many turns run, and how many have begun.
#[derive(Debug, Clone, Copy, Default)]
struct Turns {
    running: usize,
    begun: u64,
}

/// Whether somebody talks.
#[derive(Debug, Default)]
pub(super) struct Busy(watch::Sender<Turns>);

/// A turn runs while it lives.
pub(super) struct Running<'a>(&'a watch::Sender<Turns>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|turns| turns.running -= 1);
    }
}

impl Busy {
    /// A turn begins.
    pub(super) fn begin(&self) -> Running<'_> {
        self.0.send_modify(|turns| {
            turns.running += 1;
            turns.begun += 1;
        });
        Running(&self.0)
    }

    /// Waits until a turn runs, or has run since this was first polled. Cancel-safe.
    pub(super) async fn any(&self) {
        let before = self.0.borrow().begun;
        // The sender lives as long as this does.
        let _ = self.0.subscribe().wait_for(|turns| turns.running > 0 || turns.begun != before).await;
    }
}

impl<M: ChatModel> Engine<M> {
    /// Tells all conversations that have ended and are not told yet. Dropping it loses nothing.
    ///
    /// # Errors
    /// The database's.
    pub async fn write_diary(&self) -> Result<Pass, StoreError> {
        let Some(store) = self.parts.store.as_ref().filter(|_| self.keeps_diary()) else {
            return Ok(Pass::Done(0));
        };
        let window = self.parts.reply.window_s;
        let mut pages = 0;
        loop {
            let rows = store.untold(READ).await?;
            let now = self.parts.clock.now().timestamp();
            let Some(rows) = page::first_finished(&rows, now, window) else { return Ok(Pass::Done(pages)) };
            let memories = if page::is_worth_telling(rows) {
                let told = tokio::select! {
                    biased;
                    () = self.busy.any() => return Ok(Pass::GaveWay),
                    told = self.told(rows) => told,
                };
                match told {
                    Some(told) => page::verified(&told, rows).unwrap_or_else(|why| {
                        tracing::info!(why, "a page of the diary is in the user's own words");
                        page::in_own_words(rows)
                    }),
                    None if page::is_stale(rows, now) => page::in_own_words(rows),
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

    fn keeps_diary(&self) -> bool {
        self.parts.memory.enabled && self.parts.memory.diary
    }

    /// What the model makes of a conversation.
    async fn told(&self, rows: &[DialogueRow]) -> Option<String> {
        let (_, size, protocol) = tool_loop::protocol_of(self);
        let head = self.heads.of(size, protocol, &[]);
        let newest = prompt::Newest::auxiliary(include_str!("../../assets/prompts/diary.md").trim());
        let ask = Ask {
            messages: prompt::build(&head, page::messages(rows), &newest, self.parts.room),
            tools: head.tools,
            format: Some(page::schema()),
            length: Length::AtMost(TOKENS),
            model: None,
        };
        // What it costs is on nobody's record.
        let (events, _kept) = mpsc::channel(4);
        let beside = ask::Beside { purpose: "diary", limit: LIMIT };
        ask::aside(&*self.parts.model, ask, beside, &Outlet::new(events)).await
    }

    /// Removes pages that are too old, and makes vectors of what has none. Repeating it changes nothing.
    ///
    /// # Errors
    /// The database's.
    pub async fn consolidate(&self) -> Result<(), StoreError> {
        let Some(store) = self.parts.store.as_ref().filter(|_| self.parts.memory.enabled) else {
            return Ok(());
        };
        let cutoff = self.parts.memory.diary_cutoff(self.parts.clock.now().timestamp());
        let gone = store.purge_memories(MemoryKind::Diary, cutoff).await?;
        if gone > 0 {
            tracing::info!(gone, "old pages of the diary were removed");
        }
        self.embed_memories().await
    }
}
