//! Servers over HTTP that lose sessions, want a login, cut their answers short or give none.

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::config::ServerEntry;
use crate::doubles::allowing;
use crate::secrets::Secrets;
use joi_base::secret::Credentials;

/// A request as it came.
struct Post {
    head: String,
    message: Value,
}

/// Status, further lines of the head, and body of an answer.
type Reply = (u16, String, String);

fn json_reply(request: &Post, result: Value) -> Reply {
    let message = json!({ "jsonrpc": "2.0", "id": request.message["id"], "result": result });
    (200, "Content-Type: application/json\r\nMcp-Session-Id: one\r\n".to_owned(), message.to_string())
}

fn plain(status: u16, head: &str) -> Reply {
    (status, head.to_owned(), String::new())
}

/// Does what an ordinary server does; the tool `work` answers "done".
fn well(request: &Post) -> Reply {
    match method(&request.message) {
        "initialize" => json_reply(
            request,
            json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                    "serverInfo": { "name": "web", "version": "3" } }),
        ),
        "tools/list" => json_reply(request, json!({ "tools": [tool("work")] })),
        "tools/call" => json_reply(request, json!({ "content": [{ "type": "text", "text": "done" }] })),
        "" => plain(405, ""),
        _ => plain(202, ""),
    }
}

/// Serves on loopback; returns the address.
async fn serve(answer: impl Fn(&Post) -> Reply + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move { one(stream, &*answer).await });
        }
    });
    format!("http://{address}/mcp")
}

async fn one(stream: TcpStream, answer: &(impl Fn(&Post) -> Reply + Send + Sync)) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let lower = head.to_lowercase();
    let length = lower.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
    let mut body = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    let message = serde_json::from_slice(&body).unwrap_or_default();
    let (status, lines, body) = answer(&Post { head, message });
    let is_cut = lines.contains("text/event-stream");
    let length = if is_cut { body.len() + 100 } else { body.len() };
    let head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n{lines}\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).await?;
    stream.shutdown().await
}

fn scene(url: String, headers: &[(&str, &str)]) -> ServerScene {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let entry = ServerEntry {
        command: String::new(),
        url,
        headers,
        timeout_s: 2,
        longest_s: 3,
        lifecycle: Lifecycle::Initialize,
        ..allowing()
    };
    let secrets = Secrets::new(Credentials::default(), tempfile::tempdir().unwrap().keep());
    secrets.store("TOKEN", "hush").unwrap();
    let target = ServerTarget::Entry { name: "web".into(), entry: Box::new(entry.clone()), secrets };
    ServerScene::at(target, entry, Arc::default())
}

async fn work(scene: &ServerScene) -> Result<String, String> {
    called(scene, "double__work", json!({})).await
}

#[tokio::test]
async fn the_secret_of_a_header_is_sent_and_a_lost_session_is_begun_anew() {
    let calls = AtomicUsize::new(0);
    let url = serve(move |request| match method(&request.message) {
        _ if !request.head.to_lowercase().contains("authorization: bearer hush\r\n") => plain(401, ""),
        "tools/call" if calls.fetch_add(1, Ordering::SeqCst) == 0 => plain(404, ""),
        _ => well(request),
    })
    .await;
    let scene = scene(url, &[("Authorization", "Bearer ${TOKEN}")]);
    scene.with_tools(1).await;
    assert_eq!(scene.status().about, "web 3 (protocol 2025-11-25)");
    assert_eq!(work(&scene).await, Ok("done".into()));
    scene.end().await;
}

#[tokio::test]
async fn a_login_that_is_wanted_is_named_with_and_without_a_challenge() {
    for challenge in ["WWW-Authenticate: Bearer resource_metadata=\"http://127.0.0.1:9/\"\r\n", ""] {
        let url = serve(move |_| plain(401, challenge)).await;
        let scene = scene(url, &[]);
        scene.until(|status| status.state == "down").await;
        let about = scene.status().about;
        assert!(about.contains("Bearer ${NAME}") || about.contains("401"), "{challenge:?}: {about}");
        scene.end().await;
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_or_missing_ends_in_time() {
    let cut = "Content-Type: text/event-stream\r\n";
    for (status, lines, body) in [(200, cut, "event: message\ndata: {\"jsonrpc\":"), (202, "", "")] {
        let url = serve(move |request| match method(&request.message) {
            "tools/call" => (status, lines.to_owned(), body.to_owned()),
            _ => well(request),
        })
        .await;
        let scene = scene(url, &[]);
        scene.with_tools(1).await;
        let began = std::time::Instant::now();
        let why = work(&scene).await.unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(6), "{status}");
        assert!(why.starts_with("double__work: "), "{status}: {why}");
        scene.end().await;
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_down_with_its_reason() {
    let scene = scene("http://127.0.0.1:9/mcp".to_owned(), &[]);
    scene.until(|status| status.state == "down").await;
    assert!(scene.status().about.contains("error sending request"), "{:?}", scene.status());
    scene.end().await;
    let broken = self::scene("http://127.0.0.1:9/mcp".to_owned(), &[("X Y", "z")]);
    broken.until(|status| status.state == "down").await;
    assert_eq!(broken.status().about, "X Y is no name of a header");
    broken.end().await;
}
