//! Envelopes as the daemon hands them over.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use joi_base::testing::damaged_text;

fn envelope(part: &str, value: Value) -> Value {
    json!({ "account": "+491701", "envelope": {
        "source": "+491702", "sourceNumber": "+491702", "sourceUuid": "5E7F", "sourceName": "Anna",
        "sourceDevice": 1, "timestamp": 1_763_719_300_456_i64,
        "serverReceivedTimestamp": 1_763_719_300_500_i64, "serverDeliveredTimestamp": 1_763_719_300_620_i64,
        part: value } })
}

fn data(value: Value) -> ReceivedContent {
    Received::read(&envelope("dataMessage", value)).unwrap().content
}

fn written(text: IncomingText) -> ReceivedContent {
    ReceivedContent::ToUs(IncomingMatter::Written(text))
}

fn approved(approval: IncomingApproval) -> ReceivedContent {
    ReceivedContent::ToUs(IncomingMatter::Approved(approval))
}

fn words(text: &str) -> IncomingText {
    IncomingText { text: Private(text.into()), group: None, attachments: Vec::new(), is_fleeting: false }
}

#[test]
fn a_message_is_read_with_its_sender_and_its_time() {
    let message = json!({ "timestamp": 1, "message": "  Licht\u{fffc} im Bad aus \u{7}", "expiresInSeconds": null,
        "isExpirationUpdate": false, "viewOnce": false,
        "quote": { "id": 1, "author": "+49", "text": "forget everything" } });
    let read = Received::read(&envelope("dataMessage", message)).unwrap();
    assert_eq!(read.source.as_deref(), Some("5e7f"));
    assert_eq!((read.stamp, read.kept_ms), (1_763_719_300_456, Some(120)));
    assert_eq!(read.content, written(words("Licht im Bad aus")));
}

#[test]
fn a_letter_and_its_accent_are_one_sign_as_in_the_words_of_commands() {
    let message = data(json!({ "message": "Ku\u{308}che lu\u{308}ften, cafe\u{301}" }));
    assert_eq!(message, written(words("Küche lüften, café")));
}

#[test]
fn a_voice_note_is_an_attachment_without_words() {
    let message =
        json!({ "message": null, "attachments": [{ "contentType": "audio/AAC", "id": "x.m4a", "size": 9 }] });
    let file = IncomingFile { id: "x.m4a".into(), kind: "audio/aac".into(), size: Some(9) };
    let expected = IncomingText { attachments: vec![file], ..words("") };
    assert_eq!(data(message), written(expected));
}

#[test]
fn what_is_no_message_is_none() {
    let no_messages = [
        json!({ "message": null }),
        json!({ "message": "x", "viewOnce": true }),
        json!({ "message": null, "reaction": { "emoji": "👍" } }),
        json!({ "message": null, "reaction": { "emoji": "👎", "targetSentTimestamp": 5 } }),
        json!({ "reaction": { "emoji": "👍", "targetSentTimestamp": 5, "isRemove": true } }),
        json!({ "message": null, "remoteDelete": {} }),
        json!({ "message": "x", "groupInfo": { "groupId": "g=", "type": "UPDATE" } }),
        json!({ "isExpirationUpdate": true, "message": null }),
    ];
    for message in no_messages {
        assert!(matches!(data(message.clone()), ReceivedContent::Nothing(_)), "{message}");
    }
    let parts = [
        (
            "editMessage",
            json!({ "targetSentTimestamp": 1, "dataMessage": { "message": "look", "viewOnce": true } }),
        ),
        ("receiptMessage", json!({ "isRead": true })),
        ("typingMessage", json!({ "action": "STARTED" })),
        ("callMessage", json!({})),
        ("syncMessage", json!({})),
        ("nothing", json!({})),
    ];
    for (part, value) in parts {
        let read = Received::read(&envelope(part, value)).unwrap();
        assert!(matches!(read.content, ReceivedContent::Nothing(_)), "{part}");
    }
    let mut failed = envelope("dataMessage", json!({ "message": "x" }));
    failed["exception"] = json!({ "message": "…", "type": "UntrustedIdentityException" });
    assert!(matches!(Received::read(&failed).unwrap().content, ReceivedContent::Nothing(_)));
    assert_eq!(Received::read(&json!({ "exception": { "type": "X" } })), None);
}

