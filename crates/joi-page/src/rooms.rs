//! The pages of the page: which there are, what each shows, and what its forms do.
//!
//! In: a request of a browser that is signed in. Out: HTML, or what came of a form. A room is a file: its row, what it needs
//! of the program, its HTML, its forms.

mod browser_name;
mod day;
mod deed;
mod goals;
mod health;
mod house;
mod memory;
pub(crate) mod now;
mod room;
mod settings;
mod wake;
mod why;

pub use day::DayHost;
pub use goals::{GoalDeed, GoalLine, GoalView, GoalsHost};
pub use health::HealthHost;
pub use house::HouseHost;
pub use memory::MemoryHost;
pub use now::NowHost;
pub(crate) use room::{PageRoom, RoomVisit};
pub use settings::SettingsHost;
pub use wake::{
    EnrolmentStage, EnrolmentView, PhraseMeans, PhraseReadiness, PhraseView, TakeView, WakeDeed, WakeHost,
    WakeView,
};
pub use why::WhyHost;

/// The program behind the page: what each room needs of it. Every function returns at once or is async; none blocks.
pub trait PageHost: NowHost + WhyHost + DayHost + HouseHost + MemoryHost + HealthHost + SettingsHost {}

impl<H: NowHost + WhyHost + DayHost + HouseHost + MemoryHost + HealthHost + SettingsHost> PageHost for H {}

/// Returns all rooms, in the order of the navigation.
pub(crate) fn rooms<H: PageHost>() -> Vec<PageRoom<H>> {
    vec![
        now::room(),
        why::room(),
        day::room(),
        house::room(),
        memory::room(),
        health::room(),
        settings::room(),
    ]
}
