//! Commands that are killed (SIGKILL) in the middle of their work: nothing is lost, nothing counts as done, and the same
//! command succeeds when it is run again.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use joi_audio::{RATE, write_wav};
use joi_models::{FetchOptions, InstallState, Manifest, ModelLibrary, on_stderr};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use serde_json::Value;

use super::kills::{kill, runs_again, stores};
use super::service::deaf_home;
use crate::support::program::{FOR_EVER, Home, NOBODY, Running};
use crate::support::speech::{flite, pause};

/// Waits until there is something.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let give_up = Instant::now() + FOR_EVER;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < give_up, "still waiting for {what}");
        thread::yield_now();
    }
}

/// A file from which reading waits for whoever writes.
fn pipe(path: &Path) {
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

/// Waits until somebody reads from the pipe; it goes on waiting as long as this is kept.
fn until_read(path: &Path) -> OwnedFd {
    let open = || rustix::fs::open(path, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).ok();
    until("a reader", open)
}

#[test]
fn a_backup_that_is_killed_is_none_and_is_made_the_next_time() {
    let home = deaf_home();
    stores(&home);
    let (phrases, file) = (home.path("data/wake.json"), home.arg("mine.tar.gz"));
    // Read once the database is copied.
    pipe(&phrases);
    let joi = Running::start(&mut home.command(&["backup", &file]));
    let reading = until_read(&phrases);
    joi.signal(rustix::process::Signal::KILL);
    let ran = joi.end();
    assert_eq!((ran.code, ran.out.as_str()), (None, ""), "nothing is told as written: {ran:?}");
    assert!(!Path::new(&file).exists(), "nothing bears the name of a backup");
    drop(reading);
    std::fs::remove_file(&phrases).unwrap();
    assert_eq!(runs_again(&home).terminate().code, Some(0));

    home.joi(&["backup", &file]).well();
    let other = deaf_home();
    other.joi(&["restore", &file]).well();
    assert_eq!(runs_again(&other).terminate().code, Some(0));
}

#[test]
fn a_restore_that_is_killed_changes_nothing_and_succeeds_the_next_time() {
    let (old, new) = (deaf_home(), deaf_home());
    stores(&old);
    let file = old.arg("mine.tar.gz");
    old.joi(&["backup", &file]).well();
    new.joi(&["ask", "remember that the ladder is in the garage"]).well();

    let slow = new.path("slow.tar.gz");
    pipe(&slow);
    let joi = Running::start(&mut new.command(&["restore", slow.to_str().unwrap()]));
    let archive = std::fs::read(&file).unwrap();
    let reading = until_read(&slow);
    // Less than a pipe holds; the rest never comes.
    rustix::io::write(&reading, &archive[..(archive.len() / 2).min(4096)]).unwrap();
    let is_unpacking = || {
        let mut entries = std::fs::read_dir(new.path("data")).ok()?.flatten();
        entries.find(|entry| entry.file_name().to_string_lossy().starts_with(".restore-"))
    };
    until("what is unpacked", is_unpacking);
    joi.signal(rustix::process::Signal::KILL);
    let ran = joi.end();
    assert_eq!((ran.code, ran.out.as_str()), (None, ""), "nothing is told as restored: {ran:?}");
    drop(reading);
    let known = new.joi(&["memory", "list"]).well().out;
    assert!(known.contains("garage") && !known.contains("shed"), "{known}");

    new.joi(&["restore", &file]).well();
    assert_eq!(runs_again(&new).terminate().code, Some(0));
}

/// Whether a phrase is among hers.
fn knows(home: &Home, phrase: &str) -> bool {
    let listed: Value = serde_json::from_str(&home.joi(&["wake", "list", "--json"]).well().out).unwrap();
    listed["phrases"].as_array().unwrap().iter().any(|known| known["phrase"] == phrase)
}

#[test]
fn an_enrolment_that_is_killed_adds_nothing_and_succeeds_the_next_time() {
    let mut home = Home::with_model_server(NOBODY);
    home.set("hear.wake.mode=scored");
    stores(&home);
    let folder = home.path("anna");
    std::fs::create_dir_all(&folder).unwrap();
    for (at, voice) in ["rms", "awb", "slt", "rms", "awb", "slt"].iter().enumerate() {
        let said = [pause(0.3 + 0.1 * at as f64), flite(voice, "hey luna"), pause(0.6)].concat();
        write_wav(folder.join(format!("{at}.wav")), RATE, &said).unwrap();
    }
    let from = home.arg("anna");
    let add = ["wake", "add", "hey luna", "--from", &from, "--user", "anna", "--stretches", "20"];
    let mut joi = Running::start(&mut home.command(&add));
    // The recordings are judged, and tried on other speech from here on.
    joi.until("RECORDING");
    kill(joi);
    assert!(!knows(&home, "hey luna"));
    assert!(home.joi(&["timers"]).well().out.contains("tea"));

    let added = home.joi(&add).well();
    assert!(added.out.contains("\"hey luna\" wakes her from her next start on"), "{added:?}");
    assert!(knows(&home, "hey luna"));
}

/// In the killed process: where the models go, and where they come from.
const PLACE: &str = "JOI_TEST_FETCH_PLACE";
const SOURCE: &str = "JOI_TEST_FETCH_SOURCE";

fn body() -> Vec<u8> {
    (0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// A library with one model "m", whose file is [`body`].
fn library(place: &Path, source: &str) -> ModelLibrary {
    let whole = place.join("whole");
    std::fs::write(&whole, body()).unwrap();
    let manifest = format!(
        "[[models]]\nname = \"m\"\nabout = \"test\"\nlicence = \"MIT\"\n[[models.files]]\npath = \"f.bin\"\nsize = {}\n\
         sha256 = \"{}\"\nsources = [{{ parts = [\"{source}\"] }}]\n",
        body().len(),
        joi_base::checksum::of(&whole).unwrap()
    );
    ModelLibrary::with(place.join("models"), Manifest::parse(&manifest).unwrap())
}

/// Sends the first half of the file to whoever comes first, and keeps the rest back; from then on what is asked for. Tells
/// where each request begins.
fn half_then_the_rest(listener: TcpListener) -> Receiver<usize> {
    let (tell, asked) = channel();
    thread::spawn(move || {
        let mut held: Vec<TcpStream> = Vec::new();
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..read]).to_lowercase();
            let range = request.split_once("bytes=").and_then(|(_, from)| from.split('-').next());
            let from: usize = range.and_then(|from| from.parse().ok()).unwrap_or(0);
            let (all, end) = (body(), if held.is_empty() { body().len() / 2 } else { body().len() });
            let status = match from {
                0 => "200 OK".to_owned(),
                _ => format!(
                    "206 Partial Content\r\ncontent-range: bytes {from}-{}/{}",
                    all.len() - 1,
                    all.len()
                ),
            };
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", all.len() - from);
            // A process that was killed reads no more.
            let _ = stream.write_all(&[head.as_bytes(), &all[from..end]].concat());
            held.push(stream);
            if tell.send(from).is_err() {
                return;
            }
        }
    });
    asked
}

