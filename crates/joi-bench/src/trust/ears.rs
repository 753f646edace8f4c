//! The true ears without a microphone: listener, whisper, judge, stepped by hand on the calling thread.
//!
//! In: samples. Out: what each utterance was taken for. The microphone is opened again as soon as it closes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use joi::app;
use joi::cli::context::CliContext;
use joi_base::message::{OpenedBy, Utterance};
use joi_hear::judge::{JudgeConfig, JudgeInput, JudgeRules, Judgement, judge};
use joi_hear::transcript_filter::{Evidence, TranscriptFilterConfig};
use joi_hear::vad::{FRAME, Vad};
use joi_hear::whisper::Whisper;
use joi_hear::{HearCommand, HearEvent, Listener};
use joi_language::Language;

/// The outcome of one utterance.
pub(super) struct TrustHeard {
    pub(super) text: String,
    pub(super) evidence: Evidence,
    /// As if it had come right after an answer.
    pub(super) follow_up: Judgement,
    /// As if it had come after the wake phrase.
    pub(super) after_wake: Judgement,
}

pub(super) struct TrustEars {
    listener: Listener,
    whisper: Whisper,
    trust: TranscriptFilterConfig,
    judge: JudgeConfig,
    language: Arc<Language>,
    events: Vec<HearEvent>,
    /// The prompt of the speech model.
    prompt: Option<String>,
}

impl TrustEars {
    /// Loads the ears, with `names` for the prompt of the speech model.
    pub(super) fn load(context: &CliContext, model: &Path, names: &[String]) -> anyhow::Result<Self> {
        let hear = &context.config().hear;
        let library = app::library(context.config(), &context.paths)?;
        let vad = Vad::load(&library.path("silero-vad")?, &hear.vad)?;
        let mut whisper = Whisper::load(model, &hear.stt)?;
        whisper.set_names(names);
        Ok(Self {
            listener: Listener::new(hear, vec![], vad),
            whisper,
            prompt: (!names.is_empty()).then(|| names.join(", ")),
            trust: hear.trust.clone(),
            judge: hear.judge.clone(),
            language: context.language()?,
            events: Vec::new(),
        })
    }

    /// Listens all the time.
    pub(super) fn hear(&mut self, samples: &[f32]) -> anyhow::Result<Vec<TrustHeard>> {
        let mut heard = Vec::new();
        self.listener.command(HearCommand::Listen);
        for frame in samples.chunks(FRAME) {
            self.listener.step(frame, Instant::now(), &mut self.events);
            for event in std::mem::take(&mut self.events) {
                match event {
                    HearEvent::Ended { utterance, .. } => {
                        heard.push(self.understand(&utterance)?);
                        self.listener.command(HearCommand::Listen);
                    }
                    HearEvent::NothingSaid => self.listener.command(HearCommand::Listen),
                    _ => {}
                }
            }
        }
        Ok(heard)
    }

    /// Listens to something that does not go on from what was heard before.
    pub(super) fn hear_alone(&mut self, samples: &[f32]) -> anyhow::Result<Vec<TrustHeard>> {
        self.listener.interrupt();
        self.hear(samples)
    }

    fn understand(&mut self, utterance: &Utterance) -> anyhow::Result<TrustHeard> {
        let transcript = self.whisper.understand(utterance, &AtomicBool::new(false))?;
        let evidence = Evidence::of(utterance, &transcript);
        let now = Instant::now();
        let judged = |opened_by: &OpenedBy| {
            let case = JudgeInput {
                text: &transcript.text,
                evidence: &evidence,
                opened_by,
                began: now,
                ended: now,
                said: &[],
                names: &[],
                prompt: self.prompt.as_deref(),
            };
            let words = self.language.vocabulary();
            judge(&case, &JudgeRules { trust: &self.trust, config: &self.judge, words })
        };
        let follow_up = judged(&OpenedBy::FollowUp);
        let after_wake = judged(&OpenedBy::Wake { phrase: "hey jarvis".into(), score: 1.0 });
        Ok(TrustHeard { text: transcript.text, evidence, follow_up, after_wake })
    }
}
