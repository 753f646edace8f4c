//! Operators that calculate: convolutions, the fully connected layer, the logistic function.
//!
//! Part of compiling a model. Zero points are folded into the biases and scales into one factor per
//! output, so that a run multiplies, adds and rounds, nothing else.
//! Pure: no I/O, no clock.

use super::super::WakeModelError;
use super::super::network::{Layer, NetworkStep, OutputChannel};
use super::{Compiler, MAX_VALUES, Op, UINT8, index};

impl Compiler<'_> {
    pub(super) fn convolution(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let (x, w, y) = (self.tensor(op.input(0)?)?, self.tensor(op.input(1)?)?, self.tensor(op.output()?)?);
        let (&[1, height, 1, depth], &[channels, kernel, 1, seen], &[1, rows, 1, out]) =
            (x.shape.as_slice(), w.shape.as_slice(), y.shape.as_slice())
        else {
            return Err(WakeModelError::Shape);
        };
        let stride = index(self.option_int(op, 2)?)?;
        let window = KernelWindow { height, kernel, rows, stride };
        if seen != depth || out != channels || !window.fits(self.option_byte(op, 0)?) {
            return Err(WakeModelError::Shape);
        }
        let floor = self.option_byte(op, 3)?;
        let layer =
            self.layer(op, LayerWeights { per_output: kernel * depth, channel_major: true }, floor)?;
        self.push(NetworkStep::Dense(Layer { rows, step: stride * depth, ..layer }))
    }

    pub(super) fn depthwise(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let (x, w, y) = (self.tensor(op.input(0)?)?, self.tensor(op.input(1)?)?, self.tensor(op.output()?)?);
        let (&[1, height, 1, depth], &[1, kernel, 1, channels], &[1, rows, 1, out]) =
            (x.shape.as_slice(), w.shape.as_slice(), y.shape.as_slice())
        else {
            return Err(WakeModelError::Shape);
        };
        let stride = index(self.option_int(op, 2)?)?;
        let window = KernelWindow { height, kernel, rows, stride };
        if channels != depth || out != depth || !window.fits(self.option_byte(op, 0)?) {
            return Err(WakeModelError::Shape);
        }
        self.channels = self.channels.max(channels);
        let floor = self.option_byte(op, 4)?;
        let layer = self.layer(op, LayerWeights { per_output: kernel, channel_major: false }, floor)?;
        self.push(NetworkStep::Depthwise(Layer { rows, step: stride * depth, ..layer }))
    }

    pub(super) fn fully_connected(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let (x, w, y) = (self.tensor(op.input(0)?)?, self.tensor(op.input(1)?)?, self.tensor(op.output()?)?);
        let &[channels, seen] = w.shape.as_slice() else { return Err(WakeModelError::Shape) };
        if seen != x.len() || channels != y.len() {
            return Err(WakeModelError::Shape);
        }
        let floor = self.option_byte(op, 0)?;
        let layer = self.layer(op, LayerWeights { per_output: seen, channel_major: true }, floor)?;
        self.push(NetworkStep::Dense(layer))
    }

    /// Weights, biases and scales of an operator, as a layer with one row.
    fn layer(&mut self, op: &Op, weights: LayerWeights, activation: i32) -> Result<Layer, WakeModelError> {
        let (x, w) = (self.tensor(op.input(0)?)?, self.tensor(op.input(1)?)?);
        let (bias, y) = (self.tensor(op.input(2)?)?.int32(), self.tensor(op.output()?)?);
        let (from, into, values) = (x.quantised()?, y.quantised()?, w.int8());
        let channels = bias.len();
        if values.len() != w.len()
            || values.len() != channels * weights.per_output
            || !(w.scales.len() == 1 || w.scales.len() == channels)
            || activation > 1
        {
            return Err(WakeModelError::Shape);
        }
        let outputs = (0..channels)
            .map(|c| {
                let own =
                    |i| if weights.channel_major { c * weights.per_output + i } else { i * channels + c };
                let sum: i32 = (0..weights.per_output).map(|i| i32::from(values[own(i)])).sum();
                let scale = from.scale * w.scales[if w.scales.len() == 1 { 0 } else { c }] / into.scale;
                OutputChannel { bias: bias[c].wrapping_sub(from.zero.wrapping_mul(sum)), scale }
            })
            .collect();
        let from = self.place(op.input(0)?)?;
        let to = self.put(op.output()?)?;
        let floor = if activation == 1 { into.zero.clamp(-128, 127) } else { -128 };
        let width = weights.per_output;
        Ok(Layer { from, to, rows: 1, step: 0, width, weights: values, outputs, zero: into.zero, floor })
    }

    pub(super) fn logistic(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let (x, y) = (self.tensor(op.input(0)?)?, self.tensor(op.output()?)?);
        let (from, into, len) = (x.quantised()?, y.quantised()?, x.len());
        if y.len() != len {
            return Err(WakeModelError::Shape);
        }
        let table = std::array::from_fn(|byte| {
            into.quantise(1.0 / (1.0 + (-from.value(i16::from(byte as u8 as i8))).exp()))
        });
        let quantised = from;
        let from = self.place(op.input(0)?)?;
        self.log_odds = Some((from, quantised));
        let to = self.put(op.output()?)?;
        self.push(NetworkStep::Lookup { from, to, len, table: Box::new(table) })
    }

    /// From signed to unsigned with the same scale: the same bytes, read differently.
    pub(super) fn requantise(&mut self, op: &Op) -> Result<(), WakeModelError> {
        let (x, y) = (self.tensor(op.input(0)?)?, self.tensor(op.output()?)?);
        let (from, into) = (x.quantised()?, y.quantised()?);
        if y.kind != UINT8 || x.len() != y.len() || from.scale != into.scale || from.zero + 128 != into.zero {
            return Err(WakeModelError::Operator(114));
        }
        let place = self.place(op.input(0)?)?;
        self.alias(op.output()?, place).map(drop)
    }
}

/// How the weights of a layer lie in the file.
#[derive(Clone, Copy)]
struct LayerWeights {
    per_output: usize,
    channel_major: bool,
}

/// A convolution's way over time.
struct KernelWindow {
    height: usize,
    kernel: usize,
    rows: usize,
    stride: usize,
}

impl KernelWindow {
    /// No row reaches over the end of the input. `padding` is 1 for "none"; 0 means "same", which is
    /// the same for a kernel of length 1.
    fn fits(&self, padding: i32) -> bool {
        (padding == 1 || self.kernel == 1)
            && (1..=MAX_VALUES).contains(&self.stride)
            && (self.rows - 1) * self.stride + self.kernel <= self.height
    }
}
