//! The microphone as a [`Source`]: owned and read by the listener thread.
//!
//! In: the capture ring of whichever session the keeper has open, and the owner's switch. Out: mono f32
//! at 16 kHz, and the news when the device goes and comes and the switch is turned. Opening never fails;
//! a missing device is retried in the background. What was captured before the switch was turned is
//! thrown away.

use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use super::capture::{self, Capture};
use super::keeper::{Keeper, Limits, Notice};
use super::resample::Resampler;
use super::{AudioConfig, Heard, Meter, MuteSwitch, RATE, Source};

/// One wait for sound; a read waits at most three times.
const WAIT: Duration = Duration::from_millis(7);

/// The configured microphone.
pub struct Microphone {
    notices: Receiver<Notice<Capture>>,
    open: Option<Open>,
    switch: MuteSwitch,
    /// Turns of the switch that were told of.
    turns: u32,
    meter: Meter,
    raw: Vec<f32>,
    /// Nothing in tests that hand in the notices themselves.
    _keeper: Option<Keeper>,
}

struct Open {
    capture: Capture,
    resampler: Resampler,
    dropped: u64,
}

impl Open {
    fn new(capture: Capture) -> Option<Self> {
        let resampler = Resampler::new(capture.rate, RATE).ok()?;
        Some(Self { capture, resampler, dropped: 0 })
    }

    /// Throws away what was captured.
    fn forget(&mut self, raw: &mut Vec<f32>) {
        self.capture.reader.drain(raw);
        self.resampler.finish(raw);
        raw.clear();
    }
}

impl Microphone {
    /// The configured microphone; it is opened in the background. `switch` mutes it.
    ///
    /// The first [`Heard::Back`] tells which device it is, or [`Heard::Gone`] that there is none.
    pub fn open(config: &AudioConfig, switch: &MuteSwitch) -> Self {
        let (tell, notices) = mpsc::channel();
        let limits = Limits { silent: config.silent_after(), ..Limits::default() };
        let access = capture::access(config.clone(), switch.clone());
        let keeper = Keeper::spawn("joi-microphone", access, limits, move |notice| {
            // The microphone was dropped: the keeper is about to end as well.
            let _ = tell.send(notice);
        });
        Self::reading(notices, switch.clone(), Some(keeper))
    }

    fn reading(notices: Receiver<Notice<Capture>>, switch: MuteSwitch, keeper: Option<Keeper>) -> Self {
        let meter = Meter::new();
        Self { notices, open: None, switch, turns: 0, meter, raw: Vec::new(), _keeper: keeper }
    }

    /// Shows the level of what is read, from any thread.
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }

    fn heed(&mut self, notice: Notice<Capture>) -> Option<Heard> {
        match notice {
            Notice::Up(capture) => {
                self.open = Open::new(capture);
                None
            }
            Notice::Down => {
                self.open = None;
                None
            }
            Notice::Gone(fault) => Some(Heard::Gone(fault)),
            Notice::Back { device } => Some(Heard::Back { device }),
        }
    }

    /// What the switch has to say: however fast it was turned to and fro, what was captured before is
    /// thrown away and both turns are told.
    fn heed_switch(&mut self) -> Option<Heard> {
        let turns = self.switch.turns();
        if turns == self.turns {
            return None;
        }
        if let Some(open) = &mut self.open {
            open.forget(&mut self.raw);
        }
        self.meter.show(&[]);
        let was_muted = is_muted(self.turns);
        // To and fro since the last look: the way back is told with the next read.
        self.turns = if was_muted == is_muted(turns) && !was_muted { turns.wrapping_sub(1) } else { turns };
        match (was_muted, is_muted(self.turns)) {
            (false, _) => Some(Heard::Muted),
            (true, false) => Some(Heard::Unmuted),
            (true, true) => None,
        }
    }

    /// What the ring holds, at 16 kHz.
    fn drain(&mut self, into: &mut Vec<f32>) -> usize {
        let Some(open) = &mut self.open else { return 0 };
        if is_muted(self.turns) {
            // A callback that had begun before the switch was turned may come late.
            open.forget(&mut self.raw);
            return 0;
        }
        self.raw.clear();
        open.capture.reader.drain(&mut self.raw);
        let dropped = open.capture.reader.dropped();
        if dropped > open.dropped {
            tracing::warn!(samples = dropped - open.dropped, "the listener was late; sound was lost");
            self.meter.lose(dropped - open.dropped, open.capture.rate);
            open.dropped = dropped;
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

impl Source for Microphone {
    fn read(&mut self, into: &mut Vec<f32>) -> Heard {
        for _ in 0..3 {
            while let Ok(notice) = self.notices.try_recv() {
                if let Some(news) = self.heed(notice) {
                    return news;
                }
            }
            if let Some(news) = self.heed_switch() {
                return news;
            }
            let count = self.drain(into);
            if count > 0 {
                return Heard::Samples(count);
            }
            if let Ok(notice) = self.notices.recv_timeout(WAIT)
                && let Some(news) = self.heed(notice)
            {
                return news;
            }
        }
        Heard::Nothing
    }
}

#[cfg(test)]
mod tests;
