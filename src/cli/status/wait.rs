//! `joi status --wait`: waits until the running program is ready, or reports after a limit why it is not.
//!
//! Main thread; blocks. In: the socket of the running program, a limit. Out: its status. Reconnects while there is no program
//! or it ends, as during a restart. Time is injected for tests.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::cli::exit::not_running;
use crate::control::{Client, ControlError, DeviceStatus, Status};

/// Pause between two looks: short against a start, which takes seconds.
const PAUSE: Duration = Duration::from_millis(200);

/// Time as the wait sees it.
trait WaitTime {
    /// Returns the time since the wait began.
    fn passed(&self) -> Duration;
    /// Waits for `time`.
    fn pause(&mut self, time: Duration);
}

/// The system's monotonic clock.
struct SystemTime(Instant);

impl WaitTime for SystemTime {
    fn passed(&self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&mut self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Waits for at most `limit` until the program that serves the directory `runtime` is ready, and returns its status.
///
/// # Errors
/// It is not ready in time, with the reason.
pub(super) fn until_ready(runtime: &Path, limit: Duration) -> anyhow::Result<Status> {
    let look = || Client::connect(runtime)?.map(|mut client| client.status()).transpose();
    wait(limit, &mut SystemTime(Instant::now()), look)
}

fn wait(
    limit: Duration,
    time: &mut impl WaitTime,
    mut look: impl FnMut() -> Result<Option<Status>, ControlError>,
) -> anyhow::Result<Status> {
    loop {
        let why = match look() {
            Ok(Some(status)) if status.ready => return Ok(status),
            Ok(Some(status)) => missing(&status).to_owned(),
            Ok(None) => not_running().to_string(),
            Err(error) => error.to_string(),
        };
        let left = limit.saturating_sub(time.passed());
        anyhow::ensure!(!left.is_zero(), "joi is not ready after {} s: {why}", limit.as_secs());
        time.pause(left.min(PAUSE));
    }
}

/// Returns what is not ready yet.
fn missing(status: &Status) -> &'static str {
    match status.microphone {
        DeviceStatus::Pending => {
            "it is starting, and the microphone is not open yet; `joi status` shows its services"
        }
        DeviceStatus::Device(_) | DeviceStatus::Fault(_) => "it is starting; `joi status` shows its services",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::control::{Journal, PersistentMute, StatusBoard, StatusBoardParts};
    use joi_base::clock::SystemClock;
    use joi_base::pulse::Pulse;

    /// Passes only while the wait pauses.
    #[derive(Default)]
    struct ManualTime(Duration);

    impl WaitTime for ManualTime {
        fn passed(&self) -> Duration {
            self.0
        }

        fn pause(&mut self, time: Duration) {
            self.0 += time;
        }
    }

    fn board() -> StatusBoard {
        let clock = Arc::new(SystemClock);
        let mute = PersistentMute::read(tempfile::TempDir::new().unwrap().path()).0;
        let journal = Journal::new(clock.clone());
        StatusBoard::new(StatusBoardParts { mute, pulse: Pulse::default(), journal, clock })
    }

    #[test]
    fn the_wait_ends_when_joi_is_ready() {
        let (board, mut time, mut looks) = (board(), ManualTime::default(), 0);
        let status = wait(Duration::from_secs(60), &mut time, || {
            looks += 1;
            match looks {
                1 => return Ok(None),
                2 => return Err(ControlError::Refused("16 connections are open; close one".into())),
                3 => board.started(),
                _ => board.microphone(DeviceStatus::Fault("no microphone".into())),
            }
            Ok(Some(board.status()))
        });
        assert!(status.unwrap().ready);
        assert_eq!((looks, time.0), (4, 3 * PAUSE));
    }

    #[test]
    fn a_program_that_is_not_ready_in_time_is_an_error_with_its_reason() {
        let (board, mut time, limit) = (board(), ManualTime::default(), Duration::from_secs(3));
        let late = wait(limit, &mut time, || Ok(Some(board.status()))).unwrap_err().to_string();
        assert!(late.starts_with("joi is not ready after 3 s: it is starting, and the microphone"), "{late}");
        assert_eq!(time.0, limit);
        let gone = wait(limit, &mut ManualTime::default(), || Ok(None)).unwrap_err().to_string();
        assert!(gone.starts_with("joi is not ready after 3 s: joi is not running; start it"), "{gone}");
        let now = wait(Duration::ZERO, &mut ManualTime::default(), || Ok(None));
        assert!(now.is_err(), "a limit of 0 s is one look");
    }
}
