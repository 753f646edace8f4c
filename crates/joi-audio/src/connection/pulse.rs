//! The connection to PulseAudio, or to PipeWire's stand-in for it.
//!
//! A connection outlives its `Host`: the thread behind it waits for a server that has nothing to say to it, so that
//! neither ever ends (cpal 0.18.2, pulseaudio 0.3.2). A server lets in 64. So there is one for everybody, for as long as
//! it answers. Runs on the disposable threads of a keeper, and may hang there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cpal::traits::HostTrait;
use cpal::{Error, Host, HostId};

use super::super::pulse_cookie;

/// A connection that takes longer than this to answer is left behind.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// The connection to PulseAudio.
static PULSE: Mutex<Option<SharedConnection>> = Mutex::new(None);

/// A connection, shared.
struct SharedConnection {
    host: Arc<Host>,
    /// Since when an answer on it is awaited.
    asked: Option<Instant>,
}

/// Returns a host that answers.
pub(super) fn connect() -> Result<Arc<Host>, Error> {
    if let Some(host) = that_answers() {
        return Ok(host);
    }
    pulse_cookie::ensure();
    let host = Arc::new(cpal::host_from_id(HostId::PulseAudio)?);
    *line() = Some(SharedConnection { host: Arc::clone(&host), asked: None });
    Ok(host)
}

/// Returns the connection there is, once it has answered. Whoever asks may wait for ever; others then know it by the
/// time.
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

fn line() -> MutexGuard<'static, Option<SharedConnection>> {
    // The value behind the lock is consistent after any panic.
    PULSE.lock().unwrap_or_else(PoisonError::into_inner)
}
