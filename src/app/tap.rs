//! Borrows the microphone for some seconds while joi runs: what is recorded is not listened to.
//!
//! The listener thread reads the source, any task asks. In: how much is wanted. Out: the samples. The listener gets silence
//! meanwhile, so that a phrase that is being enrolled wakes nobody.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use joi_audio::{AudioSource, RATE, SourceEvent, Tracks};

/// How long a microphone may take to deliver, beside the length of the recording.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why nothing was recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TapFault {
    /// It is recorded already. Try again in a moment.
    #[error("another recording is being made")]
    Busy,
    /// The owner has switched it off.
    #[error("the microphone is switched off")]
    Muted,
    /// It is missing, for this reason.
    #[error("{0}")]
    Gone(String),
    /// Nothing came. See `joi doctor`.
    #[error("the microphone delivers nothing; see `joi doctor`")]
    Silent,
}

type TapResult = Result<Vec<f32>, TapFault>;

/// Asks for recordings of one microphone.
#[derive(Debug, Clone, Default)]
pub struct MicrophoneTap(Arc<Mutex<Option<TapRecording>>>);

#[derive(Debug)]
struct TapRecording {
    samples: Vec<f32>,
    wanted: usize,
    done: oneshot::Sender<TapResult>,
}

/// A microphone whose sound may be borrowed.
struct TappedSource {
    source: Box<dyn AudioSource>,
    tap: MicrophoneTap,
    /// Whether the last block was recorded.
    is_borrowed: bool,
}

impl MicrophoneTap {
    /// Returns the next `wanted` samples, mono at [`RATE`].
    ///
    /// # Errors
    /// It is muted, missing, or being recorded already.
    pub(super) async fn record(&self, wanted: usize) -> TapResult {
        let (done, recorded) = oneshot::channel();
        {
            let mut recording = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Of one that was given up, nobody waits for the end.
            if recording.as_ref().is_some_and(|running| !running.done.is_closed()) {
                return Err(TapFault::Busy);
            }
            *recording = Some(TapRecording { samples: Vec::with_capacity(wanted), wanted, done });
        }
        let within = PATIENCE + Duration::from_secs_f64(wanted as f64 / f64::from(RATE));
        match timeout(within, recorded).await {
            Ok(Ok(recorded)) => recorded,
            Ok(Err(_)) | Err(_) => Err(TapFault::Silent),
        }
    }

    /// Returns `source`, from which this one may borrow.
    pub(super) fn on(&self, source: Box<dyn AudioSource>) -> Box<dyn AudioSource> {
        Box::new(TappedSource { source, tap: self.clone(), is_borrowed: false })
    }

    /// Takes what was read. Returns whether that was borrowed.
    fn takes(&self, read: &[f32], event: &SourceEvent) -> bool {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut recording) = place.take() else { return false };
        if recording.done.is_closed() {
            return false;
        }
        let fault = match event {
            SourceEvent::Muted => TapFault::Muted,
            SourceEvent::Gone(fault) => TapFault::Gone(fault.to_string()),
            SourceEvent::End => TapFault::Silent,
            _ => {
                recording.samples.extend_from_slice(read);
                if recording.samples.len() < recording.wanted {
                    *place = Some(recording);
                } else {
                    recording.samples.truncate(recording.wanted);
                    // Fails only when nobody waits any more.
                    let _ = recording.done.send(Ok(recording.samples));
                }
                return !read.is_empty();
            }
        };
        let _ = recording.done.send(Err(fault));
        false
    }
}

impl AudioSource for TappedSource {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        let before = into.len();
        let event = self.source.read(into);
        let read = into.get_mut(before..).unwrap_or_default();
        self.is_borrowed = self.tap.takes(read, &event);
        if self.is_borrowed {
            read.fill(0.0);
        }
        event
    }

    fn may_rest(&mut self, may_rest: bool) {
        self.source.may_rest(may_rest);
    }

    fn latency(&self) -> Duration {
        self.source.latency()
    }

    fn tracks(&self) -> Option<Tracks<'_>> {
        if self.is_borrowed { None } else { self.source.tracks() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// A microphone that delivers these blocks, and then nothing.
    struct BlockSource(VecDeque<Result<Vec<f32>, SourceEvent>>);

    impl AudioSource for BlockSource {
        fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
            match self.0.pop_front() {
                Some(Ok(block)) => {
                    into.extend_from_slice(&block);
                    SourceEvent::Samples(block.len())
                }
                Some(Err(event)) => event,
                None => SourceEvent::Nothing,
            }
        }

        fn tracks(&self) -> Option<Tracks<'_>> {
            Some(Tracks { captured: &[0.5], whole: &[0.5] })
        }
    }

    fn tapped(blocks: Vec<Result<Vec<f32>, SourceEvent>>) -> (MicrophoneTap, Box<dyn AudioSource>) {
        let tap = MicrophoneTap::default();
        let source = tap.on(Box::new(BlockSource(blocks.into())));
        (tap, source)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_recorded_is_silence_to_the_listener_and_what_comes_behind_is_heard() {
        let (tap, mut source) =
            tapped(vec![Ok(vec![0.1; 3]), Ok(vec![0.2; 3]), Ok(vec![0.3; 3]), Ok(vec![0.4; 3])]);
        let mut heard = Vec::new();
        source.read(&mut heard);
        let (recorded, ()) = tokio::join!(tap.record(5), async {
            assert_eq!(tap.record(5).await, Err(TapFault::Busy));
            for _ in 0..2 {
                source.read(&mut heard);
                assert!(source.tracks().is_none(), "nor in another processing state");
            }
        });
        assert_eq!(recorded, Ok(vec![0.2, 0.2, 0.2, 0.3, 0.3]));
        source.read(&mut heard);
        assert!(source.tracks().is_some());
        assert_eq!(heard, [[0.1; 3], [0.0; 3], [0.0; 3], [0.4; 3]].concat());
    }

    #[tokio::test(start_paused = true)]
    async fn a_microphone_that_is_switched_off_or_gives_nothing_ends_it_with_the_reason() {
        let (tap, mut source) = tapped(vec![Ok(vec![0.1; 3]), Err(SourceEvent::Muted)]);
        let mut heard = Vec::new();
        let (recorded, ()) = tokio::join!(tap.record(9), async {
            source.read(&mut heard);
            source.read(&mut heard);
        });
        assert_eq!(recorded, Err(TapFault::Muted));
        assert_eq!(tap.record(9).await, Err(TapFault::Silent), "after its time");
        // One that was given up keeps nobody from the next.
        let (tap, mut source) = tapped(vec![Ok(vec![0.1; 3])]);
        drop(timeout(Duration::from_millis(1), tap.record(9)).await);
        let (recorded, ()) = tokio::join!(tap.record(3), async {
            source.read(&mut heard);
        });
        assert_eq!(recorded, Ok(vec![0.1; 3]));
    }
}
