//! A house that may be spoken to, and what a turn wants of it.
//!
//! Any thread; shared by all conversations, whose threads of talk are in their sessions. Input: the words of a turn and
//! what was said before. Output: a [`HouseWish`]. It sends nothing.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use super::rooms::HouseRooms;
use super::watched::Watching;
use crate::quick::home::has_tool_for;
use crate::quick::recognised::HouseWish;
use crate::turn::Turn;
use joi_answer::parts;
use joi_autonomy::watch::Watches;
use joi_base::message::Place;
use joi_home::house::House;
use joi_home::{Home, HomeConfig, HomeLink, HomeView};
use joi_language::Language;
use joi_language::house::HouseWords;
use joi_tools::Toolbox;
use joi_understand::compound::{self, Joint};
use joi_understand::house::follow::{self, FollowUp};
use joi_understand::house::later::{self, LaterTime, LaterWords};
use joi_understand::house::thread::{HouseThread, TakenBack};
use joi_understand::house::{
    self, HouseDecision, HousePhrasings, HouseRefusal, HouseSituation, HouseTemplates, TemplateNames,
};
use joi_understand::intents::TakingBack;
use joi_understand::intents::{self, HomeOrder, Mood};
use joi_understand::wish;

type KnownPhrasings = Vec<(Arc<HouseWords>, Arc<HousePhrasings>)>;

/// Time that the first words about a house wait for its first states.
const FIRST_NEWS: Duration = Duration::from_secs(3);

/// A house that may be spoken to, and the room of this device.
pub struct ConnectedHome {
    pub(super) home: Arc<dyn Home>,
    pub(super) rooms: HouseRooms,
    /// Temperatures inside that are nothing to speak of, in °C.
    pub(super) comfort: [i32; 2],
    /// Of the languages that were spoken so far.
    phrasings: Mutex<KnownPhrasings>,
    /// Of the language that was spoken last.
    names: TemplateNames,
    pub(super) watching: Watching,
}

/// A part of an utterance, and what it names.
struct SpokenPart<'a> {
    words: &'a str,
    is_of_house: bool,
    names: Vec<String>,
}

impl ConnectedHome {
    /// A house, and what the owner says of it: in which room this device is, which temperatures are usual.
    pub fn new(home: Arc<dyn Home>, config: &HomeConfig) -> Self {
        let watching = Watching::new(config.meaning.clone());
        Self {
            home,
            rooms: HouseRooms::of(config),
            comfort: config.comfort_c,
            phrasings: Mutex::default(),
            names: TemplateNames::default(),
            watching,
        }
    }

    /// The same with watches, which are kept there.
    #[must_use]
    pub fn watched_by(mut self, watches: Option<Watches>) -> Self {
        self.watching.watches = watches;
        self
    }

    /// The server, for tools.
    pub fn server(&self) -> Arc<dyn Home> {
        Arc::clone(&self.home)
    }

    pub(super) fn view(&self) -> HomeView {
        self.home.watch().borrow().clone()
    }

