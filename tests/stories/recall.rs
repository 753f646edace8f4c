//! How well recall finds what was meant: a year of diary asked about in its own words and in others, with and without
//! vectors.

use std::sync::Arc;

use joi_agent::{Everyday, memory_question};
use joi_base::message::Private;
use joi_llm::{
    Ask, Backend, Endpoint, HeadMaker, LlmConfig, Message, Mind, MindParts, Ollama, RestartPolicy,
};
use joi_store::{Embedding, MemoryKind, MemoryQuery, NewMemory, Store};

use crate::support::fake_joi_model::Fake;
use crate::support::local_model;

mod year;

use year::{By, PAGES, Year};

/// Questions that were answered when this was last looked at, by words alone.
const FLOOR: usize = 47;

#[tokio::test]
async fn of_fifty_questions_about_a_year_nearly_all_find_their_page_among_the_first_three() {
    let (right, missed) = Year::of(PAGES).await.found(By::Words, &[]).await;
    println!("{right} of 50 among the first three, by words alone; missed: {missed:#?}");
    assert!(right >= FLOOR, "{right} of 50; missed: {missed:#?}");
}

/// Pages that become vectors.
const EMBEDDED: usize = 500;
/// Questions of these that counts of letters answered by themselves when this was last looked at.
const LETTERS_FLOOR: usize = 8;

/// What makes vectors.
enum Maker {
    /// The Ollama at `JOI_TEST_MODEL_SERVER` with its model `JOI_TEST_EMBED_MODEL`.
    Ollama(Ollama, String),
    /// Our own server with its own model.
    Embedded(Arc<Mind>, #[expect(dead_code, reason = "its folder lives as long")] Fake),
    /// Counts of letters in threes: a poor model.
    Letters,
}

impl Maker {
    fn ollama() -> Option<Self> {
        let (url, model) =
            (std::env::var("JOI_TEST_MODEL_SERVER").ok()?, std::env::var("JOI_TEST_EMBED_MODEL").ok()?);
        Some(Self::Ollama(Ollama::new(&Endpoint::Http { url }, None).unwrap(), model))
    }

    async fn embedded() -> Self {
        let fake = Fake::that_serves();
        let config = LlmConfig { backend: Backend::Local, ..LlmConfig::default() };
        let local = local_model(&fake);
        let head: HeadMaker =
            Arc::new(|_, _, _| vec![Ask { messages: vec![Message::user("Hi")], ..Ask::default() }]);
        let mind = Mind::start(MindParts { config, local, head, restarts: RestartPolicy::default() });
        mind.ready().await.unwrap();
        Self::Embedded(Arc::new(mind), fake)
    }

    /// The model's name, and a vector for each text.
    async fn vectors(&self, texts: &[String]) -> (String, Vec<Vec<f32>>) {
        match self {
            Self::Ollama(client, model) => {
                let made = client.embed(model, texts, (&LlmConfig::default().options(), -1)).await;
                (model.clone(), made.unwrap())
            }
            Self::Embedded(mind, _) => {
                let made = mind.embed(texts).await.unwrap();
                (made.model, made.vectors)
            }
            Self::Letters => ("letters".into(), texts.iter().map(|text| in_threes(text)).collect()),
        }
    }

    /// Vectors of questions.
    async fn questions(&self, questions: &[String]) -> Vec<Embedding> {
        let (model, everyday) = self.vectors(&Everyday::sentences()).await;
        let everyday = Everyday::new(model, everyday);
        let asked = self.vectors(questions).await.1;
        asked.into_iter().map(|value| everyday.question(value)).collect()
    }

    /// Gives all that is in `store` a vector.
    async fn embed_all(&self, store: &Store) {
        let model = self.vectors(&[]).await.0;
        loop {
            let texts = store.unembedded(&model, 8).await.unwrap();
            if texts.is_empty() {
                return;
            }
            let words: Vec<String> = texts.iter().map(|entry| entry.text.0.clone()).collect();
            let made = self.vectors(&words).await.1;
            store.embed(&model, texts.iter().map(|entry| entry.id).zip(made).collect()).await.unwrap();
        }
    }
}

/// How often three letters stand beside one another, in 512 places.
fn in_threes(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; 512];
    for three in text.to_lowercase().as_bytes().windows(3) {
        let place = three.iter().fold(7_usize, |sum, letter| sum * 31 + usize::from(*letter)) % counts.len();
        counts[place] += 1.0;
    }
    counts
}

