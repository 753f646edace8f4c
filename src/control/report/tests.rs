use super::*;
use crate::control::tests::board;

#[test]
fn servers_of_tools_are_shown_on_one_line_and_those_that_fail_stand_out() {
    let row = |name: &str, is_well, told: &str| ToolServerRow {
        name: name.into(),
        is_well,
        told: told.into(),
        tools: 0,
    };
    assert!(tools(&[]).to_string().starts_with("none of other programs"));
    let rows = [row("time", true, "2 tools"), row("files", false, "down: it ended")];
    let told = tools(&rows);
    assert_eq!(told.to_string(), "time 2 tools, files down: it ended");
    let bad: Vec<&str> = told
        .0
        .iter()
        .filter(|piece| piece.tone == Some(Tone::Bad))
        .map(|piece| piece.text.as_str())
        .collect();
    assert_eq!(bad, ["files down: it ended"]);
}

#[test]
fn what_is_served_to_other_rooms_is_shown_with_what_was_refused() {
    assert!(served(None).to_string().starts_with("other rooms are not served"));
    let well = SatellitesStatus { address: "0.0.0.0:10300".into(), connections: 3, requests: 41, refused: 0 };
    assert_eq!(served(Some(&well)).to_string(), "0.0.0.0:10300, 3 connections, 41 requests");
    let refused = served(Some(&SatellitesStatus { refused: 2, ..well }));
    assert!(refused.to_string().ends_with(", 2 refused"), "{refused:?}");
}

#[test]
fn a_room_that_is_lost_stands_out_and_says_why() {
    let room = |name: &str, state, about: &str| RoomStatus {
        name: name.into(),
        address: "one:10700".into(),
        state,
        about: about.into(),
        for_s: 5,
        connections: 1,
        turns: 7,
    };
    let all = [
        room("bath", RoomConnection::Connecting, ""),
        room("hall", RoomConnection::Lost, "it closed the connection"),
        room("kitchen", RoomConnection::Connected, "Satellite"),
    ];
    let told = rooms(&all);
    let expected =
        "bath connecting, hall lost (it closed the connection), kitchen connected to Satellite, 7 turns";
    assert_eq!(told.to_string(), expected);
    assert_eq!(told.0.iter().filter(|piece| piece.tone == Some(Tone::Bad)).count(), 1);
    assert!(rooms(&[]).to_string().starts_with("no satellites"));
}

#[test]
fn a_device_is_shown_with_its_newest_and_its_highest_delay() {
    let delay = DelayStatus { last_ms: 21.6, highest_ms: 1043.2 };
    assert_eq!(late(Some(delay)), ", 22 ms late (at most 1043)");
    assert_eq!(late(None), "");
}

#[test]
fn a_service_is_shown_with_its_reason_and_what_is_missing() {
    let told = |state, restarts, why: Option<&str>, degraded: Option<&str>| {
        let (why, degraded) = (why.map(Into::into), degraded.map(Into::into));
        service(&ServiceRow { name: "timers".into(), state, restarts, why, degraded })
    };
    let (why, loss) = (Some("it panicked"), Some("no timer rings"));
    assert_eq!(told(ServiceState::Running, 0, None, None), "running".into());
    let again = "running; restarted 2 times, the last time because it panicked";
    assert_eq!(told(ServiceState::Running, 2, why, None), ReportText::toned(Tone::Fair, again));
    let waits = "restarting (3) because it panicked; no timer rings";
    assert_eq!(told(ServiceState::Restarting, 2, why, loss), ReportText::bad(waits));
    let given_up = "given up because it panicked; no timer rings";
    assert_eq!(told(ServiceState::GivenUp, 7, why, loss), ReportText::bad(given_up));
}

#[test]
fn a_report_needs_no_words_of_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    let board = board(folder.path());
    board.microphone(DeviceStatus::Fault("no microphone".into()));
    let mut status = board.status();
    status.losses = vec!["two days of dialogue".into()];
    let report = StatusReport::of(&status, "a processor");
    let fact = |name: &str| {
        report.facts.iter().find(|(what, _)| what == name).map(|(_, told)| told.to_string()).unwrap()
    };
    assert!(fact("state").starts_with("error (no microphone) since "), "{}", fact("state"));
    assert_eq!(fact("microphone"), "no microphone");
    assert_eq!(fact("speaker"), "being opened");
    assert!(fact("stored data").starts_with("two days of dialogue; "), "{}", fact("stored data"));
    assert!(report.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.head.len())));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["facts"][1][1][0], serde_json::json!({ "text": "no microphone", "tone": "bad" }));
}
