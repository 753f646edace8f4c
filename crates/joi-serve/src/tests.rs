//! The listener over real sockets: half requests, slow ones, large ones, foreign ones.

use std::io::{Read as _, Write as _};
use std::net::TcpStream as Peer;
use std::time::Instant;

use axum::routing::{get, post};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::*;

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(60);

/// A body without an end.
struct Endless;

impl futures_util::Stream for Endless {
    type Item = Result<axum::body::Bytes, Infallible>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(Some(Ok(axum::body::Bytes::from_static(&[b'x'; 4096]))))
    }
}

struct Served {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<io::Result<()>>,
    /// Endless answers that were begun.
    begun: mpsc::Receiver<()>,
}

impl Served {
    async fn new(rules: EndpointRules) -> Self {
        let (begins, begun) = mpsc::channel(16);
        let routes = Router::new()
            .route("/figures", get(async || "42\n"))
            .route("/events", post(async |body: String| body))
            .route("/peer", get(async |peer: axum::Extension<PeerAddress>| peer.0.0.to_string()))
            .route("/long", get(long_answer))
            .route(
                "/endless",
                get(async move || {
                    begins.send(()).await.unwrap();
                    std::future::pending::<()>().await;
                }),
            );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let task = tokio::spawn(serve(listener, routes, rules, stop.clone()));
        Self { address, stop, task, begun }
    }

    fn send(&self, text: &str) -> Peer {
        let mut peer = Peer::connect(self.address).unwrap();
        peer.set_read_timeout(Some(FOR_EVER)).unwrap();
        peer.write_all(text.as_bytes()).unwrap();
        peer
    }

    /// The status of an answer; 0 where the connection was closed without one.
    fn status(&self, text: &str) -> u16 {
        status(&mut self.send(text))
    }

    fn figures(&self) -> u16 {
        self.status("GET /figures HTTP/1.1\r\nHost: localhost\r\n\r\n")
    }
}

