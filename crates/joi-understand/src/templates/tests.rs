//! The table of intents beside the files of the languages, and what templates make of sentences that no pattern knows.

use super::*;
use crate::intents::{Intent, VolumeChange, match_intent};
use joi_language::testing::{english, german};
use joi_language::values::{EntryKind, NewEntry, ScheduleOrder, When};

#[test]
fn every_intent_of_a_language_is_in_the_table() {
    for language in [english(), german()] {
        let missing: Vec<&str> =
            language.templates().unwrap().intents().filter(|intent| table::of(intent).is_none()).collect();
        assert_eq!(missing, [""; 0], "{}", language.code());
    }
}

#[test]
fn a_timer_is_set_by_a_template_that_no_pattern_knows() {
    let quick = quick::intent(german(), "starte einen Timer für 90 Sekunden", quick::Freedom::Names).unwrap();
    let Intent::Schedule(ScheduleOrder::Set(NewEntry { kind, when, .. })) = quick.what else { panic!() };
    assert_eq!((kind, when), (EntryKind::Timer, Some(When::In(90))));
}

#[test]
fn a_command_at_the_end_of_a_timer_is_no_timer() {
    assert_eq!(quick::intent(english(), "open the pod bay doors in 5 minutes", quick::Freedom::Names), None);
}

#[test]
fn the_volume_without_a_player_is_the_devices_own() {
    let changed = |said: &str| match_intent(english(), said).map(|quick| quick.what);
    assert_eq!(changed("turn the volume up by 5%"), Some(Intent::Volume(VolumeChange::By(5))));
    assert_eq!(changed("volume down 20 percent"), Some(Intent::Volume(VolumeChange::By(-20))));
}

#[test]
fn what_only_the_conversation_knows_is_on_no_list() {
    let call = list::call(english(), "add it to my list").unwrap();
    assert_eq!(call.text, "it");
    assert_eq!(crate::requests::list::arguments("add that to my list", english()), None);
}

#[test]
fn words_that_a_template_knows_are_no_name() {
    let Some(quick) = match_intent(german(), "pausiere unseren Timer für 9 Minuten") else { panic!() };
    assert!(matches!(quick.what, Intent::Schedule(ScheduleOrder::Pause(_))), "{:?}", quick.what);
}
