//! Sentences about decisions and about the outcomes of commands, from the language's `house.toml`.
//!
//! Pure: no I/O, no clock.

mod batch;

use super::decision::otherwise;
use super::{HouseAnswer, HouseDecision, HouseRefusal, NamedThing, PlannedBatch, PlannedCommand};
use crate::house::unreached;
pub use batch::{beside, of_batch};
use joi_home::house::{Caution, CautionCause, ItemCommand, ItemState, StateValue};
use joi_home::{CommandOutcome, HomeFault, SendFault};
use joi_language::house::{HouseAsked, HouseWords};
use joi_language::{HouseSentences, fill};

/// More things than these are not named in a question.
const MOST_NAMED: usize = 4;

/// Returns the name of a thing in a room.
pub(super) fn in_room(thing: &str, room: &str, words: &HouseWords) -> String {
    fill(&words.say.in_room, &[("thing", thing), ("room", room)])
}

/// Returns what is said of `decision`; empty for commands that are sent at once.
pub fn decision(decision: &HouseDecision, words: &HouseWords) -> String {
    let say = &words.say;
    match decision {
        HouseDecision::Send(_) => String::new(),
        HouseDecision::AskFirst(batch) => sure(&batch.commands, say),
        HouseDecision::Which(things) => fill(&say.which, &[("things", &listed(titles(things), &say.or))]),
        HouseDecision::Where(_) => say.which_room.clone(),
        HouseDecision::Refused(refusal) => refused(refusal, say),
        HouseDecision::Told(answer) => capital(&answered(answer, say)),
    }
}

/// Returns what commands are called that are done later: "Hall light off".
pub fn later(commands: &[PlannedCommand], words: &HouseWords) -> String {
    let say = &words.say;
    let one = |planned: &PlannedCommand| {
        let value = match &planned.command {
            ItemCommand::On => say.is_on.clone(),
            ItemCommand::Off => say.is_off.clone(),
            ItemCommand::Up => say.is_open.clone(),
            ItemCommand::Down => say.is_closed.clone(),
            ItemCommand::Percent(level) => fill(&say.percent, &[("n", &number(*level, say))]),
            ItemCommand::Number(value) => number(*value, say),
            ItemCommand::Colour(hue, saturation, level) => colour([*hue, *saturation], *level, words),
            _ => planned.ordered.text.clone(),
        };
        fill(&say.later, &[("thing", &planned.title), ("value", &value)])
    };
    let all: Vec<String> = commands.iter().map(one).collect();
    listed(all.iter().map(String::as_str), &say.and)
}

/// Returns what a light with this hue, saturation and brightness is called: a colour with a name, or its brightness.
fn colour(hue: [f64; 2], level: f64, words: &HouseWords) -> String {
    let is_it = |known: &[f64; 2]| known.iter().zip(hue).all(|(known, said)| (known - said).abs() < 1.0);
    let named = words.colours.iter().find(|(_, known)| is_it(known)).map(|(name, _)| name.clone());
    match named {
        _ if level <= 0.0 => words.say.is_off.clone(),
        Some(name) => name,
        None => fill(&words.say.percent, &[("n", &number(level, &words.say))]),
    }
}

