//! The syntax of sentence templates. Comes in: the text of a template. Goes out: its expression tree. Refuses: brackets
//! that do not match, nesting deeper than 40, more than 8,000 characters. Pure: no I/O, no clock.
//!
//! `(a|b)` alternatives, `[a]` an optional part, `(a;b)` any order, `{list}`, `{list:slot}` and `{list:@capture}` a value
//! of a list, `<rule>` an expansion rule, `\` before a character that is meant literally.

use crate::error::TemplateFault;

const DEEPEST: usize = 40;
const LONGEST: usize = 8_000;
/// An orderless group is tried in the subsets of its parts, 2 to the power of this.
const MOST_PERMUTED: usize = 6;

/// An expression of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expr {
    /// A word with the white space around it, or white space alone, or nothing.
    Text(String),
    Sequence(Vec<Expr>),
    Alternatives(Vec<Expr>),
    AnyOrder(Vec<Expr>),
    List(ListRef),
    Rule(String),
}

/// A reference to a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListRef {
    pub(crate) list: String,
    pub(crate) slot: String,
    /// Only for the response, not a slot of the intent.
    pub(crate) is_capture: bool,
    /// White space follows, so a wildcard ends where a word ends.
    pub(crate) ends_word: bool,
}

/// Returns whether `text` is more than plain words.
pub(crate) fn is_template(text: &str) -> bool {
    text.contains(['(', ')', '{', '}', '<', '>', '[', ']', '|', '@'])
}

/// Parses a template.
pub(crate) fn parse(template: &str) -> Result<Expr, TemplateFault> {
    let chars: Vec<char> = template.trim().chars().collect();
    if chars.len() > LONGEST {
        return Err(TemplateFault::TooLong);
    }
    let mut parser = TemplateParser { chars: &chars, at: 0, depth: 0 };
    let expr = parser.group(None)?;
    Ok(expr)
}

struct TemplateParser<'t> {
    chars: &'t [char],
    at: usize,
    depth: usize,
}

/// The parts of a group so far.
struct Group {
    kind: GroupKind,
    branches: Vec<Vec<Expr>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    Sequence,
    Alternatives,
    AnyOrder,
}

impl Group {
    /// Begins the next part; a group of another kind so far becomes the first part.
    fn divide(&mut self, kind: GroupKind) -> Result<(), TemplateFault> {
        if self.kind != kind && self.kind != GroupKind::Sequence {
            let before = Group { kind: self.kind, branches: std::mem::take(&mut self.branches) };
            self.branches = vec![vec![before.finish()?]];
        }
        self.kind = kind;
        self.branches.push(Vec::new());
        Ok(())
    }

    fn push(&mut self, item: Expr) {
        if let Some(branch) = self.branches.last_mut() {
            branch.push(item);
        }
    }

    fn finish(self) -> Result<Expr, TemplateFault> {
        let count = self.branches.len();
        let mut parts = self.branches.into_iter().map(|mut items| match items.len() {
            1 => items.swap_remove(0),
            _ => Expr::Sequence(items),
        });
        Ok(match self.kind {
            GroupKind::Sequence => parts.next().unwrap_or(Expr::Sequence(Vec::new())),
            GroupKind::Alternatives => Expr::Alternatives(parts.collect()),
            GroupKind::AnyOrder if count > MOST_PERMUTED => return Err(TemplateFault::Permutation(count)),
            GroupKind::AnyOrder => {
                let space = || Expr::Text(" ".into());
                Expr::AnyOrder(parts.map(|part| Expr::Sequence(vec![space(), part, space()])).collect())
            }
        })
    }
}

