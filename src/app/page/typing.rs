//! Answers what is typed on the page, in a conversation of its own that all browsers share.
//!
//! One service. In: texts, one after the other. Out: the answer as events that every open page shows, and what it does to
//! the voice.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use super::super::daemon::{Service, ServiceContext};
use super::super::typed::TypedTurns;
use crate::app::Brain;
use crate::control::StatusBoard;
use joi_agent::Action;
use joi_audio::Player;
use joi_base::message::{Channel, ConversationId, OutsideRequest, Private};
use joi_channels::turn::Reporter;
use joi_channels::voice::changed_volume;
use joi_page::LiveEvent;

/// Texts that wait. When full, further ones are refused.
const TEXTS: usize = 4;
const CHANNEL: Channel = Channel::Page;

/// A text that was typed.
pub(super) struct TypedText {
    pub(super) text: Private<String>,
    /// Ends its answer.
    pub(super) cancel: CancellationToken,
}

/// What answers.
pub(super) struct Typing(Arc<Mutex<TypingParts>>);

struct TypingParts {
    turns: TypedTurns,
    texts: mpsc::Receiver<TypedText>,
    board: StatusBoard,
    player: Player,
}

impl Typing {
    /// Returns what answers, and its queue.
    pub(super) async fn new(
        brain: &Brain,
        board: &StatusBoard,
        player: &Player,
    ) -> (Self, mpsc::Sender<TypedText>) {
        let (sender, texts) = mpsc::channel(TEXTS);
        let turns = TypedTurns::new(brain, ConversationId::page()).await;
        let parts = TypingParts { turns, texts, board: board.clone(), player: player.clone() };
        (Self(Arc::new(Mutex::new(parts))), sender)
    }

    /// Returns the service.
    pub(super) fn service(self) -> Service {
        let parts = self.0;
        let run = move |context: ServiceContext| {
            let parts = Arc::clone(&parts);
            async move {
                let mut parts = parts.lock().await;
                loop {
                    // Both arms are cancel-safe.
                    let next = tokio::select! {
                        () = context.stop.cancelled() => return Ok(()),
                        next = parts.texts.recv() => next,
                    };
                    let Some(typed) = next else {
                        context.stop.cancelled().await;
                        return Ok(());
                    };
                    tokio::select! {
                        () = context.stop.cancelled() => return Ok(()),
                        () = parts.answer(typed) => {}
                    }
                }
            }
        };
        Service::new("page typing", "what is typed on the page is not answered", run)
    }
}

impl TypingParts {
    async fn answer(&mut self, typed: TypedText) {
        let TypedText { text, cancel } = typed;
        let shown = text.0.clone();
        self.board.goes_on(|| Some(LiveEvent::Heard { channel: CHANNEL, text: shown }));
        let mut reporter = PageReporter { board: &self.board, player: &self.player };
        let turn = self.turns.answer(text, &mut reporter, cancel).await;
        if let Some(error) = turn.unsaved {
            tracing::warn!(%error, "a turn of the page was not recorded");
        }
        let number = turn.record.id.0;
        self.board.goes_on(|| Some(LiveEvent::Answered { channel: CHANNEL, turn: number }));
    }
}

/// Shows an answer on every open page. The volume and silence are those of the voice.
struct PageReporter<'a> {
    board: &'a StatusBoard,
    player: &'a Player,
}

impl PageReporter<'_> {
    fn beside(&self, sentence: &str) {
        self.board.goes_on(|| Some(LiveEvent::Aside { channel: CHANNEL, text: sentence.to_owned() }));
    }
}

impl Reporter for PageReporter<'_> {
    async fn words(&mut self, words: &str) {
        self.board.goes_on(|| Some(LiveEvent::Words { channel: CHANNEL, text: words.to_owned() }));
    }

    async fn aside(&mut self, sentence: &str) {
        self.beside(sentence);
    }

    async fn offer(&mut self, question: &str) {
        self.beside(question);
    }

    fn notice(&mut self, sentence: &str) {
        self.beside(sentence);
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Volume(change) => {
                self.player.set_volume(changed_volume(self.player.volume(), change));
            }
            Action::StopSpeaking => {
                // Where nobody talks, there is nothing to stop.
                let _ = self.board.request(OutsideRequest::Stop);
            }
            Action::EndConversation => {}
        }
    }

    async fn end(&mut self) -> Option<Instant> {
        None
    }
}
