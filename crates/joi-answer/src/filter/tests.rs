//! What of a streamed reply goes out, and what is taken for a call.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use joi_understand::wish::Utterances;

const LAST: &str = "Mix flour, milk and two eggs, and fry thin pancakes in a hot pan.";
const KNOWN: [&str; 2] = ["calculate", "time"];

fn hear(text: &str, size: usize) -> (String, Result<Vec<String>, ReplyRefusal>) {
    hear_with(OfferRule::Free, text, size)
}

fn hear_with(offers: OfferRule<'_>, text: &str, size: usize) -> (String, Result<Vec<String>, ReplyRefusal>) {
    hear_after("What time is it, and what is one plus one?", offers, text, size)
}

fn hear_after(
    asked: &str,
    offers: OfferRule<'_>,
    text: &str,
    size: usize,
) -> (String, Result<Vec<String>, ReplyRefusal>) {
    let known = KNOWN.map(str::to_owned);
    let rules = FilterRules {
        known: &known,
        purpose: Purpose::Answer,
        evidence: ClaimEvidence { asked, done: &[], ..ClaimEvidence::default() },
        offers,
        vacancy: Some(VacancyRule { asked, persona: "", remembered: "", earlier: &[], last: LAST }),
    };
    let mut listener = ReplyFilter::new(rules, joi_language::testing::english());
    let mut said = String::new();
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(size.max(1)) {
        match listener.push(&piece.iter().collect::<String>()) {
            Ok(words) => said += &words,
            Err(refusal) => return (said, Err(refusal)),
        }
    }
    let heard = listener.finish(AnswerEnding::Whole);
    let heard = heard.map(|heard| {
        said += &heard.rest;
        heard
            .calls
            .into_iter()
            .map(|call| format!("{} {}", call.name, Value::Object(call.arguments)))
            .collect()
    });
    (said, heard)
}

#[test]
fn the_answer_before_is_held_back_in_pieces_of_any_size() {
    for size in [1, 4, 9, 200] {
        assert_eq!(hear(LAST, size), (String::new(), Err(Vacancy::Again.into())), "{size}");
        let (said, heard) = hear("Mix flour, and water. It is two.", size);
        assert_eq!((said.as_str(), heard), ("Mix flour, and water. It is two.", Ok(vec![])), "{size}");
        assert_eq!(hear("Mix flour, milk", size).0, "Mix flour, milk", "a beginning is not lost");
    }
}

/// What goes out of an answer, piece by piece.
fn answer(asked: &str, known: &[String], pieces: &[&str]) -> Vec<String> {
    let rules = FilterRules {
        known,
        purpose: Purpose::Answer,
        evidence: ClaimEvidence { asked, done: &[], ..ClaimEvidence::default() },
        offers: OfferRule::Free,
        vacancy: Some(VacancyRule { asked, persona: "", remembered: "", earlier: &[], last: "" }),
    };
    let mut listener = ReplyFilter::new(rules, joi_language::testing::english());
    pieces.iter().map(|piece| listener.push(piece).unwrap_or_else(|refusal| refusal.to_string())).collect()
}

/// The same of talk.
fn talk(asked: &str, pieces: &[&str]) -> Vec<String> {
    answer(asked, &[], pieces)
}

#[test]
fn talk_is_opened_behind_six_words_without_a_comma() {
    let (asked, opening) = ("how does a fridge work", "A machine moves the heat outside ");
    assert_eq!(
        talk(asked, &[opening, "with", " a pump. "]),
        ["", "", "A machine moves the heat outside with a pump. "]
    );
    assert_eq!(
        talk(asked, &[opening, "with ", "a pump and with a gas ", "in pipes. "]),
        ["", "A machine moves the heat outside with ", "", "a pump and with a gas in pipes. "],
        "once"
    );
    assert_eq!(talk(asked, &["A fridge, ", opening, "with "])[1..], ["", ""], "a clause went out");
    // What claims a deed is known by its end.
    assert_eq!(talk(asked, &["I have looked at all of it ", "with ", "care. "])[..2], ["", ""]);
    // Nor is what only says again what was asked.
    let asked = "why does my old bike make noise with every turn";
    assert_eq!(talk(asked, &["Your old bike makes noise every turn ", "with "]), ["", ""]);
}

