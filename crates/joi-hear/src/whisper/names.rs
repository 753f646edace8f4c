//! Names that may be said, told to the decoder as the text before an utterance: it writes them as they are written there.
//!
//! Called by the owner of the model. In: names, the likeliest first. Out: tokens, within a limit: each costs some time of
//! every transcription. What the decoder then writes where nothing was said is for the transcript filter. Only measurements
//! tell any: what is understood then and what is not is in `docs/user/home.md`.

use super::Whisper;

/// The most tokens that are told.
const MOST: usize = 100;

impl Whisper {
    /// Tells these names from now on, as many of them as fit, the first ones first; none when there are none. One that is no
    /// text is left out.
    pub fn tell_names(&mut self, names: &[String]) {
        let mut told = Vec::new();
        for name in names {
            let joint = if told.is_empty() { "" } else { "," };
            let Ok(tokens) = self.tokens(&format!("{joint} {name}")) else { continue };
            // One is left for the full stop.
            if told.len() + tokens.len() >= MOST {
                break;
            }
            told.extend(tokens);
        }
        if !told.is_empty() {
            told.extend(self.tokens(".").unwrap_or_default());
        }
        self.names = told;
    }

    /// What the decoder is started with behind the names that were told.
    pub(super) fn opening_behind_names(&self) -> Vec<i32> {
        let before = if self.names.is_empty() { None } else { Some(self.context.token_prev()) };
        before.into_iter().chain(self.names.iter().copied()).chain(self.opening()).collect()
    }
}
