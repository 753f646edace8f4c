//! Routes of the page, and what holds for each of its answers.
//!
//! Tasks of the listener. In: requests. Out: pages for browsers that are signed in, the log-in for all others. Every
//! answer forbids to be framed, stored, guessed at or filled with anything from elsewhere.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use joi_base::clock::Clock;
use joi_serve::{EndpointRules, PageRequests, RequestTimes, TlsIdentity};
use maud::html;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::form::FormFields;
use crate::notice::{Notices, PageNotice};
use crate::pace::TalkPace;
use crate::rooms::{PageRoom, RoomVisit, rooms};
use crate::state::{PageLanguage, PageServer, SharedPage};
use crate::{PageAccess, PageHost, act, assets, enter, shell, stream, talk};

/// Bytes of the largest form.
const BODY_BYTES: usize = 16 * 1024;
/// Connections at the same time: each open page has one for its events.
const CONNECTIONS: usize = 96;
/// The same of one address.
const CONNECTIONS_OF_A_PEER: usize = 64;
/// Streams of events at the same time.
const STREAMS: usize = 32;

/// What links and forms say of where they come from: nothing to other sites. With less the browser would hide from our own
/// endpoint as well that a form is ours (`Origin: null`).
const REFERRER: &str = "same-origin";

/// What a browser may load: its own page's files, and nothing of anybody else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What the page is made of.
pub struct PageParts<H> {
    /// The program that is shown.
    pub host: Arc<H>,
    /// Who may see it.
    pub access: PageAccess,
    /// The language of browsers that prefer none of the others.
    pub language: PageLanguage,
    /// Further languages.
    pub others: Vec<PageLanguage>,
    /// Dates what is shown.
    pub clock: Arc<dyn Clock>,
    /// Ends the streams.
    pub stop: CancellationToken,
}

/// Returns the rules of an endpoint that serves the page, to browsers that may also call it by one of `names`, over TLS
/// where it has a certificate. Those with `access` may send what was said.
pub fn rules(names: &[String], tls: Option<TlsIdentity>, access: &PageAccess) -> EndpointRules {
    EndpointRules {
        body_bytes: BODY_BYTES,
        connections: CONNECTIONS,
        connections_of_a_peer: CONNECTIONS_OF_A_PEER,
        token: None,
        tls,
        pages: PageRequests::Own { names: names.to_vec() },
        times: RequestTimes { whole: Duration::from_secs(30), ..RequestTimes::default() },
        large_bodies: Some(talk::bodies(access.clone())),
    }
}

/// Returns the routes of the page.
pub fn routes<H: PageHost>(parts: PageParts<H>) -> Router {
    let server = PageServer {
        host: parts.host,
        access: parts.access,
        rooms: rooms::<H>().iter().map(|room| room.sign).collect(),
        notices: Notices::default(),
        streams: Arc::new(Semaphore::new(STREAMS)),
        talks: TalkPace::default(),
        stop: parts.stop,
        language: parts.language,
        others: parts.others,
        clock: parts.clock,
    };
    let mut router = Router::new();
    for room in rooms::<H>().into_iter().map(Arc::new) {
        router = router.route(
            room.sign.path,
            get(move |shared: SharedPage<H>, headers: HeaderMap, uri: Uri| show(shared, headers, uri, room)),
        );
    }
    router
        .route("/enter", get(enter::form).post(enter::enter))
        .route("/leave", post(enter::leave))
        .route("/do/{room}/{action}", post(act::act))
        .route("/events", get(stream::events))
        .route(talk::PATH, post(talk::talk))
        .route("/assets/{version}/{name}", get(assets::asset))
        .fallback(not_found)
        .layer(from_fn(guarded))
        .with_state(Arc::new(server))
}

/// Shows a room; the log-in to a browser that is not signed in.
async fn show<H: PageHost>(
    State(server): SharedPage<H>,
    headers: HeaderMap,
    uri: Uri,
    room: Arc<PageRoom<H>>,
) -> Response {
    let Some(visitor) = server.visitor(&headers) else { return Redirect::to("/enter").into_response() };
    let look = server.look(&headers, visitor.form_key());
    let query = FormFields::read(uri.query().unwrap_or_default().as_bytes());
    let visit = RoomVisit { server: &server, look: &look, fields: &query, visitor: &visitor };
    let body = (room.show)(visit).await.unwrap_or_else(|fault| {
        html! { p class="notice bad" role="alert" { (PageNotice::fault(fault, &look.words).text) } }
    });
    let notice = server.notices.take(&visitor.id());
    shell::page(&look, Some(&room.sign), (room.sign.title)(&look.words), notice.as_ref(), &body)
        .into_response()
}

async fn not_found<H: PageHost>(State(server): SharedPage<H>, headers: HeaderMap) -> Response {
    let is_signed_in = server.visitor(&headers).is_some();
    let look = server.look(&headers, String::new());
    let text = look.words.shell.not_found.clone();
    let page = if is_signed_in { shell::message(&look, &text) } else { shell::outside(&look, &text, &text) };
    (StatusCode::NOT_FOUND, page).into_response()
}

/// Puts on every answer what it must not be used for.
async fn guarded(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, REFERRER),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(self), geolocation=(), payment=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
