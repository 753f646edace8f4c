//! Builds what the model sees: the unchanging head, the dialogue so far, and the newest message with the fresh context
//! at its head.
//!
//! The head is byte-identical from turn to turn, so that the model's cache of it stays valid; what changes comes last.
//! Every part has a size cap.
//! Pure: no I/O, no clock.

use crate::config::{Character, PersonaConfig, Placement};
use crate::model::Room;
use crate::prompt::head::Head;
use crate::session::tool_history;
use joi_language::{PromptName, PromptTexts};
use joi_llm::{Message, ModelSize, Role};

pub(crate) mod context;
pub(crate) mod dialogue;
pub(crate) mod head;
pub(crate) mod profile;
pub(crate) mod profiles;
pub(crate) mod side_query;
#[cfg(test)]
mod tests;

/// Most bytes of one earlier message; the rest is cut.
const EARLIER_MESSAGE_BYTES: usize = 800;
/// Messages dropped together when the dialogue no longer fits: seldom and many keeps the cache good.
const DROPPED_TOGETHER: usize = 10;
/// Tokens kept free for what the estimate misses.
const SPARE_TOKENS: usize = 64;
/// Tokens a chat template spends on one message.
const TOKENS_PER_MESSAGE: usize = 8;

/// Greetings that a wake phrase may begin with.
const GREETINGS: [&str; 10] = ["hey", "hi", "hello", "ok", "okay", "yo", "oye", "hallo", "hola", "salut"];

/// The assistant's name: the configured one, or the wake phrase without its greeting.
pub(crate) fn name(persona: &PersonaConfig, wake_phrase: Option<&str>) -> String {
    let configured = persona.name.trim();
    if !configured.eq_ignore_ascii_case("auto") && !configured.is_empty() {
        return configured.to_owned();
    }
    let phrase = wake_phrase.unwrap_or_default();
    let mut words = phrase.split_whitespace().peekable();
    if words.peek().is_some_and(|w| GREETINGS.contains(&w.to_lowercase().as_str())) {
        words.next();
    }
    let name = words.map(capitalised).collect::<Vec<_>>().join(" ");
    if name.is_empty() { "Joi".into() } else { name }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The unchanging part of the prompt: persona, then how speech goes in and out. A small model gets one
/// short paragraph: with more rules it answers the rules instead of the question.
pub(crate) fn head(character: Character, name: &str, size: ModelSize, texts: &PromptTexts) -> String {
    let persona = texts.of(match (size, character) {
        (ModelSize::Small, Character::Joi) => PromptName::JoiSmall,
        (ModelSize::Small, Character::Butler) => PromptName::ButlerSmall,
        (ModelSize::Large, Character::Joi) => PromptName::Joi,
        (ModelSize::Large, Character::Butler) => PromptName::Butler,
    });
    let voice = match size {
        ModelSize::Small => "",
        ModelSize::Large => texts.of(PromptName::Voice),
    };
    format!("{}\n\n{voice}", persona.replace("{name}", name)).trim_end().to_owned()
}

/// The whole head of a small model's prompt for talk; a large one's talk has the head that everything has.
pub(crate) fn talk_head(character: Character, name: &str, size: ModelSize, texts: &PromptTexts) -> String {
    let persona = texts.of(match (size, character) {
        (ModelSize::Small, Character::Joi) => PromptName::JoiTalk,
        (ModelSize::Small, Character::Butler) => PromptName::ButlerTalk,
        (ModelSize::Large, _) => return head(character, name, size, texts),
    });
    persona.replace("{name}", name)
}

/// The newest message and what is true at this moment.
#[derive(Clone, Copy)]
pub(crate) struct Newest<'a> {
    /// The request, redacted.
    pub(crate) asked: &'a str,
    /// The context line.
    pub(crate) context: &'a str,
    /// The description of the house; empty without one.
    pub(crate) home: &'a str,
    /// Actions without the model since it last answered; empty when nothing was.
    pub(crate) since: &'a str,
    /// The memories; empty if there are none.
    pub(crate) memory: &'a str,
    /// The plan; empty if there is none.
    pub(crate) plan: &'a str,
    /// The place of context line, memory and plan.
    pub(crate) placement: Placement,
}

impl<'a> Newest<'a> {
    /// An instruction that does not come from the user: nothing stands before it.
    pub(crate) fn auxiliary(asked: &'a str) -> Self {
        Self { asked, context: "", home: "", since: "", memory: "", plan: "", placement: Placement::User }
    }
}

/// The whole prompt: system, dialogue, newest message.
pub(crate) fn build(head: &Head, past: Vec<Message>, newest: &Newest<'_>, room: Room) -> Vec<Message> {
    let tools = head.tools.iter().map(|tool| cost(&tool.to_string())).sum::<usize>();
    let whole =
        (room.context_tokens.saturating_sub(room.reply_tokens) as usize).saturating_sub(SPARE_TOKENS + tools);
    let head = head.system.as_str();
    let (system, context) = match newest.placement {
        Placement::System => {
            let system = [newest.context, head, newest.home, newest.since, newest.memory, newest.plan];
            (joined(&system), String::new())
        }
        Placement::User => {
            let context = [newest.context, newest.home, newest.memory, newest.since, newest.plan];
            (head.to_owned(), joined(&context))
        }
    };
    let fixed = cost(&system) + cost(&context);
    let asked = shortened(newest.asked, whole.saturating_sub(fixed).saturating_mul(3));
    let question = joined(&[&context, &asked]).trim_end().to_owned();
    let left = whole.saturating_sub(cost(&system) + cost(&question));
    let mut messages = vec![Message::system(system)];
    messages.extend(fitting(past, left));
    messages.push(Message::user(question));
    messages
}

/// Parts with an empty line between them.
fn joined(parts: &[&str]) -> String {
    parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The newest part of `past` that fits into `budget` tokens and begins with the user.
fn fitting(mut past: Vec<Message>, budget: usize) -> Vec<Message> {
    for message in &mut past {
        let is_result =
            message.role == Role::Tool || (message.role == Role::User && !tool_history::is_question(message));
        if message.content.len() > EARLIER_MESSAGE_BYTES && !is_result {
            message.content = shortened(&message.content, EARLIER_MESSAGE_BYTES);
        }
    }
    let fits = |from: usize| past[from..].iter().map(|m| cost(&m.content)).sum::<usize>() <= budget;
    let in_big_steps = (0..past.len()).step_by(DROPPED_TOGETHER).find(|&from| fits(from));
    let from = in_big_steps.unwrap_or_else(|| (0..past.len()).find(|&from| fits(from)).unwrap_or(past.len()));
    past.drain(..from);
    let first_user = past.iter().position(tool_history::is_question).unwrap_or(past.len());
    past.drain(..first_user);
    past
}

/// Tokens of a message, estimated on the high side: three bytes a token.
fn cost(text: &str) -> usize {
    text.len().div_ceil(3) + TOKENS_PER_MESSAGE
}

/// At most `bytes` of `text`, cut between characters, with an ellipsis when something is missing.
fn shortened(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mark = "…";
    let room = bytes.saturating_sub(mark.len());
    let end = (0..=room).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}{mark}", text[..end].trim_end())
}
