//! The table of the gate, and that no path leads from strangers' words to an unconfirmed change.

use proptest::prelude::*;

use super::*;

fn facts(effect: Effect, taint: Taint, wish: Wish, consent: Consent) -> CallFacts<'static> {
    CallFacts {
        tool: "lists",
        effect,
        taint,
        address: Address::Named,
        permission: ToolPermission::Allow,
        handed: Handed::Nothing,
        wish,
        consent,
        refused: false,
        lately: 0,
    }
}

const EFFECTS: [Effect; 4] = [Effect::Looks, Effect::Fetches, Effect::Remembers, Effect::Changes];

const HANDED: [Handed; 5] = [Handed::Nothing, Handed::Said, Handed::Mentioned, Handed::Made, Handed::Private];

const WISHES: [Wish; 3] = [Wish::Act, Wish::Ask("unclear"), Wish::Talk("only talk")];

#[test]
fn the_decision_table() {
    let config = ToolsConfig::default();
    let mut table = String::new();
    for effect in EFFECTS {
        for taint in [Taint::Clean, Taint::Tainted] {
            for wish in WISHES {
                for consent in [Consent::NotAsked, Consent::Given] {
                    let verdict = judge(&facts(effect, taint, wish, consent), &config);
                    table += &format!("{effect:?} {taint:?} {wish:?} {consent:?}: {}\n", verdict.name());
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}

proptest! {
    // no path from taint to an unconfirmed change, whatever is configured
    #[test]
    fn strangers_words_change_nothing_without_a_yes(
        effect in 0usize..4, wish in 0usize..3, handed in 0usize..5, lately in 0u32..40,
        ask in any::<bool>(), never in any::<bool>(), rate in 1u32..30, tool in "[a-z]{1,8}",
    ) {
        let list = |on: bool| if on { vec![tool.clone()] } else { Vec::new() };
        let config = ToolsConfig {
            always_ask: list(ask), never: list(never), calls_per_minute: rate, ..ToolsConfig::default()
        };
        let facts = CallFacts {
            tool: &tool, effect: EFFECTS[effect], taint: Taint::Tainted, address: Address::Made, wish: WISHES[wish],
            permission: ToolPermission::Allow, handed: HANDED[handed], consent: Consent::NotAsked, refused: false, lately,
        };
        let verdict = judge(&facts, &config);
        // An address of the model's own making could carry off what it knows.
        if EFFECTS[effect] != Effect::Looks {
            prop_assert_ne!(verdict, GateVerdict::Allow);
        }
        if never {
            let yes = CallFacts { consent: Consent::Given, ..facts };
            prop_assert!(matches!(judge(&yes, &config), GateVerdict::Forbid(_)), "a yes does not lift a ban");
        }
    }
}

#[test]
fn the_configuration_and_the_rate_bind_a_yes_too() {
    let config = ToolsConfig { always_ask: vec!["lists".into()], ..ToolsConfig::default() };
    let looks = facts(Effect::Looks, Taint::Clean, Wish::Act, Consent::NotAsked);
    assert_eq!(judge(&looks, &config).name(), "asked");
    let many = CallFacts { lately: config.calls_per_minute, effect: Effect::Changes, ..looks };
    assert_eq!(judge(&many, &config).name(), "forbidden");
    let few = CallFacts { lately: config.calls_per_minute - 1, consent: Consent::Given, ..many };
    assert_eq!(judge(&few, &config), GateVerdict::Allow);
}

#[test]
fn what_was_refused_is_not_asked_about_before_it_is_asked_for() {
    let config = ToolsConfig::default();
    let unclear = facts(Effect::Changes, Taint::Clean, Wish::Ask("unclear"), Consent::NotAsked);
    assert_eq!(judge(&unclear, &config).name(), "asked");
    assert_eq!(judge(&CallFacts { refused: true, ..unclear }, &config).name(), "forbidden");
    let anew = CallFacts { wish: Wish::Act, refused: true, ..unclear };
    assert_eq!(judge(&anew, &config), GateVerdict::Allow);
}

#[test]
fn what_goes_to_another_program_was_said_or_is_agreed_to() {
    use Consent::{Given, NotAsked};
    use Handed::{Made, Mentioned, Private, Said};
    use Taint::{Clean, Tainted};
    let config = ToolsConfig::default();
    for (permission, handed, taint, consent, expected) in [
        (ToolPermission::Allow, Said, Clean, NotAsked, "allowed"),
        (ToolPermission::Allow, Said, Tainted, NotAsked, "allowed"),
        (ToolPermission::Allow, Mentioned, Clean, NotAsked, "allowed"),
        (ToolPermission::Allow, Mentioned, Tainted, NotAsked, "asked"),
        (ToolPermission::Allow, Made, Clean, NotAsked, "asked"),
        (ToolPermission::Allow, Made, Tainted, Given, "allowed"),
        (ToolPermission::Allow, Private, Clean, NotAsked, "asked"),
        (ToolPermission::Allow, Private, Clean, Given, "allowed"),
        (ToolPermission::Allow, Private, Tainted, Given, "forbidden"),
        (ToolPermission::Confirm, Said, Clean, NotAsked, "asked"),
        (ToolPermission::Confirm, Said, Clean, Given, "allowed"),
        (ToolPermission::Deny, Said, Clean, Given, "forbidden"),
    ] {
        let facts = facts(Effect::Fetches, taint, Wish::Act, consent);
        let verdict = judge(&CallFacts { permission, handed, ..facts }, &config);
        assert_eq!(verdict.name(), expected, "{permission:?} {handed:?} {taint:?} {consent:?}");
    }
    let unasked = facts(Effect::Fetches, Clean, Wish::Talk("only talk"), NotAsked);
    let unasked = CallFacts { permission: ToolPermission::Confirm, handed: Made, ..unasked };
    assert_eq!(judge(&unasked, &config).name(), "forbidden", "what nobody asked for is not asked about");
}
