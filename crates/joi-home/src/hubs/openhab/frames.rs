//! Server-sent events out of bytes, in whatever pieces they arrive.
//!
//! Lines end in `\n`, `\r\n` or `\r`; comments are dropped; pieces may split a character. A frame over [`LONGEST`] (a
//! picture as a state) is dropped as it passes, so that memory does not grow.
//! Pure: no I/O, no clock.

/// Bytes of the longest frame that is kept.
const LONGEST: usize = 256 * 1024;

/// One event: its name (empty without one) and its data, lines joined by `\n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseFrame {
    /// Its name; empty without one.
    pub event: String,
    /// Its data.
    pub data: String,
}

/// Takes bytes, gives frames.
#[derive(Debug, Default)]
pub struct SseFrames {
    line: Vec<u8>,
    event: String,
    data: String,
    has_data: bool,
    is_too_long: bool,
    after_return: bool,
}

impl SseFrames {
    /// Returns the frames that are complete with these bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<SseFrame> {
        let mut frames = Vec::new();
        for &byte in bytes {
            let was_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if was_return => {}
                b'\n' | b'\r' => frames.extend(self.end_line()),
                byte => {
                    if self.line.len() + self.data.len() >= LONGEST {
                        self.is_too_long = true;
                        self.line.truncate(16);
                        self.data.clear();
                    } else {
                        self.line.push(byte);
                    }
                }
            }
        }
        frames
    }

    fn end_line(&mut self) -> Option<SseFrame> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.end_frame();
        }
        let line = String::from_utf8_lossy(&line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            _ => {}
        }
        None
    }

    fn end_frame(&mut self) -> Option<SseFrame> {
        let event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        let is_whole = std::mem::take(&mut self.has_data) && !std::mem::take(&mut self.is_too_long);
        is_whole.then_some(SseFrame { event, data })
    }
}
