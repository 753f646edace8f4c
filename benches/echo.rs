//! How well her own voice is taken out of the microphone, in rooms made by seed: `cargo bench --bench echo`.
//!
//! She speaks with her own voice; flite talkers say "stop" over her at several levels below her echo.
//! Told are the echo's reduction, voices the detector finds where nobody talks, words whisper still
//! understands, and CPU time of this thread. Needs the models (`joi models fetch`) and flite.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use joi_audio::{
    AudioSource, EchoCancel, EchoCancelled, EchoReference, EchoReport, RATE, SourceEvent, read_wav, resample,
};
use joi_hear::vad::{FRAME, Vad, VadConfig};
use joi_hear::whisper::{SttConfig, Whisper};
use joi_language::Language;
use joi_speak::{LanguageVoice, PiperFiles, SpeakConfig, VoiceSource};

type Failure = Box<dyn std::error::Error>;

const RATE_F: f32 = RATE as f32;
/// Length of a scene in seconds.
const SCENE: usize = 22;
/// When somebody says "stop", in seconds.
const STOPS: [f32; 4] = [8.0, 11.5, 15.0, 18.5];
const TALKERS: [&str; 4] = ["slt", "rms", "awb", "kal16"];
/// The echo's level at the microphone, in dBFS.
const ECHO_DB: f32 = -28.0;

const SPEECH: &str = "The moon is about three hundred and eighty thousand kilometres away from us. It goes round the \
                      earth once in about twenty seven days, and it always shows us the same side. People have \
                      walked on it six times, the last of them in the year nineteen seventy two. They brought \
                      back nearly four hundred kilograms of rock, and much of it has never been opened since. \
                      Its light is only the light of the sun, which takes a little more than a second to come here.";

/// A room with a loudspeaker and a microphone in it.
struct Room {
    name: &'static str,
    delay_ms: usize,
    rt60: f32,
    seed: u64,
    /// The loudspeaker bends.
    bends: bool,
    /// The microphone's clock is so many parts in a million faster.
    drift_ppm: f64,
}

const ROOMS: [Room; 7] = [
    Room { name: "small, 20 ms", delay_ms: 20, rt60: 0.2, seed: 1, bends: false, drift_ppm: 0.0 },
    Room { name: "small, 60 ms", delay_ms: 60, rt60: 0.25, seed: 2, bends: false, drift_ppm: 0.0 },
    Room { name: "living room, 120 ms", delay_ms: 120, rt60: 0.4, seed: 3, bends: false, drift_ppm: 0.0 },
    Room { name: "living room, 180 ms", delay_ms: 180, rt60: 0.4, seed: 4, bends: false, drift_ppm: 0.0 },
    Room { name: "hall, 250 ms", delay_ms: 250, rt60: 0.6, seed: 5, bends: false, drift_ppm: 0.0 },
    Room { name: "bending speaker, 80 ms", delay_ms: 80, rt60: 0.3, seed: 6, bends: true, drift_ppm: 0.0 },
    Room { name: "two clocks, 80 ms", delay_ms: 80, rt60: 0.3, seed: 7, bends: false, drift_ppm: 50.0 },
];

impl Room {
    /// What the microphone hears of `far`, brought to [`ECHO_DB`] in the loud parts.
    fn echo(&self, far: &[f32], gain: &[f32]) -> Vec<f32> {
        let speaker: Vec<f32> =
            far.iter().map(|s| if self.bends { (2.5 * s).tanh() / 2.5 } else { *s }).collect();
        let mut random = fastrand::Rng::with_seed(self.seed);
        let taps: Vec<f32> = (0..(self.rt60 * RATE_F) as usize)
            .map(|i| {
                let decay = (-6.9 * i as f32 / (self.rt60 * RATE_F)).exp();
                if i == 0 { 1.0 } else { 0.12 * decay * (random.f32() * 2.0 - 1.0) }
            })
            .collect();
        let delay = self.delay_ms * RATE as usize / 1000;
        let convolved: Vec<f32> = (0..far.len())
            .map(|i| {
                let Some(now) = i.checked_sub(delay) else { return 0.0 };
                let first = (now + 1).saturating_sub(taps.len());
                speaker[first..=now].iter().rev().zip(&taps).map(|(s, tap)| s * tap).sum()
            })
            .collect();
        let scale = level(ECHO_DB) / loud(&convolved);
        let mut random = fastrand::Rng::with_seed(self.seed + 100);
        (0..far.len())
            .map(|i| {
                let at = i as f64 * (1.0 + self.drift_ppm * 1e-6);
                let (whole, part) = (at as usize, at.fract() as f32);
                let next = convolved.get(whole + 1).copied().unwrap_or(0.0);
                let here = convolved.get(whole).copied().unwrap_or(0.0);
                let gain = gain[i.saturating_sub(delay)];
                (here * (1.0 - part) + next * part) * scale * gain + 0.0005 * (random.f32() * 2.0 - 1.0)
            })
            .collect()
    }
}

