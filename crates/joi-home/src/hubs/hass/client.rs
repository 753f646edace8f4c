//! Requests to Home Assistant: the whole house and the events over a WebSocket, states and services over REST.
//!
//! Any Tokio task. In: names and commands that were checked. Out: values, or a [`HomeFault`]. A service is called
//! once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::entity::{HassEntity, split};
use super::model::{self, HassRead};
use super::registry::rows;
use super::socket::HassSocket;
use super::{services, states};
use crate::address::ServerAddress;
use crate::backend::{SendFault, ServerEvent};
use crate::fault::HomeFault;
use crate::house::{HouseRules, Item};
use crate::http::HubHttp;
use crate::hub::{EventStream, HubClient, ReadHouse};
use crate::token::TokenSource;

/// The server's name as its makers write it, and as it names itself.
pub(super) const NAME: &str = "Home Assistant";
const SHORT: Duration = Duration::from_secs(5);
/// A service answers when it is through; the server itself gives up after ten seconds.
const SERVICE: Duration = Duration::from_secs(11);
/// The server sends nothing by itself, so it is pinged.
const PING: Duration = Duration::from_secs(10);
/// Bytes of the longest answer of the REST interface.
const LONGEST: usize = 1 << 20;
/// Events beside states that are followed: changes of names, rooms and devices, and the end of a start.
const LAYOUT_EVENTS: [&str; 6] = [
    "area_registry_updated",
    "floor_registry_updated",
    "device_registry_updated",
    "entity_registry_updated",
    "core_config_updated",
    "homeassistant_started",
];

