//! Transcribes an English WAV file with a whisper model.
//!
//! Usage: `cargo run -p joi-hear --example transcribe -- MODEL.bin IN.wav`, with a ggml model such as tiny.en.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use joi_audio::{RATE, read_wav};
use joi_hear::pieces;
use joi_hear::whisper::{SttConfig, Whisper};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, input] = arguments.as_slice() else {
        return Err("usage: transcribe MODEL.bin IN.wav".into());
    };
    let config = SttConfig { language: "en".into(), ..SttConfig::default() };
    let mut whisper = Whisper::load(model.as_ref(), &config)?;
    let samples = read_wav(input, RATE)?;
    // Whisper takes 30 s at most.
    for piece in pieces(&samples) {
        println!("{}", whisper.transcribe(piece, &AtomicBool::new(false))?.text);
    }
    Ok(())
}
