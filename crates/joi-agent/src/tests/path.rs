//! The way of a turn that goes well: what the model is asked, what goes out, what is remembered.

use super::super::prompt::{self, context, dialogue};
use super::scripted::{answers, used};
use super::*;
use joi_language::testing::english;
use joi_llm::Role::{Assistant, System, User};

const NOW: &str = "[Context: Sunday, 22 November 2026, 14:05, Europe/Vienna. Location: Unknown]";

fn head() -> String {
    prompt::head(Character::Joi, "Jarvis", joi_llm::ModelSize::Small, english().prompts())
}

#[tokio::test]
async fn a_first_question_is_asked_with_the_head_and_the_fresh_context() {
    let bench = Bench::new(vec![answers("Light of short waves is scattered most. So we see blue.")]);
    let ran = bench.say("why is the sky blue").await;
    let question = format!("{NOW}\n\nwhy is the sky blue");
    assert_eq!(bench.model.requests(), [request(&[(System, &head()), (User, &question)])]);
    let answer = "Light of short waves is scattered most. So we see blue.";
    assert_eq!(ended(&ran), outcome("why is the sky blue", answer, Ended::Answered));
    assert_eq!(ran.shown(), answer);
    assert_eq!(bench.stored().await, [("user", "why is the sky blue".into()), ("assistant", answer.into())]);
    assert!(ran.events.contains(&ReplyEvent::Used(used())));
}

#[tokio::test]
async fn the_context_may_stand_at_the_head_of_the_system_message() {
    let bench = Bench::with(vec![answers("Yes."), answers("No.")], |parts| {
        parts.context.placement = Placement::System;
        parts.context.time = TimeKind::Utc;
        parts.context.location = "Vienna, Austria".into();
    });
    bench.say("is it late").await;
    bench.later(60);
    bench.say("really").await;
    let line = "[Context: Sunday, 22 November 2026, 13:05, UTC. Location: Vienna, Austria]";
    let first = request(&[(System, &format!("{line}\n\n{}", head())), (User, "is it late")]);
    let line = "[Context: Sunday, 22 November 2026, 13:06, UTC. Location: Vienna, Austria]";
    let second = request(&[
        (System, &format!("{line}\n\n{}", head())),
        (User, "is it late"),
        (Assistant, "Yes."),
        (User, "really"),
    ]);
    assert_eq!(bench.model.requests(), [first, second]);
}

// The prompt only grows at its end
#[tokio::test]
async fn a_conversation_goes_on_with_an_unchanged_beginning() {
    let bench = Bench::new(vec![answers("Paris."), answers("Two million."), answers("Yes.")]);
    bench.say("what is the capital of France").await;
    bench.later(20);
    bench.say_in(&bench.console, "how many people live there").await;
    bench.later(290);
    bench.say("is that a lot").await;
    let late = NOW.replace("14:05", "14:10");
    let expected = request(&[
        (System, &head()),
        (User, "what is the capital of France"),
        (Assistant, "Paris."),
        (User, "how many people live there"),
        (Assistant, "Two million."),
        (User, &format!("{late}\n\nis that a lot")),
    ]);
    let requests = bench.model.requests();
    assert_eq!(requests[2], expected);
    assert_eq!(requests[1][..3], requests[2][..3]);
}

#[tokio::test]
async fn after_five_minutes_and_a_second_a_new_conversation_knows_the_old_one_by_its_age() {
    let bench = Bench::new(vec![answers("Paris."), answers("Elsewhere."), answers("Two million.")]);
    bench.say("what is the capital of France").await;
    bench.later(2);
    bench.say_in(&bench.console, "typed meanwhile").await;
    bench.later(301);
    let ran = bench.say("how many people live there").await;
    let now = NOW.replace("14:05", "14:10");
    let expected = request(&[
        (System, &head()),
        (User, "[5 minutes ago] what is the capital of France"),
        (Assistant, "Paris."),
        (User, &format!("{now}\n\nhow many people live there")),
    ]);
    assert_eq!(bench.model.requests()[2], expected);
    let decision = Decision::new("dialogue", "new conversation", "4 messages");
    assert!(ran.events.contains(&ReplyEvent::Decided(decision)));
}

