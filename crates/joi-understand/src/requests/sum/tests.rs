//! Sums, and which requests are nothing but a sum.

use proptest::prelude::*;

use super::*;
use joi_language::testing::english;

fn value(written: &str) -> Result<String, String> {
    let clock = EvaluationLimit::time(LIMIT);
    let sum = Sum::of(written, english())?;
    Ok(with_money(value_of(&sum.expression, &clock)?, sum.money))
}

#[test]
fn sums_are_exact_and_units_converted() {
    let rows = [
        ("0.1 + 0.2", "0.3"),
        ("17 times 23", "391"),
        ("17 * 23 =", "391"),
        ("17 percent of 80", "13.6"),
        ("2^100", "1267650600228229401496703205376"),
        ("1/3 + 1/6", "0.5"),
        ("5 miles to km", "8.04672 km"),
        ("100 km in miles to 2 dp", "approx. 62.14 miles"),
        ("20 degrees celsius to °F", "68 °F"),
        ("the square root of 144".trim_start_matches("the "), "12"),
        ("12 squared", "144"),
        ("3 kg to pounds to 1 dp", "approx. 6.6 pounds"),
        ("15% of $80", "12 dollars"),
        ("15 percent of 80 dollars", "12 dollars"),
        ("20 euros / 20", "1 euro"),
        ("£12.50 * 2", "25 pounds"),
    ];
    for (written, expected) in rows {
        assert_eq!(value(written).as_deref(), Ok(expected), "{written}");
    }
}

#[test]
fn a_request_that_is_an_expression_needs_no_model() {
    let rows = [
        ("What is 17 times 23?", Some("17 times 23")),
        ("please calculate 12 squared + 5", Some("12 squared + 5")),
        ("How much is 15 percent of 80, please?", Some("15 percent of 80")),
        ("Convert 5 miles to kilometers", Some("5 miles to kilometers")),
        ("What's the square root of 144?", Some("square root of 144")),
        ("what is 4821 plus 1379", Some("4821 plus 1379")),
        ("what is fifteen percent of eighty dollars", Some("15 percent of 80 dollars")),
        ("What's a twenty percent tip on 45 dollars?", Some("20 percent tip on 45 dollars")),
        ("what is twelve times twelve", Some("12 times 12")),
        ("how many grams is 2 ounces", Some("2 ounces to grams")),
        ("How many cups are in a liter?", Some("1 liter to cups")),
        ("how many cups in a liter", Some("1 liter to cups")),
        ("How many minutes in a day?", Some("1 day to minutes")),
        ("how many minutes are there in two days", Some("2 days to minutes")),
        ("how many ounces in a cup", Some("1 cup to floz")),
        ("how many ounces are in a pound", Some("1 pound to ounces")),
        ("what is half of 90", Some("half of 90")),
        ("what's a third of ninety", Some("third of 90")),
        ("what is a cup in milliliters", Some("1 cup to milliliters")),
        ("what is two and a half cups in milliliters", Some("2.5 cups to milliliters")),
        ("what's half a cup in milliliters", Some("1/2 cup to milliliters")),
        ("what is 5 foot 9 in centimeters", Some("5 feet 9 inches to centimeters")),
        ("how many centimeters is five feet nine inches", Some("5 feet 9 inches to centimeters")),
        ("what's a hundred and forty four divided by twelve", Some("144 divided by 12")),
        ("how many people are in a room", None),
        ("how many cups are in the cupboard", None),
        ("how many days until Christmas", None),
        ("how many friends does Tom have", None),
        ("what is a minute in heaven", None),
        ("what is half of it", None),
        ("what is German in English", None),
        ("how much are 50 dollars in euros", None),
        ("what is one of the oldest cities", None),
        ("what is 42", None),
        ("What is the capital of France?", None),
        ("what is 5 in a row", None),
        ("tell me about route 66 in Arizona", None),
        ("what is 17 times 23 and who are you", None),
        ("is 17 times 23 more than 300?", None),
    ];
    for (asked, expected) in rows {
        assert_eq!(asked_for(asked, english()).as_deref(), expected, "{asked}");
    }
}

#[test]
fn sums_in_german_words_need_no_model_either() {
    let german = joi_language::testing::german();
    for (asked, expected, told) in [
        ("Wie viel sind fünfzehn Prozent von achtzig Euro?", "15 prozent von 80 euro", "12 Euro"),
        ("was ist dreiundzwanzig mal siebzehn", "23 mal 17", "391"),
        ("was sind 20 % von 45 €", "20 % von 45 €", "9 Euro"),
        ("Was ist die Hälfte von neunzig?", "hälfte von 90", "45"),
    ] {
        let expression = asked_for(asked, german);
        assert_eq!(expression.as_deref(), Some(expected), "{asked}");
        let sum = Sum::of(&expression.unwrap(), german).unwrap();
        let clock = EvaluationLimit::time(LIMIT);
        assert_eq!(with_money(value_of(&sum.expression, &clock).unwrap(), sum.money), told);
    }
}

