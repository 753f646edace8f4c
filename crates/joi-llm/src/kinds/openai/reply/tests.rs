use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::openai::{body, delta, finish, usage};

/// Returns the events of `body` and how it ended: well, or by an error. An end that nobody announced is no event.
fn read(body: &str) -> (Vec<ChatEvent>, Result<(), LlmError>) {
    let (mut reader, mut events) = (ReplyReader::default(), VecDeque::new());
    let mut lines = body.lines().filter(|line| !line.trim().is_empty());
    let outcome = lines.try_for_each(|line| reader.line(line.as_bytes(), &mut events));
    let outcome = outcome.and_then(|()| reader.end(&mut events));
    (events.into(), outcome)
}

fn events(chunks: &[Value]) -> Vec<ChatEvent> {
    let (events, outcome) = read(&body(chunks));
    assert_eq!(outcome, Ok(()));
    events
}

fn text(words: &str) -> ChatEvent {
    ChatEvent::Text(words.to_owned())
}

fn done(done_reason: DoneReason) -> ChatEvent {
    done_after(0, done_reason)
}

/// Returns the end of a reply of `pieces` whose server reports no counters.
fn done_after(pieces: u64, done_reason: DoneReason) -> ChatEvent {
    ChatEvent::Done(ChatStats { done_reason, eval_count: pieces, ..ChatStats::default() })
}

/// Returns id, name and arguments of each call.
fn calls(events: &[ChatEvent]) -> Vec<(&str, &str, Value)> {
    let called = events.iter().filter_map(|event| match event {
        ChatEvent::ToolCall(call) => {
            let id = call.id.as_deref().unwrap_or_default();
            Some((id, call.function.name.as_str(), json!(call.function.arguments)))
        }
        _ => None,
    });
    called.collect()
}

fn piece(piece: Value) -> Value {
    delta(&json!({ "tool_calls": [piece] }))
}

#[test]
fn text_thinking_and_counters_come_out_in_their_order() {
    let counted = {
        let mut counted = usage(12, 3);
        counted["usage"]["prompt_tokens_details"] = json!({ "cached_tokens": 5 });
        counted
    };
    let chunks = [
        delta(&json!({ "role": "assistant", "content": "" })),
        delta(&json!({ "reasoning_content": "hm" })),
        delta(&json!({ "content": null, "reasoning": "well" })),
        delta(&json!({ "content": "Good " })),
        delta(&json!({ "content": "morning." })),
        finish("stop"),
        counted,
    ];
    let stats = ChatStats {
        done_reason: DoneReason::Stop,
        prompt_eval_count: 12,
        prompt_cached_count: Some(5),
        eval_count: 3,
        ..ChatStats::default()
    };
    let thought = |words: &str| ChatEvent::Thinking(words.to_owned());
    assert_eq!(
        events(&chunks),
        [thought("hm"), thought("well"), text("Good "), text("morning."), ChatEvent::Done(stats)]
    );
}

