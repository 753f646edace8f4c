//! Watches over a connected house within a turn: understands them, stores them, confirms them once they are on the disk.
//!
//! Runs in the task of the turn. Input: the words of the turn, the house, the stored watches. Output: an order, and a
//! sentence about it. Where nothing can be stored nothing is confirmed.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::context::QuickContext;
use super::connected::ConnectedHome;
use crate::quick::recognised::HouseWish;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{ReplyEvent, Turn};
use joi_autonomy::watch::{OrderOrigin, WatchOrder, Watches, said};
use joi_home::house::{House, MeaningConfig};
use joi_language::Language;
use joi_schedule::Bell;
use joi_understand::house::HouseDecision;
use joi_understand::house::follow::FollowUp;
use joi_understand::house::thread::HouseThread;
use joi_understand::house::watch::{self, WatchPlace, WatchUnderstanding, WatchWish};

/// What a house needs to be watched.
pub(super) struct Watching {
    /// Keeps them; nothing where there is no database.
    pub(super) watches: Option<Watches>,
    meaning: MeaningConfig,
    /// Of the languages that were spoken so far.
    understanding: Mutex<Vec<Arc<WatchUnderstanding>>>,
}

/// Languages that are replaced while the program runs are not kept for ever.
const MOST_LANGUAGES: usize = 8;

impl Watching {
    pub(super) fn new(meaning: MeaningConfig) -> Self {
        Self { watches: None, meaning, understanding: Mutex::default() }
    }

    fn understanding(&self, language: &Arc<Language>) -> Option<Arc<WatchUnderstanding>> {
        let mut known = self.understanding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(one) = known.iter().find(|one| one.is_of(language)) {
            return Some(Arc::clone(one));
        }
        let new = Arc::new(WatchUnderstanding::of(language)?);
        known.truncate(MOST_LANGUAGES - 1);
        known.insert(0, Arc::clone(&new));
        Some(new)
    }
}

impl ConnectedHome {
    /// Returns whether `turn` has the form of a request to watch, whatever the house holds.
    pub(super) fn may_be_watched(&self, turn: &Turn<'_>) -> bool {
        turn.language.watch().is_some_and(|words| watch::may_be(turn.asked, words))
    }

    /// Returns what `turn` wants to be watched, or not any more. What is quoted sets nothing.
    pub(crate) fn watched(&self, turn: &Turn<'_>, thread: &HouseThread) -> Option<HouseWish> {
        let it = thread.it(turn.now.timestamp());
        self.watched_after(turn, FollowUp { it, ..FollowUp::default() })
    }

    pub(super) fn watched_after(&self, turn: &Turn<'_>, follow: FollowUp<'_>) -> Option<HouseWish> {
        if turn.is_quoting || self.watching.watches.is_none() {
            return None;
        }
        let understanding = self.watching.understanding(&turn.language)?;
        let view = self.view();
        let presence = view.house.people(&self.watching.meaning);
        let room = self.rooms.at(turn.place, &view.house);
        let place = WatchPlace { house: &view.house, room, presence: &presence, follow, now: &turn.now };
        let wish = understanding.wished(turn.asked, place);
        let is_unknown = view.house.is_empty();
        Some(match wish? {
            WatchWish::Refused(_) if is_unknown => HouseWish::NotReached,
            WatchWish::Order(order, planned) => HouseWish::Watch { order, planned },
            WatchWish::Which(things) => HouseWish::Decided(HouseDecision::Which(things)),
            WatchWish::Where(things) => HouseWish::Decided(HouseDecision::Where(things)),
            WatchWish::Refused(refusal) => HouseWish::NotWatched(refusal),
        })
    }

    /// Returns the house, while its states are live.
    fn live(&self) -> Option<House> {
        let view = self.view();
        view.link.is_up().then_some(view.house)
    }
}

/// Carries out an order, and confirms it once it is on the disk.
pub(super) async fn carry_out(
    order: &WatchOrder,
    turn: &Turn<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<(), ReceiverClosed> {
    let language = &turn.language;
    let Some((home, watches)) = context.home.and_then(|home| Some((home, home.watching.watches.as_ref()?)))
    else {
        return sink.say(&language.sentences().watch.no_house).await;
    };
    context.session.with(|state| {
        // The last action is not one in the house any more.
        state.house = HouseThread::default();
        state.last_deed = None;
    });
    let words = OrderOrigin { said: turn.asked.to_owned(), origin: turn.origin };
    let done = match watches.obey(order.clone(), words, home.live()).await {
        Ok(done) => done,
        Err(error) => {
            tracing::error!(%error, "a watch was not stored");
            sink.send(ReplyEvent::Notice(error.to_string())).await?;
            sink.decided("watch", "failed", error.to_string()).await?;
            return sink.say(&language.sentences().watch.not_stored).await;
        }
    };
    sink.decided("watch", done.report.name(), "stored before it is confirmed").await?;
    sink.say(&said::reported(&done.report, language, &done.at)).await?;
    if done.bell == Bell::Nobody && matches!(order, WatchOrder::Add(_)) {
        let notice = "(joi is not running: it watches once `joi run` does)";
        sink.send(ReplyEvent::Notice(notice.to_owned())).await?;
    }
    Ok(())
}
