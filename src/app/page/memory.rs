//! Memories, lists and timers, for the page.
//!
//! In: the store and the schedule. Out: views, and changes that are durable when they are confirmed.

use jiff::Timestamp;

use super::host::RunningHost;
use crate::app::{MemoryRefusal, storable, timers, typed_memory};
use joi_agent::memory_question;
use joi_base::message::Origin;
use joi_language::Language;
use joi_page::{ListView, MemoryHost, MemoryView, MentionsView, PageFault, TimerDeed, TimerState, TimerView};
use joi_schedule::{
    Done, Entry, EntryId, EntryKind, EntryState, OrderReport, Schedule, ScheduleOrder, Which, words,
};
use joi_store::{HitSource, Memory, MemoryHit, MemoryKind, MemoryQuery, NoteRemoval, TopicMentions};

/// Entries of a page.
const SHOWN: u32 = 50;
/// Results of a search.
const FOUND: usize = 20;

impl MemoryHost for RunningHost {
    async fn memories(&self, kind: &str) -> Result<Vec<MemoryView>, PageFault> {
        let memories = self.store()?.memories(kind_named(kind), SHOWN).await.map_err(PageFault::of)?;
        Ok(memories.into_iter().map(memory).collect())
    }

    async fn search(&self, asked: &str) -> Result<Vec<MemoryView>, PageFault> {
        let asked = joi_redact::redact(asked);
        let question = memory_question(asked.as_str(), &self.clock.now());
        let query = MemoryQuery { limit: FOUND, ..question };
        let hits = self.store()?.search(query).await.map_err(PageFault::of)?;
        Ok(hits.into_iter().map(hit).collect())
    }

    async fn remember(&self, kind: &str, text: &str) -> Result<(), PageFault> {
        let kind = kind_named(kind).filter(|kind| is_own(*kind)).unwrap_or(MemoryKind::User);
        let new = typed_memory(text, kind, self.now()).map_err(refused)?;
        self.store()?.remember(vec![new]).await.map_err(PageFault::of)?;
        Ok(())
    }

    /// The new words are stored before the old ones go: a crash in between leaves both.
    async fn correct(&self, id: i64, text: &str) -> Result<(), PageFault> {
        let store = self.store()?;
        let old = store.memory(id).await.map_err(PageFault::of)?;
        let old = old.filter(|memory| is_own(memory.kind)).ok_or(PageFault::Gone)?;
        let new = typed_memory(text, old.kind, self.now()).map_err(refused)?;
        let numbers = store.remember(vec![new]).await.map_err(PageFault::of)?;
        // The same words are the same entry.
        if !numbers.contains(&id) {
            store.forget_memories(vec![id]).await.map_err(PageFault::of)?;
        }
        Ok(())
    }

    async fn forget(&self, id: i64) -> Result<(), PageFault> {
        match self.store()?.forget_memories(vec![id]).await.map_err(PageFault::of)? {
            0 => Err(PageFault::Gone),
            _ => Ok(()),
        }
    }

    async fn mentions(&self, topic: &str) -> Result<MentionsView, PageFault> {
        self.store()?.known_about(topic).await.map(mentions).map_err(PageFault::of)
    }

    async fn forget_about(&self, topic: &str) -> Result<MentionsView, PageFault> {
        if topic.is_empty() {
            return Err(PageFault::Empty);
        }
        let gone = self.store()?.forget_about(topic).await.map_err(PageFault::of)?;
        if let Some(schedule) = &self.schedule {
            schedule.look_again();
        }
        Ok(mentions(gone))
    }

    async fn lists(&self) -> Result<Vec<ListView>, PageFault> {
        let store = self.store()?;
        let mut lists = Vec::new();
        for name in store.note_lists().await.map_err(PageFault::of)? {
            let entries = store.notes(&name).await.map_err(PageFault::of)?;
            let is_foreign = store.has_foreign_notes(&name).await.map_err(PageFault::of)?;
            lists.push(ListView { name, entries, is_foreign });
        }
        Ok(lists)
    }

    async fn add_to_list(&self, list: &str, text: &str) -> Result<(), PageFault> {
        let store = self.store()?;
        // A page that was open for long may name a list that is gone.
        if !store.note_lists().await.map_err(PageFault::of)?.iter().any(|known| known == list) {
            return Err(PageFault::Gone);
        }
        let entry = storable(text).map_err(refused)?;
        store.add_notes_of(list, vec![entry], self.now(), Origin::Typing).await.map_err(PageFault::of)?;
        Ok(())
    }

    async fn remove_from_list(&self, list: &str, text: &str) -> Result<(), PageFault> {
        match self.store()?.remove_note(list, text).await.map_err(PageFault::of)? {
            NoteRemoval::Several(_) | NoteRemoval::Missing => Err(PageFault::Gone),
            _ => Ok(()),
        }
    }

