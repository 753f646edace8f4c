//! Takes forms: what the owner has done by one.
//!
//! In: a form of a browser that is signed in, with the key that only our own pages hold. Out: a sentence about what came of
//! it, on the page that is shown next, or to the script of the page alone.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::json;

use crate::form::FormFields;
use crate::notice::NoticeTone;
use crate::rooms::{RoomVisit, rooms};
use crate::state::SharedPage;
use crate::{PageHost, shell};

/// The header by which the script of the page asks for the sentence alone.
const LIVE: &str = "x-joi-live";

/// Does what a form asks for.
pub(crate) async fn act<H: PageHost>(
    State(server): SharedPage<H>,
    Path((room, action)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(visitor) = server.visitor(&headers) else {
        return match headers.contains_key(LIVE) {
            true => StatusCode::UNAUTHORIZED.into_response(),
            false => Redirect::to("/enter").into_response(),
        };
    };
    let look = server.look(&headers, visitor.form_key());
    let form = FormFields::read(&body);
    if form.text("key") != look.form_key {
        let text = &look.words.enter.wrong;
        return (StatusCode::FORBIDDEN, shell::message(&look, text)).into_response();
    }
    let Some(room) = rooms::<H>().into_iter().find(|known| known.sign.name() == room) else {
        return (StatusCode::NOT_FOUND, shell::message(&look, &look.words.shell.not_found)).into_response();
    };
    let visit = RoomVisit { server: &server, look: &look, fields: &form, visitor: &visitor };
    let Some(done) = (room.act)(&action, visit).await else {
        return (StatusCode::NOT_FOUND, shell::message(&look, &look.words.shell.not_found)).into_response();
    };
    if headers.contains_key(LIVE) {
        let tone = if done.notice.tone == NoticeTone::Done { "done" } else { "failed" };
        return Json(json!({ "tone": tone, "text": done.notice.text })).into_response();
    }
    server.notices.keep(visitor.id(), done.notice);
    Redirect::to(&done.back.unwrap_or_else(|| room.sign.path.to_owned())).into_response()
}
