//! Signing a browser in and out.
//!
//! The link of `joi page` is this page with a code behind `#`, which browsers send nowhere: the script of the page takes it
//! from the address, removes it there, and sends it as a form. Without the script the code is typed.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use joi_serve::PeerAddress;
use maud::html;

use crate::form::{COOKIE, FormFields};
use crate::look::Look;
use crate::sessions::{EntryVerdict, SESSION_LASTS};
use crate::state::{PageServer, SharedPage};
use crate::{PageHost, shell};

/// Shows the form for a code.
pub(crate) async fn form<H: PageHost>(State(server): SharedPage<H>, headers: HeaderMap) -> Response {
    let look = server.look(&headers, String::new());
    door(&look, None).into_response()
}

/// Takes a code.
pub(crate) async fn enter<H: PageHost>(
    State(server): SharedPage<H>,
    Extension(PeerAddress(peer)): Extension<PeerAddress>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let look = server.look(&headers, String::new());
    let form = FormFields::read(&body);
    let name = headers.get(header::USER_AGENT).and_then(|name| name.to_str().ok()).unwrap_or_default();
    match server.access.enter(form.text("code"), peer, name) {
        Ok(secret) => {
            let lasts = SESSION_LASTS.as_secs();
            let cookie = format!("{COOKIE}={}; Path=/; Max-Age={lasts}; HttpOnly; SameSite=Strict", secret.0);
            // As the browser sees it: somebody in front of this endpoint may encrypt.
            let origin = headers.get(header::ORIGIN).map(HeaderValue::as_bytes).unwrap_or_default();
            let cookie = if origin.starts_with(b"https://") { cookie + "; Secure" } else { cookie };
            with_cookie(Redirect::to("/").into_response(), &cookie)
        }
        Err(EntryVerdict::TooMany) => {
            let page = door(&look, Some(&look.words.enter.too_many));
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "60")], page).into_response()
        }
        Err(EntryVerdict::Wrong | EntryVerdict::Allowed) => {
            (StatusCode::FORBIDDEN, door(&look, Some(&look.words.enter.wrong))).into_response()
        }
    }
}

/// Signs the browser out.
pub(crate) async fn leave<H: PageHost>(
    State(server): State<Arc<PageServer<H>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let look = server.look(&headers, String::new());
    let form = FormFields::read(&body);
    if let Some(visitor) = server.visitor(&headers) {
        if visitor.form_key() != form.text("key") {
            return StatusCode::FORBIDDEN.into_response();
        }
        server.access.sign_out(Some(&visitor.id()));
    }
    let gone = format!("{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    with_cookie(door(&look, Some(&look.words.enter.left)).into_response(), &gone)
}

fn with_cookie(mut response: Response, cookie: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

fn door(look: &Look, why: Option<&str>) -> shell::Document {
    let words = &look.words.enter;
    shell::outside_with(
        look,
        &words.title,
        &html! {
            p { (words.how) }
            p { code class="command" { "joi page" } }
            div role="status" aria-live="polite" {
                @if let Some(why) = why { p class="notice bad" { (why) } }
            }
            form id="enter" method="post" action="/enter" data-busy=(words.busy) {
                label for="code" { (words.token) }
                input id="code" name="code" required autocomplete="off" autocapitalize="none" spellcheck="false";
                button class="main" type="submit" { (words.enter) }
            }
        },
    )
}
