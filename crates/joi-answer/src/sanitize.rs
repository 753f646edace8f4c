//! Cleans a reply while it streams in: protocol markers and thinking are taken out, and what may turn
//! out to be a tool call is held back until it is decided.
//!
//! One [`Sanitizer`] per reply, any thread. In: the model's text in pieces of any size; how it is
//! cut makes no difference. Out: the text that may be shown, spoken and stored, markdown included. It
//! never lets a piece of a marker, of a tool call or of a redaction label pass, and it gives up on a
//! reply whose undecided part outgrows 16 KiB.
//! Pure: no I/O, no clock.

mod marker;
#[cfg(test)]
mod tests;

use crate::json::balanced_length;
use crate::malformed::{Json, Malformed, judge_json};
use marker::{FoundMarker, MarkerKind};

/// Longest stretch that is held back, in bytes; no answer worth saying is in a longer one.
const MOST_HELD: usize = 16 * 1024;

const FENCE: &str = "```";
/// Bytes behind a backtick within which another one ends the code.
const LONGEST_CODE: usize = 80;

/// Cleans one reply. See the module's head.
#[derive(Debug)]
pub(crate) struct Sanitizer {
    held: String,
    place: HeldPlace,
}

/// Where in the reply the held text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldPlace {
    /// Nothing has gone out yet.
    Start,
    /// At the beginning of a later line.
    Line,
    /// Within a line.
    Words,
    /// Within a code block.
    Code,
    /// Behind the end of the reply: nothing more of it counts.
    Over,
    /// Within the model's thinking, which `close` ends, with what was before it.
    Thinking { close: &'static str, is_start: bool },
}

/// The next step with the head of the held text.
#[derive(Debug, PartialEq, Eq)]
enum SanitizeStep {
    /// This many bytes go out, and the rest begins at the place.
    Pass(usize, HeldPlace),
    /// This many bytes are dropped, and the rest begins at the place.
    Drop(usize, HeldPlace),
    /// This many bytes are replaced by an answer that was wrapped in them.
    Unwrap(usize, String),
    /// More text is needed.
    Wait,
}

impl Default for Sanitizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Sanitizer {
    /// A sanitizer at the beginning of a reply.
    pub(crate) fn new() -> Self {
        Self { held: String::new(), place: HeldPlace::Start }
    }

    /// Takes the next piece and gives what may go out now; often nothing.
    ///
    /// # Errors
    /// [`Malformed`] as soon as it is known; the rest of the reply is then to be abandoned.
    pub(crate) fn push(&mut self, delta: &str) -> Result<String, Malformed> {
        self.held.push_str(delta);
        self.advance(HeldText::Open)
    }

    /// Ends the reply and gives the rest.
    ///
    /// # Errors
    /// [`Malformed`] when what was held back turns out to be no answer.
    pub(crate) fn finish(mut self) -> Result<String, Malformed> {
        self.advance(HeldText::Final)
    }

    fn advance(&mut self, ending: HeldText) -> Result<String, Malformed> {
        let mut out = String::new();
        let mut from = 0;
        while from < self.held.len() {
            match step(&self.held[from..], self.place, ending)? {
                SanitizeStep::Pass(length, place) => {
                    out.push_str(&self.held[from..from + length]);
                    (from, self.place) = (from + length, place);
                }
                SanitizeStep::Drop(length, place) => (from, self.place) = (from + length, place),
                SanitizeStep::Unwrap(length, answer) => {
                    out.push_str(&sanitize(&answer)?);
                    (from, self.place) = (from + length, HeldPlace::Words);
                }
                SanitizeStep::Wait => break,
            }
        }
        self.held.drain(..from);
        if self.held.len() > MOST_HELD { Err(Malformed::Data) } else { Ok(out) }
    }
}

/// Cleans a whole reply at once.
///
/// # Errors
/// [`Malformed`] when it must not be delivered.
pub(crate) fn sanitize(text: &str) -> Result<String, Malformed> {
    let mut sanitizer = Sanitizer::new();
    let mut out = sanitizer.push(text)?;
    out.push_str(&sanitizer.finish()?);
    Ok(out)
}

/// Whether more text may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldText {
    Open,
    Final,
}

