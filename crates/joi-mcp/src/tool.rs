//! The way to one tool of a server.
//!
//! Any thread; calls run as Tokio tasks. In: what the server lists of it, and the connection of the moment. Out: the text
//! of its result. A server that is gone is a failure at once: nothing waits for it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use joi_tools::Arguments;
use joi_tools::foreign::{Approval, ForeignCall, ForeignFault, ForeignProgram, ForeignTool};
use tokio::sync::{mpsc, watch};

use crate::arguments::ArgumentCheck;
use crate::connection::{CallFault, McpConnection};
use crate::entry::McpServer;
use crate::listing::ListedTool;
use crate::result::{self, Outcome, Shape};

/// Time beyond the server's own limit, so that its own answer comes first.
const SPARE: Duration = Duration::from_secs(2);

/// The way to a server, as far as there is one.
#[derive(Clone)]
pub(crate) struct Line {
    /// The connection of the moment.
    pub(crate) connection: watch::Receiver<Option<McpConnection>>,
    /// Takes word that it may be gone.
    pub(crate) doubts: mpsc::Sender<()>,
}

/// Makes the tools of a server.
pub(crate) fn tools(
    server: &McpServer,
    line: &Line,
    listed: &[ListedTool],
    seen: &[Approval],
) -> Vec<ForeignTool> {
    let McpServer { id, name, entry } = server;
    let seconds = |s: u32| Duration::from_secs(u64::from(s));
    let limits = (seconds(entry.timeout_s), seconds(entry.longest_s.max(entry.timeout_s)));
    let tool = |(tool, seen): (&ListedTool, &Approval)| {
        let call: Arc<dyn ForeignCall> = Arc::new(ServerCall {
            name: tool.described.name.clone(),
            check: ArgumentCheck::new(&tool.described.schema),
            shape: tool.shape(),
            limits,
            line: line.clone(),
        });
        (tool.described.clone(), *seen, call)
    };
    let program = ForeignProgram { id, name, allowance: entry.allowance(), cues: &entry.cues };
    ForeignTool::all(&program, listed.iter().zip(seen).map(tool).collect())
}

/// The way to one tool.
struct ServerCall {
    name: String,
    check: ArgumentCheck,
    shape: Shape,
    /// Until an answer or a sign of progress, and until an answer in spite of progress.
    limits: (Duration, Duration),
    line: Line,
}

impl ServerCall {
    async fn ask(&self, arguments: &Arguments) -> Result<String, ForeignFault> {
        let checked = self.check.checked(arguments).map_err(ForeignFault::Arguments)?;
        let connection = self.line.connection.borrow().clone().ok_or(ForeignFault::Gone)?;
        match connection.call(&self.name, checked, self.limits).await {
            Ok(result) => match result::read(&result, self.shape) {
                Outcome::Done(text) => Ok(text),
                Outcome::Failed(why) => Err(ForeignFault::Failed(why)),
            },
            Err(CallFault::Refused(why)) => Err(ForeignFault::Refused(why)),
            Err(fault) => {
                if matches!(fault, CallFault::Lost(_)) {
                    let _ = self.line.doubts.try_send(());
                }
                Err(ForeignFault::NoAnswer(fault.to_string()))
            }
        }
    }
}

impl ForeignCall for ServerCall {
    fn call<'a>(&'a self, arguments: &'a Arguments) -> BoxFuture<'a, Result<String, ForeignFault>> {
        self.ask(arguments).boxed()
    }

    fn time_limit(&self) -> Duration {
        self.limits.1 + SPARE
    }
}
