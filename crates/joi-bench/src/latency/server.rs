//! A sound server without hardware, in a folder of its own, and recordings of what passes through it.
//!
//! In: WAV files for the microphone. Out: how loud microphone and loudspeaker were at each moment. A thread for each
//! recording reads what `parec` gives; it is ended with the recording. The server keeps its usual priority: one that
//! has to wait for the programs it plays for plays later than it reports. Needs the Debian packages `pulseaudio` and
//! `pulseaudio-utils`.

use std::collections::VecDeque;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;

/// The sink that speaks into the microphone.
const FEED: &str = "mic_feed";
/// The loudspeaker.
const SPEAKER: &str = "spk";
/// Samples a second of a recording.
const RATE: u32 = 16_000;
/// Loudness is measured for blocks of this length.
pub(super) const BLOCK: Duration = Duration::from_millis(10);
/// Samples in a block.
const SAMPLES: usize = RATE as usize / 100;
/// The beginning of a recording is estimated from the arrivals of so many seconds.
const KNOWN: usize = 10;

const MODULES: &str = "\
load-module module-null-sink sink_name=mic_feed rate=48000 channels=1 norewinds=1
load-module module-null-sink sink_name=spk rate=48000 channels=2 norewinds=1
load-module module-remap-source source_name=mic master=mic_feed.monitor
set-default-source mic
set-default-sink spk
";

/// The server; it ends with this.
pub(super) struct SoundServer {
    place: PathBuf,
}

impl SoundServer {
    /// Starts it below `place`; returns when it serves.
    pub(super) fn start(place: &Path) -> anyhow::Result<Self> {
        let socket = place.join("run/pulse/native");
        fs::create_dir_all(place.join("run/pulse"))?;
        let native =
            format!("load-module module-native-protocol-unix auth-anonymous=1 socket={}\n", socket.display());
        let script = place.join("server.pa");
        fs::write(&script, native + MODULES)?;
        let server = Self { place: place.to_owned() };
        let status = server
            .command("pulseaudio")
            .args(["-n", "--daemonize=yes", "--use-pid-file=yes", "--exit-idle-time=-1", "--disable-shm=yes"])
            .args(["--log-target=null", "-F"])
            .arg(&script)
            .stdin(Stdio::null())
            .status()
            .context("pulseaudio can't be started; apt-get install pulseaudio pulseaudio-utils")?;
        anyhow::ensure!(status.success(), "pulseaudio ended with {status}");
        Ok(server)
    }

    /// `program`, which finds this server and no other.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let run = self.place.join("run");
        let mut command = Command::new(program);
        command
            .env("XDG_RUNTIME_DIR", &run)
            .env("PULSE_RUNTIME_PATH", run.join("pulse"))
            .env("PULSE_SERVER", format!("unix:{}", run.join("pulse/native").display()))
            .env("PULSE_COOKIE", self.place.join("cookie"));
        command
    }

    /// Plays `wav` into the microphone; returns when it has been handed over.
    pub(super) fn say(&self, wav: &Path) -> anyhow::Result<()> {
        let status = self
            .command("paplay")
            .arg(format!("--device={FEED}"))
            .arg("--latency-msec=20")
            .arg(wav)
            .status()?;
        anyhow::ensure!(status.success(), "paplay ended with {status}");
        Ok(())
    }

    /// Records what the microphone hears.
    pub(super) fn microphone(&self) -> anyhow::Result<Recording> {
        Recording::of(self, FEED)
    }

    /// Records what the loudspeaker plays.
    pub(super) fn loudspeaker(&self) -> anyhow::Result<Recording> {
        Recording::of(self, SPEAKER)
    }
}

impl Drop for SoundServer {
    fn drop(&mut self) {
        let _ = self.command("pulseaudio").arg("--kill").stderr(Stdio::null()).status();
    }
}

/// A running recording of the loudness of one device.
pub(super) struct Recording {
    recorder: Child,
    levels: Arc<Mutex<Levels>>,
}

impl Recording {
    fn of(server: &SoundServer, sink: &str) -> anyhow::Result<Self> {
        let mut recorder = server
            .command("parec")
            .arg(format!("--device={sink}.monitor"))
            .args(["--format=s16le", "--channels=1", "--latency-msec=10"])
            .arg(format!("--rate={RATE}"))
            .stdout(Stdio::piped())
            .spawn()
            .context("parec can't be started; apt-get install pulseaudio-utils")?;
        let mut stdout = recorder.stdout.take().context("parec has an output")?;
        let levels = Arc::new(Mutex::new(Levels::default()));
        std::thread::Builder::new().name(format!("recording of {sink}")).spawn({
            let levels = Arc::clone(&levels);
            move || {
                let mut piece = [0; 4 * SAMPLES];
                while let Ok(count @ 1..) = stdout.read(&mut piece) {
                    levels
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .take(&piece[..count], Instant::now());
                }
            }
        })?;
        Ok(Self { recorder, levels })
    }

