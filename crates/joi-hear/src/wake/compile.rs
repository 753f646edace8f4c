//! Compiles a microWakeWord `.tflite` file into a [`Network`].
//!
//! Runs once per model at start-up. In: the unverified bytes of a file. Out: steps whose ranges all lie
//! inside the arena, or a [`WakeModelError`]. It supports the operators these models use and refuses every
//! other; dimensions are capped, so that a damaged file can't request gigabytes.
//! Pure: no I/O, no clock.

mod layers;
mod moves;

use std::collections::HashMap;

use super::WakeModelError;
use super::flatbuffer::{Buffer, MalformedBuffer, Table};
use super::frontend::FEATURES;
use super::network::{Network, NetworkStep, Quantised};

/// Largest number of values in one tensor; stock models stay below 6,000.
const MAX_VALUES: usize = 1 << 16;
/// Largest number of values in all tensors together; stock models stay below 20,000.
const MAX_ARENA: usize = 1 << 20;
/// Largest number of copies; stock models need about 60.
const MAX_STEPS: usize = 1 << 12;

impl From<MalformedBuffer> for WakeModelError {
    fn from(MalformedBuffer: MalformedBuffer) -> Self {
        Self::Damaged
    }
}

/// Compiles the bytes of a `.tflite` file.
pub(super) fn compile(bytes: &[u8]) -> Result<Network, WakeModelError> {
    if bytes.get(4..8) != Some(b"TFL3") {
        return Err(WakeModelError::NotTflite);
    }
    let file = Buffer(bytes);
    let model = file.root()?;
    let graph = *file.tables(model, 2)?.first().ok_or(WakeModelError::Damaged)?;
    let mut compiler = Compiler::new(file, model, graph)?;
    for operator in file.tables(graph, 3)? {
        compiler.operator(operator)?;
    }
    compiler.finish(graph)
}

/// A tensor of the file.
struct ModelTensor<'a> {
    shape: Vec<usize>,
    kind: i32,
    scales: Vec<f32>,
    zero: i32,
    constant: &'a [u8],
    /// Where it lies in the arena, once something has put it there.
    place: Option<usize>,
}

impl ModelTensor<'_> {
    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// One scale for the whole tensor.
    fn quantised(&self) -> Result<Quantised, WakeModelError> {
        match *self.scales.as_slice() {
            [scale] if scale.is_finite() && scale > 0.0 => Ok(Quantised { scale, zero: self.zero }),
            _ => Err(WakeModelError::Damaged),
        }
    }

    fn int8(&self) -> Vec<i16> {
        self.constant.iter().map(|&b| i16::from(b as i8)).collect()
    }

    fn int32(&self) -> Vec<i32> {
        self.constant.as_chunks().0.iter().map(|&c| i32::from_le_bytes(c)).collect()
    }
}

/// Element types of the format that matter here.
const UINT8: i32 = 3;
const INT8: i32 = 9;

struct Compiler<'a> {
    file: Buffer<'a>,
    /// The operator behind each operator index.
    codes: Vec<i32>,
    tensors: Vec<ModelTensor<'a>>,
    initial: Vec<i16>,
    steps: Vec<NetworkStep>,
    channels: usize,
    /// Memory name of a handle tensor.
    handles: HashMap<usize, &'a [u8]>,
    /// Place and length of a memory.
    memories: HashMap<&'a [u8], (usize, usize)>,
    /// What the newest logistic function was of: the log-odds, where it gives the output.
    log_odds: Option<(usize, Quantised)>,
}

/// Inputs and outputs of an operator, and its options.
struct Op {
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    options: Option<Table>,
}

impl Op {
    fn input(&self, i: usize) -> Result<usize, WakeModelError> {
        self.inputs.get(i).copied().ok_or(WakeModelError::Damaged)
    }

    fn output(&self) -> Result<usize, WakeModelError> {
        self.outputs.first().copied().ok_or(WakeModelError::Damaged)
    }
}

impl<'a> Compiler<'a> {
    fn new(file: Buffer<'a>, model: Table, graph: Table) -> Result<Self, WakeModelError> {
        let code = |t: Table| Ok(file.byte(t, 0)?.max(file.int(t, 3, 0)?));
        let codes = file.tables(model, 1)?.into_iter().map(code).collect::<Result<_, MalformedBuffer>>()?;
        let buffers = file.tables(model, 4)?;
        let tensors = file
            .tables(graph, 0)?
            .into_iter()
            .map(|t| tensor(file, t, &buffers))
            .collect::<Result<Vec<_>, _>>()?;
        let mut compiler = Self {
            file,
            codes,
            tensors,
            initial: Vec::new(),
            steps: Vec::new(),
            channels: 0,
            handles: HashMap::new(),
            memories: HashMap::new(),
            log_odds: None,
        };
        for input in file.ints(graph, 1)? {
            compiler.put(index(input)?)?;
        }
        Ok(compiler)
    }

    fn operator(&mut self, table: Table) -> Result<(), WakeModelError> {
        let which = index(self.file.int(table, 0, 0)?)?;
        let code = *self.codes.get(which).ok_or(WakeModelError::Damaged)?;
        let numbers = |id| -> Result<Vec<usize>, WakeModelError> {
            self.file.ints(table, id)?.into_iter().map(index).collect()
        };
        let op = Op { inputs: numbers(1)?, outputs: numbers(2)?, options: self.file.table(table, 4)? };
        match code {
            2 => self.concatenate(&op),
            3 => self.convolution(&op),
            4 => self.depthwise(&op),
            9 => self.fully_connected(&op),
            14 => self.logistic(&op),
            22 => self.reshape(&op),
            45 => self.slice(&op),
            102 => self.split(&op),
            114 => self.requantise(&op),
            129 => Ok(()), // runs the graph that fills the memories with zeros, as they are here
            142 => self.handle(&op),
            143 => self.recall(&op),
            144 => self.remember(&op),
            other => Err(WakeModelError::Operator(other)),
        }
    }

