//! Predicts the answer to a request that needs no model, before it is certain that the request is complete.
//!
//! Nothing is done, stored or said: the words are synthesised in advance, and discarded when others are said.

use std::sync::Arc;

use crate::engine::Engine;
use crate::memory::told;
use crate::model::ChatModel;
use crate::session::Session;
use crate::turn::Turn;
use joi_language::Language;
use joi_llm::ModelSize;
use joi_schedule::words;
use joi_tools::{ready_answer, ready_reading};
use joi_understand::intents::{self, Intent, MemoryOrder};

/// The whole answer to `text`, and its language; nothing when that depends on more than the words.
pub async fn foresee<M: ChatModel>(
    engine: &Engine<M>,
    session: &Session,
    text: &str,
    heard: Option<&str>,
) -> Option<(String, Arc<Language>)> {
    let language = engine.language_of(session, text, heard);
    let asked = joi_redact::redact_in(text, &language).fluent(&language);
    let now = engine.parts.clock.now();
    let turn = Turn::of(session.id(), asked.as_str(), now, Arc::clone(&language));
    if !asked.labels().is_empty() || goes_on(&turn, session) {
        return None;
    }
    let Some(quick) = intents::match_intent(&language, turn.asked) else {
        // A large model words the answer itself.
        if engine.answering().size != ModelSize::Small {
            return None;
        }
        let words = match (ready_answer(turn.asked, &language), &engine.parts.store) {
            (None, Some(store)) => ready_reading(turn.asked, store, &language).await,
            (words, _) => words,
        };
        return words.map(|words| (words, language));
    };
    let words = match &quick.what {
        Intent::Schedule(order) => {
            let (report, at) = engine.parts.schedule.as_ref()?.foresee(order.clone()).await.ok()?;
            words::reported(&report, &at, &language)
        }
        Intent::Memory(MemoryOrder::Remember { kind, text }) => told::remembered(&language, *kind, text),
        Intent::Home(_) | Intent::Memory(_) | Intent::Stop => return None,
        what => {
            let last = session.with(|state| state.last_reply.clone());
            intents::answer(&language, what, &turn.now, last.as_deref())
        }
    };
    (!words.is_empty()).then_some((words, language))
}

/// Returns whether the words may belong to what was said before them.
pub(crate) fn goes_on(turn: &Turn<'_>, session: &Session) -> bool {
    session.with(|state| {
        let last_set = state.last_set.as_ref();
        state.question.is_some()
            || state.clarification.is_some()
            || last_set.is_some_and(|set| set.continued(&turn.language, turn.asked, &turn.now).is_some())
    })
}
