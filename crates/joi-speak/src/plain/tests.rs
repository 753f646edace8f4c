use proptest::prelude::*;

use super::*;
use joi_language::LanguageLibrary;
use joi_language::testing::{FRENCH, english};
use std::sync::LazyLock;

mod german;

/// In English.
fn speakable(written: &str) -> String {
    static READER: LazyLock<SpeakableReader> = LazyLock::new(|| SpeakableReader::new(english()));
    READER.clone().speakable(written)
}

/// Checks every pair of written and spoken text, and reports all that differ.
fn check(table: &[(&str, &str)]) {
    check_in(english(), table);
}

fn check_in(language: &Language, table: &[(&str, &str)]) {
    let mut reader = SpeakableReader::new(language);
    let mut said = |written: &str| {
        reader.restart();
        reader.speakable(written)
    };
    let wrong: Vec<String> = table
        .iter()
        .map(|(written, expected)| (written, expected, said(written)))
        .filter(|(_, expected, said)| said != *expected)
        .map(|(written, expected, said)| format!("{written:?}\n  expected {expected:?}\n  but is   {said:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_language_without_readings_leaves_figures_to_the_voice_and_reads_no_markup() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("fr")).unwrap();
    std::fs::write(folder.path().join("fr/commands.toml"), FRENCH).unwrap();
    let french = LanguageLibrary::with_folder(folder.path()).load("fr").unwrap();
    check_in(
        &french,
        &[
            ("Il fait **22,5 °C** à 9:05 🙂.", "Il fait 22,5 °C à 9:05."),
            ("# Courses\n- du lait\n- du pain", "Courses. du lait. du pain"),
            ("a — b", "a, b"),
        ],
    );
}

#[test]
fn markdown_is_stripped() {
    check(&[
        (
            "**Bold**, *italic*, ***both***, __bold__, _italic_ and ~~gone~~ text.",
            "Bold, italic, both, bold, italic and gone text.",
        ),
        ("Read [the manual](https://example.com/manual?a=b) first.", "Read the manual first."),
        ("See [this][1].\n\n[1]: https://example.com", "See this."),
        ("![A red fox](fox.png) sleeps.", "A red fox sleeps."),
        ("Type `cargo run` now.", "Type cargo run now."),
        ("Run:\n\n```sh\ncargo build\ncargo run\n```\n\nDone.", "Run: cargo build. cargo run. Done."),
        ("# Weather\n\nIt rains.", "Weather. It rains."),
        ("Weather\n=======\nIt rains.", "Weather. It rains."),
        ("> To be\n> or not.", "To be or not."),
        ("- milk\n- *two* eggs\n- bread", "milk. two eggs. bread"),
        ("* a cat\n* a dog\n", "a cat. a dog"),
        ("- [x] washed\n- [ ] dried", "washed. dried"),
        ("<b>Very</b> good.<br>Yes, <a href=\"x\">this</a> one.", "Very good. Yes, this one."),
        ("<div>\nInside.\n</div>", "Inside."),
        ("Before<!-- hidden --> after.", "Before after."),
        (
            "| Day | High |\n|---|---|\n| Monday | 20 |\n| Tuesday | 22 |",
            "Day, High. Monday, 20. Tuesday, 22",
        ),
        ("One\n\n---\n\nTwo", "One. Two"),
        ("a < b and c > d", "a is less than b and c is greater than d"),
        ("A list<int> of <name> and a<b.", "A list int of name and a b."),
        ("A **half open marker", "A half open marker"),
        ("left open** marker", "left open marker"),
        ("Line one\nline two.", "Line one line two."),
        ("", ""),
        (" \n\n ", ""),
        ("***", ""),
        ("🙂", ""),
    ]);
}

#[test]
fn numbered_markers_go_only_in_a_real_list() {
    check(&[
        ("1. Boil water.\n2. Add tea.\n3. Wait.", "Boil water. Add tea. Wait."),
        ("1) one\n2) two", "one. two"),
        ("Do this:\n\n1. Boil\n\n2. Pour\n", "Do this: Boil. Pour"),
        ("1. Boil\n   for long\n2. Pour", "Boil for long. Pour"),
        ("1. Only one.", "1. Only one."),
        ("1984. That was a year.\n1985. Another one.", "1984. That was a year. 1985. Another one."),
        ("100. a\n101. b", "100. a 101. b"),
        ("In the end\n7. was right", "In the end 7. was right"),
    ]);
}

#[test]
fn a_list_goes_on_from_segment_to_segment() {
    let mut reader = SpeakableReader::new(english());
    let spoken: Vec<String> = [
        "You need:\n",
        "1. Water.\n2. Tea. ",
        "And time.\n",
        "3. A cup.\n",
        "\n4. Milk.\n",
        "Enjoy. ",
        "5. is right out. ",
        "\n",
        "9. Nobody. ",
    ]
    .iter()
    .map(|segment| reader.speakable(segment))
    .collect();
    assert_eq!(
        spoken,
        [
            "You need:",
            "Water. Tea.",
            "And time.",
            "A cup.",
            "Milk.",
            "Enjoy.",
            "5. is right out.",
            "",
            "9. Nobody."
        ]
    );
}

#[test]
fn temperatures_and_units() {
    check(&[
        ("It is 22.5°C outside.", "It is 22.5 degrees Celsius outside."),
        (
            "72 °F or 1°C or -5 °C or −3°",
            "72 degrees Fahrenheit or 1 degree Celsius or minus 5 degrees Celsius or minus 3 degrees",
        ),
        ("Highs of 18–22 °C.", "Highs of 18 to 22 degrees Celsius."),
        ("Turn it 90° left.", "Turn it 90 degrees left."),
        ("It used 3.2 kWh at 1013 hPa.", "It used 3.2 kilowatt hours at 1013 hectopascals."),
        (
            "50 km/h, 1 km, 5km, 10 m/s, 60 mph",
            "50 kilometers per hour, 1 kilometer, 5 kilometers, 10 meters per second, 60 miles per hour",
        ),
        ("A room of 25 m² and 60 m³.", "A room of 25 square meters and 60 cubic meters."),
        ("7 l/100 km", "7 liters per 100 kilometers"),
        ("5-10 km and 2–3 kg", "5 to 10 kilometers and 2 to 3 kilograms"),
        ("a 5-km run, then 100 m more", "a 5 kilometer run, then 100 meters more"),
        (
            "16 GB, 100 Mbps, 3.5 GHz, 5V, 2A, 500 mAh",
            "16 gigabytes, 100 megabits per second, 3.5 gigahertz, 5 volts, 2 amps, 500 milliamp hours",
        ),
        ("Wait 30 s or 5 min or 2 h.", "Wait 30 seconds or 5 minutes or 2 hours."),
        (
            "250 ml, 2 tbsp, 1 tsp, 12 oz, 3 lbs",
            "250 milliliters, 2 tablespoons, 1 teaspoon, 12 ounces, 3 pounds",
        ),
        ("He is 5'10\" tall.", "He is 5 foot 10 tall."),
        (
            "PM2.5 is 12 µg/m³, CO₂ 420 ppm.",
            "P M 2.5 is 12 micrograms per cubic meter, C O 2 420 parts per million.",
        ),
        ("1,500 km", "1,500 kilometers"),
        // Not units.
        ("I have 2 A levels, 4K and 5G.", "I have 2 A levels, 4K and 5G."),
        ("The 3 musketeers and 12 monkeys.", "The 3 musketeers and 12 monkeys."),
    ]);
}

#[test]
fn dates_and_times() {
    check(&[
        ("Meet at 9:05.", "Meet at 9 oh 5."),
        ("At 17:00 or 17:30.", "At 5 PM or 5 30 PM."),
        ("9:00, 12:00, 0:00, 00:15, 23:59", "9 o'clock, 12 o'clock, midnight, 12 15 AM, 11 59 PM"),
        ("9:30 am, 9:30 p.m., 7pm, 7 a.m. sharp", "9 30 AM, 9 30 PM, 7 PM, 7 AM sharp"),
        ("It is 5 p.m. The shop closes at 6 p.m.", "It is 5 PM. The shop closes at 6 PM."),
        ("From 9:00-17:00 daily", "From 9 o'clock to 5 PM daily"),
        ("Due 2026-03-04.", "Due March 4th, 2026."),
        ("2026-03-04T09:05:00Z", "March 4th, 2026 at 9 oh 5 UTC"),
        ("On 12/25/2026 or 25/12/2026.", "On December 25th, 2026 or December 25th, 2026."),
        (
            "Jan. 5, Feb 21st, Sept. 3 and in Oct. again",
            "January 5th, February 21st, September 3rd and in October again",
        ),
        ("Mon., Mar. 2", "Monday, March 2nd"),
        ("from 1939-1945 and 1939–1945", "from 1939 to 1945 and 1939 to 1945"),
        ("a ratio of 3:1, 16:9 video", "a ratio of 3 to 1, 16 to 9 video"),
        ("25:99 is no time", "25 to 99 is no time"),
        ("the May 5 event in 1999", "the May 5 event in 1999"),
    ]);
}

#[test]
fn money() {
    check(&[
        ("It costs $5.99.", "It costs 5 dollars and 99 cents."),
        ("$1, $20, $0.50, $1.01, $3.00", "1 dollar, 20 dollars, 50 cents, 1 dollar and 1 cent, 3 dollars"),
        ("€5, 5 €, 5,50 or £3.20", "5 euros, 5 euros, 5,50 or 3 pounds and 20 pence"),
        ("$1.5 million, $2bn, $10k", "1.5 million dollars, 2 billion dollars, 10 thousand dollars"),
        ("$5-10 or $5–$10", "5 to 10 dollars or 5 to 10 dollars"),
        ("-$5 and $9.99/month", "minus 5 dollars and 9 dollars and 99 cents per month"),
        ("100 USD, 20 EUR", "100 dollars, 20 euros"),
        ("US$1,200", "1,200 dollars"),
    ]);
}

#[test]
fn numbers() {
    check(&[
        ("5-10 people, 5–10%, 5 - 3 = 2", "5 to 10 people, 5 to 10 percent, 5 minus 3 equals 2"),
        (
            "2+2=4, 3 × 4, 6*7, 8 ÷ 2, 10 / 5",
            "2 plus 2 equals 4, 3 times 4, 6 times 7, 8 divided by 2, 10 divided by 5",
        ),
        (
            "x² + y² = z², 2^10, E = mc²",
            "x squared plus y squared equals z squared, 2 to the power of 10, E equals mc squared",
        ),
        (
            "1/2, 3/4, 2 1/2, 2½, ½ cup, 7/12, 24/7",
            "one half, 3 quarters, 2 and a half, 2 and a half, one half cup, 7 twelfths, 24 7",
        ),
        ("#3 and No. 5", "number 3 and number 5"),
        (
            "-5, ~20, ±3, <5, >100, +7",
            "minus 5, about 20, plus or minus 3, less than 5, more than 100, plus 7",
        ),
        ("50%, 50 %, 18+", "50 percent, 50 percent, 18 plus"),
        ("1920x1080", "1920 by 1080"),
        ("12,345 and 1st and 1999 and 3.14", "12,345 and 1st and 1999 and 3.14"),
        ("v2.0, version 1.2.3", "version 2 point 0, version 1 point 2 point 3"),
        ("Call 555-1234 or (555) 123-4567.", "Call 5 5 5, 1 2 3 4 or 5 5 5, 1 2 3, 4 5 6 7."),
        ("+1 555-123-4567", "plus 1, 5 5 5, 1 2 3, 4 5 6 7"),
        ("agent 007, code 0042", "agent 0 0 7, code 0 0 4 2"),
        ("123456789012", "1 2 3 4 5 6 7 8 9 0 1 2"),
        ("COVID-19, a 10-year-old, B-52", "COVID-19, a 10-year-old, B-52"),
    ]);
}

#[test]
fn addresses() {
    check(&[
        ("Write to john.doe@example.com.", "Write to john dot doe at example dot com."),
        ("See https://www.example.com/path?x=1#y.", "See example dot com."),
        ("Go to www.example.org, please.", "Go to example dot org, please."),
        ("<https://example.com>", "example dot com"),
        (
            "Ping 192.168.1.10 or 10.0.0.1:8080 in 10.0.0.0/24.",
            "Ping 192 dot 168 dot 1 dot 10 or 10 dot 0 dot 0 dot 1 port 8080 in 10 dot 0 dot 0 dot 0 slash 24.",
        ),
        ("Open http://localhost:8080/x now", "Open localhost port 8080 now"),
        (
            "Edit config.toml and main.rs on example.com.",
            "Edit config dot toml and main dot rs on example dot com.",
        ),
        (
            "Look in /etc/hosts and ~/.config/joi.",
            "Look in slash etc slash hosts and home slash dot config slash joi.",
        ),
        ("Ask @joi about #rust.", "Ask at joi about hashtag rust."),
        ("It ends.Then it starts.", "It ends. Then it starts."),
    ]);
}

#[test]
fn words() {
    check(&[
        ("Dr. Smith and Mr. Jones met Mrs. Hill.", "Doctor Smith and Mister Jones met Missus Hill."),
        ("St. John lives on Main St.", "Saint John lives on Main Street."),
        ("Fruit, e.g. apples, i.e. food, etc.", "Fruit, for example apples, that is food, et cetera."),
        ("Cats vs. dogs, approx. 5.", "Cats versus dogs, approximately 5."),
        ("The U.S. and the U.K. agree.", "The U S and the U K agree."),
        ("J. R. R. Tolkien wrote it.", "J R R Tolkien wrote it."),
        ("So do I. Then we go.", "So do I. Then we go."),
        ("The answer is no. But no. 5 lives.", "The answer is no. But number 5 lives."),
        ("A/C on/off, and/or w/o TV, N/A", "AC on or off, and or without TV, not applicable"),
        ("CO2 and H2O", "C O 2 and H 2 O"),
        ("living_room_lamp is on", "living room lamp is on"),
        ("C++ and C#", "C plus plus and C sharp"),
        ("See fig. 3 on p. 12, § 5.", "See figure 3 on page 12, section 5."),
    ]);
}

#[test]
fn signs() {
    check(&[
        ("Well… maybe… Yes.", "Well, maybe. Yes."),
        ("Wait... what?", "Wait, what?"),
        ("And so on...", "And so on."),
        ("A dash — like this — or – this.", "A dash, like this, or, this."),
        ("a -- b and c - d", "a, b and c, d"),
        ("Great! 😀 Let's go 🚀🚀.", "Great! Let's go."),
        ("Press 1️⃣ now 👨‍👩‍👧 🇩🇪", "Press 1 now"),
        ("Hello :) there ;-)", "Hello there"),
        ("What?! No!!!", "What? No!"),
        ("“Curly” and ‘single’ don’t matter", "\"Curly\" and 'single' don't matter"),
        ("Tom & Jerry, R&B", "Tom and Jerry, R and B"),
        ("Fact [1], another.[2][3]", "Fact, another."),
        ("off → on, a -> b", "off to on, a to b"),
        ("zero\u{200b}width and\u{a0}hard space", "zerowidth and hard space"),
        ("TV, 50 people, \"quoted\" (aside).", "TV, 50 people, \"quoted\" (aside)."),
    ]);
}

proptest! {
    #[test]
    fn any_text_is_read_without_markup_and_reading_it_again_loses_no_word(text in ".{0,200}") {
        let said = speakable(&text);
        prop_assert!(!said.contains(['*', '_', '`', '|', '<', '>', '[', ']', '\n', '#', '~']), "{said:?}");
        prop_assert_eq!(said.trim(), &said);
    }

    #[test]
    fn foreign_bytes_never_leave_markup_in_what_is_spoken(
        text in joi_base::testing::damaged_text(
            "# One\n\n* a **b** [c](https://a.example/x?y=1)\n1. `d` ~~e~~\n\n| f | g |\n|---|---|\n| 1 | ½ |\n\n```sh\nls\n```\n<br>&amp; ![h](i.png) — ü 😀\n> j\n",
        ),
    ) {
        let said = speakable(&text);
        prop_assert!(!said.contains(['*', '_', '`', '|', '<', '>', '[', ']', '\n', '#', '~']), "{said:?}");
    }

    #[test]
    fn plain_words_stay_as_they_are(words in proptest::collection::vec("[a-z]{4,9}", 1..12)) {
        let text = words.join(" ");
        prop_assert_eq!(speakable(&text), text);
    }

    #[test]
    fn awkward_text_does_no_harm(text in r"([0-9]{1,4}|[-–/:.,$€°%#@*+=<>()\[\]| \n]|km|h|am|Dr|St|Jan|e\.g|1\. |```|https?://|www\.|é|½){0,40}") {
        let _ = speakable(&text);
    }
}
