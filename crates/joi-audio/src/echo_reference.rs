//! The echo reference (far end): what the speaker really plays, for the echo canceller.
//!
//! The playback callback copies every sample it hands to the device into a ring of its own; a new stream
//! brings a new ring, which waits in a slot until the listener's side takes it. In: samples at the device's
//! rate. Out: the same at 16 kHz. When nobody reads, the ring fills up and new samples are dropped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::RATE;
use super::resample::Resampler;
use super::ring::{RingReader, RingWriter, ring};

/// Seconds of sound the ring holds.
const RING_SECONDS: usize = 2;

/// The reading end of one stream's ring.
pub(super) struct ReferenceStream {
    /// Mono samples at `rate`.
    pub(super) reader: RingReader,
    rate: u32,
}

impl ReferenceStream {
    /// Returns a ring for a stream at `rate` Hz: the callback's end and the reader's.
    pub(super) fn at(rate: u32) -> (RingWriter, Self) {
        let (writer, reader) = ring(rate as usize * RING_SECONDS);
        (writer, Self { reader, rate })
    }
}

/// Holds the newest stream's ring until it is taken. Locked by supervisor and listener, never by a callback.
#[derive(Clone, Default)]
pub(super) struct ReferenceSlot(Arc<Mutex<Option<ReferenceStream>>>);

impl ReferenceSlot {
    /// From here on this stream plays.
    pub(super) fn put(&self, session: ReferenceStream) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    }

    fn take(&self) -> Option<ReferenceStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The played samples at 16 kHz. It has one reader; a second one takes over when the first is dropped.
pub struct EchoReference {
    slot: ReferenceSlot,
    /// Whether the speaker may rest.
    rest: Arc<AtomicBool>,
    session: Option<(ReferenceStream, Resampler)>,
    raw: Vec<f32>,
    dropped: u64,
}

/// Whether a block continues the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Continuity {
    /// It does.
    Whole,
    /// Another device plays, or samples were lost.
    Broken,
}

impl EchoReference {
    pub(super) fn of(slot: ReferenceSlot, rest: Arc<AtomicBool>) -> Self {
        Self { slot, rest, session: None, raw: Vec::new(), dropped: 0 }
    }

    /// Returns an echo reference that is fed by hand, at `rate` Hz (1000 to 768000); at any other rate it stays
    /// silent.
    pub fn by_hand(rate: u32) -> (EchoReferenceFeed, Self) {
        let slot = ReferenceSlot::default();
        let (writer, session) = ReferenceStream::at(rate);
        slot.put(session);
        (EchoReferenceFeed { writer }, Self::of(slot, Arc::default()))
    }

    /// Whether the speaker may rest while it plays nothing.
    pub(super) fn let_speaker_rest(&self, may_rest: bool) {
        self.rest.store(may_rest, Ordering::Relaxed);
    }

    /// Appends what was played since the last call.
    pub(super) fn take(&mut self, into: &mut Vec<f32>) -> Continuity {
        let mut continuity = Continuity::Whole;
        if let Some(session) = self.slot.take() {
            self.session = Resampler::new(session.rate, RATE).ok().map(|resampler| (session, resampler));
            self.dropped = 0;
            continuity = Continuity::Broken;
        }
        let Some((session, resampler)) = &mut self.session else { return continuity };
        self.raw.clear();
        session.reader.drain(&mut self.raw);
        let dropped = session.reader.dropped();
        if dropped != self.dropped {
            self.dropped = dropped;
            continuity = Continuity::Broken;
        }
        resampler.push(&self.raw, into);
        continuity
    }
}

impl Drop for EchoReference {
    /// The next reader continues with the current stream.
    fn drop(&mut self) {
        if let Some((session, _)) = self.session.take() {
            self.slot.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(session);
        }
    }
}

/// Feeds an echo reference by hand, as a test does.
pub struct EchoReferenceFeed {
    writer: RingWriter,
}

impl EchoReferenceFeed {
    /// The speaker has played these samples; at most two seconds wait to be read.
    pub fn played(&mut self, samples: &[f32]) {
        self.writer.push_or_drop(samples);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_session_is_taken_over_and_reported() {
        let slot = ReferenceSlot::default();
        let mut far = EchoReference::of(slot.clone(), Arc::default());
        let mut heard = vec![];
        assert_eq!(far.take(&mut heard), Continuity::Whole, "no speaker yet");
        let (mut writer, session) = ReferenceStream::at(RATE);
        slot.put(session);
        writer.push(&[0.1, 0.2]);
        assert_eq!(far.take(&mut heard), Continuity::Broken);
        writer.push(&[0.3]);
        assert_eq!(far.take(&mut heard), Continuity::Whole);
        let (mut other, session) = ReferenceStream::at(48_000);
        slot.put(session);
        writer.push(&[0.4]);
        other.push(&[0.5; 4_800]);
        assert_eq!(far.take(&mut heard), Continuity::Broken);
        assert_eq!(heard[..3], [0.1, 0.2, 0.3]);
        assert!((1_400..=1_603).contains(&heard.len()), "{}", heard.len());
    }

    #[test]
    fn the_next_reader_goes_on_with_the_same_session() {
        let (mut feed, far) = EchoReference::by_hand(RATE);
        let (slot, mut heard, mut first) = (far.slot.clone(), vec![], far);
        first.take(&mut heard);
        drop(first);
        feed.played(&[0.5]);
        EchoReference::of(slot, Arc::default()).take(&mut heard);
        assert_eq!(heard, [0.5]);
    }

    #[test]
    fn what_nobody_reads_is_dropped_and_counted() {
        let (mut feed, mut far) = EchoReference::by_hand(RATE);
        let mut heard = vec![];
        assert_eq!(far.take(&mut heard), Continuity::Broken, "the first session");
        feed.played(&vec![0.1; 3 * RATE as usize]);
        assert_eq!(far.take(&mut heard), Continuity::Broken);
        assert_eq!(heard.len(), 2 * RATE as usize);
        assert_eq!(far.take(&mut heard), Continuity::Whole);
    }
}
