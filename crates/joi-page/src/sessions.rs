//! Who may see the page: links that sign a browser in once, browsers that are signed in, and how often one may try.
//!
//! In: what happened and the time. Out: what is allowed. Of every secret only the digest is kept.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::secret::SecretDigest;

/// How long a link signs a browser in.
pub(crate) const LINK_LASTS: SignedDuration = SignedDuration::from_mins(10);
/// Links that are open at the same time; a further one replaces the oldest.
const LINKS: usize = 4;
/// How long a browser stays signed in after it was last used.
pub(crate) const SESSION_LASTS: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Browsers that are signed in; a further one signs out the one that was not used for longest.
const SESSIONS: usize = 24;
/// A use is noted again after this time, so that looking does not write to the database.
const NOTED_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// Characters of a browser's name that are kept.
const NAME_LENGTH: usize = 120;
/// Wrong codes of one address within [`TRIED_WITHIN`], after which its codes are not looked at.
const TRIES_OF_A_PEER: usize = 5;
/// The same of all addresses.
const TRIES: usize = 30;
/// See [`TRIES_OF_A_PEER`].
const TRIED_WITHIN: SignedDuration = SignedDuration::from_mins(1);

/// A browser that is signed in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BrowserSession {
    pub(crate) secret: SecretDigest,
    /// As the browser calls itself: a stranger's text.
    pub(crate) name: String,
    pub(crate) since: Timestamp,
    pub(crate) seen: Timestamp,
    /// Cancelled when it is signed out.
    #[serde(skip)]
    pub(crate) over: CancellationToken,
}

/// The outcome of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryVerdict {
    /// It signs in, and does so no second time.
    Allowed,
    /// It is wrong, used or too old.
    Wrong,
    /// There were too many wrong ones: it was not looked at.
    TooMany,
}

/// Links, browsers, and wrong codes.
#[derive(Debug, Default)]
pub(crate) struct Doorkeeper {
    links: VecDeque<(SecretDigest, Timestamp)>,
    browsers: Vec<BrowserSession>,
    wrong: VecDeque<(IpAddr, Timestamp)>,
}

impl Doorkeeper {
    /// With the browsers of before.
    pub(crate) fn with(browsers: Vec<BrowserSession>) -> Self {
        Self { browsers, ..Self::default() }
    }

    /// Opens a link.
    pub(crate) fn open_link(&mut self, secret: SecretDigest, now: Timestamp) {
        while self.links.len() >= LINKS {
            self.links.pop_front();
        }
        self.links.push_back((secret, now + LINK_LASTS));
    }

    /// Takes the code of a link from `peer`.
    pub(crate) fn enter(&mut self, code: &SecretDigest, peer: IpAddr, now: Timestamp) -> EntryVerdict {
        self.wrong.retain(|(_, at)| *at + TRIED_WITHIN > now);
        let of_peer = self.wrong.iter().filter(|(of, _)| *of == peer).count();
        if of_peer >= TRIES_OF_A_PEER || self.wrong.len() >= TRIES {
            return EntryVerdict::TooMany;
        }
        self.links.retain(|(_, until)| *until > now);
        match self.links.iter().position(|(secret, _)| secret == code) {
            Some(at) => {
                self.links.remove(at);
                EntryVerdict::Allowed
            }
            None => {
                self.wrong.push_back((peer, now));
                EntryVerdict::Wrong
            }
        }
    }

    /// Signs a browser in.
    pub(crate) fn admit(&mut self, secret: SecretDigest, name: &str, now: Timestamp) {
        self.expire(now);
        while self.browsers.len() >= SESSIONS {
            let oldest = self.browsers.iter().enumerate().min_by_key(|(_, browser)| browser.seen);
            let Some(at) = oldest.map(|(at, _)| at) else { break };
            self.browsers.remove(at).over.cancel();
        }
        let name = name.chars().filter(|c| !c.is_control()).take(NAME_LENGTH).collect();
        let over = CancellationToken::new();
        self.browsers.push(BrowserSession { secret, name, since: now, seen: now, over });
    }

    /// Returns the browser that has this secret, and whether its use is news that is to be kept.
    pub(crate) fn browser(
        &mut self,
        secret: &SecretDigest,
        now: Timestamp,
    ) -> Option<(&BrowserSession, bool)> {
        self.expire(now);
        let browser = self.browsers.iter_mut().find(|browser| browser.secret == *secret)?;
        let is_news = browser.seen + NOTED_EVERY <= now;
        if is_news {
            browser.seen = now;
        }
        Some((browser, is_news))
    }

