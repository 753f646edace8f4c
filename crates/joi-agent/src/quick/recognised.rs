//! Requests recognised without a model. Plain data.

use joi_autonomy::watch::WatchOrder;
use joi_schedule::EntryId;
use joi_understand::house::later::LaterWish;
use joi_understand::house::watch::WatchRefusal;
use joi_understand::house::{HouseDecision, PlannedCommand};
use joi_understand::intents::QuickIntent;

/// A request that needs no model.
#[derive(Debug)]
pub(crate) enum Recognised<'a> {
    /// A quick command.
    Quick(QuickIntent),
    /// Something about the connected house.
    House(HouseWish),
    /// Something about the schedule that may be about the house as well: "is the alarm on?".
    Either(QuickIntent, HouseWish),
    /// Several requests, each of which needs none.
    Requests(Vec<&'a str>),
}

/// The demand of an utterance on the house.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HouseWish {
    /// As it was understood.
    Decided(HouseDecision),
    /// To be done later, or for a while.
    Later(LaterWish),
    /// What waits in the schedule is not to be done any more, and then this is to be done.
    Unstored { stored: EntryId, then: Option<Box<HouseWish>> },
    /// Something is to be watched for, or is not any more; the commands of a new watch as they were checked.
    Watch { order: WatchOrder, planned: Vec<PlannedCommand> },
    /// Nothing is watched, for this reason.
    NotWatched(WatchRefusal),
    /// It is about the house, of which nothing is known at the moment.
    NotReached,
}
