//! Reads numbers without units: telephone numbers, versions, fractions, ranges, arithmetic.
//!
//! Pure: no I/O, no clock.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::matching::{any, digits, group, number, pattern, replace};
use joi_language::ReadingWords;
use joi_language::fill;

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
static VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<v>[vV]\.? ?)?(?P<n>\d+(?:\.\d+)+)"));
static LONG: LazyLock<Regex> = LazyLock::new(|| pattern(r"0\d+|\d{10,}"));

static FRACTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:(?P<whole>\d+)[ -])?(?P<a>\d{1,3})/(?P<b>\d{1,3})"));
static RATIO: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<a>\d+):(?P<b>\d+)"));
static SUM: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<a>[\d)%a-zA-Z²³]) ?(?P<sign>\+|=|÷|·|\*|×|−|/) ?(?P<b>[\d(a-zA-Z√π−-])"));
static DIFFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<a>[\d)a-z]) - (?P<b>[\d(a-z])"));
static POWER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:\^\(?(?P<n>-?\d+)\)?|(?P<up>[²³]))"));
static PERCENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<n>\d) ?(?P<sign>[%‰])"));
static PLUS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<n>\d)\+"));
static HUNDREDS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<hundreds>1[1-9])(?P<rest>\d\d)"));
static DECIMAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\.\d"));

#[derive(Debug)]
pub(super) struct NumberPass {
    words: Arc<ReadingWords>,
    local_phone: Regex,
    marked: Regex,
    range: Regex,
    by: Regex,
    signed: Regex,
}

impl NumberPass {
    pub(super) fn new(words: &Arc<ReadingWords>) -> Self {
        let number = number(&words.figures);
        let telephone = any(words.figures.telephone.iter().map(String::as_str));
        let marks = any(words.words.marks.keys().map(String::as_str));
        let signs: String = words.signs.before.keys().map(|sign| regex::escape(&sign.to_string())).collect();
        Self {
            local_phone: pattern(&format!(
                r"(?i)(?P<lead>\b(?:{telephone})(?: is| at|:)? )(?P<n>\d{{3}}-\d{{4}})"
            )),
            marked: pattern(&format!(r"(?P<mark>{marks}) ?(?P<n>\d+)")),
            range: pattern(&format!(r"(?P<a>{number})(?P<a_percent> ?%)?(?:-| ?– ?)(?P<b>{number})")),
            by: pattern(&format!(r"(?P<a>{number}) ?[x×] ?(?P<b>{number})")),
            signed: pattern(&format!(r"(?P<sign>[{signs}]) ?(?P<n>\d|\.\d)")),
            words: Arc::clone(words),
        }
    }

    /// Numbers that name something and are no amounts.
    pub(super) fn read_identifiers(&self, text: &str) -> String {
        let figures = &self.words.figures;
        let plus = &self.words.sums.plus;
        let text = replace(text, &PHONE, |found, around| {
            let is_apart = around.is_whole_number() && !around.last().is_some_and(|c| "$€£+".contains(c));
            is_apart.then(|| telephone(&found[0], plus))
        });
        let text = replace(&text, &self.local_phone, |found, around| {
            let number = telephone(group(found, "n"), plus);
            around.is_whole_number().then(|| format!("{}{number}", group(found, "lead")))
        });
        let text = replace(&text, &self.marked, |found, around| {
            let said = self.words.words.marks.get(group(found, "mark"))?;
            let is_word = found[0].starts_with(char::is_alphabetic);
            let begins = !is_word || !around.last().is_some_and(char::is_alphanumeric);
            let is_number = !around.next().is_some_and(char::is_alphanumeric);
            (begins && is_number).then(|| format!("{said} {}", group(found, "n")))
        });
        let text = replace(&text, &VERSION, |found, around| {
            let (number, is_named) = (group(found, "n"), found.name("v").is_some());
            let is_triple = number.matches('.').count() > 1 && !self.is_grouped(number);
            if !around.is_whole_number() || !(is_named || is_triple) {
                return None;
            }
            let name = if is_named { format!("{} ", figures.version) } else { String::new() };
            Some(format!("{name}{}", number.replace('.', &format!(" {} ", figures.point))))
        });
        replace(&text, &LONG, |found, around| around.is_whole_number().then(|| digits(&found[0])))
    }

    /// Returns whether dots stand between thousands.
    fn is_grouped(&self, number: &str) -> bool {
        self.words.figures.thousands == "." && number.split('.').skip(1).all(|group| group.len() == 3)
    }

    /// Amounts and what is done with them.
    pub(super) fn read(&self, text: &str) -> String {
        let figures = &self.words.figures;
        let text = replace(text, &FRACTION, |found, around| {
            if !around.is_whole_number() {
                return None;
            }
            self.fraction(group(found, "whole"), group(found, "a"), group(found, "b"))
        });
        let text = replace(&text, &self.range, |found, around| {
            let (a, b) = (group(found, "a"), group(found, "b"));
            let percent = match found.name("a_percent") {
                Some(_) => format!(" {}", self.words.signs.percent),
                None => String::new(),
            };
            around.is_whole_number().then(|| format!("{a}{percent} {} {b}", figures.to))
        });
        let text = replace(&text, &RATIO, |found, around| {
            let (a, b) = (group(found, "a"), group(found, "b"));
            around.is_whole_number().then(|| format!("{a} {} {b}", figures.against))
        });
        let text = replace(&text, &self.by, |found, around| {
            let is_product = found[0].contains('×') && found[0].contains(' ');
            let word = if is_product { &self.words.sums.times } else { &figures.by };
            around.is_whole_number().then(|| format!("{} {word} {}", group(found, "a"), group(found, "b")))
        });
        self.read_hundreds(&self.read_signs(&self.arithmetic(&text)))
    }

