//! Spoken turns over files, with the real ears and the real voice. The model's words are scripted, so
//! that they can be looked for in what is heard.

use std::path::Path;

use joi_audio::{RATE, read_wav, write_wav};
use serde_json::Value;

use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, NOBODY, Running, project};
use crate::support::speech::{flite, pause, plain};

const ANSWER: &str = "The sky is blue because the air scatters blue light more than red light.";
const JFK: &str = "and so my fellow americans ask not what your country can do for you ask what you can do for your country";

fn arg(path: &str) -> String {
    project(path).to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_questions_from_a_file_are_answered_into_a_file() {
    // The first needs no model, the second gets the model's words, both are spoken
    let double = Double::start().await;
    double.when("sky", vec![Script::words(ANSWER)]);
    let home = Home::with_model_server(&double.url);
    let out = home.arg("answers.wav");
    let conversation = arg("assets/demo/conversation.wav");
    let ran = home.joi(&["--log", "info", "hear", "--json", "--wav", &conversation, "--out", &out]).well();
    // covers the log-privacy rule on the voice path
    for words in ["time is it", "sky", "blue", "scatters"] {
        assert!(!ran.err.to_lowercase().contains(words), "{words} in the log: {}", ran.err);
    }
    assert!(ran.err.contains(" info "), "there is a log: {}", ran.err);
    let turns: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let heard: Vec<String> = turns.iter().map(|turn| plain(turn["heard"].as_str().unwrap())).collect();
    assert_eq!(heard, ["what time is it", "why is the sky blue"], "{ran:?}");
    assert!(turns[0]["reply"].as_str().is_some_and(|reply| reply.starts_with("It's ")), "{turns:?}");
    assert_eq!(turns[0]["model_use"], Value::Array(vec![]), "the time needs no model");
    assert_eq!(turns[1]["reply"], ANSWER);
    assert_eq!(turns[1]["model_use"].as_array().map(Vec::len), Some(1));
    for turn in &turns {
        let marks: Vec<&str> =
            turn["marks"].as_array().unwrap().iter().map(|m| m["stage"].as_str().unwrap()).collect();
        for stage in ["wake", "speech_end", "endpoint", "transcript", "first_sample", "end"] {
            assert!(marks.contains(&stage), "{stage} in {marks:?}");
        }
    }

    let silence = |turn: &Value| {
        let endpoint = &turn["decisions"][0];
        assert_eq!(endpoint["stage"], "endpoint", "{turn}");
        let told = endpoint["reason"].as_str().unwrap().to_owned();
        (endpoint["verdict"].as_str().unwrap().to_owned(), told)
    };
    let ended = |verdict: &str, ms: u32| (verdict.to_owned(), format!("ended by {ms} ms of silence"));
    assert_eq!(silence(&turns[0]), ended("a whole command", 224), "the words are enough");
    // As soon as its words are known, from half a second on, and by silence alone where they come too late.
    let (_, told) = silence(&turns[1]);
    let frames = (512..=704).step_by(32);
    assert!(frames.into_iter().any(|ms| told.starts_with(&format!("ended by {ms} ms of silence"))), "{told}");

    let spoken = plain(&home.joi(&["listen", "--wav", &out]).well().out);
    assert!(spoken.contains("its") || spoken.contains("it is"), "the time: {spoken}");
    assert!(spoken.contains(&plain(ANSWER)), "the model's words: {spoken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_machine_can_do_is_measured_and_reported_as_one_table() {
    let double = Double::start().await;
    double.when("sky", vec![Script::words(ANSWER)]);
    let home = Home::with_model_server(&double.url);
    let ran = home.joi(&["bench", "machine", "--seconds", "1", "--repeat", "1", "--json"]).well();
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(told["machine"].as_str().is_some_and(|machine| machine.contains(" cores, ")), "{told}");
    let figures = told["figures"].as_array().unwrap();
    let of = |what: &str| {
        let figure = figures.iter().find(|figure| figure["what"].as_str().unwrap().contains(what));
        figure.unwrap_or_else(|| panic!("{what} in {told}"))["value"].as_f64()
    };
    let measured = [
        "transcribed by whisper-tiny.en",
        "transcribed by whisper-base",
        "scored for wake phrases",
        "first sound of a sentence",
        "a second of speech",
        "listening to silence",
        "listening to talk",
        "ears and voice loaded",
        "a command",
        "a question",
        "memory of this program",
    ];
    for what in measured {
        assert!(of(what).is_some_and(|value| value > 0.0), "{what}: {told}");
    }
    assert!(of("memory at rest").is_none_or(|held| held > 0.0), "a second may be too short for it: {told}");
    assert_eq!(of("model writes"), None, "the chat model is somebody else's");
    assert!(of("memory of its model server") < of("memory of this program"), "it only embeds: {told}");
}

/// The turns of a recording that begins with the wake phrase.
fn turns_behind_the_phrase(home: &Home, parts: &[Vec<f32>]) -> Vec<Value> {
    let file = home.arg("said.wav");
    let phrase = read_wav(project("tests/data/hear/phrase.wav"), RATE).unwrap();
    let all = [&[pause(1.0), phrase, pause(0.6)], parts, &[pause(3.0)]].concat();
    write_wav(Path::new(&file), RATE, &all.concat()).unwrap();
    let ran = home.joi(&["hear", "--json", "--wav", &file, "--out", &home.arg("out.wav")]).well();
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn whoever_thinks_in_the_middle_of_a_command_is_waited_for() {
    let home = Home::with_model_server(NOBODY);
    // Longer than a sentence may pause, and shorter than joi waits when words are missing.
    let parts = [flite("slt", "set a timer for"), pause(0.65), flite("slt", "ten minutes")];
    let turns = turns_behind_the_phrase(&home, &parts);
    let [turn] = &turns[..] else { panic!("one turn: {turns:?}") };
    let decided = turn["decisions"].as_array().unwrap();
    assert!(decided.iter().any(|d| d["verdict"] == "set a timer"), "{turn}");
    assert!(turn["reply"].as_str().is_some_and(|reply| reply.contains("10 minute")), "{turn}");
    assert_eq!(turn["decisions"][0]["verdict"], "a whole command that could go on", "{turn}");
}

#[test]
fn a_pause_in_the_middle_of_a_length_does_not_cut_it() {
    let home = Home::with_model_server(NOBODY);
    // With the silence the voice puts at both ends the pause is longer than a whole command is waited for.
    let parts =
        [flite("slt", "set a timer for nine minutes"), pause(0.2), flite("slt", "and thirty seconds")];
    let turns = turns_behind_the_phrase(&home, &parts);
    let replies: Vec<&str> = turns.iter().filter_map(|turn| turn["reply"].as_str()).collect();
    assert_eq!(replies, ["Timer, 9 minutes 30 seconds."], "{turns:?}");
    let listed = home.joi(&["timers", "--json"]).well().out;
    assert_eq!(listed.matches("\"length_s\"").count(), 1, "one timer: {listed}");
}

#[test]
fn what_is_one_word_off_is_settled_by_its_sound() {
    let mut home = Home::with_model_server(NOBODY);
    // The machine of a test may be busy with others.
    home.set("hear.stt.second_look_ms=10000");
    home.joi(&["timers", "add", "midnight"]).well();
    let turns = turns_behind_the_phrase(&home, &[flite("rms", "cancel the alarm")]);
    let [turn] = &turns[..] else { panic!("one turn: {turns:?}") };
    assert_eq!(plain(turn["heard"].as_str().unwrap()), "cancel the alarm", "{turn}");
    assert_eq!(turn["reply"], "Midnight alarm cancelled.", "{turn}");
    let why = home.joi(&["why"]).well().out;
    assert!(why.contains("second look") && why.contains("settled"), "{why}");
}

#[test]
fn a_recording_without_the_wake_phrase_is_left_unanswered() {
    let home = Home::with_model_server(NOBODY);
    let ran = home.joi(&["hear", "--wav", &arg("tests/data/jfk.wav"), "--out", &home.arg("out.wav")]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.err.contains("the wake phrase was not heard"), "{ran:?}");
    assert_eq!(home.joi(&["why"]).complaint(), "there was no turn yet; start with `joi run` or `joi ask`");
}

#[test]
fn a_president_is_transcribed_word_for_word() {
    let ran = Home::with_model_server(NOBODY)
        .joi(&["listen", "--json", "--wav", &arg("tests/data/jfk.wav")])
        .well();
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(plain(told["text"].as_str().unwrap()), JFK);
}

#[test]
fn onnx_runtime_makes_nothing_for_its_telemetry() {
    let home = Home::with_model_server(NOBODY);
    let cache = home.path("cache");
    let out = home.arg("said.wav");
    let mut command = home.command(&["--set", "speak.voice=joe", "say", "--out", &out, "Hello."]);
    Running::start(command.env("XDG_CACHE_HOME", &cache)).end().well();
    assert!(Path::new(&out).exists() && cache.join("joi").is_dir());
    // Its database and the identifier of the machine would be in `Microsoft`, in either of them.
    let made = |folder: &Path| folder.join("Microsoft").exists() || folder.join(".cache/Microsoft").exists();
    assert!(!made(&cache) && !made(cache.parent().unwrap()));
}

#[test]
fn what_she_says_is_understood_by_her_own_ears() {
    let said = "The **train** to the city leaves in the morning. Please bring two umbrellas and a warm coat. \
                The kitchen window is open. Dinner will be ready when you come home.";
    let mut home = Home::with_model_server(NOBODY);
    home.set("hear.stt.model=base");
    let out = home.arg("said.wav");
    home.joi(&["say", "--out", &out, said]).well();
    let told = plain(&home.joi(&["listen", "--wav", &out]).well().out).replace('2', "two");
    let likeness = strsim::normalized_levenshtein(&told, &plain(said));
    assert!(likeness > 0.93, "{likeness:.2}: {told}");
    let from_stdin = home.joi_reading("Dinner is ready.", &["say", "--out", &out, "-"]).well();
    assert!(from_stdin.err.contains("wrote "), "{from_stdin:?}");
    assert_eq!(plain(&home.joi(&["listen", "--wav", &out]).well().out), "dinner is ready");
}
