//! The period of a device: as configured, and longer after a stream that could not keep up with it.
//!
//! Used on the disposable threads that open streams. In: what the last stream counted. Out: a length in ms. A sound
//! system behind another one (ALSA's plug-in for a sound server, say) may need more than a card does, which only a
//! trial shows.

use std::sync::{Arc, Mutex, PoisonError};

use super::stream_supervisor::CallbackStats;

/// Overruns and underruns of one stream that call for a longer period.
const TOO_MANY: u64 = 50;
/// No period is made longer than this.
const LONGEST_MS: u32 = 160;

/// The period of one device.
pub(super) struct Period(Mutex<PeriodState>);

struct PeriodState {
    ms: u32,
    last: Option<Arc<CallbackStats>>,
}

impl Period {
    /// It begins with `configured_ms`.
    pub(super) fn of(configured_ms: u32) -> Self {
        Self(Mutex::new(PeriodState { ms: configured_ms, last: None }))
    }

    /// For the stream that is opened now and counts in `stats`.
    pub(super) fn for_stream(&self, stats: &Arc<CallbackStats>) -> u32 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let errors = state.last.replace(Arc::clone(stats)).map_or(0, |last| last.counts().errors);
        let longer = longer(state.ms, errors);
        if longer != state.ms {
            tracing::info!(
                errors,
                from_ms = state.ms,
                to_ms = longer,
                "longer periods: the last stream could not keep up"
            );
            state.ms = longer;
        }
        longer
    }
}

/// Returns the length after a stream of `ms` with this many overruns and underruns. Pure.
fn longer(ms: u32, errors: u64) -> u32 {
    if errors > TOO_MANY { (ms * 2).min(LONGEST_MS).max(ms) } else { ms }
}

#[cfg(test)]
mod tests {
    use super::super::stream_supervisor::ErrorSeverity;
    use super::*;

    #[test]
    fn only_a_stream_that_could_not_keep_up_makes_the_next_one_slower() {
        let period = Period::of(20);
        let open = |errors: u64| {
            let stats = Arc::new(CallbackStats::default());
            let ms = period.for_stream(&stats);
            (0..errors).for_each(|_| stats.error(ErrorSeverity::Passing));
            ms
        };
        let opened: Vec<u32> = [3, 0, 500, 500, 40, 500, 500, 500].map(open).into();
        assert_eq!(opened, [20, 20, 20, 40, 80, 80, 160, 160]);
        assert_eq!(longer(200, 500), 200, "what is configured is never shortened");
    }
}