    /// Returns the levels recorded so far.
    pub(super) fn levels(&self) -> MutexGuard<'_, Levels> {
        self.levels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = self.recorder.kill();
        let _ = self.recorder.wait();
    }
}

/// How loud it was, block by block, and when.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// In dB below full scale.
    blocks: Vec<f32>,
    /// The bytes of a block that is not whole yet.
    rest: Vec<u8>,
    bytes: u64,
    /// Of each of the last seconds: the earliest beginning that an arrival speaks for. What comes late was only waiting.
    begins: VecDeque<(u64, Instant)>,
}

impl Levels {
    /// Takes 16 bit samples that arrived at `now`.
    fn take(&mut self, bytes: &[u8], now: Instant) {
        self.bytes += bytes.len() as u64;
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() / (2 * SAMPLES) * 2 * SAMPLES;
        let blocks = self.rest.drain(..whole).collect::<Vec<u8>>();
        self.blocks.extend(blocks.chunks_exact(2 * SAMPLES).map(level_db));
        let length = Duration::from_secs_f64(self.bytes as f64 / 2.0 / f64::from(RATE));
        let Some(begin) = now.checked_sub(length) else { return };
        let second = length.as_secs();
        match self.begins.back_mut() {
            Some((of, earliest)) if *of == second => *earliest = begin.min(*earliest),
            _ => self.begins.push_back((second, begin)),
        }
        if self.begins.len() > KNOWN {
            self.begins.pop_front();
        }
    }

    fn begin(&self) -> Option<Instant> {
        self.begins.iter().map(|(_, begin)| *begin).min()
    }

    /// When block `index` began.
    pub(super) fn moment(&self, index: usize) -> Option<Instant> {
        Some(self.begin()? + BLOCK * u32::try_from(index).ok()?)
    }

    /// The block that sounds at `moment`.
    pub(super) fn index(&self, moment: Instant) -> usize {
        let since = self.begin().map_or(Duration::ZERO, |begin| moment.saturating_duration_since(begin));
        (since.as_nanos() / BLOCK.as_nanos()) as usize
    }

    /// The blocks from `index` on.
    pub(super) fn since(&self, index: usize) -> &[f32] {
        self.blocks.get(index..).unwrap_or_default()
    }
}

fn level_db(block: &[u8]) -> f32 {
    let samples = block.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0);
    let power = samples.map(|s| s * s).sum::<f32>() / SAMPLES as f32;
    10.0 * power.max(1e-12).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound(amplitude: i16, samples: usize) -> Vec<u8> {
        (0..samples).flat_map(|_| amplitude.to_le_bytes()).collect()
    }

    #[test]
    fn a_block_is_as_loud_as_its_samples_and_begins_when_the_earliest_arrival_says() {
        let (start, mut levels) = (Instant::now() + Duration::from_secs(100), Levels::default());
        let at = |ms: u64| start + Duration::from_millis(ms);
        levels.take(&sound(0, SAMPLES / 2), at(7));
        levels.take(&sound(16_384, SAMPLES / 2), at(30));
        levels.take(&sound(16_384, SAMPLES), at(23));
        let told: Vec<i32> = levels.since(0).iter().map(|db| db.round() as i32).collect();
        assert_eq!(told, [-9, -6]);
        assert_eq!(levels.moment(1), Some(at(12)), "7 ms for the first 5 ms of sound, and 10 ms behind");
        assert_eq!(levels.index(at(13)), 1);
        assert!(levels.since(9).is_empty());
    }

    #[test]
    fn silence_has_a_level_and_a_late_piece_moves_nothing() {
        let (start, mut levels) = (Instant::now() + Duration::from_secs(100), Levels::default());
        (1..=500_u64).for_each(|n| {
            let late = if n == 300 { 80 } else { 0 };
            levels.take(&sound(0, SAMPLES), start + Duration::from_millis(10 * n + late));
        });
        assert!(levels.since(0).iter().all(|db| *db < -100.0));
        assert_eq!(levels.moment(0), Some(start));
    }
}