/// What the process does that is killed; nothing anywhere else.
#[tokio::test]
async fn fetching_process() {
    let (Ok(place), Ok(source)) = (std::env::var(PLACE), std::env::var(SOURCE)) else { return };
    let library = library(Path::new(&place), &source);
    library.fetch(&["m"], FetchOptions::default(), &*on_stderr()).await.unwrap();
}

#[test]
fn a_fetch_that_is_killed_leaves_no_model_and_goes_on_where_it_was() {
    let place = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let source = format!("http://{}/f", listener.local_addr().unwrap());
    let asked = half_then_the_rest(listener);
    let fetch = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["stories::kills_commands::fetching_process", "--exact", "--nocapture"]);
        command.env(PLACE, place.path()).env(SOURCE, &source);
        Running::start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))
    };
    let joi = fetch();
    assert_eq!(asked.recv_timeout(FOR_EVER), Ok(0));
    let begun = || -> Option<PathBuf> {
        let files = std::fs::read_dir(place.path().join("models/.incoming")).ok()?.flatten();
        let mut parts =
            files.map(|file| file.path()).filter(|file| file.extension().is_some_and(|e| e == "part"));
        parts.find(|part| std::fs::metadata(part).is_ok_and(|about| about.len() > 0))
    };
    let part = until("a part of the file", begun);
    kill(joi);
    let have = usize::try_from(std::fs::metadata(part).unwrap().len()).unwrap();
    let library = library(place.path(), &source);
    assert_eq!(library.state("m"), Ok(InstallState::Missing), "half a file is no model");

    fetch().end().well();
    assert_eq!(asked.recv_timeout(FOR_EVER), Ok(have), "it goes on where it was");
    assert_eq!(library.verify("m"), Ok(InstallState::Present));
}
