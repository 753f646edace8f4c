//! Runs a compiled wake model: int8 in, int8 out, streaming.
//!
//! Owned by the listener thread. In: three frames of features at a time. Out: a probability. All tensors lie
//! in one arena and every step has fixed ranges in it, so a run looks nothing up and allocates nothing. It
//! trusts its steps: only `compile` makes them, and it checks every range. The values are int8, but held in 16 bits:
//! processors multiply and add those in pairs, without widening them first.

/// One step of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NetworkStep {
    /// Copies a run of values: what concatenating, slicing, splitting and remembering come down to.
    Move { from: usize, to: usize, len: usize },
    /// Every output sees a whole window of the input: convolution over time, or a fully connected layer.
    Dense(Layer),
    /// Every channel is computed by itself: depthwise convolution over time.
    Depthwise(Layer),
    /// A function of one value, looked up.
    Lookup { from: usize, to: usize, len: usize, table: Box<[i16; 256]> },
}

/// A layer with weights. Row `r` of the output looks at the input from `from + r * step`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layer {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Output rows.
    pub(super) rows: usize,
    /// Input values from one row to the next.
    pub(super) step: usize,
    /// Dense: input values an output sees. Depthwise: kernel length in rows.
    pub(super) width: usize,
    /// Dense: output-major. Depthwise: time-major.
    pub(super) weights: Vec<i16>,
    pub(super) outputs: Vec<OutputChannel>,
    pub(super) zero: i32,
    /// Smallest output: −128, or `zero` after a ReLU.
    pub(super) floor: i32,
}

/// Constants of one output channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OutputChannel {
    /// The bias, with the input's zero point folded in.
    pub(super) bias: i32,
    /// From accumulator to output units.
    pub(super) scale: f32,
}

/// Scale and zero point of a quantised tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quantised {
    pub(super) scale: f32,
    pub(super) zero: i32,
}

impl Quantised {
    /// Returns the nearest representable value.
    pub(super) fn quantise(self, value: f32) -> i16 {
        ((value / self.scale + self.zero as f32).round_ties_even() as i32).clamp(-128, 127) as i16
    }

    /// Returns the value that `q` stands for.
    pub(super) fn value(self, q: i16) -> f32 {
        (i32::from(q) - self.zero) as f32 * self.scale
    }
}

/// A wake model, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    pub(super) steps: Vec<NetworkStep>,
    pub(super) arena: Vec<i16>,
    /// The arena before the first run: every memory holds the quantised zero.
    pub(super) initial: Vec<i16>,
    /// One accumulator per channel of the widest depthwise layer.
    pub(super) sums: Vec<i32>,
    pub(super) input: usize,
    pub(super) input_quantised: Quantised,
    /// Feature frames a run consumes.
    pub(super) stride: usize,
    pub(super) output: usize,
    pub(super) output_quantised: Quantised,
    /// What the probability is the logistic function of; finer where it is small.
    pub(super) log_odds: usize,
    pub(super) log_odds_quantised: Quantised,
}

impl Network {
    /// Feature frames one run consumes.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Puts frame `index` (below the stride) of the next run in place.
    pub(super) fn set_frame(&mut self, index: usize, features: &[f32]) {
        let start = self.input + index * features.len();
        for (place, &value) in self.arena[start..start + features.len()].iter_mut().zip(features) {
            *place = self.input_quantised.quantise(value);
        }
    }

    /// Runs the model over the frames set; the probability (0..1) that the phrase has just been said.
    pub(super) fn run(&mut self) -> f32 {
        for step in &self.steps {
            match step {
                NetworkStep::Move { from, to, len } => self.arena.copy_within(*from..from + len, *to),
                NetworkStep::Dense(layer) => dense(&mut self.arena, layer),
                NetworkStep::Depthwise(layer) => depthwise(&mut self.arena, layer, &mut self.sums),
                NetworkStep::Lookup { from, to, len, table } => {
                    for i in 0..*len {
                        self.arena[to + i] = table[usize::from(self.arena[from + i] as u8)];
                    }
                }
            }
        }
        self.output_quantised.value(self.arena[self.output])
    }

    /// Returns the natural logarithm of the odds of the newest probability.
    pub(super) fn log_odds(&self) -> f32 {
        self.log_odds_quantised.value(self.arena[self.log_odds])
    }

    /// Resets the state.
    pub(super) fn reset(&mut self) {
        self.arena.copy_from_slice(&self.initial);
    }
}

fn dense(arena: &mut [i16], layer: &Layer) {
    let channels = layer.outputs.len();
    for row in 0..layer.rows {
        let start = layer.from + row * layer.step;
        for (c, weights) in layer.weights.chunks_exact(layer.width).enumerate() {
            let sum = dot(&arena[start..start + layer.width], weights);
            arena[layer.to + row * channels + c] = settle(layer, c, sum);
        }
    }
}

fn depthwise(arena: &mut [i16], layer: &Layer, sums: &mut [i32]) {
    let channels = layer.outputs.len();
    let sums = &mut sums[..channels];
    for row in 0..layer.rows {
        sums.fill(0);
        let start = layer.from + row * layer.step;
        let window = &arena[start..start + layer.width * channels];
        for (x, w) in window.chunks_exact(channels).zip(layer.weights.chunks_exact(channels)) {
            for ((sum, &x), &w) in sums.iter_mut().zip(x).zip(w) {
                *sum += i32::from(x) * i32::from(w);
            }
        }
        for (c, &sum) in sums.iter().enumerate() {
            arena[layer.to + row * channels + c] = settle(layer, c, sum);
        }
    }
}

fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(&x, &w)| i32::from(x) * i32::from(w)).sum()
}

/// From accumulator to output: bias, scale, zero point, limits.
fn settle(layer: &Layer, channel: usize, sum: i32) -> i16 {
    let OutputChannel { bias, scale } = layer.outputs[channel];
    let scaled = (sum.wrapping_add(bias) as f32 * scale).round_ties_even() as i32;
    scaled.saturating_add(layer.zero).clamp(layer.floor, 127) as i16
}
