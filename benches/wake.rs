//! How well and how cheaply the wake engine hears: misses, false alarms, CPU time per hour of audio.
//!
//! `cargo bench --bench wake`. Voices are espeak-ng's and flite's (both must be installed, and sox), none
//! of them the one she speaks with. Times are CPU time of this thread, so a busy machine changes little;
//! compare figures of one run only.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use joi_hear::vad::{FRAME, Vad, VadConfig};
use joi_hear::wake::{MicroWake, STOCK, StockPhrase, WakeConfig, WakeDetector, WakePhrase};

type Failure = Box<dyn std::error::Error>;

/// How espeak-ng and flite are to say it: voice, words per minute or stretch.
const ESPEAK: [(&str, u32); 14] = [
    ("en-us", 135),
    ("en-us", 165),
    ("en-us+f2", 135),
    ("en-us+f2", 165),
    ("en-us+m3", 135),
    ("en-us+m3", 165),
    ("en-us+f4", 135),
    ("en-us+f4", 165),
    ("en-us+m7", 135),
    ("en-us+m7", 165),
    ("en-gb+m3", 150),
    ("en-gb+f3", 150),
    ("en-gb-scotland", 150),
    ("en-gb-x-rp+f1", 150),
];
const FLITE: [(&str, f32); 7] =
    [("rms", 1.0), ("slt", 1.0), ("awb", 1.0), ("kal16", 1.0), ("slt", 1.2), ("rms", 0.85), ("awb", 1.15)];

/// The phrases as the synthesisers must be told to say them, in the order of `STOCK`.
const SAID: [&str; 4] = ["hey jarvis", "alexa", "hey my croft", "okay nah boo"];

/// Ordinary talk: any detection in it is a false alarm.
const TALK: [&str; 20] = [
    "What time is the train to Oxford tomorrow morning?",
    "She said that the garden needs more water in July.",
    "I never thought the service there was any good.",
    "Hey, have you seen my other shoe anywhere?",
    "They played a lot of jazz at the harvest festival.",
    "Okay, now look at the map and tell me where we are.",
    "My neighbour keeps bees and sells the honey in spring.",
    "The microphone was left in the rain over night.",
    "Could you pass me the salt, please, and the pepper?",
    "A lecture about the history of the alphabet.",
    "We should really call your mother this weekend.",
    "The film begins at eight, so let us leave at seven.",
    "Hey everybody, dinner is ready!",
    "Nobody knew why the lights in the hall went out.",
    "He elected to stay at home and read a book instead.",
    "Turn left at the church and then it is on your right.",
    "The price of coffee has gone up again, has it not?",
    "Okay, no problem, I will be there in a minute.",
    "The cat slept on the warm roof of the car all day.",
    "Please remember to lock the back door when you go.",
];
/// Talk that sounds like a phrase.
const NEAR: [&str; 10] = [
    "hey travis",
    "hey jasmine",
    "hey harvest moon",
    "alexis",
    "a lexus",
    "electra",
    "hey microsoft",
    "hey my cousin",
    "okay now boost it",
    "okay nobody",
];

fn main() -> Result<(), Failure> {
    let voices = ESPEAK.len() + FLITE.len();
    println!("{voices} synthetic voices; room noise, and the same at a signal-to-noise ratio of 10 dB\n");
    println!("{:12} {:>16} {:>16} {:>16}", "phrase", "misses alone", "misses in talk", "misses 10 dB");
    for (stock, said) in STOCK.iter().zip(SAID) {
        let talk = format!("{said}, what time is it?");
        let alone = clips(&[said])?;
        let cells = [
            missed(stock, &alone, -60.0)?,
            missed(stock, &clips(&[&talk])?, -60.0)?,
            missed(stock, &alone, -10.0)?,
        ];
        let [a, b, c] = cells.map(|missed| format!("{missed} of {voices}"));
        println!("{:12} {a:>16} {b:>16} {c:>16}", stock.phrase);
    }
    let (talk, near) = (stream(&clips(&TALK)?), stream(&clips(&NEAR)?));
    println!(
        "\n{:12} {:>24} {:>24}",
        "phrase",
        minutes("false in talk", &talk),
        minutes("false in near", &near)
    );
    for stock in &STOCK {
        let [a, b] = [alarms(stock, &talk)?, alarms(stock, &near)?];
        println!("{:12} {a:>24} {b:>24}", stock.phrase);
    }
    cost(&talk)
}

fn minutes(what: &str, samples: &[f32]) -> String {
    format!("{what} ({:.0} min)", samples.len() as f64 / 16_000.0 / 60.0)
}

