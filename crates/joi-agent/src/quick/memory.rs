//! "Remember that …", "forget what I said about …", "what do you know about me?": done without a model.
//!
//! Runs in the task of the turn. Input: an order a quick intent understood. Output: one or a few sentences. What can't
//! be written to the disk is never confirmed; what is to be erased is asked about once, and neither the request nor the
//! question is kept anywhere.

use std::sync::Arc;
use std::time::Duration;

use crate::deadline::{self, in_time};
use crate::memory::told;
use crate::session::Session;
use crate::session::forgetting::{ForgetTarget, Forgetting};
use crate::session::last_set::{Clarification, Lacking};
use crate::session::open_question::{OpenQuestion, open_until};
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Ended, Keep, ReplyEvent, Turn};
use joi_base::message::Private;
use joi_language::Language;
use joi_language::words::words;
use joi_store::{Forget, MemoryKind, NewMemory, STRANGER, Store, StoreError};
use joi_understand::intents::{self, MemoryOrder};
use joi_understand::question;
use joi_understand::wish::{self, Refusal};

/// Most things that are looked at; more are only counted.
const MOST_KNOWN: u32 = 1_000;

/// Fewest letters of a word at the head of a compound.
const SHORTEST_HEAD: usize = 5;

/// Settings of the question before anything is erased.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    /// Time limit of a yes, in seconds.
    pub(crate) confirm_s: u32,
    /// The session in which the question waits.
    pub(crate) session: &'a Session,
}

/// The answer to "shall I forget it?", if this turn is one.
pub(crate) async fn answered(
    turn: &Turn<'_>,
    waiting: Forgetting,
    store: Option<&Store>,
    session: &Session,
    sink: &mut ReplySink,
) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
    let Some(store) = store else { return Ok(None) };
    let is_open = turn.now.timestamp() <= waiting.until;
    if is_open && intents::is_yes(&turn.language, turn.asked) {
        sink.decided("memory", "erased", "the owner said yes").await?;
        let told = match erase(store, &waiting.what, &turn.language).await {
            Ok(told) => told,
            Err(error) => return failed(&error, sink).await.map(|keep| Some((Ended::Quick, keep))),
        };
        // What the conversation holds beside the database; other conversations see that something is gone.
        session.with(|state| state.last_reply = None);
        session.forget_conversation();
        session.restore(Some(store)).await;
        sink.say(&told).await?;
        return Ok(Some((Ended::Quick, Keep::No)));
    }
    sink.decided("memory", "kept", "anything but a yes in time is a no").await?;
    if is_open && wish::refusal(&turn.language, turn.asked) == Some(Refusal::Plain) {
        sink.say(&turn.language.sentences().memory.left_alone).await?;
        return Ok(Some((Ended::Quick, Keep::No)));
    }
    Ok(None)
}

async fn erase(store: &Store, what: &ForgetTarget, language: &Language) -> Result<String, StoreError> {
    let told = match what {
        ForgetTarget::Topic(topic) => {
            let gone = store.forget_about(topic).await?;
            told::gone(language, gone.things()).to_owned()
        }
        ForgetTarget::Replaced(topic, new) => {
            store.replace_about(topic, new.clone()).await?;
            told::remembered(language, new.kind, &new.text.0)
        }
        ForgetTarget::Everything => {
            store.forget(Forget { dialogue: true, ..Forget::default() }).await?;
            language.sentences().memory.gone_everything.clone()
        }
    };
    Ok(told)
}

