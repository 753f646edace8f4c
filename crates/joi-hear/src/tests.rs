//! The listener thread, stepped and started. Fixtures of the folder's other tests.

use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use super::vad::Vad;
use super::wake::{Detection, Vigilance, WakeDetector};
use super::*;
pub(super) use crate::testing::{data, model, quiet, wav};
use joi_audio::{AudioSource, DeviceFault, SourceEvent};

/// The real voice activity network.
pub(super) fn vad() -> Vad {
    Vad::load(&model("silero-vad", "ggml-silero-v6.2.0.bin"), &VadConfig::default()).expect("it loads")
}

/// Hears the phrase at one position.
pub(super) struct Scripted(pub(super) u64);

impl WakeDetector for Scripted {
    fn feed(&mut self, samples: &[f32], at: u64) -> Option<Detection> {
        let here = (at..at + samples.len() as u64).contains(&self.0);
        here.then(|| Detection { phrase: "hey jarvis".into(), score: 0.99, at: self.0, ends_by: self.0 })
    }
    fn feed_both(&mut self, cleaned: &[f32], _: &[f32], at: u64) -> Option<Detection> {
        self.feed(cleaned, at)
    }
    fn set_vigilance(&mut self, _: Vigilance) {}
    fn reset(&mut self) {}
    fn phrase(&self) -> &str {
        "hey jarvis"
    }
}

/// Hands out a script, last line first.
struct Reel(Vec<(SourceEvent, Vec<f32>)>);

impl AudioSource for Reel {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        let (heard, samples) = self.0.pop().unwrap_or((SourceEvent::End, Vec::new()));
        into.extend(samples);
        heard
    }
}

/// Delivers nothing, for ever.
struct Endless;

impl AudioSource for Endless {
    fn read(&mut self, _: &mut Vec<f32>) -> SourceEvent {
        SourceEvent::Nothing
    }
}

fn start(reel: Vec<(SourceEvent, Vec<f32>)>, pacing: Pacing) -> Started {
    start_on(Box::new(Reel(reel.into_iter().rev().collect())), pacing)
}

fn start_on(source: Box<dyn AudioSource>, pacing: Pacing) -> Started {
    let listener = Listener::new(&HearConfig::default(), vec![Box::new(Scripted(16_000))], vad());
    let (commands, receiver) = channel();
    let (sender, events) = tokio::sync::mpsc::channel(4);
    let thread = spawn(source, listener, receiver, sender, pacing).expect("a thread");
    Started { commands, events, thread }
}

struct Started {
    commands: std::sync::mpsc::Sender<HearCommand>,
    events: tokio::sync::mpsc::Receiver<Delivery>,
    thread: JoinHandle<()>,
}

fn heard(samples: Vec<f32>) -> (SourceEvent, Vec<f32>) {
    (SourceEvent::Samples(samples.len()), samples)
}

fn name(event: &HearEvent) -> String {
    match event {
        HearEvent::Wake { phrase, at, .. } => format!("wake {phrase} {at}"),
        HearEvent::Started { generation } => format!("started {generation}"),
        HearEvent::Continued { generation } => format!("continued {generation}"),
        HearEvent::Interrupting { generation } => format!("interrupting {generation}"),
        HearEvent::Interjected { stretch, .. } => format!("interjected {stretch:?}"),
        HearEvent::Paused { utterance } => format!("paused {}", utterance.revision),
        HearEvent::Resumed { revision, .. } => format!("resumed {revision}"),
        HearEvent::Ended { utterance, cause, .. } => format!("ended {} {cause:?}", utterance.revision),
        HearEvent::NothingSaid => "nothing said".into(),
        HearEvent::MicrophoneLost { .. } => "deaf".into(),
        HearEvent::Hearing { device } => format!("hearing {device}"),
        HearEvent::Muted => "muted".into(),
        HearEvent::Unmuted => "unmuted".into(),
        HearEvent::SourceEnded => "source ended".into(),
    }
}

#[test]
fn a_missing_microphone_is_reported_and_voids_the_open_utterance() {
    let gone = SourceEvent::Gone(DeviceFault::NotFound { wanted: vec!["usb".into()] });
    let reel = vec![
        (SourceEvent::Back { device: "desk".into() }, vec![]),
        heard([quiet(1.2), wav("question.wav")].concat()),
        (gone, vec![]),
        (SourceEvent::Nothing, vec![]),
        (SourceEvent::Back { device: "desk".into() }, vec![]),
        heard(quiet(1.0)),
    ];
    let mut started = start(reel, Pacing::Live);
    let mut told = Vec::new();
    while let Some(delivery) = started.events.blocking_recv() {
        assert!(delivery.ack.is_none());
        told.push(name(&delivery.event));
    }
    let expected =
        ["hearing desk", "wake hey jarvis 16000", "started 1", "deaf", "hearing desk", "source ended"];
    assert_eq!(told, expected);
    started.thread.join().expect("it ended in order");
}

