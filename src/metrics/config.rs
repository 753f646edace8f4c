//! `[metrics]`: where figures are served. Plain data, read once at the start.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;
use joi_serve::{ListenAddress, ListenRange};

/// Figures for Prometheus.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsConfig {
    /// Address on which figures for Prometheus are served over HTTP (`GET /metrics`), as "127.0.0.1:9753"; "": none are. No
    /// figure holds what was said.
    pub listen: ListenAddress,
    /// true: `metrics.listen` may be an address that other machines reach, as "0.0.0.0:9753". Without `metrics.token_file`
    /// whoever reaches it reads when somebody talks here.
    pub beyond_this_machine: bool,
    /// File with a token, one word, that requests must bring as "Authorization: Bearer …"; "": none is wanted.
    pub token_file: String,
}

impl MetricsConfig {
    /// Returns where figures are served; nothing where they are not.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listen.within(self.range())
    }

    fn range(&self) -> ListenRange {
        if self.beyond_this_machine { ListenRange::Network } else { ListenRange::ThisMachine }
    }

    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let problem = self.listen.check("metrics.listen", "127.0.0.1:9753", self.range());
        let remedy = "Set metrics.beyond_this_machine = true if other machines are to read it.";
        let is_beyond = self.listen.is_beyond_this_machine();
        problem.into_iter().map(|it| if is_beyond { it.remedy(remedy) } else { it }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_reads_unless_the_owner_says_otherwise() {
        let config = |listen: &str, beyond_this_machine| MetricsConfig {
            listen: listen.into(),
            beyond_this_machine,
            token_file: String::new(),
        };
        for (listen, beyond, is_served, problems) in [
            ("", false, false, 0),
            ("127.0.0.1:9753", false, true, 0),
            ("[::1]:9753", false, true, 0),
            ("0.0.0.0:9753", false, false, 1),
            ("192.168.1.5:9753", false, false, 1),
            ("0.0.0.0:9753", true, true, 0),
            ("localhost:9753", true, false, 1),
            ("9753", false, false, 1),
        ] {
            let config = config(listen, beyond);
            assert_eq!((config.address().is_some(), config.check().len()), (is_served, problems), "{listen}");
        }
        assert_eq!(MetricsConfig::default().address(), None);
    }
}
