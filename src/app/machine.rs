//! Looks after the machine while the program runs, and logs what is wrong with it, once.
//!
//! One Tokio task. In: small files of the system, once a minute. Out: the machine on the status board; one warning for
//! each trouble, and the next one when it comes back after an hour or more. It changes nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use super::daemon::{Service, ServiceContext};
use crate::control::StatusBoard;
use joi_base::machine::{MachineHealth, MachineTrouble};
use joi_base::paths::Paths;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// A trouble that was away for less is the same one.
const SAME: Duration = Duration::from_secs(3600);

/// Returns the service.
pub(super) fn machine(paths: &Paths, board: &StatusBoard) -> Service {
    let data = paths.data.clone();
    board.machine({
        let data = data.clone();
        move || MachineHealth::read(Path::new("/"), &data)
    });
    let run = move |context: ServiceContext| {
        let data = data.clone();
        async move {
            let mut seen = BTreeMap::new();
            loop {
                let troubles = MachineHealth::read(Path::new("/"), &data).troubles();
                for trouble in news(&mut seen, &troubles, Instant::now()) {
                    tracing::warn!("{}", trouble.description());
                }
                // Both arms are cancel-safe.
                tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
            }
        }
    };
    Service::new("machine", "heat and low voltage of the machine are not told", run)
}

/// Returns those of `troubles` that are to be logged at `now`; `seen` is when each was there last.
fn news(
    seen: &mut BTreeMap<MachineTrouble, Instant>,
    troubles: &[MachineTrouble],
    now: Instant,
) -> Vec<MachineTrouble> {
    let mut told = Vec::new();
    for trouble in troubles {
        let before = seen.insert(*trouble, now);
        if before.is_none_or(|before| now.duration_since(before) >= SAME) {
            told.push(*trouble);
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_is_logged_once_until_it_was_away_for_an_hour() {
        use MachineTrouble::{Hot, Undervolted};
        let (mut seen, start) = (BTreeMap::new(), Instant::now());
        let mut at = |minutes: u64, troubles: &[MachineTrouble]| {
            news(&mut seen, troubles, start + Duration::from_secs(60 * minutes))
        };
        assert_eq!(at(0, &[Undervolted]), [Undervolted]);
        assert_eq!(at(1, &[Undervolted, Hot]), [Hot]);
        assert_eq!(at(59, &[Undervolted]), []);
        assert_eq!(at(60, &[Hot]), [], "59 minutes are no hour");
        assert_eq!(at(118, &[Undervolted]), []);
        assert_eq!(at(178, &[Undervolted, Hot]), [Undervolted, Hot]);
    }
}
