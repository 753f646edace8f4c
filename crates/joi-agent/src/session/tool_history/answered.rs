//! Removes calls without a result. A turn that ends with a question, a stop or an apology leaves one.
//!
//! Input: the messages of one answer. Output: the same without unanswered calls, because servers refuse a call without
//! its result, and a model takes it for one that is still to be made.
//! Pure except for the log: no I/O, no clock.

use super::HistoryRow;
use joi_answer::protocol;
use joi_llm::Role;

/// `rows` with the calls that have a result, in order; what is left out is counted in the log.
pub(super) fn only(rows: Vec<HistoryRow>) -> Vec<HistoryRow> {
    let mut kept: Vec<HistoryRow> = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while let Some(mut row) = rows.next() {
        if row.message.role != Role::Assistant {
            kept.push(row);
            continue;
        }
        let mut results = Vec::new();
        while let Some(result) = rows.next_if(|next| next.message.role != Role::Assistant) {
            results.push(result);
        }
        let mut tools =
            results.iter().flat_map(|row| &row.results).map(|result| result.tool.as_str()).peekable();
        let mut dropped = 0_usize;
        let had_calls = drop_open_calls(&mut row, |name| {
            let is_answered = tools.next_if(|tool| *tool == name).is_some();
            dropped += usize::from(!is_answered);
            is_answered
        });
        if dropped > 0 {
            tracing::warn!(calls = dropped, "calls without a result are left out of the prompt");
        }
        let is_empty = row.message.content.trim().is_empty() && row.message.tool_calls.is_empty();
        if !(had_calls && is_empty) {
            kept.push(row);
        }
        kept.extend(results);
    }
    kept
}

/// Takes the calls out of a message that `stays` refuses, in either protocol; whether there was one at all.
fn drop_open_calls(row: &mut HistoryRow, mut stays: impl FnMut(&str) -> bool) -> bool {
    let message = &mut row.message;
    if !message.tool_calls.is_empty() {
        message.tool_calls.retain(|call| stays(&call.function.name));
        return true;
    }
    let spans = protocol::spans(&message.content, &[]);
    let (mut content, mut from) = (String::new(), 0);
    for (span, calls) in &spans {
        content.push_str(&message.content[from..span.start]);
        let kept: Vec<String> = calls.iter().filter(|call| stays(&call.name)).map(protocol::taught).collect();
        content.push_str(&kept.join("\n"));
        from = span.end;
    }
    content.push_str(&message.content[from..]);
    if !spans.is_empty() {
        message.content = content.trim().to_owned();
    }
    !spans.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::CallOutcome;
    use super::*;
    use joi_answer::protocol::{Protocol, WrittenCall};
    use joi_tools::Arguments;

    fn call(name: &str) -> WrittenCall {
        WrittenCall { id: Some(format!("id-{name}")), name: name.into(), arguments: Arguments::new() }
    }

    fn asks(protocol: Protocol, words: &str, names: &[&str]) -> HistoryRow {
        let calls: Vec<WrittenCall> = names.iter().map(|name| call(name)).collect();
        HistoryRow { message: protocol::assistant(protocol, words, "", &calls), results: Vec::new() }
    }

    fn result(protocol: Protocol, name: &str) -> HistoryRow {
        let outcome = CallOutcome { tool: name.into(), failed: false };
        HistoryRow { message: protocol::result(protocol, &call(name), "ok"), results: vec![outcome] }
    }

    #[test]
    fn a_call_without_a_result_is_left_out_in_both_protocols() {
        for protocol in [Protocol::Native, Protocol::Text] {
            let whole =
                vec![asks(protocol, "Well.", &["a", "b"]), result(protocol, "a"), result(protocol, "b")];
            assert_eq!(only(whole.clone()), whole, "{protocol:?}");
            let half = vec![asks(protocol, "Well.", &["a", "b"]), result(protocol, "a")];
            assert_eq!(only(half), [asks(protocol, "Well.", &["a"]), result(protocol, "a")], "{protocol:?}");
            let first =
                vec![asks(protocol, "", &["a"]), result(protocol, "a"), asks(protocol, "", &["b", "c"])];
            assert_eq!(only(first), [asks(protocol, "", &["a"]), result(protocol, "a")], "{protocol:?}");
            let words = only(vec![asks(protocol, "One moment.", &["a"])]);
            let [row] = words.as_slice() else { panic!("{words:?}") };
            assert_eq!((row.message.content.as_str(), row.message.tool_calls.len()), ("One moment.", 0));
        }
    }

    #[test]
    fn several_results_in_one_message_answer_as_many_calls() {
        let mut both = result(Protocol::Text, "a");
        both.results.push(CallOutcome { tool: "b".into(), failed: true });
        let rows = vec![asks(Protocol::Text, "", &["a", "b"]), both];
        assert_eq!(only(rows.clone()), rows);
    }
}