impl TemplateParser<'_> {
    /// Parses up to the bracket that closes the group, or to the end when `open` is absent.
    fn group(&mut self, open: Option<char>) -> Result<Expr, TemplateFault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TemplateFault::TooDeep);
        }
        let close = open.map(|open| if open == '(' { ')' } else { ']' });
        let mut group = Group { kind: GroupKind::Sequence, branches: vec![Vec::new()] };
        loop {
            let Some(&next) = self.chars.get(self.at) else {
                if let Some(open) = open {
                    return Err(TemplateFault::Unclosed(open));
                }
                break;
            };
            match next {
                _ if Some(next) == close => {
                    self.at += 1;
                    break;
                }
                ')' | ']' | '}' | '>' => return Err(TemplateFault::Unexpected(next)),
                '|' | ';' => {
                    self.at += 1;
                    group.divide(if next == '|' { GroupKind::Alternatives } else { GroupKind::AnyOrder })?;
                }
                '(' => {
                    self.at += 1;
                    group.push(self.group(Some('('))?);
                }
                '[' => {
                    self.at += 1;
                    let inner = self.group(Some('['))?;
                    group.push(optional(inner));
                }
                '{' => group.push(self.list()?),
                '<' => {
                    let name = self.reference('>')?;
                    group.push(Expr::Rule(name));
                }
                _ => group.push(self.word()),
            }
        }
        self.depth -= 1;
        group.finish()
    }

    /// Parses a word with the white space before and after it.
    fn word(&mut self) -> Expr {
        let mut text = String::new();
        let is_space = |c: Option<&char>| c.is_some_and(|c| c.is_whitespace());
        if is_space(self.chars.get(self.at)) {
            self.spaces(&mut text);
        }
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                '\\' => {
                    text.extend(self.chars.get(self.at + 1));
                    self.at += 2;
                    continue;
                }
                '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | ';' => break,
                _ if c.is_whitespace() => {
                    self.spaces(&mut text);
                    break;
                }
                _ => text.push(c),
            }
            self.at += 1;
        }
        Expr::Text(text)
    }

    fn spaces(&mut self, text: &mut String) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        text.push(' ');
    }

    /// Reads the name between the bracket at the present place and `close`.
    fn reference(&mut self, close: char) -> Result<String, TemplateFault> {
        let open = self.chars[self.at];
        let rest = &self.chars[self.at + 1..];
        let end = rest.iter().position(|&c| c == close).ok_or(TemplateFault::Unclosed(open))?;
        self.at += end + 2;
        let name: String = rest[..end].iter().filter(|&&c| c != '\\').collect();
        let name = name.trim();
        if name.is_empty() { Err(TemplateFault::Nameless) } else { Ok(name.to_owned()) }
    }

    fn list(&mut self) -> Result<Expr, TemplateFault> {
        let name = self.reference('}')?;
        let ends_word = self.chars.get(self.at).is_some_and(|c| c.is_whitespace());
        let (list, slot) = name.split_once(':').unwrap_or((&name, &name));
        let is_capture = slot.starts_with('@');
        let plain = |name: &str| name.trim_start_matches('@').to_owned();
        let (list, slot) = (plain(list), plain(slot));
        if list.is_empty() || slot.is_empty() {
            return Err(TemplateFault::Nameless);
        }
        Ok(Expr::List(ListRef { list, slot, is_capture, ends_word }))
    }
}

/// `[a|b]` is `(a|b|)`.
fn optional(inner: Expr) -> Expr {
    let nothing = Expr::Text(String::new());
    match inner {
        Expr::Alternatives(mut parts) => {
            parts.push(nothing);
            Expr::Alternatives(parts)
        }
        other => Expr::Alternatives(vec![other, nothing]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Expr {
        Expr::Text(text.into())
    }

    #[test]
    fn a_word_keeps_the_white_space_around_it() {
        let expected = Expr::Sequence(vec![text("turn "), text("on "), text("it")]);
        assert_eq!(parse(" turn on  it "), Ok(expected));
    }

    #[test]
    fn an_optional_part_is_an_alternative_to_nothing() {
        let expected = Expr::Sequence(vec![text("hour"), Expr::Alternatives(vec![text("s"), text("")])]);
        assert_eq!(parse("hour[s]"), Ok(expected));
    }

    #[test]
    fn a_reference_names_list_slot_and_capture() {
        let list = |list: &str, slot: &str, is_capture| {
            Expr::List(ListRef { list: list.into(), slot: slot.into(), is_capture, ends_word: false })
        };
        assert_eq!(parse("{area}"), Ok(list("area", "area", false)));
        assert_eq!(parse("{hours:start}"), Ok(list("hours", "start", false)));
        assert_eq!(parse("{hours:@said}"), Ok(list("hours", "said", true)));
        assert_eq!(parse("{@said}"), Ok(list("said", "said", true)));
    }

    #[test]
    fn a_semicolon_makes_a_group_of_any_order() {
        let part = |word: &str| Expr::Sequence(vec![text(" "), text(word), text(" ")]);
        assert_eq!(parse("(a;b)"), Ok(Expr::AnyOrder(vec![part("a"), part("b")])));
    }

    #[test]
    fn an_escaped_bracket_is_a_letter() {
        assert_eq!(parse(r"a\[b"), Ok(text("a[b")));
    }

    #[test]
    fn faults_are_named() {
        let cases = [
            ("(a", TemplateFault::Unclosed('(')),
            ("{a", TemplateFault::Unclosed('{')),
            ("a]", TemplateFault::Unexpected(']')),
            ("(a]", TemplateFault::Unexpected(']')),
            ("<>", TemplateFault::Nameless),
            ("{a:}", TemplateFault::Nameless),
            ("(a;b;c;d;e;f;g)", TemplateFault::Permutation(7)),
        ];
        for (template, fault) in cases {
            assert_eq!(parse(template), Err(fault), "{template}");
        }
        assert_eq!(parse(&"(".repeat(60)), Err(TemplateFault::TooDeep));
        assert_eq!(parse(&"a".repeat(9_000)), Err(TemplateFault::TooLong));
    }
}
