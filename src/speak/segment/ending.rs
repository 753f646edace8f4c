//! PURE: whether a sentence or clause ends with the last word of a text.

/// What a space behind the text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceEnding {
    /// The sentence goes on.
    None,
    /// The sentence ends.
    Sentence,
    /// It ends if what follows is neither a small letter nor a digit.
    BeforeCapital,
}

/// A name follows: never the end of a sentence.
const TITLES: &[&str] = &[
    "Mr", "Mrs", "Ms", "Mx", "Dr", "Prof", "St", "Sgt", "Capt", "Lt", "Col", "Gen", "Maj", "Cpl", "Cmdr",
    "Adm", "Rev", "Fr", "Hon", "Pres", "Gov", "Sen", "Rep", "Mt", "Ft", "Messrs", "Mme", "Mlle",
];

/// Something follows that belongs to it: never the end of a sentence.
const BOUND: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "vs", "cf", "viz", "approx", "ca", "c", "incl", "esp", "resp", "est", "aka",
    "a.k.a",
];

/// The end of a sentence only if it looks like one from behind.
const PERHAPS: &[&str] = &[
    "etc", "Inc", "Ltd", "Co", "Corp", "Bros", "Jr", "Sr", "Esq", "No", "no", "nos", "Nos", "p", "pp", "Fig",
    "fig", "Figs", "figs", "Vol", "vol", "Ch", "ch", "Sec", "sec", "Art", "art", "Eq", "eq", "ed", "eds",
    "al", "Ave", "Blvd", "Rd", "Ln", "Hwy", "Apt", "Dept", "Univ", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul",
    "Aug", "Sep", "Sept", "Oct", "Nov", "Dec", "Mon", "Tue", "Tues", "Wed", "Thu", "Thur", "Thurs", "Fri",
    "Sat", "Sun", "min", "max", "avg", "hr", "hrs", "mins", "secs", "ft", "oz", "lb", "lbs", "tsp", "tbsp",
    "mi", "mph", "Ph.D", "M.Sc", "B.Sc", "tel", "Tel",
];

/// Behind the punctuation that ends a sentence, these may follow before the space.
const CLOSERS: &[char] = &['"', '\'', '”', '’', ')', ']', '*', '_', '»', '~', '`'];
/// Before the first letter of a word, these may stand.
const OPENERS: &[char] = &['"', '\'', '“', '‘', '(', '[', '*', '_', '«', '~', '`'];

/// Whether the sentence ends with `text`, which ends in a word.
pub(super) fn ending_of(text: &str) -> SentenceEnding {
    let word = last_word(text).trim_end_matches(CLOSERS);
    if word.ends_with(['!', '?', '。', '！', '？']) {
        return SentenceEnding::Sentence;
    }
    if word.ends_with("..") || word.ends_with('…') {
        return SentenceEnding::BeforeCapital;
    }
    let Some(stem) = word.strip_suffix('.') else { return SentenceEnding::None };
    ending_of_stem(stem.trim_start_matches(OPENERS))
}

/// The same for the word in front of a single full stop.
fn ending_of_stem(stem: &str) -> SentenceEnding {
    let mut chars = stem.chars();
    match (chars.next(), chars.next()) {
        (None, _) => return SentenceEnding::None,
        (Some('I'), None) => return SentenceEnding::Sentence,
        (Some(initial), None) if initial.is_uppercase() => return SentenceEnding::None,
        _ => {}
    }
    if TITLES.contains(&stem) || BOUND.iter().any(|known| known.eq_ignore_ascii_case(stem)) {
        SentenceEnding::None
    } else if PERHAPS.contains(&stem) || is_dotted(stem) {
        SentenceEnding::BeforeCapital
    } else {
        SentenceEnding::Sentence
    }
}

/// Letters with dots between them: `U.S`, `a.m`.
fn is_dotted(stem: &str) -> bool {
    stem.contains('.')
        && stem.split('.').all(|part| part.chars().count() == 1 && !part.starts_with(char::is_numeric))
}

/// Whether a clause ends with `text`. A comma behind a digit may stand in a date.
pub(super) fn is_clause_end(text: &str) -> bool {
    let word = last_word(text).trim_end_matches(['"', '”', '’', ')']);
    match word.strip_suffix([',', ';', ':']) {
        Some(stem) => !stem.ends_with(|c: char| c.is_ascii_digit()) && !stem.is_empty(),
        None => matches!(word, "—" | "–") || word.len() > 3 && word.ends_with('—'),
    }
}

fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or_default()
}
