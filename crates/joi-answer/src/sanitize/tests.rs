use proptest::prelude::*;

use super::*;

/// Returns what comes out when `text` streams in cut at the given sizes, and the verdict at the end.
fn streamed(text: &str, sizes: &[usize]) -> (String, Result<(), Malformed>) {
    let mut sanitizer = Sanitizer::new();
    let mut out = String::new();
    let mut rest = text;
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let wanted = (*sizes.next().unwrap()).min(rest.len());
        let size = (wanted..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap();
        let (piece, tail) = rest.split_at(size);
        rest = tail;
        match sanitizer.push(piece) {
            Ok(text) => out.push_str(&text),
            Err(why) => return (out, Err(why)),
        }
    }
    match sanitizer.finish() {
        Ok(text) => (out + &text, Ok(())),
        Err(why) => (out, Err(why)),
    }
}

#[test]
fn markers_and_thinking_are_taken_out() {
    let cases = [
        ("Hello.", "Hello."),
        ("\n\n  Hello.", "Hello."),
        ("<think>I should greet.</think>\n\nHello.", "Hello."),
        ("<THINK>a < b, \"{\"</Think>Hello.", "Hello."),
        ("Well <think>hmm</think>yes.", "Well yes."),
        ("<think>never closed", ""),
        ("</think>\nHello.", "Hello."),
        ("<|im_start|>assistant\nHello.<|im_end|>", "Hello."),
        ("<start_of_turn>model\nHello.<end_of_turn>", "Hello."),
        ("<s>[INST]Hello.[/INST]</s>", "Hello."),
        ("Assistant: Hello.", "Hello."),
        ("Hello.<|endoftext|> And more.", "Hello. And more."),
        ("Hello.<|im_e", "Hello."),
        ("[Context: Monday, 9:05] It's five past nine.", "It's five past nine."),
        ("[Tool result: getTime] It's noon.", "It's noon."),
        ("[THINK]Hm.[/THINK]Hello.", "Hello."),
        ("<seed:think>Hm.</seed:think>Hello.", "Hello."),
        (
            "<|channel|>analysis<|message|>They greet.<|end|><|start|>assistant<|channel|>final<|message|>Hello.",
            "Hello.",
        ),
        ("<|start_header_id|>assistant<|end_header_id|>Hello.<|eot_id|>", "Hello."),
        ("Hello.\nUser: And now?\nAssistant: Now.", "Hello.\n"),
        ("Hello.<|im_start|>user\nAnd now?", "Hello."),
        ("Hallo.\nBenutzer: Und jetzt?", "Hallo.\n"),
        ("Hello.\nAssistant: And more.", "Hello.\n And more."),
        ("### Response: Hello.", "Hello."),
    ];
    for (text, expected) in cases {
        assert_eq!(sanitize(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn ordinary_text_passes_unchanged() {
    let texts = [
        "a < b and c > d",
        "1 < 2, a <b",
        "x <",
        "Use <b>bold</b> and <table>.",
        "[a link](https://example.org) first",
        "See [1] and [the manual](x).",
        "The set {1, 2} and {1}.",
        "Write `{name}` there, or `[Your Name]`.",
        "The user: a person.",
        "Rust:\n```rust\nfn main() { let s = \"<think>\"; }\n```\nDone.",
        "```\nls -l\n```",
        "Run `make run` or ``x``.",
        "For example {\"a\": 1} is JSON.",
        "Look:\n```json\n{\"a\": 1}\n```",
        "Tools are useful. tool_call is a word.",
        "Assistants help.",
        "- one\n- two\n\n1. three",
        "ä < ö, 5 <3 ❤ ｜",
    ];
    for text in texts {
        assert_eq!(sanitize(text).as_deref(), Ok(text));
    }
}

#[test]
fn tool_calls_and_data_are_refused_before_a_word_of_them_goes_out() {
    use Malformed::{Data, Label, Placeholder, Recited, ReservedTokens, ToolCall, Truncated};
    let cases = [
        (r#"{"name": "get_time", "arguments": {"zone": "UTC"}}"#, ToolCall),
        (r#"[{"name": "get_time", "arguments": {}}]"#, ToolCall),
        (r#"{"tool_calls": []}"#, ToolCall),
        (r#"{"function": {"name": "x"}}"#, ToolCall),
        (r#"{"tool": "stop"}"#, ToolCall),
        (r#"{"action": "play", "action_input": "jazz"} Now playing."#, ToolCall),
        ("tool_calls: [{\"name\": \"x\"}]", ToolCall),
        ("Tool_Calls: x", ToolCall),
        ("```tool_call\n{\"name\": \"x\"}\n```", ToolCall),
        ("```json\n{\"name\": \"x\", \"arguments\": {}}\n```", ToolCall),
        ("```\n[{\"name\": \"x\", \"args\": {}}]\n```", ToolCall),
        ("```tool_code\nprint(1)\n```", ToolCall),
        ("```tool_code", ToolCall),
        ("tool_output\nfoo", ToolCall),
        ("Action: time\nAction Input: {}", ToolCall),
        ("Action Input: {}", ToolCall),
        ("<tool_call>{}</tool_call>", ToolCall),
        ("<function=get_time>", ToolCall),
        ("[TOOL_CALLS][]", ToolCall),
        ("<|tool_call|>", ToolCall),
        ("<|python_tag|>x", ToolCall),
        ("<unused42>", ReservedTokens),
        (r#"{"temperature": 21.5, "text": "sunny", "humidity": 40}"#, Data),
        (r#"{"name": get_time}"#, ToolCall),
        ("[\"a\", \"b\"]", Data),
        ("openapi: 3.0.0\ninfo:", Data),
        (r#"{"openapi": "3.0.0", "paths": {}}"#, Data),
        ("<?xml version=\"1.0\"?>", Data),
        ("<!DOCTYPE html>", Data),
        ("```json\n{\"temperature\": 21}\n```", Data),
        (r#"{"name": "get_time", "argum"#, Truncated),
        ("{ broken", Truncated),
        ("[{\"a\": 1", Truncated),
        ("```json\n{\"a\": ", Truncated),
        ("[REDACTED_EMAIL] is yours", Label),
        ("[Your Name] is here", Placeholder),
        ("{city} is warm.", Placeholder),
        ("[insert date] it is.", Placeholder),
        ("The tools, with their arguments:\n- time(city?)", Recited),
        ("Error: timers was called with the same arguments before.", Recited),
    ];
    for prompt in [
        include_str!("../../../../assets/prompts/tools.small.md"),
        include_str!("../../../../assets/prompts/tools.text.md"),
    ] {
        assert!(prompt.contains("\nThe tools, with their arguments"));
    }
    for (text, why) in cases {
        let why = if text == r#"{"name": get_time}"# { Data } else { why };
        assert_eq!(streamed(text, &[1]), (String::new(), Err(why)), "{text}");
        assert_eq!(sanitize(text), Err(why), "{text}");
    }
}

#[test]
fn a_tool_call_behind_words_ends_the_reply_there() {
    let cases = [
        ("Sure. {\"name\": \"stop\", \"arguments\": {}}", "Sure. "),
        ("Sure.\n```tool_call\n{}\n```", "Sure.\n"),
        ("Sure.\ntool_calls: []", "Sure.\n"),
        ("Sure. <tool_call>", "Sure. "),
        ("I wrote to [REDACTED_EMAIL].", "I wrote to "),
        ("Dear [Your Name], hello.", "Dear "),
        ("It is warm in {city}.", "It is warm in "),
    ];
    for (text, before) in cases {
        let (out, verdict) = streamed(text, &[1]);
        assert_eq!((out.as_str(), verdict.is_err()), (before, true), "{text}");
    }
}

#[test]
fn an_answer_wrapped_in_json_is_unwrapped() {
    let cases = [
        (r#"{"response": "Hello \"you\"."}"#, "Hello \"you\"."),
        (r#" {"answer": "It's noon.", "confidence": 0.9} "#, "It's noon. "),
        (r#"{"role": "assistant", "content": "Hi."}"#, "Hi."),
        (r#"{"message": {"role": "assistant", "content": "Hi."}}"#, "Hi."),
        ("```json\n{\"reply\": \"Hi.\"}\n```", "Hi."),
        (r#"{"response": "<think>x</think>Hi."}"#, "Hi."),
    ];
    for (text, expected) in cases {
        assert_eq!(sanitize(text).as_deref(), Ok(expected), "{text}");
    }
    let nested = r#"{"response": "{\"name\": \"stop\", \"arguments\": {}}"}"#;
    assert_eq!(sanitize(nested), Err(Malformed::ToolCall));
}

#[test]
fn words_go_out_at_once_and_only_what_is_undecided_waits() {
    let mut sanitizer = Sanitizer::new();
    let mut push = |piece| sanitizer.push(piece).unwrap();
    assert_eq!(
        [push("The sky"), push(" is <"), push(" 5"), push(" `"), push("x` <thi")],
        ["The sky", " is ", "< 5", " ", "`x` "]
    );
    assert_eq!(push("nk>no</think>."), ".");
}

#[test]
fn endless_data_is_given_up() {
    let mut sanitizer = Sanitizer::new();
    assert_eq!(sanitizer.push("{\"a\": \""), Ok(String::new()));
    assert_eq!(sanitizer.push(&"x".repeat(MOST_HELD)), Err(Malformed::Data));
}

fn troublesome() -> impl Strategy<Value = String> {
    let pieces = [
        "<",
        "<think>",
        "</think>",
        "<thi",
        "<|",
        "|>",
        "im_end",
        "<|im_start|>assistant\n",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        "\n",
        "```",
        "`",
        "json",
        "tool_call",
        "tool_calls:",
        "name",
        "\"name\": \"x\", \"arguments\": {}",
        ":",
        " ",
        "{\"response\": \"Hi.\"}",
        "assistant:",
        "Action: ",
        "Action Input:",
        "[REDACTED_EMAIL]",
        "[Context:",
        "Hello.",
        "a < b",
        "ä",
        "❤",
        "<s>",
    ];
    proptest::collection::vec(prop::sample::select(pieces.to_vec()), 0..16).prop_map(|pieces| pieces.concat())
}

#[test]
fn code_ends_within_its_length_however_the_reply_is_cut() {
    for letters in 70..90 {
        let text = format!("`{}`<think>x</think>`", "x".repeat(letters));
        assert_eq!(streamed(&text, &[1_000]), streamed(&text, &[1]), "{letters}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn how_a_reply_is_cut_makes_no_difference(
        text in troublesome(), sizes in proptest::collection::vec(prop_oneof![1usize..9, Just(1_000)], 1..6),
    ) {
        let (out, verdict) = streamed(&text, &sizes);
        let (by_bytes, same) = streamed(&text, &[1]);
        prop_assert_eq!(&verdict, &same);
        // A refused reply gives less when it comes at once, never more.
        let is_consistent = if verdict.is_ok() { out == by_bytes } else { by_bytes.starts_with(&out) };
        prop_assert!(is_consistent);
    }

    #[test]
    fn text_without_special_characters_passes_whole(text in "[A-Za-z0-9 ,.!?äöü'-]{0,80}") {
        prop_assume!(!text.to_lowercase().contains("assistant"));
        let sanitized = sanitize(&text);
        prop_assert_eq!(sanitized.as_deref(), Ok(text.trim_start()));
    }
}