/// Questions about a year by words, by vectors, by both.
async fn of_a_year(maker: &Maker) -> [usize; 3] {
    let year = Year::of(EMBEDDED).await;
    maker.embed_all(&year.store).await;
    let questions: Vec<String> = year.questions().into_iter().map(|(question, ..)| question).collect();
    let vectors = maker.questions(&questions).await;
    let mut found = [0; 3];
    for (found, by) in found.iter_mut().zip([By::Words, By::Vectors, By::Both]) {
        *found = year.found(by, &vectors).await.0;
    }
    let [words, alone, both] = found;
    println!("a year, of 50 among the first three: {words} by words, {alone} by vectors, {both} by both");
    found
}

// Vectors find by themselves, and even poor ones spoil nothing that words find
#[tokio::test]
async fn poor_vectors_spoil_nothing_that_words_find() {
    let [words, alone, both] = of_a_year(&Maker::Letters).await;
    assert!(both + 2 >= words, "{words} by words, {both} by both");
    assert!(alone >= LETTERS_FLOOR, "{alone} by vectors");
}

/// Of the forty questions of each half, those answered among the first three when this was last looked at: by words
/// alone, and by words and vectors.
const MEANT_FLOOR: [(usize, usize); 2] = [(2, 29), (2, 35)];
/// Of the questions that nothing answers, those to which something was found all the same, by words and vectors.
const WRONG_MOST: usize = 16;

/// Lines of a file of tests/recall.
fn lines(text: &'static str) -> Vec<&'static str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

// What was told in one way is found when it is asked for in another. `make bench-ollama` runs it with the
// vectors of the real Ollama.
#[tokio::test]
async fn what_was_said_in_other_words_is_found_by_its_meaning() {
    let maker = match Maker::ollama() {
        Some(maker) => maker,
        None => Maker::embedded().await,
    };
    let [words, _, both] = of_a_year(&maker).await;
    assert!(both >= words, "{words} by words, {both} by both");
    let year = Year::of(EMBEDDED).await;
    let pairs: Vec<(&str, &str)> = lines(include_str!("../recall/meant.tsv"))
        .iter()
        .map(|line| line.split_once('\t').unwrap())
        .collect();
    let new = |(told, _): &(&str, &str)| NewMemory {
        kind: MemoryKind::World,
        at: year.now.timestamp(),
        text: Private((*told).to_owned()),
        source: "said".into(),
    };
    year.store.remember(pairs.iter().map(new).collect()).await.unwrap();
    maker.embed_all(&year.store).await;
    let look = async |asked: &str, vector: Option<Embedding>| {
        let search = MemoryQuery { limit: 3, vector, ..memory_question(asked, &year.now) };
        let hits = year.store.search(search).await.unwrap();
        hits.into_iter().map(|hit| hit.text.0).collect::<Vec<_>>()
    };
    let asked: Vec<String> = pairs.iter().map(|(_, asked)| (*asked).to_owned()).collect();
    let vectors = maker.questions(&asked).await;
    let mut right = [(0, 0); 2];
    for (number, ((told, asked), vector)) in pairs.iter().zip(vectors).enumerate() {
        let right = &mut right[number / (pairs.len() / 2)];
        right.0 += usize::from(look(asked, None).await.iter().any(|hit| hit == told));
        let both = look(asked, Some(vector)).await;
        match both.iter().any(|hit| hit == told) {
            true => right.1 += 1,
            false => println!("missed: {asked}: {both:?}"),
        }
    }
    println!("in other words, of 40 and 40 among the first three (by words, by both): {right:?}");
    let nothing: Vec<String> =
        lines(include_str!("../recall/nothing.txt")).into_iter().map(str::to_owned).collect();
    let mut wrong = (0, 0);
    for (asked, vector) in nothing.iter().zip(maker.questions(&nothing).await) {
        let (words, both) = (look(asked, None).await, look(asked, Some(vector)).await);
        wrong.0 += usize::from(!words.is_empty());
        wrong.1 += usize::from(!both.is_empty());
        if let Some(first) = both.first() {
            println!("wrong: {asked}: {first}");
        }
    }
    println!(
        "of {} that nothing answers, found something all the same (by words, by both): {wrong:?}",
        nothing.len()
    );
    if matches!(maker, Maker::Embedded(..)) {
        for (right, floor) in right.into_iter().zip(MEANT_FLOOR) {
            assert!(right.0 >= floor.0 && right.1 >= floor.1, "{right:?} instead of {floor:?}");
        }
        assert!(wrong.1 <= WRONG_MOST, "{wrong:?}");
    }
}
