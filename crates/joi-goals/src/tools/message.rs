//! `send_message`: a message into the thread, said aloud where nobody reads it.
//!
//! A message that an answer might not hold is refused. What is said aloud goes through the queue of announcements, at most twice a
//! day for each goal; words that were read elsewhere are said to be so.

use joi_answer::check::{check, estimated_tokens};
use joi_autonomy::agent::news::{AgentEvent, AgentNews};
use joi_language::{SentenceField, SentenceName, SentenceTemplate};
use joi_schedule::announce::{Announcement, AnnouncementOrigin, AnnouncementPriority};
use joi_store::NewCell;
use joi_tools::{Call, Output, Source, ToolError};

use super::scope::{RunTools, clean, lost, origin};
use crate::limits::{SPOKEN_PER_DAY, SPOKEN_WITHIN};

/// The channel of a message that was said aloud.
const ALOUD: &str = "aloud";

pub(super) async fn send(run: &RunTools, call: Call<'_>) -> Result<Output, ToolError> {
    let text = clean(&call, "text");
    check(&text, estimated_tokens(&text)).map_err(|refusal| ToolError::TellModel(refusal.to_string()))?;
    deliver(run, &text, &call).await?;
    Ok(Output::own("It was sent."))
}

/// Puts a message of the agent into its thread, and has it said aloud where that is due.
pub(crate) async fn deliver(run: &RunTools, text: &str, call: &Call<'_>) -> Result<(), ToolError> {
    let (work, now) = (run.row.id, call.now);
    let said = run.store.cells(work, 0, 200).await.map_err(lost)?;
    let is_today = |at: jiff::Timestamp| at.to_zoned(now.time_zone().clone()).date() == now.date();
    let today = said.iter().filter(|cell| cell.channel == ALOUD && is_today(cell.at)).count();
    let is_aloud = run.is_spoken && today < SPOKEN_PER_DAY;
    let channel = if is_aloud { ALOUD } else { "" };
    let cell = NewCell {
        author: "agent",
        kind: "text",
        text: text.to_owned(),
        origin: origin(call.source),
        channel: channel.to_owned(),
        run: Some(run.run),
    };
    run.store.add_cell(work, cell, now.timestamp()).await.map_err(lost)?;
    run.bus.send(AgentEvent {
        news: AgentNews::GoalMessage { work },
        agent: run.row.kind.clone(),
        at: now.timestamp(),
        words: Some(text.to_owned()),
    });
    if is_aloud {
        let words = |text: &str| SentenceField::Words(text.to_owned());
        let name = match call.source {
            Source::Own => SentenceName::GoalSays,
            Source::Foreign => SentenceName::GoalSaysForeign,
        };
        let sentence =
            SentenceTemplate::from(name).with("name", words(&run.row.name)).with("text", words(text));
        let (origin, priority) = (AnnouncementOrigin::Agent, AnnouncementPriority::Notice);
        let expires = run.announcer.moment_after(SPOKEN_WITHIN);
        run.announcer
            .announce(Announcement { expires, ..Announcement::new(origin, priority, sentence) })
            .await;
    }
    Ok(())
}
