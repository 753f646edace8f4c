//! Sums: "what is 17 times 23", "five miles to kilometers", exactly.
//!
//! In: an expression as people or models write it. Out: its value, and a request that is nothing but a sum. It takes
//! arithmetic only: nothing that could define functions or loop. Pure but for the clock that ends what takes too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use joi_language::tools::{CurrencyNames, UnitNames};
use joi_language::{Language, fill};
use rounded::ValueOf;

mod figures;
mod rounded;
#[cfg(test)]
mod tests;

/// No sensible sum takes longer.
const LIMIT: Duration = Duration::from_secs(1);
/// Steps of a sum that is computed while a request is looked at: sensible ones take some hundred. Time would make it
/// depend on what else the machine does.
const AT_ONCE: u32 = 5_000;
/// Words of expressions that are no units.
const PLAIN: [&str; 2] = ["of", "sqrt"];
/// Longest expression, in bytes.
const LONGEST_EXPRESSION: usize = 120;
/// Most brackets inside brackets.
const DEEPEST: usize = 16;
/// Longest result that is reported.
const LONGEST_RESULT: usize = 200;

/// A sum that can be computed on another thread.
pub struct PreparedSum<'a> {
    /// The expression as it was written, with figures to compute with.
    pub written: String,
    expression: String,
    money: Option<&'a CurrencyNames>,
    language: &'a Language,
}

/// The value of a sum.
pub struct SumValue {
    /// With all its digits.
    pub exact: String,
    /// As people say it.
    pub rounded: String,
    /// The sentence that reports it.
    pub sentence: String,
}

impl<'a> PreparedSum<'a> {
    /// Reads an expression as a model writes it; the error is for the model.
    pub fn of_model(expression: &str, language: &'a Language) -> Result<Self, String> {
        Self::of(figures::of_model(expression, language), language)
    }

    fn of(written: String, language: &'a Language) -> Result<Self, String> {
        let Sum { expression, money } = Sum::of(&written, language)?;
        Ok(Self { written, expression, money, language })
    }

    /// Returns the computation, and what ends it early when it is dropped. It takes a second at most.
    pub fn computation(&self) -> (impl FnOnce() -> Result<String, String> + Send + 'static, StopOnDrop) {
        let clock = EvaluationLimit::time(LIMIT);
        let stop = StopOnDrop(Arc::clone(&clock.is_over));
        let expression = self.expression.clone();
        (move || value_of(&expression, &clock), stop)
    }

    /// Returns what is said of the value that was computed.
    pub fn in_words(&self, exact: String) -> SumValue {
        let of = ValueOf::of(&self.expression, self.money.is_some());
        let rounded = rounded::rounded(&exact, of);
        let told = sentence(&rounded, self.money, self.language);
        let sentence = fill(&self.language.sentences().tools.sum, &[("value", &told)]);
        SumValue { exact, rounded, sentence }
    }
}

/// Returns the expression of a request that is nothing but one: "What is 17 times 23?".
pub fn asked_for(asked: &str, language: &Language) -> Option<String> {
    super::cores(asked, language).into_iter().find_map(|core| expression(core, language))
}

fn expression(asked: &str, language: &Language) -> Option<String> {
    let lower = figures::to_compute(&asked.to_lowercase().replace('’', "'"), language);
    // "A hundred and five": the article belongs to the number.
    let lower = language.in_figures(&lower);
    let mut rest = lower.trim().trim_end_matches(['?', '.', '!', '=', ' ']);
    let before = language.sums().flat_map(|words| &words.before);
    while let Some(shorter) =
        // Of several the longest: "what is" goes before "what".
        before
            .clone()
            .filter_map(|words| rest.strip_prefix(words.as_str())?.strip_prefix(' '))
            .min_by_key(|rest| rest.len())
    {
        rest = shorter.trim_start();
    }
    let behind = language.sums().flat_map(|words| &words.behind);
    while let Some(shorter) = behind
        .clone()
        .filter_map(|words| rest.strip_suffix(words.as_str())?.strip_suffix([' ', ',']))
        .min_by_key(|rest| rest.len())
    {
        rest = shorter.trim_end_matches([',', ' ']);
    }
    let mut articles = language.sums().map(|words| &words.article);
    let rest = articles.find_map(|word| rest.strip_prefix(word.as_str())?.strip_prefix(' ')).unwrap_or(rest);
    let forms = language.sums().flat_map(|words| &words.forms);
    let rest = forms.fold(language.in_figures(rest), |text, form| form.applied(text));
    if rest.len() > LONGEST_EXPRESSION || !rest.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let Sum { expression: signs, .. } = Sum::of(&rest, language).ok()?;
    let is_sum = signs.contains(['+', '*', '/', '^', '%'])
        || [" - ", " to ", " in ", "sqrt "].iter().any(|s| signs.contains(s));
    let clock = EvaluationLimit::steps(AT_ONCE);
    (is_sum && value_of(&signs, &clock).is_ok()).then_some(rest)
}