    async fn timers(&self) -> Result<Vec<TimerView>, PageFault> {
        let done = self.schedule()?.obey(ScheduleOrder::List(None)).await.map_err(PageFault::of)?;
        let language = self.languages.get();
        let OrderReport::Listed(_, entries) = &done.report else { return Ok(Vec::new()) };
        Ok(entries.iter().map(|entry| timer(entry, &done, &language)).collect())
    }

    async fn set_timer(&self, when: &str, name: &str, remind: &str) -> Result<String, PageFault> {
        let stored = |text: &str| match text.is_empty() {
            true => Ok(None),
            false => storable(text).map(Some).map_err(refused),
        };
        let (name, remind, language) = (stored(name)?, stored(remind)?, self.languages.get());
        let order = timers::order_to_set(&language, when, name, remind).ok_or(PageFault::NoTime)?;
        self.obeyed(order).await
    }

    async fn change_timer(&self, id: i64, deed: TimerDeed) -> Result<String, PageFault> {
        let which = Which { id: Some(EntryId(id)), ..Which::default() };
        self.obeyed(match deed {
            TimerDeed::Cancel => ScheduleOrder::Cancel(which),
            TimerDeed::Pause => ScheduleOrder::Pause(which),
            TimerDeed::Resume => ScheduleOrder::Resume(which),
        })
        .await
    }
}

impl RunningHost {
    async fn obeyed(&self, order: ScheduleOrder) -> Result<String, PageFault> {
        let done = self.schedule()?.obey(order).await.map_err(PageFault::of)?;
        let sentence = words::reported(&done.report, &done.at, &self.languages.get());
        if done.report.is_done() { Ok(sentence) } else { Err(PageFault::Because(sentence)) }
    }

    fn schedule(&self) -> Result<&Schedule, PageFault> {
        self.schedule.as_ref().ok_or_else(|| PageFault::of("there is no database; `joi doctor` shows why"))
    }

    fn now(&self) -> Timestamp {
        self.clock.now().timestamp()
    }
}

fn kind_named(name: &str) -> Option<MemoryKind> {
    let all =
        [MemoryKind::User, MemoryKind::Wish, MemoryKind::World, MemoryKind::Diary, MemoryKind::Document];
    all.into_iter().find(|kind| kind.name() == name)
}

/// Returns whether the owner's own words are stored as this kind.
fn is_own(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::User | MemoryKind::Wish | MemoryKind::World)
}

fn refused(refusal: MemoryRefusal) -> PageFault {
    match refusal {
        MemoryRefusal::Empty => PageFault::Empty,
        MemoryRefusal::Secret => PageFault::Secret,
    }
}

fn memory(memory: Memory) -> MemoryView {
    MemoryView {
        id: Some(memory.id),
        kind: memory.kind.name(),
        at: memory.at,
        source: memory.source,
        text: memory.text.0,
        is_foreign: memory.kind == MemoryKind::Document,
    }
}

fn hit(hit: MemoryHit) -> MemoryView {
    let is_foreign = hit.is_foreign();
    let (id, kind) = match hit.origin {
        HitSource::Memory(id, kind) => (Some(id), kind.name()),
        HitSource::Message(_) => (None, "said"),
    };
    MemoryView { id, kind, at: hit.at, source: hit.source, text: hit.text.0, is_foreign }
}

fn mentions(found: TopicMentions) -> MentionsView {
    let others = found.memories + found.notes + found.timers + found.other;
    MentionsView { messages: found.exchanges, turns: found.turns, memories: others }
}

fn timer(entry: &Entry, done: &Done, language: &Language) -> TimerView {
    let now = &done.at;
    let state = match entry.state {
        EntryState::Waiting | EntryState::Over => TimerState::Waiting,
        EntryState::Paused { .. } => TimerState::Paused,
        EntryState::Ringing { .. } => TimerState::Ringing,
        EntryState::Missed => TimerState::Missed,
    };
    let due = if entry.is_paused() {
        String::new()
    } else {
        let due = entry.due.moment(now.time_zone()).to_zoned(now.time_zone().clone());
        let days = if entry.days.is_none() {
            String::new()
        } else {
            format!(", {}", words::days(entry.days, language))
        };
        due.strftime("%Y-%m-%d %H:%M:%S").to_string() + &days
    };
    let left = entry.left(now).as_secs().max(0).unsigned_abs();
    TimerView {
        id: entry.id.0,
        kind: entry.kind.name(),
        name: entry.name.clone().unwrap_or_default(),
        due,
        left: words::length(left, language),
        state,
        can_pause: entry.kind == EntryKind::Timer,
    }
}
