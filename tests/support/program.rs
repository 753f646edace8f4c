//! The program as its users start it, in a home of its own, with the models of this machine.
//!
//! It sees nothing of the user's configuration, data and environment. A run that does not end is
//! ended by [`FOR_EVER`], which no working program comes near.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Only against a test that would never end.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(600);

/// An address where nobody listens.
pub(crate) const NOBODY: &str = "http://127.0.0.1:1";

/// What the program gets of the environment of the tests.
const PASSED_ON: [&str; 6] =
    ["PATH", "TZ", "XDG_RUNTIME_DIR", "PULSE_SERVER", "PULSE_RUNTIME_PATH", "PULSE_COOKIE"];

/// The cache of this user, which holds the models.
pub(crate) fn cache_home() -> PathBuf {
    match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) => cache.into(),
        None => Path::new(&std::env::var_os("HOME").expect("HOME is set")).join(".cache"),
    }
}

/// The folder of the models.
pub(crate) fn models() -> PathBuf {
    std::env::var_os("JOI_MODELS").map_or_else(|| cache_home().join("joi/models"), PathBuf::from)
}

/// A file that belongs to the project.
pub(crate) fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A user's home.
pub(crate) struct Home {
    folder: TempDir,
    models: PathBuf,
    data: PathBuf,
    set: Vec<String>,
}

/// What a run left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The exit code; nothing when a signal ended it.
    pub(crate) code: Option<i32>,
    /// That signal.
    pub(crate) signal: Option<i32>,
    /// What it wrote to stdout.
    pub(crate) out: String,
    /// What it wrote to stderr.
    pub(crate) err: String,
}

impl Ran {
    /// Its one sentence about what went wrong.
    pub(crate) fn complaint(&self) -> &str {
        let sentence = self.err.lines().find_map(|line| line.strip_prefix("joi: "));
        sentence.unwrap_or_else(|| panic!("it did not complain: {self:?}"))
    }

    /// The same, if it went well.
    #[track_caller]
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }
}

impl Home {
    /// An empty home whose model server is at `url`. Whisper is the small model, so that nothing is
    /// measured, and joi's voice says a sentence the same way every time, so that nothing hangs on chance.
    pub(crate) fn with_model_server(url: &str) -> Self {
        let folder = TempDir::new().expect("a folder for a home");
        let data = folder.path().join("data");
        let set =
            ["llm.backend=ollama", "llm.model=double:1b", "hear.stt.model=tiny.en", "speak.variation=0"];
        let mut home = Self { folder, models: models(), data, set: set.map(str::to_owned).into() };
        home.set(&format!("llm.url={url}"));
        home
    }

    /// Sets a key for every run.
    pub(crate) fn set(&mut self, setting: &str) -> &mut Self {
        self.set.push(setting.to_owned());
        self
    }

    /// Uses other models.
    pub(crate) fn use_models(&mut self, folder: &Path) {
        self.models = folder.to_owned();
    }

    /// Uses another folder for the database.
    pub(crate) fn use_data(&mut self, folder: &Path) {
        self.data = folder.to_owned();
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same as an argument.
    pub(crate) fn arg(&self, name: &str) -> String {
        self.path(name).to_str().expect("a path in UTF-8").to_owned()
    }

    /// Every byte of every file of the database.
    pub(crate) fn stored(&self) -> Vec<u8> {
        let files = std::fs::read_dir(&self.data).expect("a folder of data");
        files
            .flat_map(|file| std::fs::read(file.expect("an entry").path()).expect("a file of data"))
            .collect()
    }

    /// The program with these arguments, ready to be started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_joi")), args)
    }

    fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.env_clear();
        for name in PASSED_ON {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.env("HOME", self.folder.path());
        command.env("XDG_CACHE_HOME", cache_home());
        command.env("XDG_CONFIG_HOME", self.path("config"));
        command.env("JOI_MODELS", &self.models).env("JOI_DATA", &self.data);
        command.env("JOI_RUNTIME", self.path("run"));
        for setting in &self.set {
            command.arg("--set").arg(setting);
        }
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    #[track_caller]
    pub(crate) fn joi(&self, args: &[&str]) -> Ran {
        self.joi_reading("", args)
    }

    /// `joi-bench`, which stands beside the program, with these arguments, ready to be started.
    pub(crate) fn bench_command(&self, args: &[&str]) -> Command {
        self.command_of(&Path::new(env!("CARGO_BIN_EXE_joi")).with_file_name("joi-bench"), args)
    }

    /// Runs it to its end.
    #[track_caller]
    pub(crate) fn joi_bench(&self, args: &[&str]) -> Ran {
        Running::start(&mut self.bench_command(args)).end()
    }

    /// Runs the program to its end, with `input` on its stdin.
    #[track_caller]
    pub(crate) fn joi_reading(&self, input: impl AsRef<[u8]>, args: &[&str]) -> Ran {
        let mut running = Running::start(self.command(args).stdin(Stdio::piped()));
        let mut stdin = running.child.stdin.take().expect("a pipe");
        // A program that reads nothing may be gone by now.
        let _ = stdin.write_all(input.as_ref());
        drop(stdin);
        running.end()
    }
}

/// A line the program wrote.
enum Line {
    Out(String),
    Err(String),
}

/// The program while it runs.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<Line>,
    ran: Ran,
}

impl Running {
    /// Starts `command`.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().expect("the program starts");
        let (told, lines) = channel();
        let (out, err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        let telling = told.clone();
        read_lines(out, move |line| telling.send(Line::Out(line)).is_ok());
        read_lines(err, move |line| told.send(Line::Err(line)).is_ok());
        Self { child, lines, ran: Ran { code: None, signal: None, out: String::new(), err: String::new() } }
    }

    /// Writes a line to its stdin, which is a pipe.
    #[track_caller]
    pub(crate) fn tell(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("it reads");
    }

    /// Waits until a line of stderr or stdout holds `text`, and gives all that came before it and it.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> Ran {
        self.until_or(text, None)
    }

    /// The same, where a line with `instead` means that it will not come.
    #[track_caller]
    pub(crate) fn until_before(&mut self, text: &str, instead: &str) -> Ran {
        self.until_or(text, Some(instead))
    }

    #[track_caller]
    fn until_or(&mut self, text: &str, instead: Option<&str>) -> Ran {
        let mut so_far = Ran { code: None, signal: None, out: String::new(), err: String::new() };
        let give_up = Instant::now() + FOR_EVER;
        loop {
            let line =
                self.next(give_up).unwrap_or_else(|| panic!("it ended without {text:?}: {:?}", self.ran));
            let (Line::Out(words) | Line::Err(words)) = &line;
            let is_it = words.contains(text);
            keep(&mut so_far, &line);
            let is_in_vain = !is_it && instead.is_some_and(|instead| words.contains(instead));
            assert!(!is_in_vain, "no {text:?} before {instead:?}: {so_far:?}");
            if is_it {
                return so_far;
            }
        }
    }

    /// Asks it to end as the system does at shutdown, and waits.
    #[track_caller]
    pub(crate) fn terminate(self) -> Ran {
        self.signal(rustix::process::Signal::TERM);
        self.end()
    }

    /// What is mapped into its memory, its libraries among it.
    pub(crate) fn maps(&self) -> String {
        std::fs::read_to_string(format!("/proc/{}/maps", self.child.id())).expect("it runs")
    }

    /// What it has in memory of its own, without files.
    pub(crate) fn memory_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Sends it a signal.
    #[track_caller]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(pid.expect("a process id"), signal).expect("it still runs");
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn end(mut self) -> Ran {
        let give_up = Instant::now() + FOR_EVER;
        while self.next(give_up).is_some() {}
        let status = self.child.wait().expect("it can be waited for");
        (self.ran.code, self.ran.signal) = (status.code(), status.signal());
        self.ran.clone()
    }

    #[track_caller]
    fn next(&mut self, give_up: Instant) -> Option<Line> {
        match self.lines.recv_timeout(give_up.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                keep(&mut self.ran, &line);
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("still waiting after {:?}", self.ran),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After its end there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn keep(ran: &mut Ran, line: &Line) {
    match line {
        Line::Out(line) => ran.out.push_str(line),
        Line::Err(line) => ran.err.push_str(line),
    }
}

fn read_lines(from: impl Read + Send + 'static, tell: impl Fn(String) -> bool + Send + 'static) {
    thread::spawn(move || {
        let (mut from, mut line) = (BufReader::new(from), Vec::new());
        while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            if !tell(String::from_utf8_lossy(&line).into_owned()) {
                break;
            }
            line.clear();
        }
    });
}
