//! The room in which something was set, and in which it is silenced.

use super::*;
use joi_base::message::Place;

#[test]
fn what_is_set_in_a_room_rings_there_and_a_stop_elsewhere_leaves_it_alone() {
    let mut table = Table::at(date(2026, 3, 4).at(12, 0, 0, 0).in_tz("UTC").unwrap());
    for place in [Some("kitchen"), Some("bath"), None] {
        table.place = place.map(Place::named);
        table.order(&timer(place, 60));
    }
    let places: Vec<_> = table.entries.iter().map(|entry| entry.place.as_deref()).collect();
    assert_eq!(places, [Some("kitchen"), Some("bath"), None]);
    table.later(61).look(false);
    table.place = Some(Place::named("kitchen"));
    let OrderReport::Silenced(silenced) = table.order(&ScheduleOrder::Silence) else { panic!() };
    let names: Vec<_> = silenced.iter().map(|entry| entry.place.as_deref()).collect();
    assert_eq!(names, [Some("kitchen"), None], "what was set nowhere rings everywhere");
    table.place = None;
    let OrderReport::Silenced(rest) = table.order(&ScheduleOrder::Silence) else { panic!() };
    assert_eq!(rest[0].place.as_deref(), Some("bath"));
}
