//! Phrases of one's own: added, listed, tried over files, removed, and a conversation that one of them opens.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::support::program::{Home, NOBODY};
use crate::support::speech::{flite, pause, plain};

fn home() -> Home {
    let mut home = Home::with_model_server(NOBODY);
    // Whatever this machine is fast enough for.
    home.set("hear.wake.mode=scored");
    home
}

/// Writes sound as a WAV file; its path.
fn wav(home: &Home, name: &str, samples: &[f32]) -> String {
    let path = home.arg(name);
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(&path, spec).expect("a file");
    for sample in samples {
        writer.write_sample((sample.clamp(-1.0, 1.0) * 32_767.0) as i16).expect("a sample");
    }
    writer.finalize().expect("a whole file");
    path
}

#[test]
fn her_own_name_opens_a_conversation_without_a_model_for_it() {
    let home = home();
    let said = [pause(1.5), flite("rms", "hey joy, what time is it?"), pause(2.5)].concat();
    let (input, output) = (wav(&home, "said.wav", &said), home.arg("answer.wav"));
    let ran = home.joi(&["hear", "--json", "--wav", &input, "--out", &output]).well();
    let turn: Value = serde_json::from_str(ran.out.lines().next().expect("a turn")).expect("JSON");
    assert_eq!(plain(turn["heard"].as_str().unwrap()), "what time is it", "{ran:?}");
    assert!(turn["reply"].as_str().is_some_and(|reply| reply.starts_with("It's ")), "{turn}");
}

#[test]
fn a_phrase_is_added_tried_over_a_file_and_removed() {
    let home = home();
    let added = home.joi(&["wake", "add", "Hey Luna", "--stretches", "20"]).well();
    assert!(added.out.contains("\"hey luna\" wakes her from her next start on"), "{added:?}");
    let names = |home: &Home| -> Vec<String> {
        let listed: Value =
            serde_json::from_str(&home.joi(&["wake", "list", "--json"]).well().out).expect("JSON");
        let phrases = listed["phrases"].as_array().expect("phrases");
        phrases.iter().map(|phrase| phrase["phrase"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&home), ["hey joi", "hey jarvis", "hey luna"]);
    let said = wav(&home, "luna.wav", &[pause(1.0), flite("awb", "hey luna"), pause(1.0)].concat());
    let other =
        wav(&home, "other.wav", &[pause(1.0), flite("awb", "turn on the light"), pause(1.0)].concat());
    let tried = home.joi(&["wake", "test", "--json", "--wav", &said, &other]);
    let files: Vec<Value> = tried.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(files[0]["wakes"][0]["phrase"], "hey luna", "{tried:?}");
    assert_eq!(files[1]["wakes"], Value::Array(vec![]), "{tried:?}");
    assert!(files[1]["scored"][0]["margins"]["hey luna"].as_f64().is_some_and(|m| m < -3.0), "{tried:?}");
    assert_eq!(tried.code, Some(1), "one of them was no wake phrase");
    home.joi(&["wake", "remove", "hey luna"]).well();
    assert_eq!(names(&home), ["hey joi", "hey jarvis"]);
}

#[test]
fn what_sounds_like_her_name_does_not_wake_her() {
    let mut home = home();
    home.set("hear.wake.phrases=[{name=\"hey joi\"}]");
    let file = |name: &str, voice: &str, words: &str| {
        wav(&home, name, &[pause(1.0), flite(voice, words), pause(1.0)].concat())
    };
    let (said, other) = (file("joi.wav", "slt", "hey joy"), file("joyce.wav", "kal16", "hey joyce"));
    let tried = home.joi(&["wake", "test", "--json", "--wav", &said, &other]);
    let files: Vec<Value> = tried.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(files[0]["wakes"][0]["phrase"], "hey joi", "{tried:?}");
    let margin = files[1]["scored"][0]["margins"]["hey joi"].as_f64().expect("a margin");
    assert!(margin > -3.0, "it fits well: {tried:?}");
    assert_eq!(files[1]["wakes"], Value::Array(vec![]), "{tried:?}");
    assert_eq!(files[1]["scored"][0]["held_back"][0], "hey joi", "{tried:?}");
}

#[test]
fn a_sound_is_reported_at_the_same_place_however_often_it_is_heard() {
    let home = home();
    let mut said = [pause(1.0), flite("rms", "hey jarvis"), pause(1.0)].concat();
    // No whole number of frames: what an interruption cuts off must not be counted.
    said.truncate(said.len() / 512 * 512 - 100);
    let file = wav(&home, "said.wav", &said);
    let tried = home.joi(&["wake", "test", "--json", "--wav", &file, &file, &file, &file]).well();
    let places: Vec<f64> = tried
        .out
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("JSON")["wakes"][0]["at_s"].as_f64().expect("a wake")
        })
        .collect();
    assert_eq!(places, [places[0]; 4]);
    assert!((1.0..3.0).contains(&places[0]), "{places:?}");
}

