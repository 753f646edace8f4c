//! Embeddings of the memory's entries: 32-bit floats, compared by cosine similarity.
//!
//! Runs on the database thread. Embeddings of another model are ignored and computed again. Erasing an entry
//! erases its embedding.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::super::{Store, StoreError};
use joi_base::message::Private;

/// An entry without an embedding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// Its number.
    pub id: i64,
    /// Its words.
    pub text: Private<String>,
}

/// The embedding of a question, and its model.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The model's name.
    pub model: String,
    /// Its numbers.
    pub value: Vec<f32>,
    /// Its mean cosine to unrelated sentences.
    pub everyday: f32,
}

impl Store {
    /// Entries that have no embedding of `model` yet.
    pub async fn unembedded(&self, model: &str, limit: u32) -> Result<Vec<Unembedded>, StoreError> {
        let model = model.to_owned();
        self.run(move |db| {
            let mut query = db.prepare_cached(
                "SELECT m.id, m.text FROM memory m LEFT JOIN vector v ON v.memory = m.id AND v.model = ?1
                 WHERE v.memory IS NULL ORDER BY m.id DESC LIMIT ?2",
            )?;
            let row =
                |row: &rusqlite::Row<'_>| Ok(Unembedded { id: row.get(0)?, text: Private(row.get(1)?) });
            Ok(query.query_map(params![model, limit], row)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Stores embeddings of `model`, each with its entry's number. Those of deleted entries are dropped.
    pub async fn embed(&self, model: &str, vectors: Vec<(i64, Vec<f32>)>) -> Result<(), StoreError> {
        let model = model.to_owned();
        self.run(move |db| {
            let tx = db.transaction()?;
            for (id, value) in &vectors {
                tx.prepare_cached(
                    "INSERT OR REPLACE INTO vector (memory, model, value)
                     SELECT id, ?2, ?3 FROM memory WHERE id = ?1",
                )?
                .execute(params![id, model, bytes(value)])?;
            }
            Ok(tx.commit()?)
        })
        .await
    }
}

/// Similarity of entries to one question.
#[derive(Debug, Default)]
pub(super) struct Similarities {
    /// The most similar entries, most similar first.
    pub(super) first: Vec<i64>,
    /// Of every entry, how far its cosine is above that of unrelated sentences.
    likeness: HashMap<i64, f32>,
}

impl Similarities {
    /// The similarity of an entry; 0 when that means nothing, or it has no embedding.
    pub(super) fn of(&self, id: i64) -> f32 {
        self.likeness.get(&id).map_or(0.0, |likeness| likeness.max(0.0))
    }
}

/// The similarity of all entries to `asked`, and the `most` similar ones.
pub(super) fn nearest(db: &Connection, asked: &Embedding, most: usize) -> Result<Similarities, StoreError> {
    let length = norm(&asked.value);
    let mut query = db.prepare_cached("SELECT memory, value FROM vector WHERE model = ?1")?;
    let mut rows = query.query([&asked.model])?;
    let mut near: Vec<(i64, f32)> = Vec::new();
    while let Some(row) = rows.next()? {
        let blob = row.get_ref(1)?.as_blob().map_err(|e| StoreError::Record(e.to_string()))?;
        if let Some(cosine) = cosine(&asked.value, length, blob) {
            near.push((row.get(0)?, cosine - asked.everyday));
        }
    }
    near.sort_unstable_by(|one, other| other.1.total_cmp(&one.1));
    let first = near.iter().take(most).map(|(id, _)| *id).collect();
    Ok(Similarities { first, likeness: near.into_iter().collect() })
}

fn bytes(value: &[f32]) -> Vec<u8> {
    value.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn norm(value: &[f32]) -> f32 {
    value.iter().map(|number| number * number).sum::<f32>().sqrt()
}

/// Nothing when the two are of different length, or one of them is zero.
fn cosine(asked: &[f32], length: f32, blob: &[u8]) -> Option<f32> {
    if blob.len() != asked.len() * 4 {
        return None;
    }
    let (mut product, mut square) = (0.0_f32, 0.0_f32);
    for (asked, bytes) in asked.iter().zip(blob.as_chunks::<4>().0) {
        let number = f32::from_le_bytes(*bytes);
        product += asked * number;
        square += number * number;
    }
    let lengths = length * square.sqrt();
    (lengths > 0.0).then(|| product / lengths)
}
