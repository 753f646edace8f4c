//! The program with an OpenAI-compatible chat server, and with a model server outside of the home.

use std::os::unix::fs::PermissionsExt as _;

use joi_llm::testing::openai::{delta, finish};
use serde_json::{Value, json};

use crate::support::ollama_double::{Double, Script};
use crate::support::program::{Home, NOBODY};

fn home(url: &str) -> Home {
    let mut home = Home::with_model_server(url);
    home.set("llm.backend=openai").set("llm.model=auto");
    home
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_by_an_openai_compatible_server_with_its_key() {
    let double = Double::openai().await;
    let words = json!({ "content": "Because air scatters blue light the most." });
    double.when("sky", vec![Script::chunks(&[delta(&words), finish("stop")])]);
    let mut home = home(&format!("{}/v1", double.url));
    let key = home.path("key");
    std::fs::write(&key, "sk-test\n").unwrap();
    home.set(&format!("llm.key_file={}", home.arg("key")));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = home.joi(&["doctor", "--quick"]);
    assert!(refused.out.contains("chmod 600") && double.seen().is_empty(), "{refused:?}");

    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let ran = home.joi(&["--log", "trace", "ask", "why is the sky blue?"]).well();
    assert_eq!(ran.out, "Because air scatters blue light the most.\n", "{ran:?}");
    assert!(!ran.err.contains("sk-test"), "{ran:?}");
    assert!(double.seen().iter().all(|seen| seen.authorization.as_deref() == Some("Bearer sk-test")));
    let models = home.joi(&["models"]).well();
    assert!(models.out.contains("would answer: double-1b (openai)"), "{models:?}");
}

#[test]
fn an_address_outside_of_the_home_is_refused_until_it_is_allowed_and_the_doctor_shows_it() {
    for backend in ["openai", "ollama"] {
        let mut home = Home::with_model_server("https://joi.invalid");
        home.set(&format!("llm.backend={backend}"));
        let refused = home.joi(&["ask", "what time is it?"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains("llm.outside = true"), "{refused:?}");
        home.set("llm.outside=true").set("llm.outside_may=[\"house\"]");
        let ran = home.joi(&["doctor", "--quick", "--json"]);
        let rows: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
        let row = rows.iter().find(|row| row["what"] == "privacy").unwrap_or_else(|| panic!("{ran:?}"));
        let told = "words leave the house: what is said to the model is sent to https://joi.invalid; the house too, while \
                    the memory stays at home";
        assert_eq!(row["told"], told);
    }
    let at_home = home(NOBODY).joi(&["doctor", "--quick", "--json"]);
    assert!(!at_home.out.contains("words leave the house"), "{at_home:?}");
}
