//! From a template to a program: `set [a|the] timer for {duration}`.
//!
//! `[x]` may be missing, `(x|y)` is one of several, both nest, and `|` works at the outermost level, too. `{slot}`
//! takes something, `<rule>` stands for a rule of the file. Everything else is words. Pure: no I/O, no clock.

use std::collections::HashMap;

use super::program::{Instruction, Program, Slot, WordNumbers};

/// Rules within rules: deeper is a circle.
const DEEPEST: usize = 8;

/// Compiles a template.
///
/// # Errors
/// The fault of a template.
pub(crate) fn compile(
    text: &str,
    rules: &HashMap<String, String>,
    words: &mut WordNumbers,
) -> Result<Program, String> {
    let written = written_out(text, rules, 0)?;
    let mut parser = Parser { rest: &written, words, code: Vec::new() };
    parser.alternatives()?;
    if !parser.rest.is_empty() {
        return Err(format!("a bracket too many before \"{}\"", parser.rest));
    }
    parser.code.push(Instruction::End);
    Ok(Program { code: parser.code })
}

fn written_out(text: &str, rules: &HashMap<String, String>, depth: usize) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('<') {
        let (name, tail) = tail.split_once('>').ok_or("a < without >")?;
        let rule = rules.get(name).ok_or_else(|| format!("there is no rule <{name}>"))?;
        if depth == DEEPEST {
            return Err(format!("rule <{name}> goes round in a circle"));
        }
        out.push_str(before);
        out.push('(');
        out.push_str(&written_out(rule, rules, depth + 1)?);
        out.push(')');
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

struct Parser<'a> {
    rest: &'a str,
    words: &'a mut WordNumbers,
    code: Vec<Instruction>,
}

impl Parser<'_> {
    /// `a b|c`, up to a closing bracket or the end.
    fn alternatives(&mut self) -> Result<(), String> {
        let mut ends = Vec::new();
        loop {
            let fork = self.code.len();
            self.code.push(Instruction::End);
            self.sequence()?;
            if !self.rest.starts_with('|') {
                // The last one needs no way around it.
                self.code[fork] = Instruction::Jump(fork + 1);
                break;
            }
            self.rest = &self.rest[1..];
            ends.push(self.code.len());
            self.code.push(Instruction::End);
            self.code[fork] = Instruction::Fork(fork + 1, self.code.len());
        }
        for end in ends {
            self.code[end] = Instruction::Jump(self.code.len());
        }
        Ok(())
    }

    fn sequence(&mut self) -> Result<(), String> {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                None | Some('|' | ')' | ']') => return Ok(()),
                Some('(') => self.group(')')?,
                Some('[') => {
                    let fork = self.code.len();
                    self.code.push(Instruction::End);
                    self.group(']')?;
                    self.code[fork] = Instruction::Fork(fork + 1, self.code.len());
                }
                Some('{') => {
                    let (name, rest) = self.rest[1..].split_once('}').ok_or("a { without }")?;
                    let slot = Slot::called(name).ok_or_else(|| format!("there is no slot {{{name}}}"))?;
                    self.code.push(Instruction::Slot(slot));
                    self.rest = rest;
                }
                Some(_) => {
                    let end = self.rest.find([' ', '|', '(', ')', '[', ']', '{']).unwrap_or(self.rest.len());
                    let word = self.words.learn(&self.rest[..end]);
                    self.code.push(Instruction::Word(word));
                    self.rest = &self.rest[end..];
                }
            }
        }
    }

    fn group(&mut self, close: char) -> Result<(), String> {
        self.rest = &self.rest[1..];
        self.alternatives()?;
        self.rest = self.rest.strip_prefix(close).ok_or_else(|| format!("a {close} is missing"))?;
        Ok(())
    }
}
