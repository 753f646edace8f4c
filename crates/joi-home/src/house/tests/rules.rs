//! Permissions, cautions, revisions, and items that can't be read.

use super::*;

fn permission(house: &House, name: &str) -> Permission {
    house.item(name).unwrap().permission
}

#[test]
fn the_nearest_layer_of_groups_decides_and_its_strictest_wins() {
    let house = house(&[
        voice(row("Group", "Far", &[]), "NO_ACCESS"),
        voice(row("Group", "NearA", &["Far"]), "READ_WRITE"),
        voice(row("Group", "NearB", &[]), "READ_ONLY"),
        row("Group", "Silent", &["Far"]),
        row("Switch", "Both", &["NearA", "NearB"]),
        row("Switch", "Deep", &["Silent"]),
        voice(row("Switch", "Own", &["Far"]), "READ_WRITE"),
        voice(row("Switch", "Garbled", &["NearB"]), "read_write"),
        row("Switch", "Lost", &["Nowhere"]),
    ]);
    assert_eq!(permission(&house, "Both"), Permission::ReadOnly);
    assert_eq!(permission(&house, "Deep"), Permission::NoAccess);
    assert_eq!(permission(&house, "Own"), Permission::ReadWrite);
    assert_eq!(permission(&house, "Garbled"), Permission::ReadOnly);
    assert_eq!(permission(&house, "Lost"), Permission::ReadWrite);
}

#[test]
fn a_permission_that_is_no_text_counts_as_absent() {
    let item =
        with(row("Switch", "X", &[]), "metadata", json!({"voiceSystem": {"config": {"permission": 1}}}));
    assert_eq!(permission(&house(&[item]), "X"), Permission::ReadWrite);
}

#[test]
fn the_default_is_the_configuration_s() {
    let rules = HouseRules { default_permission: Permission::ReadOnly, ..HouseRules::default() };
    let house = house_with(&[row("Switch", "X", &[]), voice(row("Switch", "Y", &[]), "READ_WRITE")], &rules);
    assert_eq!(permission(&house, "X"), Permission::ReadOnly);
    assert_eq!(permission(&house, "Y"), Permission::ReadWrite);
}

#[test]
fn cycles_of_groups_end() {
    let house = house(&[
        row("Group", "A", &["B"]),
        row("Group", "B", &["A"]),
        row("Switch", "X", &["A"]),
        semantic(row("Group", "Room1", &["Room2"]), "Location_Indoor_Room", json!({"isPartOf": "Room2"})),
        semantic(row("Group", "Room2", &["Room1"]), "Location_Indoor_Room", json!({"isPartOf": "Room1"})),
        semantic(row("Switch", "Y", &["Room1"]), "Point_Control", json!({"hasLocation": "Room1"})),
    ]);
    assert_eq!(permission(&house, "X"), Permission::ReadWrite);
    assert_eq!(house.members("A").iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["X"]);
    assert_eq!(house.locations().len(), 2);
    assert_eq!(house.locations_of(house.item("Y").unwrap()).count(), 1);
}

pub(super) fn semantic(row: Value, class: &str, config: Value) -> Value {
    with(row, "metadata", json!({"semantics": {"value": class, "config": config}}))
}

pub(super) fn caution(rows: &[Value], name: &str) -> Caution {
    house(rows).item(name).unwrap().caution
}

pub(super) const ENTRANCE: Caution = Caution::AskFirst(CautionCause::Entrance);

#[test]
fn locks_doors_valves_and_alarms_are_asked_first() {
    let lock = semantic(row("Switch", "X", &[]), "Equipment_Lock", json!({}));
    assert_eq!(caution(&[lock], "X"), ENTRANCE);
    let garage = semantic(row("Rollershutter", "X", &[]), "Equipment_Door_GarageDoor", json!({}));
    assert_eq!(caution(&[garage], "X"), ENTRANCE);
    let valve = semantic(row("Switch", "X", &[]), "Equipment_Valve", json!({}));
    assert_eq!(caution(&[valve], "X"), Caution::AskFirst(CautionCause::Valve));
    let alarm = semantic(row("Switch", "X", &[]), "Equipment_AlarmSystem", json!({}));
    assert_eq!(caution(&[alarm], "X"), Caution::AskFirst(CautionCause::Alarm));
    let point = [
        semantic(row("Group", "Door", &[]), "Equipment_Door_FrontDoor", json!({})),
        semantic(row("Switch", "X", &["Door"]), "Point_Control", json!({"isPointOf": "Door"})),
    ];
    assert_eq!(caution(&point, "X"), ENTRANCE);
}

