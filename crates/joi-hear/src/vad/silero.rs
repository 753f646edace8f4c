//! The Silero network: a short Fourier transform, four convolutions, one LSTM cell.
//!
//! Owned by the listener thread. In: 512 samples at 16 kHz. Out: the probability of a voice. It keeps the
//! cell's state and the last 64 samples from frame to frame, and allocates nothing after construction.

use std::collections::HashMap;

use super::ggml::damaged;
use super::{FRAME, VadError};

/// Samples of the previous frame that are processed again; as many are mirrored at the end.
const CONTEXT: usize = 64;
/// Length of a transform and its hop.
const FFT: usize = 256;
const HOP: usize = 128;
/// Frequencies, and transforms per frame.
const BINS: usize = FFT / 2 + 1;
const TIMES: usize = 4;
/// Size of the cell's state.
const HIDDEN: usize = 128;

/// The network and its state.
pub(super) struct Silero {
    /// Cosines, then sines, windowed: one row per frequency.
    basis: Vec<f32>,
    encoder: [Conv; 4],
    cell: Cell,
    output: (Vec<f32>, f32),
    /// Context, frame, mirrored end.
    samples: [f32; CONTEXT + FRAME + CONTEXT],
    /// The input of each convolution, padded, and the last one's output.
    buffers: [Vec<f32>; 5],
}

impl Silero {
    /// Assembles the network from the tensors of the file.
    pub(super) fn new(tensors: &HashMap<String, Vec<f32>>) -> Result<Self, VadError> {
        let get = |name: &str, len: usize| match tensors.get(&format!("_model.{name}")) {
            Some(values) if values.len() == len => Ok(values.clone()),
            Some(_) => Err(damaged(format!("tensor {name} has a wrong size"))),
            None => Err(damaged(format!("no tensor {name}"))),
        };
        let conv = |i: usize, shape: ConvShape| -> Result<Conv, VadError> {
            let weights = get(&format!("encoder.{i}.reparam_conv.weight"), shape.outputs * shape.inputs * 3)?;
            let bias = get(&format!("encoder.{i}.reparam_conv.bias"), shape.outputs)?;
            Ok(Conv::new(&weights, bias, shape))
        };
        let encoder = [
            conv(0, ConvShape { inputs: BINS, outputs: 128, times: TIMES, stride: 1 })?,
            conv(1, ConvShape { inputs: 128, outputs: 64, times: 2, stride: 2 })?,
            conv(2, ConvShape { inputs: 64, outputs: 64, times: 1, stride: 2 })?,
            conv(3, ConvShape { inputs: 64, outputs: HIDDEN, times: 1, stride: 1 })?,
        ];
        let [a, b, c, d] = [(BINS, TIMES), (128, 4), (64, 2), (64, 1)].map(|(n, t)| vec![0.0; n * (t + 2)]);
        let bias = get("decoder.rnn.bias_ih", 4 * HIDDEN)?;
        let more = get("decoder.rnn.bias_hh", 4 * HIDDEN)?;
        Ok(Self {
            basis: get("stft.forward_basis_buffer", 2 * BINS * FFT)?,
            encoder,
            cell: Cell {
                from_input: get("decoder.rnn.weight_ih", 4 * HIDDEN * HIDDEN)?,
                from_state: get("decoder.rnn.weight_hh", 4 * HIDDEN * HIDDEN)?,
                bias: bias.iter().zip(&more).map(|(a, b)| a + b).collect(),
                hidden: [0.0; HIDDEN],
                memory: [0.0; HIDDEN],
            },
            output: (get("decoder.decoder.2.weight", HIDDEN)?, get("decoder.decoder.2.bias", 1)?[0]),
            samples: [0.0; CONTEXT + FRAME + CONTEXT],
            buffers: [a, b, c, d, vec![0.0; 3 * HIDDEN]],
        })
    }

    /// Resets the state.
    pub(super) fn reset(&mut self) {
        self.samples = [0.0; CONTEXT + FRAME + CONTEXT];
        self.cell.hidden = [0.0; HIDDEN];
        self.cell.memory = [0.0; HIDDEN];
    }

