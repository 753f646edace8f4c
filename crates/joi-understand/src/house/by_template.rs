//! From a sentence that a template of the community knows to the decision that our own phrasings would have made: the same
//! deeds and questions, checked by the same [`House::order`](joi_home::house::House::order).
//!
//! In: an utterance that no phrasing of the language understood. Out: a decision; nothing where the template has no use, its
//! words are only a name, or the house has no such thing. Pure: no I/O, no clock.

use joi_language::capital;
use joi_language::house::{HouseAsked, HouseDeed, ThingKind};
use joi_templates::{EntityState, IntentMatch, MatchContext, ResponseState};

use super::decision::{HouseDecision, HouseRefusal, NamedThing};
use super::later::{LaterTime, LaterWords};
use super::lexicon::HouseLexicon;
use super::phrasing::TakenWords;
use super::reader::{Reader, Wanted};
use super::situation::{HouseSituation, HouseTemplates};
use super::target::{FoundThings, SearchPurpose};
use super::template_names::faces;
use super::things::{Thing, ThingRole, Things};
use super::{names_player, spoken};
use crate::templates::slots;
use crate::templates::table::{self, HouseUse, QuickUse};
use joi_home::house::ItemCommand;
use joi_language::values::When;
use serde_json::{Map, Value};

/// The area of the speaker where it is not known: the whole house, in which one of several is asked for.
const SOMEWHERE: &str = "";
/// Whites of fewer kelvins than this are warm.
const WARM_BELOW_K: f64 = 3500.0;

/// Returns a command that is to be carried out after a while, and how long that is, where a template knows it; nothing in a
/// language whose own phrasings read times.
pub(super) fn later(text: &str, situation: &HouseSituation<'_>) -> Option<LaterWords> {
    let templates = situation.templates.filter(|_| situation.phrasings.deeds.is_empty())?;
    let found = templates.sentences.recognise(text, templates.names, &MatchContext::new()).ok()?;
    let timed = |found: &&IntentMatch| {
        table::of(&found.intent).is_some_and(|row| row.quick == Some(QuickUse::TimerSet))
    };
    let best = found.iter().find(timed)?;
    let rest = slots::text(best, "conversation_command")?.to_owned();
    Some(LaterWords { rest, time: LaterTime::Then(When::In(slots::length(best, "")?)) })
}

/// Decides about `text`, whose words without what is only polite are `all`.
pub(super) fn decide(text: &str, all: &[String], situation: &HouseSituation<'_>) -> Option<HouseDecision> {
    let templates = situation.templates?;
    let place = situation.follow.place.or(situation.room).unwrap_or(SOMEWHERE);
    let context = MatchContext::new().with("area", place);
    let recognise = |text: &str| templates.sentences.recognise(text, templates.names, &context).ok();
    let found = recognise(text).filter(|found| !found.is_empty()).or_else(|| recognise(&all.join(" ")))?;
    let best = found.first()?;
    let wanted = table::of(&best.intent)?.house?;
    if is_bare_name(best, all, situation) {
        return None;
    }
    let mut lexicon = HouseLexicon::new(situation.words, situation.phonetic);
    let things = Things::of(situation.house, &mut lexicon);
    let reader = Reader { situation, lexicon: &lexicon, things: &things };
    let decision = reader.by_template((wanted, text), best, &found)?;
    Some(answering(decision, best, &templates, situation))
}

/// Returns whether nothing but the name of a thing was said: that is no command.
fn is_bare_name(best: &IntentMatch, all: &[String], situation: &HouseSituation<'_>) -> bool {
    let Some(name) = best.slot("name") else { return false };
    let mut rest = spoken::without_skipped(all, situation.words);
    for word in spoken::words(&name.text) {
        if let Some(at) = rest.iter().position(|said| *said == word) {
            rest.remove(at);
        }
    }
    rest.is_empty()
}

/// Adds the sentence of the templates to commands that are sent at once, in a language that has no phrasings of its own.
fn answering(
    decision: HouseDecision,
    best: &IntentMatch,
    templates: &HouseTemplates<'_>,
    situation: &HouseSituation<'_>,
) -> HouseDecision {
    match decision {
        HouseDecision::Send(mut batch) if situation.phrasings.deeds.is_empty() => {
            let first = batch.commands.first().map(|planned| EntityState {
                entity_id: planned.ordered.item.clone(),
                domain: domain_of(best).unwrap_or_default().to_owned(),
                name: planned.title.clone(),
                ..EntityState::default()
            });
            let state = ResponseState { state: first, ..ResponseState::default() };
            batch.answer = templates.sentences.respond(best, &state).ok().map(|said| sentence(&said));
            HouseDecision::Send(batch)
        }
        decision => decision,
    }
}

