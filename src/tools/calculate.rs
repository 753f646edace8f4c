//! `calculate`: arithmetic and units, exactly; no model has a part in the result.
//!
//! Computes on Tokio's blocking pool and gives up after a second. In: an expression as people or models
//! write it. Out: its value. It takes arithmetic only: nothing that could define functions or loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::deed::{CallValue, ValueKind};
use super::{Arguments, Call, Effect, Output, Tool, ToolError, deed, schema};
use crate::language::tools::CurrencyNames;
use crate::language::{Language, fill};

/// No sensible sum takes longer.
const LIMIT: Duration = Duration::from_secs(1);
/// A request is looked at for no longer than that.
const AT_ONCE: Duration = Duration::from_millis(20);
/// Words of expressions that are no units.
const PLAIN: [&str; 2] = ["of", "sqrt"];
/// Longest expression, in bytes.
const LONGEST_EXPRESSION: usize = 120;
/// Most brackets inside brackets.
const DEEPEST: usize = 16;
/// Longest result that is told.
const LONGEST_RESULT: usize = 200;

/// The tool.
pub(super) struct Calculate;

impl Tool for Calculate {
    fn name(&self) -> &str {
        "calculate"
    }

    fn description(&self) -> &str {
        "exact arithmetic, percentages and units, e.g. 17% of 80 or 5 miles to km"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "expression": { "type": "string", "maxLength": 120 } }), &["expression"])
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn ready(&self, asked: &str, language: &Language) -> Option<Arguments> {
        let expression = asked_for(asked, language)?;
        Some(Arguments::from_iter([("expression".to_owned(), expression.into())]))
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::values_of(arguments, &[("expression", ValueKind::Numbers)])
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let expression = arguments.get("expression").and_then(Value::as_str).unwrap_or_default();
        fill(&language.sentences().tools.ask_calculate, &[("text", expression)])
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move {
            let language = call.language;
            let written = call.text("expression").to_owned();
            let Sum { expression, money } = Sum::of(&written, language).map_err(ToolError::TellModel)?;
            let clock = EvaluationLimit { until: Instant::now() + LIMIT, is_over: Arc::default() };
            let _stops_with_us = StopOnDrop(Arc::clone(&clock.is_over));
            let computed = tokio::task::spawn_blocking(move || value_of(&expression, &clock)).await;
            let value = computed.unwrap_or_else(|_| Err("it can't be computed".to_owned()));
            let value = value.map_err(|why| ToolError::TellModel(format!("{written}: {why}")))?;
            let told = told(&value, money, language);
            let sentence = fill(&language.sentences().tools.sum, &[("value", &told)]);
            Ok(Output::own(format!("{written} = {told}")).saying(sentence))
        }
        .boxed()
    }
}

/// The expression of a request that is nothing but one: "What is 17 times 23?".
pub(super) fn asked_for(asked: &str, language: &Language) -> Option<String> {
    let lower = asked.to_lowercase().replace('’', "'");
    let mut rest = lower.trim().trim_end_matches(['?', '.', '!', '=', ' ']);
    let before = language.sums().flat_map(|words| &words.before);
    while let Some(shorter) =
        before.clone().find_map(|words| rest.strip_prefix(words.as_str())?.strip_prefix(' '))
    {
        rest = shorter.trim_start();
    }
    let mut behind = language.sums().flat_map(|words| &words.behind);
    let polite = behind.find_map(|word| rest.strip_suffix(word.as_str())?.strip_suffix(' '));
    let rest = polite.unwrap_or(rest).trim_end_matches([',', ' ']);
    let mut articles = language.sums().map(|words| &words.article);
    let rest = articles.find_map(|word| rest.strip_prefix(word.as_str())?.strip_prefix(' ')).unwrap_or(rest);
    let rest = language.in_figures(rest);
    if rest.len() > LONGEST_EXPRESSION || !rest.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let Sum { expression: signs, .. } = Sum::of(&rest, language).ok()?;
    let is_sum = signs.contains(['+', '*', '/', '^', '%'])
        || [" - ", " to ", " in ", "sqrt "].iter().any(|s| signs.contains(s));
    let clock = EvaluationLimit { until: Instant::now() + AT_ONCE, is_over: Arc::default() };
    (is_sum && value_of(&signs, &clock).is_ok()).then_some(rest)
}

/// A value as it is told.
fn told(value: &str, money: Option<&CurrencyNames>, language: &Language) -> String {
    with_money(value.replace("approx.", &language.sentences().tools.about), money)
}

/// What a request that is nothing but a sum is answered with.
pub(super) fn foreseen(asked: &str, language: &Language) -> Option<String> {
    let written = asked_for(asked, language)?;
    let Sum { expression, money } = Sum::of(&written, language).ok()?;
    let clock = EvaluationLimit { until: Instant::now() + AT_ONCE, is_over: Arc::default() };
    let value = value_of(&expression, &clock).ok()?;
    Some(fill(&language.sentences().tools.sum, &[("value", &told(&value, money, language))]))
}

/// A sum in signs, and the currency it is in.
struct Sum<'a> {
    expression: String,
    money: Option<&'a CurrencyNames>,
}

