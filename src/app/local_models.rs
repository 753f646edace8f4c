//! The chat models that our own server may run: the owner's first, then those of the manifest, the best first.
//!
//! Pure but for the paths. It looks at no file: what is there of the list is seen when it is chosen from.

use std::path::PathBuf;

use anyhow::Context;

use crate::config::Config;
use joi_base::paths::Paths;
use joi_llm::{LOCAL_EMBED_MODEL, LocalChatModel, LocalModels, SpeedLog};
use joi_models::ModelLibrary;

/// The file of measured speeds, in the cache.
const SPEEDS: &str = "model-speeds.json";

/// `joi-model` beside this program, and its models.
pub fn local_models(config: &Config, paths: &Paths) -> anyhow::Result<LocalModels> {
    let library = super::library(config, paths)?;
    let own = config.llm.local_models.iter().map(|own| LocalChatModel {
        name: own.name.trim().to_owned(),
        gguf: own.path.clone(),
        sha256: None,
        bytes: None,
        least_memory: None,
        remedy: "correct its path in llm.local_models".to_owned(),
    });
    let known = library.manifest().chat.iter().map(|name| known(&library, name));
    Ok(LocalModels {
        binary: beside_us("joi-model")?,
        chat: own.map(Ok).chain(known).collect::<anyhow::Result<_>>()?,
        embed_gguf: library.first_file(LOCAL_EMBED_MODEL)?.1,
        runtime_dir: paths.runtime.clone(),
        outlives: None,
        speeds: SpeedLog::kept_in(Some(paths.cache.join(SPEEDS))),
    })
}

fn known(library: &ModelLibrary, name: &str) -> anyhow::Result<LocalChatModel> {
    let (file, gguf) = library.first_file(name)?;
    Ok(LocalChatModel {
        name: name.to_owned(),
        gguf,
        sha256: Some(file.sha256.clone()),
        bytes: file.size,
        least_memory: library.manifest().model(name).and_then(|model| model.least_memory),
        remedy: format!("run `joi models fetch {name}`"),
    })
}

fn beside_us(name: &str) -> anyhow::Result<PathBuf> {
    let us = std::env::current_exe().context("can't find out where this program is")?;
    let mut folder = us.parent();
    // Test binaries lie one folder deeper than the programs.
    while let Some(here) = folder {
        let candidate = here.join(name);
        if candidate.exists() {
            return Ok(candidate);
        }
        folder = here.parent().filter(|_| here.file_name().is_some_and(|n| n == "deps"));
    }
    Ok(us.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_llm::OwnModel;

    #[test]
    fn the_owners_models_come_before_those_of_the_list() {
        let paths = Paths::from_env(|name| (name == "HOME").then(|| "/home/ada".into())).unwrap();
        let mut config = Config::default();
        config.llm.local_models = vec![OwnModel { name: " mine ".into(), path: "/srv/mine.gguf".into() }];
        let models = local_models(&config, &paths).unwrap();
        let names: Vec<&str> = models.chat.iter().map(|model| model.name.as_str()).collect();
        assert_eq!(names, ["mine", "chat-qwen3-1.7b", "chat-qwen2.5-coder-0.5b"]);
        assert_eq!(models.chat[0].gguf, PathBuf::from("/srv/mine.gguf"));
        let better = &models.chat[1];
        assert_eq!(
            (better.gguf.as_path(), better.remedy.as_str(), better.bytes),
            (
                std::path::Path::new("/home/ada/.cache/joi/models/chat-qwen3-1.7b/Qwen3-1.7B.Q4_K_M.gguf"),
                "run `joi models fetch chat-qwen3-1.7b`",
                None
            )
        );
        assert!(better.least_memory > Some(3_000_000_000));
    }
}
