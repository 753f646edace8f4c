//! The conversation with the real whisper and the real voice, its ears and its model played by the test.

use std::path::Path;
use std::sync::mpsc::{Receiver as Commands, sync_channel};
use std::time::Duration;

use jiff::{civil::date, tz::TimeZone};
use tokio::sync::mpsc::channel;
use tokio::task::JoinHandle;

use super::*;
use crate::tests::Thinker;
use joi_agent::model::Room;
use joi_agent::{ContextConfig, EngineParts, MemoryConfig, PersonaConfig, Protocols, ReplyConfig};
use joi_audio::{Pace, Player, RATE, RingSound, read_wav, write_wav};
use joi_base::clock::ManualClock;
use joi_base::message::{EndCause, OpenedBy, Place, Private, Utterance};
use joi_hear::judge::JudgeConfig;
use joi_hear::testing::model;
use joi_hear::transcript_filter::TranscriptFilterConfig;
use joi_hear::whisper::{Stt, SttConfig, SttEvent, Whisper};
use joi_hear::{Delivery, HearEvent};
use joi_language::testing::in_english;
use joi_llm::LlmConfig;
use joi_schedule::announce::{
    AnnounceConfig, Announcement, AnnouncementOrigin, AnnouncementPriority, Announcer, IfUnheard,
};
use joi_speak::Mouth;
use joi_speak::testing::joe;
use joi_tools::{ToolRegistry, ToolsConfig};
mod alarms;
mod glance;
mod mentioned;
mod second_opinion;
mod silenced;
mod source;

