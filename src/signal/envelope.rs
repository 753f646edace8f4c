//! PURE. What the daemon hands over, as far as it means anything to us.
//!
//! In: account and envelope as JSON. Out: who wrote what, where and when. A quoted text is left out: it is not the
//! sender's. Edits, reactions but a thumb up, stickers, deletions, what may be seen once, changes of groups and everything about reading
//! and typing are no messages. Nothing of a message is ever logged.

use jiff::Timestamp;
use serde_json::Value;

use crate::message::Private;

/// Stands in a text for a mention.
const MENTION: char = '\u{fffc}';
/// The sign that says yes to a message.
const THUMB_UP: char = '\u{1f44d}';

/// A received message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The sender's uuid in lower case; nothing where it is not known.
    pub source: Option<String>,
    /// When it was written, by the sender's clock in ms: it names the message.
    pub stamp: i64,
    /// How long the server kept it, by its own clock, in ms; nothing where it does not say.
    pub kept_ms: Option<i64>,
    /// What it is.
    pub content: ReceivedContent,
}

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceivedContent {
    /// Somebody wrote it to this account.
    Written(IncomingText),
    /// The owner of this account wrote it to somebody, on another device; his own uuid where it was to himself.
    SentTo(Option<String>, IncomingText),
    /// Somebody put a thumb up to a message.
    Approved(IncomingApproval),
    /// The owner of this account did so on another device, in the thread with this uuid.
    ApprovedTo(Option<String>, IncomingApproval),
    /// No message, and what it is instead.
    Nothing(&'static str),
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingText {
    /// The words; may be empty.
    pub text: Private<String>,
    /// The id of the group it was written in.
    pub group: Option<String>,
    /// What hangs on it.
    pub attachments: Vec<IncomingFile>,
}

/// A thumb up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingApproval {
    /// The time stamp of the message that it is put to.
    pub target: i64,
    /// The uuid of whoever wrote that message; nothing where it is not told.
    pub author: Option<String>,
    /// The id of the group it was put in.
    pub group: Option<String>,
}

/// An attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingFile {
    /// Names it for the daemon.
    pub id: String,
    /// As `audio/aac`; may be empty.
    pub kind: String,
    /// Bytes; nothing where that is not told.
    pub size: Option<u64>,
}

impl Received {
    /// Reads account and envelope; nothing where there is no envelope.
    pub fn read(params: &Value) -> Option<Self> {
        let envelope = params.get("envelope").filter(|envelope| envelope.is_object())?;
        let number = |key: &str| envelope.get(key).and_then(Value::as_i64);
        let kept = number("serverDeliveredTimestamp").zip(number("serverReceivedTimestamp"));
        let is_failed = params.get("exception").is_some_and(|exception| !exception.is_null());
        Some(Self {
            source: uuid(envelope, "sourceUuid"),
            stamp: number("timestamp").unwrap_or_default(),
            kept_ms: kept.map(|(delivered, received)| delivered.saturating_sub(received)),
            content: match is_failed {
                true => ReceivedContent::Nothing("it could not be decrypted"),
                false => content(envelope),
            },
        })
    }

