//! A kind of home automation server: its names and habits as data, and the interface of the client that speaks to it.
//!
//! Each kind has a folder of its own, which declares one [`Hub`] and implements [`HubClient`]; the table of all is in
//! `hubs.rs`. Following a house, reconnecting and sending commands are the same for all of them (`server.rs`,
//! `follow.rs`).
//! Pure: no I/O, no clock.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde::{Serialize, Serializer};

use super::address::ServerAddress;
use super::backend::{SendFault, ServerEvent};
use super::fault::HomeFault;
use super::house::{House, HouseRules, Item};
use super::token::TokenSource;

/// A kind of home automation server. Two are equal when their [`word`](Self::word) is.
#[derive(Clone, Copy)]
pub struct Hub {
    /// Its name in the configuration, and of the folder that holds the stored address and token.
    pub word: &'static str,
    /// Its name as its makers write it.
    pub name: &'static str,
    /// The port that is used where an address names neither scheme nor port.
    pub port: u16,
    /// The schemes of its addresses; the first is used where an address names none.
    pub(super) schemes: &'static [&'static str],
    /// Host names that it often has; each is also tried with `.local`.
    pub hosts: &'static [&'static str],
    /// The kind of token it takes and where its owner makes one, as in "openHAB wants …".
    pub token_hint: &'static str,
    /// Where its owner makes a token, for a remedy that names all kinds.
    pub(super) token_place: &'static str,
    /// The user whose token it must be.
    pub(super) token_user: &'static str,
    /// An address as it often has one.
    pub(super) example: &'static str,
    /// What its owner can do when it has no items, one sentence.
    pub(super) no_items: &'static str,
    /// What its owner can do when no item is in a room, one sentence.
    pub(super) no_rooms: &'static str,
    pub(super) mdns: &'static [MdnsService],
    pub(super) connect: ConnectFn,
}

/// Creates a client; nothing is connected yet. Fails when the HTTP client can't be made.
type ConnectFn = fn(ServerAddress, TokenSource) -> Result<Arc<dyn HubClient>, HomeFault>;

/// A service that a kind of server announces by mDNS.
pub(super) struct MdnsService {
    /// As `_openhab-server._tcp.local.`.
    pub(super) kind: &'static str,
    /// `http` or `https`.
    pub(super) scheme: &'static str,
    /// Text records that may hold the server's own address.
    pub(super) url_keys: &'static [&'static str],
}

impl Hub {
    /// Parses an address of such a server as its owner writes it, as [`ServerAddress::read`] does.
    ///
    /// # Errors
    /// The text is not an address; the error shows an example of one.
    pub fn address(&self, text: &str) -> Result<ServerAddress, String> {
        ServerAddress::of(text, self.schemes, self.port, self.example)
    }
}

impl PartialEq for Hub {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Hub {}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

impl Serialize for Hub {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word)
    }
}

/// The events that arrive together, none for bytes without an event; an error ends the stream.
pub(super) type EventStream = BoxStream<'static, Result<Vec<ServerEvent>, String>>;

/// A house as read in one go.
pub(super) struct ReadHouse {
    pub(super) version: String,
    pub(super) house: House,
}

/// A connection to one kind of server. The token is read again for each opening and reading.
pub(super) trait HubClient: Send + Sync + 'static {
    fn address(&self) -> &ServerAddress;

    /// Whether a server of this kind answers at the address; it need not accept the token.
    fn answers(&self) -> BoxFuture<'_, bool>;

    /// Opens the stream of events.
    fn open(self: Arc<Self>) -> BoxFuture<'static, Result<EventStream, HomeFault>>;

    /// Reads the whole house.
    fn read(self: Arc<Self>, rules: HouseRules) -> BoxFuture<'static, Result<ReadHouse, HomeFault>>;

    /// Sends a command once. `Ok` means that the server has queued it.
    fn command<'a>(&'a self, item: &'a str, text: &'a str) -> BoxFuture<'a, Result<(), SendFault>>;

    /// Reads the state of one item as text; `None` for an item whose state is known by events alone.
    fn state<'a>(&'a self, item: &'a Item) -> BoxFuture<'a, Result<Option<String>, HomeFault>>;
}
