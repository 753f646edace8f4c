//! A bounded lock-free ring of samples between one writer and one reader, with counters.
//!
//! One end belongs to a device callback. When it is full the newest samples are dropped and counted; when it
//! is empty the reader gets nothing and decides what that means.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ringbuf::HeapRb;
use ringbuf::traits::{Consumer, Observer, Producer, Split};

/// Frames that a callback makes or takes at once, on the stack.
pub(super) const FRAMES_AT_ONCE: usize = 256;

/// Counters of a ring; readable from any thread.
#[derive(Debug, Default)]
struct RingCounters {
    dropped: AtomicU64,
}

/// The writing end. Never waits, never allocates.
pub(super) struct RingWriter {
    producer: <HeapRb<f32> as Split>::Prod,
    counters: Arc<RingCounters>,
}

/// The reading end. Never waits, never allocates.
pub(super) struct RingReader {
    consumer: <HeapRb<f32> as Split>::Cons,
    counters: Arc<RingCounters>,
}

/// Returns a ring for `capacity` samples, at least one.
pub(super) fn ring(capacity: usize) -> (RingWriter, RingReader) {
    let (producer, consumer) = HeapRb::new(capacity.max(1)).split();
    let counters = Arc::new(RingCounters::default());
    (RingWriter { producer, counters: Arc::clone(&counters) }, RingReader { consumer, counters })
}

impl RingWriter {
    /// Appends what fits and counts the rest as dropped.
    pub(super) fn push_or_drop(&mut self, samples: &[f32]) {
        let pushed = self.push(samples);
        if pushed < samples.len() {
            self.counters.dropped.fetch_add((samples.len() - pushed) as u64, Ordering::Relaxed);
        }
    }

    /// Appends what fits and returns how many that were.
    pub(super) fn push(&mut self, samples: &[f32]) -> usize {
        self.producer.push_slice(samples)
    }
}

impl RingReader {
    /// Moves all samples to the end of `into` and returns how many that were.
    pub(super) fn drain(&mut self, into: &mut Vec<f32>) -> usize {
        let before = into.len();
        into.resize(before + self.len(), 0.0);
        let count = self.consumer.pop_slice(&mut into[before..]);
        into.truncate(before + count);
        count
    }

    /// Returns the oldest sample, when there is one.
    pub(super) fn pop(&mut self) -> Option<f32> {
        self.consumer.try_pop()
    }

    /// Discards up to `count` samples and returns how many.
    pub(super) fn skip(&mut self, count: usize) -> usize {
        self.consumer.skip(count)
    }

    /// Number of buffered samples.
    pub(super) fn len(&self) -> usize {
        self.consumer.occupied_len()
    }

    /// Returns how many samples were dropped because the ring was full.
    pub(super) fn dropped(&self) -> u64 {
        self.counters.dropped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_ring_keeps_the_oldest_and_counts_the_rest() {
        let (mut writer, mut reader) = ring(3);
        writer.push_or_drop(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let mut out = vec![];
        assert_eq!(reader.drain(&mut out), 3);
        assert_eq!(out, [1.0, 2.0, 3.0]);
        assert_eq!(reader.dropped(), 2);
    }

    #[test]
    fn two_threads_exchange_a_million_samples_in_order() {
        let (mut writer, mut reader) = ring(1000);
        const COUNT: usize = 1_000_000;
        let sender = std::thread::spawn(move || {
            let samples: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
            let mut sent = 0;
            while sent < COUNT {
                let end = (sent + 777).min(COUNT);
                sent += writer.push(&samples[sent..end]);
                std::hint::spin_loop();
            }
        });
        let mut got = Vec::with_capacity(COUNT);
        while got.len() < COUNT {
            if reader.drain(&mut got) == 0 {
                std::thread::yield_now();
            }
        }
        sender.join().unwrap();
        assert!(got.iter().enumerate().all(|(i, sample)| *sample == i as f32));
        assert_eq!(reader.dropped(), 0);
    }

    proptest! {
        /// Whatever the sizes: what was taken in comes out once, in order, and the rest is counted.
        #[test]
        fn nothing_is_lost_or_reordered(capacity in 1_usize..50, steps in prop::collection::vec((0_usize..40, 0_usize..40), 0..60)) {
            let (mut writer, mut reader) = ring(capacity);
            let (mut next, mut expected, mut got) = (0_u32, vec![], vec![]);
            let mut dropped = 0_u64;
            for (push, pop) in steps {
                let free = capacity - reader.len();
                let batch: Vec<f32> = (next..next + push as u32).map(|i| i as f32).collect();
                next += push as u32;
                expected.extend_from_slice(&batch[..push.min(free)]);
                dropped += push.saturating_sub(free) as u64;
                writer.push_or_drop(&batch);
                got.extend((0..pop).map_while(|_| reader.pop()));
            }
            reader.drain(&mut got);
            prop_assert_eq!(got, expected);
            prop_assert_eq!(reader.dropped(), dropped);
        }
    }
}
