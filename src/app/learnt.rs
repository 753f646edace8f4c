//! Phrases that are known by recordings: files that the configuration names, then the voices that were enrolled.
//!
//! In: the phrases, this user's data. Out: what is kept of the recordings, each with its phrase.

use joi_base::paths::Paths;
use joi_hear::wake::{PhraseBook, TEMPLATES_ARE_BUILT_IN, TemplateError, Templates, WakePhrase};

/// Recordings of a phrase, by one voice.
#[derive(Debug, Clone, PartialEq)]
pub struct LearntPhrase {
    /// Its written form, lower case.
    pub name: String,
    /// The templates of the recordings.
    pub templates: Templates,
}

/// Returns what `phrases` are known by. What cannot be used is reported, and the others are listened for.
pub(super) fn learnt(phrases: &[WakePhrase], paths: &Paths) -> Vec<LearntPhrase> {
    let usable =
        |found: FoundTemplates| match found.1.and_then(|templates| templates.check().map(|()| templates)) {
            Ok(templates) => Some(LearntPhrase { name: found.0, templates }),
            Err(error) => {
                tracing::warn!(%error, phrase = found.0, "a wake phrase is not known by its recordings");
                None
            }
        };
    found(phrases, paths).into_iter().filter_map(usable).collect()
}

/// The same without trying what is found, and without a word about it: for who only wants the names.
pub(super) fn learnt_by_name(phrases: &[WakePhrase], paths: &Paths) -> Vec<LearntPhrase> {
    let all = if TEMPLATES_ARE_BUILT_IN { found(phrases, paths) } else { Vec::new() };
    all.into_iter().filter_map(|(name, found)| Some(LearntPhrase { name, templates: found.ok()? })).collect()
}

/// The name of a phrase, and what there is of it.
type FoundTemplates = (String, Result<Templates, TemplateError>);

fn found(phrases: &[WakePhrase], paths: &Paths) -> Vec<FoundTemplates> {
    // An unreadable file is reported with its phrases.
    let book = PhraseBook::read(&PhraseBook::file(&paths.data)).unwrap_or_default();
    let mut all = Vec::new();
    for phrase in phrases {
        let name = phrase.name.to_lowercase();
        // Of a phrase that has a model too, the cutoff is the model's.
        let from = phrase.cutoff.filter(|_| phrase.stock().is_none());
        all.extend(phrase.rpw.as_ref().map(|file| (name.clone(), Templates::read(file, from))));
        let enrolled = book.get(&name).map_or(&[][..], |kept| &kept.voices);
        for templates in enrolled.iter().filter_map(|voice| voice.templates.clone()) {
            let templates = from.map_or(templates.clone(), |from| templates.counting_from(from));
            all.push((name.clone(), Ok(templates)));
        }
    }
    all
}

#[cfg(all(test, feature = "rustpotter"))]
mod tests {
    use super::*;
    use joi_hear::testing::wav;
    use joi_hear::wake::{Enrolled, SavedPhrase};

    #[test]
    fn files_and_voices_are_found_and_what_is_damaged_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Paths::discover().unwrap();
        paths.data = folder.path().to_owned();
        let templates = Templates::learn("hey luna", &[wav("phrase.wav"), wav("phrase.wav")]).unwrap();
        let mut book = PhraseBook::default();
        let mut luna = SavedPhrase::new("hey luna");
        luna.enrol(Enrolled {
            user: "anna".into(),
            margin: -3.0,
            takes: 5,
            templates: Some(templates.clone()),
        });
        book.put(luna);
        book.write(&PhraseBook::file(&paths.data)).unwrap();
        let damaged = folder.path().join("damaged.rpw");
        std::fs::write(&damaged, b"no templates").unwrap();
        let file = |rpw| WakePhrase { rpw: Some(rpw), ..WakePhrase::new("hey joi") };
        let phrases = [file(damaged), file(folder.path().join("missing.rpw")), WakePhrase::new("Hey Luna")];
        let all = learnt(&phrases, &paths);
        assert_eq!(all, [LearntPhrase { name: "hey luna".into(), templates: templates.clone() }]);
        assert_eq!(learnt_by_name(&phrases, &paths).len(), 2, "the damaged one is not looked into");
        let own = WakePhrase { cutoff: Some(0.7), ..WakePhrase::new("hey luna") };
        assert_eq!(learnt(&[own], &paths)[0].templates.from(), Some(0.7));
    }
}
