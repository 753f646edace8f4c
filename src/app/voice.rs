//! Puts ears, brain and mouth together into a conversation by voice, live or over files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::brain::Brain;
use super::{ears, mouth};
use crate::audio::{
    EchoCancelled, EchoMeter, Meter, Microphone, MuteSwitch, Pace, Player, Source, WavSource,
};
use crate::channels::voice::{self, Conversation, News, Parts, Ringing, Tones};
use crate::config::Config;
use crate::control::{Gauge, gauge, gauge_by};
use crate::hear::Pacing;
use crate::hear::wake::WakePhrase;
use crate::llm::Mind;
use crate::message::Request;
use crate::paths::Paths;
use crate::schedule::ringer::{AT_LEAST, Ring, Ringer};

/// News nobody has looked at yet. When full, the conversation waits for whoever shows it.
const NEWS: usize = 256;
/// Requests the conversation has not taken yet. When full, further ones are refused.
const REQUESTS: usize = 2;
/// The conversation never takes longer over one event.
const CONVERSATION_LIMIT: Duration = Duration::from_secs(60);
/// The rate of WAV files that replace the speaker, in Hz: the voice's own.
const WAV_RATE: u32 = 22_050;

/// Where sound comes from and goes to.
#[derive(Debug, Clone)]
pub enum Sound {
    /// The configured microphone and speaker.
    Devices {
        /// Switches the microphone off.
        mute: MuteSwitch,
    },
    /// Files in their place.
    Files {
        /// Replaces the microphone.
        input: PathBuf,
        /// Replaces the speaker.
        output: PathBuf,
        /// As fast as possible, or like the real thing.
        pace: Pace,
    },
}

/// A conversation that was put together and has not begun.
pub struct Conversing {
    /// Runs it.
    pub conversation: Conversation<Mind>,
    /// What happens in it.
    pub news: Receiver<News>,
    /// Ends it.
    pub stop: CancellationToken,
    /// The speaker, for ending a file.
    pub player: Player,
    /// Tells how loud the microphone is, and how much of it was lost; nothing over files.
    pub meter: Option<Meter>,
    /// Tells how well her own voice is kept out of her ears; nothing over files.
    pub echo: Option<EchoMeter>,
    /// Asks something of it.
    pub requests: Sender<Request>,
    /// Tell how full its queues are.
    pub gauges: Vec<Gauge>,
    /// What rings; nothing over files.
    pub rings: Option<watch::Receiver<Vec<Ring>>>,
}

/// Puts a conversation together. A voice that can't be loaded is told; then answers are shown only.
pub async fn converse(
    config: &Config,
    paths: &Paths,
    brain: &Brain,
    sound: Sound,
) -> anyhow::Result<Conversing> {
    let (told, news) = channel(NEWS);
    // First of all: a recording that can't be read must not cost the file of an earlier answer.
    let recording = match &sound {
        Sound::Devices { .. } => None,
        Sound::Files { input, pace, .. } => {
            let pacing = match pace {
                Pace::RealTime => Pacing::Live,
                Pace::Fast => Pacing::Lockstep,
            };
            Some((WavSource::open(input, *pace)?, pacing))
        }
    };
    let stop = CancellationToken::new();
    let alerts = match (&sound, &brain.schedule) {
        (Sound::Devices { .. }, Some(schedule)) => {
            let heart = brain.pulse.heart("timers", 3 * AT_LEAST);
            let (ringer, alerts) = Ringer::new(schedule.clone(), heart);
            tokio::spawn(ringer.run(stop.clone()));
            Some(alerts)
        }
        (Sound::Devices { .. }, None) | (Sound::Files { .. }, _) => None,
    };
    let rings = alerts.as_ref().map(|alerts| alerts.ringing.clone());
    let ((player, events), mute) = match sound {
        Sound::Devices { mute } => (Player::open(&config.audio), mute),
        Sound::Files { output, pace, .. } => {
            (Player::to_wav(&output, WAV_RATE, pace)?, MuteSwitch::default())
        }
    };
    let mouth = match mouth(config, paths, player.clone(), events, &brain.pulse).await {
        Ok(mouth) => Some(mouth),
        Err(error) => {
            told.send(News::Speechless(format!("she can't speak: {error:#}"))).await?;
            None
        }
    };
    let (source, pacing, meters): (Box<dyn Source>, _, _) = match recording {
        Some((recording, pacing)) => (Box::new(recording), pacing, None),
        None => {
            let microphone = Microphone::open(&config.audio, &mute);
            let level = microphone.meter();
            let far_end = player.far_end();
            let cancelled = EchoCancelled::new(Box::new(microphone), far_end, config.audio.echo_cancel);
            let echo = cancelled.meter();
            (Box::new(cancelled), Pacing::Live, Some((level, echo)))
        }
    };
    let (meter, echo) = meters.unzip();
    let ears = ears(config, paths, source, pacing, &brain.pulse)?;
    let (requests, asked) = channel(REQUESTS);
    let mut gauges = vec![ears.waiting, gauge("news", &told), gauge("requests", &requests)];
    gauges.extend(mouth.as_ref().map(|(mouth, _)| gauge_by("lines", mouth.waiting())));
    gauges.extend(brain.store.as_ref().map(|store| gauge_by("store", store.waiting())));
    let parts = Parts {
        engine: Arc::clone(&brain.engine),
        store: brain.store.clone(),
        clock: Arc::clone(&brain.clock),
        player: player.clone(),
        mouth,
        stt: (ears.stt, ears.transcripts),
        interjections: ears.interjections,
        ears: (ears.commands, ears.deliveries),
        config: config.conversation.clone(),
        to_her: voice::Ears {
            phrases: super::wake_means(config, paths)?.heard().flat_map(WakePhrase::written).collect(),
            trust: config.hear.trust.clone(),
            judge: config.hear.judge.clone(),
            language: config.hear.stt.language.clone(),
            second_look: config.hear.stt.second_look(),
        },
        echo: echo.clone(),
        tones: if config.audio.tone { Tones::On } else { Tones::Off },
        ringing: Ringing::new(alerts, config.timers.least_volume),
        news: told,
        requests: asked,
        heart: brain.pulse.heart("conversation", CONVERSATION_LIMIT),
    };
    let conversation = Conversation::new(parts, brain.last_turn().await);
    Ok(Conversing { conversation, news, stop, player, meter, echo, requests, gauges, rings })
}
