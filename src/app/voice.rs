//! Puts ears, brain and mouth together into a conversation by voice, live or over files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::brain::Brain;
use super::ears::ears_with;
use super::mouth::{mouth_loading, voiceless};
use super::readers::{LentReaders, LoadWhisper};
use super::tap::MicrophoneTap;
use super::voice_brain::VoiceBrain;
use super::{Ears, ListeningFrom, Loading, WakeSetup, mouth, timers};
use crate::config::Config;
use crate::control::{Gauge, gauge, gauge_by};
use joi_audio::{
    AudioSource, EchoCancelled, EchoMeter, LevelMeter, Microphone, MuteSwitch, Pace, PlayEvent, Player,
    RingSound, WavSource,
};
use joi_base::message::{OutsideRequest, Place};
use joi_base::paths::Paths;
use joi_base::pulse::Pulse;
use joi_channels::voice::first_look::TrialModel;
use joi_channels::voice::{
    self, Conversation, ConversationParts, EndpointInput, EndpointOutput, News, Reach, Tones, VoiceEndpoint,
};
use joi_hear::Pacing;
use joi_hear::whisper::{SttModel, Whisper};
use joi_llm::Mind;
use joi_schedule::{Ring, Ringer};
use joi_speak::{Mouth, SpeakEvent};

/// News nobody has looked at yet. When full, the conversation waits for whoever shows it.
const NEWS: usize = 256;
/// Requests the conversation has not taken yet. When full, further ones are refused.
const REQUESTS: usize = 2;
/// The conversation never takes longer over one event.
const CONVERSATION_LIMIT: Duration = Duration::from_secs(60);
/// The rate of WAV files that replace the speaker, in Hz: the voice's own.
const WAV_RATE: u32 = 22_050;

/// Source and destination of sound.
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
    /// Its news.
    pub news: Receiver<News>,
    /// Ends it.
    pub stop: CancellationToken,
    /// The speaker, for ending a file.
    pub player: Player,
    /// Measures the microphone's level and lost samples; nothing over files.
    pub meter: Option<LevelMeter>,
    /// Measures echo cancellation; nothing over files.
    pub echo: Option<EchoMeter>,
    /// Asks something of it.
    pub requests: Sender<OutsideRequest>,
    /// The lengths of its queues.
    pub gauges: Vec<Gauge>,
    /// Watches the timers, once it is run; nothing over files.
    pub ringer: Option<Ringer>,
    /// The present rings; nothing over files.
    pub rings: Option<watch::Receiver<Vec<Ring>>>,
    /// Whether the models are there, which are loaded behind; over files they are.
    pub loading: Loading,
    /// The model that transcribes speech to joi.
    pub model: SttModel,
    /// Lends both speech models.
    pub readers: LentReaders,
    /// The wake phrases, and how they are heard.
    pub wake: WakeSetup,
    /// Borrows the microphone.
    pub tap: MicrophoneTap,
}

/// Source and destination of sound, being opened.
pub struct OpenedSound {
    player: Player,
    events: Receiver<PlayEvent>,
    source: (Box<dyn AudioSource>, Pacing),
    /// Nothing over files, and in another room.
    meters: Option<(LevelMeter, EchoMeter)>,
    reach: Reach,
    /// Loads the speech models.
    load: LoadWhisper,
}

impl OpenedSound {
    /// Returns the loudspeaker with its events, and the microphone.
    pub(super) fn into_devices(self) -> (Player, Receiver<PlayEvent>, Box<dyn AudioSource>) {
        (self.player, self.events, self.source.0)
    }

    /// Sound of another room, whose speech models are shared with those of `readers`.
    pub(super) fn of_room(
        (player, events): (Player, Receiver<PlayEvent>),
        source: Box<dyn AudioSource>,
        load: LoadWhisper,
    ) -> Self {
        Self { player, events, source: (source, Pacing::Live), meters: None, reach: Reach::Network, load }
    }
}

/// Opens microphone and speaker, which takes its time on threads of their own, or the files in their place.
///
/// # Errors
/// A file can't be read or written.
pub fn open_sound(config: &Config, sound: Sound) -> anyhow::Result<OpenedSound> {
    let (player, events, inlet) = open_player(config, sound)?;
    let (source, pacing, meters) = open_source(config, inlet, &player);
    let (source, load) = ((source, pacing), Arc::new(Whisper::load) as LoadWhisper);
    Ok(OpenedSound { player, events, source, meters, reach: Reach::ThisMachine, load })
}

