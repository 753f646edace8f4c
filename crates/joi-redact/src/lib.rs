//! Takes secrets out of text before anything else sees it.
//!
//! Any thread, linear in the length of the text. In: what was heard or typed ([`redact`]), or
//! tool payloads and other text with a structure ([`redact_structured`], [`redact_json`]). Out: the
//! same text with a label such as `[REDACTED_EMAIL]` in place of each secret, as a [`Redacted`], so
//! that a function which takes one can't be given raw text by mistake.
//!
//! It fails closed: should a rule be unusable, the whole text becomes one label. Redacting twice
//! changes nothing. It keeps no copy of what it took out, and it does not guess at names or places.
//!
//! ```
//! let safe = joi_redact::redact("Write to ann@example.org.");
//! assert_eq!(safe.as_str(), "Write to [REDACTED_EMAIL].");
//! ```
//! Pure: no I/O, no clock.

mod card;
mod iban;
mod rules;
mod spoken;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use joi_language::Language;
use joi_language::grammar::disfluency;
use joi_language::secrets::SecretWords;

/// Longest user text that is kept, in characters.
pub const MAX_USER_CHARS: usize = 8_000;

/// A label ends the word it stands in, so a secret glued to another one shows only in the next round.
const MOST_ROUNDS: usize = 4;

/// How every label begins.
pub const LABEL_START: &str = "[REDACTED_";

/// The kind of a secret that was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// An e-mail address, written or spoken ("jane dot doe at example dot org").
    Email,
    /// A payment card number: 13 to 19 digits that pass the Luhn check.
    Card,
    /// An international bank account number with the right check digits.
    Iban,
    /// A United States social security number, as it is written.
    NationalId,
    /// An AWS access key id.
    Aws,
    /// A Stripe key.
    Stripe,
    /// A GitHub token.
    GitHub,
    /// A key that begins with `sk-`.
    SecretKey,
    /// A Google API key.
    Google,
    /// The credentials of a Bearer or Basic header.
    Authorization,
    /// A token with another vendor's prefix (Slack, GitLab, openHAB, …).
    Vendor,
    /// A JSON web token.
    Jwt,
    /// The value behind a word such as "password", written with `:` or `=` or spoken.
    Secret,
    /// 32 or more hexadecimal digits.
    Hex,
    /// A one-time code: six digits with the word "code" behind them.
    OneTimeCode,
    /// The whole text, because the rules could not be used.
    Everything,
}

impl Label {
    /// Returns what stands in the text instead of the secret.
    pub fn token(self) -> &'static str {
        match self {
            Self::Email => "[REDACTED_EMAIL]",
            Self::Card => "[REDACTED_CARD]",
            Self::Iban => "[REDACTED_IBAN]",
            Self::NationalId => "[REDACTED_ID]",
            Self::Aws => "[REDACTED_AWS_KEY]",
            Self::Stripe => "[REDACTED_STRIPE_KEY]",
            Self::GitHub => "[REDACTED_GITHUB_TOKEN]",
            Self::SecretKey => "[REDACTED_API_KEY]",
            Self::Google => "[REDACTED_GOOGLE_KEY]",
            Self::Authorization => "[REDACTED_AUTH]",
            Self::Vendor => "[REDACTED_TOKEN]",
            Self::Jwt => "[REDACTED_JWT]",
            Self::Secret => "[REDACTED_SECRET]",
            Self::Hex => "[REDACTED_HEX]",
            Self::OneTimeCode => "[REDACTED_CODE]",
            Self::Everything => "[REDACTED_TEXT]",
        }
    }
}

/// Text without secrets. Only this module makes one. It may still hold what somebody said at home,
/// so `Debug` shows the labels and not the text.
#[derive(Clone, PartialEq, Eq)]
pub struct Redacted {
    text: String,
    labels: Vec<Label>,
}

impl Redacted {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text, owned.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Returns the kinds of secret that were taken out this time, each once.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Returns the text without disfluencies of `language`, redacted again: a pause may have hidden a secret.
    #[must_use]
    pub fn fluent(mut self, language: &Language) -> Self {
        if let Cow::Owned(fluent) = disfluency::fluent_text(&self.text, language.grammar()) {
            let again = all_rounds(&fluent, language.secrets());
            self.text = again.text;
            let new = again.labels.into_iter().filter(|label| !self.labels.contains(label));
            self.labels = self.labels.iter().copied().chain(new).collect();
        }
        self
    }

