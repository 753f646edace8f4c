use super::*;

#[test]
fn an_ordinary_reply_passes() {
    let replies = [
        "It's noon.",
        " Paris is the capital of France; a < b and c > d.",
        "**Yes.** Use `cargo build`, then:\n```rust\nfn main() { println!(\"{}\", 1); }\n```\nDone.",
        "A good password is one you don't reuse.",
        "Write to help@example.org.",
        "7",
    ];
    for reply in replies {
        assert_eq!(check(reply, estimated_tokens(reply)), Ok(()), "{reply}");
    }
}

#[test]
fn a_reply_that_must_not_go_out_is_refused_with_its_reason() {
    let cases = [
        ("", 0, ReplyRefusal::Empty),
        (" …\n- ", 3, ReplyRefusal::Empty),
        (r#"{"name":"stop","arguments":{}}"#, 9, ReplyRefusal::Malformed(Malformed::ToolCall)),
        ("Here: <tool_call>", 5, ReplyRefusal::Malformed(Malformed::ToolCall)),
        ("I wrote to [REDACTED_EMAIL].", 9, ReplyRefusal::Malformed(Malformed::Label)),
        ("Hello<|im_end|>", 4, ReplyRefusal::Malformed(Malformed::ReservedTokens)),
        ("Your card is 4111 1111 1111 1111.", 14, ReplyRefusal::Secret),
        ("Fine.", 501, ReplyRefusal::TooLong { tokens: 501 }),
    ];
    for (reply, tokens, refusal) in cases {
        assert_eq!(check(reply, tokens), Err(refusal), "{reply}");
    }
    assert_eq!(check("Fine.", MAX_TOKENS), Ok(()));
    assert_eq!(check(&"abc".repeat(200), 9), Err(ReplyRefusal::Malformed(Malformed::Loops)));
}

#[test]
fn tokens_are_estimated_by_length_and_by_words() {
    assert_eq!([estimated_tokens(""), estimated_tokens("a b c"), estimated_tokens("wonderful")], [0, 3, 3]);
}