/// CPU seconds per hour of audio.
fn cost(samples: &[f32]) -> Result<(), Failure> {
    let hours = samples.len() as f64 / 16_000.0 / 3600.0;
    println!("\nCPU seconds per hour of audio");
    for stock in &STOCK {
        let mut detector = detector(stock)?;
        let start = cpu_seconds()?;
        std::hint::black_box(samples.chunks(FRAME).filter_map(|c| detector.feed(c, 0)).count());
        println!("{:24} {:>6.2}", stock.phrase, (cpu_seconds()? - start) / hours);
    }
    let mut vad = Vad::load(&model("silero-vad", "ggml-silero-v6.2.0.bin")?, &VadConfig::default())?;
    let start = cpu_seconds()?;
    std::hint::black_box(samples.as_chunks().0.iter().filter(|f| vad.is_voiced(f)).count());
    println!("{:24} {:>6.2}", "voice activity (open)", (cpu_seconds()? - start) / hours);
    Ok(())
}

/// CPU time of this thread.
fn cpu_seconds() -> Result<f64, Failure> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().ok_or("no time in schedstat")?;
    Ok(nanoseconds.parse::<f64>()? / 1e9)
}

fn detector(stock: &StockPhrase) -> Result<MicroWake, Failure> {
    let phrase = WakePhrase::new(stock.phrase);
    Ok(MicroWake::load(&model(stock.model, stock.file)?, &phrase, &WakeConfig::default())?)
}

fn model(name: &str, file: &str) -> Result<PathBuf, Failure> {
    let models = std::env::var_os("JOI_MODELS").map(PathBuf::from);
    let cache = || std::env::var_os("XDG_CACHE_HOME").map(|c| Path::new(&c).join("joi/models"));
    let home = || std::env::var_os("HOME").map(|h| Path::new(&h).join(".cache/joi/models"));
    Ok(models.or_else(cache).or_else(home).ok_or("HOME is not set")?.join(name).join(file))
}

fn missed(stock: &StockPhrase, clips: &[Vec<f32>], noise_db: f32) -> Result<usize, Failure> {
    let mut detector = detector(stock)?;
    let mut missed = 0;
    for clip in clips {
        detector.reset();
        let mut sound = [vec![0.0; 32_000], clip.clone(), vec![0.0; 24_000]].concat();
        add_noise(&mut sound, level(clip) * 10f32.powf(noise_db / 20.0));
        let heard = sound.chunks(FRAME).any(|c| detector.feed(c, 32_000).is_some());
        missed += usize::from(!heard);
    }
    Ok(missed)
}

fn alarms(stock: &StockPhrase, samples: &[f32]) -> Result<usize, Failure> {
    let mut detector = detector(stock)?;
    let chunks = samples.chunks(FRAME).zip((0..).step_by(FRAME));
    Ok(chunks.filter_map(|(c, at)| detector.feed(c, at)).count())
}

fn level(clip: &[f32]) -> f32 {
    (clip.iter().map(|s| s * s).sum::<f32>() / clip.len().max(1) as f32).sqrt()
}

fn add_noise(samples: &mut [f32], level: f32) {
    let mut random = fastrand::Rng::with_seed(1);
    let mut brown = 0.0;
    for sample in samples {
        brown = 0.95 * brown + 0.31 * (random.f32() * 2.0 - 1.0);
        *sample += brown * level * 1.7;
    }
}

/// All clips after each other, a second apart.
fn stream(clips: &[Vec<f32>]) -> Vec<f32> {
    let mut stream: Vec<f32> = clips.iter().flat_map(|c| c.iter().copied().chain([0.0; 16_000])).collect();
    add_noise(&mut stream, 5e-4);
    stream
}

/// Every text in every voice.
fn clips(texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
    let mut clips = Vec::new();
    for text in texts {
        for (voice, speed) in ESPEAK {
            let speed = speed.to_string();
            clips.push(say("espeak-ng", &["-v", voice, "-s", &speed, "--stdout", text])?);
        }
        for (voice, stretch) in FLITE {
            let stretch = format!("duration_stretch={stretch}");
            clips
                .push(say("flite", &["-voice", voice, "--setf", &stretch, "-t", text, "-o", "/dev/stdout"])?);
        }
    }
    Ok(clips)
}

/// The speech of a synthesiser, as 16 kHz samples at −6 dB, trimmed.
fn say(program: &str, arguments: &[&str]) -> Result<Vec<f32>, Failure> {
    let wav = Command::new(program).args(arguments).stdin(Stdio::null()).output()?.stdout;
    let file = std::env::temp_dir().join(format!("joi-bench-{}.wav", std::process::id()));
    std::fs::write(&file, wav)?;
    let trim = ["silence", "1", "0.01", "0.5%", "reverse"];
    let raw = Command::new("sox")
        .args(["-V1", "--ignore-length"])
        .arg(&file)
        .args(["-r", "16000", "-c", "1", "-b", "16", "-e", "signed", "-t", "raw", "-", "norm", "-6"])
        .args(trim)
        .args(trim)
        .output()?
        .stdout;
    std::fs::remove_file(&file)?;
    if raw.is_empty() {
        return Err(format!("{program} said nothing: is it installed, and sox?").into());
    }
    Ok(raw.as_chunks().0.iter().map(|&b| f32::from(i16::from_le_bytes(b)) / 32768.0).collect())
}