/// Returns a response as a sentence: with a capital letter and a full stop.
fn sentence(said: &str) -> String {
    let said = capital(said.trim());
    if said.ends_with(['.', '!', '?', '…']) || said.is_empty() { said } else { said + "." }
}

impl Reader<'_> {
    fn by_template(
        &self,
        (wanted, text): (HouseUse, &str),
        best: &IntentMatch,
        found: &[IntentMatch],
    ) -> Option<HouseDecision> {
        if best.slot("name").is_some_and(|name| name.metadata.is_some()) {
            return self.started(best);
        }
        match wanted {
            HouseUse::State => self.state_by_template(best, found),
            HouseUse::Temperature => {
                let measured = |thing: &Thing<'_>| thing.kind == Some(ThingKind::Temperature);
                let meant = match self.meant_by(best, found, &["climate", "sensor"]) {
                    FoundThings::Things(all) if best.slot("name").is_none() => {
                        let sensors: Vec<usize> =
                            all.iter().copied().filter(|at| measured(&self.things.all[*at])).collect();
                        if sensors.is_empty() { all } else { sensors }
                    }
                    FoundThings::Things(all) => all,
                    _ => return None,
                };
                self.value(HouseAsked::Value, Some(ThingKind::Temperature), &meant)
            }
            _ => self.done_by_template((wanted, text), best, found),
        }
    }

    /// Returns the start of the scene or script that was named.
    fn started(&self, best: &IntentMatch) -> Option<HouseDecision> {
        let name = best.slot("name")?;
        let thing = self.things.all.iter().find(|thing| Some(thing.name) == name.value.as_str())?;
        let value = name.metadata.as_ref()?.as_str()?;
        let has = |item: &&joi_home::house::Item| {
            item.command_options.iter().chain(&item.options).any(|option| option.value == value)
        };
        let item = thing.points.iter().copied().find(has)?;
        let named = NamedThing { name: thing.name.to_owned(), title: name.text.clone() };
        self.one(item, ItemCommand::Text(value.to_owned()), named)
    }

    fn done_by_template(
        &self,
        (wanted, text): (HouseUse, &str),
        best: &IntentMatch,
        found: &[IntentMatch],
    ) -> Option<HouseDecision> {
        let domain = domain_of(best);
        let (deed, domains) = deed_of(wanted, domain, best)?;
        let said_place = slots::said(best, "area").or_else(|| slots::said(best, "floor")).is_some();
        // Without a name or a place "volume to 30" is about the device itself.
        let is_volume = matches!(wanted, HouseUse::Volume | HouseUse::VolumeStep);
        let is_of_device = is_volume && !said_place && !names_player(text, self.situation.words);
        if is_of_device && best.slot("name").is_none() || slots::describes(best, "volume_step") {
            return None;
        }
        let colour = slots::text(best, "color").and_then(colour);
        if deed == HouseDeed::Colour && colour.is_none() {
            return None;
        }
        let meant = match self.meant_by(best, found, domains) {
            FoundThings::Things(meant) => meant,
            FoundThings::Which(all) => return Some(HouseDecision::Which(self.all_named(all))),
            FoundThings::Where(all) => return Some(HouseDecision::Where(self.all_named(all))),
            FoundThings::NoSuch | FoundThings::Nothing => return self.missing(best),
        };
        let number = number_of(best);
        let taken = TakenWords { number: number.map(f64::abs), colour, ..TakenWords::default() };
        let wanted = Wanted { deed, kind: None, taken: &taken, except: None };
        self.done_to(meant, &wanted, &[])
    }

    /// Says in the words of the community that there is no such thing, in a language whose own phrasings do not.
    fn missing(&self, best: &IntentMatch) -> Option<HouseDecision> {
        let templates = self.situation.templates.filter(|_| self.situation.phrasings.deeds.is_empty())?;
        let class = best.slot("device_class").and_then(|slot| slots::texts(&slot.value).first().copied());
        let what =
            class.map(|class| ("device_class", class)).or_else(|| Some(("domain", domain_of(best)?)))?;
        let place = ["area", "floor"].into_iter().find(|place| slots::said(best, place).is_some());
        let key = place.map_or_else(|| format!("no_{}", what.0), |place| format!("no_{}_in_{place}", what.0));
        let mut values: Map<String, Value> =
            best.slots.iter().map(|slot| (slot.name.clone(), Value::from(slot.text.as_str()))).collect();
        values.insert(what.0.to_owned(), Value::from(what.1));
        let said = templates.sentences.respond_error(&key, &values).ok()?;
        Some(HouseDecision::Refused(HouseRefusal::Missing(sentence(&said))))
    }

    fn all_named(&self, all: Vec<usize>) -> Vec<NamedThing> {
        all.into_iter().map(|at| self.named(at)).collect()
    }

    fn state_by_template(&self, best: &IntentMatch, found: &[IntentMatch]) -> Option<HouseDecision> {
        let meant = match self.meant_by(best, found, &[]) {
            FoundThings::Things(meant) => meant,
            FoundThings::NoSuch | FoundThings::Nothing => return self.missing(best),
            FoundThings::Which(_) | FoundThings::Where(_) => return None,
        };
        let Some(state) = slots::text(best, "state") else {
            return (best.slot("name").is_some())
                .then(|| self.value(HouseAsked::Value, None, &meant))
                .flatten();
        };
        // Whether a room is occupied has no word of ours.
        if best.template.contains("occupancy") {
            return None;
        }
        let is_list =
            best.response.starts_with("any") || best.response == "which" || best.response == "how_many";
        let asked = asked_of(state, domain_of(best)?, is_list)?;
        self.state(asked, &meant, is_list, best.response == "how_many")
    }

    /// Returns the things of a match: by name, and where there is none by place, domain and device class.
    fn meant_by(&self, best: &IntentMatch, found: &[IntentMatch], domains: &[&str]) -> FoundThings {
        let place =
            slots::text(best, "area").or_else(|| slots::text(best, "floor")).filter(|p| *p != SOMEWHERE);
        let is_said = slots::said(best, "area").or_else(|| slots::said(best, "floor")).is_some();
        if let Some(name) = best.slot("name") {
            let is_same = |other: &&IntentMatch| {
                other.intent == best.intent
                    && other.response == best.response
                    && other.slot("name").is_some_and(|slot| slot.text == name.text)
            };
            let names: Vec<&str> =
                found.iter().filter(is_same).filter_map(|other| slots::text(other, "name")).collect();
            let mut all = self.indices_of(|thing| names.contains(&thing.name));
            if let Some(place) = place.filter(|_| is_said) {
                all.retain(|at| self.is_within(*at, place));
            }
            return self.nearest(all);
        }
        let own = domain_of(best);
        let is_domain = |of: &str| own.map_or(domains.contains(&of), |own| own == of);
        let classes: Vec<&str> =
            best.slot("device_class").map(|slot| slots::texts(&slot.value)).unwrap_or_default();
        let fits = |thing: &Thing<'_>| {
            thing.role == ThingRole::Whole
                && faces(thing).iter().any(|(domain, class)| {
                    is_domain(domain) && (classes.is_empty() || classes.iter().any(|of| is_class(of, class)))
                })
        };
        let mut all = self.indices_of(fits);
        match place {
            Some(place) => {
                all.retain(|at| self.is_within(*at, place));
                if all.is_empty() { FoundThings::Nothing } else { FoundThings::Things(all) }
            }
            // Everywhere, and no place was asked for: "all lights".
            None if best.slot("area").is_none() => FoundThings::Things(all),
            None => self.nearest(all),
        }
    }

    /// Returns the things that are in the room of the speaker, else all; of several one is asked for.
    fn nearest(&self, all: Vec<usize>) -> FoundThings {
        let here = self.situation.follow.place.or(self.situation.room);
        let near: Vec<usize> =
            all.iter().copied().filter(|at| here.is_some_and(|here| self.is_within(*at, here))).collect();
        let all = if near.is_empty() { all } else { near };
        let search = self.search(SearchPurpose::Command, &[]);
        match self.chosen_of(&all) {
            Some(chosen) => FoundThings::Things(chosen),
            None => search.narrowed(all, false),
        }
    }

    fn indices_of(&self, fits: impl Fn(&Thing<'_>) -> bool) -> Vec<usize> {
        (0..self.things.all.len()).filter(|at| fits(&self.things.all[*at])).collect()
    }

    fn is_within(&self, at: usize, place: &str) -> bool {
        self.search(SearchPurpose::Command, &[]).is_in_place(&self.things.all[at], place)
    }
}

