//! Orders about agents by words: talk with one, a yes or a no to its question, a rest, what they do.
//!
//! Task of a turn. In: an utterance, the names of the configuration. Out: an order; then what the running agents answer to
//! it, in words. Whose words they are, and whether they may order anything, is decided by whoever asks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{Timestamp, Zoned};
use joi_language::agents::{AgentPhrase, AgentReader, AgentWords};
use joi_language::{Language, fill, times};

use joi_schedule::announce::AnnouncedQuestion;

use super::entry::{AgentEntries, AgentEntry, shown};
use super::lines::{AgentRest, AgentRow, AgentsReach, ApprovalRow};

/// Languages that are replaced while the program runs are not kept for ever.
const MOST_LANGUAGES: usize = 8;

/// A wish about agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentOrder {
    /// What do they do? Of one agent, or of all.
    Show(Option<String>),
    /// What do they want to do? Of one agent, or of all.
    ShowCalls(Option<String>),
    /// These words are for this agent.
    Tell(String, String),
    /// A decision about the call of this agent that waits.
    Decide(String, bool),
    /// This agent is to rest, or to go on.
    Rest(String, AgentRest),
}

impl AgentOrder {
    /// Returns its name, for the trace of a turn.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Show(_) => "show",
            Self::ShowCalls(_) => "show calls",
            Self::Tell(..) => "tell",
            Self::Decide(_, true) => "yes",
            Self::Decide(_, false) => "no",
            Self::Rest(_, AgentRest::Pause) => "pause",
            Self::Rest(_, AgentRest::Resume) => "resume",
        }
    }
}

/// What an order came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentAnswer {
    /// The words.
    pub text: String,
    /// The question at the end of it.
    pub question: Option<AnnouncedQuestion>,
}

/// The phrases of a language, and of which.
type LanguageReader = (Arc<AgentWords>, Option<Arc<AgentReader>>);

/// The agents as people speak of them.
pub struct AddressedAgents {
    /// Names as they are spoken, each with the agent of the configuration.
    names: Vec<(String, String)>,
    reach: Arc<dyn AgentsReach>,
    readers: Mutex<Vec<LanguageReader>>,
}

impl fmt::Debug for AddressedAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddressedAgents").field("names", &self.names).finish_non_exhaustive()
    }
}

impl AddressedAgents {
    /// The agents of the configuration; nothing where there are none.
    pub fn new(entries: &AgentEntries, reach: Arc<dyn AgentsReach>) -> Option<Self> {
        let spoken = |(name, entry): (&String, &AgentEntry)| {
            let all = std::iter::once(shown(name)).chain(entry.called.iter().map(|called| shown(called)));
            all.map(|spoken| (spoken, name.clone())).collect::<Vec<_>>()
        };
        let names: Vec<_> = entries.iter().flat_map(spoken).collect();
        (!names.is_empty()).then(|| Self { names, reach, readers: Mutex::default() })
    }

    /// Agents that are not spoken of by name: only what they ask is answered.
    pub fn unnamed(reach: Arc<dyn AgentsReach>) -> Self {
        Self { names: Vec::new(), reach, readers: Mutex::default() }
    }

    /// Returns what `text` wants of agents; nothing where it is not about them.
    pub fn understood(&self, text: &str, language: &Language) -> Option<AgentOrder> {
        if self.names.is_empty() {
            return None;
        }
        let said = self.reader(language)?.said(text)?;
        let agent = match &said.name {
            Some(name) => Some(self.names.iter().find(|(spoken, _)| spoken == name)?.1.clone()),
            None => None,
        };
        Some(match said.phrase {
            AgentPhrase::Grant => AgentOrder::Decide(agent?, true),
            AgentPhrase::Refuse => AgentOrder::Decide(agent?, false),
            AgentPhrase::Pause => AgentOrder::Rest(agent?, AgentRest::Pause),
            AgentPhrase::Resume => AgentOrder::Rest(agent?, AgentRest::Resume),
            AgentPhrase::Waiting => AgentOrder::ShowCalls(agent),
            AgentPhrase::Doing => AgentOrder::Show(agent),
            AgentPhrase::Ask => {
                let words = if said.words.is_empty() { text.trim() } else { &said.words };
                AgentOrder::Tell(agent?, words.to_owned())
            }
        })
    }

    /// Returns whether `text`, right behind the question of an agent, is a yes or a no to it by a pronoun.
    pub fn answers(&self, text: &str, language: &Language) -> Option<bool> {
        self.reader(language)?.answers(text)
    }

    /// Carries out an order.
    pub async fn obey(&self, order: AgentOrder, language: &Language, now: &Zoned) -> AgentAnswer {
        let say = &language.sentences().agent;
        let plain = |text: String| AgentAnswer { text, question: None };
        let named = |sentence: &str, agent: &str| plain(fill(sentence, &[("name", &shown(agent))]));
        match order {
            AgentOrder::Show(agent) => match self.rows(agent.as_deref()).await {
                Ok(rows) => plain(joined(rows.iter().map(|row| does(row, language, now)))),
                Err(_) => plain(say.not_running.clone()),
            },
            AgentOrder::ShowCalls(agent) => match self.rows(agent.as_deref()).await {
                Ok(rows) => self.asking(&rows, language),
                Err(_) => plain(say.not_running.clone()),
            },
            AgentOrder::Tell(agent, words) => match self.reach.talk(agent.clone(), words).await {
                Ok(text) if text.trim().is_empty() => named(&say.silent, &agent),
                Ok(text) => plain(text),
                Err(why) => {
                    tracing::warn!(agent, why, "an agent was not reached");
                    named(&say.unreachable, &agent)
                }
            },
            AgentOrder::Decide(agent, is_yes) => self.decided_newest(agent, is_yes, language).await,
            AgentOrder::Rest(agent, rest) => {
                let done = self.reach.rest(agent.clone(), rest).await;
                named(
                    match (done, rest) {
                        (Err(_), _) => &say.unreachable,
                        (Ok(()), AgentRest::Pause) => &say.paused,
                        (Ok(()), AgentRest::Resume) => &say.resumed,
                    },
                    &agent,
                )
            }
        }
    }

