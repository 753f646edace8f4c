//! Operators that only move values: reshape, concatenate, slice, split, and the model's memories.
//!
//! Part of compiling a model. Each becomes copies between fixed places of the arena.
//! Pure: no I/O, no clock.

use std::ops::Range;

use super::super::WakeModelError;
use super::super::network::NetworkStep;
use super::{Compiler, MAX_VALUES, Op, axis, index};

impl Compiler<'_> {
    pub(super) fn reshape(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let (x, y) = (op.input(0)?, op.output()?);
        if self.tensor(x)?.len() != self.tensor(y)?.len() {
            return Err(WakeModelError::Shape);
        }
        let place = self.place(x)?;
        self.alias(y, place).map(drop)
    }

    pub(super) fn handle(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let name = self.file.bytes(op.options.ok_or(WakeModelError::Damaged)?, 1)?;
        self.handles.insert(op.output()?, name);
        Ok(())
    }

    pub(super) fn recall(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let name = *self.handles.get(&op.input(0)?).ok_or(WakeModelError::Damaged)?;
        let y = op.output()?;
        let len = self.tensor(y)?.len();
        let zero =
            i8::try_from(self.tensor(y)?.quantised()?.zero).map_err(|_| WakeModelError::Damaged)?.into();
        if self.memories.contains_key(name) {
            return Err(WakeModelError::Shape); // no model reads a memory twice
        }
        let from = self.reserve(len, zero)?;
        self.memories.insert(name, (from, len));
        let to = self.put(y)?;
        self.push(NetworkStep::Move { from, to, len })
    }

    pub(super) fn remember(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let name = self.handles.get(&op.input(0)?).ok_or(WakeModelError::Damaged)?;
        let &(to, len) = self.memories.get(name).ok_or(WakeModelError::Damaged)?;
        if self.tensor(op.input(1)?)?.len() != len {
            return Err(WakeModelError::Shape);
        }
        let from = self.place(op.input(1)?)?;
        self.push(NetworkStep::Move { from, to, len })
    }

    pub(super) fn concatenate(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let y = op.output()?;
        let shape = self.tensor(y)?.shape.clone();
        let axis = axis(self.option_int(op, 0)?, shape.len())?;
        let outer: usize = shape[..axis].iter().product();
        let total: usize = shape[axis..].iter().product();
        let to = self.put(y)?;
        let mut filled = 0;
        for &x in &op.inputs {
            let len = self.tensor(x)?.len() / outer;
            if filled + len > total || len * outer != self.tensor(x)?.len() {
                return Err(WakeModelError::Shape);
            }
            let from = self.place(x)?;
            for row in 0..outer {
                self.push(NetworkStep::Move { from: from + row * len, to: to + row * total + filled, len })?;
            }
            filled += len;
        }
        if filled == total { Ok(()) } else { Err(WakeModelError::Shape) }
    }

    pub(super) fn slice(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let (first, last) = (self.option_int(op, 0)?, self.option_int(op, 1)?);
        for id in 2..5 {
            if self.option_int(op, id)? != 0 {
                return Err(WakeModelError::Operator(45));
            }
        }
        let ends = |i: usize| Ok::<_, WakeModelError>(self.tensor(op.input(i)?)?.int32());
        let (begin, end, strides) = (ends(1)?, ends(2)?, ends(3)?);
        let shape = &self.tensor(op.input(0)?)?.shape;
        if [&begin, &end, &strides].iter().any(|v| v.len() != shape.len()) || strides.iter().any(|&s| s != 1)
        {
            return Err(WakeModelError::Shape);
        }
        let ranges: Vec<_> = (0..shape.len())
            .map(|d| {
                let size = shape[d] as i32;
                let bound = |v: i32| (if v < 0 { v.saturating_add(size) } else { v }).clamp(0, size) as usize;
                let start = if first >> d & 1 == 1 { 0 } else { bound(begin[d]) };
                start..if last >> d & 1 == 1 { shape[d] } else { bound(end[d]) }
            })
            .collect();
        self.cut(op.input(0)?, op.output()?, &ranges)
    }

    pub(super) fn split(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let sizes = self.tensor(op.input(1)?)?.int32();
        let shape = self.tensor(op.input(0)?)?.shape.clone();
        let along = *self.tensor(op.input(2)?)?.int32().first().ok_or(WakeModelError::Damaged)?;
        let axis = axis(along, shape.len())?;
        if sizes.len() != op.outputs.len() {
            return Err(WakeModelError::Shape);
        }
        let mut start = 0;
        for (&y, &size) in op.outputs.iter().zip(&sizes) {
            let mut ranges: Vec<_> = shape.iter().map(|&n| 0..n).collect();
            let end = start + index(size)?.min(MAX_VALUES);
            ranges[axis] = start..end;
            self.cut(op.input(0)?, y, &ranges)?;
            start = end;
        }
        Ok(())
    }

    /// Copies the block `ranges` of tensor `x` to tensor `y`.
    fn cut(&mut self, x: usize, y: usize, ranges: &[Range<usize>]) -> Result<(), WakeModelError> {
        let shape = self.tensor(x)?.shape.clone();
        if ranges.iter().zip(&shape).any(|(r, &n)| r.is_empty() || r.end > n)
            || ranges.iter().map(ExactSizeIterator::len).product::<usize>() != self.tensor(y)?.len()
        {
            return Err(WakeModelError::Shape);
        }
        // From dimension `whole` on everything is taken, so the values lie side by side.
        let whole = (0..shape.len()).rev().find(|&d| ranges[d].len() != shape[d]).unwrap_or(0);
        let run: usize = ranges[whole..].iter().map(ExactSizeIterator::len).product();
        let outer: usize = ranges[..whole].iter().map(ExactSizeIterator::len).product();
        let (from, to) = (self.place(x)?, self.put(y)?);
        for i in 0..outer {
            let (mut rest, mut at, mut size) = (i, 0, 1);
            for d in (0..shape.len()).rev() {
                let pick = if d < whole {
                    let pick = rest % ranges[d].len();
                    rest /= ranges[d].len();
                    pick
                } else {
                    0
                };
                at += (ranges[d].start + pick) * size;
                size *= shape[d];
            }
            self.push(NetworkStep::Move { from: from + at, to: to + i * run, len: run })?;
        }
        Ok(())
    }
}
