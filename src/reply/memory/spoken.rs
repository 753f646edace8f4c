//! "Remember that …", "forget what I said about …", "what do you know about me?": done without a model.
//!
//! Runs in the task of the turn. In: an order a quick intent understood. Out: one or a few sentences. What can't
//! be written to the disk is never confirmed; what is to be erased is asked about once, and neither the request
//! nor the question is kept anywhere.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::question;
use super::told::{Told, told};
use crate::message::Private;
use crate::reply::intents::{self, MemoryOrder, Tongue};
use crate::reply::model::ChatModel;
use crate::reply::outlet::{Outlet, Unheard};
use crate::reply::{Ended, Engine, Keep, ReplyEvent, Turn, redact};
use crate::store::{Forget, NewMemory, Store, StoreError};

/// The language she answers in.
const TONGUE: Tongue = Tongue::English;
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
            outlet.say(&say().left_alone).await?;
            return Ok(Some((Ended::Quick, Keep::No)));
        }
        Ok(None)
    }

    async fn erase(&self, store: &Store, what: &What) -> Result<String, StoreError> {
        let told = match what {
            What::Topic(topic) => {
                let gone = store.forget_about(topic).await?;
                say().gone(gone.things()).to_owned()
            }
            What::Everything => {
                store.forget(Forget { dialogue: true, ..Forget::default() }).await?;
                say().gone_everything.clone()
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
            outlet.say(&say().failed).await?;
            return Ok(Keep::No);
        };
        match order {
            MemoryOrder::Remember { text, .. } if text.contains(redact::LABEL_START) => {
                outlet.decided("memory", "refused", "secrets are not remembered").await?;
                outlet.say(&say().no_secrets).await?;
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
                    outlet.say(&say().about_me(TONGUE, &known, profile.last.is_some())).await?;
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
                        outlet.say(&say().forgetting(TONGUE, 0, said)).await?;
                        Ok(Keep::No)
                    }
                    Ok(known) => {
                        let question = say().forgetting(TONGUE, known.things(), said);
                        self.ask_to_forget(turn, What::Topic(topic), &question, outlet).await
                    }
                    Err(error) => self.memory_failed(&error, outlet).await,
                }
            }
            MemoryOrder::ForgetAll => {
                outlet.is_private = true;
                self.ask_to_forget(turn, What::Everything, &say().everything, outlet).await
            }
        }
    }

    async fn keep(&self, store: &Store, new: NewMemory, outlet: &mut Outlet) -> Result<Keep, Unheard> {
        let (kind, text) = (new.kind, new.text.0.clone());
        if let Err(error) = store.remember(vec![new]).await {
            return self.memory_failed(&error, outlet).await;
        }
        outlet.decided("memory", "stored", kind.name()).await?;
        outlet.say(&say().remembered(TONGUE, kind, &text)).await?;
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
        outlet.say(&say().failed).await?;
        Ok(Keep::No)
    }
}

/// The sentences for it.
fn say() -> &'static Told {
    told(TONGUE)
}

/// What must be in everything that is to be forgotten: the words that matter, or else all of them.
fn topic(said: &str) -> String {
    let matter = question::content_words(said);
    if matter.is_empty() { said.to_owned() } else { matter.join(" ") }
}
