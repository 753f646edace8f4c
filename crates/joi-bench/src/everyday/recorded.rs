//! What the model alone answered once, written down to be judged again without asking it.
//!
//! Its answers depend on nothing of Joi: on its file, on the options it is asked with, and on one line of character. These
//! stand beside the answers, and answers that were made with others are refused, as is a question that was not asked.

use std::path::Path;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use joi::app::local_models;
use joi::cli::context::CliContext;
use joi_base::checksum;
use joi_llm::{Mind, ServedBy, Serving};

use super::questions::EverydayQuestion;

/// What makes them anew.
const REMEDY: &str = "run make record-everyday";

/// With what the answers were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AloneConditions {
    /// The model's file, by its name.
    pub(super) model: String,
    /// The SHA-256 of that file.
    pub(super) sha256: String,
    /// The options of each call but the number of threads.
    pub(super) options: Value,
    /// The text that the model got in front of the conversation.
    pub(super) character: String,
}

impl AloneConditions {
    /// Those of the model that our own server runs now.
    pub(super) fn now(context: &CliContext, mind: &Mind, character: &str) -> anyhow::Result<Self> {
        let ready = match &*mind.serving().borrow() {
            Serving::Ready(ready) if ready.by == ServedBy::Local => ready.model.clone(),
            _ => bail!("answers are recorded of the embedded model only; set llm.backend=local"),
        };
        let models = local_models(context.config(), &context.paths)?;
        let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
        let model = models.chat.into_iter().find(|model| stem(&model.gguf).is_some_and(|stem| stem == ready));
        let gguf = model.with_context(|| format!("no file of the list is called {ready}"))?.gguf;
        let sha256 = checksum::of(&gguf).with_context(|| format!("can't read {}", gguf.display()))?;
        let mut options = serde_json::to_value(context.config().llm.options())?;
        // The same words come of any number of them.
        if let Some(options) = options.as_object_mut() {
            options.remove("num_thread");
        }
        Ok(Self { model: ready, sha256, options, character: character.to_owned() })
    }

    /// What differs from `other`, by its key.
    fn differs(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let told = |conditions: &Self| {
            let Self { model, sha256, options, character } = conditions.clone();
            [("model", model), ("sha256", sha256), ("options", options.to_string()), ("character", character)]
        };
        let pairs = told(self).into_iter().zip(told(other));
        pairs.map(|((key, one), (_, other))| (key, one, other)).find(|(_, one, other)| one != other)
    }
}

/// The turns of one question and what the model said to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedTurns {
    pub(super) said: Vec<String>,
    pub(super) answers: Vec<String>,
}

/// All of it, as it stands in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedAnswers {
    pub(super) made_with: AloneConditions,
    pub(super) conversations: Vec<RecordedTurns>,
}

impl RecordedAnswers {
    /// Reads a file whose answers were made with what is there now.
    ///
    /// # Errors
    /// It can't be read, or its answers were made with something else.
    pub(super) fn read(path: &Path, now: &AloneConditions) -> anyhow::Result<Self> {
        let told = || format!("the recorded answers {}; {REMEDY}", path.display());
        let text = std::fs::read_to_string(path).with_context(told)?;
        let all: Self = serde_json::from_str(&text).with_context(told)?;
        match all.made_with.differs(now) {
            None => Ok(all),
            Some((key, then, now)) => bail!(
                "the recorded answers {} were made with the {key} {then}, and it is {now} now; {REMEDY}",
                path.display()
            ),
        }
    }

    /// Reads a file, whatever its answers were made with.
    ///
    /// # Errors
    /// It can't be read.
    pub(super) fn read_as_they_are(path: &Path) -> anyhow::Result<Self> {
        let told = || format!("the recorded answers {}", path.display());
        let text = std::fs::read_to_string(path).with_context(told)?;
        serde_json::from_str(&text).with_context(told)
    }

    /// Writes them.
    ///
    /// # Errors
    /// The file can't be written.
    pub(super) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
    }

    /// The answers to the turns of a question.
    ///
    /// # Errors
    /// It was not asked.
    pub(super) fn of(&self, question: &EverydayQuestion) -> anyhow::Result<Vec<String>> {
        let found = self.conversations.iter().find(|turns| turns.said == question.turns);
        let found = found.filter(|turns| turns.answers.len() == question.turns.len());
        let answers = found.map(|turns| turns.answers.clone());
        answers
            .with_context(|| format!("no answer to {:?} was recorded; {REMEDY}", question.turns.join(" / ")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::questions::Everyday;
    use super::*;

    fn conditions() -> AloneConditions {
        AloneConditions {
            model: "small".into(),
            sha256: "aa".into(),
            options: json!({ "num_predict": 500, "temperature": 0.0 }),
            character: "You are Joi.".into(),
        }
    }

    #[test]
    fn answers_made_with_something_else_are_refused_and_the_remedy_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alone.json");
        let question = &Everyday::of("en").unwrap().questions[0];
        let turns = RecordedTurns { said: question.turns.clone(), answers: vec!["Paris.".into()] };
        let recorded = RecordedAnswers { made_with: conditions(), conversations: vec![turns] };
        recorded.write(&path).unwrap();
        let read = RecordedAnswers::read(&path, &conditions()).unwrap();
        assert_eq!(read, recorded);
        assert_eq!(read.of(question).unwrap(), ["Paris."]);
        for (now, key) in [
            (AloneConditions { model: "large".into(), ..conditions() }, "model"),
            (AloneConditions { sha256: "ab".into(), ..conditions() }, "sha256"),
            (AloneConditions { options: json!({ "num_predict": 400 }), ..conditions() }, "options"),
            (AloneConditions { character: "You are a pirate.".into(), ..conditions() }, "character"),
        ] {
            let error = RecordedAnswers::read(&path, &now).unwrap_err().to_string();
            assert!(error.contains(&format!("the {key} ")) && error.ends_with(REMEDY), "{error}");
        }
        let other = &Everyday::of("en").unwrap().questions[1];
        assert!(read.of(other).unwrap_err().to_string().ends_with(REMEDY));
        std::fs::write(&path, "{").unwrap();
        assert!(RecordedAnswers::read(&path, &conditions()).unwrap_err().to_string().ends_with(REMEDY));
    }

    #[test]
    fn every_marked_question_in_english_is_recorded() {
        let text = include_str!("../../../../tests/data/everyday/alone.en.json");
        let recorded: RecordedAnswers = serde_json::from_str(text).unwrap();
        let everyday = Everyday::of("en").unwrap();
        assert_eq!(recorded.made_with.character, everyday.alone);
        for question in everyday.questions.iter().filter(|question| question.is_marked) {
            recorded.of(question).unwrap();
        }
    }
}