    /// The probability of a voice in the next frame.
    pub(super) fn probability(&mut self, frame: &[f32; FRAME]) -> f32 {
        self.samples.copy_within(FRAME..FRAME + CONTEXT, 0);
        self.samples[CONTEXT..CONTEXT + FRAME].copy_from_slice(frame);
        for i in 0..CONTEXT {
            self.samples[CONTEXT + FRAME + i] = frame[FRAME - 2 - i];
        }
        self.transform();
        for (i, conv) in self.encoder.iter().enumerate() {
            let (before, after) = self.buffers.split_at_mut(i + 1);
            conv.run(&before[i], &mut after[0]);
        }
        let encoded = &self.buffers[4][HIDDEN..2 * HIDDEN];
        self.cell.step(encoded);
        let positive = self.cell.hidden.map(|h| h.max(0.0));
        sigmoid(dot(&self.output.0, &positive) + self.output.1)
    }

    /// Fills the first buffer with the magnitudes of the frame, behind one row of padding.
    fn transform(&mut self) {
        for time in 0..TIMES {
            let samples = &self.samples[time * HOP..time * HOP + FFT];
            let (cosines, sines) = self.basis.split_at(BINS * FFT);
            let rows = cosines.chunks_exact(FFT).zip(sines.chunks_exact(FFT));
            let start = (time + 1) * BINS;
            for (place, (cosine, sine)) in self.buffers[0][start..start + BINS].iter_mut().zip(rows) {
                *place = dot(cosine, samples).hypot(dot(sine, samples));
            }
        }
    }
}

/// Size of a convolution of width 3.
#[derive(Clone, Copy)]
struct ConvShape {
    inputs: usize,
    outputs: usize,
    /// Output rows.
    times: usize,
    stride: usize,
}

/// A convolution over time with a ReLU. Rows are time steps, so that a window is one run of memory.
struct Conv {
    /// Per output: time step, then input.
    weights: Vec<f32>,
    bias: Vec<f32>,
    shape: ConvShape,
}

impl Conv {
    /// `weights` as in the file: per output: input, then time step.
    fn new(weights: &[f32], bias: Vec<f32>, shape: ConvShape) -> Self {
        let turned = weights
            .chunks_exact(3 * shape.inputs)
            .flat_map(|row| (0..3).flat_map(move |t| row.iter().skip(t).step_by(3).copied()))
            .collect();
        Self { weights: turned, bias, shape }
    }

    /// From and to buffers with one row of padding on either side.
    fn run(&self, input: &[f32], output: &mut [f32]) {
        let ConvShape { inputs, outputs, times, stride } = self.shape;
        for time in 0..times {
            let window = &input[time * stride * inputs..][..3 * inputs];
            let places = &mut output[(time + 1) * outputs..][..outputs];
            for ((place, row), bias) in
                places.iter_mut().zip(self.weights.chunks_exact(3 * inputs)).zip(&self.bias)
            {
                *place = (dot(row, window) + bias).max(0.0);
            }
        }
    }
}

/// A long short-term memory cell; its gates stand in the order input, forget, candidate, output.
struct Cell {
    from_input: Vec<f32>,
    from_state: Vec<f32>,
    bias: Vec<f32>,
    hidden: [f32; HIDDEN],
    memory: [f32; HIDDEN],
}

impl Cell {
    fn step(&mut self, input: &[f32]) {
        let gates: [f32; 4 * HIDDEN] = std::array::from_fn(|j| {
            let row = j * HIDDEN..(j + 1) * HIDDEN;
            dot(&self.from_input[row.clone()], input)
                + dot(&self.from_state[row], &self.hidden)
                + self.bias[j]
        });
        for j in 0..HIDDEN {
            let [take, keep, candidate, show] = std::array::from_fn(|gate| gates[gate * HIDDEN + j]);
            self.memory[j] = sigmoid(keep) * self.memory[j] + sigmoid(take) * candidate.tanh();
            self.hidden[j] = sigmoid(show) * self.memory[j].tanh();
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Eight sums side by side, so that the compiler can vectorise.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (x, y) in a.iter().zip(b) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}
