//! What goes wrong costs one sentence with its remedy, never an answer that could still be given and
//! nothing that was said.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use joi_audio::{RATE, read_wav, write_wav};
use joi_language::Language;
use serde_json::Value;

use super::service::deaf_home;
use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, NOBODY, Ran, Running, models, project};
use crate::support::speech::{flite, pause};

/// What is said without a model.
fn said() -> joi_language::ReplySentences {
    Language::load("en").unwrap().sentences().reply.clone()
}

const ANSWER: &str = "Because air scatters blue light the most.";
const QUESTION: &str = "why is the sky blue?";

/// What happens to a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Gone,
    Empty,
    Halved,
    /// The right size, the wrong content.
    Scrambled,
}

/// A home whose models are those of this machine, except for one file.
fn home_with(damage: Damage, model: &str, file: &str) -> Home {
    let mut home = Home::with_model_server(NOBODY);
    let (real, copy) = (models(), home.path("models"));
    fs::create_dir_all(copy.join(model)).unwrap();
    link_all_but(model, &real, &copy);
    link_all_but(file, &real.join(model), &copy.join(model));
    let bytes = fs::read(real.join(model).join(file)).expect("`joi models fetch` has fetched it");
    let damaged = match damage {
        Damage::Gone => None,
        Damage::Empty => Some(Vec::new()),
        Damage::Halved => Some(bytes[..bytes.len() / 2].to_vec()),
        Damage::Scrambled => Some(bytes.iter().map(|byte| !byte).collect()),
    };
    if let Some(damaged) = damaged {
        fs::write(copy.join(model).join(file), damaged).unwrap();
    }
    home.use_models(&copy);
    home
}

fn link_all_but(left_out: &str, from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != left_out)
    {
        symlink(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// It failed with one sentence that holds `remedy`.
#[track_caller]
fn assert_fails_with(remedy: &str, ran: &Ran) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.complaint().contains(remedy), "{remedy:?} in {ran:?}");
    assert!(!ran.err.contains("panicked"), "{ran:?}");
}

fn text(path: std::path::PathBuf) -> String {
    path.to_str().unwrap().to_owned()
}

fn jfk() -> String {
    text(project("tests/data/jfk.wav"))
}

fn conversation() -> String {
    text(project("assets/demo/conversation.wav"))
}

#[test]
fn a_damaged_speech_model_is_named_with_the_command_that_mends_it() {
    for damage in [Damage::Gone, Damage::Empty, Damage::Halved, Damage::Scrambled] {
        let home = home_with(damage, "whisper-tiny.en", "ggml-tiny.en-q8_0.bin");
        let ran = home.joi(&["listen", "--wav", &jfk()]);
        assert_fails_with("joi models fetch whisper-tiny.en", &ran);
    }
}

