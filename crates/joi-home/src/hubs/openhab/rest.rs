//! Requests to the server: the whole house, one state, one command, the stream of events.
//!
//! Any Tokio task. In: names and commands that were checked. Out: values, or a [`HomeFault`]. The token goes out as a
//! header and nowhere else. Pictures are never asked for.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, LOCATION};
use reqwest::{Method, RequestBuilder, Response};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use super::answers::{self, Answer};
use super::events;
use super::frames::SseFrames;
use crate::address::ServerAddress;
use crate::backend::{SendFault, ServerEvent};
use crate::fault::HomeFault;
use crate::house::{House, HouseRules, Item, ItemKind, ItemState, TagVocabulary, read};
use crate::http::HubHttp;
use crate::hub::{EventStream, HubClient, ReadHouse};
use crate::token::TokenSource;
use joi_base::root_cause;

/// Time for the list of all items on a slow machine.
const LIST: Duration = Duration::from_secs(15);
/// Time for a short answer.
const SHORT: Duration = Duration::from_secs(5);
/// Bytes of the longest answer that is read: some 20 000 items.
const LONGEST: usize = 32 << 20;

/// The topics that are followed: own changes of items and of groups, the list of items, the server's start, commands.
const TOPICS: &str = "openhab/items/*/statechanged,openhab/items/*/command,openhab/items/*/added,\
                      openhab/items/*/removed,openhab/items/*/updated,openhab/system/startlevel";
const ITEM_FIELDS: &str = "name,label,type,groupType,function,category,tags,groupNames,stateDescription,\
                           commandDescription,metadata,unitSymbol";

/// The client of one server.
pub(super) struct RestClient {
    http: HubHttp,
    /// Names of semantic classes; read once for each connection.
    vocabulary: Mutex<TagVocabulary>,
}

#[derive(Deserialize)]
struct StateRow {
    name: String,
    state: Option<String>,
}

impl RestClient {
    pub(super) fn new(address: ServerAddress, source: TokenSource) -> Result<Self, HomeFault> {
        Ok(Self { http: HubHttp::new(address, source)?, vocabulary: Mutex::default() })
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, HomeFault> {
        let mut request = self.http.request(method, &format!("rest/{path}"))?;
        if let Some((user, password)) = self.http.address.login() {
            request = request.basic_auth(user, Some(password));
        }
        if let Some(token) = self.http.token() {
            request = request.header("X-OPENHAB-TOKEN", token.secret());
        }
        Ok(request)
    }

    /// The server's version. It needs no token, but a wrong one is refused here, too.
    async fn version(&self) -> Result<String, HomeFault> {
        answers::version(&self.json("", SHORT).await?, &self.http.address.to_string())
    }

    /// Reads the names of semantic classes in English and German; what can't be read is left out.
    async fn vocabulary(&self) -> TagVocabulary {
        let mut vocabulary = TagVocabulary::default();
        for language in ["en", "de"] {
            let Ok(request) = self.request(Method::GET, "tags") else { continue };
            let asked = self.asked(request.header(ACCEPT_LANGUAGE, language), SHORT).await;
            if let Ok(Ok(Value::Array(rows))) = asked.map(|body| serde_json::from_str(&body)) {
                vocabulary.add(&rows);
            }
        }
        vocabulary
    }

    /// The whole house: descriptions first, then the states of everything but pictures.
    async fn house(&self, rules: &HouseRules) -> Result<ReadHouse, HomeFault> {
        let version = self.version().await?;
        let vocabulary = self.known_vocabulary().await;
        let path =
            format!("items?recursive=false&metadata=semantics,synonyms,voiceSystem&fields={ITEM_FIELDS}");
        let rows = self.list(&path).await?;
        let (items, unread) = read::items(rows);
        for item in &unread {
            tracing::warn!(item = item.name, error = item.error, "an item can't be read and is left out");
        }
        let mut states = Vec::new();
        for filter in state_filters(items.iter().map(|item| &item.kind)) {
            states.extend(self.list(&format!("items?recursive=false&{filter}fields=name,state,type")).await?);
        }
        let house = House::new(items, &vocabulary, rules);
        let states: Vec<_> = states
            .into_iter()
            .filter_map(|row| {
                let StateRow { name, state } = StateRow::deserialize(row).ok()?;
                let state = ItemState::read(state.as_deref()?, &house.item(&name)?.kind);
                Some((name, state))
            })
            .collect();
        let known = states.iter().map(|(name, state)| (name.as_str(), state.clone()));
        let house = house.with_states(known);
        Ok(ReadHouse { version, house })
    }

    async fn post(&self, item: &str, text: &str) -> Result<(), SendFault> {
        let request = checked(item)
            .and_then(|name| self.request(Method::POST, &format!("items/{name}")))
            .map_err(SendFault::NotSent)?
            .header(CONTENT_TYPE, "text/plain")
            .body(text.to_owned());
        let sent = self.http.send(request, SHORT).await?;
        let status = sent.status().as_u16();
        if (200..300).contains(&status) {
            return Ok(());
        }
        let fault = timeout(SHORT, self.body(sent)).await.unwrap_or_else(|_| Err(self.http.silent()));
        let fault = fault.err().unwrap_or(HomeFault::Refused);
        // A proxy that gave up may have passed the command on, and so may a server that broke over it.
        match status {
            500..=599 => Err(SendFault::OutcomeUnknown(fault)),
            _ => Err(SendFault::NotSent(fault)),
        }
    }

    /// Returns the names of semantic classes, read once for each connection.
    async fn known_vocabulary(&self) -> TagVocabulary {
        let known = self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if known != TagVocabulary::default() {
            return known;
        }
        let read = self.vocabulary().await;
        self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&read);
        read
    }

