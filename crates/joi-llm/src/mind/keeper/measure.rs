//! Measures how fast an embedded model writes on this machine, once after it was loaded.
//!
//! Part of the keeper's task. Behind the head it writes a few words that nobody reads. Whoever asks comes first: the
//! measurement is dropped, and made when nobody does. Time in which other programs had its cores does not count: a
//! start, when everything is loaded at once, says nothing of the evenings after it.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use tracing::{info, warn};

use super::ServerKeeper;
use crate::choose::LEAST_SPEED;
use crate::local_models::{FileState, ModelCandidate};
use crate::mind::ask::Length;
use crate::mind::serving::ReadyServer;
use crate::server::written;
use crate::wire::Message;
use joi_base::machine;

/// Tokens that are written.
const MEASURED_TOKENS: u32 = 24;
/// Fewest tokens that are measured.
const LEAST_TOKENS: u64 = 8;
/// A model that seems too slow, or wrote too little, is measured again: something else may have kept the machine busy.
const MEASUREMENTS: usize = 2;
/// A model that takes longer for [`MEASURED_TOKENS`] is too slow, however much.
const MEASURING: Duration = Duration::from_secs(30);
/// A shorter one is measured too coarsely in clock ticks of the processor.
const SHORTEST: Duration = Duration::from_millis(500);
/// A server that had less of its cores than this is not worth a guess.
const LEAST_SHARE: f32 = 0.1;
/// Has any model write as much as that.
const MEASURE: &str = include_str!("../../../../../assets/prompts/measure.md");

impl ServerKeeper {
    /// The speed of `chosen`, measured now where it is not known and nobody waits for an answer.
    pub(super) async fn measure(&mut self, ready: &ReadyServer, chosen: &ModelCandidate) -> Option<f32> {
        let FileState::There { sha256, .. } = &chosen.state else { return None };
        if chosen.tokens_per_s.is_some() || self.own.unmeasurable.contains(sha256) {
            return chosen.tokens_per_s;
        }
        let speed = tokio::select! {
            biased;
            // Whoever asks comes first; the server stops writing when the call is dropped.
            () = self.shared.until_held() => return None,
            speed = self.write_some(ready) => speed,
        };
        let Some(tokens_per_s) = speed else {
            self.own.unmeasurable.insert(sha256.clone());
            return None;
        };
        info!(model = chosen.name, tokens_per_s, "the model's speed was measured");
        let threads = self.shared.config.threads.count();
        if let Err(error) = self.own.models.speeds.keep(sha256, threads, tokens_per_s) {
            warn!(%error, "the model's speed can't be kept and is measured again at the next start");
        }
        self.own.is_due = true;
        Some(tokens_per_s)
    }

    /// Tokens a second that the model writes behind the head; nothing where it writes too little.
    async fn write_some(&self, ready: &ReadyServer) -> Option<f32> {
        let mut ask = (self.head)(&ready.model, ready.size, ready.has_tools).pop().unwrap_or_default();
        ask.messages.push(Message::user(MEASURE.trim_end()));
        ask.length = Length::AtMost(MEASURED_TOKENS);
        let request = self.shared.request(&ready.model, ready.by, ask);
        let mut best = 0.0_f32;
        for _ in 0..MEASUREMENTS {
            let (began, cpu) = (Instant::now(), ready.pid.and_then(machine::cpu_time));
            let outcome = timeout(MEASURING, written(&*ready.client, &request)).await;
            let used = ready.pid.and_then(machine::cpu_time).zip(cpu).map(|(after, before)| after - before);
            let share = share_of_cores(began.elapsed(), used, self.shared.config.threads.count());
            let speed = match outcome {
                Ok(stats) => {
                    // Words are drawn by chance: the next time there may be more of them.
                    let enough = stats.ok().filter(|stats| stats.eval_count >= LEAST_TOKENS);
                    let Some(stats) = enough else { continue };
                    let seconds = stats.eval_duration.as_secs_f32() * share;
                    if seconds > 0.0 { stats.eval_count as f32 / seconds } else { 0.0 }
                }
                Err(_) => MEASURED_TOKENS as f32 / (MEASURING.as_secs_f32() * share),
            };
            best = best.max(speed);
            if best >= LEAST_SPEED {
                break;
            }
        }
        (best > 0.0).then_some(best)
    }
}

/// How much of its cores a server had in `wall`, 0.1 to 1, when it computed for `used` on `threads` of them. A time too
/// short for the clock ticks of the system counts as a whole share.
fn share_of_cores(wall: Duration, used: Option<Duration>, threads: u32) -> f32 {
    match used {
        Some(used) if wall >= SHORTEST => {
            (used.as_secs_f32() / (wall.as_secs_f32() * threads as f32)).clamp(LEAST_SHARE, 1.0)
        }
        Some(_) | None => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_in_which_it_had_its_cores_counts() {
        let ms = Duration::from_millis;
        let share = |wall, used, threads| share_of_cores(ms(wall), used, threads);
        assert_eq!(share(4000, Some(ms(12_000)), 3), 1.0);
        assert_eq!(share(4000, Some(ms(6000)), 3), 0.5);
        assert_eq!(share(4000, Some(ms(13_000)), 3), 1.0, "other threads compute as well");
        assert_eq!(share(4000, Some(ms(1)), 3), LEAST_SHARE);
        assert_eq!(share(499, Some(ms(100)), 3), 1.0, "too short for clock ticks");
        assert_eq!(share(4000, None, 3), 1.0, "another machine's");
    }
}
