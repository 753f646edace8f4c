//! PURE: amounts of money.

use std::sync::LazyLock;

use regex::Regex;

use super::{NUMBER, group, pattern, replace};

/// Sign or code, one, many, one hundredth, many hundredths.
const CURRENCIES: [(&[&str], &str, &str, &str, &str); 6] = [
    (&["$", "USD"], "dollar", "dollars", "cent", "cents"),
    (&["€", "EUR"], "euro", "euros", "cent", "cents"),
    (&["£", "GBP"], "pound", "pounds", "penny", "pence"),
    (&["¥", "JPY"], "yen", "yen", "sen", "sen"),
    (&["₹", "INR"], "rupee", "rupees", "paisa", "paise"),
    (&["CHF"], "franc", "francs", "centime", "centimes"),
];
/// What the amount counts.
const SCALE: &str = r"(?: ?(?P<scale>thousand|million|billion|trillion|[kK]|M|bn|B)\b)?";
/// What one pays it for.
const PER: &str = r"(?:/(?P<per>[a-z]+))?";

static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?P<minus>[-−])?(?:US|CA|AU)?(?P<sign>[$€£¥₹]) ?(?P<n>{NUMBER})(?: ?[-–] ?[$€£¥₹]?(?P<to>{NUMBER}))?{SCALE}{PER}"
    ))
});
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?P<n>{NUMBER})(?: ?[-–] ?(?P<to>{NUMBER}))?{SCALE} ?(?P<sign>[€£¥₹$]|(?:USD|EUR|GBP|JPY|INR|CHF)\b){PER}"
    ))
});

pub(super) fn read(text: &str) -> String {
    let text = replace(text, &BEFORE, |found, around| {
        let is_apart = !around.last().is_some_and(char::is_alphanumeric)
            && !around.next().is_some_and(|c| c.is_ascii_alphanumeric());
        if is_apart { amount(found) } else { None }
    });
    replace(&text, &BEHIND, |found, around| {
        let is_apart = !around.last().is_some_and(|c| c.is_alphanumeric() || c == '.');
        if is_apart { amount(found) } else { None }
    })
}

fn amount(found: &regex::Captures<'_>) -> Option<String> {
    let sign = group(found, "sign");
    let (_, one, many, cent, cents) = CURRENCIES.iter().find(|(signs, ..)| signs.contains(&sign))?;
    let (number, to) = (group(found, "n"), group(found, "to"));
    let scale = match group(found, "scale") {
        "" => None,
        "k" | "K" => Some("thousand"),
        "M" => Some("million"),
        "bn" | "B" => Some("billion"),
        word => Some(word),
    };
    let said = match (scale, number.split_once('.'), to) {
        (Some(scale), _, "") => format!("{number} {scale} {many}"),
        (Some(scale), _, to) => format!("{number} to {to} {scale} {many}"),
        (None, Some((whole, part)), "") if part.len() == 2 => {
            let part = part.trim_start_matches('0');
            let unit = |n: &str, one: &str, many: &str| format!("{n} {}", if n == "1" { one } else { many });
            match (whole, part) {
                (whole, "") => unit(whole, one, many),
                ("0", part) => unit(part, cent, cents),
                (whole, part) => format!("{} and {}", unit(whole, one, many), unit(part, cent, cents)),
            }
        }
        (None, _, "") => format!("{number} {}", if number == "1" { one } else { many }),
        (None, _, to) => format!("{number} to {to} {many}"),
    };
    let minus = if group(found, "minus").is_empty() { "" } else { "minus " };
    let per = match group(found, "per") {
        "" => String::new(),
        "mo" => " per month".to_owned(),
        "yr" => " per year".to_owned(),
        "hr" | "h" => " per hour".to_owned(),
        word => format!(" per {word}"),
    };
    Some(format!("{minus}{said}{per}"))
}