/// Returns what is said of commands that were sent, each with what became of it.
pub fn outcomes(sent: &[(&PlannedCommand, &CommandOutcome)], words: &HouseWords) -> String {
    let say = &words.say;
    let titles_of = |is_meant: fn(&CommandOutcome) -> bool| -> Vec<&str> {
        let meant = sent.iter().filter(|(_, outcome)| is_meant(outcome));
        meant.map(|(planned, _)| planned.title.as_str()).collect()
    };
    let not_sent = titles_of(|outcome| matches!(outcome, CommandOutcome::Failed(SendFault::NotSent(_))));
    let lost = titles_of(|outcome| matches!(outcome, CommandOutcome::Failed(SendFault::OutcomeUnknown(_))));
    let unmoved = titles_of(|outcome| matches!(outcome, CommandOutcome::NotConfirmed(_)));
    let unseen = titles_of(|outcome| matches!(outcome, CommandOutcome::Sent));
    let things = |names: &[&str]| listed(names.iter().copied(), &say.and);
    let all = sent.len();
    let mut told = Vec::new();
    if not_sent.len() + lost.len() + unmoved.len() == 0 {
        told.push(followed(sent, words));
    } else if not_sent.len() == all {
        let is_refusal = sent.iter().any(|(_, outcome)| is_refused(outcome));
        let why = sent.iter().find_map(|(_, outcome)| match outcome {
            CommandOutcome::Failed(SendFault::NotSent(fault)) => unreached::cause(fault, say),
            _ => None,
        });
        told.push(why.unwrap_or(if is_refusal { &say.not_accepted } else { &say.not_sent }).clone());
    } else if unmoved.len() == all {
        told.push(fill(&say.not_confirmed, &[("things", &things(&unmoved))]));
    } else if unmoved.len() + not_sent.len() > 0 {
        let names: Vec<&str> = unmoved.iter().chain(&not_sent).copied().collect();
        told.push(fill(&say.partly, &[("things", &things(&names))]));
    }
    if !lost.is_empty() {
        told.push(fill(&say.outcome_unknown, &[("things", &things(&lost))]));
    }
    if !unseen.is_empty() && unseen.len() < all {
        told.push(fill(&say.sent_too, &[("things", &things(&unseen))]));
    }
    told.join(" ")
}

/// Everything went as it should.
fn followed(sent: &[(&PlannedCommand, &CommandOutcome)], words: &HouseWords) -> String {
    let say = &words.say;
    if let [(planned, CommandOutcome::Done(_))] = sent {
        // A lock that is unlocked is not "off".
        let is_plain = planned.ordered.caution == Caution::None;
        return match planned.command {
            ItemCommand::On if is_plain => words.switched(&planned.title, true),
            ItemCommand::Off if is_plain => words.switched(&planned.title, false),
            _ => words.say.done.clone(),
        };
    }
    let is_any = |is_meant: fn(&CommandOutcome) -> bool| sent.iter().any(|(_, outcome)| is_meant(outcome));
    if is_any(|outcome| matches!(outcome, CommandOutcome::Underway(_))) {
        return say.underway.clone();
    }
    let is_seen = is_any(|outcome| matches!(outcome, CommandOutcome::Done(_)));
    if is_seen { say.done.clone() } else { say.sent.clone() }
}

/// Returns whether the house was reached and did not want it.
fn is_refused(outcome: &CommandOutcome) -> bool {
    let CommandOutcome::Failed(SendFault::NotSent(fault)) = outcome else { return false };
    matches!(fault, HomeFault::Refused)
}

fn sure(commands: &[PlannedCommand], say: &HouseSentences) -> String {
    let cause = commands.iter().find_map(|command| match command.ordered.caution {
        Caution::AskFirst(cause) => Some(cause),
        Caution::None => None,
    });
    let sentence = match cause {
        Some(CautionCause::Entrance) => &say.sure_entrance,
        Some(CautionCause::Valve) => &say.sure_valve,
        Some(CautionCause::Alarm) => &say.sure_alarm,
        Some(CautionCause::Configured) | None => &say.sure_configured,
    };
    let names: Vec<&str> = commands.iter().map(|command| command.title.as_str()).collect();
    // Things that are asked about for their own sake are all named.
    let things = match names.len().checked_sub(MOST_NAMED).filter(|_| cause.is_none()) {
        Some(more @ 1..) => {
            let named = names[..MOST_NAMED].join(", ");
            fill(&say.and_more, &[("things", &named), ("count", &more.to_string())])
        }
        Some(0) | None => listed(names.into_iter(), &say.and),
    };
    capital(&fill(sentence, &[("thing", &things)]))
}

