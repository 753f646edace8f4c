//! The tools of the moment: a snapshot that can be replaced while turns run, and sets of tools added by owners.
//!
//! Any thread; the lock is held for a copy of pointers. In: a new [`Toolbox`], or a set of tools under the name of its
//! owner (a server of tools, a house), when tools come or go. Out: [`ToolSnapshot`]s, which never change. A conversation
//! keeps the one it began with, so that the head of its prompt stays byte for byte the same and the model's cache of it
//! stays good; the next conversation takes the new one. Added tools stand behind the shipped ones for the same reason.

use std::sync::{Arc, PoisonError, RwLock};

use super::tool::Tool;
use super::toolbox::Toolbox;

/// The tools of one moment.
#[derive(Debug, Clone, Default)]
pub struct ToolSnapshot {
    /// A number that grows with every change.
    pub revision: u64,
    /// The tools.
    pub toolbox: Toolbox,
}

/// Holds the newest snapshot; clones share it.
#[derive(Debug, Clone, Default)]
pub struct ToolRegistry(Arc<RwLock<Registered>>);

/// The parts of the newest snapshot.
#[derive(Debug, Default)]
struct Registered {
    newest: Arc<ToolSnapshot>,
    /// The tools that no owner has added.
    base: Toolbox,
    added: Vec<ToolSet>,
    /// Most added tools that are on offer from the start; of more, all have to be found.
    most_offered: Option<usize>,
}

/// The tools that one owner has added.
struct ToolSet {
    owner: String,
    tools: Vec<Arc<dyn Tool>>,
}

impl std::fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} tools", self.owner, self.tools.len())
    }
}

impl Registered {
    /// Makes the next snapshot; returns the names that were refused, as they are malformed or taken.
    fn renew(&mut self) -> Vec<String> {
        let mut toolbox = self.base.clone();
        let mut refused = Vec::new();
        for set in &self.added {
            let clashes = set.tools.iter().filter(|tool| !toolbox.offer(tool));
            refused.extend(clashes.map(|tool| tool.name().to_owned()));
        }
        let added = toolbox.all().len() - self.base.all().len();
        if self.most_offered.is_some_and(|most| added > most) {
            // Of tools with the same name the one that was accepted above.
            let accepted =
                |tool: &Arc<dyn Tool>| toolbox.get(tool.name()).is_some_and(|own| Arc::ptr_eq(own, tool));
            let tools =
                self.added.iter().flat_map(|set| set.tools.iter().filter(|tool| accepted(tool)).cloned());
            toolbox = self.base.clone().with_hidden(tools.collect());
        }
        self.newest = Arc::new(ToolSnapshot { revision: self.newest.revision + 1, toolbox });
        refused
    }
}

impl From<Toolbox> for ToolRegistry {
    fn from(toolbox: Toolbox) -> Self {
        let newest = Arc::new(ToolSnapshot { revision: 1, toolbox: toolbox.clone() });
        Self(Arc::new(RwLock::new(Registered {
            newest,
            base: toolbox,
            added: Vec::new(),
            most_offered: None,
        })))
    }
}

