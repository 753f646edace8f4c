//! `joi wake add --record`: a phrase in its owner's own voice, guided; or the same from WAV files.
//!
//! In: the microphone, or a folder. Out: what the scorer made of five to eight recordings that are fit and belong
//! together. The sound is forgotten when the command ends.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cli::context::CliContext;
use crate::cli::show::{self, Tone};
use joi_audio::{AudioSource, Microphone, MuteSwitch, Player, RATE, SourceEvent, read_wav, tone};
use joi_hear::enrol::{LeftOut, RECORDING, TAKES, TONE, Take, left_out, trimmed};
use joi_hear::score::Phrase;
use joi_hear::whisper::Whisper;

/// Attempts for one recording.
const ATTEMPTS: usize = 3;
/// How long a microphone may take to deliver.
const PATIENCE: Duration = Duration::from_secs(10);
/// The level meter: from −60 dBFS on, so many signs.
const BAR: usize = 40;

/// Makes recordings.
pub(super) struct Recorder<'a> {
    source: Box<dyn AudioSource + 'a>,
    beep: Box<dyn FnMut() + 'a>,
}

impl<'a> Recorder<'a> {
    /// From the configured microphone, after a tone from the configured speaker.
    ///
    /// # Errors
    /// The microphone is switched off.
    pub(super) fn open(context: &CliContext) -> anyhow::Result<Self> {
        anyhow::ensure!(
            !crate::cli::mute::is_muted(context),
            "the microphone is switched off; `joi unmute` switches it on"
        );
        let audio = &context.config().audio;
        let (player, events) = Player::open(audio);
        let beep = move || {
            // Without a speaker the words on the screen must do.
            player.play_now(0, 48_000, tone::acknowledge(48_000)).ok();
            let _ = &events;
        };
        let source = Box::new(Microphone::open(audio, &MuteSwitch::default()));
        Ok(Self { source, beep: Box::new(beep) })
    }

    /// From another source, without a tone.
    #[cfg(test)]
    fn from(source: impl AudioSource + 'a) -> Self {
        Self { source: Box::new(source), beep: Box::new(|| {}) }
    }

    /// Returns what is said after the next tone.
    fn record(&mut self) -> anyhow::Result<Vec<f32>> {
        self.skip_what_waits()?;
        (self.beep)();
        let recorded = self.read(TONE + RECORDING, &mut draw)?;
        clear();
        Ok(recorded[TONE..].to_vec())
    }

    /// Discards what was heard before the tone; the microphone must deliver by then.
    fn skip_what_waits(&mut self) -> anyhow::Result<()> {
        self.read(RATE as usize / 10, &mut |_| {}).map(drop)
    }

    fn read(&mut self, length: usize, show: &mut dyn FnMut(&[f32])) -> anyhow::Result<Vec<f32>> {
        let (mut recorded, began) = (Vec::with_capacity(length), Instant::now());
        let patience = PATIENCE + Duration::from_secs_f64(length as f64 / f64::from(RATE));
        while recorded.len() < length {
            let before = recorded.len();
            match self.source.read(&mut recorded) {
                SourceEvent::Samples(_) => show(&recorded[before..]),
                SourceEvent::Gone(fault) => anyhow::bail!("{fault}"),
                SourceEvent::Muted => {
                    anyhow::bail!("the microphone was switched off; `joi unmute`, then again")
                }
                SourceEvent::End => anyhow::bail!("the sound has ended"),
                SourceEvent::Nothing
                | SourceEvent::Called { .. }
                | SourceEvent::Back { .. }
                | SourceEvent::Unmuted => {}
            }
            anyhow::ensure!(began.elapsed() < patience, "the microphone delivers nothing; see `joi doctor`");
        }
        recorded.truncate(length);
        Ok(recorded)
    }
}

/// The scorer, on one phrase.
pub(super) struct PhraseJudge<'a> {
    pub(super) whisper: &'a mut Whisper,
    pub(super) phrase: &'a Phrase,
}

impl PhraseJudge<'_> {
    /// Returns what it makes of a phrase that was cut out.
    pub(super) fn take(&mut self, name: String, phrase: &[f32]) -> anyhow::Result<Take> {
        Ok(Take::judged(self.whisper, self.phrase, name, phrase)?)
    }
}

