//! The files of the page: style, scripts, icon. They are part of the program.
//!
//! Their address holds a version of all of them, so that browsers keep them and yet never use old ones.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::secret;

/// Name, type and bytes.
const FILES: [(&str, &str, &str); 5] = [
    ("page.css", "text/css; charset=utf-8", include_str!("../assets/page.css")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("../assets/page.js")),
    ("talk.js", "text/javascript; charset=utf-8", include_str!("../assets/talk.js")),
    ("recorder.js", "text/javascript; charset=utf-8", include_str!("../assets/recorder.js")),
    ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

static VERSION: LazyLock<String> =
    LazyLock::new(|| secret::version(FILES.map(|(_, _, text)| text).concat().as_bytes()));

/// Returns the address of a file.
pub(crate) fn path(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}

/// Answers with a file. They hold nothing of the owner's and need no log-in.
pub(crate) async fn asset(Path((version, name)): Path<(String, String)>) -> Response {
    let found = FILES.iter().find(|(known, _, _)| *known == name).filter(|_| version == *VERSION);
    match found {
        Some((_, kind, text)) => {
            let kept = "public, max-age=31536000, immutable";
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, kept)], *text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
