//! Commands for another time, or for a while: stored, listed, and never what needs a yes.

use super::*;

/// Creates a house at 10 o'clock where the device has no room.
async fn at_ten(change: impl FnOnce(&mut EngineParts<Scripted>)) -> Housed {
    Housed::in_room("", vec![], change).await
}

async fn waiting(housed: &Housed) -> Vec<String> {
    waiting_in(&housed.bench).await
}

/// Returns the commands that are scheduled for the house.
pub(super) async fn waiting_in(bench: &Bench) -> Vec<String> {
    let schedule = bench.engine.parts.schedule.clone().unwrap();
    let entries = schedule.entries().await.unwrap();
    let sent = |entry: &joi_schedule::Entry| {
        entry.does.iter().map(|one| format!("{}={}", one.item, one.text)).collect::<Vec<_>>().join(" ")
    };
    entries.iter().map(sent).collect()
}

#[tokio::test]
async fn a_command_for_later_is_stored_reported_with_its_moment_and_listed() {
    let housed = at_ten(|_| {}).await;
    let told = housed.says("turn on the hall light in ten minutes").await;
    assert_eq!(told, "In 10 minutes: Hall light on.");
    assert_eq!(
        housed.says("In half an hour turn off the kitchen light").await,
        "In 30 minutes: Kitchen light off."
    );
    assert_eq!(waiting(&housed).await, ["Hall_Light=ON", "Kitchen_Light=OFF"]);
    assert_eq!(
        housed.says("list all timers").await,
        "There are no timers.",
        "they are no timers of anybody who asks for timers"
    );
    assert_eq!(
        housed.says("what is scheduled?").await,
        "In 10 minutes: Hall light on. In 30 minutes: Kitchen light off."
    );
    assert_eq!(housed.says("cancel the hall light timer").await, "Hall light on cancelled.");
    assert_eq!(waiting(&housed).await, ["Kitchen_Light=OFF"]);
    assert_eq!(housed.sent(), [], "nothing is done now");
}

#[tokio::test]
async fn a_time_of_day_and_a_moment_of_the_house_are_understood() {
    let housed = Housed::in_room("", vec![scripted::answers("Up to you.")], |_| {}).await;
    let told = housed.says("turn on the hall light at seven").await;
    assert!(told.contains("7 PM: Hall light on."), "{told}");
    let now = housed.bench.clock.now();
    let sunset = now.timestamp().checked_add(jiff::SignedDuration::from_hours(2)).unwrap();
    let written = sunset.to_zoned(now.time_zone().clone()).strftime("%Y-%m-%dT%H:%M:%S.000%z").to_string();
    housed.demo.set("Sunset", &written);
    housed.until(|view| view.house.item("Sunset").unwrap().state.text == written).await;
    assert_eq!(housed.says("turn on the kitchen light at sunset").await, "In 2 hours: Kitchen light on.");
    assert_eq!(housed.says("when the sun sets, turn on the hall light").await, "In 2 hours: Hall light on.");
    assert_eq!(housed.says("when it gets dark switch on the desk lamp").await, "In 2 hours: Desk lamp on.");
    assert_eq!(
        housed.says("turn on the kitchen light at sunrise").await,
        "I don't know when that is, or it is over; nothing was done."
    );
    assert_eq!(waiting(&housed).await.len(), 4);
    let asked = housed.says("when the sun sets, should I turn off the hall light?").await;
    assert_eq!(waiting(&housed).await.len(), 4, "a question sets nothing: {asked}");
}

#[tokio::test]
async fn for_a_while_is_now_and_back_later() {
    let housed = at_ten(|_| {}).await;
    let told = housed.says("turn on the hall light for an hour").await;
    assert_eq!(told, "Hall light is on. In 1 hour: Hall light off.");
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON")]));
    assert_eq!(waiting(&housed).await, ["Hall_Light=OFF"]);
    let told = housed.says("set the living room blinds to 60 percent for ten minutes").await;
    assert!(told.starts_with("Done. In 10 minutes: Living room blinds"), "{told}");
    let mut lost = at_ten(|_| {}).await;
    lost.demo.stop();
    lost.until(|view| !view.link.is_up()).await;
    let told = lost.bench.say("turn on the hall light for an hour").await.outcome.text.0;
    assert_eq!(told, "I can't reach the house at the moment.");
    assert_eq!(waiting(&lost).await, [""; 0], "what was not done is not brought back");
}

