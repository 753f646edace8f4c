//! Another room: a client of the Wyoming protocol uses the ears, the voice and the conversation of the joi that runs.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use super::service::{deaf_home, run, status};
use crate::support::program::{FOR_EVER, Home, project};
use crate::support::speech::{pause, plain};

/// A client as others write it: a line of JSON, a block of data, a payload.
struct Satellite(TcpStream);

impl Satellite {
    fn new(port: u16) -> Self {
        loop {
            // The server begins once the speech models are loaded.
            if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
                stream.set_read_timeout(Some(FOR_EVER)).unwrap();
                return Self(stream);
            }
            std::thread::yield_now();
        }
    }

    fn send(&mut self, kind: &str, data: &Value, payload: &[u8]) {
        let data = data.to_string();
        let header = json!({ "type": kind, "data_length": data.len(), "payload_length": payload.len() });
        self.0.write_all(format!("{header}\n{data}").as_bytes()).unwrap();
        self.0.write_all(payload).unwrap();
    }

    /// The next event of `kind`: its data. Events before it are skipped, and their sound is counted.
    #[track_caller]
    fn until(&mut self, kind: &str) -> (Value, usize) {
        let mut sound = 0;
        loop {
            let mut line = Vec::new();
            while line.last() != Some(&b'\n') {
                let mut byte = [0];
                self.0.read_exact(&mut byte).unwrap_or_else(|error| panic!("{kind}: {error}"));
                line.push(byte[0]);
            }
            let header: Value = serde_json::from_slice(&line).unwrap();
            let length = |key: &str| header[key].as_u64().unwrap_or_default() as usize;
            let mut data = vec![0; length("data_length")];
            self.0.read_exact(&mut data).unwrap();
            let mut payload = vec![0; length("payload_length")];
            self.0.read_exact(&mut payload).unwrap();
            let data = if data.is_empty() { json!({}) } else { serde_json::from_slice(&data).unwrap() };
            assert!(header["type"] != "error", "{data}");
            if header["type"] == kind {
                return (data, sound);
            }
            sound += payload.len();
        }
    }

    /// Sends a recording as fast as it is taken.
    fn say(&mut self, samples: &[f32]) {
        let format = json!({ "rate": 16_000, "width": 2, "channels": 1 });
        self.send("audio-start", &format, &[]);
        for chunk in samples.chunks(1_024) {
            let sample = |it: &f32| ((it * 32_767.0) as i16).to_le_bytes();
            let pcm: Vec<u8> = chunk.iter().flat_map(sample).collect();
            self.send("audio-chunk", &format, &pcm);
        }
        self.send("audio-stop", &json!({}), &[]);
    }
}

fn row(home: &Home, what: &str) -> Value {
    let rows: Value = serde_json::from_str(&home.joi(&["doctor", "--quick", "--json"]).out).unwrap();
    rows.as_array().unwrap().iter().find(|row| row["what"] == what).cloned().unwrap_or_default()
}

#[test]
fn a_satellite_is_transcribed_spoken_to_woken_and_answered_and_changes_nothing() {
    let mut home = deaf_home();
    // Free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    home.set(&format!("satellites.wyoming.listen=127.0.0.1:{port}"));
    home.set("satellites.wyoming.conversation=true");
    let joi = run(&home);
    let mut satellite = Satellite::new(port);
    satellite.send("describe", &json!({}), &[]);
    let (info, _) = satellite.until("info");
    assert_eq!(info["asr"][0]["models"][0]["name"], "whisper-tiny.en", "{info}");
    assert!(
        info["wake"][0]["models"].as_array().unwrap().iter().any(|it| it["name"] == "hey_jarvis"),
        "{info}"
    );

    let speech = joi_audio::read_wav(project("tests/data/jfk.wav"), joi_audio::RATE).unwrap();
    satellite.send("transcribe", &json!({ "language": "en" }), &[]);
    satellite.say(&speech);
    let (transcript, _) = satellite.until("transcript");
    let words = plain(transcript["text"].as_str().unwrap());
    assert!(words.contains("ask not what your country can do for you"), "{words}");
    satellite.until("transcript-stop");

    let voice = info["tts"][0]["voices"][0]["name"].clone();
    satellite.send("synthesize", &json!({ "text": "Dinner is ready.", "voice": { "name": voice } }), &[]);
    let (_, sound) = satellite.until("audio-stop");
    assert!(sound > 20_000, "{sound} bytes of sound");

    let called = joi_audio::read_wav(project("tests/data/hear/phrase.wav"), joi_audio::RATE).unwrap();
    satellite.send("detect", &json!({ "names": ["hey_jarvis"] }), &[]);
    satellite.say(&[pause(1.0), called, pause(1.5)].concat());
    assert_eq!(satellite.until("detection").0["name"], "hey_jarvis");

    satellite.send("transcript", &json!({ "text": "what time is it?" }), &[]);
    let (handled, _) = satellite.until("handled");
    assert!(handled["text"].as_str().unwrap().starts_with("It's "), "{handled}");
    satellite.send("transcript", &json!({ "text": "set a timer for ten minutes" }), &[]);
    satellite.until("not-handled");
    assert!(home.joi(&["timers", "--json"]).well().out.trim() == "[]", "a stranger's words set a timer");

    let now = status(&home);
    assert!(now["satellites"]["requests"].as_u64().unwrap() >= 5, "{}", now["satellites"]);
    let checked = row(&home, "satellites");
    assert!(checked["verdict"] == "good", "{checked}");
    assert_eq!(joi.terminate().code, Some(0));
}
