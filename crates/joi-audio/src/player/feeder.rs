//! The feeder thread of a player: converts clips to the sink's rate and turns the sink's counter into events.
//!
//! In: the player's queue and the supervisor's notices. Out: samples into the [`AudioSink`], [`PlayEvent`]s.
//! A clip that a lost device interrupted is resumed where it was if the device is back in time.
//! [`Feeder::step`] does all pending work and never waits, so tests drive it without a thread.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use super::stream::{Flight, Stream};
use super::{Duck, PlayEvent, PlayerState, QueueItem};
use crate::sink::AudioSink;
use crate::stream_supervisor::DeviceNotice;

/// How long clips wait for a missing speaker before they are dropped.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the sink's counter is read during playback.
const TICK: Duration = Duration::from_millis(5);

/// Samples of a clip that are converted at once.
const SLICE: usize = 1024;

pub(super) struct Feeder {
    shared: Arc<PlayerState>,
    sink: Option<Box<dyn AudioSink>>,
    events: Sender<PlayEvent>,
    outbox: VecDeque<PlayEvent>,
    epoch: u64,
    /// Interrupted by a lost device, to be resumed.
    cut_short: VecDeque<Flight>,
    /// Pushed into the sink and not yet done, the last one perhaps only in part.
    flights: VecDeque<Flight>,
    stream: Option<Stream>,
    /// Converted samples that did not fit into the sink yet, from `sent` on.
    ready: Vec<f32>,
    sent: usize,
    /// Samples pushed into the sink since it was opened.
    pushed: u64,
    /// The part of `AudioSink::heard` that was already added up.
    heard: u64,
    missing_since: Option<Instant>,
    was_busy: bool,
}

impl Feeder {
    pub(super) fn new(
        shared: Arc<PlayerState>,
        sink: Option<Box<dyn AudioSink>>,
        events: Sender<PlayEvent>,
    ) -> Self {
        let missing_since = sink.is_none().then(Instant::now);
        let epoch = shared.epoch().0;
        Self {
            shared,
            sink,
            events,
            outbox: VecDeque::new(),
            epoch,
            cut_short: VecDeque::new(),
            flights: VecDeque::new(),
            stream: None,
            ready: Vec::new(),
            sent: 0,
            pushed: 0,
            heard: 0,
            missing_since,
            was_busy: false,
        }
    }

    /// Steps until the last handle is dropped.
    pub(super) fn run(mut self) {
        loop {
            let seen = self.shared.lock().changes;
            let wait = self.step(Instant::now());
            let queue = self.shared.lock();
            if queue.closed {
                return;
            }
            let changed = &self.shared.changed;
            match wait {
                Some(wait) => {
                    let _ = changed.wait_timeout_while(queue, wait, |queue| queue.changes == seen);
                }
                None => drop(
                    changed
                        .wait_while(queue, |queue| queue.changes == seen)
                        .unwrap_or_else(PoisonError::into_inner),
                ),
            }
        }
    }

    /// Does all pending work; returns how long until there may be more, or nothing for "when woken".
    pub(super) fn step(&mut self, now: Instant) -> Option<Duration> {
        self.take_notices(now);
        self.apply_flush();
        let waiting = self.fill(now);
        self.mark(now);
        self.report_idle();
        self.deliver();
        if !self.outbox.is_empty() || !self.flights.is_empty() { Some(TICK) } else { waiting }
    }

    fn take_notices(&mut self, now: Instant) {
        let notices = std::mem::take(&mut self.shared.lock().notices);
        for notice in notices {
            match notice {
                DeviceNotice::Up(mut sink) => {
                    self.leave_sink(now);
                    sink.flush(self.epoch);
                    self.sink = Some(sink);
                    self.missing_since = None;
                }
                DeviceNotice::Down => self.leave_sink(now),
                DeviceNotice::Gone(fault) => self.outbox.push_back(PlayEvent::Gone(fault)),
                DeviceNotice::Back { device } => self.outbox.push_back(PlayEvent::Back { device }),
            }
        }
    }

