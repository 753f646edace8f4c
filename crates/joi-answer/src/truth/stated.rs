//! Statements that a result of the turn would have to support, and that look like no claim by their grammar.
//!
//! In: a clause, what the turn is about, the calls that came to nothing. Out: yes or no. Where a call was refused, failed
//! or waits for a yes, whatever is stated of its thing, or of having done something, may be taken for the deed. Where it
//! was asked how it is with the house, a list, a timer or a message, or what joi has done, a statement needs a call that
//! has looked. What the user has said before, or the memory holds, needs none.
//! Pure: no I/O, no clock.

use joi_language::values::ValueKind;
use joi_language::{ClaimForm, words_of};
use joi_understand::text::alike;

use super::claim::Claim;
use super::clauses::SaidClause;
use super::support::Support;
use super::turn::{TurnAim, TurnTopic, families};
use super::{ClaimJudge, DoneCall};

/// Families of things whose state only a call shows.
const WATCHED: [&str; 4] = ["list", "timers", "home", "messages"];
/// Most words of an answer that says nothing but yes or no.
const SHORT_ANSWER: usize = 5;
/// How much of a statement was said before, where it counts as known.
const KNOWN: f64 = 0.6;

impl ClaimJudge<'_> {
    /// Returns whether a clause states something: no question, condition, offer or excuse.
    fn states(self, clause: &SaidClause) -> bool {
        let exempt = &self.words.exempt;
        let excuses =
            [&exempt.directives, &exempt.conditions, &exempt.modals, &exempt.asks_user, &exempt.fillers];
        !clause.asks
            && !clause.depends
            && !excuses.iter().any(|excuse| excuse.is_match(&clause.text))
            && !self.is_of_another(&clause.text)
    }

    fn denies(self, clause: &SaidClause) -> bool {
        self.words.exempt.negations.is_match(&clause.text)
    }

    /// Returns whether a clause may be taken for a deed that came to nothing.
    pub(super) fn is_of_undone(
        self,
        clause: &SaidClause,
        found: Option<&Claim>,
        topic: &TurnTopic<'_>,
    ) -> bool {
        let undone = self.evidence.undone;
        if undone.is_empty() || !self.states(clause) || self.denies(clause) {
            return false;
        }
        let support = Support { judge: self, topic };
        if found.is_some_and(|claim| support.holds(claim)) || self.was_looked_at(clause, &support) {
            return false;
        }
        let reports = |claim: &Claim| match claim.form {
            ClaimForm::Settled
            | ClaimForm::Speaker
            | ClaimForm::Told
            | ClaimForm::Became
            | ClaimForm::Bare
            | ClaimForm::Doing => !support.is_weak(claim),
            ClaimForm::Is
            | ClaimForm::Was
            | ClaimForm::State
            | ClaimForm::Will
            | ClaimForm::Topic
            | ClaimForm::Fragment => false,
        };
        // "It's off now."
        let names_nothing = || !words_of(&clause.text).iter().any(|word| support.is_meaningful(word));
        let is_outcome = || names_nothing() && self.words.turn.outcomes.is_match(&clause.text);
        found.is_some_and(reports)
            || is_outcome()
            || undone.iter().any(|call| support.is_about(call, &clause.text))
    }

    /// Returns whether a call that only looked reports what a clause is about.
    fn was_looked_at(self, clause: &SaidClause, support: &Support<'_>) -> bool {
        let meant: Vec<String> =
            words_of(&clause.text).into_iter().filter(|word| support.is_meaningful(word)).collect();
        let reports = |call: &&DoneCall| {
            !call.has_changed
                && meant.iter().any(|word| words_of(&call.answer).iter().any(|one| alike(one, word)))
        };
        self.evidence.done.iter().any(|call| reports(&call))
    }

    /// Returns whether a clause answers a question about a thing, or about what joi has done, at which nothing has looked.
    pub(super) fn is_unread(self, clause: &SaidClause, topic: &TurnTopic<'_>) -> bool {
        if topic.aim != TurnAim::Own || !self.evidence.done.is_empty() || !self.states(clause) {
            return false;
        }
        let asks_her = self.words.turn.asks_her.is_match(&topic.asked.join(" "));
        let is_watched = topic.families.iter().any(|family| WATCHED.contains(family));
        if !asks_her && !is_watched || topic.is_howto || self.is_known(clause, topic) {
            return false;
        }
        let support = Support { judge: self, topic };
        let said = words_of(&clause.text);
        let says_something = said.iter().any(|word| support.is_meaningful(word));
        let is_short = said.len() <= SHORT_ANSWER && !says_something && self.answers(&said);
        match asks_her {
            true => is_short && !self.denies(clause),
            false => {
                is_short || says_something && !self.denies(clause) && self.is_about_watched(clause, topic)
            }
        }
    }

    /// Returns whether words say yes or no, or that it is so.
    fn answers(self, said: &[String]) -> bool {
        let form = &self.requests.form;
        let begins = [&form.consents, &form.refusals].iter().any(|phrases| phrases.at_start(said).is_some());
        let is_auxiliary = |word: &String| self.words.parts.auxiliaries.is_match(word);
        let is_only_acknowledged = form.acknowledgements.at_start(said) == Some(said.len());
        begins && !is_only_acknowledged || said.len() > 1 && said.iter().any(is_auxiliary)
    }

    fn is_about_watched(self, clause: &SaidClause, topic: &TurnTopic<'_>) -> bool {
        let spoken_of = families(self.words, &clause.text);
        let support = Support { judge: self, topic };
        let asked: Vec<&String> = topic.asked.iter().filter(|word| support.is_meaningful(word)).collect();
        let shares = || words_of(&clause.text).iter().any(|word| asked.iter().any(|one| alike(one, word)));
        spoken_of.iter().any(|family| WATCHED.contains(family) && topic.families.contains(family)) || shares()
    }

    /// Returns whether the user has said before what a clause states, or the memory holds it.
    pub(super) fn is_known(self, clause: &SaidClause, topic: &TurnTopic<'_>) -> bool {
        let support = Support { judge: self, topic };
        let numbers = &self.language.grammar().numbers;
        let told = self.evidence.told.iter().filter(|text| !text.contains('?')).map(String::as_str);
        let known: Vec<String> = told.chain([self.evidence.remembered]).flat_map(words_of).collect();
        let is_known = |word: &String| known.iter().any(|one| alike(one, word));
        let said = words_of(&clause.text);
        let is_figure =
            |word: &String| word.starts_with(|c: char| c.is_ascii_digit()) || numbers.counts(word);
        let meant: Vec<&String> =
            said.iter().filter(|word| support.is_meaningful(word) && !is_figure(word)).collect();
        let found = meant.iter().filter(|word| is_known(word)).count();
        found > 0
            && found as f64 >= KNOWN * meant.len() as f64
            && said.iter().filter(|word| is_figure(word)).all(is_known)
    }
}

