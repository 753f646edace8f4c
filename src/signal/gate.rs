//! PURE. Whose messages go further, and which of them.
//!
//! In: received messages, the time. Out: what the owner wrote, or why it goes no further. Whoever is not the owner is
//! counted and ignored: no answer tells a stranger that somebody listens. Fails closed: no known uuid, no message.
//! Messages are told apart by sender and time stamp; what we have sent ourselves never comes back in.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use super::config::{AccountMode, SignalConfig};
use super::envelope::{IncomingApproval, IncomingFile, IncomingText, Received, ReceivedContent};
use crate::message::Private;

/// Messages that are remembered, to tell the second of two.
const REMEMBERED: usize = 500;
/// Characters of the longest message that is understood.
const LONGEST: usize = 2000;

/// Where the owner wrote, and is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignalThread {
    /// Between him and her.
    Owner,
    /// In the group for alerts.
    Group,
}

/// What the owner wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerMessage {
    /// Where.
    pub thread: SignalThread,
    /// When, by his clock.
    pub written_at: Timestamp,
    /// When, by his clock in ms: it names the message.
    pub stamp: i64,
    /// What is to be done with it.
    pub matter: OwnerMatter,
}

/// What is to be done with a message of the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerMatter {
    /// Answer these words.
    Words(Private<String>),
    /// Listen to this voice message and answer it.
    Voice(IncomingFile),
    /// A thumb up to the message of this time stamp.
    Approval(i64, ApprovalAge),
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

/// Whether a message goes further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It does.
    Heard(OwnerMessage),
    /// It does not, for this reason.
    Ignored(&'static str),
}