    /// The sink is dead: what it has not played must be played again on the next one.
    fn leave_sink(&mut self, now: Instant) {
        self.missing_since.get_or_insert(now);
        self.mark(now);
        let Some(sink) = self.sink.take() else { return };
        let position = sink.position();
        // The clips interrupted last come before those not resumed yet.
        for mut flight in self.flights.drain(..).rev() {
            let played = position.saturating_sub(flight.start) as u128;
            let played = (played * u128::from(flight.clip.rate) / u128::from(sink.rate())) as usize;
            flight.fed = (flight.from + played).min(flight.clip.samples.len());
            self.cut_short.push_front(flight);
        }
        self.forget_converted();
        self.pushed = 0;
        self.heard = 0;
    }

    fn forget_converted(&mut self) {
        self.stream = None;
        self.ready.clear();
        self.sent = 0;
    }

    fn apply_flush(&mut self) {
        let epoch = self.shared.epoch().0;
        if epoch == self.epoch {
            return;
        }
        self.epoch = epoch;
        self.flights.clear();
        self.cut_short.clear();
        self.forget_converted();
        if let Some(sink) = &mut self.sink {
            sink.flush(epoch);
            sink.rest();
        }
        self.was_busy = true;
    }

    /// Pushes until the sink is full or there is nothing more; returns when to try again.
    fn fill(&mut self, now: Instant) -> Option<Duration> {
        loop {
            let Some(sink) = &mut self.sink else { return self.wait_for_sink(now) };
            let sent = sink.push(&self.ready[self.sent..], self.shared.gain());
            self.sent += sent;
            self.pushed += sent as u64;
            if self.sent < self.ready.len() {
                return Some(TICK);
            }
            self.ready.clear();
            self.sent = 0;
            self.mark(now);
            if !self.convert_more() {
                return None;
            }
        }
    }

    /// Clips wait a while for a speaker, then they are dropped and reported.
    fn wait_for_sink(&mut self, now: Instant) -> Option<Duration> {
        let since = *self.missing_since.get_or_insert(now);
        let left = PATIENCE.saturating_sub(now.saturating_duration_since(since));
        let mut queue = self.shared.lock();
        if self.cut_short.is_empty() && queue.items.is_empty() {
            return None;
        }
        if !left.is_zero() {
            return Some(left);
        }
        let dropped = self.cut_short.drain(..).map(|flight| flight.clip.tag);
        self.outbox.extend(dropped.map(|tag| PlayEvent::Dropped { tag }));
        for item in queue.items.drain(..) {
            match item {
                QueueItem::Clip(clip) => self.outbox.push_back(PlayEvent::Dropped { tag: clip.tag }),
                QueueItem::Silence(_) => {}
                // The caller that waits sees that the other end is gone and continues.
                QueueItem::Finish(waiting) => drop(waiting),
            }
        }
        drop(queue);
        self.shared.changed.notify_all();
        self.was_busy = true;
        None
    }

    /// Converts a slice of the current clip or starts the next item; false when there is nothing to do.
    fn convert_more(&mut self) -> bool {
        if self.flights.back().is_some_and(|flight| flight.end.is_none()) {
            self.convert_slice();
            return true;
        }
        self.deliver();
        if !self.outbox.is_empty() {
            return false;
        }
        if let Some(flight) = self.cut_short.pop_front() {
            self.begin(flight);
            return true;
        }
        self.next_item()
    }

    fn next_item(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let mut queue = shared.lock();
        if shared.epoch().0 != self.epoch {
            return false;
        }
        if self.is_unfinished() && queue.has_begun_another() {
            self.end_stream();
        }
        let is_unfinished = self.is_unfinished();
        let item = match queue.items.front() {
            // Whatever else there is waits until the sound is complete.
            _ if is_unfinished => queue.take_part(),
            Some(QueueItem::Finish(_)) if !self.flights.is_empty() => None,
            Some(_) => queue.items.pop_front(),
            None => {
                drop(queue);
                self.end_stream();
                return !self.ready.is_empty();
            }
        };
        if item.is_none() {
            if let (true, Some(sink)) = (is_unfinished, &mut self.sink) {
                sink.starve();
            }
            return false;
        }
        queue.busy |= matches!(item, Some(QueueItem::Clip(_)));
        drop(queue);
        shared.changed.notify_all();
        match item {
            Some(QueueItem::Clip(clip)) => {
                self.begin(Flight { clip, fed: 0, from: 0, start: 0, end: None, started: false });
            }
            Some(QueueItem::Silence(length)) => {
                if let Some(sink) = &mut self.sink {
                    sink.silence(length);
                }
            }
            Some(QueueItem::Finish(done)) => {
                let result = self.sink.as_mut().map_or(Ok(Duration::ZERO), |sink| sink.close());
                // Fails only when the caller has stopped waiting.
                let _ = done.send(result);
            }
            None => {}
        }
        true
    }

