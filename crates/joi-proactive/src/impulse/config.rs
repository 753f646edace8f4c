//! `[impulse]`: when joi speaks up unasked. Plain data, read once at the start.

use jiff::SignedDuration;
use jiff::civil::time;
use serde::{Deserialize, Serialize};

use crate::awareness::PatternRules;
use joi_base::problem::Problem;
use joi_schedule::announce::QuietPeriod;

/// `[impulse]`: when joi speaks unprompted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImpulseConfig {
    /// Whether joi speaks unprompted at all. Alarms are announced in any case.
    pub enabled: bool,
    /// Score from which on joi speaks, 0 to 1. Higher: joi speaks unprompted less often.
    pub threshold: f64,
    /// Minutes between two looks, 1 to 240. Higher: what is worth mentioning waits longer.
    pub check_min: f64,
    /// Minutes by which a look may come earlier or later, 0 to 240, and less than `check_min`.
    pub check_spread_min: f64,
    /// Hours of the day in which joi may speak unprompted, as "HH:MM-HH:MM"; outside `announce.quiet_hours` as well.
    pub active_hours: QuietPeriod,
    /// Minutes to wait for a quiet moment; then the topic is kept for later, 1 to 240.
    pub wait_min: u32,
    /// Minutes of silence after "not now", 10 to 1440.
    pub not_now_min: u32,
    /// Whether the hours of the week in which joi is answered count for and the others against: by at most
    /// `score.pattern`, and only after 20 messages.
    pub patterns: bool,
    /// Whether the language model words proactive messages, where a large one answers. Else, and with a small one,
    /// sentences of the language are taken.
    pub composed: bool,
    /// Minutes within which a turn of the user's answers a proactive message, 1 to 240. Higher: more counts as
    /// answered.
    pub answered_min: u32,
    /// Seconds that the model has to word a message, 1 to 120.
    pub compose_s: u32,
    /// Whether the model may call a topic urgent: it then goes to the group as well, at most 120 an hour and never in
    /// quiet hours.
    pub allow_llm_escalation: bool,
    /// Messages within an hour from which on the score counts half, 1 to 1000.
    pub halved_at: usize,
    /// Messages within an hour from which on joi does not speak unprompted, 1 to 1000.
    pub closed_at: usize,
    /// Days that decisions are kept for `joi why --impulse`, 1 to 365.
    pub kept_days: u32,
    /// How the score is added up.
    pub score: ImpulseScoreConfig,
}

/// The parts of the score; each is added, `damper` is taken off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImpulseScoreConfig {
    /// Score at any time, before the other parts are added, 0 to 1. Higher: joi speaks unprompted more often.
    pub base: f64,
    /// Hours of silence at which the next part of `silence` begins; four numbers that grow.
    pub silence_hours: Vec<f64>,
    /// What silence adds: below the first of `silence_hours`, below the second, and so on; five numbers.
    pub silence: Vec<f64>,
    /// What each topic that waits adds, 0 to 1.
    pub per_topic: f64,
    /// What each event that matters adds, 0 to 1.
    pub per_event: f64,
    /// Hours in which an event counts, 1 to 24.
    pub event_hours: u32,
    /// Most that topics and events add together, 0 to 1.
    pub context_most: f64,
    /// The hour in which the night ends and the morning begins, 0 to 24. Each of these hours has to be later than those
    /// before it.
    pub morning_from: u32,
    /// The hour in which the morning of a working day ends, 0 to 24.
    pub workday_from: u32,
    /// The hour in which the morning of a weekend ends, 0 to 24.
    pub weekend_from: u32,
    /// The hour in which the evening begins, 0 to 24.
    pub evening_from: u32,
    /// The hour in which the late evening begins, 0 to 24.
    pub late_from: u32,
    /// The hour in which the night begins, 0 to 24.
    pub night_from: u32,
    /// What the night adds, -1 to 1.
    pub night: f64,
    /// What the morning of a working day adds, -1 to 1.
    pub morning: f64,
    /// What the morning of a weekend adds, -1 to 1.
    pub weekend_morning: f64,
    /// What a working day, from its morning to the evening, adds while somebody is at home, -1 to 1.
    pub workday: f64,
    /// The same while nobody is, -1 to 1.
    pub workday_away: f64,
    /// What a weekend, from its morning to the evening, adds, -1 to 1.
    pub weekend: f64,
    /// What the evening adds, -1 to 1.
    pub evening: f64,
    /// What the late evening adds, -1 to 1.
    pub late: f64,
    /// Most that chance adds, 0 to 1. Higher: less predictable.
    pub entropy: f64,
    /// Messages within `damper_hours` at which the next part of `damper` begins; three numbers that grow.
    pub damper_from: Vec<usize>,
    /// What those messages take off: none, from the first number on, and so on; four numbers.
    pub damper: Vec<f64>,
    /// Hours in which messages damp, 1 to 24.
    pub damper_hours: u32,
    /// What something critical adds, 0 to 1.
    pub critical: f64,
    /// Most that habits add or take off, 0 to 0.05.
    pub pattern: f64,
    /// Messages after which habits count, 20 to 1000.
    pub pattern_after: u32,
    /// Days after which an answer weighs half for habits, 1 to 365. Higher: old habits count for longer.
    pub pattern_half_life_days: u32,
}

