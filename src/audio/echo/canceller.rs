//! WebRTC's third echo canceller on frames of 10 ms at 16 kHz, mono.
//!
//! Belongs to the listener thread. It finds the delay between both ends by itself, up to half a second,
//! and its output is some 8 ms later than its input. Two signals come out: its own, where what may still be echo is
//! suppressed as well, and one from which only the echo is taken that a filter foretells. That filter is not
//! WebRTC's but [`Kalman`]: a talker over her voice, and a microphone with a clock of its own, throw it off far less.

use aec3::api::config::EchoCanceller3Config;
use aec3::graph::GraphError;
use aec3::nodes::audio::AudioFormat;
use aec3::pipelines::linear::{self, LinearPipeline};

use super::FRAME;
use super::kalman::Kalman;
use crate::audio::RATE;

/// Length of the adaptive filter in blocks of 4 ms: the reverberation of a living room.
const FILTER_BLOCKS: usize = 26;

/// The canceller and what it says of itself.
pub(super) struct Canceller {
    pipeline: LinearPipeline,
    kalman: Kalman,
    delay_ms: u32,
}

/// One frame, twice; the second is 8 ms later.
pub(super) struct Cleaned {
    /// The foretold echo taken out: a talker is whole, and a rest of echo is in it.
    pub(super) linear: [f32; FRAME],
    /// And what may still be echo suppressed: quiet, and a talker is cut up.
    pub(super) suppressed: [f32; FRAME],
}

// SAFETY: the pipeline counts references without atomics, so it may be used by one thread at a time; all
// of them are within the pipeline, none is ever handed out of this file, and nothing in it belongs to the
// thread that made it. Whoever owns it owns all of it, and may take it to another thread.
#[expect(unsafe_code, reason = "the library's types are not marked as movable")]
unsafe impl Send for Canceller {}

impl Canceller {
    /// One that knows nothing of the room.
    pub(super) fn new() -> Result<Self, GraphError> {
        let format = AudioFormat::ten_ms(RATE, 1);
        let mut config = EchoCanceller3Config::default();
        config.filter.main.length_blocks = FILTER_BLOCKS;
        // As it comes, it takes a talker of the echo's own level for echo. Tried out with "stop" said over
        // her: it believes in a talker sooner and while the echo is louder.
        let nearend = &mut config.suppressor.dominant_nearend_detection;
        nearend.enr_threshold = 1.0;
        nearend.snr_threshold = 10.0;
        nearend.trigger_threshold = 4;
        let pipeline = linear::builder(format, format)
            .aec3_config(config)
            .enable_noise_suppression(false)
            .enable_gain_controller2(false)
            .export_metrics(true)
            .build()?;
        Ok(Self { pipeline, kalman: Kalman::new(), delay_ms: 0 })
    }

    /// Takes the echo of `far` out of `near`; nothing when that failed.
    pub(super) fn process(&mut self, near: &[f32; FRAME], far: &[f32; FRAME]) -> Option<Cleaned> {
        let mut suppressed = [0.0; FRAME];
        let done = self
            .pipeline
            .handle_render_frame(far)
            .and_then(|()| self.pipeline.process_capture_frame(near, &mut suppressed));
        while let Ok(Some(metrics)) = self.pipeline.try_pull_metrics() {
            self.delay_ms = metrics.payload().delay_ms.max(0) as u32;
        }
        self.kalman.align((self.delay_ms * RATE / 1000) as usize);
        let linear = self.kalman.process(near, far)?;
        // A frame that is not finite would go on for ever in everything behind.
        let is_finite = suppressed.iter().all(|sample| sample.is_finite());
        (matches!(done, Ok(true)) && is_finite).then_some(Cleaned { linear, suppressed })
    }

    /// The estimated delay of the echo behind the far end.
    pub(super) fn delay_ms(&self) -> u32 {
        self.delay_ms
    }

    /// Forgets the room.
    pub(super) fn reset(&mut self) {
        if let Err(error) = self.pipeline.reset_aec3() {
            tracing::warn!(%error, "the echo canceller could not begin anew");
        }
        self.kalman.reset();
        self.delay_ms = 0;
    }
}