#[test]
fn muting_is_reported_and_voids_the_open_utterance() {
    let reel = vec![
        heard([quiet(1.2), wav("question.wav")].concat()),
        (SourceEvent::Muted, vec![]),
        (SourceEvent::Nothing, vec![]),
        (SourceEvent::Unmuted, vec![]),
        heard(quiet(1.0)),
    ];
    let mut started = start(reel, Pacing::Live);
    let mut told = Vec::new();
    while let Some(delivery) = started.events.blocking_recv() {
        told.push(name(&delivery.event));
    }
    assert_eq!(told, ["wake hey jarvis 16000", "started 1", "muted", "unmuted", "source ended"]);
    started.thread.join().expect("it ended in order");
}

#[test]
fn in_lockstep_a_command_given_before_the_ack_is_obeyed_at_that_sample() {
    let reel = vec![heard([quiet(1.2), wav("question.wav"), quiet(9.0)].concat())];
    let mut started = start(reel, Pacing::Lockstep);
    let mut told = Vec::new();
    while let Some(Delivery { event, ack }) = started.events.blocking_recv() {
        told.push(name(&event));
        if let HearEvent::Ended { .. } = event {
            started.commands.send(HearCommand::Listen).expect("it listens");
        }
        ack.into_iter().for_each(Ack::done);
    }
    let expected =
        ["wake hey jarvis 16000", "started 1", "paused 0", "ended 0 Silence", "nothing said", "source ended"];
    assert_eq!(told, expected);
}

#[test]
fn in_lockstep_a_window_begins_where_the_file_stands() {
    let reel =
        vec![heard([quiet(1.2), wav("question.wav"), quiet(2.0), wav("question.wav"), quiet(9.0)].concat())];
    let mut started = start(reel, Pacing::Lockstep);
    let mut told = Vec::new();
    while let Some(Delivery { event, ack }) = started.events.blocking_recv() {
        told.push(name(&event));
        if let HearEvent::Ended { .. } = event {
            // An hour of playback, during which no time has passed in the file.
            let since = Instant::now() + Duration::from_secs(3600);
            let window =
                FollowUpWindow { since, after: Duration::from_millis(300), lasts: Duration::from_secs(3) };
            started.commands.send(HearCommand::FollowUp(window)).expect("it listens");
        }
        ack.into_iter().for_each(Ack::done);
    }
    let expected = [
        "wake hey jarvis 16000",
        "started 1",
        "paused 0",
        "ended 0 Silence",
        "started 2",
        "paused 0",
        "ended 0 Silence",
        "nothing said",
        "source ended",
    ];
    assert_eq!(told, expected);
}

#[test]
fn the_thread_ends_on_a_command_or_without_a_receiver() {
    let Started { commands, events, thread } = start_on(Box::new(Endless), Pacing::Live);
    commands.send(HearCommand::Stop).expect("it listens");
    thread.join().expect("it ended in order");
    drop(events);

    let Started { commands, events, thread } = start_on(Box::new(Endless), Pacing::Live);
    drop(commands);
    thread.join().expect("it ended in order");
    drop(events);

    let reel = vec![heard([quiet(1.2), wav("question.wav"), quiet(2.0)].concat())];
    let Started { commands, events, thread } = start(reel, Pacing::Lockstep);
    drop(events);
    thread.join().expect("it ended in order");
    drop(commands);
}

#[test]
fn a_faulty_configuration_reports_all_its_problems() {
    let config: HearConfig = toml::from_str(
        "wake = { phrases = [{ name = \"hey jarvs\", cutoff = 1.5 }], refractory = 0.1 }
         vad = { threshold = 0.3, release = 0.6 }
         endpoint = { patience = \"quick\", onset = 0.9 }",
    )
    .expect("it parses");
    let problems: Vec<_> = config.check().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(problems.join("\n"));
    assert_eq!(HearConfig::default().check(), []);
    let unknown = toml::from_str::<HearConfig>("[wake]\nphrase = 1").expect_err("an unknown key");
    assert!(unknown.to_string().contains("unknown field `phrase`"), "{unknown}");
}

#[test]
fn the_defaults_survive_a_round_trip() {
    let text = toml::to_string(&HearConfig::default()).expect("it can be written");
    assert_eq!(toml::from_str::<HearConfig>(&text).expect("it can be read"), HearConfig::default());
    assert_eq!(Duration::from_secs_f64(EndpointConfig::default().patience.seconds()).as_millis(), 700);
}

#[test]
fn a_command_is_only_taken_up_where_speech_over_playback_is_heard() {
    let outlook = |more| Outlook { generation: 1, revision: 0, more };
    let over_playback = |is_heard| {
        [More::Unlikely, More::Amendable, More::Answerable, More::Sentence, More::Possible, More::Likely]
            .map(|more| outlook(more).over_playback(is_heard).more)
    };
    let heard =
        [More::Unlikely, More::Amendable, More::Answerable, More::Sentence, More::Possible, More::Likely];
    assert_eq!(over_playback(true), heard);
    let unheard =
        [More::Unlikely, More::Possible, More::Possible, More::Sentence, More::Possible, More::Likely];
    assert_eq!(over_playback(false), unheard);
}
