//! What becomes of each intent of the community's sentence templates.
//!
//! An intent that is in no row, or in a row without a use, is left to the model: `docs/dev/sentence-templates.md` says why.
//! Pure: no I/O, no clock.

/// What an intent becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IntentUses {
    /// Its name in the intents project.
    pub(crate) intent: &'static str,
    pub(crate) house: Option<HouseUse>,
    pub(crate) quick: Option<QuickUse>,
    pub(crate) list: Option<ListDeed>,
}

/// What an intent wants of the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HouseUse {
    /// Switched on, opened, locked, started: by the kind of thing.
    On,
    Off,
    /// Brightness, colour, or a named white.
    Light,
    /// So many percent open.
    Position,
    Degrees,
    FanSpeed,
    Next,
    Previous,
    Pause,
    Play,
    /// The volume of a player.
    Volume,
    VolumeStep,
    /// A vacuum cleaner or a mower begins.
    Start,
    /// It goes home.
    Dock,
    /// The state is asked for.
    State,
    Temperature,
}

/// The quick command that an intent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuickUse {
    Time,
    Date,
    NeverMind,
    /// The volume of the device itself.
    Volume,
    VolumeStep,
    TimerSet,
    TimerLonger,
    TimerShorter,
    TimerCancel,
    TimerCancelAll,
    TimerPause,
    TimerResume,
    TimerLeft,
}

/// The call of a list that an intent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListDeed {
    Add,
    /// Of what is done, too: a list holds what is open.
    Remove,
}

const fn row(intent: &'static str) -> IntentUses {
    IntentUses { intent, house: None, quick: None, list: None }
}

const fn house(intent: &'static str, house: HouseUse) -> IntentUses {
    IntentUses { house: Some(house), ..row(intent) }
}

const fn quick(intent: &'static str, quick: QuickUse) -> IntentUses {
    IntentUses { quick: Some(quick), ..row(intent) }
}

const fn list(intent: &'static str, list: ListDeed) -> IntentUses {
    IntentUses { list: Some(list), ..row(intent) }
}

/// All intents of the intents project.
pub(crate) const TABLE: &[IntentUses] = &[
    house("HassTurnOn", HouseUse::On),
    house("HassTurnOff", HouseUse::Off),
    house("HassLightSet", HouseUse::Light),
    house("HassSetPosition", HouseUse::Position),
    house("HassClimateSetTemperature", HouseUse::Degrees),
    house("HassClimateGetTemperature", HouseUse::Temperature),
    house("HassFanSetSpeed", HouseUse::FanSpeed),
    house("HassMediaNext", HouseUse::Next),
    house("HassMediaPrevious", HouseUse::Previous),
    house("HassMediaPause", HouseUse::Pause),
    house("HassMediaUnpause", HouseUse::Play),
    house("HassGetState", HouseUse::State),
    house("HassVacuumStart", HouseUse::Start),
    house("HassVacuumReturnToBase", HouseUse::Dock),
    house("HassLawnMowerStartMowing", HouseUse::Start),
    house("HassLawnMowerDock", HouseUse::Dock),
    IntentUses { house: Some(HouseUse::Volume), ..quick("HassSetVolume", QuickUse::Volume) },
    IntentUses { house: Some(HouseUse::VolumeStep), ..quick("HassSetVolumeRelative", QuickUse::VolumeStep) },
    quick("HassGetCurrentTime", QuickUse::Time),
    quick("HassGetCurrentDate", QuickUse::Date),
    quick("HassNevermind", QuickUse::NeverMind),
    quick("HassStartTimer", QuickUse::TimerSet),
    quick("HassIncreaseTimer", QuickUse::TimerLonger),
    quick("HassDecreaseTimer", QuickUse::TimerShorter),
    quick("HassCancelTimer", QuickUse::TimerCancel),
    quick("HassCancelAllTimers", QuickUse::TimerCancelAll),
    quick("HassPauseTimer", QuickUse::TimerPause),
    quick("HassUnpauseTimer", QuickUse::TimerResume),
    quick("HassTimerStatus", QuickUse::TimerLeft),
    list("HassShoppingListAddItem", ListDeed::Add),
    list("HassShoppingListCompleteItem", ListDeed::Remove),
    list("HassListAddItem", ListDeed::Add),
    list("HassListCompleteItem", ListDeed::Remove),
    list("HassListRemoveItem", ListDeed::Remove),
    row("HassBroadcast"),
    row("HassClimateSetFanMode"),
    row("HassGetWeather"),
    row("HassMediaPlayerMute"),
    row("HassMediaPlayerUnmute"),
    row("HassMediaSearchAndPlay"),
    row("HassRespond"),
    row("HassVacuumCleanArea"),
];

/// Returns the row of an intent.
pub(crate) fn of(intent: &str) -> Option<&'static IntentUses> {
    TABLE.iter().find(|row| row.intent == intent)
}
