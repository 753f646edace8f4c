//! Measures echo cancellation: plays a sentence, and measures what comes back of it.
//!
//! Called by `joi doctor`, for some seconds. Where joi runs, its own measurement is shown instead. Out: a row with the delay
//! from the speaker to the microphone, and by how much the echo is reduced.

use std::time::{Duration, Instant};

use crate::app;
use crate::app::checks::{PATIENCE, Row};
use crate::cli::context::CliContext;
use crate::control::Client;
use joi_audio::{
    AudioSource, EchoCancel, EchoCancelled, EchoReport, Microphone, MuteSwitch, Player, SourceEvent,
};

/// The sentence: long enough to learn a room.
const SENTENCE: &str =
    "I am listening to my own voice, to find out how loud it comes back from this room, and how late.";
/// Tag of the sound.
const TAG: u64 = 1;
/// Length of the echo after the last sample.
const TAIL: Duration = Duration::from_millis(500);
/// With this reduction of the echo speech over playback is understood, in dB.
const WELL_DB: f32 = 6.0;

pub(super) fn check(context: &CliContext) -> Row {
    let running = Client::connect(&context.paths.runtime).ok().flatten();
    if let Some(echo) = running.and_then(|mut client| client.status().ok()).and_then(|status| status.echo) {
        return row(context.config().audio.echo_cancel, Some(echo));
    }
    match measure(context) {
        Ok(report) => row(context.config().audio.echo_cancel, report),
        Err(error) => Row::fair("echo", format!("not measured: {error:#}"), "see the rows above"),
    }
}

/// Returns the last report during playback; nothing where no sound came.
fn measure(context: &CliContext) -> anyhow::Result<Option<EchoReport>> {
    let config = context.config();
    let (mut voice, _) = app::load_voice(config, &context.paths, &*context.language()?)?;
    let mut samples = voice.render(SENTENCE)?;
    let length = Duration::from_secs_f64(samples.len() as f64 / f64::from(voice.rate()));
    let (player, _events) = Player::open(&config.audio);
    let microphone = Microphone::open(&config.audio, &MuteSwitch::default());
    let mut ears =
        EchoCancelled::new(Box::new(microphone), player.echo_reference(), config.audio.echo_cancel);
    let meter = ears.meter();
    let (mut buffer, mut until, mut last) = (Vec::new(), None, None);
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < until.unwrap_or(deadline) {
        buffer.clear();
        if let SourceEvent::Samples(_) = ears.read(&mut buffer)
            && until.is_none()
        {
            player.play_now(TAG, voice.rate(), std::mem::take(&mut samples))?;
            until = Some(Instant::now() + length + TAIL);
        }
        let report = meter.report();
        if report.active || !report.wanted {
            last = Some(report);
        }
    }
    Ok(last)
}

fn row(choice: EchoCancel, report: Option<EchoReport>) -> Row {
    const WHAT: &str = "echo";
    match report {
        None => Row::fair(WHAT, "no sound went from the speaker to the microphone", "see the rows above"),
        Some(report) if !report.wanted && choice == EchoCancel::Off => Row::fair(
            WHAT,
            "playback is not removed from the microphone: only the wake phrase and stop words interrupt joi",
            "set audio.echo_cancel = \"auto\"",
        ),
        Some(report) if !report.wanted => Row::good(
            WHAT,
            "the microphone cancels it already; only the wake phrase and stop words interrupt joi",
        ),
        Some(report) if report.converged || report.delay_ms == 0 || report.erle_db >= WELL_DB => {
            Row::good(WHAT, report.summary())
        }
        Some(report) => Row::fair(
            WHAT,
            report.summary(),
            "move the microphone away from the speaker, or lower the volume; until then only the wake phrase and \
             stop words interrupt joi",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_finding_has_its_row_and_its_remedy() {
        let report = EchoReport { wanted: true, active: true, converged: true, erle_db: 20.0, delay_ms: 90 };
        let verdict = |choice, report| {
            let row = row(choice, report);
            (row.verdict(), row.remedy.is_empty())
        };
        assert_eq!(verdict(EchoCancel::Auto, Some(report)), ("good", true));
        assert_eq!(verdict(EchoCancel::Auto, Some(EchoReport { wanted: false, ..report })), ("good", true));
        assert_eq!(verdict(EchoCancel::Off, Some(EchoReport { wanted: false, ..report })), ("fair", false));
        let poor = EchoReport { converged: false, erle_db: 2.0, ..report };
        assert_eq!(verdict(EchoCancel::Auto, Some(poor)), ("fair", false));
        assert_eq!(verdict(EchoCancel::Auto, None), ("fair", false));
    }
}
