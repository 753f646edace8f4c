//! Reads events from pieces of a connection.
//!
//! In: bytes. Out: the next whole event; an error ends the connection. It is kinder than the protocol's own library in one
//! point: `"data": null` beside a block counts as no inline data.
//! Pure: no I/O, no clock.

use serde_json::Value;

use super::{WireData, WireEvent};

/// Longest header line in bytes, as the protocol's own library has it.
pub(crate) const MOST_HEADER: usize = 64 * 1024;
/// Largest block of data in bytes. `info` with every language of whisper takes 20 KB.
pub(crate) const MOST_DATA: usize = 1024 * 1024;
/// Largest payload in bytes: 32 s of sound at 16 kHz.
pub(crate) const MOST_PAYLOAD: usize = 1024 * 1024;

/// Why a connection can't be read any further: close it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    /// The header line has no end within its limit.
    #[error("the header line is longer than {MOST_HEADER} bytes")]
    HeaderTooLong,
    /// A block is announced that is larger than its limit: reply with an error first.
    #[error("{key} is {length}; allowed: 0 to {most}")]
    BlockTooLarge {
        /// The key of the header.
        key: &'static str,
        /// The announced length in bytes.
        length: u64,
        /// The limit in bytes.
        most: usize,
    },
    /// A length is no whole number.
    #[error("{key} is {value}; allowed: a whole number of bytes")]
    Length {
        /// The key of the header.
        key: &'static str,
        /// The value, as JSON.
        value: String,
    },
    /// The header line is not a JSON object.
    #[error("the header line is not a JSON object in UTF-8")]
    NotAnObject,
    /// The header has no type.
    #[error("the header has no key \"type\"")]
    NoType,
    /// The fields are not a JSON object.
    #[error("the data of \"{kind}\" is not a JSON object in UTF-8")]
    Data {
        /// The type of the event.
        kind: String,
    },
}

impl WireError {
    /// Returns whether the sender meant an event that is larger than what is taken: it is to hear why.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(self, Self::HeaderTooLong | Self::BlockTooLarge { .. })
    }
}

/// A header whose blocks are awaited.
#[derive(Debug)]
struct WireHeader {
    kind: String,
    data: WireData,
    data_length: usize,
    payload_length: usize,
}

/// Cuts a stream of bytes into events.
#[derive(Debug, Default)]
pub(crate) struct WireReader {
    buffer: Vec<u8>,
    /// Bytes of `buffer` that hold no end of a line.
    searched: usize,
    header: Option<WireHeader>,
}

impl WireReader {
    /// Takes the next bytes. Call [`WireReader::next`] until it returns nothing before the next piece, so that no more
    /// than one event is held.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next whole event; nothing where more bytes are needed.
    ///
    /// # Errors
    /// The bytes are no event, or one that is too large: nothing can be read behind it.
    pub(crate) fn next(&mut self) -> Result<Option<WireEvent>, WireError> {
        let header = match self.header.take() {
            Some(header) => header,
            None => match self.header()? {
                Some(header) => header,
                None => return Ok(None),
            },
        };
        let (data_length, whole) = (header.data_length, header.data_length + header.payload_length);
        if self.buffer.len() < whole {
            self.buffer.reserve(whole - self.buffer.len());
            self.header = Some(header);
            return Ok(None);
        }
        let WireHeader { kind, mut data, .. } = header;
        if data_length > 0 {
            let Some(Value::Object(block)) = self.buffer.get(..data_length).and_then(json) else {
                return Err(WireError::Data { kind });
            };
            data.extend(block);
        }
        let payload = self.buffer[data_length..whole].to_vec();
        self.drop_front(whole);
        Ok(Some(WireEvent { kind, data, payload }))
    }

    /// Returns whether an event has begun that is not whole.
    pub(crate) fn is_within_event(&self) -> bool {
        self.header.is_some() || !self.buffer.is_empty()
    }

    /// Returns the number of bytes that are held.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.buffer.len()
    }

    fn header(&mut self) -> Result<Option<WireHeader>, WireError> {
        let end = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|at| self.searched + at) else {
            self.searched = self.buffer.len();
            return if self.searched > MOST_HEADER { Err(WireError::HeaderTooLong) } else { Ok(None) };
        };
        if end > MOST_HEADER {
            return Err(WireError::HeaderTooLong);
        }
        let header = header_of(&self.buffer[..end])?;
        self.drop_front(end + 1);
        Ok(Some(header))
    }

    fn drop_front(&mut self, bytes: usize) {
        self.buffer.drain(..bytes);
        self.searched = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > MOST_HEADER {
            // A large event leaves nothing behind.
            self.buffer = Vec::new();
        }
    }
}

fn json(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

fn header_of(line: &[u8]) -> Result<WireHeader, WireError> {
    let Some(Value::Object(mut header)) = json(line) else { return Err(WireError::NotAnObject) };
    let kind = match header.remove("type") {
        Some(Value::String(kind)) => kind,
        Some(other) => other.to_string(),
        None => return Err(WireError::NoType),
    };
    let data = match header.remove("data") {
        None | Some(Value::Null) => WireData::new(),
        Some(Value::Object(data)) => data,
        Some(_) => return Err(WireError::Data { kind }),
    };
    let data_length = length(&header, "data_length", MOST_DATA)?;
    let payload_length = length(&header, "payload_length", MOST_PAYLOAD)?;
    Ok(WireHeader { kind, data, data_length, payload_length })
}

/// Returns a length of the header; 0 where there is none or it is negative.
fn length(header: &WireData, key: &'static str, most: usize) -> Result<usize, WireError> {
    let value = match header.get(key) {
        None | Some(Value::Null) => return Ok(0),
        Some(value) => value,
    };
    let whole = value.as_f64().filter(|length| length.fract() == 0.0);
    let Some(length) = whole else {
        return Err(WireError::Length { key, value: value.to_string() });
    };
    let length = length.max(0.0) as u64;
    match usize::try_from(length) {
        Ok(length) if length <= most => Ok(length),
        _ => Err(WireError::BlockTooLarge { key, length, most }),
    }
}