#[test]
fn the_times_of_llama_server_are_kept_and_impossible_ones_are_not() {
    let timed = |prompt_ms: f64| {
        let mut last = finish("stop");
        last["timings"] = json!({ "cache_n": 7, "prompt_ms": prompt_ms, "predicted_ms": 1500.0 });
        match events(&[last]).pop() {
            Some(ChatEvent::Done(stats)) => (stats.prompt_cached_count, stats.prompt_eval_duration),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(timed(250.0), (Some(7), Duration::from_millis(250)));
    assert_eq!(timed(-1.0), (Some(7), Duration::ZERO));
}

#[test]
fn a_reply_ends_for_a_reason() {
    for (reason, expected) in [
        ("stop", DoneReason::Stop),
        ("tool_calls", DoneReason::Stop),
        ("length", DoneReason::Length),
        ("content_filter", DoneReason::Other),
    ] {
        assert_eq!(events(&[finish(reason)]), [done(expected)], "{reason}");
    }
    assert_eq!(events(&[]), [done(DoneReason::Stop)], "[DONE] alone");
    let cut = body(&[delta(&json!({ "content": "Good" }))]).replace("data: [DONE]", "");
    assert_eq!(read(&cut), (vec![text("Good")], Ok(())), "without a reason it has no end");
    let without_done = body(&[finish("stop")]).replace("data: [DONE]", "");
    assert_eq!(read(&without_done).0, [done(DoneReason::Stop)]);
    let more = format!("{}data: {{\"choices\":[]}}\n\n", body(&[finish("stop")]));
    assert_eq!(read(&more), (vec![done(DoneReason::Stop)], Ok(())), "nothing follows the end");
}

#[test]
fn comments_and_other_fields_are_passed_over_and_foreign_lines_are_not() {
    let lines = ": ping\nevent: message\nid: 7\nretry: 10\ndata:\n";
    assert_eq!(read(&format!("{lines}{}", body(&[finish("stop")]))).0, [done(DoneReason::Stop)]);
    for (line, expected) in [
        ("<html>", "it sent a web page"),
        ("data: {\"choices\":", "it sent a broken line of 11 bytes"),
        ("data: [1]", "it sent a broken line of 3 bytes"),
        ("hello", "it sent 5 bytes of no reply"),
    ] {
        assert_eq!(read(line), (vec![], Err(LlmError::Garbage(expected.to_owned()))), "{line}");
    }
}

#[test]
fn an_error_ends_a_reply_wherever_it_comes() {
    let begun = delta(&json!({ "content": "Good" }));
    let error = json!({ "error": { "message": "CUDA out of memory", "code": 500 } });
    let broke = Err(LlmError::MidStream("CUDA out of memory".into()));
    assert_eq!(read(&body(&[begun.clone(), error])), (vec![text("Good")], broke.clone()));
    let bare = "{\"error\":\"CUDA out of memory\"}\n";
    assert_eq!(read(bare), (vec![], broke));
    let null =
        json!({ "error": null, "choices": [{ "delta": { "content": "Hi" }, "finish_reason": "stop" }] });
    assert_eq!(events(&[null]), [text("Hi"), done_after(1, DoneReason::Stop)]);
}

#[test]
fn a_reply_that_is_not_streamed_is_read_as_well() {
    let whole = json!({ "choices": [{ "message": { "content": "Hi", "tool_calls": [
        { "id": "a", "type": "function", "function": { "name": "clock", "arguments": "{}" } }
    ] }, "finish_reason": "tool_calls" }] });
    let (events, outcome) = read(&format!("{whole}\n"));
    assert_eq!((calls(&events), outcome), (vec![("a", "clock", json!({}))], Ok(())));
    assert_eq!(events.last(), Some(&done_after(1, DoneReason::Stop)));
}

#[test]
fn parallel_calls_are_assembled_by_their_index() {
    let pieces = [
        piece(json!({ "index": 0, "id": "a", "function": { "name": "light", "arguments": "" } })),
        piece(json!({ "index": 1, "id": "b", "function": { "name": "clock", "arguments": "" } })),
        piece(json!({ "index": 0, "function": { "arguments": "{\"room\":" } })),
        piece(json!({ "index": 1, "function": { "arguments": "{}" } })),
        piece(json!({ "index": 0, "id": "", "function": { "arguments": "\"hall\"}" } })),
        finish("tool_calls"),
    ];
    let expected = vec![("a", "light", json!({ "room": "hall" })), ("b", "clock", json!({}))];
    assert_eq!(calls(&events(&pieces)), expected);
}

#[test]
fn calls_that_share_an_index_or_have_none_are_assembled_by_id_and_name() {
    for index in [json!(0), json!(null)] {
        let call = |id: Option<&str>, name: &str, arguments: Value| {
            piece(json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }))
        };
        for ids in [[Some("a"), Some("b")], [None, None]] {
            let pieces = [
                call(ids[0], "light", json!("{\"on\":true}")),
                call(ids[1], "light", json!({ "on": false })),
                finish("tool_calls"),
            ];
            let found = events(&pieces);
            let arguments: Vec<Value> = calls(&found).into_iter().map(|(_, _, all)| all).collect();
            assert_eq!(arguments, [json!({ "on": true }), json!({ "on": false })], "{index} {ids:?}");
        }
    }
}

