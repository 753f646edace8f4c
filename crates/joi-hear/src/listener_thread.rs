//! The listener thread: reads the source, obeys commands, delivers events.
//!
//! In: an [`AudioSource`] and [`HearCommand`]s. Out: [`Delivery`]s on a bounded channel; when it is full, the thread waits.
//! What becomes of the sound is up to the [`Listener`].

use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::listener::{SoundBlock, earlier};
use super::vad::FRAME;
use super::{Ack, Delivery, FollowUpWindow, HearCommand, HearEvent, Listener, Pacing};
use joi_audio::{AudioSource, SourceEvent};

/// The source may rest after this long without an event.
const RESTS_AFTER: Duration = Duration::from_secs(2);

/// Starts the listener thread. It ends on [`HearCommand::Stop`], when `commands` or the receiver of `events`
/// are dropped, and at the end of a file.
///
/// # Errors
/// The system can't start another thread.
pub fn spawn(
    source: Box<dyn AudioSource>,
    listener: Listener,
    commands: Receiver<HearCommand>,
    events: Sender<Delivery>,
    pacing: Pacing,
) -> std::io::Result<JoinHandle<()>> {
    let (pending, samples) = (Vec::new(), Vec::new());
    let quiet = QuietSpell::default();
    let mut ear = ListenerThread { source, listener, commands, events, pacing, quiet, pending, samples };
    std::thread::Builder::new().name("listener".into()).spawn(move || while ear.turn().is_some() {})
}

/// State of the listener thread.
struct ListenerThread {
    source: Box<dyn AudioSource>,
    listener: Listener,
    commands: Receiver<HearCommand>,
    events: Sender<Delivery>,
    pacing: Pacing,
    quiet: QuietSpell,
    pending: Vec<HearEvent>,
    samples: Vec<f32>,
}

impl ListenerThread {
    /// One read of the source; nothing when the thread is to end.
    fn turn(&mut self) -> Option<()> {
        self.samples.clear();
        self.obey()?;
        match self.source.read(&mut self.samples) {
            SourceEvent::Samples(_) => self.hear()?,
            SourceEvent::Nothing => {}
            SourceEvent::Gone(fault) => {
                self.listener.interrupt();
                self.pending.push(HearEvent::MicrophoneLost { fault: fault.to_string() });
            }
            SourceEvent::Called { phrase } => {
                self.listener.called(phrase, Instant::now(), &mut self.pending);
            }
            SourceEvent::Back { device } => self.pending.push(HearEvent::Hearing { device }),
            SourceEvent::Muted => {
                self.listener.interrupt();
                self.pending.push(HearEvent::Muted);
            }
            SourceEvent::Unmuted => self.pending.push(HearEvent::Unmuted),
            SourceEvent::End => {
                self.listener.finish(Instant::now(), &mut self.pending);
                self.pending.push(HearEvent::SourceEnded);
                self.deliver()?;
                return None;
            }
        }
        let may_rest = self.quiet.lasts(self.listener.is_at_rest(), Instant::now());
        self.source.may_rest(may_rest);
        self.deliver()
    }

    /// Frame by frame, so that a command takes effect at the sample it was given at.
    fn hear(&mut self) -> Option<()> {
        let now = Instant::now();
        let arrived = now.checked_sub(self.source.latency()).unwrap_or(now);
        let all = self.samples.len();
        for begin in (0..all).step_by(FRAME) {
            self.obey()?;
            let frame = begin..all.min(begin + FRAME);
            let now = earlier(arrived, (all - frame.end) as u64);
            let tracks = self.source.tracks().and_then(|tracks| tracks.part(frame.clone()));
            let sound = SoundBlock { samples: &self.samples[frame], tracks };
            self.listener.step(sound, now, &mut self.pending);
            if self.pacing == Pacing::Lockstep {
                self.listener.settle(now, &mut self.pending);
            }
            self.deliver()?;
        }
        Some(())
    }

    fn obey(&mut self) -> Option<()> {
        loop {
            match self.commands.try_recv() {
                Ok(HearCommand::Stop) | Err(TryRecvError::Disconnected) => return None,
                // A file has stood still during playback.
                Ok(HearCommand::FollowUp(window)) if self.pacing == Pacing::Lockstep => {
                    let since = self.listener.heard_until().unwrap_or(window.since);
                    self.listener.command(HearCommand::FollowUp(FollowUpWindow { since, ..window }));
                }
                Ok(command) => self.listener.command(command),
                Err(TryRecvError::Empty) => return Some(()),
            }
        }
    }

    fn deliver(&mut self) -> Option<()> {
        for event in self.pending.drain(..) {
            let (ack, gone) = sync_channel(1);
            let waits = self.pacing == Pacing::Lockstep && wants_answer(&event);
            let ack = waits.then_some(Ack(ack));
            self.events.blocking_send(Delivery { event, ack }).ok()?;
            if waits {
                gone.recv().ok(); // an error says the same: the ack is gone
            }
        }
        Some(())
    }
}

/// The time since the last event. Pure.
#[derive(Debug, Default)]
struct QuietSpell(Option<Instant>);

impl QuietSpell {
    /// Returns whether it has lasted long enough for a rest.
    fn lasts(&mut self, is_quiet: bool, now: Instant) -> bool {
        self.0 = is_quiet.then(|| self.0.unwrap_or(now));
        self.0.is_some_and(|since| now.saturating_duration_since(since) >= RESTS_AFTER)
    }
}

fn wants_answer(event: &HearEvent) -> bool {
    match event {
        HearEvent::Wake { .. }
        | HearEvent::Paused { .. }
        | HearEvent::Ended { .. }
        | HearEvent::NothingSaid => true,
        HearEvent::Started { .. }
        | HearEvent::Continued { .. }
        | HearEvent::Interrupting { .. }
        | HearEvent::Interjected { .. }
        | HearEvent::Resumed { .. }
        | HearEvent::MicrophoneLost { .. }
        | HearEvent::Hearing { .. }
        | HearEvent::Muted
        | HearEvent::Unmuted
        | HearEvent::SourceEnded => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_begins_after_two_quiet_seconds_and_ends_at_once() {
        let (mut quiet, start) = (QuietSpell::default(), Instant::now());
        let at = |ms| start + Duration::from_millis(ms);
        assert!(!quiet.lasts(true, at(0)) && !quiet.lasts(true, at(1999)));
        assert!(quiet.lasts(true, at(2000)));
        assert!(!quiet.lasts(false, at(2010)), "somebody speaks");
        assert!(!quiet.lasts(true, at(4000)), "it begins anew");
        assert!(quiet.lasts(true, at(6000)));
    }
}
