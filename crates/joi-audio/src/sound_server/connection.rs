//! A connection to a sound server: commands go out, replies, events and sound come in, one message at a time.
//!
//! The messages are the pulseaudio crate's. No shared memory is offered, so all sound comes through the socket.
//! Everything blocks; while the connection is made and a stream is asked for, five seconds at most.

use std::ffi::{CStr, CString};
use std::io::{self, BufReader, Cursor, Read, Write};
use std::os::unix::net::UnixStream;

use pulseaudio::protocol::{
    self, AuthParams, AuthReply, Command, CommandReply, Descriptor, DescriptorFlags, Prop, Props,
    ProtocolError, PulseError, SetClientNameReply, SubscriptionEventType, SubscriptionMask, TagStructReader,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::device::BUILD;

/// The channel of commands and replies.
const CONTROL: u32 = u32::MAX;

/// A connection whose greeting is over.
pub(super) struct ServerConnection {
    reader: BufReader<UnixStream>,
    version: u16,
    /// Longest silence of the server that is waited for; unlimited if `None`.
    patience: Option<Timespec>,
    sequence: u32,
    /// The command that subscribed to changes of devices.
    watch: Option<u32>,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

/// A message of the server.
#[derive(Debug)]
pub(super) enum ServerMessage<'a> {
    /// Recorded sound.
    Sound(&'a [u8]),
    /// The reply to the command with this number.
    Reply(u32, Reply<'a>),
    /// The command with this number was refused.
    Refusal(u32, PulseError),
    /// So many more bytes of sound are wanted.
    Wants(usize),
    /// The subscription to devices has begun, or a device has come or gone.
    DevicesChanged,
    /// There was too much sound, or too little.
    Stumbled,
    /// The stream has ended: its device is gone, or somebody ended it.
    Ended,
}

/// A reply that was not read yet.
#[derive(Debug)]
pub(super) struct Reply<'a> {
    content: Cursor<&'a [u8]>,
    version: u16,
}

impl Reply<'_> {
    /// Parses the reply.
    pub(super) fn read<R: CommandReply>(mut self) -> Result<R, ProtocolError> {
        TagStructReader::new(&mut self.content, self.version).read()
    }
}

impl ServerConnection {
    /// To the server that the environment names.
    pub(super) fn open(program: &CStr) -> Result<Self, ProtocolError> {
        let path = pulseaudio::socket_path_from_env()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no sound server"))?;
        let cookie = pulseaudio::cookie_path_from_env().and_then(|path| std::fs::read(path).ok());
        Self::greet(UnixStream::connect(path)?, cookie.unwrap_or_default(), program)
    }

    /// Says who is there, on a socket that is connected.
    pub(super) fn greet(socket: UnixStream, cookie: Vec<u8>, program: &CStr) -> Result<Self, ProtocolError> {
        socket.set_read_timeout(Some(BUILD))?;
        socket.set_write_timeout(Some(BUILD))?;
        let reader = BufReader::with_capacity(64 * 1024, socket);
        let (incoming, outgoing) = (Vec::new(), Vec::new());
        let (version, patience) = (protocol::MAX_VERSION, Timespec::try_from(BUILD).ok());
        let mut connection = Self { reader, version, patience, sequence: 0, watch: None, incoming, outgoing };
        let auth =
            AuthParams { version: protocol::MAX_VERSION, supports_shm: false, supports_memfd: false, cookie };
        let server: AuthReply = connection.ask(&Command::Auth(auth))?;
        connection.version = server.version.min(protocol::MAX_VERSION);
        let mut props = Props::new();
        props.set(Prop::ApplicationName, program);
        props.set(
            Prop::ApplicationProcessId,
            CString::new(std::process::id().to_string()).unwrap_or_default(),
        );
        let _: SetClientNameReply = connection.ask(&Command::SetClientName(props))?;
        Ok(connection)
    }

    /// Subscribes to devices of one kind that come and go.
    pub(super) fn watch(&mut self, devices: SubscriptionMask) -> Result<(), ProtocolError> {
        self.watch = Some(self.send(&Command::Subscribe(devices))?);
        Ok(())
    }

    /// From here on it waits for as long as it takes: whoever holds the socket's other handle can end that.
    pub(super) fn wait_for_ever(&mut self) -> io::Result<()> {
        self.patience = None;
        self.reader.get_ref().set_read_timeout(None)?;
        self.reader.get_ref().set_write_timeout(None)
    }

    /// Another handle to the socket.
    pub(super) fn socket(&self) -> io::Result<UnixStream> {
        self.reader.get_ref().try_clone()
    }

    /// Sends a command and waits for its reply; what else comes meanwhile is dropped.
    pub(super) fn ask<R: CommandReply>(&mut self, command: &Command) -> Result<R, ProtocolError> {
        let sent = self.send(command)?;
        loop {
            match self.receive()? {
                ServerMessage::Reply(to, reply) if to == sent => return reply.read(),
                ServerMessage::Refusal(to, why) if to == sent => return Err(ProtocolError::ServerError(why)),
                _ => {}
            }
        }
    }

    /// Sends a command; the number its reply will have.
    pub(super) fn send(&mut self, command: &Command) -> Result<u32, ProtocolError> {
        self.sequence = self.sequence.wrapping_add(1);
        self.outgoing.clear();
        protocol::write_command_message(&mut self.outgoing, self.sequence, command, self.version)?;
        self.reader.get_mut().write_all(&self.outgoing)?;
        Ok(self.sequence)
    }

    /// Sends sound.
    pub(super) fn play(&mut self, channel: u32, samples: &[f32]) -> Result<(), ProtocolError> {
        self.outgoing.clear();
        let length = size_of_val(samples) as u32;
        let descriptor = Descriptor { length, channel, offset: 0, flags: DescriptorFlags::empty() };
        protocol::write_descriptor(&mut self.outgoing, &descriptor)?;
        self.outgoing.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
        self.reader.get_mut().write_all(&self.outgoing)?;
        Ok(())
    }

    /// Waits until there is something to read. A thread that waits in a read is woken whenever the server has taken
    /// something off the other direction, too, which is as often again.
    fn wait(&self) -> io::Result<()> {
        if self.has_more() {
            return Ok(());
        }
        let mut socket = [PollFd::new(self.reader.get_ref(), PollFlags::IN)];
        loop {
            match poll(&mut socket, self.patience.as_ref()) {
                Ok(0) => return Err(io::ErrorKind::WouldBlock.into()),
                Ok(_) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns whether the next message, or its beginning, has already arrived: a server cuts a period into
    /// pieces of its own.
    pub(super) fn has_more(&self) -> bool {
        !self.reader.buffer().is_empty()
    }

    /// Waits for the next message. What a stream has no use for is left out.
    pub(super) fn receive(&mut self) -> Result<ServerMessage<'_>, ProtocolError> {
        loop {
            self.wait()?;
            let descriptor = protocol::read_descriptor(&mut self.reader)?;
            let length = descriptor.length as usize;
            if length > protocol::MAX_MEMBLOCKQ_LENGTH {
                return Err(ProtocolError::Invalid(format!("{length} bytes in one message")));
            }
            self.incoming.resize(length, 0);
            self.reader.read_exact(&mut self.incoming)?;
            if descriptor.channel != CONTROL {
                return Ok(ServerMessage::Sound(&self.incoming));
            }
            let mut content = Cursor::new(&self.incoming[..]);
            let (to, command) = match Command::read_tag_prefixed(&mut content, self.version) {
                Ok(read) => read,
                // A command that the crate does not know.
                Err(ProtocolError::Unimplemented(..)) => continue,
                Err(error) => return Err(error),
            };
            let read = content.position();
            return Ok(match command {
                Command::Reply if self.watch == Some(to) => ServerMessage::DevicesChanged,
                Command::Reply => {
                    let mut content = Cursor::new(&self.incoming[..]);
                    content.set_position(read);
                    ServerMessage::Reply(to, Reply { content, version: self.version })
                }
                Command::Error(why) => ServerMessage::Refusal(to, why),
                Command::Request(request) => ServerMessage::Wants(request.length as usize),
                Command::Overflow(_) | Command::Underflow(_) => ServerMessage::Stumbled,
                Command::SubscribeEvent(event) if event.event_type != SubscriptionEventType::Changed => {
                    ServerMessage::DevicesChanged
                }
                Command::PlaybackStreamMoved(_) | Command::RecordStreamMoved(_) => {
                    ServerMessage::DevicesChanged
                }
                Command::PlaybackStreamKilled(_) | Command::RecordStreamKilled(_) => ServerMessage::Ended,
                _ => continue,
            });
        }
    }
}
