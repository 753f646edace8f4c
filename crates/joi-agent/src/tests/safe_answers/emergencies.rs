//! Emergencies beside a wish that something stays, a stop, thanks, commands, and questions that wait for a yes.

use super::*;

/// Rows of `tests/data/care` that are emergencies, each said in a conversation of its own.
async fn said_first(code: &str, language: &Language, corpus: &str, wrong: &mut Vec<String>) -> usize {
    let own = Language::load(code).unwrap();
    let looked = Looking::with(vec![], |parts| parts.languages.replace(own), true).await;
    looked.bench.model.follows(Box::new(|_| answers("The model's words.")));
    let is_urgent = |row: &&str| !row.starts_with(['#']) && !row.starts_with("none\t");
    let rows: Vec<&str> = corpus.lines().skip(1).filter(is_urgent).collect();
    for row in &rows {
        let (matter, asked) = row.split_once('\t').unwrap();
        looked.bench.later(3_600);
        let shown = looked.say(asked).await.shown();
        if !shown.starts_with(&words(language).answer(matter, "").unwrap()) {
            wrong.push(format!("{row}: {shown}"));
        }
    }
    rows.len()
}

#[tokio::test]
async fn an_emergency_is_answered_before_whatever_else_is_said() {
    let mut wrong = Vec::new();
    let mixed = include_str!("../../../../../tests/data/care/en.mixed.tsv");
    let mut rows = said_first("en", english(), mixed, &mut wrong).await;
    let mixed = include_str!("../../../../../tests/data/care/de.mixed.tsv");
    rows += said_first("de", german(), mixed, &mut wrong).await;
    assert_eq!(wrong, [""; 0], "{} of {rows}", wrong.len());
}

#[tokio::test]
async fn an_emergency_is_no_answer_to_what_was_asked() {
    for answer_to_it in ["No, my chest hurts.", "Yes please, my chest hurts.", "Stop, my chest hurts!"] {
        let looked = Looking::new(vec![]).await;
        looked.say(PILLS).await;
        let ran = looked.say(answer_to_it).await;
        assert_eq!((ran.shown(), ran.decided("gate")), (answer("heart"), vec!["no"]), "{answer_to_it}");
        assert_eq!(looked.queries(), [""; 0], "nothing is looked up");
        assert_eq!(ran.outcome.conversation, ConversationStatus::GoesOn);
    }
}

#[tokio::test]
async fn what_can_be_done_beside_an_emergency_is_done_behind_it() {
    for (asked, done) in [
        ("Set a timer for ten minutes because I have chest pain.", "Timer, 10 minutes."),
        ("set a timer for ten minutes my chest hurts", "Timer, 10 minutes."),
        ("What time is it and my chest hurts.", "It's 2:05 PM."),
        ("Don't set a timer for ten minutes, my chest hurts.", ""),
        ("My chest hurts, don't turn off the light.", ""),
        ("Thanks, but my chest hurts.", ""),
    ] {
        let looked = Looking::new(vec![]).await;
        let ran = looked.say(asked).await;
        let both = format!("{} {done}", answer("heart"));
        let shown = ran.shown();
        assert_eq!(shown.split_whitespace().collect::<Vec<_>>().join(" "), both.trim(), "{asked}");
        assert_eq!(ran.outcome.conversation, ConversationStatus::GoesOn, "{asked}: she goes on listening");
    }
}

#[tokio::test]
async fn no_model_is_asked_in_an_emergency() {
    for size in [ModelSize::Small, ModelSize::Large] {
        let looked = Looking::new(vec![]).await;
        looked.bench.model.follows(Box::new(|_| answers("Yes, you can.")));
        looked.bench.model.state.send_replace(scripted::ready(size));
        let shown = looked.say("My chest hurts, don't turn off the light.").await.shown();
        assert_eq!(shown, answer("heart"), "{size:?}");
        let shown = looked.say("Can I mix bleach and vinegar?").await.shown();
        assert!(shown.starts_with(&answer("cleaners")), "{size:?} {shown}");
    }
}
