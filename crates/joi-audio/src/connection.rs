//! The connection to a sound system. Runs on the disposable threads of the stream supervisor, and may block
//! there.
//!
//! In: the configured host. Out: a [`Host`] that answers, or a [`DeviceFault`].

use std::sync::Arc;

use cpal::{Host, HostId};

use super::{DeviceFault, HostChoice};

#[cfg(feature = "pulseaudio")]
mod pulse;

/// Returns the first of the wanted hosts that answers.
pub(super) fn connect(choice: HostChoice) -> Result<Arc<Host>, DeviceFault> {
    // ALSA explains every failed look-up on stderr, repeatedly where there is no device; what matters is
    // returned as an error. Set per thread, each time anew; the captured output is dropped.
    if let Err(error) = alsa::Output::local_error_handler() {
        tracing::debug!(%error, "ALSA continues to write to stderr");
    }
    let host = match choice {
        HostChoice::Auto => over_pulse().or_else(|why| {
            tracing::debug!(why, "no sound server answers; ALSA is used");
            over_alsa()
        }),
        HostChoice::Alsa => over_alsa(),
        HostChoice::PulseAudio => over_pulse(),
    };
    host.map_err(|why| DeviceFault::NoHost { why })
}

fn over_alsa() -> Result<Arc<Host>, String> {
    cpal::host_from_id(HostId::Alsa).map(Arc::new).map_err(|error| error.to_string())
}

#[cfg(feature = "pulseaudio")]
fn over_pulse() -> Result<Arc<Host>, String> {
    pulse::connect().map_err(|error| error.to_string())
}

#[cfg(not(feature = "pulseaudio"))]
fn over_pulse() -> Result<Arc<Host>, String> {
    Err("this build leaves PulseAudio out (feature `pulseaudio`); set audio.host to \"alsa\"".to_owned())
}

/// Returns whether a host lists every device, also those in use. ALSA leaves those out.
pub(super) fn lists_what_is_in_use(host: &Host) -> bool {
    host.id() != HostId::Alsa
}
