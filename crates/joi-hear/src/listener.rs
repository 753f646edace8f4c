//! The processing chain of the listener thread: wake phrase, voice activity, end of speech.
//!
//! Owned by the listener thread: starts no thread, reads no clock, never waits. In: samples and [`HearCommand`]s.
//! Out: [`HearEvent`]s. The result depends on the samples alone, not on how they were cut into blocks.

mod interjections;
mod replay;
mod second_stage;
mod sound;

use std::sync::mpsc::Sender;
use std::time::Instant;

use super::endpoint::{Edge, Endpointer, Frame, LEAD, SpeechSpan};
use super::history::History;
use super::vad::{FRAME, Vad};
use super::wake::{Confirmer, Detection, ScoredCandidate, Vigilance, WakeDetector};
use super::{HearCommand, HearConfig, HearEvent, Outlook, SpeakingState};
use joi_audio::RATE;
use joi_base::message::{OpenedBy, Utterance};

use interjections::{InterjectionEvent, Interjections};
pub use sound::SoundBlock;
pub(super) use sound::earlier;
use sound::samples;

/// Frames of earlier sound that warm up the voice activity network when listening begins: 1 s.
const PRIMING: u64 = 32;

/// Samples of an interjection that are kept, its pre-roll included: 4 s.
const INTERJECTION: usize = 4 * RATE as usize;

/// From samples to events.
pub struct Listener {
    detectors: Vec<Box<dyn WakeDetector>>,
    /// The second stage: verifies what the detectors are unsure about.
    confirmer: Option<Confirmer>,
    /// The voice activity network is running for it.
    is_alert: bool,
    vad: Vad,
    endpointer: Endpointer,
    /// Cuts out what is said during playback or while an answer is being prepared.
    interjections: Interjections,
    speaking: SpeakingState,
    history: History,
    /// The last seconds of the linear echo canceller output, which interjections are transcribed from.
    unsuppressed: History,
    /// When the newest sample was captured.
    heard_until: Option<Instant>,
    /// Samples of an incomplete frame ...
    frame: [f32; FRAME],
    /// ... and the same in other processing states.
    captured: [f32; FRAME],
    whole: [f32; FRAME],
    filled: usize,
    opened_by: OpenedBy,
    /// Where the last wake phrase was over.
    phrase_ends: u64,
    /// The last wake phrase, with the position before which no detector finds it again, whichever it was by.
    woken: Option<(String, u64)>,
    refractory: u64,
    /// The endpointer is to process the sound from here on again.
    again_from: Option<u64>,
    generation: u64,
    /// Of the current interjection.
    interjection: u64,
    /// Utterances and interjections so far.
    counted: u64,
}

impl Listener {
    /// Creates a listener that waits for the phrases of `detectors`.
    pub fn new(config: &HearConfig, detectors: Vec<Box<dyn WakeDetector>>, vad: Vad) -> Self {
        let longest = config.endpoint.max_length + config.endpoint.pre_roll;
        let room = (longest * f64::from(RATE)) as usize + LEAD as usize + PRIMING as usize * FRAME;
        Self {
            detectors,
            confirmer: None,
            is_alert: false,
            vad,
            endpointer: Endpointer::new(&config.endpoint),
            interjections: Interjections::new(&config.endpoint),
            speaking: SpeakingState::Silent,
            heard_until: None,
            history: History::new(room),
            unsuppressed: History::new(INTERJECTION),
            frame: [0.0; FRAME],
            captured: [0.0; FRAME],
            whole: [0.0; FRAME],
            filled: 0,
            opened_by: OpenedBy::Request,
            phrase_ends: 0,
            woken: None,
            refractory: (config.wake.refractory * f64::from(RATE)) as u64,
            again_from: None,
            generation: 0,
            interjection: 0,
            counted: 0,
        }
    }