#[test]
fn without_semantics_the_icon_and_the_words_decide() {
    let label = |text: &str| with(row("Switch", "X", &[]), "label", json!(text));
    for text in ["Garage door opener", "Haustürschloss", "Gartentor", "Front door lock", "Wasserventil"] {
        assert!(matches!(caution(&[label(text)], "X"), Caution::AskFirst(_)), "{text}");
    }
    for text in ["Küchenlicht", "Ventilator", "Monitor", "Motor", "Blocker", "Garage light", "Türlicht"] {
        assert_eq!(caution(&[label(text)], "X"), Caution::None, "{text}");
    }
    assert_eq!(caution(&[row("Switch", "GarageDoor_Lock", &[])], "GarageDoor_Lock"), ENTRANCE);
    assert_eq!(caution(&[with(row("Switch", "X", &[]), "category", json!("lock"))], "X"), ENTRANCE);
}

#[test]
fn a_switch_or_a_shutter_that_is_called_as_a_door_is_asked_first_and_what_is_at_a_door_is_not() {
    let called = |kind: &str, name: &str, label: &str| {
        let row = row(kind, name, &[]);
        if label.is_empty() { row } else { with(row, "label", json!(label)) }
    };
    for (kind, name, label) in [
        ("Switch", "X", "Garage door"),
        ("Rollershutter", "X", "Garage door"),
        ("Switch", "Garage_Door", ""),
        ("Rollershutter", "GarageDoor", ""),
        ("Switch", "garageDoor1", ""),
        ("Switch", "X", "Front door"),
        ("Switch", "X", "Back door left"),
        ("Switch", "X", "Wohnungstür"),
        ("Switch", "X", "Kellertür"),
        ("Rollershutter", "X", "Garagentür"),
        ("Switch", "X", "Türsummer"),
        ("Switch", "Haustuer", ""),
        ("Switch", "X", "Garage"),
        ("Switch", "X", "Garage auf"),
        ("Rollershutter", "X", "Garagentor groß"),
        ("Switch", "Plug_17", "Garage door"),
    ] {
        assert_eq!(caution(&[called(kind, name, label)], name), ENTRANCE, "{kind} {name} {label}");
    }
    for (kind, name, label) in [
        ("Switch", "X", "Garage light"),
        ("Switch", "X", "Front door light"),
        ("Switch", "FrontDoor_17", "Front door light"),
        ("Switch", "X", "Haustürlicht"),
        ("Switch", "X", "Licht Kellertür"),
        ("Switch", "X", "Doorbell"),
        ("Switch", "X", "Türklingel"),
        ("Switch", "X", "Garage radio"),
        ("Switch", "X", "Garage freezer"),
        ("Switch", "X", "Outdoor"),
        ("Rollershutter", "X", "Terrassentür Rollladen"),
        ("Dimmer", "X", "Front door"),
        ("Contact", "X", "Garage door"),
        ("Number", "X", "Garage"),
        ("Switch", "X", "Monitor"),
        ("Switch", "X", "Restaurant"),
    ] {
        assert_eq!(caution(&[called(kind, name, label)], name), Caution::None, "{kind} {name} {label}");
    }
    let lamp = with(called("Switch", "X", "Front door"), "category", json!("light"));
    assert_eq!(caution(&[lamp], "X"), Caution::None);
    let blind =
        semantic(called("Rollershutter", "X", "Terrace door"), "Equipment_WindowCovering_Blinds", json!({}));
    assert_eq!(caution(&[blind], "X"), Caution::None);
    let point = [
        semantic(with(row("Group", "G", &[]), "label", json!("Garage door")), "Equipment", json!({})),
        semantic(called("Switch", "X", "Move"), "Point_Control", json!({"isPointOf": "G"})),
    ];
    assert_eq!(caution(&point, "X"), ENTRANCE);
}

