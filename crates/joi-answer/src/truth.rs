//! Whether a sentence says that a deed was done that no result of the turn supports.
//!
//! Any thread. In: a sentence or a clause of a reply, what the user asked for, and the calls of the turn that
//! succeeded. Out: nothing, or the clause that may not be said. A clause claims a deed by its grammar ([`claim`]);
//! whether that is a claim about the user's things and not a story, a fact or advice depends on what they asked for
//! ([`turn`]); what supports it is in [`support`], and values that were read in [`measured`].
//! Pure: no I/O, no clock.

use std::cell::LazyCell;

use claim::Claim;
use clauses::SaidClause;
use joi_language::Language;
use joi_language::values::CallValue;
use joi_language::values::deed::all_values;
use joi_language::{ClaimForm, TruthWords};
use joi_language::{RequestWords, words_of};
use joi_tools::{Arguments, Effect, Output, Source, Tool};
use support::Support;
use turn::TurnTopic;

mod claim;
mod clauses;
mod measured;
mod stated;
mod support;
#[cfg(test)]
mod tests;
mod turn;

/// A call that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub struct DoneCall {
    pub(crate) tool: String,
    /// By the name that the tool has for it, such as "lists add".
    pub(crate) deed: String,
    /// The values of the call.
    pub(crate) values: Vec<CallValue>,
    /// By which the tool is known: the words of its name, and those that point at it.
    pub(crate) words: Vec<String>,
    /// The result in the tool's own words, in lower case; nothing where a stranger wrote them.
    pub answer: String,
    /// Whether it changed something.
    pub has_changed: bool,
}

impl DoneCall {
    /// That `tool` has read `answer`.
    pub fn read(tool: &str, answer: &str) -> Self {
        let (values, words) = (Vec::new(), name_words(tool));
        let answer = answer.to_lowercase();
        Self { tool: tool.to_owned(), deed: tool.to_owned(), values, words, answer, has_changed: false }
    }

    /// A call of `tool`, changing something, that came to nothing; `known` is the tool where there is one of that name.
    pub fn undone(tool: &str, known: Option<&dyn Tool>, arguments: &Arguments) -> Self {
        let deed = known.map_or_else(|| tool.to_owned(), |known| known.deed(arguments));
        let values = known.map_or_else(|| all_values(arguments), |known| known.values(arguments));
        let (words, answer) = (name_words(&deed), String::new());
        Self { tool: tool.to_owned(), deed, values, words, answer, has_changed: true }
    }

    /// Returns whether it is the same deed, done to one of the same things.
    pub fn is_again(&self, other: &Self) -> bool {
        let shares = |value: &CallValue| other.values.iter().any(|one| one.text == value.text);
        self.deed == other.deed && (self.values.is_empty() || self.values.iter().any(shares))
    }

    /// A call of `tool` that came to `output`.
    pub fn of(tool: &dyn Tool, arguments: &Arguments, output: &Output) -> Self {
        let deed = tool.deed(arguments);
        let cues = tool.cues().iter().flat_map(|cue| words_of(cue));
        Self {
            tool: tool.name().to_owned(),
            words: name_words(&deed).into_iter().chain(cues).collect(),
            deed,
            values: tool.values(arguments),
            answer: if output.source == Source::Own { output.text.to_lowercase() } else { String::new() },
            has_changed: matches!(
                tool.effect(arguments),
                Effect::Remembers | Effect::Changes | Effect::Risks
            ),
        }
    }
}

/// "sendMessage" and "send_message" are "send" and "message".
fn name_words(name: &str) -> Vec<String> {
    let mut apart = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            apart.push(' ');
        }
        apart.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    words_of(&apart)
}

/// The context against which a sentence is checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaimEvidence<'a> {
    /// The words of the user.
    pub asked: &'a str,
    /// In this turn.
    pub done: &'a [DoneCall],
    /// Calls of this turn that were refused, failed, or wait for a yes.
    pub undone: &'a [DoneCall],
    /// What the user has said before.
    pub told: &'a [String],
    /// What the memory holds of it.
    pub remembered: &'a str,
}

/// Returns the clause of `said` that no result supports, in any language there is.
pub fn unsupported(language: &Language, said: &str, evidence: ClaimEvidence<'_>) -> Option<String> {
    language
        .truth()
        .find_map(|(words, requests)| ClaimJudge { language, words, requests, evidence }.unsupported(said))
}

/// One language's view of a turn.
#[derive(Clone, Copy)]
struct ClaimJudge<'a> {
    language: &'a Language,
    words: &'a TruthWords,
    requests: &'a RequestWords,
    evidence: ClaimEvidence<'a>,
}

