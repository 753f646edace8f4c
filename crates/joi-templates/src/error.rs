//! Failures: a template file that cannot be used, a sentence that costs too much, a response that cannot be written.
//! Comes in: the cause. Goes out: one error per stage that names the language, the intent and the template.

/// A template file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TemplateFileError {
    /// Not JSON, or not of the expected form; take another file.
    #[error("not a file of sentence templates: {0}")]
    Format(#[from] serde_json::Error),
    /// A template, rule, list or response breaks the format; the file needs mending.
    #[error("templates of {language}: {place}: {fault} in \"{template}\"")]
    Template {
        /// Language of the file.
        language: String,
        /// Where: an intent, rule, list or response, with its name.
        place: String,
        /// The text with the fault.
        template: String,
        /// The fault.
        fault: TemplateFault,
    },
}

/// The fault of a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateFault {
    /// A bracket without its counterpart.
    #[error("\"{0}\" is not closed")]
    Unclosed(char),
    /// A closing bracket, or a character that cannot stand there.
    #[error("unexpected \"{0}\"")]
    Unexpected(char),
    /// `{}`, `<>` or `{list:}`.
    #[error("a reference without a name")]
    Nameless,
    /// A rule that the file does not define.
    #[error("unknown rule <{0}>")]
    UnknownRule(String),
    /// A rule that contains itself.
    #[error("rule <{0}> contains itself")]
    Circle(String),
    /// Groups and rules nested deeper than 40.
    #[error("nested too deeply")]
    TooDeep,
    /// A template of more than 8,000 characters.
    #[error("too long")]
    TooLong,
    /// More than 6 parts in one permutation.
    #[error("a permutation of {0} parts; at most 6 are allowed")]
    Permutation(usize),
    /// A list that has no values, range or wildcard.
    #[error("a list without values, range or wildcard")]
    ListKind,
    /// A range whose end precedes its start, or a step of 0.
    #[error("invalid range: from {from} to {to} by {step}")]
    Range {
        /// First number.
        from: i64,
        /// Last number.
        to: i64,
        /// Distance of two numbers.
        step: i64,
    },
    /// A response that is not Jinja.
    #[error("not a Jinja template: {0}")]
    Response(String),
}

/// A sentence that is not matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecogniseError {
    /// Longer than [`LONGEST_SENTENCE`](crate::LONGEST_SENTENCE); nothing was tried.
    #[error("a sentence of {0} characters is too long to be matched")]
    TooLong(usize),
    /// More steps than [`MOST_STEPS`](crate::MOST_STEPS); matching was given up.
    #[error("matching was given up after {0} steps")]
    TooMuchWork(u64),
}

/// A response that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ResponseError {
    /// The file has no response of this name for the intent.
    #[error("no response \"{key}\" for {intent}")]
    Unknown {
        /// The intent.
        intent: String,
        /// Name of the response.
        key: String,
    },
    /// The response needs something that the state lacks.
    #[error("response \"{key}\" of {intent}: {source}")]
    Render {
        /// The intent.
        intent: String,
        /// Name of the response.
        key: String,
        /// The fault that minijinja reports.
        source: minijinja::Error,
    },
}
