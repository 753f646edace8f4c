//! The client end of the control socket, for the commands.
//!
//! Blocking, on the main thread. In: a request. Out: its answer, or lines until the program ends.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::status::{StateEvent, Status};
use super::wire::{ControlAnswer, ControlEvent, ControlRequest};
use super::{ControlError, socket};
use joi_autonomy::agent::lines::{AgentRest, AgentRow};
use joi_autonomy::agent::news::AgentEvent;

/// Time limit for an answer of the running program.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection to the running program.
pub struct Client {
    socket: PathBuf,
    stream: BufReader<UnixStream>,
}

impl Client {
    /// Connects to the program that serves the directory `runtime`; nothing when none does.
    ///
    /// # Errors
    /// [`ControlError::Unreachable`] when there is a socket that this user may not use.
    pub fn connect(runtime: &Path) -> Result<Option<Self>, ControlError> {
        let socket = socket(runtime);
        match UnixStream::connect(&socket) {
            Ok(stream) => Ok(Some(Self { socket, stream: BufReader::new(stream) })),
            Err(error)
                if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) =>
            {
                Ok(None)
            }
            Err(source) => Err(ControlError::Unreachable { socket, source }),
        }
    }

    /// Returns the status of the running program.
    ///
    /// # Errors
    /// It does not answer, or not as expected.
    pub fn status(&mut self) -> Result<Status, ControlError> {
        match self.ask(ControlRequest::Status)? {
            ControlAnswer::Status(status) => Ok(*status),
            other => Err(self.astray(&other)),
        }
    }

    /// Sets the mute switch: returns whether the microphone is muted now, and why that may not last.
    ///
    /// # Errors
    /// It does not answer, or not as expected.
    pub fn turn(&mut self, order: ControlRequest) -> Result<(bool, Option<String>), ControlError> {
        match self.ask(order)? {
            ControlAnswer::Muted { muted, warning } => Ok((muted, warning)),
            other => Err(self.astray(&other)),
        }
    }

    /// Starts listening now, whatever the present state.
    ///
    /// # Errors
    /// It does not answer, or not as expected; it can't listen now.
    pub fn listen(&mut self) -> Result<(), ControlError> {
        match self.ask(ControlRequest::Listen)? {
            ControlAnswer::Listening { .. } => Ok(()),
            other => Err(self.astray(&other)),
        }
    }

    /// Notifies it that timers were changed.
    ///
    /// # Errors
    /// It does not answer, or not as expected.
    pub fn timers_changed(&mut self) -> Result<(), ControlError> {
        match self.ask(ControlRequest::Timers)? {
            ControlAnswer::Timers { .. } => Ok(()),
            other => Err(self.astray(&other)),
        }
    }

    /// Notifies it that servers of tools were changed.
    ///
    /// # Errors
    /// It does not answer, or not as expected; it uses no tools of other programs.
    pub fn servers_changed(&mut self) -> Result<(), ControlError> {
        match self.ask(ControlRequest::Servers)? {
            ControlAnswer::Servers { .. } => Ok(()),
            other => Err(self.astray(&other)),
        }
    }

    /// Returns a link that signs one browser in to the page.
    ///
    /// # Errors
    /// It does not answer, or not as expected; the page is not served.
    pub fn page_link(&mut self) -> Result<String, ControlError> {
        match self.ask(ControlRequest::Page { out: false })? {
            ControlAnswer::PageLink { link } => Ok(link),
            other => Err(self.astray(&other)),
        }
    }

    /// Signs all browsers out of the page; returns how many.
    ///
    /// # Errors
    /// It does not answer, or not as expected; the page is not served.
    pub fn page_sign_out(&mut self) -> Result<usize, ControlError> {
        match self.ask(ControlRequest::Page { out: true })? {
            ControlAnswer::SignedOut { signed_out } => Ok(signed_out),
            other => Err(self.astray(&other)),
        }
    }

    /// Has the alarm tried, or all alarms acknowledged; how many were, where that is known.
    ///
    /// # Errors
    /// It does not answer, or not as expected; alarms are not running yet.
    pub fn alarm(&mut self, request: ControlRequest) -> Result<Option<usize>, ControlError> {
        match self.ask(request)? {
            ControlAnswer::Alarm { heard, .. } => Ok(heard),
            other => Err(self.astray(&other)),
        }
    }

    /// Calls `show` with the present state and with every change, until the program ends or `show` fails.
    ///
    /// # Errors
    /// It does not answer, or not as expected; the failure of `show`.
    pub fn events<E: From<ControlError>>(
        &mut self,
        mut show: impl FnMut(&StateEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut next = Some(self.ask(ControlRequest::Events)?);
        self.wait_at_most(None)?;
        while let Some(answer) = next {
            match answer {
                ControlAnswer::State(ControlEvent::State(event)) => show(&event)?,
                other => return Err(self.astray(&other).into()),
            }
            next = self.read()?;
        }
        Ok(())
    }

    /// Returns what the agents do.
    ///
    /// # Errors
    /// It does not answer, or not as expected; there are no agents.
    pub fn agents(&mut self) -> Result<Vec<AgentRow>, ControlError> {
        match self.ask(ControlRequest::Agents)? {
            ControlAnswer::Agents { agents } => Ok(agents),
            other => Err(self.astray(&other)),
        }
    }

    /// Talks with an agent, however long it thinks.
    ///
    /// # Errors
    /// It does not answer, or not as expected; there is no such agent.
    pub fn say(&mut self, agent: &str, text: &str) -> Result<String, ControlError> {
        let say = ControlRequest::Say { agent: agent.to_owned(), text: text.to_owned() };
        match self.ask_within(say, None)? {
            ControlAnswer::Said { said } => Ok(said),
            other => Err(self.astray(&other)),
        }
    }

    /// Decides about a call of an agent that waits for a yes.
    ///
    /// # Errors
    /// It does not answer, or not as expected; there is no such agent or call.
    pub fn decide(&mut self, agent: &str, approval: u32, yes: bool) -> Result<(), ControlError> {
        match self.ask(ControlRequest::Decide { agent: agent.to_owned(), approval, yes })? {
            ControlAnswer::Decided { .. } => Ok(()),
            other => Err(self.astray(&other)),
        }
    }

    /// Has an agent rest, or go on.
    ///
    /// # Errors
    /// It does not answer, or not as expected; there is no such agent.
    pub fn rest(&mut self, agent: &str, rest: AgentRest) -> Result<(), ControlError> {
        match self.ask(ControlRequest::Rest { agent: agent.to_owned(), rest })? {
            ControlAnswer::Rested { .. } => Ok(()),
            other => Err(self.astray(&other)),
        }
    }

    /// Calls `show` with every event of the agents, until the program ends or `show` fails.
    ///
    /// # Errors
    /// It does not answer, or not as expected; the failure of `show`.
    pub fn follow<E: From<ControlError>>(
        &mut self,
        words: bool,
        mut show: impl FnMut(&AgentEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        self.ask(ControlRequest::Follow { words })?;
        self.wait_at_most(None)?;
        while let Some(answer) = self.read()? {
            match answer {
                ControlAnswer::AgentEvent(event) => show(&event)?,
                other => return Err(self.astray(&other).into()),
            }
        }
        Ok(())
    }

    fn ask(&mut self, ask: ControlRequest) -> Result<ControlAnswer, ControlError> {
        self.ask_within(ask, Some(PATIENCE))
    }

    fn ask_within(
        &mut self,
        ask: ControlRequest,
        patience: Option<Duration>,
    ) -> Result<ControlAnswer, ControlError> {
        self.wait_at_most(patience)?;
        let line = serde_json::to_string(&ask)? + "\n";
        self.stream.get_mut().write_all(line.as_bytes()).map_err(|e| self.unreachable(e))?;
        match self.read()? {
            Some(ControlAnswer::Error { error }) => Err(ControlError::Refused(error)),
            Some(answer) => Ok(answer),
            None => Err(self.unreachable(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// The next line; nothing once the program has ended.
    fn read(&mut self) -> Result<Option<ControlAnswer>, ControlError> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(serde_json::from_str(&line)?)),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(None),
            Err(error) => Err(self.unreachable(error)),
        }
    }

    fn wait_at_most(&self, time: Option<Duration>) -> Result<(), ControlError> {
        self.stream.get_ref().set_read_timeout(time).map_err(|e| self.unreachable(e))
    }

    fn unreachable(&self, source: io::Error) -> ControlError {
        let source = match source.kind() {
            io::ErrorKind::WouldBlock => {
                io::Error::new(io::ErrorKind::TimedOut, "it does not answer; start it again")
            }
            _ => source,
        };
        ControlError::Unreachable { socket: self.socket.clone(), source }
    }

    fn astray(&self, answer: &ControlAnswer) -> ControlError {
        match answer {
            ControlAnswer::Error { error } => ControlError::Refused(error.clone()),
            other => self.unreachable(io::Error::other(format!("it answers {}", other.line().trim_end()))),
        }
    }
}
