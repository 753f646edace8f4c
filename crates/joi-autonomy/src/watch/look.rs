//! One look at one watch: what of it has become so, what is to be said or done, and when to look again.
//!
//! In: a watch, the house, the time. Out: the watch as it is then, or its end, and effects. Each change is acted upon
//! once: the caller stores the watch before it does anything.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::level::{Level, level};
use super::step::step;
use super::{Watch, WatchGone, WatchPhase, said};
use joi_home::house::{House, Item, ItemState, Permission};
use joi_language::SentenceTemplate;
use joi_language::values::{
    LaterCommand, LaterOutcome, NewWatch, WatchDeed, WatchId, WatchMany, WatchRepeat, WatchedItem,
};

/// Things that are missing for this long are said to be gone: a server that reads its files anew drops them for a moment.
pub(super) const GONE_AFTER: SignedDuration = SignedDuration::from_mins(5);
/// A watch that acts every time acts no more often than this.
pub(super) const LEAST_APART: SignedDuration = SignedDuration::from_secs(10);
/// Commands at a moment that is longer ago than this are not sent.
pub(super) const IN_TIME: SignedDuration = SignedDuration::from_secs(90);

/// The view at a look.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// The house, while its states are live.
    pub house: Option<&'a House>,
    /// An item that had this state for a moment, whatever it has now.
    pub event: Option<(&'a str, &'a ItemState)>,
    /// The present moment.
    pub now: Timestamp,
    /// How far the clock was set since the last look.
    pub moved: SignedDuration,
}

/// What a watch wants.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchEffect {
    /// Say this.
    Say(SentenceTemplate),
    /// Send these commands, and report how it ended with [`finished`].
    Command(Vec<LaterCommand>),
}

/// The result of a look.
#[derive(Debug, Clone, PartialEq)]
pub struct Looked {
    /// The watch as it is now; nothing when it is over.
    pub watch: Option<Watch>,
    /// What it wants, once the watch is stored.
    pub effects: Vec<WatchEffect>,
    /// When something changes by itself.
    pub next: Option<Timestamp>,
}

/// Returns a new watch; what is so already is known from the beginning.
pub fn begun(wanted: NewWatch, (text, origin): (String, String), sight: &Sight<'_>) -> Watch {
    let of_each = wanted.condition.many == WatchMany::Any;
    let count = if of_each { wanted.condition.items.len() } else { 1 };
    let watch = Watch {
        id: WatchId::default(),
        wanted,
        said: text,
        origin,
        set_at: sight.now,
        phases: vec![WatchPhase::Unseen; count],
        acted_at: BTreeMap::new(),
        gone: WatchGone::No,
        is_sending: false,
    };
    let mut begun = watch.clone();
    if let Some(house) = sight.house {
        stepped(&mut begun, house, sight);
    }
    begun
}

/// What a watch would do, without anything being done.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchPreview {
    /// Whether it is so at the moment; nothing while that is unknown, or for what happens in a moment.
    pub so: Option<bool>,
    /// What it would say; nothing for a command.
    pub says: Option<SentenceTemplate>,
}

/// Returns what a watch would do, and whether its condition is so at the moment.
pub fn preview(wanted: &NewWatch, sight: &Sight<'_>) -> WatchPreview {
    let watch = begun(wanted.clone(), Default::default(), sight);
    let is = |so: bool| {
        let phase = move |phase: &WatchPhase| match phase {
            WatchPhase::So | WatchPhase::Since(_) => so,
            WatchPhase::Not => !so,
            WatchPhase::Unseen | WatchPhase::Wrote(_) | WatchPhase::Awaits(_) => false,
        };
        watch.phases.iter().any(phase)
    };
    let says = match wanted.deed {
        WatchDeed::Tell => Some(said::happened(&wanted.condition, &wanted.condition.items)),
        WatchDeed::Command { .. } => None,
    };
    let so = if is(true) { Some(true) } else { is(false).then_some(false) };
    WatchPreview { so, says }
}

/// Looks at a watch once.
pub fn look(before: &Watch, sight: &Sight<'_>) -> Looked {
    let mut watch = before.clone();
    let until = watch.wanted.until;
    if until.is_some_and(|until| until <= sight.now) && !watch.is_sending {
        return Looked { watch: None, effects: Vec::new(), next: None };
    }
    moved(&mut watch, sight.moved);
    let mut next = until;
    let mut effects = Vec::new();
    let gone = sight.house.map(|house| is_gone(&watch, house));
    if let Some(gone) = gone {
        effects.extend(missed(&mut watch, gone, sight.now));
        if let WatchGone::Since(since) = watch.gone {
            soonest(&mut next, since.checked_add(GONE_AFTER).ok());
        }
    }
    let empty = House::default();
    let house = sight.house.unwrap_or(&empty);
    let Stepping { fired, due } = stepped(&mut watch, house, sight);
    soonest(&mut next, due);
    for (items, at) in fired {
        let first = items.first().map(|item| item.item.clone()).unwrap_or_default();
        let last = watch.acted_at.get(&first);
        let is_too_soon = last.is_some_and(|last| sight.now.duration_since(*last).abs() < LEAST_APART);
        if watch.is_sending || is_too_soon && watch.wanted.repeats == WatchRepeat::Always {
            continue;
        }
        watch.acted_at.insert(first, sight.now);
        if acted(&mut watch, &items, at, sight.now, &mut effects) {
            return Looked { watch: None, effects, next: None };
        }
    }
    Looked { watch: Some(watch), effects, next }
}

/// Returns what is to be said of a watch whose command was on its way when the program ended.
pub fn resumed(before: &Watch) -> Option<Looked> {
    before.is_sending.then(|| finished(before, LaterOutcome::Unknown))
}

