//! The facts behind the status board: what its publishers have set.
//!
//! Held under the lock of the board.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::control::gauge::Gauge;
use crate::control::status::{
    BackupStatus, ChatStatus, Counters, DeviceStatus, HomeStatus, MessagesStatus, Models, RoomStatus,
    SatellitesStatus, ServiceRow, SoundStatus, StateEvent, ToolServerRow,
};
use joi_audio::EchoMeter;
use joi_base::machine::MachineHealth;
use joi_base::message::{Activity, AlarmRequest, OutsideRequest};

/// The queue of requests about alarms.
pub(super) struct AlarmLine {
    pub(super) requests: mpsc::Sender<AlarmRequest>,
    /// Returns the number of alarms that ring.
    pub(super) count: Box<dyn Fn() -> usize + Send + Sync>,
}

/// Facts about the running program.
pub(super) struct BoardFacts {
    pub(super) activity: Activity,
    pub(super) services: Vec<ServiceRow>,
    pub(super) microphone: DeviceStatus,
    pub(super) speaker: DeviceStatus,
    pub(super) models: Models,
    pub(super) queues: Vec<Gauge>,
    pub(super) sound: Option<Box<dyn Fn() -> SoundStatus + Send + Sync>>,
    pub(super) echo: Option<EchoMeter>,
    pub(super) counters: Counters,
    pub(super) requests: Option<mpsc::Sender<OutsideRequest>>,
    pub(super) chat: Option<Box<dyn Fn() -> ChatStatus + Send + Sync>>,
    pub(super) home: Option<Box<dyn Fn() -> HomeStatus + Send + Sync>>,
    pub(super) tool_servers: Vec<Box<dyn Fn() -> Vec<ToolServerRow> + Send + Sync>>,
    pub(super) satellites: Option<Box<dyn Fn() -> SatellitesStatus + Send + Sync>>,
    pub(super) rooms: Option<Box<dyn Fn() -> Vec<RoomStatus> + Send + Sync>>,
    pub(super) messages: Option<Box<dyn Fn() -> MessagesStatus + Send + Sync>>,
    pub(super) backups: Option<Box<dyn Fn() -> BackupStatus + Send + Sync>>,
    pub(super) machine: Option<Arc<dyn Fn() -> MachineHealth + Send + Sync>>,
    pub(super) timers: Option<Box<dyn Fn() + Send + Sync>>,
    pub(super) servers: Option<Box<dyn Fn() + Send + Sync>>,
    pub(super) alarms: Option<AlarmLine>,
    pub(super) is_ringing: bool,
    /// Every service was started.
    pub(super) is_started: bool,
    pub(super) shown: StateEvent,
}

impl BoardFacts {
    /// Returns the activity; a ring overrides idling and speaking.
    pub(super) fn does(&self) -> Activity {
        match self.activity {
            Activity::Idle | Activity::Speaking if self.is_ringing => Activity::Timer,
            activity => activity,
        }
    }

    /// Returns whether joi is ready; a microphone that is switched off or missing is not waited for.
    pub(super) fn is_ready(&self, is_muted: bool) -> bool {
        self.is_started && (is_muted || self.microphone != DeviceStatus::Pending)
    }
}
