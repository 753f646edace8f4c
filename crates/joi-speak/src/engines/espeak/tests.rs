use std::fs;

use super::*;

/// espeak-ng on its own data, in a folder of this process.
fn english() -> Phonemizer {
    let folder = crate::testing::espeak_data();
    Phonemizer::open(&folder, "en-us").unwrap()
}

#[test]
fn phonemes_equal_those_of_piper_tts_on_every_stored_sentence() {
    let stored = fs::read_to_string("../../tests/data/piper_phonemes.tsv").unwrap();
    let english = english();
    let mut sentences = 0;
    for line in stored.lines().filter(|line| !line.starts_with('#')) {
        let (text, expected) = line.split_once('\t').unwrap();
        let phonemes = english.sentences(text).unwrap().join("|");
        // piper-tts brings a newer espeak-ng, which writes a glide that the voice never learned.
        assert_eq!(phonemes, expected.replace('ʲ', ""), "{text}");
        sentences += 1;
    }
    assert!(sentences >= 200, "{sentences}");
}

#[test]
fn text_without_a_word_gives_nothing_and_odd_text_does_no_harm() {
    let english = english();
    for silent in ["", " ", "...", "?!", "\0\0", "—", "\u{200d}\u{fe0f}"] {
        assert_eq!(english.sentences(silent).unwrap(), [] as [&str; 0], "{silent:?}");
    }
    let long = "a rather long sentence without any end ".repeat(2000);
    let words: usize = english.sentences(&long).unwrap().iter().map(|s| s.split(' ').count()).sum();
    assert!(words > 13_000, "{words}");
    let _ = english.sentences(&"x".repeat(20_000)).unwrap();
    let _ = english.sentences(&"é中🙂".repeat(3000)).unwrap();
}

#[test]
fn an_unknown_voice_is_an_error_and_the_known_one_goes_on() {
    let english = english();
    let folder = crate::testing::espeak_data();
    let error = Phonemizer::open(&folder, "xx-nowhere").unwrap_err();
    assert_eq!(
        error.to_string(),
        "espeak-ng has no voice xx-nowhere; choose a voice of another language with speak.voice"
    );
    assert_eq!(english.sentences("Hi.").unwrap(), ["hˈaɪ."]);
}

#[test]
fn data_is_installed_whole_and_mended_when_it_was_damaged() {
    let folder = tempfile::tempdir().unwrap();
    data::install(folder.path()).unwrap();
    let phontab = fs::read(folder.path().join("phontab")).unwrap();
    fs::write(folder.path().join("phontab"), b"cut short").unwrap();
    fs::remove_file(folder.path().join("lang/gmw/en-US")).unwrap();
    data::install(folder.path()).unwrap();
    assert_eq!(fs::read(folder.path().join("phontab")).unwrap(), phontab);
    assert!(folder.path().join("lang/gmw/en-US").is_file());

    let blocked = folder.path().join("phontab/inside-a-file");
    assert!(data::install(&blocked).is_err());
}
