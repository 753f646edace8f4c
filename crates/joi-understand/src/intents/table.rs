//! The table of the intents: the name in records, the tool that does the same, the place beside other requests, whether a
//! slip of the recogniser may be taken for it, and what becomes of the undo.
//!
//! A new intent is a row here, its reading in `orders.rs`, and what is said afterwards in `intents.rs`.
//! Pure: no I/O, no clock.

use super::{Intent, MemoryOrder, VolumeChange};
use joi_language::values::{Effect, EntryKind, Many, ScheduleOrder, Which};

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntentRow {
    /// The name in records; nothing that was said.
    pub name: &'static str,
    /// The call that does the same; nothing for what no tool does.
    pub tool: Option<EquivalentCall>,
    /// The kind of part that it may be of an utterance with several requests.
    pub part: IntentPart,
    /// Whether it is taken for a transcript that is one word off.
    pub(super) guess: Guess,
    /// The effect on the undo.
    pub undo: Undo,
}

/// A call of a tool that does what an intent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EquivalentCall {
    /// The name of the tool.
    pub tool: &'static str,
    /// The action in its arguments; empty where it has none.
    pub action: &'static str,
    /// The effect that the gate judges.
    pub effect: Effect,
}

/// The kind of part that an intent may be of an utterance with several requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntentPart {
    /// None: it ends the conversation, or takes all that follows for its own.
    Whole,
    /// It only informs.
    Informs,
    /// It does something.
    Acts,
}

/// Whether an intent is taken for a transcript that is one word off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    /// Never.
    Never,
    /// Yes: it can be seen or heard, and undone.
    Allowed,
}

/// The effect of an intent on what can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// None: nothing changes, or whoever carries it out stores the way back.
    Kept,
    /// The last deed can't be taken back any more.
    Cleared,
}

fn row(name: &'static str, tool: Option<EquivalentCall>) -> IntentRow {
    IntentRow { name, tool, part: IntentPart::Whole, guess: Guess::Never, undo: Undo::Kept }
}

fn call(tool: &'static str, action: &'static str, effect: Effect) -> Option<EquivalentCall> {
    Some(EquivalentCall { tool, action, effect })
}

impl Intent {
    /// Returns its row.
    pub fn row(&self) -> IntentRow {
        let informs =
            |name| IntentRow { part: IntentPart::Informs, ..row(name, call("time", "", Effect::Looks)) };
        match self {
            Self::Time => informs("Time"),
            Self::Date | Self::DateOf(_) => informs("Date"),
            Self::Stop => row("Stop", None),
            Self::Repeat => row("Repeat", None),
            Self::Thanks => row("Thanks", None),
            Self::NeverMind => row("NeverMind", None),
            Self::Greeting(_) => row("Greeting", None),
            Self::HomeAgain => row("HomeAgain", None),
            Self::Goodbye => row("Goodbye", None),
            Self::GoodNight => row("GoodNight", None),
            Self::Chance(_) => row("Chance", None),
            Self::Herself(_) => row("Herself", None),
            Self::CannotRepeat => row("CannotRepeat", None),
            Self::NoSuchTime | Self::TimeOver => row("NoTime", None),
            Self::Quiet(_) => IntentRow { undo: Undo::Cleared, ..row("Quiet", None) },
            Self::TakeBack(_) => row("TakeBack", call("timers", "cancel", Effect::Changes)),
            Self::Home(order) => {
                let guess = if order.is_harmless() { Guess::Allowed } else { Guess::Never };
                IntentRow { guess, ..row("home", None) }
            }
            Self::Volume(VolumeChange::Up | VolumeChange::By(1..)) => {
                acts("Volume", call("setVolume", "up", Effect::Changes))
            }
            Self::Volume(VolumeChange::Down | VolumeChange::By(..=0)) => {
                acts("Volume", call("setVolume", "down", Effect::Changes))
            }
            Self::Volume(VolumeChange::Set(_)) => acts("Volume", call("setVolume", "set", Effect::Changes)),
            Self::Schedule(order) => of_schedule(order),
            Self::Memory(order) => of_memory(order),
        }
    }
}

fn acts(name: &'static str, tool: Option<EquivalentCall>) -> IntentRow {
    IntentRow { part: IntentPart::Acts, guess: Guess::Allowed, undo: Undo::Cleared, ..row(name, tool) }
}