/// What came out, and what it cost.
struct Outcome {
    clean: Vec<f32>,
    report: EchoReport,
    cpu: f64,
}

fn main() -> Result<(), Failure> {
    let mut far = her_voice()?;
    far.resize(SCENE * RATE as usize, 0.0);
    let mut vad = Vad::load(&model("silero-vad/ggml-silero-v6.2.0.bin"), &VadConfig::default())?;
    let mut whisper = Whisper::load(&model("whisper-base/ggml-base-q8_0.bin"), &SttConfig::default())?;
    let talkers: Vec<Vec<f32>> =
        TALKERS.iter().map(|voice| flite(voice, "Stop.")).collect::<Result<_, _>>()?;
    let full = vec![1.0; far.len()];

    println!("echo alone: reduction in dB, share of frames with a voice in the microphone and behind it");
    println!(
        "{:24} {:>6} {:>6} {:>6} {:>7} {:>7} {:>7} {:>9} {:>6} {:>8}",
        "room", "0-1 s", "1-3 s", "3-7 s", "7-20 s", "heard", "left", "delay", "meter", "CPU s/s"
    );
    for room in &ROOMS {
        let near = room.echo(&far, &full);
        let out = cancel(&near, &far, &full)?;
        let part = |from: f32, to: f32| reduction(&near, &out.clean, from, to);
        println!(
            "{:24} {:>6.1} {:>6.1} {:>6.1} {:>7.1} {:>6.1}% {:>6.1}% {:>6} ms {:>6.1} {:>8.4}",
            room.name,
            part(0.3, 1.0),
            part(1.0, 3.0),
            part(3.0, 7.0),
            part(7.0, 20.0),
            voiced(&mut vad, &near[2 * RATE as usize..]),
            voiced(&mut vad, &out.clean[2 * RATE as usize..]),
            out.report.delay_ms,
            out.report.erle_db,
            out.cpu / SCENE as f64,
        );
    }

    println!(
        "\n\"stop\" said over her, of {}: understood in the microphone, understood and noticed behind it",
        TALKERS.len()
    );
    println!(
        "{:24} {:>6} | {:>26} | {:>26}",
        "room", "level", "she goes on as loud", "she is ducked after 300 ms"
    );
    let mut sums = [[0; 6]; 3];
    for room in &ROOMS {
        for (row, below) in [0.0, -6.0, -12.0].into_iter().enumerate() {
            let mut cells = vec![];
            for is_ducked in [false, true] {
                let gain = if is_ducked { ducking() } else { full.clone() };
                let mut near = room.echo(&far, &gain);
                for (at, talker) in STOPS.iter().zip(&talkers) {
                    let scale = level(ECHO_DB + below) / loud(talker);
                    let from = (at * RATE_F) as usize;
                    near[from..].iter_mut().zip(talker).for_each(|(s, talk)| *s += talk * scale);
                }
                let out = cancel(&near, &far, &gain)?;
                cells.push(understood(&mut whisper, &near)?);
                cells.push(understood(&mut whisper, &out.clean)?);
                cells.push(noticed(&mut vad, &out.clean));
            }
            for (sum, cell) in sums[row].iter_mut().zip(&cells) {
                *sum += cell;
            }
            print_row(room.name, below, &cells);
        }
    }
    for (row, below) in [0.0, -6.0, -12.0].into_iter().enumerate() {
        print_row(&format!("all, of {}", ROOMS.len() * TALKERS.len()), below, &sums[row]);
    }
    Ok(())
}

fn print_row(name: &str, below: f32, cells: &[usize]) {
    let part = |c: &[usize]| format!("{} -> {}, noticed {}", c[0], c[1], c[2]);
    println!("{name:24} {below:>4} dB | {:>26} | {:>26}", part(&cells[..3]), part(&cells[3..]));
}

/// Her gain when she is ducked 300 ms after each "stop" begins, for two seconds.
fn ducking() -> Vec<f32> {
    let is_ducked = |t: f32| STOPS.iter().any(|at| (at + 0.3..at + 2.3).contains(&t));
    let mut now = 1.0_f32;
    (0..SCENE * RATE as usize)
        .map(|i| {
            let target = if is_ducked(i as f32 / RATE_F) { 0.1_f32 } else { 1.0 };
            now += (target - now).clamp(-1.0 / 560.0, 1.0 / 560.0);
            now
        })
        .collect()
}