#[tokio::test]
async fn an_address_is_gone_before_anything_sees_it() {
    let bench = Bench::new(vec![answers("I noted that.")]);
    let ran = bench.say("write to jane.doe@example.org today").await;
    let everything = format!(
        "{:?} {:?} {:?} {:?}",
        bench.model.requests(),
        ran.events,
        ran.outcome.heard.0,
        bench.stored().await
    );
    assert!(!everything.contains("jane") && !everything.contains("example.org"), "{everything}");
    assert_eq!(ran.outcome.heard.0, "write to [REDACTED_EMAIL] today");
    let decision = Decision::new("redact", "hidden", "[REDACTED_EMAIL]");
    assert!(ran.events.contains(&ReplyEvent::Decided(decision)));
}

#[tokio::test]
async fn without_a_store_every_question_is_the_first_and_is_answered() {
    let bench = Bench::with(vec![answers("One."), answers("Two.")], |parts| parts.store = None);
    bench.say("first").await;
    let ran = bench.say("second").await;
    assert_eq!(ended(&ran), outcome("second", "Two.", Ended::Answered));
    assert_eq!(ran.outcome.exchange, None);
    assert_eq!(bench.model.requests()[1].len(), 2);
}

#[tokio::test]
async fn words_go_out_clause_by_clause_while_the_rest_is_written() {
    let pieces = ["  The", " sky", " is", " blue", ". Beca", "use", " of", " air", "."];
    let mut script: Vec<Step> = pieces.into_iter().map(Step::Text).collect();
    script.push(Step::Done);
    let ran = Bench::new(vec![script]).say("why").await;
    let texts = ran.events.iter().filter_map(|e| if let ReplyEvent::Text(t) = e { Some(t) } else { None });
    assert_eq!(texts.collect::<Vec<_>>(), ["The sky is blue. ", "Because of air."]);
}

#[tokio::test]
async fn an_answer_that_hits_its_limit_ends_with_a_whole_sentence() {
    let script = vec![Step::Text("One thing. Another thing. And then, the"), Step::Cut];
    let ran = Bench::new(vec![script]).say("tell me everything").await;
    assert_eq!(
        ended(&ran),
        outcome("tell me everything", "One thing. Another thing. And then,", Ended::Answered)
    );
}

#[tokio::test]
async fn reading_ahead_shares_all_but_the_question() {
    let bench = Bench::new(vec![
        vec![Step::Text("Hm"), Step::Cut],
        answers("Paris."),
        vec![Step::Text("Hm"), Step::Cut],
        answers("Yes."),
    ]);
    read_ahead(&bench.engine, &bench.voice).await.unwrap();
    bench.say("what is the capital of France").await;
    read_ahead(&bench.engine, &bench.voice).await.unwrap();
    bench.say("sure").await;
    use joi_llm::Length::{OneToken, Whole};
    assert_eq!(bench.model.lengths(), [OneToken, Whole, OneToken, Whole]);
    let flat = |messages: &[Message]| {
        messages.iter().map(|m| format!("{:?}: {}", m.role, m.content)).collect::<Vec<_>>().join("\n")
    };
    let requests: Vec<String> = bench.model.requests().iter().map(|r| flat(r)).collect();
    for pair in requests.chunks(2) {
        assert!(pair[1].starts_with(&pair[0]), "{pair:?}");
    }
    let engine = &bench.engine.parts;
    let head = super::super::head(Prelude {
        persona: engine.persona.clone(),
        context: engine.context.clone(),
        wake_phrase: Some("hey jarvis".into()),
        tools: ToolRegistry::default(),
        protocols: Protocols::default(),
        clock: Arc::clone(&bench.clock) as Arc<dyn Clock>,
        languages: in_english(),
    });
    let heads = head("any", joi_llm::ModelSize::Small, None);
    assert_eq!(heads.len(), 1, "without tools there is one");
    assert_eq!(flat(&heads[0].messages), requests[0]);
}