#[test]
fn a_voice_is_taken_in_from_recordings_beside_another_and_forgotten_again() {
    let home = home();
    for user in ["anna", "ben"] {
        std::fs::create_dir_all(home.path(user)).expect("a folder");
    }
    for (at, voice) in ["rms", "awb", "slt", "rms", "awb", "slt"].iter().enumerate() {
        let quiet = pause(0.3 + 0.1 * at as f64);
        wav(
            &home,
            &format!("anna/{at}.wav"),
            &[quiet.clone(), flite(voice, "hey luna"), pause(0.6)].concat(),
        );
        let words = if at == 3 { "good morning" } else { "hey luna" };
        wav(&home, &format!("ben/{at}.wav"), &[quiet, flite("slt", words), pause(0.6)].concat());
    }
    wav(&home, "ben/silence.wav", &pause(2.0));
    let add = |user: &str| {
        home.joi(&["wake", "add", "hey luna", "--from", &home.arg(user), "--user", user, "--stretches", "20"])
    };
    add("anna").well();
    let ben = add("ben").well();
    assert!(ben.err.contains("silence.wav is left out: no speech was recorded"), "{ben:?}");
    assert!(ben.out.contains("3.wav") && ben.out.contains("refused: it came to"), "{ben:?}");
    assert!(ben.out.contains("from 5 recordings, ben's voice counts from"), "{ben:?}");
    let voices = || -> Vec<String> {
        let listed: Value =
            serde_json::from_str(&home.joi(&["wake", "list", "--json"]).well().out).expect("JSON");
        let phrases = listed["phrases"].as_array().expect("phrases");
        let luna = phrases.iter().find(|phrase| phrase["phrase"] == "hey luna").expect("the phrase");
        let voices = luna["voices"].as_array().expect("voices").iter();
        voices.map(|voice| voice["user"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(voices(), ["anna", "ben"]);
    home.joi(&["wake", "remove", "hey luna", "--user", "anna"]).well();
    assert_eq!(voices(), ["ben"]);
    let again = home.joi(&["wake", "remove", "hey luna", "--user", "anna"]);
    assert!(again.complaint().starts_with("\"anna\" has not recorded \"hey luna\""), "{again:?}");
    std::fs::create_dir_all(home.path("none")).expect("a folder");
    let none = home.joi(&["wake", "add", "hey luna", "--from", &home.arg("none")]);
    assert!(
        none.complaint().contains("holds no *.wav; put 5 to 8 recordings of the phrase in it"),
        "{none:?}"
    );
}

/// One phrase of one voice, said so fast, in percent.
fn said_at(percent: usize) -> Vec<f32> {
    let said = flite("slt", "hey joy");
    (0..said.len() * 100 / percent).map(|at| said[at * percent / 100]).collect()
}

#[test]
fn where_nothing_is_scored_a_phrase_is_known_by_its_recordings() {
    let mut home = Home::with_model_server(NOBODY);
    home.set("hear.wake.mode=stock");
    std::fs::create_dir_all(home.path("owner")).expect("a folder");
    for percent in [94, 97, 100, 102, 104, 106] {
        let recording = [pause(0.4), said_at(percent), pause(0.5)].concat();
        wav(&home, &format!("owner/{percent}.wav"), &recording);
    }
    let add = ["wake", "add", "hey joi", "--engine", "rustpotter", "--stretches", "20"];
    let without = home.joi(&add);
    assert!(without.complaint().contains("add --record, or --from DIR"), "{without:?}");
    let heard_by = |home: &Home| -> Value {
        let listed: Value =
            serde_json::from_str(&home.joi(&["wake", "list", "--json"]).well().out).expect("JSON");
        listed["phrases"][0]["heard_by"].clone()
    };
    assert_eq!(heard_by(&home), "not listened for");
    let added = home.joi(&[&add[..], &["--from", &home.arg("owner")]].concat()).well();
    assert!(added.out.contains("from 6 recordings, owner's voice counts from 0."), "{added:?}");
    assert_eq!(heard_by(&home), "recordings");

    let question = flite("slt", "what time is it?");
    let said = [pause(1.5), said_at(99), pause(0.2), question.clone(), pause(2.5)].concat();
    let nobody_called = [pause(1.5), question, pause(2.5)].concat();
    let turns = |home: &Home, said: &[f32]| -> Vec<String> {
        let (input, output) = (wav(home, "said.wav", said), home.arg("answer.wav"));
        let ran = home.joi(&["hear", "--json", "--wav", &input, "--out", &output]);
        let heard =
            |line: &str| plain(serde_json::from_str::<Value>(line).expect("JSON")["heard"].as_str().unwrap());
        ran.out.lines().map(heard).collect()
    };
    assert_eq!(turns(&home, &said), ["what time is it"]);
    assert_eq!(turns(&home, &nobody_called), Vec::<String>::new());

    // The same recordings as a file, as people have them of rustpotter's own tools.
    let book: Value =
        serde_json::from_slice(&std::fs::read(home.path("data/wake.json")).expect("the phrases"))
            .expect("JSON");
    let rpw = book["phrases"][0]["voices"][0]["templates"]["rpw"].as_str().expect("templates").to_owned();
    std::fs::write(home.path("hey_joi.rpw"), BASE64_STANDARD.decode(rpw).expect("base64")).expect("a file");
    std::fs::remove_file(home.path("data/wake.json")).expect("the phrases");
    assert_eq!(turns(&home, &said), Vec::<String>::new(), "they are forgotten");
    home.set(&format!("hear.wake.phrases=[{{name=\"hey joi\",rpw=\"{}\"}}]", home.arg("hey_joi.rpw")));
    assert_eq!(turns(&home, &said), ["what time is it"]);
    home.set("hear.wake.phrases=[{name=\"hey joi\",rpw=\"hey_joi.rpw\"}]");
    let relative = home.joi(&["wake", "list"]);
    assert!(
        relative.err.contains("hear.wake.phrases.rpw") && relative.err.contains("absolute"),
        "{relative:?}"
    );
}

#[test]
fn two_phrases_in_a_minute_are_two_turns() {
    let home = home();
    let turn = |words: &str| [pause(2.0), flite("rms", words), pause(14.0)].concat();
    let said = [turn("hey joy, what time is it?"), turn("hey joy, what day is it?")].concat();
    let (input, output) = (wav(&home, "said.wav", &said), home.arg("answer.wav"));
    let ran = home.joi(&["hear", "--json", "--wav", &input, "--out", &output]).well();
    let heard: Vec<String> = ran
        .out
        .lines()
        .map(|line| plain(serde_json::from_str::<Value>(line).expect("JSON")["heard"].as_str().unwrap()))
        .collect();
    assert_eq!(heard, ["what time is it", "what day is it"], "{ran:?}");
}

#[test]
fn what_can_not_be_a_phrase_is_refused_with_the_reason() {
    let home = home();
    for (args, why) in [
        (&["wake", "add", "computer"][..], "\"computer\" is one single sign to the speech recogniser"),
        (&["wake", "add", "r2d2"], "\"r2d2\" is no phrase; allowed: one to five words of letters"),
        (&["wake", "remove", "hey luna"], "\"hey luna\" is no phrase of hers; `joi wake list` shows them"),
    ] {
        let ran = home.joi(args);
        assert!(ran.code != Some(0) && ran.complaint().starts_with(why), "{ran:?}");
    }
    let ran = home.joi_bench(&["wake", "--phrase", "hey luna"]);
    assert!(
        ran.code != Some(0) && ran.complaint().starts_with("\"hey luna\" is not listened for"),
        "{ran:?}"
    );
    let mut stock = Home::with_model_server(NOBODY);
    stock.set("hear.wake.mode=stock").set("hear.wake.phrases=[{name=\"hey luna\"}]");
    assert!(stock.joi(&["wake", "list"]).err.contains("at least one of \"hey jarvis\""));
}

#[test]
fn the_measurement_shows_misses_and_its_own_bounds() {
    let home = home();
    let folder = home.path("recordings");
    std::fs::create_dir_all(folder.join("positives")).expect("a folder");
    std::fs::create_dir_all(folder.join("negatives")).expect("a folder");
    let (voice, order) = (flite("rms", "hey joy"), flite("rms", "turn on the light"));
    wav(&home, "recordings/positives/a.wav", &[pause(1.0), voice].concat());
    wav(&home, "recordings/positives/b.wav", &[pause(1.0), order.clone()].concat());
    wav(&home, "recordings/negatives/c.wav", &[pause(1.0), order, pause(2.0)].concat());
    let ran = home.joi_bench(&["wake", "--json", folder.to_str().expect("UTF-8")]).well();
    let told: Value = serde_json::from_str(&ran.out).expect("JSON");
    let misses = &told["misses"]["all"];
    assert_eq!((&misses["missed"], &misses["said"]), (&1.into(), &2.into()), "{told}");
    let other = &told["other_sound"][0];
    assert_eq!((&other["sound"], &other["false_accepts"]), (&"recordings".into(), &0.into()));
    let (hours, bound) = (other["hours"].as_f64().unwrap(), other["at_most_an_hour"].as_f64().unwrap());
    assert!((bound * hours - 3.0).abs() < 0.01, "three at most, with 95 % confidence: {told}");
}
