//! The words of an utterance without those that the user excludes: "add milk, but not eggs".
//!
//! In: an utterance. Out: its words outside of such stretches. A stretch ends with its clause.
//! Pure: no I/O, no clock.

use super::sentences::{begins, sentences};
use joi_language::RequestWords;

/// `text` without what is not meant ("add milk, but not eggs"); nothing where all of it is.
pub(super) fn meant(words: &RequestWords, text: &str) -> Option<String> {
    let form = &words.form;
    let runs: Vec<Vec<String>> = sentences(text).into_iter().flatten().map(|run| run.words).collect();
    if !runs.iter().any(|run| form.excluded.are_in(run)) {
        return None;
    }
    let ends = |rest: &[String]| {
        let joint = form.joints.at_start(rest);
        form.corrections.at_start(rest).is_some() || joint.is_some_and(|count| begins(words, &rest[count..]))
    };
    let is_object = |word: &&String| {
        words.deeds().any(|(_, deed)| words.names(&deed.objects, std::slice::from_ref(*word)))
    };
    let kept = |run: &Vec<String>| {
        let mut kept = Vec::new();
        let mut at = 0;
        while at < run.len() {
            match form.excluded.at_start(&run[at..]) {
                Some(count) => {
                    let behind = (at + count).min(run.len());
                    at = (behind..run.len()).find(|at| ends(&run[*at..])).unwrap_or(run.len());
                    // "Not the lamp in the hall, the one in the cellar" is about a lamp.
                    let object = run[behind..at].iter().filter(|word| is_object(word));
                    kept.extend(object.cloned());
                }
                None => {
                    kept.push(run[at].clone());
                    at += 1;
                }
            }
        }
        kept.join(" ")
    };
    Some(runs.iter().map(kept).collect::<Vec<_>>().join(", "))
}
