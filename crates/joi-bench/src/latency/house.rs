//! The house to try as the one that receives commands: when each of them came.
//!
//! A thread of its own serves it on the loopback address. In: the items of a house. Out: moments.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use joi_house_demo::{DemoHome, DemoWants};

use super::super::house::commands;

/// The items of the house and what is said to it.
pub(super) const ITEMS: &str = include_str!("../../../../tests/data/homes/family.en.json");

/// Returns the utterances for it: commands only, each of which is sent at once.
pub(super) fn lines() -> Vec<String> {
    commands("en")
}

/// A house that notes when a command comes.
pub(super) struct ReceivingHouse {
    url: String,
    came: Arc<Mutex<Vec<Instant>>>,
    /// Serves as long as it is held.
    _house: DemoHome,
    _runtime: tokio::runtime::Runtime,
}

impl ReceivingHouse {
    /// Serves `items` on a free port.
    pub(super) fn start(items: &str) -> anyhow::Result<Self> {
        let items = serde_json::from_str(items)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let wants = DemoWants { items, ..DemoWants::default() };
        let house = runtime.block_on(DemoHome::start(wants))?;
        let came = Arc::new(Mutex::new(Vec::new()));
        let (mut requests, noted) = (house.requests(), Arc::clone(&came));
        runtime.spawn(async move {
            while let Ok(request) = requests.recv().await {
                if request.method == "POST" {
                    noted.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
                }
            }
        });
        Ok(Self { url: house.url(), came, _house: house, _runtime: runtime })
    }

    /// Settings of a program that is connected to it.
    pub(super) fn settings(&self) -> Vec<String> {
        vec![format!("home.url={}", self.url), "home.room=Living".to_owned()]
    }

    /// When the first command came from `begun` on.
    pub(super) fn first_since(&self, begun: Instant) -> Option<Instant> {
        let came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        came.iter().copied().find(|at| *at >= begun)
    }
}
