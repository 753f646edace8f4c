//! Says once after a start that joi is awake: when microphone, speaker and model work.
//!
//! One task, a service of the daemon. In: which devices work, what serves the model, how the last run ended. Out: one
//! announcement of the lowest priority, which is dropped unless it can be said soon: never in quiet hours. It is silent
//! when somebody has called meanwhile, when the program comes back after a failure, and when something is missing for
//! long.

use std::fs;
use std::future::Future;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::Brain;
use super::daemon::{Service, ServiceContext};
use crate::control::StatusBoard;
use joi_language::SentenceName;
use joi_llm::Serving;
use joi_schedule::announce::{
    AnnounceConfig, Announcement, AnnouncementOrigin, AnnouncementPriority, Announcer,
};
use joi_store::{LAST_RUN, Store};

/// Limit of a start; after a longer one nothing is said.
const WITHIN: Duration = Duration::from_secs(600);
/// So long it is worth saying.
const FRESH: Duration = Duration::from_secs(120);
/// Another one after each start of the machine.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// The last run, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LastRun {
    /// The start of the machine it belongs to; nothing where that can't be known.
    boot: Option<String>,
    /// It was ended by whoever may end it.
    has_ended: bool,
}

impl LastRun {
    /// Returns whether a run of `boot` follows it because it failed. After a power cut the machine was started anew.
    fn has_failed(&self, boot: Option<&str>) -> bool {
        !self.has_ended && boot.is_some() && self.boot.as_deref() == boot
    }
}

/// Its parts.
#[derive(Clone)]
struct Awake {
    announcer: Announcer,
    store: Option<Store>,
    board: StatusBoard,
    boot: Option<String>,
}

/// Returns the service that says it; none where nobody wants to hear it.
pub(super) fn awake(brain: &Brain, board: &StatusBoard, config: &AnnounceConfig) -> Option<Service> {
    let awake = Awake {
        announcer: brain.announcer.clone(),
        store: brain.store.clone(),
        board: board.clone(),
        boot: boot_id(),
    };
    let serving = brain.mind.serving();
    let run = move |context: ServiceContext| {
        let (awake, mut serving) = (awake.clone(), serving.clone());
        async move {
            let model = async move {
                let is_ready = |now: &Serving| matches!(now, Serving::Ready(_));
                // Whoever serves lives as long as the program.
                let _ = serving.wait_for(is_ready).await;
            };
            // Nothing is left half done where it is dropped.
            tokio::select! {
                () = context.stop.cancelled() => return Ok(()),
                () = awake.say(model) => {}
            }
            context.stop.cancelled().await;
            Ok(())
        }
    };
    config.awake.then(|| Service::new("greeting", "nothing is said after the start", run))
}

/// Notes that the program was ended, and did not fail.
pub(crate) async fn note_end(brain: &Brain) {
    note(brain.store.as_ref(), &LastRun { boot: boot_id(), has_ended: true }).await;
}

impl Awake {
    /// Says it as soon as the devices work and `model` is ready.
    async fn say(&self, model: impl Future<Output = ()>) {
        let last = last_run(self.store.as_ref()).await;
        note(self.store.as_ref(), &LastRun { boot: self.boot.clone(), has_ended: false }).await;
        if last.is_some_and(|last| last.has_failed(self.boot.as_deref())) {
            tracing::info!("the last run failed, so nothing is said of the start");
            return;
        }
        let ready = async {
            self.board.devices_work().await;
            model.await;
        };
        if timeout(WITHIN, ready).await.is_err() {
            tracing::info!("the start took too long to say that it is over");
            return;
        }
        if self.announcer.was_called() {
            tracing::info!("somebody has called already, so nothing is said of the start");
            return;
        }
        let awake = Announcement::new(
            AnnouncementOrigin::StartUp,
            AnnouncementPriority::Background,
            SentenceName::Awake,
        );
        let expires = self.announcer.moment_after(FRESH);
        self.announcer.announce(Announcement { expires, ..awake }).await;
    }
}

async fn last_run(store: Option<&Store>) -> Option<LastRun> {
    let stored = store?.setting(LAST_RUN).await;
    match stored {
        Ok(stored) => serde_json::from_str(&stored?).ok(),
        Err(error) => {
            tracing::warn!(%error, "how the last run ended is not known");
            None
        }
    }
}

async fn note(store: Option<&Store>, run: &LastRun) {
    let (Some(store), Ok(run)) = (store, serde_json::to_string(run)) else { return };
    if let Err(error) = store.set_setting(LAST_RUN, run).await {
        tracing::warn!(%error, "how this run ends will not be known");
    }
}