/// Returns the domain of a match: of its templates, or of the thing that was named.
fn domain_of(found: &IntentMatch) -> Option<&str> {
    let of_context = || found.context.get("domain").and_then(|domain| domain.as_str());
    slots::text(found, "domain").or_else(of_context)
}

/// Returns the deed of an intent, and the domains it is for where the templates name none.
fn deed_of(
    wanted: HouseUse,
    domain: Option<&str>,
    found: &IntentMatch,
) -> Option<(HouseDeed, &'static [&'static str])> {
    Some(match wanted {
        HouseUse::On => match domain? {
            "cover" | "valve" => (HouseDeed::Open, &[]),
            "lock" => (HouseDeed::Lock, &[]),
            _ => (HouseDeed::On, &[]),
        },
        HouseUse::Off => match domain? {
            "cover" | "valve" => (HouseDeed::Close, &[]),
            "lock" => (HouseDeed::Unlock, &[]),
            _ => (HouseDeed::Off, &[]),
        },
        HouseUse::Light if found.slot("color").is_some() => (HouseDeed::Colour, &["light"]),
        HouseUse::Light if found.slot("temperature").is_some() => (white(found)?, &["light"]),
        HouseUse::Light => (HouseDeed::Percent, &["light"]),
        // A bare percent is what it is in our own phrasings.
        HouseUse::Position => (HouseDeed::Percent, &["cover", "valve"]),
        HouseUse::Degrees => (HouseDeed::Degrees, &["climate"]),
        HouseUse::FanSpeed => (HouseDeed::Percent, &["fan"]),
        HouseUse::Next => (HouseDeed::Next, &["media_player"]),
        HouseUse::Previous => (HouseDeed::Previous, &["media_player"]),
        HouseUse::Pause => (HouseDeed::Stop, &["media_player"]),
        HouseUse::Play => (HouseDeed::Play, &["media_player"]),
        HouseUse::Volume => (HouseDeed::Percent, &["media_player"]),
        HouseUse::VolumeStep => {
            let is_down = slots::text(found, "volume_step") == Some("down")
                || slots::number(found, "volume_step").is_some_and(|by| by < 0.0);
            (if is_down { HouseDeed::Down } else { HouseDeed::Up }, &["media_player"])
        }
        HouseUse::Start => (HouseDeed::On, &["vacuum", "lawn_mower"]),
        HouseUse::Dock => (HouseDeed::Off, &["vacuum", "lawn_mower"]),
        HouseUse::State | HouseUse::Temperature => return None,
    })
}

