//! Calls to servers that are slow, mad or dead.

use super::*;

/// A server with the tool `work`, whose calls are answered by `acts`.
fn working(acts: impl Fn(&Value) -> Vec<Act> + Send + Sync + 'static) -> ServerScene {
    let schema = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } });
    let work = json!({ "name": "work", "inputSchema": schema });
    ServerScene::of(move |_, request| match method(request) {
        "tools/call" => acts(request),
        _ => ordinary(request, std::slice::from_ref(&work)),
    })
}

async fn work(scene: &ServerScene) -> (Result<String, String>, u64) {
    let began = Instant::now();
    let result = called(scene, "double__work", json!({ "n": 1 })).await;
    (result, began.elapsed().as_secs())
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// Returns steps of progress, so many seconds apart.
fn progress(request: &Value, apart: u64, count: u64) -> Vec<Act> {
    let token = &request["params"]["_meta"]["progressToken"];
    let step = |n| {
        let params = json!({ "progressToken": token, "progress": n });
        [seconds(apart), notice("notifications/progress", params)]
    };
    (1..=count).flat_map(step).collect()
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_waited_for_8_s_and_longer_while_there_is_progress() {
    let silent = working(|_| Vec::new());
    silent.with_tools(1).await;
    let (result, took) = work(&silent).await;
    assert_eq!(took, 8);
    assert!(result.unwrap_err().contains("whether it did anything is not known"));
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(silent.methods(1).last().unwrap(), "notifications/cancelled");
    silent.end().await;
    let busy = working(|request| {
        let mut acts = progress(request, 7, 3);
        acts.push(answer(request, text("at last")));
        acts
    });
    busy.with_tools(1).await;
    assert_eq!(work(&busy).await, (Ok("at last".into()), 21));
    busy.end().await;
    let endless = working(|request| progress(request, 5, 1_000));
    endless.with_tools(1).await;
    assert_eq!(work(&endless).await.1, 60, "in spite of progress");
    endless.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_is_cancelled_and_a_late_result_ignored() {
    let scene = working(|request| vec![seconds(6), answer(request, text("late"))]);
    scene.with_tools(1).await;
    let dropped = tokio::time::timeout(Duration::from_secs(2), work(&scene)).await;
    assert!(dropped.is_err());
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(scene.methods(1).contains(&"notifications/cancelled".to_owned()), "{:?}", scene.methods(1));
    assert_eq!(work(&scene).await, (Ok("late".into()), 6), "the connection is as before");
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn arguments_are_checked_here_and_nothing_is_sent_that_does_not_fit() {
    let scene = working(|request| vec![answer(request, json!({ "content": [] }))]);
    scene.with_tools(1).await;
    let wrong = called(&scene, "double__work", json!({ "n": "many" })).await.unwrap_err();
    assert!(wrong.starts_with("double__work was not called: n: "), "{wrong}");
    assert!(!scene.methods(1).contains(&"tools/call".to_owned()));
    assert!(called(&scene, "double__work", json!({ "n": "5" })).await.is_ok());
    let heard = scene.heard();
    assert_eq!(heard.last().unwrap().1["params"]["arguments"], json!({ "n": 5 }));
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_failure_is_a_text_for_the_model_in_a_fence() {
    let failed = json!({ "content": [{ "type": "text", "text": "no such city" }], "isError": true });
    for (answers, expected) in [
        (json!({ "error": { "code": -32602, "message": "Unknown tool: work" } }), "Unknown tool: work"),
        (json!({ "result": failed }), "no such city"),
        (json!({ "result": { "content": [], "isError": true } }), "gave no reason"),
    ] {
        let scene = working(move |request| {
            let mut message = json!({ "jsonrpc": "2.0", "id": request["id"] });
            message.as_object_mut().unwrap().extend(answers.as_object().unwrap().clone());
            vec![Act::Say(message)]
        });
        scene.with_tools(1).await;
        let error = work(&scene).await.0.unwrap_err();
        assert!(error.contains(expected) && joi_tools::fence::is_fenced(&error), "{error}");
        scene.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_dies_in_a_call_fails_it_at_once_and_loses_its_tools() {
    let scene = working(|_| vec![Act::Die]);
    scene.with_tools(1).await;
    let (result, took) = work(&scene).await;
    assert!(result.unwrap_err().contains("the connection to it was lost"));
    assert_eq!(took, 0);
    scene.until(|status| status.state == "down").await;
    assert_eq!(names(&scene), [""; 0]);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_whose_server_is_gone_fails_without_a_wait() {
    let scene = working(|_| vec![Act::Die]);
    let kept = scene.with_tools(1).await;
    let tool = kept.toolbox.get("double__work").unwrap();
    let _ = work(&scene).await;
    scene.until(|status| status.state == "down").await;
    let began = Instant::now();
    let why = run(&**tool, json!({ "n": 1 })).await.unwrap_err();
    assert!(why.ends_with("its server does not answer."), "{why}");
    assert!(began.elapsed() < Duration::from_millis(50), "{:?}", began.elapsed());
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_id_of_another_type_and_a_result_with_an_error_end_in_time() {
    let odd = |request: &Value, is_text: bool| {
        let id = if is_text { json!(request["id"].to_string()) } else { request["id"].clone() };
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "result": text("odd") });
        if !is_text {
            message["error"] = json!({ "code": -1, "message": "both" });
        }
        vec![Act::Say(message)]
    };
    for is_text in [true, false] {
        let scene = working(move |request| odd(request, is_text));
        scene.with_tools(1).await;
        let (result, took) = work(&scene).await;
        assert!(took <= 8, "{result:?} after {took} s");
        assert_eq!(scene.status().state, "up");
        scene.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn wrong_ids_huge_lines_and_endless_questions_do_not_hang_it() {
    let scene = working(move |request| {
        vec![
            Act::Say(json!({ "jsonrpc": "2.0", "id": 4_711, "result": text("of nobody") })),
            Act::Raw([vec![b'x'; 20 * 1024 * 1024], b"\n".to_vec()].concat()),
            answer(request, text("mine")),
            answer(request, text("twice")),
        ]
    });
    scene.with_tools(1).await;
    assert_eq!(work(&scene).await.0, Ok("mine".into()));
    assert_eq!(work(&scene).await.0, Ok("mine".into()));
    scene.end().await;
    let asking = working(|request| {
        let schema = json!({ "type": "object", "properties": { "p": { "type": "string" } } });
        let params = json!({ "mode": "form", "message": "Your password?", "requestedSchema": schema });
        let asks = json!({ "a": { "method": "elicitation/create", "params": params } });
        let result = json!({ "resultType": "input_required", "inputRequests": asks, "requestState": "s" });
        vec![answer(request, result)]
    });
    asking.with_tools(1).await;
    let (result, took) = work(&asking).await;
    assert!(result.is_err() && took <= 8, "{result:?} after {took} s");
    asking.end().await;
}
