use super::*;
use crate::gguf::tests::{Fact, file, talker};

fn listed(folder: &Path, name: &str) -> LocalChatModel {
    LocalChatModel {
        name: name.to_owned(),
        gguf: folder.join(name),
        sha256: None,
        bytes: None,
        least_memory: None,
        remedy: format!("run `joi models fetch {name}`"),
    }
}

fn local(folder: &Path, chat: Vec<LocalChatModel>) -> LocalModels {
    LocalModels {
        binary: folder.join("joi-model"),
        chat,
        embed_gguf: folder.join("minilm"),
        runtime_dir: folder.join("run"),
        speeds: SpeedLog::kept_in(None),
        outlives: None,
    }
}

fn states(models: &LocalModels) -> Vec<FileState> {
    let all = FileExaminer::default().examine(models, &LlmConfig::default());
    all.into_iter().map(|one| one.state).collect()
}

#[test]
fn memory_is_the_file_its_window_and_headroom() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small"), talker()).unwrap();
    let models = local(folder.path(), vec![listed(folder.path(), "small"), listed(folder.path(), "none")]);
    let config = LlmConfig { num_ctx: 2048, ..LlmConfig::default() };
    let all = FileExaminer::default().examine(&models, &config);
    let bytes = talker().len() as u64;
    let FileState::There { bytes: found, needs, sha256 } = &all[0].state else { panic!("{all:?}") };
    assert_eq!((*found, *needs, sha256.len()), (bytes, bytes + 2048 * 128 + HEADROOM, 64));
    assert_eq!(all[1].state, FileState::Missing);
}

#[test]
fn a_damaged_file_or_no_chat_model_is_found_by_its_head() {
    let folder = tempfile::tempdir().unwrap();
    let whole = talker();
    let architecture = ("general.architecture", Fact::Text("tiny"));
    let files = [
        ("page", b"<html>not found</html>".to_vec()),
        ("head cut", whole[..50].to_vec()),
        ("tensors cut", whole[..whole.len() - 150].to_vec()),
        ("no template", file(&[architecture], 64)),
        ("vectors", file(&[("bert.pooling_type", Fact::Number(1))], 64)),
    ];
    for (name, bytes) in &files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let names = files.iter().map(|(name, _)| *name).chain(["folder"]);
    let mut chat: Vec<_> = names.map(|name| listed(folder.path(), name)).collect();
    std::fs::write(folder.path().join("other size"), &whole).unwrap();
    chat.push(LocalChatModel { bytes: Some(5), ..listed(folder.path(), "other size") });

    let damaged = |why: &str| FileState::Damaged { why: why.to_owned() };
    let unfit = |why: &str| FileState::Unfit { why: why.to_owned() };
    let short = format!("it has {} bytes and needs at least {}", whole.len() - 150, whole.len() - 95);
    assert_eq!(
        states(&local(folder.path(), chat)),
        [
            damaged("not a GGUF file"),
            damaged("truncated header"),
            damaged(&short),
            unfit("it has no chat template"),
            unfit("it makes vectors and no text"),
            FileState::Missing,
            damaged(&format!("it has {} of 5 bytes", whole.len())),
        ]
    );
}

#[test]
fn a_speed_is_found_by_the_published_checksum_or_the_files_beginning() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own"), talker()).unwrap();
    std::fs::write(folder.path().join("known"), talker()).unwrap();
    let known = LocalChatModel { sha256: Some("ab".repeat(32)), ..listed(folder.path(), "known") };
    let models = local(folder.path(), vec![listed(folder.path(), "own"), known]);
    let config = LlmConfig::default();
    let examiner = FileExaminer::default();
    let speeds =
        || examiner.examine(&models, &config).into_iter().map(|one| one.tokens_per_s).collect::<Vec<_>>();
    let FileState::There { sha256: own, .. } = examiner.examine(&models, &config)[0].state.clone() else {
        panic!("it is there")
    };
    assert_eq!(speeds(), [None, None]);
    models.speeds.keep(&own, config.threads.count(), 7.5).unwrap();
    assert_eq!(speeds(), [Some(7.5), None]);
    models.speeds.keep(&"ab".repeat(32), config.threads.count(), 8.5).unwrap();
    assert_eq!(speeds(), [Some(7.5), Some(8.5)]);

    // Another file under the same name is another model.
    std::fs::write(folder.path().join("own"), [talker(), vec![1]].concat()).unwrap();
    assert_eq!(speeds(), [None, Some(8.5)]);
}
