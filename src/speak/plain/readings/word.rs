//! PURE: abbreviations, formulas and other words that are not said as they are written.

use std::sync::LazyLock;

use regex::Regex;

use super::{group, pattern, replace};

/// Always read so. The dot belongs to them and never ends a sentence.
const TITLES: &[(&str, &str)] = &[
    ("Mr", "Mister"),
    ("Mrs", "Missus"),
    ("Ms", "Miz"),
    ("Dr", "Doctor"),
    ("Prof", "Professor"),
    ("Rev", "Reverend"),
    ("Gen", "General"),
    ("Col", "Colonel"),
    ("Capt", "Captain"),
    ("Lt", "Lieutenant"),
    ("Sgt", "Sergeant"),
    ("Gov", "Governor"),
    ("Sen", "Senator"),
    ("Rep", "Representative"),
    ("Pres", "President"),
    ("Hon", "Honorable"),
    ("Mt", "Mount"),
    ("Ft", "Fort"),
];

/// Read so when the dot stands; a sentence may end with them.
const DOTTED: &[(&str, &str)] = &[
    ("e.g", "for example"),
    ("i.e", "that is"),
    ("etc", "et cetera"),
    ("vs", "versus"),
    ("cf", "compare"),
    ("approx", "approximately"),
    ("ca", "about"),
    ("incl", "including"),
    ("excl", "excluding"),
    ("esp", "especially"),
    ("resp", "respectively"),
    ("est", "established"),
    ("Jr", "Junior"),
    ("Sr", "Senior"),
    ("Inc", "Incorporated"),
    ("Ltd", "Limited"),
    ("Corp", "Corporation"),
    ("Co", "Company"),
    ("Bros", "Brothers"),
    ("Dept", "Department"),
    ("Univ", "University"),
    ("Ave", "Avenue"),
    ("Blvd", "Boulevard"),
    ("Rd", "Road"),
    ("Ln", "Lane"),
    ("Hwy", "Highway"),
    ("Apt", "Apartment"),
    ("Fig", "Figure"),
    ("fig", "figure"),
    ("Vol", "Volume"),
    ("vol", "volume"),
    ("Ch", "Chapter"),
    ("ch", "chapter"),
    ("Sec", "Section"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("avg", "average"),
    ("temp", "temperature"),
    ("tel", "telephone"),
    ("Tel", "Telephone"),
    ("ed", "edition"),
    ("pp", "pages"),
    ("govt", "government"),
    ("misc", "miscellaneous"),
    ("no", "number"),
    ("a.k.a", "also known as"),
    ("et al", "and others"),
    ("N.B", "note"),
    ("P.S", "P S"),
    ("Ph.D", "P H D"),
    ("viz", "namely"),
];

/// Read so wherever they stand alone.
const PLAIN: &[(&str, &str)] = &[
    ("w/o", "without"),
    ("w/", "with"),
    ("b/c", "because"),
    ("N/A", "not applicable"),
    ("n/a", "not applicable"),
    ("A/C", "AC"),
    ("a/c", "AC"),
    ("and/or", "and or"),
    ("vs", "versus"),
    ("aka", "also known as"),
    ("FYI", "F Y I"),
    ("ASAP", "as soon as possible"),
    ("TL;DR", "in short"),
    ("CO2", "C O 2"),
    ("H2O", "H 2 O"),
    ("O2", "O 2"),
    ("N2", "N 2"),
    ("H2", "H 2"),
    ("NO2", "N O 2"),
    ("SO2", "S O 2"),
    ("CH4", "C H 4"),
    ("NH3", "N H 3"),
    ("O3", "O 3"),
    ("PM2.5", "P M 2.5"),
    ("PM10", "P M 10"),
    ("kWp", "kilowatts peak"),
    ("Wi-Fi", "wifi"),
    ("WiFi", "wifi"),
    ("kph", "kilometers per hour"),
    ("mph", "miles per hour"),
    ("kWh", "kilowatt hours"),
    ("hPa", "hectopascals"),
    ("km/h", "kilometers per hour"),
    ("km", "kilometers"),
    ("kg", "kilograms"),
    ("GB", "gigabytes"),
    ("MB", "megabytes"),
    ("TB", "terabytes"),
    ("GHz", "gigahertz"),
    ("MHz", "megahertz"),
    ("°C", "degrees Celsius"),
    ("°F", "degrees Fahrenheit"),
    ("C++", "C plus plus"),
    ("C#", "C sharp"),
    ("F#", "F sharp"),
    ("i18n", "internationalization"),
    ("=>", ", "),
    ("->", " to "),
    ("<=", "is at most"),
    (">=", "is at least"),
    ("!=", "is not"),
    ("==", "equals"),
];

static TITLE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?P<word>{})\. ?", any(TITLES))));
static DOT: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?P<word>{})\.", any(DOTTED))));
static ALONE: LazyLock<Regex> = LazyLock::new(|| pattern(&any(PLAIN)));
static SAINT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<road>[A-Z]\w+ )?St\.(?P<name> [A-Z])?"));
static PAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"p\. ?(?P<n>\d)"));
static SECTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"§§? ?(?P<n>\d)"));
static LETTERS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<all>(?:[A-Za-z]\.){2,})"));
static INITIAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<letter>[A-Z])\. (?P<next>[A-Z])"));
static EITHER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<a>[A-Za-z]+)/(?P<b>[A-Za-z]+)"));