#[test]
fn results_are_spoken_rounded_and_in_the_units_of_the_language() {
    for (asked, expected) in [
        ("convert two cups to milliliters", "That's about 473 milliliters."),
        ("convert 5 miles to kilometers", "That's about 8.05 kilometers."),
        ("how many grams is 2 ounces", "That's about 56.7 grams."),
        ("how many cups in a liter", "That's about 4.23 cups."),
        ("how many ounces in a cup", "That's 8 fluid ounces."),
        ("how many minutes in a day", "That's 1440 minutes."),
        ("what is half of 90", "That's 45."),
        ("what is one half of 90", "That's 45."),
        ("divide 350 by 7", "That's 50."),
        ("How many minutes are two and a half hours?", "That's 150 minutes."),
        ("subtract 5 from 20", "That's 15."),
        ("what is one quarter of 200", "That's 50."),
        ("what is a quarter of 200", "That's 50."),
        ("what's one third of ninety", "That's 30."),
        ("what is two thirds of 90", "That's 60."),
        ("three quarters of 80", "That's 60."),
        ("what is a tenth of 50", "That's 5."),
        ("what is two fifths of 50", "That's 20."),
        ("5 foot 9 in centimeters", "That's about 175 centimeters."),
        ("what is 10 divided by 3", "That's about 3.33."),
        ("what is 15 percent of 83.33 dollars", "That's about 12.50 dollars."),
    ] {
        assert_eq!(foreseen(asked, english()).as_deref(), Some(expected), "{asked}");
    }
    for (asked, expected) in [
        ("Wie viele Gramm sind zwei Unzen?", "Das ist etwa 56,7 Gramm."),
        ("Was ist eine Tasse in Milliliter?", "Das ist etwa 237 Milliliter."),
        ("Wie viele Minuten hat ein Tag?", "Das ist 1440 Minuten."),
        ("Was ist ein Viertel von 200?", "Das ist 50."),
        ("was ist das Viertel von 200", "Das ist 50."),
        ("Wie viel sind zwei Drittel von neunzig?", "Das ist 60."),
        ("was sind drei Viertel von 80", "Das ist 60."),
        ("was ist ein Zehntel von 50", "Das ist 5."),
        ("Was ist 3,5 mal 2?", "Das ist 7."),
        ("Was sind 10 Prozent von 45,90 Euro?", "Das ist 4,59 Euro."),
        ("Was sind 19 Prozent von 1.200 Euro?", "Das ist 228 Euro."),
        ("Was ist 9 geteilt durch 8?", "Das ist 1,125."),
        ("Wie viele Liter sind 125 Milliliter?", "Das ist 0,125 Liter."),
        ("Was ist zweieinhalb mal 3?", "Das ist 7,5."),
        ("Was ist 10 geteilt durch 3?", "Das ist etwa 3,33."),
        ("wie viele Zentimeter sind sechs Fuß", "Das ist etwa 183 Zentimeter."),
    ] {
        assert_eq!(foreseen(asked, joi_language::testing::german()).as_deref(), Some(expected), "{asked}");
    }
}

#[test]
fn what_is_no_arithmetic_or_has_no_end_is_refused() {
    for written in
        ["(\\x. x x)(\\x. x x)", "f = x: f x", "5; 6", "((((((((((((((((((1))))))))))))))))))", ")(", ""]
    {
        assert!(value(written).is_err(), "{written}");
    }
    assert_eq!(value("10^10^10^10").unwrap_err(), "it takes too long");
    let at_once = value_of("10^10^10^10", &EvaluationLimit::steps(AT_ONCE));
    assert_eq!(at_once.unwrap_err(), "it takes too long");
    assert!(value("5 km to kg").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_expression_breaks_it(written in "[ 0-9a-z+*/^%().!-]{0,24}") {
        let clock = EvaluationLimit::steps(AT_ONCE);
        if let Ok(expression) = in_signs(&written, english()) {
            let _ = value_of(&expression, &clock);
        }
    }

    #[test]
    fn sums_of_whole_numbers_are_right(a in -1_000_000i64..1_000_000, b in -1_000_000i64..1_000_000) {
        prop_assert_eq!(value(&format!("{a} * ({b}) + {a}")), Ok((a * b + a).to_string()));
    }
}