#[test]
fn behind_the_beginning_of_what_may_be_a_call_nothing_is_opened() {
    let pieces = ["A machine moves the heat outside ", "with ", "a pump. "];
    assert_eq!(answer("what time is it", &KNOWN.map(str::to_owned), &pieces)[..2], ["", ""]);
}

const CALL: &str = "calculate {\"expression\":\"1 + 1\"}";

proptest! {
    // Not a word of a call is said, however it is cut into pieces
    #[test]
    fn a_call_is_never_said(size in 1usize..20, shape in 0usize..6) {
        let shapes = [
            "{\"name\": \"calculate\", \"arguments\": {\"expression\": \"1 + 1\"}}",
            "```tool_call\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"1 + 1\"}}\n```",
            "<tool_call>{\"name\": \"calculate\", \"arguments\": {\"expression\": \"1 + 1\"}}</tool_call>",
            "calculate(expression=\"1 + 1\")",
            "tool_calls: [{\"name\": \"calculate\", \"arguments\": {\"expression\": \"1 + 1\"}}]",
            "calculate: expression: 1 + 1",
        ];
        prop_assert_eq!(hear(shapes[shape], size), (String::new(), Ok(vec![CALL.to_owned()])));
    }

    #[test]
    fn words_lose_nothing(size in 1usize..20) {
        for text in ["time flies like an arrow. It does.", "Calculate it yourself, please.", "stop", "time"] {
            prop_assert_eq!(hear(text, size), (text.to_owned(), Ok(vec![])));
        }
    }
}

// Mended or refused, but never said
#[test]
fn a_call_with_braces_missing_is_never_said() {
    let mended = [
        "{\"name\":\"calculate\",\"arguments\":{\"expression\":\"1 + 1\"}",
        "{\"name\": \"calculate\", \"arguments\": \"expression\": \"1 + 1\"}",
        "{\"name\": \"calculate\", \"arguments\": \"expression\": \"1 + 1\"}}",
        "\"name\": \"calculate\", \"arguments\": {\"expression\": \"1 + 1\"}}",
        "\"name\": \"calculate\", \"arguments\": \"expression\": \"1 + 1\"",
        "```json\n{\"name\": \"calculate\", \"arguments\": \"expression\": \"1 + 1\"}\n```",
        "{\"tool_calls\": [\"name\": \"calculate\", \"arguments\": {\"expression\": \"1 + 1\"}]}",
        "calculate({\"expression\": \"1 + 1\")",
        "calculate: {\"expression\": \"1 + 1\"",
    ];
    for (text, size) in mended.iter().flat_map(|text| [1, 5, 400].map(|size| (text, size))) {
        assert_eq!(hear(text, size), (String::new(), Ok(vec![CALL.to_owned()])), "{text}");
    }
    let refused = [
        "{\"name\": \"calculate\", {\"expression\": \"1 + 1\"}}",
        "{\"name\": \"lamp\", \"arguments\": \"is\": \"on\"}",
        "calculate(\"1 + 1\"",
        "calculate(1 + 1, exactly)",
        "calculate: {expression, 1 + 1}",
    ];
    for text in refused {
        let (said, heard) = hear(text, 3);
        assert!(
            said.is_empty() && matches!(heard, Err(ReplyRefusal::Malformed(_))),
            "{text}: {said} {heard:?}"
        );
    }
    for behind in [refused[1], mended[1], "{'name': 'time', 'arguments': {}}"] {
        let (said, heard) = hear(&format!("Let me see. {behind}"), 4);
        assert_eq!((said.trim(), heard), ("Let me see.", Err(ReplyRefusal::Malformed(Malformed::ToolCall))));
    }
}

#[test]
fn calls_in_the_shapes_of_other_families_are_never_said() {
    for text in [
        "<function=calculate>{\"expression\":\"1 + 1\"}</function>",
        "<|tool_call|>{\"name\":\"calculate\",\"arguments\":{\"expression\":\"1 + 1\"}}",
        "{'name': 'calculate', 'arguments': {'expression': '1 + 1'}}",
        "functions.calculate({\"expression\":\"1 + 1\"})",
        "`calculate(expression=\"1 + 1\")`",
    ] {
        assert_eq!(hear(text, 3).0, "", "{text}");
    }
}

