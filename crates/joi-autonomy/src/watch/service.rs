//! The task that watches the house and acts upon what has become so.
//!
//! One task. In: the house as it is, states that items had for a moment, changes of the watches, time. Out: announcements,
//! commands through the hand of the house. What was noticed is stored with what is to be said of it before it is said or
//! done; a database that cannot be written keeps nothing from being said, and no command is sent then.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::keeper::Settling;
use super::{Looked, Sight, Watch, WatchEffect, Watches, finished, look, resumed};
use joi_base::pulse::Heart;
use joi_home::house::{House, ItemState};
use joi_home::{HomeView, ServerEvent};
use joi_language::SentenceTemplate;
use joi_language::values::{HouseHand, LaterCommand, LaterOutcome, WatchId};
use joi_schedule::announce::{
    Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority, Announcer, IfUnheard,
};

/// It looks at least this often: the wall clock may have been set.
pub const LOOKS_EVERY: Duration = Duration::from_secs(30);
/// The least difference between the clocks that counts as a jump.
const LEAST_JUMP: SignedDuration = SignedDuration::from_secs(2);
/// At the end, what was sent to the house is waited for this long.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Where the house comes from.
pub struct HouseSource {
    /// As it is.
    pub view: watch::Receiver<HomeView>,
    /// What happens in it. Events that came too fast are left out: the house as it is counts.
    pub events: broadcast::Receiver<ServerEvent>,
    /// Carries out commands.
    pub hand: Arc<dyn HouseHand>,
}

/// The task.
pub struct WatchTask {
    watches: Watches,
    announcer: Announcer,
    source: HouseSource,
    /// As they are stored.
    known: Vec<Watch>,
    pub(super) is_stale: bool,
    is_first: bool,
    has_failed: bool,
    /// The newest announcement of each watch: the same is not said twice while it waits.
    said: HashMap<WatchId, AnnouncementId>,
    sending: FuturesUnordered<BoxFuture<'static, (WatchId, LaterOutcome)>>,
    anchor: Option<(Timestamp, Instant)>,
}

impl WatchTask {
    /// A task over `watches`. Nothing runs yet.
    pub fn new(watches: Watches, announcer: Announcer, source: HouseSource) -> Self {
        Self {
            watches,
            announcer,
            source,
            known: Vec::new(),
            is_stale: true,
            is_first: true,
            has_failed: false,
            said: HashMap::new(),
            sending: FuturesUnordered::new(),
            anchor: None,
        }
    }