/// Puts the conversation of the configured room together. Over devices joi listens while speech models and voice are
/// loaded. A voice that cannot be loaded is reported; then answers are shown only.
pub async fn converse(
    config: &Config,
    paths: &Paths,
    brain: &Brain,
    sound: Sound,
) -> anyhow::Result<Conversing> {
    converse_at(Place::named(&config.audio.room), config, paths, brain, sound).await
}

/// The same at any place: several conversations share a brain, and have nothing else in common.
pub async fn converse_at(
    place: Place,
    config: &Config,
    paths: &Paths,
    brain: &Brain,
    sound: Sound,
) -> anyhow::Result<Conversing> {
    converse_over(open_sound(config, sound)?, place, config, paths, brain).await
}

/// The same over sound that was opened before there was a brain.
pub async fn converse_over(
    sound: OpenedSound,
    place: Place,
    config: &Config,
    paths: &Paths,
    brain: &Brain,
) -> anyhow::Result<Conversing> {
    let rings = sound.meters.as_ref().and_then(|_| rings(brain)).unzip();
    let mut conversing = converse_beside(sound, place, config, paths, &brain.for_voice()).await?;
    (conversing.ringer, conversing.rings) = rings;
    Ok(conversing)
}

/// The same beside other conversations: it does not ring by itself.
pub(super) async fn converse_beside(
    sound: OpenedSound,
    place: Place,
    config: &Config,
    paths: &Paths,
    brain: &VoiceBrain,
) -> anyhow::Result<Conversing> {
    let (told, news) = channel(NEWS);
    let stop = CancellationToken::new();
    let OpenedSound { player, events, source, meters, reach, load } = sound;
    let (meter, echo) = meters.unzip();
    let from = if meter.is_some() { ListeningFrom::TheStart } else { ListeningFrom::ModelsLoaded };
    let mut ears = start_ears(config, paths, (source, load), from, &brain.pulse).await?;
    let mut loading = std::mem::take(&mut ears.loading);
    let sounding = (player.clone(), events);
    let mouth = match from {
        ListeningFrom::TheStart => {
            let behind = (told.clone(), loading.one());
            Some(mouth_loading(config, paths, sounding, brain, behind)?)
        }
        // A recording is not begun before there is a voice to answer it.
        ListeningFrom::ModelsLoaded => {
            with_remarks(mouth(config, paths, sounding, &brain.languages, &brain.pulse).await, &told).await?
        }
    };
    let (requests, asked) = channel(REQUESTS);
    let mut gauges = vec![ears.waiting, gauge("news", &told), gauge("requests", &requests)];
    gauges.extend(gauges_of(mouth.as_ref(), brain));
    let readers = LentReaders {
        chosen: ears.stt.lender(),
        quickest: ears.interjections.0.lender(),
        are_one: ears.trial == TrialModel::Chosen,
    };
    let input = EndpointInput {
        commands: ears.commands,
        deliveries: ears.deliveries,
        stt: (ears.stt, ears.transcripts),
        interjections: ears.interjections,
        to_her: to_her(config, (ears.phrases, ears.trial), brain),
    };
    let output = output(config, &player, mouth, echo.clone());
    let endpoint = VoiceEndpoint::new((place, reach), input, output);
    let parts = parts(endpoint, config, brain, (told, asked));
    let conversation = Conversation::new(parts, brain.last_turn().await);
    let (model, wake, tap) = (ears.model, ears.wake, ears.tap);
    Ok(Conversing {
        conversation,
        news,
        stop,
        player,
        meter,
        echo,
        requests,
        gauges,
        ringer: None,
        rings: None,
        loading,
        model,
        readers,
        wake,
        tap,
    })
}

/// Returns the task that rings, and what rings; nothing without a database.
fn rings(brain: &Brain) -> Option<(Ringer, watch::Receiver<Vec<Ring>>)> {
    let (schedule, announcer) = (brain.schedule.clone()?, brain.announcer.clone());
    Some(timers::rings(schedule, announcer, brain.engine.parts.home.as_ref()))
}

fn gauges_of(
    mouth: Option<&(Mouth, Receiver<SpeakEvent>)>,
    brain: &VoiceBrain,
) -> impl Iterator<Item = Gauge> {
    let lines = mouth.map(|(mouth, _)| gauge_by("lines", mouth.waiting()));
    let jobs = brain.store.as_ref().map(|store| gauge_by("store", store.waiting()));
    lines.into_iter().chain(jobs)
}

/// Returns the mouth and queues the remarks about its voices; without a voice nothing, and queues why.
async fn with_remarks(
    voices: anyhow::Result<(Mouth, Receiver<SpeakEvent>, Vec<String>)>,
    told: &Sender<News>,
) -> anyhow::Result<Option<(Mouth, Receiver<SpeakEvent>)>> {
    match voices {
        Ok((mouth, reports, remarks)) => {
            for remark in remarks {
                told.send(News::Remark(remark)).await?;
            }
            Ok(Some((mouth, reports)))
        }
        Err(error) => {
            told.send(News::Speechless(voiceless(&error))).await?;
            Ok(None)
        }
    }
}

