//! The day: calls that wait for a yes, goals, agents, watches, announcements that wait, quiet hours, and why Joi speaks unasked.
//!
//! In: what Joi does by itself, forms. Out: HTML, and what came of a form.

use joi_language::fill;
use maud::{Markup, PreEscaped, html};

use super::deed::{RoomDeed, outcome};
use super::goals::{self, GoalsHost};
use super::room::PageRoom;
use crate::PageFault;
use crate::chart::impulse;
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, RoomSign, badge, nothing, section, table};
use crate::views::{AgentView, DayView, ImpulseView};

/// Decisions that are shown as numbers.
const IN_TABLE: usize = 12;
/// Decisions that are drawn: a day of one every twelve minutes.
const DRAWN: u32 = 120;

/// What this room needs of the program.
pub trait DayHost: GoalsHost {
    /// Returns what Joi does by itself.
    fn day(&self) -> impl Future<Output = Result<DayView, PageFault>> + Send;

    /// Returns the newest decisions to speak unasked or not, newest first.
    fn impulses(&self, most: u32) -> impl Future<Output = Result<Vec<ImpulseView>, PageFault>> + Send;

    /// Decides about a call of an agent that waits.
    fn decide(
        &self,
        agent: &str,
        number: u32,
        is_yes: bool,
    ) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Ends a watch.
    fn remove_watch(&self, id: i64) -> impl Future<Output = Result<(), PageFault>> + Send;
}

/// Returns this room.
pub(super) fn room<H: DayHost>() -> PageRoom<H> {
    PageRoom {
        sign: RoomSign {
            path: "/day",
            place: "thumb",
            icon: "M16.500 12a4.500 4.500 0 1 1-9 0 4.500 4.500 0 0 1 9 0M12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400",
            title: |words| &words.day.title,
        },
        show: |visit| Box::pin(show(visit.host(), visit.look)),
        act: |action, visit| Box::pin(act(action, visit.host(), visit.look, visit.fields)),
    }
}

/// Returns the page.
pub(super) async fn show<H: DayHost>(host: &H, look: &Look) -> Result<Markup, PageFault> {
    let words = &look.words.day;
    let (day, impulses) = (host.day().await?, host.impulses(DRAWN).await?);
    let goals = host.goals().await?;
    Ok(html! {
        (section("approvals-title", &words.approvals, &approvals(&day.agents, look)))
        div class="columns" {
            div {
                (section("watches-title", &words.watches, &watches(&day, look)))
                (section("topics-title", &words.topics, &topics(&day, look)))
                (section("waiting-title", &words.waiting, &waiting(&day, look)))
            }
            div {
                (section("agents-title", &words.agents, &agents(&day.agents, look)))
                (section("quiet-title", &words.quiet, &quiet(&day, look)))
            }
        }
        (goals::show(goals.as_deref(), look))
        (section("impulse-title", &words.impulse, &initiative(&impulses, look)))
    })
}

fn approvals(agents: &[AgentView], look: &Look) -> Markup {
    let words = &look.words.day;
    html! {
        @if agents.iter().all(|agent| agent.approvals.is_empty()) { (nothing(&words.no_approvals)) }
        ul class="items" {
            @for (agent, (number, deed)) in agents.iter().flat_map(|agent| agent.approvals.iter().map(move |one| (agent, one))) {
                li {
                    p { (fill(&words.wishes, &[("agent", &agent.name), ("deed", deed)])) }
                    div class="actions" {
                        (look.button("day/approve", "main", &words.approve, &[("agent", &agent.name), ("number", &number.to_string())]))
                        (look.button("day/deny", "", &words.deny, &[("agent", &agent.name), ("number", &number.to_string())]))
                    }
                }
            }
        }
    }
}

fn agents(agents: &[AgentView], look: &Look) -> Markup {
    let words = &look.words.day;
    let rows: Vec<Vec<Markup>> = agents
        .iter()
        .map(|agent| {
            let next = agent
                .next
                .as_deref()
                .map_or_else(|| html! { (words.when_something) }, |at| look.moment_of(at));
            vec![html! { strong { (agent.name) } }, html! { (agent.pace) }, html! { (agent.doing) }, next]
        })
        .collect();
    if rows.is_empty() {
        return nothing(&words.no_agents);
    }
    table(&words.agents, &[&words.agent, &words.pace, &words.does, &words.next], &rows)
}

