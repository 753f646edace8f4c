//! Gives the decoder names that may be said, as the text before an utterance: it spells them as they are spelled there.
//!
//! Called by the owner of the model. In: names, the likeliest first. Out: tokens, within a limit: each costs some time of
//! every transcription. What the decoder then writes where nothing was said is for the transcript filter. Only measurements
//! tell any: what is understood then and what is not is in `docs/user/home.md`.

use super::Whisper;

/// The most tokens of names.
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

    /// Returns the tokens the decoder is started with, names included.
    pub(super) fn opening_behind_names(&self) -> Vec<i32> {
        let before = if self.names.is_empty() { None } else { Some(self.context.token_prev()) };
        before.into_iter().chain(self.names.iter().copied()).chain(self.opening()).collect()
    }
}
