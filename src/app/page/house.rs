//! The house, for the page: rooms and things as joi knows them, and what would come of a sentence.
//!
//! In: the newest view of the house. Out: views. Nothing is sent to it from here.

use super::host::RunningHost;
use crate::app::by_voice;
use joi_home::HomeLink;
use joi_home::house::{House, Item, meaning};
use joi_page::{HouseHost, HouseView, RoomView, ThingView, TriedView};
use joi_understand::house::{HouseDecision, HouseUnderstanding};

impl HouseHost for RunningHost {
    fn house(&self) -> Option<HouseView> {
        let view = self.engine.parts.home.as_ref()?.server().watch().borrow().clone();
        let link = self.board.status().home.map(|home| home.told).unwrap_or_default();
        let house = &view.house;
        let known = self.config.home.meaning.meanings(house);
        let unknown = self.config.home.meaning.unknown(house).into_iter().map(str::to_owned);
        let proposed = meaning::proposals(house).into_iter().filter(|one| !known.contains_key(&one.item));
        let unmapped = unknown.chain(proposed.map(|one| format!("{}: {}?", one.item, one.meaning.key())));
        let is_up = matches!(view.link, HomeLink::Up { .. });
        Some(HouseView { is_up, link, rooms: rooms(house), unmapped: unmapped.collect() })
    }

    fn try_sentence(&self, text: &str) -> Option<TriedView> {
        let view = self.engine.parts.home.as_ref()?.server().watch().borrow().clone();
        let understanding = HouseUnderstanding::of(&self.languages.get())?;
        let room = Some(self.config.home.room.as_str()).filter(|room| !room.is_empty());
        let decision = understanding.decided(text, &view.house, room)?;
        let batch = match &decision {
            HouseDecision::Send(batch) | HouseDecision::AskFirst(batch) => Some(batch),
            _ => None,
        };
        let planned = batch.into_iter().flat_map(|batch| &batch.commands);
        let commands = planned.map(|one| (one.title.clone(), one.ordered.text.clone())).collect();
        Some(TriedView { commands, says: understanding.said(&decision) })
    }
}

/// Returns the innermost rooms with their things, then what is in none.
fn rooms(house: &House) -> Vec<RoomView> {
    let room_of = |item: &Item| house.locations_of(item).next().map(|location| location.item.clone());
    let things = |room: Option<&str>| -> Vec<ThingView> {
        house.items().filter(|item| room_of(item).as_deref() == room).map(thing).collect()
    };
    let inside = house
        .locations()
        .iter()
        .map(|location| RoomView { name: location.title().to_owned(), things: things(Some(&location.item)) });
    let nowhere = RoomView { name: String::new(), things: things(None) };
    inside.chain([nowhere]).filter(|room| !room.things.is_empty()).collect()
}

fn thing(item: &Item) -> ThingView {
    let title = item.title();
    ThingView {
        name: title.to_owned(),
        id: item.name.clone(),
        names: item.names().filter(|name| *name != title).map(str::to_owned).collect(),
        kind: item.kind.written(),
        state: item.shown_state(),
        permission: by_voice(item),
    }
}
