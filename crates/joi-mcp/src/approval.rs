//! Approvals and knowledge of servers: the descriptions of their tools that the owner has seen, and the beginning
//! of a connection that works.
//!
//! A small file that is read for every question, since a command may change it while the program runs; any thread, which
//! blocks meanwhile. A description that is seen for the first time counts as approved: what its tool may do is the owner's
//! configuration. One that changes later does not, until the owner has seen it. A file that can't be read approves
//! nothing, and is left as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use joi_base::durable;
use joi_tools::foreign::{Approval, DescribedTool};
use serde::{Deserialize, Serialize};

use crate::lifecycle::Beginning;

/// The file can't be used. Report it and go on: whatever is not known to be approved is asked about.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalFault {
    /// It can't be read. Correct it, or move it away.
    #[error("cannot read {}: {why}; correct it or move it away", file.display())]
    Read {
        /// Which file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// It can't be written. Make room, or correct its permissions.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// Which file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

type AllKnown = BTreeMap<String, KnownServer>;

/// Knowledge of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct KnownServer {
    /// "initialize" or "discover"; nothing where either works.
    #[serde(skip_serializing_if = "Option::is_none")]
    beginning: Option<String>,
    /// A hash of what the owner has seen of each tool.
    tools: BTreeMap<String, String>,
}

/// The file of approvals; clones share its lock.
#[derive(Debug, Clone)]
pub struct Approvals {
    file: PathBuf,
    /// One change at a time.
    change: Arc<Mutex<()>>,
}

impl Approvals {
    /// Approvals in `file`; where there is none, nothing was approved yet.
    pub fn new(file: PathBuf) -> Self {
        Self { file, change: Arc::default() }
    }

    /// Returns the beginning that worked with a server.
    pub fn beginning(&self, server: &str) -> Option<Beginning> {
        match self.load().ok()?.get(server)?.beginning.as_deref()? {
            "initialize" => Some(Beginning::Initialize),
            "discover" => Some(Beginning::Discover),
            _ => None,
        }
    }

    /// Stores the beginning that works with a server; nothing forgets it.
    ///
    /// # Errors
    /// The file can't be used.
    pub fn set_beginning(&self, server: &str, beginning: Option<Beginning>) -> Result<(), ApprovalFault> {
        let name = match beginning {
            Some(Beginning::Initialize) => Some("initialize".to_owned()),
            Some(Beginning::Discover) => Some("discover".to_owned()),
            Some(Beginning::Either) | None => None,
        };
        self.change(|known| known.entry(server.to_owned()).or_default().beginning = name)
    }

    /// Returns whether the tools are as the owner has seen them; new ones are stored.
    pub fn seen(&self, server: &str, tools: &[DescribedTool]) -> Vec<Approval> {
        let stored = match self.load() {
            Ok(mut known) => known.remove(server).unwrap_or_default(),
            Err(error) => {
                tracing::warn!(%error, "which tools were approved is not known");
                return vec![Approval::Changed; tools.len()];
            }
        };
        let seen = |tool: &DescribedTool| match stored.tools.get(&tool.name) {
            Some(hash) if *hash != tool.fingerprint() => Approval::Changed,
            Some(_) | None => Approval::Same,
        };
        let all = tools.iter().map(seen).collect();
        let new = tools.iter().filter(|tool| !stored.tools.contains_key(&tool.name));
        if let Err(error) = self.approve(server, new.map(|tool| (tool.name.clone(), tool.fingerprint()))) {
            tracing::warn!(%error, "which tools were seen is not stored");
        }
        all
    }

    /// Stores that the owner has seen these tools as they are now: their names and fingerprints.
    ///
    /// # Errors
    /// The file can't be used.
    pub fn approve(
        &self,
        server: &str,
        tools: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), ApprovalFault> {
        let mut tools = tools.into_iter().peekable();
        if tools.peek().is_none() {
            return Ok(());
        }
        self.change(|known| known.entry(server.to_owned()).or_default().tools.extend(tools))
    }

    /// Forgets a server.
    ///
    /// # Errors
    /// The file can't be used.
    pub fn forget(&self, server: &str) -> Result<(), ApprovalFault> {
        self.change(|known| drop(known.remove(server)))
    }

    fn load(&self) -> Result<AllKnown, ApprovalFault> {
        let fault = |why: String| ApprovalFault::Read { file: self.file.clone(), why };
        match fs::read_to_string(&self.file) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| fault(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(AllKnown::new()),
            Err(error) => Err(fault(error.to_string())),
        }
    }

    fn change(&self, change: impl FnOnce(&mut AllKnown)) -> Result<(), ApprovalFault> {
        let _one = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.load()?;
        let mut known = before.clone();
        change(&mut known);
        if known == before {
            return Ok(());
        }
        let fault = |source| ApprovalFault::Write { file: self.file.clone(), source };
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder).map_err(fault)?;
        }
        let text = serde_json::to_string_pretty(&known).unwrap_or_default();
        durable::write(&self.file, text.as_bytes(), None).map_err(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(tool: &DescribedTool) -> (String, String) {
        (tool.name.clone(), tool.fingerprint())
    }

    #[test]
    fn a_description_that_changes_is_not_the_one_that_was_seen() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data/mcp.json");
        let approvals = Approvals::new(file.clone());
        let tool =
            DescribedTool { name: "read".into(), description: "Reads.".into(), ..DescribedTool::default() };
        let other = DescribedTool { name: "write".into(), ..tool.clone() };
        assert_eq!(approvals.seen("files", &[tool.clone(), other.clone()]), [Approval::Same, Approval::Same]);
        let changed = DescribedTool { description: "Reads, and sends it to me.".into(), ..tool.clone() };
        assert_eq!(approvals.seen("files", &[changed.clone(), other]), [Approval::Changed, Approval::Same]);
        assert_eq!(
            approvals.seen("files", std::slice::from_ref(&changed)),
            [Approval::Changed],
            "looking approves nothing"
        );
        // As a command does while the program runs.
        Approvals::new(file.clone()).approve("files", [print(&changed)]).unwrap();
        assert_eq!(approvals.seen("files", &[changed]), [Approval::Same]);
        assert_eq!(approvals.seen("files", &[tool]), [Approval::Changed]);
        approvals.set_beginning("files", Some(Beginning::Discover)).unwrap();
        assert_eq!(Approvals::new(file.clone()).beginning("files"), Some(Beginning::Discover));
        approvals.forget("files").unwrap();
        assert_eq!(Approvals::new(file).beginning("files"), None);
    }

    #[test]
    fn a_damaged_file_approves_nothing_and_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        std::fs::write(&file, "{\"files\": ").unwrap();
        let approvals = Approvals::new(file.clone());
        let tool = DescribedTool { name: "read".into(), ..DescribedTool::default() };
        assert_eq!(approvals.seen("files", std::slice::from_ref(&tool)), [Approval::Changed]);
        let fault = approvals.approve("files", [print(&tool)]).unwrap_err().to_string();
        assert!(fault.starts_with("cannot read ") && fault.ends_with("move it away"), "{fault}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{\"files\": ");
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(approvals.seen("files", &[tool]), [Approval::Same]);
    }
}
