//! Commands: what is sent, what is refused, and how typed ones are read.

use super::*;

fn text(house: &House, item: &str, command: ItemCommand) -> Result<String, Refused> {
    house.order(item, &command).map(|ordered| ordered.text)
}

#[test]
fn commands_have_the_server_s_text() {
    let house = recorded("5.2.1");
    let ok = |item: &str, command: ItemCommand| text(&house, item, command).unwrap();
    assert_eq!(ok("Kitchen_Light", ItemCommand::On), "ON");
    assert_eq!(ok("Living_Lamp_Dimmer", ItemCommand::Percent(45.5)), "45.5");
    assert_eq!(ok("Living_Lamp_Dimmer", ItemCommand::Off), "OFF");
    assert_eq!(ok("Living_Lamp_Color", ItemCommand::Colour(120.0, 100.0, 50.0)), "120,100,50");
    assert_eq!(ok("Living_Lamp_Color", ItemCommand::Percent(30.0)), "30");
    assert_eq!(ok("Living_Blind", ItemCommand::Stop), "STOP");
    assert_eq!(ok("Living_Setpoint", ItemCommand::Number(21.5)), "21.5");
    assert_eq!(ok("Living_Setpoint", ItemCommand::Quantity(70.0, "°F".into())), "70 °F");
    assert_eq!(ok("Living_Player", ItemCommand::Next), "NEXT");
    assert_eq!(ok("Living_Mode", ItemCommand::Text("manual".into())), "manual");
    assert_eq!(ok("gLights", ItemCommand::Off), "OFF");
    assert_eq!(ok("Plain_Counter", ItemCommand::Number(-0.0)), "0");
    assert_eq!(ok("Plain_Counter", ItemCommand::Number(1e-9)), "0");
    assert_eq!(ok("Plain_Counter", ItemCommand::Number(1e12)), "1000000000000");
}

#[test]
fn a_value_outside_the_range_is_refused_with_the_nearest() {
    let house = recorded("5.2.1");
    let Err(Refused::OutOfRange { nearest, .. }) = text(&house, "Living_Setpoint", ItemCommand::Number(99.0))
    else {
        panic!("99 degrees");
    };
    assert_eq!(nearest, 30.0);
    let dimmer = "Living_Lamp_Dimmer";
    assert!(matches!(text(&house, dimmer, ItemCommand::Percent(101.0)), Err(Refused::OutOfRange { .. })));
    assert!(matches!(text(&house, dimmer, ItemCommand::Percent(f64::NAN)), Err(Refused::OutOfRange { .. })));
    assert!(matches!(
        text(&house, "Living_Setpoint", ItemCommand::Quantity(200.0, "°F".into())),
        Err(Refused::OutOfRange { .. })
    ));
    let brighter = ItemCommand::Percent(130.0).clamped_to(house.item(dimmer).unwrap());
    assert_eq!(text(&house, dimmer, brighter), Ok("100".into()));
}

#[test]
fn what_the_server_would_take_in_silence_is_refused() {
    let house = recorded("5.2.1");
    let refused = |item: &str, command: ItemCommand| text(&house, item, command).unwrap_err();
    assert!(matches!(
        refused("Living_Setpoint", ItemCommand::Quantity(5.0, "W".into())),
        Refused::WrongUnit { .. }
    ));
    assert!(matches!(
        refused("Plain_Counter", ItemCommand::Quantity(5.0, "W".into())),
        Refused::WrongType { .. }
    ));
    assert!(matches!(refused("Living_Blind", ItemCommand::Off), Refused::WrongType { .. }));
    assert!(matches!(refused("Kitchen_Window", ItemCommand::Off), Refused::WrongType { .. }));
    assert!(matches!(refused("Living", ItemCommand::On), Refused::WrongType { .. }));
    assert!(matches!(refused("Kitchen_Smoke", ItemCommand::Off), Refused::ReadOnly { .. }));
    assert!(matches!(refused("Living_Mode", ItemCommand::Text("turbo".into())), Refused::NoOption { .. }));
    assert!(matches!(refused("Doorbell_Picture", ItemCommand::On), Refused::WrongType { .. }));
}

