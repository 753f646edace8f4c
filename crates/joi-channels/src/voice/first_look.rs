//! Decides whether the quickest model has understood enough of an utterance, so that the better one need not be asked.
//!
//! In: its transcript. Out: yes for a whole command that it is sure of. Most of what is said to joi is one of a few
//! commands, and for these the small model is as good, as it is for other words of which it is very sure; everything
//! else goes to the model that was chosen, as if the small one had never been asked.
//! Pure: no I/O, no clock.

use joi_base::message::Transcript;
use joi_language::Language;
use joi_understand::intents::{Completeness, completeness};

/// The least mean log-probability of a transcript that is believed: `joi-bench first-look` has the figures.
const SURE: f32 = -0.35;
/// The same for what is no command: any word of it counts.
const VERY_SURE: f32 = -0.2;

/// Which model reads an utterance while it is not certain yet that it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialModel {
    /// The chosen one.
    Chosen,
    /// The quickest, and the chosen one behind it where that is not decisive.
    QuickestFirst,
    /// Both at the same time; the chosen one is given up where the quickest is decisive.
    Both,
}

impl TrialModel {
    /// Which one it is where two different models are there, each with so many threads. Two that share a core wait for
    /// each other in turns.
    pub fn of_two(threads: usize, cores: usize) -> Self {
        if 2 * threads <= cores { Self::Both } else { Self::QuickestFirst }
    }
}

/// Whether `text`, which `transcript` holds, is beyond doubt, and not the beginning of something.
pub fn is_decisive(language: &Language, text: &str, transcript: &Transcript) -> bool {
    match completeness(language, text) {
        Completeness::Question | Completeness::Sentence | Completeness::Unknown => {
            is_sure(transcript, VERY_SURE)
        }
        meaning => meaning.is_whole() && is_sure(transcript, SURE),
    }
}

/// Whether the words will most likely be those of a better model, too.
pub(super) fn is_likely(transcript: &Transcript) -> bool {
    is_sure(transcript, SURE)
}

fn is_sure(transcript: &Transcript, least: f32) -> bool {
    !transcript.ran_away && transcript.mean_logprob >= least
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::english;

    #[test]
    fn two_models_read_side_by_side_where_each_has_cores_of_its_own() {
        assert_eq!(TrialModel::of_two(1, 1), TrialModel::QuickestFirst);
        assert_eq!(TrialModel::of_two(1, 2), TrialModel::Both);
        assert_eq!(TrialModel::of_two(3, 4), TrialModel::QuickestFirst);
        assert_eq!(TrialModel::of_two(4, 8), TrialModel::Both);
    }

    #[test]
    fn a_whole_command_that_the_model_is_sure_of_is_enough_and_other_words_of_which_it_is_very_sure() {
        let heard = |mean_logprob: f32, ran_away: bool| Transcript {
            mean_logprob,
            ran_away,
            ..Transcript::default()
        };
        let decisive = |command: &str, transcript| is_decisive(english(), command, &transcript);
        assert!(decisive("what time is it?", heard(-0.1, false)));
        assert!(decisive("set a timer for ten minutes", heard(-0.3, false)), "it may go on, but is whole");
        assert!(!decisive("what time is it?", heard(-0.5, false)), "a guess");
        assert!(!decisive("what time is it?", heard(-0.1, true)), "it went in circles");
        assert!(!decisive("set a timer for", heard(-0.1, false)), "a beginning");
        assert!(decisive("tell me a story.", heard(-0.1, false)));
        assert!(decisive("why is the sky blue?", heard(-0.1, false)));
        assert!(!decisive("why is the sky blue?", heard(-0.3, false)), "any word of it counts");
        assert!(!decisive("why is the sky blue?", heard(-0.1, true)), "it went in circles");
        assert!(!decisive("why is the?", heard(-0.1, false)), "a beginning");
    }
}
