//! Vectors of texts, from a second model with a thread of its own, so that no reply is waited for.
//!
//! In: [`Texts`] through a bounded queue, one request at a time, in order. Out: a vector of length one for each text.
//! A full queue refuses at once. The model is small and stays in memory.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::bail;
use tokio::sync::oneshot;

use crate::engine::EngineError;
use crate::facts::Facts;
use crate::llama::{Encoder, Model, Token};

/// One core is enough for a sentence, and leaves the others to the replies.
const THREADS: u16 = 1;

/// What is to become vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) texts: Vec<String>,
    /// Whether a text longer than the window is cut instead of refused.
    pub(crate) truncate: bool,
    /// How many numbers each vector is to have, when fewer than the model gives.
    pub(crate) dimensions: Option<usize>,
}

/// What became of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    /// One for each text.
    pub(crate) vectors: Vec<Vec<f32>>,
    /// Tokens of all texts together.
    pub(crate) tokens: usize,
    /// From the request's arrival.
    pub(crate) total: Duration,
}

struct Job {
    texts: Texts,
    arrived: Instant,
    made: oneshot::Sender<Result<Made, EngineError>>,
}

/// The way to the thread. When the last clone is gone, the thread ends.
#[derive(Clone)]
pub(crate) struct Vectors {
    jobs: SyncSender<Job>,
    /// What is known about the model.
    pub(crate) facts: Arc<Facts>,
}

/// Why a request was not done.
#[derive(Debug)]
pub(crate) enum Undone {
    /// The queue is full.
    Busy,
    /// The thread is gone.
    Gone,
    /// It was tried.
    Failed(EngineError),
}

impl Vectors {
    /// Starts the thread and loads the model; returns when it is ready. `queue` requests may wait.
    pub(crate) async fn start(path: &Path, queue: usize) -> anyhow::Result<(Self, JoinHandle<()>)> {
        let (jobs, waiting) = sync_channel(queue);
        let (told, told_by) = oneshot::channel();
        let path = path.to_owned();
        let thread = std::thread::Builder::new().name("vectors".to_owned()).spawn(move || {
            match Reader::load(&path) {
                Ok((reader, facts)) => {
                    if told.send(Ok(facts)).is_ok() {
                        reader.serve(&waiting);
                    }
                }
                // Nobody listening means that the program is ending already.
                Err(error) => drop(told.send(Err(error))),
            }
        })?;
        let facts = Arc::new(told_by.await??);
        Ok((Self { jobs, facts }, thread))
    }

    /// Queues `texts` and waits for their vectors. A caller that goes away before its turn costs nothing.
    pub(crate) async fn make(&self, texts: Texts) -> Result<Made, Undone> {
        let (made, is_made) = oneshot::channel();
        match self.jobs.try_send(Job { texts, arrived: Instant::now(), made }) {
            Ok(()) => is_made.await.map_err(|_| Undone::Gone)?.map_err(Undone::Failed),
            Err(TrySendError::Full(_)) => Err(Undone::Busy),
            Err(TrySendError::Disconnected(_)) => Err(Undone::Gone),
        }
    }
}

/// The thread's own: the model, ready to read.
struct Reader {
    model: Rc<Model>,
    encoder: Encoder,
}

impl Reader {
    fn load(path: &Path) -> anyhow::Result<(Self, Facts)> {
        let model = Rc::new(Model::load(path)?);
        if !model.pools() {
            bail!("{} is no model for vectors: it does not say how it pools them", path.display());
        }
        let facts = Facts::read(path, &model)?;
        let encoder = Encoder::new(&model, THREADS)?;
        Ok((Self { model, encoder }, facts))
    }

    fn serve(mut self, waiting: &Receiver<Job>) {
        while let Ok(Job { texts, arrived, made }) = waiting.recv() {
            if made.is_closed() {
                continue;
            }
            let outcome = self.all(&texts).map(|(vectors, tokens)| {
                let total = arrived.elapsed();
                tracing::info!(texts = vectors.len(), tokens, ?total, "vectors are made");
                Made { vectors, tokens, total }
            });
            // A requester that is gone has no use for them.
            drop(made.send(outcome));
        }
    }

    fn all(
        &mut self,
        Texts { texts, truncate, dimensions }: &Texts,
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

/// The tokens of a text, cut to the window. The last one ends the text and stays.
fn fitted(mut tokens: Vec<Token>, window: usize, truncate: bool) -> Result<Vec<Token>, EngineError> {
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

/// The first numbers of a vector, all when nothing is said, scaled so that its length is one.
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
