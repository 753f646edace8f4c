//! The network of a voice in ONNX Runtime: ids in, samples out, a sentence or a chunk of it at a time.
//!
//! Owned by the voice thread. Where the voice can be divided (see [`super::graph`]), its frames are computed for a
//! sentence and decoded in chunks. How many frames around a chunk the decoder looks at is tried out when the voice is
//! loaded, and a voice whose chunks would not sound like the whole is decoded whole.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ort::environment::Environment;
use ort::session::{RunOptions, Session};
use ort::value::{DynValue, Tensor};

use super::graph::{self, DividedVoice};
use super::pacing::ChunkPacing;
use super::runtime::session;
use crate::speak::SpeakError;

/// VoiceFrames around a chunk that are tried: 10 are enough for the voices of medium quality.
const REACHES: [usize; 3] = [12, 24, 48];
/// Samples of a chunk that differ by less from those of the whole sound the same: -60 dB below full scale.
const SAME: f32 = 1e-3;
/// The rank of both frames and samples begins with these: one sentence, and its channels.
const BATCH: usize = 1;

/// A voice's network.
pub(super) struct VoiceNetwork {
    /// Up to the frames, or to the samples where it is not divided.
    encoder: Session,
    decoder: Option<Decoder>,
    running: Arc<RunOptions>,
    description: NetworkDescription,
}

/// What is known of it beside its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct NetworkDescription {
    /// In Hz.
    pub(super) rate: u32,
    /// Noise, length and noise of the lengths.
    pub(super) scales: [f32; 3],
    /// Several people speak with it; the first one does.
    pub(super) has_speakers: bool,
}

/// From frames to samples.
struct Decoder {
    session: Session,
    frames: String,
    /// The speaker goes in here, too.
    takes_speaker: bool,
}

/// What a sentence becomes before it is sound.
#[derive(Debug, Clone)]
pub(super) enum EncodedSentence {
    /// It is sound.
    Samples(Vec<f32>),
    Frames(VoiceFrames),
}

/// The frames of a sentence, channel by channel.
#[derive(Debug, Clone)]
pub(super) struct VoiceFrames {
    values: Vec<f32>,
    channels: usize,
}

/// Samples, and how long they took by how long they sound.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) samples: Vec<f32>,
    pub(super) effort: f64,
}

impl VoiceFrames {
    pub(super) fn len(&self) -> usize {
        self.values.len() / self.channels.max(1)
    }

    fn part(&self, range: Range<usize>) -> Self {
        let rows = self.values.chunks_exact(self.len().max(1));
        Self { values: rows.flat_map(|row| &row[range.clone()]).copied().collect(), channels: self.channels }
    }

    /// The same again and again, until they are so many.
    fn repeated(&self, count: usize) -> Self {
        let rows = self.values.chunks_exact(self.len().max(1));
        Self {
            values: rows.flat_map(|row| row.iter().cycle().take(count)).copied().collect(),
            channels: self.channels,
        }
    }
}

impl VoiceNetwork {
    /// The whole of the voice in the file `path`.
    pub(super) fn whole(
        environment: &Environment,
        (path, threads): (&Path, usize),
        description: NetworkDescription,
    ) -> Result<Self, SpeakError> {
        let unusable = |error: &dyn std::fmt::Display| SpeakError::model(path, error);
        let model = std::fs::read(path).map_err(|e| unusable(&e))?;
        let encoder = session(environment, model, threads).map_err(|e| unusable(&e))?;
        let running = Arc::new(RunOptions::new().map_err(|e| unusable(&e))?);
        Ok(Self { encoder, decoder: None, running, description })
    }

    /// The same in two halves; nothing when it can't be divided.
    pub(super) fn divided(
        environment: &Environment,
        (path, threads): (&Path, usize),
        description: NetworkDescription,
    ) -> Option<Self> {
        let model = std::fs::read(path).ok()?;
        let DividedVoice { encoder, decoder, frames } = graph::divide(model.into())?;
        let loaded = || -> ort::Result<Self> {
            let encoder = session(environment, encoder, threads)?;
            let decoder = Some(Decoder::new(session(environment, decoder, threads)?, frames));
            Ok(Self { encoder, decoder, running: Arc::new(RunOptions::new()?), description })
        };
        loaded()
            .inspect_err(|error| tracing::info!(%error, "a voice was divided and can't be loaded so"))
            .ok()
    }

    /// What ends a run from another thread, and lets the next one begin.
    pub(super) fn running(&self) -> &Arc<RunOptions> {
        &self.running
    }

    /// One sentence.
    pub(super) fn encode(&mut self, ids: Vec<i64>) -> ort::Result<EncodedSentence> {
        let length = ids.len();
        let mut inputs: Vec<(&str, DynValue)> = vec![
            ("input", Tensor::from_array(([BATCH, length], ids))?.into_dyn()),
            ("input_lengths", Tensor::from_array(([BATCH], vec![length as i64]))?.into_dyn()),
            ("scales", Tensor::from_array(([3], self.description.scales.to_vec()))?.into_dyn()),
        ];
        if self.description.has_speakers {
            inputs.push(speaker()?);
        }
        let outputs = self.encoder.run_with_options(inputs, &*self.running)?;
        let (shape, values) = outputs[0].try_extract_tensor::<f32>()?;
        let values = values.to_vec();
        Ok(match self.decoder {
            None => EncodedSentence::Samples(values),
            Some(_) => {
                let channels = shape.get(1).copied().and_then(|channels| usize::try_from(channels).ok());
                EncodedSentence::Frames(VoiceFrames { values, channels: channels.unwrap_or(1) })
            }
        })
    }

