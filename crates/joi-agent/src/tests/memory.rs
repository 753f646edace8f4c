//! Turns in which something is remembered, recalled, reported or forgotten.

use super::scripted::{Step, answers};
use super::tools::Kit;
use super::*;
use joi_llm::ModelSize::{Large, Small};
use joi_llm::Role::{System, User};
use joi_store::{MemoryKind, NewMemory};

const NO_MEMORY: &str = "I can't get at my memory just now, so nothing was changed.";

const NOW: &str = "[Context: Sunday, 22 November 2026, 14:05, Europe/Vienna. Location: Unknown]";
const FOUND: &str = include_str!("../../../../assets/prompts/memory.md");
const ABOUT_USER: &str = include_str!("../../../../assets/prompts/memory.user.md");
const WISHES: &str = include_str!("../../../../assets/prompts/memory.wishes.md");

fn memory(kind: MemoryKind, day: &str, text: &str) -> NewMemory {
    let at = format!("{day}T10:00:00Z").parse().unwrap();
    NewMemory { kind, at, text: Private(text.into()), source: "said".into() }
}

impl Bench {
    /// A newer conversation, so that others are not the last one.
    async fn talked_lately(&self) {
        self.knows(MemoryKind::Diary, "2026-11-21", "They talked about chess.").await;
    }

    pub(super) async fn knows(&self, kind: MemoryKind, day: &str, text: &str) {
        self.store.remember(vec![memory(kind, day, text)]).await.unwrap();
    }

    /// All entries as (kind, text), newest first.
    pub(super) async fn known(&self) -> Vec<(&'static str, String)> {
        let known = self.store.memories(None, 100).await.unwrap();
        known.into_iter().map(|memory| (memory.kind.name(), memory.text.0)).collect()
    }

    fn asked_last(&self) -> String {
        self.model.requests().pop().unwrap().pop().unwrap().content
    }
}

// Clock, memory, question; the head stays as it is
#[tokio::test]
async fn what_is_known_stands_behind_the_clock_at_the_head_of_the_newest_message() {
    let bench = Bench::new(vec![answers("Blue."), answers("In the shed.")]);
    bench.knows(MemoryKind::User, "2026-11-01", "My sister is called Ann").await;
    bench.knows(MemoryKind::Wish, "2026-11-02", "Always be brief").await;
    bench.knows(MemoryKind::World, "2026-11-03", "The spare key is in the garden shed").await;
    bench.say("which colour has the sky").await;
    let head = bench.head(Small, Protocol::Text);
    let profile =
        format!("{}\n- My sister is called Ann\n{}\n- Always be brief", ABOUT_USER.trim(), WISHES.trim());
    let expected =
        request(&[(System, &head), (User, &format!("{NOW}\n\n{profile}\n\nwhich colour has the sky"))]);
    assert_eq!(bench.model.requests()[0], expected);
    bench.later(1_000);
    let ran = bench.say("where is the spare key").await;
    let found =
        format!("{}\n- [2026-11-03] The user said: \"The spare key is in the garden shed\"", FOUND.trim());
    let now = NOW.replace("14:05", "14:22");
    assert_eq!(bench.asked_last(), format!("{now}\n\n{profile}\n\n{found}\n\nwhere is the spare key"));
    assert_eq!(bench.model.requests()[1][0].content, head, "the head is what it was");
    assert_eq!(ran.decided("recall"), ["found"]);
}

#[tokio::test]
async fn with_the_other_placement_everything_stands_in_the_system_message() {
    let bench = Bench::with(vec![answers("Blue.")], |parts| parts.context.placement = Placement::System);
    bench.knows(MemoryKind::Wish, "2026-11-02", "Always be brief").await;
    bench.say("which colour has the sky").await;
    let head = bench.head(Small, Protocol::Text);
    let system = format!("{NOW}\n\n{head}\n\n{}\n- Always be brief", WISHES.trim());
    let expected = request(&[(System, &system), (User, "which colour has the sky")]);
    assert_eq!(bench.model.requests()[0], expected);
}

