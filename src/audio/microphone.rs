//! The microphone as a [`Source`]: owned and read by the listener thread.
//!
//! In: the capture ring of whichever session the keeper has open. Out: mono f32 at 16 kHz, and the news
//! when the device goes and comes. Opening never fails; a missing device is retried in the background.

use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use super::capture::{self, Capture};
use super::keeper::{Keeper, Limits, Notice};
use super::resample::Resampler;
use super::{AudioConfig, DeviceFault, Heard, Meter, RATE, Source};

/// One wait for sound; a read waits at most three times.
const WAIT: Duration = Duration::from_millis(7);

/// The configured microphone.
pub struct Microphone {
    notices: Receiver<Notice<Capture>>,
    open: Option<Open>,
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

impl Microphone {
    /// The configured microphone; it is opened in the background.
    ///
    /// The first [`Heard::Back`] tells which device it is, or [`Heard::Gone`] that there is none.
    pub fn open(config: &AudioConfig) -> Self {
        let (tell, notices) = mpsc::channel();
        let limits = Limits { silent: config.silent_after(), ..Limits::default() };
        let keeper =
            Keeper::spawn("joi-microphone", capture::opener(config.clone()), limits, move |notice| {
                // The microphone was dropped: the keeper is about to end as well.
                let _ = tell.send(notice);
            });
        Self::reading(notices, Some(keeper))
    }

    fn reading(notices: Receiver<Notice<Capture>>, keeper: Option<Keeper>) -> Self {
        Self { notices, open: None, meter: Meter::new(), raw: Vec::new(), _keeper: keeper }
    }

    /// Shows the level of what is read, from any thread.
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }

    fn heed(&mut self, notice: Notice<Capture>) -> Option<Heard> {
        match notice {
            Notice::Up(capture) => {
                let resampler = Resampler::new(capture.rate, RATE);
                self.open = resampler.ok().map(|resampler| Open { capture, resampler, dropped: 0 });
                None
            }
            // A silent device stays open: it may be unmuted.
            Notice::Gone(fault @ DeviceFault::Silent { .. }) => Some(Heard::Gone(fault)),
            Notice::Gone(fault) => {
                self.open = None;
                Some(Heard::Gone(fault))
            }
            Notice::Back { device } => Some(Heard::Back { device }),
        }
    }

    /// What the ring holds, at 16 kHz.
    fn drain(&mut self, into: &mut Vec<f32>) -> usize {
        let Some(open) = &mut self.open else { return 0 };
        self.raw.clear();
        open.capture.reader.drain(&mut self.raw);
        let dropped = open.capture.reader.dropped();
        if dropped > open.dropped {
            tracing::warn!(samples = dropped - open.dropped, "the listener was late; sound was lost");
            open.dropped = dropped;
        }
        let before = into.len();
        open.resampler.push(&self.raw, into);
        self.meter.show(if into.len() > before { &into[before..] } else { return 0 });
        into.len() - before
    }
}

impl Source for Microphone {
    fn read(&mut self, into: &mut Vec<f32>) -> Heard {
        for _ in 0..3 {
            while let Ok(notice) = self.notices.try_recv() {
                if let Some(news) = self.heed(notice) {
                    return news;
                }
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