    pub(super) fn phrasings(&self, words: &Arc<HouseWords>) -> Arc<HousePhrasings> {
        let mut known = self.phrasings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, phrasings)) = known.iter().find(|(of, _)| Arc::ptr_eq(of, words)) {
            return Arc::clone(phrasings);
        }
        // Those of languages that were replaced are held by nobody else.
        known.retain(|(of, _)| Arc::strong_count(of) > 1);
        let phrasings = Arc::new(HousePhrasings::of(words));
        known.push((Arc::clone(words), Arc::clone(&phrasings)));
        phrasings
    }

    /// Waits for the first news of the house, where a turn may be about it and none has come yet.
    pub(crate) async fn ready(&self, turn: &Turn<'_>) {
        let Some(words) = turn.language.house() else { return };
        let is_new = self.home.watch().borrow().link == HomeLink::Connecting;
        let is_about =
            || house::may_be_about(turn.asked, words, &self.phrasings(words)) || self.may_be_watched(turn);
        if is_new && is_about() {
            let mut seen = self.home.watch();
            // Without any it is not reached, and joi says so.
            let _ = timeout(FIRST_NEWS, seen.wait_for(|view| view.link != HomeLink::Connecting)).await;
        }
    }

    /// Returns what `read` makes of the house as it is, and of what was said before.
    pub(super) fn understood<T>(
        &self,
        turn: &Turn<'_>,
        follow: FollowUp<'_>,
        read: impl FnOnce(&HouseSituation<'_>) -> T,
    ) -> Option<T> {
        let view = self.view();
        let house = follow.before.unwrap_or(&view.house);
        self.situated((&turn.language, turn.place), house, follow, read)
    }

    /// Returns what `read` makes of `house`.
    pub(super) fn situated<T>(
        &self,
        (language, place): (&Language, Option<&Place>),
        house: &House,
        follow: FollowUp<'_>,
        read: impl FnOnce(&HouseSituation<'_>) -> T,
    ) -> Option<T> {
        let words = language.house()?;
        let (phrasings, phonetic) = (self.phrasings(words), language.phonetic());
        let (room, names) =
            (self.rooms.at(place, house), self.names.of(house, words, phonetic, language.code()));
        let templates = language.templates().map(|sentences| HouseTemplates { sentences, names: &names });
        let phrasings = &phrasings;
        Some(read(&HouseSituation { house, words, phrasings, phonetic, room, follow, templates }))
    }

    pub(super) fn decided(&self, turn: &Turn<'_>, follow: FollowUp<'_>) -> Option<HouseDecision> {
        let decided =
            self.understood(turn, follow, |situation| house::decide(turn.asked, situation)).flatten();
        decided.filter(|decision| may_be(decision, turn))
    }

    /// Returns what `turn` wants of the house; `order` is what was recognised without looking at it.
    pub(crate) fn wish(
        &self,
        turn: &Turn<'_>,
        thread: &HouseThread,
        order: Option<&HomeOrder>,
        tools: &Toolbox,
    ) -> Option<HouseWish> {
        let words = turn.language.house()?;
        let view = self.view();
        if follow::is_undo(turn.asked, words)
            && let Some(taken) = thread.taken_back(turn.now.timestamp(), &view.house)
        {
            return Some(self.taking_back(taken)).filter(|_| may_act(turn));
        }
        let it = thread.it(turn.now.timestamp());
        let sent = thread.superseded(turn.now.timestamp());
        let before = sent.as_ref().map(|sent| &sent.before);
        let decided = self.decided(turn, FollowUp { it, before, ..FollowUp::default() });
        if decided.as_ref().is_none_or(is_odd)
            && let Some(later) = self.later(turn, words, FollowUp { it, ..FollowUp::default() })
        {
            return Some(later);
        }
        let is_known = !view.house.is_empty();
        let order = order.filter(|order| !has_tool_for(order, tools));
        match decided {
            Some(HouseDecision::Refused(HouseRefusal::Missing(_))) if !is_known => {
                Some(HouseWish::NotReached)
            }
            Some(HouseDecision::Refused(HouseRefusal::NoSuch(_))) | None if !is_known => {
                order.map(|_| HouseWish::NotReached)
            }
            Some(decision) => Some(self.reached(decision)),
            None => order.map(|order| {
                // "If you don't mind, …": what stands around the request is no part of a name.
                let bare = wish::bare_request(&turn.language, turn.asked);
                let found = bare.and_then(|bare| {
                    let (now, language) = (turn.now.clone(), Arc::clone(&turn.language));
                    let rest = Turn { asked: &bare, now, language, ..*turn };
                    self.decided(
                        &rest,
                        FollowUp { it: thread.it(turn.now.timestamp()), ..FollowUp::default() },
                    )
                });
                if let Some(decision) = found {
                    return self.reached(decision);
                }
                let none = HouseRefusal::NoSuch(order.thing.clone());
                HouseWish::Decided(HouseDecision::Refused(none))
            }),
        }
    }

    /// Returns what takes back what was done in the house last; with "cancel that" only what the turn before was about.
    pub(crate) fn back(
        &self,
        turn: &Turn<'_>,
        thread: &HouseThread,
        taking: TakingBack,
    ) -> Option<HouseWish> {
        let now = turn.now.timestamp();
        let counts = may_act(turn) && (taking == TakingBack::Undo || !thread.it(now).is_empty());
        let taken = thread.taken_back(now, &self.view().house).filter(|_| counts)?;
        Some(self.taking_back(taken))
    }

    /// What takes back is for the schedule, for the house, or for both.
    fn taking_back(&self, TakenBack { stored, decision }: TakenBack) -> HouseWish {
        let then = decision.map(|decision| Box::new(self.reached(decision)));
        match (stored, then) {
            (Some(stored), then) => HouseWish::Unstored { stored, then },
            (None, Some(then)) => *then,
            (None, None) => HouseWish::Decided(HouseDecision::Refused(HouseRefusal::NotBack)),
        }
    }

    /// Returns what `turn` wants at another time or for a while; nothing when it is no such command.
    fn later(&self, turn: &Turn<'_>, words: &Arc<HouseWords>, follow: FollowUp<'_>) -> Option<HouseWish> {
        // "When the sun sets, …" begins like a question; the rest of the words says whether it is one.
        let is_request = may_act(turn);
        let by_template = |situation: &HouseSituation<'_>| house::later_by_template(turn.asked, situation);
        let timed = match self.understood(turn, follow, by_template).flatten() {
            Some(timed) => vec![timed],
            None if !house::may_be_about(turn.asked, words, &self.phrasings(words)) => return None,
            None => {
                let read = |said: &str| intents::clear_when(&turn.language, said);
                later::without_time(turn.asked, words, read)
            }
        };
        let may_count = |timed: &LaterWords| is_request || matches!(timed.time, LaterTime::By(_));
        let mut understood: Vec<(HouseDecision, LaterTime)> = timed
            .into_iter()
            .filter(may_count)
            .filter_map(|LaterWords { rest, time }| {
                let (now, language) = (turn.now.clone(), Arc::clone(&turn.language));
                let rest = Turn { asked: &rest, now, language, ..*turn };
                Some((self.decided(&rest, follow)?, time))
            })
            .collect();
        let Some(at) = understood.iter().position(|(decision, _)| acts(decision)) else {
            // Which one is asked, and the whole of the words is read again with the answer.
            let is_open = |decision: &HouseDecision| {
                matches!(decision, HouseDecision::Which(_) | HouseDecision::Where(_))
            };
            let unclear = understood.into_iter().map(|(decision, _)| decision).find(is_open);
            return unclear.map(|decision| self.reached(decision));
        };
        let (decided, time) = understood.swap_remove(at);
        let view = self.view();
        if matches!(time, LaterTime::For(_)) && !view.link.is_up() {
            return Some(HouseWish::NotReached);
        }
        Some(match later::wished(decided, &time, &view.house, &turn.now) {
            Ok(wished) => HouseWish::Later(wished),
            Err(refusal) => HouseWish::Decided(HouseDecision::Refused(refusal)),
        })
    }

    /// The command or question `asked` again, after something was picked.
    pub(super) fn after_pick(&self, asked: &Turn<'_>, follow: FollowUp<'_>) -> Option<HouseWish> {
        if let Some(watched) = self.watched_after(asked, follow) {
            return Some(watched);
        }
        let decided = self.decided(asked, follow);
        if decided.as_ref().is_none_or(is_odd)
            && let Some(later) = self.later(asked, asked.language.house()?, follow)
        {
            return Some(later);
        }
        decided.map(|decision| self.reached(decision))
    }

    /// Refuses what depends on states while the house is not reached. A command finds out itself that it does not
    /// arrive.
    fn reached(&self, decision: HouseDecision) -> HouseWish {
        match self.view().link.is_up() || needs_no_state(&decision) {
            true => HouseWish::Decided(decision),
            false => HouseWish::NotReached,
        }
    }

    /// Several requests of which at least one is about the house and none is for the model; nothing otherwise. A
    /// question takes no command with it, and neither does a statement.
    pub(crate) fn parts<'t>(&self, turn: &Turn<'t>, thread: &HouseThread) -> Option<Vec<&'t str>> {
        if turn.is_quoting || compound::is_endless(turn.asked, Some(turn.language.code())) {
            return None;
        }
        let it = thread.it(turn.now.timestamp()).to_vec();
        let parts = self.apart(turn, turn.asked, &it)?;
        parts.iter().any(|part| part.is_of_house).then(|| parts.into_iter().map(|part| part.words).collect())
    }

    fn apart<'t>(&self, turn: &Turn<'_>, asked: &'t str, it: &[String]) -> Option<Vec<SpokenPart<'t>>> {
        let halves = compound::halves(asked, Some(turn.language.code()));
        halves.into_iter().find_map(|([one, other], joint)| {
            let is_question = intents::mood(&turn.language, one) == Mood::Question;
            let Some(first) = self.part(turn, one, it) else {
                // "The match is starting, turn on the TV": the first half asks for nothing.
                let is_asked = || intents::mood(&turn.language, other) == Mood::Question;
                let asks_for_nothing =
                    intents::is_statement(&turn.language, one) || !is_question && is_asked();
                let is_alone =
                    joint == Joint::Comma && asks_for_nothing && !intents::holds_time(&turn.language, one);
                let part = if is_alone { self.part(turn, other, it)? } else { return None };
                return part.is_of_house.then(|| vec![part]);
            };
            let rest = match self.part(turn, other, &first.names) {
                Some(part) => vec![part],
                None => self.apart(turn, other, &first.names)?,
            };
            let is_asked = |part: &SpokenPart<'_>| {
                !part.is_of_house || intents::mood(&turn.language, part.words) == Mood::Question
            };
            if is_question && !rest.iter().all(is_asked) {
                return None;
            }
            Some(std::iter::once(first).chain(rest).collect())
        })
    }

    fn part<'t>(&self, turn: &Turn<'_>, words: &'t str, it: &[String]) -> Option<SpokenPart<'t>> {
        let part =
            Turn { asked: words, now: turn.now.clone(), language: Arc::clone(&turn.language), ..*turn };
        let is_asked = || wish::is_asked_within(&turn.language, turn.asked, words);
        match self.decided(&part, FollowUp { it, ..FollowUp::default() }) {
            Some(decision) if acts(&decision) && !is_asked() => None,
            Some(HouseDecision::Refused(HouseRefusal::NoSuch(_))) | None if !is_asked() => None,
            Some(HouseDecision::Refused(HouseRefusal::NoSuch(_))) | None => {
                let known = turn.language.house()?;
                if let Some(HouseWish::Later(wished)) =
                    self.later(&part, known, FollowUp { it, ..FollowUp::default() })
                {
                    let names = wished.commands.iter().map(|one| one.ordered.item.clone()).collect();
                    return Some(SpokenPart { words, is_of_house: true, names });
                }
                let is_quick = parts::is_quick(words, &turn.language);
                is_quick.then(|| SpokenPart { words, is_of_house: false, names: Vec::new() })
            }
            Some(decision) => {
                Some(SpokenPart { words, is_of_house: true, names: follow::spoken_of(&decision) })
            }
        }
    }
}

