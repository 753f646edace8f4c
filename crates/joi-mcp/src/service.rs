//! All servers of tools: one task for each, their status, their end, and servers that come and go meanwhile.
//!
//! Any thread makes it, which starts nothing; [`McpService::run`] is a task. In: the servers, again whenever they were
//! changed, and the registry that their tools go to. Out: tools that come and go. A server waits for no other one. One that
//! is reached as before goes on running; only what its tools may do is renewed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use joi_base::checksum;
use joi_tools::ToolRegistry;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::approval::Approvals;
use crate::config::ServerEntry;
use crate::connection::ServerTarget;
use crate::entry::{McpServer, McpServers};
use crate::lifecycle::LifeState;
use crate::secrets::Secrets;
use crate::server::ServerTask;
use crate::status::{GIVEN_UP, ServerStatus};

/// How often the state is looked at while it is waited for.
const LOOKS_EVERY: Duration = Duration::from_millis(30);

type SharedStatus = Arc<Mutex<ServerStatus>>;

/// The servers of a program.
#[derive(Clone)]
pub struct McpService {
    wanted: watch::Sender<Vec<McpServer>>,
    shown: Arc<Mutex<Vec<SharedStatus>>>,
    secrets: Secrets,
    approvals: Approvals,
    registry: ToolRegistry,
}

/// A server that is looked after.
struct TendedServer {
    id: String,
    reach: String,
    entry: watch::Sender<ServerEntry>,
    status: SharedStatus,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl McpService {
    /// Makes the service; `tools_per_turn` is the number of tools of servers that are on offer without being looked for.
    pub fn new(
        servers: McpServers,
        (secrets, approvals): (Secrets, Approvals),
        registry: ToolRegistry,
        tools_per_turn: u32,
    ) -> Self {
        registry.set_most_offered(tools_per_turn as usize);
        let shown = servers.all.iter().map(initial).collect();
        let wanted = watch::Sender::new(servers.all);
        Self { wanted, shown: Arc::new(Mutex::new(shown)), secrets, approvals, registry }
    }

    /// Returns whether there is no server to look after.
    pub fn is_empty(&self) -> bool {
        self.wanted.borrow().iter().all(|server| server.entry.disabled)
    }

    /// Looks after these servers from now on. Those that are gone are ended; one that is reached as before goes on, and its
    /// tools may do what its entry says now. New conversations see the change.
    pub fn renew(&self, servers: McpServers) {
        self.wanted.send_replace(servers.all);
    }

    /// Returns the status of all servers, in the order of their names.
    pub fn status(&self) -> Vec<ServerStatus> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.iter().map(|status| status.lock().unwrap_or_else(PoisonError::into_inner).clone()).collect()
    }

    /// Waits until every server has its tools, or is known to be down; `limit` at most. Cancel-safe.
    pub async fn settled(&self, limit: Duration) {
        let is_starting = |status: &ServerStatus| status.state == "starting";
        let waits = async {
            while self.status().iter().any(is_starting) {
                tokio::time::sleep(LOOKS_EVERY).await;
            }
        };
        let _ = timeout(limit, waits).await;
    }

    /// Returns the registry that the tools go to.
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// Looks after all servers until `stop`; then ends them.
    pub async fn run(self, stop: CancellationToken) {
        let mut wanted = self.wanted.subscribe();
        let (mut tended, mut ending) = (Vec::new(), Vec::new());
        loop {
            let servers = wanted.borrow_and_update().clone();
            ending.retain(|task: &JoinHandle<()>| !task.is_finished());
            self.tend(servers, (&mut tended, &mut ending));
            // Both arms are cancel-safe.
            tokio::select! {
                () = stop.cancelled() => break,
                changed = wanted.changed() => if changed.is_err() { break },
            }
        }
        tended.iter().for_each(|server: &TendedServer| server.stop.cancel());
        join_all(tended.into_iter().map(|server| server.task).chain(ending)).await;
    }

    /// Starts what is new, renews what goes on, and ends the rest.
    fn tend(
        &self,
        servers: Vec<McpServer>,
        (tended, ending): (&mut Vec<TendedServer>, &mut Vec<JoinHandle<()>>),
    ) {
        let mut before: Vec<TendedServer> = std::mem::take(tended);
        let first: Vec<SharedStatus> = match before.is_empty() && ending.is_empty() {
            true => self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            false => Vec::new(),
        };
        let mut shown = Vec::new();
        for server in servers {
            let reach = self.reach(&server.entry);
            let at = before.iter().position(|former| former.id == server.id);
            let former = at.map(|at| before.swap_remove(at));
            match former {
                Some(former) if former.reach == reach && !former.has_given_up() => {
                    former.entry.send_replace(server.entry);
                    shown.push(Arc::clone(&former.status));
                    tended.push(former);
                }
                other => {
                    // The one that its users hold already, where there is one.
                    let is_its = |status: &&SharedStatus| name_of(status) == server.name;
                    let status = first.iter().find(is_its).cloned().unwrap_or_else(|| initial(&server));
                    shown.push(Arc::clone(&status));
                    let replaced = other.map(TendedServer::end);
                    match server.entry.disabled {
                        true => ending.extend(replaced),
                        false => tended.push(self.start(server, reach, status, replaced)),
                    }
                }
            }
        }
        ending.extend(before.into_iter().map(TendedServer::end));
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
    }

