//! When to listen, transcribe, answer and be silent, as a pure state machine.
//!
//! In: [`FlowInput`]s in the order they happened. Out: [`FlowEffect`]s for the
//! conversation to carry out. Whatever belongs to an older utterance or turn is ignored. A snapshot holds the table.
//! Pure: no I/O, no clock.

mod early;
mod interjections;
mod unasked;

use std::time::{Duration, Instant};

use super::signals::{After, FlowEffect, FlowInput, Judged, SpokenQuestion};
use early::{Advance, Consequence, Continuation, Early};
use joi_base::message::{Activity, TurnId, Utterance};
use joi_hear::judge::{JudgeVerdict, Judgement, LoopBreaker};
use joi_hear::whisper::DecodeUrgency;
use joi_hear::{FollowUpWindow, HearCommand, SpeakingState, last_loud};
use joi_language::Languages;

const TALKING: HearCommand = HearCommand::Speaking(SpeakingState::Talking);
const SILENT: HearCommand = HearCommand::Speaking(SpeakingState::Silent);

/// How a conversation may go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUps {
    /// Most of them in a row without the wake phrase.
    pub most: u32,
    /// Time from the last played sample to the opening of the window.
    pub delay: Duration,
    /// Most answers in a row with no human voice behind them.
    pub to_nobody: u32,
}

/// What opened the microphone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// The wake phrase, whose crossing was at this position, or a request.
    Called { at: Option<u64>, attempt: Attempt },
    /// An answer that has ended.
    Window,
    /// Somebody who talked over playback.
    Interruption,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    /// The first utterance held nothing for joi.
    Second,
}

#[derive(Debug)]
enum Phase {
    Idle,
    /// `since`: so long nobody has spoken, or somebody speaks.
    Listening {
        by: Opening,
        since: Instant,
        advance: Advance,
    },
    Transcribing {
        by: Opening,
        utterance: Utterance,
        decided: Instant,
    },
    Answering {
        turn: TurnId,
        progress: Progress,
    },
}

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nothing of it can be heard or felt: whoever goes on speaking can still have it back.
    Begun { by: Opening, consequence: Consequence },
    /// It has done something, or nobody asked for it.
    Committed,
    /// Joi's voice is in the room.
    Audible,
}

/// The state of the conversation.
#[derive(Debug)]
pub struct Flow {
    phase: Phase,
    turns: u64,
    follow_ups: FollowUps,
    /// In which a transcript is read.
    languages: Languages,
    /// Follow-ups since the last wake phrase.
    followed: u32,
    breaker: LoopBreaker,
    /// The utterance goes on with a question that seemed complete.
    continues: Option<Continuation>,
}

impl Flow {
    /// A conversation that rests. Turn ids continue after `last_turn`.
    pub fn resting(last_turn: TurnId, follow_ups: FollowUps, languages: Languages) -> Self {
        let breaker = LoopBreaker::new(follow_ups.to_nobody);
        Self {
            phase: Phase::Idle,
            turns: last_turn.0,
            follow_ups,
            languages,
            followed: 0,
            breaker,
            continues: None,
        }
    }

