//! Decides what to look for in the memory: read from the words of the request, or asked of the model.
//!
//! Runs in the task of the turn. Input: the request, and what the plan says it is about. Output: words, a stretch of
//! time and a text to embed. Where words alone do, no model is asked; one that fails, or is too slow, leaves it to
//! them. What a model said is kept for the conversation.

use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use serde::Deserialize;
use serde_json::json;

use super::config::Extractor;
use super::recall_query::RecallQuery;
use crate::agent::request::TurnRequest;
use crate::config::ContextConfig;
use crate::deadline;
use crate::model::ChatModel;
use crate::prompt::context;
use crate::prompt::side_query::{SideQueries, SideQuery};
use crate::session::Session;
use crate::sink::ReceiverClosed;
use joi_answer::json::object;
use joi_language::words;
use joi_llm::ModelSize;
use joi_understand::question::{self, MemoryQuestion};

/// The instruction.
const PROMPT: &str = include_str!("../../../../assets/prompts/extractor.md");
/// Most tokens of the answer.
const TOKENS: u32 = 160;
/// Most words that are looked for.
const MOST_WORDS: usize = 12;
/// Most questions, and the longest, in characters.
const MOST_QUESTIONS: usize = 3;
const LONGEST: usize = 120;

/// The reply of a model.
#[derive(Debug, Deserialize)]
struct ExtractorAnswer {
    keywords: Vec<String>,
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    #[serde(default)]
    questions: Vec<String>,
}

/// Returns what a model wants to be looked for; nothing when it is not what was asked for.
fn read(written: &str, asked: &str, now: &Zoned) -> Option<RecallQuery> {
    let ExtractorAnswer { keywords, from, to, questions } = object(written)?;
    let mut matter: Vec<String> = Vec::new();
    for word in keywords.iter().flat_map(|keyword| words::words(keyword)) {
        if word.chars().count() > 1 && !matter.contains(&word) {
            matter.push(word);
        }
    }
    matter.truncate(MOST_WORDS);
    let day = |text: &str| text.trim().parse::<Date>().ok();
    let moment = |day: Date| Some(day.to_zoned(now.time_zone().clone()).ok()?.timestamp());
    let (first, last) = (day(&from), day(&to));
    let from = first.and_then(moment);
    let until = last.or(first).and_then(|day| moment(day.checked_add(1.day()).ok()?));
    // A time that ends before it begins, or that has not come, is none.
    let is_time = from.is_some_and(|from| from <= now.timestamp() && until.is_some_and(|until| until > from));
    let (from, until) = if is_time { (from, until) } else { (None, None) };
    let mut about = vec![asked.to_owned()];
    about
        .extend(questions.into_iter().take(MOST_QUESTIONS).map(|q| joi_tools::fence::shortened(&q, LONGEST)));
    Some(RecallQuery { question: MemoryQuestion { words: matter, from, until }, about: about.join(" ") })
}

/// Returns whether a model is asked, where the words alone say `by_words`.
fn asks_model(mode: Extractor, size: ModelSize, topic: Option<&str>, by_words: &MemoryQuestion) -> bool {
    match (mode, size) {
        (Extractor::Never, _) => false,
        (Extractor::Always, _) | (Extractor::Auto, ModelSize::Large) => true,
        (Extractor::Auto, ModelSize::Small) => topic.is_some() && by_words.is_empty(),
    }
}

/// When a model is asked, which one, and its context line.
#[derive(Clone, Copy)]
pub(crate) struct ExtractRules<'a> {
    /// Whether a model is asked.
    pub(crate) mode: Extractor,
    /// `[context]`.
    pub(crate) context: &'a ContextConfig,
    /// Which model of the server; empty: the one that answers.
    pub(crate) model: &'a str,
}

