//! The two kinds of prompts.

/// The part of the head with which a prompt begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// The persona, without tools.
    Talk,
    /// All of it.
    #[default]
    Tools,
}
