//! What no small model knows: it is said, or looked up, and never asked of the model.

use super::*;
use joi_answer::news;

const NEWS: &str = "What's in the news today?";

fn topic(name: &str) -> (String, String) {
    let asked = if name == "mail" { "Do I have any new emails?" } else { NEWS };
    let topic = english().out_of_reach(asked).expect("a topic");
    (topic.say.clone(), topic.remedy.clone())
}

#[tokio::test]
async fn what_is_out_of_reach_is_said_with_what_can_be_done_and_no_model_is_asked() {
    let bench = Bench::shipped(vec![]).rebuilt(|parts| {
        let means = ToolServices {
            store: parts.store.clone(),
            schedule: parts.schedule.clone(),
            reads_when: intents::when,
            clock: Arc::clone(&parts.clock),
            home: None,
            http: None,
        };
        parts.tools = builtin(&parts.tool_rules, &means).into();
    });
    for (asked, name) in [(NEWS, "news"), ("Do I have any new emails?", "mail")] {
        let ran = bench.say(asked).await;
        let (say, remedy) = topic(name);
        assert_eq!(ran.shown(), format!("{say} {remedy}"), "{asked}");
        assert_eq!(ran.decided("reach"), [name]);
    }
    assert!(bench.model.requests().is_empty());
    assert!(news::has_news(english(), NEWS, &topic("news").0));
}

#[tokio::test]
async fn a_search_of_the_web_is_offered_for_what_is_public() {
    let looked = Looking::new(vec![]).await;
    let ran = looked.say(NEWS).await;
    assert_eq!(ran.shown(), format!("{} {}", topic("news").0, looking().offer));
    assert!(looked.queries().is_empty(), "nothing is looked up without a yes");
    let ran = looked.say("Do I have any new emails?").await;
    let (say, remedy) = topic("mail");
    assert_eq!(ran.shown(), format!("{say} {remedy}"), "no page of the web knows it");
    assert!(looked.bench.model.requests().is_empty());
}
