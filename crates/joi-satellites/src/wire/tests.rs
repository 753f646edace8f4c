//! The framing by the table of the protocol, cut anywhere, and with damaged bytes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::reader::{MOST_DATA, MOST_HEADER, MOST_PAYLOAD};
use super::{WireError, WireEvent, WireReader};

fn read(bytes: &[u8]) -> (Vec<WireEvent>, Result<bool, WireError>) {
    let mut reader = WireReader::default();
    reader.push(bytes);
    let mut events = Vec::new();
    loop {
        match reader.next() {
            Ok(Some(event)) => events.push(event),
            Ok(None) => return (events, Ok(reader.is_within_event())),
            Err(error) => return (events, Err(error)),
        }
    }
}

fn one(bytes: &[u8]) -> WireEvent {
    let (mut events, rest) = read(bytes);
    assert_eq!((events.len(), rest), (1, Ok(false)), "{}", String::from_utf8_lossy(bytes));
    events.remove(0)
}

#[test]
fn the_three_forms_of_data_are_read_and_a_block_wins_key_by_key() {
    let inline = one(b"{\"type\":\"ping\",\"data\":{\"text\":\"a\"},\"version\":\"9\",\"other\":[1]}\r\n");
    assert_eq!(inline, WireEvent::new("ping", json!({ "text": "a" })));
    assert_eq!(one(b"{\"type\":\"describe\"}\n"), WireEvent::new("describe", json!({})));
    let both = b"{\"type\":\"x\",\"data\":{\"a\":1,\"b\":1},\"data_length\":13,\"payload_length\":2}\n{\"b\":2,\"c\":2}\x00\xff";
    let expected = WireEvent::new("x", json!({ "a": 1, "b": 2, "c": 2 })).with_payload(vec![0, 255]);
    assert_eq!(one(both), expected);
    let null = b"{\"type\":\"x\",\"data\":null,\"data_length\":7}\n{\"b\":2}";
    assert_eq!(one(null), WireEvent::new("x", json!({ "b": 2 })));
}

#[test]
fn lengths_are_read_as_the_protocol_s_own_library_reads_them() {
    for length in ["5.0", "5", "5e0"] {
        let bytes = format!("{{\"type\":\"x\",\"payload_length\":{length}}}\n12345");
        assert_eq!(one(bytes.as_bytes()).payload, b"12345", "{length}");
    }
    for length in ["-5", "-5.0", "0", "null", "-1e300"] {
        let bytes = format!("{{\"type\":\"x\",\"payload_length\":{length}}}\n");
        assert_eq!(one(bytes.as_bytes()), WireEvent::new("x", json!({})), "{length}");
    }
    for length in ["\"5\"", "5.5", "true", "[5]", "{}"] {
        let bytes = format!("{{\"type\":\"x\",\"data_length\":{length}}}\n12345");
        let error = WireError::Length { key: "data_length", value: length.to_owned() };
        assert_eq!(read(bytes.as_bytes()), (vec![], Err(error)), "{length}");
    }
}

#[test]
fn what_is_no_event_ends_the_connection() {
    let refused = [
        ("nonsense\n", WireError::NotAnObject),
        ("\n", WireError::NotAnObject),
        ("[\"ping\"]\n", WireError::NotAnObject),
        ("{\"data\":{}}\n", WireError::NoType),
        ("{\"type\":\"x\",\"data\":7}\n", WireError::Data { kind: "x".into() }),
        ("{\"type\":\"x\",\"data_length\":3}\n[1]", WireError::Data { kind: "x".into() }),
        ("{\"type\":\"x\",\"data_length\":3}\nabc", WireError::Data { kind: "x".into() }),
    ];
    for (bytes, error) in refused {
        assert_eq!(read(bytes.as_bytes()), (vec![], Err(error)), "{bytes}");
    }
    assert_eq!(read(b"{\"type\":\"\xff\"}\n").1, Err(WireError::NotAnObject));
    let deep = format!("{{\"type\":\"x\",\"data\":{}{}}}\n", "[".repeat(9_000), "]".repeat(9_000));
    assert_eq!(read(deep.as_bytes()).1, Err(WireError::NotAnObject), "too deep for a stack");
    for half in [
        "{\"type\":\"x\"",
        "{\"type\":\"x\",\"data_length\":9}\n{\"a\":",
        "{\"type\":\"x\",\"payload_length\":2}\n1",
    ] {
        assert_eq!(read(half.as_bytes()), (vec![], Ok(true)), "{half}");
    }
}

