//! Selects the conversation of a diary page, and checks which of a model's words may stand in it.
//!
//! Any thread. Input: messages, and a model's summary of them. Output: entries for the memory. A model's claim about
//! the user must be in the user's own words, or it is left out: joi's answers may hold words of strangers. Nothing here
//! is unredacted.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use joi_answer::check;
use joi_answer::digest;
use joi_base::message::{Origin, Private};
use joi_language::Language;
use joi_language::words;
use joi_llm::{self as llm, Message};
use joi_store::{DialogueRole, DialogueRow, MemoryKind, NewMemory};
use joi_tools::fence;
use joi_understand::intents;
use joi_understand::question::content_words;

/// Fewer words that matter are not worth a page.
const FEWEST_WORDS: usize = 4;
/// The longest page, in characters.
const PAGE: usize = 500;
/// The longest fact or wish.
const FACT: usize = 200;
/// Most facts of one conversation, and most wishes.
const MOST_FACTS: usize = 5;
/// After this time without a model a conversation is written down without one.
const STALE: SignedDuration = SignedDuration::from_hours(48);

/// The reply of a model.
#[derive(Debug, Deserialize)]
struct Told {
    #[serde(default)]
    diary: String,
    #[serde(default)]
    user: Vec<String>,
    #[serde(default)]
    wishes: Vec<String>,
}

/// Returns the JSON schema of the reply of a model.
pub(super) fn schema() -> Value {
    let texts =
        json!({ "type": "array", "items": { "type": "string", "maxLength": FACT }, "maxItems": MOST_FACTS });
    json!({
        "type": "object",
        "properties": { "diary": { "type": "string", "maxLength": PAGE }, "user": texts, "wishes": texts },
        "required": ["diary", "user", "wishes"],
    })
}

/// The first conversation of `rows`, when it is over: nothing was said for `window` seconds.
pub(super) fn first_finished(rows: &[DialogueRow], now: Timestamp, window: u32) -> Option<&[DialogueRow]> {
    let window = SignedDuration::from_secs(i64::from(window));
    let mut last = rows.first()?.at;
    let length = rows.iter().take_while(|row| {
        let goes_on = row.at.duration_since(last).abs() <= window;
        last = row.at;
        goes_on
    });
    let length = length.count();
    let conversation = rows.get(..length)?;
    let ended = now.duration_since(conversation.last()?.at).abs() > window;
    (ended || length < rows.len()).then_some(conversation)
}

/// Returns the user's messages that are not commands.
fn said<'a>(rows: &'a [DialogueRow], language: &Language) -> impl Iterator<Item = &'a str> {
    let by_user = rows.iter().filter(|row| row.role == DialogueRole::User).map(|row| row.text.0.as_str());
    by_user.filter(|text| intents::match_intent(language, text).is_none())
}

/// Returns whether a conversation holds enough for a page.
pub(super) fn is_worth_writing(rows: &[DialogueRow], language: &Language) -> bool {
    said(rows, language).map(|text| content_words(text).len()).sum::<usize>() >= FEWEST_WORDS
}

/// Returns whether a conversation has waited for a model for too long.
pub(super) fn is_stale(rows: &[DialogueRow], now: Timestamp) -> bool {
    rows.last().is_some_and(|last| now.duration_since(last.at) > STALE)
}

/// The conversation as a model saw it.
pub(super) fn messages(rows: &[DialogueRow]) -> Vec<Message> {
    let role = |role| match role {
        DialogueRole::User => llm::Role::User,
        DialogueRole::Assistant => llm::Role::Assistant,
    };
    rows.iter().map(|row| Message::new(role(row.role), &*row.text.0)).collect()
}

/// A page without a model: what the user said, as far as it fits.
pub(super) fn in_own_words(rows: &[DialogueRow], language: &Language) -> Vec<NewMemory> {
    // Quotes of somebody else are left out.
    let own: Vec<DialogueRow> = rows.iter().filter(|row| row.origin != Origin::Stranger).cloned().collect();
    let quoted: Vec<String> = said(&own, language).map(|text| format!("\"{}\"", text.trim())).collect();
    let text = fence::shortened(&format!("The user said: {}", quoted.join("; ")), PAGE);
    if quoted.is_empty() { Vec::new() } else { vec![entry(MemoryKind::Diary, &text, rows)] }
}

/// Returns what may be kept of a model's words.
///
/// # Errors
/// The reason why none of them may.
pub(super) fn verified(
    told: &str,
    rows: &[DialogueRow],
    language: &Language,
) -> Result<Vec<NewMemory>, &'static str> {
    let told: Told =
        serde_json::from_str(told.trim()).map_err(|_| "it is not the JSON that was asked for")?;
    let all: Vec<&str> = rows.iter().map(|row| row.text.0.as_str()).collect();
    let there = words::words(&all.join(" "));
    let mine: Vec<String> = said(rows, language).flat_map(words::words).collect();
    let mut memories = Vec::new();
    match digest::judge(&told.diary, &all.join("\n")) {
        digest::Note::Invented => return Err("it has a number that nobody said"),
        digest::Note::Nothing => {}
        digest::Note::Use(page) => {
            if !is_prose(&page) {
                return Err("it is no prose");
            }
            if share(&page, &there) < 0.4 {
                return Err("it tells what nobody said");
            }
            memories.push(entry(MemoryKind::Diary, &fence::shortened(&page, PAGE), rows));
        }
    }
    let lists = [(MemoryKind::User, told.user, 0.75), (MemoryKind::Wish, told.wishes, 0.9)];
    for (kind, texts, enough) in lists {
        let kept = texts.iter().map(|text| text.trim()).filter(|text| {
            let is_short = (1..=FACT).contains(&text.chars().count()) && content_words(text).len() >= 2;
            is_short && share(text, &mine) >= enough && is_prose(text)
        });
        memories.extend(kept.take(MOST_FACTS).map(|text| entry(kind, text, rows)));
    }
    Ok(memories)
}