    /// Nothing but a label: what is left when redaction itself failed.
    fn nothing() -> Self {
        Self { text: Label::Everything.token().to_owned(), labels: vec![Label::Everything] }
    }
}

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redacted").field("text", &"***").field("labels", &self.labels).finish()
    }
}

/// Compiles the rules, so that the first turn does not wait tens of milliseconds for it.
pub fn warm_up() {
    rules::all(&[]);
}

/// Redacts what a user said or typed: white space is collapsed to single spaces, and the result is
/// capped at [`MAX_USER_CHARS`], between two words where there are any.
pub fn redact(text: &str) -> Redacted {
    user_text(text, &[])
}

/// Returns the same with the words of a language that is not built in.
pub fn redact_in(text: &str, language: &Language) -> Redacted {
    user_text(text, language.secrets())
}

fn user_text(text: &str, more: &[SecretWords]) -> Redacted {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    // Redaction comes before the cap: half a secret no longer looks like one.
    let mut redacted = all_rounds(&collapsed, more);
    if let Some((cap, _)) = redacted.text.char_indices().nth(MAX_USER_CHARS) {
        let is_between_words = redacted.text[cap..].starts_with(' ');
        let last_space = redacted.text[..cap].rfind(' ').filter(|_| !is_between_words);
        redacted.text.truncate(last_space.unwrap_or(cap));
    }
    redacted
}

/// Redacts text whose line breaks matter, such as a tool's payload. Nothing is capped.
pub fn redact_structured(text: &str) -> Redacted {
    all_rounds(text, &[])
}

fn all_rounds(text: &str, more: &[SecretWords]) -> Redacted {
    let Some(rules) = rules::all(more) else { return Redacted::nothing() };
    let mut redacted = Redacted { text: text.to_owned(), labels: Vec::new() };
    for _ in 0..MOST_ROUNDS {
        if !apply(&rules, &mut redacted) {
            break;
        }
    }
    redacted
}

/// Applies every rule once, in order; whether that changed the text.
fn apply(rules: &[rules::RedactionRule<'_>], redacted: &mut Redacted) -> bool {
    let mut has_changed = false;
    for rule in rules {
        let token = rule.label().token();
        let mut spans = rule.spans(&redacted.text);
        spans.retain(|span| &redacted.text[span.clone()] != token);
        if spans.is_empty() {
            continue;
        }
        has_changed = true;
        redacted.text = replace(&redacted.text, &spans, token);
        if !redacted.labels.contains(&rule.label()) {
            redacted.labels.push(rule.label());
        }
    }
    has_changed
}

/// Redacts every string in `value`, JSON inside strings included, and the whole value of every key
/// that names a secret. Shape and key order stay as they are. Keys themselves are not changed.
pub fn redact_json(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let redact_field = |(key, value): (&String, &Value)| {
                let is_secret = rules::names_a_secret(key) && !matches!(value, Value::Null | Value::Bool(_));
                let value = if is_secret { Label::Secret.token().into() } else { redact_json(value) };
                (key.clone(), value)
            };
            Value::Object(fields.iter().map(redact_field).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(redact_json).collect()),
        Value::String(text) => Value::String(redact_json_text(text)),
        Value::Number(number) => {
            let text = number.to_string();
            let redacted = redact_structured(&text);
            if redacted.labels.is_empty() { value.clone() } else { Value::String(redacted.text) }
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

/// Redacts a string that may itself be JSON, as the arguments of a tool call often are.
fn redact_json_text(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(inner @ (Value::Object(_) | Value::Array(_))) => redact_json(&inner).to_string(),
        _ => redact_structured(text).text,
    }
}

/// Returns whether `text` holds a label that redaction put there.
pub fn has_label(text: &str) -> bool {
    text.contains(LABEL_START)
}

/// Returns whether `text` holds a secret that is known by its shape. Addresses, and words that merely follow
/// "the password is", do not count: an answer may well speak of them.
pub fn has_secret(text: &str) -> bool {
    rules::all(&[])
        .is_none_or(|rules| rules.iter().any(|rule| rule.knows_by_shape() && !rule.spans(text).is_empty()))
}

/// `text` with `token` in place of each of `spans`, which are in order and do not overlap.
fn replace(text: &str, spans: &[std::ops::Range<usize>], token: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        out.push_str(&text[from..span.start]);
        out.push_str(token);
        from = span.end;
    }
    out.push_str(&text[from..]);
    out
}