/// The client of one server.
pub(super) struct HassClient {
    http: HubHttp,
    /// The unit of temperatures, as last read.
    degrees: Mutex<String>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HassClient {
    pub(super) fn new(address: ServerAddress, source: TokenSource) -> Result<Self, HomeFault> {
        Ok(Self { http: HubHttp::new(address, source)?, degrees: Mutex::new("°C".to_owned()) })
    }

    async fn socket(&self) -> Result<HassSocket, HomeFault> {
        let mut socket = HassSocket::open(&self.http.address, self.http.token().as_ref()).await?;
        fit_version(&socket.version)?;
        let config = socket.ask(json!({"type": "get_config"})).await?;
        if let Some(degrees) = config.pointer("/unit_system/temperature").and_then(Value::as_str) {
            degrees.clone_into(&mut locked(&self.degrees));
        }
        match config["state"].as_str() {
            Some("RUNNING") | None => Ok(socket),
            Some(state) => Err(HomeFault::Starting { why: state.to_lowercase().replace('_', " ") }),
        }
    }

    async fn whole(&self, rules: &HouseRules) -> Result<ReadHouse, HomeFault> {
        let mut socket = self.socket().await?;
        let exposed = socket.ask(json!({"type": "homeassistant/expose_entity/list"})).await;
        let exposed = exposed.map_err(|fault| match fault {
            HomeFault::Refused => too_old(&socket.version),
            other => other,
        })?;
        let exposed: HashSet<String> = seen_by_assistants(&exposed);
        let config = socket.ask(json!({"type": "get_config"})).await?;
        let degrees = locked(&self.degrees).clone();
        let mut read = HassRead {
            language: config["language"].as_str().unwrap_or("en").to_owned(),
            degrees,
            areas: rows(socket.ask(json!({"type": "config/area_registry/list"})).await?),
            devices: rows(socket.ask(json!({"type": "config/device_registry/list"})).await?),
            entities: rows(socket.ask(json!({"type": "config/entity_registry/list"})).await?),
            ..HassRead::default()
        };
        // Servers before 2024.4 have no floors.
        read.floors =
            socket.ask(json!({"type": "config/floor_registry/list"})).await.map(rows).unwrap_or_default();
        let ids: Vec<_> =
            read.entities.iter().map(|row| &row.entity_id).filter(|id| exposed.contains(*id)).collect();
        let asked =
            socket.ask(json!({"type": "config/entity_registry/get_entries", "entity_ids": ids})).await;
        read.aliases = asked.map(aliases).unwrap_or_default();
        read.states = rows(socket.ask(json!({"type": "get_states"})).await?);
        read.exposed = exposed;
        Ok(ReadHouse { version: socket.version.clone(), house: model::house(&read, rules) })
    }

    async fn events(&self) -> Result<EventStream, HomeFault> {
        let mut socket = self.socket().await?;
        for event in ["state_changed"].iter().chain(&LAYOUT_EVENTS) {
            socket.start(json!({"type": "subscribe_events", "event_type": event})).await?;
        }
        let mut pings = interval_at(Instant::now() + PING, PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let degrees = locked(&self.degrees).clone();
        let events = stream::unfold(Some((socket, pings, degrees)), |running| async move {
            let (mut socket, mut pings, degrees) = running?;
            loop {
                // Both arms are cancel-safe: a message is taken whole or not at all.
                let came = tokio::select! {
                    message = socket.next() => message,
                    _ = pings.tick() => match socket.start(json!({"type": "ping"})).await {
                        Ok(_) => continue,
                        Err(fault) => Err(fault),
                    },
                };
                return Some(match came {
                    Ok(message) => (Ok(read_events(&message, &degrees)), Some((socket, pings, degrees))),
                    Err(fault) => (Err(fault.to_string()), None),
                });
            }
        });
        Ok(events.boxed())
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, HomeFault> {
        let request = self.http.request(method, path)?;
        Ok(match self.http.token() {
            Some(token) => request.bearer_auth(token.secret()),
            None => request,
        })
    }

    /// An entity as it is now.
    async fn entity(&self, id: &str) -> Result<HassEntity, HomeFault> {
        let request = self.request(Method::GET, &format!("api/states/{}", checked(id)?))?;
        let answered = async {
            let response = request.send().await.map_err(|error| self.http.unreachable(error))?;
            fault(&self.http.address, response.status().as_u16(), id).map_or(Ok(()), Err)?;
            let body = self.http.body(response, LONGEST).await?;
            serde_json::from_slice(&body).map_err(|error| HomeFault::Unreadable { why: error.to_string() })
        };
        timeout(SHORT, answered).await.unwrap_or_else(|_| Err(self.http.silent()))
    }

    /// Calls the service that a command means, once.
    async fn call(&self, item: &str, text: &str) -> Result<(), SendFault> {
        let (id, part) = split(item);
        // The item of all scenes takes the name of one.
        let (id, text) = if id.contains('.') { (id, text) } else { (text, "ON") };
        let entity = self.entity(id).await.map_err(SendFault::NotSent)?;
        let degrees = locked(&self.degrees).clone();
        let call = services::in_own_unit(&entity, part, text, &degrees)
            .and_then(|text| services::call(&entity, part, &text))
            .ok_or(SendFault::NotSent(HomeFault::Refused))?;
        let path = format!("api/services/{}/{}", call.domain, call.service);
        let request = self.request(Method::POST, &path).map_err(SendFault::NotSent)?.json(&call.data);
        let status = self.http.send(request, SERVICE).await?.status().as_u16();
        match (fault(&self.http.address, status, id), status) {
            (None, _) => Ok(()),
            // A service that broke may have done a part of it.
            (Some(fault), 500..=599) => Err(SendFault::OutcomeUnknown(fault)),
            (Some(fault), _) => Err(SendFault::NotSent(fault)),
        }
    }
}

impl HubClient for HassClient {
    fn address(&self) -> &ServerAddress {
        &self.http.address
    }

    fn answers(&self) -> BoxFuture<'_, bool> {
        let asked = async {
            let response = self.http.request(Method::GET, "manifest.json").ok()?.send().await.ok()?;
            let manifest: Value =
                serde_json::from_slice(&self.http.body(response, LONGEST).await.ok()?).ok()?;
            Some(manifest["name"] == NAME)
        };
        Box::pin(async { timeout(SHORT, asked).await.ok().flatten().unwrap_or(false) })
    }

    fn open(self: Arc<Self>) -> BoxFuture<'static, Result<EventStream, HomeFault>> {
        Box::pin(async move {
            self.http.renew_token()?;
            self.events().await
        })
    }

    fn read(self: Arc<Self>, rules: HouseRules) -> BoxFuture<'static, Result<ReadHouse, HomeFault>> {
        Box::pin(async move {
            self.http.renew_token()?;
            self.whole(&rules).await
        })
    }

