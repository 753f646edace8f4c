//! Archives that somebody else has made, or that were damaged: refused, or unpacked to exactly what they say.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tar::{Builder, EntryType, Header};

use super::{NOW, files, target};
use crate::backup::{archive, verify};

/// A part of an archive, as somebody hostile may write it.
#[derive(Debug, Clone)]
struct ArchivePiece {
    name: Vec<u8>,
    kind: EntryType,
    link: Option<&'static str>,
    /// What the header says; nothing for the truth.
    size: Option<u64>,
    content: Vec<u8>,
}

impl ArchivePiece {
    fn file(name: &str, content: impl Into<Vec<u8>>) -> Self {
        let (name, kind) = (name.as_bytes().to_vec(), EntryType::Regular);
        Self { name, kind, link: None, size: None, content: content.into() }
    }
}

fn write_archive(file: &Path, pieces: &[ArchivePiece]) {
    let packed = GzEncoder::new(File::create(file).unwrap(), Compression::fast());
    let mut tar = Builder::new(packed);
    for piece in pieces {
        let mut header = Header::new_ustar();
        let length = piece.name.len().min(100);
        header.as_mut_bytes()[..length].copy_from_slice(&piece.name[..length]);
        header.set_entry_type(piece.kind);
        if let Some(link) = piece.link {
            header.set_link_name(link).unwrap();
        }
        header.set_size(piece.size.unwrap_or(piece.content.len() as u64));
        header.set_mode(0o777);
        header.set_cksum();
        tar.append(&header, piece.content.as_slice()).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
}

fn manifest_of(members: &[(&str, u64, String)]) -> ArchivePiece {
    let members: Vec<_> = members
        .iter()
        .map(|(name, bytes, sha256)| serde_json::json!({ "name": name, "bytes": bytes, "sha256": sha256 }))
        .collect();
    let text = serde_json::json!({
        "format": 1, "joi": "0.1.0", "made_at": NOW, "schema": 0, "with_secrets": false, "members": members,
    });
    ArchivePiece::file("manifest.json", text.to_string())
}

fn sum(content: &str) -> String {
    joi_base::checksum::of_bytes(content.as_bytes())
}

/// Returns why an archive is refused; nothing of it is left, and nothing beside the target was touched.
#[track_caller]
fn refused(pieces: &[ArchivePiece]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (file, home) = (folder.path().join("bad.tar.gz"), folder.path().join("home"));
    write_archive(&file, pieces);
    let why = verify(&file, target(&home)).unwrap_err().to_string();
    assert_eq!(files(folder.path()), [Path::new("bad.tar.gz")], "{why}");
    why
}

#[test]
fn hostile_archives_are_refused_and_leave_nothing() {
    let wake = |bytes, sum: String| manifest_of(&[("data/wake.json", bytes, sum)]);
    let sound = || wake(2, sum("{}"));
    let link = |kind, to| ArchivePiece { kind, link: Some(to), ..ArchivePiece::file("data/wake.json", "") };
    let sized = |size| ArchivePiece { size: Some(size), ..ArchivePiece::file("data/wake.json", "{}") };
    let with = |piece: ArchivePiece| vec![sound(), piece];
    for (pieces, told) in [
        (vec![], "empty"),
        (vec![ArchivePiece::file("data/wake.json", "{}")], "manifest.json should be"),
        (vec![ArchivePiece::file("manifest.json", "[]")], "manifest"),
        (vec![sound()], "missing"),
        (with(ArchivePiece::file("../../.bashrc", "{}")), "data/wake.json should be"),
        (with(ArchivePiece::file("/etc/passwd", "{}")), "data/wake.json should be"),
        (with(link(EntryType::Symlink, "/etc/passwd")), "Symlink"),
        (with(link(EntryType::Link, "/etc/passwd")), "Link"),
        (
            with(ArchivePiece { kind: EntryType::Directory, ..ArchivePiece::file("data/wake.json", "") }),
            "Directory",
        ),
        (with(ArchivePiece { kind: EntryType::Fifo, ..ArchivePiece::file("data/wake.json", "") }), "Fifo"),
        (
            with(ArchivePiece { kind: EntryType::GNULongName, ..ArchivePiece::file("data/wake.json", "x") }),
            "GNULongName",
        ),
        (
            with(ArchivePiece { kind: EntryType::XHeader, ..ArchivePiece::file("data/wake.json", "x") }),
            "XHeader",
        ),
        (
            with(ArchivePiece { kind: EntryType::GNUSparse, ..ArchivePiece::file("data/wake.json", "x") }),
            "GNUSparse",
        ),
        (with(sized(1 << 40)), "not what its manifest says"),
        (with(ArchivePiece::file("data/wake.json", "[]")), "checksum"),
        (with(ArchivePiece::file("data/wake.json", "{}{}")), "not what its manifest says"),
        (
            vec![sound(), ArchivePiece::file("data/wake.json", "{}"), ArchivePiece::file("more", "")],
            "holds more",
        ),
        (vec![wake(4 << 30, sum("{}"))], "too large"),
        (vec![manifest_of(&[("../x", 1, sum(""))])], "belongs to no backup"),
        (
            vec![manifest_of(&[("data/joi.db", 2, sum("{}"))]), ArchivePiece::file("data/joi.db", "{}")],
            "database",
        ),
    ] {
        let why = refused(&pieces);
        assert!(why.contains(told), "{told}: {why}");
    }
}

#[test]
fn what_does_not_fit_on_the_disk_is_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.tar.gz");
    write_archive(&file, &[manifest_of(&[("data/wake.json", 100, sum(""))])]);
    let stage = folder.path().join("stage");
    let unpacked = archive::unpack(File::open(&file).unwrap(), &stage, 0, 99);
    assert!(matches!(unpacked, Err(archive::ArchiveFault::NoRoom { needed: 100 })), "{unpacked:?}");
    assert!(!stage.exists());
}

