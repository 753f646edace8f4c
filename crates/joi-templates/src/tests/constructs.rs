//! Each construct of templates.

use super::*;
use crate::{DigitsOnly, SlotOrigin, TemplateFault, TemplateFileError};

fn accepts(template: &str, yes: &[&str], no: &[&str]) {
    let templates = templates(json!({"intents": one(&[template])}));
    for sentence in yes {
        assert!(!matches(&templates, sentence).is_empty(), "\"{template}\" should match \"{sentence}\"");
    }
    for sentence in no {
        assert!(matches(&templates, sentence).is_empty(), "\"{template}\" should not match \"{sentence}\"");
    }
}

#[test]
fn words_are_compared_without_case_and_punctuation() {
    accepts("turn it on", &["Turn it ON!", " turn  it on "], &["turn it", "turn it on now", "turniton"]);
    accepts("l'entrée est ouverte", &["L’entre\u{301}e est ouverte ?"], &["l'entree est ouverte"]);
}

#[test]
fn one_of_the_alternatives_is_said() {
    accepts("(turn|switch) (it|them) on", &["switch them on"], &["turn switch it on", "turn on"]);
    accepts("hour( |-)long[s]", &["hour long", "hour-longs"], &["hourlong"]);
}

#[test]
fn an_optional_part_may_be_missing() {
    accepts("lamp[s] [please] on", &["lamps please on", "lamp on"], &["lampson", "lamp pleaseon"]);
    accepts("[the|my] lamp", &["the lamp", "my lamp", "lamp"], &["the my lamp"]);
}

#[test]
fn parts_of_a_permutation_come_in_any_order() {
    accepts("(on;lamp;[now])", &["on lamp", "lamp now on", "now lamp on"], &["on on lamp", "on", "lamp now"]);
}

#[test]
fn rules_are_expanded_and_those_of_a_block_come_first() {
    let rules = json!({"the": "(the|my)", "thing": "<the> lamp"});
    let mut intents = one(&["<thing> on"]);
    intents["Local"] = json!({"data": [{"sentences": ["<thing> off"], "expansion_rules": {"the": "that"}}]});
    let templates = templates(json!({"intents": intents, "expansion_rules": rules}));
    assert_eq!(matches(&templates, "my lamp on").len(), 1);
    assert!(matches(&templates, "that lamp on").is_empty());
    assert_eq!(matches(&templates, "that lamp off")[0].intent, "Local");
    assert!(matches(&templates, "my lamp off").is_empty());
}

#[test]
fn a_list_fills_its_slot_with_words_value_and_span() {
    let templates = templates(json!({"intents": one(&["turn on [the] {name:thing} in [the] {area}"])}));
    let found = matches(&templates, "Turn on the reading  lamp, in the Living-Room.");
    let thing = &found[0].slots[0];
    assert_eq!(
        (thing.name.as_str(), &thing.value, thing.text.as_str()),
        ("thing", &json!("reading lamp"), "reading lamp")
    );
    assert_eq!(thing.span, Some(12..25));
    assert_eq!(found[0].slot("area").expect("an area").span, Some(34..45));
    assert_eq!(found[0].context, MatchContext::new().with("domain", "light"));
    assert_eq!(found[0].literal_chars, "turnontheinthe".len());
    assert!(matches(&templates, "turn on the oven in the kitchen").is_empty());
}

#[test]
fn values_of_a_list_are_templates_with_output() {
    let lists = json!({"mode": {"values": [
        {"in": "auto[matic]", "out": "auto", "metadata": {"n": 1}},
        {"in": "(low|weak)", "out": 1, "context": {"speed": "slow"}},
        "high"
    ]}});
    let templates = templates(json!({"intents": one(&["mode {mode}", "{@mode} it is"]), "lists": lists}));
    assert_eq!(slots(&templates, "mode automatic"), Some(vec![slot("mode", "auto")]));
    assert_eq!(slots(&templates, "mode weak"), Some(vec![slot("mode", 1)]));
    assert_eq!(slots(&templates, "mode high"), Some(vec![slot("mode", "high")]));
    assert_eq!(slots(&templates, "mode middle"), None);
    assert_eq!(matches(&templates, "mode auto")[0].slots[0].metadata, Some(json!({"n": 1})));
    assert_eq!(matches(&templates, "mode low")[0].context.get("speed"), Some(&json!("slow")));
    let captured = &matches(&templates, "weak it is")[0];
    assert_eq!((captured.slots.len(), &captured.captures[0].value), (0, &json!(1)));
}

