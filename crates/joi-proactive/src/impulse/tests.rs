//! The numbers of the impulse, each at its boundary, and a simulated month in every kind of house.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp, Zoned};

use super::rates::ProactiveRate;
use super::rhythm::{Rhythm, RhythmDue};
use super::simulate::people::SimulatedHouse;
use super::simulate::{Inconsiderate, Simulation, SimulationParts, simulate};
use super::words::{ProactiveRefusal, check_proactive};
use super::*;
use crate::awareness::{AwarenessConfig, Significance, Topic};
use joi_language::{SentenceName, SentenceTemplate};
use joi_schedule::announce::AnnounceConfig;

/// Returns a Wednesday.
fn wednesday(time: &str) -> Zoned {
    format!("2026-03-04T{time}[Europe/Vienna]").parse().unwrap()
}

fn saturday(time: &str) -> Zoned {
    format!("2026-03-07T{time}[Europe/Vienna]").parse().unwrap()
}

fn hours(hours: f64) -> Option<Duration> {
    Some(Duration::from_secs_f64(hours * 3600.0))
}

fn input(now: &Zoned) -> ScoreInput<'_> {
    ScoreInput {
        now,
        silence: Some(Duration::ZERO),
        topics: 0,
        events: 0,
        is_away: false,
        draw: 0.0,
        outbound: 0,
        pattern: 0.0,
        is_critical: false,
    }
}

fn rules() -> ImpulseConfig {
    ImpulseConfig::default()
}

fn scored(input: &ScoreInput<'_>) -> ImpulseScore {
    score(input, &rules().score)
}

#[test]
fn silence_context_and_damper_have_their_steps() {
    let noon = wednesday("12:00");
    let second = 1.0 / 3600.0;
    for (limit, below, from) in [(2.0, 0.0, 0.1), (6.0, 0.1, 0.2), (12.0, 0.2, 0.3), (24.0, 0.3, 0.4)] {
        let of = |silence| scored(&ScoreInput { silence: hours(silence), ..input(&noon) }).silence;
        assert_eq!((of(limit - second), of(limit)), (below, from), "{limit} h");
    }
    assert_eq!(scored(&ScoreInput { silence: None, ..input(&noon) }).silence, 0.4, "never");
    for (topics, events, context) in [
        (0, 0, 0.0),
        (1, 1, 0.15),
        (2, 1, 0.25),
        (2, 2, 0.3),
        (2, 3, 0.3),
        (3, 0, 0.3),
        (0, 6, 0.3),
        (0, 5, 0.25),
    ] {
        assert_eq!(
            scored(&ScoreInput { topics, events, ..input(&noon) }).context,
            context,
            "{topics} {events}"
        );
    }
    for (outbound, damper) in [(0, 0.0), (1, 0.1), (2, 0.1), (3, 0.2), (5, 0.2), (6, 0.3), (60, 0.3)] {
        let score = scored(&ScoreInput { outbound, ..input(&noon) });
        assert_eq!((score.damper, score.total), (damper, score::exact(0.05 - damper)), "{outbound}");
    }
}

#[test]
fn the_time_of_day_counts_by_the_clock_on_the_wall() {
    let time = |now: &Zoned, is_away| scored(&ScoreInput { is_away, ..input(now) }).time;
    for (at, expected) in [
        ("22:59", 0.0),
        ("23:00", -0.5),
        ("00:00", -0.5),
        ("06:59", -0.5),
        ("07:00", -0.1),
        ("08:59", -0.1),
        ("09:00", 0.0),
        ("16:59", 0.0),
        ("17:00", 0.1),
        ("20:59", 0.1),
        ("21:00", 0.0),
    ] {
        assert_eq!(time(&wednesday(at), false), expected, "Wednesday {at}");
    }
    assert_eq!((time(&wednesday("09:00"), true), time(&wednesday("16:59"), true)), (-0.1, -0.1));
    assert_eq!(time(&wednesday("17:00"), true), 0.1);
    for (at, expected) in [("07:00", -0.2), ("09:59", -0.2), ("10:00", 0.0), ("16:59", 0.0), ("17:00", 0.1)] {
        assert_eq!(time(&saturday(at), false), expected, "Saturday {at}");
    }
    let late = ImpulseScoreConfig { morning_from: 9, workday_from: 11, evening_from: 19, ..rules().score };
    for (at, expected) in [("08:59", -0.5), ("10:59", -0.1), ("18:59", 0.0), ("19:00", 0.1)] {
        assert_eq!(score(&input(&wednesday(at)), &late).time, expected, "a house that rises late, {at}");
    }
    // The nights in which the clocks change.
    for at in ["2026-03-28T23:30", "2026-10-24T23:30", "2026-03-29T03:30", "2026-10-25T02:30"] {
        let now: Zoned = format!("{at}[Europe/Vienna]").parse().unwrap();
        assert_eq!(time(&now, false), -0.5, "{at}");
    }
}

