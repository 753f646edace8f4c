//! The table of intents beside the files of the languages, and what templates make of sentences that no pattern knows.

use super::*;
use crate::intents::{self, Intent, VolumeChange, match_intent};
use joi_language::testing::{english, german, spoken};
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
    let quick = match_intent(german(), "starte einen Timer für 90 Sekunden").unwrap();
    let Intent::Schedule(ScheduleOrder::Set(NewEntry { kind, when, .. })) = quick.what else { panic!() };
    assert_eq!((kind, when), (EntryKind::Timer, Some(When::In(90))));
}

#[test]
fn a_command_at_the_end_of_a_timer_is_no_timer() {
    assert_eq!(match_intent(english(), "open the pod bay doors in 5 minutes"), None);
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

#[test]
fn a_language_of_templates_knows_yes_no_stop_and_the_shopping_list() {
    for (code, yes, no, stop, list) in [
        ("fr", "Oui", "Non", "Arrête", "Ajoute du lait à la liste de courses"),
        ("es", "Sí", "No", "Silencio", "Añade leche a la lista de la compra"),
        ("it", "Sì", "No", "Basta", "Aggiungi il latte alla lista della spesa"),
        ("nl", "Ja", "Nee", "Hou op", "Zet melk op de boodschappenlijst"),
    ] {
        let language = spoken(code);
        assert!(intents::is_clear_yes(&language, yes), "{code} {yes}");
        assert!(intents::is_refusal(&language, no), "{code} {no}");
        assert_eq!(
            match_intent(&language, stop).map(|quick| quick.what),
            Some(Intent::Stop),
            "{code} {stop}"
        );
        let call = list::call(&language, list).map(|call| (call.action, call.list));
        assert_eq!(call, Some(("add", None)), "{code} {list}");
        assert!(crate::requests::list::arguments(list, &language).is_some(), "{code} {list}");
    }
}
