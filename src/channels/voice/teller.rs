//! Tells an answer by speaking it: words become segments, segments go to the mouth.
//!
//! Runs in the task of the turn. In: the engine's words. Out: lines for the mouth, and [`News`] of the
//! same words for whoever shows them. Without a voice the words are shown only.

use std::time::Instant;

use tokio::sync::mpsc::Sender;

use super::News;
use crate::audio::{Player, Volume};
use crate::channels::turn::Teller;
use crate::message::{Private, TurnId};
use crate::reply::Action;
use crate::reply::intents::VolumeChange;
use crate::speak::segment::Segmenter;
use crate::speak::{Line, Mouth};

/// One step of "louder" and "quieter", in percent points.
const VOLUME_STEP: u8 = 10;

pub(super) struct Spoken {
    turn: TurnId,
    mouth: Option<Mouth>,
    player: Player,
    news: Sender<News>,
    segmenter: Segmenter,
    lines: u32,
    first_sentence: Option<Instant>,
}

impl Spoken {
    pub(super) fn new(turn: TurnId, mouth: Option<Mouth>, player: Player, news: Sender<News>) -> Self {
        let segmenter = Segmenter::default();
        Self { turn, mouth, player, news, segmenter, lines: 0, first_sentence: None }
    }

    async fn speak(&mut self, text: String) {
        self.first_sentence.get_or_insert_with(Instant::now);
        let line = Line { turn: self.turn, index: self.lines, text };
        self.lines += 1;
        if let Some(mouth) = &self.mouth
            && mouth.say(line).await.is_err()
        {
            // The turn was stopped: its cancellation ends it, and there is nothing left to say.
            tracing::debug!(turn = %self.turn, "a line came too late to be spoken");
        }
    }
}

impl Teller for Spoken {
    async fn words(&mut self, words: &str) {
        // Nobody has to look.
        let _ = self.news.send(News::Words(Private(words.to_owned()))).await;
        for segment in self.segmenter.push(words) {
            self.speak(segment).await;
        }
    }

    async fn aside(&mut self, sentence: &str) {
        let _ = self.news.send(News::Remark(sentence.to_owned())).await;
        self.speak(sentence.to_owned()).await;
    }

    fn notice(&mut self, sentence: &str) {
        // A notice that finds the queue full is in the log all the same.
        let _ = self.news.try_send(News::Remark(sentence.to_owned()));
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Volume(change) => {
                let volume = changed(self.player.volume(), change);
                self.player.set_volume(volume);
            }
            Action::StopSpeaking => match &self.mouth {
                Some(mouth) => mouth.stop(),
                None => self.player.flush(),
            },
            Action::EndConversation => {}
        }
    }

    async fn end(&mut self) -> Option<Instant> {
        let rest = std::mem::take(&mut self.segmenter).finish();
        if let Some(segment) = rest {
            self.speak(segment).await;
        }
        if let Some(mouth) = &self.mouth
            && mouth.finish(self.turn).await.is_err()
        {
            tracing::debug!(turn = %self.turn, "the turn was stopped before its end");
        }
        self.first_sentence
    }
}

/// The volume after a change: steps of ten percent points, never below audible by a step.
fn changed(now: Volume, change: VolumeChange) -> Volume {
    let percent = now.as_percent();
    Volume::percent(match change {
        VolumeChange::Up => percent.saturating_add(VOLUME_STEP).min(100),
        VolumeChange::Down => percent.saturating_sub(VOLUME_STEP).max(VOLUME_STEP.min(percent)),
        VolumeChange::Set(percent) => percent.min(100),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_audible_and_a_set_volume_is_taken_as_it_is() {
        let after = |from, change| changed(Volume::percent(from), change).as_percent();
        assert_eq!(after(50, VolumeChange::Up), 60);
        assert_eq!(after(95, VolumeChange::Up), 100);
        assert_eq!(after(50, VolumeChange::Down), 40);
        assert_eq!(after(12, VolumeChange::Down), 10, "quieter never means mute");
        assert_eq!(after(0, VolumeChange::Down), 0);
        assert_eq!(after(50, VolumeChange::Set(0)), 0);
    }
}
