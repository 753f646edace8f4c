//! PURE: numbers without units: telephone numbers, versions, fractions, ranges, arithmetic.

use std::sync::LazyLock;

use regex::Regex;

use super::{NUMBER, digits, group, pattern, replace};

static PHONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
        \+\d{1,3}(?:[\ .-]?\(?\d{1,4}\)?){2,5}          # +49 30 1234567
        | \(\d{3}\)\ ?\d{3}[-\ ]\d{4}                   # (555) 123-4567
        | (?:1-)?\d{3}[-.]\d{3}[-.]\d{4}                # 555-123-4567
        | 0\d{2,4}[\ /-]\d{3,8}(?:[\ -]\d{2,6})*        # 0800 123 456
        ",
    )
});
static LOCAL_PHONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?P<lead>\b(?:call|phone|dial|telephone|tel\.?|text|fax|number)(?: is| at|:)? )(?P<n>\d{3}-\d{4})",
    )
});
static VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<v>[vV]\.? ?)?(?P<n>\d+(?:\.\d+)+)"));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:#|№ ?|[Nn]o\. ?|[Nn]os\. ?)(?P<n>\d+)"));
static LONG: LazyLock<Regex> = LazyLock::new(|| pattern(r"0\d+|\d{10,}"));

static FRACTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:(?P<whole>\d+)[ -])?(?P<a>\d{1,3})/(?P<b>\d{1,3})"));
static RANGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?P<a>{NUMBER})(?P<a_percent> ?%)?(?:-| ?– ?)(?P<b>{NUMBER})")));
static RATIO: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<a>\d+):(?P<b>\d+)"));
static BY: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?P<a>{NUMBER}) ?[x×] ?(?P<b>{NUMBER})")));
static SUM: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<a>[\d)%a-zA-Z²³]) ?(?P<sign>\+|=|÷|·|\*|×|−|/) ?(?P<b>[\d(a-zA-Z√π−-])"));
static DIFFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<a>[\d)a-z]) - (?P<b>[\d(a-z])"));
static POWER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:\^\(?(?P<n>-?\d+)\)?|(?P<up>[²³]))"));
static NEGATIVE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<sign>[-−+~≈±<>≤≥]) ?(?P<n>\d|\.\d)"));
static PERCENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<n>\d) ?(?P<sign>[%‰])"));
static PLUS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<n>\d)\+"));
static DECIMAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\.\d"));

/// Numbers that name something and are no amounts.
pub(super) fn read_identifiers(text: &str) -> String {
    let text = replace(text, &PHONE, |found, around| {
        let is_apart = around.is_whole_number() && !around.last().is_some_and(|c| "$€£+".contains(c));
        is_apart.then(|| telephone(&found[0]))
    });
    let text = replace(&text, &LOCAL_PHONE, |found, around| {
        around.is_whole_number().then(|| format!("{}{}", group(found, "lead"), telephone(group(found, "n"))))
    });
    let text = replace(&text, &NUMBERED, |found, around| {
        around.is_whole_number().then(|| format!("number {}", group(found, "n")))
    });
    let text = replace(&text, &VERSION, |found, around| {
        let (number, is_named) = (group(found, "n"), found.name("v").is_some());
        let is_triple = number.matches('.').count() > 1;
        if !around.is_whole_number() || !(is_named || is_triple) {
            return None;
        }
        let name = if is_named { "version " } else { "" };
        Some(format!("{name}{}", number.replace('.', " point ")))
    });
    replace(&text, &LONG, |found, around| around.is_whole_number().then(|| digits(&found[0])))
}

/// Amounts and what is done with them.
pub(super) fn read(text: &str) -> String {
    let text = replace(text, &FRACTION, |found, around| {
        if !around.is_whole_number() {
            return None;
        }
        fraction(group(found, "whole"), group(found, "a"), group(found, "b"))
    });
    let text = replace(&text, &RANGE, |found, around| {
        let percent = if found.name("a_percent").is_some() { " percent" } else { "" };
        around.is_whole_number().then(|| format!("{}{percent} to {}", group(found, "a"), group(found, "b")))
    });
    let text = replace(&text, &RATIO, |found, around| {
        around.is_whole_number().then(|| format!("{} to {}", group(found, "a"), group(found, "b")))
    });
    let text = replace(&text, &BY, |found, around| {
        let word = if found[0].contains('×') && found[0].contains(' ') { "times" } else { "by" };
        around.is_whole_number().then(|| format!("{} {word} {}", group(found, "a"), group(found, "b")))
    });
    read_signs(&arithmetic(&text))
}

