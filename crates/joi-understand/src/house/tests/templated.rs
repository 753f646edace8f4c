//! Sentences made from the community's templates, three an intent and seed, in the family's house: what comes of them without
//! and with the templates. What is right follows from the slots that a sentence was made with.

use joi_home::house::ItemCommand;
use joi_language::Language;
use joi_templates::{MatchContext, SampleSentence, SlotLists};
use serde_json::Value;

use super::*;
use crate::intents::{Intent, Mood, VolumeChange, match_intent, mood};
use crate::requests::list;
use crate::templates::table::{self, HouseUse, IntentUses, ListDeed, QuickUse};
use joi_language::values::{ScheduleOrder, When};

/// What came of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TemplateVerdict {
    Right,
    /// One of several was asked for, or the thing can't.
    Asked,
    /// Left to the model.
    Model,
    Wrong,
}

/// What a sentence was made with.
struct MadeSentence<'a> {
    sample: &'a SampleSentence,
    house: &'a House,
    room: &'a str,
}

impl MadeSentence<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        let slots = &self.sample.slots;
        slots.iter().rev().find(|(slot, _)| slot == name).and_then(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> Option<f64> {
        let slots = &self.sample.slots;
        slots.iter().rev().find(|(slot, _)| slot == name).and_then(|(_, value)| value.as_f64())
    }

    fn seconds(&self, prefix: &str) -> u32 {
        let units = [("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0)];
        let value = |(name, value): &(String, Value)| {
            let unit = units.iter().find(|(unit, _)| name.strip_prefix(prefix) == Some(unit))?;
            Some(unit.1 * value.as_f64()?)
        };
        self.sample.slots.iter().filter_map(value).sum::<f64>() as u32
    }

    /// Whether an item is called as what was named, or belongs to that, and lies where it was said.
    fn is_about(&self, name: &str) -> bool {
        let place = self.text("area").or_else(|| self.text("floor"));
        let item = self.house.item(name);
        let is_placed = place.is_none_or(|place| item.is_none_or(|item| self.house.is_within(item, place)));
        let Some(named) = self.text("name") else { return is_placed };
        let label = |name: &str| {
            let equipment = self.house.equipment_named(name).and_then(|of| of.label.clone());
            equipment.or_else(|| self.house.item(name)?.label.clone())
        };
        let wanted = label(named);
        let mut around = Some(name.to_owned());
        while let Some(at) = around {
            if label(&at) == wanted {
                return is_placed;
            }
            let of_item = self.house.item(&at).and_then(|item| item.equipment.clone());
            let of_equipment = || self.house.equipment_named(&at).and_then(|of| of.parent.clone());
            around = of_item.filter(|of| *of != at).or_else(of_equipment);
        }
        // A member of a group, or the lock and the volume that go with a thing.
        let location = |name: &str| self.house.item(name).and_then(|item| item.location.clone());
        let is_member = self.house.members(named).iter().any(|member| member.name == name);
        is_placed && (is_member || location(name).is_some() && location(name) == location(named))
    }

    fn is_command(&self, wanted: HouseUse, command: &ItemCommand) -> bool {
        use ItemCommand::{
            Colour, Decrease, Down, Increase, Next, Number, Off, On, Pause, Percent, Play, Previous, Text, Up,
        };
        let is = |name: &str, value: &f64| self.number(name).is_none_or(|said| (said - value).abs() < 0.01);
        match (wanted, command) {
            (HouseUse::On, On | Up | Play | Text(_)) | (HouseUse::Off, Off | Down | Pause) => true,
            (HouseUse::Light, Colour(..)) => self.text("color").is_some(),
            (HouseUse::Light, Percent(value)) => is("brightness", value),
            (HouseUse::Position, Percent(value)) => is("position", value),
            (HouseUse::Degrees, Number(value)) => is("temperature", value),
            (HouseUse::FanSpeed, Percent(value)) => is("percentage", value),
            (HouseUse::Volume, Percent(value)) => is("volume_level", value),
            (HouseUse::VolumeStep, Percent(_) | Increase | Decrease) => true,
            (HouseUse::Next, Next) | (HouseUse::Previous, Previous) => true,
            (HouseUse::Pause, Pause | ItemCommand::Stop) | (HouseUse::Play, Play) => true,
            (HouseUse::Start, On) | (HouseUse::Dock, Off) => true,
            _ => false,
        }
    }

    fn of_house(&self, wanted: HouseUse, decision: &HouseDecision) -> TemplateVerdict {
        let right = |is_right: bool| if is_right { TemplateVerdict::Right } else { TemplateVerdict::Wrong };
        let asks = matches!(wanted, HouseUse::State | HouseUse::Temperature);
        match decision {
            HouseDecision::Send(batch) | HouseDecision::AskFirst(batch) => right(
                !asks
                    && batch.commands.iter().all(|planned| {
                        self.is_about(&planned.ordered.item) && self.is_command(wanted, &planned.command)
                    }),
            ),
            HouseDecision::Which(_) | HouseDecision::Where(_) => TemplateVerdict::Asked,
            HouseDecision::Refused(
                HouseRefusal::OutOfRange { .. } | HouseRefusal::ReadOnly(_) | HouseRefusal::NotPermitted(_),
            ) => right(!asks),
            HouseDecision::Refused(_) => TemplateVerdict::Asked,
            HouseDecision::Told(answer) => {
                let things: Vec<&NamedThing> = match answer {
                    HouseAnswer::Is { things, .. } | HouseAnswer::Unknown(things) => things.iter().collect(),
                    HouseAnswer::Some { those, others, unknown, .. } => {
                        those.iter().chain(others).chain(unknown).collect()
                    }
                    HouseAnswer::List { those, unknown, .. } => those.iter().chain(unknown).collect(),
                    HouseAnswer::Value { thing, .. } => vec![thing],
                };
                right(asks && things.iter().all(|thing| self.is_about(&thing.name)))
            }
        }
    }

    fn of_quick(&self, wanted: QuickUse, what: &Intent) -> TemplateVerdict {
        let length = |prefix: &str| Some(self.seconds(prefix)).filter(|seconds| *seconds > 0);
        let is_right = match (wanted, what) {
            (QuickUse::Time, Intent::Time) | (QuickUse::Date, Intent::Date) => true,
            (QuickUse::NeverMind, Intent::NeverMind | Intent::TakeBack(_)) => true,
            (QuickUse::Volume, Intent::Volume(VolumeChange::Set(percent))) => {
                self.number("volume_level") == Some(f64::from(*percent))
            }
            (QuickUse::VolumeStep, Intent::Volume(change)) => match (change, self.number("volume_step")) {
                (VolumeChange::By(points), Some(by)) => by.abs() == f64::from(points.abs()),
                (VolumeChange::Up | VolumeChange::Down, None) => true,
                _ => false,
            },
            (QuickUse::TimerSet, Intent::Schedule(ScheduleOrder::Set(new))) => {
                new.when == length("").map(When::In)
            }
            (QuickUse::TimerLonger | QuickUse::TimerShorter, Intent::Schedule(order)) => match order {
                ScheduleOrder::Add { seconds, which } => {
                    u32::try_from(seconds.abs()).ok() == length("") && which.length_s == length("start_")
                }
                _ => false,
            },
            (
                QuickUse::TimerCancel | QuickUse::TimerCancelAll,
                Intent::Schedule(ScheduleOrder::Cancel(which)),
            )
            | (QuickUse::TimerPause, Intent::Schedule(ScheduleOrder::Pause(which)))
            | (QuickUse::TimerResume, Intent::Schedule(ScheduleOrder::Resume(which)))
            | (QuickUse::TimerLeft, Intent::Schedule(ScheduleOrder::Left(which))) => {
                which.length_s == length("start_")
            }
            (QuickUse::TimerLeft, Intent::Schedule(ScheduleOrder::List(_))) => length("start_").is_none(),
            _ => false,
        };
        if is_right { TemplateVerdict::Right } else { TemplateVerdict::Wrong }
    }

    fn of_list(
        &self,
        wanted: ListDeed,
        arguments: &joi_language::values::deed::Arguments,
    ) -> TemplateVerdict {
        let action = arguments.get("action").and_then(Value::as_str);
        let item = arguments.get("text").and_then(Value::as_str).map(str::to_lowercase);
        let is_action = match wanted {
            ListDeed::Add => action == Some("add"),
            ListDeed::Remove => action == Some("remove"),
        };
        let is_right = is_action && item == self.text("item").map(str::to_lowercase);
        if is_right { TemplateVerdict::Right } else { TemplateVerdict::Wrong }
    }

    /// What comes of the sentence, in the order in which a turn asks.
    fn verdict(
        &self,
        row: &IntentUses,
        spoken: &Spoken,
        language: &Language,
        names: &SlotLists,
    ) -> (TemplateVerdict, String) {
        let Spoken { words, phrasings, phonetic } = spoken;
        let templates = language.templates().map(|sentences| HouseTemplates { sentences, names });
        let (house, follow, room) = (self.house, FollowUp::default(), Some(self.room));
        let situation =
            HouseSituation { house, words, phrasings, phonetic: *phonetic, room, follow, templates };
        let said = self.sample.sentence.as_str();
        let quick = match_intent(language, said).map(|quick| quick.what);
        if let Some(what) = quick.filter(|what| !matches!(what, Intent::Home(_))) {
            let verdict = row.quick.map_or(TemplateVerdict::Wrong, |wanted| self.of_quick(wanted, &what));
            return (verdict, format!("{what:?}"));
        }
        let decision = decide(said, &situation);
        let acts = matches!(decision, Some(HouseDecision::Send(_) | HouseDecision::AskFirst(_)));
        if let Some(decision) = decision.filter(|_| !acts || mood(language, said) == Mood::Request) {
            let verdict = match (row.house, &decision) {
                (Some(wanted), decision) => self.of_house(wanted, decision),
                (None, HouseDecision::Refused(_) | HouseDecision::Which(_) | HouseDecision::Where(_)) => {
                    TemplateVerdict::Asked
                }
                (None, _) => TemplateVerdict::Wrong,
            };
            return (verdict, written(Some(&decision)));
        }
        match list::arguments(said, language) {
            Some(arguments) => {
                let verdict =
                    row.list.map_or(TemplateVerdict::Wrong, |wanted| self.of_list(wanted, &arguments));
                (verdict, format!("{arguments:?}"))
            }
            None => (TemplateVerdict::Model, String::new()),
        }
    }
}

/// How many sentences came out how.
#[derive(Debug, Default)]
struct TemplateTally {
    right: usize,
    asked: usize,
    model: usize,
    wrong: Vec<String>,
}

impl TemplateTally {
    fn count(&mut self, verdict: TemplateVerdict, told: String) {
        match verdict {
            TemplateVerdict::Right => self.right += 1,
            TemplateVerdict::Asked => self.asked += 1,
            TemplateVerdict::Model => self.model += 1,
            TemplateVerdict::Wrong => self.wrong.push(told),
        }
    }
}

/// Seeds of the sentences: with each, three are made of every intent.
const SEEDS: [u64; 4] = [1, 2, 3, 4];

fn tallies(code: &str, house: &House, room: &str) -> [TemplateTally; 2] {
    let spoken = spoken_in(code);
    let with = if code == "de" { german() } else { english() };
    let without = Language::load(code).unwrap();
    let names = TemplateNames::default().of(house, &spoken.words, spoken.phonetic, code);
    let templates = with.templates().unwrap();
    let context = MatchContext::new().with("area", room);
    let mut tallies = [TemplateTally::default(), TemplateTally::default()];
    for seed in SEEDS {
        let mut sampler = templates.sampler(&names, &context, seed);
        for intent in templates.intents() {
            let row = table::of(intent).unwrap();
            if (row.house, row.quick, row.list) == (None, None, None) {
                continue;
            }
            for _ in 0..3 {
                let Some(sample) = sampler.sentence(intent) else { continue };
                let made = MadeSentence { sample: &sample, house, room };
                for (tally, language) in tallies.iter_mut().zip([&without, with]) {
                    let (verdict, came) = made.verdict(row, &spoken, language, &names);
                    let slots: Vec<String> =
                        sample.slots.iter().map(|(name, value)| format!("{name}={value}")).collect();
                    let told = format!("{intent}: {} [{}] -> {came}", sample.sentence, slots.join(", "));
                    if std::env::var_os("JOI_SHOW_TEMPLATES").is_some() && verdict != TemplateVerdict::Right {
                        println!("{verdict:?}\t{}\t{told}", language.templates().is_some());
                    }
                    tally.count(verdict, told);
                }
            }
        }
    }
    tallies
}

#[test]
fn sentences_of_templates_are_done_right_or_left_to_the_model() {
    for (code, room) in [("en", "Kitchen"), ("de", "Kitchen")] {
        let house = home(&format!("family.{code}"));
        let [without, with] = tallies(code, &house, room);
        for (what, tally) in [("without", &without), ("with", &with)] {
            let TemplateTally { right, asked, model, wrong } = tally;
            println!(
                "{code} {what} templates: {right} right, {asked} asked, {model} model, {} wrong",
                wrong.len()
            );
        }
        let done = |tally: &TemplateTally| tally.right + tally.asked;
        assert!(done(&with) >= done(&without), "{code}: fewer are understood with templates than without");
        println!("wrong before:\n{}\nwrong now:\n{}", without.wrong.join("\n"), with.wrong.join("\n"));
    }
}

/// What comes of words that only templates are asked about.
fn by_templates_alone(said: &str) -> String {
    let Spoken { mut words, phonetic, .. } = spoken_in("en");
    (words.deed, words.question) = (Vec::new(), Vec::new());
    let (house, phrasings) = (&home("family.en"), &HousePhrasings::of(&words));
    let names = TemplateNames::default().of(house, &words, phonetic, "en");
    let templates = Some(HouseTemplates { sentences: english().templates().unwrap(), names: &names });
    let (words, follow, room) = (&words, FollowUp::default(), Some("Kitchen"));
    written(
        decide(said, &HouseSituation { house, words, phrasings, phonetic, room, follow, templates }).as_ref(),
    )
}

#[test]
fn what_is_risky_is_asked_about_by_templates_too() {
    for (said, expected) in [
        ("unlock the front door lock", "yes? Front_Lock=OFF"),
        ("lock the front door lock please", "yes? Front_Lock=ON"),
        ("open the garage door", "yes? Garage_Door=UP"),
        ("open the water valve", "yes? Water_Valve=ON"),
        ("turn on the lights in the kitchen", "Kitchen_Counter=ON Kitchen_Light=ON"),
        ("turn on the lights", "Kitchen_Counter=ON Kitchen_Light=ON"),
        ("how many lights are on", "say list"),
    ] {
        assert!(by_templates_alone(said).starts_with(expected), "{said}: {}", by_templates_alone(said));
    }
}

#[test]
fn a_name_alone_a_negation_and_a_statement_are_no_command_of_a_template() {
    for said in [
        "the radio",
        "radio",
        "don't turn on the lights in the kitchen",
        "if you turn on the lights in the kitchen it gets warm",
        "I told him to turn on the lights in the kitchen",
        "we turned on the lights in the kitchen",
    ] {
        assert_eq!(by_templates_alone(said), "-", "{said}");
    }
}