/// Records the phrase so many times, and again where a recording is not fit or unlike the others.
pub(super) fn guided(
    recorder: &mut Recorder<'_>,
    ear: &mut PhraseJudge<'_>,
    count: usize,
) -> anyhow::Result<Vec<Take>> {
    invite(ear.phrase.written(), count);
    let mut takes = Vec::new();
    while takes.len() < count {
        let name = format!("recording {}", takes.len() + 1);
        let phrase = one(recorder, &name, count)?;
        takes.push(ear.take(name, &phrase)?);
    }
    // Once more for those that do not belong to the others.
    for (at, _) in refused(&takes) {
        show::remark(format!("{} was unlike the others", takes[at].name));
        let name = takes[at].name.clone();
        let phrase = one(recorder, &name, count)?;
        takes[at] = ear.take(name, &phrase)?;
    }
    kept(takes)
}

/// Prints what to do.
pub(super) fn invite(phrase: &str, count: usize) {
    show::remark(format!(
        "Say \"{phrase}\" after each tone, {count} times, as you would across the room: once louder, once softer."
    ));
}

/// Returns the phrase, cut out of one recording that is fit.
pub(super) fn one(recorder: &mut Recorder<'_>, name: &str, count: usize) -> anyhow::Result<Vec<f32>> {
    for _ in 0..ATTEMPTS {
        show::remark(format!("{} {name} of {count}", show::coloured(Tone::Good, "●")));
        let sound = recorder.record()?;
        match trimmed(&sound) {
            Ok(phrase) => return Ok(phrase.to_vec()),
            Err(unfit) => show::remark(format!("  {} {unfit}", show::coloured(Tone::Fair, "!"))),
        }
    }
    anyhow::bail!("{name} did not succeed; `joi doctor` tests the microphone")
}

/// Returns the recordings of a folder, each of them once the phrase.
pub(super) fn from_folder(folder: &Path, ear: &mut PhraseJudge<'_>) -> anyhow::Result<Vec<Take>> {
    let takes = phrases_in(folder)?.into_iter().map(|(name, phrase)| ear.take(name, &phrase));
    kept(takes.collect::<anyhow::Result<_>>()?)
}

/// Returns the phrase, cut out of every recording of a folder that is fit, each with the name of its file.
pub(super) fn phrases_in(folder: &Path) -> anyhow::Result<Vec<(String, Vec<f32>)>> {
    let mut takes = Vec::new();
    let mut unfit = 0;
    for file in super::input::wavs(folder)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match trimmed(&read_wav(&file, RATE)?) {
            Ok(phrase) => takes.push((name, phrase.to_vec())),
            Err(why) => {
                unfit += 1;
                show::remark(format!("{} {name} is left out: {why}", show::coloured(Tone::Fair, "!")));
            }
        }
    }
    anyhow::ensure!(
        takes.len() + unfit > 0,
        "{} holds no *.wav; put {} to {} recordings of the phrase in it",
        folder.display(),
        TAKES.start(),
        TAKES.end()
    );
    Ok(takes)
}

/// Prints a line for each take, and returns those that belong together.
fn kept(takes: Vec<Take>) -> anyhow::Result<Vec<Take>> {
    let judged = left_out(&takes);
    print(&takes, &judged)?;
    let good: Vec<Take> = takes
        .into_iter()
        .zip(judged)
        .filter(|(_, one)| one.refused.is_none())
        .map(|(take, _)| take)
        .collect();
    are_enough(good.len())?;
    Ok(good)
}

/// That so many good recordings are enough.
///
/// # Errors
/// They are too few.
pub(super) fn are_enough(good: usize) -> anyhow::Result<()> {
    let least = TAKES.start();
    anyhow::ensure!(
        good >= *least,
        "{good} recordings are good, at least {least} are needed; record the phrase again"
    );
    Ok(())
}

fn refused(takes: &[Take]) -> Vec<(usize, String)> {
    left_out(takes).into_iter().enumerate().filter_map(|(at, one)| Some((at, one.refused?))).collect()
}

fn print(takes: &[Take], judged: &[LeftOut]) -> std::io::Result<()> {
    let mut table = show::table(["RECORDING", "MARGIN", "THE OTHERS ASK FOR", "HEARD AS", ""]);
    for (take, one) in takes.iter().zip(judged) {
        let verdict = one.refused.as_ref().map_or_else(|| "good".to_owned(), |why| format!("refused: {why}"));
        table.add_row([
            take.name.clone(),
            format!("{:.1}", take.margin),
            format!("{:.1}", one.asked),
            take.text.clone(),
            verdict,
        ]);
    }
    show::line(table)
}

