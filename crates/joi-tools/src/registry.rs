//! The tools there are at any time: a snapshot that can be replaced while turns run.
//!
//! Any thread; the lock is held for a pointer's copy. In: a new [`Toolbox`], when tools come or go (a server of tools, a
//! house). Out: [`ToolSnapshot`]s, which never change. A conversation keeps the one it began with, so that the head of
//! its prompt stays byte for byte the same and the model's cache of it stays good; the next conversation takes the new one.

use std::sync::{Arc, PoisonError, RwLock};

use super::Toolbox;

/// The tools of one moment.
#[derive(Debug, Clone, Default)]
pub struct ToolSnapshot {
    /// Grows with every replacement.
    pub revision: u64,
    /// The tools.
    pub toolbox: Toolbox,
}

/// Holds the newest snapshot; clones share it.
#[derive(Debug, Clone, Default)]
pub struct ToolRegistry(Arc<RwLock<Arc<ToolSnapshot>>>);

impl From<Toolbox> for ToolRegistry {
    fn from(toolbox: Toolbox) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(ToolSnapshot { revision: 1, toolbox }))))
    }
}

impl ToolRegistry {
    /// The newest snapshot.
    pub fn snapshot(&self) -> Arc<ToolSnapshot> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From here on new conversations have these tools. What runs keeps its own.
    pub fn replace(&self, toolbox: Toolbox) {
        let mut newest = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *newest = Arc::new(ToolSnapshot { revision: newest.revision + 1, toolbox });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::Stop;

    #[test]
    fn a_snapshot_stays_as_it_is_when_the_tools_are_replaced() {
        let registry = ToolRegistry::from(Toolbox::new(vec![Arc::new(Stop)]));
        let (before, shared) = (registry.snapshot(), registry.clone());
        shared.replace(Toolbox::default());
        assert_eq!((before.revision, before.toolbox.names()), (1, vec!["stop"]));
        let after = registry.snapshot();
        assert_eq!((after.revision, after.toolbox.names()), (2, vec![]));
    }
}
