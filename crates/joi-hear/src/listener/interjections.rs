//! Interjections: speech during playback or while an answer is being prepared, reported early.
//!
//! Owned by the listener. In: positions and whether a frame is voiced. Out: interjections to be judged. A
//! stop word is short, and must be recognised at once; longer speech is judged again and again, and is either
//! no stop word or the assistant's own voice.

use crate::Stretch;
use crate::endpoint::{Edge, EndpointConfig, Endpointer, Frame, SpeechSpan};
use joi_audio::RATE;
use joi_base::message::EndCause;

/// Continuous speech is judged after this long, and again: 0.9 s.
const LOOK: u64 = RATE as u64 * 9 / 10;
/// While an answer is being prepared, only this much counts as a stop command: 1.6 s.
const ORDER: u64 = RATE as u64 * 8 / 5;
/// Speech that begins this soon after an interjection was cut continues it: 0.3 s.
const GOES_ON: u64 = RATE as u64 * 3 / 10;

/// What the assistant is doing during the interjection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AssistantActivity {
    Speaking,
    Thinking,
}

/// An event to be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InterjectionEvent {
    /// Somebody begins to speak; during playback, and not continuing a cut interjection, if `is_new`.
    Begins { is_new: bool },
    /// Something was said.
    Said(SpeechSpan, Stretch),
}

/// The state machine.
#[derive(Debug)]
pub(super) struct Interjections {
    endpointer: Endpointer,
    during: AssistantActivity,
    /// Where continuous speech is judged next.
    look_at: u64,
    /// Where an interjection was cut because it had become too long.
    cut_at: Option<u64>,
}

/// How interjections are cut out.
fn short(config: &EndpointConfig) -> EndpointConfig {
    EndpointConfig {
        onset: 0.13,
        pre_roll: 0.25,
        pause: 0.06,
        max_length: 3.0,
        continuation: 0.0,
        // Never closes: longer than a day of speech.
        no_speech: 100_000.0,
        ..config.clone()
    }
}

impl Interjections {
    pub(super) fn new(config: &EndpointConfig) -> Self {
        let endpointer = Endpointer::new(&short(config));
        Self { endpointer, during: AssistantActivity::Speaking, look_at: u64::MAX, cut_at: None }
    }

    /// Playback is audible from position `at` on.
    pub(super) fn while_speaking(&mut self, at: u64) {
        self.open(AssistantActivity::Speaking, at);
    }

    /// An utterance has ended, and its answer is being prepared from position `at` on.
    pub(super) fn while_thinking(&mut self, at: u64) {
        self.open(AssistantActivity::Thinking, at);
    }

    fn open(&mut self, during: AssistantActivity, at: u64) {
        self.during = during;
        self.cut_at = None;
        self.endpointer.open(at);
    }

    /// Neither: what is heard is an utterance, or nothing.
    pub(super) fn close(&mut self) {
        self.endpointer.close();
    }

