//! Readers of foreign files, each as a process of its own with limits of memory and time.
//!
//! The parent calls [`read_by`], on a thread that may block; the child is a hidden command of this program, or a test of
//! it: it limits itself, reads stdin, writes what it has read to stdout behind a mark (libraries print now and then). A
//! file is a program in a foreign language: its reader may crash, never end, or fill the memory, and each of these becomes
//! a [`ReaderFault`]. The parent holds no more than it takes.

use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};

/// Between two looks at the child.
const PAUSE: Duration = Duration::from_millis(10);
/// Stands in front of what was read.
const MARK: &[u8] = b"\0what was read\0";

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;

/// Limits of a reader.
#[derive(Debug, Clone, Copy)]
pub struct ReaderLimits {
    /// Address space, in bytes.
    pub memory: u64,
    /// CPU time, in seconds.
    pub cpu_seconds: u64,
    /// Time in all.
    pub patience: Duration,
    /// Most bytes of output that are accepted.
    pub most: u64,
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ReaderFault {
    /// The process could not be started. Try again.
    #[error("its reader can't be started: {0}")]
    NoProcess(#[from] io::Error),
    /// Give the file up.
    #[error("reading it takes longer than {} s", .0.as_secs())]
    TooLong(Duration),
    /// Give the file up.
    #[error("reading it takes more than {0} s of computing")]
    TooMuchComputing(u64),
    /// Give the file up.
    #[error("reading it takes more than {} MB of memory", .0 / 1_000_000)]
    TooMuchMemory(u64),
    /// Give the file up.
    #[error("it holds more than {} MB", .0 / 1_000_000)]
    TooLarge(u64),
    /// The reader says by its exit code why.
    #[error("its structure is damaged")]
    Refused(Option<i32>),
    /// The reader ended well and has written nothing.
    #[error("what it holds is missing")]
    Missing,
}

/// In the child: limits this process.
///
/// # Errors
/// The system's: read nothing.
pub fn limit_this_process(limits: &ReaderLimits) -> io::Result<()> {
    let most = |limit: u64| Rlimit { current: Some(limit), maximum: Some(limit) };
    setrlimit(Resource::As, most(limits.memory))?;
    setrlimit(Resource::Core, most(0))?;
    // The soft limit sends a signal of its own, the hard limit kills.
    let cpu = Rlimit { current: Some(limits.cpu_seconds), maximum: Some(limits.cpu_seconds + 1) };
    setrlimit(Resource::Cpu, cpu)?;
    Ok(())
}

/// In the child: writes the result for the parent.
///
/// # Errors
/// The parent is gone.
pub fn hand_over(read: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(MARK)?;
    out.write_all(read)?;
    out.flush()
}

/// Runs `reader` on `bytes`, and blocks until it ends.
///
/// # Errors
/// Why nothing was read.
pub fn read_by(mut reader: Command, bytes: Vec<u8>, limits: &ReaderLimits) -> Result<Vec<u8>, ReaderFault> {
    reader.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = reader.spawn()?;
    let (mut input, output) = (child.stdin.take(), child.stdout.take());
    let feeding = std::thread::spawn(move || {
        // A reader that ends early says why by its status.
        let _ = input.as_mut().map(|input| input.write_all(&bytes));
    });
    let most = limits.most;
    let reading = std::thread::spawn(move || {
        let mut read = Vec::new();
        let most = most + 2 * MARK.len() as u64;
        output.map(|output| output.take(most).read_to_end(&mut read)).transpose().map(|_| read)
    });
    let ended = end_of(&mut child, limits.patience);
    let _ = feeding.join();
    let read = reading.join().unwrap_or_else(|_| Err(io::Error::other("it was given up")));
    let status = ended?.ok_or(ReaderFault::TooLong(limits.patience))?;
    let read = read?;
    if read.len() as u64 > most + MARK.len() as u64 {
        return Err(ReaderFault::TooLarge(most));
    }
    judge(status, limits)?;
    let start = read.windows(MARK.len()).position(|window| window == MARK).ok_or(ReaderFault::Missing)?;
    Ok(read[start + MARK.len()..].to_vec())
}

/// Returns the fault of a reader that ended with that status.
fn judge(status: ExitStatus, limits: &ReaderLimits) -> Result<(), ReaderFault> {
    match (status.success(), status.signal()) {
        (true, _) => Ok(()),
        (false, Some(SIGXCPU | SIGKILL)) => Err(ReaderFault::TooMuchComputing(limits.cpu_seconds)),
        (false, Some(SIGABRT)) => Err(ReaderFault::TooMuchMemory(limits.memory)),
        (false, _) => Err(ReaderFault::Refused(status.code())),
    }
}

/// Returns how the child ended; nothing when it had to be ended.
fn end_of(child: &mut Child, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests;
