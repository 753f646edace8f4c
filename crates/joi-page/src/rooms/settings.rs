//! Settings: every key of the configuration with its meaning, and a form for each.
//!
//! In: the configuration of this run and of the next. Out: HTML, and what came of a form.

use joi_language::fill;
use maud::{Markup, html};

use super::deed::RoomDeed;
use super::room::PageRoom;
use crate::PageFault;
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, RoomSign, badge};
use crate::notice::PageNotice;
use crate::views::{KeyOrigin, KeyView, SettingsSection, SettingsView};

/// What this room needs of the program.
pub trait SettingsHost: Send + Sync + 'static {
    /// Returns the configuration, of this run and of the next.
    fn settings(&self) -> impl Future<Output = Result<SettingsView, PageFault>> + Send;

    /// Returns whether a value may be written, without writing it.
    ///
    /// # Errors
    /// It may not.
    fn check_key(&self, key: &str, value: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Writes a key into the file, or takes it out for its default. Nothing else of the file changes.
    fn set_key(&self, key: &str, value: Option<&str>) -> impl Future<Output = Result<(), PageFault>> + Send;
}

/// Returns this room.
pub(super) fn room<H: SettingsHost>() -> PageRoom<H> {
    PageRoom {
        sign: RoomSign {
            path: "/settings",
            place: "corner",
            icon: "M4 7h9M17 7h3M4 17h3M11 17h9M17 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0M11 17a2 2 0 1 1-4 0 2 2 0 0 1 4 0",
            title: |words| &words.settings.title,
        },
        show: |visit| Box::pin(show(visit.host(), visit.look)),
        act: |action, visit| Box::pin(act(action, visit.host(), visit.look, visit.fields)),
    }
}

/// Returns the page.
pub(super) async fn show<H: SettingsHost>(host: &H, look: &Look) -> Result<Markup, PageFault> {
    let words = &look.words.settings;
    let settings = host.settings().await?;
    let is_changed = settings.sections.iter().flat_map(|section| &section.keys).any(|key| key.next.is_some());
    Ok(html! {
        p class="lead" { (fill(&words.about, &[("file", &settings.file)])) }
        @if is_changed { p class="notice fair" { (words.restart) } }
        div class="field find" hidden {
            label for="find" { (words.search) }
            input id="find" type="search" autocomplete="off";
        }
        @for section in &settings.sections { (one_section(section, look)) }
        p class="quiet" { (words.named) }
    })
}

fn one_section(section: &SettingsSection, look: &Look) -> Markup {
    let is_changed = section.keys.iter().any(|key| key.next.is_some());
    html! {
        details class="card section" open[is_changed] {
            summary { strong { code { @if section.name.is_empty() { "config.toml" } @else { "[" (section.name) "]" } } } " " span class="quiet" { (section.keys.len()) } }
            div class="apart" { @for key in &section.keys { (one_key(key, look)) } }
        }
    }
}

fn one_key(key: &KeyView, look: &Look) -> Markup {
    let words = &look.words.settings;
    let shown = key.next.as_ref().unwrap_or(&key.value);
    let is_set = key.origin == KeyOrigin::File || key.next.is_some();
    html! {
        div class="key" data-find={ (key.key) " " (key.about) } {
            (look.form("settings/set", "", &html! {
                input type="hidden" name="name" value=(key.key);
                div class="line" {
                    label for=(key.key) { code { (key.key) } }
                    @match key.origin {
                        KeyOrigin::Default => {},
                        KeyOrigin::File => (badge(BadgeTone::Quiet, &words.from_file)),
                        KeyOrigin::Elsewhere => (badge(BadgeTone::Fair, &words.from_elsewhere)),
                    }
                    @if let Some(next) = &key.next { (badge(BadgeTone::Fair, &fill(&words.differs, &[("value", next)]))) }
                }
                p class="quiet" { (key.about) }
                div class="bar" {
                    div class="field" { (field(key, shown)) }
                    button type="submit" { (look.words.shell.save) }
                }
                p class="verdict" id={ (key.key) "-verdict" } role="status" {}
            }))
            div class="line quiet" {
                span { (words.default) ": " code { (key.default) } }
                @if is_set { (look.button("settings/reset", "small", &words.back, &[("name", &key.key)])) }
            }
        }
    }
}

fn field(key: &KeyView, shown: &str) -> Markup {
    let is_known = key.choices.iter().any(|choice| choice == shown);
    html! {
        @if is_known {
            select id=(key.key) name="value" aria-describedby={ (key.key) "-verdict" } {
                @for choice in &key.choices { option value=(choice) selected[choice == shown] { (choice) } }
            }
        } @else {
            input id=(key.key) name="value" value=(shown) aria-describedby={ (key.key) "-verdict" } autocomplete="off" autocapitalize="none" spellcheck="false";
        }
    }
}

/// Writes a key.
pub(super) async fn act<H: SettingsHost>(
    action: &str,
    host: &H,
    look: &Look,
    form: &FormFields,
) -> Option<RoomDeed> {
    let words = &look.words.settings;
    let name = form.text("name");
    if action == "check" {
        return Some(match host.check_key(name, form.text("value")).await {
            Ok(()) => PageNotice::done("").into(),
            Err(PageFault::Because(why)) => PageNotice::failed(why).into(),
            Err(fault) => PageNotice::fault(fault, &look.words).into(),
        });
    }
    let (written, told) = match action {
        "set" => (host.set_key(name, Some(form.text("value"))).await, &words.saved),
        "reset" => (host.set_key(name, None).await, &words.reset),
        _ => return None,
    };
    let notice = match written {
        Ok(()) => PageNotice::done(fill(told, &[("key", name)])),
        Err(PageFault::Because(why)) => {
            PageNotice::failed(fill(&words.wrong, &[("key", name), ("why", &why)]))
        }
        Err(fault) => PageNotice::fault(fault, &look.words),
    };
    Some(notice.into())
}

#[cfg(test)]
mod double {
    use super::*;
    use crate::tests::double::{HostileHost, hostile};

    impl SettingsHost for HostileHost {
        async fn settings(&self) -> Result<SettingsView, PageFault> {
            let key = KeyView {
                key: "a.b".into(),
                about: hostile(),
                value: hostile(),
                next: Some(hostile()),
                default: hostile(),
                choices: vec![hostile()],
                origin: KeyOrigin::File,
            };
            Ok(SettingsView {
                file: hostile(),
                sections: vec![SettingsSection { name: hostile(), keys: vec![key] }],
            })
        }

        async fn check_key(&self, key: &str, value: &str) -> Result<(), PageFault> {
            self.did(format!("check {key} {value}"));
            if value == "7" { Ok(()) } else { Err(PageFault::Because(hostile())) }
        }

        async fn set_key(&self, key: &str, value: Option<&str>) -> Result<(), PageFault> {
            self.did(format!("set {key} {value:?}"));
            if key == "a.b" { Ok(()) } else { Err(PageFault::Because(hostile())) }
        }
    }
}
