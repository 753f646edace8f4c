//! Context that quick commands run in: the parts of the engine, and the conversation they are given in.

use joi_schedule::Schedule;
use joi_store::Store;
use joi_tools::ToolsConfig;
use joi_tools::gate::Consent;

use super::house::ConnectedHome;
use crate::initiative::Initiative;
use crate::session::Session;

/// Context that quick commands run in.
pub(crate) struct QuickContext<'a> {
    /// Timers, alarms and reminders.
    pub(crate) schedule: Option<&'a Schedule>,
    /// The memory; `None` if it is switched off.
    pub(crate) memory: Option<&'a Store>,
    /// The store of the lists.
    pub(crate) notes: Option<&'a Store>,
    /// The house, if one is connected.
    pub(crate) home: Option<&'a ConnectedHome>,
    /// `[tools]`.
    pub(crate) rules: &'a ToolsConfig,
    /// Whether the user has said yes to this very command.
    pub(crate) consent: Consent,
    /// The conversation.
    pub(crate) session: &'a Session,
    /// Handles of the proactive part.
    pub(crate) initiative: &'a Initiative,
}