fn watches(day: &DayView, look: &Look) -> Markup {
    html! {
        @if day.watches.is_empty() { (nothing(&look.words.day.no_watches)) }
        ul class="items" {
            @for (id, text) in &day.watches {
                li {
                    p { (text) }
                    (look.button("day/remove-watch", "small danger", &look.words.shell.remove, &[("id", &id.to_string())]))
                }
            }
        }
    }
}

fn topics(day: &DayView, look: &Look) -> Markup {
    html! {
        @if day.topics.is_empty() { (nothing(&look.words.day.no_topics)) }
        ul class="items" {
            @for topic in &day.topics {
                li {
                    p class="text" { (topic.text) }
                    div class="line quiet" {
                        (look.moment(topic.at))
                        @if topic.is_foreign { (badge(BadgeTone::Fair, &look.words.shell.foreign)) }
                    }
                }
            }
        }
    }
}

fn waiting(day: &DayView, look: &Look) -> Markup {
    html! {
        @if day.waiting.is_empty() { (nothing(&look.words.day.no_waiting)) }
        ul class="items" { @for one in &day.waiting { li { (badge(BadgeTone::Quiet, &one.origin)) " " (one.text) } } }
    }
}

fn quiet(day: &DayView, look: &Look) -> Markup {
    let words = &look.words.day;
    html! {
        p { @if day.quiet.is_empty() { (words.quiet_none) } @else { (day.quiet.join(", ")) } }
        @if let Some(until) = day.quiet_until {
            p { (badge(BadgeTone::Fair, &words.quiet_now)) " → " (look.moment(until)) }
        }
    }
}

fn initiative(impulses: &[ImpulseView], look: &Look) -> Markup {
    let words = &look.words.day;
    let heads = [
        words.when.as_str(),
        &words.base,
        &words.silence,
        &words.context,
        &words.time,
        &words.chance,
        &words.damper,
        &words.habit,
        &words.boost,
        &words.total,
        &words.needed,
        &words.decided,
        &words.about,
    ];
    let row = |one: &ImpulseView| {
        let tone = if one.speaks { BadgeTone::Good } else { BadgeTone::Quiet };
        let mut cells = vec![look.moment(one.at)];
        cells.extend(one.factors.iter().map(|factor| html! { (format!("{factor:+.2}")) }));
        cells.extend([
            html! { strong { (format!("{:.2}", one.total)) } },
            html! { (format!("{:.2}", one.needed)) },
            badge(tone, &one.decided),
            html! { (one.about) },
        ]);
        cells
    };
    let rows: Vec<Vec<Markup>> = impulses.iter().take(IN_TABLE).map(row).collect();
    let names = [
        &words.base,
        &words.silence,
        &words.context,
        &words.time,
        &words.chance,
        &words.damper,
        &words.habit,
        &words.boost,
    ];
    html! {
        p class="lead" { (words.impulse_about) }
        @match impulse::drawn(impulses, &look.zone, &words.impulse_title) {
            None => (nothing(&words.no_impulse)),
            Some(svg) => {
                div class="chart" { (PreEscaped(svg)) }
                ul class="legend" {
                    @for (number, name) in names.into_iter().enumerate() { li { span class={ "key f" (number) } {} (name) } }
                    li { span class="key line" {} (words.needed) }
                }
                (table(&words.impulse, &heads, &rows))
            },
        }
    }
}

/// Does what a form asks for.
pub(super) async fn act<H: DayHost>(
    action: &str,
    host: &H,
    look: &Look,
    form: &FormFields,
) -> Option<RoomDeed> {
    let words = &look.words.day;
    Some(match action {
        "approve" | "deny" => {
            let (agent, is_yes) = (form.text("agent"), action == "approve");
            let decided = match form.number("number") {
                Some(number) => host.decide(agent, number, is_yes).await,
                None => Err(PageFault::Gone),
            };
            let told = if is_yes { &words.approved } else { &words.denied };
            outcome(decided, &fill(told, &[("agent", agent)]), look)
        }
        "remove-watch" => {
            let removed = match form.number("id") {
                Some(id) => host.remove_watch(id).await,
                None => Err(PageFault::Gone),
            };
            outcome(removed, &words.removed_watch, look)
        }
        _ => return goals::act(action, host, look, form).await,
    })
}
