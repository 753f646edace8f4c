//! Orders about watches: from the stored watches and an order to changes and a report.
//!
//! Pure: no I/O, no clock.

use jiff::Timestamp;

use super::{Sight, Watch, WatchPhase, begun};
use joi_language::values::{NewWatch, WatchChoice, WatchId, WatchOrder};

/// More are not kept: whoever has so many has lost sight of them.
pub const MOST_WATCHES: usize = 100;

/// What became of an order.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchReport {
    /// It is watched for.
    Added {
        /// The watch.
        watch: Watch,
        /// Whether it is so at the moment.
        so_now: bool,
        /// The moment that is waited for, where it is known.
        at: Option<Timestamp>,
    },
    /// The same is watched for already.
    Same(Watch),
    /// So many are there already.
    TooMany(usize),
    /// All watches.
    Listed(Vec<Watch>),
    /// These are over.
    Removed(Vec<Watch>),
    /// There is none of what was called so.
    NoSuch(String),
}

impl WatchReport {
    /// Returns whether it is as it was ordered.
    pub fn is_done(&self) -> bool {
        !matches!(self, Self::TooMany(_) | Self::NoSuch(_))
    }

    /// Returns its name in records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Added { .. } => "set",
            Self::Same(_) => "known",
            Self::TooMany(_) => "refused",
            Self::Listed(_) => "listed",
            Self::Removed(_) => "removed",
            Self::NoSuch(_) => "no such watch",
        }
    }
}

/// Decides an order. Out: the watches to insert, the numbers to delete, the report.
pub(super) fn obey(
    watches: &[Watch],
    next_id: WatchId,
    order: &WatchOrder,
    words: (String, String),
    sight: &Sight<'_>,
) -> (Vec<Watch>, Vec<WatchId>, WatchReport) {
    match order {
        WatchOrder::List => (Vec::new(), Vec::new(), WatchReport::Listed(watches.to_vec())),
        WatchOrder::Add(wanted) => add(watches, next_id, wanted, words, sight),
        WatchOrder::Remove(choice) => remove(watches, choice),
    }
}

fn add(
    watches: &[Watch],
    next_id: WatchId,
    wanted: &NewWatch,
    words: (String, String),
    sight: &Sight<'_>,
) -> (Vec<Watch>, Vec<WatchId>, WatchReport) {
    if let Some(same) = watches.iter().find(|watch| watch.wanted == *wanted) {
        return (Vec::new(), Vec::new(), WatchReport::Same(same.clone()));
    }
    if watches.len() >= MOST_WATCHES {
        return (Vec::new(), Vec::new(), WatchReport::TooMany(watches.len()));
    }
    let watch = Watch { id: next_id, ..begun(wanted.clone(), words, sight) };
    let so_now = watch.phases.iter().any(|phase| matches!(phase, WatchPhase::So | WatchPhase::Since(_)));
    let at = watch.phases.iter().find_map(|phase| match phase {
        WatchPhase::Awaits(at) => Some(*at),
        _ => None,
    });
    (vec![watch.clone()], Vec::new(), WatchReport::Added { watch, so_now, at })
}

fn remove(watches: &[Watch], choice: &WatchChoice) -> (Vec<Watch>, Vec<WatchId>, WatchReport) {
    let is_meant = |watch: &&Watch| match choice {
        WatchChoice::All => true,
        WatchChoice::Number(id) => watch.id == *id,
        WatchChoice::Of { items, said } => watch.wanted.condition.items.iter().any(|watched| {
            items.contains(&watched.item) || watched.title.to_lowercase() == said.to_lowercase()
        }),
    };
    let gone: Vec<Watch> = watches.iter().filter(is_meant).cloned().collect();
    let ids = gone.iter().map(|watch| watch.id).collect();
    let report = match choice {
        WatchChoice::Number(id) if gone.is_empty() => WatchReport::NoSuch(id.0.to_string()),
        WatchChoice::Of { said, .. } if gone.is_empty() => WatchReport::NoSuch(said.clone()),
        WatchChoice::All | WatchChoice::Number(_) | WatchChoice::Of { .. } => WatchReport::Removed(gone),
    };
    (Vec::new(), ids, report)
}
