//! How the work of reading grows with a text: four times the text is at most a little more than four times the work.
//!
//! Counted in steps, not in time: bytes that patterns are looked for in, and instructions of templates
//! (`joi_language::testing::steps_taken`).

use joi_language::testing::steps_taken;

use super::scene;
use super::sentences::SaidSentence;
use crate::tests::*;

/// Characters of the shorter text; the longer one has [`TIMES`] as many, nearly as many as a turn may have.
const SHORT: usize = 700;
const TIMES: usize = 4;
/// Most growth: linear, and half of that again for what begins only beyond some length.
const MOST_GROWTH: f64 = 1.5 * TIMES as f64;

/// Words that are repeated, with those before and behind them.
const ENGLISH: [[&str; 3]; 34] = [
    ["turn it off, ", "I mean the bedroom, ", "please"],
    ["put ", "milk, ", "on the shopping list"],
    ["set a timer for 5 minutes", " and set a timer for 5 minutes", ""],
    ["", "The kitchen light is too bright for me. ", ""],
    ["Dear Ann, ", "we came home late and the rain had stopped, so we sat on the balcony. ", ""],
    ["turn on ", "the hall light and ", "the hall light"],
    ["wake me ", "every monday and ", "friday at seven"],
    ["", "if it rains close the windows and ", "tell me"],
    ["", "no, ", "turn it off"],
    ["", "um ", "turn on the hall light"],
    ["what is ", "one hundred and twenty plus ", "two"],
    ["what is ", "2 + ", "2"],
    ["remember that ", "Ann's sister lives near Anna's brother and ", "likes tea"],
    ["my number is ", "7 ", ""],
    ["my pin is, ", "wait, ", "four seven one two"],
    ["remind me to ", "call Ann at 7 and ", "go home at 9"],
    ["don't ", "don't ", "turn on the hall light"],
    ["", "\"turn on the hall light\" ", "is what the book says"],
    ["", "((", ""],
    ["", "{\"name\": \"x\", ", ""],
    ["", "a", ""],
    ["", "1", ""],
    ["", ", ", ""],
    ["", "? ", ""],
    ["", "<b>", ""],
    ["", "https://example.org/", ""],
    ["", "jane@example.org ", ""],
    ["", "e\u{301}", ""],
    ["", "\u{200b}", ""],
    ["", "👍 ", ""],
    ["", "漢字", ""],
    ["tell Ann ", "that it is late because it rains, ", "and come home"],
    ["is ", "the front door or ", "the back door open"],
    ["set the living room to ", "twenty one point five degrees or ", "19"],
];

const GERMAN: [[&str; 3]; 12] = [
    ["setze ", "Milch und ", "Brot auf die Einkaufsliste"],
    ["stell einen Timer auf 5 Minuten", " und stell einen Timer auf 5 Minuten", ""],
    ["", "Das Licht in der Küche ist mir zu hell. ", ""],
    ["schalte ", "das Licht im Flur und ", "das Radio aus"],
    ["weck mich ", "jeden Montag und ", "Freitag um sieben"],
    ["", "wenn es regnet, mach die Fenster zu und ", "sag es mir"],
    ["", "äh ", "mach das Licht an"],
    ["was ist ", "hundertzwanzig plus ", "zwei"],
    ["merk dir, dass ", "die Schwester von Anna neben dem Bruder wohnt und ", "Tee mag"],
    ["mein Passwort, ", "warte, ", "ist Birnbaum"],
    ["mach es aus, ", "nein, ich meine das Schlafzimmer, ", "bitte"],
    ["sag Anna, ", "dass es spät ist, weil es regnet, ", "und komm heim"],
];

/// A text of about `characters` characters.
fn text([head, again, tail]: [&str; 3], characters: usize) -> String {
    let times = characters / again.chars().count();
    format!("{head}{}{tail}", again.repeat(times))
}

/// Returns the steps of a turn with `text`, in which the model calls a tool after all.
async fn steps(text: &str, code: &str) -> u64 {
    let nothing = SaidSentence {
        kind: "growth",
        line: 0,
        room: "Living",
        scene: Vec::new(),
        is_free: false,
        turns: Vec::new(),
        expected: "",
    };
    let stage = scene::set(&nothing, code).await;
    stage.bench.model.first(scripted::answers("{\"name\": \"volume\", \"arguments\": {\"level\": \"10\"}}"));
    steps_taken();
    stage.bench.say(text).await;
    steps_taken()
}

async fn grows_as_the_text(code: &str, texts: &[[&str; 3]]) {
    let mut told = String::new();
    let mut is_fine = true;
    for &parts in texts {
        let short = text(parts, SHORT);
        let long = text(parts, SHORT * TIMES);
        let (few, many) = (steps(&short, code).await, steps(&long, code).await);
        assert!(few as usize > short.len(), "{:?}: not read on this thread", parts[1]);
        let growth = many as f64 / few as f64;
        is_fine &= growth <= MOST_GROWTH;
        told += &format!("{growth:6.1} {few:>12} {many:>12}  {:?}\n", parts[1]);
    }
    println!("growth, steps of {SHORT} and of {TIMES} times as many characters, {code}\n{told}");
    assert!(is_fine, "more than {MOST_GROWTH}:\n{told}");
}

#[tokio::test(start_paused = true)]
async fn reading_english_grows_as_the_text_does() {
    grows_as_the_text("en", &ENGLISH).await;
}

#[tokio::test(start_paused = true)]
async fn reading_german_grows_as_the_text_does() {
    grows_as_the_text("de", &GERMAN).await;
}