/// Returns what a watch is after its command: over, or waiting for the next time.
pub fn finished(before: &Watch, outcome: LaterOutcome) -> Looked {
    let WatchDeed::Command { name, .. } = &before.wanted.deed else {
        return Looked { watch: Some(before.clone()), effects: Vec::new(), next: None };
    };
    let effects = match outcome {
        LaterOutcome::Done => Vec::new(),
        LaterOutcome::Failed => vec![WatchEffect::Say(said::failed(name))],
        LaterOutcome::Unknown => vec![WatchEffect::Say(said::unknown(name))],
    };
    let watch = Watch { is_sending: false, ..before.clone() };
    let goes_on = watch.wanted.repeats == WatchRepeat::Always;
    Looked { watch: goes_on.then_some(watch), effects, next: None }
}

/// What has become so in one look.
struct Stepping {
    /// Which items, and when.
    fired: Vec<(Vec<WatchedItem>, Timestamp)>,
    due: Option<Timestamp>,
}

/// Takes a step of each phase of `watch`.
fn stepped(watch: &mut Watch, house: &House, sight: &Sight<'_>) -> Stepping {
    let condition = watch.wanted.condition.clone();
    let mut stepping = Stepping { fired: Vec::new(), due: None };
    let seen = |watched: &WatchedItem, was_so: bool| {
        let item = house.item(&watched.item).filter(|item| item.permission >= Permission::ReadOnly)?;
        match sight.event {
            Some((name, state)) if name == watched.item => {
                let mut item: Item = item.clone();
                item.state = state.clone();
                level(&condition.test, &item, was_so)
            }
            _ => level(&condition.test, item, was_so),
        }
    };
    let groups: Vec<Vec<WatchedItem>> = match condition.many {
        WatchMany::Any => condition.items.iter().map(|item| vec![item.clone()]).collect(),
        WatchMany::All => vec![condition.items.clone()],
    };
    watch.phases.resize(groups.len(), WatchPhase::Unseen);
    for (phase, items) in watch.phases.iter_mut().zip(groups) {
        if sight.event.is_some_and(|(name, _)| items.iter().all(|item| item.item != name)) {
            continue;
        }
        let was_so = matches!(phase, WatchPhase::So | WatchPhase::Since(_));
        let levels: Vec<Option<Level>> = items.iter().map(|item| seen(item, was_so)).collect();
        let step = step(phase, together(&levels).as_ref(), condition.for_s, sight.now);
        *phase = step.phase;
        soonest(&mut stepping.due, step.due);
        stepping.fired.extend(step.fired.map(|at| (items, at)));
    }
    stepping
}

/// Returns what several items say together: so where all are, not so where one is not.
fn together(levels: &[Option<Level>]) -> Option<Level> {
    match levels {
        [one] => one.clone(),
        all if all.contains(&Some(Level::Is(false))) => Some(Level::Is(false)),
        all if all.iter().all(|level| *level == Some(Level::Is(true))) => Some(Level::Is(true)),
        _ => None,
    }
}

/// Acts upon a change; returns whether the watch is over.
fn acted(
    watch: &mut Watch,
    items: &[WatchedItem],
    at: Timestamp,
    now: Timestamp,
    effects: &mut Vec<WatchEffect>,
) -> bool {
    let is_once = watch.wanted.repeats == WatchRepeat::Once;
    match &watch.wanted.deed {
        WatchDeed::Tell => {
            effects.push(WatchEffect::Say(said::happened(&watch.wanted.condition, items)));
            is_once
        }
        WatchDeed::Command { name, .. } if now.duration_since(at) > IN_TIME => {
            effects.push(WatchEffect::Say(said::too_late(name)));
            is_once
        }
        WatchDeed::Command { commands, .. } => {
            effects.push(WatchEffect::Command(commands.clone()));
            watch.is_sending = true;
            false
        }
    }
}

fn is_gone(watch: &Watch, house: &House) -> bool {
    let condition = &watch.wanted.condition;
    let is_there = |watched: &WatchedItem| {
        house.item(&watched.item).is_some_and(|item| item.permission >= Permission::ReadOnly)
    };
    match condition.many {
        WatchMany::Any => !condition.items.iter().any(is_there),
        WatchMany::All => !condition.items.iter().all(is_there),
    }
}

/// Notes whether the things of a watch are missing; what is said of it, once.
fn missed(watch: &mut Watch, is_gone: bool, now: Timestamp) -> Option<WatchEffect> {
    watch.gone = match (is_gone, watch.gone) {
        (false, _) => WatchGone::No,
        (true, WatchGone::No) => WatchGone::Since(now),
        (true, WatchGone::Since(since)) if now.duration_since(since) >= GONE_AFTER => {
            watch.gone = WatchGone::Said;
            return Some(WatchEffect::Say(said::gone(&watch.wanted.condition)));
        }
        (true, gone) => gone,
    };
    None
}

/// Moves what counts with a clock that was set.
fn moved(watch: &mut Watch, by: SignedDuration) {
    if by.is_zero() {
        return;
    }
    let moved = |at: Timestamp| at.checked_add(by).unwrap_or(at);
    for phase in &mut watch.phases {
        if let WatchPhase::Since(since) = phase {
            *since = moved(*since);
        }
    }
    if let WatchGone::Since(since) = &mut watch.gone {
        *since = moved(*since);
    }
    watch.acted_at.values_mut().for_each(|at| *at = moved(*at));
}

fn soonest(next: &mut Option<Timestamp>, at: Option<Timestamp>) {
    if let Some(at) = at {
        *next = Some(next.map_or(at, |next| next.min(at)));
    }
}
