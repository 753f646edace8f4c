//! Memory: what is remembered, with search, correction and forgetting; lists, timers, alarms, reminders.
//!
//! In: stored entries, forms. Out: HTML, and what came of a form. Words of somebody else are marked as such.

use joi_language::fill;
use joi_language::page::MemoryPageWords;
use maud::{Markup, html};

use super::deed::{RoomDeed, outcome};
use super::room::PageRoom;
use crate::PageFault;
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, RoomSign, badge, nothing, section};
use crate::notice::PageNotice;
use crate::views::{ListView, MemoryView, MentionsView, TimerDeed, TimerState, TimerView};

/// The kinds that entries are filtered by.
const KINDS: [&str; 5] = ["user", "wish", "world", "diary", "document"];
/// The kinds that can be added and corrected.
const OWN_KINDS: [&str; 3] = ["user", "wish", "world"];
/// Characters of the longest text of a field.
const LONGEST: u32 = 2_000;

fn kind_name<'w>(kind: &str, words: &'w MemoryPageWords) -> &'w str {
    match kind {
        "user" => &words.user,
        "wish" => &words.wish,
        "world" => &words.world,
        "diary" => &words.diary,
        "document" => &words.document,
        "said" => &words.said,
        _ => &words.any,
    }
}

fn timer_kind<'w>(kind: &str, words: &'w MemoryPageWords) -> &'w str {
    match kind {
        "alarm" => &words.alarm,
        "reminder" => &words.reminder,
        "house" => &words.house,
        _ => &words.timer,
    }
}

