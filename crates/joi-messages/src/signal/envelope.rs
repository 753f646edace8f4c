//! What the daemon hands over, as far as it means anything to us.
//!
//! In: account and envelope as JSON. Out: who wrote, corrected or deleted what, where and when. A quoted text is left
//! out: it is not the sender's. Reactions but a thumb up, stickers, what may be seen once, changes of groups and
//! everything about reading and typing are no messages. Nothing of a message is ever logged.
//! Pure: no I/O, no clock.

use jiff::Timestamp;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use joi_base::message::Private;

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
    /// How long it was on its way to the server, from the sender's clock to the server's, in ms; nothing where that is
    /// not reported. Below zero where the sender's clock is ahead.
    pub sent_ms: Option<i64>,
    /// The kind of message.
    pub content: ReceivedContent,
}

/// The kind of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceivedContent {
    /// Somebody sent it to this account.
    ToUs(IncomingMatter),
    /// The owner of this account sent it to somebody, on another device; their own uuid where it was to themselves.
    SentTo(Option<String>, IncomingMatter),
    /// No message, and what it is instead.
    Nothing(&'static str),
}

/// A message as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IncomingMatter {
    /// Words, or what hangs on them.
    Written(IncomingText),
    /// The message of that time stamp reads so now.
    Corrected(i64, IncomingText),
    /// A message of the sender is taken back.
    Deleted(IncomingDeletion),
    /// A thumb up was put to a message.
    Approved(IncomingApproval),
}

impl IncomingMatter {
    /// Returns the id of the group that it was sent to.
    pub fn group(&self) -> Option<&str> {
        let group = match self {
            Self::Written(text) | Self::Corrected(_, text) => &text.group,
            Self::Deleted(deletion) => &deletion.group,
            Self::Approved(approval) => &approval.group,
        };
        group.as_deref()
    }
}

/// The text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingText {
    /// The words; may be empty.
    pub text: Private<String>,
    /// The id of the group it was written in.
    pub group: Option<String>,
    /// The attachments.
    pub attachments: Vec<IncomingFile>,
    /// Messages of this thread disappear after a time.
    pub is_fleeting: bool,
}

/// A message that is taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingDeletion {
    /// The time stamp of that message.
    pub target: i64,
    /// The id of the group it was written in.
    pub group: Option<String>,
}

/// A thumb up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingApproval {
    /// The time stamp of the message that it is put to.
    pub target: i64,
    /// The uuid of whoever wrote that message; nothing where it is not reported.
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
    /// Bytes; nothing where that is not reported.
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
            sent_ms: number("serverReceivedTimestamp")
                .zip(number("timestamp"))
                .map(|(received, written)| received.saturating_sub(written)),
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
        return matter(data).map_or_else(ReceivedContent::Nothing, ReceivedContent::ToUs);
    }
    if let Some(edit) = part("editMessage") {
        return corrected(edit).map_or_else(ReceivedContent::Nothing, ReceivedContent::ToUs);
    }
    if let Some(sync) = part("syncMessage") {
        let Some(sent) = sync.get("sentMessage").filter(|sent| sent.is_object()) else {
            return ReceivedContent::Nothing("a note between devices");
        };
        let to = uuid(sent, "destinationUuid");
        let matter = match sent.get("editMessage").filter(|edit| edit.is_object()) {
            Some(edit) => corrected(edit),
            None => matter(sent),
        };
        return matter.map_or_else(ReceivedContent::Nothing, |matter| ReceivedContent::SentTo(to, matter));
    }
    let others = [
        ("receiptMessage", "a receipt"),
        ("typingMessage", "a sign of typing"),
        ("callMessage", "a call"),
        ("storyMessage", "a story"),
    ];
    let other = others.into_iter().find(|(key, _)| part(key).is_some());
    ReceivedContent::Nothing(other.map_or("empty", |(_, told)| told))
}

fn matter(data: &Value) -> Result<IncomingMatter, &'static str> {
    if let Some(approval) = approval(data) {
        return Ok(IncomingMatter::Approved(approval));
    }
    if let Some(deletion) = data.get("remoteDelete").filter(|deletion| deletion.is_object()) {
        let target = deletion.get("timestamp").and_then(Value::as_i64).ok_or("a deletion of nothing")?;
        return Ok(IncomingMatter::Deleted(IncomingDeletion { target, group: group_of(data) }));
    }
    text(data).map(IncomingMatter::Written)
}

fn corrected(edit: &Value) -> Result<IncomingMatter, &'static str> {
    let target = edit.get("targetSentTimestamp").and_then(Value::as_i64).ok_or("a correction of nothing")?;
    let data = edit.get("dataMessage").ok_or("a correction without words")?;
    text(data).map(|text| IncomingMatter::Corrected(target, text))
}

fn group_of(data: &Value) -> Option<String> {
    data.get("groupInfo").and_then(|group| Some(group.get("groupId")?.as_str()?.to_owned()))
}

/// Returns a thumb up, of whatever colour; nothing where it is another sign, or is taken away again.
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
        group: group_of(data),
    })
}

/// Returns what was written, or what it is instead.
fn text(data: &Value) -> Result<IncomingText, &'static str> {
    let is_set =
        |key: &str| data.get(key).is_some_and(|value| !value.is_null() && *value != Value::Bool(false));
    let no_texts = [
        ("viewOnce", "to be seen once"),
        ("isExpirationUpdate", "a change of the chat"),
        ("reaction", "a reaction"),
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
        group: group_of(data),
        attachments,
        is_fleeting: data.get("expiresInSeconds").and_then(Value::as_i64).is_some_and(|seconds| seconds > 0),
    })
}

/// Without the signs that stand for something else, or that nobody sees; a letter and its accent are one sign.
fn cleaned(words: &str) -> String {
    let is_kept = |sign: &char| *sign != MENTION && (!sign.is_control() || *sign == '\n');
    words.chars().filter(is_kept).nfc().collect::<String>().trim().to_owned()
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
mod tests;