fn refused(refusal: &HouseRefusal, say: &HouseSentences) -> String {
    let of = |sentence: &str, thing: &str| capital(&fill(sentence, &[("thing", thing)]));
    match refusal {
        HouseRefusal::NoSuch(said) => of(&say.no_such, said),
        HouseRefusal::Missing(sentence) => sentence.clone(),
        HouseRefusal::NotPermitted(thing) => of(&say.not_permitted, &thing.title),
        HouseRefusal::ReadOnly(thing) => of(&say.read_only, &thing.title),
        HouseRefusal::Cannot(thing) => of(&say.cannot, &thing.title),
        HouseRefusal::NoValue(thing) => of(&say.unknown, &thing.title),
        HouseRefusal::NotBack => say.not_back.clone(),
        HouseRefusal::Later => say.not_later.clone(),
        HouseRefusal::NobodyThere => say.nobody_there.clone(),
        HouseRefusal::NoMoment => say.no_moment.clone(),
        HouseRefusal::OutOfRange { thing, nearest } => {
            let nearest = number(*nearest, say);
            capital(&fill(&say.out_of_range, &[("thing", &thing.title), ("nearest", &nearest)]))
        }
    }
}

fn answered(answer: &HouseAnswer, say: &HouseSentences) -> String {
    match answer {
        HouseAnswer::Is { asked, yes, things } => match (things.len(), yes) {
            (1, _) => yes_or_no(*asked, *yes, say).to_owned(),
            (count, true) => fill(&say.all_of_them, &[("count", &count.to_string())]),
            (_, false) => say.none_of_them.clone(),
        },
        HouseAnswer::Unknown(things) => fill(&say.unknown, &[("thing", &listed(titles(things), &say.and))]),
        HouseAnswer::Some { asked, those, others, unknown } => {
            let some = match (those.is_empty(), others.is_empty()) {
                (true, _) => say.none_of_them.clone(),
                (false, true) => fill(&say.list, &[("things", &listed(titles(those), &say.and))]),
                (false, false) => {
                    let things = listed(titles(others), &say.and);
                    fill(&say.only_some, &[("state", otherwise(*asked, say)), ("things", &things)])
                }
            };
            with_unknown(some, unknown, say)
        }
        HouseAnswer::List { asked, counted, those, unknown } => {
            let list = match those.is_empty() {
                true if *asked == HouseAsked::WhoHome => say.nobody_home.clone(),
                true => say.none.clone(),
                false if *counted => {
                    let (count, things) = (those.len().to_string(), listed(titles(those), &say.and));
                    fill(&say.count, &[("count", &count), ("things", &things)])
                }
                false => fill(&say.list, &[("things", &listed(titles(those), &say.and))]),
            };
            with_unknown(list, unknown, say)
        }
        HouseAnswer::Value { thing, state, shown } => {
            let value = if shown.is_empty() { value(state, say) } else { shown.clone() };
            fill(&say.value, &[("thing", &thing.title), ("value", &value)])
        }
    }
}

fn with_unknown(said: String, unknown: &[NamedThing], say: &HouseSentences) -> String {
    if unknown.is_empty() {
        return said;
    }
    let more = fill(&say.not_known_of, &[("things", &listed(titles(unknown), &say.and))]);
    format!("{said} {more}")
}

