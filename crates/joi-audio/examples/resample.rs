//! Converts a WAV file to mono 16-bit PCM at another sample rate.
//!
//! Usage: `cargo run -p joi-audio --example resample -- IN.wav OUT.wav RATE`, with the rate in Hz (1000 to 768000).

use std::error::Error;

use joi_audio::{read_wav, write_wav};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output, rate] = arguments.as_slice() else {
        return Err("usage: resample IN.wav OUT.wav RATE".into());
    };
    let rate: u32 = rate.parse()?;
    let samples = read_wav(input, rate)?;
    write_wav(output, rate, &samples)?;
    println!("{output}: {} samples at {rate} Hz", samples.len());
    Ok(())
}
