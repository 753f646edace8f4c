//! Context that quick commands run in: the parts of the engine, and the conversation they are given in.

use joi_schedule::Schedule;
use joi_store::Store;
use joi_tools::ToolsConfig;
use joi_tools::gate::Consent;

use super::house::ConnectedHome;
use crate::initiative::Initiative;
use crate::session::Session;

/// What carries out quick commands.
pub(crate) struct QuickMeans<'a> {
    /// Timers, alarms and reminders.
    pub(crate) schedule: Option<&'a Schedule>,
    /// The memory; `None` if it is switched off.
    pub(crate) memory: Option<&'a Store>,
    /// Where lists are kept.
    pub(crate) notes: Option<&'a Store>,
    /// The house, if one is connected.
    pub(crate) home: Option<&'a ConnectedHome>,
    /// `[tools]`.
    pub(crate) rules: &'a ToolsConfig,
    /// Whether the user has said yes to this very command.
    pub(crate) consent: Consent,
    /// The conversation.
    pub(crate) session: &'a Session,
    /// What speaks unasked.
    pub(crate) initiative: &'a Initiative,
}
