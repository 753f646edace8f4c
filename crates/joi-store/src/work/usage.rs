//! One row for each call of a model by goals, tasks and the assistant: numbers, no words.
//!
//! Runs on the database thread.

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::super::{Store, StoreError};
use super::moment;

/// One call of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// When it ended.
    pub at: Timestamp,
    /// For whom; 0 for none of them.
    pub work: i64,
    /// The type of the agent.
    pub agent: String,
    /// What for: "goals", "tasks", "chat" or "summaries".
    pub purpose: String,
    /// The server.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Tokens read.
    pub tokens_in: u64,
    /// Tokens written.
    pub tokens_out: u64,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What it cost, in millionths of the currency of the price table.
    pub cost_micros: u64,
}

/// The sum of several calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageSum {
    /// Their number.
    pub calls: u64,
    /// Tokens read.
    pub tokens_in: u64,
    /// Tokens written.
    pub tokens_out: u64,
    /// Milliseconds.
    pub took_ms: u64,
    /// Millionths of the currency of the price table.
    pub cost_micros: u64,
}

impl UsageSum {
    /// Adds a call.
    #[must_use]
    pub fn plus(self, row: &UsageRow) -> Self {
        Self {
            calls: self.calls + 1,
            tokens_in: self.tokens_in + row.tokens_in,
            tokens_out: self.tokens_out + row.tokens_out,
            took_ms: self.took_ms + row.took_ms,
            cost_micros: self.cost_micros + row.cost_micros,
        }
    }
}

impl Store {
    /// Stores a call of a model.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_usage(&self, usage: UsageRow) -> Result<(), StoreError> {
        self.run(move |db| {
            db.execute(
                "INSERT INTO model_usage (at_ms, work, agent, purpose, provider, model, tokens_in, tokens_out, took_ms,
                 cost_micros) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![
                    usage.at.as_millisecond(),
                    usage.work,
                    usage.agent,
                    usage.purpose,
                    usage.provider,
                    usage.model,
                    count(usage.tokens_in),
                    count(usage.tokens_out),
                    count(usage.took_ms),
                    count(usage.cost_micros)
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// Returns the calls since `since`, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn usage_since(&self, since: Timestamp) -> Result<Vec<UsageRow>, StoreError> {
        self.run(move |db| {
            let sql = "SELECT at_ms, work, agent, purpose, provider, model, tokens_in, tokens_out, took_ms, cost_micros
                FROM model_usage WHERE at_ms >= ?1 ORDER BY at_ms, id";
            let mut query = db.prepare_cached(sql)?;
            Ok(query.query_map([since.as_millisecond()], usage)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Removes the calls from before `cutoff`, and the runs of agents; returns how many rows went.
    ///
    /// # Errors
    /// The database's.
    pub async fn purge_usage(&self, cutoff: Timestamp) -> Result<usize, StoreError> {
        self.run(move |db| {
            let ms = cutoff.as_millisecond();
            let calls = db.execute("DELETE FROM model_usage WHERE at_ms < ?1", [ms])?;
            let runs =
                db.execute("DELETE FROM work_run WHERE began_ms < ?1 AND ended_ms IS NOT NULL", [ms])?;
            Ok(calls + runs)
        })
        .await
    }
}

/// A count as the database holds it.
fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn usage(row: &Row<'_>) -> rusqlite::Result<UsageRow> {
    let number = |at: usize| Ok::<_, rusqlite::Error>(u64::try_from(row.get::<_, i64>(at)?).unwrap_or(0));
    Ok(UsageRow {
        at: moment(row.get(0)?),
        work: row.get(1)?,
        agent: row.get(2)?,
        purpose: row.get(3)?,
        provider: row.get(4)?,
        model: row.get(5)?,
        tokens_in: number(6)?,
        tokens_out: number(7)?,
        took_ms: number(8)?,
        cost_micros: number(9)?,
    })
}
