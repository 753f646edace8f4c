//! How what is written is read aloud in one language: figures, units, dates, money, signs, abbreviations.
//!
//! In: the text of `readings.toml`. Out: words and the sentences around them, from which `speak::plain` makes its
//! patterns. A file that can't be used is an error that names the key, the value and what is allowed. Pure: no I/O,
//! no clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use super::Dial;
use super::placeholders::check_one;

/// The words of one language; each is explained where it is written, in the files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct ReadingWords {
    pub figures: FigureSigns,
    pub dates: DateWords,
    pub clock: ClockWords,
    pub money: MoneyWords,
    pub fractions: FractionWords,
    pub addresses: AddressWords,
    pub words: Abbreviations,
    pub signs: SignWords,
    pub sums: SumSigns,
    pub degrees: DegreeWords,
    pub units: UnitWords,
    #[serde(deserialize_with = "shared")]
    pub endings: Arc<EndingWords>,
}

fn shared<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<EndingWords>, D::Error> {
    EndingWords::deserialize(from).map(Arc::new)
}

/// Written forms, and how they are said.
pub(crate) type SpokenForms = BTreeMap<String, String>;

/// A thing that is counted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct Counted {
    pub one: String,
    pub many: String,
    /// What "1" is in front of it, where the voice does not know.
    pub(crate) article: Option<String>,
}

impl TryFrom<Vec<String>> for Counted {
    type Error = String;

    fn try_from(forms: Vec<String>) -> Result<Self, String> {
        match <[String; 3]>::try_from(forms) {
            Ok([one, many, article]) => Ok(Self { one, many, article: Some(article) }),
            Err(forms) => match <[String; 2]>::try_from(forms) {
                Ok([one, many]) => Ok(Self { one, many, article: None }),
                Err(forms) => Err(format!("{forms:?}; allowed: one, many, and what \"1\" is in front of it")),
            },
        }
    }
}

impl Counted {
    /// So many of it.
    pub fn count(&self, number: &str) -> String {
        match (number, &self.article) {
            ("1", Some(article)) => format!("{article} {}", self.one),
            ("1", None) => format!("1 {}", self.one),
            (number, _) => format!("{number} {}", self.many),
        }
    }
}

/// Signs within figures, and how they are read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct FigureSigns {
    pub decimal: String,
    pub thousands: String,
    pub decimal_too: String,
    pub to: String,
    pub against: String,
    pub by: String,
    pub point: String,
    pub version: String,
    pub hundreds: String,
    pub telephone: Vec<String>,
}

/// Which part of a date is written first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstInDate {
    /// March 4.
    Month,
    /// 4 March.
    Day,
}

/// Words and forms of dates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct DateWords {
    pub first: FirstInDate,
    pub sign: String,
    pub months: [String; 12],
    pub short_months: [Vec<String>; 12],
    pub weekdays: [String; 7],
    pub short_weekdays: [Vec<String>; 7],
    pub days: Vec<String>,
    pub day_endings: Vec<String>,
    pub inflected: Vec<Inflection>,
    pub ending: String,
    pub day_and_month: String,
    pub with_year: String,
    pub with_time: String,
}

/// How a day ends behind these words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct Inflection {
    pub behind: Vec<String>,
    pub ending: String,
}

/// Words and forms of times of day.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct ClockWords {
    pub hours: Dial,
    pub behind: Vec<String>,
    pub dotted: bool,
    pub full_hour: String,
    pub few_minutes: String,
    pub minutes: String,
    pub half: String,
    pub halves: [String; 2],
    pub midnight: String,
    pub with_seconds: String,
    /// The first hour, where it is not said like the number.
    pub one: String,
}

/// Words of amounts of money.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct MoneyWords {
    pub both: String,
    pub per: String,
    pub pays_for: SpokenForms,
    pub scales: BTreeMap<String, Counted>,
    pub currency: Vec<Currency>,
}

/// A currency: its signs, its unit, and the part of that.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct Currency {
    pub signs: Vec<String>,
    pub whole: Counted,
    pub part: Counted,
}

/// Words of fractions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct FractionWords {
    pub names: BTreeMap<String, Counted>,
    pub one: String,
    pub another: String,
    pub many: String,
    pub over: String,
    pub mixed: String,
    pub none: Vec<String>,
}

/// Words of the signs in addresses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct AddressWords {
    pub at: String,
    pub dot: String,
    pub dash: String,
    pub underscore: String,
    pub plus: String,
    pub slash: String,
    pub port: String,
    pub home: String,
    pub hashtag: String,
}

/// Abbreviations and what they are read as.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct Abbreviations {
    pub titles: SpokenForms,
    #[serde(default)]
    pub saint: Option<[String; 2]>,
    pub numbered: Vec<String>,
    pub marks: SpokenForms,
    pub or: String,
    /// With a dot that never ends a sentence.
    pub inner: SpokenForms,
    pub dotted: SpokenForms,
    pub plain: SpokenForms,
}

