//! What each filter of answers makes of what a model said: better, or worse.
//!
//! In: recorded answers of a model, and the questions they answer. Each answer goes through the filter in pieces, as it
//! would by voice with an empty memory, and what is left of it is judged by the rules of its question, beside the answer
//! as it was. An answer that is refused is better gone where it was a bad one, and worse where it was good. Out: for each
//! filter, how many answers it touched.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use joi_answer::check::ReplyRefusal;
use joi_answer::truth::ClaimEvidence;
use joi_answer::vacant::{Vacancy, VacancyRule};
use joi_answer::{AnswerEnding, AnswerLength, AnswerStop, LengthLimit};
use joi_answer::{FilterRules, OfferRule, Purpose, ReplyFilter};
use joi_language::Language;
use joi_speak::speakable;

use super::judge::AnswerRules;
use super::questions::{Everyday, EverydayQuestion};
use super::recorded::RecordedTurns;

/// Characters of a piece: about a token.
const PIECE: usize = 4;
/// As the configuration has it.
const SENTENCES: u32 = 3;
const WORDS: u32 = 60;

/// What a filter did to answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FilterCount {
    /// Bad ones that were refused, or good afterwards.
    pub(super) better: usize,
    /// Good ones that were refused, or bad afterwards.
    pub(super) worse: usize,
    /// Cut or changed, and no better or worse by that.
    pub(super) same: usize,
}

/// The counts by the name of the filter, and the worsened answers.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FilterTable {
    pub(super) answers: usize,
    pub(super) counts: BTreeMap<&'static str, FilterCount>,
    /// The filter, the question, the answer.
    pub(super) worsened: Vec<(&'static str, String, String)>,
}

/// What came out of the filter.
struct Filtered {
    said: String,
    /// Which filter took something.
    by: Option<&'static str>,
    is_refused: bool,
}

impl FilterTable {
    /// Adds the answers to one question; `persona` stood in front of them.
    pub(super) fn add(
        &mut self,
        (everyday, language): (&Everyday, &Language),
        question: &EverydayQuestion,
        answers: &[String],
    ) {
        let Some((answer, before)) = answers.split_last() else { return };
        self.answers += 1;
        let filtered = filtered(language, &everyday.alone, &question.turns, answers);
        let Some(by) = filtered.by else { return };
        let is_good = |last: &str| is_good(&everyday.rules, language, question, before, last);
        let (was_good, is_good) = (is_good(answer), !filtered.is_refused && is_good(&filtered.said));
        let count = self.counts.entry(by).or_default();
        match (was_good, is_good) {
            (false, _) if filtered.is_refused => count.better += 1,
            (false, true) => count.better += 1,
            (true, false) => {
                count.worse += 1;
                let asked = question.turns.last().cloned().unwrap_or_default();
                self.worsened.push((by, asked, answer.clone()));
            }
            (true, true) | (false, false) => count.same += 1,
        }
    }

    /// Adds every recorded conversation that is a question of the file.
    pub(super) fn add_all(&mut self, of: (&Everyday, &Language), all: &[RecordedTurns]) {
        for turns in all {
            let question = of.0.questions.iter().find(|question| question.turns == turns.said);
            if let Some(question) = question {
                self.add(of, question, &turns.answers);
            }
        }
    }
}

fn is_good(
    rules: &AnswerRules,
    language: &Language,
    question: &EverydayQuestion,
    before: &[String],
    last: &str,
) -> bool {
    let all = before.iter().map(String::as_str).chain([last]);
    let spoken: Vec<String> = all.map(|answer| speakable(answer, language)).collect();
    rules.judge(question, &spoken).is_empty()
}

