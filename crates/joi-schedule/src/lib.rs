//! Timers, alarms and reminders that outlive a restart and a power cut.
//!
//! The database is the truth: every order is one transaction on the database thread, decided by a pure
//! function and reported only once it is durable. So several programs may give orders at the same time; the one
//! that rings (see [`Ringer`]) is woken by whoever changed something. In: [`ScheduleOrder`]s. Out: [`OrderReport`]s, and
//! what rings. It refuses to confirm what is not on the disk.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! # use joi_language::{Language, Languages};
//! use joi_schedule::*;
//!
//! let schedule = Schedule::new(ScheduleParts {
//!     store: joi_store::Store::in_memory()?,
//!     clock: std::sync::Arc::new(joi_base::clock::SystemClock),
//!     config: TimersConfig::default(),
//!     languages: Languages::new(Language::load("en").unwrap()),
//!     is_synchronised: || true,
//!     wake_up: None,
//! });
//! let (kind, when) = (EntryKind::Timer, Some(When::In(600)));
//! let timer = NewEntry { kind, name: Some("tea".into()), when, bias: Bias::Next, is_foreign: false };
//! schedule.obey(ScheduleOrder::Set(timer)).await?;
//! assert_eq!(schedule.entries().await?[0].name.as_deref(), Some("tea"));
//! # Ok::<(), joi_store::StoreError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::sync::Arc;

use jiff::{Timestamp, Zoned};
use tokio::sync::{Notify, watch as tokio_watch};

use joi_base::clock::Clock;
use joi_base::message::Place;
use joi_language::Languages;
use joi_store::{ScheduleChange, ScheduleTable, ScheduleWrite, Store, StoreError};

pub mod announce;
mod config;
mod longer;
mod names;
mod obey;
mod pause;
mod ringer;
#[cfg(test)]
mod tests;
mod watch;

pub use config::TimersConfig;
pub use joi_language::values::entry::{Days, Due, Entry, EntryId, EntryKind, EntryState, MonthRule};
pub use joi_language::values::later::{HouseHand, LaterCommand, LaterOutcome};
pub use joi_language::values::moment::{Day, DayPart, Said};
pub use joi_language::values::order::{
    Bias, LONGEST_TIMER_S, Many, NewEntry, OrderReport, Rank, ScheduleOrder, ScheduleQuestion, When, Which,
};
pub use joi_language::values::words;
pub use joi_language::{ClockSaid, Exactness};
pub use ringer::{LOOKS_EVERY, Ring, Ringer};
pub use watch::Trust;

use obey::{EntryChange, Present};
use watch::{ClockJump, ScheduleView, Seen};

/// Notifies another program of a change; returns whether one that rings exists.
pub type WakeUp = Arc<dyn Fn() -> bool + Send + Sync>;

/// What a schedule is made of.
#[derive(Clone)]
pub struct ScheduleParts {
    /// Keeps it.
    pub store: Store,
    /// The time and the zone.
    pub clock: Arc<dyn Clock>,
    /// `[timers]`.
    pub config: TimersConfig,
    /// The language that is spoken.
    pub languages: Languages,
    /// Whether the machine's clock was set over the network since its start.
    pub is_synchronised: fn() -> bool,
    /// Wakes the program that rings; nothing when that is this one.
    pub wake_up: Option<WakeUp>,
}

/// A handle of the schedule; clones share it.
#[derive(Clone)]
pub struct Schedule {
    parts: ScheduleParts,
    changed: Arc<Notify>,
    /// The same for everybody else who wants to know.
    changes: Arc<tokio_watch::Sender<()>>,
    /// The room in which orders are given.
    place: Option<Place>,
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schedule").finish_non_exhaustive()
    }
}

/// Whether a program is running that rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bell {
    /// This program, or another that was notified.
    Somebody,
    /// Nobody until `joi run` is started.
    Nobody,
}

/// An order that was carried out, durably.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// What became of it.
    pub report: OrderReport,
    /// Whether a program is running that rings.
    pub bell: Bell,
    /// When it was carried out.
    pub at: Zoned,
    /// Whether the clock was believed.
    pub trust: Trust,
}

impl Schedule {
    /// A schedule; starts nothing.
    pub fn new(parts: ScheduleParts) -> Self {
        Self { parts, changed: Arc::default(), changes: Arc::new(tokio_watch::Sender::new(())), place: None }
    }

    /// Returns a handle for orders that are given in that room: what is set there rings there.
    #[must_use]
    pub fn at(&self, place: Option<&Place>) -> Self {
        Self { place: place.cloned(), ..self.clone() }
    }

    /// Carries out an order. When this returns, its changes are on the disk.
    ///
    /// # Errors
    /// The database's; nothing was changed then, and nothing may be confirmed.
    pub async fn obey(&self, order: ScheduleOrder) -> Result<Done, StoreError> {
        let now = self.parts.clock.now();
        let (at, parts, place) = (now.clone(), self.parts.clone(), self.place.clone());
        let work = move |table: ScheduleTable| {
            let (changes, report, trust) = considered(&parts, &table, (&at, place.as_ref()), &order);
            let latest = (trust == Trust::Right && !changes.is_empty()).then(|| at.timestamp());
            let changed = !changes.is_empty();
            written(&changes, latest, (report, changed, trust))
        };
        let (report, changed, trust) = self.parts.store.schedule(work).await?;
        let bell = if changed { self.wake().await } else { Bell::Somebody };
        Ok(Done { report, bell, at: now, trust })
    }

