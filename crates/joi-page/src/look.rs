//! How a page looks for one request, and the small pieces that all rooms are made of.
//!
//! In: words of a language, values. Out: HTML whose texts are escaped. Pure: no I/O, no clock.

use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use joi_language::page::PageWords;
use maud::{Markup, html};

/// What a page is drawn with.
pub(crate) struct Look {
    pub(crate) words: Arc<PageWords>,
    /// The navigation.
    pub(crate) rooms: Arc<[RoomSign]>,
    /// Two letters.
    pub(crate) lang: String,
    /// What forms have to bring.
    pub(crate) form_key: String,
    pub(crate) now: Zoned,
    pub(crate) zone: TimeZone,
}

/// A page in the navigation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoomSign {
    /// Its address.
    pub(crate) path: &'static str,
    /// Where it stands on a small screen: at the thumb, or in the upper corner.
    pub(crate) place: &'static str,
    /// The lines of its sign, in a square of 24.
    pub(crate) icon: &'static str,
    /// Its name in the navigation, and its heading.
    pub(crate) title: fn(&PageWords) -> &str,
}

impl RoomSign {
    /// Returns its name in addresses of forms.
    pub(crate) fn name(&self) -> &'static str {
        Some(self.path.trim_start_matches('/')).filter(|name| !name.is_empty()).unwrap_or("now")
    }
}

/// The tone of a badge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadgeTone {
    Good,
    Fair,
    Bad,
    Quiet,
}

impl BadgeTone {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Good => "badge good",
            Self::Fair => "badge fair",
            Self::Bad => "badge bad",
            Self::Quiet => "badge",
        }
    }
}

impl Look {
    /// Returns a form that does `action`, given as "room/deed"; `fields` are its visible parts.
    pub(crate) fn form(&self, action: &str, class: &str, fields: &Markup) -> Markup {
        html! {
            form class=(class) method="post" action={ "/do/" (action) } {
                input type="hidden" name="key" value=(self.form_key);
                (fields)
            }
        }
    }

    /// Returns a form that is one button, with hidden fields.
    pub(crate) fn button(&self, action: &str, class: &str, label: &str, hidden: &[(&str, &str)]) -> Markup {
        self.form(
            action,
            "inline",
            &html! {
                @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
                button class=(class) type="submit" { (label) }
            },
        )
    }

    /// Returns a moment as it is read here: a time of today, or a date with its time.
    pub(crate) fn moment(&self, at: Timestamp) -> Markup {
        let local = at.to_zoned(self.zone.clone());
        let form = if local.date() == self.now.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M" };
        html! { time datetime=(at.to_string()) { (local.strftime(form).to_string()) } }
    }

    /// Returns the same of a moment in RFC 3339; text that is none is shown as it is.
    pub(crate) fn moment_of(&self, at: &str) -> Markup {
        at.parse().map_or_else(|_| html! { (at) }, |at| self.moment(at))
    }
}

/// Returns a badge.
pub(crate) fn badge(tone: BadgeTone, text: &str) -> Markup {
    html! { span class=(tone.class()) { (text) } }
}

/// Returns a section with its heading; `id` is unique on the page.
pub(crate) fn section(id: &str, title: &str, inside: &Markup) -> Markup {
    html! {
        section class="card" aria-labelledby=(id) {
            h2 id=(id) { (title) }
            (inside)
        }
    }
}

/// Returns a table that can be scrolled sideways on a small screen, where its rows become blocks.
pub(crate) fn table(label: &str, heads: &[&str], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="group" aria-label=(label) {
            table role="table" {
                thead role="rowgroup" {
                    tr role="row" { @for head in heads { th scope="col" role="columnheader" { (head) } } }
                }
                tbody role="rowgroup" {
                    @for row in rows {
                        tr role="row" {
                            @for (cell, head) in row.iter().zip(heads) { td role="cell" data-head=(head) { (cell) } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns a sentence in which commands stand between backticks, with the commands marked as such.
pub(crate) fn sentence(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    html! {
        @if parts.len().is_multiple_of(2) { (text) }
        @else {
            @for (at, part) in parts.iter().enumerate() {
                @if at.is_multiple_of(2) { (part) } @else { code { (part) } }
            }
        }
    }
}

/// Returns a sentence that stands where there is nothing.
pub(crate) fn nothing(text: &str) -> Markup {
    html! { p class="quiet" { (text) } }
}
