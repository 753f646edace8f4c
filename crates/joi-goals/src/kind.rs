//! The types of agents: what each may do, in which states it is, what its prompt says. Data, asked by capability.
//!
//! A new type is a value of [`AgentType`] in a list of its own; the engine knows none of them by name.
//! Pure: no I/O, no clock.

use crate::status::{WorkEvent, WorkStatus};

/// A tool that belongs to agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnTool {
    /// `send_message`
    SendMessage,
    /// `create_note`
    CreateNote,
    /// `read_notes`
    ReadNotes,
    /// `manage_learning`
    ManageLearning,
    /// `create_task`
    CreateTask,
    /// `search_agent_history`
    SearchHistory,
    /// `add_feed_item`
    AddFeedItem,
}

/// Which tools beside its own an agent may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolReach {
    /// All of this program, and those of other programs that are enabled for it.
    Enabled,
    /// The same, but only those that look.
    LooksOnly,
    /// All there are.
    All,
}

/// A type of agent.
#[derive(Debug, Clone, Copy)]
pub struct AgentType {
    /// Its name in the database.
    pub name: &'static str,
    /// What its model calls are counted as.
    pub purpose: &'static str,
    /// What its prompt says of it, behind the shared core.
    pub prompt: &'static str,
    /// Its own tools.
    pub own_tools: &'static [OwnTool],
    /// Further tools.
    pub reach: ToolReach,
    /// Its first state.
    pub begins: WorkStatus,
    /// What becomes of its state when a run is over by itself.
    pub on_finish: Option<WorkEvent>,
    /// What becomes of its state when a failed run is tried again later.
    pub on_postponed: Option<WorkEvent>,
    /// What becomes of its state when it is not tried again.
    pub on_failure: Option<WorkEvent>,
    /// Check-ins a day.
    pub checks_per_day: u32,
}

impl AgentType {
    fn has(&self, tool: OwnTool) -> bool {
        self.own_tools.contains(&tool)
    }

    /// Returns whether somebody talks with it.
    pub fn is_conversational(&self) -> bool {
        self.has(OwnTool::SendMessage)
    }

    /// Returns whether its work ends with a result for the agent that opened it.
    pub fn reports_to_parent(&self) -> bool {
        self.on_finish == Some(WorkEvent::Done)
    }

    /// Returns whether its prompt shows notes.
    pub fn sees_notes(&self) -> bool {
        self.has(OwnTool::ReadNotes)
    }

    /// Returns whether its prompt shows learnings.
    pub fn learns(&self) -> bool {
        self.has(OwnTool::ManageLearning)
    }

    /// Returns whether its sessions are archived, summed up and searched.
    pub fn has_archive(&self) -> bool {
        self.has(OwnTool::SearchHistory)
    }

    /// Returns whether it collects the items of the day.
    pub fn feeds(&self) -> bool {
        self.has(OwnTool::AddFeedItem)
    }
}

/// A goal.
pub static GOAL: AgentType = AgentType {
    name: "goal",
    purpose: "goals",
    prompt: include_str!("../../../assets/prompts/goal.goal.md"),
    own_tools: &[
        OwnTool::SendMessage,
        OwnTool::CreateNote,
        OwnTool::ReadNotes,
        OwnTool::ManageLearning,
        OwnTool::CreateTask,
        OwnTool::SearchHistory,
    ],
    reach: ToolReach::Enabled,
    begins: WorkStatus::Working,
    on_finish: None,
    on_postponed: None,
    on_failure: Some(WorkEvent::Left),
    checks_per_day: crate::limits::CHECK_INS_PER_DAY,
};

/// A task of a goal.
pub static TASK: AgentType = AgentType {
    name: "task",
    purpose: "tasks",
    prompt: include_str!("../../../assets/prompts/goal.task.md"),
    own_tools: &[OwnTool::CreateNote],
    reach: ToolReach::LooksOnly,
    begins: WorkStatus::Active,
    on_finish: Some(WorkEvent::Done),
    on_postponed: Some(WorkEvent::Postponed),
    on_failure: Some(WorkEvent::Cancelled),
    checks_per_day: 0,
};

/// The assistant above all goals; there is one.
pub static ASSISTANT: AgentType = AgentType {
    name: "assistant",
    purpose: "chat",
    prompt: include_str!("../../../assets/prompts/goal.assistant.md"),
    own_tools: &[
        OwnTool::SendMessage,
        OwnTool::CreateNote,
        OwnTool::ReadNotes,
        OwnTool::ManageLearning,
        OwnTool::CreateTask,
        OwnTool::SearchHistory,
        OwnTool::AddFeedItem,
    ],
    reach: ToolReach::All,
    begins: WorkStatus::None,
    on_finish: None,
    on_postponed: None,
    on_failure: None,
    checks_per_day: 0,
};

/// The types of the program.
pub static TYPES: &[&AgentType] = &[&GOAL, &TASK, &ASSISTANT];

/// Returns the type of that name.
pub fn called(types: &[&'static AgentType], name: &str) -> Option<&'static AgentType> {
    types.iter().copied().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_neither_speaks_nor_learns_nor_opens_tasks_nor_sees_what_goals_know() {
        let may = |kind: &AgentType| {
            [kind.is_conversational(), kind.learns(), kind.sees_notes(), kind.has_archive(), kind.feeds()]
        };
        assert_eq!(may(&TASK), [false; 5]);
        assert!(!TASK.has(OwnTool::CreateTask) && TASK.reports_to_parent());
        assert_eq!(TASK.reach, ToolReach::LooksOnly);
        assert_eq!(may(&GOAL), [true, true, true, true, false]);
        assert_eq!(may(&ASSISTANT), [true; 5]);
        assert_eq!((ASSISTANT.begins, ASSISTANT.reach), (WorkStatus::None, ToolReach::All));
    }
}
