//! The sentences about watches: what has happened, what is watched for, what became of an order.
//!
//! In: conditions, watches, reports. Out: templates, which are put into words in the language of the moment.
//! Pure: no I/O, no clock.

use jiff::Zoned;

use super::Watch;
use super::orders::WatchReport;
use joi_language::values::{
    WatchCondition, WatchDeed, WatchLimit, WatchMany, WatchRepeat, WatchTest, WatchedItem,
};
use joi_language::{Language, SentenceField, SentenceName, SentenceTemplate, fill};

/// Returns what is said when a condition has become so of `items`.
pub(super) fn happened(condition: &WatchCondition, items: &[WatchedItem]) -> SentenceTemplate {
    let (one, several, one_for, several_for) =
        (SentenceName::WatchIs, SentenceName::WatchAre, SentenceName::WatchIsFor, SentenceName::WatchAreFor);
    match condition.test {
        WatchTest::Rings => thing(SentenceName::WatchRings.into(), items),
        WatchTest::Sunset => SentenceName::WatchSunHasSet.into(),
        WatchTest::Sunrise => SentenceName::WatchSunHasRisen.into(),
        _ => {
            let name = match (items.len() > 1, condition.for_s > 0) {
                (false, false) => one,
                (true, false) => several,
                (false, true) => one_for,
                (true, true) => several_for,
            };
            stated(name, condition, items)
        }
    }
}

/// Returns what is watched for, as a part of a sentence: "Garage door is open".
pub(super) fn what(condition: &WatchCondition) -> SentenceTemplate {
    let items = &condition.items;
    let is_several = items.len() > 1 && condition.many == WatchMany::All;
    match condition.test {
        WatchTest::Rings => thing(SentenceName::WhenRings.into(), items),
        WatchTest::Sunset => SentenceName::WhenSunSets.into(),
        WatchTest::Sunrise => SentenceName::WhenSunRises.into(),
        _ => {
            let name = match (is_several, condition.for_s > 0) {
                (false, false) => SentenceName::WhenIs,
                (true, false) => SentenceName::WhenAre,
                (false, true) => SentenceName::WhenIsFor,
                (true, true) => SentenceName::WhenAreFor,
            };
            stated(name, condition, items)
        }
    }
}

pub(super) fn gone(condition: &WatchCondition) -> SentenceTemplate {
    let things = condition.items.iter().map(|item| words(&item.title)).collect();
    SentenceTemplate::from(SentenceName::WatchGone).with("things", SentenceField::List(things))
}

pub(super) fn failed(name: &str) -> SentenceTemplate {
    with_text(SentenceName::WatchFailed, name)
}

pub(super) fn unknown(name: &str) -> SentenceTemplate {
    with_text(SentenceName::WatchUnknown, name)
}

pub(super) fn too_late(name: &str) -> SentenceTemplate {
    with_text(SentenceName::WatchTooLate, name)
}

fn with_text(name: SentenceName, text: &str) -> SentenceTemplate {
    SentenceTemplate::from(name).with("text", SentenceField::Words(text.to_owned()))
}

fn stated(name: SentenceName, condition: &WatchCondition, items: &[WatchedItem]) -> SentenceTemplate {
    let template = thing(name.into(), items).with("state", SentenceField::Part(state(&condition.test)));
    match condition.for_s {
        0 => template,
        seconds => template.with("length", SentenceField::Length(u64::from(seconds))),
    }
}

/// Returns the template with the names of `items` in it.
fn thing(template: SentenceTemplate, items: &[WatchedItem]) -> SentenceTemplate {
    match items {
        [one] => template.with("thing", SentenceField::Words(one.title.clone())),
        several => {
            let all: Vec<_> = several.iter().map(|item| words(&item.title)).collect();
            let any = SentenceTemplate::from(SentenceName::WatchAnyOf)
                .with("things", SentenceField::List(all.clone()));
            template.with("things", SentenceField::List(all)).with("thing", SentenceField::Part(any))
        }
    }
}

fn words(text: &str) -> SentenceTemplate {
    with_text(SentenceName::WatchText, text)
}

fn state(test: &WatchTest) -> SentenceTemplate {
    let limited = |name: SentenceName, limit: &WatchLimit| {
        SentenceTemplate::from(name).with("limit", SentenceField::Words(shown(limit)))
    };
    match test {
        WatchTest::On => SentenceName::WatchOn.into(),
        WatchTest::Off => SentenceName::WatchOff.into(),
        WatchTest::Open => SentenceName::WatchOpen.into(),
        WatchTest::Closed => SentenceName::WatchClosed.into(),
        WatchTest::Locked => SentenceName::WatchLocked.into(),
        WatchTest::Unlocked => SentenceName::WatchUnlocked.into(),
        WatchTest::Done => SentenceName::WatchDone.into(),
        WatchTest::Home => SentenceName::WatchHome.into(),
        WatchTest::Away => SentenceName::WatchAway.into(),
        WatchTest::Below(limit) => limited(SentenceName::WatchBelow, limit),
        WatchTest::Above(limit) => limited(SentenceName::WatchAbove, limit),
        WatchTest::Rings | WatchTest::Sunset | WatchTest::Sunrise => SentenceName::WatchOn.into(),
    }
}