#[test]
fn permissions_are_enforced_and_what_is_hidden_does_not_exist() {
    let house = recorded("5.2.1");
    assert_eq!(
        text(&house, "Last_Call", ItemCommand::On),
        Err(Refused::Unknown { item: "Last_Call".into() })
    );
    assert!(matches!(text(&house, "Front_Door", ItemCommand::On), Err(Refused::NotPermitted { .. })));
    assert!(matches!(text(&house, "Nobody", ItemCommand::On), Err(Refused::Unknown { .. })));
}

#[test]
fn a_group_does_not_pass_on_what_its_member_may_not_get() {
    let group = with(row("Group", "All", &[]), "groupType", json!("Switch"));
    let closed = house(&[
        group.clone(),
        voice(row("Switch", "Safe", &["All"]), "READ_ONLY"),
        row("Switch", "Y", &["All"]),
    ]);
    assert_eq!(text(&closed, "All", ItemCommand::Off), Err(Refused::NotPermitted { item: "Safe".into() }));
    let read_only = with(row("Switch", "Meter", &["All"]), "stateDescription", json!({"readOnly": true}));
    let closed = house(&[group.clone(), read_only]);
    assert_eq!(text(&closed, "All", ItemCommand::Off), Err(Refused::ReadOnly { item: "Meter".into() }));
    let open = house(&[group, row("Switch", "Y", &["All"]), row("Contact", "Window", &["All"])]);
    assert_eq!(text(&open, "All", ItemCommand::Off), Ok("OFF".into()));
}

#[test]
fn a_group_does_not_name_a_member_that_is_hidden() {
    let group = with(row("Group", "All", &[]), "groupType", json!("Switch"));
    let hidden = || voice(row("Switch", "Secret", &["All"]), "NO_ACCESS");
    let meter = with(row("Switch", "Meter", &["All"]), "stateDescription", json!({"readOnly": true}));
    for rows in [vec![group.clone(), hidden(), row("Switch", "Y", &["All"])], vec![group, hidden(), meter]] {
        let refused = text(&house(&rows), "All", ItemCommand::Off);
        assert_eq!(refused, Err(Refused::NotPermitted { item: "All".into() }));
        assert!(!refused.unwrap_err().to_string().contains("Secret"));
    }
}

#[test]
fn an_order_names_what_is_asked_first() {
    let house = house(&[with(row("Switch", "Bolt", &[]), "category", json!("lock"))]);
    let ordered = house.order("Bolt", &ItemCommand::Off).unwrap();
    assert_eq!(ordered.caution, Caution::AskFirst(CautionCause::Entrance));
}

#[test]
fn typed_commands_are_understood_by_type() {
    let house = recorded("5.2.1");
    let read = |text: &str, item: &str| typed::command(text, house.item(item).unwrap());
    assert_eq!(read("on", "Kitchen_Light"), Ok(ItemCommand::On));
    assert_eq!(read("45 %", "Living_Lamp_Dimmer"), Ok(ItemCommand::Percent(45.0)));
    assert_eq!(read("21,5", "Living_Setpoint"), Ok(ItemCommand::Number(21.5)));
    assert_eq!(read("70 °F", "Living_Setpoint"), Ok(ItemCommand::Quantity(70.0, "°F".into())));
    assert_eq!(read("Manuell", "Living_Mode"), Ok(ItemCommand::Text("manual".into())));
    assert_eq!(read("120,100,50", "Living_Lamp_Color"), Ok(ItemCommand::Colour(120.0, 100.0, 50.0)));
    assert!(matches!(read("1,000", "Plain_Counter"), Err(Refused::NotUnderstood { .. })));
    assert!(matches!(read("inf", "Plain_Counter"), Err(Refused::NotUnderstood { .. })));
    assert!(matches!(read("maybe", "Kitchen_Light"), Err(Refused::NotUnderstood { .. })));
}
