//! Where it listens, whom it lets in, and how it fails to start: one sentence, exit code not 0.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;

use serde_json::json;

use crate::support::{Server, model, ran, user};
use crate::tiny::Tiny;

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// Runs it to its failure: exit code 1 and one line, which is returned.
fn failure(args: &[&str]) -> String {
    let (code, error) = ended(args);
    assert_eq!(code, 1, "{error}");
    error
}

/// Runs it to its failure: exit code and its one line.
fn ended(args: &[&str]) -> (i32, String) {
    let output = ran(args);
    let stderr = String::from_utf8(output.stderr).expect("text");
    let code = output.status.code().expect("no signal");
    let ours: Vec<&str> = stderr.lines().filter(|line| line.starts_with("joi-model: ")).collect();
    assert_eq!(ours.len(), 1, "{stderr}");
    (code, ours[0]["joi-model: ".len()..].to_owned())
}

fn ended_with_model(model: &Path) -> (i32, String) {
    ended(&["--model", text(model), "--listen", "127.0.0.1:0", "--open"])
}

/// The same for a model that is to blame.
fn failure_with_model(model: &Path) -> String {
    let (code, error) = ended_with_model(model);
    assert_eq!(code, 3, "{error}");
    error
}

#[test]
fn a_unix_socket_is_its_owners_alone_and_goes_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.sock");
    // A dead server's socket file is in the way.
    drop(UnixListener::bind(&path).unwrap());
    let server = Server::start(&["--socket", text(&path)], None);
    assert_eq!(server.url, format!("unix:{}", path.display()));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    // Any Host will do: the file's mode is the guard.
    assert_eq!(server.send("GET", "/", "Host: example.com\r\n", "").status, 200);
    assert_eq!(server.chat(&user("Hi"), &json!({"num_predict": 1}))["done"], json!(true));
    let again = failure(&["--model", text(&model()), "--socket", text(&path)]);
    assert!(again.ends_with("is in use by another program: stop it, or choose another place"), "{again}");
    assert_eq!(server.let_go().code(), Some(0));
    assert!(!path.exists());
}

#[test]
fn a_place_that_is_taken_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    fs::write(&file, "precious").unwrap();
    let error = failure(&["--model", text(&model()), "--socket", text(&file)]);
    assert!(error.contains("exists and is not a socket"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = failure(&["--model", text(&model()), "--listen", &address, "--open"]);
    assert_eq!(error, format!("{address} is in use by another program: stop it, or choose another place"));

    let long = folder.path().join("x".repeat(200));
    let error = failure(&["--model", text(&model()), "--socket", text(&long)]);
    assert!(error.starts_with("can't listen on "), "{error}");
}

#[test]
fn a_port_lets_in_who_has_the_token_and_means_this_machine() {
    let server = Server::start(&["--listen", "127.0.0.1:0"], Some("s3cret"));
    let status = |headers: &str| server.send("GET", "/api/tags", headers, "").status;
    assert_eq!(status(""), 401);
    assert_eq!(status("Authorization: Bearer wrong\r\n"), 401);
    assert_eq!(status("Authorization: Bearer s3cret\r\n"), 200);
    assert_eq!(server.send("GET", "/api/tags", "", "").error(), (401, "unauthorized".to_owned()));
    let foreign = server.send("GET", "/", "Host: example.com\r\nAuthorization: Bearer s3cret\r\n", "");
    assert_eq!((foreign.status, foreign.text().as_str()), (403, ""));
    assert_eq!(status("Origin: https://example.com\r\nAuthorization: Bearer s3cret\r\n"), 403);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "other\n").unwrap();
    let server = Server::start(&["--listen", "127.0.0.1:0", "--token-file", text(&file)], None);
    assert_eq!(server.send("GET", "/", "Authorization: Bearer other\r\n", "").status, 200);
}