fn yes_or_no(asked: HouseAsked, yes: bool, say: &HouseSentences) -> &str {
    match (asked, yes) {
        (HouseAsked::Off | HouseAsked::WhichOff, true) => &say.yes_off,
        (HouseAsked::Off | HouseAsked::WhichOff, false) => &say.no_off,
        (HouseAsked::Open | HouseAsked::WhichOpen | HouseAsked::AnyOpen, true) => &say.yes_open,
        (HouseAsked::Open | HouseAsked::WhichOpen | HouseAsked::AnyOpen, false) => &say.no_open,
        (HouseAsked::Closed | HouseAsked::WhichClosed, true) => &say.yes_closed,
        (HouseAsked::Closed | HouseAsked::WhichClosed, false) => &say.no_closed,
        (HouseAsked::AtHome | HouseAsked::WhoHome, true) => &say.yes_home,
        (HouseAsked::AtHome | HouseAsked::WhoHome, false) => &say.no_home,
        (HouseAsked::Locked | HouseAsked::WhichLocked, true) => &say.yes_locked,
        (HouseAsked::Locked | HouseAsked::WhichLocked, false) => &say.no_locked,
        (HouseAsked::Unlocked | HouseAsked::WhichUnlocked, true) => &say.yes_unlocked,
        (HouseAsked::Unlocked | HouseAsked::WhichUnlocked, false) => &say.no_unlocked,
        (HouseAsked::On | HouseAsked::WhichOn | HouseAsked::Value | HouseAsked::Target, true) => &say.yes_on,
        (HouseAsked::On | HouseAsked::WhichOn | HouseAsked::Value | HouseAsked::Target, false) => &say.no_on,
    }
}

fn value(state: &ItemState, say: &HouseSentences) -> String {
    let in_percent = |level: f64| fill(&say.percent, &[("n", &number(level, say))]);
    match &state.value {
        StateValue::OnOff(true) => say.is_on.clone(),
        StateValue::OnOff(false) => say.is_off.clone(),
        StateValue::OpenClosed(true) => say.is_open.clone(),
        StateValue::OpenClosed(false) => say.is_closed.clone(),
        StateValue::Percent(level) | StateValue::Colour { brightness: level, .. } => in_percent(*level),
        StateValue::Number { value, unit } => match unit.as_deref() {
            Some("°C") => fill(&say.degrees, &[("n", &number(*value, say))]),
            Some("°F") => fill(&say.degrees_fahrenheit, &[("n", &number(*value, say))]),
            Some("%") => in_percent(*value),
            Some(unit) => format!("{} {unit}", number(*value, say)),
            None => number(*value, say),
        },
        _ => state.to_string(),
    }
}

/// With one decimal at most.
fn number(value: f64, say: &HouseSentences) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    let text = if text == "-0" { "0" } else { text };
    text.replace('.', &say.decimal)
}

fn titles(things: &[NamedThing]) -> impl Iterator<Item = &str> {
    things.iter().map(|thing| thing.title.as_str())
}

