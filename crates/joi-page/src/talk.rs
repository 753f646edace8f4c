//! Push to talk: what is said into the microphone of a browser that is signed in.
//!
//! In: one request with the whole of it, 16-bit samples at 16 kHz, mono. Out: what was typed, as far as the program is
//! concerned: the words go the way of typed ones, and appear on every open page. Nothing of the sound is kept.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use joi_serve::LargeBodies;
use serde_json::json;

use crate::form::cookie;
use crate::notice::PageNotice;
use crate::state::SharedPage;
use crate::{PageAccess, PageFault, PageHost};

/// Where it is sent.
pub(crate) const PATH: &str = "/talk";
/// The header that brings the key of the page, which forms have as a field.
const KEY: &str = "x-joi-key";
/// Samples of a second.
const RATE: usize = 16_000;
/// Bytes of the longest: half a minute.
const MOST_BYTES: usize = 30 * RATE * 2;
/// Samples of the shortest: a press that was not meant to be one is shorter.
const LEAST_SAMPLES: usize = RATE * 3 / 10;
/// Time for the longest to come, over a slow radio network.
const WITHIN: Duration = Duration::from_secs(12);
/// Recordings on their way at the same time.
const AT_ONCE: usize = 2;

/// Returns the rule by which the endpoint takes such a body: of a browser that is signed in, from our own page.
pub(crate) fn bodies(access: PageAccess) -> LargeBodies {
    let admits = move |headers: &HeaderMap| {
        let visitor = cookie(headers).and_then(|cookie| access.visitor(cookie));
        visitor.is_some_and(|visitor| brings_key(headers, &visitor.form_key()))
    };
    LargeBodies::new((PATH, MOST_BYTES), WITHIN, AT_ONCE, admits)
}

fn brings_key(headers: &HeaderMap, key: &str) -> bool {
    headers.get(KEY).is_some_and(|brought| brought.as_bytes() == key.as_bytes())
}

/// Takes a recording, and asks what was said in it.
pub(crate) async fn talk<H: PageHost>(
    State(server): SharedPage<H>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(visitor) = server.visitor(&headers) else { return StatusCode::UNAUTHORIZED.into_response() };
    if !brings_key(&headers, &visitor.form_key()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let look = server.look(&headers, String::new());
    if !server.talks.allows(server.clock.now().timestamp()) {
        return (StatusCode::TOO_MANY_REQUESTS, outcome("failed", &look.words.now.not_yet)).into_response();
    }
    let samples = samples(&body);
    let heard = match samples.len() < LEAST_SAMPLES {
        true => Err(PageFault::Unclear),
        false => server.host.understand(samples).await,
    };
    match heard.and_then(|words| server.host.ask(words)) {
        Ok(()) => outcome("done", "").into_response(),
        Err(fault) => outcome("failed", &PageNotice::fault(fault, &look.words).text).into_response(),
    }
}

fn outcome(tone: &str, text: &str) -> Json<serde_json::Value> {
    Json(json!({ "tone": tone, "text": text }))
}

/// Returns samples from −1 to 1; an odd byte at the end is left out.
fn samples(bytes: &[u8]) -> Vec<f32> {
    let pairs = bytes.as_chunks::<2>().0;
    pairs.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32_768.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_little_endian_and_between_minus_one_and_one() {
        assert_eq!(samples(&[0, 0, 0, 0x80, 0, 0x40, 7]), [0.0, -1.0, 0.5]);
        assert!(samples(&[1]).is_empty());
    }
}