impl Default for ImpulseConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            threshold: 0.5,
            check_min: 12.5,
            check_spread_min: 2.5,
            active_hours: QuietPeriod::daily(time(8, 0, 0, 0), time(23, 0, 0, 0)),
            wait_min: 30,
            not_now_min: 60,
            patterns: true,
            composed: true,
            answered_min: 30,
            compose_s: 30,
            allow_llm_escalation: false,
            halved_at: 50,
            closed_at: 55,
            kept_days: 30,
            score: ImpulseScoreConfig::default(),
        }
    }
}

impl Default for ImpulseScoreConfig {
    fn default() -> Self {
        Self {
            base: 0.05,
            silence_hours: vec![2.0, 6.0, 12.0, 24.0],
            silence: vec![0.0, 0.1, 0.2, 0.3, 0.4],
            per_topic: 0.1,
            per_event: 0.05,
            event_hours: 6,
            context_most: 0.3,
            morning_from: 7,
            workday_from: 9,
            weekend_from: 10,
            evening_from: 17,
            late_from: 21,
            night_from: 23,
            night: -0.5,
            morning: -0.1,
            weekend_morning: -0.2,
            workday: 0.0,
            workday_away: -0.1,
            weekend: 0.0,
            evening: 0.1,
            late: 0.0,
            entropy: 0.15,
            damper_from: vec![1, 3, 6],
            damper: vec![0.0, 0.1, 0.2, 0.3],
            damper_hours: 6,
            critical: 0.5,
            pattern: 0.05,
            pattern_after: 20,
            pattern_half_life_days: 30,
        }
    }
}

impl ImpulseConfig {
    /// Returns the time within which a turn of the user's counts as an answer.
    pub fn answered_within(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.answered_min))
    }

    /// Returns how long an impulse waits for a quiet moment.
    pub fn wait(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.wait_min))
    }

    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let outside = |key: &str, value: f64, range, unit| {
            Problem::outside(&format!("impulse.{key}"), value, range, unit)
        };
        let mut problems: Vec<Problem> = [
            outside("threshold", self.threshold, 0.0..=1.0, ""),
            outside("check_min", self.check_min, 1.0..=240.0, "minutes"),
            outside("check_spread_min", self.check_spread_min, 0.0..=240.0, "minutes"),
            outside("wait_min", self.wait_min.into(), 1.0..=240.0, "minutes"),
            outside("not_now_min", self.not_now_min.into(), 10.0..=1440.0, "minutes"),
            outside("answered_min", self.answered_min.into(), 1.0..=240.0, "minutes"),
            outside("compose_s", self.compose_s.into(), 1.0..=120.0, "seconds"),
            outside("halved_at", self.halved_at as f64, 1.0..=1000.0, "messages"),
            outside("closed_at", self.closed_at as f64, 1.0..=1000.0, "messages"),
            outside("kept_days", self.kept_days.into(), 1.0..=365.0, "days"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if problems.is_empty() && self.check_spread_min >= self.check_min {
            let allowed = format!("less than impulse.check_min ({})", self.check_min);
            problems.push(Problem::new("impulse.check_spread_min", self.check_spread_min, allowed));
        }
        problems.extend(self.score.check());
        problems
    }
}