    fn begin(&mut self, mut flight: Flight) {
        let rate = flight.clip.rate;
        if self.stream.as_ref().is_none_or(|stream| stream.rate() != rate) {
            self.end_stream();
            let to = self.sink.as_ref().map_or(rate, |sink| sink.rate());
            // `play` has checked the clip's rate, and opening the sink its own.
            let base = self.pushed + (self.ready.len() - self.sent) as u64;
            let Ok(stream) = Stream::new((rate, to), base) else { return };
            self.stream = Some(stream);
        }
        flight.start = self.stream.as_ref().map_or(0, Stream::position);
        flight.from = flight.fed;
        flight.end = None;
        self.was_busy = true;
        self.flights.push_back(flight);
        self.convert_slice();
    }

    fn convert_slice(&mut self) {
        let (Some(flight), Some(stream)) = (self.flights.back_mut(), &mut self.stream) else { return };
        let samples = &flight.clip.samples[flight.fed..];
        let slice = &samples[..samples.len().min(SLICE)];
        stream.push(slice, &mut self.ready);
        flight.fed += slice.len();
        if flight.fed < flight.clip.samples.len() {
            return;
        }
        flight.end = Some(stream.position());
        stream.is_unfinished = flight.clip.part.is_followed();
        if stream.is_unfinished {
            return;
        }
        let (next, rate) = (self.cut_short.front().map(|flight| flight.clip.rate), stream.rate());
        let next = next.or_else(|| match self.shared.lock().items.front() {
            Some(QueueItem::Clip(clip)) => Some(clip.rate),
            _ => None,
        });
        if next != Some(rate) {
            self.end_stream();
        }
    }

    /// Another part of what is being played follows.
    fn is_unfinished(&self) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.is_unfinished)
    }

    /// Pushes out the rest of the conversion; the sink may run empty afterwards.
    fn end_stream(&mut self) {
        if let Some(stream) = self.stream.take() {
            stream.finish(&mut self.ready);
        }
        if self.ready.is_empty()
            && let Some(sink) = &mut self.sink
        {
            sink.rest();
        }
    }

    /// Turns the sink's counter into events.
    fn mark(&mut self, now: Instant) {
        let Some(sink) = &self.sink else { return };
        let position = sink.position();
        while let Some(flight) = self.flights.front_mut() {
            let finished = flight.end.is_some_and(|end| position >= end);
            let tag = flight.clip.tag;
            if (finished || position > flight.start) && !flight.started {
                flight.started = true;
                let (taken, at) = sink.moment(flight.start, now);
                self.outbox.push_back(PlayEvent::Started { tag, taken, at });
            }
            if !finished {
                break;
            }
            let (_, at) = sink.moment(flight.end.unwrap_or(position), now);
            self.outbox.push_back(PlayEvent::Finished { tag, at });
            self.flights.pop_front();
        }
        let heard = sink.heard();
        let fresh = (heard - self.heard) * 1_000_000 / u64::from(sink.rate());
        // Only whole microseconds are added; the remainder is counted next time.
        self.heard += fresh * u64::from(sink.rate()) / 1_000_000;
        self.shared.heard_micros.fetch_add(fresh, Ordering::Relaxed);
    }

    fn report_idle(&mut self) {
        let mut queue = self.shared.lock();
        if self.shared.epoch().0 != self.epoch {
            return;
        }
        queue.busy = !self.flights.is_empty() || !self.cut_short.is_empty() || self.is_unfinished();
        let waiting = queue.items.iter().any(|item| matches!(item, QueueItem::Clip(_)));
        if self.was_busy && !queue.busy && !waiting {
            self.was_busy = false;
            self.shared.set_duck(Duck::Full);
            self.outbox.push_back(PlayEvent::Idle);
        }
    }

    fn deliver(&mut self) {
        while let Some(event) = self.outbox.pop_front() {
            match self.events.try_send(event) {
                Ok(()) => {}
                Err(TrySendError::Full(event)) => {
                    self.outbox.push_front(event);
                    return;
                }
                Err(TrySendError::Closed(_)) => self.outbox.clear(),
            }
        }
    }
}