    /// The samples of `range`, for which `reach` frames around it are looked at.
    pub(super) fn decode(
        &mut self,
        frames: &VoiceFrames,
        range: Range<usize>,
        reach: usize,
    ) -> ort::Result<Decoded> {
        let Some(decoder) = &mut self.decoder else {
            return Err(ort::Error::new("this voice has no decoder of its own"));
        };
        let around = range.start.saturating_sub(reach)..(range.end + reach).min(frames.len());
        let part = frames.part(around.clone());
        let count = part.len().max(1);
        let started = Instant::now();
        let mut samples = decoder.run(part, &self.running)?;
        let seconds = samples.len() as f64 / f64::from(self.description.rate);
        let effort = started.elapsed().as_secs_f64() / seconds.max(f64::MIN_POSITIVE);
        let hop = samples.len() / count;
        samples.truncate((range.end - around.start) * hop);
        samples.drain(..(range.start - around.start) * hop);
        Ok(Decoded { samples, effort })
    }

    /// How this voice can be decoded in chunks, tried with `sentence`: how many frames around each have to be looked at, so
    /// that it sounds like the same part of the whole. Nothing when that is never so.
    pub(super) fn try_out(&mut self, sentence: &VoiceFrames) -> ort::Result<Option<ChunkPacing>> {
        for reach in REACHES {
            let frames = sentence.repeated(5 * reach);
            let whole = self.decode(&frames, 0..frames.len(), 0)?.samples;
            let (range, hop) = (2 * reach..3 * reach, whole.len() / frames.len().max(1));
            let part = self.decode(&frames, range.clone(), reach)?;
            let same = whole.get(range.start * hop..range.end * hop).unwrap_or_default();
            let is_same = part.samples.iter().zip(same).all(|(a, b)| (a - b).abs() < SAME);
            if is_same && part.samples.len() == same.len() {
                return Ok(Some(ChunkPacing::new(reach, part.effort)));
            }
        }
        Ok(None)
    }
}

impl Decoder {
    fn new(session: Session, frames: String) -> Self {
        let takes_speaker = session.inputs().iter().any(|input| input.name() == SPEAKER);
        Self { session, frames, takes_speaker }
    }

    fn run(
        &mut self,
        VoiceFrames { values, channels }: VoiceFrames,
        running: &RunOptions,
    ) -> ort::Result<Vec<f32>> {
        let count = values.len() / channels.max(1);
        let frames = Tensor::from_array(([BATCH, channels, count], values))?.into_dyn();
        let mut inputs: Vec<(&str, DynValue)> = vec![(&self.frames, frames)];
        if self.takes_speaker {
            inputs.push(speaker()?);
        }
        let outputs = self.session.run_with_options(inputs, running)?;
        let (_, samples) = outputs[0].try_extract_tensor::<f32>()?;
        Ok(samples.to_vec())
    }
}

const SPEAKER: &str = "sid";

/// The first of several speakers.
fn speaker() -> ort::Result<(&'static str, DynValue)> {
    Ok((SPEAKER, Tensor::from_array(([BATCH], vec![0_i64]))?.into_dyn()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speak::piper::runtime::environment;
    use crate::speak::piper::tests::files;

    fn network() -> VoiceNetwork {
        let environment = environment(&files().onnxruntime).unwrap();
        let description = NetworkDescription { rate: 22_050, scales: [0.0, 1.0, 0.0], has_speakers: false };
        VoiceNetwork::divided(&environment, (&files().model, 1), description).unwrap()
    }

    /// Some sentence of 50 sounds.
    fn frames(network: &mut VoiceNetwork) -> VoiceFrames {
        let ids = (0..100).map(|at| if at % 2 == 0 { 0 } else { 15 + at % 37 }).collect();
        match network.encode(ids).unwrap() {
            EncodedSentence::Frames(frames) => frames,
            EncodedSentence::Samples(_) => panic!("the real voice is divided"),
        }
    }

    #[test]
    fn chunks_of_a_sentence_are_the_sentence() {
        let mut network = network();
        let frames = frames(&mut network);
        assert!(frames.len() > 60, "{}", frames.len());
        let reach = network.try_out(&frames).unwrap().unwrap().reach();
        assert_eq!(reach, REACHES[0]);
        let whole = network.decode(&frames, 0..frames.len(), 0).unwrap().samples;
        let mut chunks = Vec::new();
        for begin in (0..frames.len()).step_by(17) {
            let end = (begin + 17).min(frames.len());
            chunks.extend(network.decode(&frames, begin..end, reach).unwrap().samples);
        }
        assert_eq!(chunks.len(), whole.len());
        let furthest = chunks.iter().zip(&whole).map(|(a, b)| (a - b).abs()).fold(0.0_f32, f32::max);
        assert!(furthest < 1e-4, "{furthest}");
        assert!(whole.iter().any(|sample| sample.abs() > 0.05));
    }

    #[test]
    fn without_a_look_around_the_joints_would_be_heard() {
        let mut network = network();
        let frames = frames(&mut network);
        let whole = network.decode(&frames, 0..frames.len(), 0).unwrap().samples;
        let part = network.decode(&frames, 20..40, 0).unwrap().samples;
        let same = &whole[20 * part.len() / 20..][..part.len()];
        assert!(part.iter().zip(same).any(|(a, b)| (a - b).abs() > SAME));
    }

    #[test]
    fn frames_are_cut_and_repeated_channel_by_channel() {
        let frames = VoiceFrames { values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], channels: 2 };
        assert_eq!(frames.len(), 3);
        assert_eq!(frames.part(1..3).values, [2.0, 3.0, 5.0, 6.0]);
        assert_eq!(frames.repeated(4).values, [1.0, 2.0, 3.0, 1.0, 4.0, 5.0, 6.0, 4.0]);
    }
}
