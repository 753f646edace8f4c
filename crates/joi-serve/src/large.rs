//! Bodies that are larger than those of other requests, such as sound.
//!
//! In: path and headers of a request. Out: the limits of its body. Only requests that are admitted by their headers may
//! bring a large one, and only so many at the same time, so that nobody else fills the memory of this machine.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::EndpointRules;

type Admits = Arc<dyn Fn(&HeaderMap) -> bool + Send + Sync>;

/// The requests of an endpoint that may bring a large body.
#[derive(Clone)]
pub struct LargeBodies {
    path: &'static str,
    bytes: usize,
    within: Duration,
    places: Arc<Semaphore>,
    admits: Admits,
}

/// The limits of one body.
pub(crate) struct BodyLimits {
    pub(crate) bytes: usize,
    pub(crate) within: Duration,
    /// Held until the request is answered.
    _place: Option<OwnedSemaphorePermit>,
}

impl LargeBodies {
    /// Bodies of at most `bytes` for `path`, each of which must have come `within` this time, `at_once` at the same time.
    pub fn new(
        (path, bytes): (&'static str, usize),
        within: Duration,
        at_once: usize,
        admits: impl Fn(&HeaderMap) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { path, bytes, within, places: Arc::new(Semaphore::new(at_once)), admits: Arc::new(admits) }
    }
}

impl fmt::Debug for LargeBodies {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("LargeBodies")
            .field("path", &self.path)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl EndpointRules {
    /// Returns the limits of the body of a request.
    ///
    /// # Errors
    /// It may be a large one, and as many as there may be are on their way.
    #[expect(clippy::result_large_err, reason = "the refusal is sent at once")]
    pub(crate) fn body_limits(&self, path: &str, headers: &HeaderMap) -> Result<BodyLimits, Response> {
        let large = self.large_bodies.as_ref().filter(|large| large.path == path && (large.admits)(headers));
        let Some(large) = large else {
            return Ok(BodyLimits { bytes: self.body_bytes, within: self.times.body, _place: None });
        };
        match Arc::clone(&large.places).try_acquire_owned() {
            Ok(place) => Ok(BodyLimits { bytes: large.bytes, within: large.within, _place: Some(place) }),
            Err(_) => Err((StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")]).into_response()),
        }
    }
}