impl<'a> Sum<'a> {
    /// Reads `written`; a sum in a single currency is computed without it.
    fn of(written: &str, language: &'a Language) -> Result<Self, String> {
        let lower = written.to_lowercase();
        let names = |money: &'a CurrencyNames| {
            money.signs.iter().chain([&money.many, &money.one]).map(|name| name.to_lowercase())
        };
        let all = || language.sums().flat_map(|words| &words.money);
        let has = |money: &&'a CurrencyNames| names(money).any(|name| without(&lower, &name).is_some());
        // Of the languages there are, one names a currency like another.
        let found: Vec<&CurrencyNames> = all().filter(has).collect();
        let first = found.first().copied();
        let is_one = first.is_some_and(|first| {
            found.iter().all(|other| names(other).any(|name| names(first).any(|known| known == name)))
        });
        let money = first.filter(|_| is_one);
        let plain = match money {
            Some(money) => names(money).fold(lower, |text, name| without(&text, &name).unwrap_or(text)),
            None => written.to_owned(),
        };
        let expression = in_signs(&plain, language)?;
        // "three kilos in pounds": what is converted is no money.
        let mut names = expression.split(|c: char| !c.is_alphabetic()).filter(|name| !name.is_empty());
        let is_money = money.is_some() && names.all(|name| PLAIN.contains(&name));
        if money.is_none() || is_money {
            return Ok(Self { expression, money });
        }
        Ok(Self { expression: in_signs(written, language)?, money: None })
    }
}

/// `text` without a name of a currency; nothing when it is not in it. A sign stands beside figures, a word alone.
fn without(text: &str, name: &str) -> Option<String> {
    let is_sign = !name.chars().any(char::is_alphabetic);
    if is_sign {
        return text.contains(name).then(|| text.replace(name, " "));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let rest: Vec<&str> = words.iter().copied().filter(|word| *word != name).collect();
    (rest.len() < words.len()).then(|| rest.join(" "))
}

/// A value with its currency.
fn with_money(value: String, money: Option<&CurrencyNames>) -> String {
    match money {
        Some(money) if value == "1" => format!("{value} {}", money.one),
        Some(money) => format!("{value} {}", money.many),
        None => value,
    }
}

struct EvaluationLimit {
    until: Instant,
    is_over: Arc<AtomicBool>,
}

impl fend_core::Interrupt for EvaluationLimit {
    fn should_interrupt(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || Instant::now() >= self.until
    }
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The value of an expression in signs.
fn value_of(expression: &str, clock: &EvaluationLimit) -> Result<String, String> {
    let mut context = fend_core::Context::new();
    context.disable_rng();
    let value = fend_core::evaluate_with_interrupt(expression, &mut context, clock)
        .map_err(|why| if clock.until <= Instant::now() { "it takes too long".to_owned() } else { why })?;
    let value = value.get_main_result().trim();
    match value.chars().count() {
        0 => Err("it has no value".to_owned()),
        long if long > LONGEST_RESULT => {
            Err(format!("the result has {long} digits; that is too long to tell"))
        }
        _ => Ok(value.to_owned()),
    }
}

/// The expression with signs for words, when it is plain arithmetic.
fn in_signs(written: &str, language: &Language) -> Result<String, String> {
    let mut text = format!(" {} ", written.to_lowercase().trim_end_matches(['?', '.', '=', ' ']));
    for (words, signs) in language.sums().flat_map(|words| &words.signs) {
        text = text.replace(words, signs);
    }
    // Units keep their capitals: a megawatt is no milliwatt.
    let has_words = text.trim() != written.to_lowercase().trim();
    let text = if has_words { text } else { written.to_owned() };
    let text = text.replace(['×', '·'], "*").replace('÷', "/").replace('−', "-");
    let plain = |c: char| c.is_alphanumeric() || " +-*/^%().,!°'\u{b5}$€£".contains(c);
    if let Some(sign) = text.chars().find(|c| !plain(*c)) {
        return Err(format!(
            "the sign {sign} has no place in an expression; use numbers, units and + - * / ^ %"
        ));
    }
    let depth = text.chars().try_fold(0usize, |depth, c| match c {
        '(' if depth == DEEPEST => None,
        '(' => Some(depth + 1),
        ')' => depth.checked_sub(1),
        _ => Some(depth),
    });
    if depth != Some(0) {
        return Err("the brackets don't match, or are too deep".to_owned());
    }
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::tests::english;

    fn value(written: &str) -> Result<String, String> {
        let clock = EvaluationLimit { until: Instant::now() + LIMIT, is_over: Arc::default() };
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
        let german = crate::language::tests::german();
        for (asked, expected, told) in [
            ("Wie viel sind fünfzehn Prozent von achtzig Euro?", "15 prozent von 80 euro", "12 Euro"),
            ("was ist dreiundzwanzig mal siebzehn", "23 mal 17", "391"),
            ("was sind 20 % von 45 €", "20 % von 45 €", "9 Euro"),
        ] {
            let expression = asked_for(asked, german);
            assert_eq!(expression.as_deref(), Some(expected), "{asked}");
            let sum = Sum::of(&expression.unwrap(), german).unwrap();
            let clock = EvaluationLimit { until: Instant::now() + LIMIT, is_over: Arc::default() };
            assert_eq!(with_money(value_of(&sum.expression, &clock).unwrap(), sum.money), told);
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
        assert!(value("5 km to kg").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_expression_breaks_it(written in "[ 0-9a-z+*/^%().!-]{0,24}") {
            let clock = EvaluationLimit { until: Instant::now() + Duration::from_millis(20), is_over: Arc::default() };
            if let Ok(expression) = in_signs(&written, english()) {
                let _ = value_of(&expression, &clock);
            }
        }

        #[test]
        fn sums_of_whole_numbers_are_right(a in -1_000_000i64..1_000_000, b in -1_000_000i64..1_000_000) {
            prop_assert_eq!(value(&format!("{a} * ({b}) + {a}")), Ok((a * b + a).to_string()));
        }
    }
}