/// Signs between two terms, one of which is a number, or which a space parts.
fn arithmetic(text: &str) -> String {
    // Twice: in "1+2+3" the second term of one sum is the first of the next.
    let once = |text: &str| {
        replace(text, &SUM, |found, _| {
            let (a, b) = (group(found, "a"), group(found, "b"));
            let is_spaced = found[0].contains(' ');
            let has_number = [a, b].iter().any(|term| !term.starts_with(|c: char| c.is_ascii_alphabetic()));
            let word = match group(found, "sign") {
                "+" if has_number || is_spaced => "plus",
                "=" => "equals",
                "−" => "minus",
                "÷" => "divided by",
                "/" if has_number && is_spaced => "divided by",
                "×" | "·" => "times",
                "*" if has_number => "times",
                _ => return None,
            };
            Some(format!("{a} {word} {b}"))
        })
    };
    let text = once(&once(text));
    let text = replace(&text, &DIFFERENCE, |found, around| {
        let (a, b) = (group(found, "a"), group(found, "b"));
        let is_digit = |term: &str| term.starts_with(|c: char| c.is_ascii_digit());
        let is_variable = |term: &str, beside: Option<char>| {
            !is_digit(term) && !beside.is_some_and(|c| c.is_alphabetic() || c == '\'')
        };
        let is_term =
            (is_digit(a) || is_variable(a, around.last())) && (is_digit(b) || is_variable(b, around.next()));
        (is_term && (is_digit(a) || is_digit(b))).then(|| format!("{a} minus {b}"))
    });
    replace(&text, &POWER, |found, around| {
        let power = match (group(found, "n"), group(found, "up")) {
            ("2", _) | (_, "²") => "squared".to_owned(),
            ("3", _) | (_, "³") => "cubed".to_owned(),
            (n, _) => format!("to the power of {}", n.replace('-', "minus ")),
        };
        around.last().is_some_and(|c| c.is_alphanumeric() || c == ')').then(|| format!(" {power}"))
    })
}

/// Signs before and behind one number.
fn read_signs(text: &str) -> String {
    let text = replace(text, &NEGATIVE, |found, around| {
        let begins = around.last().is_none_or(|c| c.is_whitespace() || "([\"'=/:,".contains(c));
        let word = match group(found, "sign") {
            "-" | "−" => "minus",
            "+" => "plus",
            "~" | "≈" => "about",
            "±" => "plus or minus",
            "<" => "less than",
            ">" => "more than",
            "≤" => "at most",
            _ => "at least",
        };
        // "5 - 3" has been read; with a space, a dash before a number only parts it from what is before.
        let is_dash = group(found, "sign") == "-" && found[0].contains(' ');
        (begins && !is_dash).then(|| format!("{word} {}", group(found, "n")))
    });
    let text = replace(&text, &PERCENT, |found, _| {
        let word = if group(found, "sign") == "%" { "percent" } else { "per mille" };
        Some(format!("{} {word}", group(found, "n")))
    });
    let text = replace(&text, &PLUS, |found, around| {
        (!around.next().is_some_and(char::is_alphanumeric)).then(|| format!("{} plus", group(found, "n")))
    });
    replace(&text, &DECIMAL, |found, around| {
        around.last().is_none_or(char::is_whitespace).then(|| format!("0{}", &found[0]))
    })
}

/// Groups of digits, each digit by itself.
fn telephone(number: &str) -> String {
    let groups: Vec<String> =
        number.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).map(digits).collect();
    let plus = if number.starts_with('+') { "plus " } else { "" };
    format!("{plus}{}", groups.join(", "))
}

/// `3 quarters`, `2 and a half`, `7 over 12`.
fn fraction(whole: &str, above: &str, below: &str) -> Option<String> {
    let name = match below {
        "2" => "half",
        "3" => "third",
        "4" => "quarter",
        "5" => "fifth",
        "6" => "sixth",
        "7" => "seventh",
        "8" => "eighth",
        "9" => "ninth",
        "10" => "tenth",
        "12" => "twelfth",
        "16" => "sixteenth",
        "100" => "hundredth",
        _ => "",
    };
    let is_proper = above.parse::<u32>().ok()? < below.parse::<u32>().ok()?;
    let said = match (name, above) {
        _ if matches!((above, below), ("24", "7") | ("50", "50") | ("9", "11")) => format!("{above} {below}"),
        (name, _) if name.is_empty() || !is_proper => format!("{above} over {below}"),
        (name, "1") if whole.is_empty() => format!("one {name}"),
        (name, "1") => format!("a {name}"),
        (name, _) => format!("{above} {name}s"),
    };
    Some(match whole {
        "" => said,
        whole if is_proper => format!("{whole} and {said}"),
        whole => format!("{whole} {said}"),
    })
}