    /// Decides about a call that was asked about; returns what is to be said.
    pub async fn decide(&self, question: AnnouncedQuestion, is_yes: bool, language: &Language) -> String {
        let (say, AnnouncedQuestion { agent, call }) = (&language.sentences().agent, question);
        let name = shown(&agent);
        if self.reach.decide(agent.clone(), call, is_yes).await.is_ok() {
            return fill(if is_yes { &say.may } else { &say.may_not }, &[("name", &name)]);
        }
        let rows = self.rows(Some(&agent)).await.unwrap_or_default();
        let lapsed = rows.into_iter().find_map(|row| row.lapsed).filter(|lapsed| lapsed.approval == call);
        match lapsed {
            Some(ApprovalRow { deed, .. }) => fill(&say.too_late, &[("name", &name), ("text", &deed)]),
            None => say.nobody_asks.clone(),
        }
    }

    /// Decides about the one call of an agent that waits; of several it asks about the first.
    async fn decided_newest(&self, agent: String, is_yes: bool, language: &Language) -> AgentAnswer {
        let Ok(rows) = self.rows(Some(&agent)).await else {
            return AgentAnswer { text: language.sentences().agent.not_running.clone(), question: None };
        };
        let waiting: Vec<&ApprovalRow> = rows.iter().flat_map(|row| &row.approvals).collect();
        let call = match (waiting.as_slice(), rows.iter().find_map(|row| row.lapsed.as_ref())) {
            ([one], _) => one.approval,
            ([], Some(lapsed)) => lapsed.approval,
            ([], None) | ([_, _, ..], _) => return self.asking(&rows, language),
        };
        let text = self.decide(AnnouncedQuestion { agent, call }, is_yes, language).await;
        AgentAnswer { text, question: None }
    }

    /// Names the calls that wait, and asks about the last one named.
    fn asking(&self, rows: &[AgentRow], language: &Language) -> AgentAnswer {
        let say = &language.sentences().agent;
        let waiting = || rows.iter().flat_map(|row| row.approvals.iter().map(move |call| (row, call)));
        // A yes must mean one of them.
        let question = waiting()
            .next()
            .map(|(row, call)| AnnouncedQuestion { agent: row.name.clone(), call: call.approval })
            .filter(|_| waiting().count() == 1);
        let sentence = |(row, call): (&AgentRow, &ApprovalRow)| {
            fill(&say.may_it, &[("name", &shown(&row.name)), ("text", &call.deed)])
        };
        let text = joined(waiting().map(sentence));
        AgentAnswer { text: if text.is_empty() { say.nobody_asks.clone() } else { text }, question }
    }

    async fn rows(&self, agent: Option<&str>) -> Result<Vec<AgentRow>, String> {
        let mut rows = self.reach.rows().await?;
        rows.retain(|row| agent.is_none_or(|agent| row.name == agent));
        Ok(rows)
    }

    fn reader(&self, language: &Language) -> Option<Arc<AgentReader>> {
        let words = language.agents()?;
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, reader)) = readers.iter().find(|(of, _)| Arc::ptr_eq(of, words)) {
            return reader.clone();
        }
        let names: Vec<String> = self.names.iter().map(|(spoken, _)| spoken.clone()).collect();
        let reader = words.reader(&names);
        let reader = reader.inspect_err(|error| tracing::error!(error, "agents are not understood by name"));
        let reader = reader.ok().map(Arc::new);
        readers.truncate(MOST_LANGUAGES - 1);
        readers.insert(0, (Arc::clone(words), reader.clone()));
        reader
    }
}

fn joined(sentences: impl Iterator<Item = String>) -> String {
    sentences.collect::<Vec<_>>().join(" ")
}

/// Says what an agent does.
fn does(row: &AgentRow, language: &Language, now: &Zoned) -> String {
    let say = &language.sentences().agent;
    let next = row.next.as_ref().and_then(|at| at.parse::<Timestamp>().ok());
    let until = |at: Timestamp| {
        let at = at.to_zoned(now.time_zone().clone()).time();
        fill(&say.asleep_until, &[("at", &times::time_of_day(at, language))])
    };
    let what = match row.doing.as_str() {
        "thinking" => say.thinking.clone(),
        "looking" => say.looking.clone(),
        "waiting" => say.waiting.clone(),
        "ended" => say.ended.clone(),
        "paused" => say.resting.clone(),
        _ if row.pace == "when asked" => say.answers.clone(),
        _ => next.map_or_else(|| say.asleep.clone(), until),
    };
    fill(&say.does, &[("name", &shown(&row.name)), ("what", &what)])
}

#[cfg(test)]
mod tests;