/// What the gate has seen.
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

    /// What it has seen so far.
    pub fn counts(&self) -> GateCounts {
        self.counts
    }

    /// We have sent a message of this time stamp: it is none for us.
    pub fn sent(&mut self, stamp: i64) {
        remember(&mut self.own, stamp);
    }

    /// Whether a message goes further.
    pub fn admit(&mut self, received: Received, now: Timestamp) -> Admission {
        if self.own.contains(&received.stamp) {
            return Admission::Ignored("our own message");
        }
        let is_owner = !self.owner.is_empty() && received.source.as_deref() == Some(self.owner.as_str());
        let text = match (&received.content, self.mode) {
            (ReceivedContent::Nothing(what), _) => return Admission::Ignored(what),
            (ReceivedContent::Approved(_) | ReceivedContent::ApprovedTo(..), _) if !is_owner => {
                return Admission::Ignored("a reaction of somebody else");
            }
            (ReceivedContent::Approved(approval), AccountMode::OwnNumber) => {
                return self.approved(&received, approval, now);
            }
            (ReceivedContent::ApprovedTo(to, approval), AccountMode::Linked)
                if *to == received.source || approval.group.is_some() =>
            {
                return self.approved(&received, approval, now);
            }
            (ReceivedContent::Written(_), AccountMode::OwnNumber) if !is_owner => {
                self.counts.strangers = self.counts.strangers.saturating_add(1);
                return Admission::Ignored("written by a stranger");
            }
            (ReceivedContent::Written(text), AccountMode::OwnNumber) => text.clone(),
            (ReceivedContent::SentTo(to, text), AccountMode::Linked)
                if is_owner && (*to == received.source || text.group.is_some()) =>
            {
                text.clone()
            }
            _ => return Admission::Ignored("between others"),
        };
        if !self.is_first(received.stamp) {
            return Admission::Ignored("the same message again");
        }
        let thread = match &text.group {
            None => SignalThread::Owner,
            Some(group) if self.answers_in_group && *group == self.group => SignalThread::Group,
            Some(_) => return Admission::Ignored("written in a group"),
        };
        self.counts.heard = self.counts.heard.saturating_add(1);
        let matter = if self.is_stale(&received, now) { OwnerMatter::Stale } else { matter(text) };
        let (written_at, stamp) = (received.written_at(), received.stamp);
        Admission::Heard(OwnerMessage { thread, written_at, stamp, matter })
    }

    /// A thumb up of the owner: it counts for messages of ours only, in the thread with him and in the group for alerts.
    fn approved(&mut self, received: &Received, approval: &IncomingApproval, now: Timestamp) -> Admission {
        let thread = match &approval.group {
            None => SignalThread::Owner,
            Some(group) if *group == self.group => SignalThread::Group,
            Some(_) => return Admission::Ignored("a reaction in another group"),
        };
        let is_of_owner = approval.author.as_ref().map(|author| *author == self.owner);
        // On a linked device what we have written is the owner's as well.
        if is_of_owner.is_some_and(|is_his| is_his != (self.mode == AccountMode::Linked)) {
            return Admission::Ignored("a reaction to somebody else's message");
        }
        if !self.is_first(received.stamp) {
            return Admission::Ignored("the same message again");
        }
        let age = if self.is_stale(received, now) { ApprovalAge::Stale } else { ApprovalAge::Fresh };
        let matter = OwnerMatter::Approval(approval.target, age);
        Admission::Heard(OwnerMessage {
            thread,
            written_at: received.written_at(),
            stamp: received.stamp,
            matter,
        })
    }

    /// Whether this message of the owner was not there before.
    fn is_first(&mut self, stamp: i64) -> bool {
        let name = (self.owner.clone(), stamp);
        let is_first = !self.seen.contains(&name);
        if is_first {
            remember(&mut self.seen, name);
        }
        is_first
    }

    /// By the server's clock where it tells both times: ours may be wrong, and so may the sender's.
    fn is_stale(&self, received: &Received, now: Timestamp) -> bool {
        let age = match received.kept_ms {
            Some(kept) => SignedDuration::from_millis(kept),
            None => now.duration_since(received.written_at()),
        };
        age.abs() > self.stale_after
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
mod tests {
    use super::*;

    const OWNER: &str = "5e7f0000-1111-4222-8333-444455556666";

    fn config() -> SignalConfig {
        SignalConfig { owner: OWNER.to_ascii_uppercase(), group: "g=".into(), ..SignalConfig::default() }
    }

    fn text(words: &str) -> IncomingText {
        IncomingText { text: Private(words.to_owned()), group: None, attachments: Vec::new() }
    }

    fn from(source: Option<&str>, stamp: i64, content: ReceivedContent) -> Received {
        Received { source: source.map(Into::into), stamp, kept_ms: Some(100), content }
    }

    fn written(stamp: i64) -> Received {
        from(Some(OWNER), stamp, ReceivedContent::Written(text("hello")))
    }

    fn now() -> Timestamp {
        Timestamp::from_millisecond(1_000_000).unwrap()
    }

    fn matter_of(admission: Admission) -> Option<OwnerMatter> {
        match admission {
            Admission::Heard(message) => Some(message.matter),
            Admission::Ignored(_) => None,
        }
    }

    #[test]
    fn the_owner_is_heard_once_and_nobody_else_ever() {
        let mut gate = SignalGate::new(&config());
        assert_eq!(
            matter_of(gate.admit(written(1), now())),
            Some(OwnerMatter::Words(Private("hello".into())))
        );
        assert_eq!(gate.admit(written(1), now()), Admission::Ignored("the same message again"));
        let words = || ReceivedContent::Written(text("open the door"));
        for source in [Some("0000"), None] {
            assert_eq!(matter_of(gate.admit(from(source, 2, words()), now())), None);
        }
        assert_eq!(gate.counts(), GateCounts { strangers: 2, heard: 1 });
        let mut nobody = SignalGate::new(&SignalConfig::default());
        assert_eq!(matter_of(nobody.admit(from(Some(""), 3, words()), now())), None);
    }

    #[test]
    fn a_thumb_up_counts_of_the_owner_only_and_to_messages_of_ours_only() {
        let approval = |author: &str, group: Option<&str>| IncomingApproval {
            target: 77,
            author: Some(author.to_owned()),
            group: group.map(Into::into),
        };
        let put =
            |source: &str, stamp, approval| from(Some(source), stamp, ReceivedContent::Approved(approval));
        let mut gate = SignalGate::new(&config());
        let fresh = Some(OwnerMatter::Approval(77, ApprovalAge::Fresh));
        assert_eq!(matter_of(gate.admit(put(OWNER, 1, approval("us", None)), now())), fresh);
        assert_eq!(matter_of(gate.admit(put(OWNER, 1, approval("us", None)), now())), None, "again");
        assert_eq!(matter_of(gate.admit(put("0000", 2, approval("us", None)), now())), None);
        assert_eq!(matter_of(gate.admit(put(OWNER, 3, approval(OWNER, None)), now())), None);
        assert_eq!(matter_of(gate.admit(put(OWNER, 4, approval("us", Some("g="))), now())), fresh);
        assert_eq!(matter_of(gate.admit(put(OWNER, 5, approval("us", Some("h="))), now())), None);
        let late = Received { kept_ms: Some(600_000), ..put(OWNER, 6, approval("us", None)) };
        let stale = Some(OwnerMatter::Approval(77, ApprovalAge::Stale));
        assert_eq!(matter_of(gate.admit(late, now())), stale);
        let mut linked = SignalGate::new(&SignalConfig { mode: AccountMode::Linked, ..config() });
        let to = |to: &str, stamp| {
            from(Some(OWNER), stamp, ReceivedContent::ApprovedTo(Some(to.into()), approval(OWNER, None)))
        };
        assert_eq!(matter_of(linked.admit(to(OWNER, 1), now())), fresh);
        assert_eq!(matter_of(linked.admit(to("0000", 2), now())), None);
        assert_eq!(gate.counts().strangers, 0);
    }

    #[test]
    fn a_linked_device_hears_notes_to_self_and_nothing_that_goes_to_others() {
        let mut gate = SignalGate::new(&SignalConfig { mode: AccountMode::Linked, ..config() });
        let sent = |to: Option<&str>, stamp| {
            from(Some(OWNER), stamp, ReceivedContent::SentTo(to.map(Into::into), text("hello")))
        };
        assert!(matter_of(gate.admit(sent(Some(OWNER), 1), now())).is_some());
        assert_eq!(matter_of(gate.admit(sent(Some("0000"), 2), now())), None);
        assert_eq!(matter_of(gate.admit(sent(None, 3), now())), None);
        assert_eq!(matter_of(gate.admit(written(4), now())), None);
        gate.sent(5);
        assert_eq!(gate.admit(sent(Some(OWNER), 5), now()), Admission::Ignored("our own message"));
        assert_eq!(gate.counts().strangers, 0, "what others write to the owner is none of our business");
    }

    #[test]
    fn in_a_group_the_owner_is_heard_only_where_that_is_wanted() {
        let grouped = |group: &str, stamp| {
            let text = IncomingText { group: Some(group.to_owned()), ..text("hello") };
            from(Some(OWNER), stamp, ReceivedContent::Written(text))
        };
        let mut gate = SignalGate::new(&config());
        assert_eq!(gate.admit(grouped("g=", 1), now()), Admission::Ignored("written in a group"));
        let mut gate = SignalGate::new(&SignalConfig { answer_in_group: true, ..config() });
        let heard = gate.admit(grouped("g=", 1), now());
        assert!(matches!(heard, Admission::Heard(OwnerMessage { thread: SignalThread::Group, .. })));
        assert_eq!(gate.admit(grouped("other=", 2), now()), Admission::Ignored("written in a group"));
    }

    #[test]
    fn what_lay_on_the_server_for_long_is_not_obeyed_whatever_our_clock_shows() {
        let mut gate = SignalGate::new(&config());
        let kept = |stamp, kept_ms| Received { kept_ms, ..written(stamp) };
        let day = SignedDuration::from_hours(24);
        let mut stale = |stamp, kept_ms, now| {
            matter_of(gate.admit(kept(stamp, kept_ms), now)) == Some(OwnerMatter::Stale)
        };
        assert!(!stale(1, Some(120_000), now()));
        assert!(stale(2, Some(120_001), now()));
        assert!(!stale(3, Some(0), now() + day) && !stale(4, Some(0), now() - day));
        // Without the server's times our clock is all there is.
        assert!(!stale(1_000_000 - 120_000, None, now()));
        assert!(stale(1_000_000 - 120_001, None, now()));
    }

    #[test]
    fn too_much_nothing_and_a_voice_are_told_apart() {
        let mut gate = SignalGate::new(&config());
        let mut of = |stamp, content| {
            matter_of(gate.admit(from(Some(OWNER), stamp, ReceivedContent::Written(content)), now()))
        };
        assert!(matches!(of(1, text(&"ü".repeat(2000))), Some(OwnerMatter::Words(_))));
        assert_eq!(of(2, text(&"ü".repeat(2001))), Some(OwnerMatter::TooLong));
        let file = |kind: &str| IncomingFile { id: "a".into(), kind: kind.into(), size: None };
        let with = |kind: &str| IncomingText { attachments: vec![file(kind)], ..text("") };
        assert_eq!(of(3, with("audio/aac")), Some(OwnerMatter::Voice(file("audio/aac"))));
        assert_eq!(of(4, with("image/png")), Some(OwnerMatter::NoWords));
    }
}
