//! Whose messages go further, and which of them.
//!
//! In: received messages, the time. Out: what the owner wrote, or why it goes no further. Whoever is not the owner is
//! counted and ignored: no answer shows a stranger that somebody listens. Fails closed: no known uuid, no message.
//! Messages are distinguished by sender and time stamp; what we have sent ourselves never comes back in.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use super::config::{AccountMode, SignalConfig};
use super::envelope::{
    IncomingApproval, IncomingFile, IncomingMatter, IncomingText, Received, ReceivedContent,
};
use joi_base::message::Private;

/// Messages that are remembered, to detect the second of two.
const REMEMBERED: usize = 500;
/// Characters of the longest message that is understood.
const LONGEST: usize = 2000;

/// Where the owner wrote, and is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignalThread {
    /// Between the owner and joi.
    Owner,
    /// In the group for alerts.
    Group,
}

/// A message of the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerMessage {
    /// Where.
    pub thread: SignalThread,
    /// When, by the sender's clock.
    pub written_at: Timestamp,
    /// When, by the sender's clock in ms: it names the message.
    pub stamp: i64,
    /// It disappears from the thread: nothing of it is stored.
    pub is_fleeting: bool,
    /// The treatment of the message.
    pub matter: OwnerMatter,
}

/// The treatment of a message of the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerMatter {
    /// Answer these words.
    Words(Private<String>),
    /// Words where joi answers nothing: they may say that an alarm was seen.
    Remark(Private<String>),
    /// Listen to this voice message and answer it.
    Voice(IncomingFile),
    /// A thumb up to the message of this time stamp.
    Approval(i64, ApprovalAge),
    /// The message of this time stamp is not to be answered.
    TakenBack(i64),
    /// The message of this time stamp reads so now, as far as it was not begun.
    Corrected(i64, Box<OwnerMatter>),
    /// It is too old to be obeyed.
    Stale,
    /// It is too long.
    TooLong,
    /// There are neither words nor a voice in it.
    NoWords,
}

/// Whether a thumb up may still say yes to a question; that something was seen it says at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAge {
    /// It may.
    Fresh,
    /// It was too long on its way.
    Stale,
}

/// The verdict of the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It does.
    Heard(OwnerMessage),
    /// It does not, for this reason.
    Ignored(&'static str),
}

/// Counters of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GateCounts {
    /// Messages of anybody but the owner.
    pub strangers: u64,
    /// Messages of the owner.
    pub heard: u64,
}

/// Lets the owner's messages through.
#[derive(Debug)]
pub struct SignalGate {
    owner: String,
    group: String,
    answers_in_group: bool,
    mode: AccountMode,
    stale_after: SignedDuration,
    seen: VecDeque<(String, i64)>,
    own: VecDeque<i64>,
    counts: GateCounts,
}

impl SignalGate {
    /// A gate for the owner of the configuration.
    pub fn new(config: &SignalConfig) -> Self {
        Self {
            owner: config.owner_uuid(),
            group: config.group.clone(),
            answers_in_group: config.answer_in_group,
            mode: config.mode,
            stale_after: SignedDuration::from_secs(i64::from(config.stale_after_s)),
            seen: VecDeque::new(),
            own: VecDeque::new(),
            counts: GateCounts::default(),
        }
    }

    /// Returns what it has seen so far.
    pub fn counts(&self) -> GateCounts {
        self.counts
    }

    /// We have sent a message of this time stamp: it is none for us.
    pub fn sent(&mut self, stamp: i64) {
        remember(&mut self.own, stamp);
    }

    /// Returns whether a message goes further.
    pub fn admit(&mut self, received: Received, now: Timestamp) -> Admission {
        self.admitted(&received, now).map_or_else(Admission::Ignored, Admission::Heard)
    }