/// Returns what to look for; `topic` is what the plan says it is about.
pub(crate) async fn extract<M: ChatModel>(
    request: &TurnRequest<'_>,
    topic: Option<&str>,
    rules: ExtractRules<'_>,
    session: &Session,
    side: &SideQueries<'_, M>,
) -> Result<RecallQuery, ReceiverClosed> {
    let (turn, sink) = (request.turn, side.sink);
    let about = format!("{} {}", turn.asked, topic.unwrap_or_default()).trim().to_owned();
    let by_words = RecallQuery { question: question::read(&about, &turn.now), about };
    if !asks_model(rules.mode, request.answering.size, topic, &by_words.question) {
        return Ok(by_words);
    }
    let key = format!("{}\n{}", turn.asked, topic.unwrap_or_default());
    if let Some(query) = session.with(|state| state.caches.queries.get(&key).cloned()) {
        sink.decided("extractor", "known", "the same was asked in this conversation").await?;
        return Ok(query);
    }
    let topic = topic.filter(|topic| !topic.is_empty()).map_or_else(String::new, |t| format!("\nTopic: {t}"));
    let instruction = PROMPT
        .replace("{context}", &context::line(rules.context, &turn.now, &turn.language))
        .replace("{asked}", turn.asked)
        .replace("{topic}", &topic);
    let written = side.ask(ask_model(&instruction, rules.model)).await;
    let query = written.as_deref().and_then(|written| read(written, &by_words.about, &turn.now));
    let Some(query) = query else {
        sink.decided("extractor", "failed", "it is looked for by the words of the request").await?;
        return Ok(by_words);
    };
    session.with(|state| state.caches.queries.put(key, query.clone()));
    let MemoryQuestion { words, from, .. } = &query.question;
    let time = if from.is_some() { "a time" } else { "no time" };
    tracing::debug!(words = words.len(), time, "it is known what to look for");
    sink.decided("extractor", "read", format!("{} words, {time}", words.len())).await?;
    Ok(query)
}

/// Returns the question to the model.
fn ask_model<'a>(instruction: &'a str, model: &'a str) -> SideQuery<'a> {
    let list = |most: usize| json!({ "type": "array", "items": { "type": "string", "maxLength": LONGEST }, "maxItems": most });
    let day = json!({ "type": "string", "maxLength": 10 });
    SideQuery {
        purpose: "extractor",
        instruction,
        format: Some(json!({
            "type": "object",
            "properties": { "keywords": list(6), "from": day, "to": day, "questions": list(MOST_QUESTIONS) },
            "required": ["keywords", "from", "to", "questions"],
        })),
        tokens: TOKENS,
        limit: deadline::EXTRACTOR,
        model,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_understand::question::date;

    fn now() -> Zoned {
        "2026-11-22T14:05:30+01:00[Europe/Vienna]".parse().unwrap()
    }

    #[test]
    fn words_days_and_questions_are_read_and_what_can_not_be_is_left_out() {
        for (written, words, range) in [
            (
                r#"{"keywords":["Ann","the car"],"from":"2026-11-16","to":"2026-11-20","questions":["What about it?"]}"#,
                "ann the car",
                "2026-11-16 2026-11-21",
            ),
            (
                r#"{"keywords":["Ann","ann"],"from":"2026-11-16","to":"","questions":[]}"#,
                "ann",
                "2026-11-16 2026-11-17",
            ),
            (r#"{"keywords":["Анна"],"from":"last week","to":"soon"}"#, "анна", ""),
            (r#"{"keywords":[],"from":"2026-11-20","to":"2026-11-10"}"#, "", ""),
            (r#"{"keywords":[],"from":"2027-01-01","to":"2027-01-02"}"#, "", ""),
            (r#"{"keywords":[],"from":"9999-12-31","to":"9999-12-31"}"#, "", ""),
        ] {
            let MemoryQuestion { words: found, from, until } =
                read(written, "what", &now()).unwrap().question;
            let days: Vec<String> = [from, until].iter().flatten().map(|at| date(*at, &now())).collect();
            assert_eq!((found.join(" ").as_str(), days.join(" ").as_str()), (words, range), "{written}");
        }
        let sought =
            read(r#"{"keywords":["a1"],"questions":["When?","Who?","Why?","How?"]}"#, "it", &now()).unwrap();
        assert_eq!(sought.about, "it When? Who? Why?");
        for garbage in ["", "cats", "{\"keywords\": 5}", "{\"words\": []}", "[\"a\"]"] {
            assert_eq!(read(garbage, "it", &now()), None, "{garbage}");
        }
    }

    // With a small model, only where the words say nothing and a plan wants the memory
    #[test]
    fn a_small_model_is_asked_only_where_words_do_not_do() {
        use Extractor::{Always, Auto, Never};
        use ModelSize::{Large, Small};
        let (some, none) = (
            MemoryQuestion { words: vec!["car".into()], ..MemoryQuestion::default() },
            MemoryQuestion::default(),
        );
        for (mode, size, topic, by_words, asks) in [
            (Auto, Small, None, &none, false),
            (Auto, Small, Some(""), &some, false),
            (Auto, Small, Some(""), &none, true),
            (Auto, Large, None, &some, true),
            (Always, Small, None, &some, true),
            (Never, Large, Some("x"), &none, false),
        ] {
            assert_eq!(asks_model(mode, size, topic, by_words), asks, "{mode:?} {size:?} {topic:?}");
        }
    }
}
