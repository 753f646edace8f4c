//! "Undo that", "cancel that": what was set, or put on a list, in the turn before is taken back.
//!
//! Runs in the task of the turn. Input: what the turn before left behind in its session. Output: one sentence of what
//! was taken back, once that is stored; nothing where there is nothing to take back. The house keeps its own
//! ([`joi_understand::house::thread`]); whichever was done later counts.

use jiff::SignedDuration;

use super::{QuickContext, timers};
use crate::session::last_deed::LastDeed;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{ReplyEvent, Turn};
use joi_store::{NoteRemoval, Store, StoreError};
use joi_tools::{WayBack, taken_off};
use joi_understand::intents::TakingBack;

/// Time within which an action can be taken back.
const WITHIN: SignedDuration = SignedDuration::from_mins(5);

/// Takes back what was done last; whether there was something.
pub(super) async fn carry_out(
    wanted: TakingBack,
    deed: Option<LastDeed>,
    turn: &Turn<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<bool, ReceiverClosed> {
    let now = turn.now.timestamp();
    let counts = |deed: &LastDeed| {
        now.duration_since(deed.at).abs() <= WITHIN && (deed.is_fresh || wanted == TakingBack::Undo)
    };
    let Some(deed) = deed.filter(counts) else { return Ok(false) };
    context.session.with(|state| (state.last_set, state.last_deed) = (None, None));
    let told = match &deed.back {
        WayBack::Cancel(entry) => timers::cancel(*entry, context.schedule, turn).await,
        WayBack::TakeOff { list, entries } => off_the_list(list, entries, context.notes, turn).await,
    };
    match told {
        Ok(Some(sentence)) => {
            sink.decided("intents", "taken back", "it was done in the turn before").await?;
            sink.say(&sentence).await?;
            Ok(true)
        }
        // It rang meanwhile, or is gone.
        Ok(None) => Ok(false),
        Err(error) => {
            tracing::error!(%error, "what was done last could not be taken back");
            sink.send(ReplyEvent::Notice(error.to_string())).await?;
            sink.say(&turn.language.sentences().reply.not_taken_back).await?;
            Ok(true)
        }
    }
}

async fn off_the_list(
    list: &str,
    entries: &[String],
    notes: Option<&Store>,
    turn: &Turn<'_>,
) -> Result<Option<String>, StoreError> {
    let Some(notes) = notes else { return Ok(None) };
    let mut gone = Vec::new();
    for entry in entries {
        match notes.remove_note(list, entry).await? {
            NoteRemoval::Removed(entry) => gone.push(entry),
            NoteRemoval::Several(_) | NoteRemoval::Missing => {}
        }
    }
    Ok((!gone.is_empty()).then(|| taken_off(list, &gone, &turn.language)))
}
