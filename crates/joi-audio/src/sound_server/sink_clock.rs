//! Computes when sound that is written to a sound server now will be heard.
//!
//! In: what was written, and the server's answers about its position, each at its time. Out: the latency of the next
//! byte. Between two answers the loudspeaker's position goes on with the clock, as PulseAudio's own clients reckon it.
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

use pulseaudio::protocol::PlaybackLatency;

/// How long a position counts without a new answer.
const COUNTS: Duration = Duration::from_secs(2);

/// Bytes of one stream.
#[derive(Debug)]
pub(super) struct SinkClock {
    bytes_per_second: u64,
    written: u64,
    position: Option<Position>,
    /// Before the first answer.
    assumed: Duration,
}

/// The position of the loudspeaker in the stream.
#[derive(Debug, Clone, Copy)]
struct Position {
    at: Instant,
    heard: i64,
    moves: bool,
}

impl SinkClock {
    /// For a stream whose buffers hold `assumed` when they are full.
    pub(super) fn new(bytes_per_second: u64, assumed: Duration) -> Self {
        Self { bytes_per_second: bytes_per_second.max(1), written: 0, position: None, assumed }
    }

    /// So many more bytes were written.
    pub(super) fn wrote(&mut self, bytes: usize) {
        self.written += bytes as u64;
    }

    /// The server's answer, which it gave `now` as far as is known.
    pub(super) fn observe(&mut self, answer: &PlaybackLatency, now: Instant) {
        let in_device = (u128::from(answer.sink_usec) * u128::from(self.bytes_per_second) / 1_000_000) as i64;
        let heard = answer.read_offset.saturating_sub(in_device);
        self.position = Some(Position { at: now, heard, moves: answer.playing });
    }

    /// Returns how much later than `now` the next byte will be heard.
    pub(super) fn latency(&self, now: Instant) -> Duration {
        let Some(position) = self.position else { return self.assumed };
        let since = now.saturating_duration_since(position.at).min(COUNTS);
        let moved = if position.moves { since.as_micros() as i64 } else { 0 };
        let ahead = self.written as i64 - position.heard;
        let ahead_micros = i128::from(ahead) * 1_000_000 / i128::from(self.bytes_per_second);
        Duration::from_micros(u64::try_from(ahead_micros - i128::from(moved)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn answer(read_offset: i64, sink_ms: u64, playing: bool) -> PlaybackLatency {
        let (local_time, remote_time) = (SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH);
        PlaybackLatency {
            sink_usec: sink_ms * 1000,
            source_usec: 0,
            playing,
            local_time,
            remote_time,
            write_offset: read_offset,
            read_offset,
            underrun_for: 0,
            playing_for: 0,
        }
    }

    /// 1000 bytes a second: a byte is a millisecond.
    fn clock() -> SinkClock {
        SinkClock::new(1000, 40 * MS)
    }

    /// 40 of them are in the buffers, and 15 in the device.
    fn playing(start: Instant) -> SinkClock {
        let mut clock = clock();
        clock.wrote(1040);
        clock.observe(&answer(1000, 15, true), start);
        clock
    }

    #[test]
    fn what_is_in_the_buffers_and_in_the_device_is_heard_first() {
        let start = Instant::now();
        assert_eq!(clock().latency(start), 40 * MS, "before the first answer");
        let mut clock = playing(start);
        assert_eq!(clock.latency(start), 55 * MS);
        clock.wrote(20);
        assert_eq!(clock.latency(start), 75 * MS);
    }

    #[test]
    fn between_two_answers_the_loudspeaker_goes_on() {
        let start = Instant::now();
        let mut clock = playing(start);
        assert_eq!(clock.latency(start + 30 * MS), 25 * MS);
        assert_eq!(clock.latency(start + 300 * MS), Duration::ZERO, "everything was heard");
        clock.wrote(400);
        assert_eq!(clock.latency(start + 300 * MS), 155 * MS);
        clock.wrote(9_600);
        assert_eq!(clock.latency(start + 2000 * MS), clock.latency(start + 9000 * MS), "an answer grows old");
    }

    #[test]
    fn a_stream_that_waits_stands_still() {
        let (mut clock, start) = (clock(), Instant::now());
        clock.wrote(40);
        clock.observe(&answer(0, 10, false), start);
        assert_eq!(clock.latency(start + 500 * MS), 50 * MS);
    }
}
