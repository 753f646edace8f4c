//! The service that watches the house for what somebody asked about, while the program runs.
//!
//! One task. In: the connected house, the stored watches. Out: announcements, commands that are checked anew and sent once.
//! Without a house or a database there is no service.

use std::sync::Arc;

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use super::later::LaterHand;
use joi_autonomy::watch::{HouseSource, LOOKS_EVERY, WatchTask};
use joi_home::{Home as _, HomeServer};

/// Returns the service.
pub(super) fn watches(brain: &Brain, house: Option<&HomeServer>) -> Option<Service> {
    let (watches, house) = (brain.watches.clone()?, house?.clone());
    let announcer = brain.announcer.clone();
    let run = move |context: ServiceContext| {
        let hand = Arc::new(LaterHand(house.shared()));
        let source = HouseSource { view: house.watch(), events: house.events(), hand };
        let task = WatchTask::new(watches.clone(), announcer.clone(), source);
        async move {
            task.run(context.stop, &context.heart).await;
            Ok(())
        }
    };
    let service = Service::new("watches", "nobody is told of what was to be watched in the house", run);
    Some(service.heartbeat(3 * LOOKS_EVERY))
}
