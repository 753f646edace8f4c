//! The message with which a run begins: the shared core, the type, and tagged blocks of what the agent knows.
//!
//! A block that the type has no right to is not there. Words of strangers stand between their marks, and whether there are any is
//! returned beside the text. Pure: no I/O, no clock.

use joi_base::message::Origin;
use joi_store::{ArchivedSession, InnerStep, ThreadCell, WorkNote, WorkRow};
use joi_tools::fence;

use crate::kind::AgentType;
use crate::limits::{LONGEST_BLOCK, LONGEST_TEXT};
use crate::modes::RunMode;

/// What a run begins with.
#[derive(Debug, Clone, Copy)]
pub struct RunBrief<'a> {
    /// The type.
    pub kind: &'a AgentType,
    /// The agent.
    pub row: &'a WorkRow,
    /// The goal of a task.
    pub parent: Option<&'a WorkRow>,
    /// Why it runs.
    pub mode: RunMode,
    /// The thread of the present session.
    pub cells: &'a [ThreadCell],
    /// Its inner history.
    pub steps: &'a [InnerStep],
    /// Its notes, newest first.
    pub notes: &'a [WorkNote],
    /// Its learnings, newest first.
    pub learnings: &'a [WorkNote],
    /// Earlier sessions, newest first.
    pub sessions: &'a [ArchivedSession],
    /// All goals, a line each, for the assistant.
    pub goals: &'a [(String, Origin)],
    /// The names of the tools on offer.
    pub tools: &'a [&'a str],
    /// The time, in words.
    pub time: &'a str,
}

/// The message, and whose words are in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPrompt {
    /// The message.
    pub text: String,
    /// Words of strangers are in it.
    pub is_foreign: bool,
}

impl RunBrief<'_> {
    /// Returns the message.
    pub fn prompt(&self) -> RunPrompt {
        let mut prompt = RunPrompt {
            text: format!(
                "{}\n{}\n",
                include_str!("../../../assets/prompts/goal.core.md").trim(),
                self.kind.prompt.trim()
            ),
            is_foreign: false,
        };
        prompt.block("time", &[(self.time.to_owned(), Origin::Ours)]);
        let about = self.parent.unwrap_or(self.row);
        if self.parent.is_some() || self.kind.is_conversational() {
            prompt.block("goal", &[(format!("{}: {}", about.name, about.brief), about.origin)]);
        }
        if self.kind.reports_to_parent() {
            prompt.block("instructions", &[(self.row.brief.clone(), self.row.origin)]);
        }
        prompt.block("goals", self.goals);
        if self.kind.has_archive() {
            let lines = self.sessions.iter().rev();
            let lines =
                lines.map(|one| (format!("- {}: {}", one.ended.strftime("%F"), one.summary), one.origin));
            prompt.block("earlier", &lines.collect::<Vec<_>>());
        }
        if self.kind.learns() {
            prompt.block("learnings", &numbered(self.learnings));
        }
        if self.kind.sees_notes() {
            prompt.block("notes", &numbered(self.notes));
        }
        prompt.block("tools", &[(self.tools.join(", "), Origin::Ours)]);
        let step = |step: &InnerStep| {
            (format!("- {}: {}", step.role, fence::shortened(&step.text, LONGEST_TEXT)), step.origin)
        };
        prompt.block("history", &self.steps.iter().map(step).collect::<Vec<_>>());
        if self.kind.is_conversational() {
            let cell = |cell: &ThreadCell| (format!("{}: {}", author(cell), cell.text), cell.origin);
            prompt.block("thread", &self.cells.iter().map(cell).collect::<Vec<_>>());
        }
        prompt.text.push('\n');
        prompt.text.push_str(self.asked());
        prompt
    }

    fn asked(&self) -> &'static str {
        let has_words = self.cells.last().is_some_and(|cell| cell.author == "user");
        match self.mode {
            RunMode::Chat if has_words => include_str!("../../../assets/prompts/goal.run.chat.md").trim(),
            RunMode::Chat => include_str!("../../../assets/prompts/goal.run.woken.md").trim(),
            RunMode::CheckIn => include_str!("../../../assets/prompts/goal.run.check.md").trim(),
            RunMode::Feed => include_str!("../../../assets/prompts/goal.run.feed.md").trim(),
            RunMode::Child => include_str!("../../../assets/prompts/goal.run.task.md").trim(),
        }
    }
}

/// So many words in a row of the instructions are no words of its own.
const RECITED: usize = 8;

/// What the program answers to calls that go round in circles.
const REFUSALS: &str = "was called with the same arguments before use that result";

/// Returns whether `text` recites what an agent of this type is instructed to do: a small model writes that in place of an
/// answer.
pub(crate) fn recites(text: &str, kind: &AgentType) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
        parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
    };
    let said = words(text);
    let runs = [
        include_str!("../../../assets/prompts/goal.core.md"),
        kind.prompt,
        include_str!("../../../assets/prompts/goal.run.chat.md"),
        include_str!("../../../assets/prompts/goal.run.woken.md"),
        include_str!("../../../assets/prompts/goal.run.check.md"),
        REFUSALS,
    ];
    runs.into_iter().any(|instructions| {
        let instructions = words(instructions);
        said.windows(RECITED).any(|run| instructions.windows(RECITED).any(|known| known == run))
    })
}

