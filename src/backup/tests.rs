//! Backups as wholes: there and back, on another machine, automatic ones.

mod hostile;
mod interrupted;

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::*;
use joi_base::paths::Paths;
use joi_store::Store;

const NOW: &str = "2026-11-24T12:00:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// Returns a machine whose home is `home`.
fn paths(home: &Path) -> Paths {
    Paths::from_env(|name| (name == "HOME").then(|| home.as_os_str().to_owned())).unwrap()
}

fn target(home: &Path) -> RestoreTarget {
    RestoreTarget { paths: paths(home), home: Some(home.to_owned()), stop: CancellationToken::new() }
}

fn source(home: &Path, secrets: BackupSecrets) -> BackupSource {
    let stop = CancellationToken::new();
    BackupSource { paths: paths(home), home: Some(home.to_owned()), secrets, stop }
}

fn put(file: &Path, content: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

/// Returns a lived-in machine.
async fn machine(home: &Path, word: &str) -> Store {
    let paths = paths(home);
    let token = home.join("ntfy.token");
    put(
        &paths.config,
        &format!(
            "# of {word}\nlanguage = \"fr\"\n[ntfy]\nurl = \"https://ntfy.sh\"\ntopic = \"hidden-{word}\"\n\
             token_file = \"{}\"\n[models]\ndir = \"{}\"\n",
            token.display(),
            home.join("models").display()
        ),
    );
    put(&token, "tk_secret\n");
    for (file, text) in [
        ("commands.toml", include_str!("../../assets/language/fr/commands.toml")),
        ("sentences.toml", include_str!("../../assets/language/fr/sentences.toml")),
        ("prompts/persona.md", "Tu es Joi."),
        ("voice.onnx", "a model"),
    ] {
        put(&paths.languages().join("fr").join(file), text);
    }
    put(&paths.data.join("wake.json"), &format!("{{\"phrases\":[],\"of\":\"{word}\"}}"));
    put(&paths.data.join("muted"), "");
    put(&paths.data.join("openhab/token"), "oh.joi.secret\n");
    put(&paths.data.join("history.txt"), "typed");
    let store = Store::open(&paths.database()).unwrap();
    store.set_setting("test.word", word.to_owned()).await.unwrap();
    store
}

async fn word(home: &Path) -> Option<String> {
    let store = Store::open(&paths(home).database()).unwrap();
    let word = store.setting("test.word").await.unwrap();
    store.close().await.unwrap();
    word
}

/// Returns every file below a folder, by its path there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path.strip_prefix(folder).unwrap().to_owned()),
            }
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn another_machine_gets_everything_but_models_and_secrets() {
    let (ada, bob, stick) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = machine(ada.path(), "ada").await;
    let file = stick.path().join(file_name(now()));
    let written = write(&source(ada.path(), BackupSecrets::LeftOut), &file, now()).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(files(stick.path()).len(), 1, "nothing unfinished is left");
    assert_eq!(written.manifest.left_out, ["ntfy.topic", "ntfy.url", "openhab/token"]);
    let names: Vec<_> = written.manifest.members.iter().map(ArchivedFile::name).collect();
    let expected = [
        "data/joi.db",
        "config/config.toml",
        "config/languages/fr/commands.toml",
        "config/languages/fr/prompts/persona.md",
        "config/languages/fr/sentences.toml",
        "data/wake.json",
        "data/muted",
    ];
    assert_eq!(names, expected);
    let mut plain = Vec::new();
    std::io::copy(&mut GzDecoder::new(File::open(&file).unwrap()), &mut plain).unwrap();
    for secret in ["hidden-ada", "tk_secret", "oh.joi.secret"] {
        assert!(!plain.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
    }
    assert!(matches!(
        write(&source(ada.path(), BackupSecrets::LeftOut), &file, now()),
        Err(BackupError::Exists(_))
    ));
    drop(store);

    let verified = verify(&file, target(bob.path())).unwrap();
    assert_eq!(verified.remarks().len(), 2, "{:?}", verified.remarks());
    let restored = verified.restore(now()).unwrap();
    assert_eq!((restored.files.len(), restored.kept.len()), (7, 0));
    assert_eq!(word(bob.path()).await.as_deref(), Some("ada"));
    let config = fs::read_to_string(paths(bob.path()).config).unwrap();
    assert!(config.contains(&format!("dir = \"{}\"", bob.path().join("models").display())), "{config}");
    assert!(config.starts_with("# of ada\n"), "{config}");
    assert!(paths(bob.path()).data.join("muted").exists(), "a microphone that was off stays off");
    // The log of the database, which was read here, goes when its thread ends.
    let is_left = |file: &&PathBuf| {
        let name = file.to_string_lossy();
        ![".lock", "-wal", "-shm"].iter().any(|end| name.ends_with(end))
    };
    for file in files(bob.path()).iter().filter(is_left) {
        let mode = fs::metadata(bob.path().join(file)).unwrap().permissions().mode();
        // An administrator's copy of the configuration is for the service's group too.
        let is_shared = rustix::process::geteuid().is_root() && file.starts_with(".config");
        assert_eq!(mode & 0o777, if is_shared { 0o640 } else { 0o600 }, "{file:?}");
    }
}

#[tokio::test]
async fn what_an_administrator_restores_for_a_service_is_readable_for_its_group() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (ada, service) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(machine(ada.path(), "ada").await);
    let file = ada.path().join("a.tar.gz");
    write(&source(ada.path(), BackupSecrets::Kept(Vec::new())), &file, now()).unwrap();
    let there = paths(service.path());
    fs::create_dir_all(&there.data).unwrap();
    std::os::unix::fs::chown(&there.data, Some(4711), Some(4712)).unwrap();
    verify(&file, target(service.path())).unwrap().restore(now()).unwrap();
    let languages = there.config.with_file_name("languages");
    for (path, owner, group, mode) in [
        (there.config, 0, 4712, 0o640),
        (languages.join("fr/commands.toml"), 0, 4712, 0o640),
        (languages.join("fr"), 0, 4712, 0o750),
        (languages, 0, 4712, 0o750),
        (there.data.join("joi.db"), 4711, 4712, 0o600),
        (there.data.join("wake.json"), 4711, 4712, 0o600),
        (there.data.join("openhab"), 4711, 4712, 0o700),
        (there.data.join("openhab/token"), 4711, 4712, 0o600),
    ] {
        let about = fs::metadata(&path).unwrap();
        let is = (about.uid(), about.gid(), about.permissions().mode() & 0o777);
        assert_eq!(is, (owner, group, mode), "{}", path.display());
    }
}