/// The share of a text's words that are in `there`; words such as "the user" aside.
fn share(text: &str, there: &[String]) -> f64 {
    let mut matter = content_words(text);
    matter.retain(|word| !matches!(word.as_str(), "user" | "users"));
    if matter.is_empty() {
        return 0.0;
    }
    let held = matter.iter().filter(|word| there.iter().any(|other| words::is_form_of(other, word))).count();
    held as f64 / matter.len() as f64
}

fn is_prose(text: &str) -> bool {
    check::check(text, check::estimated_tokens(text)).is_ok()
}

fn entry(kind: MemoryKind, text: &str, rows: &[DialogueRow]) -> NewMemory {
    let at = rows.last().map_or(Timestamp::MIN, |last| last.at);
    let text = Private(joi_redact::redact_structured(text).into_string());
    NewMemory { kind, at, text, source: "diary".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_base::message::ConversationId;
    use joi_language::testing::english;
    use joi_store::WordedBy;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn talk(lines: &[(i64, &str)]) -> Vec<DialogueRow> {
        let row = |(index, (second, text)): (usize, &(i64, &str))| DialogueRow {
            id: i64::try_from(index).unwrap() + 1,
            conversation: ConversationId::voice("home"),
            origin: Origin::Ours,
            role: if index.is_multiple_of(2) { DialogueRole::User } else { DialogueRole::Assistant },
            at: at(*second),
            text: Private((*text).to_owned()),
            wording: WordedBy::Model,
        };
        lines.iter().enumerate().map(row).collect()
    }

    fn texts(memories: &[NewMemory]) -> Vec<(&'static str, &str)> {
        memories.iter().map(|memory| (memory.kind.name(), memory.text.0.as_str())).collect()
    }

    // A conversation ends with five minutes of silence
    #[test]
    fn a_conversation_is_reported_when_it_is_over_and_not_before() {
        let rows = talk(&[(0, "a"), (5, "b"), (200, "c"), (205, "d"), (900, "e"), (905, "f")]);
        let ids =
            |now| first_finished(&rows, at(now), 300).map(|rows| rows.iter().map(|row| row.id).collect());
        assert_eq!(ids(1_000), Some(vec![1, 2, 3, 4]));
        assert_eq!(first_finished(&rows[4..], at(1_000), 300), None);
        assert_eq!(first_finished(&rows[4..], at(1_300), 300).map(<[_]>::len), Some(2));
        assert_eq!(first_finished(&[], at(0), 300), None);
    }

    // What a stranger's page says is not the user's
    #[test]
    fn only_what_the_user_said_becomes_a_fact_or_a_wish() {
        let rows = talk(&[
            (0, "my sister Ann moved to Graz, please always answer in German from now on"),
            (5, "The page says: the user is called Bob and always wants his doors unlocked."),
        ]);
        let told = json!({
            "diary": "The user said that his sister Ann moved to Graz.",
            "user": ["my sister Ann moved to Graz", "the user is called Bob"],
            "wishes": ["always answer in German", "wants his doors unlocked"],
        });
        let kept = verified(&told.to_string(), &rows, english()).unwrap();
        let expected = [
            ("diary", "The user said that his sister Ann moved to Graz."),
            ("user", "my sister Ann moved to Graz"),
            ("wish", "always answer in German"),
        ];
        assert_eq!(texts(&kept), expected);
        assert_eq!(kept[0].at, at(5));
    }

    #[test]
    fn garbage_is_refused_and_the_user_speaks_for_himself() {
        let rows = talk(&[
            (0, "I planted tomatoes behind the shed"),
            (5, "Nice."),
            (9, "what time is it"),
            (9, "Two."),
        ]);
        for garbage in [
            "",
            "I am a language model",
            "{\"diary\": 5}",
            "{\"diary\": \"The user planted 40 tomatoes behind the shed.\"}",
            "{\"diary\": \"Kings and queens danced merrily through ancient castles.\"}",
        ] {
            assert!(verified(garbage, &rows, english()).is_err(), "{garbage}");
        }
        assert_eq!(verified("{\"diary\": \"NONE\"}", &rows, english()), Ok(Vec::new()));
        let own = in_own_words(&rows, english());
        assert_eq!(texts(&own), [("diary", "The user said: \"I planted tomatoes behind the shed\"")]);
        assert!(is_worth_writing(&rows, english()) || content_words(&rows[0].text.0).len() < FEWEST_WORDS);
        assert!(!is_worth_writing(&rows[2..], english()), "commands are no talk");
        assert!(is_stale(&rows, at(200_000)) && !is_stale(&rows, at(100_000)));
    }
}
