//! Starts the program, and speaks HTTP/1.0 to it by hand: what a test sends and reads is plain to
//! see, and a connection can be dropped at any byte.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::sync::LazyLock;

use serde_json::{Value, json};

/// The name all test servers give their model.
pub(crate) const NAME: &str = "qwen2.5-coder:0.5b";

/// Path of the real model that talks.
pub(crate) fn model() -> PathBuf {
    fetched("chat-qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")
}

/// Path of a fetched model; fails with the remedy when it is not there.
pub(crate) fn fetched(model: &str, file: &str) -> PathBuf {
    let var = |key: &str| std::env::var_os(key).map(PathBuf::from);
    let cache = || var("XDG_CACHE_HOME").or_else(|| Some(var("HOME")?.join(".cache")));
    let models = var("JOI_MODELS").or_else(|| Some(cache()?.join("joi/models"))).expect("HOME is set");
    let path = models.join(model).join(file);
    assert!(path.exists(), "{} is missing: run `joi models fetch {model}`", path.display());
    path
}

/// The program with `args`, not yet started.
pub(crate) fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_joi-model"));
    command.args(args).env_remove("JOI_MODEL_TOKEN").env_remove("JOI_MODEL_LOG");
    command
}

/// Runs the program to its end.
pub(crate) fn ran(args: &[&str]) -> Output {
    program(args).stdin(Stdio::null()).output().expect("the program runs")
}

/// A running server. It ends with this value, at the latest with the test program.
pub(crate) struct Server {
    child: Child,
    /// `http://…` or `unix:…`, as the server says.
    pub(crate) url: String,
    /// Nothing once nobody reads it any more.
    log: Option<Lines<BufReader<ChildStderr>>>,
}

/// The server that all tests share which leave no trace in it.
pub(crate) static SHARED: LazyLock<Server> = LazyLock::new(|| Server::open(&["--queue", "64"]));

impl Server {
    /// On a free port, open to all.
    pub(crate) fn open(args: &[&str]) -> Self {
        Self::start(&[&["--listen", "127.0.0.1:0", "--open"], args].concat(), None)
    }

    /// With any arguments and a token in its environment.
    pub(crate) fn start(args: &[&str], token: Option<&str>) -> Self {
        Self::of(&model(), args, token)
    }

    /// The same with another model.
    pub(crate) fn of(model: &Path, args: &[&str], token: Option<&str>) -> Self {
        let path = model.to_str().expect("a path of text");
        let mut command = program(&["--model", path, "--name", NAME]);
        command.args(args);
        if let Some(token) = token {
            command.env("JOI_MODEL_TOKEN", token);
        }
        Self::run(command)
    }

    /// Runs `command`, which lacks only that it ends with us; one that is to outlive us does not.
    pub(crate) fn run(mut command: Command) -> Self {
        let outlives_us = command.get_args().any(|arg| arg == "--idle-exit");
        command.args((!outlives_us).then_some("--parent-stdin"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdout = child.stdout.take().expect("it is piped");
        let log = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let mut first = String::new();
        BufReader::new(stdout).read_line(&mut first).expect("it says something");
        let url = first.trim().strip_prefix("ready ").expect("it says that it is ready").to_owned();
        Self { child, url, log: Some(log) }
    }

    /// Waits until a line of the log contains `text`.
    pub(crate) fn wait_for_log(&mut self, text: &str) {
        let log = self.log.as_mut().expect("its log is read");
        let found = log.map_while(Result::ok).any(|line| line.contains(text));
        assert!(found, "the log ended without {text:?}");
    }

    /// Ends standard input, as a parent that dies does, and waits for the end.
    pub(crate) fn let_go(mut self) -> ExitStatus {
        drop(self.child.stdin.take());
        self.child.wait().expect("it ends")
    }

    /// Reads no more of its log, and closes that: what it writes then fails.
    pub(crate) fn leave_log(&mut self) {
        self.log = None;
    }

    /// Waits until it ends by itself.
    pub(crate) fn wait(mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }

    /// Sends SIGTERM and waits for the end.
    pub(crate) fn terminate(mut self) -> ExitStatus {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        self.child.wait().expect("it ends")
    }

    /// Sends a request and reads the head of the answer.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut connection: Box<dyn Connection> = match self.url.strip_prefix("unix:") {
            Some(path) => Box::new(UnixStream::connect(path).expect("the socket accepts")),
            None => Box::new(TcpStream::connect(&self.url["http://".len()..]).expect("the port accepts")),
        };
        let length = body.len();
        write!(connection, "{method} {path} HTTP/1.0\r\nContent-Length: {length}\r\n{headers}\r\n{body}")
            .expect("the server reads");
        Answer::read(connection)
    }

