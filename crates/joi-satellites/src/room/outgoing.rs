//! The sound for a satellite as events: begun, its pieces, its end.
//!
//! In: parts of a remote loudspeaker, the time. Out: events. The end is sent shortly before the last sample is expected to be
//! played: what follows by then belongs to the same sound, and a satellite whose device waits for a full buffer plays a short
//! one in time.
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

use serde_json::json;

use joi_audio::SpeakerPart;

use crate::sound::{PcmFormat, pcm_of};
use crate::wire::WireEvent;

/// The end of a sound is sent so long before its last sample is played.
const EARLY: Duration = Duration::from_millis(250);

/// One stream of sound after the other.
#[derive(Debug, Default)]
pub(crate) struct OutgoingSound {
    /// Format of the stream that is open, and how many of its samples were sent.
    open: Option<(u32, u64)>,
    ends_at: Option<Instant>,
}

impl OutgoingSound {
    /// Returns the events for a part.
    pub(crate) fn part(&mut self, part: SpeakerPart) -> Vec<WireEvent> {
        let mut events = Vec::new();
        match part {
            SpeakerPart::Sound { rate, samples } => {
                if self.open.is_none_or(|(before, _)| before != rate) {
                    events.extend(self.end());
                    events.push(WireEvent::new("audio-start", stamped(rate, 0)));
                }
                let sent = self.open.map_or(0, |(_, sent)| sent);
                let chunk = WireEvent::new("audio-chunk", stamped(rate, sent));
                events.push(chunk.with_payload(pcm_of(&samples)));
                self.open = Some((rate, sent + samples.len() as u64));
                self.ends_at = None;
            }
            SpeakerPart::Rest(end) if self.open.is_some() => {
                self.ends_at = Some(end.checked_sub(EARLY).unwrap_or(end));
            }
            SpeakerPart::Rest(_) => {}
            SpeakerPart::Flush => events.extend(self.end().map(flushing)),
        }
        events
    }

    /// Returns whether a stream is open.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns when the end is to be sent.
    pub(crate) fn ends_at(&self) -> Option<Instant> {
        self.ends_at
    }

    /// Returns the end of the stream that is open.
    pub(crate) fn end(&mut self) -> Option<WireEvent> {
        self.ends_at = None;
        let (rate, sent) = self.open.take()?;
        Some(WireEvent::new("audio-stop", json!({ "timestamp": millis(rate, sent) })))
    }
}

/// A satellite of Joi stops at once; every other one plays what it has got.
fn flushing(mut stop: WireEvent) -> WireEvent {
    stop.data.insert("flush".to_owned(), true.into());
    stop
}

fn millis(rate: u32, samples: u64) -> u64 {
    samples * 1_000 / u64::from(rate.max(1))
}

fn stamped(rate: u32, sent: u64) -> serde_json::Value {
    let PcmFormat { rate, width, channels } = PcmFormat::of_voice(rate);
    json!({ "rate": rate, "width": width, "channels": channels, "timestamp": millis(rate, sent) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(events: impl IntoIterator<Item = WireEvent>) -> Vec<String> {
        events.into_iter().map(|event| event.kind).collect()
    }

    #[test]
    fn sentences_that_follow_in_time_are_one_sound_and_a_stop_ends_it_at_once() {
        let (mut sound, now) = (OutgoingSound::default(), Instant::now());
        let piece = |count| SpeakerPart::Sound { rate: 22_050, samples: vec![0.5; count] };
        assert_eq!(kinds(sound.part(SpeakerPart::Rest(now))), [""; 0], "nothing was begun");
        assert_eq!(kinds(sound.part(piece(2_205))), ["audio-start", "audio-chunk"]);
        let end = now + Duration::from_secs(1);
        assert_eq!(kinds(sound.part(SpeakerPart::Rest(end))), [""; 0]);
        assert_eq!(sound.ends_at(), Some(end - EARLY));
        let more = sound.part(piece(2_205));
        assert_eq!((kinds(more.clone()), sound.ends_at()), (vec!["audio-chunk".to_owned()], None));
        assert_eq!((more[0].data["timestamp"].as_u64(), more[0].payload.len()), (Some(100), 4_410));
        let stop = sound.end().unwrap();
        assert_eq!((stop.kind.as_str(), stop.data["timestamp"].as_u64()), ("audio-stop", Some(200)));
        sound.part(piece(1));
        let stop = sound.part(SpeakerPart::Flush);
        assert_eq!(
            (stop[0].data["flush"].as_bool(), kinds(stop)),
            (Some(true), vec!["audio-stop".to_owned()])
        );
        assert_eq!(kinds(sound.part(SpeakerPart::Flush)), [""; 0]);
    }
}
