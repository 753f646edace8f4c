//! Shortens recalled memories with the model when they are long.
//!
//! Runs in the task of the turn, within the time that all digests share. It shares the answer's prompt: the same
//! system message, tools and dialogue, the instruction in the last message, so that the model has read nearly all
//! of it. A digest that fails drops what was recalled, never the answer. Documents are not digested: their marks
//! must stay.

use tokio::time::Instant;

use super::block::{self, Block, Snippets};
use super::config::MemoryDigest;
use crate::agent::request::TurnRequest;
use crate::deadline;
use crate::model::ChatModel;
use crate::prompt::side_query::{SideQueries, SideQuery};
use crate::session::Session;
use crate::sink::ReceiverClosed;
use joi_llm::ModelSize;
use joi_tools::fence;

/// Shorter than this passes through, in characters.
const SHORT: usize = 400;
/// The most that is digested at once.
const BATCH: usize = 2_000;
/// The longest note about one batch.
const NOTE: usize = 500;
/// Most tokens of one.
const TOKENS: u32 = 180;

/// The instruction for one batch.
const PROMPT: &str = include_str!("../../../../assets/prompts/memory.digest.md");

/// The snippets in batches, none of which is cut.
fn batches(snippets: &[String]) -> Vec<String> {
    let mut batches: Vec<String> = Vec::new();
    for snippet in snippets {
        match batches.last_mut() {
            Some(last) if last.chars().count() + snippet.chars().count() < BATCH => {
                last.push('\n');
                last.push_str(snippet);
            }
            _ => batches.push(snippet.clone()),
        }
    }
    batches
}

/// Returns the usable part of a note; `None` if it says that nothing is of use.
fn note(said: &str) -> Option<String> {
    let said = said.trim();
    let bare = said.trim_matches(['(', ')', '[', ']', '.', ' ', '"']).to_ascii_uppercase();
    let is_nothing = said.is_empty() || matches!(bare.as_str(), "NONE" | "N/A" | "NIL");
    (!is_nothing).then(|| fence::shortened(said, NOTE))
}

/// The block of what was found, digested where that is wanted.
pub(crate) async fn digested<M: ChatModel>(
    request: &TurnRequest<'_>,
    found: Snippets,
    mode: MemoryDigest,
    session: &Session,
    side: &SideQueries<'_, M>,
) -> Result<Block, ReceiverClosed> {
    let (asked, sink) = (request.turn.asked, side.sink);
    let Snippets { own, documents } = found;
    let is_wanted = match mode {
        MemoryDigest::Auto => request.answering.size == ModelSize::Small,
        MemoryDigest::Always => true,
        MemoryDigest::Never => false,
    };
    let raw = own.join("\n");
    if !is_wanted || raw.chars().count() < SHORT {
        return Ok(block::found(&own, &documents));
    }
    let key = format!("{asked}\n{raw}");
    let known = session.with(|state| state.caches.digests.get(&key).cloned());
    let noted = match known {
        Some(noted) => noted,
        None => match noted(asked, &own, side).await {
            Some(noted) => {
                session.with(|state| state.caches.digests.put(key, noted.clone()));
                noted
            }
            None => {
                sink.decided("memory digest", "failed", "there was no note in time").await?;
                return Ok(block::found(&[], &documents));
            }
        },
    };
    let size = noted.as_ref().map_or(0, |noted| noted.chars().count());
    let told = format!("{} to {size} characters", raw.chars().count());
    let verdict = if noted.is_some() { "short" } else { "nothing relevant" };
    sink.decided("memory digest", verdict, told).await?;
    Ok(block::found(noted.as_slice(), &documents))
}

/// The notes about all batches: nothing inside when none is of use, nothing at all when the model failed.
async fn noted<M: ChatModel>(
    asked: &str,
    own: &[String],
    side: &SideQueries<'_, M>,
) -> Option<Option<String>> {
    let began = Instant::now();
    let mut notes = Vec::new();
    let batches = batches(own);
    tracing::debug!(batches = batches.len(), "what was recalled is digested");
    for batch in batches {
        let instruction = PROMPT.replace("{asked}", asked).replace("{text}", &batch);
        let query = SideQuery {
            purpose: "memory digest",
            instruction: &instruction,
            format: None,
            tokens: TOKENS,
            limit: deadline::DIGEST.saturating_sub(began.elapsed()),
            model: "",
        };
        notes.extend(note(&side.ask(query).await?));
    }
    Some((!notes.is_empty()).then(|| notes.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_packed_and_never_cut() {
        let snippets: Vec<String> = [600, 600, 600, 2_500, 100].map(|length| "x".repeat(length)).into();
        let sizes: Vec<usize> = batches(&snippets).iter().map(|batch| batch.chars().count()).collect();
        assert_eq!(sizes, [1_802, 2_500, 100]);
    }

    #[test]
    fn a_note_of_nothing_is_no_note_and_a_long_one_is_cut() {
        for nothing in ["NONE", "(none)", "[NONE].", "n/a", "Nil", " "] {
            assert_eq!(note(nothing), None, "{nothing}");
        }
        assert_eq!(note("The user likes chess.").as_deref(), Some("The user likes chess."));
        let long = note(&"word ".repeat(300)).unwrap();
        assert!(long.chars().count() <= 500 && long.ends_with('…'));
    }
}