/// An answer that never ends by itself, of a peer that is cut off where it says so.
async fn long_answer(request: Request<Body>) -> Response {
    let cut = CancellationToken::new();
    if request.uri().query() == Some("cut") {
        cut.cancel();
    }
    let mut response = Response::new(Body::from_stream(Endless));
    response.extensions_mut().insert(LongAnswer { lasts: FOR_EVER * 2, cut });
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_outlasts_the_time_of_a_request_and_a_peer_that_does_not_read_is_cut_off() {
    let times = RequestTimes { whole: Duration::from_millis(50), ..RequestTimes::default() };
    let served = Served::new(EndpointRules { times, ..EndpointRules::default() }).await;
    let mut long = served.send("GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // Another connection is over in the time that all have.
    assert_eq!(served.status("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n"), 0);
    let mut first = [0; 64 * 1024];
    for _ in 0..64 {
        assert!(long.read(&mut first).unwrap() > 0, "it goes on");
    }
    let mut unread = served.send("GET /long?cut HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut rest = Vec::new();
    // It ends; the bytes that were on their way may be lost.
    let _ = unread.read_to_end(&mut rest);
    let peer = "GET /peer HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut told = String::new();
    served.send(peer).read_to_string(&mut told).unwrap();
    assert!(told.ends_with("127.0.0.1"), "{told}");
    served.stop.cancel();
    served.task.await.unwrap().unwrap();
}

/// The answer to an encrypted request, where the certificate is one of `name`.
async fn encrypted(address: SocketAddr, name: &'static str) -> io::Result<String> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(include_bytes!("tests/ca.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let stream = TcpStream::connect(address).await?;
    let connector = tokio_rustls::TlsConnector::from(config);
    let mut stream = connector.connect(ServerName::try_from(name).unwrap(), stream).await?;
    stream.write_all(b"GET /figures HTTP/1.1\r\nHost: localhost\r\n\r\n").await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_certificate_requests_are_encrypted_and_plain_ones_get_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("server.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, include_str!("tests/server.pem")).unwrap();
    std::fs::write(&key, include_str!("tests/key.pem")).unwrap();
    let readable = |mode| std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
    readable(0o644);
    let told = TlsIdentity::read(&certificate, &key).unwrap_err().to_string();
    assert!(told.contains("everybody can read it"), "{told}");
    readable(0o600);
    let told = TlsIdentity::read(&key, &key).unwrap_err().to_string();
    assert!(told.contains("holds no certificate"), "{told}");
    let told = TlsIdentity::read(&certificate, &certificate).unwrap_err().to_string();
    assert!(told.contains("the key in") || told.contains("everybody"), "{told}");
    let tls = Some(TlsIdentity::read(&certificate, &key).unwrap());
    let served = Served::new(EndpointRules { tls, ..EndpointRules::default() }).await;
    let answer = encrypted(served.address, "localhost").await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("42\n"), "{answer}");
    assert!(encrypted(served.address, "evil.example").await.is_err(), "its name is another one");
    assert_eq!(served.figures(), 0);
    served.stop.cancel();
    served.task.await.unwrap().unwrap();
}

fn status(peer: &mut Peer) -> u16 {
    let mut answer = Vec::new();
    // A connection that is reset has no answer either.
    let _ = peer.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_pages_foreign_hosts_and_large_bodies_are_refused_at_every_endpoint() {
    let served = Served::new(EndpointRules::default()).await;
    assert_eq!(served.figures(), 200);
    let origin = "GET /figures HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n";
    assert_eq!(served.status(origin), 403);
    assert_eq!(served.status("GET /figures HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
    assert_eq!(served.status("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"), 404);
    let body = "POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello";
    assert_eq!(served.status(body), 200);
    let large = "POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n";
    assert_eq!(served.status(large), 413);
    let chunk = format!("1388\r\n{}\r\n0\r\n\r\n", "x".repeat(0x1388));
    let chunked =
        format!("POST /events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}");
    assert_eq!(served.status(&chunked), 413);
    served.stop.cancel();
    served.task.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_come_and_what_has_no_end_is_over_in_its_time() {
    let (short, never) = (Duration::from_millis(50), FOR_EVER * 2);
    let times = |head, body, whole| RequestTimes { head, body, whole };
    let half_head = "GET /figures HTTP/1.1\r\nHost: local";
    let half_body = "POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhe";
    let endless = "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (times, request, allowed) in [
        (times(short, never, never), half_head, [0, 408]),
        (times(never, short, never), half_body, [408, 408]),
        (times(never, never, short), endless, [0, 0]),
    ] {
        let served = Served::new(EndpointRules { times, ..EndpointRules::default() }).await;
        let (began, status) = (Instant::now(), served.status(request));
        assert!(allowed.contains(&status), "{status} {request}");
        assert!(began.elapsed() < FOR_EVER / 2, "{:?} {request}", began.elapsed());
        served.stop.cancel();
        served.task.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_half_requests_take_few_descriptors_and_keep_nobody_out() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let wanted = rustix::process::Rlimit { current: limit.maximum, ..limit };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, wanted).unwrap();
    let served = Served::new(EndpointRules::default()).await;
    let mut half = Vec::new();
    for count in 1..=2_000 {
        half.push(served.send("GET /figures HTTP/1.1\r\nHost: local"));
        if count % 200 == 0 {
            let began = Instant::now();
            assert_eq!(served.figures(), 200, "beside {count}");
            assert!(began.elapsed() < Duration::from_secs(3), "{:?} beside {count}", began.elapsed());
        }
    }
    // The peers' ends are open; ours are those that have a place.
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count();
    assert!(open < half.len() + 200, "{open} descriptors");
    drop(half);
    served.stop.cancel();
    served.task.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_take_long_keep_their_places_and_a_further_request_is_refused() {
    let rules = EndpointRules { connections: 4, connections_of_a_peer: 4, ..EndpointRules::default() };
    let mut served = Served::new(rules).await;
    let request = "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let slow: Vec<Peer> = (0..4).map(|_| served.send(request)).collect();
    // They have their places once their requests were read.
    for _ in 0..4 {
        timeout(FOR_EVER, served.begun.recv()).await.unwrap().unwrap();
    }
    assert_eq!(served.figures(), 503);
    drop(slow);
    let began = Instant::now();
    while served.figures() != 200 {
        assert!(began.elapsed() < FOR_EVER, "no place became free");
    }
    served.stop.cancel();
    served.task.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_body_needs_leave_by_its_headers_and_only_so_many_come_at_once() {
    let admits = |headers: &axum::http::HeaderMap| headers.get("x-leave").is_some();
    let times = RequestTimes { body: FOR_EVER * 2, ..RequestTimes::default() };
    let large = |within| LargeBodies::new(("/events", 60_000), within, 1, admits);
    let rules = EndpointRules { times, large_bodies: Some(large(FOR_EVER * 2)), ..EndpointRules::default() };
    let served = Served::new(rules).await;
    let request = |path: &str, more: &str, bytes: usize| {
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n{more}Content-Length: {bytes}\r\n\r\n");
        head + &"x".repeat(bytes)
    };
    let leave = "X-Leave: 1\r\n";
    assert_eq!(served.status(&request("/events", leave, 60_000)), 200);
    for refused in [
        request("/events", leave, 60_001),
        request("/events", "", 5_000),
        request("/figures", leave, 5_000),
        // A length that is not said is counted.
        "POST /events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\n".to_owned()
            + &"x".repeat(5_000)
            + "\r\n0\r\n\r\n",
    ] {
        assert_eq!(served.status(&refused), 413);
    }
    // One that does not go on has the only place, which its end gives back. One that came too soon was refused.
    let half = "POST /events HTTP/1.1\r\nHost: localhost\r\nX-Leave: 1\r\nContent-Length: 50000\r\n\r\nx";
    let (began, mut halves) = (Instant::now(), vec![served.send(half)]);
    while served.status(&request("/events", leave, 5_000)) != 503 {
        assert!(began.elapsed() < FOR_EVER, "the half one was never begun");
        halves.push(served.send(half));
    }
    assert_eq!(served.status(&request("/events", "", 2)), 200, "others are served");
    drop(halves);
    while served.status(&request("/events", leave, 5_000)) != 200 {
        assert!(began.elapsed() < FOR_EVER, "the place is not free again");
    }
    served.stop.cancel();
    served.task.await.unwrap().unwrap();
    let short = Duration::from_millis(50);
    let rules = EndpointRules { times, large_bodies: Some(large(short)), ..EndpointRules::default() };
    let served = Served::new(rules).await;
    let slow = "POST /events HTTP/1.1\r\nHost: localhost\r\nX-Leave: 1\r\nContent-Length: 5\r\n\r\nhe";
    assert_eq!(served.status(slow), 408);
    served.stop.cancel();
    served.task.await.unwrap().unwrap();
}