/// Returns a value as it is reported, with its unit as the language calls it.
fn sentence(value: &str, money: Option<&CurrencyNames>, language: &Language) -> String {
    let value = value.replace("approx.", &language.sentences().tools.about);
    let named =
        language.sums().next().and_then(|words| words.units.iter().find_map(|unit| unit_named(&value, unit)));
    figures::to_speak(&with_money(named.unwrap_or(value), money), language)
}

/// Returns `value` with its unit in words, where it ends in the sign of `unit`.
fn unit_named(value: &str, unit: &UnitNames) -> Option<String> {
    let figures = value.strip_suffix(unit.sign.as_str())?.strip_suffix(' ')?;
    Some(format!("{figures} {}", if figures == "1" { &unit.one } else { &unit.many }))
}

/// Returns what a request that is nothing but a sum is answered with.
pub fn foreseen(asked: &str, language: &Language) -> Option<String> {
    let sum = PreparedSum::of(asked_for(asked, language)?, language).ok()?;
    let clock = EvaluationLimit::steps(AT_ONCE);
    let value = value_of(&sum.expression, &clock).ok()?;
    Some(sum.in_words(value).sentence)
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

/// Returns a value with its currency.
fn with_money(value: String, money: Option<&CurrencyNames>) -> String {
    match money {
        Some(CurrencyNames { of: Some(whole), .. })
            if value.parse().is_ok_and(|cents: f64| cents >= 100.0) =>
        {
            let whole_value = value.parse().map_or(0.0, |cents: f64| cents / 100.0);
            format!("{whole_value:.2} {whole}").trim_end().to_owned()
        }
        Some(money) if value == "1" => format!("{value} {}", money.one),
        Some(money) => format!("{value} {}", money.many),
        None => value,
    }
}

struct EvaluationLimit {
    until: Option<Instant>,
    steps_left: AtomicU32,
    is_over: Arc<AtomicBool>,
}

impl EvaluationLimit {
    fn time(limit: Duration) -> Self {
        Self {
            until: Instant::now().checked_add(limit),
            steps_left: AtomicU32::new(u32::MAX),
            is_over: Arc::default(),
        }
    }

    fn steps(most: u32) -> Self {
        Self { until: None, steps_left: AtomicU32::new(most), is_over: Arc::default() }
    }

    fn is_reached(&self) -> bool {
        self.steps_left.load(Ordering::Relaxed) == 0
            || self.until.is_some_and(|until| until <= Instant::now())
    }
}

impl fend_core::Interrupt for EvaluationLimit {
    fn should_interrupt(&self) -> bool {
        self.steps_left.store(self.steps_left.load(Ordering::Relaxed).saturating_sub(1), Ordering::Relaxed);
        self.is_over.load(Ordering::Relaxed) || self.is_reached()
    }
}

/// Ends a computation when it is dropped.
pub struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns the value of an expression in signs.
fn value_of(expression: &str, clock: &EvaluationLimit) -> Result<String, String> {
    let mut context = fend_core::Context::new();
    context.disable_rng();
    let value = fend_core::evaluate_with_interrupt(expression, &mut context, clock)
        .map_err(|why| if clock.is_reached() { "it takes too long".to_owned() } else { why })?;
    let value = value.get_main_result().trim();
    match value.chars().count() {
        0 => Err("it has no value".to_owned()),
        long if long > LONGEST_RESULT => {
            Err(format!("the result has {long} digits; that is too long to tell"))
        }
        _ => Ok(value.to_owned()),
    }
}

/// Returns the expression with signs for words, when it is plain arithmetic.
fn in_signs(written: &str, language: &Language) -> Result<String, String> {
    let mut text = format!(" {} ", written.to_lowercase().trim_end_matches(['?', '.', '=', ' ']));
    for (words, signs) in language.sums().flat_map(|words| &words.signs) {
        text = text.replace(words, signs);
    }
    let units = language.sums().flat_map(|words| &words.units);
    for (name, unit) in units.flat_map(|unit| unit.names().map(move |name| (name, unit))) {
        text = text.replace(&format!(" {} ", name.to_lowercase()), &format!(" {} ", unit.sign));
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