#[test]
fn a_type_that_is_no_text_is_an_unknown_one() {
    for (kind, told) in
        [("7", "7"), ("null", "null"), ("[\"ping\"]", "[\"ping\"]"), ("{\"a\":1}", "{\"a\":1}")]
    {
        let event = one(format!("{{\"type\":{kind}}}\n").as_bytes());
        assert_eq!(event.kind, told);
    }
}

#[test]
fn every_limit_is_checked_before_its_bytes_have_come() {
    let long = format!("{{\"type\":\"x\",\"pad\":\"{}\"}}\n", "a".repeat(60_000));
    assert_eq!(one(long.as_bytes()).kind, "x");
    let too_long = "a".repeat(MOST_HEADER + 1);
    assert_eq!(read(too_long.as_bytes()).1, Err(WireError::HeaderTooLong));
    assert_eq!(read(format!("{too_long}\n").as_bytes()).1, Err(WireError::HeaderTooLong));
    for (key, most) in [("data_length", MOST_DATA), ("payload_length", MOST_PAYLOAD)] {
        let header = |length: f64| format!("{{\"type\":\"x\",\"{key}\":{length}}}\n");
        assert_eq!(read(header(most as f64).as_bytes()), (vec![], Ok(true)));
        for length in [most as f64 + 1.0, 1e18] {
            let error = WireError::BlockTooLarge { key, length: length as u64, most };
            assert!(error.is_limit());
            assert_eq!(read(header(length).as_bytes()), (vec![], Err(error)));
        }
        assert!(read(header(1e300).as_bytes()).1.is_err());
    }
}

#[test]
fn a_block_of_200_kilobytes_and_events_in_one_piece_are_read() {
    let large = WireEvent::new("info", json!({ "text": "x".repeat(200_000) }));
    let mut bytes = large.bytes();
    WireEvent::new("describe", json!({})).write(&mut bytes);
    let (events, rest) = read(&bytes);
    assert_eq!((events.len(), rest), (2, Ok(false)));
    assert_eq!(events[0], large);
}

fn events() -> impl Strategy<Value = Vec<WireEvent>> {
    let data = prop_oneof![
        Just(json!({})),
        "\\PC{0,20}".prop_map(|text| json!({ "text": text, "n": null, "list": [1, 2.5] })),
    ];
    let event = ("[a-z-]{1,16}", data, prop::collection::vec(any::<u8>(), 0..300));
    let event = event.prop_map(|(kind, data, payload)| WireEvent::new(&kind, data).with_payload(payload));
    prop::collection::vec(event, 0..6)
}

proptest! {
    #[test]
    fn events_survive_any_cut_of_their_bytes(events in events(), cuts in prop::collection::vec(1_usize..40, 1..60)) {
        let mut bytes = Vec::new();
        events.iter().for_each(|event| event.write(&mut bytes));
        let (mut reader, mut read, mut rest) = (WireReader::default(), Vec::new(), bytes.as_slice());
        for cut in cuts.iter().cycle() {
            let (piece, behind) = rest.split_at((*cut).min(rest.len()));
            reader.push(piece);
            while let Some(event) = reader.next().unwrap() {
                read.push(event);
            }
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(read, events);
        prop_assert!(!reader.is_within_event());
    }

    #[test]
    fn foreign_bytes_never_break_the_reader_of_events_and_are_never_hoarded(
        bytes in joi_base::testing::damaged(&conversation()),
        step in 1_usize..200,
    ) {
        let mut reader = WireReader::default();
        'all: for piece in bytes.chunks(step) {
            reader.push(piece);
            loop {
                match reader.next() {
                    Ok(Some(event)) => prop_assert!(event.payload.len() <= MOST_PAYLOAD),
                    Ok(None) => break,
                    Err(_) => break 'all,
                }
            }
            prop_assert!(reader.held() <= MOST_HEADER + MOST_DATA + MOST_PAYLOAD + step);
        }
    }
}

/// A conversation as a client has it.
fn conversation() -> Vec<u8> {
    let format = json!({ "rate": 16_000, "width": 2, "channels": 1, "timestamp": 0 });
    let events = [
        WireEvent::new("describe", json!({})),
        WireEvent::new("transcribe", json!({ "language": "en", "transcript_names": ["Ada"] })),
        WireEvent::new("audio-start", format.clone()),
        WireEvent::new("audio-chunk", format).with_payload(vec![1, 2, 3, 4]),
        WireEvent::new("audio-stop", json!({ "timestamp": Value::Null })),
        WireEvent::new("synthesize", json!({ "text": "Hello.", "voice": { "name": "joe" } })),
    ];
    let mut bytes = Vec::new();
    events.iter().for_each(|event| event.write(&mut bytes));
    bytes
}