#[test]
fn an_option_that_is_called_as_something_risky_is_asked_first() {
    let options = json!({"commandOptions": [
        {"command": "1", "label": "Movie night"},
        {"command": "2", "label": "Open garage"},
        {"command": "unlock_front_door"},
        {"command": "4", "label": "Garage light on"},
        {"command": "5", "label": "Haustür aufsperren"},
        {"command": "6", "label": "Gas on"},
    ]});
    let rows = [with(with(row("String", "X", &[]), "label", json!("Scene")), "commandDescription", options)];
    let ordered = |rules: &HouseRules, value: &str| {
        house_with(&rows, rules).order("X", &ItemCommand::Text(value.into())).unwrap().caution
    };
    let rules = HouseRules::default();
    assert_eq!(caution(&rows, "X"), Caution::None);
    for (value, expected) in [
        ("1", Caution::None),
        ("2", ENTRANCE),
        ("unlock_front_door", ENTRANCE),
        ("4", Caution::None),
        ("5", ENTRANCE),
        ("6", Caution::AskFirst(CautionCause::Valve)),
    ] {
        assert_eq!(ordered(&rules, value), expected, "{value}");
    }
    let free = HouseRules { act_freely: vec!["X".into()], ..HouseRules::default() };
    assert_eq!(ordered(&free, "2"), Caution::None);
}

#[test]
fn what_can_t_be_commanded_needs_no_caution_and_the_light_at_the_door_neither() {
    let contact = semantic(row("Contact", "X", &[]), "Equipment_Door_FrontDoor", json!({}));
    assert_eq!(caution(&[contact], "X"), Caution::None);
    let light = [
        semantic(row("Group", "Door", &[]), "Equipment_Door_FrontDoor", json!({})),
        semantic(
            row("Switch", "X", &["Door"]),
            "Point_Control",
            json!({"isPointOf": "Door", "relatesTo": "Property_Light"}),
        ),
    ];
    assert_eq!(caution(&light, "X"), Caution::None);
}

#[test]
fn a_group_with_a_lock_is_asked_first() {
    let rows = [
        with(row("Group", "All", &[]), "groupType", json!("Switch")),
        row("Group", "Inner", &["All"]),
        with(row("Switch", "Bolt", &["Inner"]), "category", json!("lock")),
        row("Switch", "Lamp", &["All"]),
    ];
    assert_eq!(caution(&rows, "All"), ENTRANCE);
    assert_eq!(caution(&rows, "Lamp"), Caution::None);
}

#[test]
fn the_configuration_names_exceptions_both_ways() {
    let rules = HouseRules {
        ask_first: vec!["Pump".into()],
        act_freely: vec!["Bolt".into()],
        ..HouseRules::default()
    };
    let rows = [row("Switch", "Pump", &[]), with(row("Switch", "Bolt", &[]), "category", json!("lock"))];
    let house = house_with(&rows, &rules);
    assert_eq!(house.item("Pump").unwrap().caution, Caution::AskFirst(CautionCause::Configured));
    assert_eq!(house.item("Bolt").unwrap().caution, Caution::None);
}

#[test]
fn a_group_that_is_asked_first_stands_for_its_members() {
    const CONFIGURED: Caution = Caution::AskFirst(CautionCause::Configured);
    let switches =
        |name: &str, groups: &[&str]| with(row("Group", name, groups), "groupType", json!("Switch"));
    let rows = [
        switches("gPumps", &[]),
        row("Group", "gDeep", &["gPumps"]),
        switches("gGarden", &[]),
        row("Switch", "Pond", &["gPumps", "gGarden"]),
        row("Switch", "Well", &["gDeep"]),
        row("Switch", "Free", &["gPumps"]),
        with(row("Switch", "Bolt", &["gPumps"]), "category", json!("lock")),
        row("Number", "Level", &["gPumps"]),
        with(row("Number", "Meter", &["gPumps"]), "stateDescription", json!({"readOnly": true})),
        row("Switch", "Lamp", &["gGarden"]),
        semantic(row("Group", "Boiler", &[]), "Equipment_Boiler", json!({})),
        semantic(row("Switch", "Boost", &[]), "Point_Control", json!({"isPointOf": "Boiler"})),
    ];
    let rules = HouseRules {
        ask_first: vec!["gPumps".into(), "Boiler".into()],
        act_freely: vec!["Free".into()],
        ..HouseRules::default()
    };
    let house = house_with(&rows, &rules);
    let is = |name: &str| house.item(name).unwrap().caution;
    for asked in ["gPumps", "Pond", "Well", "Level", "gGarden", "Boost"] {
        assert_ne!(is(asked), Caution::None, "{asked}");
    }
    assert_eq!((is("Pond"), is("Well"), is("Boost")), (CONFIGURED, CONFIGURED, CONFIGURED));
    assert_eq!(is("Bolt"), ENTRANCE, "what it is says more than its group");
    for free in ["Free", "Lamp", "Meter"] {
        assert_eq!(is(free), Caution::None, "{free}");
    }
    let ordered = house.order("Pond", &ItemCommand::On).unwrap();
    assert_eq!(ordered.caution, CONFIGURED);
}

