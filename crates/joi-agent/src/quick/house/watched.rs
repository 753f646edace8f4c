//! Watches over a connected house within a turn: understands them, stores them, confirms them once they are on the disk.
//!
//! Runs in the task of the turn. Input: the words of the turn, the house, the stored watches. Output: an order, and a
//! sentence about it. Where nothing can be stored nothing is confirmed.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::context::QuickContext;
use super::connected::ConnectedHome;
use crate::quick::recognised::HouseWish;
use crate::session::house_thread::HouseThread;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{ReplyEvent, Turn};
use joi_autonomy::watch::{WatchOrder, WatchWords, Watches, said};
use joi_home::house::{House, MeaningConfig};
use joi_language::house::HouseWords;
use joi_language::watch::WatchWords as WatchPhrases;
use joi_language::{Language, fill};
use joi_schedule::Bell;
use joi_understand::house::follow::FollowUp;
use joi_understand::house::watch::{self, WatchPhrasings, WatchRefusal, WatchSituation, WatchWish};
use joi_understand::house::{HouseDecision, HouseRefusal, say};
use joi_understand::intents::{self, Mood};

type KnownWatchPhrasings = Vec<(Arc<WatchPhrases>, Arc<WatchPhrasings>)>;

/// What a house needs to be watched.
pub(super) struct Watching {
    /// Keeps them; nothing where there is no database.
    pub(super) watches: Option<Watches>,
    meaning: MeaningConfig,
    /// Of the languages that were spoken so far.
    phrasings: Mutex<KnownWatchPhrasings>,
}

impl Watching {
    pub(super) fn new(meaning: MeaningConfig) -> Self {
        Self { watches: None, meaning, phrasings: Mutex::default() }
    }

    fn phrasings(&self, words: &Arc<WatchPhrases>, house: &HouseWords) -> Arc<WatchPhrasings> {
        let mut known = self.phrasings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, phrasings)) = known.iter().find(|(of, _)| Arc::ptr_eq(of, words)) {
            return Arc::clone(phrasings);
        }
        // Those of languages that were replaced are held by nobody else.
        known.retain(|(of, _)| Arc::strong_count(of) > 1);
        let phrasings = Arc::new(WatchPhrasings::of(words, house));
        known.push((Arc::clone(words), Arc::clone(&phrasings)));
        phrasings
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
        let (language, words) = (&turn.language, turn.language.watch()?);
        if turn.is_quoting || self.watching.watches.is_none() {
            return None;
        }
        let phrasings = self.watching.phrasings(words, language.house()?);
        let view = self.view();
        let presence = view.house.people(&self.watching.meaning);
        let wish = self.understood(turn, follow, |house| {
            let situation = WatchSituation {
                house: *house,
                words,
                phrasings: &phrasings,
                presence: &presence,
                now: &turn.now,
                in_figures: &|text| language.in_figures(text),
                when: &|text| intents::when(language, text),
                may_act: &|text| intents::mood(language, text) == Mood::Request,
            };
            watch::wished(turn.asked, &situation)
        });
        let is_unknown = view.house.is_empty();
        Some(match wish.flatten()? {
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
    let Some((home, watches)) = context.home.and_then(|home| Some((home, home.watching.watches.as_ref()?))) else {
        return sink.say(&language.sentences().watch.no_house).await;
    };
    context.session.with(|state| {
        // The last action is not one in the house any more.
        state.house = HouseThread::default();
        state.last_deed = None;
    });
    let words = WatchWords { said: turn.asked.to_owned(), origin: turn.origin };
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

/// Returns why nothing is watched, in words.
pub(super) fn refused(refusal: &WatchRefusal, language: &Language, words: &HouseWords) -> String {
    let say = &language.sentences().watch;
    match refusal {
        WatchRefusal::House(HouseRefusal::NoSuch(said)) if said.is_empty() => say.nothing_shows.clone(),
        WatchRefusal::House(refusal) => say::decision(&HouseDecision::Refused(refusal.clone()), words),
        WatchRefusal::Cannot(thing) => fill(&say.cannot, &[("thing", thing)]),
        WatchRefusal::OnlyPower(thing) => fill(&say.only_power, &[("thing", thing)]),
        WatchRefusal::NoPresence(thing) => fill(&say.no_presence, &[("thing", thing)]),
        WatchRefusal::DeedTime => say.deed_time.clone(),
        WatchRefusal::NoEnd => say.no_end.clone(),
    }
}
