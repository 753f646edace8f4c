//! What became of spoken sentences: a table by voice, and each of them.
//! Pure: no I/O, no clock.

use std::time::Duration;

use comfy_table::Table;
use joi::cli::show;
use serde_json::{Value, json};

use super::ms;

/// A sentence that was said and heard.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeardSentence {
    pub(super) voice: String,
    pub(super) said: String,
    /// The intended words.
    pub(super) expected: String,
    /// The transcribed words.
    pub(super) text: String,
    /// What it was read as after a second look; nothing where there was none.
    pub(super) settled: Option<String>,
    /// What comes of it.
    pub(super) got: String,
    /// Whether the quickest speech model decided, before the chosen one.
    pub(super) is_first_look: bool,
    /// The time of the transcription.
    pub(super) took: Duration,
}

/// What a decision is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HouseVerdict {
    Right,
    /// Nothing is done, but asked back or refused.
    Asked,
    /// Nothing is done; the language model gets it.
    NotUnderstood,
    /// Another answer than the true one.
    WrongAnswer,
    /// What nobody meant is done, or asked whether it shall be.
    WrongDeed,
}

impl HouseVerdict {
    const ALL: [Self; 5] =
        [Self::Right, Self::Asked, Self::NotUnderstood, Self::WrongAnswer, Self::WrongDeed];

    fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Asked => "asked",
            Self::NotUnderstood => "not understood",
            Self::WrongAnswer => "wrong answer",
            Self::WrongDeed => "wrong deed",
        }
    }
}

impl HeardSentence {
    pub(super) fn verdict(&self) -> HouseVerdict {
        match self.got.as_str() {
            got if got == self.expected => HouseVerdict::Right,
            got if got.contains('=') => HouseVerdict::WrongDeed,
            "-" => HouseVerdict::NotUnderstood,
            got if got.starts_with("say") => HouseVerdict::WrongAnswer,
            _ => HouseVerdict::Asked,
        }
    }

    /// Whether it is shown by itself.
    pub(super) fn is_worth_showing(&self) -> bool {
        self.verdict() != HouseVerdict::Right
    }

    pub(super) fn line(&self) -> String {
        let Self { voice, said, text, got, .. } = self;
        let settled = self.settled.as_ref().filter(|read| *read != text);
        let settled = settled.map(|read| format!(", read as \"{read}\"")).unwrap_or_default();
        format!("{}: {voice}: \"{said}\" heard as \"{text}\"{settled}: {got}", self.verdict().name())
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "voice": self.voice,
            "said": self.said,
            "expected": self.expected,
            "text": self.text,
            "settled": self.settled,
            "got": self.got,
            "first_look": self.is_first_look,
            "verdict": self.verdict().name(),
            "ms": ms(self.took),
        })
    }
}

/// The voices in the order in which they spoke, and what each of them said.
fn by_voice(heard: &[HeardSentence]) -> Vec<(&str, Vec<&HeardSentence>)> {
    let mut all: Vec<(&str, Vec<&HeardSentence>)> = Vec::new();
    for one in heard {
        match all.iter_mut().find(|(voice, _)| *voice == one.voice) {
            Some((_, said)) => said.push(one),
            None => all.push((&one.voice, vec![one])),
        }
    }
    all.push(("all", heard.iter().collect()));
    all
}

fn count(said: &[&HeardSentence], verdict: HouseVerdict) -> usize {
    said.iter().filter(|one| one.verdict() == verdict).count()
}

fn median_ms(said: &[&HeardSentence]) -> f64 {
    let mut times: Vec<Duration> = said.iter().map(|one| one.took).collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().map_or(0.0, ms)
}

/// One row a voice.
pub(super) fn voices_table(heard: &[HeardSentence]) -> Table {
    let head = ["VOICE", "SAID", "RIGHT", "ASKED", "NOT UNDERSTOOD", "WRONG ANSWER", "WRONG DEED", "MS"];
    let mut table = show::table(head);
    for (voice, said) in by_voice(heard) {
        let counts = HouseVerdict::ALL.map(|verdict| count(&said, verdict).to_string());
        let cells = [voice.to_owned(), said.len().to_string()].into_iter().chain(counts);
        table.add_row(cells.chain([format!("{:.0}", median_ms(&said))]).collect::<Vec<_>>());
    }
    table
}

/// The same as JSON.
pub(super) fn voices_json(heard: &[HeardSentence]) -> Value {
    let rows = by_voice(heard).into_iter().map(|(voice, said)| {
        let mut row = json!({ "voice": voice, "said": said.len(), "median_ms": median_ms(&said) });
        for verdict in HouseVerdict::ALL {
            row[verdict.name().replace(' ', "_")] = json!(count(&said, verdict));
        }
        row
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(expected: &str, got: &str) -> HouseVerdict {
        let (expected, got) = (expected.to_owned(), got.to_owned());
        let text = String::new;
        let one = HeardSentence {
            voice: text(),
            said: text(),
            text: text(),
            settled: None,
            expected,
            got,
            is_first_look: false,
            took: Duration::ZERO,
        };
        one.verdict()
    }

    #[test]
    fn only_what_nobody_meant_is_a_wrong_deed() {
        assert_eq!(heard("A=ON", "A=ON"), HouseVerdict::Right);
        assert_eq!(heard("A=ON", "A=OFF"), HouseVerdict::WrongDeed);
        assert_eq!(heard("-", "yes? Lock=OFF"), HouseVerdict::WrongDeed);
        assert_eq!(heard("A=ON", "-"), HouseVerdict::NotUnderstood);
        assert_eq!(heard("A=ON", "which A B"), HouseVerdict::Asked);
        assert_eq!(heard("say yes A", "say no B"), HouseVerdict::WrongAnswer);
        assert_eq!(heard("which A B", "refuse unknown"), HouseVerdict::Asked);
    }
}