    fn command<'a>(&'a self, item: &'a str, text: &'a str) -> BoxFuture<'a, Result<(), SendFault>> {
        Box::pin(self.call(item, text))
    }

    fn state<'a>(&'a self, item: &'a Item) -> BoxFuture<'a, Result<Option<String>, HomeFault>> {
        Box::pin(async move {
            // The item of all scenes is not an entity.
            if !item.name.contains('.') {
                return Ok(None);
            }
            let degrees = locked(&self.degrees).clone();
            let states = states::states(&self.entity(split(&item.name).0).await?, &degrees);
            let text = states.into_iter().find(|(name, _)| *name == item.name).map(|(_, text)| text);
            text.map(Some).ok_or_else(|| HomeFault::NoItem { item: item.name.clone() })
        })
    }
}

fn too_old(version: &str) -> HomeFault {
    HomeFault::TooOld { hub: NAME, version: version.to_owned(), oldest: "2023.5" }
}

/// Refuses versions before 2023.5; years and months count, as in `2026.11.2`.
pub(super) fn fit_version(version: &str) -> Result<(), HomeFault> {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(year), Some(month)) if (year, month) < (2023, 5) => Err(too_old(version)),
        _ => Ok(()),
    }
}

/// Sensors of sunset and sunrise, for "when the sun sets": they are read though no assistant is shown them by default, since
/// they say nothing of the house.
const OF_THE_SUN: [&str; 2] = ["sensor.sun_next_setting", "sensor.sun_next_rising"];

pub(super) fn seen_by_assistants(list: &Value) -> HashSet<String> {
    let all = list["exposed_entities"].as_object().into_iter().flatten();
    let shown = all.filter(|(_, assistants)| assistants["conversation"] == true).map(|(id, _)| id.clone());
    shown.chain(OF_THE_SUN.map(str::to_owned)).collect()
}

/// Returns the further names of entities, out of the extended entries of the registry.
pub(super) fn aliases(entries: Value) -> HashMap<String, Vec<String>> {
    let Value::Object(entries) = entries else { return HashMap::new() };
    let found = rows::<super::registry::EntityRow>(entries.into_iter().map(|(_, entry)| entry).collect());
    found.into_iter().map(|row| (row.entity_id, row.aliases)).collect()
}

/// Returns the events in a message of the socket.
pub(super) fn read_events(message: &Value, degrees: &str) -> Vec<ServerEvent> {
    if message["type"] == "pong" {
        return vec![ServerEvent::Alive];
    }
    let event = &message["event"];
    match event["event_type"].as_str() {
        None => Vec::new(),
        Some("state_changed") => {
            let (old, new) = (&event["data"]["old_state"], &event["data"]["new_state"]);
            let Ok(entity) = serde_json::from_value::<HassEntity>(new.clone()) else {
                return vec![ServerEvent::Layout];
            };
            let states = states::states(&entity, degrees).into_iter();
            let mut events: Vec<_> = states.map(|(item, text)| ServerEvent::State { item, text }).collect();
            // What came out of nothing or is called otherwise is described anew.
            let name = |state: &Value| state.pointer("/attributes/friendly_name").cloned();
            if old.is_null() || name(old) != name(new) {
                events.push(ServerEvent::Layout);
            }
            events
        }
        Some(_) => vec![ServerEvent::Layout],
    }
}

/// A name that can stand in a path as it is.
fn checked(id: &str) -> Result<&str, HomeFault> {
    let is_id =
        id.contains('.') && id.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.'));
    if is_id { Ok(id) } else { Err(HomeFault::NoItem { item: id.to_owned() }) }
}

/// Returns the fault that a status means; `None` for success.
fn fault(address: &ServerAddress, status: u16, entity: &str) -> Option<HomeFault> {
    Some(match status {
        200..=299 => return None,
        401 => HomeFault::WrongToken,
        403 => HomeFault::Forbidden,
        404 => HomeFault::NoItem { item: entity.to_owned() },
        400 => HomeFault::Refused,
        502..=504 => HomeFault::Proxy { status },
        500 => HomeFault::Unreadable { why: "the service failed (status 500)".to_owned() },
        status => HomeFault::NotAServer { address: address.to_string(), why: format!("status {status}") },
    })
}
