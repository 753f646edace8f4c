//! The life of one server: when it is started, how it is spoken to, when its tools are listed, when it is given up.
//!
//! In: an [`Input`] and the time. Out: [`Order`]s, which one caller carries out in their order, and the time of the next
//! look. A server that answers neither beginning of a connection is ended and started anew with the other one, since some
//! keep to the first message they saw. Waits between starts grow from 1 s to 5 minutes; a program that dies soon five
//! times in a row is given up. Pure: no I/O, no clock.

use std::time::{Duration, Instant};

use joi_base::restart::{Restart, RestartPolicy, Restarts};

use crate::config::Lifecycle;

#[cfg(test)]
mod tests;

/// Notices that the tools have changed come in bursts: they are listed once, so long after the last one.
const SETTLES: Duration = Duration::from_millis(500);
/// Tools are listed again after so long, since not every server reports a change.
const LIST_AGAIN: Duration = Duration::from_secs(15 * 60);
/// A burst without an end is not waited for longer than this.
const LONGEST_BURST: Duration = Duration::from_secs(5);

const RESTARTS: RestartPolicy = RestartPolicy {
    first_wait: Duration::from_secs(1),
    longest_wait: Duration::from_secs(300),
    sound_after: Duration::from_secs(60),
    give_up_after: 5,
};

/// How a connection is begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// With `server/discover`, then with `initialize` on the same connection.
    Either,
    /// With `initialize` alone.
    Initialize,
    /// With `server/discover` alone.
    Discover,
}

/// The reason of a start that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartFault {
    /// The server does not take this beginning, or did not answer it in time: another one may work.
    Beginning(String),
    /// It can't be reached, ended, or refused the login: only waiting helps.
    Unreachable(String),
}

impl StartFault {
    /// Returns the reason in words.
    pub fn why(&self) -> &str {
        match self {
            Self::Beginning(why) | Self::Unreachable(why) => why,
        }
    }
}

/// Whether a server is a program that is started here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpServerKind {
    /// It is, and is given up when it keeps dying.
    Program,
    /// It runs elsewhere, and may come back at any time.
    Remote,
}

/// Something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The server is to be used from now on.
    Begin,
    /// The connection of the last [`Order::Start`] is ready; its server speaks without a handshake, or with one.
    Connected(Beginning),
    /// That connection failed.
    NotConnected(StartFault),
    /// The tools of the last [`Order::List`] are here.
    Listed,
    /// They could not be listed.
    NotListed(String),
    /// The server reports that its tools have changed.
    ToolsChanged,
    /// What the owner allows was renewed.
    Renewed,
    /// A call could not be sent: the connection may be gone.
    Doubted,
    /// The connection has ended.
    Lost(String),
    /// The time of [`Life::next_look`] has come.
    Look,
    /// The server is not to be used any more.
    End,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Start the program, or connect, and begin like this.
    Start(Beginning),
    /// Remember that this beginning works with this server; nothing: forget it.
    Remember(Option<Beginning>),
    /// List the tools.
    List,
    /// Offer the tools that were listed last.
    Offer,
    /// Take the tools back.
    Withdraw,
    /// End the connection and the program.
    Close,
}

/// The phase of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LifePhase {
    Idle,
    Starting { beginning: Beginning, since: Instant },
    Up { since: Instant, listing: Listing },
    Waiting { until: Instant, why: String },
    GivenUp { why: String },
    Ended,
}

/// The list of tools of a server that is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listing {
    /// It is asked for; whether it has changed meanwhile.
    Asked { is_stale: bool },
    /// It is asked for again at this time; the first notice of a burst came then.
    Due { at: Instant, burst: Option<Instant> },
}

/// The state of a server, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LifeState {
    /// It is being started.
    Starting,
    /// It works.
    Up,
    /// It does not, for this reason, and is tried again.
    Down(String),
    /// It does not, for this reason, and is not tried again.
    GivenUp(String),
    /// It is not used.
    Off,
}

/// The life of one server.
#[derive(Debug, Clone)]
pub struct Life {
    kind: McpServerKind,
    wanted: Lifecycle,
    /// The beginning that worked.
    known: Option<Beginning>,
    restarts: Restarts,
    phase: LifePhase,
    /// Beginnings that failed since the last success or wait.
    refused: Vec<Beginning>,
}

impl Life {
    /// A server that was not used yet; `known` is the beginning that worked earlier.
    pub fn new(kind: McpServerKind, wanted: Lifecycle, known: Option<Beginning>) -> Self {
        let restarts = Restarts::new(RESTARTS);
        Self { kind, wanted, known, restarts, phase: LifePhase::Idle, refused: Vec::new() }
    }

    /// Takes `input` at `now`; returns what to do. What does not fit the phase is late, and changes nothing.
    pub fn take(&mut self, input: Input, now: Instant) -> Vec<Order> {
        match (self.phase.clone(), input) {
            (LifePhase::Ended, _) => Vec::new(),
            (_, Input::End) => {
                self.phase = LifePhase::Ended;
                vec![Order::Withdraw, Order::Close]
            }
            (LifePhase::Idle, Input::Begin) => self.start(now),
            (LifePhase::Starting { .. }, Input::Connected(beginning)) => self.connected(beginning, now),
            (LifePhase::Starting { beginning, since }, Input::NotConnected(fault)) => {
                self.not_connected(beginning, since, fault, now)
            }
            (LifePhase::Up { since, listing }, Input::Listed) => self.listed(since, listing, now),
            (LifePhase::Up { since, listing }, Input::ToolsChanged) => {
                self.phase = LifePhase::Up { since, listing: listing.changed(now) };
                Vec::new()
            }
            // While they are listed, they will be offered anyway.
            (LifePhase::Up { listing: Listing::Due { .. }, .. }, Input::Renewed) => vec![Order::Offer],
            (LifePhase::Up { since, listing: Listing::Due { .. } }, Input::Doubted) => self.list(since),
            (LifePhase::Up { since, .. }, Input::NotListed(why) | Input::Lost(why)) => {
                self.failed(since, why, now)
            }
            (LifePhase::Up { since, listing: Listing::Due { at, .. } }, Input::Look) if at <= now => {
                self.list(since)
            }
            (LifePhase::Waiting { until, .. }, Input::Look) if until <= now => self.start(now),
            _ => Vec::new(),
        }
    }

