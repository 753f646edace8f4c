//! How an agent goes on after a restart, and what of it is kept for the next one.
//!
//! Part of the agent's task. What waited for a yes is announced as denied, a call that ran as of unknown outcome, before it is
//! taken off the disk: a crash in between announces it twice, and does nothing twice.

use std::sync::Arc;

use futures_util::FutureExt as _;

use super::effects::AgentDone;
use super::shared::AgentShared;
use super::task::AgentTask;
use joi_agent::model::ChatModel;
use joi_autonomy::agent::approval::AgentApproval;
use joi_autonomy::agent::entry::shown;
use joi_autonomy::agent::exchange::{APPROVAL, Notification};
use joi_autonomy::agent::pace::AgentLoop;
use joi_language::{SentenceField, SentenceName, SentenceTemplate};
use joi_schedule::announce::{Announcement, AnnouncementOrigin, AnnouncementPriority, IfUnheard};
use joi_tools::Source;

impl<M: ChatModel + 'static> AgentTask<M> {
    /// Goes on with what an earlier run has kept.
    pub(super) async fn go_on(&mut self) {
        let shared = Arc::clone(&self.shared);
        let kept = shared.world.kept.of(&shared.name).await;
        for call in &kept.waiting {
            announce(&shared, SentenceName::AgentLapsed, call).await;
        }
        for call in &kept.running {
            announce(&shared, SentenceName::AgentOutcomeUnknown, call).await;
        }
        let now = shared.world.clock.now().timestamp();
        *shared.state() = AgentLoop::new(&shared.entry, now).going_on(kept, now);
        self.keep().await;
    }

    /// Keeps what is to outlast the program; returns whether it is on the disk.
    pub(super) async fn keep(&mut self) -> bool {
        let kept = self.shared.state().kept();
        let done = self.shared.world.kept.keep(&self.shared.name, kept).await;
        if let Err(error) = &done {
            tracing::error!(agent = self.shared.name, %error, "what an agent may not forget was not stored");
        }
        done.is_ok()
    }

    /// A granted call that can't be put on the disk is not made: a crash might make it twice.
    pub(super) fn leave(&self, call: &AgentApproval) {
        let text =
            format!("{} (call {}) was granted and not done: nothing can be stored.", call.tool, call.id);
        let (id, name) = (call.id, APPROVAL.to_owned());
        let left = AgentDone::Ran(id, Notification { name, text, source: Source::Own });
        self.working.push(async move { left }.boxed());
    }
}

/// Announces what became of a call that an earlier run left.
async fn announce<M: ChatModel>(shared: &AgentShared<M>, sentence: SentenceName, call: &AgentApproval) {
    let words = |text: &str| SentenceField::Words(text.to_owned());
    let sentence = SentenceTemplate::from(sentence)
        .with("name", words(&shown(&shared.name)))
        .with("text", words(&call.in_words));
    let (origin, priority) = (AnnouncementOrigin::Agent, AnnouncementPriority::Notice);
    let told = Announcement { if_unheard: IfUnheard::Keep, ..Announcement::new(origin, priority, sentence) };
    shared.world.announcer.announce(told).await;
}