impl HouseWish {
    /// Returns whether nothing in the house could do all of it as it stands: it may be several requests.
    pub(crate) fn comes_to_nothing(&self) -> bool {
        self.is_of_nothing() || matches!(self, Self::Decided(HouseDecision::Refused(HouseRefusal::Cannot(_))))
    }

    /// Returns whether nothing in the house was found that it could be about.
    pub(crate) fn is_of_nothing(&self) -> bool {
        matches!(self, Self::Decided(HouseDecision::Refused(HouseRefusal::NoSuch(_))))
    }
}

/// With words for a time in them, the words for a thing or a value are none.
pub(super) fn is_odd(decision: &HouseDecision) -> bool {
    matches!(decision, HouseDecision::Refused(HouseRefusal::NoSuch(_) | HouseRefusal::Cannot(_)))
}

/// A question never acts, and neither does what is quoted.
fn may_be(decision: &HouseDecision, turn: &Turn<'_>) -> bool {
    !acts(decision) || may_act(turn)
}

pub(super) fn acts(decision: &HouseDecision) -> bool {
    matches!(decision, HouseDecision::Send(_) | HouseDecision::AskFirst(_))
}

fn may_act(turn: &Turn<'_>) -> bool {
    let is_request = || {
        let in_other_words = |words: &Arc<HouseWords>| follow::is_in_other_words(turn.asked, words);
        intents::mood(&turn.language, turn.asked) == Mood::Request
            || turn.language.house().is_some_and(in_other_words)
    };
    !turn.is_quoting && is_request()
}

fn needs_no_state(decision: &HouseDecision) -> bool {
    matches!(decision, HouseDecision::Send(_) | HouseDecision::Refused(HouseRefusal::NoSuch(_)))
}
