//! The microphone as an [`AudioSource`]: owned and read by the listener thread.
//!
//! In: the capture ring of the stream that the supervisor has open, and the mute switch. Out: mono f32 at 16
//! kHz, and events when the device is lost or recovers and the switch changes. Opening never fails; a
//! missing device is retried in the background. What was captured before the switch changed is discarded.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use super::capture::{self, CaptureStream};
use super::resample::Resampler;
use super::stream_supervisor::{DeviceNotice, LivenessLimits, StreamSupervisor};
use super::{AudioConfig, AudioSource, LevelMeter, MuteSwitch, RATE, SourceEvent};

/// How long one wait lasts when no sound comes; a read waits at most three times.
const WAIT: Duration = Duration::from_millis(50);

/// Largest latency that is believed of a device.
const BELIEVED: Duration = Duration::from_millis(500);

/// So much sound at full scale is reported: more than a knock on the table.
const CLIPPED: Duration = Duration::from_millis(100);

/// The configured microphone.
pub struct Microphone {
    notices: Receiver<DeviceNotice<CaptureStream>>,
    open: Option<OpenMicrophone>,
    switch: MuteSwitch,
    /// Changes of the switch that were reported.
    turns: u32,
    meter: LevelMeter,
    /// Clipping is logged once.
    has_logged_clipping: bool,
    raw: Vec<f32>,
    /// Nothing in tests that pass in the notices themselves.
    _supervisor: Option<StreamSupervisor>,
}

struct OpenMicrophone {
    capture: CaptureStream,
    resampler: Resampler,
    dropped: u64,
    clipped: u64,
}

impl OpenMicrophone {
    fn new(capture: CaptureStream) -> Option<Self> {
        let resampler = Resampler::new(capture.rate, RATE).ok()?;
        Some(Self { capture, resampler, dropped: 0, clipped: 0 })
    }

    /// Discards what was captured.
    fn forget(&mut self, raw: &mut Vec<f32>) {
        self.capture.reader.drain(raw);
        self.resampler.finish(raw);
        raw.clear();
    }
}

impl Microphone {
    /// Returns the configured microphone; it is opened in the background. `switch` mutes it.
    ///
    /// The first [`SourceEvent::Back`] names the device; [`SourceEvent::Gone`] says that there is none.
    pub fn open(config: &AudioConfig, switch: &MuteSwitch) -> Self {
        let (tell, notices) = mpsc::channel();
        let limits = LivenessLimits { silent: config.silent_after(), ..LivenessLimits::default() };
        let access = capture::access(config.clone(), switch.clone());
        let supervisor = StreamSupervisor::spawn("joi-microphone", access, limits, move |notice| {
            // The microphone was dropped: the supervisor is about to end as well.
            let _ = tell.send(notice);
        });
        Self::reading(notices, switch.clone(), Some(supervisor))
    }

    fn reading(
        notices: Receiver<DeviceNotice<CaptureStream>>,
        switch: MuteSwitch,
        supervisor: Option<StreamSupervisor>,
    ) -> Self {
        let meter = LevelMeter::new();
        let (has_logged_clipping, raw) = (false, Vec::new());
        Self {
            notices,
            open: None,
            switch,
            turns: 0,
            meter,
            has_logged_clipping,
            raw,
            _supervisor: supervisor,
        }
    }

    /// Shows the level of what is read, from any thread.
    pub fn meter(&self) -> LevelMeter {
        self.meter.clone()
    }

    fn handle(&mut self, notice: DeviceNotice<CaptureStream>) -> Option<SourceEvent> {
        match notice {
            DeviceNotice::Up(capture) => {
                capture.stats.read_here();
                self.open = OpenMicrophone::new(capture);
                None
            }
            DeviceNotice::Down => {
                self.open = None;
                None
            }
            DeviceNotice::Gone(fault) => Some(SourceEvent::Gone(fault)),
            DeviceNotice::Back { device } => Some(SourceEvent::Back { device }),
        }
    }

    /// Checks the switch: however fast it was toggled, what was captured before is discarded and both changes
    /// are reported.
    fn check_switch(&mut self) -> Option<SourceEvent> {
        let turns = self.switch.turns();
        if turns == self.turns {
            return None;
        }
        if let Some(open) = &mut self.open {
            open.forget(&mut self.raw);
        }
        self.meter.show(&[]);
        let was_muted = is_muted(self.turns);
        // Toggled twice since the last check: the second change is reported by the next read.
        self.turns = if was_muted == is_muted(turns) && !was_muted { turns.wrapping_sub(1) } else { turns };
        match (was_muted, is_muted(self.turns)) {
            (false, _) => Some(SourceEvent::Muted),
            (true, false) => Some(SourceEvent::Unmuted),
            (true, true) => None,
        }
    }

    /// Returns the content of the ring, at 16 kHz.
    fn drain(&mut self, into: &mut Vec<f32>) -> usize {
        let Some(open) = &mut self.open else { return 0 };
        if is_muted(self.turns) {
            // A callback that started before the switch changed may finish late.
            open.forget(&mut self.raw);
            return 0;
        }
        self.raw.clear();
        open.capture.reader.drain(&mut self.raw);
        let dropped = open.capture.reader.dropped();
        if dropped > open.dropped {
            tracing::warn!(
                samples = dropped - open.dropped,
                "the listener thread fell behind; samples were lost"
            );
            self.meter.lose(dropped - open.dropped, open.capture.rate);
            open.dropped = dropped;
        }
        let clipped = open.capture.stats.clipped();
        self.meter.clip(clipped - open.clipped, open.capture.rate);
        open.clipped = clipped;
        if !self.has_logged_clipping && self.meter.clipped() > CLIPPED {
            self.has_logged_clipping = true;
            tracing::warn!("the microphone is too loud and clips; lower audio.input_gain_db or its level");
        }
        if !self.raw.is_empty() {
            let waited = self.raw.len() as f64 / f64::from(open.capture.rate.max(1));
            self.meter.delay().show(open.capture.stats.latency() + Duration::from_secs_f64(waited));
        }
        let before = into.len();
        open.resampler.push(&self.raw, into);
        self.meter.show(if into.len() > before { &into[before..] } else { return 0 });
        into.len() - before
    }
}

fn is_muted(turns: u32) -> bool {
    turns % 2 == 1
}

impl AudioSource for Microphone {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        for _ in 0..3 {
            while let Ok(notice) = self.notices.try_recv() {
                if let Some(news) = self.handle(notice) {
                    return news;
                }
            }
            if let Some(news) = self.check_switch() {
                return news;
            }
            let count = self.drain(into);
            if count > 0 {
                return SourceEvent::Samples(count);
            }
            // The callback ends the wait as soon as it has brought sound.
            thread::park_timeout(WAIT);
        }
        SourceEvent::Nothing
    }

    fn may_rest(&mut self, may_rest: bool) {
        if let Some(open) = &self.open {
            open.capture.stats.let_rest(may_rest);
        }
    }

    fn latency(&self) -> Duration {
        self.open.as_ref().map_or(Duration::ZERO, |open| open.capture.stats.latency().min(BELIEVED))
    }
}

#[cfg(test)]
mod tests;