    /// Returns when [`Input::Look`] is due.
    pub fn next_look(&self) -> Option<Instant> {
        match &self.phase {
            LifePhase::Up { listing: Listing::Due { at, .. }, .. } => Some(*at),
            LifePhase::Waiting { until, .. } => Some(*until),
            LifePhase::Idle
            | LifePhase::Starting { .. }
            | LifePhase::Up { .. }
            | LifePhase::GivenUp { .. }
            | LifePhase::Ended => None,
        }
    }

    /// Returns what is shown of it.
    pub fn shown(&self) -> LifeState {
        match &self.phase {
            LifePhase::Idle | LifePhase::Ended => LifeState::Off,
            LifePhase::Starting { .. } => LifeState::Starting,
            LifePhase::Up { .. } => LifeState::Up,
            LifePhase::Waiting { why, .. } => LifeState::Down(why.clone()),
            LifePhase::GivenUp { why } => LifeState::GivenUp(why.clone()),
        }
    }

    fn start(&mut self, now: Instant) -> Vec<Order> {
        self.refused.clear();
        let beginning = match (self.wanted, self.known) {
            (Lifecycle::Auto, None) => Beginning::Either,
            (Lifecycle::Auto, Some(known)) => known,
            (Lifecycle::Initialize, _) => Beginning::Initialize,
            (Lifecycle::Discover, _) => Beginning::Discover,
        };
        self.start_with(beginning, now)
    }

    fn start_with(&mut self, beginning: Beginning, now: Instant) -> Vec<Order> {
        self.phase = LifePhase::Starting { beginning, since: now };
        vec![Order::Start(beginning)]
    }

    fn connected(&mut self, beginning: Beginning, now: Instant) -> Vec<Order> {
        let mut orders = Vec::new();
        // After one that works by itself the other one was tried in vain: that is worth knowing.
        if self.wanted == Lifecycle::Auto && !self.refused.is_empty() && self.known != Some(beginning) {
            self.known = Some(beginning);
            orders.push(Order::Remember(self.known));
        }
        self.refused.clear();
        orders.extend(self.list(now));
        orders
    }

    fn not_connected(
        &mut self,
        beginning: Beginning,
        since: Instant,
        fault: StartFault,
        now: Instant,
    ) -> Vec<Order> {
        let mut orders = vec![Order::Close];
        self.refused.push(beginning);
        let others = [Beginning::Discover, Beginning::Initialize];
        let other = others.into_iter().find(|other| !self.refused.contains(other));
        match (fault, other) {
            (StartFault::Beginning(_), Some(other)) if self.wanted == Lifecycle::Auto => {
                orders.extend(self.start_with(other, now));
            }
            (StartFault::Beginning(why) | StartFault::Unreachable(why), _) => {
                if self.refused.len() > 1 && self.known.take().is_some() {
                    orders.push(Order::Remember(None));
                }
                self.wait(since, why, now);
            }
        }
        orders
    }

    fn list(&mut self, since: Instant) -> Vec<Order> {
        self.phase = LifePhase::Up { since, listing: Listing::Asked { is_stale: false } };
        vec![Order::List]
    }

    fn listed(&mut self, since: Instant, listing: Listing, now: Instant) -> Vec<Order> {
        let listing = match listing {
            Listing::Asked { is_stale: true } => Listing::Due { at: now + SETTLES, burst: Some(now) },
            Listing::Asked { is_stale: false } => Listing::Due { at: now + LIST_AGAIN, burst: None },
            due @ Listing::Due { .. } => due,
        };
        self.phase = LifePhase::Up { since, listing };
        vec![Order::Offer]
    }

    fn failed(&mut self, since: Instant, why: String, now: Instant) -> Vec<Order> {
        self.wait(since, why, now);
        vec![Order::Withdraw, Order::Close]
    }

    /// Waits for the next start, or gives up. `since` is when what failed had begun.
    fn wait(&mut self, since: Instant, why: String, now: Instant) {
        self.phase = match (self.restarts.failed(now.saturating_duration_since(since)), self.kind) {
            (Restart::After(wait), _) => LifePhase::Waiting { until: now + wait, why },
            (Restart::GiveUp, McpServerKind::Program) => LifePhase::GivenUp { why },
            (Restart::GiveUp, McpServerKind::Remote) => {
                LifePhase::Waiting { until: now + RESTARTS.longest_wait, why }
            }
        };
    }
}

impl Listing {
    /// The tools have changed at `now`.
    fn changed(self, now: Instant) -> Self {
        match self {
            Self::Asked { .. } => Self::Asked { is_stale: true },
            Self::Due { burst, .. } => {
                let first = burst.unwrap_or(now);
                Self::Due { at: (now + SETTLES).min(first + LONGEST_BURST), burst: Some(first) }
            }
        }
    }
}