#[tokio::test]
async fn what_is_to_be_done_later_is_taken_back_and_is_it() {
    let housed = at_ten(|_| {}).await;
    housed.says("turn on the hall light in ten minutes").await;
    assert_eq!(housed.says("undo that").await, "Hall light on cancelled.");
    assert_eq!((waiting(&housed).await.len(), housed.sent().len()), (0, 0));
    housed.says("turn on the hall light in ten minutes").await;
    assert_eq!(housed.says("turn it on now").await, "Hall light is on.", "it is what was spoken of");
    let housed = at_ten(|_| {}).await;
    housed.says("turn on the hall light for an hour").await;
    assert_eq!(housed.says("turn it back").await, "Hall light off cancelled. Hall light is off.");
    assert_eq!(waiting(&housed).await, [""; 0], "nothing is left to be brought back");
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON"), ("Hall_Light", "OFF")]));
}

#[tokio::test]
async fn where_it_is_not_clear_which_is_meant_that_is_asked_and_the_time_still_counts() {
    let housed = at_ten(|_| {}).await;
    let asked = housed.says("turn off the lights in ten minutes").await;
    assert_eq!(asked, "In which room?");
    let told = housed.says("in the kitchen").await;
    assert!(told.starts_with("In 10 minutes: ") && told.contains("Kitchen light off"), "{told}");
    assert_eq!(housed.sent(), [], "nothing is done now");
    let taken_back = housed.says("cancel that").await;
    assert!(taken_back.contains("cancelled"), "{taken_back}");
    assert_eq!(waiting(&housed).await, [""; 0]);
}

#[tokio::test]
async fn who_cancels_what_was_just_done_has_it_taken_back() {
    let housed = at_ten(|_| {}).await;
    housed.says("turn on the hall light").await;
    assert_eq!(housed.says("no, cancel that").await, "Hall light is off.");
    housed.says("turn on the hall light").await;
    housed.says("what time is it?").await;
    assert_eq!(housed.says("cancel that").await, "All right.", "something else was spoken of");
}

#[tokio::test]
async fn what_needs_a_yes_comes_again_and_again_or_can_not_be_stored_is_refused() {
    let housed = at_ten(|_| {}).await;
    let nobody = "That needs a yes when it is done, so I don't do it later; nothing was done.";
    assert_eq!(housed.says("unlock the front door in ten minutes").await, nobody);
    assert_eq!(housed.says("open the garage door for ten minutes").await, nobody);
    let again = "I can only do that once, at a moment you name; nothing was done.";
    assert_eq!(housed.says("turn on the hall light every evening").await, again);
    assert_eq!(housed.says("turn on the hall light at seven on weekdays").await, again);
    assert!(housed.bench.voice.with(|state| state.question.is_none()));
    assert_eq!((waiting(&housed).await.len(), housed.sent().len()), (0, 0));
    let forgetful = at_ten(|parts| parts.schedule = None).await;
    assert_eq!(forgetful.says("turn on the hall light in ten minutes").await, again);
    assert_eq!(forgetful.sent(), []);
}

#[tokio::test]
async fn a_question_and_what_somebody_else_said_are_no_command_for_later() {
    let script = || scripted::answers("I don't know.");
    let housed = Housed::in_room("", vec![script(), script(), script()], |_| {}).await;
    housed.says("should I turn on the hall light in ten minutes?").await;
    housed.says("is the hall light on in ten minutes?").await;
    housed.says("don't turn on the hall light in ten minutes").await;
    assert_eq!((waiting(&housed).await.len(), housed.sent().len()), (0, 0));
}

#[tokio::test]
async fn german_says_it_in_its_own_way() {
    let housed = at_ten(|parts| {
        parts.languages = joi_language::Languages::new(joi_language::Language::load("de").unwrap())
    })
    .await;
    let told = housed.says("Schalte Hall light in zehn Minuten ein").await;
    assert_eq!(told, "In 10 Minuten: Hall light an.");
    assert_eq!(
        housed.says("Mach Kitchen light für eine Stunde aus").await,
        "Kitchen light ist aus. In 1 Stunde: Kitchen light an."
    );
    assert_eq!(waiting(&housed).await, ["Hall_Light=ON", "Kitchen_Light=ON"]);
}