/// Carries out an order.
pub(crate) async fn carry_out(
    order: &MemoryOrder,
    turn: &Turn<'_>,
    store: Option<&Store>,
    asking: Asking<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    let Some(store) = store else {
        sink.say(&turn.language.sentences().memory.failed).await?;
        return Ok(Keep::No);
    };
    match order {
        MemoryOrder::Remember { text, .. } | MemoryOrder::Replace { now: text, .. }
            if text.contains(joi_redact::LABEL_START) =>
        {
            sink.decided("memory", "refused", "secrets are not remembered").await?;
            let refused = sink.refused_secret();
            sink.say(&refused).await?;
            Ok(Keep::No)
        }
        MemoryOrder::Remember { kind, text } => keep(store, said_now(turn, *kind, text.clone()), sink).await,
        MemoryOrder::What => {
            sink.decided("memory", "asked", "it was not said what is to be remembered").await?;
            let asked = Clarification { lacks: Lacking::Fact, since: turn.now.timestamp() };
            asking.session.with(|state| state.clarification = Some(asked));
            sink.say(&turn.language.sentences().memory.what).await?;
            Ok(Keep::Yes)
        }
        MemoryOrder::AboutMe => about_me(turn, store, sink).await,
        MemoryOrder::Forget(said) => forget(said, turn, store, asking, sink).await,
        MemoryOrder::Replace { .. } => replace(order, turn, store, asking, sink).await,
        MemoryOrder::ForgetAll => {
            sink.is_private = true;
            let question = &turn.language.sentences().memory.everything;
            ask_to_forget(turn, ForgetTarget::Everything, question, asking, sink).await
        }
    }
}

/// Asks whether all about a subject is to be forgotten, if there is anything.
async fn forget(
    said: &String,
    turn: &Turn<'_>,
    store: &Store,
    asking: Asking<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    sink.is_private = true;
    let whole = compound(&topic(said), store).await;
    let said = whole.as_ref().unwrap_or(said);
    let topic = whole.clone().unwrap_or_else(|| topic(said));
    match store.known_about(&topic).await {
        Ok(known) => {
            let question = told::forgetting(&turn.language, known, said);
            if !known.is_nothing() {
                return ask_to_forget(turn, ForgetTarget::Topic(topic), &question, asking, sink).await;
            }
            sink.decided("memory", "nothing", "nothing is known about that").await?;
            sink.say(&question).await?;
            Ok(Keep::No)
        }
        Err(error) => failed(&error, sink).await,
    }
}

/// Returns the topic of what is replaced: with what held before, where that is known.
async fn replaced(about: &str, before: Option<&str>, store: &Store) -> String {
    let with_it = before.map(|before| topic(&format!("{about} {before}")));
    match with_it {
        Some(topic) if store.known_about(&topic).await.is_ok_and(|known| !known.is_nothing()) => topic,
        _ => topic(about),
    }
}

/// Remembers what holds now; where something is known about it, once the user agrees that it is forgotten.
async fn replace(
    order: &MemoryOrder,
    turn: &Turn<'_>,
    store: &Store,
    asking: Asking<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    let MemoryOrder::Replace { kind, about, before, now } = order else { return Ok(Keep::No) };
    let new = said_now(turn, *kind, told::fact_of(&turn.language, about, now));
    let topic = replaced(about, before.as_deref(), store).await;
    match store.known_about(&topic).await {
        Ok(known) if known.is_nothing() => keep(store, new, sink).await,
        Ok(_) => {
            sink.is_private = true;
            let question = told::replacing(&turn.language, about, now);
            ask_to_forget(turn, ForgetTarget::Replaced(topic, new), &question, asking, sink).await
        }
        Err(error) => failed(&error, sink).await,
    }
}

/// Returns the entry for what the user says now; quoted words are somebody else's.
fn said_now(turn: &Turn<'_>, kind: MemoryKind, text: String) -> NewMemory {
    let source = if turn.is_quoting { STRANGER } else { "said" };
    NewMemory { kind, at: turn.now.timestamp(), text: Private(text), source: source.to_owned() }
}

