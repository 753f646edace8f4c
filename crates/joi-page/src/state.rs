//! What all requests to the page share: the program behind it, who may see it, its languages.
//!
//! Any task. In: the headers of a request. Out: who sends it, and how a page looks for that browser.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use jiff::tz::TimeZone;
use joi_base::clock::Clock;
use joi_language::page::PageWords;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::PageAccess;
use crate::access::Visitor;
use crate::form::{cookie, preferred_languages};
use crate::look::{Look, RoomSign};
use crate::notice::Notices;
use crate::pace::TalkPace;

/// A language of the page.
#[derive(Debug, Clone)]
pub struct PageLanguage {
    /// Its two-letter code.
    pub code: String,
    /// Its words.
    pub words: Arc<PageWords>,
}

/// Shared by all requests.
pub(crate) struct PageServer<H> {
    pub(crate) host: Arc<H>,
    pub(crate) access: PageAccess,
    /// The navigation.
    pub(crate) rooms: Arc<[RoomSign]>,
    pub(crate) notices: Notices,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) talks: TalkPace,
    pub(crate) stop: CancellationToken,
    /// Of browsers that prefer none of the others.
    pub(crate) language: PageLanguage,
    pub(crate) others: Vec<PageLanguage>,
    pub(crate) clock: Arc<dyn Clock>,
}

pub(crate) type SharedPage<H> = State<Arc<PageServer<H>>>;

impl<H> PageServer<H> {
    /// Returns the browser that sends these headers, where it is signed in.
    pub(crate) fn visitor(&self, headers: &HeaderMap) -> Option<Visitor> {
        self.access.visitor(cookie(headers)?)
    }

    /// Returns how a page looks for a browser that sends these headers.
    pub(crate) fn look(&self, headers: &HeaderMap, form_key: String) -> Look {
        let preferred = preferred_languages(headers);
        let all = || std::iter::once(&self.language).chain(&self.others);
        let known = preferred.iter().find_map(|code| all().find(|one| one.code == *code));
        let PageLanguage { code: lang, words } = known.unwrap_or(&self.language).clone();
        let now = self.clock.now();
        let zone: TimeZone = now.time_zone().clone();
        let rooms = Arc::clone(&self.rooms);
        Look { words, rooms, lang, form_key, now, zone }
    }
}