/// "The lamp, the fan and the radio".
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>, last: &str) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        Some((end, _)) => (*end).to_owned(),
        None => String::new(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_home::house::{ItemKind, Ordered};
    use joi_language::testing::{english, german};

    fn planned(title: &str, command: ItemCommand) -> PlannedCommand {
        let ordered = Ordered { item: title.to_owned(), text: String::new(), caution: Caution::None };
        PlannedCommand { ordered, command, title: title.to_owned(), clamped: None }
    }

    fn state() -> ItemState {
        ItemState::read("ON", &ItemKind::Switch)
    }

    fn spoken(outcomes_of: &[(&str, CommandOutcome)]) -> String {
        let all: Vec<_> = outcomes_of
            .iter()
            .map(|(title, outcome)| (planned(title, ItemCommand::On), outcome.clone()))
            .collect();
        let all: Vec<_> = all.iter().map(|(planned, outcome)| (planned, outcome)).collect();
        outcomes(&all, english().house().unwrap())
    }

    fn lost() -> CommandOutcome {
        CommandOutcome::Failed(SendFault::OutcomeUnknown(HomeFault::NotConnected))
    }

    fn not_sent(fault: HomeFault) -> CommandOutcome {
        CommandOutcome::Failed(SendFault::NotSent(fault))
    }

    #[test]
    fn what_became_of_commands_is_reported_and_nothing_more() {
        use CommandOutcome::{Done, NotConfirmed, Sent, Underway};
        for (outcomes, expected) in [
            (vec![("lamp", Done(state()))], "Lamp is on."),
            (vec![("lamp", Done(state())), ("fan", Done(state()))], "Done."),
            (vec![("blind", Underway(state()))], "It's on its way."),
            (vec![("music", Sent)], "I've sent it."),
            (vec![("music", Sent), ("blind", Sent)], "I've sent it."),
            (
                vec![("lamp", Done(state())), ("music", Sent)],
                "Done. I sent it to music, too, but I can't see whether it worked.",
            ),
            (
                vec![("blind", Underway(state())), ("music", Sent)],
                "It's on its way. I sent it to music, too, but I can't see whether it worked.",
            ),
            (
                vec![("fan", NotConfirmed(state())), ("music", Sent), ("radio", Sent)],
                "Not all of it worked: fan didn't follow. I sent it to music and radio, too, but I can't see whether it \
                 worked.",
            ),
            (vec![("lamp", NotConfirmed(state()))], "I sent it to lamp, but nothing has changed."),
            (
                vec![("lamp", Done(state())), ("fan", NotConfirmed(state()))],
                "Not all of it worked: fan didn't follow.",
            ),
            (vec![("lamp", lost())], "I don't know whether it arrived at lamp."),
            (vec![("lamp", Done(state())), ("fan", lost())], "I don't know whether it arrived at fan."),
            (
                vec![("lamp", not_sent(HomeFault::NotConnected)), ("fan", not_sent(HomeFault::NotConnected))],
                "I can't reach the house at the moment; nothing was done.",
            ),
            (
                vec![("lamp", not_sent(HomeFault::Refused))],
                "The house did not accept that; nothing was done.",
            ),
            (
                vec![("lamp", not_sent(HomeFault::WrongToken))],
                "The house does not accept my token; it needs a new one.",
            ),
        ] {
            assert_eq!(spoken(&outcomes), expected, "{outcomes:?}");
        }
    }

    #[test]
    fn what_nobody_can_see_is_reported_in_german_as_well() {
        let [lamp, music] = ["Licht", "Musik"].map(|title| planned(title, ItemCommand::On));
        let (done, sent) = (CommandOutcome::Done(state()), CommandOutcome::Sent);
        let told = outcomes(&[(&lamp, &done), (&music, &sent)], german().house().unwrap());
        assert_eq!(told, "Erledigt. Geschickt, aber ohne Rückmeldung: Musik.");
    }

    #[test]
    fn what_is_left_out_and_what_goes_less_far_is_reported() {
        let thing = |title: &str| NamedThing { name: title.into(), title: title.into() };
        let clamped =
            PlannedCommand { clamped: Some(80.0), ..planned("desk lamp", ItemCommand::Percent(80.0)) };
        let left_out = vec![thing("hall"), thing("bath")];
        let batch = PlannedBatch { commands: vec![clamped], left_out, answer: None };
        let words = english().house().unwrap();
        assert_eq!(beside(&batch, words), "All but hall and bath. Desk lamp only to 80.");
        assert_eq!(beside(&PlannedBatch::default(), words), "");
    }

    #[test]
    fn names_values_and_answers_are_spoken_in_the_language() {
        let words = german().house().unwrap();
        let thing = NamedThing { name: "T".into(), title: "Temperatur".into() };
        let kind = ItemKind::Number { dimension: Some("Temperature".to_owned()) };
        let value = HouseAnswer::Value {
            thing: thing.clone(),
            state: ItemState::read("21.5 °C", &kind),
            shown: String::new(),
        };
        assert_eq!(decision(&HouseDecision::Told(value), words), "Temperatur: 21,5 Grad.");
        let none = HouseDecision::Refused(HouseRefusal::NoSuch("lampe".into()));
        assert_eq!(decision(&none, words), "Im Haus finde ich nichts, das lampe heißt.");
        assert_eq!(listed(["a", "b", "c"].into_iter(), "und"), "a, b und c");
        assert_eq!(decision(&HouseDecision::Where(vec![]), words), "In welchem Raum?");
    }
}
