//! From the file of a language to its compiled templates. Comes in: the parsed file. Goes out: one graph of expressions,
//! lists, blocks and the words that templates require. Refuses: a template, rule or list that breaks the format, by name.
//! Pure: no I/O, no clock.

mod build;
mod scope;

use std::collections::HashMap;

use crate::context::Conditions;
use crate::error::{TemplateFault, TemplateFileError};
use crate::file::{FileBlock, TemplateFile};
use crate::grammar::GrammarBuilder;
use crate::lists::TemplateList;
use crate::model::{CompiledTemplates, TemplateBlock, TemplateRow, WildcardEnds};
use crate::numbers::SpellNumber;
use crate::required::ClauseCollector;
use crate::syntax::{self, Expr};
use crate::text::{Normalised, fold};
use scope::RuleScope;

/// A fault with its place; the language is added by the caller.
struct FaultyTemplate {
    place: String,
    template: String,
    fault: TemplateFault,
}

type Compiled<T> = Result<T, FaultyTemplate>;

/// The work on one language.
struct TemplateCompiler<'f> {
    file: &'f TemplateFile,
    speller: &'f dyn SpellNumber,
    builder: GrammarBuilder,
    lists: Vec<TemplateList>,
    collector: ClauseCollector,
    clauses: Vec<u32>,
    templates: Vec<TemplateRow>,
    blocks: Vec<TemplateBlock>,
    /// Numbers of lists that all blocks share.
    shared_lists: HashMap<String, u32>,
}

/// Compiles the templates of a language.
pub(crate) fn compile(
    file: &TemplateFile,
    speller: &dyn SpellNumber,
) -> Result<CompiledTemplates, TemplateFileError> {
    let compiler = TemplateCompiler {
        file,
        speller,
        builder: GrammarBuilder::default(),
        lists: Vec::new(),
        collector: ClauseCollector::default(),
        clauses: Vec::new(),
        templates: Vec::new(),
        blocks: Vec::new(),
        shared_lists: HashMap::new(),
    };
    compiler.run().map_err(|FaultyTemplate { place, template, fault }| TemplateFileError::Template {
        language: file.language.clone(),
        place,
        template,
        fault,
    })
}

impl TemplateCompiler<'_> {
    fn run(mut self) -> Compiled<CompiledTemplates> {
        let mut shared = RuleScope::shared(self.file)?;
        for (name, list) in &self.file.lists {
            self.file_list(&mut shared, name, list, false)?;
        }
        for (number, (intent, data)) in (0..).zip(&self.file.intents) {
            for block in &data.data {
                self.block(&mut shared, number, intent, block)?;
            }
        }
        let mut skip_words: Vec<_> =
            self.file.skip_words.iter().map(|words| Normalised::new(words).folded()).collect();
        skip_words.retain(|words| !words.is_empty());
        skip_words.sort_by_key(|words| std::cmp::Reverse(words.len()));
        self.clauses.shrink_to_fit();
        self.templates.shrink_to_fit();
        self.blocks.shrink_to_fit();
        Ok(CompiledTemplates {
            language: self.file.language.clone(),
            ignores_spaces: self.file.settings.ignore_whitespace,
            grammar: self.builder.finish(),
            lists: self.lists,
            templates: self.templates,
            blocks: self.blocks,
            intents: self.file.intents.keys().cloned().collect(),
            prefilter: self.collector.finish(),
            clauses: self.clauses,
            skip_words,
        })
    }

    fn block(
        &mut self,
        shared: &mut RuleScope,
        number: u32,
        intent: &str,
        block: &FileBlock,
    ) -> Compiled<()> {
        let place = format!("intent {intent}");
        let mut local = None;
        if !block.expansion_rules.is_empty() || !block.lists.is_empty() {
            let scope = local.insert(shared.with_rules(&block.expansion_rules, &place)?);
            for (name, list) in &block.lists {
                self.file_list(scope, name, list, true)?;
            }
        }
        let scope = local.as_mut().unwrap_or(shared);
        let own = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        self.blocks.push(TemplateBlock {
            intent: number,
            slots: block.slots.clone(),
            response: block.response.clone(),
            conditions: Conditions::new(&block.requires_context, &block.excludes_context),
            keywords: block.required_keywords.iter().map(|word| word.chars().map(fold).collect()).collect(),
            metadata: block.metadata.clone(),
        });
        for text in &block.sentences {
            let faulty = |fault| FaultyTemplate { place: place.clone(), template: text.clone(), fault };
            let expr = syntax::parse(text).map_err(faulty)?;
            let node = self.expr(scope, &expr).map_err(faulty)?;
            let first = u32::try_from(self.clauses.len()).unwrap_or(u32::MAX);
            self.clauses.extend_from_slice(&self.collector.clauses(self.builder.grammar(), node));
            let last = u32::try_from(self.clauses.len()).unwrap_or(u32::MAX);
            let wildcards = self.wildcard_ends(&expr);
            self.templates.push(TemplateRow {
                node,
                block: own,
                clauses: (first, last),
                wildcards,
                text: text.as_str().into(),
            });
        }
        Ok(())
    }

    fn wildcard_ends(&self, expr: &Expr) -> WildcardEnds {
        let is_wildcard = |item: &Expr| match item {
            Expr::List(list) => self.file.lists.get(&list.list).is_some_and(|list| list.wildcard),
            _ => false,
        };
        match expr {
            Expr::Sequence(items) => match items.as_slice() {
                [first, ..] if is_wildcard(first) => WildcardEnds::First,
                [.., last] if is_wildcard(last) => WildcardEnds::Last,
                _ => WildcardEnds::Neither,
            },
            one if is_wildcard(one) => WildcardEnds::Whole,
            _ => WildcardEnds::Neither,
        }
    }
}
