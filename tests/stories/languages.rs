//! Other languages over files: what is said to joi by joi's own German voice is heard, understood and answered in
//! the language it was said in. The model's words are scripted.

use std::fs;

use joi_audio::{RATE, read_wav, write_wav};
use serde_json::Value;

use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, NOBODY, project};
use crate::support::speech::{pause, plain};

const ANSWER: &str = "Die Hauptstadt von Frankreich ist Paris.";

/// A home in which German is spoken.
fn german(url: &str) -> Home {
    let mut home = Home::with_model_server(url);
    home.set("language=de").set("hear.stt.model=base").set("speak.speed=0.8333");
    // The machine of a test may be busy with others.
    home.set("hear.stt.second_look_ms=10000");
    home
}

/// `text` in joi's own German voice.
fn own_voice(text: &str) -> Vec<f32> {
    voice_of(&german(NOBODY), text)
}

/// `text` in the voice of a home.
fn voice_of(home: &Home, text: &str) -> Vec<f32> {
    let file = home.arg("said.wav");
    home.joi(&["say", "--out", &file, text]).well();
    read_wav(&file, RATE).unwrap()
}

/// The last words: answers stand in a file one behind the other, however soon the next one came.
fn last_words(samples: &[f32]) -> Vec<f32> {
    let end = samples.iter().rposition(|sample| sample.abs() > 0.01).map_or(0, |last| last + 1);
    let begin = end.saturating_sub(RATE as usize * 13 / 10);
    [&pause(0.3)[..], &samples[begin..end], &pause(0.5)].concat()
}

