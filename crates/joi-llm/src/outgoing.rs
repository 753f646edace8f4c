//! Redacts requests that leave the home.
//!
//! In: a request, and the settings of its server. Out: the request without secrets where the server is outside of the home.
//! Pure: no I/O, no clock.

use serde_json::Value;

use super::config::LlmConfig;
use super::mind::Ask;
use super::wire::Message;

/// Returns a request as the configured server may read it: without secrets where it is outside of the home.
pub fn ask_for(config: &LlmConfig, ask: Ask) -> Ask {
    match config.is_outside() {
        true => Ask { messages: ask.messages.into_iter().map(redacted).collect(), ..ask },
        false => ask,
    }
}

/// Returns texts as the configured server may read them: without secrets where it is outside of the home.
pub(super) fn texts_for(config: &LlmConfig, texts: Vec<String>) -> Vec<String> {
    match config.is_outside() {
        true => texts.iter().map(|text| joi_redact::redact_structured(text).into_string()).collect(),
        false => texts,
    }
}

/// Returns a message without secrets in its text and in the arguments of its calls, and without its thinking.
pub fn redacted(mut message: Message) -> Message {
    message.content = joi_redact::redact_structured(&message.content).into_string();
    for call in &mut message.tool_calls {
        if let Value::Object(clean) = joi_redact::redact_json(&Value::Object(call.function.arguments.clone()))
        {
            call.function.arguments = clean;
        }
    }
    message.thinking = None;
    message
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_leave_no_request_to_the_outside_and_all_else_does() {
        let mut called = Message::assistant("my password is hunter2");
        let arguments = json!({ "to": "jane@example.org", "text": "hello" });
        let call = json!({ "id": "c1", "function": { "name": "mail", "arguments": arguments } });
        called.tool_calls = vec![serde_json::from_value(call).unwrap()];
        called.thinking = Some("hunter2".into());
        let messages = vec![Message::system("Be brief."), called];
        let ask = Ask { messages, format: Some(json!("json")), ..Ask::default() };
        let home = LlmConfig::default();
        let outside =
            LlmConfig { url: "https://api.example.com".into(), outside: true, ..LlmConfig::default() };
        assert_eq!(ask_for(&home, ask.clone()), ask);
        let sent = ask_for(&outside, ask.clone());
        assert_eq!((&sent.messages[0], &sent.format), (&ask.messages[0], &ask.format));
        let (said, arguments) = (&sent.messages[1], &sent.messages[1].tool_calls[0].function.arguments);
        assert!(!said.content.contains("hunter2") && said.thinking.is_none(), "{said:?}");
        assert_eq!((&arguments["to"], &arguments["text"]), (&json!("[REDACTED_EMAIL]"), &json!("hello")));
        let texts = vec!["write to jane@example.org".to_owned()];
        assert_eq!(texts_for(&home, texts.clone()), texts);
        assert_eq!(texts_for(&outside, texts), ["write to [REDACTED_EMAIL]"]);
    }
}
