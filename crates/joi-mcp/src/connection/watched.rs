//! A transport that reports its end, and takes the program's group with it.
//!
//! The task of the connection. It passes everything on to the transport inside.

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{mpsc, watch};

use super::Notice;
use crate::process::ProcessGroup;

/// The transport `T`, watched.
pub(crate) struct WatchedTransport<T> {
    inner: T,
    ends: Ends,
    /// Dropped behind `inner`, which waits for the program first.
    _group: Option<ProcessGroup>,
    /// Dropped last: whoever waits for the end waits for the group too.
    _gone: watch::Sender<()>,
}

/// Reports the end once.
struct Ends(Option<mpsc::Sender<Notice>>);

impl Ends {
    fn report(&mut self) {
        if let Some(notices) = self.0.take() {
            // A full queue is waited for elsewhere: the end must not be lost.
            tokio::spawn(async move { notices.send(Notice::Ended).await });
        }
    }
}

impl<T> WatchedTransport<T> {
    pub(crate) fn new(
        inner: T,
        notices: mpsc::Sender<Notice>,
        group: Option<ProcessGroup>,
        gone: watch::Sender<()>,
    ) -> Self {
        Self { inner, ends: Ends(Some(notices)), _group: group, _gone: gone }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for WatchedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await;
        if message.is_none() {
            self.ends.report();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
