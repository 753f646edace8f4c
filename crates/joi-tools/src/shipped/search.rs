//! `webSearch`: looks on the web, and in an encyclopaedia when that fails.
//!
//! In: a question. Out: titles, addresses and a few words of at most five results, as words of strangers.
//! SearXNG is asked when the owner has one, else DuckDuckGo; Wikipedia is the last resort. Each has six
//! seconds, so that an honest failure comes within twenty.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::weather::base;
use crate::config::SearchConfig;
use crate::form::FormSource;
use crate::web::HttpClient;
use crate::web::html::{self, Hit};
use crate::{Arguments, Call, Effect, FailureCause, FoundPage, Output, Tool, ToolError, fence, schema};
use joi_language::values::deed::{self, CallValue, ValueKind};

/// Its name.
pub(crate) const NAME: &str = "webSearch";
/// The language in which DuckDuckGo is asked for results of everywhere; in others, of the region that is called as they are.
const WORLDWIDE: &str = "en";
/// Time for each place that is asked.
const EACH: Duration = Duration::from_secs(6);
/// An engine that was reached and knows nothing.
const NOTHING: &str = "found nothing";
/// Most results.
const MOST_HITS: usize = 5;
/// Most words of a query that stands in a request.
const QUERY_WORDS: usize = 12;
/// Most characters of one result's words.
const MOST_WORDS: usize = 240;
/// Most characters of them that may be quoted.
const MOST_QUOTED: usize = 600;
/// Most characters of all.
const MOST_CHARS: usize = 1_500;

/// The tool.
pub(super) struct WebSearch {
    config: SearchConfig,
    http: HttpClient,
}

#[derive(Debug, Deserialize)]
struct Searxng {
    #[serde(default)]
    results: Vec<SearxngHit>,
}

#[derive(Debug, Deserialize)]
struct SearxngHit {
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    content: String,
}

#[derive(Debug, Deserialize)]
struct Wiki {
    query: Option<WikiQuery>,
}

#[derive(Debug, Deserialize)]
struct WikiQuery {
    #[serde(default)]
    pages: std::collections::BTreeMap<String, WikiPage>,
}

#[derive(Debug, Deserialize)]
struct WikiPage {
    #[serde(default)]
    index: u32,
    #[serde(default)]
    title: String,
    #[serde(default)]
    extract: String,
}

impl WebSearch {
    /// Asks the places of `config`.
    pub(super) fn new(config: &SearchConfig, http: HttpClient) -> Self {
        Self { config: config.clone(), http }
    }

    async fn search(&self, query: &str, language: &str) -> Result<Output, ToolError> {
        let mut faults = Vec::new();
        for engine in [SearchEngine::Searxng, SearchEngine::DuckDuckGo, SearchEngine::Wikipedia] {
            if !self.is_configured(engine) {
                continue;
            }
            match timeout(EACH, self.ask(engine, query, language)).await {
                Ok(Ok(hits)) if !hits.is_empty() => return Ok(listed(engine, &hits)),
                Ok(Ok(_)) => faults.push(format!("{} {NOTHING}", engine.name())),
                Ok(Err(error)) => faults.push(format!("{}: {error}", engine.name())),
                Err(_) => faults.push(format!("{} took too long", engine.name())),
            }
        }
        let is_network = !faults.is_empty() && !faults.iter().all(|fault| fault.ends_with(NOTHING));
        let why =
            if faults.is_empty() { "no search engine is configured".to_owned() } else { faults.join("; ") };
        let cause = if is_network { FailureCause::Network } else { FailureCause::Service };
        Err(cause.with(format!("The web can't be searched now ({why}). Tell the user so; don't guess.")))
    }

    fn is_configured(&self, engine: SearchEngine) -> bool {
        match engine {
            SearchEngine::Searxng => !self.config.searxng.is_empty(),
            SearchEngine::DuckDuckGo => self.config.searxng.is_empty() && !self.config.duckduckgo.is_empty(),
            SearchEngine::Wikipedia => !self.config.wikipedia.is_empty(),
        }
    }

