//! Simulates a month in a scripted house and counts how often joi speaks unasked, and how considerately.
//!
//! In: the settings, a kind of house, a seed. Out: every contact, every decision counted by its reason, and whatever
//! should never happen. It runs the same functions as the program does; only the house and its people are made up
//! ([`people`]). The same seed gives the same month.
//! Pure: no I/O, no clock.

pub mod people;
mod plot;

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, Zoned};
use serde::Serialize;

use super::config::ImpulseConfig;
use super::decide::{Hold, ImpulseInput, ImpulseVerdict, decide};
use super::rhythm::{Rhythm, RhythmDue};
use super::score::ScoreInput;
use crate::awareness::{
    AwarenessConfig, ContextState, CriticalId, Happening, HomePresence, HourOfWeek, Noticed, Significance,
};
use joi_schedule::announce::QuietHours;
use people::{People, SimulatedHouse};

/// The settings of a simulated month.
#[derive(Debug, Clone)]
pub struct SimulationParts<'a> {
    /// `[impulse]`.
    pub impulse: &'a ImpulseConfig,
    /// `[awareness]`.
    pub awareness: &'a AwarenessConfig,
    /// `announce.quiet_hours`.
    pub quiet: &'a QuietHours,
    /// The first moment.
    pub start: Zoned,
    /// How many days.
    pub days: u32,
    /// The kind of house.
    pub house: SimulatedHouse,
    /// Chance.
    pub seed: u64,
}

/// One time joi spoke up.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedContact {
    /// When.
    pub at: Zoned,
    /// The key of its topic.
    pub key: String,
    /// The score it was decided by.
    pub total: f64,
    /// Whether joi was answered.
    pub is_answered: bool,
}

/// Counts of what should never happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Inconsiderate {
    /// Contacts in quiet hours.
    pub in_quiet_hours: usize,
    /// Contacts after "not now" before the silence of `impulse.not_now_min` was over.
    pub after_not_now: usize,
    /// Topics that were announced twice within 24 hours.
    pub repeated: usize,
    /// Dangers that were not announced at once.
    pub dangers_missed: usize,
}

/// A month.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// All contacts, in order.
    pub contacts: Vec<SimulatedContact>,
    /// When somebody said "not now".
    pub not_now: Vec<Zoned>,
    /// How long joi is to be silent after that.
    pub rest: SignedDuration,
    /// Dangers as they began in the house, and when each was announced.
    pub dangers: Vec<(Zoned, Option<Zoned>)>,
    /// Decisions to be silent, by reason.
    pub held: BTreeMap<&'static str, usize>,
    /// Contacts of each day.
    pub per_day: Vec<(Date, usize)>,
    quiet: QuietHours,
}

/// A month in the making.
struct Run<'a> {
    parts: &'a SimulationParts<'a>,
    chance: fastrand::Rng,
    state: ContextState,
    wished_until: Option<Zoned>,
    /// Dangers that are to be announced; their places in `found`.
    untold: Vec<(CriticalId, usize)>,
    found: Simulation,
}

/// Runs it, minute by minute.
pub fn simulate(parts: &SimulationParts<'_>) -> Simulation {
    let days = (0..i64::from(parts.days)).filter_map(|day| {
        Some((parts.start.date().checked_add(SignedDuration::from_hours(24 * day)).ok()?, 0))
    });
    let found = Simulation {
        contacts: Vec::new(),
        not_now: Vec::new(),
        rest: SignedDuration::from_mins(parts.impulse.not_now_min.into()),
        dangers: Vec::new(),
        held: BTreeMap::new(),
        per_day: days.collect(),
        quiet: parts.quiet.clone(),
    };
    let mut run = Run {
        parts,
        chance: fastrand::Rng::with_seed(parts.seed),
        state: ContextState::default(),
        wished_until: None,
        untold: Vec::new(),
        found,
    };
    run.run();
    run.found
}