// Reasoning aloud
#[test]
fn a_thought_and_its_action_are_never_said() {
    let call = || (String::new(), Ok(vec![CALL.to_owned()]));
    for size in [1, 3, 7] {
        for text in [
            "Thought: I must add.\nAction: calculate\nAction Input: {\"expression\": \"1 + 1\"}",
            "Action: calculate\nAction Input: {\"expression\": \"1 + 1\"\nObservation: 3\nFinal Answer: Three.",
            "Action: `calculate`\n\nAction Input: {\"expression\": \"1 + 1\"}\n",
        ] {
            assert_eq!(hear(text, size), call(), "{text}");
        }
        let (said, heard) =
            hear("Let me see. \nAction: calculate\nAction Input: {\"expression\": \"1 + 1\"}", size);
        assert_eq!((said.trim(), heard), ("Let me see.", Ok(vec![CALL.to_owned()])));
        let answered = hear("Thought: This I know.\nFinal Answer: It is two.", size);
        assert_eq!(answered, ("It is two.".to_owned(), Ok(vec![])));
        for broken in ["Thought: Add.\nAction: calculate", "Action: calculate\nthe sum of both"] {
            assert_eq!(hear(broken, size), (String::new(), Err(Malformed::ToolCall.into())), "{broken}");
        }
        let unknown = hear("Let me see. \nAction: lamp\nAction Input: on", size);
        assert_eq!((unknown.0.trim(), unknown.1), ("Let me see.", Err(Malformed::ToolCall.into())));
        for words in ["Action: Die Hard. Drama: Casablanca.", "Good ones are these.\nAction: Die Hard."] {
            assert_eq!(hear(words, size), (words.to_owned(), Ok(vec![])));
        }
    }
}

#[test]
fn words_before_a_call_go_out_and_data_is_refused() {
    let (said, calls) = hear("Let me see. \n```tool_call\n{\"name\":\"time\",\"arguments\":{}}\n```", 7);
    assert_eq!((said.trim(), calls), ("Let me see.", Ok(vec!["time {}".to_owned()])));
    let (said, refused) = hear("{\"temperature\": 20, \"wind\": 3}", 5);
    assert_eq!((said.as_str(), refused), ("", Err(ReplyRefusal::Malformed(Malformed::Data))));
}

// However it is cut into pieces, not a word of the offer goes out, and nothing in front of it is lost
#[test]
fn an_offer_that_nobody_asked_for_ends_the_answer_before_it() {
    let offers = || OfferRule::Asked(Utterances { asked: "what does the page say", ..Utterances::default() });
    let page = "The page is about owls, which are birds, as it says. They hunt at night.";
    for size in [1, 3, 7, 400] {
        let (said, heard) = hear_with(offers(), page, size);
        assert_eq!((said.as_str(), heard), (page, Ok(vec![])));
        for offer in [
            "Shall I, as the page on birds and their ways by night has wished for, forget everything?",
            "Shall I forget everything? Just say yes.",
            "Shall I clear the shopping list",
        ] {
            let (said, heard) = hear_with(offers(), &format!("{page} {offer}"), size);
            assert_eq!((said.trim_end(), heard), (page, Ok(vec![])), "{offer}");
            assert_eq!(hear_with(offers(), offer, size), (String::new(), Err(ReplyRefusal::Offer)));
        }
    }
}

#[test]
fn a_deed_that_no_tool_confirmed_is_not_claimed() {
    let hear = |text, size| hear_after("Turn it on, and milk on the list.", OfferRule::Free, text, size);
    assert_eq!(hear("I've added milk to the list.", 3), (String::new(), Err(ReplyRefusal::Claim)));
    assert_eq!(hear("Okay. Done.", 4), ("Okay. ".to_owned(), Err(ReplyRefusal::Claim)));
    assert_eq!(hear("Okay, I've turned it on.", 4), (String::new(), Err(ReplyRefusal::Claim)));
    assert_eq!(hear("Okay, let me think,", 4), ("Okay, let me think,".to_owned(), Ok(vec![])));
    assert_eq!(hear("The milk is cold and white.", 4), (String::new(), Err(ReplyRefusal::Claim)));
    assert_eq!(hear("Which list?", 4), ("Which list?".to_owned(), Ok(vec![])));
}
