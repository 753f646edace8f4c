//! `joi run` as a user has it: a microphone that speaks to joi, a speaker that is listened to, a real
//! sound server between. The model's words are scripted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use joi_audio::{AudioConfig, AudioSource as _, Microphone, MuteSwitch, RATE, SourceEvent, write_wav};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, NOBODY, Running};
use crate::support::sound_server::{SoundServer, with_sound_server};
use crate::support::speech::{flite, pause, plain, questions};

/// The line that ends a turn.
pub(super) const TURN_OVER: &str = "after you stopped speaking";
/// A sample that is no silence.
pub(super) const LOUD: f32 = 0.02;

/// Real time is for one story at a time.
pub(super) static ALONE: Mutex<()> = Mutex::new(());

/// Joi in a room with a microphone and a speaker.
pub(super) struct Room {
    pub(super) home: Home,
    pub(super) joi: Running,
    pub(super) double: Double,
    /// The double answers here.
    _runtime: Runtime,
}

impl Room {
    /// Joi is awake and listens.
    pub(super) fn with(server: &SoundServer) -> Self {
        Self::running(server, &["run"])
    }

    /// The same, started in another way.
    fn running(server: &SoundServer, arguments: &[&str]) -> Self {
        let runtime = Runtime::new().unwrap();
        let double = runtime.block_on(Double::start());
        let mut home = Home::with_model_server(&double.url);
        let devices = server.config();
        // The larger model: a busy machine may drop a few samples on the way through the sound server.
        home.set("audio.host=pulseaudio")
            .set("audio.silent_after_s=0")
            // What is recorded is answers.
            .set("announce.awake=false")
            .set("hear.stt.model=base")
            // Joi is talked over while joi tells something long.
            .set("reply.spoken_sentences=50")
            .set("reply.spoken_words=500")
            .set("conversation.go_on_s=0");
        home.set(&format!("audio.input={:?}", devices.input))
            .set(&format!("audio.output={:?}", devices.output));
        let mut joi = Running::start(&mut home.command(arguments));
        joi.until("listening through");
        Self { home, joi, double, _runtime: runtime }
    }

    /// What was said, by joi's own ears.
    fn understand(&self, samples: &[f32]) -> String {
        let file = self.home.arg("heard.wav");
        write_wav(&file, RATE, samples).unwrap();
        plain(&self.home.joi(&["listen", "--wav", &file]).well().out)
    }
}

/// Says one of the demo's questions into the microphone.
pub(super) fn ask(server: &mut SoundServer, question: usize) {
    let file = server.place().join(format!("question-{question}.wav"));
    write_wav(&file, RATE, &questions()[question]).unwrap();
    server.feed(&file);
}

/// Listens to the speaker.
pub(super) struct Recorder {
    stop: Arc<AtomicBool>,
    loud: std::sync::mpsc::Receiver<()>,
    thread: JoinHandle<Vec<f32>>,
}

impl Recorder {
    pub(super) fn of(server: &SoundServer) -> Self {
        let config = AudioConfig { input: vec!["spk.monitor".into()], ..server.config() };
        let stop = Arc::new(AtomicBool::new(false));
        let (told, loud) = std::sync::mpsc::channel();
        let (ready_told, ready) = std::sync::mpsc::channel();
        let until = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let (mut microphone, mut all) = (Microphone::open(&config, &MuteSwitch::default()), Vec::new());
            while !until.load(Ordering::Relaxed) {
                let before = all.len();
                if matches!(microphone.read(&mut all), SourceEvent::Back { .. }) {
                    // Only the first time is waited for; a busy machine may lose the sound and find it again.
                    let _ = ready_told.send(());
                }
                if all[before..].iter().any(|sample| sample.abs() > LOUD) {
                    // Nobody may wait for it any more.
                    let _ = told.send(());
                }
            }
            all
        });
        ready.recv_timeout(crate::support::program::FOR_EVER).expect("the speaker can be listened to");
        Self { stop, loud, thread }
    }

    /// Waits until joi has been loud in `blocks` blocks of some ms from now on.
    pub(super) fn until_loud(&self, blocks: usize) {
        while self.loud.try_recv().is_ok() {}
        for _ in 0..blocks {
            self.loud.recv_timeout(crate::support::program::FOR_EVER).expect("she speaks");
        }
    }

    pub(super) fn end(self) -> Vec<f32> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Has joi begin a long answer that ends in a pineapple, until joi was loud in so many blocks.
fn in_mid_sentence(server: &mut SoundServer, room: &mut Room, blocks: usize) -> Recorder {
    let colours = "Blue light is scattered by the air far more than red light is. ".repeat(8);
    let answer = format!("{colours} And that was the story of the pineapple.");
    // A machine that starves the sound server costs a word; the first one is the surest.
    room.double.when("why", vec![Script::words(&answer)]);
    let recorder = Recorder::of(server);
    ask(server, 1);
    room.joi.until("you:");
    recorder.until_loud(blocks);
    recorder
}

