//! Prompts that stay in memory beside one another, counted in evaluated tokens.

use serde_json::{Value, json};

use crate::support::{NAME, Server, chat};

const PERSONA: &str = "You are Joi, a warm and attentive voice companion in a small house by the sea. ";

/// A conversation without tools under a head of `sentences` sentences.
fn talk(sentences: usize, dialogue: &[(&str, &str)], question: &str) -> Value {
    let mut messages = vec![json!({"role": "system", "content": PERSONA.repeat(sentences)})];
    for (user, assistant) in dialogue {
        messages.push(json!({"role": "user", "content": user}));
        messages.push(json!({"role": "assistant", "content": assistant}));
    }
    messages.push(json!({"role": "user", "content": question}));
    json!(messages)
}

fn tools(count: usize) -> Value {
    let tool = |n: usize| {
        json!({"type": "function", "function": {
            "name": format!("set_lamp_{n}"), "description": "Switches a lamp of that room on or off",
            "parameters": {"type": "object", "required": ["state"], "properties": {
                "state": {"type": "string", "enum": ["on", "off"], "description": "The state it is to have"}}}}})
    };
    (0..count).map(tool).collect()
}

/// A reply's prompt: its tokens, and how many of them were evaluated.
fn prompt_of(reply: &Value) -> (u64, u64) {
    let number = |key: &str| reply[key].as_u64().unwrap_or(0);
    let whole = number("prompt_eval_count");
    assert!(whole > 0, "{reply}");
    (whole, whole - number("prompt_cached_count"))
}

fn ask(server: &Server, messages: &Value, tools: Option<&Value>) -> (u64, u64) {
    let mut request = chat(messages, &json!({"temperature": 0, "num_predict": 12}), false);
    if let Some(tools) = tools {
        request["tools"] = tools.clone();
    }
    prompt_of(&server.post("/api/chat", &request).json())
}

/// Follow-up turns evaluate at most a tenth of their prompt, whichever of the two heads they have.
#[test]
fn a_prompt_with_tools_and_one_without_stay_warm_beside_each_other() {
    let server = Server::open(&[]);
    let (tools, mut dialogue) = (tools(12), Vec::new());
    for turn in 0..4 {
        let talked = ask(&server, &talk(20, &dialogue, "How are you?"), None);
        let called = ask(&server, &talk(20, &dialogue, "Is the lamp on?"), Some(&tools));
        if turn > 0 {
            for (whole, evaluated) in [talked, called] {
                assert!(evaluated * 10 <= whole, "turn {turn}: {evaluated} of {whole} were evaluated");
            }
        }
        dialogue.push(("How are you?", "Well, and you?"));
    }
}

/// A planner or a note shares the head and has its own end; the dialogue goes on where it was.
#[test]
fn a_question_beside_the_dialogue_does_not_cost_the_dialogue() {
    let server = Server::open(&[]);
    let said =
        "The sea was calm and the gulls were loud, so we walked to the lighthouse and back. ".repeat(6);
    let dialogue = [(said.as_str(), "That sounds lovely."), (said.as_str(), "And then?")];
    ask(&server, &talk(6, &dialogue, "Then we had tea."), None);
    let (_, beside) = ask(&server, &talk(6, &[], "Which tool is wanted? Answer with its name."), None);
    assert!(beside < 30, "the head was known: {beside}");
    for n in 0..5 {
        ask(&server, &talk(6, &dialogue, &format!("Note {n}: what was this about?")), None);
    }
    let (whole, evaluated) = ask(&server, &talk(6, &dialogue, "Then we went to bed."), None);
    assert!(evaluated * 10 <= whole, "{evaluated} of {whole} were evaluated");
}

/// Where the window does not hold both, the older prompt leaves; nothing is refused or answered from the wrong one.
#[test]
fn prompts_that_do_not_fit_beside_each_other_take_turns() {
    let server = Server::open(&["--ctx", "256"]);
    let filler = "The sea was calm and the gulls were loud that day. ".repeat(10);
    let head = |password: &str| {
        json!([
        {"role": "system", "content": format!("The password is {password}. {filler}")},
        {"role": "user", "content": "Answer with one word: what is the password?"}])
    };
    for round in 0..2 {
        for password in ["heron", "walnut", "copper"] {
            let reply = server.chat(&head(password), &json!({"temperature": 0, "num_predict": 12}));
            let text = reply["message"]["content"].as_str().expect("a text").to_lowercase();
            assert!(text.contains(password), "round {round}: {reply}");
        }
    }
    // The whole window is for the one that needs it.
    let raw = json!({"model": NAME, "raw": true, "stream": false, "prompt": filler,
        "options": {"temperature": 0, "num_ctx": 256}});
    let long = server.post("/api/generate", &raw).json();
    let total = long["prompt_eval_count"].as_u64().unwrap() + long["eval_count"].as_u64().unwrap();
    assert!(long["done_reason"] != json!("length") || total == 256, "{long}");
}