    /// Is nothing going on?
    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle)
    }

    /// Is the next move the user's? Then a microphone that was held back (a file) may go on.
    pub fn is_waiting_for_the_user(&self) -> bool {
        match &self.phase {
            Phase::Idle => true,
            Phase::Listening { advance, .. } => !matches!(advance, Advance::Decoding { .. }),
            Phase::Transcribing { .. } | Phase::Answering { .. } => false,
        }
    }

    /// What a light would show.
    pub fn activity(&self) -> Activity {
        match &self.phase {
            Phase::Idle => Activity::Idle,
            Phase::Listening { .. } => Activity::Listening,
            Phase::Transcribing { .. } => Activity::Thinking,
            Phase::Answering { progress: Progress::Audible, .. } => Activity::Speaking,
            Phase::Answering { .. } => Activity::Thinking,
        }
    }

    /// Takes in what happened and says what to do.
    pub fn on(&mut self, input: FlowInput) -> Vec<FlowEffect> {
        match input {
            FlowInput::Wake { at, when, .. } => self.listen(Some(at), when),
            FlowInput::Requested { at } => self.listen(None, at),
            FlowInput::Silenced => self.silenced(),
            FlowInput::Started { at } => self.started(at),
            FlowInput::Paused(utterance) => self.paused(utterance),
            FlowInput::Resumed { generation, revision } => self.resumed(generation, revision),
            FlowInput::Continued { at } => self.continued(at),
            FlowInput::Ended { utterance, decided } => self.ended(utterance, decided),
            FlowInput::NothingSaid => match self.phase {
                Phase::Listening { by: Opening::Called { .. }, .. } => self.rest("nothing was said"),
                Phase::Listening { by: Opening::Window | Opening::Interruption, .. } => {
                    self.rest("nobody went on")
                }
                _ => vec![],
            },
            FlowInput::Deaf(why) => match self.phase {
                Phase::Listening { .. } => self.rest(why),
                _ => vec![],
            },
            FlowInput::Transcribed { result, generation, revision, at } => {
                self.transcribed(Early::new((generation, revision), result, at, &self.languages))
            }
            FlowInput::Interrupting if self.is_audible() => vec![FlowEffect::Duck],
            FlowInput::Interrupting => vec![],
            FlowInput::Interjected(result) => self.interjected(result.ok()),
            FlowInput::Speaking(turn) => self.progress(turn, Progress::Audible),
            FlowInput::Acted(turn) => self.progress(turn, Progress::Committed),
            FlowInput::TurnOver { turn, at, after } if self.is_answering(turn) => self.turn_over(at, after),
            FlowInput::TurnOver { .. } => vec![],
            FlowInput::Announcing => self.announce(),
            FlowInput::Alarming => self.alarm(),
        }
    }

    fn is_answering(&self, id: TurnId) -> bool {
        matches!(self.phase, Phase::Answering { turn, .. } if turn == id)
    }

    /// Returns whether speech is in the room.
    pub fn is_audible(&self) -> bool {
        matches!(self.phase, Phase::Answering { progress: Progress::Audible, .. })
    }

    /// A wake phrase always wins: it stops whatever is going on.
    fn listen(&mut self, woke: Option<u64>, since: Instant) -> Vec<FlowEffect> {
        let mut effects = match &self.phase {
            Phase::Answering { turn, .. } => {
                vec![FlowEffect::Cancel(*turn, "she was called".into()), FlowEffect::Ears(SILENT)]
            }
            Phase::Transcribing { utterance, .. } => vec![drop_all(utterance)],
            Phase::Idle | Phase::Listening { .. } => vec![],
        };
        if woke.is_none() {
            effects.push(FlowEffect::Ears(HearCommand::Listen));
        }
        effects.push(FlowEffect::AcknowledgeTone);
        self.followed = 0;
        self.breaker.woken();
        self.open(Opening::Called { at: woke, attempt: Attempt::First }, since, Advance::Unspoken);
        effects
    }

    fn open(&mut self, by: Opening, since: Instant, advance: Advance) {
        self.phase = Phase::Listening { by, since, advance };
        self.continues = None;
    }

    fn started(&mut self, at: Instant) -> Vec<FlowEffect> {
        if let Phase::Listening { since, advance: advance @ Advance::Unspoken, .. } = &mut self.phase {
            (*since, *advance) = (at, Advance::Nothing);
        }
        vec![]
    }

    fn paused(&mut self, utterance: Utterance) -> Vec<FlowEffect> {
        match &mut self.phase {
            Phase::Listening { advance, .. } => {
                *advance = Advance::Decoding { generation: utterance.generation };
                vec![FlowEffect::Decode(utterance, DecodeUrgency::Speculative)]
            }
            _ => vec![],
        }
    }

    fn resumed(&mut self, generation: u64, revision: u32) -> Vec<FlowEffect> {
        match &mut self.phase {
            Phase::Listening { advance, .. } => {
                *advance = Advance::Nothing;
                vec![FlowEffect::DropDecode { generation, revision }]
            }
            _ => vec![],
        }
    }

    /// Takes an utterance back that only seemed complete: nothing of the answer was heard.
    fn continued(&mut self, at: Instant) -> Vec<FlowEffect> {
        let (by, continuation, effect) = match &self.phase {
            Phase::Transcribing { by, utterance, .. } => (*by, Continuation::Unanswered, drop_all(utterance)),
            Phase::Answering { turn, progress: Progress::Begun { by, .. } } => {
                let cancel = FlowEffect::Cancel(*turn, "the speaker went on".into());
                (*by, Continuation::Answered, cancel)
            }
            _ => return vec![],
        };
        self.open(by, at, Advance::Nothing);
        self.continues = Some(continuation);
        vec![effect]
    }

    fn ended(&mut self, utterance: Utterance, decided: Instant) -> Vec<FlowEffect> {
        let Phase::Listening { by, advance, .. } = &mut self.phase else { return vec![] };
        let by = *by;
        let early = match std::mem::replace(advance, Advance::Nothing) {
            Advance::Decoded(early) if early.is_of(&utterance) => Some(*early),
            Advance::Unspoken | Advance::Nothing | Advance::Decoding { .. } | Advance::Decoded(_) => None,
        };
        self.phase = Phase::Transcribing { by, utterance: utterance.clone(), decided };
        match early {
            Some(early) => self.transcribed(early),
            None => vec![FlowEffect::Decode(utterance, DecodeUrgency::Final)],
        }
    }

    fn transcribed(&mut self, news: Early) -> Vec<FlowEffect> {
        match &mut self.phase {
            Phase::Listening { advance, .. } => {
                if !advance.wants(&news) {
                    return vec![];
                }
                let outlook = news.outlook().map(|outlook| FlowEffect::Ears(HearCommand::Expect(outlook)));
                let preparation = news.preparation();
                *advance = Advance::Decoded(Box::new(news));
                outlook.into_iter().chain(preparation).collect()
            }
            Phase::Transcribing { utterance, .. } if news.is_of(utterance) => self.settle(news),
            _ => vec![],
        }
    }

    fn settle(&mut self, news: Early) -> Vec<FlowEffect> {
        let Phase::Transcribing { by, utterance, decided } = std::mem::replace(&mut self.phase, Phase::Idle)
        else {
            return vec![];
        };
        let Ok(mut judged) = news.result else {
            let mut effects = vec![FlowEffect::ErrorTone];
            effects.extend(self.rest("the speech could not be transcribed"));
            return effects;
        };
        self.break_loop(&mut judged);
        let text = match &judged.judgement.verdict {
            JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text) => text.clone(),
            // Joi is not speaking, so this is a command like others.
            JudgeVerdict::Stop => judged.transcript.text.clone(),
            JudgeVerdict::Echo | JudgeVerdict::Ignore | JudgeVerdict::Interrupts(_) => String::new(),
        };
        if text.is_empty() {
            return self.dismissed(by, judged, news.at);
        }
        if matches!(by, Opening::Window | Opening::Interruption) {
            self.followed += 1;
        }
        let turn = self.next_turn();
        let consequence = Consequence::of(&judged, &text, &self.languages);
        self.phase = Phase::Answering { turn, progress: Progress::Begun { by, consequence } };
        vec![FlowEffect::Answer(Box::new(SpokenQuestion {
            turn,
            text,
            judged,
            speech_ended: utterance.moment(last_loud(&utterance), decided),
            voice_ended: utterance.moment(utterance.speech_ends_at, decided),
            woke: by.woken_at().map(|at| utterance.moment(at, decided)),
            opened_by: utterance.opened_by,
            decided,
            known: news.at,
            meaning: news.meaning,
            continues: self.continues,
        }))]
    }

    /// Nobody seems to be behind the last follow-ups, and this one: it is not answered either.
    fn break_loop(&mut self, judged: &mut Judged) {
        if let (JudgeVerdict::FollowUp(_), Some(sound)) = (&judged.judgement.verdict, &judged.sound)
            && !self.breaker.may_answer(&sound.loudness)
        {
            judged.judgement = Judgement::nobody_there();
        }
    }

    /// Nothing to be answered. "Hey jarvis" … and only then the question: listen once more.
    fn dismissed(&mut self, by: Opening, judged: Judged, since: Instant) -> Vec<FlowEffect> {
        let mut effects = Vec::new();
        if !judged.transcript.text.is_empty() {
            effects.push(FlowEffect::Dismiss(self.next_turn(), Box::new(judged)));
        }
        match by {
            Opening::Called { at, attempt: Attempt::First } => {
                self.open(Opening::Called { at, attempt: Attempt::Second }, since, Advance::Unspoken);
                effects.push(FlowEffect::Ears(HearCommand::Listen));
            }
            Opening::Called { attempt: Attempt::Second, .. } | Opening::Interruption => {
                effects.extend(self.rest("no words were understood"));
            }
            Opening::Window => {
                self.open(Opening::Window, since, Advance::Unspoken);
                effects.push(FlowEffect::Ears(HearCommand::Reopen));
            }
        }
        effects
    }

    fn progress(&mut self, id: TurnId, news: Progress) -> Vec<FlowEffect> {
        let Phase::Answering { turn, progress } = &mut self.phase else { return vec![] };
        // What can be taken up again is not over because it is done.
        let is_open = matches!(progress, Progress::Begun { consequence: Consequence::Amendable, .. });
        if *turn != id || *progress == Progress::Audible || is_open && news == Progress::Committed {
            return vec![];
        }
        *progress = news;
        if news == Progress::Audible { vec![FlowEffect::Ears(TALKING)] } else { vec![] }
    }

    fn turn_over(&mut self, at: Instant, after: After) -> Vec<FlowEffect> {
        match after {
            After::FollowUp { lasts } if self.may_be_followed() => {
                self.open(Opening::Window, at, Advance::Unspoken);
                let window = FollowUpWindow { since: at, after: self.follow_ups.delay, lasts };
                vec![FlowEffect::Ears(SILENT), FlowEffect::Ears(HearCommand::FollowUp(window))]
            }
            After::FollowUp { .. } | After::Rest => {
                self.phase = Phase::Idle;
                vec![FlowEffect::Ears(SILENT)]
            }
        }
    }

    fn may_be_followed(&self) -> bool {
        self.followed < self.follow_ups.most && !self.breaker.is_silent()
    }

    fn next_turn(&mut self) -> TurnId {
        self.turns += 1;
        TurnId(self.turns)
    }

    fn rest(&mut self, why: &'static str) -> Vec<FlowEffect> {
        self.phase = Phase::Idle;
        vec![FlowEffect::Ears(SILENT), FlowEffect::Rest(why)]
    }
}

/// Whisper need not finish this utterance.
fn drop_all(utterance: &Utterance) -> FlowEffect {
    FlowEffect::DropDecode { generation: utterance.generation + 1, revision: 0 }
}

#[cfg(test)]
mod tests;
