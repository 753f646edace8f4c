//! Token sampling.
//!
//! Engine thread. One chain per reply: it keeps the reply's tokens for the repetition penalty and the
//! position in the grammar. Refuses to sample before anything was evaluated, and what breaks the grammar.

use std::ffi::{CStr, CString};
use std::ptr::NonNull;
use std::rc::Rc;

use llama_cpp_sys_2 as sys;

use super::{Context, LoadError, Model, TokenId};
use crate::engine::calls::OPEN;

/// The constraint on a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Free text.
    Free,
    /// One JSON object.
    Json,
    /// These rules, from `root` on.
    Rules(String),
    /// Free text, and these rules once a call begins.
    Calls(String),
}

/// Sampling parameters, all finite and in their ranges.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sampling {
    /// 0 always takes the likeliest token; higher is more random.
    pub temperature: f32,
    /// Draw from this many likeliest tokens; 0 from all.
    pub top_k: i32,
    /// Draw from the likeliest tokens that together have this probability, 0..=1.
    pub top_p: f32,
    /// Drop tokens less likely than this share of the likeliest one, 0..=1.
    pub min_p: f32,
    /// Divides the score of tokens that the reply used already; 1 leaves it.
    pub repeat_penalty: f32,
    /// Subtracted once for a token that was used.
    pub presence_penalty: f32,
    /// Subtracted for each use of a token.
    pub frequency_penalty: f32,
    /// How many of the last tokens of the reply count as used; 0 none.
    pub repeat_last_n: i32,
    /// Seed of the random numbers.
    pub seed: u32,
    /// The constraint on the reply.
    pub grammar: Grammar,
}