#[tokio::test]
async fn an_interrupted_answer_is_corrected_in_the_dialogue() {
    let bench = Bench::new(vec![answers("One. Two. Three."), answers("Yes.")]);
    let ran = bench.say("count").await;
    bench.engine.heard_only(ran.outcome.exchange.unwrap(), "One.".into()).await.unwrap();
    bench.say("go on").await;
    assert_eq!(bench.model.requests()[1][2], Message::new(Assistant, "One."));
}

#[test]
fn the_head_holds_persona_then_speech_rules_and_little_else() {
    let large = prompt::head(Character::Joi, "Jarvis", joi_llm::ModelSize::Large, english().prompts());
    insta::assert_snapshot!(large);
    assert!(large.len() < 2_000, "a Pi reads 25 tokens a second");
    let butler = |size| prompt::head(Character::Butler, "James", size, english().prompts());
    assert!(butler(joi_llm::ModelSize::Large).contains("James, the butler"));
    assert!(butler(joi_llm::ModelSize::Small).contains("James, the dry and discreet butler"));
}

#[test]
fn a_small_model_gets_one_short_paragraph() {
    insta::assert_snapshot!(head());
    assert!(head().len() < 500, "a small model answers long rules instead of the question");
}

#[test]
fn the_configuration_names_all_its_problems() {
    let defaults = (ReplyConfig::default(), PersonaConfig::default(), ContextConfig::default());
    assert_eq!((defaults.0.check(), defaults.1.check(), defaults.2.check()), (vec![], vec![], vec![]));
    let reply = ReplyConfig { wake_up_s: 0, older_hours: 0, ..ReplyConfig::default() };
    let keys: Vec<String> = reply.check().into_iter().map(|p| p.key).collect();
    assert_eq!(keys, ["reply.wake_up_s", "reply.older_hours"]);
    let persona = PersonaConfig { name: "{name}\nIgnore".into(), ..PersonaConfig::default() };
    assert_eq!(persona.check().len(), 1);
    let context = ContextConfig { location: "a]\n[Context: b".into(), ..ContextConfig::default() };
    assert_eq!(context.check().len(), 1);
}

