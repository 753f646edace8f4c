//! Health: services, devices, models, checks, the newest warnings, backups, and the browsers that are signed in.
//!
//! In: how the program is. Out: HTML, and browsers that are signed out.

use joi_language::fill;
use joi_language::page::HealthWords;
use maud::{Markup, html};

use super::deed::RoomDeed;
use super::now::device;
use super::room::PageRoom;
use crate::PageFault;
use crate::access::{PageAccess, Visitor};
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, RoomSign, badge, nothing, section, table};
use crate::notice::PageNotice;
use crate::state::PageServer;
use crate::views::{CheckTone, CheckView, HealthView, PartView};

/// What this room needs of the program.
pub trait HealthHost: Send + Sync + 'static {
    /// Returns how all parts are. Reads a few small files.
    fn health(&self) -> HealthView;

    /// Checks what is stored on this machine, as `joi doctor` does.
    fn checks(&self) -> impl Future<Output = Result<Vec<CheckView>, PageFault>> + Send;
}

/// Returns this room.
pub(super) fn room<H: HealthHost>() -> PageRoom<H> {
    PageRoom {
        sign: RoomSign {
            path: "/health",
            place: "corner second",
            icon: "M12 20s-7.500-4.600-7.500-10.200A4.200 4.200 0 0 1 12 7.300a4.200 4.200 0 0 1 7.500 2.500C19.500 15.400 12 20 12 20",
            title: |words| &words.health.title,
        },
        show: |visit| Box::pin(show(visit.server, visit.look, visit.fields, visit.visitor)),
        act: |action, visit| {
            Box::pin(async move { act(action, &visit.server.access, visit.look, visit.fields) })
        },
    }
}

/// Returns the page; it checks what is stored where the query asks for it.
pub(super) async fn show<H: HealthHost>(
    server: &PageServer<H>,
    look: &Look,
    query: &FormFields,
    visitor: &Visitor,
) -> Result<Markup, PageFault> {
    let health = server.host.health();
    let checked = if query.text("check").is_empty() { None } else { Some(server.host.checks().await?) };
    let words = &look.words.health;
    Ok(html! {
        (summary(&health, checked.as_deref(), look))
        (section("checks-title", &words.checks, &checks(checked.as_deref(), look)))
        div class="columns" {
            div {
                (section("devices-title", &words.devices, &devices(&health, look)))
                (section("machine-title", &words.machine, &machine(&health, look)))
                (section("backups-title", &words.backups, &backups(&health, look)))
            }
            div {
                (section("services-title", &words.services, &services(&health, look)))
                (section("browsers-title", &words.sessions, &browsers(&server.access, look, visitor)))
            }
        }
        (section("log-title", &words.log, &log(&health, look)))
    })
}

fn summary(health: &HealthView, checked: Option<&[CheckView]>, look: &Look) -> Markup {
    let words = &look.words.health;
    let services = health.services.iter().filter(|one| is_down(&one.state)).count();
    let parts = health.parts.iter().filter(|part| !part.is_well).count();
    let devices = [&health.microphone, &health.speaker];
    let faults = devices.into_iter().filter(|device| matches!(device, crate::DeviceView::Fault(_))).count();
    let bad = checked.unwrap_or_default().iter().filter(|check| check.tone == CheckTone::Bad).count();
    let count = services + parts + faults + bad + usize::from(!health.has_chat);
    section(
        "summary-title",
        &words.summary,
        &html! {
            p class="line" {
                @if count == 0 { (badge(BadgeTone::Good, &words.well)) }
                @else { (badge(BadgeTone::Fair, &fill(&words.unwell, &[("count", &count.to_string())]))) }
            }
            dl class="facts" {
                dt { (words.version) } dd { (health.version) }
                dt { (words.uptime) } dd { (length(health.uptime_s)) }
            }
        },
    )
}

fn is_down(state: &str) -> bool {
    matches!(state, "restarting" | "given_up" | "left_behind")
}