/// Answers a question with a fact of the user's, if one holds all that it is about. What was said or done before is left to
/// the model.
pub(crate) async fn known(
    turn: &Turn<'_>,
    store: Option<&Store>,
    sink: &mut ReplySink,
) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
    let Some(store) = store.filter(|_| !question::is_past(turn.asked, &turn.now)) else { return Ok(None) };
    let facts = in_time(deadline::KNOWN, store.memories(None, MOST_KNOWN)).await;
    let Ok(mut facts) = facts else { return Ok(None) };
    facts.retain(|fact| matches!(fact.kind, MemoryKind::User | MemoryKind::World) && fact.source != STRANGER);
    facts.sort_by_key(|fact| std::cmp::Reverse(fact.at));
    let texts = facts.iter().map(|fact| fact.text.0.as_str());
    let Some(at) = joi_understand::known::answering(&turn.language, turn.asked, texts) else {
        return Ok(None);
    };
    sink.decided("memory", "known", "a fact of the user answers it").await?;
    let language = Arc::clone(&sink.language);
    sink.say(&told::known(&language, &facts[at].text.0)).await?;
    Ok(Some((Ended::Quick, Keep::Yes)))
}

async fn about_me(turn: &Turn<'_>, store: &Store, sink: &mut ReplySink) -> Result<Keep, ReceiverClosed> {
    let read = async {
        let known = store.memories(None, MOST_KNOWN).await?;
        let read = known.iter().filter(|memory| memory.kind != MemoryKind::Diary).count();
        let beyond = store.memory_count().await?.saturating_sub(read);
        Ok((known, beyond, store.profile(1).await?.last.is_some()))
    };
    match read.await {
        Ok((known, beyond, has_diary)) => {
            sink.is_foreign |= known.iter().any(|memory| memory.source == STRANGER);
            sink.say(&told::about_me(&turn.language, &known, beyond, has_diary)).await?;
            Ok(Keep::Yes)
        }
        Err(error) => failed(&error, sink).await,
    }
}

async fn keep(store: &Store, new: NewMemory, sink: &mut ReplySink) -> Result<Keep, ReceiverClosed> {
    let (kind, text) = (new.kind, new.text.0.clone());
    if let Err(error) = store.remember(vec![new]).await {
        return failed(&error, sink).await;
    }
    sink.decided("memory", "stored", kind.name()).await?;
    let language = Arc::clone(&sink.language);
    sink.say(&told::remembered(&language, kind, &text)).await?;
    Ok(Keep::Yes)
}

async fn ask_to_forget(
    turn: &Turn<'_>,
    what: ForgetTarget,
    question: &str,
    asking: Asking<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    sink.decided("memory", "asked", "erasing needs a yes").await?;
    sink.say(question).await?;
    let confirm = Duration::from_secs(u64::from(asking.confirm_s));
    sink.awaits = Some(confirm);
    let until = open_until(turn.now.timestamp(), confirm, turn.channel, question);
    let question = OpenQuestion::Forget(Forgetting { what, until, is_repeated: false });
    asking.session.with(|state| state.question = Some(question));
    Ok(Keep::No)
}

async fn failed(error: &StoreError, sink: &mut ReplySink) -> Result<Keep, ReceiverClosed> {
    tracing::error!(%error, "the memory can't be used");
    sink.send(ReplyEvent::Notice(error.to_string())).await?;
    sink.decided("memory", "failed", error.to_string()).await?;
    sink.say(&sink.language.sentences().memory.failed.clone()).await?;
    Ok(Keep::No)
}

/// Returns the only compound in the memory that begins with `topic`, a single word that is not in it itself: "Spind",
/// "Spindnummer".
async fn compound(topic: &str, store: &Store) -> Option<String> {
    let is_known = !store.known_about(topic).await.ok()?.is_nothing();
    if is_known || topic.contains(' ') || topic.chars().count() < SHORTEST_HEAD {
        return None;
    }
    let lower = topic.to_lowercase();
    let known = store.memories(None, MOST_KNOWN).await.ok()?;
    let words = known.iter().flat_map(|memory| words(&memory.text.0));
    let mut found: Vec<String> = words.filter(|word| word.starts_with(&lower)).collect();
    found.sort();
    found.dedup();
    if found.len() == 1 { found.pop() } else { None }
}

/// Returns what must be in everything that is to be forgotten: the words that matter, or else all of them.
fn topic(said: &str) -> String {
    let matter = question::content_words(said);
    if matter.is_empty() { said.to_owned() } else { matter.join(" ") }
}
