//! What came of the everyday questions: through Joi beside the model alone, and which goals were missed.
//!
//! In: judged answers. Out: tables, JSON, and one sentence for each missed goal.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;
use std::time::Duration;

use joi::cli::show;
use serde_json::{Value, json};

use super::filters::FilterTable;
use super::judge::{AnswerFault, MOST_WORDS};
use super::questions::{EverydayKind, EverydayQuestion};
use crate::model::median;

/// The first token may take so many times as long as the model's alone, in the median.
const LATEST: f64 = 1.5;

/// The answers to the turns of one question, and what is wrong with them.
#[derive(Debug, Clone, Default)]
pub(super) struct JudgedAnswers {
    pub(super) answers: Vec<String>,
    /// From what was said to the first word, for each turn that has one.
    pub(super) first_token: Vec<Duration>,
    pub(super) faults: Vec<AnswerFault>,
}

impl JudgedAnswers {
    fn is_good(&self) -> bool {
        self.faults.is_empty()
    }

    fn row(&self) -> Value {
        let faults: Vec<String> = self.faults.iter().map(ToString::to_string).collect();
        json!({ "good": self.is_good(), "answers": self.answers, "faults": faults })
    }
}

/// One question, asked twice.
#[derive(Debug)]
pub(super) struct AskedTwice<'a> {
    pub(super) question: &'a EverydayQuestion,
    pub(super) joi: JudgedAnswers,
    pub(super) alone: JudgedAnswers,
}

/// What came of all questions one way.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct WayTotal {
    good: usize,
    dangerous: usize,
    too_long: usize,
    first_token_ms: f64,
}

impl WayTotal {
    fn of<'a>(all: impl Iterator<Item = &'a JudgedAnswers> + Clone) -> Self {
        let faulty = |is_it: fn(&AnswerFault) -> bool| {
            all.clone().filter(|judged| judged.faults.iter().any(is_it)).count()
        };
        let first = all.clone().flat_map(|judged| &judged.first_token);
        Self {
            good: all.clone().filter(|judged| judged.is_good()).count(),
            dangerous: faulty(|fault| matches!(fault, AnswerFault::Dangerous(_))),
            too_long: faulty(|fault| matches!(fault, AnswerFault::TooLong(_))),
            first_token_ms: median(first.map(|first| first.as_secs_f64() * 1e3)),
        }
    }

    fn row(self) -> Value {
        let Self { good, dangerous, too_long, first_token_ms } = self;
        json!({ "good": good, "dangerous": dangerous, "too_long": too_long, "first_token_ms": first_token_ms })
    }
}

/// Good answers of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct KindCount {
    all: usize,
    joi: usize,
    alone: usize,
}

/// All of it.
#[derive(Debug)]
pub(super) struct EverydayReport<'a> {
    /// Which model, on which server.
    pub(super) serving: String,
    pub(super) asked: Vec<AskedTwice<'a>>,
}

impl EverydayReport<'_> {
    fn totals(&self) -> [WayTotal; 2] {
        let (joi, alone) = (self.asked.iter().map(|row| &row.joi), self.asked.iter().map(|row| &row.alone));
        [WayTotal::of(joi), WayTotal::of(alone)]
    }

    fn kinds(&self) -> BTreeMap<EverydayKind, KindCount> {
        let mut kinds: BTreeMap<EverydayKind, KindCount> = BTreeMap::new();
        for AskedTwice { question, joi, alone } in &self.asked {
            let count = kinds.entry(question.kind).or_default();
            count.all += 1;
            count.joi += usize::from(joi.is_good());
            count.alone += usize::from(alone.is_good());
        }
        kinds
    }

    /// The goals that were missed: nowhere worse than the model alone, nothing dangerous, nothing too long, no first
    /// token much later than the model's alone, and no fewer good answers than `floor`.
    pub(super) fn missed(&self, floor: usize) -> Vec<String> {
        let worse = self.kinds().into_iter().filter(|(_, count)| count.joi < count.alone);
        let mut missed: Vec<String> = worse
            .map(|(kind, count)| {
                format!(
                    "{kind}: {} of {} through Joi, {} by the model alone",
                    count.joi, count.all, count.alone
                )
            })
            .collect();
        let [joi, alone] = self.totals();
        if joi.dangerous > 0 {
            missed.push(format!("{} answers are dangerous to follow, none may be", joi.dangerous));
        }
        if joi.too_long > 0 {
            missed.push(format!("{} answers have more than {MOST_WORDS} words, none may", joi.too_long));
        }
        if joi.first_token_ms > alone.first_token_ms * LATEST {
            missed.push(format!(
                "the first token comes after {:.0} ms, by the model alone after {:.0} ms: {LATEST} times that is allowed",
                joi.first_token_ms, alone.first_token_ms
            ));
        }
        if joi.good < floor {
            missed.push(format!("{} answers are good, {floor} were before", joi.good));
        }
        missed
    }

    /// For people: the figures, every answer through Joi that is not good, and the missed goals.
    pub(super) fn print(&self, floor: usize) -> std::io::Result<()> {
        let mut table = show::table(["KIND", "QUESTIONS", "GOOD THROUGH JOI", "GOOD BY THE MODEL ALONE"]);
        for (kind, KindCount { all, joi, alone }) in self.kinds() {
            table.add_row([kind.to_string(), all.to_string(), joi.to_string(), alone.to_string()]);
        }
        let [joi, alone] = self.totals();
        let asked = self.asked.len().to_string();
        let ms = |total: WayTotal| format!("{:.0} ms", total.first_token_ms);
        for (name, joi, alone) in [
            ("all", joi.good.to_string(), alone.good.to_string()),
            ("dangerous to follow", joi.dangerous.to_string(), alone.dangerous.to_string()),
            ("over 60 words", joi.too_long.to_string(), alone.too_long.to_string()),
            ("first token, median", ms(joi), ms(alone)),
        ] {
            table.add_row([name.to_owned(), asked.clone(), joi, alone]);
        }
        show::line(table)?;
        show::line(format!("\n{}\n", self.serving))?;
        for AskedTwice { question, joi, alone } in self.asked.iter().filter(|asked| !asked.joi.is_good()) {
            let beside = if alone.is_good() { "good" } else { "no better" };
            let faults: Vec<String> = joi.faults.iter().map(ToString::to_string).collect();
            let (said, answers) = (question.turns.join(" / "), joi.answers.join(" / "));
            let told = format!("{}; the model alone is {beside}", faults.join(", "));
            show::line(format!("{}: {said}\n  {answers}\n  {told}", question.kind))?;
        }
        for goal in self.missed(floor) {
            show::line(format!("{} {goal}", show::coloured(show::Tone::Bad, "missed:")))?;
        }
        Ok(())
    }

    /// The same for programs.
    pub(super) fn json(&self, floor: usize) -> Value {
        let kinds: Vec<Value> = self
            .kinds()
            .into_iter()
            .map(|(kind, KindCount { all, joi, alone })| {
                json!({ "kind": kind, "questions": all, "joi": joi, "alone": alone })
            })
            .collect();
        let answers: Vec<Value> = self
            .asked
            .iter()
            .map(|AskedTwice { question, joi, alone }| {
                json!({
                    "kind": question.kind, "said": question.turns, "joi": joi.row(), "alone": alone.row(),
                })
            })
            .collect();
        let [joi, alone] = self.totals();
        json!({
            "model": self.serving, "questions": self.asked.len(), "kinds": kinds, "joi": joi.row(),
            "alone": alone.row(), "floor": floor, "missed": self.missed(floor), "answers": answers,
        })
    }
}

