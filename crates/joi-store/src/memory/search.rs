//! Memory retrieval: full-text search over the memory and the user's messages, by words and by time.
//!
//! Runs on the database thread. SQLite finds candidates; they are ranked by the share of the question's words
//! they contain, rare words weighing more, by the similarity of embeddings where there are any, and a little
//! by age. A candidate that contains too little of the question is no hit.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::super::StoreError;
use super::super::dialogue::OF_USER;
use super::embeddings::{self, Embedding, Similarities};
use super::{Memory, MemoryKind, STRANGER, select, words};
use joi_base::message::{Origin, Private};

/// Candidates ranked, of each kind of source.
const CANDIDATES: usize = 40;
/// Most words of a question that are searched for.
const MOST_WORDS: usize = 12;
/// Most entries with one of a question's words that are ranked: ranking dominates the cost. A word in more of
/// them is only searched together with another one, or in the newest entries.
const RANKED: i64 = 1_500;
/// Most common words that are searched in pairs.
const PAIRED: usize = 4;
/// With so few entries, word frequencies mean nothing.
const FEW: f64 = 200.0;
/// The least share of a question, by weight, that a hit must contain.
const ENOUGH: f64 = 0.34;
/// How much more similar than everyday sentences a hit without the words must be (docs/dev/memory-retrieval.md).
const NEAR: f32 = 0.25;
/// The weight of similarity beside the words of a question.
const MEANT: f64 = 1.0;
/// Days after which half of the weight of age is lost.
const FRESH_DAYS: f64 = 45.0;

/// A query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryQuery {
    /// Significant words, in lower case.
    pub words: Vec<String>,
    /// Not before this.
    pub from: Option<Timestamp>,
    /// Before this.
    pub until: Option<Timestamp>,
    /// The present, for the weight of age.
    pub now: Timestamp,
    /// Of the user's messages, only those before this one: later ones are in the prompt.
    pub before_message: Option<i64>,
    /// Only these kinds of entries; none means all but wishes, and the user's messages.
    pub kinds: Vec<MemoryKind>,
    /// The embedding of the question.
    pub vector: Option<Embedding>,
    /// Most hits.
    pub limit: usize,
}

/// The source of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HitSource {
    /// An entry of the memory.
    Memory(i64, MemoryKind),
    /// A message of the user.
    Message(i64),
}

/// A hit.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHit {
    /// Its source.
    pub origin: HitSource,
    /// When it was said, or happened.
    pub at: Timestamp,
    /// The words.
    pub text: Private<String>,
    /// A document's name, or the source of an entry.
    pub source: String,
    /// Its score; only comparable within the same search.
    pub score: f64,
}

impl MemoryHit {
    /// Whether a stranger's words are in it.
    pub fn is_foreign(&self) -> bool {
        self.source == STRANGER || matches!(self.origin, HitSource::Memory(_, MemoryKind::Document))
    }
}

/// A word and its weight.
struct Term {
    word: String,
    weight: f64,
    /// The number of entries that contain it, counted up to [`RANKED`] in each of the two tables.
    within: i64,
}

pub(super) fn find(db: &Connection, search: &MemoryQuery) -> Result<Vec<MemoryHit>, StoreError> {
    let terms = terms(db, search)?;
    let near = match &search.vector {
        Some(vector) => embeddings::nearest(db, vector, CANDIDATES)?,
        None => Similarities::default(),
    };
    let mut hits = Vec::new();
    for memory in memories(db, search, &terms, &near.first)? {
        let likeness = near.of(memory.id);
        let origin = HitSource::Memory(memory.id, memory.kind);
        let found =
            SearchCandidate { origin, at: memory.at, text: memory.text, source: memory.source, likeness };
        hits.extend(found.judged(&terms, search));
    }
    if search.kinds.is_empty() {
        for (id, at, text, origin) in messages(db, search, &terms)? {
            let found = SearchCandidate {
                origin: HitSource::Message(id),
                at,
                text: Private(text),
                // The names are the same, whoever notes it.
                source: if origin == Origin::Stranger.name() { STRANGER } else { "said" }.into(),
                likeness: 0.0,
            };
            hits.extend(found.judged(&terms, search));
        }
    }
    hits.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut seen = HashSet::new();
    hits.retain(|hit| seen.insert(words::words(&hit.text.0)));
    hits.truncate(search.limit);
    Ok(hits)
}

