//! Framing of the Wyoming protocol: a header line, a block of data, a block of payload.
//!
//! In: bytes in pieces of any size. Out: [`WireEvent`]s, or why the connection is to be closed; and the bytes of an event.
//! What a sender announces is checked before anything is kept for it, so that a reader never holds more than one event.
//! Which events there are, and what they mean, is decided elsewhere. The crate `wyoming` 0.2.1 is not used: it can write a
//! header but not read one, writes inline data as a list of numbers, and lacks ping, error and every streaming event.
//! Pure: no I/O, no clock.

mod reader;

use serde_json::{Map, Value, json};

pub(crate) use reader::{WireError, WireReader};

#[cfg(test)]
mod tests;

/// Fields of an event.
pub(crate) type WireData = Map<String, Value>;

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WireEvent {
    /// The type, such as "audio-chunk". One that is not a text is kept as its JSON, which no known type equals.
    pub(crate) kind: String,
    /// The fields.
    pub(crate) data: WireData,
    /// The payload: little-endian PCM with "audio-chunk", otherwise empty.
    pub(crate) payload: Vec<u8>,
}

impl WireEvent {
    /// An event with the fields of `data`, which is an object.
    pub(crate) fn new(kind: &str, data: Value) -> Self {
        let data = if let Value::Object(data) = data { data } else { WireData::new() };
        Self { kind: kind.to_owned(), data, payload: Vec::new() }
    }

    /// Adds a payload.
    pub(crate) fn with_payload(self, payload: Vec<u8>) -> Self {
        Self { payload, ..self }
    }

    /// Appends the bytes of the event to `out`. The fields go into a block, which has no limit of 64 KiB as the header
    /// line has.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let data =
            if self.data.is_empty() { String::new() } else { Value::from(self.data.clone()).to_string() };
        let mut header = json!({ "type": self.kind, "version": env!("CARGO_PKG_VERSION") });
        for (key, length) in [("data_length", data.len()), ("payload_length", self.payload.len())] {
            if length > 0 {
                header[key] = length.into();
            }
        }
        out.extend_from_slice(header.to_string().as_bytes());
        out.push(b'\n');
        out.extend_from_slice(data.as_bytes());
        out.extend_from_slice(&self.payload);
    }

    /// Returns the bytes of the event.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}