#[test]
fn a_port_without_a_guard_or_for_the_world_is_refused() {
    let model = model();
    let with = |address: &str| failure(&["--model", text(&model), "--listen", address]);
    assert!(with("127.0.0.1:0").starts_with("a port needs a token"));
    assert!(with("0.0.0.0:0").starts_with("0.0.0.0:0 is not a loopback address"));
    assert_eq!(ran(&["--model", "m.gguf"]).status.code(), Some(2));
}

#[test]
fn a_model_file_that_is_none_is_an_error_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let good = fs::read(model()).unwrap();
    let file = folder.path().join("m.gguf");
    assert!(failure_with_model(&file).contains("m.gguf"), "missing");
    assert!(failure_with_model(folder.path()).contains("is not a usable GGUF model"), "a folder");

    let mut wrong_magic = good[..4096].to_vec();
    wrong_magic[0] = b'X';
    let mut wrong_version = good[..4096].to_vec();
    wrong_version[4] = 99;
    let mut mad_counts = good[..4096].to_vec();
    mad_counts[8..24].fill(0xff);
    let cases: [(&str, &[u8]); 8] = [
        ("empty", b""),
        ("text", b"this is not a model, but it is long enough to have a header"),
        ("cut in the header", &good[..10]),
        ("cut in the metadata", &good[..100_000]),
        ("cut in the tensors", &good[..200_000_000]),
        ("wrong magic", &wrong_magic),
        ("wrong version", &wrong_version),
        ("mad counts", &mad_counts),
    ];
    for (case, bytes) in cases {
        fs::write(&file, bytes).unwrap();
        let error = failure_with_model(&file);
        assert!(error.contains("is not a usable GGUF model"), "{case}: {error}");
    }
}

/// A header that says something else than the file holds may not bring the process down by a signal.
#[test]
fn a_model_file_with_a_flipped_bit_in_its_header_never_crashes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.gguf");
    // The header alone: whatever survives the flip ends in missing tensors.
    let header = fs::read(model()).unwrap()[..7_000_000].to_vec();
    for i in 0..24_usize {
        let mut bytes = header.clone();
        let at = if i < 12 { 8 + i * 37 } else { i * 280_001 };
        bytes[at] ^= 1 << (i % 8);
        fs::write(&file, &bytes).unwrap();
        failure_with_model(&file);
    }
}

#[test]
fn a_half_fetched_model_is_reported_to_be_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let file = Tiny::default().write(folder.path());
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let error = failure_with_model(&file);
    let expected = "data is not within the file bounds, model is corrupted or incomplete): it may be incomplete, fetch it again";
    assert!(error.contains("is not a usable GGUF model") && error.ends_with(expected), "{error}");
}

#[test]
fn a_model_of_an_unknown_kind_is_not_to_be_fetched_again() {
    let folder = tempfile::tempdir().unwrap();
    let error = failure_with_model(&Tiny { architecture: "qwen99", ..Tiny::default() }.write(folder.path()));
    assert!(error.contains("(unknown model architecture: 'qwen99'): choose another model"), "{error}");
}

#[test]
fn a_model_without_a_chat_template_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let error = failure_with_model(&Tiny { template: None, ..Tiny::default() }.write(folder.path()));
    assert!(
        error
            .ends_with("has no chat template: choose a build of the model for chat (\"instruct\", \"chat\")"),
        "{error}"
    );
    let broken = Tiny { template: Some("{% if %}"), ..Tiny::default() }.write(folder.path());
    let error = failure_with_model(&broken);
    assert!(
        error.contains("chat template can't be read") && error.ends_with("choose another build of the model"),
        "{error}"
    );
}

#[test]
fn a_model_that_does_not_fit_into_memory_is_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let (code, error) = ended_with_model(&Tiny { layers: 1 << 30, ..Tiny::default() }.write(folder.path()));
    assert_eq!(code, 4, "{error}");
    assert!(
        error.contains("MB of memory and") && error.contains("MB are free: end other programs"),
        "{error}"
    );
}