#[test]
fn what_follows_from_the_numbers_is_true() {
    let (evening, night) = (wednesday("18:00"), wednesday("02:00"));
    let most = |now| ScoreInput { silence: hours(24.0), topics: 9, events: 9, draw: 1.0, ..input(now) };
    assert_eq!(scored(&most(&evening)).total, 1.0, "the greatest there is");
    assert_eq!(scored(&most(&night)).total, 0.4, "at night never enough");
    let silent =
        |silence, draw| scored(&ScoreInput { silence: hours(silence), draw, ..input(&evening) }).total;
    assert_eq!(silent(24.0, 0.0), 0.55, "a day of silence is enough by itself");
    let mut chance = fastrand::Rng::with_seed(5);
    let fires = (0..30_000).filter(|_| silent(12.0, chance.f64()) >= 0.5).count();
    assert!((19_400..20_600).contains(&fires), "two thirds: {fires}");
    assert!((0..30_000).all(|_| silent(11.9, chance.f64()) < 0.5), "it needs a topic");
    let one = ScoreInput { silence: hours(11.9), topics: 1, events: 1, ..input(&evening) };
    assert_eq!(scored(&one).total, 0.5);
    assert_eq!(
        score::exact(scored(&most(&evening)).total * 0.5),
        0.5,
        "at 50 messages an hour it is off in practice"
    );
}

proptest::proptest! {
    #[test]
    fn the_total_is_the_sum_of_the_factors_and_each_number_moves_it_by_its_own_amount(
        silence in 0_u32..200_000, topics in 0_usize..12, events in 0_usize..12, draw in 0.0..1.0_f64,
        outbound in 0_usize..10, minute in 0_i64..(7 * 1440), is_away: bool, by in 0.0..0.05_f64,
    ) {
        let now = wednesday("00:00").checked_add(SignedDuration::from_mins(minute)).unwrap();
        let silence = Some(Duration::from_secs(silence.into()));
        let input = ScoreInput { silence, topics, events, draw, outbound, is_away, ..input(&now) };
        let before = scored(&input);
        let sum = before.base + before.silence + before.context + before.time + before.entropy - before.damper;
        proptest::prop_assert!((before.total - sum).abs() < 1e-5);
        proptest::prop_assert!(before.total <= 1.0);
        let mut other = rules().score;
        other.base += by;
        proptest::prop_assert!((score(&input, &other).total - before.total - by).abs() < 1e-5);
        let mut other = rules().score;
        other.damper.iter_mut().for_each(|damper| *damper += by);
        proptest::prop_assert!((before.total - score(&input, &other).total - by).abs() < 1e-5);
    }
}

fn decides<'a>(score: ScoreInput<'a>) -> ImpulseInput<'a> {
    ImpulseInput { score, topic: Some(7), is_quiet: false, direct: 0, is_waiting: false, can_reach: true }
}

