//! The table of the shipped tools: names, order, and constructors.
//!
//! Any thread, at start. In: the configuration and the services that tools use. Out: a [`Toolbox`]. A new tool is a file
//! below `shipped/` and a row of [`TABLE`]; the checks of the configuration take the names from the same rows.

mod calculate;
mod clock;
pub(super) mod home;
pub(super) mod lists;
pub(super) mod memory;
pub(super) mod search;
pub(super) mod stop;
pub(super) mod timers;
mod volume;
pub mod weather;

use std::sync::Arc;

use joi_base::clock::Clock;
use joi_home::Home;
use joi_schedule::Schedule;
use joi_store::Store;

use super::config::ToolsConfig;
use super::tool::Tool;
use super::toolbox::Toolbox;
use super::web::{self, HttpClient};
use timers::ReadsWhen;

/// The services that the shipped tools are made of.
#[derive(Clone)]
pub struct ToolServices {
    /// The database, for notes and lists.
    pub store: Option<Store>,
    /// The schedule of timers, alarms and reminders.
    pub schedule: Option<Schedule>,
    /// The reader of times in words.
    pub reads_when: ReadsWhen,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The house; without one its tools are left out.
    pub home: Option<Arc<dyn Home>>,
    /// The HTTP client; without one the tools that need the internet are left out.
    pub http: Option<HttpClient>,
}

/// Makes a tool, or nothing where a service that it needs is missing.
type Maker = fn(&ToolsConfig, &ToolServices) -> Option<Arc<dyn Tool>>;

/// The shipped tools, in the order in which the model sees them.
const TABLE: &[(&str, Maker)] = &[
    (clock::NAME, |_, _| Some(Arc::new(clock::Time))),
    (calculate::NAME, |_, _| Some(Arc::new(calculate::Calculate))),
    (timers::NAME, |_, m| Some(Arc::new(timers::Timers::new(m.schedule.clone(), m.reads_when)))),
    (lists::NAME, |_, m| Some(Arc::new(lists::Lists::new(m.store.clone(), Arc::clone(&m.clock))))),
    (volume::NAME, |_, _| Some(Arc::new(volume::SetVolume))),
    (memory::NAME, |_, m| Some(Arc::new(memory::MemoryTool::new(m.store.clone(), Arc::clone(&m.clock))))),
    (home::FIND, |_, m| Some(Arc::new(home::HomeFind::new(m.home.clone()?)))),
    (home::READ, |_, m| Some(Arc::new(home::HomeRead::new(m.home.clone()?)))),
    (home::COMMAND, |_, m| Some(Arc::new(home::HomeCommandTool::new(m.home.clone()?)))),
    (weather::NAME, |c, m| Some(Arc::new(weather::Weather::new(&c.weather, online(c, m)?)))),
    (search::NAME, |c, m| Some(Arc::new(search::WebSearch::new(&c.search, online(c, m)?)))),
    (web::NAME, |c, m| Some(Arc::new(web::ReadPage::new(online(c, m)?)))),
    (stop::NAME, |_, _| Some(Arc::new(stop::Stop))),
];

/// The names of the shipped tools, for the checks of the configuration.
pub const SHIPPED: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut at = 0;
    while at < TABLE.len() {
        names[at] = TABLE[at].0;
        at += 1;
    }
    names
};

/// Returns the HTTP client where the configuration allows the internet.
fn online(config: &ToolsConfig, means: &ToolServices) -> Option<HttpClient> {
    means.http.clone().filter(|_| config.online)
}

/// Makes the shipped tools that the configuration allows, in the order in which the model sees them.
pub fn builtin(config: &ToolsConfig, means: &ToolServices) -> Toolbox {
    let is_wanted = |name: &str| config.enabled && !config.never.iter().any(|never| never == name);
    let wanted = TABLE.iter().filter(|(name, _)| is_wanted(name));
    Toolbox::new(wanted.filter_map(|(_, make)| make(config, means)).collect())
}
