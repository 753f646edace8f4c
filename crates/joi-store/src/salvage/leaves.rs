//! Rows straight from the pages of a damaged file, without the tree above them.
//!
//! Runs on the thread that replaces the database. In: the bytes of the file. Out: rows of tables we know, by the shape
//! of their values: a leaf page does not say whose it is. It finds what is lost to SQL because the root of a table, an
//! inner page or the head of the file is damaged. Freed pages hold nothing (`secure_delete`), so that nothing erased
//! comes back. Any bytes are accepted; a cell that makes no sense is passed over.
//! <https://www.sqlite.org/fileformat2.html>

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rusqlite::types::Value;

/// Of every database we have made.
const USUAL_PAGE: usize = 4096;
/// The largest row that is believed.
const LARGEST_ROW: u64 = 64 << 20;
/// Type of a leaf page of a table.
const TABLE_LEAF: u8 = 13;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    /// Its number.
    pub(super) id: i64,
    /// Its values, the number excluded where the table has a column for it.
    pub(super) values: Vec<Value>,
}

/// A row's table, and its columns in the order of its values.
pub(super) type Kind = (&'static str, &'static [&'static str]);

/// Hands out every row that is found, with its table.
pub(super) fn scan(path: &Path, mut take: impl FnMut(Kind, Leaf)) -> io::Result<()> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let pages = Pages { size: page_size(&file), file };
    let mut page = vec![0; pages.size];
    for number in 1..=length / pages.size as u64 {
        if pages.read(number, &mut page).is_err() {
            continue;
        }
        for cell in cells(&page, if number == 1 { 100 } else { 0 }) {
            let row = pages.payload(&page, cell).and_then(|(id, payload)| Some((id, values(&payload)?)));
            let Some((id, mut values)) = row else { continue };
            let Some(kind) = kind(&values) else { continue };
            // The number of a row stands outside of its values.
            if values.first() == Some(&Value::Null) {
                values.remove(0);
            }
            take(kind, Leaf { id, values });
        }
    }
    Ok(())
}

fn page_size(file: &File) -> usize {
    let mut head = [0; 18];
    let is_read = file.read_exact_at(&mut head, 0).is_ok() && head.starts_with(b"SQLite format 3\0");
    match usize::from(u16::from_be_bytes([head[16], head[17]])) {
        size if is_read && size >= 512 && size.is_power_of_two() => size,
        1 if is_read => 65_536,
        _ => USUAL_PAGE,
    }
}

struct Pages {
    file: File,
    size: usize,
}

impl Pages {
    fn read(&self, number: u64, page: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(page, number.saturating_sub(1).saturating_mul(self.size as u64))
    }

    /// The number and the whole payload of the cell at `at`, overflow pages included.
    fn payload(&self, page: &[u8], at: usize) -> Option<(i64, Vec<u8>)> {
        let (length, used) = varint(page.get(at..)?)?;
        let (id, more) = varint(page.get(at + used..)?)?;
        let length =
            usize::try_from(u64::try_from(length).ok().filter(|length| *length <= LARGEST_ROW)?).ok()?;
        let start = at + used + more;
        let local = local(length, self.size);
        let mut payload = page.get(start..start + local)?.to_vec();
        if local < length {
            let next = page.get(start + local..start + local + 4)?;
            self.overflow(u64::from(u32::from_be_bytes(next.try_into().ok()?)), length, &mut payload)?;
        }
        Some((id, payload))
    }

    fn overflow(&self, mut next: u64, length: usize, payload: &mut Vec<u8>) -> Option<()> {
        let mut page = vec![0; self.size];
        while payload.len() < length {
            if next == 0 {
                return None;
            }
            self.read(next, &mut page).ok()?;
            next = u64::from(u32::from_be_bytes(page[..4].try_into().ok()?));
            let wanted = (length - payload.len()).min(self.size - 4);
            payload.extend_from_slice(&page[4..4 + wanted]);
        }
        Some(())
    }
}

/// How much of a payload stands in the leaf itself.
fn local(length: usize, page: usize) -> usize {
    let most = page - 35;
    if length <= most {
        return length;
    }
    let least = (page - 12) * 32 / 255 - 23;
    let local = least + (length - least) % (page - 4);
    if local <= most { local } else { least }
}

/// Where the cells of a leaf page stand; nothing for any other page.
fn cells(page: &[u8], head: usize) -> Vec<usize> {
    let number =
        |at: usize| page.get(at..at + 2).map(|two| usize::from(u16::from_be_bytes([two[0], two[1]])));
    if page.get(head) != Some(&TABLE_LEAF) {
        return Vec::new();
    }
    let count = number(head + 3).unwrap_or(0).min(page.len() / 4);
    let pointers = (0..count).filter_map(|cell| number(head + 8 + 2 * cell));
    pointers.filter(|at| (head + 8..page.len()).contains(at)).collect()
}

/// The values of a record; nothing when it is none.
fn values(payload: &[u8]) -> Option<Vec<Value>> {
    let (head, used) = varint(payload)?;
    let head = usize::try_from(head).ok().filter(|head| *head <= payload.len())?;
    let (mut types, mut body) = (payload.get(used..head)?, payload.get(head..)?);
    let mut values = Vec::new();
    while !types.is_empty() {
        let (kind, used) = varint(types)?;
        types = &types[used..];
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 | 7 => 8,
            12.. => usize::try_from((kind - 12) / 2).ok()?,
            _ => return None,
        };
        let bytes = body.get(..length)?;
        body = &body[length..];
        values.push(match kind {
            0 => Value::Null,
            1..=6 => Value::Integer(integer(bytes)),
            7 => Value::Real(f64::from_be_bytes(bytes.try_into().ok()?)),
            8 | 9 => Value::Integer(kind - 8),
            _ if kind % 2 == 0 => Value::Blob(bytes.to_vec()),
            _ => Value::Text(String::from_utf8(bytes.to_vec()).ok()?),
        });
    }
    Some(values)
}