/// What became of what was said behind the wake phrase.
fn talk(home: &Home, said: Vec<Vec<f32>>, flags: &[&str]) -> Vec<Value> {
    let phrase = read_wav(project("tests/data/hear/phrase.wav"), RATE).unwrap();
    let all = [vec![pause(1.0), phrase, pause(0.6)], said].concat();
    let (file, out) = (home.arg("talk.wav"), home.arg("answers.wav"));
    write_wav(&file, RATE, &all.concat()).unwrap();
    let ran = home.joi(&[&["hear", "--json", "--wav", &file, "--out", &out], flags].concat()).well();
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The only answer to one sentence behind the wake phrase.
fn answer_to(home: &Home, sentence: Vec<f32>) -> String {
    let turns = talk(home, vec![sentence, pause(4.2)], &[]);
    assert_eq!(turns.len(), 1, "{turns:#?}");
    replies(&turns).concat()
}

// Whisper's base model understands joi's own German voice, and other synthetic ones only half of the time
#[tokio::test(flavor = "multi_thread")]
async fn a_timer_a_list_a_memory_and_a_question_are_understood_in_german() {
    let double = Double::start().await;
    double.when("frankreich", vec![Script::words(ANSWER)]);
    let home = german(&double.url);
    assert_eq!(answer_to(&home, own_voice("Timer auf zehn Minuten.")), "Timer, 10 Minuten.");
    let listed = answer_to(&home, own_voice("Füge Tomaten zu der Einkaufsliste hinzu."));
    assert!(listed.contains("Tomaten"), "{listed}");
    let list = home.joi(&["ask", "Was ist auf der Einkaufsliste?"]).well().out;
    assert_eq!(list, "Die Liste Einkauf hat 1 Eintrag: Tomaten.\n");
    let remembered = answer_to(&home, own_voice("Merke dir, dass mein Auto blau ist."));
    assert!(remembered.starts_with("Ich merke mir: dein Auto"), "{remembered}");
    // It is found by its words: the embedded model of meaning knows English only.
    double.when("farbe hat mein auto", vec![Script::words("Dein Auto ist blau.")]);
    assert_eq!(home.joi(&["ask", "Welche Farbe hat mein Auto?"]).well().out, "Dein Auto ist blau.\n");
    let told = double.chats().last().unwrap().to_string();
    assert!(told.contains("[Memory of ") && told.contains("mein Auto blau ist"), "{told}");
    let found = home.joi(&["memory", "search", "Welche Farbe hat mein Auto?"]).well().out;
    assert!(found.lines().any(|row| row.contains("user") && row.contains("mein Auto blau ist")), "{found}");
    assert_eq!(answer_to(&home, own_voice("Was ist die Hauptstadt von Frankreich?")), ANSWER);
    let spoken = plain(&home.joi(&["listen", "--wav", &home.arg("answers.wav")]).well().out);
    assert!(spoken.contains("frankreich"), "{spoken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_german_word_for_stop_silences_her() {
    let double = Double::start().await;
    let long = "Paris liegt an der Seine, und der Fluss teilt die Stadt in zwei Hälften. Dort steht ein hoher Turm aus \
        Eisen, den jeder kennt. In den Gassen riecht es am Morgen nach Brot und Kaffee. Viele Maler haben in dieser Stadt \
        gelebt, und ihre Bilder hängen in großen Häusern. Am Abend gehen die Menschen an das Ufer und schauen auf das \
        Wasser.";
    double.when("frankreich", vec![Script::words(&format!("{long} Und so weiter bis zur Ananas."))]);
    let mut home = german(&double.url);
    home.set("reply.spoken_sentences=50").set("reply.spoken_words=500");
    let question = own_voice("Was ist die Hauptstadt von Frankreich?");
    let turns = talk(&home, vec![question, pause(9.0), own_voice("Stopp."), pause(4.0)], &["--realtime"]);
    assert_eq!(turns.len(), 1, "{turns:#?}");
    let reply = turns[0]["reply"].as_str().expect("words");
    assert!(long.starts_with(reply) && reply.len() < long.len() - 60, "only what was heard: {reply:?}");
    let spoken = plain(&home.joi(&["listen", "--wav", &home.arg("answers.wav")]).well().out);
    assert!(!spoken.contains("ananas"), "{spoken}");
}

/// What was answered, one turn after the other.
fn replies(turns: &[Value]) -> Vec<&str> {
    turns.iter().filter_map(|turn| turn["reply"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn she_answers_in_the_language_that_was_spoken_and_in_its_voice() {
    let double = Double::start().await;
    let mut both = Home::with_model_server(&double.url);
    both.set("language=auto").set("hear.stt.model=base").set("hear.stt.second_look_ms=10000");
    let english = Home::with_model_server(NOBODY);
    let phrase = read_wav(project("tests/data/hear/phrase.wav"), RATE).unwrap();
    let asked = vec![
        // Whisper takes most other sentences of this voice for English.
        own_voice("Füge Tomaten zu der Einkaufsliste hinzu."),
        pause(4.2),
        phrase,
        pause(0.6),
        voice_of(&english, "Set a timer for ten minutes."),
        pause(4.2),
    ];
    let turns = talk(&both, asked, &[]);
    let replies = replies(&turns);
    assert_eq!(replies, ["Tomaten steht auf der Liste Einkauf.", "Timer, 10 minutes."], "{turns:#?}");
    // A German voice reads "10" as "zehn".
    let answers = read_wav(both.arg("answers.wav"), RATE).unwrap();
    let file = english.arg("last.wav");
    write_wav(&file, RATE, &last_words(&answers)).unwrap();
    let spoken = plain(&english.joi(&["listen", "--wav", &file]).well().out);
    assert!(spoken.contains("ten minutes") || spoken.contains("10 minutes"), "{spoken}");
}

#[test]
fn the_doctor_says_that_the_stand_in_for_a_german_voice_is_plainly_worse() {
    // All models of this machine but the voice.
    let mut home = german(NOBODY);
    let models = home.path("models");
    fs::create_dir(&models).unwrap();
    for entry in fs::read_dir(crate::support::program::models()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "voice-thorsten" {
            std::os::unix::fs::symlink(entry.path(), models.join(entry.file_name())).unwrap();
        }
    }
    home.use_models(&models);
    let told = home.joi(&["doctor", "--quick", "--json"]);
    let rows: Value = serde_json::from_str(&told.out).unwrap_or_else(|error| panic!("{error}: {told:?}"));
    let voice = rows.as_array().unwrap().iter().find(|row| row["what"] == "voice").expect("a row");
    assert_eq!(voice["verdict"], "fair", "{voice}");
    let says = voice["told"].as_str().unwrap();
    assert!(says.starts_with("espeak-ng de") && says.contains("plainly worse"), "{voice}");
    assert!(voice["remedy"].as_str().is_some_and(|remedy| remedy.contains("models fetch")), "{voice}");
}

#[test]
fn she_answers_in_the_language_that_was_written() {
    let mut home = Home::with_model_server(NOBODY);
    home.set("language=auto").set("hear.stt.model=base");
    for (asked, told) in [
        ("Set a timer for ten minutes.", "Timer, 10 minutes.\n"),
        ("Stell einen Timer auf fünf Minuten.", "Timer, 5 Minuten.\n"),
        ("Set a timer for twenty minutes.", "Timer, 20 minutes.\n"),
    ] {
        assert_eq!(home.joi(&["ask", asked]).well().out, told);
    }
}

#[test]
fn a_language_of_files_is_understood_and_spoken() {
    let mut home = Home::with_model_server(NOBODY);
    let folder = home.path("config/joi/languages/fr");
    fs::create_dir_all(&folder).unwrap();
    for file in fs::read_dir(project("assets/language/fr")).unwrap() {
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
