//! Calls in every shape models write them, prose that is none, and nothing lost.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn known() -> Vec<String> {
    ["calculate", "lists", "time", "stop"].map(str::to_owned).into()
}

fn read(text: &str) -> (Vec<(String, Value)>, String) {
    let parsed = parse(text, &known());
    (parsed.calls.into_iter().map(|c| (c.name, Value::Object(c.arguments))).collect(), parsed.words)
}

#[test]
fn one_call_is_understood_in_every_shape() {
    let call = || vec![("calculate".to_owned(), json!({ "expression": "17 * 23" }))];
    let shapes = [
        "```tool_call\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"17 * 23\"}}\n```",
        "```json\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"17 * 23\"}}\n```",
        "```tool_call\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"17 * 23\"}",
        "```tool_code\ncalculate(expression=\"17 * 23\")\n```",
        "<tool_call>\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"17 * 23\"}}\n</tool_call>",
        "{\"name\":\"calculate\",\"arguments\":{\"expression\":\"17 * 23\"}}",
        "{\"function\":{\"name\":\"calculate\",\"arguments\":\"{\\\"expression\\\":\\\"17 * 23\\\"}\"}}",
        "{\"tool\":\"calculate\",\"parameters\":{\"expression\":\"17 * 23\"}}",
        "[{\"name\":\"calculate\",\"arguments\":{\"expression\":\"17 * 23\"}}]",
        "{\"calculate\":{\"expression\":\"17 * 23\"}}",
        "tool_calls: [{\"name\":\"calculate\",\"arguments\":{\"expression\":\"17 * 23\"}}]",
        "Tool_Calls: [{\"name\":\"calculate\",\"arguments\":{\"expression\":\"17 * 23\"",
        "tool_calls: \"name\":\"calculate\",\"arguments\":{\"expression\":\"17 * 23\"}",
        "calculate(expression=\"17 * 23\")",
        "calculate({\"expression\": \"17 * 23\"})",
        "functions.calculate({\"expression\": \"17 * 23\"})",
        "`calculate(expression=\"17 * 23\")`",
        "calculate: expression: 17 * 23",
        "calculate:\n  expression: 17 * 23",
        "Thought: a sum.\nAction: calculate\nAction Input: {\"expression\": \"17 * 23\"}\nObservation: 4",
    ];
    for shape in shapes {
        assert_eq!(read(shape), (call(), String::new()), "{shape}");
    }
}

#[test]
fn prose_is_never_a_call() {
    let prose = [
        "Time: it is nine o'clock.",
        "time flies like an arrow",
        "`calculate` is a tool",
        "functions. They take arguments.",
        "stop. I can't.",
        "calculate it yourself",
        "The name is {\"Ann\"}.",
        "Use calculate(expression=\"1\") for that.",
        "lists: milk and bread",
        "{\"name\": \"Ann\", \"age\": 7}",
        "{\"weather\": {\"temperature\": 20}}",
        "```python\nprint(\"hi\")\n```",
        "tool_calls: are a thing",
        "Action: Die Hard.\nDrama: Casablanca.",
        "Action: time\nand drama",
        "",
    ];
    for text in prose {
        assert_eq!(read(text), (vec![], text.to_owned()), "{text}");
    }
}

#[test]
fn several_calls_and_the_words_beside_them_are_kept() {
    let text = "Let me see.\n```tool_call\n{\"name\":\"time\",\"arguments\":{}}\n```\nand\n```tool_call\n{\"name\":\"lamp\",\"arguments\":{\"on\":true}}\n```";
    let calls = vec![("time".to_owned(), json!({})), ("lamp".to_owned(), json!({ "on": true }))];
    assert_eq!(read(text), (calls, "Let me see.\n\nand\n".to_owned()));
}

#[test]
fn shapes_that_look_like_words_are_held_back_in_time() {
    let known = known();
    let verdicts = [
        "",
        "Thou",
        "Action: t",
        "ca",
        "calculate",
        "calculate ",
        "calculate(",
        "time:",
        "times",
        "It is",
        "stop",
        "stop now",
    ];
    let verdicts = verdicts.map(|head| begins_call(head, &known));
    use Begins::{Call, Undecided, Words};
    let expected = [
        Undecided, Undecided, Call, Undecided, Undecided, Undecided, Call, Call, Words, Words, Undecided,
        Words,
    ];
    assert_eq!(verdicts, expected);
}