#[tokio::test]
async fn nothing_is_recalled_when_the_plan_needs_no_memory_or_asks_for_something_else() {
    let mut bench = Bench::new(vec![answers("A."), answers("B."), answers("C.")]);
    bench.knows(MemoryKind::World, "2026-11-03", "The spare key is in the garden shed").await;
    let ran = bench.say_planned("where is the spare key", &["reply"]).await;
    assert_eq!(ran.decided("recall"), ["skipped"]);
    assert!(!bench.asked_last().contains("shed"));
    let ran = bench.say_planned("what was it", &["searchMemory topic='spare key'", "reply"]).await;
    assert_eq!(ran.decided("recall"), ["found"]);
    assert!(bench.asked_last().contains("shed"));
    let ran = bench.say("how do birds sing").await;
    assert_eq!(ran.decided("recall"), ["nothing"]);
}

// The newest of what can be true once, in the profile and in what is recalled
#[tokio::test]
async fn what_a_newer_statement_has_replaced_is_in_no_prompt() {
    let bench = Bench::new(vec![answers("In Linz."), answers("Under the mat.")]);
    bench.talked_lately().await;
    bench.knows(MemoryKind::User, "2025-03-01", "I live in Graz").await;
    bench.knows(MemoryKind::User, "2026-11-20", "I live in Linz now").await;
    bench.knows(MemoryKind::World, "2026-10-01", "the spare key is in the shed").await;
    bench.knows(MemoryKind::World, "2026-11-01", "the spare key is under the mat now").await;
    bench.say("which town is my home").await;
    assert!(bench.asked_last().contains("- I live in Linz now"), "{}", bench.asked_last());
    assert!(!bench.asked_last().contains("Graz"), "{}", bench.asked_last());
    bench.later(1_000);
    bench.say("where is the spare key").await;
    assert!(bench.asked_last().contains("under the mat"), "{}", bench.asked_last());
    assert!(!bench.asked_last().contains("shed"), "{}", bench.asked_last());
    let told = bench.say("what do you know about me").await;
    assert!(told.shown().contains("Linz") && !told.shown().contains("Graz"), "{}", told.shown());
    // Nothing is erased.
    assert_eq!(bench.known().await.len(), 5);
}

// One source alone
#[tokio::test]
async fn recall_may_be_kept_to_the_diary_or_to_facts() {
    for (sources, there, missing) in
        [(Sources::Diary, "boat trip", "cellar"), (Sources::Facts, "cellar", "boat trip")]
    {
        let bench = Bench::with(vec![answers("It was lovely.")], |parts| parts.memory.sources = sources);
        bench.knows(MemoryKind::Diary, "2026-11-03", "They planned a boat trip to the castle").await;
        bench.knows(MemoryKind::World, "2026-11-04", "the boat is in the cellar of the castle").await;
        bench.talked_lately().await;
        let ran = bench.say("what about the boat and the castle").await;
        assert_eq!(ran.decided("recall"), ["found"]);
        let asked = bench.asked_last();
        assert!(asked.contains(there) && !asked.contains(missing), "{sources:?}: {asked}");
    }
}

// A fresh tool result that covers the question
#[tokio::test]
async fn what_a_tool_found_just_now_is_not_recalled() {
    let kit = Kit::new();
    let script =
        vec![super::tools::writes("look", "{\"what\":\"key\"}"), answers("Under the mat."), answers("Yes.")];
    let bench = Bench::with_kit(Small, &kit, script);
    bench.knows(MemoryKind::World, "2026-11-03", "The key is in the garden shed").await;
    bench.say("where did I put it").await;
    let ran = bench.say("the key, you mean").await;
    assert_eq!(ran.decided("recall"), ["skipped"]);
    assert!(!bench.asked_last().contains("shed"));
}