/// Decides over the head of `text`, which is not empty.
fn step(text: &str, place: HeldPlace, ending: HeldText) -> Result<SanitizeStep, Malformed> {
    match place {
        HeldPlace::Thinking { close, is_start } => Ok(skip_thinking(text, close, is_start, ending)),
        HeldPlace::Code => Ok(pass_code(text, ending)),
        HeldPlace::Over => Ok(SanitizeStep::Drop(text.len(), HeldPlace::Over)),
        HeldPlace::Start | HeldPlace::Line | HeldPlace::Words => prose(text, place, ending),
    }
}

fn skip_thinking(text: &str, close: &'static str, is_start: bool, ending: HeldText) -> SanitizeStep {
    let after = if is_start { HeldPlace::Start } else { HeldPlace::Words };
    if let Some(at) = marker::find(text, close) {
        return SanitizeStep::Drop(at + close.len(), after);
    }
    let kept = if ending == HeldText::Final { 0 } else { close.len() - 1 };
    let sure = (0..=text.len().saturating_sub(kept)).rev().find(|at| text.is_char_boundary(*at));
    match sure {
        None | Some(0) => SanitizeStep::Wait,
        Some(length) => SanitizeStep::Drop(length, HeldPlace::Thinking { close, is_start }),
    }
}

fn pass_code(text: &str, ending: HeldText) -> SanitizeStep {
    if let Some(at) = text.find(FENCE) {
        return SanitizeStep::Pass(at + FENCE.len(), HeldPlace::Words);
    }
    let sure = if ending == HeldText::Final { text.len() } else { text.trim_end_matches('`').len() };
    if sure == 0 { SanitizeStep::Wait } else { SanitizeStep::Pass(sure, HeldPlace::Code) }
}

/// Ordinary text: everything up to the next character that may begin something else passes.
fn prose(text: &str, place: HeldPlace, ending: HeldText) -> Result<SanitizeStep, Malformed> {
    if place != HeldPlace::Words {
        let blank = text.len() - text.trim_start().len();
        if blank > 0 {
            return Ok(if place == HeldPlace::Start {
                SanitizeStep::Drop(blank, place)
            } else {
                SanitizeStep::Pass(blank, place)
            });
        }
    }
    match marker::at_head(text, place == HeldPlace::Start, place != HeldPlace::Words) {
        FoundMarker::Marker { kind: MarkerKind::Fails(why), .. } => return Err(why),
        FoundMarker::Marker { kind: MarkerKind::Drops, length } => {
            return Ok(SanitizeStep::Drop(length, place));
        }
        FoundMarker::Marker { kind: MarkerKind::Ends, .. } => {
            return Ok(SanitizeStep::Drop(text.len(), HeldPlace::Over));
        }
        FoundMarker::Marker { kind: MarkerKind::OpensThinking(close), length } => {
            return Ok(SanitizeStep::Drop(
                length,
                HeldPlace::Thinking { close, is_start: place == HeldPlace::Start },
            ));
        }
        FoundMarker::Part if ending == HeldText::Open => return Ok(SanitizeStep::Wait),
        // A reply that breaks off within a marker ends before it; "a <" is no marker yet.
        FoundMarker::Part
            if text.len() > 2
                && !text.starts_with(['{', '['])
                && !text.as_bytes()[0].is_ascii_alphabetic() =>
        {
            return Ok(SanitizeStep::Drop(text.len(), place));
        }
        FoundMarker::Part | FoundMarker::Nothing => {}
    }
    match text.as_bytes()[0] {
        b'{' => object(text, place, ending),
        b'[' if place == HeldPlace::Start => list(text, ending),
        b'`' => fence(text, place, ending),
        _ => Ok(plain(text)),
    }
}

/// Passes text up to the next line or the next character that could begin a marker or data.
fn plain(text: &str) -> SanitizeStep {
    let first = text.chars().next().map_or(0, char::len_utf8);
    if text.starts_with('\n') {
        return SanitizeStep::Pass(1, HeldPlace::Line);
    }
    let next = text[first..].find(['<', '[', '{', '`', '\n']).map_or(text.len(), |at| first + at);
    SanitizeStep::Pass(next, HeldPlace::Words)
}