fn boot_id() -> Option<String> {
    Some(fs::read_to_string(BOOT_ID).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::Arc;

    use super::*;
    use crate::control::{DeviceStatus, Journal, PersistentMute, StatusBoardParts};
    use joi_base::clock::{Clock, ManualClock};
    use joi_base::message::Place;
    use joi_base::pulse::Pulse;
    use joi_schedule::announce::{Floor, Next, Presence, Situation};

    /// Returns a program that starts at this hour, on the machine's first start.
    fn awake(hour: i8, store: Option<Store>) -> Awake {
        let noon: jiff::Zoned = "2026-03-04T12:00[UTC]".parse().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(noon.with().hour(hour).build().unwrap()));
        let data = tempfile::tempdir().unwrap();
        let board = StatusBoard::new(StatusBoardParts {
            mute: PersistentMute::read(data.path()).0,
            pulse: Pulse::default(),
            journal: Journal::new(Arc::clone(&clock)),
            clock: Arc::clone(&clock),
        });
        let announcer = Announcer::new(&AnnounceConfig::default(), None, clock);
        Awake { announcer, store, board, boot: Some("first".into()) }
    }

    fn open_devices(board: &StatusBoard) {
        board.microphone(DeviceStatus::Device("desk".into()));
        board.speaker(DeviceStatus::Device("shelf".into()));
    }

    async fn is_said(awake: &Awake, presence: Presence) -> bool {
        let place = Place::named("home");
        let situation = Situation { place: &place, floor: Floor::Free, presence };
        matches!(awake.announcer.next(&situation).await, Next::Say(..))
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_said_once_when_the_last_of_devices_and_model_works() {
        let awake = awake(12, None);
        awake.board.microphone(DeviceStatus::Device("desk".into()));
        awake.board.speaker(DeviceStatus::Fault("unplugged".into()));
        let open = async {
            tokio::time::sleep(WITHIN / 2).await;
            assert_eq!(awake.announcer.waiting(), [], "the speaker is missing");
            awake.board.speaker(DeviceStatus::Device("shelf".into()));
        };
        tokio::join!(awake.say(ready(())), open);
        assert_eq!(awake.announcer.waiting().len(), 1);
        assert!(is_said(&awake, Presence::Here).await);
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_not_said_at_night_nor_while_joi_is_muted_nor_when_something_is_missing_for_long() {
        for (hour, presence) in [(3, Presence::Here), (12, Presence::Muted)] {
            let awake = awake(hour, None);
            open_devices(&awake.board);
            awake.say(ready(())).await;
            assert!(!is_said(&awake, presence).await, "at {hour}");
            let expires = awake.announcer.waiting()[0].announcement.expires;
            assert_eq!(expires, awake.announcer.moment_after(FRESH), "and it is not kept for the morning");
        }
        let awake = awake(12, None);
        open_devices(&awake.board);
        awake.say(pending()).await;
        assert_eq!(awake.announcer.waiting(), [], "no model");
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_not_said_to_whoever_has_called_already() {
        let home = Place::named("home");
        let before = awake(12, None);
        open_devices(&before.board);
        before.announcer.called(&home, std::time::Instant::now());
        before.say(ready(())).await;
        assert_eq!(before.announcer.waiting(), [], "the user called before joi was ready");
        let meanwhile = awake(12, None);
        open_devices(&meanwhile.board);
        meanwhile.say(ready(())).await;
        assert_eq!(meanwhile.announcer.waiting().len(), 1);
        meanwhile.announcer.called(&home, std::time::Instant::now());
        assert_eq!(meanwhile.announcer.waiting(), [], "he called before it was said");
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_not_said_after_a_failure_and_is_after_a_power_cut_or_an_orderly_end() {
        let store = Store::in_memory().unwrap();
        let ended = LastRun { boot: Some("first".into()), has_ended: true };
        for (before, boot, is_told) in [
            (None, "first", true),
            (None, "first", false),
            (None, "second", true),
            (Some(ended), "second", true),
        ] {
            if let Some(before) = before {
                note(Some(&store), &before).await;
            }
            let awake = Awake { boot: Some(boot.into()), ..awake(12, Some(store.clone())) };
            open_devices(&awake.board);
            awake.say(ready(())).await;
            assert_eq!(!awake.announcer.waiting().is_empty(), is_told, "boot {boot}");
        }
        let unknown = LastRun { boot: None, has_ended: false };
        assert!(!unknown.has_failed(None), "where a failure can't be told from a power cut");
    }
}
