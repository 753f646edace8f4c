//! The handle of everybody who opens, uses or closes access to the page.
//!
//! Any thread, a short lock; clones share it. In: codes and cookies. Out: who they are. What is to outlast a restart is
//! handed to whoever keeps it, as a text.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use joi_base::clock::Clock;
use joi_base::message::Private;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::secret::{self, SecretDigest};
use crate::sessions::{BrowserSession, Doorkeeper, EntryVerdict};

/// Access to the page.
#[derive(Clone)]
pub struct PageAccess(Arc<AccessShared>);

struct AccessShared {
    door: Mutex<Doorkeeper>,
    clock: Arc<dyn Clock>,
    /// The browsers that are signed in, as they are kept.
    kept: watch::Sender<String>,
}

/// A browser that may use the page, for one request.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    pub(crate) secret: Private<String>,
    /// Cancelled when it is signed out.
    pub(crate) over: CancellationToken,
}

/// A browser that is signed in, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserRow {
    /// Names it for [`PageAccess::sign_out`].
    pub id: String,
    /// As it calls itself: a stranger's text.
    pub name: String,
    /// When it was signed in.
    pub since: Timestamp,
    /// When it was last used, to the hour.
    pub seen: Timestamp,
}

impl PageAccess {
    /// With the browsers that were signed in before: a text of [`PageAccess::kept`]. One that can't be read signs all of
    /// them out.
    pub fn new(kept: Option<&str>, clock: Arc<dyn Clock>) -> Self {
        let browsers: Vec<BrowserSession> =
            kept.map(|kept| serde_json::from_str(kept).unwrap_or_default()).unwrap_or_default();
        let door = Mutex::new(Doorkeeper::with(browsers));
        Self(Arc::new(AccessShared { door, clock, kept: watch::channel(String::new()).0 }))
    }

    /// Returns the text of those that are signed in, anew with each change.
    pub fn kept(&self) -> watch::Receiver<String> {
        self.0.kept.subscribe()
    }

    /// Opens a link that signs one browser in within ten minutes; returns its code, or nothing where the system gives no
    /// random bytes.
    pub fn open_link(&self) -> Option<Private<String>> {
        let code = secret::fresh()?;
        self.door().open_link(SecretDigest::of(&code.0), self.now());
        Some(code)
    }

    /// Returns all browsers that are signed in.
    pub fn browsers(&self) -> Vec<BrowserRow> {
        let row = |browser: &BrowserSession| BrowserRow {
            id: browser.secret.name().to_owned(),
            name: browser.name.clone(),
            since: browser.since,
            seen: browser.seen,
        };
        self.door().browsers().iter().map(row).collect()
    }

    /// Signs out one browser, or all and closes every link. Returns how many there were.
    pub fn sign_out(&self, id: Option<&str>) -> usize {
        let mut door = self.door();
        let count = door.sign_out(id);
        self.keep(&door);
        count
    }

    /// Signs in the browser that calls itself `name` with a code; returns the secret of its cookie.
    pub(crate) fn enter(
        &self,
        code: &str,
        peer: IpAddr,
        name: &str,
    ) -> Result<Private<String>, EntryVerdict> {
        let (now, mut door) = (self.now(), self.door());
        match door.enter(&SecretDigest::of(code), peer, now) {
            EntryVerdict::Allowed => {}
            refused => return Err(refused),
        }
        let secret = secret::fresh().ok_or(EntryVerdict::Wrong)?;
        door.admit(SecretDigest::of(&secret.0), name, now);
        self.keep(&door);
        Ok(secret)
    }

    /// Returns the browser whose cookie this is.
    pub(crate) fn visitor(&self, cookie: &str) -> Option<Visitor> {
        let (now, mut door) = (self.now(), self.door());
        let (browser, is_news) = door.browser(&SecretDigest::of(cookie), now)?;
        let over = browser.over.clone();
        if is_news {
            self.keep(&door);
        }
        Some(Visitor { secret: Private(cookie.to_owned()), over })
    }

    fn keep(&self, door: &Doorkeeper) {
        if let Ok(text) = serde_json::to_string(door.browsers()) {
            self.0.kept.send_replace(text);
        }
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now().timestamp()
    }

    fn door(&self) -> MutexGuard<'_, Doorkeeper> {
        self.0.door.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visitor {
    /// Returns the name of the browser, as in [`BrowserRow::id`].
    pub(crate) fn id(&self) -> String {
        SecretDigest::of(&self.secret.0).name().to_owned()
    }

    /// Returns what its forms have to bring.
    pub(crate) fn form_key(&self) -> String {
        secret::form_key(&self.secret.0)
    }
}