    fn admitted(&mut self, received: &Received, now: Timestamp) -> Result<OwnerMessage, &'static str> {
        let sent = self.addressed(received)?.clone();
        let is_stale = self.is_stale(received, now);
        let thread = match &sent {
            IncomingMatter::Approved(approval) => self.thread_of_approval(approval)?,
            IncomingMatter::Written(text) if self.is_remark(text) => SignalThread::Group,
            other => self.thread_of(other.group())?,
        };
        if !self.is_first(received.stamp) {
            return Err("the same message again");
        }
        if let IncomingMatter::Written(text) = &sent
            && !self.is_remark(text)
        {
            self.counts.heard = self.counts.heard.saturating_add(1);
        }
        let (is_fleeting, matter) = match sent {
            IncomingMatter::Written(text) if self.is_remark(&text) => match (matter(text), is_stale) {
                (OwnerMatter::Words(words), false) => (true, OwnerMatter::Remark(words)),
                _ => return Err("written in a group"),
            },
            IncomingMatter::Written(text) if is_stale => (text.is_fleeting, OwnerMatter::Stale),
            IncomingMatter::Written(text) => (text.is_fleeting, matter(text)),
            IncomingMatter::Corrected(target, text) => {
                (text.is_fleeting, OwnerMatter::Corrected(target, Box::new(matter(text))))
            }
            IncomingMatter::Deleted(deletion) => (false, OwnerMatter::TakenBack(deletion.target)),
            IncomingMatter::Approved(approval) => {
                let age = if is_stale { ApprovalAge::Stale } else { ApprovalAge::Fresh };
                (false, OwnerMatter::Approval(approval.target, age))
            }
        };
        let (written_at, stamp) = (received.written_at(), received.stamp);
        Ok(OwnerMessage { thread, written_at, stamp, is_fleeting, matter })
    }

    /// Returns what the owner sent to joi.
    fn addressed<'a>(&mut self, received: &'a Received) -> Result<&'a IncomingMatter, &'static str> {
        if self.own.contains(&received.stamp) {
            return Err("our own message");
        }
        let is_owner = !self.owner.is_empty() && received.source.as_deref() == Some(self.owner.as_str());
        match (&received.content, self.mode) {
            (ReceivedContent::Nothing(what), _) => Err(*what),
            (ReceivedContent::ToUs(IncomingMatter::Written(_)), AccountMode::OwnNumber) if !is_owner => {
                self.counts.strangers = self.counts.strangers.saturating_add(1);
                Err("written by a stranger")
            }
            (ReceivedContent::ToUs(matter), AccountMode::OwnNumber) if is_owner => Ok(matter),
            (ReceivedContent::SentTo(to, matter), AccountMode::Linked)
                if is_owner && (*to == received.source || matter.group().is_some()) =>
            {
                Ok(matter)
            }
            _ => Err("between others"),
        }
    }

    fn thread_of(&self, group: Option<&str>) -> Result<SignalThread, &'static str> {
        match group {
            None => Ok(SignalThread::Owner),
            Some(group) if self.answers_in_group && *group == self.group => Ok(SignalThread::Group),
            Some(_) => Err("written in a group"),
        }
    }

    /// Returns whether it is written in the group for alerts where joi does not answer.
    fn is_remark(&self, text: &IncomingText) -> bool {
        !self.answers_in_group && !self.group.is_empty() && text.group.as_deref() == Some(&*self.group)
    }

    /// Returns the thread of an approval. Only the owner's counts, for messages of joi, in their thread or the group
    /// for alerts.
    fn thread_of_approval(&self, approval: &IncomingApproval) -> Result<SignalThread, &'static str> {
        let thread = match &approval.group {
            None => SignalThread::Owner,
            Some(group) if *group == self.group => SignalThread::Group,
            Some(_) => return Err("a reaction in another group"),
        };
        let is_of_owner = approval.author.as_ref().map(|author| *author == self.owner);
        // On a linked device what we have written is the owner's as well.
        match is_of_owner {
            Some(is_his) if is_his != (self.mode == AccountMode::Linked) => {
                Err("a reaction to somebody else's message")
            }
            _ => Ok(thread),
        }
    }

    /// Returns whether this message of the owner was not there before.
    fn is_first(&mut self, stamp: i64) -> bool {
        let name = (self.owner.clone(), stamp);
        let is_first = !self.seen.contains(&name);
        if is_first {
            remember(&mut self.seen, name);
        }
        is_first
    }

    /// By the server's clock where it reports its times, since ours may be wrong. What was written without a connection
    /// is old when the server gets it; a phone whose clock is ahead writes nothing old.
    fn is_stale(&self, received: &Received, now: Timestamp) -> bool {
        let is_late = received.sent_ms.is_some_and(|ms| SignedDuration::from_millis(ms) > self.stale_after);
        let age = match received.kept_ms {
            Some(kept) => SignedDuration::from_millis(kept),
            None => now.duration_since(received.written_at()),
        };
        is_late || age.abs() > self.stale_after
    }
}

fn matter(text: IncomingText) -> OwnerMatter {
    let IncomingText { text, attachments, .. } = text;
    let voice = attachments.into_iter().find(|file| file.kind.starts_with("audio/"));
    match (text.0.is_empty(), voice) {
        (false, _) if text.0.chars().count() > LONGEST => OwnerMatter::TooLong,
        (false, _) => OwnerMatter::Words(text),
        (true, Some(voice)) => OwnerMatter::Voice(voice),
        (true, None) => OwnerMatter::NoWords,
    }
}

fn remember<T>(list: &mut VecDeque<T>, new: T) {
    list.push_back(new);
    if list.len() > REMEMBERED {
        list.pop_front();
    }
}

#[cfg(test)]
mod tests;