impl Run<'_> {
    fn run(&mut self) {
        let mut people = People::new(self.parts.house, self.parts.seed);
        let rhythm = self.rhythm();
        let mut due = RhythmDue::after(rhythm, self.parts.start.timestamp(), self.chance.f64());
        for minute in 0..i64::from(self.parts.days) * 24 * 60 {
            let Ok(now) = self.parts.start.checked_add(SignedDuration::from_mins(minute)) else { return };
            let moment = people.minute(&now);
            if let Some(danger) = moment.danger {
                self.untold.push((danger, self.found.dangers.len()));
                self.found.dangers.push((now.clone(), None));
            }
            let rules = self.parts.awareness;
            let mut noticed = self.state.observe(&moment.said, rules, &now);
            noticed.extend(self.state.tick(rules, &now));
            self.announce_dangers(&noticed, &now);
            if moment.talks {
                self.spoken_to(&now);
            }
            if due.is_due(now.timestamp()) {
                due.done(now.timestamp(), self.chance.f64());
                self.look(&now, &mut people);
            }
        }
    }

    fn rhythm(&self) -> Rhythm {
        let minutes = |minutes: f64| SignedDuration::from_secs_f64(minutes * 60.0);
        let ImpulseConfig { check_min, check_spread_min, .. } = self.parts.impulse;
        Rhythm { every: minutes(*check_min), spread: minutes(*check_spread_min) }
    }

    /// Dangers go past every rule; one that began and was not noticed stays untold.
    fn announce_dangers(&mut self, noticed: &[Noticed], now: &Zoned) {
        for noticed in noticed.iter().filter(|noticed| noticed.significance == Significance::Critical) {
            let Happening::Critical { id } = noticed.event.happening else { continue };
            for (_, place) in self.untold.extract_if(.., |(danger, _)| *danger == id) {
                self.found.dangers[place].1 = Some(now.clone());
            }
        }
    }

    fn spoken_to(&mut self, now: &Zoned) {
        self.state.last_interaction = Some(now.timestamp());
        self.settle(now, true);
    }

    /// The messages that wait for it were answered, or nobody did so in time.
    fn settle(&mut self, now: &Zoned, is_answered: bool) {
        let within = self.parts.impulse.answered_within();
        let is_over = |sent: &mut Timestamp| is_answered || now.timestamp().duration_since(*sent) > within;
        let over: Vec<Timestamp> = self.state.awaiting_answer.extract_if(.., is_over).collect();
        for at in over {
            let hour = HourOfWeek::of(&at.to_zoned(now.time_zone().clone()));
            let rules = self.parts.impulse.score.patterns();
            self.state.patterns.count(hour, is_answered, now.timestamp(), &rules);
        }
    }

    fn is_quiet(&self, now: &Zoned) -> bool {
        self.parts.quiet.until(now).is_some() || self.wished_until.as_ref().is_some_and(|until| now < until)
    }

    fn look(&mut self, now: &Zoned, people: &mut People) {
        let (at, rules) = (now.timestamp(), &self.parts.impulse.score);
        self.state.forget_old(self.parts.awareness, at);
        self.settle(now, false);
        let hours = |hours: u32| SignedDuration::from_hours(hours.into());
        let silence = self.state.last_interaction.map(|last| at.duration_since(last));
        let pattern = if self.parts.impulse.patterns {
            self.state.patterns.shift(HourOfWeek::of(now), at, &rules.patterns())
        } else {
            0.0
        };
        let is_away = matches!(self.state.presence, HomePresence::Away { .. });
        let input = ImpulseInput {
            score: ScoreInput {
                now,
                silence: silence.and_then(|silence| silence.try_into().ok()),
                topics: self.state.topics.len(),
                events: self.state.interesting(at, hours(rules.event_hours)),
                is_away,
                draw: self.chance.f64(),
                outbound: self.state.sent_within(at, hours(rules.damper_hours)),
                pattern,
                is_critical: false,
            },
            topic: self.state.topics.next().map(|topic| topic.id),
            is_quiet: self.is_quiet(now),
            direct: self.state.sent_within(at, hours(1)),
            is_waiting: false,
            can_reach: !is_away,
        };
        match decide(&input, self.parts.impulse) {
            (ImpulseVerdict::Hold { why }, _) => self.hold(why),
            (ImpulseVerdict::Speak { topic }, score) => self.speak(topic, score.total, now, people),
        }
    }

    fn hold(&mut self, why: Hold) {
        *self.found.held.entry(why.name()).or_default() += 1;
    }

    fn speak(&mut self, topic: u64, total: f64, now: &Zoned, people: &mut People) {
        let Some(key) = self.state.topics.next().map(|topic| topic.key.clone()) else { return };
        let reaction = people.reaction(now);
        self.state.topics.mark_announced(topic, now.timestamp());
        self.state.sent(&key, now.timestamp());
        self.state.awaiting_answer.push(now.timestamp());
        if let Some((_, count)) = self.found.per_day.iter_mut().find(|(date, _)| *date == now.date()) {
            *count += 1;
        }
        let is_answered = reaction != people::SimulatedReaction::None;
        self.found.contacts.push(SimulatedContact { at: now.clone(), key, total, is_answered });
        if is_answered {
            self.settle(now, true);
        }
        if reaction == people::SimulatedReaction::NotNow {
            self.found.not_now.push(now.clone());
            self.wished_until = now.checked_add(self.found.rest).ok();
        }
    }
}

impl Simulation {
    /// Returns what should never happen; all of it is none for somebody considerate.
    pub fn inconsiderate(&self) -> Inconsiderate {
        let soon = |from: &Zoned, to: &Zoned, time: SignedDuration| {
            let between = to.timestamp().duration_since(from.timestamp());
            between > SignedDuration::ZERO && between < time
        };
        let contacts = &self.contacts;
        let day = SignedDuration::from_hours(24);
        let after_wish =
            |contact: &&SimulatedContact| self.not_now.iter().any(|w| soon(w, &contact.at, self.rest));
        let again = |contact: &&SimulatedContact| {
            contacts.iter().any(|before| before.key == contact.key && soon(&before.at, &contact.at, day))
        };
        let missed = |(at, told): &&(Zoned, Option<Zoned>)| told.as_ref() != Some(at);
        Inconsiderate {
            in_quiet_hours: contacts.iter().filter(|c| self.quiet.until(&c.at).is_some()).count(),
            after_not_now: contacts.iter().filter(after_wish).count(),
            repeated: contacts.iter().filter(again).count(),
            dangers_missed: self.dangers.iter().filter(missed).count(),
        }
    }

    /// Returns the median of the contacts per day.
    pub fn median(&self) -> usize {
        let mut counts: Vec<usize> = self.per_day.iter().map(|(_, count)| *count).collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or(0)
    }

    /// Returns the most contacts of a day.
    pub fn most(&self) -> usize {
        self.per_day.iter().map(|(_, count)| *count).max().unwrap_or(0)
    }
}