#[test]
fn numbers_are_read_in_digits_and_words() {
    let file = json!({
        "language": "en",
        "intents": one(&["[to] {level}[ ]%", "down {less}", "{10..20,5:n} steps"]),
        "lists": {
            "level": {"range": {"from": 0, "to": 100, "fractions": "halves"}},
            "less": {"range": {"from": 0, "to": 10, "multiplier": -1}}
        }
    });
    let words = |_: &str, number: f64| if number == 7.0 { vec!["seven".to_owned()] } else { Vec::new() };
    let templates = SentenceTemplates::parse_with(&file.to_string(), &words).expect("templates");
    assert_eq!(slots(&templates, "to 20,5 %"), Some(vec![slot("level", 20.5)]));
    assert_eq!(slots(&templates, "seven%"), Some(vec![slot("level", 7)]));
    assert_eq!(slots(&templates, "to 101%"), None);
    assert_eq!(slots(&templates, "down seven"), Some(vec![slot("less", -7)]));
    assert_eq!(slots(&templates, "15 steps"), Some(vec![slot("n", 15)]));
    assert_eq!(slots(&templates, "12 steps"), None);
    let digits = SentenceTemplates::parse_with(&file.to_string(), &DigitsOnly).expect("templates");
    assert_eq!(slots(&digits, "seven%"), None);
}

#[test]
fn a_wildcard_takes_words_up_to_those_that_follow() {
    let lists = json!({"item": {"wildcard": true}, "minutes": {"range": {"from": 1, "to": 100}}});
    let sentences = ["add {item} to [my] list", "{item} in {minutes} minutes", "play {item}"];
    let templates = templates(json!({"intents": one(&sentences), "lists": lists}));
    let item = |sentence: &str| slots(&templates, sentence).map(|slots| slots[0].1.clone());
    assert_eq!(item("Add Red wine to my list"), Some(json!("Red wine")));
    assert_eq!(item("add a list to list to list"), Some(json!("a list to list")));
    assert_eq!(item("add to list"), None, "nothing is no item");
    assert_eq!(item("open it in 25 minutes"), Some(json!("open it")));
    assert_eq!(item("play it"), Some(json!("it")));
    assert_eq!(item("play"), None);
    let found = &matches(&templates, "add red wine to list")[0].slots[0];
    assert_eq!((found.origin, found.span.clone()), (SlotOrigin::Wildcard, Some(4..12)));
}

#[test]
fn a_wildcard_ends_where_a_word_ends() {
    let lists = json!({"item": {"wildcard": true}});
    let templates =
        templates(json!({"intents": one(&["go {item} {area}", "say {item}{area}"]), "lists": lists}));
    assert_eq!(slots(&templates, "go big kitchen").map(|slots| slots[0].1.clone()), Some(json!("big")));
    assert_eq!(slots(&templates, "go bigkitchen"), None);
    assert_eq!(slots(&templates, "go पिज्जाkitchen").map(|slots| slots[0].1.clone()), Some(json!("पिज्जा")));
    assert_eq!(slots(&templates, "say bigkitchen").map(|slots| slots[0].1.clone()), Some(json!("big")));
}

#[test]
fn the_context_decides_and_fills_slots() {
    let templates = templates(json!({"intents": {
        "Light": {"data": [{"sentences": ["[turn] {name} on"], "requires_context": {"domain": ["light"]}}]},
        "Other": {"data": [{"sentences": ["[turn] {name} on"], "excludes_context": {"domain": "light"}}]},
        "Here": {"data": [{
            "sentences": ["lights on"],
            "slots": {"domain": "light"},
            "requires_context": {"area": {"slot": true}}
        }]}
    }}));
    let names = |sentence: &str, context: &MatchContext| -> Vec<String> {
        let found = templates.recognise(sentence, &house(), context).expect("little work");
        found.into_iter().map(|found| found.intent).collect()
    };
    let nowhere = MatchContext::new();
    assert_eq!(names("turn lamp on", &nowhere), ["Light"]);
    assert_eq!(names("front door on", &nowhere), ["Other"]);
    assert!(names("lights on", &nowhere).is_empty());
    let here = MatchContext::new().with("area", json!({"value": "kitchen", "text": "Kitchen"}));
    assert_eq!(names("lights on", &here), ["Here"]);
    let found = templates.recognise("lights on", &house(), &here).expect("little work");
    let (area, domain) = (found[0].slot("area").expect("area"), found[0].slot("domain").expect("domain"));
    assert_eq!((&area.value, area.origin, &area.span), (&json!("kitchen"), SlotOrigin::Context, &None));
    assert_eq!((&domain.value, domain.origin), (&json!("light"), SlotOrigin::Template));
}

#[test]
fn skip_words_may_be_said_but_a_template_and_a_wildcard_keep_them() {
    let templates = templates(json!({
        "intents": one(&["turn on {name}", "please hold", "say {words}"]),
        "lists": {"words": {"wildcard": true}},
        "skip_words": ["please", "could you"]
    }));
    assert_eq!(slots(&templates, "could you turn on the lamp"), None);
    assert_eq!(slots(&templates, "Could you please turn on lamp, please"), Some(vec![slot("name", "lamp")]));
    assert_eq!(slots(&templates, "please hold"), Some(vec![]));
    assert_eq!(slots(&templates, "please say yes please"), Some(vec![slot("words", "yes please")]));
    let found = matches(&templates, "please turn on lamp");
    assert_eq!(found[0].slots[0].span, Some(15..19), "of the sentence as it was said");
}

