//! The connection to a sound system. Runs on the disposable threads of a keeper, and may hang there.
//!
//! In: the configured host. Out: a [`Host`] that answers, or a [`DeviceFault`]. A connection to PulseAudio outlives
//! its `Host`: the thread behind it waits for a server that has nothing to say to it, so that neither ever ends
//! (cpal 0.18.2, pulseaudio 0.3.2). A server lets in 64. So there is one for everybody, for as long as it answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cpal::traits::HostTrait;
use cpal::{Error, Host, HostId};

use super::{DeviceFault, HostChoice, cookie};

/// A connection that takes longer than this to answer is left behind.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// The connection to PulseAudio.
static PULSE: Mutex<Option<Line>> = Mutex::new(None);

/// A connection, shared.
struct Line {
    host: Arc<Host>,
    /// Since when somebody waits for an answer on it.
    asked: Option<Instant>,
}

/// A host that answers: of those that are wanted the first.
pub(super) fn connect(choice: HostChoice) -> Result<Arc<Host>, DeviceFault> {
    // ALSA explains every failed look-up on stderr, for ever where no device is; what matters comes back
    // as an error. For this thread, anew each time: what was held back is dropped.
    if let Err(error) = alsa::Output::local_error_handler() {
        tracing::debug!(%error, "ALSA goes on writing to stderr");
    }
    let ids: &[HostId] = match choice {
        HostChoice::Auto => &[HostId::PulseAudio, HostId::Alsa],
        HostChoice::Alsa => &[HostId::Alsa],
        HostChoice::PulseAudio => &[HostId::PulseAudio],
    };
    let mut why = String::new();
    for id in ids {
        let host = match id {
            HostId::PulseAudio => pulse(),
            id => cpal::host_from_id(*id).map(Arc::new),
        };
        match host {
            Ok(host) => return Ok(host),
            Err(error) => why = error.to_string(),
        }
    }
    Err(DeviceFault::NoHost { why })
}

fn pulse() -> Result<Arc<Host>, Error> {
    if let Some(host) = that_answers() {
        return Ok(host);
    }
    cookie::ensure();
    let host = Arc::new(cpal::host_from_id(HostId::PulseAudio)?);
    *line() = Some(Line { host: Arc::clone(&host), asked: None });
    Ok(host)
}

/// The connection there is, once it has answered. Whoever asks may wait for ever; others then know it by the time.
fn that_answers() -> Option<Arc<Host>> {
    let host = {
        let mut line = line();
        let line = line.as_mut()?;
        if line.asked.is_some_and(|since| since.elapsed() > ANSWERS_WITHIN) {
            return None;
        }
        line.asked.get_or_insert_with(Instant::now);
        Arc::clone(&line.host)
    };
    let answers = host.devices().is_ok();
    if let Some(line) = line().as_mut().filter(|line| Arc::ptr_eq(&line.host, &host)) {
        line.asked = None;
    }
    answers.then_some(host)
}

fn line() -> MutexGuard<'static, Option<Line>> {
    // What is behind it is whole after any panic.
    PULSE.lock().unwrap_or_else(PoisonError::into_inner)
}
