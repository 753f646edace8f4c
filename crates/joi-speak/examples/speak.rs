//! Speaks a sentence into a WAV file, with espeak-ng or, given its files, with a Piper voice.
//!
//! Usage: `cargo run -p joi-speak --example speak -- TEXT OUT.wav [VOICE.onnx LIBONNXRUNTIME.so]`. The text is English.

use std::error::Error;

use joi_audio::write_wav;
use joi_language::Language;
use joi_speak::speakable;
use joi_speak::{EspeakSource, LanguageVoice, PiperFiles, SpeakConfig, VoiceSource};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let espeak_data = std::env::temp_dir().join("joi-example-espeak-ng-data");
    let (text, output, source): (_, _, Box<dyn VoiceSource>) = match arguments.as_slice() {
        [text, output] => (text, output, Box::new(EspeakSource { data: espeak_data, voice: "en-us".into() })),
        [text, output, model, onnxruntime] => {
            let (config, model) = (format!("{model}.json").into(), model.into());
            let files = PiperFiles { model, config, espeak_data, onnxruntime: onnxruntime.into() };
            (text, output, Box::new(files))
        }
        _ => return Err("usage: speak TEXT OUT.wav [VOICE.onnx LIBONNXRUNTIME.so]".into()),
    };
    let (config, language) = (SpeakConfig::default(), Language::load("en")?);
    let mut voice = LanguageVoice::new(source.load(&config.style())?, &language, &config);
    let samples = voice.render(&speakable(text, &language))?;
    write_wav(output, voice.rate(), &samples)?;
    println!("{output}: {:.1} s", samples.len() as f64 / f64::from(voice.rate()));
    Ok(())
}
