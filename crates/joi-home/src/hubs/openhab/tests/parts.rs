//! Frames, events, answers, addresses, tokens.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use proptest::prelude::*;
use serde_json::json;

use super::super::HUB;
use super::super::answers::{Answer, fault, version};
use super::super::events::read;
use super::super::frames::{SseFrame, SseFrames};
use crate::address::ServerAddress;
use crate::backend::ServerEvent;
use crate::fault::HomeFault;
use crate::token::{HomeToken, TokenSource};
use crate::wire_text::state_text;

fn recorded(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../tests/data/openhab/{name}", env!("CARGO_MANIFEST_DIR")))
        .unwrap()
}

fn states(text: &[u8], piece: usize) -> BTreeMap<String, String> {
    let mut frames = SseFrames::default();
    let mut states = BTreeMap::new();
    for bytes in text.chunks(piece) {
        for frame in frames.feed(bytes) {
            if let Some(ServerEvent::State { item, text }) = read(&frame) {
                states.insert(item, text);
            }
        }
    }
    states
}

#[test]
fn a_recorded_minute_ends_in_the_states_of_the_server_whatever_the_pieces() {
    for version in ["4.3.11", "5.2.1"] {
        let text = recorded(&format!("{version}/sse_events.txt"));
        let whole = states(text.as_bytes(), usize::MAX);
        let last: Vec<_> = text
            .lines()
            .filter(|line| line.contains("\"openhab/items/Living_Lamp_Dimmer/statechanged\""))
            .collect();
        let value = whole["Living_Lamp_Dimmer"].clone();
        assert!(last.last().unwrap().contains(&format!("\\\"value\\\":\\\"{value}\\\"")), "{value}");
        assert!(whole.len() > 8, "{whole:?}");
        assert!(whole.contains_key("gLights"), "{whole:?}");
        for piece in [1, 2, 7, 1000] {
            assert_eq!(states(text.as_bytes(), piece), whole, "{version} in pieces of {piece}");
        }
        assert_eq!(states(text.replace('\n', "\r\n").as_bytes(), 3), whole);
    }
}

#[test]
fn a_group_s_average_in_kelvin_is_converted_to_the_item_s_unit() {
    assert_eq!(state_text("292.700 K", Some("°C")), "19.55 °C");
    assert_eq!(state_text("294.261 K", Some("°F")), "70 °F");
    assert_eq!(state_text("292.700 K", Some("K")), "292.700 K");
    assert_eq!(state_text("ON", None), "ON");
}

#[test]
fn comments_unknown_fields_and_split_characters_are_no_trouble() {
    let mut frames = SseFrames::default();
    let text = ": hello\nid: 4\nevent: x\ndata: ü\ndata:b\n\n\n\ndata: c\r\r";
    let mut found = Vec::new();
    for byte in text.as_bytes() {
        found.extend(frames.feed(&[*byte]));
    }
    let frame = |event: &str, data: &str| SseFrame { event: event.into(), data: data.into() };
    assert_eq!(found, [frame("x", "ü\nb"), frame("", "c")]);
}

#[test]
fn a_frame_that_is_too_long_is_dropped_and_the_next_one_is_read() {
    let mut frames = SseFrames::default();
    let long = format!("event: message\ndata: {}\n\ndata: next\n\n", "x".repeat(2 << 20));
    let found: Vec<_> = long.as_bytes().chunks(8192).flat_map(|piece| frames.feed(piece)).collect();
    assert_eq!(found, [SseFrame { event: String::new(), data: "next".into() }]);
}

#[test]
fn events_that_can_t_be_read_are_nothing() {
    let frame = |data: &str| SseFrame { event: "message".into(), data: data.into() };
    for data in [
        "",
        "null",
        "[]",
        "{",
        r#"{"topic":"openhab/items/X/statechanged","payload":"{","type":"ItemStateChangedEvent"}"#,
    ] {
        assert_eq!(read(&frame(data)), None, "{data}");
    }
    let unknown = r#"{"topic":"openhab/items/X/new","payload":"{}","type":"NewEvent"}"#;
    assert_eq!(read(&frame(unknown)), Some(ServerEvent::Other));
    let predicted = r#"{"topic":"openhab/items/X/statepredicted","payload":"{\"predictedType\":\"OnOff\",\"predictedValue\":\"ON\"}","type":"ItemStatePredictedEvent"}"#;
    assert_eq!(read(&frame(predicted)), Some(ServerEvent::Other));
}