/// One JSON object with bounded white space (a small model would otherwise fill the reply with it).
const JSON: &CStr = cr#"
root   ::= object
value  ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws ( string ":" ws value ws ( "," ws string ":" ws value ws )* )? "}"
array  ::= "[" ws ( value ws ( "," ws value ws )* )? "]"
string ::= "\"" ( [^"\\\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] ) )* "\""
number ::= "-"? ( "0" | [1-9] [0-9]* ) ( "." [0-9]+ )? ( [eE] [-+]? [0-9]+ )?
ws     ::= ( " " | "\n" [ \t]? [ \t]? [ \t]? [ \t]? )?
"#;

fn zero_ended(rules: &str) -> Result<CString, LoadError> {
    CString::new(rules).map_err(|_| LoadError::Grammar)
}

/// Why no token was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DrawError {
    /// Nothing was evaluated before.
    #[error("there was nothing to evaluate")]
    NothingEvaluated,
    /// Whatever the model would write breaks the grammar.
    #[error("no token of the model fits the grammar of the request")]
    NoneFits,
}

/// The grammar of one reply.
enum Constraint {
    /// Any token.
    Free,
    /// Tokens that fit these rules.
    On(Rule),
    /// Any token, until a call begins that fits these rules.
    Awaited(CString, CallTrigger),
}

/// A chain of samplers, ending with the random choice, and the grammar in front of it.
///
/// The grammar stands beside the chain: llama.cpp ends the whole process when a grammar takes a token that breaks it, so
/// each token is checked against it before.
pub(crate) struct Sampler {
    model: Rc<Model>,
    chain: Rule,
    constraint: Constraint,
    candidates: Vec<sys::llama_token_data>,
}

impl Sampler {
    /// Builds the chain in llama.cpp's order: grammar, penalties, truncation, temperature, choice.
    pub(crate) fn new(model: &Rc<Model>, how: &Sampling) -> Result<Self, LoadError> {
        // SAFETY: constructors without preconditions.
        let chain = unsafe { sys::llama_sampler_chain_init(sys::llama_sampler_chain_default_params()) };
        let chain = Rule::of(chain)?;
        let constraint = match &how.grammar {
            Grammar::Free => Constraint::Free,
            Grammar::Json => Constraint::On(Rule::grammar(model, JSON)?),
            Grammar::Rules(rules) => Constraint::On(Rule::grammar(model, &zero_ended(rules)?)?),
            Grammar::Calls(rules) => {
                let rules = zero_ended(rules)?;
                // A grammar that does not parse is refused before anything is written.
                drop(Rule::grammar(model, &rules)?);
                Constraint::Awaited(rules, CallTrigger::default())
            }
        };
        // SAFETY: all of these take plain numbers; `Sampling` keeps them finite and in range.
        unsafe {
            chain.add(sys::llama_sampler_init_penalties(
                model.vocabulary(),
                how.repeat_last_n,
                how.repeat_penalty,
                how.frequency_penalty,
                how.presence_penalty,
            ))?;
            if how.temperature <= 0.0 {
                chain.add(sys::llama_sampler_init_greedy())?;
            } else {
                chain.add(sys::llama_sampler_init_top_k(how.top_k))?;
                chain.add(sys::llama_sampler_init_top_p(how.top_p, 1))?;
                chain.add(sys::llama_sampler_init_min_p(how.min_p, 1))?;
                chain.add(sys::llama_sampler_init_temp(how.temperature))?;
                chain.add(sys::llama_sampler_init_dist(how.seed))?;
            }
        }
        Ok(Self { model: Rc::clone(model), chain, constraint, candidates: Vec::new() })
    }

    /// Samples the token that follows what was evaluated last.
    pub(crate) fn draw(&mut self, context: &mut Context) -> Result<TokenId, DrawError> {
        let logits = context.logits().ok_or(DrawError::NothingEvaluated)?;
        let of = |(id, logit): (TokenId, &f32)| sys::llama_token_data { id, logit: *logit, p: 0.0 };
        self.candidates.clear();
        self.candidates.extend((0..).zip(logits).map(of));
        let rule = match &self.constraint {
            Constraint::On(rule) => Some(rule),
            Constraint::Free | Constraint::Awaited(..) => None,
        };
        if let Some(rule) = rule {
            rule.apply(&mut self.candidates);
            if !self.candidates.iter().any(|candidate| candidate.logit.is_finite()) {
                return Err(DrawError::NoneFits);
            }
        }
        let token = self.chain.apply(&mut self.candidates).ok_or(DrawError::NoneFits)?;
        if rule.is_some_and(|rule| !rule.fits(token)) {
            return Err(DrawError::NoneFits);
        }
        if let Some(rule) = rule {
            rule.accept(token);
        }
        self.chain.accept(token);
        self.follow(token);
        Ok(token)
    }

    /// Lets the grammar apply from the beginning of a call on. What has begun in a way that breaks it goes on freely.
    fn follow(&mut self, token: TokenId) {
        let Constraint::Awaited(rules, trigger) = &mut self.constraint else { return };
        let Some(begun) = trigger.push(&self.model.shown(token)) else { return };
        let rule = Rule::grammar(&self.model, rules).ok();
        let takes = |rule: &Rule| {
            self.model.tokens_within(&begun).into_iter().all(|token| {
                let fits = rule.fits(token);
                if fits {
                    rule.accept(token);
                }
                fits
            })
        };
        self.constraint = rule.filter(takes).map_or(Constraint::Free, Constraint::On);
    }
}

/// One sampler of llama.cpp, or a chain of them.
struct Rule(NonNull<sys::llama_sampler>);

impl Rule {
    fn of(sampler: *mut sys::llama_sampler) -> Result<Self, LoadError> {
        NonNull::new(sampler).map(Self).ok_or(LoadError::Grammar)
    }

    fn grammar(model: &Model, rules: &CStr) -> Result<Self, LoadError> {
        // SAFETY: the vocabulary is live, the texts are zero-terminated; the rules are copied.
        Self::of(unsafe { sys::llama_sampler_init_grammar(model.vocab(), rules.as_ptr(), c"root".as_ptr()) })
    }

    /// Puts `rule` at the end of a chain.
    fn add(&self, rule: *mut sys::llama_sampler) -> Result<(), LoadError> {
        let rule = NonNull::new(rule).ok_or(LoadError::Grammar)?;
        // SAFETY: both are live; the chain owns the rule from here on.
        unsafe { sys::llama_sampler_chain_add(self.0.as_ptr(), rule.as_ptr()) };
        Ok(())
    }

    /// Changes the scores of `candidates`; returns the chosen one, if it chooses.
    fn apply(&self, candidates: &mut [sys::llama_token_data]) -> Option<TokenId> {
        let mut all = sys::llama_token_data_array {
            data: candidates.as_mut_ptr(),
            size: candidates.len(),
            selected: -1,
            sorted: false,
        };
        // SAFETY: the sampler is live; the array is as long as said and outlives the call.
        unsafe { sys::llama_sampler_apply(self.0.as_ptr(), &mut all) };
        let selected = usize::try_from(all.selected).ok().filter(|selected| *selected < all.size)?;
        // SAFETY: samplers leave `data` at an array of `size` tokens.
        Some(unsafe { (*all.data.add(selected)).id })
    }

    /// Returns whether the rules take `token` next.
    fn fits(&self, token: TokenId) -> bool {
        let mut alone = [sys::llama_token_data { id: token, logit: 0.0, p: 0.0 }];
        self.apply(&mut alone);
        alone[0].logit.is_finite()
    }

    /// Goes on behind `token`, which a grammar must take.
    fn accept(&self, token: TokenId) {
        // SAFETY: the sampler is live.
        unsafe { sys::llama_sampler_accept(self.0.as_ptr(), token) };
    }
}

impl Drop for Rule {
    fn drop(&mut self) {
        // SAFETY: owned by us alone; frees the rules of a chain with it.
        unsafe { sys::llama_sampler_free(self.0.as_ptr()) }
    }
}

/// Recognises the beginning of a call in a reply: its mark anywhere, or a bare object at the head.
#[derive(Debug, Default)]
struct CallTrigger {
    /// The end of what was written, which may be the beginning of a mark.
    end: Vec<u8>,
    /// There was more than white space.
    has_begun: bool,
}

impl CallTrigger {
    /// Takes the next bytes; returns what was written of a call, once one has begun.
    fn push(&mut self, piece: &[u8]) -> Option<String> {
        if !self.has_begun {
            let head = piece.trim_ascii_start();
            self.has_begun = !head.is_empty();
            if head.starts_with(b"{") {
                return Some(String::from_utf8_lossy(head).into_owned());
            }
        }
        self.end.extend_from_slice(piece);
        if let Some(at) = self.end.windows(OPEN.len()).position(|window| window == OPEN.as_bytes()) {
            return Some(String::from_utf8_lossy(&self.end[at..]).into_owned());
        }
        let rest = self.end.len().saturating_sub(OPEN.len() - 1);
        self.end.drain(..rest);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(pieces: &[&str]) -> Option<String> {
        let mut trigger = CallTrigger::default();
        pieces.iter().find_map(|piece| trigger.push(piece.as_bytes()))
    }

    #[test]
    fn a_call_begins_at_its_mark_or_as_the_whole_reply() {
        assert_eq!(begun(&["Sure. ", "<tool", "_call>\n{\"na"]).as_deref(), Some("<tool_call>\n{\"na"));
        assert_eq!(begun(&[" \n", "{\n", "\"name\""]).as_deref(), Some("{\n"));
        assert_eq!(begun(&["a {", "\"name\"", "<tool_ call>"]), None);
        assert_eq!(begun(&["", "<tool_call>"]).as_deref(), Some("<tool_call>"));
    }
}
