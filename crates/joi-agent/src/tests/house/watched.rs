//! Watches by words: set, listed, ended, refused, asked about; no model is asked.

use super::*;

/// Creates a house where the device has no room.
async fn housed() -> Housed {
    Housed::in_room("", vec![], |_| {}).await
}

#[tokio::test]
async fn a_watch_is_set_listed_and_ended_by_words() {
    let housed = housed().await;
    let lines = [
        ("What are you watching?", "I'm not watching anything."),
        ("Tell me when the garage opens.", "I'll tell you when Garage door is open."),
        ("let me know if the garage opens", "I'm watching for that already."),
        (
            "Each time the kitchen window has been open for ten minutes, let me know, please.",
            "I'll tell you every time Kitchen window has been open for 10 minutes. It is so now; I count from here.",
        ),
        (
            "could you, um, let me know when it gets below five degrees outside",
            "I'll tell you when Outside temperature is below 5 °C.",
        ),
        ("when the front door opens, turn on the hall light", "When Front door is open: Hall light on."),
        ("stop watching the garage", "Not any more: when Garage door is open."),
        ("stop watching the garage", "I'm not watching garage."),
        ("is the garage door open?", "No, it's closed."),
        ("remind me to feed the cat in ten minutes", "Reminder in 10 minutes: feed the cat."),
    ];
    for (said, answer) in lines {
        assert_eq!(housed.says(said).await, answer, "{said}");
    }
    let listed = housed.says("what are you watching for?").await;
    assert!(listed.contains("when Front door is open, Hall light on"), "{listed}");
    let ended = housed.says("stop watching everything").await;
    assert!(ended.starts_with("Not any more: every time Kitchen window"), "{ended}");
    assert_eq!(housed.says("what are you watching?").await, "I'm not watching anything.");
    assert_eq!(housed.sent(), [], "nothing is done now");
    assert_eq!(housed.bench.model.requests().len(), 0);
}

#[tokio::test]
async fn what_is_not_there_or_can_not_be_so_is_refused_by_name_and_what_needs_a_yes_is_not_stored() {
    let housed = housed().await;
    for (said, answer) in [
        ("tell me when the dishwasher is done", "I don't find dishwasher in the house."),
        ("tell me when Charlotte comes home", "The house doesn't show me whether charlotte is at home."),
        ("tell me when the hall light is locked", "The house doesn't show me that of Hall light."),
        (
            "when the garage opens, unlock the front door",
            "That needs a yes when it is done, so I don't do it later; nothing was done.",
        ),
    ] {
        assert_eq!(housed.says(said).await, answer, "{said}");
    }
    assert_eq!(housed.says("what are you watching?").await, "I'm not watching anything.");
}

#[tokio::test]
async fn of_several_things_the_meant_one_is_asked_for() {
    let housed = housed().await;
    let asked = housed.says("tell me when it gets below 20 degrees").await;
    assert!(asked.starts_with("Which one do you mean") || asked.starts_with("In which room"), "{asked}");
    let told = housed.says("in the bedroom").await;
    assert_eq!(
        told,
        "I'll tell you when Temperature in Bedroom is below 20 °C. It is so now; I'll wait for the next time."
    );
}

#[tokio::test]
async fn a_watch_that_commands_passes_the_policy_of_its_owner() {
    let asks = |parts: &mut EngineParts<Scripted>| parts.tool_rules.always_ask = vec!["homeCommand".into()];
    let housed = Housed::in_room("", vec![], asks).await;
    let asked = housed.says("when the front door opens, turn on the hall light").await;
    assert!(asked.starts_with("Shall I"), "{asked}");
    assert_eq!(housed.says("no").await.is_empty(), false);
    assert_eq!(housed.says("what are you watching?").await, "I'm not watching anything.");
    housed.says("when the front door opens, turn on the hall light").await;
    assert_eq!(housed.says("yes").await, "When Front door is open: Hall light on.");
    assert_eq!(housed.says("tell me when the garage opens").await, "I'll tell you when Garage door is open.");
}