/// Starts the ears on a thread that may block.
async fn start_ears(
    config: &Config,
    paths: &Paths,
    (source, load): ((Box<dyn AudioSource>, Pacing), LoadWhisper),
    from: ListeningFrom,
    pulse: &Pulse,
) -> anyhow::Result<Ears> {
    let (config, paths, pulse) = (config.clone(), paths.clone(), pulse.clone());
    let loading =
        tokio::task::spawn_blocking(move || ears_with(load, (&config, &paths), source, from, &pulse));
    loading.await.context("loading the speech models was given up")?
}

fn parts(
    endpoint: VoiceEndpoint,
    config: &Config,
    brain: &VoiceBrain,
    (news, requests): (Sender<News>, Receiver<OutsideRequest>),
) -> ConversationParts<Mind> {
    ConversationParts {
        endpoint,
        engine: Arc::clone(&brain.engine),
        store: brain.store.clone(),
        clock: Arc::clone(&brain.clock),
        config: config.conversation.clone(),
        announcer: brain.announcer.clone(),
        least_ring_volume: config.timers.least_volume,
        least_alarm_volume: config.alert.least_volume,
        news,
        requests,
        heart: brain.pulse.heart("conversation", CONVERSATION_LIMIT),
    }
}

/// Returns the speaking side of the endpoint.
fn output(
    config: &Config,
    player: &Player,
    mouth: Option<(Mouth, Receiver<SpeakEvent>)>,
    echo: Option<EchoMeter>,
) -> EndpointOutput {
    let tones = if config.audio.tone { Tones::On } else { Tones::Off };
    EndpointOutput { player: player.clone(), mouth, echo, tones, ring: ring_sound(config) }
}

/// Returns the sound of a ring: the built-in one where the configured file cannot be read, which is logged once.
fn ring_sound(config: &Config) -> RingSound {
    config.ring_sound().unwrap_or_else(|problem| {
        tracing::warn!(%problem, "the built-in sound rings");
        RingSound::built_in()
    })
}

/// A source of sound before it is opened.
enum Inlet {
    Microphone(MuteSwitch),
    Recording(Box<WavSource>, Pacing),
}

fn open_player(config: &Config, sound: Sound) -> anyhow::Result<(Player, Receiver<PlayEvent>, Inlet)> {
    match sound {
        Sound::Devices { mute } => {
            let (player, events) = Player::open(&config.audio);
            Ok((player, events, Inlet::Microphone(mute)))
        }
        Sound::Files { input, output, pace } => {
            // First of all: a recording that can't be read must not cost the file of an earlier answer.
            let recording = WavSource::open(&input, pace)?;
            let pacing = match pace {
                Pace::RealTime => Pacing::Live,
                Pace::Fast => Pacing::Lockstep,
            };
            let (player, events) = Player::to_wav(&output, WAV_RATE, pace)?;
            Ok((player, events, Inlet::Recording(Box::new(recording), pacing)))
        }
    }
}

/// Returns the source, and over devices the meters of its level and of the echo of `player` in it.
fn open_source(
    config: &Config,
    inlet: Inlet,
    player: &Player,
) -> (Box<dyn AudioSource>, Pacing, Option<(LevelMeter, EchoMeter)>) {
    match inlet {
        Inlet::Recording(recording, pacing) => (recording, pacing, None),
        Inlet::Microphone(mute) => {
            let microphone = Microphone::open(&config.audio, &mute);
            let level = microphone.meter();
            let far_end = player.echo_reference();
            let cancelled = EchoCancelled::new(Box::new(microphone), far_end, config.audio.echo_cancel);
            let echo = cancelled.meter();
            (Box::new(cancelled), Pacing::Live, Some((level, echo)))
        }
    }
}

/// Returns what counts as said to joi.
fn to_her(
    config: &Config,
    (phrases, trial): (Vec<String>, TrialModel),
    brain: &VoiceBrain,
) -> voice::HearingRules {
    let engine = Arc::clone(&brain.engine);
    voice::HearingRules {
        phrases,
        trust: config.hear.trust.clone(),
        judge: config.hear.judge.clone(),
        languages: brain.languages.for_conversation(),
        trial,
        second_look: config.hear.stt.second_look(),
        more_readings: voice::MoreReadings::by(move |language, text| engine.near_in_house(language, text)),
    }
}