#[test]
fn a_question_by_microphone_is_answered_by_the_speaker() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let mut room = Room::with(server);
        let answer = "The sky is blue because the air scatters blue light more than red light.";
        room.double.when("sky", vec![Script::words(answer)]);
        let recorder = Recorder::of(server);
        ask(server, 1);
        let turn = room.joi.until(TURN_OVER);
        assert!(turn.err.contains("● listening"), "{turn:?}");
        // In one breath with the wake phrase, its tail becomes a part of the first word now and then.
        assert!(plain(&turn.err).contains("is the sky blue"), "{turn:?}");
        assert!(!turn.err.contains("error"), "{turn:?}");
        let spoken = room.understand(&recorder.end());
        assert!(spoken.contains(&plain(answer)), "{spoken}");

        let ran = room.joi.terminate();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.out.trim(), answer, "{ran:?}");
    });
}

#[test]
fn the_wake_phrase_stops_her_in_mid_sentence() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let mut room = Room::with(server);
        let recorder = in_mid_sentence(server, &mut room, 50);
        ask(server, 0);
        room.joi.until_before("● listening", TURN_OVER);
        room.joi.until("you:");
        room.joi.until(TURN_OVER);
        let spoken = room.understand(&recorder.end());
        assert!(spoken.contains("blue light is scattered"), "{spoken}");
        assert!(!spoken.contains("pineapple"), "she was stopped: {spoken}");
        assert!(spoken.ends_with('m') && spoken.contains("its"), "and told the time: {spoken}");

        let ran = room.joi.terminate();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let turns = room.home.joi(&["why", "--json", "--last", "9"]).well().out;
        let heard: Vec<String> = turns
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|turn| plain(turn["heard"].as_str().unwrap()))
            .collect();
        assert_eq!(heard.len(), 2, "both turns are on record: {heard:?}");
        assert!(heard[0].contains("why"), "{heard:?}");
        assert_eq!(heard[1], "what time is it");
    });
}

#[test]
fn push_to_talk_stops_her_in_mid_sentence() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let mut room = Room::with(server);
        // A command comes sooner than a spoken phrase ends.
        let recorder = in_mid_sentence(server, &mut room, 150);
        room.home.joi(&["listen", "--now"]).well();
        room.joi.until_before("● listening", TURN_OVER);
        room.joi.until("○ nothing was said");
        let spoken = room.understand(&recorder.end());
        assert!(spoken.contains("blue light is scattered"), "{spoken}");
        assert!(!spoken.contains("pineapple"), "she was stopped: {spoken}");
        assert_eq!(last_decision(&room).1, "she was called");
        assert_eq!(room.joi.terminate().code, Some(0));
    });
}

/// The last decision of the newest turn: its verdict and its reason.
pub(super) fn last_decision(room: &Room) -> (String, String) {
    let turn: Value = serde_json::from_str(&room.home.joi(&["why", "--json"]).well().out).unwrap();
    let decision = turn["decisions"].as_array().unwrap().last().unwrap().clone();
    let text = |key: &str| decision[key].as_str().unwrap().to_owned();
    (text("verdict"), text("reason"))
}

#[test]
fn what_she_does_is_shown_and_what_is_said_is_not() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let room = Room::running(server, &["--log", "info", "run", "--discreet"]);
        let answer = "The sky is blue because the air scatters blue light more than red light.";
        room.double.when("why", vec![Script::words(answer)]);
        let mut events = Running::start(&mut room.home.command(&["events"]));
        events.until("idle");
        ask(server, 1);
        for state in ["listening", "thinking", "speaking", "idle"] {
            events.until(&format!("\"state\":\"{state}\""));
        }
        let status = room.home.joi(&["status", "--json"]).well().out;
        let now: Value = serde_json::from_str(&status).unwrap();
        assert_eq!((&now["state"], &now["counters"]["turns"]), (&"idle".into(), &1.into()), "{now}");
        assert!(now["microphone"]["device"].is_string() && now["speaker"]["device"].is_string(), "{now}");
        assert!(now["stages"].as_array().unwrap().iter().all(|stage| stage["fresh"] == true), "{now}");
        let ran = room.joi.terminate();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        for told in [&ran.out, &ran.err, &status, &events.end().out] {
            let told = plain(told);
            assert!(!told.contains("sky") && !told.contains("scatters"), "{told}");
        }
    });
}

#[test]
fn a_phrase_is_learnt_from_its_owners_voice_through_a_microphone() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let mut home = Home::with_model_server(NOBODY);
        let devices = server.config();
        home.set("audio.host=pulseaudio")
            .set("audio.silent_after_s=0")
            .set(&format!("audio.input={:?}", devices.input))
            .set(&format!("audio.output={:?}", devices.output));
        // After the tone.
        let said = [pause(0.6), flite("rms", "hey computer."), pause(0.3)].concat();
        let file = server.place().join("phrase.wav");
        write_wav(&file, RATE, &said).unwrap();
        let mut joi =
            Running::start(&mut home.command(&["wake", "add", "hey computer", "--record", "--takes", "5"]));
        for take in
            ["recording 1 of 5", "recording 2", "recording 3", "recording 4", "recording 5", "the test"]
        {
            joi.until(take);
            server.feed(&file);
        }
        let ran = joi.end().well();
        assert!(ran.out.contains("from 5 recordings, owner's voice counts from"), "{ran:?}");
        assert!(ran.out.contains("✓ heard"), "{ran:?}");
        assert!(!ran.err.contains("sound was lost"), "{ran:?}");
        let kept: Value = serde_json::from_str(&home.joi(&["wake", "list", "--json"]).well().out).unwrap();
        assert!(kept.to_string().contains("hey computer"), "{kept}");
    });
}
