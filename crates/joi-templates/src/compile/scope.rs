//! The rules and lists that a template can name: those of the file, and those of its block, which come first. Comes in:
//! texts of rules. Goes out: their expressions, compiled once for each scope.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::{Compiled, FaultyTemplate};
use crate::file::TemplateFile;
use crate::grammar::NodeId;
use crate::syntax::{self, Expr};

/// Rules and lists by name.
pub(super) struct RuleScope {
    rules: HashMap<String, Rc<Expr>>,
    /// Rules that were compiled already.
    pub(super) compiled: HashMap<String, NodeId>,
    /// Rules that are being compiled.
    pub(super) open: Vec<String>,
    /// Numbers of the lists of a block.
    pub(super) lists: HashMap<String, u32>,
}

impl RuleScope {
    /// The scope of all blocks.
    pub(super) fn shared(file: &TemplateFile) -> Compiled<Self> {
        let rules = parsed(&file.expansion_rules, "")?;
        Ok(Self { rules, compiled: HashMap::new(), open: Vec::new(), lists: HashMap::new() })
    }

    /// The scope of a block with rules of its own. Shared rules that name them mean those of the block.
    pub(super) fn with_rules(&self, own: &BTreeMap<String, String>, place: &str) -> Compiled<Self> {
        let mut rules = self.rules.clone();
        rules.extend(parsed(own, place)?);
        Ok(Self { rules, compiled: HashMap::new(), open: Vec::new(), lists: HashMap::new() })
    }

    pub(super) fn rule(&self, name: &str) -> Option<Rc<Expr>> {
        self.rules.get(name).cloned()
    }
}

fn parsed(rules: &BTreeMap<String, String>, place: &str) -> Compiled<HashMap<String, Rc<Expr>>> {
    let parse = |(name, text): (&String, &String)| {
        let expr = syntax::parse(text).map_err(|fault| FaultyTemplate {
            place: format!("{place} rule <{name}>").trim_start().to_owned(),
            template: text.clone(),
            fault,
        })?;
        Ok((name.clone(), Rc::new(expr)))
    };
    rules.iter().map(parse).collect()
}