#[test]
fn a_call_without_an_id_gets_one_and_a_call_that_is_cut_is_left_out_or_an_error() {
    let half = |arguments: &str| {
        piece(json!({ "index": 0, "function": { "name": "light", "arguments": arguments } }))
    };
    assert_eq!(calls(&events(&[half("{}"), finish("stop")])), [("call_0", "light", json!({}))]);
    assert_eq!(events(&[half("{\"ro"), finish("length")]), [done(DoneReason::Length)]);
    for broken in [half("{\"ro"), piece(json!({ "index": 0, "function": { "arguments": "{}" } }))] {
        let error = read(&body(&[broken, finish("tool_calls")])).1.unwrap_err();
        assert_eq!(error, LlmError::MidStream("it sent a call of a tool that is not whole".into()));
    }
}

#[test]
fn calls_without_end_are_refused() {
    let many: Vec<Value> = (0..=CALLS_MAX)
        .map(|at| piece(json!({ "index": at, "function": { "name": "f", "arguments": "{}" } })))
        .collect();
    assert_eq!(read(&body(&many)).1, Err(LlmError::MidStream("it sent too many calls of tools".into())));
    let long = "x".repeat(ARGUMENTS_MAX / 2 + 1);
    let long = piece(json!({ "index": 0, "function": { "name": "f", "arguments": long } }));
    let error = read(&body(&[long.clone(), long])).1.unwrap_err();
    assert_eq!(error, LlmError::MidStream("it sent arguments of tools without end".into()));
}

/// Cuts `text` at these places, wherever characters allow it.
fn cut<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a str> {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut at: Vec<usize> = cuts.iter().map(|cut| *cut.get(&places)).chain([0, text.len()]).collect();
    at.sort_unstable();
    at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    /// A server cuts the arguments of calls wherever a token ends, and mixes the pieces of several calls.
    #[test]
    fn arguments_do_not_depend_on_where_their_pieces_end(
        values in prop::collection::vec("[ -~äöü€🙂\n]{0,12}", 1..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        order in any::<prop::sample::Index>(),
    ) {
        let whole: Vec<Value> = values.iter().map(|value| json!({ "text": value, "deep": { "of": [value] } })).collect();
        let written: Vec<String> = whole.iter().map(Value::to_string).collect();
        let mut queues: Vec<VecDeque<&str>> = written.iter().map(|text| cut(text, &cuts).into()).collect();
        let mut chunks: Vec<Value> = (0..whole.len())
            .map(|at| piece(json!({ "index": at, "id": format!("c{at}"), "function": { "name": "f", "arguments": "" } })))
            .collect();
        let mut turn = order.index(whole.len());
        while queues.iter().any(|queue| !queue.is_empty()) {
            if let Some(part) = queues[turn].pop_front() {
                chunks.push(piece(json!({ "index": turn, "function": { "arguments": part } })));
            }
            turn = (turn + 1) % whole.len();
        }
        chunks.push(finish("tool_calls"));
        let found: Vec<Value> = calls(&events(&chunks)).into_iter().map(|(_, _, arguments)| arguments).collect();
        prop_assert_eq!(found, whole);
    }

    #[test]
    fn foreign_bytes_never_break_the_reader(
        body in joi_base::testing::damaged(
            body(&[piece(json!({ "index": 0, "function": { "name": "f", "arguments": "{}" } })), finish("stop")]).as_bytes(),
        ),
    ) {
        let (mut reader, mut events) = (ReplyReader::default(), VecDeque::new());
        for line in body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if reader.line(line, &mut events).is_err() {
                break;
            }
        }
        prop_assert!(events.len() < 8);
    }
}