impl ToolRegistry {
    /// Returns the newest snapshot.
    pub fn snapshot(&self) -> Arc<ToolSnapshot> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner).newest)
    }

    /// Returns the newest snapshot with further tools behind those on offer, for a single caller. One whose name is taken is
    /// left out.
    pub fn snapshot_with(&self, tools: &[Arc<dyn Tool>]) -> Arc<ToolSnapshot> {
        let newest = self.snapshot();
        let mut toolbox = newest.toolbox.clone();
        for tool in tools {
            if !toolbox.offer(tool) {
                tracing::warn!(tool = tool.name(), "the name of a tool is taken");
            }
        }
        Arc::new(ToolSnapshot { revision: newest.revision, toolbox })
    }

    /// Replaces the tools that no owner has added. New conversations see the change, running ones do not.
    pub fn replace(&self, toolbox: Toolbox) {
        self.change(|registered| registered.base = toolbox);
    }

    /// Adds a set of tools under the name of its owner, in place of the set that this owner added before. New
    /// conversations see them, running ones do not. Returns the names of this set that were refused, because they are
    /// malformed or belong to another tool.
    pub fn add(&self, owner: &str, tools: Vec<Arc<dyn Tool>>) -> Vec<String> {
        let own: Vec<String> = tools.iter().map(|tool| tool.name().to_owned()).collect();
        let mut refused = self.change(|registered| {
            let set = ToolSet { owner: owner.to_owned(), tools };
            match registered.added.iter_mut().find(|set| set.owner == owner) {
                Some(former) => *former = set,
                None => registered.added.push(set),
            }
        });
        refused.retain(|name| own.contains(name));
        refused
    }

    /// Sets how many added tools are on offer from the start. Where there are more, all of them have to be found: by the
    /// words of a request, or with `toolSearch`.
    pub fn set_most_offered(&self, most: usize) {
        self.change(|registered| registered.most_offered = Some(most));
    }

    /// Removes the set of an owner; returns whether there was one. Running conversations keep its tools.
    pub fn remove(&self, owner: &str) -> bool {
        let mut registered = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = registered.added.len();
        registered.added.retain(|set| set.owner != owner);
        let is_gone = registered.added.len() < before;
        if is_gone {
            registered.renew();
        }
        is_gone
    }

    fn change(&self, how: impl FnOnce(&mut Registered)) -> Vec<String> {
        let mut registered = self.0.write().unwrap_or_else(PoisonError::into_inner);
        how(&mut registered);
        registered.renew()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use joi_language::Language;
    use joi_language::testing::english;
    use serde_json::{Value, json};

    use super::*;
    use crate::shipped::stop::Stop;
    use crate::{Arguments, Call, Output, ToolError, route};

    /// A tool that is made at run time and owns all its words.
    struct OwnedTool {
        name: String,
        description: String,
        schema: Value,
        cues: Vec<String>,
    }

    impl OwnedTool {
        fn named(name: &str) -> Arc<dyn Tool> {
            Arc::new(Self {
                name: name.to_owned(),
                description: format!("the {name} of a server"),
                schema: json!({ "type": "object", "properties": {} }),
                cues: vec![name.to_lowercase()],
            })
        }
    }

    impl Tool for OwnedTool {
        fn name(&self) -> &str {
            &self.name
        }
        fn description(&self) -> &str {
            &self.description
        }
        fn schema(&self) -> Value {
            self.schema.clone()
        }
        fn owned_cues(&self) -> &[String] {
            &self.cues
        }
        fn in_words(&self, _: &Arguments, _: &Language) -> String {
            self.description.clone()
        }
        fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
            async { Ok(Output::foreign("done")) }.boxed()
        }
    }

    fn with_stop() -> ToolRegistry {
        ToolRegistry::from(Toolbox::new(vec![Arc::new(Stop)]))
    }

    #[test]
    fn a_snapshot_stays_as_it_is_when_the_tools_are_replaced() {
        let registry = with_stop();
        let (before, shared) = (registry.snapshot(), registry.clone());
        shared.replace(Toolbox::default());
        assert_eq!((before.revision, before.toolbox.names()), (1, vec!["stop"]));
        let after = registry.snapshot();
        assert_eq!((after.revision, after.toolbox.names()), (2, vec![]));
    }

    #[test]
    fn a_set_of_owned_tools_comes_and_goes_and_a_running_conversation_keeps_its_own() {
        let registry = with_stop();
        let before = registry.snapshot();
        assert_eq!(registry.add("files", vec![OwnedTool::named("listFiles")]), [""; 0]);
        let running = registry.snapshot();
        assert_eq!(running.toolbox.names(), ["stop", "listFiles"]);
        let offered = running.toolbox.offered(&[]);
        assert_eq!(route::by_words("use listfiles for me", &offered, english()).names, ["listFiles"]);
        assert!(registry.remove("files"));
        assert!(!registry.remove("files"), "there is nothing left to remove");
        let after = registry.snapshot();
        assert_eq!((before.toolbox.names(), after.toolbox.names()), (vec!["stop"], vec!["stop"]));
        assert_eq!(running.toolbox.names(), ["stop", "listFiles"]);
        assert_eq!((before.revision, running.revision, after.revision), (1, 2, 3));
    }

    #[test]
    fn an_owner_replaces_only_its_own_set_and_no_name_is_taken_twice() {
        let registry = with_stop();
        assert_eq!(registry.add("one", vec![OwnedTool::named("read"), OwnedTool::named("stop")]), ["stop"]);
        assert_eq!(
            registry.add("two", vec![OwnedTool::named("read"), OwnedTool::named("no name")]),
            ["read", "no name"]
        );
        assert_eq!(registry.add("one", vec![OwnedTool::named("write")]), [""; 0]);
        let names = |registry: &ToolRegistry| registry.snapshot().toolbox.names().join(" ");
        assert_eq!(names(&registry), "stop write read", "a name that becomes free goes to who asked for it");
        registry.replace(Toolbox::default());
        assert_eq!(names(&registry), "write read", "added sets outlast the replacement of the others");
    }

    #[test]
    fn many_added_tools_have_to_be_found() {
        let registry = with_stop();
        registry.set_most_offered(2);
        registry.add("one", vec![OwnedTool::named("read"), OwnedTool::named("write")]);
        assert_eq!(registry.snapshot().toolbox.names(), ["stop", "read", "write"]);
        assert_eq!(registry.add("two", vec![OwnedTool::named("read"), OwnedTool::named("find")]), ["read"]);
        let many = registry.snapshot();
        assert_eq!(many.toolbox.names(), ["stop", "toolSearch", "read", "write", "find"]);
        assert_eq!((many.toolbox.offered(&[]).len(), many.toolbox.hidden().len()), (2, 3));
        let hidden: Vec<_> = many.toolbox.hidden().iter().collect();
        assert_eq!(route::by_words("please write it", &hidden, english()).names, ["write"]);
        registry.remove("two");
        assert_eq!(registry.snapshot().toolbox.names(), ["stop", "read", "write"]);
    }

    #[test]
    fn added_tools_stand_before_those_that_are_looked_for() {
        let toolbox = Toolbox::new(vec![Arc::new(Stop)]).with_hidden(vec![OwnedTool::named("hidden")]);
        let registry = ToolRegistry::from(toolbox);
        registry.add("files", vec![OwnedTool::named("listFiles")]);
        let snapshot = registry.snapshot();
        assert_eq!(snapshot.toolbox.names(), ["stop", "toolSearch", "listFiles", "hidden"]);
        assert_eq!(snapshot.toolbox.offered(&[]).len(), 3);
    }
}
