//! Who says what over which of joi's sentences, how loud, and when.
//! Pure: no I/O, no clock.

use std::time::Duration;

use crate::echo::MONOLOGUE;
use joi::cli::wake::voices::{Speaker, VoiceGroup};

/// What stops joi.
const CRIES: [&str; 5] = ["Stop.", "Be quiet.", "Stop it.", "Enough.", "Shut up."];
/// What does not, though it is short or sounds alike.
const OTHERS: [&str; 6] = ["Shop.", "Mhm.", "Right, okay.", "Top.", "It's quite hot.", "Up there."];
/// Levels against joi's echo, in dB.
const LEVELS: [f32; 3] = [0.0, -6.0, -12.0];
/// When it is said, after joi's first sample: before the canceller knows the room, and when it does.
const TIMES: [Duration; 3] =
    [Duration::from_millis(700), Duration::from_millis(1800), Duration::from_millis(9000)];
/// Up to here it is early.
pub(super) const EARLY: Duration = Duration::from_secs(3);
/// Joi's sentences in one trial.
const LINES: usize = 4;

/// What a trial shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum TrialKind {
    /// Somebody orders joi to stop.
    Told,
    /// Somebody says something else.
    Other,
    /// Nobody says anything; joi may say stop words itself.
    Alone,
}

/// One trial.
#[derive(Debug, Clone)]
pub(super) struct StopTrial {
    pub(super) kind: TrialKind,
    pub(super) says: Vec<&'static str>,
    pub(super) cries: Option<(Speaker, &'static str)>,
    pub(super) group: VoiceGroup,
    pub(super) level_db: f32,
    pub(super) begins: Duration,
}

/// All trials; with `few`, one in six.
pub(super) fn trials(speakers: &[(Speaker, VoiceGroup)], few: bool) -> Vec<StopTrial> {
    let lines: Vec<&'static str> = MONOLOGUE.lines().filter(|line| !line.starts_with('#')).collect();
    let hearts = ["stop", "quiet", "enough", "silen", "shut", "shop", "hush"];
    let is_plain = |line: &&&str| hearts.iter().all(|heart| !line.to_lowercase().contains(heart));
    let plain: Vec<&'static str> = lines.iter().filter(is_plain).copied().collect();
    let over = |nth: usize| (0..LINES).map(|n| plain[(nth * 3 + n) % plain.len()]).collect::<Vec<_>>();
    let mut trials = Vec::new();
    let others = speakers.iter().filter(|(speaker, _)| *speaker != Speaker::Configured);
    for (kind, words) in [(TrialKind::Told, &CRIES[..]), (TrialKind::Other, &OTHERS[..])] {
        let mut nth = 0;
        for (speaker, group) in others.clone() {
            for level_db in LEVELS {
                for begins in TIMES {
                    let cries = Some((speaker.clone(), words[nth % words.len()]));
                    trials.push(StopTrial { kind, says: over(nth), cries, group: *group, level_db, begins });
                    nth += 1;
                }
            }
        }
    }
    for says in lines.chunks(LINES - 1) {
        let (says, begins) = (says.to_vec(), Duration::from_secs(60));
        trials.push(StopTrial {
            kind: TrialKind::Alone,
            says,
            cries: None,
            group: VoiceGroup::Tuned,
            level_db: 0.0,
            begins,
        });
    }
    if few { trials.into_iter().step_by(6).collect() } else { trials }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_said_at_every_level_early_and_late() {
        let speakers =
            [(Speaker::Configured, VoiceGroup::Tuned), (Speaker::Flite("slt"), VoiceGroup::HeldOut)];
        let trials = trials(&speakers, false);
        let told: Vec<_> = trials.iter().filter(|trial| trial.kind == TrialKind::Told).collect();
        assert_eq!(told.len(), LEVELS.len() * TIMES.len());
        for word in CRIES {
            assert!(told.iter().any(|trial| trial.cries.as_ref().is_some_and(|(_, said)| *said == word)));
        }
        let hers = told.iter().flat_map(|trial| &trial.says).copied().collect::<Vec<_>>().join(" ");
        assert!(!hers.contains("stop"), "she says none of them herself");
        let alone =
            trials.iter().filter(|trial| trial.kind == TrialKind::Alone).flat_map(|trial| &trial.says);
        assert!(
            alone.filter(|line| line.contains("stop")).count() >= 4,
            "and where nobody else does, she does"
        );
    }
}