/// The words of a question, with their weights.
fn terms(db: &Connection, search: &MemoryQuery) -> Result<Vec<Term>, StoreError> {
    let mut sought: Vec<&String> = Vec::new();
    for word in &search.words {
        if !sought.contains(&word) && sought.len() < MOST_WORDS {
            sought.push(word);
        }
    }
    if sought.is_empty() {
        return Ok(Vec::new());
    }
    // Numbers of entries are estimated by the largest number given out, which is one look-up in each table.
    let number = |sql: &str| db.query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
    let span = |table: &str| -> Result<i64, StoreError> {
        let first = number(&format!("SELECT min(id) FROM {table}"))?;
        let last = number(&format!("SELECT max(id) FROM {table}"))?;
        Ok(last.zip(first).map_or(0, |(last, first)| last - first + 1))
    };
    let total = (span("memory")? + span("message")? / 2).max(1) as f64;
    let mut terms = Vec::new();
    for word in sought {
        let mut within = 0;
        for table in ["memory_words", "message_words"] {
            let sql = format!(
                "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ?1 LIMIT {})",
                RANKED + 1
            );
            within += db.prepare_cached(&sql)?.query_row([expression(word)], |row| row.get::<_, i64>(0))?;
        }
        let weight = (1.0 + total.max(FEW) / (within as f64).max(1.0)).ln();
        terms.push(Term { word: word.clone(), weight, within });
    }
    Ok(terms)
}

/// A word in any form, for the index: a prefix match.
fn expression(word: &str) -> String {
    let plain: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    format!("\"{}\"*", words::stem(&plain))
}

/// What candidates must contain: one of the rare words, or two of the common ones. A single common word is
/// [`CandidateTerms::Newest`].
enum CandidateTerms {
    Best(String),
    Newest(String),
}

fn wanted(terms: &[Term]) -> Vec<CandidateTerms> {
    let mut terms: Vec<&Term> = terms.iter().filter(|term| term.within > 0).collect();
    terms.sort_by_key(|term| term.within);
    let mut sum = 0;
    let rare = terms.iter().take_while(|term| {
        sum += term.within;
        sum <= RANKED
    });
    let rare = rare.count();
    let (rare, common) = terms.split_at(rare);
    let common = &common[..common.len().min(PAIRED)];
    let mut wanted = Vec::new();
    if !rare.is_empty() {
        let each: Vec<String> = rare.iter().map(|term| expression(&term.word)).collect();
        wanted.push(CandidateTerms::Best(each.join(" OR ")));
    }
    for (index, one) in common.iter().enumerate() {
        for other in &common[index + 1..] {
            let pair = format!("{} AND {}", expression(&one.word), expression(&other.word));
            wanted.push(CandidateTerms::Best(pair));
        }
    }
    if let ([], [single, ..]) = (rare, common) {
        wanted.push(CandidateTerms::Newest(expression(&single.word)));
    }
    wanted
}

impl CandidateTerms {
    fn expression(&self) -> &str {
        match self {
            Self::Best(expression) | Self::Newest(expression) => expression,
        }
    }

    fn order(&self) -> &'static str {
        match self {
            Self::Best(_) => "rank",
            Self::Newest(_) => "rowid DESC",
        }
    }
}

/// The time range, in milliseconds.
fn between(search: &MemoryQuery) -> (i64, i64) {
    let from = search.from.unwrap_or(Timestamp::MIN).as_millisecond();
    (from, search.until.unwrap_or(Timestamp::MAX).as_millisecond())
}

fn memories(
    db: &Connection,
    search: &MemoryQuery,
    terms: &[Term],
    near: &[i64],
) -> Result<Vec<Memory>, StoreError> {
    let (from, until) = between(search);
    let has_range = search.from.is_some() || search.until.is_some();
    let mut found: Vec<Memory> = Vec::new();
    for wanted in wanted(terms) {
        let within = match has_range {
            true => "AND rowid IN (SELECT id FROM memory WHERE at_ms >= ?2 AND at_ms < ?3)",
            false => "AND ?2 <= ?3",
        };
        let condition = format!(
            "WHERE id IN (SELECT rowid FROM memory_words WHERE memory_words MATCH ?1 {within}
                 ORDER BY {} LIMIT ?4)",
            wanted.order()
        );
        let more = select(db, &condition, params![wanted.expression(), from, until, CANDIDATES as i64])?;
        found.extend(
            more.into_iter()
                .filter(|memory| !found.iter().any(|known| known.id == memory.id))
                .collect::<Vec<_>>(),
        );
    }
    if terms.is_empty() && has_range {
        found = select(
            db,
            "WHERE at_ms >= ?1 AND at_ms < ?2 AND kind IN ('user', 'world', 'diary') ORDER BY at_ms DESC LIMIT ?3",
            params![from, until, CANDIDATES as i64],
        )?;
    }
    for id in near {
        if !found.iter().any(|memory| memory.id == *id) {
            found.extend(select(
                db,
                "WHERE id = ?1 AND at_ms >= ?2 AND at_ms < ?3",
                params![id, from, until],
            )?);
        }
    }
    found.retain(|memory| search.kinds.is_empty() || search.kinds.contains(&memory.kind));
    found.retain(|memory| memory.kind != MemoryKind::Wish || search.kinds.contains(&MemoryKind::Wish));
    Ok(found)
}

