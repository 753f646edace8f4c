//! Adds expressions and lists to the graph. Comes in: parsed expressions and a scope. Goes out: nodes. Refuses: unknown
//! rules, rules that contain themselves, lists without content.

use super::{Compiled, FaultyTemplate, RuleScope, TemplateCompiler};
use crate::context::MatchContext;
use crate::error::TemplateFault;
use crate::file::{FileList, FileRange, FileValue};
use crate::grammar::{GrammarNode, ListUse, NodeId, RowKind, TemplateGrammar};
use crate::lists::{ListKind, TemplateList, TemplateValue};
use crate::numbers::NumberRange;
use crate::syntax::{self, Expr, ListRef};
use crate::text::{is_punctuation, is_unspaced, tidy};

/// Rules within rules.
const DEEPEST_RULES: usize = 24;
/// More than these are not worth a look at the first character.
const MOST_FIRSTS: usize = 24;

impl TemplateCompiler<'_> {
    /// Adds an expression.
    pub(super) fn expr(&mut self, scope: &mut RuleScope, expr: &Expr) -> Result<NodeId, TemplateFault> {
        match expr {
            Expr::Text(text) => {
                let text = word_text(text, self.file.settings.ignore_whitespace);
                Ok(self.builder.word(&text))
            }
            Expr::Sequence(items) => self.row(scope, RowKind::Sequence, items),
            Expr::Alternatives(items) => self.row(scope, RowKind::Alternatives, items),
            Expr::AnyOrder(items) => self.row(scope, RowKind::AnyOrder, items),
            Expr::List(list) => self.list_use(scope, list),
            Expr::Rule(name) => self.rule(scope, name),
        }
    }

    fn row(&mut self, scope: &mut RuleScope, kind: RowKind, items: &[Expr]) -> Result<NodeId, TemplateFault> {
        let mut nodes = Vec::with_capacity(items.len());
        for item in items {
            nodes.push(self.expr(scope, item)?);
        }
        Ok(self.builder.row(kind, &nodes))
    }

    fn rule(&mut self, scope: &mut RuleScope, name: &str) -> Result<NodeId, TemplateFault> {
        if let Some(&known) = scope.compiled.get(name) {
            return Ok(known);
        }
        if scope.open.iter().any(|open| open == name) {
            return Err(TemplateFault::Circle(name.to_owned()));
        }
        if scope.open.len() >= DEEPEST_RULES {
            return Err(TemplateFault::TooDeep);
        }
        let body = scope.rule(name).ok_or_else(|| TemplateFault::UnknownRule(name.to_owned()))?;
        scope.open.push(name.to_owned());
        let node = self.expr(scope, &body);
        scope.open.pop();
        let node = self.builder.rule(node?);
        scope.compiled.insert(name.to_owned(), node);
        Ok(node)
    }

    fn list_use(&mut self, scope: &mut RuleScope, reference: &ListRef) -> Result<NodeId, TemplateFault> {
        let name = &reference.list;
        let known = scope.lists.get(name).or_else(|| self.shared_lists.get(name)).copied();
        let list = match known {
            Some(known) => known,
            None => {
                let kind = match inline_range(name) {
                    Some(range) => {
                        let range = NumberRange::new(&range, &self.file.language, self.speller)?;
                        ListKind::Range(Box::new(range))
                    }
                    None => ListKind::Absent,
                };
                let number = self.add_list(name, kind, false);
                self.shared_lists.insert(name.clone(), number);
                number
            }
        };
        let slot = self.builder.name(&reference.slot);
        let &ListRef { is_capture, ends_word, .. } = reference;
        Ok(self.builder.list(ListUse { list, slot, is_capture, ends_word }))
    }

    fn add_list(&mut self, name: &str, kind: ListKind, is_local: bool) -> u32 {
        self.lists.push(TemplateList { name: name.into(), is_local, kind });
        u32::try_from(self.lists.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds a list of the file or of a block.
    pub(super) fn file_list(
        &mut self,
        scope: &mut RuleScope,
        name: &str,
        list: &FileList,
        is_local: bool,
    ) -> Compiled<()> {
        let faulty = |template: &str, fault| FaultyTemplate {
            place: format!("list {{{name}}}"),
            template: template.to_owned(),
            fault,
        };
        let kind = match list {
            FileList { values: Some(values), .. } => {
                let mut compiled = Vec::with_capacity(values.len());
                for value in values {
                    let text = match value {
                        FileValue::Plain(text) | FileValue::Full { r#in: text, .. } => text,
                    };
                    compiled.push(self.value(scope, value).map_err(|fault| faulty(text, fault))?);
                }
                ListKind::Values(compiled.into())
            }
            FileList { range: Some(range), .. } => {
                let range = NumberRange::new(range, &self.file.language, self.speller);
                ListKind::Range(Box::new(range.map_err(|fault| faulty("", fault))?))
            }
            FileList { wildcard: true, .. } => ListKind::Wildcard,
            _ => return Err(faulty("", TemplateFault::ListKind)),
        };
        let number = self.add_list(name, kind, is_local);
        let names = if is_local { &mut scope.lists } else { &mut self.shared_lists };
        names.insert(name.to_owned(), number);
        Ok(())
    }

    fn value(&mut self, scope: &mut RuleScope, value: &FileValue) -> Result<TemplateValue, TemplateFault> {
        let (text, out, context, metadata) = match value {
            FileValue::Plain(text) if syntax::is_template(text) => (text, None, None, None),
            FileValue::Plain(text) => (text, Some(text.clone().into()), None, None),
            FileValue::Full { r#in, out, context, metadata } => {
                (r#in, out.clone(), Some(context), metadata.clone())
            }
        };
        let expr =
            if syntax::is_template(text) { syntax::parse(text)? } else { syntax::parse(&escaped(text))? };
        let node = self.expr(scope, &expr)?;
        let mut first = Vec::new();
        let is_known = first_letters(self.builder.grammar(), node, &mut first);
        Ok(TemplateValue {
            node,
            first: (is_known && first.len() <= MOST_FIRSTS).then(|| first.into()),
            out,
            context: context.map_or_else(MatchContext::new, |context| context.clone().into()),
            metadata,
        })
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(';', "\\;")
}

/// Reads `10..20` or `10..20,5` as a range.
fn inline_range(name: &str) -> Option<FileRange> {
    let (from, rest) = name.split_once("..")?;
    let (to, step) = rest.split_once(',').unwrap_or((rest, "1"));
    Some(FileRange {
        from: from.parse().ok()?,
        to: to.parse().ok()?,
        step: step.parse().ok()?,
        multiplier: None,
        fractions: None,
        digits: true,
        words: true,
        words_language: None,
    })
}

/// Returns a word as it is compared: without the punctuation that sentences lose at the ends of words, and in languages
/// without spaces also without those.
fn word_text(text: &str, ignores_spaces: bool) -> String {
    let mut text = tidy(text);
    if let Some(spaceless) = text.strip_suffix(' ') {
        let kept = spaceless.trim_end_matches(|c| c != '.' && is_punctuation(c)).len();
        text.truncate(kept);
        text.push(' ');
    }
    if !ignores_spaces {
        return text;
    }
    let letters: Vec<char> = text.trim().chars().collect();
    let joins = |at: usize| at > 0 && is_unspaced(letters[at - 1]) && is_unspaced(letters[at + 1]);
    letters.iter().enumerate().filter(|&(at, &c)| c != ' ' || !joins(at)).map(|(_, &c)| c).collect()
}

/// Collects the characters a node can begin with. Returns false when it can begin with others too.
fn first_letters(grammar: &TemplateGrammar, id: NodeId, first: &mut Vec<char>) -> bool {
    match grammar.node(id) {
        GrammarNode::Nothing | GrammarNode::List(_) | GrammarNode::AnyOrder(_) => false,
        GrammarNode::Word(word) => match grammar.letters(grammar.word(word)).first() {
            None | Some(' ') => false,
            Some(&letter) => {
                if !first.contains(&letter) {
                    first.push(letter);
                }
                true
            }
        },
        GrammarNode::Rule(body) => first_letters(grammar, body, first),
        GrammarNode::Alternatives(items) => {
            grammar.children(items).iter().all(|&item| first_letters(grammar, item, first))
        }
        GrammarNode::Sequence(items) => {
            for &item in grammar.children(items) {
                if first_letters(grammar, item, first) {
                    return true;
                }
                if !is_optional_words(grammar, item, first) {
                    return false;
                }
            }
            false
        }
    }
}

/// Returns whether a node is words or nothing, and collects what the words begin with.
fn is_optional_words(grammar: &TemplateGrammar, id: NodeId, first: &mut Vec<char>) -> bool {
    match grammar.node(id) {
        GrammarNode::Nothing => true,
        GrammarNode::Alternatives(items) => grammar
            .children(items)
            .iter()
            .all(|&item| grammar.node(item) == GrammarNode::Nothing || first_letters(grammar, item, first)),
        _ => false,
    }
}
