//! The thread of the ears with the real models: words behind a pause, several streams at once, wake phrases.

use joi_audio::read_wav;
use joi_hear::HearConfig;
use joi_hear::testing::{model, quiet, wav};
use joi_hear::wake::{MicroWake, STOCK, WakePhrase};
use joi_hear::whisper::{Stt, SttConfig, Whisper};

use super::*;

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(120);

/// The ears, and the thread of their model.
fn ears() -> (SatelliteEars, Stt) {
    let config = SttConfig { threads: 1, ..SttConfig::default() };
    let whisper = Whisper::load(&model("whisper-tiny.en", "ggml-tiny.en-q8_0.bin"), &config).unwrap();
    let (stt, _) = Stt::spawn(whisper, Heart::unwatched()).unwrap();
    let lender = stt.lender();
    (SatelliteEars::spawn(move || models(lender), Heart::unwatched()).unwrap(), stt)
}

fn models(lender: Lender) -> EarModels {
    let vad = || {
        let model = model("silero-vad", "ggml-silero-v6.2.0.bin");
        Vad::load(&model, &HearConfig::default().vad).map_err(|error| error.to_string())
    };
    let listener = move |_: &[String]| {
        let (config, stock) = (HearConfig::default(), STOCK[0]);
        let phrase = WakePhrase::new(stock.phrase);
        let detector = MicroWake::load(&model(stock.model, stock.file), &phrase, &config.wake);
        let detector = detector.map_err(|error| error.to_string())?;
        Ok(Listener::new(&config, vec![Box::new(detector)], vad()?))
    };
    EarModels { vad: Box::new(vad), listener: Box::new(listener), lender, trust: HearConfig::default().trust }
}

fn jfk() -> Vec<f32> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/jfk.wav");
    read_wav(file, joi_audio::RATE).unwrap()
}

async fn say(stream: &EarStream, samples: &[f32]) {
    for chunk in samples.chunks(1_024) {
        stream.sound(chunk.to_vec(), None).await;
    }
}

async fn reply(stream: &mut EarStream) -> Option<EarReply> {
    tokio::time::timeout(FOR_EVER, stream.reply()).await.unwrap()
}

/// The words of a stream to its end, piece by piece.
async fn words(stream: &mut EarStream) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        match reply(stream).await {
            Some(EarReply::Words(Private(words))) => all.push(words),
            Some(EarReply::Transcribed(_)) => return all,
            other => panic!("{other:?} behind {all:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_before_a_pause_are_there_while_the_speaker_goes_on_and_none_is_lost() {
    let (ears, _stt) = ears();
    let mut stream = ears.open(EarTask::Transcribe).await.unwrap();
    say(&stream, &[quiet(0.5), wav("question.wav"), quiet(2.5)].concat()).await;
    let Some(EarReply::Words(Private(first))) = reply(&mut stream).await else { panic!("no words") };
    assert!(first.to_lowercase().contains("time"), "{first}");
    say(&stream, &jfk()).await;
    stream.finish().await;
    let rest = words(&mut stream).await.concat();
    assert!(rest.starts_with(' '), "{rest:?}");
    let plain = rest.to_lowercase().replace(',', "");
    assert!(plain.contains("fellow americans") && plain.ends_with("do for your country."), "{rest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_at_the_same_time_each_get_their_own_words_and_silence_has_none() {
    let (ears, _stt) = ears();
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(ears.open(EarTask::Transcribe).await.unwrap());
    }
    let (jfk, question) = (jfk(), [quiet(0.3), wav("question.wav")].concat());
    let said = [&jfk, &question, &quiet(3.0), &question];
    for (stream, said) in streams.iter().zip(said) {
        say(stream, said).await;
        stream.finish().await;
    }
    let mut heard = Vec::new();
    for stream in &mut streams {
        heard.push(words(stream).await.concat().to_lowercase());
    }
    assert!(heard[0].contains("country"), "{heard:?}");
    assert!(heard[1].contains("time") && heard[1] == heard[3], "{heard:?}");
    assert_eq!(heard[2], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wake_phrase_is_heard_again_and_again_in_a_stream_beside_a_transcription() {
    let (ears, _stt) = ears();
    let mut other = ears.open(EarTask::Transcribe).await.unwrap();
    say(&other, &jfk()).await;
    other.finish().await;
    let mut stream = ears.open(EarTask::Detect(vec!["hey jarvis".into()])).await.unwrap();
    for round in 1..=2 {
        say(&stream, &[quiet(2.0), wav("phrase.wav"), quiet(1.0)].concat()).await;
        let Some(EarReply::Detected { phrase, .. }) = reply(&mut stream).await else {
            panic!("round {round}")
        };
        assert_eq!(phrase, "hey jarvis");
    }
    stream.finish().await;
    assert_eq!(reply(&mut stream).await, Some(EarReply::Listened));
    assert_eq!(reply(&mut stream).await, None);
    assert!(words(&mut other).await.concat().contains("country"));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_a_stream_fails_with_a_reason() {
    let (ears, stt) = ears();
    drop(stt);
    let mut stream = ears.open(EarTask::Transcribe).await.unwrap();
    say(&stream, &jfk()).await;
    stream.finish().await;
    let Some(EarReply::Failed(why)) = reply(&mut stream).await else { panic!("it went on") };
    assert!(why.contains("speech model"), "{why}");
}