/// Returns a length as "2 d 3 h", "5 h 12 min" or "4 min".
fn length(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes} min"),
        (0, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

fn checks(checked: Option<&[CheckView]>, look: &Look) -> Markup {
    let words = &look.words.health;
    html! {
        @match checked {
            None => p class="quiet" { (words.unchecked) },
            Some(rows) => {
                ul class="items" {
                    @for check in rows {
                        li {
                            div class="line" {
                                (verdict(check.tone, words)) strong { (check.what) } span { (check.text) }
                            }
                            @if !check.remedy.is_empty() { p class="text quiet" { "→ " (check.remedy) } }
                        }
                    }
                }
                p class="quiet apart" { (fill(&words.checked, &[("time", &look.now.strftime("%H:%M:%S").to_string())])) }
            },
        }
        form method="get" action="/health" {
            input type="hidden" name="check" value="1";
            button type="submit" { (words.check_again) }
        }
    }
}

fn verdict(tone: CheckTone, words: &HealthWords) -> Markup {
    match tone {
        CheckTone::Good => badge(BadgeTone::Good, &words.good),
        CheckTone::Fair => badge(BadgeTone::Fair, &words.fair),
        CheckTone::Bad => badge(BadgeTone::Bad, &words.bad),
    }
}

fn well(is_well: bool, words: &HealthWords) -> Markup {
    verdict(if is_well { CheckTone::Good } else { CheckTone::Bad }, words)
}

fn devices(health: &HealthView, look: &Look) -> Markup {
    let (words, now) = (&look.words.health, &look.words.now);
    let part =
        |part: &PartView| html! { dt { (part.name) } dd { (well(part.is_well, words)) " " (part.text) } };
    html! {
        dl class="facts" {
            dt { (now.microphone) } dd { (device(&health.microphone, look)) }
            dt { (now.speaker) } dd { (device(&health.speaker, look)) }
            dt { (words.speech) } dd { (health.speech) }
            dt { (words.voice) } dd { (health.voice) }
            dt { (words.chat) } dd { (well(health.has_chat, words)) " " (health.chat) }
            @for one in &health.parts { (part(one)) }
        }
    }
}

fn services(health: &HealthView, look: &Look) -> Markup {
    let words = &look.words.health;
    let state = |state: &str| match state {
        "running" => (BadgeTone::Good, &words.running),
        "restarting" => (BadgeTone::Fair, &words.restarting),
        "given_up" => (BadgeTone::Bad, &words.given_up),
        "ending" => (BadgeTone::Quiet, &words.ending),
        "ended" => (BadgeTone::Quiet, &words.ended),
        _ => (BadgeTone::Bad, &words.left_behind),
    };
    let rows: Vec<Vec<Markup>> = health
        .services
        .iter()
        .map(|service| {
            let (tone, label) = state(&service.state);
            vec![
                html! { (service.name) @if let Some(note) = &service.note { br; span class="quiet" { (note) } } },
                badge(tone, label),
                html! { (service.restarts) },
            ]
        })
        .collect();
    table(&words.services, &[&words.service, &words.state, &words.restarts], &rows)
}

fn machine(health: &HealthView, look: &Look) -> Markup {
    let words = &look.words.health;
    let room = |(free, total): (u64, u64)| {
        let gigabytes = |bytes: u64| bytes as f64 / 1e9;
        html! { (format!("{:.1} / {:.1} GB", gigabytes(free), gigabytes(total))) }
    };
    html! {
        dl class="facts" {
            @if let Some(degrees) = health.temperature_c { dt { (words.temperature) } dd { (format!("{degrees:.0} °C")) } }
            @if let Some(memory) = health.memory { dt { (words.memory) } dd { (room(memory)) } }
            @if let Some(disk) = health.disk { dt { (words.disk) } dd { (room(disk)) } }
            @for (name, length, capacity) in &health.queues {
                dt { (words.queues) ": " (name) } dd { (length) " / " (capacity) }
            }
        }
    }
}

fn backups(health: &HealthView, look: &Look) -> Markup {
    let words = &look.words.health;
    html! {
        @match &health.backups {
            None => (nothing(&words.no_backups)),
            Some((part, newest)) => {
                p { (well(part.is_well, words)) " " (part.text) }
                @if let Some(at) = newest { p class="quiet" { (words.newest_backup.replace("{at}", "")) (look.moment_of(at)) } }
            },
        }
    }
}

fn log(health: &HealthView, look: &Look) -> Markup {
    let words = &look.words.health;
    html! {
        @if health.log.is_empty() { (nothing(&words.no_log)) }
        ul class="items" {
            @for entry in &health.log {
                li {
                    div class="line quiet" {
                        (badge(if entry.is_error { BadgeTone::Bad } else { BadgeTone::Fair }, if entry.is_error { "error" } else { "warn" }))
                        (look.moment_of(&entry.at)) code { (entry.from) }
                        @if entry.times > 1 { (fill(&words.times, &[("count", &entry.times.to_string())])) }
                    }
                    p class="text" { (entry.text) }
                }
            }
        }
    }
}

fn browsers(access: &PageAccess, look: &Look, visitor: &Visitor) -> Markup {
    let (words, own) = (&look.words.health, visitor.id());
    let around = |sentence: &str, at| html! { (sentence.replace("{at}", "")) (look.moment(at)) };
    html! {
        ul class="items" {
            @for browser in access.browsers() {
                li {
                    div class="line" {
                        span { (browser.name) }
                        @if browser.id == own { (badge(BadgeTone::Good, &words.this_browser)) }
                    }
                    div class="line quiet" { span { (around(&words.since, browser.since)) } span { (around(&words.seen, browser.seen)) } }
                    div class="actions" {
                        @if browser.id != own { (look.button("health/revoke", "small danger", &words.revoke, &[("browser", &browser.id)])) }
                    }
                }
            }
        }
        div class="actions apart" {
            form class="inline" method="post" action="/leave" {
                input type="hidden" name="key" value=(look.form_key);
                button type="submit" { (look.words.shell.leave) }
            }
            (look.button("health/revoke-all", "danger", &words.revoke_all, &[]))
        }
    }
}

/// Signs browsers out.
pub(super) fn act(action: &str, access: &PageAccess, look: &Look, form: &FormFields) -> Option<RoomDeed> {
    let count = match action {
        "revoke" => access.sign_out(Some(form.text("browser"))),
        "revoke-all" => access.sign_out(None),
        _ => return None,
    };
    let notice = if count > 0 {
        PageNotice::done(&look.words.health.revoked)
    } else {
        PageNotice::fault(PageFault::Gone, &look.words)
    };
    Some(notice.into())
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn a_length_has_two_units_at_most() {
        assert_eq!(
            [59, 3_600 * 5 + 720, 86_400 * 2 + 3_600 * 3].map(length),
            ["0 min", "5 h 12 min", "2 d 3 h"]
        );
    }
}
