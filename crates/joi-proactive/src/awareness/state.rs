//! The context state: the facts known of the house and of the user right now.
//!
//! In: observations, notices, the time. Out: what was noticed because of them. It is plain data that can be stored; one
//! that can't be read is replaced by an empty one, which fills with the next observation. A clock that jumps makes
//! moments that lie ahead count as now.
//! Pure: no I/O, no clock.

mod answers;
mod weather;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use jiff::{SignedDuration, Timestamp, Zoned};
use serde::{Deserialize, Serialize};

use super::config::AwarenessConfig;
use super::event::{CriticalId, Happening, HouseEvent};
use super::observe::ItemObservation;
use super::patterns::AnswerPatterns;
use super::significance::{Significance, significance};
use super::topics::{Topic, TopicQueue, TopicRules};

pub use weather::WeatherOutlook;

/// Messages that are remembered.
const MESSAGES: usize = 10;
/// Most events that are kept, however many there are.
const EVENTS: usize = 256;
/// Readings of a sensor that are kept, however many count for a swing.
const READINGS: usize = 64;

/// The presence of people at home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum HomePresence {
    /// No item reports.
    #[default]
    Unknown,
    /// Somebody is.
    Home {
        /// Since when.
        since: Timestamp,
    },
    /// Nobody is.
    Away {
        /// Since when.
        since: Timestamp,
    },
}

/// A proactive message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextMessage {
    /// When.
    pub at: Timestamp,
    /// What.
    pub text: String,
}

/// An event and how much it matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noticed {
    /// The event.
    pub event: HouseEvent,
    /// How much it matters.
    pub significance: Significance,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OpenDoor {
    what: String,
    since: Timestamp,
    is_noticed: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct SensorHistory {
    what: String,
    readings: Vec<(Timestamp, f64)>,
    /// It was worth a word at the last reading.
    is_noticed: bool,
}

/// Everything that is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextState {
    /// The presence of people at home.
    pub presence: HomePresence,
    present: BTreeMap<String, bool>,
    sensors: BTreeMap<String, SensorHistory>,
    open: BTreeMap<String, OpenDoor>,
    /// Detectors that are on.
    dangers: BTreeSet<String>,
    warnings: BTreeMap<String, String>,
    weather: Option<String>,
    weather_at: Option<Timestamp>,
    /// The checksum of what the item for alerts said last.
    pub alert_text: Option<String>,
    /// Of the last day, the oldest first.
    pub events: VecDeque<Noticed>,
    /// When the house last said anything: what is older is not announced as true.
    pub updated: Option<Timestamp>,
    /// When the user and joi last had to do with one another.
    pub last_interaction: Option<Timestamp>,
    /// The last that was said unasked, the oldest first.
    pub messages: VecDeque<ContextMessage>,
    /// Proactive messages of the last hours.
    pub outbound: Vec<Timestamp>,
    /// Topics that wait.
    pub topics: TopicQueue,
    /// The last proactive message, as long as an answer to it counts.
    pub in_hand: Option<Topic>,
    /// The hours in which users answer.
    pub patterns: AnswerPatterns,
    /// Messages of which it is not known yet whether they are answered, the oldest first.
    pub awaiting_answer: Vec<Timestamp>,
}

impl ContextState {
    /// Reads a stored one.
    ///
    /// # Errors
    /// Why it can't be read: go on with an empty one.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Takes in what the items say; what was noticed because of it.
    pub fn observe(
        &mut self,
        said: &[(String, String, ItemObservation)],
        rules: &AwarenessConfig,
        now: &Zoned,
    ) -> Vec<Noticed> {
        let at = now.timestamp();
        self.forget_old(rules, at);
        if !said.is_empty() {
            self.updated = Some(at);
        }
        let mut happened = Vec::new();
        for (item, what, observation) in said {
            let happening = match observation {
                ItemObservation::Danger(id, is_on) => self.danger(item, *id, *is_on),
                ItemObservation::Open(is_open) => self.door(item, what, *is_open, at),
                ItemObservation::Warmth(celsius) => self.warmth((item, what), *celsius, rules, at),
                ItemObservation::Weather(text) => self.warned(item, text, at),
                ItemObservation::Present(is_present) => {
                    self.present.insert(item.clone(), *is_present);
                    None
                }
            };
            let event = |happening| HouseEvent { happening, what: what.clone(), item: item.clone(), at };
            happened.extend(happening.map(event));
        }
        self.forget_missing(said);
        happened.extend(self.came_or_went(at));
        happened.into_iter().map(|event| self.take(event, rules, now)).collect()
    }

