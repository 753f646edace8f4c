//! The goals: what was said in each, its notes, words to it, its going on and its end.
//!
//! In: goals, forms. Out: a section of the day, and what came of a form.

use jiff::Timestamp;
use joi_language::fill;
use maud::{Markup, html};

use super::deed::{RoomDeed, outcome};
use crate::PageFault;
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, badge, nothing, section};

/// Longest name of a goal, and longest text to one, in characters.
const LONGEST: (usize, usize) = (60, 2_000);

/// Words in the thread of a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalLine {
    /// When.
    pub at: Timestamp,
    /// Whether the owner wrote them.
    pub is_of_owner: bool,
    /// The words.
    pub text: String,
    /// Whether words of strangers are in them.
    pub is_foreign: bool,
}

/// A goal that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalView {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether it waits for the owner.
    pub is_waiting: bool,
    /// How many of its tasks are not over.
    pub tasks: usize,
    /// The newest words of its thread, oldest first.
    pub thread: Vec<GoalLine>,
    /// Its newest notes, each with its source.
    pub notes: Vec<(String, String)>,
}

/// A change of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalDeed {
    /// It goes on.
    Resume,
    /// It does nothing by itself until the owner says otherwise.
    Leave,
    /// It is done; its notes stay.
    End,
}

/// What this part of the day needs of the program.
pub trait GoalsHost: Send + Sync + 'static {
    /// Returns the goals that are not over; nothing where goals are switched off.
    fn goals(&self) -> impl Future<Output = Result<Option<Vec<GoalView>>, PageFault>> + Send;

    /// Opens a goal.
    fn open_goal(&self, name: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Passes words of the owner's on to a goal.
    fn say_to_goal(&self, id: i64, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Changes the state of a goal.
    fn change_goal(&self, id: i64, deed: GoalDeed) -> impl Future<Output = Result<(), PageFault>> + Send;
}

/// Returns the section; nothing where goals are switched off.
pub(super) fn show(goals: Option<&[GoalView]>, look: &Look) -> Markup {
    let words = &look.words.goals;
    let Some(goals) = goals else { return html! {} };
    section(
        "goals-title",
        &words.title,
        &html! {
            @if goals.is_empty() { (nothing(&words.none)) }
            ul class="items" { @for goal in goals { li { (one(goal, look)) } } }
            (look.form("day/open-goal", "bar apart", &html! {
                div class="field" {
                    label for="goal-new" { (words.open_label) }
                    input id="goal-new" name="name" maxlength=(LONGEST.0) required;
                }
                button type="submit" { (words.open) }
            }))
        },
    )
}

fn one(goal: &GoalView, look: &Look) -> Markup {
    let words = &look.words.goals;
    let id = goal.id.to_string();
    let hidden = [("id", id.as_str())];
    html! {
        div class="line" {
            strong { (goal.name) }
            (badge(if goal.is_waiting { BadgeTone::Quiet } else { BadgeTone::Good }, if goal.is_waiting { &words.waits } else { &words.works }))
            @if goal.tasks > 0 { span class="quiet" { (fill(&words.tasks, &[("count", &goal.tasks.to_string())])) } }
        }
        details class="correct" {
            summary { (fill(&words.thread, &[("goal", &goal.name)])) }
            (thread(goal, look))
        }
        (look.form("day/say-to-goal", "bar apart", &html! {
            input type="hidden" name="id" value=(id);
            div class="field" {
                label for={ "goal-" (id) } { (fill(&words.say, &[("goal", &goal.name)])) }
                input id={ "goal-" (id) } name="text" maxlength=(LONGEST.1) required;
            }
            button type="submit" { (words.send) }
        }))
        div class="actions" {
            @if goal.is_waiting { (look.button("day/resume-goal", "small", &words.resume, &hidden)) }
            @else { (look.button("day/leave-goal", "small", &words.leave, &hidden)) }
            (look.button("day/end-goal", "small danger", &words.end, &hidden))
        }
    }
}

fn thread(goal: &GoalView, look: &Look) -> Markup {
    let words = &look.words.goals;
    html! {
        @if goal.thread.is_empty() { (nothing(&words.no_words)) }
        ul class="items" {
            @for cell in &goal.thread {
                li {
                    div class="line quiet" {
                        (look.moment(cell.at))
                        span { (if cell.is_of_owner { &words.you } else { &goal.name }) }
                        @if cell.is_foreign { (badge(BadgeTone::Fair, &look.words.shell.foreign)) }
                    }
                    p class="text" { (cell.text) }
                }
            }
        }
        @if !goal.notes.is_empty() {
            h3 { (words.notes) }
            ul class="items" {
                @for (text, source) in &goal.notes {
                    li { p class="text" { (text) } @if !source.is_empty() { p class="text quiet" { (source) } } }
                }
            }
        }
    }
}

/// Does what a form asks for.
pub(super) async fn act<H: GoalsHost>(
    action: &str,
    host: &H,
    look: &Look,
    form: &FormFields,
) -> Option<RoomDeed> {
    let words = &look.words.goals;
    let change = async |deed: GoalDeed| match form.number("id") {
        Some(id) => host.change_goal(id, deed).await,
        None => Err(PageFault::Gone),
    };
    Some(match action {
        "open-goal" => outcome(host.open_goal(form.text("name")).await, &words.opened, look),
        "say-to-goal" => {
            let said = match form.number("id") {
                Some(id) => host.say_to_goal(id, form.text("text")).await,
                None => Err(PageFault::Gone),
            };
            outcome(said, &words.said, look)
        }
        "resume-goal" => outcome(change(GoalDeed::Resume).await, &words.resumed, look),
        "leave-goal" => outcome(change(GoalDeed::Leave).await, &words.left, look),
        "end-goal" => outcome(change(GoalDeed::End).await, &words.ended, look),
        _ => return None,
    })
}