/// Once more, as it will be: is it heard?
pub(super) fn live_test(
    recorder: &mut Recorder<'_>,
    ear: &mut PhraseJudge<'_>,
    margin: f32,
) -> anyhow::Result<bool> {
    show::remark("Now from where you usually are, after the tone:");
    let phrase = one(recorder, "the test", 1)?;
    let take = ear.take("the test".into(), &phrase)?;
    let is_heard = take.margin >= margin && take.rival.is_none();
    let (sign, what) = if is_heard {
        (show::coloured(Tone::Good, "✓"), "heard")
    } else {
        (show::coloured(Tone::Bad, "✗"), "not heard")
    };
    show::line(format!("{sign} {what} ({:.1}, from {margin:.2} on)", take.margin))?;
    Ok(is_heard)
}

/// The level as a bar that is drawn over itself; nothing where stderr is not a terminal.
fn draw(samples: &[f32]) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let power = samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32;
    let level = (10.0 * (power + 1e-10).log10()).clamp(-60.0, 0.0);
    let width = ((level + 60.0) / 60.0 * BAR as f32) as usize;
    let bar = format!("\r  [{}{}] {level:4.0} dBFS ", "#".repeat(width), " ".repeat(BAR - width));
    write!(std::io::stderr(), "{bar}").and_then(|()| std::io::stderr().flush()).ok();
}

fn clear() {
    if std::io::stderr().is_terminal() {
        write!(std::io::stderr(), "\r{}\r", " ".repeat(BAR + 16)).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_audio::{Pace, WavSource, write_wav};
    use joi_hear::testing::{model, wav};
    use joi_hear::whisper::SttConfig;

    /// Returns what a microphone hears of one recording: something before the tone, the tone, and then `said`.
    fn after_tone(said: &[f32]) -> Vec<f32> {
        let mut heard = vec![0.0; RATE as usize / 10 + TONE + RATE as usize / 2];
        heard.extend_from_slice(said);
        heard.resize(RATE as usize / 10 + TONE + RECORDING, 0.0);
        heard
    }

    fn whisper() -> Whisper {
        Whisper::load(&model("whisper-tiny.en", "ggml-tiny.en-q8_0.bin"), &SttConfig::default()).unwrap()
    }

    /// Records from a file that holds these recordings one after the other.
    fn records(said: &[Vec<f32>], written: &str) -> anyhow::Result<Vec<Take>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("said.wav");
        let heard: Vec<f32> = said.iter().flat_map(|said| after_tone(said)).collect();
        write_wav(&file, RATE, &heard)?;
        let mut whisper = whisper();
        let phrase = Phrase::new(&whisper, written, &[])?;
        let mut recorder = Recorder::from(WavSource::open(&file, Pace::Fast)?);
        guided(&mut recorder, &mut PhraseJudge { whisper: &mut whisper, phrase: &phrase }, 5)
    }

    #[test]
    fn what_is_not_fit_is_recorded_again_until_there_are_enough() {
        let (phrase, nothing) = (wav("phrase.wav"), Vec::new());
        let said = [phrase.clone(), nothing, phrase.clone(), phrase.clone(), phrase.clone(), phrase];
        let takes = records(&said, "hey jarvis").unwrap();
        let names: Vec<&str> = takes.iter().map(|take| take.name.as_str()).collect();
        assert_eq!(names, ["recording 1", "recording 2", "recording 3", "recording 4", "recording 5"]);
        assert!(takes.iter().all(|take| take.margin > -3.0 && take.rival.is_none()), "{takes:?}");
    }

    #[test]
    fn one_that_is_unlike_the_others_is_recorded_again() {
        let phrase = wav("phrase.wav");
        let mut said = vec![phrase.clone(); 6];
        said[2] = wav("stop.wav");
        let takes = records(&said, "hey jarvis").unwrap();
        assert_eq!(takes.len(), 5);
        assert!(takes.iter().all(|take| take.margin > -3.0), "{takes:?}");
    }

    #[test]
    fn without_a_sound_it_ends_with_what_to_do() {
        let told = records(&[Vec::new(), Vec::new(), Vec::new()], "hey jarvis").unwrap_err().to_string();
        assert_eq!(told, "recording 1 did not succeed; `joi doctor` tests the microphone");
        let told = records(&[wav("phrase.wav")], "hey jarvis").unwrap_err().to_string();
        assert_eq!(told, "the sound has ended");
    }
}