    /// Takes in one event, whoever reports it.
    pub fn take(&mut self, event: HouseEvent, rules: &AwarenessConfig, now: &Zoned) -> Noticed {
        let noticed = Noticed { significance: significance(&event, rules, now), event };
        self.events.push_back(noticed.clone());
        while self.events.len() > EVENTS {
            self.events.pop_front();
        }
        let fact = noticed.event.fact(rules.comfort_high, rules.comfort_low);
        // A critical event is announced at once, and needs no topic.
        if let (Significance::Significant, Some(fact)) = (noticed.significance, fact) {
            let topic = Topic {
                id: 0,
                key: noticed.event.key(),
                fact,
                what: noticed.event.what.clone(),
                significance: noticed.significance,
                at: noticed.event.at,
                refused: 0,
            };
            self.topics.push(topic, topic_rules(rules), now.timestamp());
        }
        noticed
    }

    /// Takes in a topic that is no event of the house. Returns whether it waits.
    pub fn offer(&mut self, topic: Topic, rules: &AwarenessConfig, now: Timestamp) -> bool {
        self.topics.push(topic, topic_rules(rules), now)
    }

    /// Returns what is noticed because time has passed: doors that are still open.
    pub fn tick(&mut self, rules: &AwarenessConfig, now: &Zoned) -> Vec<Noticed> {
        let at = now.timestamp();
        self.forget_old(rules, at);
        let mut happened = Vec::new();
        for (item, door) in &mut self.open {
            let open_s = at.duration_since(door.since).as_secs();
            let happening = Happening::LeftOpen { open_s };
            let event = HouseEvent { happening, what: door.what.clone(), item: item.clone(), at };
            if door.is_noticed {
                // It waits to be mentioned, and is open for longer by now.
                self.topics.renew(&event.key(), event.fact(rules.comfort_high, rules.comfort_low));
            } else if open_s > rules.open_for().as_secs() {
                door.is_noticed = true;
                happened.push(event);
            }
        }
        happened.into_iter().map(|event| self.take(event, rules, now)).collect()
    }

    /// When [`tick`](Self::tick) has something to notice at the earliest.
    pub fn next_tick(&self, rules: &AwarenessConfig) -> Option<Timestamp> {
        let after = rules.open_for() + SignedDuration::from_secs(1);
        let waiting = self.open.values().filter(|door| !door.is_noticed);
        waiting.filter_map(|door| door.since.checked_add(after).ok()).min()
    }

    /// Something was said or sent to the user unasked.
    pub fn sent(&mut self, text: &str, at: Timestamp) {
        self.messages.push_back(ContextMessage { at, text: text.to_owned() });
        while self.messages.len() > MESSAGES {
            self.messages.pop_front();
        }
        self.outbound.push(at);
        self.last_interaction = Some(at);
    }

    /// Events that matter within the last `time`; a sensor that crosses its limit again and again counts once.
    pub fn interesting(&self, now: Timestamp, time: SignedDuration) -> usize {
        let recent = |noticed: &&Noticed| now.duration_since(noticed.event.at) < time;
        let worth = self.events.iter().filter(|n| n.significance > Significance::Routine);
        worth.filter(recent).map(|noticed| noticed.event.key()).collect::<BTreeSet<_>>().len()
    }

    /// Messages that went out unasked within the last `time`.
    pub fn sent_within(&self, now: Timestamp, time: SignedDuration) -> usize {
        self.outbound.iter().filter(|at| now.duration_since(**at) < time).count()
    }

    /// Detectors that are on.
    pub fn dangers(&self) -> impl Iterator<Item = &str> {
        self.dangers.iter().map(String::as_str)
    }

    /// Items of doors and windows that are open.
    pub fn open_doors(&self) -> impl Iterator<Item = &str> {
        self.open.keys().map(String::as_str)
    }

    /// Removes what is too old, and takes back what lies ahead after the clock was set back.
    pub fn forget_old(&mut self, rules: &AwarenessConfig, now: Timestamp) {
        let kept = SignedDuration::from_hours(i64::from(rules.event_hours));
        for noticed in &mut self.events {
            noticed.event.at = noticed.event.at.min(now);
        }
        self.events.retain(|noticed| now.duration_since(noticed.event.at) < kept);
        for at in self.outbound.iter_mut().chain(&mut self.last_interaction).chain(&mut self.awaiting_answer)
        {
            *at = (*at).min(now);
        }
        self.outbound.retain(|at| now.duration_since(*at) < kept);
        for door in self.open.values_mut() {
            door.since = door.since.min(now);
        }
        if let HomePresence::Home { since } | HomePresence::Away { since } = &mut self.presence {
            *since = (*since).min(now);
        }
        self.topics.prune(topic_rules(rules), now);
        let is_current = |topic: &Topic| now.duration_since(topic.at.min(now)) < kept;
        self.in_hand.take_if(|topic| !is_current(topic));
    }

