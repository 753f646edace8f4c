//! The task that keeps the house true: opens the stream, reads, applies events, shows the result.
//!
//! One task for each connection. In: the server's bytes. Out: the [`HomeView`] of a watch channel, and the events
//! themselves for who follows them; whoever lags behind there loses the oldest. What is to be done is decided in
//! `link.rs`; this does it. Memory is bounded: of each item the last state, while the house is being read.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::events::{self, ServerEvent};
use super::frames::SseFrames;
use super::link::{HomeConnection, LinkAction, LinkEvent};
use super::rest::{ReadHouse, RestClient};
use crate::home::backend::{HomeLink, HomeView};
use crate::home::fault::HomeFault;
use crate::home::house::{HouseRules, ItemState, TagVocabulary};

/// What is followed: own changes of items and of groups, the list of items, the server's start, commands.
const TOPICS: &str = "openhab/items/*/statechanged,openhab/items/*/command,openhab/items/*/added,\
                      openhab/items/*/removed,openhab/items/*/updated,openhab/system/startlevel";

type EventStream = BoxStream<'static, Result<Bytes, String>>;

/// Keeps the house true as long as it runs.
#[derive(Clone)]
pub struct Follower {
    pub(super) rest: Arc<RestClient>,
    pub(super) rules: HouseRules,
    pub(super) view: watch::Sender<HomeView>,
    pub(super) events: broadcast::Sender<ServerEvent>,
    pub(super) doubted: Arc<Notify>,
}

/// What goes on at the moment.
struct Following {
    connection: HomeConnection,
    opening: Option<BoxFuture<'static, Result<EventStream, HomeFault>>>,
    stream: Option<EventStream>,
    frames: SseFrames,
    reading: Option<BoxFuture<'static, (Result<ReadHouse, HomeFault>, TagVocabulary)>>,
    /// Read once, and again after each trouble.
    vocabulary: Option<TagVocabulary>,
    /// What came while the house was being read.
    meanwhile: HashMap<String, String>,
    /// Read, and not shown yet.
    ready: Option<ReadHouse>,
}

impl Follower {
    /// Runs until `stop` is cancelled.
    pub async fn run(self, stop: CancellationToken) {
        let mut running = Following {
            connection: HomeConnection::new(Instant::now()),
            opening: None,
            stream: None,
            frames: SseFrames::default(),
            reading: None,
            vocabulary: None,
            meanwhile: HashMap::new(),
            ready: None,
        };
        loop {
            let due = running.connection.due();
            // Every arm is cancel-safe: the futures are kept in `running`.
            let event = tokio::select! {
                () = stop.cancelled() => return,
                opened = when_some(&mut running.opening) => self.opened(&mut running, opened),
                (read, vocabulary) = when_some(&mut running.reading) => {
                    self.has_read(&mut running, read, vocabulary)
                }
                piece = next(&mut running.stream) => self.piece(&mut running, piece),
                () = self.doubted.notified() => LinkEvent::Layout,
                () = until(due) => LinkEvent::Tick,
            };
            let action = running.connection.on(event, Instant::now());
            self.act(&mut running, action);
        }
    }

    fn opened(&self, running: &mut Following, opened: Result<EventStream, HomeFault>) -> LinkEvent {
        running.opening = None;
        match opened {
            Ok(stream) => {
                (running.stream, running.frames) = (Some(stream), SseFrames::default());
                LinkEvent::Opened
            }
            Err(fault) => LinkEvent::Closed(fault),
        }
    }

    fn has_read(
        &self,
        running: &mut Following,
        read: Result<ReadHouse, HomeFault>,
        vocabulary: TagVocabulary,
    ) -> LinkEvent {
        (running.reading, running.vocabulary) = (None, Some(vocabulary));
        match read {
            Ok(read) => {
                let before = self.view.borrow().house.items().len();
                let items = read.house.items().len();
                running.ready = Some(read);
                LinkEvent::Read { items, before }
            }
            Err(fault) => {
                tracing::debug!(%fault, "the house can't be read");
                LinkEvent::Unread(fault)
            }
        }
    }

