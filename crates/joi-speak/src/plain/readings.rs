//! Rewrites what espeak-ng pronounces badly by itself as words.
//!
//! One block of plain text goes through a fixed list of passes, from the most special (addresses, dates) to
//! the most general (signs), so that a later pass sees only what an earlier one left. Each pass is a list of
//! patterns, made once for a language from the words of its `readings.toml`; the tables of examples in `tests`
//! specify them. A language without that file has its figures and signs left to the voice.
//! Pure: no I/O, no clock.

mod address;
mod date;
mod matching;
mod money;
mod number;
mod ordinal;
mod sign;
mod unit;
mod word;

use std::sync::Arc;

use joi_language::ReadingWords;

/// The passes of one language.
#[derive(Debug)]
pub(super) struct Readings(Option<Passes>);

#[derive(Debug)]
struct Passes {
    address: address::Addresses,
    date: date::Dates,
    ordinal: ordinal::Ordinals,
    number: number::NumberPass,
    money: money::Money,
    unit: unit::UnitReadings,
    word: word::WordReadings,
    sign: sign::SignReadings,
}

impl Readings {
    /// Returns the passes of a language with these words, if it has any.
    pub(super) fn new(words: Option<&Arc<ReadingWords>>) -> Self {
        Self(words.map(|words| Passes {
            address: address::Addresses::new(words),
            date: date::Dates::new(words),
            ordinal: ordinal::Ordinals::new(words),
            number: number::NumberPass::new(words),
            money: money::Money::new(words),
            unit: unit::UnitReadings::new(words),
            word: word::WordReadings::new(words),
            sign: sign::SignReadings::new(words),
        }))
    }

    /// Returns the block as it is spoken.
    pub(super) fn read(&self, text: &str) -> String {
        let text = sign::plain_characters(text);
        let Some(passes) = &self.0 else { return sign::tidy(&sign::without_marks(&text)) };
        let text = passes.address.read(&text);
        let text = passes.date.read(&text);
        let text = passes.ordinal.read(&text);
        let text = passes.number.read_identifiers(&text);
        let text = passes.unit.read_decimals(&text);
        let text = passes.money.read(&text);
        let text = passes.unit.read(&text);
        let text = passes.word.read(&text);
        let text = passes.number.read(&text);
        passes.sign.read(&passes.unit.read_ones(&text))
    }
}
