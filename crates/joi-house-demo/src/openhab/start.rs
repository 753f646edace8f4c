//! How a server starts, as it was recorded of a real one: pages, gaps, a stream before the items, items that come and go,
//! and no state until the devices report.
//!
//! One task for a start. In: time, or requests. Out: phases and events, one step after the other.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::house::DemoEvent;
use super::shared::{DemoPhase, DemoRequest, DemoShared};

/// How the house to try begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DemoStart {
    /// It is there at once, with all its states.
    #[default]
    Ready,
    /// As it was recorded, in the time it took.
    Recorded,
    /// The same steps, each at a request: for tests, which do not wait for time.
    Stepwise,
}

/// One step of a start.
#[derive(Debug, Clone, Copy)]
enum StartStep {
    /// It answers so from now on.
    Phase(DemoPhase),
    /// Every item is announced as new.
    Added,
    /// The server has come so far.
    Level(u8),
    /// The devices report their states.
    Reports,
}

/// The steps, and the milliseconds before each, of a start of 5.2.1.
const COURSE: [(u64, StartStep); 20] = [
    (0, StartStep::Phase(DemoPhase::WebServerPage)),
    (900, StartStep::Phase(DemoPhase::NoService)),
    (5000, StartStep::Phase(DemoPhase::Empty)),
    (950, StartStep::Phase(DemoPhase::NoService)),
    (1300, StartStep::Phase(DemoPhase::Empty)),
    (150, StartStep::Phase(DemoPhase::NoService)),
    (180, StartStep::Phase(DemoPhase::ItemsMissing)),
    (300, StartStep::Added),
    (900, StartStep::Phase(DemoPhase::Running)),
    (150, StartStep::Phase(DemoPhase::ItemsMissing)),
    (550, StartStep::Level(20)),
    (50, StartStep::Phase(DemoPhase::Running)),
    (400, StartStep::Phase(DemoPhase::ItemsMissing)),
    (500, StartStep::Phase(DemoPhase::Running)),
    (4250, StartStep::Level(30)),
    (0, StartStep::Level(40)),
    (5000, StartStep::Level(50)),
    (0, StartStep::Level(80)),
    (0, StartStep::Level(100)),
    (2000, StartStep::Reports),
];

/// Takes all states away and begins the course; `run` ends it.
pub(super) fn begin(shared: &Arc<DemoShared>, start: DemoStart, run: CancellationToken) {
    if start == DemoStart::Ready {
        return;
    }
    let reports = {
        let mut state = shared.state();
        state.phase = DemoPhase::WebServerPage;
        let reports = state.house.states();
        state.house.forget();
        reports
    };
    let (shared, requests) = (Arc::clone(shared), shared.requests.subscribe());
    tokio::spawn(async move {
        run.run_until_cancelled(follow(&shared, start, requests, reports)).await;
    });
}

async fn follow(
    shared: &DemoShared,
    start: DemoStart,
    mut requests: broadcast::Receiver<DemoRequest>,
    reports: Vec<(String, String)>,
) {
    for (wait, step) in COURSE {
        match start {
            DemoStart::Stepwise => drop(requests.recv().await),
            DemoStart::Ready | DemoStart::Recorded => tokio::time::sleep(Duration::from_millis(wait)).await,
        }
        match step {
            StartStep::Phase(phase) => shared.state().phase = phase,
            StartStep::Added => {
                let events = shared.state().house.additions();
                shared.send(events);
            }
            StartStep::Level(level) => {
                let payload = json!({ "startlevel": level });
                let topic = "openhab/system/startlevel".to_owned();
                shared.send(vec![DemoEvent::new(topic, "StartlevelEvent", &payload)]);
            }
            StartStep::Reports => {
                for (item, state) in &reports {
                    shared.set(item, state);
                }
            }
        }
    }
}
