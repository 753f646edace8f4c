//! The two kinds of prompts.

/// What of the head a prompt begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// The persona, without tools.
    Talk,
    /// All of it.
    #[default]
    Tools,
}