impl RunPrompt {
    /// Adds a block of lines, of which the newest are last; nothing where there are none. Lines of strangers stand between
    /// marks.
    fn block(&mut self, tag: &str, lines: &[(String, Origin)]) {
        let mut shown: Vec<String> = Vec::new();
        let mut room = LONGEST_BLOCK;
        for (text, origin) in lines.iter().rev() {
            let text = fence::shortened(text.trim(), LONGEST_TEXT * 2);
            if text.is_empty() {
                continue;
            }
            let Some(left) = room.checked_sub(text.chars().count()) else { break };
            room = left;
            let is_foreign = *origin == Origin::Stranger;
            self.is_foreign |= is_foreign;
            shown.push(if is_foreign { fence::wrap(&text, LONGEST_TEXT * 2) } else { text });
        }
        if !shown.is_empty() {
            shown.reverse();
            self.text.push_str(&format!("\n<{tag}>\n{}\n</{tag}>\n", shown.join("\n")));
        }
    }
}

fn numbered(notes: &[WorkNote]) -> Vec<(String, Origin)> {
    let line = |note: &WorkNote| {
        let source = if note.source.is_empty() { String::new() } else { format!(" ({})", note.source) };
        (format!("- {}: {}{source}", note.id, note.text), note.origin)
    };
    notes.iter().rev().map(line).collect()
}

fn author(cell: &ThreadCell) -> &'static str {
    match cell.author.as_str() {
        "user" => "owner",
        "error" => "error",
        _ => "you",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::{ASSISTANT, GOAL, TASK};
    use crate::tests::rows::{cell, note, row};

    fn prompt(kind: &AgentType, mode: RunMode, note_origin: Origin) -> RunPrompt {
        let (own, goal) = (row(2, kind.name, "active"), row(1, "goal", "working"));
        let cells = [cell(1, "agent", "Hello."), cell(2, "user", "We go in May.")];
        let notes = [WorkNote { origin: note_origin, ..note(4, "May is mild") }];
        let learnings = [note(5, "likes trains")];
        let brief = RunBrief {
            kind,
            row: &own,
            parent: kind.reports_to_parent().then_some(&goal),
            mode,
            cells: &cells,
            steps: &[],
            notes: &notes,
            learnings: &learnings,
            sessions: &[],
            goals: &[],
            tools: &["webSearch"],
            time: "It is noon.",
        };
        brief.prompt()
    }

    #[test]
    fn a_goal_gets_its_blocks_in_order_and_the_task_last() {
        let made = prompt(&GOAL, RunMode::Chat, Origin::Ours);
        let place = |part: &str| made.text.find(part).unwrap_or_else(|| panic!("{part}: {}", made.text));
        let order = [
            "Only what the owner wrote",
            "in charge of one goal",
            "<time>",
            "<goal>",
            "<learnings>\n- 5: likes trains",
            "<notes>\n- 4: May is mild",
            "<tools>\nwebSearch",
            "<thread>\nyou: Hello.\nowner: We go in May.",
            "The owner has written",
        ];
        assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{}", made.text);
        assert!(!made.is_foreign && !made.text.contains("<history>"));
    }

    #[test]
    fn a_task_sees_neither_notes_nor_learnings_nor_the_thread_nor_a_mode() {
        let made = prompt(&TASK, RunMode::Child, Origin::Stranger);
        for block in ["<notes>", "<learnings>", "<thread>", "<earlier>", "feed"] {
            assert!(!made.text.contains(block), "{block}: {}", made.text);
        }
        assert!(made.text.contains("<goal>") && made.text.contains("<instructions>"));
        assert!(!made.is_foreign, "what it does not see does not taint it");
    }

    #[test]
    fn words_of_strangers_are_marked_and_taint_the_run() {
        let made = prompt(&ASSISTANT, RunMode::Feed, Origin::Stranger);
        assert!(made.is_foreign && fence::is_fenced(&made.text), "{}", made.text);
        assert!(made.text.ends_with("Send no message."), "{}", made.text);
    }

    #[test]
    fn instructions_that_a_model_recites_are_no_answer() {
        for recited in [
            "The owner has written what stands last in the thread.",
            "create_note was called with the same arguments before. Use that result.",
            GOAL.prompt,
        ] {
            assert!(recites(recited, &GOAL), "{recited}");
        }
        for answer in
            ["The owner has written that we go in May.", "You go by train in May, for two weeks.", ""]
        {
            assert!(!recites(answer, &GOAL), "{answer}");
        }
    }

    #[test]
    fn a_block_is_bounded_and_its_newest_lines_stay() {
        let mut made = RunPrompt { text: String::new(), is_foreign: false };
        let lines: Vec<_> = (0..100).map(|n| (format!("{n} {}", "x".repeat(90)), Origin::Ours)).collect();
        made.block("notes", &lines);
        assert!(made.text.chars().count() < LONGEST_BLOCK + 200);
        assert!(made.text.contains("\n99 ") && !made.text.contains("\n0 "));
    }
}