/// Returns the white that was named; a figure in kelvin is none, since the range of a lamp is not known.
fn white(found: &IntentMatch) -> Option<HouseDeed> {
    let slot = found.slot("temperature").filter(|slot| slot.origin == joi_templates::SlotOrigin::List)?;
    let kelvins = slot.value.as_f64()?;
    Some(if kelvins < WARM_BELOW_K { HouseDeed::WarmWhite } else { HouseDeed::ColdWhite })
}

/// Slots that hold the number of a deed.
const NUMBERS: [&str; 6] =
    ["brightness", "position", "temperature", "percentage", "volume_level", "volume_step"];

fn number_of(found: &IntentMatch) -> Option<f64> {
    NUMBERS.iter().find_map(|name| slots::number(found, name))
}

/// Hue and saturation of the colours that the intents project names.
const COLOURS: [(&str, [f64; 2]); 11] = [
    ("white", [0.0, 0.0]),
    ("red", [0.0, 100.0]),
    ("orange", [30.0, 100.0]),
    ("yellow", [60.0, 100.0]),
    ("green", [120.0, 100.0]),
    ("turquoise", [170.0, 100.0]),
    ("blue", [240.0, 100.0]),
    ("purple", [280.0, 100.0]),
    ("brown", [20.0, 75.0]),
    ("pink", [320.0, 60.0]),
    ("violet", [270.0, 100.0]),
];

fn colour(name: &str) -> Option<[f64; 2]> {
    COLOURS.iter().find(|(known, _)| *known == name).map(|(_, colour)| *colour)
}

/// Returns whether a device class of the intents project is the class of a thing.
fn is_class(wanted: &str, class: &str) -> bool {
    match wanted {
        "awning" | "blind" | "curtain" | "shade" | "shutter" => class == "blind",
        "door" | "garage" | "garage_door" | "gate" => class == "door",
        wanted => wanted == class,
    }
}

/// Returns the question about a state; one that is opening or closing is none of them.
fn asked_of(state: &str, domain: &str, is_list: bool) -> Option<HouseAsked> {
    Some(match (state, domain) {
        ("on", "binary_sensor") | ("open", _) if is_list => HouseAsked::WhichOpen,
        ("off", "binary_sensor") | ("closed", _) if is_list => HouseAsked::WhichClosed,
        ("on", "binary_sensor") | ("open", _) => HouseAsked::Open,
        ("off", "binary_sensor") | ("closed", _) => HouseAsked::Closed,
        ("on", _) if is_list => HouseAsked::WhichOn,
        ("off", _) if is_list => HouseAsked::WhichOff,
        ("on", _) => HouseAsked::On,
        ("off", _) => HouseAsked::Off,
        ("locked", "lock") if is_list => HouseAsked::WhichLocked,
        ("unlocked", "lock") if is_list => HouseAsked::WhichUnlocked,
        ("locked", "lock") => HouseAsked::Locked,
        ("unlocked", "lock") => HouseAsked::Unlocked,
        _ => return None,
    })
}
