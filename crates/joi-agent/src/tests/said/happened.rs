//! What comes of a sentence: the state of everything that it may change, and the words of the last answer.

use std::collections::BTreeMap;

use jiff::civil::DateTime;

use super::super::*;
use super::moment::DueWanted;
use super::plans::waits_for_house;
use super::scene::Stage;
use joi_schedule::{Entry, EntryState};

/// The state of a stage after some turns.
#[derive(Debug, Clone)]
pub(super) struct Happened {
    pub(super) now: Zoned,
    /// Everything that is still to come, or rings.
    pub(super) entries: Vec<Entry>,
    pub(super) lists: BTreeMap<String, Vec<String>>,
    pub(super) memories: Vec<String>,
    /// Commands to the house as `Item=CMD`, by item.
    pub(super) sent: Vec<String>,
    /// Actions of all turns.
    pub(super) acts: Vec<Action>,
    /// Until when there is to be quiet.
    pub(super) quiet: Option<DateTime>,
    /// The last answer.
    pub(super) words: String,
    /// It asks something back.
    pub(super) is_question: bool,
    /// A yes to it counts.
    pub(super) awaits_yes: bool,
    /// It was left to the model, or to what stands in for one that knows too little.
    pub(super) is_talk: bool,
    /// The decisions of the last turn, as (stage, verdict).
    pub(super) decided: Vec<(String, String)>,
}

/// Decisions of the care stage about talk: none of them is the answer to a matter of harm.
const TALK: [&str; 4] = ["untold", "looked up", "offered", "unsure"];

impl Happened {
    /// The scene before anything is said.
    pub(super) async fn before(stage: &Stage) -> Self {
        let store = &stage.bench.store;
        let now = stage.bench.clock.now();
        let schedule = stage.bench.engine.parts.schedule.as_ref().unwrap();
        let all = schedule.entries().await.unwrap();
        let mut lists = BTreeMap::new();
        for list in store.note_lists().await.unwrap() {
            let entries = store.notes(&list).await.unwrap();
            lists.insert(list, entries);
        }
        let memories = store.memories(None, 100).await.unwrap();
        let quiet = stage.announcer.quiet().wished_until(&now);
        Self {
            entries: all.into_iter().filter(|entry| entry.is_live() || waits_for_house(entry)).collect(),
            lists,
            memories: memories.into_iter().map(|memory| memory.text.0).collect(),
            sent: stage.house.sent(),
            acts: Vec::new(),
            quiet: quiet.map(|until| until.datetime()),
            words: String::new(),
            is_question: false,
            awaits_yes: false,
            is_talk: false,
            decided: Vec::new(),
            now,
        }
    }

    /// Says something, and looks at everything again.
    pub(super) async fn then(&self, stage: &Stage, said: &str) -> Self {
        let asked_before = stage.bench.model.requests().len();
        let ran = stage.bench.say(said).await;
        let decided: Vec<(String, String)> = ran
            .events
            .iter()
            .filter_map(|event| match event {
                ReplyEvent::Decided(decision) => {
                    Some((decision.stage.to_string(), decision.verdict.to_string()))
                }
                _ => None,
            })
            .collect();
        let is_unsure = decided.iter().any(|(at, verdict)| at == "care" && TALK.contains(&verdict.as_str()));
        let mut acts = self.acts.clone();
        acts.extend(ran.acts());
        let words = ran.shown();
        let awaits_yes = stage.bench.voice.awaits_yes(self.now.timestamp());
        let waits = stage.bench.voice.with(|state| state.question.is_some() || state.clarification.is_some());
        Self {
            is_question: waits || words.trim_end().ends_with('?'),
            awaits_yes,
            is_talk: is_unsure || stage.bench.model.requests().len() > asked_before,
            acts,
            words,
            decided,
            ..Self::before(stage).await
        }
    }

    /// Whether nothing but words came of it.
    pub(super) fn is_idle(&self, before: &Self) -> bool {
        (&self.entries, &self.lists, &self.memories) == (&before.entries, &before.lists, &before.memories)
            && self.sent.is_empty()
            && self.quiet.is_none()
            && !self.acts.iter().any(|act| matches!(act, Action::Volume(_)))
    }

    /// Whether a stage decided so in the last turn.
    pub(super) fn has_decided(&self, stage: &str, verdict: &str) -> bool {
        self.decided.iter().any(|(at, of)| at == stage && of == verdict)
    }

    /// What has changed since the scene, in the notation of the set, and the answer.
    pub(super) fn written(&self, before: &Self) -> String {
        let mut all = Vec::new();
        let new = |of: &Self, than: &Self| {
            let news = of.entries.iter().filter(|entry| !than.entries.contains(entry));
            news.map(|entry| entry_written(entry, &of.now)).collect::<Vec<_>>()
        };
        all.extend(new(before, self).into_iter().map(|entry| format!("- {entry}")));
        all.extend(new(self, before).into_iter().map(|entry| format!("+ {entry}")));
        for list in before.lists.keys().chain(self.lists.keys()).collect::<std::collections::BTreeSet<_>>() {
            let (was, is) = (before.lists.get(list), self.lists.get(list));
            if was != is {
                all.push(format!("list {list}: {}", is.map(|is| is.join(", ")).unwrap_or_default()));
            }
        }
        let gone = before.memories.iter().filter(|memory| !self.memories.contains(memory));
        all.extend(gone.map(|memory| format!("- fact \"{memory}\"")));
        let new = self.memories.iter().filter(|memory| !before.memories.contains(memory));
        all.extend(new.map(|memory| format!("+ fact \"{memory}\"")));
        all.extend(self.sent.clone());
        all.extend(self.acts.iter().map(|act| format!("{act:?}")));
        all.extend(self.quiet.map(|until| format!("quiet until {until}")));
        all.extend(self.is_talk.then(|| "model".to_owned()));
        all.push(format!("“{}”", self.words.trim()));
        all.join(" · ")
    }
}

fn entry_written(entry: &Entry, now: &Zoned) -> String {
    let due = DueWanted::of(entry, now);
    let name = entry.name.as_ref().map(|name| format!(" \"{name}\"")).unwrap_or_default();
    let date = due.date.map(|date| format!(" {date}")).unwrap_or_default();
    let state = match entry.state {
        EntryState::Waiting => "",
        EntryState::Paused { .. } => " paused",
        _ => " ringing",
    };
    format!("{}{name} {}{date} {}{state}", entry.kind.name(), due.times.0, due.series).trim_end().to_owned()
}
