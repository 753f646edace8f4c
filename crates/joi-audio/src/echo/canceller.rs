//! WebRTC's third echo canceller on frames of 10 ms at 16 kHz, mono.
//!
//! Belongs to the listener thread. It estimates the delay between both ends, up to half a second; its output
//! is about 8 ms later than its input. There are two output signals: the canceller's own, in which residual
//! echo is suppressed, and a linear one, from which only the predicted echo is subtracted. The linear filter
//! is not WebRTC's but [`Kalman`], which double talk and a microphone with a clock of its own disturb far
//! less.

use aec3::api::config::EchoCanceller3Config;
use aec3::graph::GraphError;
use aec3::nodes::audio::AudioFormat;
use aec3::pipelines::linear::{self, LinearPipeline};

use super::frame::FRAME;
use super::kalman::Kalman;
use crate::RATE;

/// Length of the adaptive filter in blocks of 4 ms: the reverberation of a living room.
const FILTER_BLOCKS: usize = 26;

/// The canceller and its own estimates.
pub(super) struct Canceller {
    pipeline: LinearPipeline,
    kalman: Kalman,
    delay_ms: u32,
}

/// One frame in two versions; the second is 8 ms later.
pub(super) struct Cleaned {
    /// The predicted echo subtracted: a talker is undistorted, residual echo remains.
    pub(super) linear: [f32; FRAME],
    /// Residual echo suppressed too: quiet, and a talker is distorted.
    pub(super) suppressed: [f32; FRAME],
}

// SAFETY: the pipeline counts references without atomics, so only one thread at a time may use it; all
// references are within the pipeline, none leaves this file, and nothing in it belongs to the thread that
// made it. The owner owns all of it and may move it to another thread.
#[expect(unsafe_code, reason = "the library's types are not marked as movable")]
unsafe impl Send for Canceller {}

impl Canceller {
    /// Creates a canceller without any estimate of the room.
    pub(super) fn new() -> Result<Self, GraphError> {
        let format = AudioFormat::ten_ms(RATE, 1);
        let mut config = EchoCanceller3Config::default();
        config.filter.main.length_blocks = FILTER_BLOCKS;
        // By default it takes a talker as loud as the echo for echo. Tuned with "stop" said over playback: it
        // detects a talker earlier and beside a louder echo.
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

    /// Removes the echo of `far` from `near`; nothing if that failed.
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
        // A value that is not finite would spread through all later state.
        let is_finite = suppressed.iter().all(|sample| sample.is_finite());
        (matches!(done, Ok(true)) && is_finite).then_some(Cleaned { linear, suppressed })
    }

    /// Returns the estimated delay of the echo behind the far end.
    pub(super) fn delay_ms(&self) -> u32 {
        self.delay_ms
    }

    /// Resets the estimate of the room.
    pub(super) fn reset(&mut self) {
        if let Err(error) = self.pipeline.reset_aec3() {
            tracing::warn!(%error, "the echo canceller could not be reset");
        }
        self.kalman.reset();
        self.delay_ms = 0;
    }
}
