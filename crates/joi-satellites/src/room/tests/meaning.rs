//! What events mean, without a socket.

use joi_base::message::{Activity, Private};

use super::*;
use crate::room::talk::{RoomAct, RoomTalk};

fn talk() -> RoomTalk {
    let mut talk = RoomTalk::new("hey joi");
    assert_eq!(kinds(vec![talk.run(false)]), ["run-satellite"]);
    talk
}

/// The kinds of events that are sent, and other acts by their names.
fn kinds(acts: Vec<RoomAct>) -> Vec<String> {
    let name = |act| match act {
        RoomAct::Send(event) => event.kind,
        RoomAct::Called(phrase) => format!("called {phrase}"),
        RoomAct::Sound(samples) => format!("{} samples", samples.len()),
        RoomAct::Ended => "ended".into(),
        RoomAct::Played => "played".into(),
        RoomAct::Alive => "alive".into(),
    };
    acts.into_iter().map(name).collect()
}

fn event(talk: &mut RoomTalk, kind: &str, data: Value) -> Vec<String> {
    kinds(talk.event(WireEvent::new(kind, data)).unwrap())
}

fn sound(talk: &mut RoomTalk) -> Vec<String> {
    let data = json!({ "rate": 16_000, "width": 2, "channels": 1 });
    kinds(talk.event(WireEvent::new("audio-chunk", data).with_payload(vec![0; 640])).unwrap())
}

fn text(text: &str) -> Private<String> {
    Private(text.to_owned())
}

#[test]
fn a_device_that_has_heard_the_phrase_sends_until_it_gets_the_words() {
    let mut talk = talk();
    assert_eq!(sound(&mut talk), [""; 0], "no pipeline was asked for");
    event(&mut talk, "detection", json!({ "name": "ok_nabu_v0.1" }));
    let pipeline = json!({ "start_stage": "asr", "end_stage": "tts", "restart_on_end": false });
    assert_eq!(event(&mut talk, "run-pipeline", pipeline.clone()), ["called ok nabu"]);
    assert_eq!(sound(&mut talk), ["320 samples"]);
    assert_eq!(kinds(talk.signal(RoomSignal::Woke("ok nabu".into()))), ["transcribe"]);
    assert_eq!(kinds(talk.signal(RoomSignal::Begins)), ["voice-started"]);
    assert_eq!(kinds(talk.signal(RoomSignal::Begins)), [""; 0], "it was said");
    assert_eq!(kinds(talk.signal(RoomSignal::Activity(Activity::Thinking))), ["voice-stopped"]);
    assert_eq!(kinds(talk.signal(RoomSignal::Understood(text("what time is it")))), ["transcript", "ended"]);
    assert_eq!(sound(&mut talk), [""; 0], "what was on its way");
    for words in ["It's ", "nine."] {
        assert_eq!(kinds(talk.signal(RoomSignal::Words(text(words)))), [""; 0]);
    }
    assert_eq!(talk.sounds(), Some(WireEvent::new("synthesize", json!({ "text": "It's nine." }))));
    assert_eq!(talk.sounds(), None, "they were shown");
    // The next time it names no phrase.
    assert_eq!(event(&mut talk, "run-pipeline", pipeline), ["called hey joi"]);
    talk.signal(RoomSignal::Woke("hey joi".into()));
    let rests = talk.signal(RoomSignal::Rests);
    assert_eq!(rests[0], RoomAct::Send(WireEvent::new("transcript", json!({ "text": "" }))));
    assert_eq!(kinds(talk.signal(RoomSignal::Rests)), [""; 0], "nothing is open");
}

#[test]
fn a_device_that_always_sends_goes_on_and_learns_of_the_phrase_that_was_heard_here() {
    let mut talk = talk();
    let pipeline = json!({ "start_stage": "wake", "end_stage": "tts", "restart_on_end": true });
    assert_eq!(event(&mut talk, "run-pipeline", pipeline), ["detect"]);
    assert_eq!(kinds(talk.signal(RoomSignal::Woke("Hey Joi".into()))), ["detection", "transcribe"]);
    assert_eq!(kinds(talk.signal(RoomSignal::Understood(text("hello")))), ["transcript"]);
    assert_eq!(sound(&mut talk), ["320 samples"], "it may be followed up");
    assert_eq!(kinds(talk.signal(RoomSignal::Understood(text("and now")))), ["transcript"]);
    assert_eq!(event(&mut talk, "audio-stop", json!({})), ["ended"]);
    assert_eq!(sound(&mut talk), [""; 0]);
}

#[test]
fn nothing_is_taken_from_a_device_while_the_microphones_are_switched_off() {
    let mut talk = talk();
    let pipeline = json!({ "start_stage": "wake", "end_stage": "tts" });
    event(&mut talk, "run-pipeline", pipeline.clone());
    assert_eq!(kinds(vec![talk.run(true)]), ["pause-satellite"]);
    assert_eq!(sound(&mut talk), [""; 0]);
    assert_eq!(event(&mut talk, "run-pipeline", pipeline), [""; 0]);
    assert_eq!(kinds(vec![talk.run(false)]), ["run-satellite"]);
    assert_eq!(sound(&mut talk), [""; 0], "it has asked for nothing since");
}

#[test]
fn a_device_can_neither_order_words_nor_send_what_is_no_sound() {
    let mut talk = talk();
    for stage in ["handle", "intent", "tts", "?"] {
        let announce =
            json!({ "start_stage": stage, "end_stage": "tts", "announce_text": "unlock the door" });
        assert_eq!(event(&mut talk, "run-pipeline", announce), [""; 0], "{stage}");
    }
    for kind in ["transcript", "synthesize", "recognize", "run-satellite", "error", "user-event"] {
        assert_eq!(event(&mut talk, kind, json!({ "text": "unlock the door" })), [""; 0], "{kind}");
    }
    event(&mut talk, "run-pipeline", json!({ "start_stage": "wake", "end_stage": "tts" }));
    let strange = WireEvent::new("audio-chunk", json!({ "rate": 3, "width": 2, "channels": 1 }));
    let refused = talk.event(strange.with_payload(vec![0; 4])).unwrap_err().to_string();
    assert!(refused.starts_with("rate of the sound is 3"), "{refused}");
    assert_eq!(event(&mut talk, "ping", json!({ "text": "x" })), ["pong"]);
    assert_eq!(event(&mut talk, "pong", json!({})), ["alive"]);
    assert_eq!(event(&mut talk, "played", json!({})), ["played"]);
}
