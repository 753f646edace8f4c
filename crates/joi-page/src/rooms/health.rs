//! Health: services, devices, models, checks, the newest warnings, backups, and the browsers that are signed in.
//!
//! In: how the program is. Out: HTML, and browsers that are signed out.

use joi_language::fill;
use joi_language::page::HealthWords;
use maud::{Markup, html};

use super::browser_name::browser_name;
use super::deed::RoomDeed;
use super::now::device;
use super::room::PageRoom;
use super::wake::{self, WakeHost};
use crate::PageFault;
use crate::access::{PageAccess, Visitor};
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, RoomSign, badge, nothing, section, sentence, table};
use crate::notice::PageNotice;
use crate::state::PageServer;
use crate::views::{CheckTone, CheckView, HealthView, ModelSpeed, ModelView, PartView, ServiceView};

/// What this room needs of the program.
pub trait HealthHost: WakeHost {
    /// Returns how all parts are. Reads a few small files.
    fn health(&self) -> HealthView;

    /// Returns the models with their speed here. Reads the heads of files that changed.
    fn models(&self) -> impl Future<Output = Result<Vec<ModelView>, PageFault>> + Send;

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
            Box::pin(async move {
                match act(action, &visit.server.access, visit.look, visit.fields) {
                    Some(done) => Some(done),
                    None => wake::act(action, visit.host(), visit.look, visit.fields).await,
                }
            })
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
    let (health, phrases) = (server.host.health(), server.host.wake().await?);
    let models_here = server.host.models().await?;
    let checked = if query.text("check").is_empty() { None } else { Some(server.host.checks().await?) };
    let words = &look.words.health;
    Ok(html! {
        (summary(&health, checked.as_deref(), look))
        (section("checks-title", &words.checks, &checks(checked.as_deref(), look)))
        div class="columns" {
            div {
                (section("devices-title", &words.devices, &devices(&health, look)))
                (section("models-title", &words.models, &models(&models_here, look)))
                (section("machine-title", &words.machine, &machine(&health, look)))
                (section("backups-title", &words.backups, &backups(&health, look)))
            }
            div {
                (section("services-title", &words.services, &services(&health, look)))
                (section("browsers-title", &words.sessions, &browsers(&server.access, look, visitor)))
            }
        }
        (section("wake-title", &look.words.wake.title, &wake::show(&phrases, look)))
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
                                (verdict(check.tone, words)) strong { (check.what) } span { (sentence(&check.text)) }
                            }
                            @if !check.remedy.is_empty() { p class="text quiet" { "→ " (sentence(&check.remedy)) } }
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
    let part = |part: &PartView| html! { dt { (part_name(part, look)) } dd { (well(part.is_well, words)) " " (sentence(&part.text)) } };
    html! {
        dl class="facts" {
            dt { (now.microphone) } dd { (device(&health.microphone, look)) }
            dt { (now.speaker) } dd { (device(&health.speaker, look)) }
            dt { (words.speech) } dd { (health.speech) }
            dt { (words.voice) } dd { (health.voice) }
            dt { (words.chat) } dd { (well(health.has_chat, words)) " " (sentence(&health.chat)) }
            @for one in &health.parts { (part(one)) }
        }
    }
}

/// Returns the name of a part: that of the house in words.
fn part_name<'p>(part: &'p PartView, look: &'p Look) -> &'p str {
    if part.name == "house" { &look.words.now.house } else { &part.name }
}

fn models(models: &[ModelView], look: &Look) -> Markup {
    let words = &look.words.health;
    let speed = |speed: ModelSpeed| match speed {
        ModelSpeed::TokensPerSecond(count) => fill(&words.per_second, &[("count", &format!("{count:.1}"))]),
        ModelSpeed::SpeechMs(ms) => fill(&words.for_speech, &[("ms", &ms.to_string())]),
    };
    html! {
        @if models.is_empty() { (nothing(&look.words.shell.none)) }
        dl class="facts" {
            @for model in models {
                dt { (model.name) }
                dd {
                    @match (&model.fault, model.speed) {
                        (Some(why), _) => { (badge(BadgeTone::Quiet, &look.words.shell.off)) " " (sentence(why)) },
                        (None, Some(measured)) => (speed(measured)),
                        (None, None) => span class="quiet" { (words.not_measured) },
                    }
                }
            }
        }
    }
}

/// Returns the services: those that do not run, and all of them where somebody wants to see them.
fn services(health: &HealthView, look: &Look) -> Markup {
    let words = &look.words.health;
    let (runs, others): (Vec<&ServiceView>, Vec<&ServiceView>) =
        health.services.iter().partition(|service| service.state == "running" && service.note.is_none());
    html! {
        p { (badge(BadgeTone::Good, &fill(&words.services_run, &[("count", &runs.len().to_string())]))) }
        @if !others.is_empty() { (service_table(&others, look)) }
        details { summary { (words.all_services) } (service_table(&runs, look)) }
    }
}

fn service_table(services: &[&ServiceView], look: &Look) -> Markup {
    let words = &look.words.health;
    let state = |state: &str| match state {
        "running" => (BadgeTone::Good, &words.running),
        "restarting" => (BadgeTone::Fair, &words.restarting),
        "given_up" => (BadgeTone::Bad, &words.given_up),
        "ending" => (BadgeTone::Quiet, &words.ending),
        "ended" => (BadgeTone::Quiet, &words.ended),
        _ => (BadgeTone::Bad, &words.left_behind),
    };
    let rows: Vec<Vec<Markup>> = services
        .iter()
        .map(|service| {
            let (tone, label) = state(&service.state);
            vec![
                html! { (service.name) @if let Some(note) = &service.note { br; span class="quiet" { (sentence(note)) } } },
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
                    p class="text" { (sentence(&entry.text)) }
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
                        span title=(browser.name) { (browser_name(&browser.name)) }
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

#[cfg(test)]
mod double {
    use super::*;
    use crate::DeviceView;
    use crate::tests::double::{HostileHost, hostile};
    use crate::views::LogView;

    impl HealthHost for HostileHost {
        fn health(&self) -> HealthView {
            let part = || PartView { name: hostile(), is_well: false, text: hostile() };
            HealthView {
                version: hostile(),
                uptime_s: 90_000,
                services: vec![ServiceView {
                    name: hostile(),
                    state: hostile(),
                    restarts: 2,
                    note: Some(hostile()),
                }],
                microphone: DeviceView::Fault(hostile()),
                speaker: DeviceView::Works(hostile()),
                speech: hostile(),
                voice: hostile(),
                chat: hostile(),
                has_chat: true,
                parts: vec![part()],
                queues: vec![(hostile(), 1, 2)],
                temperature_c: Some(50.0),
                memory: Some((1, 2)),
                disk: Some((1, 2)),
                log: vec![LogView {
                    at: hostile(),
                    is_error: true,
                    from: hostile(),
                    text: hostile(),
                    times: 3,
                }],
                backups: Some((part(), Some(hostile()))),
            }
        }

        async fn models(&self) -> Result<Vec<ModelView>, PageFault> {
            let model = |speed, fault| ModelView { name: hostile(), speed, fault };
            let (tokens, speech) = (ModelSpeed::TokensPerSecond(9.5), ModelSpeed::SpeechMs(420));
            Ok(vec![model(Some(tokens), None), model(Some(speech), None), model(None, Some(hostile()))])
        }

        async fn checks(&self) -> Result<Vec<CheckView>, PageFault> {
            Ok(vec![CheckView { what: hostile(), tone: CheckTone::Bad, text: hostile(), remedy: hostile() }])
        }
    }
}
