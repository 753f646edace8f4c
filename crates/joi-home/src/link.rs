//! The state machine of the connection: when the stream is opened, when the house is read, when it is believed.
//!
//! In: what happened, and when. Out: what to do. The house is read after every opening, so that no gap stays. After
//! trouble it is believed once two good answers lie [`SETTLED_AFTER`] apart: a server that starts flaps. A house that has
//! lost more than half of its items is read again before that is believed: a server that stops removes them all.
//! Pure: no I/O, no clock.

#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::time::Instant;

use crate::fault::HomeFault;

/// Two good answers so far apart mean that a start is over.
const SETTLED_AFTER: Duration = Duration::from_secs(2);
/// The server sends a sign of life every ten seconds; after so long without, the stream is dead.
const SILENT_AFTER: Duration = Duration::from_secs(25);
/// Events about items come in bursts.
const GATHER: Duration = Duration::from_millis(700);
/// A read that failed is tried again after so long.
const READ_AGAIN: Duration = Duration::from_millis(500);
/// So many tries in a row are a start; after them it is asked less often.
const START_READS: u32 = 120;
/// Changes of metadata come without an event.
const REFRESH: Duration = Duration::from_secs(600);
/// A stream that ends sooner was none.
const LIVED: Duration = Duration::from_secs(5);
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// Longest wait between attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Wait after a fault that only the owner can fix.
const OWNER_WAIT: Duration = Duration::from_secs(30);

/// An input of the connection.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LinkEvent {
    /// The stream is open.
    Opened,
    /// It could not be opened, or it ended.
    Closed(HomeFault),
    /// Bytes came.
    Heard,
    /// The house was read: how many items it has, and how many it had.
    Read { items: usize, before: usize },
    /// It could not be read.
    Unread(HomeFault),
    /// Items were added, removed or described anew, or the server went a step in its start.
    Layout,
    /// Time has passed.
    Tick,
}

/// The effect that the caller carries out.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LinkAction {
    /// Nothing.
    Nothing,
    /// Open the stream.
    Open,
    /// Read the whole house; the stream is open.
    Read,
    /// Show what was read: it is true.
    Believe,
    /// Show what was read, and that the server is starting.
    BelieveStarting,
    /// Don't show what was read; the server is starting.
    Doubt,
    /// Show that the connection is lost, and drop the stream.
    Lose(HomeFault),
    /// Show why the house can't be read at the moment; the stream stays.
    Falter(HomeFault),
}

#[derive(Debug)]
enum LinkPhase {
    /// Open again then.
    Waiting { until: Instant },
    /// The stream is being opened.
    Opening,
    /// It is open.
    Open { opened: Instant, heard: Instant, read: ReadPhase },
}

#[derive(Debug)]
enum ReadPhase {
    /// The house is being read; `again` when it has changed meanwhile.
    Running { again: bool },
    /// The next reading; `since` is when its cause came.
    Due { at: Instant, since: Instant },
}

/// The connection.
#[derive(Debug)]
pub(super) struct HomeConnection {
    phase: LinkPhase,
    wait: Duration,
    /// Something failed since the house was last believed.
    is_troubled: bool,
    first_good: Option<Instant>,
    /// Reads that failed in a row.
    unread: u32,
}

impl HomeConnection {
    /// One that opens at the first tick.
    pub(super) fn new(now: Instant) -> Self {
        let phase = LinkPhase::Waiting { until: now };
        Self { phase, wait: FIRST_WAIT, is_troubled: false, first_good: None, unread: 0 }
    }

