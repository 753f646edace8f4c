//! What goes into the flow of a conversation, and what comes out of it. Plain data.

use std::time::{Duration, Instant};

use joi_base::message::{OpenedBy, Transcript, TurnId, Utterance};
use joi_base::trace::Decision;
use joi_hear::HearCommand;
use joi_hear::judge::{FollowUpLoudness, Judgement};
use joi_hear::whisper::DecodeUrgency;
use joi_understand::intents::Completeness;

/// What happened.
#[derive(Debug)]
pub enum FlowInput {
    /// The wake phrase was recognised.
    Wake {
        /// Its written form.
        phrase: String,
        /// Detector probability, 0..1.
        score: f32,
        /// Position of the crossing in 16 kHz samples since the source was opened.
        at: u64,
        /// When that was captured.
        when: Instant,
    },
    /// Somebody asked to be listened to without the wake phrase.
    Requested {
        /// When.
        at: Instant,
    },
    /// Somebody asked for silence without a word.
    Silenced,
    /// The user has begun to speak.
    Started {
        /// When.
        at: Instant,
    },
    /// The user paused; the words so far can be transcribed in advance.
    Paused(Utterance),
    /// The user went on after a pause.
    Resumed {
        /// Of the utterance.
        generation: u64,
        /// The revision from here on.
        revision: u32,
    },
    /// The user goes on with the utterance that was taken for complete.
    Continued {
        /// When.
        at: Instant,
    },
    /// The utterance is complete.
    Ended {
        /// The utterance.
        utterance: Utterance,
        /// When that was decided.
        decided: Instant,
    },
    /// The microphone was open and nobody spoke.
    NothingSaid,
    /// Nothing is heard from here on, for this reason.
    Deaf(&'static str),
    /// Whisper is done with an utterance.
    Transcribed {
        /// The words and what they mean, or why there are none.
        result: Result<Judged, String>,
        /// Of the utterance.
        generation: u64,
        /// Of the utterance.
        revision: u32,
        /// When.
        at: Instant,
    },
    /// Somebody begins to speak during playback.
    Interrupting,
    /// The words that somebody said during playback, or why there are none.
    Interjected(Result<Judged, String>),
    /// The first sample of an answer is being played.
    Speaking(TurnId),
    /// The answer did something: it must not be done again.
    Acted(TurnId),
    /// An answer was played to its end, or there was none.
    TurnOver {
        /// Whose.
        turn: TurnId,
        /// When its last sample was played.
        at: Instant,
        /// What follows.
        after: After,
    },
    /// Something is said without having been asked for, when nobody is speaking.
    Announcing,
    /// A danger is to be announced, also in the middle of an answer, or behind a wake phrase when nobody speaks.
    Alarming,
}

/// What follows an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The next wake phrase.
    Rest,
    /// A window for follow-ups.
    FollowUp {
        /// How long.
        lasts: Duration,
    },
}

/// A transcript and what the judge says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The transcript, with the leading wake phrase removed.
    pub transcript: Transcript,
    /// The verdict whether it was meant for joi.
    pub judgement: Judgement,
    /// The sound behind it, as long as that is known.
    pub sound: Option<SoundOf>,
    /// What came of a look by another model, or at the sound, if there was one.
    pub look: Option<Decision>,
    /// The recogniser was not sure of the words, or they were found in the sound by rescoring: they are no yes to what
    /// is risky.
    pub is_unsure: bool,
}

/// What counts of the sound of an utterance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoundOf {
    /// Position of its first voiced sample, since the source was opened.
    pub began_at: u64,
    /// When that was captured.
    pub began: Instant,
    /// When its last voiced sample was captured.
    pub ended: Instant,
    /// How loud it was, and beside what.
    pub loudness: FollowUpLoudness,
}

/// The reason when somebody said "stop".
pub(super) const TOLD: &str = "she was told to stop";

/// Why an answer was cut short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// In a few words.
    pub reason: &'static str,
    /// What the judge says, if it was asked.
    pub judged: Option<String>,
    /// The word that stopped speech.
    pub word: Option<StopWordTimes>,
}