    /// The same listener with a second stage.
    #[must_use]
    pub fn confirmed_by(self, confirmer: Confirmer) -> Self {
        Self { confirmer: Some(confirmer), ..self }
    }

    /// Makes the second stage report everything it scores to `watcher`.
    pub fn watched_by(&mut self, watcher: Sender<ScoredCandidate>) {
        if let Some(confirmer) = &mut self.confirmer {
            confirmer.watch(watcher);
        }
    }

    /// Takes 16 kHz mono samples (−1..1), any number, the last of which arrived at `now`. Appends the
    /// resulting events to `out`.
    pub fn step<'a>(&mut self, sound: impl Into<SoundBlock<'a>>, now: Instant, out: &mut Vec<HearEvent>) {
        let SoundBlock { samples, tracks } = sound.into();
        let mut at = 0;
        while at < samples.len() {
            let place = self.filled..FRAME.min(self.filled + samples.len() - at);
            let taken = at..at + place.len();
            self.frame[place.clone()].copy_from_slice(&samples[taken.clone()]);
            if let Some(tracks) = tracks {
                self.captured[place.clone()].copy_from_slice(&tracks.captured[taken.clone()]);
                self.whole[place.clone()].copy_from_slice(&tracks.whole[taken.clone()]);
            }
            (self.filled, at) = (place.end, taken.end);
            if self.filled == FRAME {
                self.filled = 0;
                let later = (samples.len() - at) as u64;
                self.frame_complete(tracks.is_some(), earlier(now, later), out);
            }
        }
    }

    /// Executes a command. [`HearCommand::Stop`] is for the thread; here it only ends listening.
    pub fn command(&mut self, command: HearCommand) {
        if !matches!(command, HearCommand::Expect(_)) {
            self.forget_candidates();
            self.again_from = None;
            if !matches!(command, HearCommand::Speaking(_)) {
                self.interjections.close();
            }
        }
        match command {
            HearCommand::Expect(Outlook { generation, revision, more }) if generation == self.generation => {
                self.endpointer.expect(revision, more);
            }
            HearCommand::Expect(_) => {}
            HearCommand::Speaking(state) => self.speaks(state),
            HearCommand::Listen => {
                self.opened_by = OpenedBy::Request;
                self.endpointer.open(self.history.end());
                self.prime();
            }
            HearCommand::FollowUp(window) => self.follow_up(window),
            HearCommand::Reopen => {
                self.opened_by = OpenedBy::FollowUp;
                self.endpointer.reopen_window(self.history.end());
                self.prime();
            }
            HearCommand::TakeOver { since } => {
                self.opened_by = OpenedBy::Interruption;
                self.endpointer.open(since);
                self.again_from = Some(since);
            }
            HearCommand::Cancel | HearCommand::Stop => self.endpointer.close(),
        }
    }

    /// Position of the next sample: how many were processed so far, without those an interruption cut off.
    pub fn position(&self) -> u64 {
        self.history.end() + self.filled as u64
    }

    /// Returns when the newest sample was captured.
    pub(crate) fn heard_until(&self) -> Option<Instant> {
        self.heard_until
    }

    /// Returns whether nobody speaks, nobody is waited for, and nothing is played or prepared.
    pub(crate) fn is_at_rest(&self) -> bool {
        let is_open = self.endpointer.is_open() || self.interjections.is_open();
        !is_open && !self.is_alert && self.speaking == SpeakingState::Silent
    }

    /// From the first sample played to the last, everything heard is an interjection or echo.
    fn speaks(&mut self, state: SpeakingState) {
        let vigilance = match state {
            SpeakingState::Silent => {
                self.interjections.close();
                Vigilance::Normal
            }
            SpeakingState::Talking => {
                self.endpointer.close();
                self.interjections.while_speaking(self.history.end());
                self.prime();
                Vigilance::Strict
            }
        };
        self.speaking = state;
        self.detectors.iter_mut().for_each(|d| d.set_vigilance(vigilance));
    }

    /// Returns the position of what was, or will be, captured at `moment`.
    fn position_at(&self, moment: Instant) -> u64 {
        let Some(newest) = self.heard_until else { return self.history.end() };
        let behind = samples(newest.saturating_duration_since(moment));
        (self.history.end() + samples(moment.saturating_duration_since(newest))).saturating_sub(behind)
    }

    /// The sound is interrupted: what comes next does not continue it. An unfinished utterance is discarded,
    /// since half a sentence may mean the opposite of the whole.
    pub fn interrupt(&mut self) {
        self.endpointer.close();
        self.interjections.interrupt(self.history.end());
        self.filled = 0;
        self.detectors.iter_mut().for_each(|d| d.reset());
        self.forget_candidates();
        self.vad.reset();
    }

    /// Waits for the second stage's result on the sound so far, which does not go on meanwhile.
    pub fn settle(&mut self, now: Instant, out: &mut Vec<HearEvent>) {
        if let Some(detection) = self.confirmer.as_mut().and_then(Confirmer::wait) {
            self.wake(detection, now, out);
        }
    }

    fn forget_candidates(&mut self) {
        if let Some(confirmer) = &mut self.confirmer {
            confirmer.clear();
        }
    }

    /// No more sound will come: an unfinished utterance ends here.
    pub fn finish(&mut self, now: Instant, out: &mut Vec<HearEvent>) {
        self.history.push(&self.frame[..self.filled]);
        self.unsuppressed.push(&self.frame[..self.filled]);
        self.filled = 0;
        if let Some(edge) = self.endpointer.finish(self.history.end()) {
            self.report(edge, now, out);
        }
    }

    fn frame_complete(&mut self, is_cleaned: bool, now: Instant, out: &mut Vec<HearEvent>) {
        let begin = self.history.end();
        let mut first = None;
        for detector in &mut self.detectors {
            let detection = match is_cleaned {
                true => detector.feed_both(&self.frame, &self.whole, begin),
                false => detector.feed(&self.frame, begin),
            };
            first = first.or(detection);
        }
        if is_cleaned && self.speaking == SpeakingState::Silent {
            // Nothing is playing, and a canceller that is not sure of that distorts speech.
            self.frame = self.captured;
        }
        self.history.push(&self.frame);
        let is_suppressed = is_cleaned && self.speaking == SpeakingState::Talking;
        self.unsuppressed.push(if is_suppressed { &self.whole } else { &self.frame });
        self.heard_until = Some(now);
        let is_again = |detection: &Detection| {
            self.woken.as_ref().is_some_and(|(phrase, until)| {
                detection.phrase.eq_ignore_ascii_case(phrase) && detection.at < *until
            })
        };
        if let Some(detection) = first.filter(|detection| !is_again(detection)) {
            self.wake(detection, now, out);
            return;
        }
        if let Some(since) = self.again_from.take() {
            self.show_again(since, now, out);
            return;
        }
        let mut verdict = None;
        if self.endpointer.is_open() || self.interjections.is_open() {
            verdict = Some(self.verdict());
        }
        let (was_listening, was_playing) = (self.endpointer.is_open(), self.interjections.is_playing());
        if let Some(frame) = verdict {
            let edge = self.endpointer.observe(frame);
            let event = self.interjections.observe(frame);
            edge.into_iter().for_each(|edge| self.report(edge, now, out));
            event.into_iter().for_each(|event| self.report_interjection(event, now, out));
        }
        self.second_stage(verdict, was_listening, was_playing);
        if let Some(detection) = self.confirmer.as_mut().and_then(Confirmer::confirmed) {
            self.wake(detection, now, out);
        }
    }

    /// Returns the voice activity network's verdict on the newest frame.
    fn verdict(&mut self) -> Frame {
        Frame { end: self.history.end(), voiced: self.vad.is_voiced(&self.frame) }
    }

    /// Starts listening after the phrase; while listening already, starts over.
    fn wake(&mut self, detection: Detection, now: Instant, out: &mut Vec<HearEvent>) {
        let Detection { phrase, score, at, ends_by } = detection;
        let when = earlier(now, self.history.end().saturating_sub(at));
        self.woken = Some((phrase.clone(), at + self.refractory));
        self.opened_by = OpenedBy::Wake { phrase: phrase.clone(), score };
        out.push(HearEvent::Wake { phrase, score, at, when });
        self.forget_candidates();
        self.interjections.close();
        self.phrase_ends = ends_by;
        self.endpointer.open_after_phrase(ends_by);
        self.show_again(ends_by, now, out);
    }

    /// The phrase was said, which the source has recognised itself: listens from here on.
    pub fn called(&mut self, phrase: String, now: Instant, out: &mut Vec<HearEvent>) {
        let at = self.history.end();
        self.wake(Detection { phrase, score: 1.0, at, ends_by: at }, now, out);
    }

    fn report(&mut self, edge: Edge, now: Instant, out: &mut Vec<HearEvent>) {
        out.push(match edge {
            Edge::Started => {
                self.generation = self.count();
                HearEvent::Started { generation: self.generation }
            }
            Edge::Continued => {
                self.generation = self.count();
                HearEvent::Continued { generation: self.generation }
            }
            Edge::Paused(span) => HearEvent::Paused { utterance: self.utterance(span, now) },
            Edge::Resumed(revision) => HearEvent::Resumed { generation: self.generation, revision },
            Edge::Ended(span, cause) => {
                // From here on an answer is being prepared.
                self.interjections.while_thinking(self.history.end());
                HearEvent::Ended { utterance: self.utterance(span, now), cause, decided: now }
            }
            Edge::NothingSaid => HearEvent::NothingSaid,
        });
    }

    fn report_interjection(&mut self, event: InterjectionEvent, now: Instant, out: &mut Vec<HearEvent>) {
        let (span, stretch) = match event {
            InterjectionEvent::Said(span, stretch) => (span, stretch),
            InterjectionEvent::Begins { is_new } => {
                self.interjection = self.count();
                if is_new {
                    out.push(HearEvent::Interrupting { generation: self.interjection });
                }
                return;
            }
        };
        let (generation, opened_by, lead) = (self.interjection, OpenedBy::Interjection, None);
        let samples = self.unsuppressed.copy(span.begins_at, span.ends_at);
        let utterance = Utterance { generation, opened_by, lead, samples, ..self.utterance(span, now) };
        out.push(HearEvent::Interjected { utterance, stretch });
    }

    fn count(&mut self) -> u64 {
        self.counted += 1;
        self.counted
    }

    /// Returns the phrase at the beginning of an utterance said in one breath with it.
    fn lead(&self, span: SpeechSpan) -> Option<String> {
        match &self.opened_by {
            OpenedBy::Wake { phrase, .. } if span.begins_at + LEAD / 2 < self.phrase_ends => {
                Some(phrase.clone())
            }
            _ => None,
        }
    }

    /// Number of frames since `position`.
    fn frames_since(&self, position: u64) -> usize {
        self.history.end().saturating_sub(position).div_ceil(FRAME as u64) as usize
    }

    fn utterance(&self, span: SpeechSpan, captured: Instant) -> Utterance {
        Utterance {
            generation: self.generation,
            revision: span.revision,
            opened_by: self.opened_by.clone(),
            lead: self.lead(span),
            samples: self.history.copy(span.begins_at, span.ends_at),
            begins_at: span.begins_at,
            speech_begins_at: span.speech_begins_at,
            voiced: span.voiced,
            voice: self.vad.clearest(self.frames_since(span.speech_begins_at)),
            speech_ends_at: span.speech_ends_at,
            captured,
        }
    }
}

#[cfg(test)]
mod tests;
