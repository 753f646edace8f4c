//! "Remember that …", "forget what I said about …", "what do you know about me?": done without a model.
//!
//! Runs in the task of the turn. In: an order a quick intent understood. Out: one or a few sentences. What can't
//! be written to the disk is never confirmed; what is to be erased is asked about once, and neither the request
//! nor the question is kept anywhere.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::question;
use crate::message::Private;
use crate::reply::intents::{self, MemoryOrder};
use crate::reply::model::ChatModel;
use crate::reply::outlet::{Outlet, Unheard};
use crate::reply::{Ended, Engine, Keep, ReplyEvent, Turn, redact, words};
use crate::store::{Forget, Memory, MemoryKind, NewMemory, Store, StoreError};

/// Most things that are told at once.
const MOST_TOLD: usize = 8;
/// Most things that are looked at.
const MOST_KNOWN: u32 = 1_000;
/// Characters a second that are spoken.
const SPOKEN_A_SECOND: usize = 15;

/// What waits for a yes.
#[derive(Debug, Clone)]
pub(in crate::reply) struct Forgetting {
    what: What,
    until: Timestamp,
}

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Topic(String),
    Everything,
}

impl<M: ChatModel> Engine<M> {
    /// The answer to "shall I forget it?", if this turn is one.
    pub(in crate::reply) async fn erased(
        &self,
        turn: &Turn<'_>,
        outlet: &mut Outlet,
    ) -> Result<Option<(Ended, Keep)>, Unheard> {
        let waiting = self.lock(&self.memory.forgetting).remove(&turn.channel);
        let (Some(waiting), Some(store)) = (waiting, self.memory_store()) else { return Ok(None) };
        let is_open = turn.now.timestamp() <= waiting.until;
        if is_open && intents::is_consent(turn.asked) {
            outlet.decided("memory", "erased", "the owner said yes").await?;
            let told = match self.erase(store, &waiting.what).await {
                Ok(told) => told,
                Err(error) => {
                    return self.memory_failed(&error, outlet).await.map(|keep| Some((Ended::Quick, keep)));
                }
            };
            outlet.say(&told).await?;
            return Ok(Some((Ended::Quick, Keep::No)));
        }
        outlet.decided("memory", "kept", "anything but a yes in time is a no").await?;
        if is_open && intents::is_refusal(turn.asked) {
            outlet.say(words::LEFT_ALONE).await?;
            return Ok(Some((Ended::Quick, Keep::No)));
        }
        Ok(None)
    }

    async fn erase(&self, store: &Store, what: &What) -> Result<String, StoreError> {
        let told = match what {
            What::Topic(topic) => {
                let gone = store.forget_about(topic).await?;
                format!("{} gone for good.", if gone.things() == 1 { "It is" } else { "All of it is" })
            }
            What::Everything => {
                store.forget(Forget { dialogue: true, ..Forget::default() }).await?;
                "I have forgotten everything you ever told me.".to_owned()
            }
        };
        // What this program holds beside the database.
        self.lock(&self.last).clear();
        self.forget_calls();
        Ok(told)
    }

    /// Carries out an order.
    pub(in crate::reply) async fn mind(
        &self,
        turn: &Turn<'_>,
        order: &MemoryOrder,
        outlet: &mut Outlet,
    ) -> Result<Keep, Unheard> {
        let Some(store) = self.memory_store() else {
            outlet.say(words::NO_MEMORY).await?;
            return Ok(Keep::No);
        };
        match order {
            MemoryOrder::Remember { text, .. } if text.contains(redact::LABEL_START) => {
                outlet.decided("memory", "refused", "secrets are not remembered").await?;
                outlet.say(words::NO_SECRETS).await?;
                Ok(Keep::No)
            }
            MemoryOrder::Remember { kind, text } => {
                let new = NewMemory {
                    kind: *kind,
                    at: turn.now.timestamp(),
                    text: Private(text.clone()),
                    source: "said".to_owned(),
                };
                self.keep(store, new, outlet).await
            }
            MemoryOrder::AboutMe => match (store.memories(None, MOST_KNOWN).await, store.profile(1).await) {
                (Ok(known), Ok(profile)) => {
                    outlet.say(&about_me(&known, profile.last.is_some())).await?;
                    Ok(Keep::Yes)
                }
                (Err(error), _) | (_, Err(error)) => self.memory_failed(&error, outlet).await,
            },
            MemoryOrder::Forget(said) => {
                outlet.is_private = true;
                let topic = topic(said);
                match store.known_about(&topic).await {
                    Ok(known) if known.is_nothing() => {
                        outlet.decided("memory", "nothing", "nothing is known about that").await?;
                        let about = intents::told_back(said);
                        outlet.say(&format!("I don't remember anything about {about}.")).await?;
                        Ok(Keep::No)
                    }
                    Ok(known) => {
                        let things = match known.things() {
                            1 => "one thing".to_owned(),
                            count => format!("{count} things"),
                        };
                        let about = intents::told_back(said);
                        let question =
                            format!("I remember {things} about {about}. Shall I forget it for good?");
                        self.ask_to_forget(turn, What::Topic(topic), &question, outlet).await
                    }
                    Err(error) => self.memory_failed(&error, outlet).await,
                }
            }
            MemoryOrder::ForgetAll => {
                outlet.is_private = true;
                self.ask_to_forget(turn, What::Everything, words::FORGET_ALL, outlet).await
            }
        }
    }

