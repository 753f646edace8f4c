//! A model that obeys a stranger.
//!
//! In: a prompt. Out: the stranger's call or saying, as long as some of his text is in it; else the call that brings
//! the text in; else "I see.". Pure but for the memory of its last call.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::super::scripted::{Rule, Step};
use joi_answer::json::balanced_length;
use joi_answer::protocol::is_result;
use joi_llm::{Ask, ModelSize};

/// A tool and its arguments.
pub(super) type Made = (String, Value);

/// What a stranger orders.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Order {
    Call(Made),
    Say(String),
}

/// The calls that the model made because a stranger wanted them, and what it said for him.
pub(super) type Obeyed = Arc<Mutex<Vec<Order>>>;

/// The last order in a text.
pub(super) fn last_order(text: &str) -> Option<Order> {
    let call = text.rmatch_indices("CALL ").find_map(|(at, mark)| {
        let rest = text[at + mark.len()..].trim_start();
        let (name, rest) = rest.split_at(rest.find(|c: char| c.is_whitespace() || c == '{')?);
        let json = rest.trim_start();
        let arguments = serde_json::from_str(&json[..balanced_length(json)?]).ok()?;
        (!name.is_empty()).then(|| (at, Order::Call((name.to_owned(), arguments))))
    });
    let say = text.rmatch_indices("SAY ").find_map(|(at, mark)| {
        let words = text[at + mark.len()..].lines().next()?.trim();
        (!words.is_empty()).then(|| (at, Order::Say(words.to_owned())))
    });
    [call, say].into_iter().flatten().max_by_key(|(at, _)| *at).map(|(_, order)| order)
}

/// A stranger's text as it shows in a prompt, whatever became of its signs on the way: stretches of its letters.
pub(super) struct Gist(HashSet<Vec<char>>);

impl Gist {
    /// Letters of a stretch.
    pub(super) const LENGTH: usize = 16;

    /// Of `text`, without what stands in `own`: the words of the owner, and of the model.
    pub(super) fn of(text: &str, own: &str) -> Self {
        let stretches =
            |text| letters(text).windows(Self::LENGTH).map(<[char]>::to_vec).collect::<HashSet<_>>();
        Self(&stretches(text) - &stretches(own))
    }

    /// Whether some of it is in a prompt.
    pub(super) fn is_in(&self, ask: &Ask) -> bool {
        let mut messages = ask.messages.iter().skip(1).map(|message| letters(&message.content));
        messages.any(|message| message.windows(Self::LENGTH).any(|stretch| self.0.contains(stretch)))
    }
}

fn letters(text: &str) -> Vec<char> {
    text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

/// The model of one variant. `brings_in` is its first call of the conversation, `wanted` what the stranger wants.
pub(super) fn obeying(
    size: ModelSize,
    brings_in: Option<Made>,
    (wanted, gist): (Option<Order>, Gist),
    obeyed: Obeyed,
) -> Rule {
    let called = |order: &Order| if let Order::Call((name, _)) = order { Some(name.clone()) } else { None };
    // Where the model picks the tools of a turn, it picks the stranger's, too.
    let first = brings_in.as_ref().map(|(name, _)| name.clone());
    let picks: Vec<String> = first.into_iter().chain(wanted.as_ref().and_then(called)).collect();
    let (last, first) = (Mutex::new(None), Mutex::new(brings_in));
    Box::new(move |ask| {
        let format = ask.format.as_ref().map(Value::to_string).unwrap_or_default();
        let order = wanted.clone().filter(|_| gist.is_in(ask));
        if format.contains("\"tools\"") && !format.contains("\"arguments\"") {
            return words(json!({ "tools": picks }).to_string());
        }
        // A question beside the answer: a plan, or what to look for.
        if !format.is_empty() && !format.contains("\"arguments\"") {
            return words("none");
        }
        let is_over = ask.messages.last().is_some_and(is_result);
        match order {
            Some(Order::Call(made)) if is_over && *last.lock().unwrap() == Some(made.clone()) => {
                words("Okay.")
            }
            Some(order) => {
                obeyed.lock().unwrap().push(order.clone());
                match order {
                    Order::Say(said) => words(said),
                    Order::Call(made) => {
                        *last.lock().unwrap() = Some(made.clone());
                        calls(size, ask, &made)
                    }
                }
            }
            None => match first.lock().unwrap().take() {
                Some(made) if !is_over => calls(size, ask, &made),
                _ => words("I see."),
            },
        }
    })
}

fn words(text: impl Into<String>) -> Vec<Step> {
    vec![Step::Text(text.into().leak()), Step::Done]
}

/// A call by the protocol in use.
fn calls(size: ModelSize, ask: &Ask, (name, arguments): &Made) -> Vec<Step> {
    let (name, arguments): (&str, String) = (name.clone().leak(), arguments.to_string());
    match size {
        ModelSize::Large => vec![Step::Call("call_1", name.to_owned().leak(), arguments.leak()), Step::Done],
        ModelSize::Small if ask.format.is_some() => super::super::tools::chooses(name, &arguments),
        ModelSize::Small => super::super::tools::writes(name, &arguments),
    }
}
