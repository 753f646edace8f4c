//! A server and its tools as they are shown: on the command line, in the status of the running program, by the doctor.
//!
//! Plain data. No argument and no result is ever part of it. Pure: no I/O, no clock.

use joi_tools::Tool as _;
use joi_tools::foreign::ForeignTool;
use joi_tools::gate::ToolPermission;
use serde::{Deserialize, Serialize};

use crate::lifecycle::LifeState;

/// The state of a server whose tools can be called.
pub(crate) const UP: &str = "up";
/// The state of a server that is not tried again.
pub(crate) const GIVEN_UP: &str = "given up";

/// A server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// Its name in the configuration.
    pub name: String,
    /// The first part of the names of its tools.
    pub id: String,
    /// "up", "starting", "down", "given up" or "off".
    pub state: String,
    /// The reason, where it is down; else its own name and version.
    pub about: String,
    /// Its tools.
    pub tools: Vec<ToolStatus>,
}

impl ServerStatus {
    /// Returns the status of a server without tools.
    pub(crate) fn of(name: &str, id: &str, shown: &LifeState) -> Self {
        let (state, about) = match shown {
            LifeState::Starting => ("starting", ""),
            LifeState::Up => (UP, ""),
            LifeState::Down(why) => ("down", why.as_str()),
            LifeState::GivenUp(why) => (GIVEN_UP, why.as_str()),
            LifeState::Off => ("off", ""),
        };
        let (name, id, state, about) = (name.to_owned(), id.to_owned(), state.to_owned(), about.to_owned());
        Self { name, id, state, about, tools: Vec::new() }
    }

    /// Returns whether its tools can be called.
    pub fn is_up(&self) -> bool {
        self.state == UP
    }

    /// Returns whether its tools can be called, or it is switched off or about to start.
    pub fn is_well(&self) -> bool {
        [UP, "off", "starting"].contains(&self.state.as_str())
    }
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolStatus {
    /// Its name, as the server takes it.
    pub tool: String,
    /// Its name for a model.
    pub name: String,
    /// "allow", "confirm" or "deny".
    pub permission: String,
    /// A hash of what the server says of it.
    pub fingerprint: String,
    /// Whether its description has changed since the owner saw it.
    pub has_changed: bool,
    /// Its first sentence.
    pub description: String,
    /// Bytes of JSON that the server sent of it.
    pub bytes: usize,
    /// Bytes of JSON that a model gets of it.
    pub reduced_bytes: usize,
}

impl ToolStatus {
    /// Returns the row of a tool.
    pub(crate) fn of(tool: &ForeignTool) -> Self {
        let described = tool.described();
        Self {
            tool: described.name.clone(),
            name: tool.name().to_owned(),
            permission: permission_name(tool.permission()).to_owned(),
            fingerprint: described.fingerprint(),
            has_changed: tool.has_changed(),
            description: tool.description().to_owned(),
            bytes: described.bytes(),
            reduced_bytes: tool.bytes(),
        }
    }
}

/// Returns the name of a permission.
fn permission_name(permission: ToolPermission) -> &'static str {
    match permission {
        ToolPermission::Allow => "allow",
        ToolPermission::Confirm => "confirm",
        ToolPermission::Deny => "deny",
    }
}