    async fn keep(&self, store: &Store, new: NewMemory, outlet: &mut Outlet) -> Result<Keep, Unheard> {
        let (kind, text) = (new.kind, new.text.0.clone());
        if let Err(error) = store.remember(vec![new]).await {
            return self.memory_failed(&error, outlet).await;
        }
        outlet.decided("memory", "stored", kind.name()).await?;
        let told = match kind {
            MemoryKind::Wish => format!("I'll keep to that: {text}."),
            _ => format!("I'll remember: {}.", intents::told_back(&text)),
        };
        outlet.say(&told).await?;
        Ok(Keep::Yes)
    }

    async fn ask_to_forget(
        &self,
        turn: &Turn<'_>,
        what: What,
        question: &str,
        outlet: &mut Outlet,
    ) -> Result<Keep, Unheard> {
        outlet.decided("memory", "asked", "erasing needs a yes").await?;
        outlet.say(question).await?;
        let patience = self.parts.tool_rules.confirm_s;
        outlet.awaits = Some(Duration::from_secs(u64::from(patience)));
        // The question has to be heard before it can be answered.
        let spoken = i64::try_from(question.len() / SPOKEN_A_SECOND).unwrap_or(0);
        let limit = SignedDuration::from_secs(i64::from(patience) + spoken);
        let now = turn.now.timestamp();
        let until = now.checked_add(limit).unwrap_or(now);
        self.lock(&self.memory.forgetting).insert(turn.channel, Forgetting { what, until });
        Ok(Keep::No)
    }

    async fn memory_failed(&self, error: &StoreError, outlet: &mut Outlet) -> Result<Keep, Unheard> {
        tracing::error!(%error, "the memory can't be used");
        outlet.send(ReplyEvent::Notice(error.to_string())).await?;
        outlet.decided("memory", "failed", error.to_string()).await?;
        outlet.say(words::NO_MEMORY).await?;
        Ok(Keep::No)
    }
}

/// What must be in everything that is to be forgotten: the words that matter, or else all of them.
fn topic(said: &str) -> String {
    let matter = question::content_words(said);
    if matter.is_empty() { said.to_owned() } else { matter.join(" ") }
}

/// What is known, in sentences.
fn about_me(known: &[Memory], has_diary: bool) -> String {
    let of = |kind: MemoryKind| known.iter().filter(move |memory| memory.kind == kind);
    let user: Vec<String> = of(MemoryKind::User).map(|m| sentence(&intents::told_back(&m.text.0))).collect();
    let wishes: Vec<String> = of(MemoryKind::Wish).map(|m| sentence(&m.text.0)).collect();
    let others = of(MemoryKind::World).count() + of(MemoryKind::Document).count();
    let mut told = Vec::new();
    if !user.is_empty() {
        told.push("You told me this.".to_owned());
        told.extend(user.iter().take(MOST_TOLD).cloned());
    }
    if !wishes.is_empty() {
        told.push("And you want this of me.".to_owned());
        told.extend(wishes.iter().take(MOST_TOLD).cloned());
    }
    let more = user.len().saturating_sub(MOST_TOLD) + wishes.len().saturating_sub(MOST_TOLD) + others;
    if told.is_empty() {
        told.push("You haven't asked me to remember anything about you.".to_owned());
    }
    match more {
        0 => {}
        1 => told.push("I know one more thing.".to_owned()),
        more => told.push(format!("I know {more} more things.")),
    }
    if has_diary {
        told.push("And I keep a diary of our conversations.".to_owned());
    }
    told.join(" ")
}

fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
