//! Token sampling.
//!
//! Engine thread. One chain per reply: it keeps the reply's tokens for the repetition penalty and the
//! position in the grammar. Refuses to sample before anything was evaluated.

use std::ffi::{CStr, CString};
use std::ptr::NonNull;

use llama_cpp_sys_2 as sys;

use super::{Context, LoadError, Model, TokenId};

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

/// Patterns for the start of a call, at its mark or bare at the head of the reply: from there on the grammar
/// applies.
const CALLS: [&CStr; 2] = [cr"^[\s\S]*?(<tool_call>[\s\S]*)$", cr"^\s*(\{[\s\S]*)$"];

fn zero_ended(rules: &str) -> Result<CString, LoadError> {
    CString::new(rules).map_err(|_| LoadError::Grammar)
}

/// A chain of samplers, ending with the random choice.
pub(crate) struct Sampler {
    chain: NonNull<sys::llama_sampler>,
}

impl Sampler {
    /// Builds the chain in llama.cpp's order: grammar, penalties, truncation, temperature, choice.
    pub(crate) fn new(model: &Model, how: &Sampling) -> Result<Self, LoadError> {
        // SAFETY: constructors without preconditions.
        let chain = unsafe { sys::llama_sampler_chain_init(sys::llama_sampler_chain_default_params()) };
        let mut sampler = Self { chain: NonNull::new(chain).ok_or(LoadError::Grammar)? };
        match &how.grammar {
            Grammar::Free => {}
            Grammar::Json => sampler.follow(model, JSON)?,
            Grammar::Rules(rules) => sampler.follow(model, &zero_ended(rules)?)?,
            Grammar::Calls(rules) => sampler.follow_calls(model, &zero_ended(rules)?)?,
        }
        // SAFETY: all of these take plain numbers; `Sampling` keeps them finite and in range.
        unsafe {
            sampler.add(sys::llama_sampler_init_penalties(
                model.vocabulary(),
                how.repeat_last_n,
                how.repeat_penalty,
                how.frequency_penalty,
                how.presence_penalty,
            ))?;
            if how.temperature <= 0.0 {
                sampler.add(sys::llama_sampler_init_greedy())?;
            } else {
                sampler.add(sys::llama_sampler_init_top_k(how.top_k))?;
                sampler.add(sys::llama_sampler_init_top_p(how.top_p, 1))?;
                sampler.add(sys::llama_sampler_init_min_p(how.min_p, 1))?;
                sampler.add(sys::llama_sampler_init_temp(how.temperature))?;
                sampler.add(sys::llama_sampler_init_dist(how.seed))?;
            }
        }
        Ok(sampler)
    }

    /// The grammar applies from the first token on.
    fn follow(&mut self, model: &Model, rules: &CStr) -> Result<(), LoadError> {
        // SAFETY: the vocabulary is live, the texts are zero-terminated; the rules are copied.
        self.add(unsafe { sys::llama_sampler_init_grammar(model.vocab(), rules.as_ptr(), c"root".as_ptr()) })
    }

    /// The reply is free until a call begins, and follows `rules` from there on.
    fn follow_calls(&mut self, model: &Model, rules: &CStr) -> Result<(), LoadError> {
        let mut patterns = CALLS.map(CStr::as_ptr);
        // SAFETY: as above; the patterns are copied, and there are as many as said and no token.
        self.add(unsafe {
            sys::llama_sampler_init_grammar_lazy_patterns(
                model.vocab(),
                rules.as_ptr(),
                c"root".as_ptr(),
                patterns.as_mut_ptr(),
                patterns.len(),
                std::ptr::null(),
                0,
            )
        })
    }

    fn add(&mut self, rule: *mut sys::llama_sampler) -> Result<(), LoadError> {
        let rule = NonNull::new(rule).ok_or(LoadError::Grammar)?;
        // SAFETY: both are live; the chain owns the rule from here on.
        unsafe { sys::llama_sampler_chain_add(self.chain.as_ptr(), rule.as_ptr()) };
        Ok(())
    }

    /// Samples the token that follows what was evaluated last; `None` when nothing was.
    pub(crate) fn draw(&mut self, context: &mut Context) -> Option<TokenId> {
        let context = context.for_sampling()?;
        // SAFETY: both are live, and the context has logits for its last token (index −1).
        Some(unsafe { sys::llama_sampler_sample(self.chain.as_ptr(), context, -1) })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: owned by us alone; frees the rules of the chain with it.
        unsafe { sys::llama_sampler_free(self.chain.as_ptr()) }
    }
}