impl ImpulseScoreConfig {
    /// Returns how habits count.
    pub fn patterns(&self) -> PatternRules {
        PatternRules {
            most: self.pattern,
            after: self.pattern_after,
            half_life_days: self.pattern_half_life_days.into(),
        }
    }

    /// Returns the hours of the day: each is one, and later than those before it.
    fn check_hours(&self) -> Option<Problem> {
        let morning = ("morning_from", self.morning_from);
        let workday = ("workday_from", self.workday_from);
        let weekend = ("weekend_from", self.weekend_from);
        let evening = ("evening_from", self.evening_from);
        let late = ("late_from", self.late_from);
        let night = ("night_from", self.night_from);
        let key = |name: &str| format!("impulse.score.{name}");
        let outside = |(name, hour): (&str, u32)| Problem::outside(&key(name), hour.into(), 0.0..=24.0, "");
        if let Some(problem) = [morning, workday, weekend, evening, late, night].into_iter().find_map(outside)
        {
            return Some(problem);
        }
        let pairs = [
            (morning, workday),
            (morning, weekend),
            (workday, evening),
            (weekend, evening),
            (evening, late),
            (late, night),
        ];
        let ((earlier, least), (name, hour)) =
            pairs.into_iter().find(|((_, before), (_, hour))| hour <= before)?;
        Some(Problem::new(key(name), hour, format!("later than impulse.score.{earlier} ({least})")))
    }

    fn check(&self) -> Vec<Problem> {
        let key = |key: &str| format!("impulse.score.{key}");
        let share = |name, value| Problem::outside(&key(name), value, 0.0..=1.0, "");
        let signed = |name, value| Problem::outside(&key(name), value, -1.0..=1.0, "");
        let mut problems: Vec<Problem> = [
            share("base", self.base),
            share("per_topic", self.per_topic),
            share("per_event", self.per_event),
            Problem::outside(&key("event_hours"), self.event_hours.into(), 1.0..=24.0, "hours"),
            share("context_most", self.context_most),
            signed("night", self.night),
            signed("morning", self.morning),
            signed("weekend_morning", self.weekend_morning),
            signed("workday", self.workday),
            signed("workday_away", self.workday_away),
            signed("weekend", self.weekend),
            signed("evening", self.evening),
            signed("late", self.late),
            share("entropy", self.entropy),
            Problem::outside(&key("damper_hours"), self.damper_hours.into(), 1.0..=24.0, "hours"),
            share("critical", self.critical),
            Problem::outside(&key("pattern"), self.pattern, 0.0..=0.05, ""),
            Problem::outside(&key("pattern_after"), self.pattern_after.into(), 20.0..=1000.0, "messages"),
            {
                let days = self.pattern_half_life_days.into();
                Problem::outside(&key("pattern_half_life_days"), days, 1.0..=365.0, "days")
            },
            self.check_hours(),
        ]
        .into_iter()
        .flatten()
        .collect();
        let grow = self.silence_hours.len() == 4 && self.silence_hours.is_sorted();
        if !grow {
            let value = format!("{:?}", self.silence_hours);
            problems.push(Problem::new(key("silence_hours"), value, "four numbers that grow"));
        }
        let are_shares = |all: &[f64]| all.iter().all(|value| (0.0..=1.0).contains(value));
        if self.silence.len() != 5 || !are_shares(&self.silence) {
            let value = format!("{:?}", self.silence);
            problems.push(Problem::new(key("silence"), value, "five numbers from 0 to 1"));
        }
        if self.damper_from.len() != 3 || !self.damper_from.is_sorted() {
            let value = format!("{:?}", self.damper_from);
            problems.push(Problem::new(key("damper_from"), value, "three numbers that grow"));
        }
        if self.damper.len() != 4 || !are_shares(&self.damper) {
            let value = format!("{:?}", self.damper);
            problems.push(Problem::new(key("damper"), value, "four numbers from 0 to 1"));
        }
        problems
    }
}
