//! Programs: what they get, what is left of them.

use std::sync::Mutex;

use super::*;
use crate::config::ServerEntry;
use crate::doubles::allowing;
use crate::secrets::Secrets;
use joi_base::secret::Credentials;

/// A server in shell: it answers each line that it reads.
const SHELL: &str = r#"
id() { printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(id)" "$1"; }
while read -r line; do
  case "$line" in
    *'"initialize"'*) say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) say '{"tools":[{"name":"env","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) say "{\"content\":[{\"type\":\"text\",\"text\":\"$(env | sort | grep -v '^_' | tr '\n' ' ' | tr -d '"\\')\"}]}" ;;
  esac
done
"#;

fn shell(before: &str, after: &str) -> ServerScene {
    let script = format!("{before}\n{SHELL}\n{after}");
    let env = [("SECRET".to_owned(), "${TOKEN}".to_owned())].into();
    at(ServerEntry {
        command: "/bin/sh".into(),
        args: vec!["-c".into(), script],
        env,
        lifecycle: Lifecycle::Initialize,
        ..allowing()
    })
}

fn at(entry: ServerEntry) -> ServerScene {
    // Read when the program is started, and left to the system's own tidying.
    let folder = tempfile::tempdir().unwrap().keep();
    let secrets = Secrets::new(Credentials::default(), folder);
    secrets.store("TOKEN", "hush").unwrap();
    // In the arguments of a shell script the same signs mean something else.
    let target = ServerTarget::Entry { name: "double".into(), entry: Box::new(entry.clone()), secrets };
    ServerScene::at(target, entry, Arc::<Mutex<_>>::default())
}

/// Returns whether a process of this id is alive.
fn is_alive(id: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).is_ok_and(|stat| !stat.contains(") Z "))
}

async fn until_dead(id: &str) {
    for _ in 0..500 {
        if !is_alive(id) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("process {id} is left behind");
}

#[tokio::test]
async fn a_program_gets_its_own_environment_and_its_secrets_alone() {
    let scene = shell("echo greetings >&2", "");
    scene.with_tools(1).await;
    let env = called(&scene, "double__env", json!({})).await.unwrap();
    assert!(env.contains("SECRET=hush") && env.contains("PATH="), "{env}");
    assert!(!env.contains("CARGO"), "{env}");
    scene.end().await;
}

#[tokio::test]
async fn grandchildren_go_with_the_program_also_where_they_hold_its_output() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let scene = shell(&format!("sleep 1000 & echo $! > {}", file.display()), "");
    scene.with_tools(1).await;
    let grandchild = std::fs::read_to_string(&file).unwrap();
    assert!(is_alive(&grandchild));
    scene.end().await;
    until_dead(&grandchild).await;
}

#[tokio::test]
async fn a_program_that_hears_nothing_is_killed_and_a_flood_of_complaints_blocks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let flood = format!("echo $$ > {}; head -c 3000000 /dev/zero | tr '\\0' 'x' >&2", file.display());
    let scene = shell(&flood, "trap '' TERM; sleep 1000");
    scene.with_tools(1).await;
    assert!(called(&scene, "double__env", json!({})).await.is_ok());
    let program = std::fs::read_to_string(&file).unwrap();
    scene.end().await;
    until_dead(&program).await;
}

#[tokio::test]
async fn what_can_not_be_started_says_why() {
    let missing = at(ServerEntry { command: "/no/such/program".into(), ..allowing() });
    missing.until(|status| status.state == "down").await;
    assert!(missing.status().about.starts_with("cannot start /no/such/program"), "{:?}", missing.status());
    missing.end().await;
    let args = vec!["${NEVER}".into()];
    let secret = at(ServerEntry { command: "/bin/cat".into(), args, ..allowing() });
    secret.until(|status| status.state == "down").await;
    assert!(secret.status().about.contains("joi mcp secret NEVER"), "{:?}", secret.status());
    secret.end().await;
}

#[tokio::test]
async fn a_thousand_starts_leave_no_descriptor_and_no_process() {
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let secrets = Secrets::new(Credentials::default(), tempfile::tempdir().unwrap().keep());
    let script = "read -r line; exit 3".to_owned();
    let entry = ServerEntry { command: "/bin/sh".into(), args: vec!["-c".into(), script], ..allowing() };
    let target = ServerTarget::Entry { name: "double".into(), entry: Box::new(entry), secrets };
    let start = || async {
        let (notices, _received) = mpsc::channel(4);
        let limit = Duration::from_secs(30);
        assert!(open(&target, Beginning::Initialize, limit, (InputAnswers::Nothing, notices)).await.is_err());
    };
    start().await;
    let before = descriptors();
    for _ in 0..1_000 {
        start().await;
    }
    // Other tests of this process open some of their own.
    for _ in 0..500 {
        if descriptors() <= before + 40 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{before} descriptors before, {} after", descriptors());
}
