//! Where alarms ring that a conversation may acknowledge: in this program, or in the one that runs.
//!
//! A handle, any task. In: that somebody has heard them. Out: how many there were. It raises nothing.

use std::fmt;
use std::sync::Arc;

use super::{AcknowledgedBy, Alerts};

/// The alarms of another program. Both wait for its answer.
pub trait AlertsElsewhere: Send + Sync {
    /// Somebody has heard all of them; how many there were.
    fn acknowledge(&self) -> usize;
    /// Returns how many nobody has heard yet.
    fn ringing(&self) -> usize;
}

/// The alarms of a conversation.
#[derive(Clone)]
pub enum AlertService {
    /// They ring here.
    Here(Alerts),
    /// They ring in the program that runs beside this one.
    Elsewhere(Arc<dyn AlertsElsewhere>),
}

impl fmt::Debug for AlertService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here(alerts) => fmt::Debug::fmt(alerts, f),
            Self::Elsewhere(_) => f.write_str("elsewhere"),
        }
    }
}

impl AlertService {
    /// Somebody has heard all of them; how many there were.
    pub async fn acknowledge(&self, by: AcknowledgedBy) -> usize {
        match self {
            Self::Here(alerts) => alerts.acknowledge(by).await,
            Self::Elsewhere(ask) => {
                let ask = Arc::clone(ask);
                tokio::task::spawn_blocking(move || ask.acknowledge()).await.unwrap_or_default()
            }
        }
    }

    /// Somebody has seen the message that was sent under this key; whether that alarm still rang. Messages are sent by
    /// the program in which alarms ring.
    pub async fn acknowledge_sent(&self, key: &str, by: AcknowledgedBy) -> bool {
        match self {
            Self::Here(alerts) => alerts.acknowledge_sent(key, by).await,
            Self::Elsewhere(_) => false,
        }
    }

    /// Returns whether one rings. It waits for the answer of another program.
    pub fn is_ringing(&self) -> bool {
        match self {
            Self::Here(alerts) => !alerts.unheard().is_empty(),
            Self::Elsewhere(ask) => ask.ringing() > 0,
        }
    }
}
