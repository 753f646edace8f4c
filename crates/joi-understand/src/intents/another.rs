//! Words about the entry that was just set: "and one for the rice, nine minutes", "move that to ten".
//!
//! In: an utterance, and what was set. Out: the order as if it had been named; nothing for anything else.
//! Pure: no I/O, no clock.

use super::{Intent, QuickIntent, answered, match_intent};
use joi_language::Language;
use joi_language::grammar::machine::Slot;
use joi_language::grammar::{disfluency, lifted, words};
use joi_language::values::{EntryId, EntryKind, ScheduleOrder, Which};

/// Returns what `text` orders that is about the entry `id` of `kind`.
pub fn about_entry(language: &Language, text: &str, (id, kind): (EntryId, EntryKind)) -> Option<QuickIntent> {
    another(language, text, kind).or_else(|| changed(language, text, id))
}

/// Sets one more of the same kind.
fn another(language: &Language, text: &str, kind: EntryKind) -> Option<QuickIntent> {
    let grammar = language.grammar();
    let said = disfluency::without_pauses(words::normalise(text, &grammar.manners)?, grammar);
    let commands = lifted::of_another(text, &said, kind.name(), grammar);
    let found = commands.iter().filter_map(|command| match_intent(language, command)).find(|quick| {
        matches!(&quick.what, Intent::Schedule(ScheduleOrder::Set(wanted)) if wanted.kind == kind && wanted.when.is_some())
    });
    found.map(|quick| QuickIntent { reason: "one more of what was just set".to_owned(), ..quick })
}

/// Gives it another time, more or less of it, or leaves a day out.
fn changed(language: &Language, text: &str, id: EntryId) -> Option<QuickIntent> {
    let order = answered(language, text, |name, filled| {
        let which = Which { id: Some(id), ..Which::default() };
        let seconds = || filled.seconds(Slot::Duration).map(i64::from);
        Some(match name {
            "moved" => ScheduleOrder::Move { which, when: Some(filled.when()?) },
            "later" => ScheduleOrder::Add { which, seconds: seconds()? },
            "sooner" => ScheduleOrder::Add { which, seconds: -seconds()? },
            "skipped" => ScheduleOrder::Skip(Which { day: Some(filled.day()?), ..which }),
            _ => return None,
        })
    })?;
    Some(QuickIntent { what: Intent::Schedule(order), reason: "it is about what was just set".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};
    use joi_language::values::When;

    const TIMER: (EntryId, EntryKind) = (EntryId(4), EntryKind::Timer);

    #[test]
    fn one_more_is_set_as_if_its_kind_had_been_named() {
        let set = |language: &Language, text: &str, kind: EntryKind| match about_entry(
            language,
            text,
            (EntryId(4), kind),
        )
        .map(|quick| quick.what)
        {
            Some(Intent::Schedule(ScheduleOrder::Set(wanted))) => {
                assert_eq!(wanted.kind, kind, "{text}");
                Some((wanted.when, wanted.name.unwrap_or_default()))
            }
            None => None,
            other => panic!("{text}: {other:?}"),
        };
        let timer = |text: &str| match set(english(), text, EntryKind::Timer) {
            Some((Some(When::In(seconds)), name)) => format!("{seconds} {name}"),
            other => format!("{other:?}"),
        };
        assert_eq!(timer("oh and one for twenty minutes for the bread"), "1200 bread");
        assert_eq!(timer("another one for nine minutes please"), "540 ");
        assert_eq!(timer("and a second one called rice, twelve minutes"), "720 rice");
        for text in [
            "one of them is broken",
            "and one for the bread",
            "another coffee",
            "twenty minutes",
            "and one more thing",
        ] {
            assert_eq!(set(english(), text, EntryKind::Timer), None, "{text}");
        }
        assert!(set(english(), "and another one at half past eight", EntryKind::Alarm).is_some());
        assert!(set(english(), "and one at nine to call Bob", EntryKind::Reminder).is_some());
        let egg = set(german(), "und noch einen für den Reis, zwölf Minuten", EntryKind::Timer);
        assert!(matches!(egg, Some((Some(When::In(720)), _))), "{egg:?}");
    }

    #[test]
    fn it_is_moved_to_a_time_and_to_nothing_else() {
        let moves = |language, text| match about_entry(language, text, TIMER).map(|quick| quick.what) {
            Some(Intent::Schedule(ScheduleOrder::Move { which, when })) => {
                assert_eq!(which.id, Some(EntryId(4)));
                when.is_some()
            }
            None => false,
            other => panic!("{text}: {other:?}"),
        };
        for text in [
            "move that to ten",
            "make it half past nine instead",
            "could you push it to twelve minutes",
            "change it to 7 pm",
        ] {
            assert!(moves(english(), text), "{text}");
        }
        for (language, text, expected) in [
            (english(), "push that back an hour", 3600),
            (english(), "make it ten minutes earlier", -600),
            (english(), "could you bring it forward by half an hour", -1800),
            (german(), "verschieb das um eine Stunde nach hinten", 3600),
            (german(), "lieber zehn Minuten früher", -600),
        ] {
            match about_entry(language, text, TIMER).map(|quick| quick.what) {
                Some(Intent::Schedule(ScheduleOrder::Add { which, seconds })) => {
                    assert_eq!((which.id, seconds), (Some(EntryId(4)), expected), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        for (language, text) in [
            (english(), "but not this friday"),
            (english(), "not on Friday"),
            (german(), "aber nicht diesen Freitag"),
            (german(), "nicht am Freitag"),
        ] {
            match about_entry(language, text, (EntryId(4), EntryKind::Alarm)).map(|quick| quick.what) {
                Some(Intent::Schedule(ScheduleOrder::Skip(which))) => {
                    assert!(which.id == Some(EntryId(4)) && which.day.is_some(), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        for text in ["move that to the kitchen", "make it blue", "make it 40 percent", "make it so"] {
            assert!(!moves(english(), text), "{text}");
        }
        for text in ["verschieb das auf zehn Uhr", "mach halb zehn daraus", "stell ihn auf zwölf Minuten"] {
            assert!(moves(german(), text), "{text}");
        }
    }
}
