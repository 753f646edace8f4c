//! The house to try against recorded answers of the real servers: the same requests, the same answers.

use std::collections::BTreeMap;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use serde_json::Value;

use super::start::DemoStart;
use super::{DemoHome, DemoWants};

mod socket;

/// A request with its answer, as recorded.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct RecordedAnswer {
    title: String,
    request: String,
    headers: Vec<String>,
    body: String,
    status: String,
    content_type: String,
    answer: String,
}

fn recorded(version: &str) -> Vec<RecordedAnswer> {
    let path = format!("{}/../../tests/data/openhab/{version}/errors.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.split("### ").skip(1).map(one).collect()
}

fn one(block: &str) -> RecordedAnswer {
    let mut found = RecordedAnswer::default();
    let mut lines = block.lines();
    lines.next().unwrap_or_default().trim().clone_into(&mut found.title);
    for line in lines {
        if let Some(sent) = line.strip_prefix("> ") {
            if let Some(body) = sent.strip_prefix("body: '") {
                found.body = body.trim_end_matches('\'').replace("\\n", "\n");
            } else if found.request.is_empty() {
                sent.clone_into(&mut found.request);
            } else {
                found.headers.push(sent.replace("<TOKEN>", "oh.right.token"));
            }
        } else if let Some(got) = line.strip_prefix("< ") {
            if let Some(kind) = got.strip_prefix("Content-Type: ") {
                kind.clone_into(&mut found.content_type);
            } else if let Some(body) = got.strip_prefix("body: ") {
                body.clone_into(&mut found.answer);
            } else if found.status.is_empty() {
                got.clone_into(&mut found.status);
            }
        }
    }
    found
}

async fn ask(demo: &DemoHome, sent: &RecordedAnswer) -> (String, String, String) {
    let mut stream = TcpStream::connect(demo.address).await.unwrap();
    let mut text = format!("{} HTTP/1.1\r\nHost: oh:8080\r\nConnection: close\r\n", sent.request);
    for header in &sent.headers {
        text.push_str(&format!("{header}\r\n"));
    }
    if !sent.request.starts_with("GET") {
        text.push_str(&format!("Content-Length: {}\r\n", sent.body.len()));
    }
    text.push_str(&format!("\r\n{}", if sent.request.starts_with("GET") { "" } else { &sent.body }));
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    tokio::time::timeout(std::time::Duration::from_secs(5), read).await.expect(&sent.title).unwrap();
    let answer = String::from_utf8(bytes).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().to_owned();
    let kind = head.lines().find_map(|line| line.strip_prefix("content-type: ")).unwrap_or_default();
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_owned() };
    (status, kind.to_owned(), if body.is_empty() { "(empty)".to_owned() } else { body })
}

fn unchunked(mut text: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = text.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            break;
        }
        whole.push_str(&rest[..length]);
        text = rest[length..].trim_start_matches("\r\n");
    }
    whole
}

/// What it does not have: writing items, things, links, history, a login with a password, commands as JSON.
fn is_offered(recorded: &RecordedAnswer) -> bool {
    let target = recorded.request.split(' ').nth(1).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    let is_ours =
        path == "/rest" || path == "/rest/" || path.starts_with("/rest/items") || path == "/rest/events";
    let is_stream = path == "/rest/events" && !recorded.status.starts_with('4');
    let is_write = recorded.request.starts_with("DELETE")
        || (recorded.request.starts_with("PUT") && !path.ends_with("/state"))
        || path.contains("/metadata")
        || path.contains("/semantic");
    let has_json = recorded.headers.iter().any(|header| header.contains("application/json"));
    let is_basic = recorded.headers.iter().any(|header| header.contains("Basic"));
    let is_regex = target.contains("%5B") || recorded.request.starts_with("OPTIONS");
    let is_noted = recorded.title.ends_with("anonymous root");
    is_ours
        && !is_regex
        && !is_noted
        && !is_stream
        && !is_write
        && !is_basic
        && (!has_json || recorded.request.starts_with("GET"))
}

#[tokio::test]
async fn a_start_as_recorded_comes_and_goes_and_is_without_states_until_the_devices_report() {
    let demo =
        DemoHome::start(DemoWants { start: DemoStart::Stepwise, ..DemoWants::default() }).await.unwrap();
    let read =
        RecordedAnswer { request: "GET /rest/items?fields=state,type".into(), ..RecordedAnswer::default() };
    let mut answers: Vec<Vec<String>> = Vec::new();
    while answers.last().is_none_or(|states| !states.contains(&"ON".to_owned())) {
        let (_, _, body) = ask(&demo, &read).await;
        let rows: Vec<Value> = serde_json::from_str(&body).unwrap_or_default();
        answers.push(rows.iter().map(|row| row["state"].as_str().unwrap().to_owned()).collect());
    }
    let first = answers.iter().position(|states| !states.is_empty()).unwrap();
    assert!(first > 5 && answers[first].iter().all(|state| state == "NULL"), "{answers:?}");
    assert!(answers[first..].iter().any(Vec::is_empty), "it comes and goes: {answers:?}");
}

#[tokio::test]
async fn requests_get_the_answers_of_the_real_servers() {
    for version in ["4.3.11", "5.2.1"] {
        let path =
            format!("{}/../../tests/data/openhab/{version}/items_full.json", env!("CARGO_MANIFEST_DIR"));
        let items = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let wants = DemoWants {
            version: version.into(),
            token: Some("oh.right.token".into()),
            items,
            ..DemoWants::default()
        };
        let shut = DemoHome::start(DemoWants { is_open: false, ..wants.clone() }).await.unwrap();
        let demo = DemoHome::start(wants).await.unwrap();
        let mut compared = 0;
        let mut wrong = BTreeMap::new();
        for recorded in recorded(version).iter().filter(|recorded| is_offered(recorded)) {
            let server = if recorded.title.starts_with("implicitUserRole off") { &shut } else { &demo };
            let (status, kind, body) = ask(server, recorded).await;
            compared += 1;
            // Long bodies were cut, and lists stand in another order.
            let is_short = !recorded.answer.contains('…') && !recorded.answer.starts_with('[');
            let is_same = status == recorded.status
                && (kind == recorded.content_type || recorded.content_type.is_empty())
                && (!is_short || recorded.answer.starts_with("{\"link\"") || body == recorded.answer);
            if !is_same {
                let cut = body.chars().take(200).collect::<String>();
                wrong.insert(format!("{}: {status} {kind} {cut}", recorded.title), ());
            }
        }
        assert!(compared >= 30, "only {compared} were compared");
        assert!(wrong.is_empty(), "{version}: {} of {compared}: {:?}", wrong.len(), wrong.keys());
    }
}
