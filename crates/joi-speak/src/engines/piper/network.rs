//! The network of a voice in ONNX Runtime: ids in, samples out, a sentence or a chunk of it at a time.
//!
//! Owned by the voice thread. Where the voice can be divided (see [`super::graph`]), its frames are computed for a
//! sentence and decoded in chunks. How many frames around a chunk the decoder looks at is tried out when the voice is
//! loaded; a voice whose chunks would not sound like the whole stays undivided.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use ort::environment::Environment;
use ort::session::{RunOptions, Session};
use ort::value::{DynValue, Tensor};

use super::graph::{self, DividedVoice};
use super::pacing::ChunkPacing;
use crate::SpeakError;
use crate::engines::onnx::session;

/// Frames around a chunk that are tried: 10 are enough for the voices of medium quality.
const REACHES: [usize; 3] = [12, 24, 48];
/// Samples of a chunk that differ by less from those of the whole sound the same: -60 dB below full scale.
const SAME: f32 = 1e-3;
/// The rank of both frames and samples begins with these: one sentence, and its channels.
const BATCH: usize = 1;

/// Has a run give back what its session's memory arena holds for longer sentences.
const SHRINKS: (&str, &str) = ("memory.enable_memory_arena_shrinkage", "cpu:0");

/// A voice's network.
pub(crate) struct VoiceNetwork {
    /// Up to the frames, or to the samples where it is not divided.
    encoder: Session,
    decoder: Option<Decoder>,
    running: Arc<RunOptions>,
    /// One short word.
    word: Vec<i64>,
    description: NetworkDescription,
}

/// The properties of a network that its file does not hold.
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
    pacing: ChunkPacing,
}

/// A sentence behind the first half of the network.
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

impl VoiceFrames {
    pub(super) fn len(&self) -> usize {
        self.values.len() / self.channels.max(1)
    }

    fn part(&self, range: Range<usize>) -> Self {
        let rows = self.values.chunks_exact(self.len().max(1));
        Self { values: rows.flat_map(|row| &row[range.clone()]).copied().collect(), channels: self.channels }
    }

    /// Repeats the frames up to `count` of them.
    fn repeated(&self, count: usize) -> Self {
        let rows = self.values.chunks_exact(self.len().max(1));
        Self {
            values: rows.flat_map(|row| row.iter().cycle().take(count)).copied().collect(),
            channels: self.channels,
        }
    }
}

impl VoiceNetwork {
    /// Loads the voice in the file `path`, divided where that works, and says the `word` with it.
    pub(super) fn load(
        environment: &Environment,
        (path, threads): (&Path, usize),
        (description, word): (NetworkDescription, Vec<i64>),
    ) -> Result<Self, SpeakError> {
        let loaded = || -> ort::Result<Self> {
            let file = || std::fs::read(path).map_err(|error| ort::Error::new(error.to_string()));
            // The file is in memory no longer than its halves are made of it, and each of these until it has a session.
            let divided = graph::divide(Bytes::from(file()?))
                .map(|halves| Self::divided(environment, (halves, threads), (description, word.clone())));
            match divided {
                Some(Ok(Some(network))) => return Ok(network),
                Some(Err(error)) => tracing::info!(%error, "this voice does not speak when it is divided"),
                Some(Ok(None)) | None => {}
            }
            tracing::info!("this voice is computed sentence by sentence, not in chunks");
            Self::whole(environment, (&file()?, threads), (description, word))
        };
        loaded().map_err(|error| SpeakError::model(path, &error))
    }

    fn whole(
        environment: &Environment,
        (file, threads): (&[u8], usize),
        (description, word): (NetworkDescription, Vec<i64>),
    ) -> ort::Result<Self> {
        let encoder = session(environment, file, threads)?;
        let running = Arc::new(RunOptions::new()?);
        let mut network = Self { encoder, decoder: None, running, word, description };
        network.encode(network.word.clone())?;
        Ok(network)
    }

    /// Nothing where chunks would not sound like the whole.
    fn divided(
        environment: &Environment,
        (halves, threads): (DividedVoice, usize),
        (description, word): (NetworkDescription, Vec<i64>),
    ) -> ort::Result<Option<Self>> {
        let of = |half: Vec<u8>| session(environment, &half, threads);
        let DividedVoice { encoder, decoder, frames } = halves;
        let (decoder, encoder) = (Decoder::new(of(decoder)?, frames), of(encoder)?);
        let running = Arc::new(RunOptions::new()?);
        let mut network = Self { encoder, decoder: Some(decoder), running, word, description };
        let EncodedSentence::Frames(frames) = network.encode(network.word.clone())? else { return Ok(None) };
        if !network.try_out(&frames)? {
            return Ok(None);
        }
        // The trial was longer than most sentences.
        network.shrink()?;
        Ok(Some(network))
    }

    /// Returns the options that cancel a run from another thread, and allow the next one.
    pub(super) fn running(&self) -> &Arc<RunOptions> {
        &self.running
    }

    /// Returns the pacing of chunks; nothing for a network that is not divided.
    pub(super) fn pacing(&self) -> Option<ChunkPacing> {
        self.decoder.as_ref().map(|decoder| decoder.pacing)
    }

    /// Sets the pacing of a machine of the test's choice.
    #[cfg(any(test, feature = "testing"))]
    #[allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]
    pub(crate) fn pace(&mut self, pacing: ChunkPacing) {
        self.decoder.as_mut().unwrap().pacing = pacing;
    }

    /// Computes the frames of one sentence, or its samples if the network is not divided.
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