// What `joi config init` writes names the usual devices
#[tokio::test]
async fn only_devices_of_ones_own_choice_are_remarked_on() {
    for (audio, is_remarked) in [("input = [\"default\"]", false), ("output = [\"Jabra\"]", true)] {
        let home = tempfile::tempdir().unwrap();
        put(&paths(home.path()).config, &format!("[audio]\n{audio}\n"));
        let file = home.path().join("b.tar.gz");
        write(&source(home.path(), BackupSecrets::LeftOut), &file, now()).unwrap();
        let verified = verify(&file, target(home.path())).unwrap();
        let remarks = verified.remarks().join("\n");
        assert_eq!(remarks.contains("sound devices"), is_remarked, "{audio}: {remarks}");
    }
}

#[tokio::test]
async fn secrets_that_were_asked_for_come_back_and_the_configuration_leads_to_them() {
    let (ada, bob) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(machine(ada.path(), "ada").await);
    let file = ada.path().join("safe.tar.gz");
    let named = SecretFile { key: "ntfy.token_file", path: ada.path().join("ntfy.token") };
    let written = write(&source(ada.path(), BackupSecrets::Kept(vec![named])), &file, now()).unwrap();
    assert!(written.manifest.with_secrets && written.manifest.left_out.is_empty());
    verify(&file, target(bob.path())).unwrap().restore(now()).unwrap();
    let there = paths(bob.path());
    assert_eq!(fs::read_to_string(there.data.join("openhab/token")).unwrap(), "oh.joi.secret\n");
    let token = there.config.with_file_name("ntfy-token");
    assert_eq!(fs::read_to_string(&token).unwrap(), "tk_secret\n");
    let loaded = crate::config::load(&there.config, &[]).unwrap().config;
    assert_eq!(
        (loaded.ntfy.topic.as_str(), Path::new(&loaded.ntfy.token_file)),
        ("hidden-ada", token.as_path())
    );
}

