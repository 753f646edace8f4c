//! A room of the page: its sign, what it shows, what its forms do.
//!
//! In: a request of a browser that is signed in. Out: HTML, or what came of a form.

use std::pin::Pin;

use maud::Markup;

use super::deed::RoomDeed;
use crate::PageFault;
use crate::access::Visitor;
use crate::form::FormFields;
use crate::look::{Look, RoomSign};
use crate::state::PageServer;

pub(crate) type RoomFuture<'v, T> = Pin<Box<dyn Future<Output = T> + Send + 'v>>;

/// A page.
pub(crate) struct PageRoom<H> {
    pub(crate) sign: RoomSign,
    /// Returns what it shows; the fields are those of the address.
    pub(crate) show: for<'v> fn(RoomVisit<'v, H>) -> RoomFuture<'v, Result<Markup, PageFault>>,
    /// Does what a form asks for; nothing where it has no such form.
    pub(crate) act: for<'v> fn(&'v str, RoomVisit<'v, H>) -> RoomFuture<'v, Option<RoomDeed>>,
}

/// A request of a browser that is signed in.
pub(crate) struct RoomVisit<'v, H> {
    pub(crate) server: &'v PageServer<H>,
    pub(crate) look: &'v Look,
    /// Of the address, or of a form.
    pub(crate) fields: &'v FormFields,
    pub(crate) visitor: &'v Visitor,
}

impl<'v, H> RoomVisit<'v, H> {
    /// Returns the program.
    pub(super) fn host(&self) -> &'v H {
        &self.server.host
    }
}

/// The forms of a room that has none.
pub(super) fn no_forms<'v, H>(_: &'v str, _: RoomVisit<'v, H>) -> RoomFuture<'v, Option<RoomDeed>> {
    Box::pin(std::future::ready(None))
}