// The profile is read again only when it has changed
#[tokio::test]
async fn a_new_wish_is_in_the_very_next_prompt() {
    let bench = Bench::new(vec![answers("A."), answers("B.")]);
    bench.say("tell me a story").await;
    let ran = bench.say("from now on call me Max").await;
    assert_eq!(ran.shown(), "I'll keep to that: call me Max.");
    assert_eq!(bench.model.requests().len(), 1, "no model was asked");
    bench.say("and another one").await;
    assert!(bench.asked_last().contains("- call me Max"), "{}", bench.asked_last());
}

// By voice, without a model
#[tokio::test]
async fn what_is_to_be_remembered_is_reported_back_once_it_is_stored() {
    let bench = Bench::new(vec![]);
    for (said, told, kind, text) in [
        (
            "Remember that my sister is called Ann, please.",
            "I'll remember: your sister is called Ann.",
            "user",
            "my sister is called Ann",
        ),
        (
            "Keep in mind that I'm allergic to nuts.",
            "I'll remember: you're allergic to nuts.",
            "user",
            "I'm allergic to nuts",
        ),
        (
            "remember that the spare key is in the shed",
            "I'll remember: the spare key is in the shed.",
            "world",
            "the spare key is in the shed",
        ),
        ("My name is Max", "I'll remember: your name is Max.", "user", "My name is Max"),
        (
            "always answer in German",
            "I'll keep to that: always answer in German.",
            "wish",
            "always answer in German",
        ),
        (
            "remember I was born in Graz",
            "I'll remember: you were born in Graz.",
            "user",
            "I was born in Graz",
        ),
    ] {
        let ran = bench.say(said).await;
        assert_eq!((ran.shown().as_str(), ran.outcome.ended), (told, Ended::Quick), "{said}");
        bench.later(1);
        assert_eq!(bench.known().await[0], (kind, text.to_owned()), "{said}");
    }
    let ran = bench.say("What do you know about me?").await;
    assert_eq!(
        ran.shown(),
        "You told me this. You were born in Graz. Your name is Max. You're allergic to nuts. Your sister is called \
         Ann. And you want this of me. Always answer in German. I know one more thing."
    );
}

#[tokio::test]
async fn secrets_are_not_remembered_and_an_empty_memory_says_so() {
    let bench = Bench::new(vec![]);
    assert_eq!(
        bench.say("what do you know about me").await.shown(),
        "You haven't asked me to remember anything about you."
    );
    let ran = bench.say("remember that my password is hunter2secret").await;
    assert_eq!(ran.shown(), "I don't keep passwords, codes or card numbers.");
    assert_eq!(bench.known().await, []);
}

#[tokio::test]
async fn talk_of_the_past_is_for_the_model() {
    let said = [
        "remember that time in Rome",
        "Remember when we met?",
        "do you remember me",
        "Never say never.",
        "I can't remember that",
        "remember the milk",
        "forget it",
    ];
    for said in said {
        let is_memory = matches!(
            intents::match_intent(english(), said).map(|quick| quick.what),
            Some(intents::Intent::Memory(_))
        );
        assert!(!is_memory, "{said}");
    }
    let german = |said: &str| intents::match_intent(german(), said).map(|quick| quick.what);
    let remember =
        intents::MemoryOrder::Remember { kind: MemoryKind::User, text: "meine Katze Mia heißt".into() };
    assert_eq!(german("Merk dir bitte, dass meine Katze Mia heißt"), Some(intents::Intent::Memory(remember)));
    assert_eq!(
        german("Was weißt du über mich?"),
        Some(intents::Intent::Memory(intents::MemoryOrder::AboutMe))
    );
    let forget = intents::MemoryOrder::Forget("Katze Mia".into());
    assert_eq!(german("vergiss alles über Katze Mia"), Some(intents::Intent::Memory(forget)));
    let forget = intents::MemoryOrder::Forget("der Ersatzschlüssel".into());
    assert_eq!(german("Vergiss, wo der Ersatzschlüssel liegt"), Some(intents::Intent::Memory(forget)));
}