impl ClaimJudge<'_> {
    fn unsupported(self, said: &str) -> Option<String> {
        let topic = LazyCell::new(|| TurnTopic::of(self.words, self.requests, self.evidence.asked));
        let mut before: Option<Claim> = None;
        let mut has_denied = false;
        for clause in clauses::clauses(self.words, self.requests, said) {
            // "I didn't manage to stop it": what goes on with a no is part of it.
            has_denied |= self.words.exempt.negations.is_match(&clause.text);
            if !has_denied && self.is_reported(&clause) && self.is_said_instead(&clause, &topic) {
                return Some(clause.text);
            }
            if self.is_misread(&clause) || !has_denied && self.is_unread(&clause, &topic) {
                return Some(clause.text);
            }
            let found = self.claim(&clause, before.as_ref());
            if !has_denied && self.is_of_undone(&clause, found.as_ref(), &topic) {
                return Some(clause.text);
            }
            let Some(found) = found else { continue };
            let is_foreign = match found.form {
                ClaimForm::Topic => !self.is_spoken_in(&clause.text),
                ClaimForm::Fragment => {
                    self.is_verbal_anywhere(&clause.text) || self.is_of_another(&clause.text)
                }
                _ => false,
            };
            if is_foreign {
                continue;
            }
            let support = Support { judge: self, topic: &topic };
            let is_known =
                || !found.is_hers() && found.form != ClaimForm::Settled && self.is_known(&clause, &topic);
            if support.is_about_user(&found) && !support.holds(&found) && !is_known() {
                return Some(clause.text);
            }
            before = Some(found);
        }
        None
    }

    /// Returns whether a clause states something in this language, where no call has reported anything: no question, no
    /// condition, no offer, and nothing that joi can't.
    fn is_reported(self, clause: &SaidClause) -> bool {
        let exempt = &self.words.exempt;
        let excuses = [
            &exempt.directives,
            &exempt.conditions,
            &exempt.negations,
            &exempt.modals,
            &exempt.asks_user,
            &exempt.fillers,
        ];
        self.evidence.done.is_empty()
            && !clause.asks
            && !clause.depends
            && !excuses.iter().any(|excuse| excuse.is_match(&clause.text))
            && self.is_spoken_in(&clause.text)
    }

    /// Returns whether it is reported instead of a deed: one of the user's things was to be changed, and nothing was.
    /// Then all but asking and excusing it would be taken for the deed.
    fn is_said_instead(self, clause: &SaidClause, topic: &TurnTopic<'_>) -> bool {
        let support = Support { judge: self, topic };
        topic.is_only_deed
            && !topic.families.is_empty()
            && words_of(&clause.text).iter().any(|word| support.is_meaningful(word))
    }

    /// Returns how many small words of its own language `text` has, and of the other one that has most.
    fn small_words(self, text: &str) -> (usize, usize) {
        let said = words_of(text);
        let count = |words: &TruthWords| said.iter().filter(|word| words.parts.knows(word)).count();
        let others = self.language.truth().filter(|(words, _)| !std::ptr::eq(*words, self.words));
        (count(self.words), others.map(|(words, _)| count(words)).max().unwrap_or(0))
    }

    /// Returns whether `text` is not rather in another language.
    fn is_spoken_in(self, text: &str) -> bool {
        let (own, others) = self.small_words(text);
        own > others
    }

    /// Returns whether it is rather in another one.
    fn is_of_another(self, text: &str) -> bool {
        let (own, others) = self.small_words(text);
        own < others
    }

    /// Returns whether it has a verb in any language.
    fn is_verbal_anywhere(self, text: &str) -> bool {
        let said = words_of(text);
        self.language.truth().any(|(words, _)| clauses::is_verbal(words, &said))
    }

    /// Returns what a clause claims, with the claim before it in the same sentence: "I looked at your list and added
    /// milk", "I'll wake you and remind you".
    fn claim(self, clause: &SaidClause, before: Option<&Claim>) -> Option<Claim> {
        if clause.is_question {
            return None;
        }
        if clause.is_fragment {
            return Some(Claim::of_fragment(clause));
        }
        let before = before.filter(|_| clause.goes_on);
        let own = Claim::of(self.words, self.requests, clause).map(|claim| claim.led_by(self.words, before));
        own.or_else(|| {
            let lead =
                &before.filter(|before| before.form == ClaimForm::Will && !before.lead.is_empty())?.lead;
            let led = SaidClause { text: format!("{lead}{}", clause.text), ..clause.clone() };
            Claim::of(self.words, self.requests, &led).filter(|claim| claim.form == ClaimForm::Will)
        })
    }
}
