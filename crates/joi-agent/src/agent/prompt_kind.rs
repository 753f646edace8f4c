//! The two kinds of prompts.

/// What of the head a prompt begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// Who she is, and nothing about tools.
    Talk,
    /// All of it.
    #[default]
    Tools,
}