#[test]
fn without_models_the_start_is_refused_with_the_command_that_brings_them() {
    let mut home = deaf_home();
    home.joi(&["timers", "add", "--name", "tea", "90 minutes"]).well();
    let (models, none) = (models(), home.path("none"));
    home.use_models(&none);
    assert_fails_with("joi models fetch", &home.joi(&["run"]));
    home.use_models(&models);
    let mut joi = Running::start(&mut home.command(&["run"]));
    joi.until("Ctrl-C ends");
    assert!(home.joi(&["timers"]).well().out.contains("tea"));
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn damaged_ears_end_a_conversation_before_it_begins() {
    let cases = [
        (Damage::Gone, "wake-hey-jarvis", "hey_jarvis.tflite", "joi models fetch wake-hey-jarvis"),
        (Damage::Scrambled, "wake-hey-jarvis", "hey_jarvis.tflite", "joi models"),
        (Damage::Halved, "silero-vad", "ggml-silero-v6.2.0.bin", "joi models fetch silero-vad"),
        (Damage::Scrambled, "silero-vad", "ggml-silero-v6.2.0.bin", "joi models"),
    ];
    for (damage, model, file, remedy) in cases {
        let home = home_with(damage, model, file);
        let ran = home.joi(&["hear", "--wav", &conversation(), "--out", &home.arg("out.wav")]);
        assert_fails_with(remedy, &ran);
    }
}

#[test]
fn a_damaged_voice_is_named_with_the_command_that_mends_it() {
    let cases = [
        (Damage::Gone, "voice-joe", "en_US-joe-medium.onnx", "joi models fetch voice-joe"),
        (Damage::Scrambled, "voice-joe", "en_US-joe-medium.onnx", "joi models fetch"),
        (Damage::Scrambled, "voice-joe", "en_US-joe-medium.onnx.json", "joi models fetch"),
        (Damage::Scrambled, "onnxruntime", "libonnxruntime.so", "joi models fetch onnxruntime"),
    ];
    for (damage, model, file, remedy) in cases {
        let home = home_with(damage, model, file);
        // What the language speaks with by itself is replaced by a worse voice, and the remedy told.
        let spoken = home.joi(&["say", "--out", &home.arg("out.wav"), "Hello."]).well();
        assert!(spoken.err.contains("espeak-ng") && spoken.err.contains(remedy), "{spoken:?}");
        // A voice that was chosen is not.
        let named = ["--set", "speak.voice=joe", "say", "--out", &home.arg("out.wav"), "Hello."];
        assert_fails_with(remedy, &home.joi(&named));
    }
}

#[test]
fn without_a_voice_the_answers_are_shown() {
    let mut home = home_with(Damage::Halved, "voice-joe", "en_US-joe-medium.onnx");
    home.set("speak.voice=joe");
    let ran = home.joi(&["hear", "--json", "--wav", &conversation(), "--out", &home.arg("out.wav")]).well();
    assert!(ran.err.contains("she can't speak") && ran.err.contains("joi models fetch voice-joe"), "{ran:?}");
    let first: Value = serde_json::from_str(ran.out.lines().next().expect("a turn")).unwrap();
    assert!(first["reply"].as_str().is_some_and(|reply| reply.starts_with("It's ")), "{first}");
}

// As in the conversation where joi has one, but for the voice
#[test]
fn without_a_voice_no_window_opens_behind_an_answer() {
    let mut home = home_with(Damage::Halved, "voice-joe", "en_US-joe-medium.onnx");
    home.set("speak.voice=joe");
    let called = flite("awb", "hey jarvis, what time is it?");
    let follow_up = flite("awb", "and what day is it today?");
    let talk = [pause(1.5), called, pause(2.2), follow_up, pause(6.0)].concat();
    write_wav(home.arg("talk.wav"), RATE, &talk).expect("a recording");
    let wav = home.arg("talk.wav");
    let ran = home.joi(&["hear", "--json", "--wav", &wav, "--out", &home.arg("out.wav")]).well();
    assert_eq!(ran.out.lines().count(), 1, "{ran:?}");
    assert!(ran.out.contains("It's "), "{ran:?}");
}

#[test]
fn doctor_and_verify_find_what_is_damaged() {
    let home = home_with(Damage::Halved, "silero-vad", "ggml-silero-v6.2.0.bin");
    let ran = home.joi(&["doctor", "--quick", "--json"]);
    let rows: Value = serde_json::from_str(&ran.out).unwrap();
    let is_told = |row: &Value| row["verdict"] == "bad" && row["remedy"] == "joi models fetch silero-vad";
    assert!(ran.code == Some(1) && rows.as_array().is_some_and(|rows| rows.iter().any(is_told)), "{ran:?}");

    let home = home_with(Damage::Scrambled, "silero-vad", "ggml-silero-v6.2.0.bin");
    let ran = home.joi(&["models", "verify", "silero-vad"]);
    assert!(
        ran.code == Some(1) && ran.out.contains("sha256") && ran.out.contains("joi models fetch silero-vad"),
        "{ran:?}"
    );
}

#[test]
fn an_unreadable_recording_is_reported_and_costs_no_earlier_answer() {
    let home = Home::with_model_server(NOBODY);
    let (out, broken) = (home.path("out.wav"), home.arg("broken.wav"));
    fs::write(&out, "an earlier answer").unwrap();
    let header_alone = fs::read(project("tests/data/jfk.wav")).unwrap()[..30].to_vec();
    let cases = [
        (Vec::new(), "is empty; record it again"),
        (b"not a sound, just words".to_vec(), "is not a readable WAV file"),
        (header_alone, "is not a readable WAV file"),
    ];
    for (bytes, sentence) in cases {
        fs::write(&broken, bytes).unwrap();
        assert_fails_with(sentence, &home.joi(&["listen", "--wav", &broken]));
        assert_fails_with(sentence, &home.joi(&["hear", "--wav", &broken, "--out", &home.arg("out.wav")]));
    }
    assert_eq!(fs::read(&out).unwrap(), b"an earlier answer");
    assert_fails_with("check the path", &home.joi(&["listen", "--wav", "/no/such/file.wav"]));
    assert_fails_with("can't be written", &home.joi(&["say", "--out", "/no/such/folder/out.wav", "Hello."]));
}

#[test]
fn recordings_of_any_shape_are_understood() {
    let home = Home::with_model_server(NOBODY);
    let shapes = [(16_000, 8, 1), (96_000, 24, 6)];
    for (rate, bits, channels) in shapes {
        let file = home.arg("shaped.wav");
        let spec = hound::WavSpec {
            channels,
            sample_rate: rate,
            bits_per_sample: bits,
            sample_format: hound::SampleFormat::Int,
        };
        let mut writer = hound::WavWriter::create(&file, spec).unwrap();
        let full = f32::from(i8::MAX) * 2f32.powi(i32::from(bits) - 8);
        for sample in read_wav(jfk(), rate).unwrap() {
            for _ in 0..channels {
                writer.write_sample((sample * full) as i32).unwrap();
            }
        }
        writer.finalize().unwrap();
        let told = home.joi(&["listen", "--wav", &file]).well().out;
        assert!(told.contains("what your country can do for you"), "{bits} bit, {channels} channels: {told}");
    }
}

#[test]
fn a_data_folder_that_cant_be_written_costs_the_memory_only() {
    let mut home = Home::with_model_server(NOBODY);
    let place = home.path("taken");
    fs::write(&place, "a file").unwrap();
    home.use_data(&place);
    let ran = home.joi(&["ask", "what time is it?"]).well();
    assert!(ran.out.starts_with("It's "), "{ran:?}");
    assert!(ran.err.contains("nothing is remembered") && ran.err.contains("JOI_DATA"), "{ran:?}");
    assert_eq!(fs::read(&place).unwrap(), b"a file");
}

#[test]
fn a_damaged_database_is_set_aside_and_kept() {
    let mut home = Home::with_model_server(NOBODY);
    let data = home.path("data");
    fs::create_dir_all(&data).unwrap();
    let damaged = b"this is no database, whatever its name says ".repeat(100);
    fs::write(data.join("joi.db"), &damaged).unwrap();
    home.use_data(&data);
    let ran = home.joi(&["ask", "what time is it?"]).well();
    assert!(ran.err.contains("the database was damaged and is kept as"), "{ran:?}");
    let kept = fs::read_dir(&data).unwrap().any(|entry| fs::read(entry.unwrap().path()).unwrap() == damaged);
    assert!(kept, "not a byte of it is lost");
    let why = home.joi(&["why"]).well();
    assert!(why.out.contains("what time is it?"), "the new one works: {why:?}");
    let told = home.joi(&["doctor", "--quick"]);
    assert!(
        told.out.contains("the database was damaged on") && told.out.contains("--acknowledge"),
        "{told:?}"
    );
    let known = home.joi(&["doctor", "--acknowledge"]).well();
    assert_eq!(known.out, "acknowledged; the damaged file stays where it is\n");
    assert!(!home.joi(&["doctor", "--quick"]).out.contains("was damaged"), "it is not shown again");
    let forgotten = home.joi(&["forget", "--yes"]).well();
    let is_left =
        fs::read_dir(&data).unwrap().any(|entry| fs::read(entry.unwrap().path()).unwrap() == damaged);
    assert!(!is_left, "nobody knows what is in it: {forgotten:?}");
}

#[test]
fn a_line_that_is_no_text_costs_that_line_and_is_reported() {
    let home = Home::with_model_server(NOBODY);
    let lines = [b"what time is it?\n".as_slice(), b"gr\xfc\xdf dich\n", b"what day is it?\n"].concat();
    let ran = home.joi_reading(lines, &["text"]).well();
    assert!(ran.err.contains("line 2 is no UTF-8 text and was left out"), "{ran:?}");
    assert!(ran.out.contains("It's ") && ran.out.lines().count() >= 2, "{ran:?}");
}

#[test]
fn what_a_command_writes_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with_model_server(NOBODY);
    let (spoken, export) = (home.arg("spoken.wav"), home.arg("memory.jsonl"));
    fs::write(&export, "old").unwrap();
    fs::set_permissions(&export, fs::Permissions::from_mode(0o644)).unwrap();
    home.joi(&["say", "--out", &spoken, "Hello."]).well();
    home.joi(&["memory", "export", &export]).well();
    for file in [spoken, export] {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{file}");
    }
}