/// The moments at which a word that stopped speech was said, and since when speech was softer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopWordTimes {
    /// When its first voiced sample was captured.
    pub began: Instant,
    /// When its last voiced sample was captured.
    pub ended: Instant,
    /// The moment at which speech became softer because of it, if it did.
    pub ducked: Option<Instant>,
}

impl StopWordTimes {
    /// The word in that sound, as long as nothing came of it.
    pub(super) fn of(sound: SoundOf) -> Self {
        Self { began: sound.began, ended: sound.ended, ducked: None }
    }
}

impl Why {
    /// For the record, at the moment of silence.
    pub(super) fn description(self) -> String {
        let judged = self.judged.map(|reason| format!(": {reason}")).unwrap_or_default();
        let Some(word) = self.word else { return format!("{}{judged}", self.reason) };
        let silent = word.ended.elapsed().as_millis();
        let ducked = word.ducked.and_then(|at| at.checked_duration_since(word.began));
        let ducked = ducked
            .map(|after| format!("ducked {} ms after it began, ", after.as_millis()))
            .unwrap_or_default();
        format!("{}{judged}; {ducked}silent {silent} ms after the word", self.reason)
    }
}

impl From<&'static str> for Why {
    fn from(reason: &'static str) -> Self {
        Self { reason, judged: None, word: None }
    }
}

/// What to do about it.
#[derive(Debug)]
pub enum FlowEffect {
    /// The soft tone that says "I'm listening".
    AcknowledgeTone,
    /// The tone that says "that did not work".
    ErrorTone,
    /// Stop the running answer everywhere: model, synthesis, loudspeaker.
    Cancel(TurnId, Why),
    /// Speak softly until it is known what somebody else says.
    Duck,
    /// Speak on as loud as before.
    Unduck,
    /// Transcribe.
    Decode(Utterance, DecodeUrgency),
    /// What whisper was asked before is of no use any more.
    DropDecode {
        /// Whatever is older than this utterance ...
        generation: u64,
        /// ... and this revision of it.
        revision: u32,
    },
    /// Have the voice ready for what these words will be answered with, if the utterance ends here.
    Rehearse(Box<Judged>),
    /// Have the model read what it will be asked, if the utterance ends here.
    ReadAhead(Box<Judged>),
    /// Answer.
    Answer(Box<SpokenQuestion>),
    /// Something was heard that is not answered; for the record.
    Dismiss(TurnId, Box<Judged>),
    /// What somebody is saying is not listened to any more, for this reason; for the record.
    GiveUp(TurnId, &'static str),
    /// Say what has to be announced, as this turn.
    Announce(TurnId),
    /// Send a command to the listener.
    Ears(HearCommand),
    /// The conversation rests until the next wake phrase, for the given reason.
    Rest(&'static str),
}

/// What became of a question that seemed complete and was gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuation {
    /// Nothing yet.
    Unanswered,
    /// Its answer was begun.
    Answered,
}

/// A complete question with the moments that led to it.
#[derive(Debug, Clone)]
pub struct SpokenQuestion {
    /// The turn it opens.
    pub turn: TurnId,
    /// The words to be answered.
    pub text: String,
    /// The words, how sure whisper was, and why they are answered.
    pub judged: Judged,
    /// What opened the microphone.
    pub opened_by: OpenedBy,
    /// When the wake phrase was recognised.
    pub woke: Option<Instant>,
    /// When the last loud 10 ms had been captured.
    pub speech_ended: Instant,
    /// When the last voiced sample was captured: some 100 ms later.
    pub voice_ended: Instant,
    /// When the end of the utterance was decided.
    pub decided: Instant,
    /// When the transcript was there; before the end was decided, where the words of a pause were the whole.
    pub known: Instant,
    /// Whether the words are a quick command.
    pub meaning: Completeness,
    /// What became of the beginning of it, where that was taken for the whole.
    pub continues: Option<Continuation>,
}