    /// The sound has a gap.
    pub(super) fn interrupt(&mut self, at: u64) {
        if self.is_open() {
            self.open(self.during, at);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.endpointer.is_open()
    }

    /// Returns whether playback is audible, rather than an answer being prepared.
    pub(super) fn is_playing(&self) -> bool {
        self.is_open() && self.during == AssistantActivity::Speaking
    }

    /// The next frame.
    pub(super) fn observe(&mut self, frame: Frame) -> Option<InterjectionEvent> {
        match (self.endpointer.observe(frame), self.during) {
            (Some(Edge::Started), during) => {
                self.look_at = frame.end + LOOK;
                let cut_at = self.cut_at.take();
                let is_new = cut_at.is_none_or(|cut_at| frame.end > cut_at + GOES_ON);
                Some(InterjectionEvent::Begins { is_new: is_new && during == AssistantActivity::Speaking })
            }
            (Some(Edge::Paused(span)), AssistantActivity::Speaking) => {
                Some(InterjectionEvent::Said(span, Stretch::SoFar))
            }
            (Some(Edge::Paused(span)), AssistantActivity::Thinking) => {
                let is_short = span.speech_ends_at - span.speech_begins_at <= ORDER;
                is_short.then_some(InterjectionEvent::Said(span, Stretch::SoFar))
            }
            (Some(Edge::Ended(span, cause)), during) => {
                self.open(during, frame.end);
                self.cut_at = (cause == EndCause::MaxLength).then_some(frame.end);
                (during == AssistantActivity::Speaking)
                    .then_some(InterjectionEvent::Said(span, Stretch::Whole))
            }
            (None, AssistantActivity::Speaking) if frame.end >= self.look_at => {
                let span = self.endpointer.so_far(frame.end)?;
                self.look_at = frame.end + LOOK;
                Some(InterjectionEvent::Said(span, Stretch::SoFar))
            }
            (None | Some(Edge::Continued | Edge::Resumed(_) | Edge::NothingSaid), _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vad::FRAME;

    /// Feeds voiced (`#`) and silent (`.`) stretches of 0.1 s each; returns the events with their seconds.
    fn events(interjections: &mut Interjections, picture: &str) -> Vec<(f64, InterjectionEvent)> {
        let mut events = Vec::new();
        let frames = picture.len() as u64 * u64::from(RATE) / 10 / FRAME as u64;
        for n in 0..frames {
            let end = (n + 1) * FRAME as u64;
            let tenth = (end * 10 / u64::from(RATE)) as usize;
            let voiced = picture.as_bytes().get(tenth) == Some(&b'#');
            let at = end as f64 / f64::from(RATE);
            events.extend(interjections.observe(Frame { end, voiced }).map(|what| (at, what)));
        }
        events
    }

    fn kinds(events: &[(f64, InterjectionEvent)]) -> Vec<&'static str> {
        let name = |event: &InterjectionEvent| match event {
            InterjectionEvent::Begins { is_new: true } => "begins",
            InterjectionEvent::Begins { is_new: false } => "goes on",
            InterjectionEvent::Said(_, Stretch::SoFar) => "so far",
            InterjectionEvent::Said(_, Stretch::Whole) => "whole",
        };
        events.iter().map(|(_, event)| name(event)).collect()
    }

    fn open() -> Interjections {
        let mut interjections = Interjections::new(&EndpointConfig::default());
        interjections.while_speaking(0);
        interjections
    }

    #[test]
    fn an_interjection_is_reported_within_a_third_of_a_second_of_its_onset() {
        // The limit for ducking: at most 300 ms after speech began.
        let told = events(&mut open(), "....####..........");
        assert_eq!(kinds(&told), ["begins", "so far", "whole"]);
        assert!((0.5..=0.7).contains(&told[0].0), "speech began at 0.4 s, told at {} s", told[0].0);
        assert!((0.83..=0.93).contains(&told[1].0), "it ended at 0.8 s, told at {} s", told[1].0);
    }

    #[test]
    fn whoever_talks_on_is_looked_at_before_he_pauses_and_begins_only_once() {
        let told = events(&mut open(), &("#".repeat(50) + "........."));
        assert_eq!(
            kinds(&told),
            [
                "begins", "so far", "so far", "so far", "whole", "goes on", "so far", "so far", "so far",
                "whole"
            ]
        );
        let InterjectionEvent::Said(first, _) = told[1].1 else { panic!("{told:?}") };
        let InterjectionEvent::Said(second, _) = told[2].1 else { panic!("{told:?}") };
        assert!(told[1].0 < 1.2 && told[2].0 < 2.1, "{told:?}");
        assert_eq!(first.begins_at, second.begins_at);
        assert!(first.revision < second.revision, "each with a transcript of its own");
    }

    #[test]
    fn while_an_answer_is_prepared_only_short_speech_is_reported() {
        let mut thinking = open();
        thinking.while_thinking(0);
        assert_eq!(kinds(&events(&mut thinking, "..#####........")), ["goes on", "so far"]);
        let mut thinking = open();
        thinking.while_thinking(0);
        assert_eq!(kinds(&events(&mut thinking, &("#".repeat(25) + "........."))), ["goes on"]);
    }
}