    /// When a tick has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        match &self.phase {
            LinkPhase::Waiting { until } => Some(*until),
            LinkPhase::Opening => None,
            LinkPhase::Open { heard, read, .. } => {
                let silent = *heard + SILENT_AFTER;
                Some(match read {
                    ReadPhase::Due { at, .. } => silent.min(*at),
                    ReadPhase::Running { .. } => silent,
                })
            }
        }
    }

    /// Takes an event at `now`; returns the effect to carry out.
    pub(super) fn on(&mut self, event: LinkEvent, now: Instant) -> LinkAction {
        match event {
            LinkEvent::Opened => {
                self.phase =
                    LinkPhase::Open { opened: now, heard: now, read: ReadPhase::Running { again: false } };
                LinkAction::Read
            }
            LinkEvent::Closed(fault) => self.lose(fault, now),
            LinkEvent::Heard => {
                if let LinkPhase::Open { heard, .. } = &mut self.phase {
                    *heard = now;
                }
                LinkAction::Nothing
            }
            LinkEvent::Read { items, before } => self.read(items, before, now),
            LinkEvent::Unread(fault) if !fault.is_passing() => self.lose(fault, now),
            LinkEvent::Unread(fault) => {
                (self.is_troubled, self.first_good) = (true, None);
                self.unread = self.unread.saturating_add(1);
                let wait = if self.unread > START_READS { LONGEST_WAIT } else { READ_AGAIN };
                self.read_at(now + wait, now);
                LinkAction::Falter(fault)
            }
            LinkEvent::Layout => {
                self.changed(now);
                LinkAction::Nothing
            }
            LinkEvent::Tick => self.tick(now),
        }
    }

    fn read(&mut self, items: usize, before: usize, now: Instant) -> LinkAction {
        let LinkPhase::Open { read, .. } = &self.phase else { return LinkAction::Nothing };
        self.unread = 0;
        let changed_meanwhile = matches!(read, ReadPhase::Running { again: true });
        let has_shrunk = items * 2 < before;
        self.is_troubled |= has_shrunk;
        let is_settled = self.first_good.is_some_and(|first| now >= first + SETTLED_AFTER);
        if self.is_troubled && !is_settled {
            let first = *self.first_good.get_or_insert(now);
            self.read_at(first + SETTLED_AFTER, now);
            return if has_shrunk { LinkAction::Doubt } else { LinkAction::BelieveStarting };
        }
        (self.is_troubled, self.first_good) = (false, None);
        self.read_at(if changed_meanwhile { now + GATHER } else { now + REFRESH }, now);
        LinkAction::Believe
    }

    fn read_at(&mut self, when: Instant, now: Instant) {
        if let LinkPhase::Open { read, .. } = &mut self.phase {
            *read = ReadPhase::Due { at: when, since: now };
        }
    }

    /// Waits until a burst is over, but not for ever.
    fn changed(&mut self, now: Instant) {
        let LinkPhase::Open { read, .. } = &mut self.phase else { return };
        match read {
            ReadPhase::Running { again } => *again = true,
            ReadPhase::Due { at, since } if *at > now + GATHER * 4 => (*at, *since) = (now + GATHER, now),
            ReadPhase::Due { at, since } => *at = (now + GATHER).min(*since + GATHER * 4).max(now),
        }
    }

    fn lose(&mut self, fault: HomeFault, now: Instant) -> LinkAction {
        let has_lived = matches!(self.phase, LinkPhase::Open { opened, .. } if now >= opened + LIVED);
        self.first_good = None;
        let wait = if !fault.is_passing() {
            self.is_troubled = true;
            OWNER_WAIT
        } else if has_lived {
            // A server that is still there is believed at once; one that went away does not let itself be opened.
            self.wait = FIRST_WAIT;
            Duration::ZERO
        } else {
            self.is_troubled = true;
            let wait = self.wait;
            self.wait = (self.wait * 2).min(LONGEST_WAIT);
            wait
        };
        self.phase = LinkPhase::Waiting { until: now + wait };
        LinkAction::Lose(fault)
    }

    fn tick(&mut self, now: Instant) -> LinkAction {
        match &mut self.phase {
            LinkPhase::Waiting { until } if now >= *until => {
                self.phase = LinkPhase::Opening;
                LinkAction::Open
            }
            LinkPhase::Open { heard, .. } if now >= *heard + SILENT_AFTER => {
                let why = "the stream of events is silent".to_owned();
                self.lose(HomeFault::Unreachable { address: "the server".to_owned(), why }, now)
            }
            LinkPhase::Open { read, .. } => match read {
                ReadPhase::Due { at, .. } if now >= *at => {
                    *read = ReadPhase::Running { again: false };
                    LinkAction::Read
                }
                ReadPhase::Due { .. } | ReadPhase::Running { .. } => LinkAction::Nothing,
            },
            LinkPhase::Waiting { .. } | LinkPhase::Opening => LinkAction::Nothing,
        }
    }
}
