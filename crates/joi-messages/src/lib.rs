//! Messages to the owner's phone: the outbox and its carriers ([`outbound`]), and Signal ([`signal`]).

pub mod outbound;
pub mod signal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