    fn finish(self, graph: Table) -> Result<Network, WakeModelError> {
        let only = |id| -> Result<&ModelTensor<'a>, WakeModelError> {
            match *self.file.ints(graph, id)? {
                [i] => self.tensor(index(i)?),
                _ => Err(WakeModelError::Damaged),
            }
        };
        let (input, output) = (only(1)?, only(2)?);
        let &[1, stride, FEATURES] = input.shape.as_slice() else { return Err(WakeModelError::Shape) };
        if output.len() != 1 || input.kind != INT8 {
            return Err(WakeModelError::Shape);
        }
        // An unsigned output lies in the arena as its signed source, 128 lower.
        let mut output_quantised = output.quantised()?;
        if output.kind == UINT8 {
            output_quantised.zero -= 128;
        }
        let (log_odds, log_odds_quantised) = self.log_odds.ok_or(WakeModelError::Shape)?;
        Ok(Network {
            log_odds,
            log_odds_quantised,
            input: input.place.ok_or(WakeModelError::Damaged)?,
            input_quantised: input.quantised()?,
            stride,
            output: output.place.ok_or(WakeModelError::Damaged)?,
            output_quantised,
            arena: self.initial.clone(),
            initial: self.initial,
            sums: vec![0; self.channels],
            steps: self.steps,
        })
    }

    fn tensor(&self, i: usize) -> Result<&ModelTensor<'a>, WakeModelError> {
        self.tensors.get(i).ok_or(WakeModelError::Damaged)
    }

    /// Where tensor `i` lies: something must have put it there before.
    fn place(&self, i: usize) -> Result<usize, WakeModelError> {
        self.tensor(i)?.place.ok_or(WakeModelError::Damaged)
    }

    /// Gives tensor `i` a place of its own.
    fn put(&mut self, i: usize) -> Result<usize, WakeModelError> {
        let tensor = self.tensor(i)?;
        if tensor.kind != INT8 {
            return Err(WakeModelError::Shape);
        }
        let place = self.reserve(tensor.len(), 0)?;
        self.alias(i, place)
    }

    fn alias(&mut self, i: usize, place: usize) -> Result<usize, WakeModelError> {
        self.tensors.get_mut(i).ok_or(WakeModelError::Damaged)?.place = Some(place);
        Ok(place)
    }

    fn reserve(&mut self, len: usize, fill: i16) -> Result<usize, WakeModelError> {
        let place = self.initial.len();
        if place + len > MAX_ARENA {
            return Err(WakeModelError::TooLarge);
        }
        self.initial.resize(place + len, fill);
        Ok(place)
    }

    fn push(&mut self, step: NetworkStep) -> Result<(), WakeModelError> {
        if self.steps.len() >= MAX_STEPS {
            return Err(WakeModelError::TooLarge);
        }
        self.steps.push(step);
        Ok(())
    }

    fn option_int(&self, op: &Op, id: usize) -> Result<i32, WakeModelError> {
        Ok(op.options.map_or(Ok(0), |t| self.file.int(t, id, 0))?)
    }

    fn option_byte(&self, op: &Op, id: usize) -> Result<i32, WakeModelError> {
        Ok(op.options.map_or(Ok(0), |t| self.file.byte(t, id))?)
    }
}

fn tensor<'a>(file: Buffer<'a>, table: Table, buffers: &[Table]) -> Result<ModelTensor<'a>, WakeModelError> {
    let shape: Vec<usize> = file.ints(table, 0)?.into_iter().map(index).collect::<Result<_, _>>()?;
    let len = shape.iter().try_fold(1usize, |len, &n| len.checked_mul(n));
    if shape.len() > 5 || shape.contains(&0) || len.is_none_or(|len| len > MAX_VALUES) {
        return Err(WakeModelError::TooLarge);
    }
    let buffer = *buffers.get(index(file.int(table, 2, 0)?)?).ok_or(WakeModelError::Damaged)?;
    let (scales, zero) = match file.table(table, 4)? {
        Some(quantisation) => (file.floats(quantisation, 2)?, file.first_long(quantisation, 3)?),
        None => (Vec::new(), 0),
    };
    let zero =
        i32::try_from(zero).ok().filter(|z| (-128..=255).contains(z)).ok_or(WakeModelError::Damaged)?;
    let (kind, constant) = (file.byte(table, 1)?, file.bytes(buffer, 0)?);
    Ok(ModelTensor { shape, kind, scales, zero, constant, place: None })
}

/// Returns an index or size of the file; negative ones mean "none", which no wake model needs.
fn index(value: i32) -> Result<usize, WakeModelError> {
    usize::try_from(value).map_err(|_| WakeModelError::Damaged)
}

/// Returns an axis, counted from the end when negative.
fn axis(value: i32, rank: usize) -> Result<usize, WakeModelError> {
    let axis = if value < 0 { value.saturating_add(rank as i32) } else { value };
    usize::try_from(axis).ok().filter(|&a| a < rank).ok_or(WakeModelError::Damaged)
}