/// A big-endian number with its sign.
fn integer(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|first| *first >= 0x80) { -1 } else { 0 };
    bytes.iter().fold(sign, |value: i64, byte| (value << 8) | i64::from(*byte))
}

/// SQLite's number of one to nine bytes, and how many it took.
fn varint(bytes: &[u8]) -> Option<(i64, usize)> {
    let mut value: u64 = 0;
    for (at, byte) in bytes.iter().take(9).enumerate() {
        if at == 8 {
            return Some((((value << 8) | u64::from(*byte)).cast_signed(), 9));
        }
        value = (value << 7) | u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some((value.cast_signed(), at + 1));
        }
    }
    None
}

const MESSAGE: &[&str] = &["channel", "at_ms", "role", "text", "place", "origin", "wording"];
const NOTE: &[&str] = &["list", "text", "at_ms", "origin"];
const KINDS: [&str; 5] = ["user", "wish", "world", "diary", "document"];

/// Whose row has these values.
fn kind(values: &[Value]) -> Option<Kind> {
    use Value::{Integer, Null, Text};
    let is_role = |role: &str| ["user", "assistant"].contains(&role);
    Some(match values {
        [Null, Text(_), Integer(_), Text(role), Text(_), Text(_), Text(_), Text(_)] if is_role(role) => {
            ("message", MESSAGE)
        }
        [Null, Text(_), Integer(_), Text(role), Text(_), Text(_), Text(_)] if is_role(role) => {
            ("message", &MESSAGE[..6])
        }
        [Null, Text(kind), Integer(_), Text(_), Text(_)] if KINDS.contains(&kind.as_str()) => {
            ("memory", &["kind", "at_ms", "text", "source"])
        }
        [Null, Text(_), Integer(_), Text(role), Text(_)] if is_role(role) => ("message", &MESSAGE[..4]),
        [Null, Text(_), Text(_), Integer(_), Text(_)] => ("note", NOTE),
        [Null, Text(_), Text(_), Integer(_)] => ("note", &NOTE[..3]),
        [Null, Text(json), Integer(_)] if json.contains("\"urgency\":") => {
            ("outgoing", &["message", "at_ms"])
        }
        [Null, Integer(_), Text(alert)] if alert.starts_with("{\"kind\":{\"is\":") => {
            ("alert", &["at_ms", "alert"])
        }
        [Null, Integer(_), Text(record)] if is_impulse(record) => ("impulse", &["at_ms", "record"]),
        [Null, Integer(_), Text(record)] if record.starts_with('{') => ("turn", &["at_ms", "record"]),
        [Null, Text(json)] if json.contains("\"priority\":") => ("announcement", &["announcement"]),
        [Null, Text(json)] if json.starts_with("{\"presence\":") => ("context_state", &["state"]),
        [Null, Text(json)] if json.starts_with('{') => ("schedule", &["entry"]),
        [Text(_), Text(_), Text(_)] => ("conversation", &["channel", "place", "tool_history"]),
        [Text(_), Text(_)] => ("setting", &["key", "value"]),
        _ => return None,
    })
}

/// Whether a record is a decision of the impulse.
fn is_impulse(record: &str) -> bool {
    record.starts_with("{\"at\":") && record.contains("\"threshold\":")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::*;

    fn found(path: &Path) -> Vec<(&'static str, Leaf)> {
        let mut found = Vec::new();
        scan(path, |(table, _), leaf| found.push((table, leaf))).unwrap();
        found
    }

    #[test]
    fn rows_are_found_without_the_head_of_the_file_and_long_ones_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let long = "word ".repeat(5_000);
        let db = Connection::open(&path).unwrap();
        db.execute_batch("CREATE TABLE note (id INTEGER PRIMARY KEY, list TEXT, text TEXT, at_ms INTEGER)")
            .unwrap();
        let rows: Vec<(i64, &str)> = vec![(1, "milk"), (70_000, long.as_str()), (-3, "ä")];
        for (id, text) in &rows {
            db.execute(
                "INSERT INTO note VALUES (?1, 'shopping', ?2, ?1 * 1000)",
                rusqlite::params![id, text],
            )
            .unwrap();
        }
        drop(db);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[..4096].fill(0xA5);
        std::fs::write(&path, bytes).unwrap();
        let mut expected: Vec<_> = rows
            .into_iter()
            .map(|(id, text)| {
                let values =
                    vec![Value::Text("shopping".into()), Value::Text(text.into()), Value::Integer(id * 1000)];
                ("note", Leaf { id, values })
            })
            .collect();
        expected.sort_by_key(|(_, leaf)| leaf.id);
        assert_eq!(found(&path), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn foreign_bytes_never_break_the_reader_of_pages_of_a_database(
            pages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..5),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.db");
            let mut bytes = Vec::new();
            for (number, page) in pages.iter().enumerate() {
                let start = bytes.len();
                bytes.resize(start + 4096, 7);
                bytes[start + 4096 - page.len()..].copy_from_slice(page);
                bytes[start] = TABLE_LEAF;
                bytes[start + 3..start + 5].copy_from_slice(&40_u16.to_be_bytes());
                for cell in 0..40 {
                    let at = 4096 - (number + 1) * cell;
                    bytes[start + 8 + 2 * cell..start + 10 + 2 * cell].copy_from_slice(&(at as u16).to_be_bytes());
                }
            }
            std::fs::write(&path, bytes).unwrap();
            found(&path);
        }
    }
}
