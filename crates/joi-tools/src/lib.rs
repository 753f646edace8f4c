//! The tools that a model may call, their registry, and the gate in front of them.
//!
//! [`Tool`] is the contract, with an example; [`builtin`] makes the shipped tools by one table; [`ToolRegistry`] holds the
//! tools of the moment and takes further ones at run time; [`gate`] alone decides whether a call may run; [`run`] runs it
//! within its time limit; [`foreign`] makes tools of those of another program.

mod call;
mod config;
mod effect;
pub mod fence;
mod find;
pub mod foreign;
pub mod form;
pub mod gate;
mod house_summary;
mod last_of;
mod output;
mod permission;
mod ready;
mod registry;
mod repeats;
pub mod route;
pub mod schema;
mod shipped;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod tool;
mod toolbox;
mod way_back;
mod web;

pub use call::Call;
pub use config::{Digest, LookUpMode, Router, SearchConfig, ToolsConfig, Units, WeatherConfig};
pub use effect::{Deed, Source};
pub use house_summary::{HouseKnown, house_summary};
pub use joi_language::values::deed::{self, Arguments, CallValue, Effect};
pub use last_of::LastOf;
pub use output::{FailureCause, FoundPage, Output, ToolError};
pub use ready::ready_answer;
pub use registry::{ToolRegistry, ToolSnapshot};
pub use repeats::Repeats;
pub use shipped::home::house_deed;
pub use shipped::lists::{ready_reading, taken_off};
pub use shipped::timers::ReadsWhen;
pub use shipped::weather;
pub use shipped::{SHIPPED, ToolServices, builtin};
use shipped::{home, memory, search, stop};
pub use tool::{HouseCall, Tool, run};
pub use toolbox::Toolbox;
pub use way_back::WayBack;
pub use web::HttpClient;

/// The tool that ends the conversation; on every turn's allow-list.
pub const STOP: &str = stop::NAME;
/// The tool that finds further tools; on every turn's allow-list.
pub const TOOL_SEARCH: &str = find::NAME;
/// Returns whether a tool is on every turn's allow-list.
pub fn is_always(name: &str) -> bool {
    [STOP, TOOL_SEARCH].contains(&name)
}
/// The tool that reads and changes the memory.
pub const MEMORY: &str = memory::NAME;
/// The tools of the house.
pub const HOUSE: [&str; 3] = [home::FIND, home::READ, home::COMMAND];
/// The tool that searches the web.
pub const WEB_SEARCH: &str = search::NAME;