/// Signs that are read as words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct SignWords {
    pub words: BTreeMap<char, String>,
    pub before: BTreeMap<char, String>,
    pub compared: BTreeMap<char, String>,
    pub percent: String,
    pub per_mille: String,
}

/// Signs of sums.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct SumSigns {
    pub plus: String,
    pub minus: String,
    pub times: String,
    pub divided: String,
    pub equals: String,
    pub squared: String,
    pub cubed: String,
    pub power: String,
}

/// Words of temperatures and angles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct DegreeWords {
    pub name: Counted,
    pub scales: SpokenForms,
    pub height: String,
}

/// Words of units.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct UnitWords {
    pub per: String,
    pub tight: Vec<String>,
    pub divisors: SpokenForms,
    pub ones: SpokenForms,
    pub names: BTreeMap<String, Counted>,
}

/// What a dot behind a word says of the end of a sentence.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndingWords {
    /// A name follows: never the end.
    pub(crate) titles: Vec<String>,
    /// Something follows that belongs to it: never the end, in capitals or not.
    pub(crate) bound: Vec<String>,
    /// The end only if it looks like one from behind.
    pub(crate) perhaps: Vec<String>,
    /// A word of one capital letter that is no initial.
    pub letter: String,
    /// A dot behind figures makes them an ordinal.
    pub(crate) ordinals: bool,
    /// A phrase begins with them: in front of one a voice may take a breath. In small letters.
    #[serde(default)]
    pub(crate) joints: Vec<String>,
}

impl ReadingWords {
    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used: the key, the value, and what is allowed.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let words: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        words.check()?;
        Ok(words)
    }

    fn check(&self) -> Result<(), String> {
        let Self { figures, dates, clock, money, fractions, sums, degrees, units, .. } = self;
        if dates.days.len() != 31 {
            return Err(format!("dates.days has {} days; allowed: 31", dates.days.len()));
        }
        for (key, sign) in [("decimal", &figures.decimal), ("thousands", &figures.thousands)] {
            if sign.chars().count() != 1 {
                return Err(format!("figures.{key} is \"{sign}\"; allowed: one sign"));
            }
        }
        let sentences: [(&str, &str, &[&str]); 19] = [
            ("figures.hundreds", &figures.hundreds, &["hundreds", "rest"]),
            ("dates.day_and_month", &dates.day_and_month, &["day", "month"]),
            ("dates.with_year", &dates.with_year, &["date", "year"]),
            ("dates.with_time", &dates.with_time, &["date", "time"]),
            ("clock.full_hour", &clock.full_hour, &["hour"]),
            ("clock.few_minutes", &clock.few_minutes, &["hour", "minute"]),
            ("clock.minutes", &clock.minutes, &["hour", "minute"]),
            ("clock.half", &clock.half, &["time", "half"]),
            ("clock.midnight", &clock.midnight, &[]),
            ("clock.with_seconds", &clock.with_seconds, &["time", "seconds"]),
            ("money.both", &money.both, &["whole", "part", "cents"]),
            ("money.per", &money.per, &["unit"]),
            ("fractions.one", &fractions.one, &["name"]),
            ("fractions.another", &fractions.another, &["name"]),
            ("fractions.many", &fractions.many, &["above", "name"]),
            ("fractions.over", &fractions.over, &["above", "below"]),
            ("fractions.mixed", &fractions.mixed, &["whole", "fraction"]),
            ("degrees.height", &degrees.height, &["feet", "inches"]),
            ("units.per", &units.per, &["unit"]),
        ];
        sentences.iter().try_for_each(|(key, sentence, allowed)| check_one(key, sentence, allowed))?;
        check_one("sums.power", &sums.power, &["n"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_has_two_forms_and_perhaps_an_article() {
        let counted =
            |forms: &[&str]| Counted::try_from(forms.iter().map(ToString::to_string).collect::<Vec<_>>());
        let kilometre = counted(&["Kilometer", "Kilometer", "ein"]).unwrap();
        assert_eq!(kilometre.count("1"), "ein Kilometer");
        assert_eq!(kilometre.count("1,5"), "1,5 Kilometer");
        assert_eq!(counted(&["mile", "miles"]).unwrap().count("1"), "1 mile");
        assert!(counted(&["mile"]).unwrap_err().contains("allowed: one, many"));
    }

    #[test]
    fn a_file_with_a_wrong_sentence_or_too_few_days_is_refused() {
        let english = include_str!("../../../assets/language/en/readings.toml");
        let told = |from: &str, to: &str| {
            assert!(english.contains(from), "{from}");
            ReadingWords::read(&english.replacen(from, to, 1)).unwrap_err()
        };
        assert_eq!(
            told("\"{hour} o'clock\"", "\"{our} o'clock\""),
            "clock.full_hour is \"{our} o'clock\"; allowed: {hour}"
        );
        assert_eq!(told("\"1st\", ", ""), "dates.days has 30 days; allowed: 31");
        assert_eq!(told("decimal = \".\"", "decimal = \"\""), "figures.decimal is \"\"; allowed: one sign");
        assert!(told("hours = 12", "hours = 13").contains("allowed: 12 or 24"));
    }
}