fn verdict(input: &ImpulseInput<'_>) -> &'static str {
    decide(input, &rules()).0.name()
}

#[test]
fn whatever_speaks_against_it_keeps_her_silent_with_its_reason() {
    let evening = wednesday("18:00");
    let eager = || ScoreInput { silence: hours(24.0), topics: 3, draw: 0.5, ..input(&evening) };
    assert_eq!(decide(&decides(eager()), &rules()).0, ImpulseVerdict::Speak { topic: 7 });
    let held = [
        (ImpulseInput { topic: None, ..decides(eager()) }, "no_viable_topic"),
        (ImpulseInput { is_quiet: true, ..decides(eager()) }, "quiet_hours"),
        (ImpulseInput { direct: 55, ..decides(eager()) }, "rate_reached"),
        (ImpulseInput { direct: 50, ..decides(eager()) }, "below_threshold"),
        (ImpulseInput { is_waiting: true, ..decides(eager()) }, "still_waiting"),
        (ImpulseInput { can_reach: false, ..decides(eager()) }, "nobody_there"),
    ];
    for (input, why) in held {
        assert_eq!(verdict(&input), why);
    }
    assert_eq!(verdict(&ImpulseInput { direct: 49, ..decides(eager()) }), "speak");
    let early = wednesday("07:59");
    assert_eq!(verdict(&decides(ScoreInput { now: &early, ..eager() })), "inactive_hours");
    let off = ImpulseConfig { enabled: false, ..rules() };
    assert_eq!(decide(&decides(eager()), &off).0.name(), "switched_off");
    let nan = ScoreInput { draw: f64::NAN, ..eager() };
    assert_eq!(verdict(&decides(nan)), "below_threshold", "what can't be reckoned is not said");
}

#[test]
fn hours_of_the_day_that_do_not_follow_one_another_are_reported() {
    let problems = |score: ImpulseScoreConfig| {
        let problems = ImpulseConfig { score, ..rules() }.check();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    let score = || rules().score;
    assert_eq!(problems(ImpulseScoreConfig { morning_from: 0, night_from: 24, ..score() }), "");
    let told = problems(ImpulseScoreConfig { evening_from: 10, ..score() });
    assert!(told.contains("impulse.score.evening_from") && told.contains("weekend_from (10)"), "{told}");
    let told = problems(ImpulseScoreConfig { night_from: 25, ..score() });
    assert!(told.contains("impulse.score.night_from"), "{told}");
}

#[test]
fn a_danger_adds_a_half_and_skips_every_suppression() {
    let night = wednesday("03:00");
    let critical = ScoreInput { is_critical: true, ..input(&night) };
    let all =
        ImpulseInput { is_quiet: true, direct: 99, is_waiting: true, can_reach: false, ..decides(critical) };
    let (verdict, score) = decide(&all, &rules());
    assert_eq!((verdict, score.boost, score.total), (ImpulseVerdict::Speak { topic: 7 }, 0.5, 0.05));
}

#[test]
fn an_hour_takes_so_many_messages_of_each_kind() {
    let counts = [49, 50, 54, 55, 60].map(|count| rates::proactive(count, &rules()));
    use ProactiveRate::{Closed, Halved, Open};
    assert_eq!(counts, [Open, Halved, Halved, Closed, Closed]);
    let now = Timestamp::from_second(1_800_000_000).unwrap();
    let ago = |seconds: i64| now.checked_sub(SignedDuration::from_secs(seconds)).unwrap();
    let burst = vec![ago(3599); 120];
    let escalates = |sent: &[Timestamp]| rates::escalates(sent, now, 120);
    assert!(escalates(&burst[1..]) && !escalates(&burst), "the 121st is refused");
    assert!(escalates(&vec![ago(3600); 120]));
    let ahead = vec![now.checked_add(SignedDuration::from_hours(24)).unwrap(); 120];
    assert!(!escalates(&ahead), "a clock that was set back frees nothing");
}

#[test]
fn a_thousand_intervals_lie_between_ten_and_fifteen_minutes_and_two_days_hold_the_right_number_of_runs() {
    let impulse = Rhythm { every: SignedDuration::from_secs(750), spread: SignedDuration::from_secs(150) };
    let mut chance = fastrand::Rng::with_seed(3);
    let draws: Vec<i64> = (0..1000).map(|_| impulse.next(chance.f64()).as_secs()).collect();
    assert!(draws.iter().all(|seconds| (600..=900).contains(seconds)));
    let mean = draws.iter().sum::<i64>() / 1000;
    assert!((735..=765).contains(&mean), "{mean}");
    for (rhythm, runs) in [(impulse, 192..=288), (Rhythm::CLEANUP, 47..=48)] {
        for seed in 0..20 {
            let mut chance = fastrand::Rng::with_seed(seed);
            let at = |second: i64| Timestamp::from_second(1_800_000_000 + second).unwrap();
            let mut due = RhythmDue::after(rhythm, at(0), chance.f64());
            let mut count = 0;
            for second in (0..48 * 3600).step_by(10) {
                if due.is_due(at(second)) {
                    count += 1;
                    due.done(at(second), chance.f64());
                }
            }
            assert!(runs.contains(&count), "{rhythm:?}: {count}");
        }
    }
}

#[test]
fn a_task_that_fails_is_tried_again_sooner_and_a_clock_that_jumps_stops_nothing() {
    let at = |second: i64| Timestamp::from_second(1_800_000_000 + second).unwrap();
    let mut due = RhythmDue::after(Rhythm::CLEANUP, at(0), 0.5);
    assert!(!due.is_due(at(3599)) && due.is_due(at(3600)));
    for wait in [30, 60, 120, 240, 480, 960, 1920, 3600, 3600] {
        due.failed(at(3600), 0.5);
        assert_eq!(due.at(), at(3600 + wait));
    }
    due.done(at(3600), 0.5);
    assert!(due.is_due(at(3600 - 86_400)), "set back by a day");
    assert!(due.is_due(at(3600 + 86_400)), "set forward by a day");
}

fn topic(id: u64, what: &str) -> Topic {
    let fact = SentenceTemplate::from(SentenceName::LeftLate);
    let at = Timestamp::UNIX_EPOCH;
    Topic {
        id,
        key: what.into(),
        fact,
        what: what.into(),
        significance: Significance::Significant,
        at,
        refused: 0,
    }
}

#[test]
fn words_must_name_their_topic_and_no_other_and_say_nothing_twice() {
    let window = topic(1, "Kitchen window");
    let others = [window.clone(), topic(2, "Garage door")];
    let fact = "Kitchen window has been open for 40 minutes";
    let check = |text: &str, last: &[&str]| check_proactive(text, (&window, fact), &others, last);
    assert_eq!(check("The kitchen window is still open. Shall I remind you later?", &[]), Ok(()));
    assert_eq!(check("It is a lovely day!", &[]), Err(ProactiveRefusal::OffTopic));
    assert_eq!(check("The window is open, and the garage too.", &[]), Err(ProactiveRefusal::SeveralTopics));
    let said = "By the way, kitchen window has been open for 40 minutes.";
    assert_eq!(
        check(said, &["By the way, Kitchen window has been open for 45 minutes."]),
        Err(ProactiveRefusal::Repeats)
    );
    let older = [said, "one", "two", "three", "four", "five"];
    assert_eq!(check(said, &older), Ok(()), "six messages ago");
    assert_eq!(check(said, &older[..5]), Err(ProactiveRefusal::Repeats), "five messages ago");
    assert_eq!(check("Window. Window. Window. Window.", &[]), Err(ProactiveRefusal::TooLong));
}

#[test]
fn three_months_in_three_houses_are_considerate() {
    let (impulse, awareness) = (rules(), AwarenessConfig::default());
    let quiet = AnnounceConfig::default().quiet();
    let (mut told, mut dangers) = (Vec::new(), 0);
    let mut is_good = true;
    for house in SimulatedHouse::ALL {
        for seed in [1, 2, 3] {
            let start: Zoned = "2026-03-02T00:00[Europe/Vienna]".parse().unwrap();
            let parts = SimulationParts {
                impulse: &impulse,
                awareness: &awareness,
                quiet: &quiet,
                start,
                days: 30,
                house,
                seed,
            };
            let month = simulate(&parts);
            assert_eq!(month.inconsiderate(), Inconsiderate::default(), "{} {seed}", house.name());
            is_good &= month.most() <= 4 && (1..=2).contains(&month.median());
            dangers += month.dangers.len();
            told.push(format!(
                "{} {seed}: median {}, most {}, {} dangers, {} not now, held {:?}",
                house.name(),
                month.median(),
                month.most(),
                month.dangers.len(),
                month.not_now.len(),
                month.held,
            ));
            assert_eq!(month, simulate(&parts), "the same seed gives the same month");
        }
    }
    assert!(is_good && dangers > 0, "{told:#?}");
}

/// Returns a year with a family, where joi speaks up whenever there is anything and does not decide against it.
fn eager_year(not_now_min: u32, seed: u64) -> Simulation {
    let impulse = ImpulseConfig { threshold: 0.1, not_now_min, ..rules() };
    let awareness = AwarenessConfig { open_min: 1, ..AwarenessConfig::default() };
    simulate(&SimulationParts {
        impulse: &impulse,
        awareness: &awareness,
        quiet: &AnnounceConfig::default().quiet(),
        start: "2026-03-02T00:00[Europe/Vienna]".parse().unwrap(),
        days: 365,
        house: SimulatedHouse::Family,
        seed,
    })
}

#[test]
fn a_wish_for_quiet_is_kept_where_joi_would_speak_up_otherwise_and_an_unannounced_danger_is_counted() {
    let mut year = eager_year(240, 1);
    assert!(year.not_now.len() > 10, "{}", year.not_now.len());
    assert_eq!(year.inconsiderate(), Inconsiderate::default());
    let mut ignored = eager_year(10, 1);
    ignored.rest = year.rest;
    assert!(
        ignored.inconsiderate().after_not_now > 5,
        "without the wish she does: {:?}",
        ignored.inconsiderate()
    );
    year.dangers.first_mut().unwrap().1 = None;
    assert_eq!(year.inconsiderate().dangers_missed, 1);
}