#[tokio::test]
async fn what_was_there_is_kept_and_an_open_database_is_left_alone() {
    let (ada, bob) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(machine(ada.path(), "ada").await);
    let file = ada.path().join("a.tar.gz");
    write(&source(ada.path(), BackupSecrets::LeftOut), &file, now()).unwrap();
    let bobs = machine(bob.path(), "bob").await;
    let before = files(bob.path());
    let refused = verify(&file, target(bob.path())).unwrap().restore(now());
    assert!(matches!(refused, Err(BackupError::InUse)), "{refused:?}");
    assert_eq!(files(bob.path()), before, "nothing was changed and nothing is left");
    bobs.close().await.unwrap();

    let restored = verify(&file, target(bob.path())).unwrap().restore(now()).unwrap();
    assert_eq!(word(bob.path()).await.as_deref(), Some("ada"));
    let kept = "before-restore-20261124T120000.000Z";
    let there = paths(bob.path());
    let folders = [there.data.join(kept), there.config.with_file_name(kept)];
    assert_eq!(restored.kept, folders);
    let mut old: Vec<_> = files(&folders[0]);
    old.retain(|file| !file.to_string_lossy().contains("-wal"));
    assert_eq!(old, [Path::new("joi.db"), Path::new("muted"), Path::new("wake.json")]);
    let kept_config = fs::read_to_string(folders[1].join("config.toml")).unwrap();
    assert!(kept_config.starts_with("# of bob"), "{kept_config}");
    let old = Store::open(&folders[0].join("joi.db")).unwrap();
    assert_eq!(old.setting("test.word").await.unwrap().as_deref(), Some("bob"));
    // A second restore keeps the first one's files beside them.
    let later = now() + std::time::Duration::from_secs(1);
    verify(&file, target(bob.path())).unwrap().restore(later).unwrap();
    assert!(folders[0].join("joi.db").exists());
}

#[tokio::test]
async fn automatic_backups_are_made_rotated_and_a_missing_stick_is_reported_once() {
    let (ada, stick) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(machine(ada.path(), "ada").await);
    let folder = stick.path().join("joi");
    let config = BackupConfig { folder: folder.clone(), every_h: 24, keep: 2 };
    let mut automatic = AutomaticBackups::new(&config, source(ada.path(), BackupSecrets::LeftOut)).unwrap();
    let day = |day: i64| now() + jiff::SignedDuration::from_hours(24 * day);
    let BackupTurn::Failed(why) = automatic.turn(day(0)) else { panic!("there is no folder") };
    assert!(why.contains("plug the disk in"), "{why}");
    assert_eq!(automatic.turn(day(0)), BackupTurn::Nothing, "it is told once");
    assert!(!folder.exists(), "it is never created");
    fs::create_dir(&folder).unwrap();
    put(&folder.join("holiday.jpg"), "mine");
    put(&folder.join(".joi-backup-20261101T000000Z.tar.gz.12345678.db.part"), "cut off");
    for n in 0..4 {
        assert_eq!(automatic.turn(day(n)), BackupTurn::Made(folder.join(file_name(day(n)))));
        assert_eq!(automatic.turn(day(n)), BackupTurn::Nothing);
    }
    let left = files(&folder);
    assert_eq!(left, [PathBuf::from("holiday.jpg"), file_name(day(2)).into(), file_name(day(3)).into()]);
    let BackupState::Well { newest, same_disk } = automatic.state() else {
        panic!("{:?}", automatic.state())
    };
    assert_eq!((*newest, *same_disk), (Some(day(3)), true));

    // What a wrong clock has dated far ahead counts for nothing, and stays.
    for ahead in [day(40), day(41)] {
        put(&folder.join(file_name(ahead)), "of a wrong clock");
    }
    for n in 4..6 {
        assert_eq!(automatic.turn(day(n)), BackupTurn::Made(folder.join(file_name(day(n)))));
        for there in [day(n), day(n - 1), day(40), day(41)] {
            assert!(folder.join(file_name(there)).exists(), "day {n}: {there}");
        }
    }
    assert!(BackupConfig::default().folder().is_none());
    verify(&folder.join(file_name(day(5))), target(&ada.path().join("other"))).unwrap();
}
