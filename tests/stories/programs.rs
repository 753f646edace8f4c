//! Another program uses joi through the Model Context Protocol: over pipes and over HTTP.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::service::{deaf_home, run};
use crate::support::program::{FOR_EVER, Home, Running};

/// A desktop agent that has started `joi mcp serve`.
struct Agent {
    served: Running,
    asked: u64,
}

impl Agent {
    fn new(home: &Home) -> Self {
        let served = Running::start(home.command(&["mcp", "serve"]).stdin(Stdio::piped()));
        let mut agent = Self { served, asked: 0 };
        let about = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                            "clientInfo": { "name": "agent", "version": "1" } });
        assert_eq!(agent.ask("initialize", &about)["result"]["serverInfo"]["name"], "joi");
        agent.served.tell(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        agent
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.served
            .tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        let ran = self.served.until(&format!("\"id\":{id}"));
        serde_json::from_str(ran.out.lines().last().expect("a line")).expect("a message")
    }

    /// Calls a tool: whether it failed, and its text.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (answer["result"]["isError"] == true, text.to_owned())
    }
}

#[test]
fn a_desktop_agent_reads_asks_and_changes_what_the_owner_has_switched_on() {
    let mut home = deaf_home();
    let ran = home.joi(&["mcp", "serve"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.complaint().starts_with("joi is not running; start it with `joi run`"), "{ran:?}");
    home.set("mcp.serve.allow=[\"*_timer\"]").set("mcp.serve.deny=[\"recall\"]");
    let joi = run(&home);
    let table = home.joi(&["mcp", "serve", "--list"]).well().out;
    assert!(table.contains("set_timer") && table.contains("mcp.serve.allow switches it on"), "{table}");
    let mut agent = Agent::new(&home);
    let tools = agent.ask("tools/list", &json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["say", "ask", "list_timers", "set_timer", "cancel_timer", "read_list", "status"]);
    let (is_error, status) = agent.call("status", json!({}));
    assert!(!is_error && status.contains("no such speaker"), "{status}");

    // Words only inform, whatever they ask for.
    let (is_error, time) = agent.call("ask", json!({ "text": "what time is it?" }));
    assert!(!is_error && time.starts_with("It's "), "{time}");
    for wish in ["set a timer for ten minutes", "stop", "remember that my cat is called Tom", "yes"] {
        let (_, told) = agent.call("ask", json!({ "text": wish }));
        assert!(!told.is_empty(), "{wish}");
    }
    assert_eq!(agent.call("list_timers", json!({})).1, "There are no timers, alarms or reminders.");
    let (is_error, told) = agent.call("ask", json!({ "text": "set a timer for ten minutes" }));
    assert!(is_error && told.contains("mcp.serve.allow"), "{told}");

    let (is_error, set) = agent.call("set_timer", json!({ "when": "ten minutes", "name": "pasta" }));
    assert!(!is_error && set.contains("10 minutes"), "{set}");
    assert!(home.joi(&["timers"]).well().out.contains("pasta"));
    let (is_error, off) = agent.call("add_to_list", json!({ "list": "shopping", "text": "milk" }));
    assert!(is_error && off.contains("mcp.serve.allow = [\"add_to_list\"]"), "{off}");
    let (is_error, denied) = agent.call("recall", json!({ "text": "cat" }));
    assert!(is_error && denied.contains("mcp.serve.deny"), "{denied}");
    let unknown = agent.ask("tools/call", &json!({ "name": "open_door", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let stored = home.stored();
    assert!(!stored.windows(3).any(|bytes| bytes == b"Tom"), "words of a program are stored");

    assert_eq!(joi.terminate().code, Some(0));
    let (is_error, gone) = agent.call("status", json!({}));
    assert!(is_error && gone.starts_with("joi is not running"), "{gone}");
    assert_eq!(agent.served.terminate().code, Some(0));
}

/// Sends a request to /mcp; returns the status and the body.
fn post(port: u16, headers: &str, body: &Value) -> (u16, String) {
    let mut peer = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    peer.set_read_timeout(Some(FOR_EVER)).unwrap();
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\n{headers}\r\n\r\n{body}",
        body.len()
    );
    peer.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    peer.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, answer.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned()))
}

#[test]
fn over_http_only_this_machine_with_the_token_is_served() {
    let mut home = deaf_home();
    let token = home.path("token");
    std::fs::write(&token, "hush\n").unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    // Free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    home.set(&format!("mcp.serve.listen=127.0.0.1:{port}"));
    home.set(&format!("mcp.serve.token_file={}", token.display()));
    let joi = run(&home);
    let _ready = home.joi(&["status", "--wait"]);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::yield_now();
    }
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let (local, bearer) = ("Host: 127.0.0.1", "Authorization: Bearer hush");
    assert_eq!(post(port, local, &list).0, 401);
    assert_eq!(post(port, &format!("{local}\r\nAuthorization: Bearer hash"), &list).0, 401);
    assert_eq!(post(port, &format!("Host: evil.example\r\n{bearer}"), &list).0, 403);
    assert_eq!(post(port, &format!("{local}\r\nOrigin: http://evil.example\r\n{bearer}"), &list).0, 403);
    let right = format!("{local}\r\n{bearer}\r\nMCP-Protocol-Version: 2025-11-25");
    let (status, listed) = post(port, &right, &list);
    assert!(status == 200 && listed.contains("\"list_timers\""), "{status} {listed}");
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                       "params": { "name": "ask", "arguments": { "text": "what day is it?" } } });
    let (status, called) = post(port, &right, &call);
    assert!(status == 200 && called.contains("day"), "{status} {called}");
    assert_eq!(post(port, &right, &json!("no request")).0 / 100, 4);
    assert_eq!(joi.terminate().code, Some(0));
}

#[test]
fn a_server_of_tools_is_added_allowed_and_removed_while_joi_runs() {
    const SHELL: &str = r#"
id() { printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(id)" "$1"; }
while read -r line; do
  case "$line" in
    *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$(id)" ;;
    *'"initialize"'*) say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) say '{"tools":[{"name":"read","inputSchema":{"type":"object"}},{"name":"write","inputSchema":{"type":"object"}}]}' ;;
  esac
done
"#;
    let home = deaf_home();
    let joi = run(&home);
    let shown = || {
        let status: Value = serde_json::from_str(&home.joi(&["status", "--json"]).well().out).unwrap();
        let servers = status["tool_servers"].as_array().cloned().unwrap_or_default();
        servers.into_iter().map(|server| server["told"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let until = |wanted: &[&str]| {
        let began = std::time::Instant::now();
        while shown() != wanted {
            assert!(began.elapsed() < FOR_EVER / 2, "{wanted:?}: {:?}", shown());
        }
    };
    let added = home.joi(&["mcp", "add", "notes", "--", "/bin/sh", "-c", SHELL]).well();
    assert!(added.out.contains("the running joi takes it for its next conversation"), "{added:?}");
    until(&["2 tools"]);
    home.joi(&["mcp", "allow", "notes", "write", "--deny"]).well();
    until(&["1 tools"]);
    let removed = home.joi(&["mcp", "remove", "notes"]).well();
    assert!(removed.out.contains("the running joi takes it"), "{removed:?}");
    until(&[]);
    assert_eq!(joi.terminate().code, Some(0));
}
