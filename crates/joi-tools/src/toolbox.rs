//! An ordered set of tools: those on offer from the start, and those that `toolSearch` finds.
//!
//! Any thread; immutable once it stands in a snapshot. The order is the one the model sees, and stays the same, because
//! the cache of the prompt depends on it. A name that is malformed or taken is refused. Pure: no I/O, no clock.

use std::sync::Arc;

use super::tool::Tool;
use super::{find, schema, stop};

/// An ordered set of tools with unique names.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    /// The number of tools on offer from the start; they come first.
    core: usize,
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Toolbox {
    /// Creates a box of tools that are all on offer. Of two with the same name the first counts.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let mut toolbox = Self::default();
        for tool in tools {
            toolbox.put(tool);
        }
        toolbox.core = toolbox.tools.len();
        toolbox
    }

    /// Adds tools that the model must look for with `toolSearch` before it can use them.
    #[must_use]
    pub fn with_hidden(mut self, hidden: Vec<Arc<dyn Tool>>) -> Self {
        if hidden.is_empty() {
            return self;
        }
        let known = hidden.clone();
        let behind = self.tools.split_off(self.core);
        self.put(Arc::new(find::ToolSearch::new(known)));
        self.core = self.tools.len();
        for tool in behind.into_iter().chain(hidden) {
            self.put(tool);
        }
        self
    }

    /// Puts a tool behind those on offer from the start; returns whether its name was free and well-formed.
    pub(crate) fn offer(&mut self, tool: &Arc<dyn Tool>) -> bool {
        let fits = self.takes(tool.name());
        if fits {
            self.tools.insert(self.core, Arc::clone(tool));
            self.core += 1;
        }
        fits
    }

    /// Returns the tools that are in `names`, and the few that are on every turn's allow-list.
    #[must_use]
    pub fn only(self, names: &[String]) -> Self {
        let stays = |tool: &Arc<dyn Tool>| {
            [stop::NAME, find::NAME].contains(&tool.name()) || names.iter().any(|name| name == tool.name())
        };
        let core = self.tools[..self.core].iter().filter(|tool| stays(tool)).count();
        Self { tools: self.tools.into_iter().filter(stays).collect(), core }
    }

    /// Returns the tools that `stays` is true of, all of them on offer from the start.
    #[must_use]
    pub fn filtered(self, stays: impl Fn(&dyn Tool) -> bool) -> Self {
        Self::new(self.tools.into_iter().filter(|tool| stays(&**tool)).collect())
    }

    pub(crate) fn takes(&self, name: &str) -> bool {
        self.get(name).is_none() && schema::is_name(name)
    }

    fn put(&mut self, tool: Arc<dyn Tool>) {
        if self.takes(tool.name()) {
            self.tools.push(tool);
        } else {
            tracing::warn!(tool = tool.name(), "a tool with that name can't be added");
        }
    }

    /// Returns whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Returns all tools.
    pub fn all(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }

    /// Returns the tools that are not on offer from the start.
    pub fn hidden(&self) -> &[Arc<dyn Tool>] {
        &self.tools[self.core..]
    }

    /// Returns the tools on offer from the start, then those of `grown` that exist, in the order they were found.
    pub fn offered(&self, grown: &[String]) -> Vec<&Arc<dyn Tool>> {
        let found = grown.iter().filter_map(|name| self.tools[self.core..].iter().find(|t| t.name() == name));
        self.tools[..self.core].iter().chain(found).collect()
    }

    /// Returns the tool called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// Returns the names of all tools.
    pub fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.name()).collect()
    }
}
