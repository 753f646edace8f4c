//! A reply does not depend on how the network cuts it.

use super::*;
use crate::testing::openai::body;

fn whole_reply() -> Vec<Value> {
    let call = |piece: Value| delta(&json!({ "tool_calls": [piece] }));
    vec![
        delta(&json!({ "role": "assistant", "content": "" })),
        delta(&json!({ "reasoning_content": "Schön … 🙂" })),
        delta(&json!({ "content": "Grüß " })),
        delta(&json!({ "content": "Gott\ndata: [DONE]\n" })),
        call(
            json!({ "index": 0, "id": "a", "function": { "name": "light", "arguments": "{\"room\":\"Kü" } }),
        ),
        call(json!({ "index": 1, "id": "b", "function": { "name": "clock", "arguments": "{}" } })),
        call(json!({ "index": 0, "function": { "arguments": "che\"}" } })),
        finish("tool_calls"),
        usage(9, 4),
    ]
}

/// Returns the events of a body that arrives in these pieces, without their times.
fn events(pieces: Vec<Vec<u8>>) -> Vec<ChatEvent> {
    let pieces = pieces.into_iter().map(|piece| Ok(piece.into()));
    let reply =
        ChatStream::new(SseReply::<ReplyReader>::new(futures_util::stream::iter(pieces), Instant::now()));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut events = runtime.block_on(read(reply)).unwrap();
    if let Some(ChatEvent::Done(stats)) = events.last_mut() {
        (stats.prompt_eval_duration, stats.eval_duration, stats.total_duration) = Default::default();
    }
    events
}

proptest! {
    #[test]
    fn a_reply_does_not_depend_on_where_its_pieces_end(
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..24),
        is_crlf in any::<bool>(),
    ) {
        let mut body = body(&whole_reply());
        if is_crlf {
            body = body.replace("\n\n", "\r\n\r\n");
        }
        let body = body.into_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).chain([0, body.len()]).collect();
        at.sort_unstable();
        let pieces = at.windows(2).map(|pair| body[pair[0]..pair[1]].to_vec()).collect();
        let whole = events(vec![body.clone()]);
        prop_assert_eq!(whole.len(), 6);
        prop_assert_eq!(events(pieces), whole);
    }
}