    /// When it was written.
    pub fn written_at(&self) -> Timestamp {
        Timestamp::from_millisecond(self.stamp).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

fn content(envelope: &Value) -> ReceivedContent {
    let part = |key: &str| envelope.get(key).filter(|part| part.is_object());
    if let Some(data) = part("dataMessage") {
        if let Some(approval) = approval(data) {
            return ReceivedContent::Approved(approval);
        }
        return text(data).map_or_else(ReceivedContent::Nothing, ReceivedContent::Written);
    }
    if let Some(sync) = part("syncMessage") {
        let Some(sent) = sync.get("sentMessage").filter(|sent| sent.is_object()) else {
            return ReceivedContent::Nothing("a note between devices");
        };
        if sent.get("editMessage").is_some_and(Value::is_object) {
            return ReceivedContent::Nothing("a correction");
        }
        let to = uuid(sent, "destinationUuid");
        if let Some(approval) = approval(sent) {
            return ReceivedContent::ApprovedTo(to, approval);
        }
        return text(sent).map_or_else(ReceivedContent::Nothing, |text| ReceivedContent::SentTo(to, text));
    }
    let others = [
        ("editMessage", "a correction"),
        ("receiptMessage", "a receipt"),
        ("typingMessage", "a sign of typing"),
        ("callMessage", "a call"),
        ("storyMessage", "a story"),
    ];
    let other = others.into_iter().find(|(key, _)| part(key).is_some());
    ReceivedContent::Nothing(other.map_or("empty", |(_, told)| told))
}

/// A thumb up, of whatever colour; nothing where it is another sign, or is taken away again.
fn approval(data: &Value) -> Option<IncomingApproval> {
    let reaction = data.get("reaction").filter(|reaction| reaction.is_object())?;
    let sign = reaction.get("emoji")?.as_str()?;
    // Tones of the skin, and the mark that it is to be shown in colours.
    let is_variant = |sign: char| matches!(sign, '\u{1f3fb}'..='\u{1f3ff}' | '\u{fe0f}');
    let is_thumb = sign.strip_prefix(THUMB_UP).is_some_and(|rest| rest.chars().all(is_variant));
    let is_taken_back = reaction.get("isRemove").and_then(Value::as_bool) == Some(true);
    (is_thumb && !is_taken_back).then_some(())?;
    Some(IncomingApproval {
        target: reaction.get("targetSentTimestamp")?.as_i64()?,
        author: uuid(reaction, "targetAuthorUuid"),
        group: data.get("groupInfo").and_then(|group| Some(group.get("groupId")?.as_str()?.to_owned())),
    })
}

/// What was written, or what it is instead.
fn text(data: &Value) -> Result<IncomingText, &'static str> {
    let is_set =
        |key: &str| data.get(key).is_some_and(|value| !value.is_null() && *value != Value::Bool(false));
    let no_texts = [
        ("viewOnce", "to be seen once"),
        ("isExpirationUpdate", "a change of the chat"),
        ("reaction", "a reaction"),
        ("remoteDelete", "a deletion"),
        ("sticker", "a sticker"),
        ("storyContext", "about a story"),
        ("pollCreate", "a poll"),
        ("pollVote", "a poll"),
        ("pollTerminate", "a poll"),
    ];
    if let Some((_, told)) = no_texts.into_iter().find(|(key, _)| is_set(key)) {
        return Err(told);
    }
    let group = data.get("groupInfo").filter(|group| group.is_object());
    if group.is_some_and(|group| group.get("type").and_then(Value::as_str) == Some("UPDATE")) {
        return Err("a change of the group");
    }
    let words = data.get("message").and_then(Value::as_str).unwrap_or_default();
    let files = data.get("attachments").and_then(Value::as_array);
    let attachments: Vec<IncomingFile> = files.into_iter().flatten().filter_map(file).collect();
    let text = cleaned(words);
    if text.is_empty() && attachments.is_empty() {
        return Err("without words");
    }
    Ok(IncomingText {
        text: Private(text),
        group: group.and_then(|group| Some(group.get("groupId")?.as_str()?.to_owned())),
        attachments,
    })
}

/// Without the signs that stand for something else, or that nobody sees.
fn cleaned(words: &str) -> String {
    let is_kept = |sign: &char| *sign != MENTION && (!sign.is_control() || *sign == '\n');
    words.chars().filter(is_kept).collect::<String>().trim().to_owned()
}

fn file(value: &Value) -> Option<IncomingFile> {
    Some(IncomingFile {
        id: value.get("id")?.as_str()?.to_owned(),
        kind: value.get("contentType").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase(),
        size: value.get("size").and_then(Value::as_u64),
    })
}

fn uuid(value: &Value, key: &str) -> Option<String> {
    let text = value.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::damaged_text;

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

    fn words(text: &str) -> IncomingText {
        IncomingText { text: Private(text.into()), group: None, attachments: Vec::new() }
    }

    #[test]
    fn a_message_is_read_with_its_sender_and_its_time() {
        let message = json!({ "timestamp": 1, "message": "  Licht\u{fffc} im Bad aus \u{7}", "expiresInSeconds": null,
            "isExpirationUpdate": false, "viewOnce": false,
            "quote": { "id": 1, "author": "+49", "text": "forget everything" } });
        let read = Received::read(&envelope("dataMessage", message)).unwrap();
        assert_eq!(read.source.as_deref(), Some("5e7f"));
        assert_eq!((read.stamp, read.kept_ms), (1_763_719_300_456, Some(120)));
        assert_eq!(read.content, ReceivedContent::Written(words("Licht im Bad aus")));
    }

    #[test]
    fn a_voice_note_is_an_attachment_without_words() {
        let message = json!({ "message": null, "attachments": [{ "contentType": "audio/AAC", "id": "x.m4a", "size": 9 }] });
        let file = IncomingFile { id: "x.m4a".into(), kind: "audio/aac".into(), size: Some(9) };
        let expected = IncomingText { attachments: vec![file], ..words("") };
        assert_eq!(data(message), ReceivedContent::Written(expected));
    }

    #[test]
    fn what_is_no_message_is_none() {
        let no_messages = [
            json!({ "message": null }),
            json!({ "message": "x", "viewOnce": true }),
            json!({ "message": null, "reaction": { "emoji": "👍" } }),
            json!({ "message": null, "reaction": { "emoji": "👎", "targetSentTimestamp": 5 } }),
            json!({ "reaction": { "emoji": "👍", "targetSentTimestamp": 5, "isRemove": true } }),
            json!({ "message": null, "remoteDelete": { "timestamp": 1 } }),
            json!({ "message": "x", "groupInfo": { "groupId": "g=", "type": "UPDATE" } }),
            json!({ "isExpirationUpdate": true, "message": null }),
        ];
        for message in no_messages {
            assert!(matches!(data(message.clone()), ReceivedContent::Nothing(_)), "{message}");
        }
        let parts = [
            (
                "editMessage",
                json!({ "targetSentTimestamp": 1, "dataMessage": { "message": "unlock the door" } }),
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
            assert_eq!(data(message), ReceivedContent::Approved(expected.clone()), "{emoji}");
        }
        let in_group = json!({ "reaction": reaction("👍"), "groupInfo": { "groupId": "g=" } });
        let grouped = IncomingApproval { group: Some("g=".into()), ..expected.clone() };
        assert_eq!(data(in_group), ReceivedContent::Approved(grouped));
        let sent = json!({ "sentMessage": { "destinationUuid": "AA", "reaction": reaction("👍") } });
        let read = Received::read(&envelope("syncMessage", sent)).unwrap();
        assert_eq!(read.content, ReceivedContent::ApprovedTo(Some("aa".into()), expected));
    }

    #[test]
    fn null_fields_are_not_known() {
        let params = json!({ "envelope": { "source": null, "sourceUuid": null, "timestamp": 5,
            "dataMessage": { "message": "x" } } });
        let read = Received::read(&params).unwrap();
        assert_eq!((read.source, read.kept_ms), (None, None));
    }

    #[test]
    fn what_another_device_sent_tells_to_whom() {
        let sent = json!({ "sentMessage": { "destinationUuid": "AA", "message": "x" } });
        let read = Received::read(&envelope("syncMessage", sent)).unwrap();
        assert_eq!(read.content, ReceivedContent::SentTo(Some("aa".into()), words("x")));
        let to_group = json!({ "sentMessage": { "destinationUuid": null, "message": "x",
            "groupInfo": { "groupId": "g=", "type": "DELIVER" } } });
        let read = Received::read(&envelope("syncMessage", to_group)).unwrap();
        let expected = IncomingText { group: Some("g=".into()), ..words("x") };
        assert_eq!(read.content, ReceivedContent::SentTo(None, expected));
    }

    proptest! {
        #[test]
        fn no_envelope_is_too_broken(
            text in damaged_text(r#"{"envelope":{"sourceUuid":"a","timestamp":5,"dataMessage":{"message":"x","attachments":[{"id":"a"}],"reaction":{"emoji":"👍","targetSentTimestamp":5},"groupInfo":{"groupId":"g"}}}}"#)
        ) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let _ = Received::read(&value);
            }
        }
    }
}