#[test]
fn keywords_of_a_block_are_required() {
    let block = json!({"sentences": ["[turn] {name} [on|off]"], "required_keywords": ["on", "off"]});
    let templates = templates(json!({"intents": {"Test": {"data": [block]}}}));
    assert!(!matches(&templates, "lamp Off").is_empty());
    assert!(matches(&templates, "turn lamp").is_empty());
}

#[test]
fn scripts_without_spaces_may_have_them() {
    let templates = templates(json!({
        "language": "zh-CN",
        "settings": {"ignore_whitespace": true},
        "intents": one(&["打开{place}[的]灯"]),
        "lists": {"place": {"values": ["客厅", "TV room"]}}
    }));
    assert_eq!(slots(&templates, "打开客厅的灯"), Some(vec![slot("place", "客厅")]));
    assert_eq!(slots(&templates, "打开 客 厅 灯"), Some(vec![slot("place", "客厅")]));
    assert_eq!(slots(&templates, "打开 TV room 的灯"), Some(vec![slot("place", "TV room")]));
    assert_eq!(slots(&templates, "打开客厅"), None);
}

#[test]
fn the_best_match_has_the_longest_name_then_the_fewest_wildcards() {
    let templates = templates(json!({
        "intents": {
            "Name": {"data": [{"sentences": ["[the] [reading] {name} on"]}]},
            "Area": {"data": [{"sentences": ["<the> {area} {any} on", "[<the>] reading lamp on"]}]}
        },
        "lists": {"any": {"wildcard": true}},
        "expansion_rules": {"the": "the"}
    }));
    assert_eq!(slots(&templates, "the reading lamp on"), Some(vec![slot("name", "reading lamp")]));
    let all = matches(&templates, "the reading lamp on");
    let values: Vec<_> = all.iter().map(|found| found.slot("name").map(|slot| slot.text.as_str())).collect();
    assert_eq!(values, [Some("reading lamp"), Some("lamp"), None]);
}

#[test]
fn without_a_name_wildcards_then_words_of_the_template_decide() {
    let data = |sentences: &[&str]| json!({"data": [{"sentences": sentences}]});
    let templates = templates(json!({
        "intents": {
            "A": data(&["play {any} {other} now", "start {any}", "run {any}", "same {any}", "take {long}"]),
            "B": data(&["play {any} now", "start the {any}", "run {mode} {any}", "same {any}", "take the {mode}"])
        },
        "lists": {"any": {"wildcard": true}, "other": {"wildcard": true}, "mode": {"values": ["fast"]}, "long": {"values": ["the fast"]}}
    }));
    let first = |sentence: &str| matches(&templates, sentence)[0].intent.clone();
    assert_eq!(first("play some music now"), "B", "fewer wildcards");
    assert_eq!(first("start the music"), "B", "more words of the template");
    assert_eq!(first("take the fast"), "B", "more words of the template, without wildcards");
    assert_eq!(first("run fast music"), "B", "fewer characters in wildcards");
    assert_eq!(first("same music"), "A", "the name of the intent");
}

#[test]
fn faults_name_language_place_and_template() {
    let load = |parts: Value| {
        let mut file = json!({"language": "xx", "intents": {}});
        parts.as_object().into_iter().flatten().for_each(|(key, value)| file[key] = value.clone());
        SentenceTemplates::parse(&file.to_string()).expect_err("a fault")
    };
    let cases = [
        (json!({"intents": one(&["a (b"])}), "intent Test", "a (b", TemplateFault::Unclosed('(')),
        (json!({"intents": one(&["<no>"])}), "intent Test", "<no>", TemplateFault::UnknownRule("no".into())),
        (json!({"expansion_rules": {"r": "a]"}}), "rule <r>", "a]", TemplateFault::Unexpected(']')),
        (json!({"lists": {"l": {"values": ["(a"]}}}), "list {l}", "(a", TemplateFault::Unclosed('(')),
        (json!({"lists": {"l": {}}}), "list {l}", "", TemplateFault::ListKind),
        (
            json!({"lists": {"l": {"range": {"from": 2, "to": 1}}}}),
            "list {l}",
            "",
            TemplateFault::Range { from: 2, to: 1, step: 1 },
        ),
        (
            json!({"intents": one(&["<a>"]), "expansion_rules": {"a": "x <b>", "b": "<a>"}}),
            "intent Test",
            "<a>",
            TemplateFault::Circle("a".into()),
        ),
    ];
    for (parts, place_of, text, of) in cases {
        let TemplateFileError::Template { language, place, template, fault } = load(parts) else {
            panic!("not a fault of a template");
        };
        assert_eq!((language.as_str(), place.as_str(), template.as_str(), fault), ("xx", place_of, text, of));
    }
    assert!(matches!(SentenceTemplates::parse("[]"), Err(TemplateFileError::Format(_))));
    let response = load(json!({"responses": {"intents": {"Test": {"default": "{% if %}"}}}}));
    assert!(response.to_string().contains("templates of xx: response default of Test"), "{response}");
}