/// Asks the question with these answers of the model server and short patience.
async fn ask_with(scripts: Vec<Script>) -> Ran {
    ask_of(vec![("sky", scripts)]).await
}

/// The same where the model answers to several words.
async fn ask_of(answers: Vec<(&str, Vec<Script>)>) -> Ran {
    let double = Double::start().await;
    for (about, scripts) in answers {
        double.when(about, scripts);
    }
    let mut home = Home::with_model_server(&double.url);
    home.set("reply.first_word_s=1").set("reply.next_word_s=1");
    // Talk has no tools; here all are in the prompt.
    home.set("tools.router=all");
    let ran = home.joi(&["ask", QUESTION]);
    assert!(!ran.err.contains("panicked"), "{ran:?}");
    let record: Value = serde_json::from_str(&home.joi(&["why", "--json"]).well().out).unwrap();
    assert_eq!(record["heard"], QUESTION, "what was asked is not lost");
    assert_eq!(
        format!("{}\n", record["reply"].as_str().unwrap_or_default()),
        ran.out,
        "nor what was answered"
    );
    ran
}

fn silence() -> Script {
    Script::lines(&[]).then_silence()
}

fn death() -> Script {
    Script::lines(&[]).then_death()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_attempt_that_fails_costs_a_moment() {
    let busy = Script::error(503, "server busy, please try again.  maximum pending requests exceeded");
    for setback in [silence(), death(), busy, Script::error(500, "llama runner process has terminated")] {
        let ran = ask_with(vec![setback, Script::words(ANSWER)]).await;
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), format!("{ANSWER}\n").as_str()), "{ran:?}");
        assert!(ran.err.contains(&said().trouble), "{ran:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_server_that_keeps_failing_is_reported_with_the_remedy() {
    let garbage = Script::body(200, "text/html", "<html>It works!</html>\n");
    let cases = [(silence(), "use a smaller model"), (death(), "; "), (garbage, "; ")];
    for (script, remedy) in cases {
        let ran = ask_with(vec![script]).await;
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (Some(1), format!("{}\n", said().unwell).as_str()),
            "{ran:?}"
        );
        let reason = ran.err.lines().last().unwrap_or_default();
        assert!(reason.contains(remedy), "{ran:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_before_the_end_of_the_server_is_kept() {
    let begun = || Script::first_words("It is the air. It scatters blue light, and then ");
    let error = Script::lines(&[serde_json::json!({ "error": "out of memory" })]);
    for script in [begun().then_silence(), begun().then_death(), begun().then(error)] {
        let ran = ask_with(vec![script]).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.out.starts_with("It is the air. "), "{ran:?}");
        assert!(ran.out.ends_with(&format!("{}\n", said().lost_thread)), "{ran:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_word_of_a_malformed_answer_gets_out() {
    let data = r#"{"city": "Vienna", "degrees": 21, "sky": "clear"}"#;
    let ran = ask_with(vec![Script::words(data)]).await;
    let apology = "Sorry, I got muddled there. Could you ask that in simpler words?\n";
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), apology), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_a_tool_that_does_not_exist_is_reported_to_the_model_and_never_spoken() {
    let call = r#"{"name": "get_weather", "arguments": {"city": "Vienna"}}"#;
    let told = ("no tool get_weather", vec![Script::words("I can't look that up.")]);
    let ran = ask_of(vec![told, ("sky", vec![Script::words(call)])]).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "I can't look that up.\n"), "{ran:?}");
}