    /// Signs out the browser with this name of its secret; all of them without one. Returns how many.
    pub(crate) fn sign_out(&mut self, name: Option<&str>) -> usize {
        let before = self.browsers.len();
        self.browsers.retain(|browser| {
            let stays = name.is_some_and(|name| browser.secret.name() != name);
            if !stays {
                browser.over.cancel();
            }
            stays
        });
        if name.is_none() {
            self.links.clear();
        }
        before - self.browsers.len()
    }

    /// Returns all that are signed in.
    pub(crate) fn browsers(&self) -> &[BrowserSession] {
        &self.browsers
    }

    fn expire(&mut self, now: Timestamp) {
        self.browsers.retain(|browser| {
            let stays = browser.seen + SESSION_LASTS > now;
            if !stays {
                browser.over.cancel();
            }
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    fn digest(text: &str) -> SecretDigest {
        SecretDigest::of(text)
    }

    fn peer(last: u8) -> IpAddr {
        IpAddr::from([192, 168, 1, last])
    }

    #[test]
    fn a_link_signs_in_once_and_not_after_its_time() {
        let mut door = Doorkeeper::default();
        door.open_link(digest("one"), at(0));
        door.open_link(digest("two"), at(0));
        assert_eq!(door.enter(&digest("one"), peer(1), at(599)), EntryVerdict::Allowed);
        assert_eq!(door.enter(&digest("one"), peer(1), at(599)), EntryVerdict::Wrong);
        assert_eq!(door.enter(&digest("two"), peer(1), at(600)), EntryVerdict::Wrong);
        for link in ["a", "b", "c", "d", "e"] {
            door.open_link(digest(link), at(700));
        }
        assert_eq!(
            door.enter(&digest("a"), peer(1), at(700)),
            EntryVerdict::Wrong,
            "the oldest was replaced"
        );
        assert_eq!(door.enter(&digest("e"), peer(1), at(700)), EntryVerdict::Allowed);
    }

    #[test]
    fn who_guesses_is_not_listened_to_and_keeps_nobody_else_out() {
        let mut door = Doorkeeper::default();
        door.open_link(digest("right"), at(0));
        for guess in 0..TRIES_OF_A_PEER {
            assert_eq!(door.enter(&digest(&guess.to_string()), peer(1), at(1)), EntryVerdict::Wrong);
        }
        assert_eq!(
            door.enter(&digest("right"), peer(1), at(2)),
            EntryVerdict::TooMany,
            "also with the right one"
        );
        assert_eq!(door.enter(&digest("right"), peer(2), at(2)), EntryVerdict::Allowed);
        door.open_link(digest("again"), at(60));
        assert_eq!(door.enter(&digest("again"), peer(1), at(61)), EntryVerdict::Allowed, "a minute later");
        // Many addresses together guess no more than a few.
        let guessed = |door: &mut Doorkeeper| {
            (0..100)
                .filter(|last| door.enter(&digest("?"), peer(*last), at(200)) == EntryVerdict::Wrong)
                .count()
        };
        assert_eq!(guessed(&mut door), TRIES);
    }

    #[test]
    fn a_browser_stays_until_it_is_signed_out_or_not_used_for_a_month() {
        let mut door = Doorkeeper::default();
        for name in ["phone", "desk", "tablet"] {
            door.admit(digest(name), name, at(0));
        }
        let over: Vec<_> = door.browsers().iter().map(|browser| browser.over.clone()).collect();
        assert!(door.browser(&digest("stranger"), at(1)).is_none());
        assert!(!door.browser(&digest("phone"), at(60)).unwrap().1, "a use is not written each time");
        assert!(door.browser(&digest("phone"), at(7200)).unwrap().1);
        assert_eq!(door.sign_out(Some(digest("desk").name())), 1);
        assert!(over[1].is_cancelled() && !over[0].is_cancelled());
        let month = SESSION_LASTS.as_secs();
        assert!(door.browser(&digest("tablet"), at(month)).is_none());
        assert!(door.browser(&digest("phone"), at(month)).is_some(), "it was used meanwhile");
        assert_eq!(door.sign_out(None), 1);
        assert!(over.iter().all(CancellationToken::is_cancelled));
        // A flood of browsers signs out the oldest.
        for number in 0..100 {
            door.admit(digest(&number.to_string()), "x\n\u{1b}[31my", at(number));
        }
        assert_eq!(door.browsers().len(), SESSIONS);
        assert!(door.browser(&digest("99"), at(100)).is_some_and(|(browser, _)| browser.name == "x[31my"));
    }
}