/// Returns the step at a brace: at the start of a reply, or with a quote behind it, it may be data.
fn object(text: &str, place: HeldPlace, ending: HeldText) -> Result<SanitizeStep, Malformed> {
    let is_start = place == HeldPlace::Start;
    let inside = text[1..].trim_start();
    if inside.is_empty() && ending == HeldText::Open {
        return Ok(SanitizeStep::Wait);
    }
    let looks_like_json = inside.starts_with(['"', '\'']);
    if !is_start && !looks_like_json {
        return Ok(plain(text));
    }
    let Some(length) = balanced_length(text) else { return undecided(ending) };
    match judge_json(&text[..length]) {
        Json::ToolCall => Err(Malformed::ToolCall),
        Json::Answer(answer) if is_start => Ok(SanitizeStep::Unwrap(length, answer)),
        Json::Data if is_start => Err(Malformed::Data),
        Json::No if is_start && looks_like_json => Err(Malformed::Data),
        Json::Answer(_) | Json::Data | Json::No => Ok(SanitizeStep::Pass(length, HeldPlace::Words)),
    }
}

/// Returns the step at a bracket, which opens a list of data, or words such as a link.
fn list(text: &str, ending: HeldText) -> Result<SanitizeStep, Malformed> {
    match text[1..].trim_start().chars().next() {
        None if ending == HeldText::Open => return Ok(SanitizeStep::Wait),
        Some('{' | '"' | '[') => {}
        _ => return Ok(plain(text)),
    }
    let Some(length) = balanced_length(text) else { return undecided(ending) };
    match judge_json(&text[..length]) {
        Json::ToolCall => Err(Malformed::ToolCall),
        Json::Data | Json::Answer(_) => Err(Malformed::Data),
        Json::No => Ok(SanitizeStep::Pass(length, HeldPlace::Words)),
    }
}

fn undecided(ending: HeldText) -> Result<SanitizeStep, Malformed> {
    if ending == HeldText::Open { Ok(SanitizeStep::Wait) } else { Err(Malformed::Truncated) }
}

/// Returns the step at a code block: its language says whether it may be a tool call.
fn fence(text: &str, place: HeldPlace, ending: HeldText) -> Result<SanitizeStep, Malformed> {
    if !text.starts_with(FENCE) {
        let may_become_one = text.len() < FENCE.len() && FENCE.starts_with(text);
        let is_open = ending == HeldText::Open;
        return Ok(if may_become_one && is_open { SanitizeStep::Wait } else { inline_code(text, is_open) });
    }
    let (language, inside) = match text[FENCE.len()..].split_once('\n') {
        None if ending == HeldText::Open => return Ok(SanitizeStep::Wait),
        None => (&text[FENCE.len()..], ""),
        Some(parts) => parts,
    };
    let language = language.trim().to_ascii_lowercase();
    if marker::names_a_tool(&language) {
        return Err(Malformed::ToolCall);
    }
    let body = text.len() - inside.len();
    let may_be_data = language.is_empty() || language == "json";
    let first = inside.trim_start().chars().next();
    match first {
        None if may_be_data && ending == HeldText::Open => Ok(SanitizeStep::Wait),
        Some('{' | '[') if may_be_data => data_block(text, body, place, ending),
        _ => Ok(SanitizeStep::Pass(body, HeldPlace::Code)),
    }
}

/// Returns the step at a backtick within a line: what stands up to the next one is code, and no marker.
fn inline_code(text: &str, may_go_on: bool) -> SanitizeStep {
    let line = text.split('\n').next().unwrap_or_default();
    match line[1..].find('`') {
        Some(at) if at < LONGEST_CODE => SanitizeStep::Pass(at + 2, HeldPlace::Words),
        None if may_go_on && line.len() == text.len() && text.len() <= LONGEST_CODE => SanitizeStep::Wait,
        Some(_) | None => plain(text),
    }
}

/// Returns the step at a code block whose content, from `body` on, begins like JSON.
fn data_block(
    text: &str,
    body: usize,
    place: HeldPlace,
    ending: HeldText,
) -> Result<SanitizeStep, Malformed> {
    let Some(inside) = text[body..].find(FENCE) else { return undecided(ending) };
    let length = body + inside + FENCE.len();
    let is_start = place == HeldPlace::Start;
    match judge_json(text[body..body + inside].trim()) {
        Json::ToolCall => Err(Malformed::ToolCall),
        Json::Answer(answer) if is_start => Ok(SanitizeStep::Unwrap(length, answer)),
        Json::Data if is_start => Err(Malformed::Data),
        Json::Answer(_) | Json::Data | Json::No => Ok(SanitizeStep::Pass(length, HeldPlace::Words)),
    }
}
