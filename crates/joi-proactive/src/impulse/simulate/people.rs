//! The people and the house of a simulated month: when they come and go, air rooms, talk, and answer.
//!
//! In: a kind of house, a seed, the minute. Out: what the items of the house say and whether somebody talks to joi.
//! Three kinds: a flat with one person who works elsewhere, a house with a family, and a plain house with two window
//! contacts, a thermometer, and nobody who talks much.
//! Pure: no I/O, no clock.

use jiff::Zoned;
use jiff::civil::Weekday;
use serde::Serialize;

use crate::awareness::{CriticalId, ItemObservation};

/// A kind of house.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum SimulatedHouse {
    /// One person who works elsewhere, five sensors.
    Flat,
    /// A family, somebody always about, many doors.
    Family,
    /// Two window contacts and a thermometer; joi is seldom talked to.
    Plain,
}

impl SimulatedHouse {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Flat, Self::Family, Self::Plain];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Family => "family",
            Self::Plain => "plain",
        }
    }

    fn habits(self) -> Habits {
        match self {
            Self::Flat => Habits {
                doors: &["Kitchen window", "Bedroom window"],
                airings: 3.0,
                forgets: 0.25,
                talks: 3.0,
                works_elsewhere: true,
                has_presence: true,
            },
            Self::Family => Habits {
                doors: &["Front door", "Terrace door", "Bathroom window", "Kitchen window", "Attic window"],
                airings: 12.0,
                forgets: 0.2,
                talks: 4.0,
                works_elsewhere: false,
                has_presence: true,
            },
            Self::Plain => Habits {
                doors: &["Kitchen window", "Cellar window"],
                airings: 3.0,
                forgets: 0.4,
                talks: 1.2,
                works_elsewhere: false,
                has_presence: false,
            },
        }
    }
}

struct Habits {
    doors: &'static [&'static str],
    /// How often a day something is opened.
    airings: f64,
    /// How often it is forgotten for an hour or more.
    forgets: f64,
    /// How often a day somebody talks to joi.
    talks: f64,
    works_elsewhere: bool,
    has_presence: bool,
}

/// A person's reaction to a proactive message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedReaction {
    /// Nothing.
    None,
    /// Answers.
    Answers,
    /// "Not now".
    NotNow,
}

/// The state of the house in one minute.
pub struct SimulatedMinute {
    /// The states of the items.
    pub said: Vec<(String, String, ItemObservation)>,
    /// Somebody talks to joi.
    pub talks: bool,
    /// A danger that has begun.
    pub danger: Option<CriticalId>,
}

/// The people, and what they have left open.
pub struct People {
    habits: Habits,
    chance: fastrand::Rng,
    /// Minutes for which each door stays open.
    open_for: Vec<u32>,
    leaves_at: i32,
    returns_at: i32,
    /// How warm the day is, beside the season.
    offset: f64,
    warning: String,
    alarm_for: u32,
    is_burning: bool,
}

impl People {
    /// The people of such a house.
    pub fn new(house: SimulatedHouse, seed: u64) -> Self {
        let habits = house.habits();
        let open_for = vec![0; habits.doors.len()];
        let chance = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let (offset, warning) = (0.0, String::new());
        let (leaves_at, returns_at, alarm_for, is_burning) = Default::default();
        Self { habits, chance, open_for, leaves_at, returns_at, offset, warning, alarm_for, is_burning }
    }

    /// Returns what is the case at `now`; to be called once a minute.
    pub fn minute(&mut self, now: &Zoned) -> SimulatedMinute {
        let of_day = i32::from(now.hour()) * 60 + i32::from(now.minute());
        if of_day == 0 {
            self.new_day(now);
        }
        let is_home = !(self.leaves_at..self.returns_at).contains(&of_day);
        let is_awake = (7 * 60..23 * 60).contains(&of_day);
        self.doors(is_home && is_awake);
        let mut said: Vec<(String, String, ItemObservation)> = Vec::new();
        let mut say = |item: &str, what: &str, is: ItemObservation| said.push((item.into(), what.into(), is));
        for (door, open_for) in self.habits.doors.iter().zip(&self.open_for) {
            say(&door.replace(' ', "_"), door, ItemObservation::Open(*open_for > 0));
        }
        let warmth =
            21.5 + self.offset + 2.0 * (f64::from(of_day - 9 * 60) / 720.0 * std::f64::consts::PI).sin();
        say("Living_Temperature", "Living room", ItemObservation::Warmth((warmth * 2.0).round() / 2.0));
        say("Weather_Warning", "Weather", ItemObservation::Weather(self.warning.clone()));
        if self.habits.has_presence {
            say("Presence", "Somebody home", ItemObservation::Present(is_home));
        }
        let burns = self.happens(1.0 / (40.0 * 1440.0));
        if burns {
            self.alarm_for = 10;
        }
        let burnt = std::mem::replace(&mut self.is_burning, self.alarm_for > 0);
        let danger = (self.is_burning && !burnt).then_some(CriticalId::SmokeAlarm);
        say("Smoke", "Kitchen", ItemObservation::Danger(CriticalId::SmokeAlarm, self.alarm_for > 0));
        self.alarm_for = self.alarm_for.saturating_sub(1);
        let talks = is_home && is_awake && self.happens(self.habits.talks / (16.0 * 60.0));
        SimulatedMinute { said, talks, danger }
    }

    /// Returns what somebody does who hears joi.
    pub fn reaction(&mut self, now: &Zoned) -> SimulatedReaction {
        let is_evening = (17..22).contains(&now.hour());
        match self.chance.f64() {
            draw if draw < 0.1 => SimulatedReaction::NotNow,
            draw if draw < if is_evening { 0.7 } else { 0.4 } => SimulatedReaction::Answers,
            _ => SimulatedReaction::None,
        }
    }

    fn new_day(&mut self, now: &Zoned) {
        let is_workday = !matches!(now.weekday(), Weekday::Saturday | Weekday::Sunday);
        let goes = if is_workday { self.habits.works_elsewhere } else { self.happens(0.4) };
        (self.leaves_at, self.returns_at) = match (goes, is_workday) {
            (false, _) => (0, 0),
            (true, true) => (450 + self.chance.i32(0..60), 1020 + self.chance.i32(0..90)),
            (true, false) => (660 + self.chance.i32(0..120), 840 + self.chance.i32(0..180)),
        };
        self.offset = self.chance.f64() * 9.0 - 4.5;
        let is_warned = self.happens(0.12);
        self.warning = if is_warned { format!("black ice on day {}", now.day()) } else { String::new() };
    }

    fn doors(&mut self, is_about: bool) {
        for open_for in &mut self.open_for {
            *open_for = open_for.saturating_sub(1);
        }
        if is_about && self.happens(self.habits.airings / (16.0 * 60.0)) {
            let door = self.chance.usize(0..self.open_for.len());
            let is_forgotten = self.happens(self.habits.forgets);
            let minutes = if is_forgotten { self.chance.u32(45..240) } else { self.chance.u32(1..25) };
            self.open_for[door] = self.open_for[door].max(minutes);
        }
    }

    fn happens(&mut self, chance: f64) -> bool {
        self.chance.f64() < chance
    }
}
