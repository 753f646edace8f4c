//! The protocol over a pair of pipes, as a program on the other end sees it.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::*;

/// A program that uses joi.
struct Peer {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    served: JoinHandle<Result<(), ServeFault>>,
}

const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"peer","version":"1"}}"#;

impl Peer {
    fn of(tools: impl HouseTools) -> Self {
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let served = tokio::spawn(serve_stdio(tools, tokio::io::split(theirs), CancellationToken::new()));
        let (reader, writer) = tokio::io::split(ours);
        Self { lines: BufReader::new(reader).lines(), writer, served }
    }

    async fn send(&mut self, message: &str) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(60), self.lines.next_line()).await;
        serde_json::from_str(&line.expect("an answer").unwrap().expect("a line")).unwrap()
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
            .await;
        let answer = self.read().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Begins with the handshake.
    async fn shaking_hands(tools: impl HouseTools) -> Self {
        let mut peer = Self::of(tools);
        let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                            "clientInfo": { "name": "peer", "version": "1" } });
        let answer = peer.ask(0, "initialize", about).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "joi");
        peer.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        peer
    }
}

#[tokio::test]
async fn a_program_of_either_era_lists_and_calls() {
    let scene = DeskScene::new(&[]);
    let mut old = Peer::shaking_hands(scene.desk.clone()).await;
    let listed = old.ask(1, "tools/list", json!({})).await;
    let first = &listed["result"]["tools"][0];
    assert_eq!((&first["name"], &first["annotations"]["readOnlyHint"]), (&json!("say"), &json!(false)));
    let called = old.ask(2, "tools/call", json!({ "name": "status", "arguments": {} })).await;
    assert_eq!(called["result"]["content"][0]["text"], "{\"state\":\"idle\"}");
    assert_eq!(called["result"].get("resultType"), None, "an old program does not know it");
    drop((old.writer, old.lines));
    tokio::time::timeout(Duration::from_secs(60), old.served).await.unwrap().unwrap().unwrap();

    let mut new = Peer::of(scene.desk.clone());
    let meta: Value = serde_json::from_str(META).unwrap();
    let found = new.ask(1, "server/discover", json!({ "_meta": meta })).await;
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let listed = new.ask(2, "tools/list", json!({ "_meta": meta })).await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 7);
    let call = json!({ "name": "house_state", "arguments": { "words": "kitchen" }, "_meta": meta });
    let called = new.ask(3, "tools/call", call).await;
    assert_eq!(called["result"]["resultType"], "complete", "{called}");
}

#[tokio::test]
async fn a_bad_request_costs_only_itself() {
    let scene = DeskScene::new(&[]);
    let mut peer = Peer::shaking_hands(scene.desk.clone()).await;
    let unknown = peer.ask(1, "tools/call", json!({ "name": "open_door" })).await;
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["message"]),
        (&json!(-32602), &json!("Unknown tool: open_door"))
    );
    let off = peer.ask(2, "tools/call", json!({ "name": "remember", "arguments": { "text": "x" } })).await;
    assert_eq!(off["result"]["isError"], true, "{off}");
    let bad = peer.ask(3, "tools/call", json!({ "name": "recall", "arguments": {} })).await;
    assert!(bad["result"]["content"][0]["text"].as_str().unwrap().contains("text is missing"), "{bad}");
    assert_eq!(peer.ask(4, "prompts/get", json!({ "name": "x" })).await["error"]["code"], -32601);
    peer.send("no JSON at all").await;
    peer.send(&format!("\"{}\"", "x".repeat(100_000))).await;
    peer.send(r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"status"}}"#).await;
    let mut answer = peer.read().await;
    while answer["id"] != 9 {
        assert!(answer["error"].is_object(), "{answer}");
        answer = peer.read().await;
    }
    assert_eq!(answer["result"]["isError"], false);
}

#[tokio::test]
async fn a_cancelled_call_is_given_up_and_so_is_one_whose_program_goes_away() {
    let mut scene = DeskScene::new(&[]);
    let mut peer = Peer::shaking_hands(scene.desk.clone()).await;
    let call = |id| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
                            "params": { "name": "ask", "arguments": { "text": "why?" } } })
    };
    peer.send(&call(1).to_string()).await;
    let question = scene.asked.recv().await.unwrap();
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                         "params": { "requestId": 1, "reason": "enough" } });
    peer.send(&cancel.to_string()).await;
    tokio::time::timeout(Duration::from_secs(60), question.cancel.cancelled()).await.unwrap();
    peer.send(&call(2).to_string()).await;
    let question = scene.asked.recv().await.unwrap();
    drop((peer.writer, peer.lines));
    tokio::time::timeout(Duration::from_secs(60), question.cancel.cancelled()).await.unwrap();
}