    /// "1984" as "19 hundert 84".
    fn read_hundreds(&self, text: &str) -> String {
        let sentence = &self.words.figures.hundreds;
        if sentence.is_empty() {
            return text.to_owned();
        }
        replace(text, &HUNDREDS, |found, around| {
            let rest = group(found, "rest").trim_start_matches('0');
            let said = fill(sentence, &[("hundreds", group(found, "hundreds")), ("rest", rest)]);
            around.is_whole_number().then(|| said.trim_end().to_owned())
        })
    }

    /// Signs between two terms, one of which is a number, or which a space parts.
    fn arithmetic(&self, text: &str) -> String {
        let sums = &self.words.sums;
        // Twice: in "1+2+3" the second term of one sum is the first of the next.
        let once = |text: &str| {
            replace(text, &SUM, |found, _| {
                let (a, b) = (group(found, "a"), group(found, "b"));
                let is_spaced = found[0].contains(' ');
                let has_number =
                    [a, b].iter().any(|term| !term.starts_with(|c: char| c.is_ascii_alphabetic()));
                let word = match group(found, "sign") {
                    "+" if has_number || is_spaced => &sums.plus,
                    "=" => &sums.equals,
                    "−" => &sums.minus,
                    "÷" => &sums.divided,
                    "/" if has_number && is_spaced => &sums.divided,
                    "×" | "·" => &sums.times,
                    "*" if has_number => &sums.times,
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
            let is_term = (is_digit(a) || is_variable(a, around.last()))
                && (is_digit(b) || is_variable(b, around.next()));
            (is_term && (is_digit(a) || is_digit(b))).then(|| format!("{a} {} {b}", sums.minus))
        });
        replace(&text, &POWER, |found, around| {
            let power = match (group(found, "n"), group(found, "up")) {
                ("2", _) | (_, "²") => sums.squared.clone(),
                ("3", _) | (_, "³") => sums.cubed.clone(),
                (n, _) => fill(&sums.power, &[("n", &n.replace('-', &format!("{} ", sums.minus)))]),
            };
            around.last().is_some_and(|c| c.is_alphanumeric() || c == ')').then(|| format!(" {power}"))
        })
    }

    /// Signs before and behind one number.
    fn read_signs(&self, text: &str) -> String {
        let signs = &self.words.signs;
        let text = replace(text, &self.signed, |found, around| {
            let begins = around.last().is_none_or(|c| c.is_whitespace() || "([\"'=/:,".contains(c));
            let word = signs.before.get(&group(found, "sign").chars().next()?)?;
            // "5 - 3" has been read; with a space, a dash before a number only parts it from what is before.
            let is_dash = group(found, "sign") == "-" && found[0].contains(' ');
            (begins && !is_dash).then(|| format!("{word} {}", group(found, "n")))
        });
        let text = replace(&text, &PERCENT, |found, _| {
            let word = if group(found, "sign") == "%" { &signs.percent } else { &signs.per_mille };
            Some(format!("{} {word}", group(found, "n")))
        });
        let text = replace(&text, &PLUS, |found, around| {
            let is_apart = !around.next().is_some_and(char::is_alphanumeric);
            is_apart.then(|| format!("{} {}", group(found, "n"), self.words.sums.plus))
        });
        replace(&text, &DECIMAL, |found, around| {
            let begins = around.last().is_none_or(char::is_whitespace);
            begins.then(|| found[0].replace('.', &format!("0{}", self.words.figures.decimal)))
        })
    }

    /// `3 quarters`, `2 and a half`, `7 over 12`.
    fn fraction(&self, whole: &str, above: &str, below: &str) -> Option<String> {
        let words = &self.words.fractions;
        let written = format!("{above}/{below}");
        let is_proper = above.parse::<u32>().ok()? < below.parse::<u32>().ok()?;
        let values = [("above", above), ("below", below)];
        let said = match (words.names.get(below), above) {
            _ if words.none.contains(&written) => format!("{above} {below}"),
            (None, _) => fill(&words.over, &values),
            _ if !is_proper => fill(&words.over, &values),
            (Some(name), "1") => {
                fill(if whole.is_empty() { &words.one } else { &words.another }, &[("name", &name.one)])
            }
            (Some(name), _) => fill(&words.many, &[("above", above), ("name", &name.many)]),
        };
        Some(match whole {
            "" => said,
            whole if is_proper => fill(&words.mixed, &[("whole", whole), ("fraction", &said)]),
            whole => format!("{whole} {said}"),
        })
    }
}

/// Groups of digits, each digit by itself.
fn telephone(number: &str, plus: &str) -> String {
    let groups: Vec<String> =
        number.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).map(digits).collect();
    let plus = if number.starts_with('+') { format!("{plus} ") } else { String::new() };
    format!("{plus}{}", groups.join(", "))
}
