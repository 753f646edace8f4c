//! Searches the memory by meaning: vectors of memories and of questions.
//!
//! Tokio tasks; a turn waits for its own question only. Input: texts, and a model that makes vectors. Output: vectors,
//! and how near a question is to sentences that have nothing to do with it. How near "near" is differs from model to
//! model and from language to language; what an everyday sentence reaches is nearness that means nothing.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, MutexGuard, PoisonError};

use tokio::time::timeout;

use crate::deadline;
use crate::model::ChatModel;
use joi_llm::HomeData;
use joi_store::{Embedding, Store, StoreError};

/// Texts that become vectors together.
const TOGETHER: u32 = 8;
/// Most texts whose vectors are kept.
const MOST_KNOWN: usize = 1_000;

/// Sentences that nobody asks about, a group for each language.
static SENTENCES: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let groups = include_str!("../../../../assets/recall/everyday.txt").trim().split("\n\n");
    groups.map(|group| group.lines().collect()).collect()
});

/// The vectors of texts that are the same in every conversation, purposes of tools, and the model that made them.
#[derive(Debug, Default)]
struct KnownTexts {
    model: String,
    vectors: HashMap<String, Vec<f32>>,
}

/// Vectors of everyday sentences.
#[derive(Debug, Clone, PartialEq)]
pub struct Everyday {
    model: String,
    /// A group for each language.
    groups: Vec<Vec<Vec<f32>>>,
}

impl Everyday {
    /// The sentences whose vectors it takes.
    pub fn sentences() -> Vec<String> {
        SENTENCES.iter().flatten().map(|sentence| (*sentence).to_owned()).collect()
    }

    /// `vectors` are what `model` made of the sentences.
    pub fn new(model: String, vectors: Vec<Vec<f32>>) -> Self {
        let mut rest = vectors.into_iter();
        let groups = SENTENCES.iter().map(|group| rest.by_ref().take(group.len()).collect()).collect();
        Self { model, groups }
    }

    /// The vector of a question, with how near it is to the language of these sentences that is nearest.
    pub fn question(&self, value: Vec<f32>) -> Embedding {
        let mean = |group: &Vec<Vec<f32>>| {
            group.iter().map(|sentence| cosine(sentence, &value)).sum::<f32>() / group.len().max(1) as f32
        };
        let everyday = self.groups.iter().map(mean).fold(0.0, f32::max);
        Embedding { model: self.model.clone(), value, everyday }
    }
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    let lengths = (product(one, one) * product(other, other)).sqrt();
    if lengths > 0.0 { product(one, other) / lengths } else { 0.0 }
}

/// Makes embeddings, and holds those of everyday sentences by the model that made the last.
pub(crate) struct Embeddings<M> {
    model: Arc<M>,
    everyday: tokio::sync::Mutex<Option<Arc<Everyday>>>,
    /// The newest question: words that were asked ahead of their end are asked again at it.
    newest: std::sync::Mutex<Option<(String, Embedding)>>,
    known: std::sync::Mutex<KnownTexts>,
}

impl<M: ChatModel> Embeddings<M> {
    /// Embeddings of `model`.
    pub(crate) fn new(model: Arc<M>) -> Self {
        Self {
            model,
            everyday: tokio::sync::Mutex::default(),
            newest: std::sync::Mutex::default(),
            known: std::sync::Mutex::default(),
        }
    }

    /// Returns whether the model must not read the memory.
    pub(crate) fn is_withheld(&self) -> bool {
        self.model.withholds(HomeData::Memory)
    }

    /// Returns the vector of a question; `None` without a model for that, or in time.
    pub(crate) async fn of_question(&self, asked: &str) -> Option<Embedding> {
        let newest = || self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let known = newest().clone().filter(|(question, _)| question == asked);
        if let Some((_, embedding)) = known {
            return Some(embedding);
        }
        let making = async {
            let embedded = self.model.embed(vec![asked.to_owned()]).await.ok()?;
            let value = embedded.vectors.into_iter().next()?;
            Some(self.everyday(&embedded.model).await?.question(value))
        };
        let embedding = timeout(deadline::EMBED, making).await.ok()??;
        *newest() = Some((asked.to_owned(), embedding.clone()));
        Some(embedding)
    }

    /// Returns how near each of `texts` is to `asked`; nothing without a model for that, or in time. What was made in this
    /// time is kept, so that many texts are there after a few questions.
    pub(crate) async fn nearness(&self, asked: &str, texts: &[String]) -> Option<Vec<f32>> {
        let question = self.of_question(asked).await?;
        let making = async {
            for some in self.without_vector(&question.model, texts).chunks(TOGETHER as usize) {
                let made =
                    self.model.embed(some.to_vec()).await.ok().filter(|made| made.model == question.model)?;
                self.known().vectors.extend(some.iter().cloned().zip(made.vectors));
            }
            Some(())
        };
        timeout(deadline::PURPOSES, making).await.ok()??;
        let known = self.known();
        texts.iter().map(|text| Some(cosine(known.vectors.get(text)?, &question.value))).collect()
    }

