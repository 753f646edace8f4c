//! `[alert]`: alarms. Plain data, read once at the start.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;
use joi_serve::{ListenAddress, ListenRange};

/// Alarms. They are announced whatever `announce.quiet_hours` and `impulse` say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlertConfig {
    /// Seconds between two announcements of an alarm, until somebody has heard it, 1 to 600. Higher: calmer.
    pub repeat_s: u32,
    /// Least loudness at which an alarm is announced, in percent, 0 to 100. Higher: louder.
    pub least_volume: u8,
    /// Name of a text item of the house through which alerts come, as JSON or as text with "priority=high"; "": none.
    pub item: String,
    /// Address on this machine on which alerts are taken over HTTP (`POST /events`), as "127.0.0.1:7763"; "": none.
    pub listen: ListenAddress,
    /// File with a token, one word, that alerts over HTTP must bring as "Authorization: Bearer …"; "": none is wanted.
    pub token_file: String,
    /// Minutes without a connection to the house after which that is announced, 1 to 1440. Higher: later.
    pub house_lost_min: u32,
}

impl Default for AlertConfig {
    fn default() -> Self {
        Self {
            repeat_s: 10,
            least_volume: 80,
            item: "Joi_Alert".to_owned(),
            listen: ListenAddress::default(),
            token_file: String::new(),
            house_lost_min: 10,
        }
    }
}

impl AlertConfig {
    /// Returns where alerts are taken over HTTP.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listen.within(ListenRange::ThisMachine)
    }

    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let outside = |key: &str, value: f64, range, unit| {
            Problem::outside(&format!("alert.{key}"), value, range, unit)
        };
        [
            self.listen.check("alert.listen", "127.0.0.1:7763", ListenRange::ThisMachine),
            outside("repeat_s", self.repeat_s.into(), 1.0..=600.0, "seconds"),
            outside("least_volume", self.least_volume.into(), 0.0..=100.0, "percent"),
            outside("house_lost_min", self.house_lost_min.into(), 1.0..=1440.0, "minutes"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