    /// The stream of events, once the server has opened it.
    async fn events(&self) -> Result<EventStream, HomeFault> {
        let request = self.request(Method::GET, &format!("events?topics={TOPICS}"))?;
        let sent = request.header(ACCEPT, "text/event-stream").send();
        let response = match timeout(SHORT, sent).await {
            Ok(sent) => sent.map_err(|error| self.http.unreachable(error))?,
            Err(_) => return Err(self.http.silent()),
        };
        let is_stream = content_type(&response).starts_with("text/event-stream");
        if response.status().as_u16() != 200 || !is_stream {
            let body = timeout(SHORT, self.body(response)).await.unwrap_or_else(|_| Err(self.http.silent()));
            return Err(body.err().unwrap_or(HomeFault::Starting { why: "no stream of events".to_owned() }));
        }
        let mut frames = SseFrames::default();
        let pieces = response.bytes_stream().map(move |piece| match piece {
            Ok(bytes) => Ok(read_events(&mut frames, &bytes)),
            Err(error) => Err(root_cause::of(&error.without_url())),
        });
        Ok(pieces.boxed())
    }

    async fn list(&self, path: &str) -> Result<Vec<Value>, HomeFault> {
        match self.json(path, LIST).await? {
            Value::Array(rows) => Ok(rows),
            _ => Err(HomeFault::Unreadable { why: "no list of items".to_owned() }),
        }
    }

    async fn json(&self, path: &str, within: Duration) -> Result<Value, HomeFault> {
        let body = self.asked(self.request(Method::GET, path)?, within).await?;
        if body.trim().is_empty() {
            return Err(HomeFault::Starting { why: "an empty answer".to_owned() });
        }
        serde_json::from_str(&body).map_err(|error| HomeFault::Unreadable { why: error.to_string() })
    }

    async fn asked(&self, request: RequestBuilder, within: Duration) -> Result<String, HomeFault> {
        let answered = async {
            let response = request.send().await.map_err(|error| self.http.unreachable(error))?;
            self.body(response).await
        };
        timeout(within, answered).await.unwrap_or_else(|_| Err(self.http.silent()))
    }

    /// Returns the body of a success, otherwise the fault.
    async fn body(&self, response: Response) -> Result<String, HomeFault> {
        let status = response.status().as_u16();
        let content_type = content_type(&response);
        let location = response.headers().get(LOCATION).and_then(|v| v.to_str().ok()).map(str::to_owned);
        let bytes = self.http.body(response, LONGEST).await?;
        let body = String::from_utf8_lossy(&bytes).into_owned();
        let answer = Answer {
            address: &self.http.address.to_string(),
            status,
            content_type: &content_type,
            location: location.as_deref(),
            body: &body,
            had_token: self.http.token().is_some(),
        };
        answers::fault(answer).map_or(Ok(body), Err)
    }
}

impl HubClient for RestClient {
    fn address(&self) -> &ServerAddress {
        &self.http.address
    }

    fn answers(&self) -> BoxFuture<'_, bool> {
        use HomeFault::{Forbidden, TokenMissing, TooOld, WrongToken};
        Box::pin(async {
            matches!(self.version().await, Ok(_) | Err(Forbidden | TokenMissing | TooOld { .. } | WrongToken))
        })
    }

    fn open(self: Arc<Self>) -> BoxFuture<'static, Result<EventStream, HomeFault>> {
        Box::pin(async move {
            self.http.renew_token()?;
            *self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner) = TagVocabulary::default();
            // A wrong address may well open something; only a server has a version.
            self.version().await?;
            self.events().await
        })
    }

    fn read(self: Arc<Self>, rules: HouseRules) -> BoxFuture<'static, Result<ReadHouse, HomeFault>> {
        Box::pin(async move {
            self.http.renew_token()?;
            self.house(&rules).await
        })
    }

    fn command<'a>(&'a self, item: &'a str, text: &'a str) -> BoxFuture<'a, Result<(), SendFault>> {
        Box::pin(self.post(item, text))
    }

    fn state<'a>(&'a self, item: &'a Item) -> BoxFuture<'a, Result<Option<String>, HomeFault>> {
        Box::pin(async move {
            if item.kind == ItemKind::Image {
                return Ok(Some(String::new()));
            }
            let path = format!("items/{}/state", checked(&item.name)?);
            let request = self.request(Method::GET, &path)?.header(ACCEPT, "*/*");
            self.asked(request, SHORT).await.map(Some)
        })
    }
}

fn read_events(frames: &mut SseFrames, bytes: &[u8]) -> Vec<ServerEvent> {
    let read = |frame| {
        let event = events::read(&frame);
        if event.is_none() {
            tracing::debug!(bytes = frame.data.len(), "an event that can't be read is left out");
        }
        event
    };
    frames.feed(bytes).into_iter().filter_map(read).collect()
}

fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

/// A name that can stand in a path as it is: percent signs there are not understood.
fn checked(item: &str) -> Result<&str, HomeFault> {
    let is_name = !item.is_empty() && item.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
    if is_name { Ok(item) } else { Err(HomeFault::NoItem { item: item.to_owned() }) }
}

/// The queries that read all states without pictures: one where there are none, else one for each type.
fn state_filters<'a>(kinds: impl Iterator<Item = &'a ItemKind>) -> Vec<String> {
    let mut types: Vec<String> = kinds
        .map(|kind| match kind {
            ItemKind::Group { .. } => "Group".to_owned(),
            other => other.written(),
        })
        .collect();
    types.sort_unstable();
    types.dedup();
    if !types.iter().any(|kind| kind == "Image") {
        return vec![String::new()];
    }
    types.iter().filter(|kind| *kind != "Image").map(|kind| format!("type={kind}&")).collect()
}