    /// An item that reports nothing any more, since it was removed, renamed or is undefined, keeps nobody at home and no
    /// door open. A danger is not over because its detector is silent.
    fn forget_missing(&mut self, said: &[(String, String, ItemObservation)]) {
        // A house that reports nothing at all is being loaded.
        if said.is_empty() {
            return;
        }
        let tells = |name: &String, is_it: fn(&ItemObservation) -> bool| {
            said.iter().any(|(item, _, observation)| item == name && is_it(observation))
        };
        self.present.retain(|name, _| tells(name, |is| matches!(is, ItemObservation::Present(_))));
        let is_door = |is: &ItemObservation| matches!(is, ItemObservation::Open(_));
        let gone: Vec<String> = self.open.keys().filter(|name| !tells(name, is_door)).cloned().collect();
        for item in gone {
            self.open.remove(&item);
            self.topics.withdraw(&format!("open:{item}"));
        }
    }

    /// Forgets what was said or sent, and what might be mentioned; what the items of the house say stays.
    pub fn forget_words(&mut self) {
        self.messages.clear();
        self.topics.clear();
        self.in_hand = None;
        self.events.clear();
    }

    fn danger(&mut self, item: &str, id: CriticalId, is_on: bool) -> Option<Happening> {
        if is_on {
            self.dangers.insert(item.to_owned()).then_some(Happening::Critical { id })
        } else {
            self.dangers.remove(item);
            None
        }
    }

    fn door(&mut self, item: &str, what: &str, is_open: bool, at: Timestamp) -> Option<Happening> {
        match (is_open, self.open.contains_key(item)) {
            (true, false) => {
                let door = OpenDoor { what: what.to_owned(), since: at, is_noticed: false };
                self.open.insert(item.to_owned(), door);
                Some(Happening::Opened)
            }
            (false, true) => {
                self.open.remove(item);
                // A door that is closed is not worth mentioning any more.
                self.topics.withdraw(&format!("open:{item}"));
                Some(Happening::Closed)
            }
            (true, true) | (false, false) => None,
        }
    }

    fn warmth(
        &mut self,
        (item, what): (&str, &str),
        celsius: f64,
        rules: &AwarenessConfig,
        at: Timestamp,
    ) -> Option<Happening> {
        let sensor = self.sensors.entry(item.to_owned()).or_default();
        sensor.what = what.to_owned();
        sensor.readings.retain(|(then, _)| *then <= at);
        // The newest from before that time stays: it was true when the time began.
        let within = rules.swing_within();
        while sensor.readings.get(1).is_some_and(|(then, _)| at.duration_since(*then) >= within) {
            sensor.readings.remove(0);
        }
        if sensor.readings.last().is_none_or(|(_, last)| *last != celsius) {
            sensor.readings.push((at, celsius));
        }
        if sensor.readings.len() > READINGS {
            sensor.readings.remove(0);
        }
        let swing = sensor.readings.iter().map(|(_, before)| (celsius - before).abs()).fold(0.0, f64::max);
        let is_worth = swing > rules.swing || !(rules.comfort_low..=rules.comfort_high).contains(&celsius);
        let is_new = is_worth && !sensor.is_noticed;
        sensor.is_noticed = is_worth;
        let happening = Happening::Warmth { celsius, swing };
        if !is_worth {
            self.topics.withdraw(&format!("warmth:{item}"));
        } else if !is_new {
            // It waits to be mentioned, and has changed meanwhile.
            let event = HouseEvent { what: what.to_owned(), ..HouseEvent::new(happening.clone(), item, at) };
            self.topics.renew(&event.key(), event.fact(rules.comfort_high, rules.comfort_low));
        }
        is_new.then_some(happening)
    }

    fn came_or_went(&mut self, at: Timestamp) -> Option<HouseEvent> {
        let is_home = self.present.values().any(|present| *present);
        if self.present.is_empty() {
            self.presence = HomePresence::Unknown;
            return None;
        }
        let (presence, happening) = match (self.presence, is_home) {
            (HomePresence::Home { .. }, true) | (HomePresence::Away { .. }, false) => return None,
            (HomePresence::Unknown, true) => (HomePresence::Home { since: at }, None),
            (HomePresence::Unknown, false) => (HomePresence::Away { since: at }, None),
            (HomePresence::Away { since }, true) => {
                let away_s = at.duration_since(since).as_secs();
                (HomePresence::Home { since: at }, Some(Happening::Arrived { away_s }))
            }
            (HomePresence::Home { .. }, false) => (HomePresence::Away { since: at }, Some(Happening::Left)),
        };
        self.presence = presence;
        happening.map(|happening| HouseEvent { happening, what: String::new(), item: String::new(), at })
    }
}

/// Returns how the queue of topics works under these settings.
fn topic_rules(rules: &AwarenessConfig) -> TopicRules {
    TopicRules {
        most: rules.most_topics,
        expires: SignedDuration::from_hours(i64::from(rules.topic_hours)),
        again_after: SignedDuration::from_hours(i64::from(rules.again_hours)),
    }
}
