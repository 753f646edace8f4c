//! The sentence that answers an intent once it has been carried out.
//!
//! Pure: no I/O, no clock.

use jiff::Zoned;
use jiff::civil::Date;

use super::{Chance, Herself, Intent, TakingBack, VolumeChange, not_connected};
use joi_language::times::{date_in, time_of_day};
use joi_language::values::{Day, DayPart, dates};
use joi_language::{Language, fill};

/// Returns whether a question about `day` is about `date`: nobody asks about today by its weekday.
fn is_meant(day: Day, date: Date, now: &Zoned) -> bool {
    match day {
        Day::Date(..) | Day::OfMonth(_) => date >= now.date(),
        Day::Weekday(_) => date > now.date(),
        Day::Ahead(_) => true,
    }
}

/// Returns what is said once the intent has been carried out; empty when nothing is to be said. `last_reply`
/// is the answer before this one, for [`Intent::Repeat`]. What the schedule says is not known here.
pub fn answer(language: &Language, what: &Intent, now: &Zoned, last_reply: Option<&str>) -> String {
    let say = &language.sentences().reply;
    match what {
        Intent::Time => fill(&say.time, &[("time", &time_of_day(now.time(), language))]),
        Intent::Date => date_in(&say.date, now.date(), language),
        Intent::DateOf(day) => match dates(*day, now).into_iter().find(|date| is_meant(*day, *date, now)) {
            Some(date) if date < now.date() => date_in(&say.date_was, date, language),
            Some(date) => match now.date().until(date).map_or(0, |until| until.get_days()) {
                0 | 1 => date_in(&say.date_of, date, language),
                days => date_in(&say.date_ahead.replace("{days}", &days.to_string()), date, language),
            },
            None => say.no_such_day.clone(),
        },
        Intent::Greeting(DayPart::Morning) => say.good_morning.clone(),
        Intent::Greeting(DayPart::Afternoon) => say.good_afternoon.clone(),
        Intent::Greeting(DayPart::Evening | DayPart::Night) => say.good_evening.clone(),
        Intent::Stop | Intent::Schedule(_) | Intent::Memory(_) | Intent::Quiet(_) => String::new(),
        Intent::Home(order) => not_connected(language, order),
        Intent::NoSuchTime => say.no_such_time.clone(),
        Intent::TimeOver => language.sentences().schedule.is_over.clone(),
        Intent::CannotRepeat => language.sentences().time.repeats.cannot.clone(),
        Intent::Chance(Chance::Coin) => [&say.heads, &say.tails][drawn(now, 2)].clone(),
        Intent::Chance(Chance::Die) => fill(&say.rolled, &[("number", &(drawn(now, 6) + 1).to_string())]),
        Intent::Herself(Herself::Abilities) => say.abilities.clone(),
        Intent::Herself(Herself::Nature) => say.nature.clone(),
        Intent::Herself(Herself::Hears) => say.hears.clone(),
        Intent::HomeAgain => say.home_again.clone(),
        Intent::Repeat => last_reply.unwrap_or(&say.nothing_said_yet).to_owned(),
        Intent::Volume(change) => volume(language, *change),
        Intent::Thanks => say.welcome.clone(),
        Intent::NeverMind | Intent::TakeBack(TakingBack::Cancel) => say.all_right.clone(),
        Intent::TakeBack(TakingBack::Undo) => say.nothing_to_take_back.clone(),
        Intent::Goodbye => say.goodbye.clone(),
        Intent::GoodNight => say.good_night.clone(),
    }
}

/// Returns a number below `sides`, by the nanoseconds of the moment.
fn drawn(now: &Zoned, sides: usize) -> usize {
    fastrand::Rng::with_seed(now.timestamp().as_nanosecond() as u64).usize(..sides)
}

fn volume(language: &Language, change: VolumeChange) -> String {
    let say = &language.sentences().reply;
    match change {
        VolumeChange::Up | VolumeChange::By(1..) => say.louder.clone(),
        VolumeChange::Down | VolumeChange::By(..=0) => say.quieter.clone(),
        VolumeChange::Set(percent) => fill(&say.volume, &[("percent", &percent.to_string())]),
    }
}