proptest! {
    #[test]
    fn foreign_bytes_never_break_the_reader_of_events(
        bytes in joi_base::testing::damaged(&recorded("5.2.1/sse_events.txt").as_bytes()[..3000]),
        piece in 1_usize..64,
    ) {
        let whole = states(&bytes, usize::MAX);
        prop_assert_eq!(states(&bytes, piece), whole, "in pieces of {}", piece);
    }

    #[test]
    fn foreign_bytes_never_break_the_reader_of_refusals(
        body in joi_base::testing::damaged_text(r#"{"error":{"message":"Item Lamp does not exist!","http-code":404}}"#),
        status in 100_u16..600,
        location in "\\PC{0,40}",
        had_token in any::<bool>(),
    ) {
        let answer = Answer {
            address: "http://oh:8080",
            status,
            content_type: "application/json",
            location: Some(&location),
            body: &body,
            had_token,
        };
        prop_assert_eq!(fault(answer).is_none(), (200..300).contains(&status));
    }

    #[test]
    fn foreign_bytes_never_break_the_reader_of_addresses_and_roots(
        address in joi_base::testing::damaged_text("https://me:p%40ss@home.example:8443/openhab/rest"),
        root in joi_base::testing::damaged_json(&json!({ "version": "8", "links": [], "runtimeInfo": { "version": "4.3.11" } })),
        state in "\\PC{0,30}",
    ) {
        if let Ok(read) = ServerAddress::read(&address) {
            prop_assert!(read.below("rest/items").is_ok(), "{}", address);
        }
        let _ = version(&root, "http://oh:8080");
        let _ = state_text(&state, Some("°C"));
    }
}

#[test]
fn addresses_are_read_as_people_write_them() {
    let shown = |text: &str| HUB.address(text).map(|address| address.to_string());
    assert_eq!(shown("openhab"), Ok("http://openhab:8080".into()));
    assert_eq!(shown(" openhab:80 "), Ok("http://openhab".into()));
    assert_eq!(shown("192.168.1.5"), Ok("http://192.168.1.5:8080".into()));
    assert_eq!(shown("http://oh:8080/rest/"), Ok("http://oh:8080".into()));
    assert_eq!(shown("https://home.example/openhab/rest"), Ok("https://home.example/openhab".into()));
    for wrong in ["", "ftp://x", "http://", "two words"] {
        assert!(shown(wrong).is_err(), "{wrong}");
    }
    let address = ServerAddress::read("https://me:p%40ss@home.example/openhab/").unwrap();
    assert_eq!(address.login(), Some(("me", "p@ss")));
    assert_eq!(address.below("rest/items").unwrap().as_str(), "https://home.example/openhab/rest/items");
    let shown = format!("{address} {address:?}");
    assert!(!shown.contains("p@ss") && !shown.contains("p%40ss"), "{shown}");
}

#[test]
fn an_address_of_another_scheme_is_compared_by_host_and_port_too() {
    let address = |text: &str| ServerAddress::of(text, &["mqtt", "mqtts"], 1883, "mqtt://broker");
    let broker = address("broker").unwrap();
    assert_eq!(broker.to_string(), "mqtt://broker:1883");
    assert!(broker.is_server_of(&address("mqtt://broker:1883/home").unwrap()));
    for other in ["mqtt://broker:1884", "mqtts://broker:1883", "mqtt://other:1883"] {
        assert!(!broker.is_server_of(&address(other).unwrap()), "{other}");
    }
    assert!(address("http://broker").is_err());
}

fn answered(status: u16, content_type: &str, body: &str, had_token: bool) -> Option<HomeFault> {
    let location = Some("https://me:secret@other.example/rest/items");
    fault(Answer { address: "http://oh:8080", status, content_type, location, body, had_token })
}

#[test]
fn what_a_starting_server_answers_is_no_loss_of_items() {
    let html = "text/html;charset=utf-8";
    for (status, kind, body) in [
        (404, html, "<html>No service was found.</html>"),
        (404, "text/html;charset=iso-8859-1", "<html>Powered by Jetty://</html>"),
        (404, "", ""),
        (500, "text/html;charset=iso-8859-1", "<html>Jetty</html>"),
    ] {
        assert!(
            matches!(answered(status, kind, body, true), Some(HomeFault::Starting { .. })),
            "{status} {body}"
        );
    }
}

#[test]
fn errors_are_distinguished() {
    let json = "application/json";
    let error = |text: &str| format!(r#"{{"error":{{"message":"{text}","http-code":0}}}}"#);
    assert_eq!(answered(401, json, &error("Invalid credentials"), true), Some(HomeFault::WrongToken));
    assert_eq!(answered(401, json, &error("Authentication required"), false), Some(HomeFault::TokenMissing));
    assert_eq!(answered(403, json, &error("Access denied"), true), Some(HomeFault::Forbidden));
    assert_eq!(
        answered(404, json, &error("Item Foo does not exist!"), true),
        Some(HomeFault::NoItem { item: "Foo".into() })
    );
    assert_eq!(answered(400, "", "", true), Some(HomeFault::Refused));
    assert_eq!(answered(502, "text/html", "<html>", true), Some(HomeFault::Proxy { status: 502 }));
    assert!(matches!(answered(401, "text/html", "<html>", true), Some(HomeFault::NotAServer { .. })));
    assert!(matches!(answered(404, "text/html", "<html>nginx", true), Some(HomeFault::NotAServer { .. })));
    assert!(matches!(answered(200, "text/html", "<html>", true), Some(HomeFault::NotAServer { .. })));
    assert_eq!(answered(200, "text/plain", "<html> as the state of a text", true), None);
    let moved = answered(301, "", "", true).unwrap();
    assert_eq!(moved, HomeFault::Moved { target: "https://other.example/rest/items".into() });
    let inside = r#""{\"error\":{\"message\":\"boom\",\"http-code\":500}}""#;
    let Some(HomeFault::Unreadable { why }) = answered(500, json, inside, true) else { panic!("500") };
    assert!(why.contains("boom"));
}

#[test]
fn versions_are_read_by_their_leading_number() {
    let of = |text: &str| version(&json!({"version": "8", "runtimeInfo": {"version": text}}), "x");
    for good in ["5.2.1", "4.0.0", "5.3.0-SNAPSHOT", "5.2.0.RC1", "10.0", "new"] {
        assert_eq!(of(good), Ok(good.to_owned()));
    }
    assert_eq!(
        of("3.4.5"),
        Err(HomeFault::TooOld { hub: "openHAB", version: "3.4.5".into(), oldest: "4.0" })
    );
    assert!(matches!(version(&json!({"version": "1", "links": []}), "x"), Err(HomeFault::TooOld { .. })));
    assert!(matches!(version(&json!({"hello": 1}), "x"), Err(HomeFault::NotAServer { .. })));
    for name in ["4.3.11", "5.2.1"] {
        let root = serde_json::from_str(&recorded(&format!("{name}/rest.json"))).unwrap();
        assert_eq!(version(&root, "x"), Ok(name.to_owned()));
    }
}

#[test]
fn a_token_is_kept_for_its_owner_alone_and_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep").join("token");
    let token = HomeToken::read(" oh.joi.secret\n").unwrap();
    token.write(&file).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let source = TokenSource::find("", None, Some(&file));
    assert_eq!(source.token().unwrap(), Some(token.clone()));
    assert!(!format!("{token:?} {source:?} {:?}", TokenSource::Given(token.clone())).contains("secret"));
    HomeToken::read("oh.joi.other").unwrap().write(&file).unwrap();
    assert_eq!(source.token().unwrap().unwrap().secret(), "oh.joi.other");

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(source.token(), Err(HomeFault::TokenFile { .. })));
    assert_eq!(TokenSource::find("", None, Some(&folder.path().join("none"))).token(), Ok(None));
    let named = folder.path().join("none").display().to_string();
    assert!(matches!(TokenSource::find(&named, None, Some(&file)).token(), Err(HomeFault::TokenFile { .. })));
    for wrong in ["", "  ", "two words", "ümlaut"] {
        assert!(HomeToken::read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_systemd_credential_goes_before_the_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let (own, credential) = (folder.path().join("own"), folder.path().join("openhab-token"));
    HomeToken::read("own").unwrap().write(&own).unwrap();
    HomeToken::read("credential").unwrap().write(&credential).unwrap();
    let secret = |credential| TokenSource::find("", credential, Some(&own)).token().unwrap().unwrap();
    assert_eq!(secret(Some(credential)).secret(), "credential");
    assert_eq!(secret(None).secret(), "own");
}
