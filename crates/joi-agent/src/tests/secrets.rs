//! Secrets that are to be stored: they are not, and the user is informed, once in a turn.

use super::scripted::answers;
use super::tools::calls;
use super::*;
use joi_language::Language;
use joi_llm::ModelSize::Large;

fn refused() -> &'static str {
    &english().sentences().memory.no_secrets
}

impl Bench {
    /// Nothing was stored anywhere but in the dialogue, and no secret there.
    async fn keeps_nothing(&self, asked: &str) {
        for list in ["shopping", "notes"] {
            assert_eq!(self.store.notes(list).await.unwrap(), [""; 0], "{asked}");
        }
        assert_eq!(self.store.memories(None, 10).await.unwrap(), [], "{asked}");
        let entries = self.engine.parts.schedule.as_ref().unwrap().entries().await.unwrap();
        assert_eq!(entries.len(), 0, "{asked}");
        let stored = format!("{:?}", self.stored().await);
        assert!(!stored.contains("hunter2") && !stored.contains("4711"), "{stored}");
    }
}

#[tokio::test]
async fn a_secret_is_kept_on_no_list_in_no_memory_and_in_no_reminder() {
    for asked in [
        "put my password hunter2 on the shopping list",
        "add my pin 4711 to my notes",
        "remember my pin is 4711",
        "remember that my wifi key is hunter2",
        "remind me tomorrow at noon that my pin is 4711",
    ] {
        let bench = Bench::shipped(vec![]);
        assert_eq!(bench.say(asked).await.shown(), refused(), "{asked}");
        bench.keeps_nothing(asked).await;
    }
}

#[tokio::test]
async fn a_german_learns_so_in_german() {
    for asked in [
        "Schreib mein Passwort hunter2 auf die Einkaufsliste",
        "Setz meine PIN 4711 auf die Notizen",
        "Merk dir, dass mein Passwort hunter2 ist",
    ] {
        let bench = Bench::shipped(vec![]);
        bench.engine.parts.languages.replace(Language::load("de").unwrap());
        assert_eq!(bench.say(asked).await.shown(), german().sentences().memory.no_secrets, "{asked}");
        bench.keeps_nothing(asked).await;
    }
}

#[tokio::test]
async fn it_is_reported_once_in_a_turn_and_what_else_was_asked_is_done() {
    let bench = Bench::shipped(vec![]);
    let twice = "put my password hunter2 on the shopping list and put my pin 4711 on my notes";
    assert_eq!(bench.say(twice).await.shown(), refused());
    bench.keeps_nothing(twice).await;
    let milk = "Milk is on the shopping list.";
    for (asked, told) in [
        ("put milk on the shopping list and put my pin 4711 on my notes", format!("{milk} {}", refused())),
        ("put my pin 4711 on my notes and put milk on the shopping list", format!("{} {milk}", refused())),
    ] {
        let bench = Bench::shipped(vec![]);
        assert_eq!(bench.say(asked).await.shown(), told, "{asked}");
        assert_eq!(bench.store.notes("shopping").await.unwrap(), ["milk"], "{asked}");
        assert_eq!(bench.store.notes("notes").await.unwrap(), [""; 0], "{asked}");
    }
}

#[tokio::test]
async fn a_secret_that_a_model_wants_to_store_is_refused_and_it_goes_on() {
    let note = "{\"action\":\"add\",\"list\":\"notes\",\"text\":\"my pin is 4711\"}";
    let again = "{\"action\":\"add\",\"list\":\"notes\",\"text\":\"the password is [REDACTED_SECRET]\"}";
    let script = vec![calls("1", "lists", note), calls("2", "lists", again), answers("Anything else?")];
    let bench = Bench::shipped(script);
    bench.model.state.send_replace(scripted::ready(Large));
    let ran = bench.say("do something with my notes").await;
    assert_eq!(ran.called(), [("lists", "refused"), ("lists", "refused")]);
    assert_eq!(ran.shown(), format!("{} Anything else?", refused()));
    bench.keeps_nothing("a model's own").await;
}
