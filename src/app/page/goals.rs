//! The goals, for the page: their threads and notes, and what the owner says to them.
//!
//! In: rows of the database. Out: views; words to a goal and changes of it, which the task that works on goals takes up.

use super::host::RunningHost;
use joi_base::message::Origin;
use joi_goals::kind::GOAL;
use joi_goals::owner::{self, OpenedGoal};
use joi_goals::status::{WorkEvent, WorkStatus};
use joi_language::fill;
use joi_page::{GoalDeed, GoalLine, GoalView, GoalsHost, PageFault};
use joi_store::{Store, ThreadCell, WorkRow};

/// The channel of what is typed into the page.
const CHANNEL: &str = "page";
/// Words of a thread, and notes, that are shown.
const SHOWN: (u32, u32) = (30, 10);

impl GoalsHost for RunningHost {
    async fn goals(&self) -> Result<Option<Vec<GoalView>>, PageFault> {
        if !self.config.goals.enabled {
            return Ok(None);
        }
        let store = self.store()?;
        let rows = store.work().await.map_err(PageFault::of)?;
        let mut views = Vec::new();
        for goal in rows.iter().filter(|row| row.kind == GOAL.name && !is_over(row)) {
            let tasks = rows.iter().filter(|row| row.parent == goal.id && !is_over(row)).count();
            views.push(view(goal, tasks, store).await.map_err(PageFault::of)?);
        }
        Ok(Some(views))
    }

    async fn open_goal(&self, name: &str) -> Result<(), PageFault> {
        if name.is_empty() {
            return Err(PageFault::Empty);
        }
        let by = (Origin::Typing, CHANNEL);
        let opened = owner::open(self.store()?, (name, name), by, Vec::new(), self.clock.now().timestamp());
        let language = self.languages.get();
        let say = &language.sentences().goals;
        match opened.await.map_err(PageFault::of)? {
            OpenedGoal::Opened(..) => {
                self.goals.look_again();
                Ok(())
            }
            OpenedGoal::There(_, name) => {
                Err(PageFault::Because(fill(&say.open_already, &[("name", &name)])))
            }
            OpenedGoal::TooMany(count) => {
                Err(PageFault::Because(fill(&say.too_many, &[("count", &count.to_string())])))
            }
        }
    }

    async fn say_to_goal(&self, id: i64, text: &str) -> Result<(), PageFault> {
        if text.is_empty() {
            return Err(PageFault::Empty);
        }
        let (store, now) = (self.goal_is_there(id).await?, self.clock.now().timestamp());
        owner::say(store, id, text, (Origin::Typing, CHANNEL), now).await.map_err(PageFault::of)?;
        self.goals.look_again();
        Ok(())
    }

    async fn change_goal(&self, id: i64, deed: GoalDeed) -> Result<(), PageFault> {
        let event = match deed {
            GoalDeed::Resume => WorkEvent::Resumed,
            GoalDeed::Leave => WorkEvent::Left,
            GoalDeed::End => WorkEvent::Ended,
        };
        let (store, now) = (self.goal_is_there(id).await?, self.clock.now().timestamp());
        owner::change(store, id, event, now).await.map_err(PageFault::of)?;
        self.goals.look_again();
        Ok(())
    }
}

impl RunningHost {
    /// Returns the database where a goal of that number is in it and not over.
    async fn goal_is_there(&self, id: i64) -> Result<&Store, PageFault> {
        let store = self.store()?;
        let rows = store.work().await.map_err(PageFault::of)?;
        let is_it = |row: &WorkRow| row.id == id && row.kind == GOAL.name && !is_over(row);
        if rows.iter().any(is_it) { Ok(store) } else { Err(PageFault::Gone) }
    }
}

fn is_over(row: &WorkRow) -> bool {
    WorkStatus::called(&row.status).is_over()
}

async fn view(goal: &WorkRow, tasks: usize, store: &Store) -> Result<GoalView, joi_store::StoreError> {
    let thread = store.cells(goal.id, 0, SHOWN.0).await?;
    let notes = store.work_notes(goal.id, "note", SHOWN.1).await?;
    Ok(GoalView {
        id: goal.id,
        name: goal.name.clone(),
        is_waiting: WorkStatus::called(&goal.status) == WorkStatus::Waiting,
        tasks,
        thread: thread.into_iter().map(line).collect(),
        notes: notes.into_iter().map(|note| (note.text, note.source)).collect(),
    })
}

fn line(cell: ThreadCell) -> GoalLine {
    GoalLine {
        at: cell.at,
        is_of_owner: cell.author == "user",
        is_foreign: cell.origin == Origin::Stranger,
        text: cell.text,
    }
}