    /// Returns those of `texts` of which there is no vector by `model` yet.
    fn without_vector(&self, model: &str, texts: &[String]) -> Vec<String> {
        let mut known = self.known();
        if known.model != model || known.vectors.len() > MOST_KNOWN {
            *known = KnownTexts { model: model.to_owned(), vectors: HashMap::new() };
        }
        texts.iter().filter(|text| !known.vectors.contains_key(*text)).cloned().collect()
    }

    fn known(&self) -> MutexGuard<'_, KnownTexts> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The everyday sentences by `model`, made once.
    async fn everyday(&self, model: &str) -> Option<Arc<Everyday>> {
        let mut held = self.everyday.lock().await;
        if let Some(everyday) = held.as_ref().filter(|everyday| everyday.model == model) {
            return Some(Arc::clone(everyday));
        }
        let everyday = self.read_everyday().await?;
        *held = Some(Arc::clone(&everyday));
        (everyday.model == model).then_some(everyday)
    }

    async fn read_everyday(&self) -> Option<Arc<Everyday>> {
        let made = self.model.embed(Everyday::sentences()).await.ok()?;
        Some(Arc::new(Everyday::new(made.model, made.vectors)))
    }

    /// Which model makes them. As long as nothing has said otherwise it is the one that made the last.
    async fn embedding_model(&self) -> Option<String> {
        let mut held = self.everyday.lock().await;
        if held.is_none() {
            *held = self.read_everyday().await;
        }
        held.as_ref().map(|everyday| everyday.model.clone())
    }

    /// Makes those of all memories in `store` that have none.
    pub(crate) async fn embed_all(&self, store: &Store) -> Result<(), StoreError> {
        let Some(model) = self.embedding_model().await else { return Ok(()) };
        loop {
            let texts = store.unembedded(&model, TOGETHER).await?;
            if texts.is_empty() {
                return Ok(());
            }
            let words = texts.iter().map(|entry| entry.text.0.clone()).collect();
            let Ok(embedded) = self.model.embed(words).await else { return Ok(()) };
            if embedded.model != model {
                // Another server, another model: the next look begins with it.
                *self.everyday.lock().await = None;
                *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = None;
                return Ok(());
            }
            let vectors = texts.iter().map(|entry| entry.id).zip(embedded.vectors).collect();
            store.embed(&model, vectors).await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::stream::Pending;

    use super::*;
    use crate::model::ModelState;
    use joi_llm::{Ask, ChatEvent, Embedded, LlmError};

    /// Makes vectors, and counts the texts it was handed.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl ChatModel for Counting {
        type Words = Pending<Result<ChatEvent, LlmError>>;

        fn state(&self) -> ModelState {
            ModelState::Starting
        }

        async fn settled(&self) -> ModelState {
            self.state()
        }

        async fn ask(&self, _ask: Ask) -> Result<Self::Words, LlmError> {
            Err(LlmError::Broken)
        }

        async fn embed(&self, texts: Vec<String>) -> Result<Embedded, LlmError> {
            self.0.fetch_add(texts.len(), Ordering::Relaxed);
            let vectors = texts.iter().map(|text| vec![text.len() as f32, 1.0]).collect();
            Ok(Embedded { model: "m".into(), vectors })
        }
    }

    #[tokio::test]
    async fn a_question_that_is_asked_again_is_not_embedded_again() {
        let model = Arc::new(Counting::default());
        let embeddings = Embeddings::new(Arc::clone(&model));
        let everyday = Everyday::sentences().len();
        let first = embeddings.of_question("who is Ann").await;
        assert_eq!(first.as_ref().map(|made| made.value[0]), Some(10.0));
        assert_eq!(embeddings.of_question("who is Ann").await, first);
        assert_eq!(model.0.load(Ordering::Relaxed), everyday + 1);
        assert_eq!(embeddings.of_question("who is Bob's").await.map(|made| made.value[0]), Some(12.0));
        assert_eq!(model.0.load(Ordering::Relaxed), everyday + 2);
    }

    #[test]
    fn there_are_several_languages_of_several_sentences_each() {
        assert!(SENTENCES.len() >= 4 && SENTENCES.iter().all(|group| group.len() >= 8));
        assert_eq!(Everyday::sentences().len(), SENTENCES.iter().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn the_language_that_is_nearest_shows_what_means_nothing() {
        let vectors: Vec<Vec<f32>> = SENTENCES
            .iter()
            .enumerate()
            .flat_map(|(language, group)| group.iter().map(move |_| vec![language as f32, 1.0]))
            .collect();
        let everyday = Everyday::new("m".into(), vectors);
        let asked = everyday.question(vec![2.0, 0.0]);
        let far = (SENTENCES.len() - 1) as f32;
        assert!((asked.everyday - far / far.hypot(1.0)).abs() < 1e-5, "{asked:?}");
        assert_eq!((asked.model.as_str(), &asked.value[..]), ("m", &[2.0, 0.0][..]));
        assert_eq!(everyday.question(vec![-1.0, 0.0]).everyday, 0.0, "what points away is not near");
    }
}
