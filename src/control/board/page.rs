//! The page's side of the status board: what goes on, with its words, and the link that signs a browser in.
//!
//! Any thread; nobody waits. Events that nobody reads are not made.

use joi_page::{LiveEvent, LiveFeed, PageAccess};

use super::StatusBoard;

/// How the page is reached.
#[derive(Clone)]
pub struct PageDoor {
    /// Who may see it.
    pub access: PageAccess,
    /// Its address in a browser, as "http://127.0.0.1:9754".
    pub address: String,
}

impl PageDoor {
    /// Opens a link that signs one browser in; nothing where the system gives no random bytes.
    pub fn link(&self) -> Option<String> {
        self.access.open_link().map(|code| format!("{}/enter#{}", self.address, code.0))
    }
}

impl StatusBoard {
    /// Sends an event, if `event` makes one, to whoever follows what goes on, words included.
    pub fn goes_on(&self, event: impl FnOnce() -> Option<LiveEvent>) {
        if self.0.live.receiver_count() > 0
            && let Some(event) = event()
        {
            // The last reader may have gone meanwhile.
            let _ = self.0.live.send(event);
        }
    }

    /// Returns the events from here on, with what is said.
    pub fn live(&self) -> LiveFeed {
        self.0.live.subscribe()
    }

    /// Shows how the page is reached.
    pub fn has_page(&self, door: PageDoor) {
        // It is made once.
        let _ = self.0.page.set(door);
    }

    /// Returns how the page is reached; nothing where it is not served.
    pub fn page(&self) -> Option<&PageDoor> {
        self.0.page.get()
    }
}