#[test]
fn an_archive_that_unpacks_to_more_than_it_says_is_not_unpacked() {
    // 256 MB of zeros in some 250 kB: the header of the manifest shows it, and no byte of it is read.
    let bomb = ArchivePiece { size: None, ..ArchivePiece::file("manifest.json", vec![b' '; 256 << 20]) };
    assert!(refused(&[bomb]).contains("not what its manifest says"));
}

#[test]
fn a_backup_of_a_newer_schema_is_refused_in_one_sentence() {
    let text = serde_json::json!({
        "format": 1, "joi": "7.0.0", "made_at": NOW, "schema": 4000, "with_secrets": false,
        "members": [{ "name": "data/joi.db", "bytes": 0, "sha256": sum("") }],
    });
    let why = refused(&[ArchivePiece::file("manifest.json", text.to_string())]);
    let told = "the backup was made by joi 7.0.0, whose database is newer than this one knows; update joi, then restore again";
    assert_eq!(why, told);
}

#[test]
fn no_damage_to_an_archive_goes_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("whole.tar.gz");
    let text = "{\"phrases\":[]}";
    let wake = ("data/wake.json", text.len() as u64, sum(text));
    write_archive(&file, &[manifest_of(&[wake]), ArchivePiece::file("data/wake.json", text)]);
    let whole = fs::read(&file).unwrap();
    for cut in (0..whole.len().saturating_sub(8)).step_by(7) {
        let home = folder.path().join("home");
        let short = folder.path().join("short.tar.gz");
        fs::write(&short, &whole[..cut]).unwrap();
        if let Ok(verified) = verify(&short, target(&home)) {
            // Only padding may be missing.
            let staged = verified.stage_for_tests().join("data/wake.json");
            assert_eq!(fs::read_to_string(staged).unwrap(), text, "cut at {cut}");
        }
    }
}

fn any_name() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"data/wake.json".to_vec()),
        Just(b"data/muted".to_vec()),
        Just(b"config/config.toml".to_vec()),
        Just(b"../escape".to_vec()),
        Just(b"/tmp/escape".to_vec()),
        Just(b"data/../../escape".to_vec()),
        proptest::collection::vec(any::<u8>(), 1..40),
    ]
}

fn any_piece() -> impl Strategy<Value = ArchivePiece> {
    let kind = prop_oneof![
        6 => Just(EntryType::Regular),
        1 => Just(EntryType::Symlink),
        1 => Just(EntryType::Link),
        1 => Just(EntryType::Directory),
        1 => Just(EntryType::GNULongName),
        1 => Just(EntryType::XHeader),
    ];
    let size = prop_oneof![4 => Just(None), 1 => any::<u64>().prop_map(|size| Some(size >> 20))];
    (any_name(), kind, size, proptest::collection::vec(any::<u8>(), 0..600)).prop_map(
        |(name, kind, size, content)| ArchivePiece {
            name,
            kind,
            link: (kind == EntryType::Symlink || kind == EntryType::Link).then_some("../../escape"),
            size,
            content,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever an archive holds: either it is refused, or exactly the files of its manifest were unpacked; and nothing
    /// outside of the folder of the data exists.
    #[test]
    fn no_archive_of_foreign_bytes_writes_anywhere_but_in_its_folder(
        pieces in proptest::collection::vec(any_piece(), 0..4),
        is_listed in any::<bool>(),
        flip in proptest::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (file, home) = (folder.path().join("any.tar.gz"), folder.path().join("home"));
        let mut all = pieces.clone();
        if is_listed {
            let listed: Vec<_> = pieces
                .iter()
                .filter_map(|piece| Some((std::str::from_utf8(&piece.name).ok()?, piece)))
                .map(|(name, piece)| (name, piece.content.len() as u64, joi_base::checksum::of_bytes(&piece.content)))
                .collect();
            all.insert(0, manifest_of(&listed));
        }
        write_archive(&file, &all);
        if let Some((at, with)) = flip {
            let mut bytes = fs::read(&file).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= with;
            File::create(&file).unwrap().write_all(&bytes).unwrap();
        }
        match verify(&file, target(&home)) {
            Err(_) => prop_assert_eq!(files(folder.path()), [PathBuf::from("any.tar.gz")]),
            Ok(verified) => {
                let unpacked = files(verified.stage_for_tests());
                let mut listed: Vec<_> =
                    verified.manifest().members.iter().map(|file| PathBuf::from(file.name())).collect();
                listed.sort();
                prop_assert_eq!(unpacked, listed);
                let is_inside = |path: &PathBuf| path.starts_with("home/.local/share/joi/") || path.ends_with("any.tar.gz");
                prop_assert!(files(folder.path()).iter().all(is_inside));
            }
        }
    }
}