    /// Watches until `stop`.
    pub async fn run(mut self, stop: CancellationToken, heart: &Heart) {
        loop {
            heart.beat();
            let wait = self.look().await;
            let watches = self.watches.clone();
            // Every arm is cancel-safe.
            tokio::select! {
                () = stop.cancelled() => break,
                changed = self.source.view.changed() => {
                    if changed.is_err() {
                        stop.cancelled().await;
                        break;
                    }
                }
                () = watches.changed() => self.is_stale = true,
                Some((id, outcome)) = self.sending.next() => self.end(id, outcome).await,
                () = tokio::time::sleep(wait) => self.is_stale = true,
            }
        }
        // The outcome of a sent command is soon known; otherwise it is announced at the next start.
        let rest = async {
            while let Some((id, outcome)) = self.sending.next().await {
                self.end(id, outcome).await;
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, rest).await;
    }

    /// Looks once, and says how long nothing will change by itself.
    pub(super) async fn look(&mut self) -> Duration {
        if self.is_stale && !self.read_again().await {
            return LOOKS_EVERY;
        }
        let now = self.watches.clock.now().timestamp();
        let moved = self.moved(now);
        if std::mem::take(&mut self.is_first) {
            let unknown = self.known.iter().filter_map(|watch| Some((watch.id, resumed(watch)?))).collect();
            self.settle(unknown).await;
        }
        // What items were for a moment comes before what they are.
        let events = self.events();
        let view = self.source.view.borrow_and_update().clone();
        let house = view.link.is_up().then_some(&view.house).filter(|house| !house.is_empty());
        if let Some(house) = house {
            for (item, text) in events {
                self.glance(house, &item, &text, now).await;
            }
        }
        let sight = Sight { house, event: None, now, moved };
        let looks: Vec<(WatchId, Looked)> =
            self.known.iter().map(|watch| (watch.id, look(watch, &sight))).collect();
        let next = looks.iter().filter_map(|(_, looked)| looked.next).min();
        self.settle(looks).await;
        let left = |at: Timestamp| Duration::try_from(at.duration_since(now)).unwrap_or_default();
        next.map_or(LOOKS_EVERY, left).clamp(Duration::from_millis(50), LOOKS_EVERY)
    }

    /// Looks at those watches that an item had a state for.
    async fn glance(&mut self, house: &House, item: &str, text: &str, now: Timestamp) {
        let is_of = |watch: &&Watch| watch.wanted.condition.items.iter().any(|one| one.item == item);
        let Some(kind) = house.item(item).map(|item| item.kind.clone()) else { return };
        if !self.known.iter().any(|watch| is_of(&watch)) {
            return;
        }
        let state = ItemState::read(text, &kind);
        let sight =
            Sight { house: Some(house), event: Some((item, &state)), now, moved: SignedDuration::ZERO };
        let looks = self.known.iter().filter(is_of).map(|watch| (watch.id, look(watch, &sight))).collect();
        self.settle(looks).await;
    }

    /// Returns what items were since the last look.
    fn events(&mut self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        loop {
            match self.source.events.try_recv() {
                Ok(ServerEvent::State { item, text }) => found.push((item, text)),
                Ok(_) | Err(broadcast::error::TryRecvError::Lagged(_)) => {}
                Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => {
                    return found;
                }
            }
        }
    }

    /// Stores what has changed, then says and does what comes of it.
    async fn settle(&mut self, looks: Vec<(WatchId, Looked)>) {
        let mut settling = Vec::new();
        let mut commands = Vec::new();
        for (id, looked) in looks {
            let before = self.known.iter().find(|watch| watch.id == id);
            if looked.effects.is_empty() && looked.watch.as_ref() == before {
                continue;
            }
            let (mut says, mut sends) = (Vec::new(), Vec::new());
            for effect in looked.effects {
                match effect {
                    WatchEffect::Say(sentence) => says.extend(self.announcement(id, sentence)),
                    WatchEffect::Command(all) => sends.extend(all),
                }
            }
            settling.push(Settling { id, watch: looked.watch, says });
            commands.push(sends);
        }
        if settling.is_empty() {
            return;
        }
        let (rows, is_stored) = match self.watches.settle(settling.clone()).await {
            Ok(rows) => (rows, true),
            Err(error) => {
                tracing::error!(%error, "what was noticed can't be stored");
                (settling.iter().map(|_| Some(Vec::new())).collect(), false)
            }
        };
        for ((one, sends), rows) in settling.into_iter().zip(commands).zip(rows) {
            self.known.retain(|watch| watch.id != one.id);
            // Somebody has ended it meanwhile.
            let Some(rows) = rows else { continue };
            if one.watch.is_none() {
                self.said.remove(&one.id);
            }
            self.known.extend(one.watch);
            let mut rows = rows.into_iter();
            for announcement in one.says {
                let id = match rows.next() {
                    Some(row) => self.announcer.announce_kept(announcement, row).await,
                    None => self.announcer.announce(announcement).await,
                };
                if self.known.iter().any(|watch| watch.id == one.id) {
                    self.said.insert(one.id, id);
                }
            }
            if !sends.is_empty() {
                self.send(one.id, sends, is_stored);
            }
        }
        self.known.sort_by_key(|watch| watch.id);
    }

    /// Returns the announcement of a sentence; nothing while the same waits to be said.
    fn announcement(&self, id: WatchId, sentence: SentenceTemplate) -> Option<Announcement> {
        let (origin, priority) = (AnnouncementOrigin::Watch, AnnouncementPriority::Reminder);
        let announcement =
            Announcement { if_unheard: IfUnheard::Keep, ..Announcement::new(origin, priority, sentence) };
        let waits = self.said.get(&id).is_some_and(|said| {
            let waiting = self.announcer.waiting();
            waiting.iter().any(|one| one.id == *said && one.announcement.wording == announcement.wording)
        });
        (!waits).then_some(announcement)
    }

    /// Sends commands, if the watch is stored as one that sends them: otherwise they might be sent twice.
    fn send(&self, id: WatchId, commands: Vec<LaterCommand>, is_stored: bool) {
        let sent: BoxFuture<'static, _> = match is_stored {
            true => {
                let work = self.source.hand.obey(commands);
                Box::pin(async move { (id, work.await) })
            }
            false => Box::pin(std::future::ready((id, LaterOutcome::Failed))),
        };
        self.sending.push(sent);
    }

    /// Commands were carried out, or were not.
    async fn end(&mut self, id: WatchId, outcome: LaterOutcome) {
        let Some(watch) = self.known.iter().find(|watch| watch.id == id) else { return };
        let looked = finished(watch, outcome);
        self.settle(vec![(id, looked)]).await;
    }

    /// Reads the watches anew; returns whether that was possible now or before.
    async fn read_again(&mut self) -> bool {
        match self.watches.all().await {
            Ok(known) => {
                (self.known, self.is_stale, self.has_failed) = (known, false, false);
                true
            }
            Err(error) => {
                if !std::mem::replace(&mut self.has_failed, true) {
                    tracing::error!(%error, "watches can't be read");
                }
                !self.is_first
            }
        }
    }

    /// Returns how far the clock was set since the last look.
    fn moved(&mut self, now: Timestamp) -> SignedDuration {
        let at = Instant::now();
        let Some((shown, then)) = self.anchor.replace((now, at)) else { return SignedDuration::ZERO };
        let passed = SignedDuration::try_from(at.duration_since(then)).unwrap_or(SignedDuration::ZERO);
        let by = now.duration_since(shown) - passed;
        if by.abs() < LEAST_JUMP { SignedDuration::ZERO } else { by }
    }
}