    fn piece(&self, running: &mut Following, piece: Option<Result<Bytes, String>>) -> LinkEvent {
        let bytes = match piece {
            Some(Ok(bytes)) => bytes,
            other => {
                let why =
                    other.and_then(Result::err).unwrap_or_else(|| "the stream of events ended".to_owned());
                let address = self.rest.address().to_string();
                return LinkEvent::Closed(HomeFault::Unreachable { address, why });
            }
        };
        let mut changed = HashMap::new();
        let mut event = LinkEvent::Heard;
        for frame in running.frames.feed(&bytes) {
            let Some(read) = events::read(&frame) else {
                tracing::debug!(bytes = frame.data.len(), "an event that can't be read is left out");
                continue;
            };
            match &read {
                ServerEvent::State { item, text } => {
                    changed.insert(item.clone(), text.clone());
                }
                ServerEvent::Layout | ServerEvent::StartLevel(_) => event = LinkEvent::Layout,
                ServerEvent::Alive | ServerEvent::Commanded { .. } | ServerEvent::Other => {}
            }
            let _ = self.events.send(read);
        }
        self.apply(&changed);
        if running.reading.is_some() {
            running.meanwhile.extend(changed);
        }
        if event == LinkEvent::Layout {
            running.connection.on(LinkEvent::Heard, Instant::now());
        }
        event
    }

    /// Shows new states, where states are shown at all.
    fn apply(&self, changed: &HashMap<String, String>) {
        if changed.is_empty() {
            return;
        }
        self.view.send_if_modified(|view| {
            if matches!(view.link, HomeLink::Lost { .. } | HomeLink::Connecting) {
                return false;
            }
            let house = with_texts(&view.house, changed);
            let is_new = house.revision() != view.house.revision();
            view.house = house;
            is_new
        });
    }

    fn act(&self, running: &mut Following, action: LinkAction) {
        match action {
            LinkAction::Nothing => {}
            LinkAction::Open => {
                let rest = Arc::clone(&self.rest);
                running.opening = Some(Box::pin(async move {
                    rest.renew_token()?;
                    // A wrong address may well open something; only a server tells its version.
                    rest.version().await?;
                    rest.events(TOPICS).await
                }));
            }
            LinkAction::Read => {
                let (rest, rules) = (Arc::clone(&self.rest), self.rules.clone());
                let known = running.vocabulary.take();
                running.meanwhile.clear();
                running.reading = Some(Box::pin(async move {
                    let vocabulary = match known {
                        Some(vocabulary) if vocabulary != TagVocabulary::default() => vocabulary,
                        _ => rest.vocabulary().await,
                    };
                    (rest.house(&vocabulary, &rules).await, vocabulary)
                }));
            }
            LinkAction::Believe => self.believe(running, true),
            LinkAction::BelieveStarting => self.believe(running, false),
            LinkAction::Doubt => {
                running.ready = None;
                self.show_link(HomeLink::Starting);
            }
            LinkAction::Falter => self.show_link(HomeLink::Starting),
            LinkAction::Lose(fault) => {
                (running.stream, running.reading, running.opening) = (None, None, None);
                running.ready = None;
                tracing::info!(%fault, "the house is not connected");
                self.show_link(HomeLink::Lost { fault });
            }
        }
    }

    fn believe(&self, running: &mut Following, is_up: bool) {
        let Some(read) = running.ready.take() else { return };
        let link = if is_up { HomeLink::Up { version: read.version } } else { HomeLink::Starting };
        let meanwhile = std::mem::take(&mut running.meanwhile);
        self.view.send_if_modified(|view| {
            let house = with_texts(&read.house, &meanwhile).following(&view.house);
            let is_new = house.revision() != view.house.revision() || link != view.link;
            if link != view.link {
                let items = house.items().len();
                tracing::info!(items, is_up, "the house was read");
            }
            (view.house, view.link) = (house, link);
            is_new
        });
    }

    /// Shows what is wrong; states of a server that is gone or starting are not known.
    fn show_link(&self, link: HomeLink) {
        self.view.send_if_modified(|view| {
            if view.link == link {
                return false;
            }
            view.house = view.house.without_states();
            view.link = link;
            true
        });
    }
}

fn with_texts(
    house: &crate::home::house::House,
    texts: &HashMap<String, String>,
) -> crate::home::house::House {
    let states = texts.iter().filter_map(|(name, text)| {
        let item = house.item(name)?;
        let text = events::state_text(text, item.unit.as_deref());
        Some((item.name.as_str(), ItemState::read(&text, &item.kind)))
    });
    house.with_states(states.collect::<Vec<_>>())
}

/// Waits for a future that may be missing; without it for ever. It stays where it is until it is ready.
async fn when_some<T>(future: &mut Option<BoxFuture<'static, T>>) -> T {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

async fn next(stream: &mut Option<EventStream>) -> Option<Result<Bytes, String>> {
    match stream {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}
