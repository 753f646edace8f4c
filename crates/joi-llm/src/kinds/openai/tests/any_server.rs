//! What every server has to do: the double, or the one that `JOI_TEST_OPENAI_SERVER` names, with the model
//! `JOI_TEST_MODEL`. `scripts/test-openai.sh` runs these against llama-cpp-python's server.

use super::*;

/// A server with a chat model.
struct Server {
    client: OpenAi,
    model: String,
    double: Option<Double>,
}

async fn server() -> Server {
    let Ok(url) = std::env::var("JOI_TEST_OPENAI_SERVER") else {
        let double = Double::openai().await;
        return Server { client: client(&double), model: MODEL.to_owned(), double: Some(double) };
    };
    let model = std::env::var("JOI_TEST_MODEL").unwrap();
    Server { client: OpenAi::new(&url, None).unwrap(), model, double: None }
}

impl Server {
    fn ask(&self, messages: Vec<Message>, num_predict: u32) -> ChatRequest {
        let mut request = ChatRequest { model: self.model.clone(), ..request(messages) };
        (request.options.num_predict, request.options.seed) = (num_predict, Some(1));
        request
    }
}

#[tokio::test]
async fn the_server_lists_its_model() {
    let server = server().await;
    let listed = server.client.models().await.unwrap();
    assert!(listed.iter().any(|model| model.name == server.model), "{listed:?}");
    assert!(server.client.show(&server.model).await.is_ok());
}

#[tokio::test]
async fn a_reply_streams_and_ends_with_its_counters_and_times() {
    let server = server().await;
    let messages =
        vec![Message::system("Answer in one short sentence."), Message::user("Why is the sky blue?")];
    let events = answer(&server.client, &server.ask(messages, 60)).await.unwrap();
    assert!(events.len() > 3, "it streams: {events:?}");
    assert!(text_of(&events).trim().len() > 10);
    let stats = stats_of(&events);
    assert!(!stats.prompt_eval_duration.is_zero() && !stats.total_duration.is_zero(), "{stats:?}");
}

#[tokio::test]
async fn a_reply_that_reaches_its_limit_says_so() {
    let server = server().await;
    let messages = vec![Message::user("Count from one to one hundred in words.")];
    let events = answer(&server.client, &server.ask(messages, 4)).await.unwrap();
    assert_eq!(stats_of(&events).done_reason, DoneReason::Length, "{events:?}");
}

#[tokio::test]
async fn a_call_of_a_tool_comes_whole_where_the_server_streams_calls() {
    let server = server().await;
    if let Some(double) = &server.double {
        let call = json!({ "tool_calls": [
            { "index": 0, "id": "c1", "type": "function", "function": { "name": "add_to_list", "arguments": "{\"item\":\"milk\"}" } }
        ] });
        double.script(CHAT, Script::chunks(&[delta(&call), finish("tool_calls")]));
    }
    let tool = json!({ "type": "function", "function": {
        "name": "add_to_list", "description": "Puts an item on the shopping list.",
        "parameters": { "type": "object", "properties": { "item": { "type": "string" } }, "required": ["item"] },
    } });
    let messages =
        vec![Message::system("Call a tool where one fits."), Message::user("Put milk on the shopping list.")];
    let request = ChatRequest { tools: vec![tool], ..server.ask(messages, 60) };
    let events = match answer(&server.client, &request).await {
        // Then the caller describes the tools in the prompt.
        Err(LlmError::NoTools { .. }) if server.double.is_none() => return,
        events => events.unwrap(),
    };
    let call = events.iter().find_map(|event| match event {
        ChatEvent::ToolCall(call) => Some(call),
        _ => None,
    });
    let Some(call) = call else {
        // llama-cpp-python decides by a grammar whether a tool is called, and streams text only.
        return assert!(server.double.is_none(), "{events:?}");
    };
    assert_eq!((call.function.name.as_str(), call.id.is_some()), ("add_to_list", true));
    let item = call.function.arguments["item"].as_str().unwrap().to_lowercase();
    assert!(item.contains("milk"), "{item}");
}

#[tokio::test]
async fn a_reply_that_is_dropped_in_its_middle_leaves_the_server_free_for_the_next() {
    let server = server().await;
    let long = server.ask(vec![Message::user("Tell a long story about a lighthouse.")], 500);
    let mut reply = server.client.chat(&long).await.unwrap();
    let first = reply.next().await.unwrap().unwrap();
    assert!(matches!(first, ChatEvent::Text(_)), "{first:?}");
    drop(reply);
    let began = std::time::Instant::now();
    let short = server.ask(vec![Message::user("Say hello.")], 8);
    assert!(answer(&server.client, &short).await.is_ok());
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_reply_follows_a_schema() {
    let server = server().await;
    let schema = json!({
        "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"],
    });
    if let Some(double) = &server.double {
        double.script(
            CHAT,
            Script::chunks(&[delta(&json!({ "content": "{\"colour\":\"blue\"}" })), finish("stop")]),
        );
    }
    let messages = vec![Message::user("Which colour has the sky? Answer as JSON.")];
    let request = ChatRequest { format: Some(schema.clone()), ..server.ask(messages, 40) };
    let text = text_of(&answer(&server.client, &request).await.unwrap());
    let read: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(read["colour"].is_string(), "{text}");
    if let Some(double) = &server.double {
        assert_eq!(double.chats()[0]["response_format"]["json_schema"]["schema"], schema);
    }
}
