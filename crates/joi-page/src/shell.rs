//! The frame of every page: head, navigation, the place of messages.
//!
//! In: what a page shows. Out: the whole document. Pure: no I/O, no clock.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets;
use crate::look::{Look, RoomSign};
use crate::notice::{NoticeTone, PageNotice};

/// A document, as an answer.
pub(crate) type Document = axum::response::Html<String>;

/// Returns a page of a browser that is signed in.
pub(crate) fn page(
    look: &Look,
    room: Option<&RoomSign>,
    title: &str,
    notice: Option<&PageNotice>,
    body: &Markup,
) -> Document {
    let shell = &look.words.shell;
    document(
        look,
        title,
        &html! {
            a class="skip" href="#content" { (shell.skip) }
            header class="top" {
                a class="brand" href="/" { (PreEscaped(LOGO)) span { "Joi" } }
            }
            nav aria-label=(shell.menu) {
                ul {
                    @for one in look.rooms.iter() {
                        li class=(one.place) {
                            a href=(one.path) aria-current=[room.is_some_and(|room| room.path == one.path).then_some("page")] {
                                svg viewBox="0 0 24 24" aria-hidden="true" focusable="false" { path d=(one.icon) {} }
                                span { ((one.title)(&look.words)) }
                            }
                        }
                    }
                }
            }
            main id="content" tabindex="-1" {
                h1 { (title) }
                div id="notice" role="status" aria-live="polite" {
                    @if let Some(notice) = notice {
                        p class=(if notice.tone == NoticeTone::Done { "notice" } else { "notice bad" }) { (notice.text) }
                    }
                }
                (body)
            }
        },
    )
}

/// Returns a page of one sentence.
pub(crate) fn message(look: &Look, text: &str) -> Document {
    page(look, None, text, None, &html! {})
}

/// Returns a page of a browser that is not signed in.
pub(crate) fn outside(look: &Look, title: &str, text: &str) -> Document {
    outside_with(look, title, &html! { p { (text) } p { a href="/enter" { (look.words.enter.title) } } })
}

/// Returns the same with more than a sentence.
pub(crate) fn outside_with(look: &Look, title: &str, body: &Markup) -> Document {
    document(
        look,
        title,
        &html! {
            main id="content" class="door" {
                div class="door-mark" { (PreEscaped(LOGO)) }
                h1 { (title) }
                (body)
            }
        },
    )
}

fn document(look: &Look, title: &str, body: &Markup) -> Document {
    let markup = html! {
        (DOCTYPE)
        html lang=(look.lang) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " – Joi" }
                link rel="icon" href=(assets::path("icon.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(assets::path("page.css"));
                script type="module" src=(assets::path("page.js")) {}
            }
            body data-key=(look.form_key) data-lost=(look.words.shell.lost) { (body) }
        }
    };
    axum::response::Html(markup.into_string())
}

/// The sign of the page: a voice's wave.
const LOGO: &str = r#"<svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><rect width="32" height="32" rx="9"/><path d="M7 16v0M11.500 12v8M16 8v16M20.500 12v8M25 16v0"/></svg>"#;