    /// Asks one of them in the language of that code.
    async fn ask(&self, engine: SearchEngine, query: &str, language: &str) -> Result<Vec<Hit>, ToolError> {
        match engine {
            SearchEngine::Searxng => {
                let mut url = base(&self.config.searxng, "/search")?;
                url.query_pairs_mut().extend_pairs([
                    ("q", query),
                    ("format", "json"),
                    ("language", language),
                ]);
                let found: Searxng = read(&self.http.get_chosen(url).await?.body)?;
                let hit = |hit: SearxngHit| Hit { title: hit.title, url: hit.url, text: hit.content };
                Ok(found.results.into_iter().map(hit).collect())
            }
            SearchEngine::DuckDuckGo => {
                let mut url = base(&self.config.duckduckgo, "/")?;
                url.query_pairs_mut().append_pair("q", query);
                if language != WORLDWIDE {
                    url.query_pairs_mut().append_pair("kl", &format!("{language}-{language}"));
                }
                Ok(html::hits(&self.http.get_chosen(url).await?.body))
            }
            SearchEngine::Wikipedia => {
                let mut url = base(&self.config.wikipedia_in(language), "/w/api.php")?;
                url.query_pairs_mut().extend_pairs([
                    ("action", "query"),
                    ("generator", "search"),
                    ("gsrsearch", query),
                    ("gsrlimit", "3"),
                    ("prop", "extracts"),
                    ("exintro", "1"),
                    ("explaintext", "1"),
                    ("exchars", "500"),
                    ("format", "json"),
                ]);
                let found: Wiki = read(&self.http.get_chosen(url).await?.body)?;
                let mut pages: Vec<WikiPage> =
                    found.query.into_iter().flat_map(|q| q.pages.into_values()).collect();
                pages.sort_by_key(|page| page.index);
                let wikipedia = self.config.wikipedia_in(language);
                let wikipedia = wikipedia.trim_end_matches('/');
                let hit = |page: WikiPage| {
                    let url = format!("{wikipedia}/wiki/{}", page.title.replace(' ', "_"));
                    Hit { title: page.title, url, text: page.extract }
                };
                Ok(pages.into_iter().map(hit).collect())
            }
        }
    }
}

/// Who can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchEngine {
    Searxng,
    DuckDuckGo,
    Wikipedia,
}

impl SearchEngine {
    fn name(self) -> &'static str {
        match self {
            Self::Searxng => "SearXNG",
            Self::DuckDuckGo => "DuckDuckGo",
            Self::Wikipedia => "Wikipedia",
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(body: &str) -> Result<T, ToolError> {
    serde_json::from_str(body).map_err(|_| FailureCause::Service.with("it sent something that can't be read"))
}

fn listed(engine: SearchEngine, hits: &[Hit]) -> Output {
    let line = |hit: &Hit| {
        let short =
            |text: &str, most| fence::shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "), most);
        format!("{} ({})\n{}", short(&hit.title, 100), short(&hit.url, 200), short(&hit.text, MOST_WORDS))
    };
    let lines: Vec<String> = hits.iter().take(MOST_HITS).map(line).collect();
    let text = format!("From {}:\n{}", engine.name(), fence::wrap(&lines.join("\n\n"), MOST_CHARS));
    let page = |Hit { title, url, text }: &Hit| FoundPage {
        url: url.clone(),
        title: title.clone(),
        text: fence::shortened(text, MOST_QUOTED),
    };
    Output { pages: hits.iter().take(MOST_HITS).map(page).collect(), ..Output::foreign(text) }
}

impl Tool for WebSearch {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "search the web for facts, news, people and places you don't know"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "query": { "type": "string", "maxLength": 200 } }), &["query"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let query = said.text(QUERY_WORDS).filter(|_| said.time().is_none());
        query.map(|query| schema::object(json!({ "query": query }), &["query"])).into_iter().collect()
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Fetches
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::values_of(arguments, &[("query", ValueKind::Gist)])
    }

    fn query<'a>(&self, arguments: &'a Arguments) -> Option<&'a str> {
        arguments.get("query").and_then(Value::as_str)
    }

    fn is_brief(&self) -> bool {
        false
    }

    fn time_limit(&self) -> Duration {
        Duration::from_secs(20)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        // A language of the owner's own is no place to ask.
        let code = Some(call.language.code()).filter(|code| code.len() == 2).unwrap_or(WORLDWIDE);
        async move { self.search(call.text("query"), code).await }.boxed()
    }
}

#[cfg(test)]
mod tests;
