//! What of `care.toml` can be used, and what is said of a matter.

use super::*;

const ENGLISH: &str = include_str!("../../../../assets/language/en/care.toml");

fn english() -> SafetyWords {
    SafetyWords::read(ENGLISH).unwrap()
}

#[test]
fn what_can_not_be_used_is_an_error_that_names_its_key() {
    for (from, to, key) in [
        ("orders = [", "orders = [\"(\", ", "orders"),
        ("figures = [", "figures = [\"(\", ", "figures"),
        ("matter = \"burn\"", "matter = \"burns\"", "rule.matter is \"burns\""),
        ("tells = [\"chest", "tells = [\"a\"]\nasks = [\"chest", "asks, tells and always"),
        ("offer = \"Shall", "offer = \"{number} Shall", "look_up.say.offer"),
        ("lead = \"", "lead = \"{lead}", "words.lead"),
        ("gas = \"Touch", "gas = \"{site} Touch", "gas"),
        ("[number]", "[number]\nthird = \"\"", "third"),
    ] {
        let faulty = ENGLISH.replacen(from, to, 1);
        assert_ne!(faulty, ENGLISH, "{from}");
        let error = SafetyWords::read(&faulty).map(drop).unwrap_err();
        assert!(error.contains(key), "{key}: {error}");
    }
}

#[test]
fn the_emergency_number_is_named_only_where_it_is_known() {
    let words = english();
    assert!(words.answer("stroke", "").unwrap().contains("call your emergency number at once"));
    assert!(words.answer("stroke", "112").unwrap().contains("call 112 at once"));
    assert_eq!(words.answer("weather", "112"), None);
    assert_eq!(
        (words.urgency("stroke"), words.urgency("food")),
        (MatterUrgency::Urgent, MatterUrgency::Careful)
    );
}

#[test]
fn every_answer_is_short_enough_to_be_heard_and_belongs_to_a_rule() {
    for text in [ENGLISH, include_str!("../../../../assets/language/de/care.toml")] {
        let words = SafetyWords::read(text).unwrap();
        for matter in words.matters() {
            let answer = words.answer(matter, "").unwrap();
            assert!(answer.split_whitespace().count() <= 45, "{matter}: {answer}");
            assert!(words.rules.iter().any(|rule| rule.matter == matter), "{matter}");
        }
    }
}

#[test]
fn a_site_is_named_as_people_call_it_and_relied_on_by_its_end() {
    let sites = &english().sites;
    for (host, name, is_trusted) in [
        ("en.wikipedia.org", "Wikipedia", true),
        ("www.nhs.uk", "the NHS", true),
        ("www.example.org", "example.org", false),
        ("notwikipedia.org", "notwikipedia.org", false),
        ("wikipedia.org.evil.example", "wikipedia.org.evil.example", false),
        ("www.cdc.gov", "the CDC", true),
    ] {
        assert_eq!((sites.name(host), sites.is_trusted(host)), (name, is_trusted), "{host}");
    }
}
