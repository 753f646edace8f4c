//! Servers on this machine: one with the stranger's page, one that belongs to the stranger.
//!
//! Tokio tasks that end with the test's runtime. In: requests. Out: what a rule says, and the paths that were asked.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The kind and body of an answer, by the path with its query.
type Pages = Arc<dyn Fn(&str) -> (&'static str, String) + Send + Sync>;

/// A server.
pub(super) struct Server {
    /// Its address with the port, without a scheme.
    pub(super) host: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) async fn new(pages: impl Fn(&str) -> (&'static str, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (seen, pages): (_, Pages) = (Arc::clone(&asked), Arc::new(pages));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&pages), Arc::clone(&seen)));
            }
        });
        Self { host, asked }
    }

    /// The paths that were asked for.
    pub(super) fn paths(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, pages: Pages, asked: Arc<Mutex<Vec<String>>>) {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(read) => request.extend_from_slice(&buffer[..read]),
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
    asked.lock().unwrap().push(path.clone());
    let (kind, body) = pages(&path);
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // A client that leaves early is its own business.
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
}