    /// Starts looking after a server, once the one in whose place it comes has ended.
    fn start(
        &self,
        server: McpServer,
        reach: String,
        status: SharedStatus,
        after: Option<JoinHandle<()>>,
    ) -> TendedServer {
        let target = ServerTarget::Entry {
            name: server.name.clone(),
            entry: Box::new(server.entry.clone()),
            secrets: self.secrets.clone(),
        };
        let (id, entry) = (server.id.clone(), watch::Sender::new(server.entry.clone()));
        let kept = (self.approvals.clone(), self.registry.clone());
        let task = ServerTask::new(server, target, kept, Arc::clone(&status)).renewed_by(entry.subscribe());
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            if let Some(after) = after {
                let _ = after.await;
            }
            task.run(stopped).await;
        });
        TendedServer { id, reach, entry, status, stop, task }
    }

    /// Returns a text that differs where a server has to be started again: the way to it, with its secrets.
    fn reach(&self, entry: &ServerEntry) -> String {
        let ServerEntry { command, args, env, cwd, url, headers, start_s, lifecycle, disabled, .. } = entry;
        let secret = |text: &String| self.secrets.filled(text).unwrap_or_else(|fault| fault.to_string());
        let parts: Vec<String> =
            args.iter().chain(env.values()).chain(headers.values()).map(secret).collect();
        let names: Vec<&String> = env.keys().chain(headers.keys()).collect();
        let url = secret(url);
        let text = format!(
            "{command}\0{parts:?}\0{names:?}\0{cwd}\0{url}\0{start_s}\0{lifecycle:?}\0{disabled}\0{}",
            args.len()
        );
        checksum::of_bytes(text.as_bytes())
    }
}

impl TendedServer {
    fn has_given_up(&self) -> bool {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).state == GIVEN_UP
    }

    /// Ends the server; the task is over when its program is.
    fn end(self) -> JoinHandle<()> {
        self.stop.cancel();
        self.task
    }
}

fn name_of(status: &SharedStatus) -> String {
    status.lock().unwrap_or_else(PoisonError::into_inner).name.clone()
}

/// Returns the status of a server that was not started yet.
fn initial(server: &McpServer) -> SharedStatus {
    let state = if server.entry.disabled { LifeState::Off } else { LifeState::Starting };
    Arc::new(Mutex::new(ServerStatus::of(&server.name, &server.id, &state)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Lifecycle;

    /// A server in shell that counts its starts in a file.
    fn server(name: &str, folder: &std::path::Path, allow: &[&str]) -> McpServer {
        const SHELL: &str = r#"
echo x >> "$1"
id() { printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(id)" "$1"; }
while read -r line; do
  case "$line" in
    *'"initialize"'*) say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) say '{"tools":[{"name":"read","inputSchema":{"type":"object"}},{"name":"write","inputSchema":{"type":"object"}}]}' ;;
  esac
done
"#;
        let starts = folder.join(name).display().to_string();
        let entry = ServerEntry {
            command: "/bin/sh".into(),
            args: ["-c", SHELL, "sh", &starts].map(str::to_owned).to_vec(),
            allow: allow.iter().map(|tool| (*tool).to_owned()).collect(),
            lifecycle: Lifecycle::Initialize,
            ..ServerEntry::default()
        };
        McpServer { id: name.to_owned(), name: name.to_owned(), entry }
    }

    fn all(servers: Vec<McpServer>) -> McpServers {
        McpServers { all: servers, remarks: Vec::new() }
    }

    /// Waits until the tools are permitted like this, by their names.
    async fn until(service: &McpService, permitted: &[&str]) {
        let waits = async {
            loop {
                let rows = service.status().into_iter().flat_map(|server| server.tools);
                let rows: Vec<String> = rows.map(|row| format!("{} {}", row.name, row.permission)).collect();
                if rows == permitted {
                    return;
                }
                tokio::time::sleep(LOOKS_EVERY).await;
            }
        };
        let waited = timeout(Duration::from_secs(120), waits).await;
        assert!(waited.is_ok(), "{permitted:?}: {:?}", service.status());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn servers_and_allowances_change_while_the_program_runs_and_the_others_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let (path, registry) = (folder.path(), ToolRegistry::default());
        let starts = |name: &str| std::fs::read_to_string(path.join(name)).unwrap().lines().count();
        let kept = (
            Secrets::new(joi_base::secret::Credentials::default(), path.join("secrets")),
            Approvals::new(path.join("mcp.json")),
        );
        let service = McpService::new(all(vec![server("one", path, &["read"])]), kept, registry.clone(), 12);
        let stop = CancellationToken::new();
        let running = tokio::spawn(service.clone().run(stop.clone()));
        until(&service, &["one__read allow", "one__write confirm"]).await;
        let running_conversation = registry.snapshot();
        service.renew(all(vec![server("one", path, &["*"]), server("two", path, &["*"])]));
        let both = ["one__read allow", "one__write allow", "two__read allow", "two__write allow"];
        until(&service, &both).await;
        assert_eq!((starts("one"), starts("two")), (1, 1), "what may be done starts nothing again");
        let denied = McpServer {
            entry: ServerEntry { deny: vec!["write".into()], ..server("one", path, &[]).entry },
            ..server("one", path, &[])
        };
        service.renew(all(vec![denied]));
        until(&service, &["one__read confirm", "one__write deny"]).await;
        assert_eq!(registry.snapshot().toolbox.names(), ["one__read"], "the other server's are gone as well");
        assert_eq!(running_conversation.toolbox.names(), ["one__read", "one__write"]);
        let moved = McpServer {
            entry: ServerEntry { cwd: "/".into(), ..server("one", path, &["*"]).entry },
            ..server("one", path, &[])
        };
        service.renew(all(vec![moved]));
        until(&service, &["one__read allow", "one__write allow"]).await;
        assert_eq!(starts("one"), 2, "another way to it needs a start");
        service.renew(McpServers::default());
        until(&service, &[]).await;
        stop.cancel();
        running.await.unwrap();
        assert!(registry.snapshot().toolbox.is_empty());
    }
}
