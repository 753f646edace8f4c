//! The task that keeps the house up to date: opens the stream, reads, applies events, shows the result.
//!
//! One task for each connection, the same for every kind of server. In: the server's events. Out: the [`HomeView`] of a
//! watch channel, and the events themselves for who follows them; whoever lags behind there loses the oldest. What is to
//! be done is decided in `link.rs`; this does it. Memory is bounded: of each item the last state, while the house is
//! being read. Events of items that are not in the house are dropped.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::backend::{HomeLink, HomeView, SendFault, ServerEvent};
use super::fault::HomeFault;
use super::house::{House, HouseRules, ItemState};
use super::hub::{EventStream, HubClient, ReadHouse};
use super::link::{HomeConnection, LinkAction, LinkEvent};
use super::wire_text::state_text;

/// Events that are kept for somebody who is slow; the oldest are lost then.
const EVENTS: usize = 1024;

/// Keeps the house up to date as long as it runs.
#[derive(Clone)]
pub struct Follower {
    client: Arc<dyn HubClient>,
    rules: HouseRules,
    view: watch::Sender<HomeView>,
    events: broadcast::Sender<ServerEvent>,
    doubted: Arc<Notify>,
}

/// The receiving end of a [`Follower`].
#[derive(Clone)]
pub(super) struct Followed {
    pub(super) view: watch::Receiver<HomeView>,
    pub(super) events: broadcast::Sender<ServerEvent>,
    /// Wakes the follower to read the house again.
    doubted: Arc<Notify>,
}

impl Followed {
    /// Logs a command to `item` that failed. Unless the server refused it, the house is read again.
    pub(super) fn sent(&self, item: &str, sent: &Result<(), SendFault>) {
        if let Err(SendFault::NotSent(fault) | SendFault::OutcomeUnknown(fault)) = sent {
            tracing::info!(item, %fault, "a command failed");
            if *fault != HomeFault::Refused {
                self.doubted.notify_one();
            }
        }
    }
}

/// The running connection: its futures and what they have brought.
struct Following {
    connection: HomeConnection,
    opening: Option<BoxFuture<'static, Result<EventStream, HomeFault>>>,
    stream: Option<EventStream>,
    reading: Option<BoxFuture<'static, Result<ReadHouse, HomeFault>>>,
    /// States that changed while the house was being read.
    meanwhile: HashMap<String, String>,
    /// The house as read, not shown yet.
    ready: Option<ReadHouse>,
}

impl Follower {
    /// Creates a task for `client`, not running yet, and its receiving end.
    pub(super) fn new(client: Arc<dyn HubClient>, rules: HouseRules) -> (Self, Followed) {
        let (sender, view) = watch::channel(HomeView::default());
        let (events, _) = broadcast::channel(EVENTS);
        let doubted = Arc::new(Notify::new());
        let followed = Followed { view, events: events.clone(), doubted: Arc::clone(&doubted) };
        (Self { client, rules, view: sender, events, doubted }, followed)
    }

    /// Runs until `stop` is cancelled.
    pub async fn run(self, stop: CancellationToken) {
        let mut running = Following {
            connection: HomeConnection::new(Instant::now()),
            opening: None,
            stream: None,
            reading: None,
            meanwhile: HashMap::new(),
            ready: None,
        };
        loop {
            let due = running.connection.due();
            // Every arm is cancel-safe: the futures are kept in `running`.
            let event = tokio::select! {
                () = stop.cancelled() => return,
                opened = when_some(&mut running.opening) => self.opened(&mut running, opened),
                read = when_some(&mut running.reading) => self.has_read(&mut running, read),
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
                running.stream = Some(stream);
                LinkEvent::Opened
            }
            Err(fault) => LinkEvent::Closed(fault),
        }
    }

    fn has_read(&self, running: &mut Following, read: Result<ReadHouse, HomeFault>) -> LinkEvent {
        running.reading = None;
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

    fn piece(&self, running: &mut Following, piece: Option<Result<Vec<ServerEvent>, String>>) -> LinkEvent {
        let came = match piece {
            Some(Ok(came)) => came,
            other => {
                let why =
                    other.and_then(Result::err).unwrap_or_else(|| "the stream of events ended".to_owned());
                let address = self.client.address().to_string();
                return LinkEvent::Closed(HomeFault::Unreachable { address, why });
            }
        };
        let mut changed = HashMap::new();
        let mut event = LinkEvent::Heard;
        for read in came {
            match &read {
                ServerEvent::State { item, text } => {
                    changed.insert(item.clone(), text.clone());
                }
                ServerEvent::Layout | ServerEvent::StartLevel(_) => event = LinkEvent::Layout,
                ServerEvent::Alive | ServerEvent::Commanded { .. } | ServerEvent::Other => {}
            }
            if self.is_of_house(&read) {
                let _ = self.events.send(read);
            }
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

    /// Whether an event is about an item of the house, or about none.
    fn is_of_house(&self, event: &ServerEvent) -> bool {
        match event {
            ServerEvent::State { item, .. } | ServerEvent::Commanded { item, .. } => {
                self.view.borrow().house.item(item).is_some()
            }
            _ => true,
        }
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
            LinkAction::Open => running.opening = Some(Arc::clone(&self.client).open()),
            LinkAction::Read => {
                running.meanwhile.clear();
                running.reading = Some(Arc::clone(&self.client).read(self.rules.clone()));
            }
            LinkAction::Believe => self.believe(running, true),
            LinkAction::BelieveStarting => self.believe(running, false),
            LinkAction::Doubt => {
                running.ready = None;
                self.show_link(HomeLink::Starting);
            }
            LinkAction::Falter(HomeFault::Starting { .. }) => self.show_link(HomeLink::Starting),
            LinkAction::Falter(fault) => self.show_link(HomeLink::Lost { fault }),
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

    /// Shows the connection's fault; the states of a server that is gone or starting are unknown.
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

fn with_texts(house: &House, texts: &HashMap<String, String>) -> House {
    let states = texts.iter().filter_map(|(name, text)| {
        let item = house.item(name)?;
        let text = state_text(text, item.unit.as_deref());
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

async fn next(stream: &mut Option<EventStream>) -> Option<Result<Vec<ServerEvent>, String>> {
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
