//! Plain values that an utterance can ask for: times, series, orders to the schedule, and what a call does.

pub mod deed;
pub mod entry;
pub mod later;
pub mod moment;
pub mod order;
pub mod watch;
pub mod words;

pub use super::clock::{ClockSaid, Exactness};
pub use deed::{CallValue, Effect, MemoryKind, ValueKind, Wish};
pub use entry::{Days, Due, Entry, EntryId, EntryKind, EntryState, MonthRule};
pub use later::{HouseHand, LaterCommand, LaterOutcome};
pub use moment::{Day, DayPart, Said, date_on, dates};
pub use order::{
    Bias, LONGEST_TIMER_S, Many, NewEntry, OrderReport, Rank, ScheduleOrder, ScheduleQuestion, When, Which,
};
pub use watch::{
    NewWatch, WatchChoice, WatchCondition, WatchDeed, WatchId, WatchLimit, WatchMany, WatchOrder,
    WatchRepeat, WatchTest, WatchedItem,
};