#[test]
fn a_text_of_nothing_but_marks_is_looked_through_once() {
    const MENDED: &str = r#"{"name":"calculate","arguments":"expression":"1"}"#;
    // What stands in front, and two things that stand behind one another, each so often that it fills its half.
    let texts = [
        ("", "``````", "```\n"),
        ("", "```json\n{}\n```\n", "<tool_call></tool_call>"),
        ("", "<tool_call>{</tool_call>", "```"),
        ("", "[TOOL_CALLS]\n", "<function_call>"),
        ("", "{", "[]"),
        ("", "[", "]"),
        ("", "\"", "\\"),
        ("", "{\"", "\":"),
        ("", "[[}", "\"\":["),
        ("<tool_call>", r#"{"name":"time","arguments":{}}"#, "{}"),
        ("<tool_call>", MENDED, MENDED),
        ("```json\n", MENDED, "{\"}"),
        ("```tool_call\n", "{", "]"),
        ("tool_calls: ", "{", "[]"),
        ("calculate(", "'a',", "\"="),
        ("calculate: ", "{\"\":", "[]"),
        ("", "Action: time\n", "Action Input:\n"),
    ];
    for (front, one, other) in texts {
        let factor = joi_base::testing::growth(|size| {
            let fill = |piece: &str| piece.repeat(size * 25_000 / piece.len());
            let (text, known) = (format!("{front}{}{}", fill(one), fill(other)), known());
            move || drop(parse(&text, &known))
        });
        assert!(factor < 8.0, "four times {front:?} {one:?} {other:?} took {factor:.1} times as long");
    }
}

// As long as no call is lost with the time that is saved
#[test]
fn each_of_many_calls_in_one_fence_is_mended_by_itself() {
    let mended = r#"{"name":"calculate","arguments":"expression":"1"}"#;
    let whole = r#"{"name":"time","arguments":{}}"#;
    let one = ("calculate".to_owned(), json!({ "expression": "1" }));
    let other = ("time".to_owned(), json!({}));
    for (inside, calls) in [
        (format!("{mended}\n{whole} {mended}"), vec![one.clone(), other.clone(), one.clone()]),
        (format!("{whole}{mended}}}"), vec![other, one.clone()]),
        (r#"{"arguments":"expression":"1"},"name":"calculate"}"#.to_owned(), vec![one]),
        (format!("{mended} {{\"name\":"), vec![]),
    ] {
        let text = format!("<tool_call>{inside}</tool_call>");
        let words = if calls.is_empty() { text.clone() } else { String::new() };
        assert_eq!(read(&text), (calls, words), "{inside}");
    }
}

fn shreds() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "```tool_call\n",
        "```",
        "<tool_call>",
        "</tool_call>",
        "{\"name\":",
        "\"calculate\"",
        ",\"arguments\":",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        "\n",
        "calculate",
        "(",
        ")",
        "expression",
        "=",
        ": ",
        "tool_calls:",
        "é",
        "Wörter ",
        "[TOOL_CALLS]",
        "1",
        "null",
        "lists",
        "json\n",
        " ",
    ]);
    prop::collection::vec(prop_oneof![pieces.prop_map(str::to_owned), "\\PC{0,4}"], 0..24)
        .prop_map(|p| p.concat())
}

proptest! {
    // Never panics, never loses text
    #[test]
    fn no_text_is_lost(text in shreds()) {
        let known = known();
        let spans = spans(&text, &known);
        let mut rebuilt = String::new();
        let mut words = String::new();
        let mut from = 0;
        for (span, calls) in &spans {
            prop_assert!(span.start >= from && !calls.is_empty());
            words += &text[from..span.start];
            rebuilt += &text[from..span.end];
            from = span.end;
        }
        rebuilt += &text[from..];
        words += &text[from..];
        prop_assert_eq!(&rebuilt, &text);
        prop_assert_eq!(parse(&text, &known).words, words);
    }

    #[test]
    fn what_is_taught_is_read_back(name in "[a-z]{1,9}", values in prop::collection::vec(("[a-z]{1,5}", "\\PC{0,20}"), 0..4)) {
        let arguments: Arguments = values.into_iter().map(|(k, v)| (k, Value::from(v))).collect();
        let call = WrittenCall { id: None, name, arguments };
        let text = taught(&call);
        // A fence inside an argument would end the block.
        prop_assume!(!text[3..text.len() - 3].contains("```"));
        prop_assert_eq!(parse(&text, &[]), Parsed { calls: vec![call], words: String::new() });
    }

    #[test]
    fn a_held_call_is_held_at_every_cut(cut in 0usize..40) {
        let text = "calculate(expression=\"17 * 23\")";
        let head: String = text.chars().take(cut).collect();
        prop_assert_ne!(begins_call(&head, &known()), Begins::Words);
    }
}

#[test]
fn results_have_the_shape_of_their_protocol() {
    let call = WrittenCall { id: Some("call_1".into()), name: "time".into(), arguments: Arguments::new() };
    let native = serde_json::to_value(result(Protocol::Native, &call, "noon")).unwrap();
    assert_eq!(
        native,
        json!({ "role": "tool", "content": "noon", "tool_name": "time", "tool_call_id": "call_1" })
    );
    let text = serde_json::to_value(result(Protocol::Text, &call, "noon")).unwrap();
    assert_eq!(text, json!({ "role": "user", "content": "[Tool result: time]\nnoon" }));
}

// Remembered across restarts
