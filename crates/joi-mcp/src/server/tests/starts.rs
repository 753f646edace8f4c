//! How a connection begins: late, in the wrong order, in another revision, or not at all.

use super::*;

/// Does as a server that takes no handshake; `tools` are its tools.
fn modern(request: &Value, tools: &[Value]) -> Vec<Act> {
    let capabilities = json!({ "tools": { "listChanged": true } });
    match method(request) {
        "server/discover" => vec![answer(
            request,
            json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
                    "ttlMs": 0, "cacheScope": "private",
                    "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "new", "version": "2" } } }),
        )],
        "initialize" => vec![refusal(request, -32022, "connection is serving the 2026-07-28 protocol")],
        "tools/list" => vec![answer(
            request,
            json!({ "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private" }),
        )],
        _ => Vec::new(),
    }
}

/// Puts 12 s before the first answer of a connection.
fn late(request: &Value, acts: Vec<Act>) -> Vec<Act> {
    let wait = (method(request) == "server/discover").then(|| seconds(12));
    wait.into_iter().chain(acts).collect()
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_handshake_is_spoken_to_as_it_wants() {
    let scene = ServerScene::of(|_, request| modern(request, &[tool("a")]));
    scene.with_tools(1).await;
    assert_eq!(scene.status().about, "new 2 (protocol 2026-07-28)");
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert!(scene.methods(1).contains(&"subscriptions/listen".to_owned()), "{:?}", scene.methods(1));
    let heard = scene.heard();
    let list = &heard.iter().find(|(_, message)| method(message) == "tools/list").unwrap().1;
    assert_eq!(list["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_that_locks_on_the_first_message_is_started_anew() {
    let scene = ServerScene::of(|_, request| late(request, modern(request, &[tool("a")])));
    scene.with_tools(1).await;
    assert_eq!(scene.methods(1), ["server/discover", "initialize"]);
    assert_eq!(scene.methods(2)[0], "server/discover");
    assert!(!scene.methods(2).contains(&"initialize".to_owned()), "{:?}", scene.methods(2));
    scene.end().await;
    let old = ServerScene::of(|_, request| late(request, ordinary(request, &[tool("a")])));
    old.with_tools(1).await;
    assert_eq!(old.methods(3)[0], "initialize", "the third start has a handshake alone");
    old.end().await;
}

#[tokio::test(start_paused = true)]
async fn one_that_never_answers_is_given_up() {
    let scene = ServerScene::with(Lifecycle::Initialize, |_, _| Vec::new());
    let began = Instant::now();
    scene.until(|status| status.state == "down").await;
    assert_eq!(began.elapsed().as_secs(), 30);
    assert_eq!(scene.status().about, "it did not answer within 30 s");
    scene.until(|status| status.state == "given up").await;
    assert!(!scene.status().is_well());
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn one_that_dies_at_once_is_given_up_after_five_starts() {
    let scene = ServerScene::of(|_, _| vec![Act::Die]);
    scene.until(|status| status.state == "given up").await;
    assert_eq!(scene.heard().len(), 5, "starts");
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn noise_on_its_output_and_odd_pieces_of_messages_are_borne() {
    let scene = ServerScene::of(|_, request| {
        let mut acts = vec![Act::Raw(b"Server is starting...\n\n{not json\n".to_vec())];
        if method(request) == "initialize" {
            acts.push(Act::Say(json!({ "jsonrpc": "2.0", "id": "x", "method": "ping" })));
        }
        for act in ordinary(request, &[tool("a")]) {
            let Act::Say(message) = act else { continue };
            // One message in many writes, and the next one right behind it.
            let line = format!("{message}\n");
            acts.extend(line.as_bytes().chunks(7).map(|part| Act::Raw(part.to_vec())));
        }
        if method(request) == "notifications/initialized" {
            let params = json!({ "messages": [], "maxTokens": 5 });
            let asks =
                json!({ "jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": params });
            acts.push(Act::Say(asks));
        }
        acts
    });
    scene.with_tools(1).await;
    assert_eq!(called(&scene, "double__a", json!({})).await, Ok("done".into()));
    let heard = scene.heard();
    let is_refused = |(_, message): &(usize, Value)| message["id"] == 7 && message["error"]["code"] == -32601;
    assert!(heard.iter().any(is_refused), "sampling is refused: {heard:?}");
    assert!(heard.iter().any(|(_, message)| message["id"] == "x"), "a ping is answered");
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_refusal_with_or_without_the_versions_is_no_reason_to_hang() {
    for data in [json!({ "supported": ["2024-01-01"], "requested": "2026-07-28" }), Value::Null] {
        let scene = ServerScene::of(move |_, request| {
            let error = json!({ "code": -32022, "message": "Unsupported protocol version", "data": data });
            match method(request) {
                "server/discover" => {
                    vec![Act::Say(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))]
                }
                _ => ordinary(request, &[tool("a")]),
            }
        });
        scene.with_tools(1).await;
        scene.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_dies_after_its_list_loses_its_tools_and_comes_back() {
    let scene = ServerScene::of(|number, request| {
        let mut acts = ordinary(request, &[tool("a")]);
        if number == 1 && method(request) == "tools/list" {
            acts.extend([seconds(5), Act::Die]);
        }
        acts
    });
    scene.with_tools(1).await;
    scene.until(|status| status.state == "down").await;
    assert_eq!(names(&scene), [""; 0]);
    scene.with_tools(1).await;
    scene.end().await;
}

/// Does what a turn does with the servers before it asks the model: takes the tools of the moment, and those of them that
/// its words point at. Returns how long that took.
fn part_of_a_turn(scene: &ServerScene) -> Duration {
    let began = std::time::Instant::now();
    let snapshot = scene.registry.snapshot();
    let offered = snapshot.toolbox.offered(&[]);
    let english = joi_language::testing::english();
    assert!(joi_tools::route::by_words("please read the double", &offered, english).names.len() <= 12);
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sick_server_delays_no_turn() {
    type Sick = fn(usize, &Value) -> Vec<Act>;
    let sick: [(&str, Sick); 5] = [
        ("never answers", |_, _| vec![Act::Wait(Duration::from_secs(600))]),
        ("dies at once", |_, _| vec![Act::Die]),
        ("dies after its list", |_, request| {
            let mut acts = ordinary(request, &[tool("read")]);
            if method(request) == "tools/list" {
                acts.push(Act::Die);
            }
            acts
        }),
        ("floods with notices", |_, request| {
            let mut acts = ordinary(request, &[tool("read")]);
            if method(request) == "tools/list" {
                acts.extend((0..10_000).map(|_| notice("notifications/tools/list_changed", json!({}))));
            }
            acts
        }),
        ("lists five hundred tools", |_, request| {
            let tools: Vec<Value> = (0..500).map(|at| tool(&format!("read_{at}"))).collect();
            ordinary(request, &tools)
        }),
    ];
    for (name, script) in sick {
        let scene = ServerScene::of(script);
        let mut took = Vec::new();
        for _ in 0..100 {
            took.push(part_of_a_turn(&scene));
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        took.sort();
        // The machine itself may be busy for a moment.
        assert!(took[95] < Duration::from_millis(50), "a server that {name}: {took:?}");
        scene.stop.cancel();
    }
}