    /// POSTs JSON.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, "", &body.to_string())
    }

    /// GETs JSON.
    pub(crate) fn get(&self, path: &str) -> Value {
        self.send("GET", path, "", "").json()
    }

    /// Starts a reply that goes on for minutes unless it is stopped, and reads its first piece.
    pub(crate) fn endless(&self) -> Answer {
        self.endless_in(4096)
    }

    /// The same in a window of `num_ctx` tokens, whose end it meets.
    pub(crate) fn endless_in(&self, num_ctx: u32) -> Answer {
        let options = json!({"temperature": 0, "num_ctx": num_ctx});
        let count = "one, two, three, four, five, six, one, two, three, four, five, six, one, two,";
        let request = json!({"model": NAME, "prompt": count, "raw": true, "options": options});
        let mut answer = self.post("/api/generate", &request);
        assert_eq!(answer.line().expect("a piece")["done"], json!(false));
        answer
    }

    /// One whole turn: the answer's only object.
    pub(crate) fn chat(&self, messages: &Value, options: &Value) -> Value {
        let answer = self.post("/api/chat", &chat(messages, options, false));
        assert_eq!(answer.status, 200);
        answer.json()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; either way it is gone after this.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A byte stream.
pub(crate) trait Connection: Read + Write + Send {}
impl<T: Read + Write + Send> Connection for T {}

/// An answer whose head is read; dropping it drops the connection.
pub(crate) struct Answer {
    /// Status code.
    pub(crate) status: u16,
    /// Its header lines, in lower case.
    pub(crate) head: String,
    body: BufReader<Box<dyn Connection>>,
}

impl Answer {
    fn read(connection: Box<dyn Connection>) -> Self {
        let mut body = BufReader::new(connection);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(body.read_line(&mut head).expect("the server answers"), 0, "no whole head: {head:?}");
        }
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
        Self { status, head: head.to_lowercase(), body }
    }

    /// The rest of the body.
    pub(crate) fn text(mut self) -> String {
        let mut text = String::new();
        self.body.read_to_string(&mut text).expect("a body of text");
        text
    }

    /// The body as one JSON value.
    pub(crate) fn json(self) -> Value {
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text:?}"))
    }

    /// The next line of the body, `None` at its end.
    pub(crate) fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        let n = self.body.read_line(&mut line).expect("a line of text");
        (n > 0).then(|| serde_json::from_str(&line).expect("a line of JSON"))
    }

    /// All lines that are left.
    pub(crate) fn lines(mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.line()).collect()
    }

    /// Status and text of an error.
    pub(crate) fn error(self) -> (u16, String) {
        let status = self.status;
        (status, self.json()["error"].as_str().expect("an error text").to_owned())
    }
}

/// A chat request.
pub(crate) fn chat(messages: &Value, options: &Value, stream: bool) -> Value {
    json!({"model": NAME, "messages": messages, "options": options, "stream": stream, "think": false})
}

/// A single user message.
pub(crate) fn user(text: &str) -> Value {
    json!([{"role": "user", "content": text}])
}