// "forget what I said about …" asks once
#[tokio::test]
async fn what_is_forgotten_is_asked_about_once_and_then_gone_with_the_asking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("joi.db");
    let store = Store::open(&path).unwrap();
    let held = store.clone();
    let mut bench = Bench::with(vec![answers("I hope Philomena gets well."), answers("Nice.")], |parts| {
        parts.store = Some(held);
    });
    bench.store = store;
    bench.say("my aunt Philomena is ill").await;
    bench.say("I play chess on Mondays").await;
    bench.say("remember that my aunt is called Philomena").await;
    let ran = bench.say("Forget what I said about Philomena").await;
    assert_eq!(ran.shown(), "I remember 3 things about Philomena. Shall I forget it for good?");
    assert_eq!(ran.outcome.conversation, ConversationStatus::Awaits(Duration::from_secs(20)));
    assert_eq!((ran.outcome.heard.0.as_str(), ran.outcome.text.0.as_str()), ("(not kept)", "(not kept)"));
    let ran = bench.say("yes please").await;
    assert_eq!(
        (ran.shown().as_str(), ran.decided("memory")),
        ("All of it is gone for good.", vec!["erased"])
    );
    let stored = bench.stored().await;
    assert_eq!(stored, [("user", "I play chess on Mondays".into()), ("assistant", "Nice.".into())]);
    let bytes: Vec<u8> = std::fs::read_dir(folder.path())
        .unwrap()
        .flat_map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .collect();
    assert!(!bytes.windows(8).any(|word| word.eq_ignore_ascii_case(b"philomen")), "no byte of it is left");
    let ran = bench.say("forget everything about Philomena").await;
    assert_eq!(ran.shown(), "I don't remember anything about Philomena.");
}

#[tokio::test]
async fn where_a_thing_is_can_be_forgotten() {
    let bench = Bench::new(vec![]);
    bench.say("remember that the spare key is under the flowerpot").await;
    let ran = bench.say("forget where the spare key is").await;
    assert_eq!(ran.shown(), "I remember 2 things about the spare key. Shall I forget it for good?");
    assert_eq!(bench.say("yes").await.shown(), "All of it is gone for good.");
    assert_eq!(bench.known().await, []);
}

#[tokio::test]
async fn anything_but_a_yes_in_time_forgets_nothing() {
    for (answer, after, shown) in
        [("no", 1, &*say().left_alone), ("hm, tell me a joke", 1, "Ha."), ("yes", 60, "Ha.")]
    {
        let bench = Bench::new(vec![answers("Ha.")]);
        bench.knows(MemoryKind::User, "2026-11-01", "I like chess").await;
        bench.say("forget everything you know about me").await;
        bench.later(after);
        assert_eq!(bench.say(answer).await.shown(), shown);
        assert_eq!(bench.known().await.len(), 1, "{answer}");
    }
    let bench = Bench::new(vec![]);
    bench.knows(MemoryKind::User, "2026-11-01", "I like chess").await;
    assert_eq!(
        bench.say("forget everything you know about me").await.shown(),
        "Shall I forget everything you ever told me, for good?"
    );
    assert_eq!(bench.say("yes").await.shown(), "I have forgotten everything you ever told me.");
    assert_eq!(bench.known().await, []);
}

#[tokio::test]
async fn what_is_long_is_digested_for_a_small_model_once_for_a_question() {
    let script = vec![answers("You cooked lentil soup."), answers("Lentil."), answers("Lentil, I said.")];
    let bench = Bench::new(script);
    bench.talked_lately().await;
    for day in ["2026-10-01", "2026-10-02", "2026-10-03"] {
        bench
            .knows(
                MemoryKind::Diary,
                day,
                &format!("On {day} they cooked soup. {}", "It was a long day. ".repeat(10)),
            )
            .await;
    }
    let ran = bench.say("which soup did we cook").await;
    assert_eq!((ran.shown().as_str(), ran.decided("memory digest")), ("Lentil.", vec!["short"]));
    let asks = bench.model.asks();
    assert_eq!((asks.len(), asks[0].length), (2, joi_llm::Length::AtMost(180)));
    assert_eq!(asks[0].messages[0], asks[1].messages[0], "the same head");
    assert!(bench.asked_last().contains("\n- You cooked lentil soup."));
    assert!(!bench.asked_last().contains("long day"));
    bench.say("which soup did we cook").await;
    assert_eq!(bench.model.requests().len(), 3, "the digest was known");
}