/// Returns the part of the last answer that is spoken.
fn filtered(language: &Language, persona: &str, turns: &[String], answers: &[String]) -> Filtered {
    let (asked, earlier) = turns.split_last().map_or(("", &[][..]), |(asked, earlier)| (asked, earlier));
    let (answer, before) = answers.split_last().map_or(("", &[][..]), |(answer, before)| (answer, before));
    let last = before.last().map_or("", String::as_str);
    let rules = FilterRules {
        known: &[],
        purpose: Purpose::Answer,
        evidence: ClaimEvidence { asked, told: earlier, ..ClaimEvidence::default() },
        offers: OfferRule::Free,
        vacancy: Some(VacancyRule { asked, persona, remembered: "", earlier, last }),
    };
    let mut filter = ReplyFilter::new(rules, language);
    let limit = LengthLimit::spoken(language, asked, SENTENCES, WORDS);
    let mut length = AnswerLength::new(language, limit, "");
    let mut said = String::new();
    let letters: Vec<char> = answer.chars().collect();
    let stopped = |stop: AnswerStop| match stop {
        AnswerStop::Long => "length",
        AnswerStop::Circles => "a sentence again",
    };
    for piece in letters.chunks(PIECE) {
        match filter.push(&piece.iter().collect::<String>()) {
            Ok(words) => said += &length.push(&words),
            Err(refusal) => return refused(said, refusal),
        }
        if let Some(stop) = length.stop() {
            return Filtered { said, by: Some(stopped(stop)), is_refused: false };
        }
    }
    match filter.finish(AnswerEnding::Whole) {
        Err(refusal) => refused(said, refusal),
        Ok(rest) => {
            said += &(length.push(&rest.rest) + &length.finish());
            let is_other = words(&said) != words(answer);
            let turned = is_other.then_some("turned round");
            let by = rest.left_out.map(name).or_else(|| length.stop().map(stopped)).or(turned);
            Filtered { said, by, is_refused: false }
        }
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn refused(said: String, refusal: ReplyRefusal) -> Filtered {
    let is_refused = said.trim().is_empty();
    Filtered { said, by: Some(name(refusal)), is_refused }
}

fn name(refusal: ReplyRefusal) -> &'static str {
    match refusal {
        ReplyRefusal::Empty => "empty",
        ReplyRefusal::Malformed(_) => "malformed",
        ReplyRefusal::Secret => "a secret",
        ReplyRefusal::Claim | ReplyRefusal::FurtherClaim => "a claim",
        ReplyRefusal::Offer => "an offer",
        ReplyRefusal::Repeats => "repeats the request",
        ReplyRefusal::Vacant(Vacancy::Stock) => "stock phrase",
        ReplyRefusal::Vacant(Vacancy::Reason) => "a reason nobody asked for",
        ReplyRefusal::Vacant(Vacancy::Recited) => "recites the prompt",
        ReplyRefusal::Vacant(Vacancy::UsersPart) => "speaks as the user",
        ReplyRefusal::Vacant(Vacancy::Rejoices) => "glad about bad news",
        ReplyRefusal::Vacant(Vacancy::Circles) => "in circles",
        ReplyRefusal::Vacant(Vacancy::Again) => "the answer before",
        ReplyRefusal::Unsaid => "nothing said for long",
        ReplyRefusal::TooLong { .. } => "too long",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::recorded::RecordedAnswers;
    use super::*;

    fn of(code: &str, question: usize, answer: &str) -> FilterTable {
        let (everyday, language) = (Everyday::of(code).unwrap(), Language::load(code).unwrap());
        let mut table = FilterTable::default();
        let question = &everyday.questions[question];
        let before = question.turns.iter().skip(1).map(|_| String::new());
        let answers: Vec<String> = before.chain([answer.to_owned()]).collect();
        table.add((&everyday, &language), question, &answers);
        table
    }

    #[test]
    fn a_refused_answer_counts_by_what_it_was() {
        let count = |answer: &str, filter: &'static str| of("en", 0, answer).counts.get(filter).copied();
        assert_eq!(count("The capital of France is Paris.", "stock phrase"), None);
        let better = FilterCount { better: 1, ..FilterCount::default() };
        assert_eq!(count("I'm sorry, but I can't assist with that.", "stock phrase"), Some(better));
        let worse = FilterCount { worse: 1, ..FilterCount::default() };
        assert_eq!(count("As an AI I know that it is Paris.", "stock phrase"), Some(worse));
    }

    // A filter that makes more recorded answers worse than better goes.
    #[test]
    fn no_filter_makes_more_recorded_answers_worse_than_better() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/everyday");
        let (mut all, mut files) = (BTreeMap::<&str, FilterCount>::new(), 0);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let recorded = RecordedAnswers::read_as_they_are(&path).unwrap();
            let everyday = Everyday::by_character(&recorded.made_with.character).unwrap();
            let language = Language::load(everyday.language).unwrap();
            let mut table = FilterTable::default();
            table.add_all((&everyday, &language), &recorded.conversations);
            files += 1;
            for (filter, count) in table.counts {
                let sum = all.entry(filter).or_default();
                sum.better += count.better;
                sum.worse += count.worse;
            }
        }
        assert!(files > 0);
        let bad: Vec<_> = all.iter().filter(|(_, count)| count.worse > count.better).collect();
        assert!(bad.is_empty(), "{bad:?}");
    }
}