    /// Frees the memory that long sentences have left in both sessions, tens of MB, by running the word once more. It cannot
    /// be cancelled from another thread, but takes no longer than the word.
    pub(super) fn shrink(&mut self) -> ort::Result<()> {
        let mut shrinking = RunOptions::new()?;
        shrinking.set(SHRINKS.0, SHRINKS.1)?;
        let running = std::mem::replace(&mut self.running, Arc::new(shrinking));
        let shrunk = self.encode(self.word.clone()).and_then(|word| match (word, &mut self.decoder) {
            (EncodedSentence::Frames(frames), Some(decoder)) => decoder.run(frames, &self.running).map(drop),
            _ => Ok(()),
        });
        self.running = running;
        shrunk
    }

    /// Decodes the frames of `range`. The time it takes counts for the pacing of the next chunks.
    pub(super) fn decode(&mut self, frames: &VoiceFrames, range: Range<usize>) -> ort::Result<Vec<f32>> {
        let Some(decoder) = &mut self.decoder else {
            return Err(ort::Error::new("this voice has no decoder of its own"));
        };
        let reach = decoder.pacing.reach();
        let around = range.start.saturating_sub(reach)..(range.end + reach).min(frames.len());
        let part = frames.part(around.clone());
        let count = part.len().max(1);
        let started = Instant::now();
        let mut samples = decoder.run(part, &self.running)?;
        if !samples.is_empty() {
            let sounds = samples.len() as f64 / f64::from(self.description.rate);
            decoder.pacing.learn(started.elapsed().as_secs_f64() / sounds);
        }
        let hop = samples.len() / count;
        samples.truncate((range.end - around.start) * hop);
        samples.drain(..(range.start - around.start) * hop);
        Ok(samples)
    }

    /// Finds with `sentence` how many frames around a chunk have to be looked at, so that it sounds like the same part of
    /// the whole, and how long decoding takes; whether there is such a number.
    fn try_out(&mut self, sentence: &VoiceFrames) -> ort::Result<bool> {
        for reach in REACHES {
            let frames = sentence.repeated(5 * reach);
            let whole = self.decode(&frames, 0..frames.len())?;
            let (range, hop) = (2 * reach..3 * reach, whole.len() / frames.len().max(1));
            let Some(decoder) = &mut self.decoder else { return Ok(false) };
            // The first measurement is slow: ONNX Runtime sets itself up in its first run.
            decoder.pacing = ChunkPacing::untried(reach);
            let part = self.decode(&frames, range.clone())?;
            let same = whole.get(range.start * hop..range.end * hop).unwrap_or_default();
            if part.len() == same.len() && part.iter().zip(same).all(|(a, b)| (a - b).abs() < SAME) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Decoder {
    fn new(session: Session, frames: String) -> Self {
        let takes_speaker = session.inputs().iter().any(|input| input.name() == SPEAKER);
        Self { session, frames, takes_speaker, pacing: ChunkPacing::untried(0) }
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
    use crate::engines::onnx::environment;
    use crate::testing::files;

    const STILL: NetworkDescription =
        NetworkDescription { rate: 22_050, scales: [0.0, 1.0, 0.0], has_speakers: false };

    /// Some sentence of 50 sounds.
    fn sentence() -> Vec<i64> {
        (0..100).map(|at| if at % 2 == 0 { 0 } else { 15 + at % 37 }).collect()
    }

    /// Returns the real voice, and that sentence.
    fn network() -> (VoiceNetwork, VoiceFrames) {
        let environment = environment(&files().onnxruntime).unwrap();
        let mut network = VoiceNetwork::load(&environment, (&files().model, 1), (STILL, sentence())).unwrap();
        match network.encode(sentence()).unwrap() {
            EncodedSentence::Frames(frames) => (network, frames),
            EncodedSentence::Samples(_) => panic!("the real voice is divided"),
        }
    }

    fn furthest(some: &[f32], others: &[f32]) -> f32 {
        assert_eq!(some.len(), others.len());
        some.iter().zip(others).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn both_halves_and_the_chunks_of_a_sentence_say_what_the_whole_voice_says() {
        let (mut network, frames) = network();
        assert!(frames.len() > 60, "{}", frames.len());
        assert_eq!(network.pacing().unwrap().reach(), REACHES[0]);
        let environment = environment(&files().onnxruntime).unwrap();
        let file = std::fs::read(files().model).unwrap();
        let mut undivided = VoiceNetwork::whole(&environment, (&file, 1), (STILL, sentence())).unwrap();
        assert!(undivided.pacing().is_none());
        let EncodedSentence::Samples(whole) = undivided.encode(sentence()).unwrap() else {
            panic!("it is not divided")
        };
        let halves = network.decode(&frames, 0..frames.len()).unwrap();
        let mut chunks = Vec::new();
        for begin in (0..frames.len()).step_by(17) {
            let end = (begin + 17).min(frames.len());
            chunks.extend(network.decode(&frames, begin..end).unwrap());
        }
        assert!(furthest(&halves, &whole) < 1e-4 && furthest(&chunks, &whole) < 1e-4);
        assert!(whole.iter().any(|sample| sample.abs() > 0.05));
    }

    #[test]
    fn without_a_look_around_the_joints_would_be_heard() {
        let (mut network, frames) = network();
        let whole = network.decode(&frames, 0..frames.len()).unwrap();
        network.pace(ChunkPacing::untried(0));
        let part = network.decode(&frames, 20..40).unwrap();
        assert!(furthest(&part, &whole[part.len()..][..part.len()]) > SAME);
    }

    #[test]
    fn frames_are_cut_and_repeated_channel_by_channel() {
        let frames = VoiceFrames { values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], channels: 2 };
        assert_eq!(frames.len(), 3);
        assert_eq!(frames.part(1..3).values, [2.0, 3.0, 5.0, 6.0]);
        assert_eq!(frames.repeated(4).values, [1.0, 2.0, 3.0, 1.0, 4.0, 5.0, 6.0, 4.0]);
    }
}