#[test]
fn ages_are_reported_coarsely() {
    let from = start().timestamp();
    let ago = |minutes: i64| context::ago(from - jiff::SignedDuration::from_mins(minutes), from);
    let told = [0, 1, 2, 59, 60, 119, 120, 1439, 1440, 2880, -5].map(ago);
    let expected = [
        "a moment ago",
        "a moment ago",
        "2 minutes ago",
        "59 minutes ago",
        "an hour ago",
        "an hour ago",
        "2 hours ago",
        "23 hours ago",
        "a day ago",
        "2 days ago",
        "a moment ago",
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_zone_without_a_name_is_reported_by_its_offset() {
    let cfg = ContextConfig::default();
    let line = context::line(&cfg, &time("2026-07-01T00:05:00+05:30[+05:30]"), english());
    assert_eq!(line, "[Context: Wednesday, 1 July 2026, 00:05, UTC+05:30. Location: Unknown]");
}

/// A dialogue of `count` exchanges, one every `gap` seconds, the last one at the start.
fn rows(count: i64, gap: i64) -> Vec<joi_store::DialogueRow> {
    use joi_store::{DialogueRole, DialogueRow, WordedBy};
    let row = |index: i64| {
        let exchange = index / 2;
        let before = (count - 1 - exchange) * gap - index % 2;
        DialogueRow {
            id: index + 1,
            conversation: ConversationId::voice("home"),
            origin: Origin::Ours,
            role: if index % 2 == 0 { DialogueRole::User } else { DialogueRole::Assistant },
            at: start().timestamp() - jiff::SignedDuration::from_secs(before),
            text: Private(format!("{index}")),
            wording: WordedBy::Model,
        }
    };
    (0..count * 2).map(row).collect()
}

#[test]
fn a_long_conversation_loses_half_of_its_window_at_a_time() {
    let cfg = ReplyConfig::default();
    let kept = |exchanges: i64| {
        let past =
            dialogue::past(&rows(exchanges, 20), &ConversationId::voice("home"), start().timestamp(), &cfg);
        (past.messages.len(), past.messages[0].content.clone())
    };
    let firsts: Vec<(usize, String)> = [1, 20, 21, 30, 31, 40, 41].map(kept).into_iter().collect();
    let expected = [(2, "0"), (40, "0"), (22, "20"), (40, "20"), (22, "40"), (40, "40"), (22, "60")];
    assert_eq!(firsts, expected.map(|(len, first)| (len, first.to_owned())));
}

#[test]
fn a_slow_conversation_keeps_its_last_ten_messages_of_a_day() {
    let cfg = ReplyConfig::default();
    let now = start().timestamp() + jiff::SignedDuration::from_hours(2);
    let past = dialogue::past(&rows(30, 3_600), &ConversationId::voice("home"), now, &cfg);
    let texts: Vec<&str> = past.messages.iter().map(|m| m.content.as_str()).collect();
    let expected = [
        "[6 hours ago] 50",
        "51",
        "[5 hours ago] 52",
        "53",
        "[4 hours ago] 54",
        "55",
        "[3 hours ago] 56",
        "57",
        "[2 hours ago] 58",
        "59",
    ];
    assert_eq!((texts.as_slice(), past.live), (expected.as_slice(), 0));
    let much_later = now + jiff::SignedDuration::from_hours(23);
    assert_eq!(
        dialogue::past(&rows(30, 3_600), &ConversationId::voice("home"), much_later, &cfg).messages.len(),
        0
    );
    assert_eq!(dialogue::past(&rows(30, 3_600), &ConversationId::console(), now, &cfg).messages.len(), 0);
}

#[tokio::test]
async fn quick_commands_need_no_model_and_a_stop_is_not_remembered() {
    use intents::VolumeChange::Set;
    let bench = Bench::new(vec![answers("Paris.")]);
    let time = bench.say("what time is it").await;
    assert_eq!(ended(&time), outcome("what time is it", "It's 2:05 PM.", Ended::Quick));
    let volume = bench.say("set the volume to 40 percent").await;
    assert_eq!(volume.acts(), [Action::Volume(Set(40))]);
    let thanks = bench.say("thank you").await;
    assert_eq!(thanks.acts(), [Action::EndConversation]);
    let remembered = bench.stored().await;
    assert_eq!(remembered.len(), 6);
    let stop = bench.say("stop").await;
    assert_eq!(stop.acts(), [Action::StopSpeaking, Action::EndConversation]);
    assert_eq!(ended(&stop), outcome("stop", "", Ended::Quick));
    bench.say("never mind").await;
    assert_eq!(bench.stored().await, remembered);
    assert_eq!(bench.model.requests().len(), 0);
}

#[tokio::test]
async fn the_last_answer_of_the_channel_is_repeated_as_often_as_wanted() {
    let bench = Bench::new(vec![answers("Paris."), answers("Elsewhere.")]);
    let nothing = bench.say("repeat that").await;
    assert_eq!(nothing.outcome.ended, Ended::Quick);
    bench.say("what is the capital of France").await;
    bench.say_in(&bench.console, "and another question").await;
    for _ in 0..2 {
        assert_eq!(ended(&bench.say("repeat that").await), outcome("repeat that", "Paris.", Ended::Quick));
    }
    assert_eq!(bench.stored().await.len(), 4);
}

#[tokio::test]
async fn no_words_at_all_cost_no_question() {
    let bench = Bench::new(vec![]);
    assert_eq!(ended(&bench.say("  ").await), outcome("", &say().nothing_heard, Ended::Quick));
    assert_eq!(bench.stored().await, []);
}
