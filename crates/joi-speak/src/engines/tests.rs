use std::path::{Path, PathBuf};

use super::*;
use crate::testing::{espeak_data, files};
use joi_language::testing::{english, german};

/// The models of this machine but `missing`.
fn model(name: &str, missing: &str) -> Result<PathBuf, String> {
    match name {
        _ if name == missing => Err(format!("the model {name} is not there")),
        "onnxruntime" => Ok(files().onnxruntime),
        "voice-joe" | "voice-thorsten" => Ok(files().model),
        _ => Err(format!("there is no model {name}")),
    }
}

fn chosen(voice: &str, language: &Language, missing: &str) -> Result<VoiceChoice, String> {
    let config = SpeakConfig { voice: voice.into(), ..SpeakConfig::default() };
    let places = VoicePlaces { espeak_data: espeak_data(), model: &|name| model(name, missing) };
    choose_voice(&config, language, &places).map_err(|error| error.to_string())
}

#[test]
fn the_best_voice_there_is_speaks_and_a_configured_one_is_not_replaced() {
    let choice =
        |name: &str, lack: Option<&str>| Ok(VoiceChoice { name: name.into(), lack: lack.map(str::to_owned) });
    for (voice, missing, expected) in [
        ("auto", "", choice("joe", None)),
        ("piper", "", choice("joe", None)),
        ("espeak", "", choice("espeak-ng en-us", None)),
        ("thorsten", "", choice("thorsten", None)),
        ("auto", "voice-joe", choice("espeak-ng en-us", Some("the model voice-joe is not there"))),
        ("auto", "onnxruntime", choice("espeak-ng en-us", Some("the model onnxruntime is not there"))),
        ("espeak", "onnxruntime", choice("espeak-ng en-us", None)),
        ("piper", "voice-joe", Err("the model voice-joe is not there".into())),
        ("joe", "voice-joe", Err("the model voice-joe is not there".into())),
        ("nobody", "", Err("there is no model voice-nobody".into())),
    ] {
        assert_eq!(chosen(voice, english(), missing), expected, "{voice} without {missing}");
    }
    assert_eq!(chosen("auto", german(), ""), choice("thorsten", None));
}

#[test]
fn a_model_that_was_not_fetched_is_missed_where_no_other_one_speaks() {
    let (missing, damaged) = (
        || SpeakError::NotFetched("no voice-best".into()),
        || SpeakError::model(Path::new("best.onnx"), &"truncated"),
    );
    assert_eq!(lack_of(&[missing()], true), None);
    assert_eq!(lack_of(&[missing()], false).as_deref(), Some("no voice-best"));
    assert!(lack_of(&[damaged(), missing()], true).is_some_and(|lack| lack.contains("truncated")));
    assert_eq!(lack_of(&[], false), None);
}

/// A language of the owner's with this `voice.toml`.
fn french(voices: &str) -> Language {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("fr");
    std::fs::create_dir(&own).unwrap();
    std::fs::copy("../../assets/language/en/commands.toml", own.join("commands.toml")).unwrap();
    std::fs::write(own.join("voice.toml"), voices).unwrap();
    joi_language::LanguageLibrary::with_folder(folder.path()).load("fr").unwrap()
}

#[test]
fn a_language_without_a_better_voice_is_spoken_by_the_last_engine() {
    let choice = chosen("auto", &french(""), "").unwrap();
    assert_eq!(choice.name, "espeak-ng fr");
    let remark = choice.remark().unwrap();
    assert!(remark.contains("there is no better voice for \"fr\" here"), "{remark}");
    let error = chosen("piper", &french(""), "").unwrap_err();
    assert_eq!(error, "the language \"fr\" has no voice of piper; set speak.voice = \"auto\"");
    let error = chosen("auto", &french("pipper = \"siwis\""), "").unwrap_err();
    assert!(error.ends_with(&format!("\"pipper\"; allowed: {}", engine_names())), "{error}");
}

#[test]
fn a_voice_that_fails_to_load_is_replaced_and_both_engines_say_what_they_speak() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("voice.onnx");
    std::fs::write(&damaged, "").unwrap();
    std::fs::copy(files().config, folder.path().join("voice.onnx.json")).unwrap();
    let load = |voice: &str, joe: PathBuf| {
        let find = |name: &str| if name == "voice-joe" { Ok(joe.clone()) } else { model(name, "") };
        let places = VoicePlaces { espeak_data: espeak_data(), model: &find };
        load_voice(&SpeakConfig { voice: voice.into(), ..SpeakConfig::default() }, english(), &places)
    };
    let (mut voice, choice) = load("auto", damaged.clone()).unwrap();
    assert!(choice.name == "espeak-ng en-us" && choice.lack.unwrap().contains("joi models fetch"));
    assert_eq!((voice.voice.languages(), voice.rate()), (&["en".into()][..], 22_050));
    assert!(!voice.render("Hello.").unwrap().is_empty());
    assert!(matches!(load("joe", damaged), Err(SpeakError::Model { .. })));
    let (voice, choice) = load("auto", files().model).unwrap();
    assert_eq!((voice.voice.languages(), choice.lack), (&["en".into()][..], None));
}

#[test]
fn a_model_no_engine_reads_is_refused_and_further_languages_have_voices_of_their_own() {
    let config = |voice: &str| SpeakConfig { voice: voice.into(), ..SpeakConfig::default() };
    let places = VoicePlaces { espeak_data: espeak_data(), model: &|_| Ok("/nowhere/voice.bin".into()) };
    let error = choose_voice(&config("other"), english(), &places).unwrap_err();
    assert!(error.to_string().contains("no speech engine reads it"), "{error}");
    assert_eq!(
        ["auto", "espeak", "joe"].map(|voice| config(voice).voice_of_others()),
        ["auto", "espeak", "auto"]
    );
    assert_eq!(["auto", "espeak"].map(|voice| config(voice).model()), [None, None]);
    assert_eq!(config("joe").model().as_deref(), Some("voice-joe"));
    assert_eq!(
        ["auto", "piper", "espeak", "joe"].map(|voice| config(voice).needs_no_model()),
        [false, false, true, false]
    );
}
