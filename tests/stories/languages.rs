//! Other languages over files: what is said to her by espeak-ng and by her own German voice is heard, understood and
//! answered in the language it was said in. The model's words are scripted.

use std::fs;

use joi::audio::{RATE, read_wav, write_wav};
use serde_json::Value;

use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, NOBODY, project};
use crate::support::speech::{espeak, flite, pause, plain};

const ANSWER: &str = "Die Hauptstadt von Frankreich ist Paris.";

/// A home in which German is spoken.
fn german(url: &str) -> Home {
    let mut home = Home::with_model_server(url);
    home.set("language=de").set("hear.stt.model=base").set("speak.length_scale=1.2");
    // The machine of a test may be busy with others.
    home.set("hear.stt.second_look_ms=10000");
    home
}

/// `text` in her own German voice.
fn own_voice(text: &str) -> Vec<f32> {
    let home = german(NOBODY);
    let file = home.arg("said.wav");
    home.joi(&["say", "--out", &file, text]).well();
    read_wav(&file, RATE).unwrap()
}

/// What became of these sentences, said one after the other's answer, the first behind the wake phrase.
fn talk(home: &Home, sentences: &[Vec<f32>], flags: &[&str]) -> Vec<Value> {
    let phrase = read_wav(project("tests/data/hear/phrase.wav"), RATE).unwrap();
    let mut all = vec![pause(1.0), phrase, pause(0.6)];
    for sentence in sentences {
        all.extend([sentence.clone(), pause(2.2)]);
    }
    all.push(pause(2.0));
    let (file, out) = (home.arg("talk.wav"), home.arg("answers.wav"));
    write_wav(&file, RATE, &all.concat()).unwrap();
    let ran = home.joi(&[&["hear", "--json", "--wav", &file, "--out", &out], flags].concat()).well();
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Timer, list, memory and question, said by `say`.
async fn a_day_in_german(say: fn(&str) -> Vec<f32>) {
    let double = Double::start().await;
    double.when("Frankreich", vec![Script::words(ANSWER)]);
    let home = german(&double.url);
    home.joi(&["ask", "Setz Milch auf die Einkaufsliste."]).well();
    let turns = talk(&home, &["Timer auf zehn Minuten.", "Was ist auf der Einkaufsliste?"].map(say), &[]);
    let told = replies(&turns);
    assert_eq!((told.len(), told[0]), (2, "Timer, 10 Minuten."), "{turns:#?}");
    assert!(told[1].contains("Liste Einkauf") && told[1].contains("Milch"), "{turns:#?}");

    let said = ["Merke dir, dass mein Auto blau ist.", "Was ist die Hauptstadt von Frankreich?"];
    let turns = talk(&home, &said.map(say), &[]);
    let told = replies(&turns);
    assert_eq!((told.len(), told[1]), (2, ANSWER), "{turns:#?}");
    assert!(told[0].starts_with("Ich merke mir: dein Auto"), "{turns:#?}");
    let spoken = plain(&home.joi(&["listen", "--wav", &home.arg("answers.wav")]).well().out);
    assert!(spoken.contains("auto") && spoken.contains("frankreich"), "{spoken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn espeak_ng_is_understood_in_german() {
    a_day_in_german(|text| espeak("de", text)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn her_own_german_voice_is_understood_in_german() {
    a_day_in_german(own_voice).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_german_word_silences_her() {
    let double = Double::start().await;
    let answer = "Blaues Licht wird von der Luft viel stärker gestreut als rotes. ".repeat(6);
    double.when("Frankreich", vec![Script::words(&format!("{answer}Und so weiter bis zur Ananas."))]);
    let home = german(&double.url);
    let question =
        [espeak("de", "Was ist die Hauptstadt von Frankreich?"), pause(9.0), espeak("de", "Stopp!")].concat();
    let turns = talk(&home, &[question], &["--realtime"]);
    let [turn] = &turns[..] else { panic!("one turn: {turns:?}") };
    let flow = turn["decisions"].as_array().unwrap().iter().rfind(|d| d["stage"] == "flow").unwrap();
    assert_eq!(flow["verdict"], "stopped", "{turn}");
    let reply = turn["reply"].as_str().unwrap();
    assert!(answer.starts_with(reply) && reply.len() < answer.len() - 60, "only what was heard: {reply:?}");
}

/// What was answered, one turn after the other.
fn replies(turns: &[Value]) -> Vec<&str> {
    turns.iter().filter_map(|turn| turn["reply"].as_str()).collect()
}

#[test]
fn she_answers_in_the_language_that_was_spoken() {
    let mut home = Home::with_model_server(NOBODY);
    home.set("language=auto").set("hear.stt.model=base").set("speak.variation=0");
    let said = [flite("slt", "set a timer for ten minutes"), espeak("de", "Timer auf fünf Minuten.")];
    let turns = talk(&home, &said, &[]);
    assert_eq!(replies(&turns), ["Timer, 10 minutes.", "Timer, 5 Minuten."], "{turns:#?}");
}

#[test]
fn a_language_of_files_is_understood_and_spoken() {
    let mut home = Home::with_model_server(NOBODY);
    let folder = home.path("config/joi/languages/fr");
    fs::create_dir_all(&folder).unwrap();
    for file in fs::read_dir(project("tests/data/language/fr")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    home.set("language=fr").set("hear.stt.model=base");
    let asked = home.joi(&["ask", "Mets un minuteur de dix minutes."]).well();
    assert_eq!(asked.out.trim(), "Minuteur, 10 minutes.");
    let file = home.arg("said.wav");
    home.joi(&["say", "--out", &file, "Le minuteur de dix minutes sonne."]).well();
    let spoken = read_wav(&file, RATE).unwrap();
    assert!(spoken.len() > RATE as usize && spoken.iter().any(|sample| sample.abs() > 0.05));
}
