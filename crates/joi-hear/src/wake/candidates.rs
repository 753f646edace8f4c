//! Selects the stretches of sound that the phrase scorer should score.
//!
//! Counts in samples, owned by the listener thread. In: every frame while neither listening nor playing, with whether
//! it is voiced and its level, and at any time what a wake model is unsure about. Out: a [`Candidate`] once its sound
//! is complete. A phrase may begin where a voice begins, where a room full of voices becomes louder, or just before a
//! model's doubt; the first two only where the caller finds that it may be one. At most a dozen per minute.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;

use crate::endpoint::Frame;
use crate::vad::FRAME;
use joi_audio::RATE;

/// Sound before the onset of a voice that belongs to the phrase: its soft consonants.
const LEAD: u64 = ms(250);
/// The longest phrase, from the onset of the voice.
const LONGEST: u64 = ms(1750);
/// Silence that ends a stretch of voice.
const SILENCE: u64 = ms(300);
/// A shorter voice is not a phrase.
const LEAST_VOICE: u64 = ms(160);
/// Sound before and behind a model's doubt.
const DOUBT: (u64, u64) = (ms(1400), ms(400));
/// Sound before and behind the moment a room becomes louder.
const LOUDER: (u64, u64) = (ms(600), ms(1400));
/// A voice that lasts this long is a room full of voices.
const LONG_VOICE: u64 = ms(1500);
/// A room becomes louder when its level rises this much, in dB, above its median of the last seconds.
const RISE_DB: f32 = 6.0;
/// The frames of those seconds: 4 s.
const ROOM_FRAMES: usize = 4 * RATE as usize / FRAME;
/// Frames the level is averaged over: 96 ms.
const LEVEL_FRAMES: usize = 3;
/// Frames a rise must last.
const RISE_FRAMES: u32 = 2;
/// Frames below half of the rise after which the next one counts.
const FALL_FRAMES: u32 = 3;
/// A level this much, in dB, above the noise floor of the last seconds may be a voice.
const ALERT_DB: f32 = 3.0;
/// A voice may continue for this long after that.
const ALERT: u64 = ms(1000);
/// Between two rises.
const BETWEEN_RISES: u64 = ms(800);
/// Candidates per minute; doubts of a model, which are rare, may be a few more.
const A_MINUTE: usize = 12;
const DOUBTS_MORE: usize = 4;
const MINUTE: u64 = 60 * RATE as u64;

const fn ms(milliseconds: u64) -> u64 {
    milliseconds * RATE as u64 / 1000
}

/// Where phrases without a model of their own are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onsets {
    /// Nowhere: only a model's doubts are candidates.
    Off,
    /// Wherever a voice begins, or becomes louder than the room.
    On,
    /// The same, without what a model recognises as no phrase.
    Likely,
}

/// What made a stretch of sound a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateReason {
    /// The model of this phrase (by its index) is unsure, and estimates the phrase to be over by `ends_by`.
    Doubt {
        /// Index of the phrase.
        phrase: usize,
        /// Position.
        ends_by: u64,
    },
    /// A voice began at `began`, and was silent again at `ended` if it was.
    Voice {
        /// Position.
        began: u64,
        /// Position just behind the last voiced frame.
        ended: Option<u64>,
    },
    /// The voices became louder at `began`.
    Louder {
        /// Position.
        began: u64,
    },
}

/// A stretch of sound that may hold a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Why it is one.
    pub why: CandidateReason,
    /// Position of its first sample.
    pub from: u64,
    /// Position just behind its last sample.
    pub to: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VoiceState {
    Silent,
    /// Since `began`; its candidate is still pending when `is_open`.
    Sounding {
        began: u64,
        voiced: u64,
        last: u64,
        is_open: bool,
    },
}

/// The selector.
#[derive(Debug, Clone)]
pub struct Candidates {
    onsets: Onsets,
    voice: VoiceState,
    room: RoomLevel,
    /// Candidates whose sound is not complete.
    waiting: VecDeque<Candidate>,
    /// When the last ones were reported.
    given: VecDeque<u64>,
    /// How many were suppressed by the rate limit.
    held_back: u64,
    /// Until this position there may be a voice.
    alert_until: u64,
}

impl Candidates {
    /// Creates a selector without any input.
    pub fn new(onsets: Onsets) -> Self {
        let room = RoomLevel::default();
        Self {
            onsets,
            voice: VoiceState::Silent,
            room,
            waiting: VecDeque::new(),
            given: VecDeque::new(),
            held_back: 0,
            alert_until: 0,
        }
    }

    /// Returns whether it needs to know if there is a voice in the frame that ends at `end`. A sound that does not
    /// stand out from the background can't be one: in silence and steady noise the voice activity network
    /// need not run.
    pub(crate) fn is_alert(&mut self, end: u64, level_db: f32) -> bool {
        if self.onsets == Onsets::Off {
            return false;
        }
        let stands_out = self.room.floor().is_none_or(|floor| level_db >= floor + ALERT_DB);
        if stands_out || self.voice != VoiceState::Silent {
            self.alert_until = end + ALERT;
        }
        end <= self.alert_until
    }

    /// Returns how many were suppressed so far by the rate limit.
    pub fn held_back(&self) -> u64 {
        self.held_back
    }

    /// A model is unsure at position `at` about a phrase that is over by `ends_by`.
    pub fn doubt(&mut self, phrase: usize, at: u64, ends_by: u64) {
        let why = CandidateReason::Doubt { phrase, ends_by };
        self.waiting.push_back(Candidate { why, from: at.saturating_sub(DOUBT.0), to: at + DOUBT.1 });
    }

