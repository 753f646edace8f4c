//! Compiled templates: a graph of expressions in which equal ones are one, however many templates and rules use them.
//! Comes in: expressions, innermost first. Goes out: nodes by number. Pure: no I/O, no clock.

use std::collections::HashMap;

/// Number of a node.
pub(crate) type NodeId = u32;

/// An expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum GrammarNode {
    Nothing,
    /// A word, by its number.
    Word(u32),
    Sequence(Children),
    Alternatives(Children),
    AnyOrder(Children),
    /// A value of a list, by the number of the reference.
    List(u32),
    /// An expansion rule: its results are kept for a sentence.
    Rule(NodeId),
}

/// Nodes in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Children {
    first: u32,
    count: u32,
}

/// A word of templates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TemplateWord {
    /// Its folded characters.
    first: u32,
    count: u16,
    /// Its text as written.
    shown: (u32, u16),
    /// White space or an apostrophe ends it, so a word begins behind it.
    pub(crate) ends_word: bool,
    pub(crate) is_blank: bool,
}

/// A reference to a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ListUse {
    /// Number of the list.
    pub(crate) list: u32,
    /// Number of the name of the slot.
    pub(crate) slot: u32,
    pub(crate) is_capture: bool,
    pub(crate) ends_word: bool,
}

/// The graph.
#[derive(Debug, Default)]
pub(crate) struct TemplateGrammar {
    nodes: Vec<GrammarNode>,
    /// Whether a node holds lists, by node.
    fills: Vec<bool>,
    children: Vec<NodeId>,
    words: Vec<TemplateWord>,
    letters: Vec<char>,
    shown: String,
    uses: Vec<ListUse>,
    names: Vec<Box<str>>,
}

impl TemplateGrammar {
    pub(crate) fn node(&self, id: NodeId) -> GrammarNode {
        self.nodes[id as usize]
    }

    /// Returns whether the node holds lists.
    pub(crate) fn fills_slots(&self, id: NodeId) -> bool {
        self.fills[id as usize]
    }

    pub(crate) fn children(&self, children: Children) -> &[NodeId] {
        &self.children[children.first as usize..(children.first + children.count) as usize]
    }

    pub(crate) fn word(&self, id: u32) -> &TemplateWord {
        &self.words[id as usize]
    }

    /// Returns the folded characters of a word, with the white space around it.
    pub(crate) fn letters(&self, word: &TemplateWord) -> &[char] {
        &self.letters[word.first as usize..word.first as usize + usize::from(word.count)]
    }

    /// Returns a word as it is written.
    pub(crate) fn shown(&self, word: &TemplateWord) -> &str {
        let from = word.shown.0 as usize;
        &self.shown[from..from + usize::from(word.shown.1)]
    }

    pub(crate) fn list_use(&self, id: u32) -> ListUse {
        self.uses[id as usize]
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        &self.names[id as usize]
    }

    /// Returns the number of a name of slots.
    pub(crate) fn find_name(&self, name: &str) -> Option<u32> {
        self.names.iter().zip(0..).find(|(known, _)| known.as_ref() == name).map(|(_, number)| number)
    }

    /// Bytes on the heap.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<GrammarNode>()
            + self.fills.capacity()
            + (self.children.capacity() + self.letters.capacity()) * 4
            + self.words.capacity() * size_of::<TemplateWord>()
            + self.shown.capacity()
            + self.uses.capacity() * size_of::<ListUse>()
            + self.names.iter().map(|name| name.len() + size_of::<Box<str>>()).sum::<usize>()
    }
}

/// Builds a graph, keeping equal nodes once.
#[derive(Debug, Default)]
pub(crate) struct GrammarBuilder {
    grammar: TemplateGrammar,
    nodes: HashMap<GrammarNode, NodeId>,
    rows: HashMap<Box<[NodeId]>, Children>,
    words: HashMap<Box<str>, NodeId>,
    uses: HashMap<ListUse, u32>,
    names: HashMap<Box<str>, u32>,
}