/// Returns a limit as it is read out: "5 °C".
fn shown(limit: &WatchLimit) -> String {
    let value = format!("{:.1}", limit.value);
    let value = value.strip_suffix(".0").unwrap_or(&value);
    format!("{value} {}", limit.unit).trim_end().to_owned()
}

/// Returns one line about a watch, for a list.
pub fn line(watch: &Watch, language: &Language, now: &Zoned) -> String {
    let what = what(&watch.wanted.condition).part(language, now);
    let say = &language.sentences().watch;
    let line = match (&watch.wanted.deed, watch.wanted.repeats) {
        (WatchDeed::Tell, WatchRepeat::Once) => fill(&say.item_tell, &[("what", &what)]),
        (WatchDeed::Tell, WatchRepeat::Always) => fill(&say.item_tell_always, &[("what", &what)]),
        (WatchDeed::Command { name, .. }, WatchRepeat::Once) => {
            fill(&say.item_do, &[("what", &what), ("text", name)])
        }
        (WatchDeed::Command { name, .. }, WatchRepeat::Always) => {
            fill(&say.item_do_always, &[("what", &what), ("text", name)])
        }
    };
    match until(watch, language, now) {
        Some(at) => fill(&say.item_until, &[("text", &line), ("at", &at)]),
        None => line,
    }
}

/// Returns until when a watch lasts, in words.
fn until(watch: &Watch, language: &Language, now: &Zoned) -> Option<String> {
    let until = watch.wanted.until?.to_zoned(now.time_zone().clone()).datetime();
    // The end of a day is that day's midnight, not one of tomorrow.
    let is_midnight = until.time() == jiff::civil::Time::midnight();
    let date = if is_midnight { until.date().yesterday().ok()? } else { until.date() };
    Some(joi_language::times::moment(date.to_datetime(until.time()), now, language))
}

/// Returns what became of an order, in words.
pub fn reported(report: &WatchReport, language: &Language, now: &Zoned) -> String {
    let say = &language.sentences().watch;
    let lines = |watches: &[Watch]| {
        let lines: Vec<String> = watches.iter().map(|watch| line(watch, language, now)).collect();
        language.sentences().time.listed(&lines)
    };
    match report {
        WatchReport::Added { watch, so_now, at } => {
            let what = what(&watch.wanted.condition).part(language, now);
            let sentence = match (&watch.wanted.deed, watch.wanted.repeats) {
                (WatchDeed::Tell, WatchRepeat::Once) => fill(&say.tell_once, &[("what", &what)]),
                (WatchDeed::Tell, WatchRepeat::Always) => fill(&say.tell_always, &[("what", &what)]),
                (WatchDeed::Command { name, .. }, WatchRepeat::Once) => {
                    fill(&say.do_once, &[("what", &what), ("text", name)])
                }
                (WatchDeed::Command { name, .. }, WatchRepeat::Always) => {
                    fill(&say.do_always, &[("what", &what), ("text", name)])
                }
            };
            let mut sentences = vec![sentence];
            if *so_now {
                let lasts = watch.wanted.condition.for_s > 0;
                sentences.push(if lasts { say.counting.clone() } else { say.already.clone() });
            }
            if let Some(at) = at {
                let at = at.to_zoned(now.time_zone().clone()).datetime();
                let at = joi_language::times::moment(at, now, language);
                sentences.push(fill(&say.that_is, &[("at", &at)]));
            }
            sentences.extend(until(watch, language, now).map(|at| fill(&say.until, &[("at", &at)])));
            sentences.join(" ")
        }
        WatchReport::Same(_) => say.same.clone(),
        WatchReport::TooMany(count) => fill(&say.too_many, &[("count", &count.to_string())]),
        WatchReport::Listed(watches) | WatchReport::Removed(watches) if watches.is_empty() => {
            say.none.clone()
        }
        WatchReport::Listed(watches) => fill(&say.list, &[("list", &lines(watches))]),
        WatchReport::Removed(watches) => fill(&say.removed, &[("list", &lines(watches))]),
        WatchReport::NoSuch(said) => fill(&say.no_such, &[("thing", said.as_str())]),
    }
}