    /// The next frame, with its level in dB. Returns at most one candidate, whose sound is complete; with [`Onsets::Likely`] of
    /// voices only one that `may_hold` a phrase, which is asked once its sound is complete.
    pub(crate) fn observe(
        &mut self,
        frame: Frame,
        level_db: f32,
        may_hold: impl Fn(&Candidate) -> bool,
    ) -> Option<Candidate> {
        if self.onsets != Onsets::Off {
            let rise = self.room.observe(frame.end, level_db);
            self.voice(frame);
            if let (Some(began), VoiceState::Sounding { began: since, .. }) = (rise, self.voice)
                && frame.end - since >= LONG_VOICE
            {
                let from = began.saturating_sub(LOUDER.0);
                self.waiting.push_back(Candidate {
                    why: CandidateReason::Louder { began },
                    from,
                    to: began + LOUDER.1,
                });
            }
        }
        let is_doubt = |candidate: &Candidate| matches!(candidate.why, CandidateReason::Doubt { .. });
        if self.onsets == Onsets::Likely {
            self.waiting.retain(|one| is_doubt(one) || one.to > frame.end || may_hold(one));
        }
        self.complete(frame.end)
    }

    /// At most one candidate whose sound is complete at `end`.
    pub fn complete(&mut self, end: u64) -> Option<Candidate> {
        let complete = self.waiting.iter().position(|candidate| candidate.to <= end)?;
        let candidate = self.waiting.remove(complete)?;
        self.may_be_given(&candidate, end).then_some(candidate)
    }

    /// Discards pending candidates: listening has begun, or the sound has a gap.
    pub fn clear(&mut self) {
        self.voice = VoiceState::Silent;
        self.waiting.clear();
        self.room = RoomLevel::default();
    }

    fn voice(&mut self, frame: Frame) {
        let begin = frame.end - FRAME as u64;
        match &mut self.voice {
            VoiceState::Silent if frame.voiced => {
                self.voice = VoiceState::Sounding {
                    began: begin,
                    voiced: FRAME as u64,
                    last: frame.end,
                    is_open: true,
                };
            }
            VoiceState::Silent => {}
            VoiceState::Sounding { began, voiced, last, is_open } => {
                if frame.voiced {
                    *voiced += FRAME as u64;
                    *last = frame.end;
                }
                let is_over = frame.end - *last >= SILENCE;
                let is_long = frame.end - *began >= LONGEST;
                if *is_open && (is_over || is_long) && *voiced >= LEAST_VOICE {
                    let why = CandidateReason::Voice { began: *began, ended: is_over.then_some(*last) };
                    let to = frame.end.min(*began + LONGEST);
                    self.waiting.push_back(Candidate { why, from: began.saturating_sub(LEAD), to });
                    *is_open = false;
                }
                if is_over {
                    self.voice = VoiceState::Silent;
                }
            }
        }
    }

    fn may_be_given(&mut self, candidate: &Candidate, now: u64) -> bool {
        while self.given.front().is_some_and(|at| now - at >= MINUTE) {
            self.given.pop_front();
        }
        let most = match candidate.why {
            CandidateReason::Doubt { .. } => A_MINUTE + DOUBTS_MORE,
            CandidateReason::Voice { .. } | CandidateReason::Louder { .. } => A_MINUTE,
        };
        let may = self.given.len() < most;
        if may {
            self.given.push_back(now);
        } else {
            self.held_back += 1;
        }
        may
    }
}

/// The level of the room, and whether it rises.
#[derive(Debug, Clone, Default)]
struct RoomLevel {
    levels: VecDeque<f32>,
    /// The same by size.
    sorted: Vec<f32>,
    newest: VecDeque<f32>,
    high: u32,
    low: u32,
    is_armed: bool,
    last_rise: Option<u64>,
}

impl RoomLevel {
    /// Where the room became louder, if it just did.
    fn observe(&mut self, end: u64, level_db: f32) -> Option<u64> {
        self.newest.push_back(level_db);
        if self.newest.len() > LEVEL_FRAMES {
            self.newest.pop_front();
        }
        let level = self.newest.iter().sum::<f32>() / self.newest.len() as f32;
        let rise = self.median().map_or(0.0, |median| level - median);
        self.remember(level);
        self.high = if rise >= RISE_DB { self.high + 1 } else { 0 };
        self.low = if rise < RISE_DB / 2.0 { self.low + 1 } else { 0 };
        self.is_armed |= self.low >= FALL_FRAMES;
        let rested = self.last_rise.is_none_or(|last| end - last >= BETWEEN_RISES);
        if self.high < RISE_FRAMES || !self.is_armed || !rested {
            return None;
        }
        self.is_armed = false;
        self.last_rise = Some(end);
        Some(end.saturating_sub(LEVEL_FRAMES as u64 * FRAME as u64))
    }

    fn remember(&mut self, level: f32) {
        let place =
            |sorted: &[f32], level: f32| sorted.partition_point(|other| other.total_cmp(&level).is_lt());
        self.levels.push_back(level);
        self.sorted.insert(place(&self.sorted, level), level);
        if self.levels.len() > ROOM_FRAMES
            && let Some(oldest) = self.levels.pop_front()
        {
            self.sorted.remove(place(&self.sorted, oldest));
        }
    }

    /// Returns the median of the last seconds; nothing in the first half second.
    fn median(&self) -> Option<f32> {
        self.at_share(2)
    }

    /// Returns the noise floor of the last seconds: a tenth of the frames are below it.
    fn floor(&self) -> Option<f32> {
        self.at_share(10)
    }

    /// Returns the level below which one in `part` of the last seconds lies.
    fn at_share(&self, part: usize) -> Option<f32> {
        if self.levels.len() < ROOM_FRAMES / 8 {
            return None;
        }
        self.sorted.get(self.sorted.len() / part).copied()
    }
}

#[cfg(test)]
mod tests;