/// An alternation of the table's words, longest first.
fn any(table: &[(&str, &str)]) -> String {
    let mut words: Vec<String> = table.iter().map(|(word, _)| regex::escape(word)).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.join("|")
}

fn look_up(table: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == word).map(|(_, said)| *said)
}

pub(super) fn read(text: &str) -> String {
    let text = replace(text, &TITLE, |found, around| {
        let is_name = around.next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit());
        let begins = !around.last().is_some_and(|c| c.is_alphanumeric() || c == '.');
        (is_name && begins)
            .then(|| look_up(TITLES, group(found, "word")).map(|said| format!("{said} ")))
            .flatten()
    });
    let text = replace(&text, &SAINT, |found, around| {
        let begins = !around.last().is_some_and(char::is_alphanumeric);
        let road = group(found, "road");
        Some(match (begins, road, group(found, "name")) {
            (false, ..) => return None,
            (_, "", name) if !name.is_empty() => format!("Saint{name}"),
            (_, road, name) => {
                let end = if name.is_empty() && !around.ends_sentence() { "" } else { "." };
                format!("{road}Street{end}{name}")
            }
        })
    });
    let text = replace(&text, &PAGE, |found, around| {
        (!around.last().is_some_and(char::is_alphanumeric)).then(|| format!("page {}", group(found, "n")))
    });
    let text = replace(&text, &SECTION, |found, _| Some(format!("section {}", group(found, "n"))));
    let text = replace(&text, &DOT, |found, around| {
        let word = group(found, "word");
        let begins = !around.last().is_some_and(|c| c.is_alphanumeric() || c == '.');
        let goes_on = around.next().is_some_and(|c| c.is_alphanumeric());
        // "The answer is no." and "one min." end with words; "no. 5" and "min. 5" do not.
        let is_number = matches!(word, "no" | "min" | "max" | "ca" | "est" | "temp" | "ed" | "ch" | "vol");
        if !begins
            || goes_on
            || is_number && !around.after.trim_start().starts_with(|c: char| c.is_ascii_digit())
        {
            return None;
        }
        let end = if around.ends_sentence() { "." } else { "" };
        look_up(DOTTED, word).map(|said| format!("{said}{end}"))
    });
    let text = replace(&text, &LETTERS, |found, around| {
        let end = if around.ends_sentence() { "." } else { "" };
        let begins = !around.last().is_some_and(char::is_alphanumeric);
        let spaced: Vec<&str> = group(found, "all").split_terminator('.').collect();
        (begins && !around.next().is_some_and(char::is_alphanumeric))
            .then(|| format!("{}{end}", spaced.join(" ").to_uppercase()))
    });
    // Twice, as the second of two initials begins where the first ends.
    let initials = |text: &str| {
        replace(text, &INITIAL, |found, around| {
            let begins = around.last().is_none_or(|c| c.is_whitespace() || c == '(');
            let letter = group(found, "letter");
            (begins && letter != "I").then(|| format!("{letter} {}", group(found, "next")))
        })
    };
    let text = replace(&initials(&initials(&text)), &ALONE, |found, around| {
        let is_sign = !found[0].contains(char::is_alphanumeric);
        let said = look_up(PLAIN, &found[0])?;
        if is_sign {
            return around.last().is_none_or(char::is_whitespace).then(|| said.to_owned());
        }
        let gap = if found[0].ends_with('/') && around.next().is_some_and(char::is_alphanumeric) {
            " "
        } else {
            ""
        };
        let is_apart = !around.last().is_some_and(|c| c.is_alphanumeric() || c == '/' || c == '°')
            && (found[0].ends_with('/')
                || !around.next().is_some_and(|c| c.is_alphanumeric() || "/²³".contains(c)));
        is_apart.then(|| format!("{said}{gap}"))
    });
    replace(&text, &EITHER, |found, around| {
        let (a, b) = (group(found, "a"), group(found, "b"));
        let is_small = |word: &str| word.len() > 1 && word.chars().all(char::is_lowercase);
        let is_apart = around.is_apart() && around.last() != Some('/') && around.next() != Some('/');
        let word = if is_small(a) && is_small(b) { " or " } else { " " };
        is_apart.then(|| format!("{a}{word}{b}"))
    })
}