/// What this room needs of the program.
pub trait MemoryHost: Send + Sync + 'static {
    /// Returns entries of the memory, newest first; only of `kind` where that is one.
    fn memories(&self, kind: &str) -> impl Future<Output = Result<Vec<MemoryView>, PageFault>> + Send;

    /// Returns what would be recalled for `words`.
    fn search(&self, words: &str) -> impl Future<Output = Result<Vec<MemoryView>, PageFault>> + Send;

    /// Remembers a text of the owner's, about `kind`: user, wish or world.
    fn remember(&self, kind: &str, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Puts a text in the place of that of an entry.
    fn correct(&self, id: i64, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Erases an entry.
    fn forget(&self, id: i64) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Returns how much mentions `topic`.
    fn mentions(&self, topic: &str) -> impl Future<Output = Result<MentionsView, PageFault>> + Send;

    /// Erases whatever mentions `topic`; returns how much that was.
    fn forget_about(&self, topic: &str) -> impl Future<Output = Result<MentionsView, PageFault>> + Send;

    /// Returns all lists.
    fn lists(&self) -> impl Future<Output = Result<Vec<ListView>, PageFault>> + Send;

    /// Puts a text of the owner's on a list.
    fn add_to_list(&self, list: &str, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Takes an entry off a list.
    fn remove_from_list(&self, list: &str, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Returns all timers, alarms and reminders.
    fn timers(&self) -> impl Future<Output = Result<Vec<TimerView>, PageFault>> + Send;

    /// Sets one as it would be said: `when`, a name, or words to be said then. Returns what came of it, in one sentence.
    fn set_timer(
        &self,
        when: &str,
        name: &str,
        remind: &str,
    ) -> impl Future<Output = Result<String, PageFault>> + Send;

    /// Does something with a timer; returns what came of it, in one sentence.
    fn change_timer(
        &self,
        id: i64,
        deed: TimerDeed,
    ) -> impl Future<Output = Result<String, PageFault>> + Send;
}

/// Returns this room.
pub(super) fn room<H: MemoryHost>() -> PageRoom<H> {
    PageRoom {
        sign: RoomSign {
            path: "/memory",
            place: "thumb",
            icon: "M6 4h11a1 1 0 0 1 1 1v15.500l-6.500-4-6.500 4V5a1 1 0 0 1 1-1",
            title: |words| &words.memory.title,
        },
        show: |visit| Box::pin(show(visit.host(), visit.look, visit.fields)),
        act: |action, visit| Box::pin(act(action, visit.host(), visit.look, visit.fields)),
    }
}

/// Returns the page.
pub(super) async fn show<H: MemoryHost>(
    host: &H,
    look: &Look,
    query: &FormFields,
) -> Result<Markup, PageFault> {
    let words = &look.words.memory;
    let (asked, kind, topic) = (query.text("q"), query.text("kind"), query.text("about"));
    let found = if asked.is_empty() { host.memories(kind).await? } else { host.search(asked).await? };
    let mentions = if topic.is_empty() { None } else { Some(host.mentions(topic).await?) };
    let (lists, timers) = (host.lists().await?, host.timers().await?);
    let title = if asked.is_empty() { words.newest.clone() } else { fill(&words.found, &[("words", asked)]) };
    Ok(html! {
        div class="columns" {
            div {
                (section("search-title", &words.search, &search(asked, kind, look)))
                (section("found-title", &title, &entries(&found, look)))
            }
            div {
                (section("add-title", &words.add, &add(look)))
                (section("timers-title", &words.timers, &timers_of(&timers, look)))
                (section("lists-title", &words.lists, &lists_of(&lists, look)))
                (section("forget-title", &words.forget_about, &html! {
                    form method="get" action="/memory" class="bar" {
                        div class="field" {
                            label for="about" { (words.forget_about_label) }
                            input id="about" name="about" value=(topic) maxlength="200" required;
                        }
                        button type="submit" { (words.forget_look) }
                    }
                    @if let Some(found) = mentions { (mentioned(topic, found, look)) }
                }))
            }
        }
    })
}

fn search(asked: &str, kind: &str, look: &Look) -> Markup {
    let words = &look.words.memory;
    html! {
        form method="get" action="/memory" class="bar" role="search" {
            div class="field" {
                label for="q" { (words.search_label) }
                input id="q" name="q" type="search" value=(asked) maxlength="200";
            }
            button class="main" type="submit" { (words.search) }
        }
        nav class="chips apart" aria-label=(words.kind) {
            @for one in [""].into_iter().chain(KINDS) {
                a href={ "/memory?kind=" (one) } aria-current=[(asked.is_empty() && one == kind).then_some("true")] { (kind_name(one, words)) }
            }
        }
    }
}

fn entries(found: &[MemoryView], look: &Look) -> Markup {
    let words = &look.words.memory;
    html! {
        @if found.is_empty() { (nothing(&words.nothing)) }
        ul class="items" { @for entry in found { li { (one_entry(entry, look)) } } }
    }
}

fn one_entry(entry: &MemoryView, look: &Look) -> Markup {
    let words = &look.words.memory;
    html! {
        div class="line quiet" {
            (badge(BadgeTone::Quiet, kind_name(entry.kind, words)))
            (look.moment(entry.at))
            @if !entry.source.is_empty() { span { (fill(&words.from, &[("source", &entry.source)])) } }
            @if entry.is_foreign { (badge(BadgeTone::Fair, &look.words.shell.foreign)) }
        }
        p class="text" { (entry.text) }
        @if let Some(id) = entry.id {
            div class="actions" {
                (look.button("memory/forget", "small danger", &words.forget, &[("id", &id.to_string())]))
                @if OWN_KINDS.contains(&entry.kind) { (correct(id, entry, look)) }
            }
        }
    }
}

fn correct(id: i64, entry: &MemoryView, look: &Look) -> Markup {
    let words = &look.words.memory;
    html! {
        details class="correct" {
            summary { (words.correct) }
            (look.form("memory/correct", "apart", &html! {
                input type="hidden" name="id" value=(id);
                div class="field" {
                    label for={ "text-" (id) } { (words.add_label) }
                    textarea id={ "text-" (id) } name="text" maxlength=(LONGEST) required { (entry.text) }
                }
                button class="main" type="submit" { (look.words.shell.save) }
            }))
        }
    }
}

fn add(look: &Look) -> Markup {
    let words = &look.words.memory;
    look.form(
        "memory/add",
        "",
        &html! {
            div class="field" {
                label for="new" { (words.add_label) }
                textarea id="new" name="text" maxlength=(LONGEST) required {}
            }
            div class="bar" {
                div class="field" {
                    label for="new-kind" { (words.kind) }
                    select id="new-kind" name="kind" {
                        @for kind in OWN_KINDS { option value=(kind) { (kind_name(kind, words)) } }
                    }
                }
                button class="main" type="submit" { (look.words.shell.save) }
            }
        },
    )
}

fn mentioned(topic: &str, found: crate::MentionsView, look: &Look) -> Markup {
    let words = &look.words.memory;
    let count = |count: usize| count.to_string();
    let is_nothing = found.messages + found.turns + found.memories == 0;
    html! {
        @if is_nothing {
            p class="apart" { (fill(&words.forget_none, &[("topic", topic)])) }
        } @else {
            p class="apart" {
                (fill(&words.forget_found, &[("topic", topic), ("messages", &count(found.messages)),
                    ("turns", &count(found.turns)), ("memories", &count(found.memories))]))
            }
            (look.button("memory/forget-about", "danger", &words.forget_all, &[("about", topic)]))
        }
    }
}

fn lists_of(lists: &[ListView], look: &Look) -> Markup {
    let words = &look.words.memory;
    html! {
        @if lists.is_empty() { (nothing(&words.no_lists)) }
        @for (number, list) in lists.iter().enumerate() {
            h3 { (list.name) " " @if list.is_foreign { (badge(BadgeTone::Fair, &look.words.shell.foreign)) } }
            ul class="items" {
                @for entry in &list.entries {
                    li {
                        div class="line" {
                            span { (entry) }
                            (look.button("memory/off-list", "small", &look.words.shell.remove, &[("list", &list.name), ("text", entry)]))
                        }
                    }
                }
            }
            (look.form("memory/on-list", "bar apart", &html! {
                input type="hidden" name="list" value=(list.name);
                div class="field" {
                    label for={ "list-" (number) } { (fill(&words.add_to_list, &[("list", &list.name)])) }
                    input id={ "list-" (number) } name="text" maxlength="200" required;
                }
                button type="submit" { (look.words.shell.save) }
            }))
        }
    }
}

fn timers_of(timers: &[TimerView], look: &Look) -> Markup {
    let words = &look.words.memory;
    html! {
        @if timers.is_empty() { (nothing(&words.no_timers)) }
        ul class="items" { @for timer in timers { li { (one_timer(timer, look)) } } }
        (look.form("memory/set-timer", "apart", &html! {
            div class="field" {
                label for="when" { (words.timer_when) }
                input id="when" name="when" maxlength="200" required placeholder=(words.timer_example);
            }
            div class="fields" {
                div class="field" { label for="timer-name" { (words.timer_name) } input id="timer-name" name="name" maxlength="80"; }
                div class="field" { label for="remind" { (words.timer_remind) } input id="remind" name="remind" maxlength="300"; }
            }
            button class="main" type="submit" { (words.timer_add) }
        }))
    }
}

fn one_timer(timer: &TimerView, look: &Look) -> Markup {
    let words = &look.words.memory;
    let id = timer.id.to_string();
    let id = [("id", id.as_str())];
    html! {
        div class="line" {
            (badge(BadgeTone::Quiet, timer_kind(timer.kind, words))) strong { (timer.name) }
            @match timer.state {
                TimerState::Waiting => span { (timer.left) },
                TimerState::Paused => (badge(BadgeTone::Fair, &words.paused)),
                TimerState::Ringing => (badge(BadgeTone::Bad, &words.rings)),
                TimerState::Missed => (badge(BadgeTone::Fair, &words.missed)),
            }
        }
        @if !timer.due.is_empty() { p class="text quiet" { (timer.due) } }
        div class="actions" {
            (look.button("memory/cancel-timer", "small danger", &words.timer_cancel, &id))
            @if timer.can_pause && timer.state == TimerState::Waiting { (look.button("memory/pause-timer", "small", &words.timer_pause, &id)) }
            @if timer.state == TimerState::Paused { (look.button("memory/resume-timer", "small", &words.timer_resume, &id)) }
        }
    }
}

/// Does what a form asks for.
pub(super) async fn act<H: MemoryHost>(
    action: &str,
    host: &H,
    look: &Look,
    form: &FormFields,
) -> Option<RoomDeed> {
    let words = &look.words.memory;
    let (text, id) = (form.text("text"), form.number::<i64>("id").unwrap_or(-1));
    let deed = match action {
        "cancel-timer" => Some(TimerDeed::Cancel),
        "pause-timer" => Some(TimerDeed::Pause),
        "resume-timer" => Some(TimerDeed::Resume),
        _ => None,
    };
    if let Some(deed) = deed {
        return Some(reported(host.change_timer(id, deed).await, look));
    }
    Some(match action {
        "add" => outcome(host.remember(form.text("kind"), text).await, &words.added, look),
        "correct" => outcome(host.correct(id, text).await, &words.corrected, look),
        "forget" => outcome(host.forget(id).await, &words.forgotten, look),
        "on-list" => outcome(host.add_to_list(form.text("list"), text).await, &words.added_to_list, look),
        "off-list" => {
            outcome(host.remove_from_list(form.text("list"), text).await, &words.removed_from_list, look)
        }
        "set-timer" => {
            reported(host.set_timer(form.text("when"), form.text("name"), form.text("remind")).await, look)
        }
        "forget-about" => match host.forget_about(form.text("about")).await {
            Ok(gone) => {
                let count = |count: usize| count.to_string();
                PageNotice::done(fill(
                    &words.forgotten_about,
                    &[
                        ("messages", &count(gone.messages)),
                        ("turns", &count(gone.turns)),
                        ("memories", &count(gone.memories)),
                    ],
                ))
                .into()
            }
            Err(fault) => PageNotice::fault(fault, &look.words).into(),
        },
        _ => return None,
    })
}

fn reported(result: Result<String, PageFault>, look: &Look) -> RoomDeed {
    match result {
        Ok(sentence) => PageNotice::done(sentence).into(),
        Err(fault) => PageNotice::fault(fault, &look.words).into(),
    }
}