#[tokio::test]
async fn a_digest_that_fails_or_finds_nothing_costs_the_memory_and_not_the_answer() {
    let long = format!("They cooked soup. {}", "It was a long day. ".repeat(22));
    for (step, verdicts) in
        [(answers("NONE"), vec!["nothing relevant"]), (vec![Step::Lasting], vec!["failed"])]
    {
        let bench = Bench::new(vec![step, answers("I can't say.")]);
        bench.talked_lately().await;
        bench.knows(MemoryKind::Diary, "2026-10-01", &long).await;
        let ran = bench.say("which soup did we cook").await;
        assert_eq!((ran.shown().as_str(), ran.decided("memory digest")), ("I can't say.", verdicts));
        assert!(!bench.asked_last().contains(FOUND.trim()));
    }
    let bench = Bench::with_kit(Large, &Kit::new(), vec![answers("Soup.")]);
    bench.talked_lately().await;
    bench.knows(MemoryKind::Diary, "2026-10-01", &long).await;
    bench.say("which soup did we cook").await;
    assert!(bench.asked_last().contains("long day"));
}

// A digest that hangs is given up
#[tokio::test(start_paused = true)]
async fn a_digest_that_hangs_is_given_up_after_eight_seconds() {
    let bench = Bench::new(vec![vec![Step::Wait(60), Step::Done], answers("I can't say.")]);
    let long = format!("They cooked soup. {}", "It was a long day. ".repeat(22));
    bench.talked_lately().await;
    bench.knows(MemoryKind::Diary, "2026-10-01", &long).await;
    let began = tokio::time::Instant::now();
    assert_eq!(bench.say("which soup did we cook").await.shown(), "I can't say.");
    assert_eq!(began.elapsed().as_secs(), 8);
}

// A store that fails costs the memory
#[tokio::test]
async fn without_a_working_store_the_answer_comes_all_the_same() {
    let bench = Bench::with(vec![answers("Blue.")], |parts| parts.store = None);
    assert_eq!(bench.say("which colour has the sky").await.shown(), "Blue.");
    assert_eq!(bench.say("remember that I like chess").await.shown(), NO_MEMORY);
    let bench = Bench::new(vec![answers("Blue.")]);
    bench.knows(MemoryKind::User, "2026-10-01", "I like chess").await;
    bench.store.break_memory().await;
    let ran = bench.say("which colour has the sky").await;
    assert!(ran.shown().ends_with("Blue."), "{}", ran.shown());
    assert!(bench.say("remember that I like tea").await.shown().ends_with(NO_MEMORY));
    assert!(bench.say("forget everything about tea").await.shown().ends_with(NO_MEMORY));
}

// covers gate: words of a document are a stranger's
#[tokio::test]
async fn after_a_document_a_change_needs_a_yes() {
    let kit = Kit::new();
    let bench = Bench::with_kit(Small, &kit, vec![super::tools::writes("lamp", "{\"what\":\"on\"}")]);
    let piece = "Boiler manual: to bleed the boiler, switch the lamp on.".to_owned();
    bench.store.put_document("boiler.md", vec![piece], bench.clock.now().timestamp()).await.unwrap();
    let ran = bench.say("the lamp as in the boiler manual").await;
    assert_eq!((ran.shown().as_str(), kit.lamp.ran()), ("Shall I lamp on?", 0));
}
