//! Embeddings of texts, from a second model with a thread of its own, so that they never wait for a reply.
//!
//! In: [`EmbedTexts`] through a bounded queue, one request at a time, in order. Out: a unit vector for each
//! text. A full queue refuses at once. The model is small and stays in memory.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::bail;
use tokio::sync::oneshot;

use crate::engine::EngineError;
use crate::facts::ModelFacts;
use crate::llama::{Encoder, Model, TokenId};

/// One core is enough for a sentence, and leaves the others to the chat model.
const THREADS: u16 = 1;

/// The texts of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EmbedTexts {
    pub(crate) texts: Vec<String>,
    /// Whether a text longer than the window is cut instead of refused.
    pub(crate) truncate: bool,
    /// Dimensions of each embedding, when fewer than the model's.
    pub(crate) dimensions: Option<usize>,
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Embeddings {
    /// One for each text.
    pub(crate) vectors: Vec<Vec<f32>>,
    /// Tokens of all texts together.
    pub(crate) tokens: usize,
    /// From the request's arrival.
    pub(crate) total: Duration,
}

struct EmbedJob {
    texts: EmbedTexts,
    arrived: Instant,
    made: oneshot::Sender<Result<Embeddings, EngineError>>,
}

/// Handle of the thread. When the last clone is dropped, the thread ends.
#[derive(Clone)]
pub(crate) struct EmbeddingService {
    jobs: SyncSender<EmbedJob>,
    /// Metadata of the model.
    pub(crate) facts: Arc<ModelFacts>,
}

/// Why a request failed.
#[derive(Debug)]
pub(crate) enum EmbedError {
    /// The queue is full.
    QueueFull,
    /// The thread is gone.
    Gone,
    /// The model failed.
    Failed(EngineError),
}

impl EmbeddingService {
    /// Starts the thread and loads the model; returns when it is ready. `queue` is the capacity.
    pub(crate) async fn start(path: &Path, queue: usize) -> anyhow::Result<(Self, JoinHandle<()>)> {
        let (jobs, waiting) = sync_channel(queue);
        let (started, starting) = oneshot::channel();
        let path = path.to_owned();
        let thread = std::thread::Builder::new().name("vectors".to_owned()).spawn(move || {
            match EncoderWorker::load(&path) {
                Ok((reader, facts)) => {
                    if started.send(Ok(facts)).is_ok() {
                        reader.serve(&waiting);
                    }
                }
                // Fails only when the program is ending already.
                Err(error) => drop(started.send(Err(error))),
            }
        })?;
        let facts = Arc::new(starting.await??);
        Ok((Self { jobs, facts }, thread))
    }

    /// Queues `texts` and waits for their embeddings. A caller that disconnects before its turn costs
    /// nothing.
    pub(crate) async fn make(&self, texts: EmbedTexts) -> Result<Embeddings, EmbedError> {
        let (made, is_made) = oneshot::channel();
        match self.jobs.try_send(EmbedJob { texts, arrived: Instant::now(), made }) {
            Ok(()) => is_made.await.map_err(|_| EmbedError::Gone)?.map_err(EmbedError::Failed),
            Err(TrySendError::Full(_)) => Err(EmbedError::QueueFull),
            Err(TrySendError::Disconnected(_)) => Err(EmbedError::Gone),
        }
    }
}

/// The thread's state: the loaded model.
struct EncoderWorker {
    model: Rc<Model>,
    encoder: Encoder,
}

impl EncoderWorker {
    fn load(path: &Path) -> anyhow::Result<(Self, ModelFacts)> {
        let model = Rc::new(Model::load(path)?);
        if !model.pools() {
            bail!("{} is no model for vectors: it does not say how it pools them", path.display());
        }
        let facts = ModelFacts::read(path, &model)?;
        let encoder = Encoder::new(&model, THREADS)?;
        Ok((Self { model, encoder }, facts))
    }

    fn serve(mut self, waiting: &Receiver<EmbedJob>) {
        while let Ok(EmbedJob { texts, arrived, made }) = waiting.recv() {
            if made.is_closed() {
                continue;
            }
            let outcome = self.all(&texts).map(|(vectors, tokens)| {
                let total = arrived.elapsed();
                tracing::info!(texts = vectors.len(), tokens, ?total, "embeddings computed");
                Embeddings { vectors, tokens, total }
            });
            // Fails only when the caller has disconnected.
            drop(made.send(outcome));
        }
    }

    fn all(
        &mut self,
        EmbedTexts { texts, truncate, dimensions }: &EmbedTexts,
    ) -> Result<(Vec<Vec<f32>>, usize), EngineError> {
        let mut counted = 0;
        let vectors = texts.iter().map(|text| {
            let tokens = fitted(self.model.tokenize(text), self.model.trained_context() as usize, *truncate)?;
            counted += tokens.len();
            let vector = self.encoder.encode(&tokens).map_err(|error| EngineError::Run(error.to_string()))?;
            Ok(of_length_one(vector, *dimensions))
        });
        let vectors = vectors.collect::<Result<_, EngineError>>()?;
        Ok((vectors, counted))
    }
}

/// The tokens of a text, truncated to the window. The last one ends the text and stays.
fn fitted(mut tokens: Vec<TokenId>, window: usize, truncate: bool) -> Result<Vec<TokenId>, EngineError> {
    if tokens.len() > window {
        if !truncate {
            return Err(EngineError::TooLong);
        }
        let end = tokens.last().copied();
        tokens.truncate(window.saturating_sub(1));
        tokens.extend(end);
    }
    Ok(tokens)
}

/// The first dimensions of an embedding, all by default, normalised to length one.
fn of_length_one(mut vector: Vec<f32>, dimensions: Option<usize>) -> Vec<f32> {
    vector.truncate(dimensions.unwrap_or(usize::MAX));
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_too_long_is_cut_before_its_end_or_refused() {
        assert_eq!(fitted(vec![1, 5, 6, 2], 4, false).unwrap(), [1, 5, 6, 2]);
        assert_eq!(fitted(vec![1, 5, 6, 7, 2], 4, true).unwrap(), [1, 5, 6, 2]);
        assert!(matches!(fitted(vec![1, 5, 6, 7, 2], 4, false), Err(EngineError::TooLong)));
    }

    #[test]
    fn vectors_have_length_one_whatever_is_left_of_them() {
        assert_eq!(of_length_one(vec![3.0, 4.0], None), [0.6, 0.8]);
        assert_eq!(of_length_one(vec![3.0, 4.0, 12.0], Some(2)), [0.6, 0.8]);
        assert_eq!(of_length_one(vec![0.0, 0.0], Some(9)), [0.0, 0.0]);
    }
}