/// Nodes in a row, of which kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowKind {
    Sequence,
    Alternatives,
    AnyOrder,
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl GrammarBuilder {
    /// Ends the work.
    pub(crate) fn finish(self) -> TemplateGrammar {
        let mut grammar = self.grammar;
        grammar.nodes.shrink_to_fit();
        grammar.fills.shrink_to_fit();
        grammar.children.shrink_to_fit();
        grammar.words.shrink_to_fit();
        grammar.letters.shrink_to_fit();
        grammar.shown.shrink_to_fit();
        grammar
    }

    pub(crate) fn grammar(&self) -> &TemplateGrammar {
        &self.grammar
    }

    fn add(&mut self, node: GrammarNode, fills: bool) -> NodeId {
        *self.nodes.entry(node).or_insert_with(|| {
            self.grammar.nodes.push(node);
            self.grammar.fills.push(fills);
            count(self.grammar.nodes.len() - 1)
        })
    }

    pub(crate) fn nothing(&mut self) -> NodeId {
        self.add(GrammarNode::Nothing, false)
    }

    /// Adds a word, tidied already.
    pub(crate) fn word(&mut self, text: &str) -> NodeId {
        if text.is_empty() {
            return self.nothing();
        }
        if let Some(&known) = self.words.get(text) {
            return known;
        }
        let grammar = &mut self.grammar;
        let (first, shown) = (count(grammar.letters.len()), count(grammar.shown.len()));
        grammar.letters.extend(text.chars().map(crate::text::fold));
        grammar.shown.push_str(text);
        grammar.words.push(TemplateWord {
            first,
            count: u16::try_from(grammar.letters.len() - first as usize).unwrap_or(u16::MAX),
            shown: (shown, u16::try_from(text.len()).unwrap_or(u16::MAX)),
            ends_word: text.ends_with([' ', '\'']),
            is_blank: text.trim().is_empty(),
        });
        let number = count(grammar.words.len() - 1);
        let id = self.add(GrammarNode::Word(number), false);
        self.words.insert(text.into(), id);
        id
    }

    /// Adds nodes in a row; a row of one is that one.
    pub(crate) fn row(&mut self, kind: RowKind, items: &[NodeId]) -> NodeId {
        match items {
            [] => return self.nothing(),
            [one] => return *one,
            _ => {}
        }
        let fills = items.iter().any(|&item| self.grammar.fills_slots(item));
        let children = match self.rows.get(items) {
            Some(&known) => known,
            None => {
                let new = Children { first: count(self.grammar.children.len()), count: count(items.len()) };
                self.grammar.children.extend_from_slice(items);
                self.rows.insert(items.into(), new);
                new
            }
        };
        let node = match kind {
            RowKind::Sequence => GrammarNode::Sequence(children),
            RowKind::Alternatives => GrammarNode::Alternatives(children),
            RowKind::AnyOrder => GrammarNode::AnyOrder(children),
        };
        self.add(node, fills)
    }

    pub(crate) fn rule(&mut self, body: NodeId) -> NodeId {
        let fills = self.grammar.fills_slots(body);
        match self.grammar.node(body) {
            GrammarNode::Nothing | GrammarNode::Word(_) | GrammarNode::List(_) | GrammarNode::Rule(_) => body,
            _ => self.add(GrammarNode::Rule(body), fills),
        }
    }

    pub(crate) fn list(&mut self, list_use: ListUse) -> NodeId {
        let grammar = &mut self.grammar;
        let number = *self.uses.entry(list_use).or_insert_with(|| {
            grammar.uses.push(list_use);
            count(grammar.uses.len() - 1)
        });
        self.add(GrammarNode::List(number), true)
    }

    pub(crate) fn name(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        self.grammar.names.push(name.into());
        let number = count(self.grammar.names.len() - 1);
        self.names.insert(name.into(), number);
        number
    }
}
