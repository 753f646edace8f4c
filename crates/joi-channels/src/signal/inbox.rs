//! What the owner has written and was not looked at yet, in the order in which it came.
//!
//! Bounded. Any thread puts messages in, the conversation takes them out. One that finds no room is left out, and the
//! conversation learns of that.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use joi_messages::signal::gate::OwnerMessage;

/// Messages that arrive at the same moment.
pub(super) const INBOX: usize = 16;

/// Takes messages in; clones share it.
#[derive(Debug, Clone)]
pub struct SignalInbox {
    sender: mpsc::Sender<OwnerMessage>,
    left_out: Arc<AtomicBool>,
}

/// Gives them out.
#[derive(Debug)]
pub struct SignalArrivals {
    receiver: mpsc::Receiver<OwnerMessage>,
    left_out: Arc<AtomicBool>,
}

/// An empty inbox.
pub fn inbox() -> (SignalInbox, SignalArrivals) {
    let (sender, receiver) = mpsc::channel(INBOX);
    let left_out = Arc::new(AtomicBool::new(false));
    (SignalInbox { sender, left_out: Arc::clone(&left_out) }, SignalArrivals { receiver, left_out })
}

impl SignalInbox {
    /// Takes a message in, or leaves it out.
    pub fn put(&self, message: OwnerMessage) {
        if self.sender.try_send(message).is_err() {
            tracing::warn!("too many messages arrive at once; one is left out");
            self.left_out.store(true, Ordering::Relaxed);
        }
    }
}

impl SignalArrivals {
    /// The next message; nothing when no further one can come.
    pub(super) async fn next(&mut self) -> Option<OwnerMessage> {
        self.receiver.recv().await
    }

    /// Whether any was left out since this was last asked.
    pub(super) fn take_left_out(&self) -> bool {
        self.left_out.swap(false, Ordering::Relaxed)
    }
}