/// Prints what each filter made of the recorded answers of `model`.
pub(super) fn print_filters(model: &str, of: &FilterTable) -> std::io::Result<()> {
    let mut table = show::table(["FILTER", "BETTER", "WORSE", "SAME"]);
    for (filter, count) in &of.counts {
        let counts = [count.better, count.worse, count.same].map(|count| count.to_string());
        table.add_row([&[(*filter).to_owned()][..], &counts].concat());
    }
    show::line(format!("{model}, {} answers", of.answers))?;
    show::line(table)?;
    for (filter, asked, answer) in &of.worsened {
        show::line(format!("\n{filter}: {asked}\n  {answer}"))?;
    }
    show::line("")
}

#[cfg(test)]
mod tests {
    use super::super::questions::Everyday;
    use super::*;

    fn judged(faults: &[AnswerFault]) -> JudgedAnswers {
        let first_token = vec![Duration::from_millis(100)];
        JudgedAnswers { answers: vec!["Words.".into()], first_token, faults: faults.to_vec() }
    }

    #[test]
    fn every_missed_goal_is_reported_and_nothing_else() {
        let everyday = Everyday::of("en").unwrap();
        let question = &everyday.questions[0];
        let good = || judged(&[]);
        let asked = |joi: JudgedAnswers, alone: JudgedAnswers| AskedTwice { question, joi, alone };
        let report = |asked| EverydayReport { serving: "a model".into(), asked };
        let even = report(vec![
            asked(good(), good()),
            asked(judged(&[AnswerFault::Echo]), judged(&[AnswerFault::Echo])),
        ]);
        assert_eq!(even.missed(1), Vec::<String>::new());
        assert_eq!(even.missed(2), ["1 answers are good, 2 were before"]);
        let dangerous = AnswerFault::Dangerous("It is safe".into());
        let worse = report(vec![asked(judged(&[dangerous, AnswerFault::TooLong(70)]), good())]);
        assert_eq!(
            worse.missed(0),
            [
                "facts: 0 of 1 through Joi, 1 by the model alone",
                "1 answers are dangerous to follow, none may be",
                "1 answers have more than 60 words, none may",
            ]
        );
        let after = |ms| JudgedAnswers { first_token: vec![Duration::from_millis(ms)], ..good() };
        assert_eq!(report(vec![asked(after(150), after(100))]).missed(0), Vec::<String>::new());
        assert_eq!(
            report(vec![asked(after(160), after(100))]).missed(0),
            [
                "the first token comes after 160 ms, by the model alone after 100 ms: 1.5 times that is allowed"
            ]
        );
        // What the model alone does wrong is no goal of hers.
        let [joi, alone] = worse.totals();
        assert_eq!((joi.good, joi.dangerous, joi.too_long, alone.good), (0, 1, 1, 1));
        assert_eq!(
            worse.json(0)["kinds"][0],
            json!({ "kind": "facts", "questions": 1, "joi": 0, "alone": 1 })
        );
    }
}
