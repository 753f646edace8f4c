//! While it is not certain yet that a command is complete: the voice gets the first words of its answer ready.
//!
//! A task of its own that changes nothing. The answer itself is decided when the utterance has ended; words that were
//! ready sound at once, others cost what they always did.

use std::sync::Arc;

use super::answers::AnswerContext;
use super::signals::Judged;
use joi_agent::foresee;
use joi_agent::model::ChatModel;
use joi_hear::judge::JudgeVerdict;
use joi_speak::Segmenter;

impl<M: ChatModel + 'static> AnswerContext<M> {
    /// Has the beginning of the answer to `judged` synthesised, where it can be foreseen.
    pub(super) fn rehearse(&self, judged: &Judged) {
        let (JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text)) = &judged.judgement.verdict else {
            return;
        };
        let Some(mouth) = self.speech.mouth.clone() else { return };
        let (text, heard) = (text.clone(), judged.transcript.language.clone());
        let (engine, session) = (Arc::clone(&self.engine), Arc::clone(&self.session));
        let languages = self.speech.languages.clone();
        tokio::spawn(async move {
            let heard = heard.map(|heard| languages.heard(Some(&heard)));
            let code = heard.as_ref().map(|language| language.code());
            let Some((words, spoken)) = foresee(&engine, &session, &text, code).await else { return };
            let mut segmenter = Segmenter::new(&spoken);
            let first = segmenter.push(&words).into_iter().next().or_else(|| segmenter.finish());
            if let Some(first) = first {
                mouth.prepare(first, spoken.to_code());
            }
        });
    }
}