fn of_schedule(order: &ScheduleOrder) -> IntentRow {
    let looks = |name| IntentRow {
        undo: Undo::Kept,
        part: IntentPart::Informs,
        ..acts(name, call("timers", "", Effect::Looks))
    };
    let changes = |name, action| acts(name, call("timers", action, Effect::Changes));
    match order {
        ScheduleOrder::List(_) => looks("list timers"),
        ScheduleOrder::Left(_) => looks("time left"),
        ScheduleOrder::Set(wanted) => match wanted.kind {
            EntryKind::Timer => changes("set a timer", "set"),
            EntryKind::Alarm => changes("set an alarm", "set"),
            EntryKind::Reminder => changes("set a reminder", "set"),
            EntryKind::House => changes("command the house", "set"),
        },
        ScheduleOrder::Cancel(Which { many: Many::All, .. }) => {
            IntentRow { guess: Guess::Never, ..changes("cancel all timers", "cancelAll") }
        }
        ScheduleOrder::Cancel(_) | ScheduleOrder::Skip(_) | ScheduleOrder::Withdraw { .. } => {
            changes("cancel a timer", "cancel")
        }
        ScheduleOrder::Add { .. } | ScheduleOrder::Move { .. } | ScheduleOrder::Amend { .. } => {
            changes("change a timer", "change")
        }
        ScheduleOrder::Pause(_) => changes("pause a timer", "change"),
        ScheduleOrder::Resume(_) => changes("resume a timer", "change"),
        ScheduleOrder::Restart(_) => changes("restart a timer", "change"),
        ScheduleOrder::Snooze { .. } => changes("snooze", "change"),
        ScheduleOrder::Silence => acts("silence", None),
        ScheduleOrder::SetHouse { .. } | ScheduleOrder::Finish(_) => {
            acts("command the house", call("homeCommand", "set", Effect::Changes))
        }
    }
}

fn of_memory(order: &MemoryOrder) -> IntentRow {
    let stores =
        |name, action, effect| IntentRow { undo: Undo::Cleared, ..row(name, call("memory", action, effect)) };
    match order {
        MemoryOrder::AboutMe => row("tell what is known", call("memory", "", Effect::Looks)),
        MemoryOrder::What => row("ask what to remember", None),
        MemoryOrder::Remember { .. } => stores("remember", "remember", Effect::Remembers),
        MemoryOrder::Forget(_) => stores("forget", "forget", Effect::Changes),
        MemoryOrder::Replace { .. } => stores("replace", "forget", Effect::Changes),
        MemoryOrder::ForgetAll => stores("forget everything", "forget", Effect::Changes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intents::QuietWish;

    #[test]
    fn a_row_says_what_may_become_of_an_intent() {
        let shown = |intent: Intent| {
            let IntentRow { name, tool, part, guess, undo } = intent.row();
            let call = tool.map(|call| format!("{} {} {:?}", call.tool, call.action, call.effect));
            format!("{name}: {}, {part:?}, {guess:?}, {undo:?}", call.unwrap_or_default())
        };
        let all = Which { many: Many::All, ..Which::default() };
        for (intent, row) in [
            (Intent::Thanks, "Thanks: , Whole, Never, Kept"),
            (Intent::Time, "Time: time  Looks, Informs, Never, Kept"),
            (Intent::Quiet(QuietWish::NotNow), "Quiet: , Whole, Never, Cleared"),
            (Intent::Volume(VolumeChange::Up), "Volume: setVolume up Changes, Acts, Allowed, Cleared"),
            (
                Intent::Schedule(ScheduleOrder::List(None)),
                "list timers: timers  Looks, Informs, Allowed, Kept",
            ),
            (
                Intent::Schedule(ScheduleOrder::Cancel(all)),
                "cancel all timers: timers cancelAll Changes, Acts, Never, Cleared",
            ),
            (Intent::Schedule(ScheduleOrder::Silence), "silence: , Acts, Allowed, Cleared"),
            (Intent::Memory(MemoryOrder::AboutMe), "tell what is known: memory  Looks, Whole, Never, Kept"),
            (
                Intent::Memory(MemoryOrder::ForgetAll),
                "forget everything: memory forget Changes, Whole, Never, Cleared",
            ),
        ] {
            assert_eq!(shown(intent), row);
        }
    }
}