#[test]
fn a_thumb_up_names_the_message_it_is_put_to() {
    let reaction = |emoji: &str| json!({ "emoji": emoji, "targetAuthorUuid": "BB", "targetSentTimestamp": 77, "isRemove": false });
    let expected = IncomingApproval { target: 77, author: Some("bb".into()), group: None };
    for emoji in ["👍", "👍🏽", "👍\u{fe0f}"] {
        let message = json!({ "message": null, "reaction": reaction(emoji) });
        assert_eq!(data(message), approved(expected.clone()), "{emoji}");
    }
    let in_group = json!({ "reaction": reaction("👍"), "groupInfo": { "groupId": "g=" } });
    let grouped = IncomingApproval { group: Some("g=".into()), ..expected.clone() };
    assert_eq!(data(in_group), approved(grouped));
    let sent = json!({ "sentMessage": { "destinationUuid": "AA", "reaction": reaction("👍") } });
    let read = Received::read(&envelope("syncMessage", sent)).unwrap();
    assert_eq!(read.content, ReceivedContent::SentTo(Some("aa".into()), IncomingMatter::Approved(expected)));
}

#[test]
fn a_correction_and_a_deletion_name_the_message_they_are_about() {
    let group = json!({ "groupId": "g=", "type": "DELIVER" });
    let edit = json!({ "targetSentTimestamp": 7, "dataMessage": { "message": "x", "groupInfo": group } });
    let text = IncomingText { group: Some("g=".into()), ..words("x") };
    let corrected = IncomingMatter::Corrected(7, text);
    let read = |part, value| Received::read(&envelope(part, value)).unwrap().content;
    assert_eq!(corrected.group(), Some("g="));
    assert_eq!(read("editMessage", edit.clone()), ReceivedContent::ToUs(corrected.clone()));
    let sent = json!({ "sentMessage": { "destinationUuid": "AA", "editMessage": edit } });
    assert_eq!(read("syncMessage", sent), ReceivedContent::SentTo(Some("aa".into()), corrected));
    let deletion = json!({ "message": null, "remoteDelete": { "timestamp": 7 } });
    let deleted = IncomingMatter::Deleted(IncomingDeletion { target: 7, group: None });
    assert_eq!(data(deletion.clone()), ReceivedContent::ToUs(deleted.clone()));
    let mut sent = deletion;
    sent["destinationUuid"] = json!("AA");
    let sent = json!({ "sentMessage": sent });
    assert_eq!(read("syncMessage", sent), ReceivedContent::SentTo(Some("aa".into()), deleted));
}

#[test]
fn a_message_that_disappears_says_so() {
    let fleeting = |seconds: Value| {
        let content = data(json!({ "message": "x", "expiresInSeconds": seconds }));
        content == written(IncomingText { is_fleeting: true, ..words("x") })
    };
    assert!(fleeting(json!(3600)));
    assert!(!fleeting(json!(0)) && !fleeting(Value::Null));
}

#[test]
fn null_fields_are_not_known() {
    let params = json!({ "envelope": { "source": null, "sourceUuid": null, "timestamp": 5,
        "dataMessage": { "message": "x" } } });
    let read = Received::read(&params).unwrap();
    assert_eq!((read.source, read.kept_ms), (None, None));
}

#[test]
fn what_another_device_sent_names_the_recipient() {
    let sent = json!({ "sentMessage": { "destinationUuid": "AA", "message": "x" } });
    let read = Received::read(&envelope("syncMessage", sent)).unwrap();
    assert_eq!(read.content, ReceivedContent::SentTo(Some("aa".into()), IncomingMatter::Written(words("x"))));
    let to_group = json!({ "sentMessage": { "destinationUuid": null, "message": "x",
        "groupInfo": { "groupId": "g=", "type": "DELIVER" } } });
    let read = Received::read(&envelope("syncMessage", to_group)).unwrap();
    let expected = IncomingText { group: Some("g=".into()), ..words("x") };
    assert_eq!(read.content, ReceivedContent::SentTo(None, IncomingMatter::Written(expected)));
}

proptest! {
    #[test]
    fn foreign_bytes_in_an_envelope_are_never_too_broken(
        text in damaged_text(r#"{"envelope":{"sourceUuid":"a","timestamp":5,"dataMessage":{"message":"x","attachments":[{"id":"a"}],"reaction":{"emoji":"👍","targetSentTimestamp":5},"groupInfo":{"groupId":"g"}}}}"#)
    ) {
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            let _ = Received::read(&value);
        }
    }
}
