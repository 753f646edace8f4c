//! How a result is spoken: as people say it, "about 473 milliliters".
//!
//! In: the value as it was computed, and whether it was converted. Out: the value, with three figures where it
//! has more, whole where it is large, money and percent with two decimals. What is exact and short stays as it is.
//! Pure: no I/O, no clock.

/// Most decimals of money, of percent, and of what is exact.
const DECIMALS: usize = 2;
/// Figures of a value that is rounded.
const FIGURES: i32 = 3;
/// Beyond this a value is not written in plain figures.
const LARGEST: f64 = 1e15;
/// In front of a value that is not exact.
pub(super) const ABOUT: &str = "approx. ";

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueOf {
    /// A sum.
    Sum,
    /// A sum of money.
    Money,
    /// A conversion.
    Conversion,
    /// Somebody has said how exact it is to be.
    AsWished,
}

impl ValueOf {
    /// What `expression` gives, which is in signs.
    pub(super) fn of(expression: &str, is_money: bool) -> Self {
        let ends = |ending: &str| expression.trim_end().ends_with(ending);
        let converts = [" to ", " in ", " as "].iter().any(|joint| expression.contains(joint));
        match (is_money, converts) {
            _ if [" dp", " sf", " digits"].into_iter().any(ends) => Self::AsWished,
            (true, _) => Self::Money,
            (false, true) => Self::Conversion,
            (false, false) => Self::Sum,
        }
    }
}

/// `value` as it is spoken.
pub(super) fn rounded(value: &str, of: ValueOf) -> String {
    let plain = value.strip_prefix(ABOUT);
    let (is_exact, plain) = (plain.is_none(), plain.unwrap_or(value));
    let (figures, unit) = match plain.find(|c: char| c.is_whitespace() || c == '%' || c == '°') {
        Some(end) => plain.split_at(end),
        None => (plain, ""),
    };
    let decimals = figures.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let Some(number) = number(figures).filter(|_| !unit.contains(|c: char| c.is_ascii_digit())) else {
        return value.to_owned();
    };
    let most = match of {
        ValueOf::AsWished => return value.to_owned(),
        ValueOf::Money => DECIMALS,
        ValueOf::Sum | ValueOf::Conversion if unit.starts_with('%') => DECIMALS,
        ValueOf::Sum if is_exact && (unit.is_empty() || decimals <= DECIMALS) => return value.to_owned(),
        ValueOf::Sum if unit.is_empty() => three_figures(number).max(DECIMALS),
        ValueOf::Sum | ValueOf::Conversion => three_figures(number),
    };
    if decimals <= most {
        return value.to_owned();
    }
    let short = format!("{number:.most$}");
    let is_whole = !short.contains('.');
    let short = match of {
        ValueOf::Money => &short,
        _ if is_whole => &short,
        _ => short.trim_end_matches('0').trim_end_matches('.'),
    };
    format!("{ABOUT}{short}{unit}")
}

/// Returns a plain number.
fn number(figures: &str) -> Option<f64> {
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
    figures.parse::<f64>().ok().filter(|number| figures.chars().all(is_plain) && number.abs() < LARGEST)
}

/// Returns the decimals that leave a number three figures.
fn three_figures(number: f64) -> usize {
    if number == 0.0 {
        return 0;
    }
    let tens = number.abs().log10().floor().clamp(-12.0, 15.0);
    let tens = (-12..=15).rev().find(|known| f64::from(*known) <= tens).unwrap_or_default();
    usize::try_from(FIGURES - 1 - tens).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_spoken_as_people_say_it() {
        use ValueOf::{AsWished, Conversion, Money, Sum};
        for (value, of, expected) in [
            ("473.176473 milliliters", Conversion, "approx. 473 milliliters"),
            ("approx. 4.2267528377 cups", Conversion, "approx. 4.23 cups"),
            ("56.69904625 grams", Conversion, "approx. 56.7 grams"),
            ("8.04672 km", Conversion, "approx. 8.05 km"),
            ("31556925.9747 s", Conversion, "approx. 31556926 s"),
            ("0.0123456 m", Conversion, "approx. 0.0123 m"),
            ("175.26 cm", Conversion, "approx. 175 cm"),
            ("110.2311310924 pounds", Conversion, "approx. 110 pounds"),
            ("1440 minutes", Conversion, "1440 minutes"),
            ("68 °F", Conversion, "68 °F"),
            ("1.5 minutes", Conversion, "1.5 minutes"),
            ("24.85 kg", Sum, "24.85 kg"),
            ("13.6", Sum, "13.6"),
            ("57.4942", Sum, "57.4942"),
            ("approx. 3.3333333333", Sum, "approx. 3.33"),
            ("approx. 141.4213562373", Sum, "approx. 141.42"),
            ("1267650600228229401496703205376", Sum, "1267650600228229401496703205376"),
            ("12.4995", Money, "approx. 12.50"),
            ("13.6", Money, "13.6"),
            ("33.33333%", Sum, "approx. 33.33%"),
            ("approx. 62.14 miles", AsWished, "approx. 62.14 miles"),
            ("5 feet 9.123 inches", Conversion, "5 feet 9.123 inches"),
            ("-17.7777777778 °C", Conversion, "approx. -17.8 °C"),
            ("true", Sum, "true"),
        ] {
            assert_eq!(rounded(value, of), expected, "{value}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_value_is_rounded_without_panic(value in "\\PC{0,40}", money in proptest::bool::ANY) {
            rounded(&value, if money { ValueOf::Money } else { ValueOf::Conversion });
        }
    }
}
