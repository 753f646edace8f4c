//! Model names: `model[:tag]`, as Ollama compares and prints them. PURE.

use std::fmt;

/// A model's name. The tag is "latest" when none is given; case does not matter in comparisons.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    model: String,
    tag: String,
}

/// The text can't name a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a model name consists of letters, digits, '.', '-' and '_', with an optional ':tag'")]
pub(crate) struct InvalidName;

impl Name {
    /// Reads `[registry.ollama.ai/][library/]model[:tag]`.
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidName> {
        let text = text.strip_prefix("registry.ollama.ai/").unwrap_or(text);
        let text = text.strip_prefix("library/").unwrap_or(text);
        let (model, tag) = text.split_once(':').unwrap_or((text, "latest"));
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let parts_allowed = |part: &str| !part.is_empty() && part.len() <= 80 && part.chars().all(allowed);
        // Names with a namespace have a slash: valid, though never served here.
        if model.split('/').all(parts_allowed) && parts_allowed(tag) {
            Ok(Self { model: model.to_owned(), tag: tag.to_owned() })
        } else {
            Err(InvalidName)
        }
    }

    /// A name derived from the file's: lower case, other characters as '-'.
    pub(crate) fn of_file(path: &std::path::Path) -> Self {
        let stem = path.file_stem().map(|s| s.to_string_lossy().to_lowercase()).unwrap_or_default();
        let model: String = stem
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
            .collect();
        let model = model.chars().take(80).collect::<String>();
        let model = if model.is_empty() { "model".to_owned() } else { model };
        Self { model, tag: "latest".to_owned() }
    }

    /// The name in full, as some error texts want it.
    pub(crate) fn canonical(&self) -> String {
        format!("registry.ollama.ai/library/{self}")
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.model.eq_ignore_ascii_case(&other.model) && self.tag.eq_ignore_ascii_case(&other.tag)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.model, self.tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_same_model_may_be_written_in_several_ways() {
        let name = Name::parse("qwen2.5-coder").unwrap();
        for same in [
            "Qwen2.5-Coder:latest",
            "library/qwen2.5-coder",
            "registry.ollama.ai/library/qwen2.5-coder:latest",
        ] {
            assert_eq!(Name::parse(same).unwrap(), name);
        }
        assert_ne!(Name::parse("qwen2.5-coder:0.5b").unwrap(), name);
        assert_eq!(name.canonical(), "registry.ollama.ai/library/qwen2.5-coder:latest");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", ":", "a b", "a:", "a:b:c", "a//b", "ü"] {
            assert_eq!(Name::parse(text).err(), Some(InvalidName), "{text}");
        }
    }

    #[test]
    fn a_file_lends_its_name() {
        let name = Name::of_file(Path::new("/models/Qwen2.5 Coder (0.5B).gguf"));
        assert_eq!(name.to_string(), "qwen2.5-coder--0.5b-:latest");
    }
}
