//! The speaking side of an endpoint: voice, tones, and how loud they are.
//!
//! Owned by the conversation's task. In: what is to sound. Out: sound, and the mouth's reports. It decides nothing but
//! that a missing voice or tone is no reason to stop.

use std::time::Instant;

use tokio::sync::mpsc::Receiver;

use super::endpoint::{EndpointOutput, Tones};
use joi_audio::{Duck, EchoMeter, Player, RingSound};
use joi_base::message::TurnId;
use joi_language::LanguageCode;
use joi_speak::{LineRole, Mouth, SpeakEvent, SpokenLine};

/// The rate of the tones, in Hz; the player converts them.
pub(super) const TONE_RATE: u32 = 48_000;
/// Tags of tones: no speech has them, so nobody waits for their end.
const TONE_TAG: u64 = u64::MAX;

/// The speaking side.
pub(super) struct OutputSide {
    pub(super) player: Player,
    pub(super) mouth: Option<Mouth>,
    reports: Option<Receiver<SpeakEvent>>,
    tones: Tones,
    ring: RingSound,
    /// The moment since which speech is softer, because somebody seems to talk over it.
    ducked: Option<Instant>,
    echo: Option<EchoMeter>,
    /// The loudspeaker is missing.
    is_speechless: bool,
}

impl OutputSide {
    pub(super) fn new(parts: EndpointOutput) -> Self {
        let (mouth, reports) = parts.mouth.unzip();
        let (player, tones, ring, echo) = (parts.player, parts.tones, parts.ring, parts.echo);
        Self { player, mouth, reports, tones, ring, ducked: None, echo, is_speechless: false }
    }

    /// Waits for the next report of the mouth; for ever without a mouth. Cancel-safe.
    pub(super) async fn next_report(&mut self) -> SpeakEvent {
        if let Some(reports) = &mut self.reports
            && let Some(event) = reports.recv().await
        {
            match event {
                // Its reports go on: they are those of the loudspeaker too.
                SpeakEvent::Voiceless(_) => self.mouth = None,
                SpeakEvent::Mute(_) => self.is_speechless = true,
                SpeakEvent::Audible { .. } => self.is_speechless = false,
                _ => {}
            }
            return event;
        }
        std::future::pending().await
    }

    /// Returns whether the loudspeaker is missing.
    pub(super) fn is_speechless(&self) -> bool {
        self.is_speechless
    }

    /// Returns whether a talker is heard over playback, without the playback itself.
    pub(super) fn is_echo_cancelled(&self) -> bool {
        self.echo.as_ref().is_some_and(|echo| echo.report().converged)
    }

    /// Makes speech softer. Without echo cancellation playback itself was heard most likely: then nothing changes.
    pub(super) fn duck(&mut self) {
        if self.is_echo_cancelled() {
            self.player.duck(Duck::Ducked);
            self.ducked = Some(Instant::now());
        }
    }

    /// Restores the loudness; returns since when it was reduced.
    pub(super) fn unduck(&mut self) -> Option<Instant> {
        self.player.duck(Duck::Full);
        self.ducked.take()
    }

    /// Plays a tone behind the current speech, if tones are wanted.
    pub(super) fn tone(&self, samples: Vec<f32>) {
        if self.tones == Tones::On && self.player.play_now(TONE_TAG, TONE_RATE, samples).is_err() {
            tracing::debug!("a tone was not played");
        }
    }

    /// Plays the tone of a ring, wanted or not.
    pub(super) fn ring(&self) {
        if self.player.play_now(TONE_TAG, self.ring.rate(), self.ring.samples().to_vec()).is_err() {
            tracing::warn!("a ring was not played");
        }
    }

    /// Says one line as the whole of a turn; returns whether there is a voice for it.
    pub(super) async fn say(&self, turn: TurnId, text: String, language: LanguageCode) -> bool {
        let Some(mouth) = &self.mouth else { return false };
        let line = SpokenLine { turn, index: 0, text, part: LineRole::Aside, language };
        if mouth.say(line).await.is_err() || mouth.finish(turn).await.is_err() {
            tracing::debug!("an announcement was stopped before it began");
        }
        true
    }

    /// Stops all sound.
    pub(super) fn hush(&self) {
        match &self.mouth {
            Some(mouth) => mouth.stop(),
            None => self.player.flush(),
        }
    }
}