fn clock(hour: i8) -> Arc<dyn Clock> {
    Arc::new(ManualClock::at(date(2026, 3, 4).at(hour, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap()))
}

fn announcer(hour: i8) -> Announcer {
    Announcer::new(&AnnounceConfig::default(), None, clock(hour))
}

fn stt() -> (Stt, Receiver<SttEvent>) {
    let whisper = Whisper::load(&model("whisper-tiny.en", "ggml-tiny.en-q8_0.bin"), &SttConfig::default());
    Stt::spawn(whisper.unwrap(), Heart::unwatched()).unwrap()
}

/// Whether joi has a voice.
#[derive(PartialEq)]
enum Voice {
    Joe,
    None,
}

/// A conversation that runs, and both ends of it.
struct Bench {
    ears: Sender<Delivery>,
    news: Receiver<News>,
    player: Player,
    stop: CancellationToken,
    task: JoinHandle<()>,
    /// The commands to the listener.
    commands: Commands<HearCommand>,
    requests: Sender<OutsideRequest>,
}

fn english_ears() -> HearingRules {
    HearingRules {
        phrases: Vec::new(),
        trust: TranscriptFilterConfig::default(),
        judge: JudgeConfig::default(),
        languages: in_english(),
        trial: first_look::TrialModel::Chosen,
        second_look: None,
        more_readings: super::MoreReadings::default(),
    }
}

impl Bench {
    fn start(file: &Path, hour: i8, voice: &Voice, config: ConversationConfig) -> Self {
        Self::with(file, hour, voice, config, &announcer(hour))
    }

    fn with(file: &Path, hour: i8, voice: &Voice, config: ConversationConfig, announcer: &Announcer) -> Self {
        Self::ringing(file, hour, (voice, RingSound::built_in()), config, announcer)
    }

    fn ringing(
        file: &Path,
        hour: i8,
        (voice, ring): (&Voice, RingSound),
        config: ConversationConfig,
        announcer: &Announcer,
    ) -> Self {
        let (player, played) = Player::to_wav(file, RATE, Pace::Fast).unwrap();
        let mouth = (*voice == Voice::Joe).then(|| {
            let joe = joe().into();
            Mouth::spawn(joe, player.clone(), played, Heart::unwatched()).unwrap()
        });
        let output = EndpointOutput { player, mouth, echo: None, tones: Tones::On, ring };
        Self::through(output, hour, config, announcer, None)
    }

    fn through(
        output: EndpointOutput,
        hour: i8,
        config: ConversationConfig,
        announcer: &Announcer,
        records: Option<Store>,
    ) -> Self {
        let clock = clock(hour);
        let engine = Arc::new(Engine::new(EngineParts {
            agents: None,
            home: None,
            initiative: joi_agent::Initiative::default(),
            reply: ReplyConfig::default(),
            persona: PersonaConfig::default(),
            context: ContextConfig::default(),
            memory: MemoryConfig::default(),
            wake_phrase: None,
            model: Arc::new(Thinker),
            room: Room::from(&LlmConfig::default()),
            store: None,
            schedule: None,
            clock: Arc::clone(&clock),
            tools: ToolRegistry::default(),
            tool_rules: ToolsConfig::default(),
            protocols: Protocols::default(),
            languages: in_english(),
        }));
        let player = output.player.clone();
        let (commands, told_to_listener) = sync_channel(64);
        let (ears, deliveries) = channel(8);
        let to_her = english_ears();
        let input = EndpointInput { commands, deliveries, stt: stt(), interjections: stt(), to_her };
        let ((told, news), (asks, requests)) = (channel(256), channel(1));
        let conversation = Conversation::new(
            ConversationParts {
                endpoint: VoiceEndpoint::new((Place::named("home"), Reach::ThisMachine), input, output),
                engine,
                store: records,
                clock,
                config,
                announcer: announcer.clone(),
                least_ring_volume: 60,
                least_alarm_volume: 80,
                news: told,
                requests,
                heart: Heart::unwatched(),
            },
            TurnId(0),
        );
        let stop = CancellationToken::new();
        let task = tokio::spawn(conversation.run(stop.clone()));
        Self { ears, news, player, stop, task, commands: told_to_listener, requests: asks }
    }

    async fn hears(&self, event: HearEvent) {
        self.ears.send(Delivery { event, ack: None }).await.unwrap();
    }

    /// What happens until joi does this.
    async fn until(&mut self, activity: Activity) -> Vec<News> {
        let mut told = Vec::new();
        while let Some(news) = self.news.recv().await {
            let is_it = news == News::Activity(activity);
            told.push(news);
            if is_it {
                break;
            }
        }
        told
    }

    /// Ends it; how long something sounded, in seconds.
    async fn end(self, file: &Path) -> f64 {
        self.stop.cancel();
        self.task.await.unwrap();
        tokio::task::spawn_blocking(move || self.player.finish()).await.unwrap().unwrap();
        // A file in which nothing was played has no samples at all.
        let samples = read_wav(file, RATE).unwrap_or_default();
        // Between the crossings of a tone or a voice there is hardly ever silence of 5 ms.
        let loud = samples.chunks(80).filter(|piece| piece.iter().any(|s| s.abs() > 0.01));
        loud.count() as f64 * 80.0 / f64::from(RATE)
    }
}

fn deaf() -> HearEvent {
    HearEvent::MicrophoneLost { fault: "the microphone was lost; plug it in again".into() }
}

/// Three seconds of speech, which no quick intent answers.
fn question() -> HearEvent {
    let said =
        read_wav(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/speech/measure.wav"), RATE).unwrap();
    let (speech_ends_at, captured) = (said.len() as u64, Instant::now());
    let samples = [said, vec![0.0; 11_200]].concat();
    let utterance = Utterance {
        generation: 1,
        revision: 0,
        opened_by: OpenedBy::Request,
        lead: None,
        samples: samples.into(),
        begins_at: 0,
        speech_begins_at: 0,
        speech_ends_at,
        voiced: speech_ends_at,
        voice: 1.0,
        captured,
    };
    HearEvent::Ended { utterance, cause: EndCause::Silence, decided: captured }
}

#[tokio::test(flavor = "multi_thread")]
async fn by_day_she_says_that_she_can_not_hear_and_by_night_she_only_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("day.wav");
    let mut day = Bench::start(&file, 12, &Voice::Joe, ConversationConfig::default());
    day.hears(deaf()).await;
    let told = day.until(Activity::Speaking).await;
    assert!(told.iter().any(|news| matches!(news, News::Deaf(_))), "{told:?}");
    day.until(Activity::Idle).await;
    let spoken = day.end(&file).await;
    assert!((1.0..6.0).contains(&spoken), "{spoken} s");

    let file = folder.path().join("night.wav");
    let mut night = Bench::start(&file, 3, &Voice::Joe, ConversationConfig::default());
    night.hears(deaf()).await;
    assert!(matches!(night.news.recv().await, Some(News::Deaf(_))));
    assert_eq!(night.end(&file).await, 0.0, "the child sleeps");
}

#[tokio::test(start_paused = true)]
async fn when_the_first_word_takes_long_a_tone_says_that_she_thinks() {
    let folder = tempfile::tempdir().unwrap();
    let mut lengths = Vec::new();
    for thinking_s in [1.0, 0.0] {
        let file = folder.path().join("thinking.wav");
        let config = ConversationConfig { thinking_s, ..ConversationConfig::default() };
        let mut bench = Bench::start(&file, 12, &Voice::None, config);
        bench
            .hears(HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() })
            .await;
        bench.until(Activity::Listening).await;
        bench.hears(question()).await;
        while !matches!(bench.news.recv().await, Some(News::Understood(_))) {}
        tokio::time::sleep(Duration::from_secs(20)).await;
        lengths.push(bench.end(&file).await);
    }
    let [with, without] = lengths[..] else { unreachable!() };
    assert!((0.05..0.16).contains(&without), "the tone for the wake phrase: {without} s");
    assert!(with > without + 0.05, "and one for thinking: {with} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn push_to_talk_interrupts_her_whatever_she_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("push.wav");
    let mut bench = Bench::start(&file, 12, &Voice::Joe, ConversationConfig::default());
    let ask = || HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() };
    bench.hears(ask()).await;
    bench.until(Activity::Listening).await;
    bench.hears(question()).await;
    while !matches!(bench.news.recv().await, Some(News::Understood(_))) {}
    bench.requests.send(OutsideRequest::Listen).await.unwrap();
    let told = bench.until(Activity::Listening).await;
    assert!(told.contains(&News::Asked), "while she thinks: {told:?}");
    // Its record comes when the answer has ended everywhere.
    let mut told = told.into_iter();
    let record = loop {
        let news = match told.next() {
            Some(news) => news,
            None => bench.news.recv().await.expect("the record of the cancelled turn"),
        };
        if let News::Turn(record) = news {
            break record;
        }
    };
    assert_eq!(record.decisions.last().map(|decision| decision.reason.as_str()), Some("she was called"));
    bench.hears(HearEvent::NothingSaid).await;
    bench.until(Activity::Idle).await;
    // So long that joi is still computing it when joi is called, a chunk at a time: a file plays as fast as it can.
    let fault = "the microphone was lost; plug it in again. ".repeat(20);
    bench.hears(HearEvent::MicrophoneLost { fault }).await;
    bench.until(Activity::Speaking).await;
    let before = bench.player.played();
    while bench.player.played() < before + Duration::from_secs(1) {
        tokio::task::yield_now().await;
    }
    bench.requests.send(OutsideRequest::Listen).await.unwrap();
    bench.until(Activity::Listening).await;
    let spoken = bench.end(&file).await;
    assert!((0.5..15.0).contains(&spoken), "in the middle of what takes 40 s: {spoken} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_speech_that_was_not_for_her_is_put_on_record_without_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.wav");
    let mut bench = Bench::start(&file, 12, &Voice::None, ConversationConfig::default());
    bench
        .hears(HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() })
        .await;
    let HearEvent::Ended { mut utterance, cause, decided } = question() else { unreachable!() };
    // So many words in a tenth of a second: nobody speaks like that.
    utterance.voiced = 1_600;
    bench.hears(HearEvent::Ended { utterance, cause, decided }).await;
    let dismissed = loop {
        if let Some(News::Dismissed(record)) = bench.news.recv().await {
            break record;
        }
    };
    assert!(dismissed.was_dismissed(), "{dismissed:?}");
    let judge = dismissed.decisions.last().unwrap();
    assert_eq!((judge.stage.as_str(), judge.verdict.as_str()), ("judge", "ignore"));
    bench.end(&file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configured_sound_is_what_rings() {
    let folder = tempfile::tempdir().unwrap();
    let (bell, file) = (folder.path().join("bell.wav"), folder.path().join("ring.wav"));
    let tone = |n: u32| 0.2 * (std::f32::consts::TAU * 400.0 * n as f32 / RATE as f32).sin();
    write_wav(&bell, RATE, &(0..3 * RATE).map(tone).collect::<Vec<_>>()).unwrap();
    let (sound, rings) = (RingSound::read(&bell).unwrap(), announcer(12));
    let config = ConversationConfig::default();
    let mut bench = Bench::ringing(&file, 12, (&Voice::None, sound), config, &rings);
    let ring = Announcement::new(AnnouncementOrigin::Timer, AnnouncementPriority::Ring, "Pasta timer.");
    rings.announce(Announcement { if_unheard: IfUnheard::Repeat(Duration::from_secs(60)), ..ring }).await;
    bench.until(Activity::Listening).await;
    let sounded = bench.end(&file).await;
    assert!((2.9..3.1).contains(&sounded), "three seconds of bell, no built-in notes: {sounded} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_rings_aloud_again_and_again_until_she_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ring.wav");
    let rings = announcer(3);
    let mut bench = Bench::with(&file, 3, &Voice::Joe, ConversationConfig::default(), &rings);
    bench.player.set_volume(joi_audio::Volume::percent(20));
    let if_unheard = IfUnheard::Repeat(Duration::from_secs(1));
    for text in ["Pasta timer.", "Rice timer."] {
        let ring = Announcement::new(AnnouncementOrigin::Timer, AnnouncementPriority::Ring, text);
        rings.announce(Announcement { if_unheard, ..ring }).await;
    }
    let told = bench.until(Activity::Speaking).await;
    assert!(told.contains(&News::Rings(Private("Pasta timer.".into()))), "also at night: {told:?}");
    assert_eq!(bench.player.volume().as_percent(), 60, "never softer than configured");
    bench.until(Activity::Listening).await;
    bench.hears(HearEvent::NothingSaid).await;
    bench.until(Activity::Listening).await;
    bench.hears(HearEvent::NothingSaid).await; // the third time she is called at its first sample
    bench.until(Activity::Speaking).await;
    bench
        .hears(HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() })
        .await;
    bench.until(Activity::Listening).await;
    assert_eq!(bench.player.volume().as_percent(), 20, "as before");
    assert_eq!(rings.waiting(), [], "whoever calls her has heard them");
    bench.hears(HearEvent::NothingSaid).await;
    bench.until(Activity::Idle).await;
    let sounded = bench.end(&file).await;
    assert!(sounded > 2.0, "two tones and two lines: {sounded} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_announced_waits_for_its_moment_and_is_said_again_after_a_call_but_not_after_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("announced.wav");
    let announcer = announcer(12);
    let say = |text: &str| {
        let report = Announcement::new(AnnouncementOrigin::Agent, AnnouncementPriority::Notice, text);
        announcer.announce(Announcement { if_unheard: IfUnheard::Keep, ..report })
    };
    // So long that joi is called while joi computes it.
    let text = "The report about the garden is done. ".repeat(20);
    say(&text).await;
    let mut bench = Bench::with(&file, 12, &Voice::Joe, ConversationConfig::default(), &announcer);
    let told = bench.until(Activity::Speaking).await;
    assert!(told.contains(&News::Told(Private(text.clone()))), "it was waiting: {told:?}");
    bench.requests.send(OutsideRequest::Listen).await.unwrap();
    bench.until(Activity::Listening).await;
    say("And the tomatoes are ripe.").await;
    while !matches!(bench.news.recv().await, Some(News::Told(_))) {}
    assert_eq!(announcer.waiting().len(), 2, "somebody is about to speak");
    bench.hears(HearEvent::NothingSaid).await;
    for _ in 0..2 {
        bench.until(Activity::Speaking).await;
    }
    bench.until(Activity::Idle).await;
    assert_eq!(announcer.waiting(), [], "both were heard to their end");
    assert_eq!(announcer.counts().heard, 2);
    bench.end(&file).await;
}
