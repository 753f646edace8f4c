//! What a transcript may be in the connected house, for a second look at the sound.

use super::*;

#[tokio::test]
async fn a_name_that_was_misheard_is_read_as_names_that_are_like_it() {
    let housed = Housed::in_room("", vec![], |_| {}).await;
    let near = |text: &str| -> Vec<String> {
        let readings = housed.bench.engine.near_in_house(english(), text);
        readings.into_iter().map(|reading| reading.text).collect()
    };
    assert_eq!(near("Turn on the hole light.").first().map(String::as_str), Some("Turn on the hall light."));
    // Two candidates: the sound decides when it is sure, and the question is asked where it is not.
    let lamps = near("turn on the lamp");
    assert!(lamps.contains(&"turn on the desk lamp".to_owned()), "{lamps:?}");
    assert!(lamps.contains(&"turn on the floor lamp".to_owned()), "{lamps:?}");
    for settled in [
        "turn on the hall light",
        "is the hole light on?",
        "unlock the frond door",
        "don't turn on the hole light",
    ] {
        assert_eq!(near(settled), [""; 0], "{settled}");
    }
    assert_eq!(housed.sent(), []);
}
