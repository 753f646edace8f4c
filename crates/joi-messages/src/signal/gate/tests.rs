//! Who is let through, and with what.

use super::super::envelope::IncomingDeletion;
use super::*;

const OWNER: &str = "5e7f0000-1111-4222-8333-444455556666";

fn config() -> SignalConfig {
    SignalConfig { owner: OWNER.to_ascii_uppercase(), group: "g=".into(), ..SignalConfig::default() }
}

fn text(words: &str) -> IncomingText {
    IncomingText { text: Private(words.to_owned()), group: None, attachments: Vec::new(), is_fleeting: false }
}

fn written_as(text: IncomingText) -> ReceivedContent {
    ReceivedContent::ToUs(IncomingMatter::Written(text))
}

fn from(source: Option<&str>, stamp: i64, content: ReceivedContent) -> Received {
    Received { source: source.map(Into::into), stamp, kept_ms: Some(100), sent_ms: None, content }
}

fn written(stamp: i64) -> Received {
    from(Some(OWNER), stamp, written_as(text("hello")))
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
    assert_eq!(matter_of(gate.admit(written(1), now())), Some(OwnerMatter::Words(Private("hello".into()))));
    assert_eq!(gate.admit(written(1), now()), Admission::Ignored("the same message again"));
    let words = || written_as(text("open the door"));
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
    let put = |source: &str, stamp, approval| {
        from(Some(source), stamp, ReceivedContent::ToUs(IncomingMatter::Approved(approval)))
    };
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
        from(
            Some(OWNER),
            stamp,
            ReceivedContent::SentTo(Some(to.into()), IncomingMatter::Approved(approval(OWNER, None))),
        )
    };
    assert_eq!(matter_of(linked.admit(to(OWNER, 1), now())), fresh);
    assert_eq!(matter_of(linked.admit(to("0000", 2), now())), None);
    assert_eq!(gate.counts().strangers, 0);
}

#[test]
fn the_owner_alone_takes_back_and_corrects_and_what_disappears_is_marked() {
    let deletion = |group: Option<&str>| {
        let group = group.map(Into::into);
        ReceivedContent::ToUs(IncomingMatter::Deleted(IncomingDeletion { target: 7, group }))
    };
    let correction = || ReceivedContent::ToUs(IncomingMatter::Corrected(7, text("hello")));
    let mut gate = SignalGate::new(&config());
    assert_eq!(
        matter_of(gate.admit(from(Some(OWNER), 1, deletion(None)), now())),
        Some(OwnerMatter::TakenBack(7))
    );
    let corrected = OwnerMatter::Corrected(7, Box::new(OwnerMatter::Words(Private("hello".into()))));
    assert_eq!(matter_of(gate.admit(from(Some(OWNER), 2, correction()), now())), Some(corrected));
    for content in [deletion(None), correction()] {
        assert_eq!(matter_of(gate.admit(from(Some("0000"), 3, content), now())), None);
    }
    assert_eq!(matter_of(gate.admit(from(Some(OWNER), 4, deletion(Some("h="))), now())), None);
    assert_eq!(gate.counts().strangers, 0, "they are no messages");
    let fleeting = IncomingText { is_fleeting: true, ..text("hello") };
    let heard = gate.admit(from(Some(OWNER), 5, written_as(fleeting)), now());
    assert!(matches!(heard, Admission::Heard(OwnerMessage { is_fleeting: true, .. })));
}

#[test]
fn a_linked_device_hears_notes_to_self_and_nothing_that_goes_to_others() {
    let mut gate = SignalGate::new(&SignalConfig { mode: AccountMode::Linked, ..config() });
    let sent = |to: Option<&str>, stamp| {
        from(
            Some(OWNER),
            stamp,
            ReceivedContent::SentTo(to.map(Into::into), IncomingMatter::Written(text("hello"))),
        )
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
    let of = |source: &str, group: &str, stamp| {
        let text = IncomingText { group: Some(group.to_owned()), ..text("I've seen it") };
        from(Some(source), stamp, written_as(text))
    };
    let grouped = |group: &str, stamp| of(OWNER, group, stamp);
    let ignored = Admission::Ignored("written in a group");
    let mut gate = SignalGate::new(&config());
    // It may be that the owner has seen an alarm; anything else is said to others.
    let seen = OwnerMatter::Remark(Private("I've seen it".into()));
    assert_eq!(matter_of(gate.admit(grouped("g=", 1), now())), Some(seen));
    assert_eq!(gate.admit(grouped("g=", 1), now()), Admission::Ignored("the same message again"));
    assert_eq!(gate.admit(grouped("other=", 2), now()), ignored);
    assert_eq!(matter_of(gate.admit(of("0000", "g=", 3), now())), None, "somebody else in the group");
    let late = Received { kept_ms: Some(600_000), ..grouped("g=", 4) };
    assert_eq!(gate.admit(late, now()), ignored, "it may be about another alarm");
    assert_eq!(gate.counts().heard, 0, "nothing was written to her");
    let mut without = SignalGate::new(&SignalConfig { group: String::new(), ..config() });
    assert_eq!(without.admit(grouped("", 5), now()), ignored);
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
    let mut stale =
        |stamp, kept_ms, now| matter_of(gate.admit(kept(stamp, kept_ms), now)) == Some(OwnerMatter::Stale);
    assert!(!stale(1, Some(120_000), now()));
    assert!(stale(2, Some(120_001), now()));
    assert!(!stale(3, Some(0), now() + day) && !stale(4, Some(0), now() - day));
    // Written without a connection, and delivered at once when there was one.
    let mut late = |stamp, sent_ms| {
        let sent = Received { sent_ms: Some(sent_ms), ..kept(stamp, Some(100)) };
        matter_of(gate.admit(sent, now())) == Some(OwnerMatter::Stale)
    };
    assert!(late(5, 3 * 3_600_000));
    assert!(!late(6, 120_000) && !late(7, -3_600_000), "on time, and from a clock that is ahead");
    let mut stale =
        |stamp, kept_ms, now| matter_of(gate.admit(kept(stamp, kept_ms), now)) == Some(OwnerMatter::Stale);
    // Without the server's times our clock is all there is.
    assert!(!stale(1_000_000 - 120_000, None, now()));
    assert!(stale(1_000_000 - 120_001, None, now()));
}

#[test]
fn too_much_nothing_and_a_voice_are_distinguished() {
    let mut gate = SignalGate::new(&config());
    let mut of = |stamp, content| matter_of(gate.admit(from(Some(OWNER), stamp, written_as(content)), now()));
    assert!(matches!(of(1, text(&"ü".repeat(2000))), Some(OwnerMatter::Words(_))));
    assert_eq!(of(2, text(&"ü".repeat(2001))), Some(OwnerMatter::TooLong));
    let file = |kind: &str| IncomingFile { id: "a".into(), kind: kind.into(), size: None };
    let with = |kind: &str| IncomingText { attachments: vec![file(kind)], ..text("") };
    assert_eq!(of(3, with("audio/aac")), Some(OwnerMatter::Voice(file("audio/aac"))));
    assert_eq!(of(4, with("image/png")), Some(OwnerMatter::NoWords));
}