#[test]
fn a_group_that_is_never_asked_stands_for_itself_alone() {
    let rows = [
        with(row("Group", "gLocks", &[]), "groupType", json!("Switch")),
        with(row("Switch", "Bolt", &["gLocks"]), "category", json!("lock")),
    ];
    let rules = HouseRules { act_freely: vec!["gLocks".into()], ..HouseRules::default() };
    let house = house_with(&rows, &rules);
    assert_eq!(house.item("gLocks").unwrap().caution, Caution::None);
    assert_eq!(house.item("Bolt").unwrap().caution, ENTRANCE);
}

#[test]
fn one_bad_item_does_not_cost_the_house() {
    let (items, unread) = read::items(vec![
        json!({"type": "Switch", "name": "Good"}),
        json!({"name": "NoType"}),
        json!({"type": "Switch", "name": "Bad", "groupNames": 5}),
        json!("garbage"),
        json!({"type": "Gizmo", "name": "New", "state": "x"}),
    ]);
    assert_eq!(items.iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["Good", "New"]);
    assert_eq!(items[1].state.value, StateValue::Text("x".into()));
    assert_eq!(unread.iter().map(|u| u.name.as_str()).collect::<Vec<_>>(), ["NoType", "Bad", ""]);
}

#[test]
fn revisions_grow_by_what_differs() {
    let first = house(&[row("Switch", "X", &[])]);
    let same = house(&[row("Switch", "X", &[])]).following(&first);
    assert_eq!(same.revision(), first.revision());
    let on = first
        .with_states([("X", ItemState::read("ON", &ItemKind::Switch)), ("Nobody", ItemState::unknown())]);
    assert_eq!(on.revision(), HouseRevision { layout: 1, states: 2 });
    assert_eq!(first.item("X").unwrap().state.value, StateValue::Null);
    let renamed = house(&[with(row("Switch", "X", &[]), "label", json!("Lamp"))]).following(&on);
    assert_eq!(renamed.revision(), HouseRevision { layout: 2, states: 3 });
}

#[test]
fn after_a_loss_no_state_is_known() {
    let lost = recorded("5.2.1").without_states();
    assert!(lost.items().all(|item| item.state == ItemState::unknown()));
    assert_eq!(lost.item("Kitchen_Light").unwrap().state.is_on(), None);
}

#[test]
fn a_large_house_is_built_and_changed_quickly() {
    let items: Vec<_> = (0..20)
        .flat_map(|copy| {
            rows("5.2.1", "items_full").into_iter().map(move |mut row| {
                row["name"] = json!(format!("{}_{copy}", row["name"].as_str().unwrap()));
                row
            })
        })
        .collect();
    let begun = std::time::Instant::now();
    let (read, _) = read::items(items);
    let mut house = House::new(read, &TagVocabulary::default(), &HouseRules::default());
    let built = begun.elapsed();
    assert_eq!(house.items().len(), 640);
    for level in 0..1000_u32 {
        let state = ItemState::read(&(level % 100).to_string(), &ItemKind::Dimmer);
        house = house.with_states([("Living_Lamp_Dimmer_7", state)]);
    }
    let changed = begun.elapsed() - built;
    // Without optimisation and beside other tests; far below on any machine that speaks.
    assert!(built.as_millis() < 3000 && changed.as_millis() < 3000, "{built:?} {changed:?}");
}