    /// Decides an order without carrying it out: the report must not be presented as done.
    ///
    /// # Errors
    /// The database's.
    pub async fn foresee(&self, order: ScheduleOrder) -> Result<(OrderReport, Zoned), StoreError> {
        let now = self.parts.clock.now();
        let (at, parts, place) = (now.clone(), self.parts.clone(), self.place.clone());
        let work = move |table: ScheduleTable| {
            let (_, report, _) = considered(&parts, &table, (&at, place.as_ref()), &order);
            written(&[], None, report)
        };
        Ok((self.parts.store.schedule(work).await?, now))
    }

    /// All entries, the next one first.
    ///
    /// # Errors
    /// The database's.
    pub async fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        match self.obey(ScheduleOrder::List(None)).await?.report {
            OrderReport::Listed(_, entries) => Ok(entries),
            _ => Ok(Vec::new()),
        }
    }

    /// Trusts the clock from now on, although it showed a later moment before; returns whether it was in doubt. For a
    /// person who knows that the clock is right.
    ///
    /// # Errors
    /// The database's.
    pub async fn trust_clock(&self) -> Result<bool, StoreError> {
        let (at, is_synchronised) = (self.parts.clock.now().timestamp(), self.parts.is_synchronised);
        let work = move |table: ScheduleTable| {
            let trust = watch::trust(at, table.latest, is_synchronised());
            written(&[], Some(at), trust == Trust::Behind)
        };
        let was_in_doubt = self.parts.store.schedule(work).await?;
        self.wake().await;
        Ok(was_in_doubt)
    }

    /// Watches the changes of entries by orders.
    pub fn changes(&self) -> tokio_watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Somebody else has changed something.
    pub fn look_again(&self) {
        self.changed.notify_one();
        self.changes.send_replace(());
    }

    async fn wake(&self) -> Bell {
        self.look_again();
        let Some(wake_up) = self.parts.wake_up.clone() else { return Bell::Somebody };
        match tokio::task::spawn_blocking(move || wake_up()).await {
            Ok(true) => Bell::Somebody,
            Ok(false) | Err(_) => Bell::Nobody,
        }
    }

    /// Looks what is due and stores what that changes.
    async fn look(&self, jump: ClockJump, is_first: bool) -> Result<(Seen, Trust, Zoned), StoreError> {
        let now = self.parts.clock.now();
        let (at, parts) = (now.clone(), self.parts.clone());
        let work = move |table: ScheduleTable| {
            let entries = entries(&table);
            let trust = watch::trust(at.timestamp(), table.latest, (parts.is_synchronised)());
            let seen = watch::look(&ScheduleView {
                entries: &entries,
                now: &at,
                trust,
                jump,
                is_first,
                config: &parts.config,
            });
            let is_news = watch::is_worth_noting(at.timestamp(), table.latest) || !seen.changes.is_empty();
            let latest = (trust == Trust::Right && is_news).then(|| at.timestamp());
            let changes = seen.changes.clone();
            written(&changes, latest, (seen, trust))
        };
        let (seen, trust) = self.parts.store.schedule(work).await?;
        Ok((seen, trust, now))
    }
}

/// What an order comes to at `at`, given in `place`: the changes, and the words for them.
fn considered(
    parts: &ScheduleParts,
    table: &ScheduleTable,
    (at, place): (&Zoned, Option<&Place>),
    order: &ScheduleOrder,
) -> (Vec<EntryChange>, OrderReport, Trust) {
    let entries = entries(table);
    let trust = watch::trust(at.timestamp(), table.latest, (parts.is_synchronised)());
    let present = Present {
        entries: &entries,
        next_id: table.next_id,
        now: at,
        in_doubt: trust == Trust::Behind,
        config: &parts.config,
        place,
        phonetic: parts.languages.get().phonetic(),
    };
    let (changes, report) = obey::obey(&present, order);
    (changes, report, trust)
}

/// The stored entries; one of another version is left alone.
fn entries(table: &ScheduleTable) -> Vec<Entry> {
    let read = |row: &joi_store::ScheduleRow| match serde_json::from_str::<Entry>(&row.entry) {
        Ok(entry) => Some(Entry { id: EntryId(row.id), ..entry }),
        Err(error) => {
            tracing::warn!(id = row.id, %error, "a timer of another version is left alone");
            None
        }
    };
    table.rows.iter().filter_map(read).collect()
}

/// The changes as the database takes them.
fn written<T>(
    changes: &[EntryChange],
    latest: Option<Timestamp>,
    answer: T,
) -> Result<ScheduleWrite<T>, StoreError> {
    let row = |change: &EntryChange| match change {
        EntryChange::Add(entry) | EntryChange::Replace(entry) => serde_json::to_string(entry)
            .map(|text| ScheduleChange::Put(entry.id.0, text))
            .map_err(|error| StoreError::Record(error.to_string())),
        EntryChange::Remove(id) => Ok(ScheduleChange::Remove(id.0)),
    };
    Ok(ScheduleWrite { changes: changes.iter().map(row).collect::<Result<_, _>>()?, latest, answer })
}
