//! Reads the tables of a flatbuffer: the container format of `.tflite` models.
//!
//! In: the unverified bytes of a file. Out: numbers, positions of tables, byte ranges.
//! Every read is bounds-checked and returns [`MalformedBuffer`] instead of panicking.
//! Pure: no I/O, no clock.

/// The bytes are no flatbuffer of the expected shape: an offset or a length points outside the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MalformedBuffer;

/// The file.
#[derive(Clone, Copy)]
pub(super) struct Buffer<'a>(pub(super) &'a [u8]);

/// Position of a table in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table(usize);

/// More entries than any wake model has in one vector of tables or numbers.
const MAX_ENTRIES: usize = 4096;

impl<'a> Buffer<'a> {
    /// Returns the root table.
    pub(super) fn root(self) -> Result<Table, MalformedBuffer> {
        Ok(Table(self.follow(0)?))
    }

    /// Returns a 32-bit number of `table`; `or` when the file leaves it out.
    pub(super) fn int(self, table: Table, id: usize, or: i32) -> Result<i32, MalformedBuffer> {
        self.field(table, id)?.map_or(Ok(or), |at| self.array(at).map(i32::from_le_bytes))
    }

    /// Returns an 8-bit number of `table`; 0 when the file leaves it out.
    pub(super) fn byte(self, table: Table, id: usize) -> Result<i32, MalformedBuffer> {
        self.field(table, id)?.map_or(Ok(0), |at| self.array(at).map(|[b]: [u8; 1]| i32::from(b)))
    }

    /// Returns a table of `table`, if the file has it.
    pub(super) fn table(self, table: Table, id: usize) -> Result<Option<Table>, MalformedBuffer> {
        self.field(table, id)?.map(|at| self.follow(at).map(Table)).transpose()
    }

    /// Returns a vector of tables; empty when the file leaves it out.
    pub(super) fn tables(self, table: Table, id: usize) -> Result<Vec<Table>, MalformedBuffer> {
        let (start, len) = self.vector(table, id)?;
        if len > MAX_ENTRIES {
            return Err(MalformedBuffer);
        }
        (0..len).map(|i| self.follow(start + 4 * i).map(Table)).collect()
    }

    /// Returns a vector of 32-bit integers; empty when the file leaves it out.
    pub(super) fn ints(self, table: Table, id: usize) -> Result<Vec<i32>, MalformedBuffer> {
        self.numbers(table, id, i32::from_le_bytes)
    }

    /// Returns a vector of 32-bit floats; empty when the file leaves it out.
    pub(super) fn floats(self, table: Table, id: usize) -> Result<Vec<f32>, MalformedBuffer> {
        self.numbers(table, id, f32::from_le_bytes)
    }

    /// Returns the first of a vector of 64-bit integers; 0 when there is none.
    pub(super) fn first_long(self, table: Table, id: usize) -> Result<i64, MalformedBuffer> {
        match self.vector(table, id)? {
            (_, 0) => Ok(0),
            (start, _) => self.array(start).map(i64::from_le_bytes),
        }
    }

    /// Returns a vector of bytes; empty when the file leaves it out.
    pub(super) fn bytes(self, table: Table, id: usize) -> Result<&'a [u8], MalformedBuffer> {
        let (start, len) = self.vector(table, id)?;
        self.0.get(start..start.checked_add(len).ok_or(MalformedBuffer)?).ok_or(MalformedBuffer)
    }

    fn numbers<T>(self, table: Table, id: usize, read: fn([u8; 4]) -> T) -> Result<Vec<T>, MalformedBuffer> {
        let (start, len) = self.vector(table, id)?;
        if len > MAX_ENTRIES {
            return Err(MalformedBuffer);
        }
        (0..len).map(|i| self.array(start + 4 * i).map(read)).collect()
    }

    /// Start and length of a vector.
    fn vector(self, table: Table, id: usize) -> Result<(usize, usize), MalformedBuffer> {
        let Some(at) = self.field(table, id)? else { return Ok((0, 0)) };
        let start = self.follow(at)?;
        let len = u32::from_le_bytes(self.array(start)?) as usize;
        Ok((start + 4, len))
    }

    /// Where field `id` of `table` lies, if the file has it.
    fn field(self, Table(table): Table, id: usize) -> Result<Option<usize>, MalformedBuffer> {
        let back = i64::from(i32::from_le_bytes(self.array(table)?));
        let layout = usize::try_from(table as i64 - back).map_err(|_| MalformedBuffer)?;
        let size = usize::from(u16::from_le_bytes(self.array(layout)?));
        let slot = 4 + 2 * id;
        if slot + 2 > size {
            return Ok(None);
        }
        let offset = usize::from(u16::from_le_bytes(self.array(layout + slot)?));
        Ok((offset != 0).then_some(table + offset))
    }

    /// Returns the target of the relative offset stored at `at`.
    fn follow(self, at: usize) -> Result<usize, MalformedBuffer> {
        let offset = u32::from_le_bytes(self.array(at)?) as usize;
        let target = at.checked_add(offset).ok_or(MalformedBuffer)?;
        if target < self.0.len() { Ok(target) } else { Err(MalformedBuffer) }
    }

    fn array<const N: usize>(self, at: usize) -> Result<[u8; N], MalformedBuffer> {
        let end = at.checked_add(N).ok_or(MalformedBuffer)?;
        self.0.get(at..end).and_then(|b| b.try_into().ok()).ok_or(MalformedBuffer)
    }
}
