//! Gives the decoder names that may be said, as the text before an utterance: it spells them as they are spelled there.
//!
//! Called by the owner of the model. In: names, the likeliest first. Out: tokens, within a limit: each costs some time of
//! every transcription. What the decoder then writes where nothing was said is for the transcript filter. Only
//! measurements set any; their result is in `docs/user/home.md`.

use super::Whisper;

/// The most tokens of names.
const MOST: usize = 100;

impl Whisper {
    /// Sets the names for the next transcriptions, as many as fit, the first ones first. Names without text are left out.
    pub fn set_names(&mut self, names: &[String]) {
        let mut tokens = Vec::new();
        for name in names {
            let joint = if tokens.is_empty() { "" } else { "," };
            let Ok(name) = self.tokens(&format!("{joint} {name}")) else { continue };
            // One is left for the full stop.
            if tokens.len() + name.len() >= MOST {
                break;
            }
            tokens.extend(name);
        }
        if !tokens.is_empty() {
            tokens.extend(self.tokens(".").unwrap_or_default());
        }
        self.names = tokens;
    }

    /// Returns the tokens the decoder is started with, names included.
    pub(super) fn opening_behind_names(&self) -> Vec<i32> {
        let before = if self.names.is_empty() { None } else { Some(self.context.token_prev()) };
        before.into_iter().chain(self.names.iter().copied()).chain(self.opening()).collect()
    }
}
