//! Reads what a run begins with, and puts its prompt together.
//!
//! Futures of the run. In: the claimed agent, its thread. Out: the message, and whether words of strangers are in it.

use std::sync::Arc;

use joi_agent::model::ChatModel;
use joi_base::message::Origin;
use joi_store::{StoreError, ThreadCell, WorkRow};
use joi_tools::Tool;

use super::{ClaimedRun, Orchestrator, shown};
use crate::limits::{LEARNINGS_KEPT, NOTES_SHOWN, SUMMARIES_SHOWN};
use crate::prompt::{RunBrief, RunPrompt};
use crate::status::WorkStatus;

impl<M: ChatModel> Orchestrator<M> {
    /// Returns the message with which a run begins.
    pub(super) async fn prompt(
        &self,
        claimed: &ClaimedRun,
        cells: &[ThreadCell],
        own: &[Arc<dyn Tool>],
    ) -> Result<RunPrompt, StoreError> {
        let (store, kind, row) = (&self.world.store, claimed.kind, &claimed.row);
        let (most_cells, most_steps) = shown(kind.reports_to_parent());
        let steps = store.steps(row.id, most_steps).await?;
        let notes =
            if kind.sees_notes() { store.work_notes(row.id, "note", NOTES_SHOWN).await? } else { Vec::new() };
        let learnings = if kind.learns() {
            store.work_notes(row.id, "learning", LEARNINGS_KEPT).await?
        } else {
            Vec::new()
        };
        let sessions = if kind.has_archive() {
            store.archived_sessions(row.id, SUMMARIES_SHOWN).await?
        } else {
            Vec::new()
        };
        let rows = store.work().await?;
        let parent = rows.iter().find(|other| row.parent != 0 && other.id == row.parent);
        let goals = if kind.feeds() { self.overview(&rows).await? } else { Vec::new() };
        let cells = &cells[cells.len().saturating_sub(most_cells as usize)..];
        let names: Vec<&str> = own.iter().map(|tool| tool.name()).collect();
        let time = self.world.clock.now().strftime("%A, %F %H:%M").to_string();
        let brief = RunBrief {
            kind,
            row,
            parent,
            mode: claimed.mode,
            cells,
            steps: &steps,
            notes: &notes,
            learnings: &learnings,
            sessions: &sessions,
            goals: &goals,
            tools: &names,
            time: &time,
        };
        Ok(brief.prompt())
    }

    /// Returns a line for each goal with its newest notes, for the assistant.
    async fn overview(&self, rows: &[WorkRow]) -> Result<Vec<(String, Origin)>, StoreError> {
        let mut lines = Vec::new();
        let is_goal = |row: &&WorkRow| row.parent == 0 && !row.status.is_empty();
        for row in rows.iter().filter(is_goal) {
            if WorkStatus::called(&row.status) == WorkStatus::Archived {
                continue;
            }
            lines.push((format!("- {} ({}): {}", row.name, row.status, row.brief), row.origin));
            for note in self.world.store.work_notes(row.id, "note", 3).await? {
                lines.push((format!("  note: {} ({})", note.text, note.source), note.origin));
            }
        }
        Ok(lines)
    }
}