/// The user's messages: number, time, words. Questions hold no facts.
fn messages(
    db: &Connection,
    search: &MemoryQuery,
    terms: &[Term],
) -> Result<Vec<(i64, Timestamp, String, String)>, StoreError> {
    let (from, until) = between(search);
    let (mut first, mut last) = (i64::MIN, search.before_message.unwrap_or(i64::MAX));
    if search.from.is_some() || search.until.is_some() {
        let range = "SELECT min(id), max(id) FROM message WHERE at_ms >= ?1 AND at_ms < ?2";
        let (low, high): (Option<i64>, Option<i64>) =
            db.prepare_cached(range)?.query_row([from, until], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (Some(low), Some(high)) = (low, high) else { return Ok(Vec::new()) };
        (first, last) = (low, last.min(high + 1));
    }
    let mut found: Vec<(i64, Timestamp, String, String)> = Vec::new();
    for wanted in wanted(terms) {
        let sql = format!(
            "SELECT id, at_ms, text, origin FROM message WHERE {} AND id IN (SELECT rowid FROM message_words
                 WHERE message_words MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY {} LIMIT ?4)",
            *OF_USER,
            wanted.order()
        );
        let mut query = db.prepare_cached(&sql)?;
        let rows = query.query_map(params![wanted.expression(), first, last, CANDIDATES as i64], |row| {
            let at = Timestamp::from_millisecond(row.get(1)?).unwrap_or(Timestamp::MIN);
            Ok((row.get(0)?, at, row.get::<_, String>(2)?, row.get::<_, String>(3)?))
        })?;
        for row in rows {
            let row = row?;
            if !found.iter().any(|(id, ..)| *id == row.0) {
                found.push(row);
            }
        }
    }
    found.retain(|(_, _, text, _)| !text.trim_end().ends_with('?'));
    Ok(found)
}

/// A candidate.
struct SearchCandidate {
    origin: HitSource,
    at: Timestamp,
    text: Private<String>,
    source: String,
    /// How much more similar it is than everyday sentences.
    likeness: f32,
}

impl SearchCandidate {
    /// The candidate with its score; nothing when it is no hit.
    fn judged(self, terms: &[Term], search: &MemoryQuery) -> Option<MemoryHit> {
        let there = words::words(&self.text.0);
        let all: f64 = terms.iter().map(|term| term.weight).sum();
        let held = |term: &&Term| there.iter().any(|word| words::is_form_of(word, &term.word));
        let exact = |term: &&Term| there.contains(&term.word);
        let sum =
            |which: &dyn Fn(&&Term) -> bool| terms.iter().filter(|t| which(t)).map(|t| t.weight).sum::<f64>();
        let share = if all > 0.0 { sum(&held) / all } else { 0.0 };
        let is_by_time = terms.is_empty() && search.from.is_some();
        let is_near = self.likeness >= NEAR;
        if share < ENOUGH && !is_near && !is_by_time {
            return None;
        }
        let age = search.now.duration_since(self.at).as_secs_f64().abs() / 86_400.0;
        let fresh = 0.1 * (-age / FRESH_DAYS * std::f64::consts::LN_2).exp();
        let exactness = if all > 0.0 { 0.2 * sum(&exact) / all } else { 0.0 };
        // Shorter texts that contain the same are preferred.
        let brief = 0.1 / (1.0 + there.len() as f64 / 20.0);
        let credited = match self.origin {
            HitSource::Memory(_, MemoryKind::User | MemoryKind::World) => 0.1,
            HitSource::Memory(..) => 0.05,
            HitSource::Message(_) => 0.0,
        };
        let likeness = MEANT * f64::from(self.likeness);
        let score = share + exactness + likeness + fresh + brief + credited;
        Some(MemoryHit { origin: self.origin, at: self.at, text: self.text, source: self.source, score })
    }
}