/// Near and far in the 20 ms pieces of a real device.
fn cancel(near: &[f32], far: &[f32], gain: &[f32]) -> Result<Outcome, Failure> {
    let pieces: Vec<Vec<f32>> = near.chunks(320).map(<[f32]>::to_vec).collect();
    let (mut feed, far_end) = EchoReference::by_hand(RATE);
    let played: Vec<f32> = far.iter().zip(gain).map(|(s, gain)| s * gain).collect();
    let mut cancelled = EchoCancelled::new(Box::new(Pieces(pieces.into_iter())), far_end, EchoCancel::On);
    let (mut clean, start) = (Vec::new(), cpu_seconds()?);
    for piece in played.chunks(320) {
        feed.played(piece);
        cancelled.read(&mut clean);
    }
    let cpu = cpu_seconds()? - start;
    clean.resize(near.len(), 0.0);
    Ok(Outcome { clean, report: cancelled.meter().report(), cpu })
}

struct Pieces(std::vec::IntoIter<Vec<f32>>);

impl AudioSource for Pieces {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        let Some(piece) = self.0.next() else { return SourceEvent::End };
        into.extend(&piece);
        SourceEvent::Samples(piece.len())
    }
}

fn level(db: f32) -> f32 {
    10_f32.powf(db / 20.0)
}

fn rms(samples: &[f32]) -> f32 {
    (samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32).sqrt()
}

/// RMS of the blocks that are not pauses.
fn loud(samples: &[f32]) -> f32 {
    let blocks: Vec<f32> = samples.chunks(320).map(rms).collect();
    let most = blocks.iter().copied().fold(0.0, f32::max);
    let (sum, count) = blocks
        .iter()
        .filter(|block| **block > most / 10.0)
        .fold((0.0, 0), |(sum, count), block| (sum + block * block, count + 1));
    (sum / count.max(1) as f32).sqrt()
}

fn reduction(near: &[f32], clean: &[f32], from: f32, to: f32) -> f32 {
    let part = (from * RATE_F) as usize..(to * RATE_F) as usize;
    20.0 * (rms(&near[part.clone()]) / rms(&clean[part]).max(1e-9)).log10()
}

/// Percent of frames with a voice.
fn voiced(vad: &mut Vad, samples: &[f32]) -> f32 {
    vad.reset();
    let frames = samples.as_chunks::<FRAME>().0;
    100.0 * frames.iter().filter(|frame| vad.is_voiced(frame)).count() as f32 / frames.len() as f32
}

/// The sound around each "stop".
fn stops(samples: &[f32]) -> impl Iterator<Item = &[f32]> {
    STOPS.iter().map(|at| &samples[((at - 0.4) * RATE_F) as usize..((at + 1.4) * RATE_F) as usize])
}

fn understood(whisper: &mut Whisper, samples: &[f32]) -> Result<usize, Failure> {
    let mut count = 0;
    for stop in stops(samples) {
        let text = whisper.transcribe(stop, &AtomicBool::new(false))?.text.to_lowercase();
        count += usize::from(text.contains("stop"));
    }
    Ok(count)
}

/// In how many the voice detector opens.
fn noticed(vad: &mut Vad, samples: &[f32]) -> usize {
    stops(samples).filter(|stop| voiced(vad, stop) >= 8.0).count()
}

fn her_voice() -> Result<Vec<f32>, Failure> {
    let models = models();
    let files = PiperFiles {
        model: models.join("voice-joe/en_US-joe-medium.onnx"),
        config: models.join("voice-joe/en_US-joe-medium.onnx.json"),
        espeak_data: std::env::temp_dir().join("joi-bench-espeak"),
        onnxruntime: models.join("onnxruntime/libonnxruntime.so"),
    };
    let config = SpeakConfig { threads: 1, ..SpeakConfig::default() };
    let mut voice = LanguageVoice::new(files.load(&config.style())?, &Language::load("en")?, &config);
    let far = resample(&voice.render(SPEECH)?, voice.rate(), RATE)?;
    let scale = level(-20.0) / loud(&far);
    // She is to speak all the time.
    Ok(far.iter().map(|s| s * scale).cycle().take(SCENE * RATE as usize).collect())
}

fn flite(voice: &str, text: &str) -> Result<Vec<f32>, Failure> {
    let file = std::env::temp_dir().join(format!("joi-bench-echo-{voice}.wav"));
    let status = Command::new("flite")
        .args(["-voice", voice, "-t", text, "-o"])
        .arg(&file)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("flite: {status}").into());
    }
    Ok(read_wav(&file, RATE)?)
}

/// CPU time of this thread.
fn cpu_seconds() -> Result<f64, Failure> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split(' ').next().ok_or("no time in schedstat")?.parse::<f64>()? / 1e9)
}

fn models() -> PathBuf {
    std::env::var_os("JOI_MODELS").map(PathBuf::from).unwrap_or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        cache
            .unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache"))
            .join("joi/models")
    })
}

fn model(file: &str) -> PathBuf {
    models().join(file)
}
