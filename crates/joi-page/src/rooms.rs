//! The pages of the page: which there are, what each shows, and what its forms do.
//!
//! In: a request of a browser that is signed in. Out: HTML, or what came of a form.

mod day;
mod deed;
mod health;
mod house;
mod memory;
pub(crate) mod now;
mod settings;
mod why;

use joi_language::page::{PageWords, ShellWords};
use maud::{Markup, html};

use crate::access::Visitor;
use crate::form::FormFields;
use crate::look::Look;
use crate::notice::PageNotice;
use crate::state::PageServer;
use crate::{PageFault, PageHost};
use deed::RoomDeed;

/// A page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageRoom {
    Now,
    Why,
    Day,
    House,
    Memory,
    Health,
    Settings,
}

impl PageRoom {
    /// All of them, in the order of the navigation.
    pub(crate) const ALL: [Self; 7] =
        [Self::Now, Self::Why, Self::Day, Self::House, Self::Memory, Self::Health, Self::Settings];

    /// Returns its name in addresses.
    pub(crate) fn name(self) -> &'static str {
        Some(self.path().trim_start_matches('/')).filter(|name| !name.is_empty()).unwrap_or("now")
    }

    /// Returns its address.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Now => "/",
            Self::Why => "/why",
            Self::Day => "/day",
            Self::House => "/house",
            Self::Memory => "/memory",
            Self::Health => "/health",
            Self::Settings => "/settings",
        }
    }

    /// Returns its name in the navigation.
    pub(crate) fn label(self, words: &ShellWords) -> &str {
        match self {
            Self::Now => &words.now,
            Self::Why => &words.why,
            Self::Day => &words.day,
            Self::House => &words.house,
            Self::Memory => &words.memory,
            Self::Health => &words.health,
            Self::Settings => &words.settings,
        }
    }

    /// Returns its heading.
    pub(crate) fn title(self, words: &PageWords) -> &str {
        match self {
            Self::Now => &words.now.title,
            Self::Why => &words.why.title,
            Self::Day => &words.day.title,
            Self::House => &words.house.title,
            Self::Memory => &words.memory.title,
            Self::Health => &words.health.title,
            Self::Settings => &words.settings.title,
        }
    }

    /// Returns where it stands on a small screen: at the thumb, or in the upper corner.
    pub(crate) fn place(self) -> &'static str {
        match self {
            Self::Now | Self::Why | Self::Day | Self::House | Self::Memory => "thumb",
            Self::Health => "corner second",
            Self::Settings => "corner",
        }
    }

    /// Returns the lines of its sign, in a square of 24.
    pub(crate) fn icon(self) -> &'static str {
        match self {
            Self::Now => "M3 12h3l3-8 5 16 3-8h4",
            Self::Why => {
                "M9.200 9.300a2.900 2.900 0 1 1 4.300 2.500c-1 .6-1.500 1.200-1.500 2.200M12 17.300v0M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0"
            }
            Self::Day => {
                "M16.500 12a4.500 4.500 0 1 1-9 0 4.500 4.500 0 0 1 9 0M12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400"
            }
            Self::House => "M3.500 11.500 12 4l8.500 7.500M6 9.500V20h12V9.500M10 20v-5.500h4V20",
            Self::Memory => "M6 4h11a1 1 0 0 1 1 1v15.500l-6.500-4-6.500 4V5a1 1 0 0 1 1-1",
            Self::Health => {
                "M12 20s-7.500-4.600-7.500-10.200A4.200 4.200 0 0 1 12 7.300a4.200 4.200 0 0 1 7.500 2.500C19.500 15.400 12 20 12 20"
            }
            Self::Settings => {
                "M4 7h9M17 7h3M4 17h3M11 17h9M17 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0M11 17a2 2 0 1 1-4 0 2 2 0 0 1 4 0"
            }
        }
    }
}

/// Returns what a room shows.
pub(crate) async fn show<H: PageHost>(
    room: PageRoom,
    server: &PageServer<H>,
    look: &Look,
    query: &FormFields,
    visitor: &Visitor,
) -> Markup {
    let host = &*server.host;
    let shown = match room {
        PageRoom::Now => Ok(now::show(&host.now(), look)),
        PageRoom::Why => why::show(host, look, query).await,
        PageRoom::Day => day::show(host, look).await,
        PageRoom::House => Ok(house::show(host, look, query)),
        PageRoom::Memory => memory::show(host, look, query).await,
        PageRoom::Health => health::show(server, look, query, visitor).await,
        PageRoom::Settings => settings::show(host, look).await,
    };
    shown.unwrap_or_else(|fault: PageFault| {
        html! { p class="notice bad" role="alert" { (PageNotice::fault(fault, &look.words).text) } }
    })
}

/// Does what a form of a room asks for; nothing where the room has no such form.
pub(crate) async fn act<H: PageHost>(
    room: PageRoom,
    action: &str,
    server: &PageServer<H>,
    look: &Look,
    form: &FormFields,
) -> Option<RoomDeed> {
    let host = &*server.host;
    match room {
        PageRoom::Now => now::act(action, host, look, form).await,
        PageRoom::Day => day::act(action, host, look, form).await,
        PageRoom::Memory => memory::act(action, host, look, form).await,
        PageRoom::Health => health::act(action, &server.access, look, form),
        PageRoom::Settings => settings::act(action, host, look, form).await,
        PageRoom::Why | PageRoom::House => None,
    }
}