impl Support<'_> {
    /// Returns whether all deeds of a claim are of the kind that is said of much.
    fn is_weak(&self, claim: &Claim) -> bool {
        let mut deeds = claim.deeds.iter().filter_map(|at| self.judge.words.deeds.get(*at)).peekable();
        deeds.peek().is_some() && deeds.all(|deed| deed.is_weak || deed.is_look)
    }

    /// Returns whether `text` speaks of what a call is for.
    fn is_about(&self, call: &DoneCall, text: &str) -> bool {
        let is_named = |value: &&joi_language::values::CallValue| {
            !matches!(value.kind, ValueKind::Choice(_) | ValueKind::Numbers | ValueKind::Percent)
        };
        let values = call.values.iter().filter(is_named);
        let given: Vec<String> =
            values.flat_map(|value| words_of(&value.text.replace(['_', '.', '-'], " "))).collect();
        let is_given =
            |word: &String| given.iter().any(|one| alike(one, word) || self.in_compound(word, one));
        let spoken_of = families(self.judge.words, text);
        let is_of_tool = |name: &&str| {
            let family = self.judge.words.families.iter().find(|family| family.name == *name);
            family.is_some_and(|family| family.tools.contains(&call.tool))
        };
        words_of(text).iter().filter(|word| self.is_meaningful(word)).any(is_given)
            || spoken_of.iter().any(is_of_tool)
    }
}
