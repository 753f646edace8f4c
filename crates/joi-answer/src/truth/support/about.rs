//! Whether a claim is about what the user has or wants done, and no story, fact or advice.

use std::collections::BTreeSet;

use joi_language::ClaimForm;
use joi_language::words_of;

use super::super::claim::Claim;
use super::super::turn::TurnAim;
use super::Support;

/// The ties of a claim to the user and the turn.
struct ClaimTies<'a> {
    families: BTreeSet<&'a str>,
    /// It reaches others.
    is_outward: bool,
    /// Its verb alone states what it is about.
    is_implied: bool,
    /// It says whose it is: the user's.
    is_your: bool,
    /// It names something that was to be done, or was asked about.
    shares: bool,
    /// It names nothing that it was done to.
    is_bare: bool,
    /// It states what joi will do, by words of its own.
    is_promise: bool,
}

impl Support<'_> {
    /// Whether it speaks of what the user has or wants done.
    pub(in super::super) fn is_about_user(&self, claim: &Claim) -> bool {
        let ties = ClaimTies {
            families: self.families(claim),
            is_outward: self.deeds(claim).any(|deed| deed.is_outward),
            is_implied: self.deeds(claim).any(|deed| deed.implies.is_some()),
            is_your: self.judge.words.turn.your.is_match(&claim.clause),
            shares: self.shares(&claim.clause),
            is_bare: self.things(&claim.object).is_empty(),
            is_promise: claim.form == ClaimForm::Will && claim.is_whole,
        };
        if self.is_report_only(claim, &ties) {
            return false;
        }
        if !claim.deeds.is_empty() && self.deeds(claim).all(|deed| deed.is_weak) {
            return ties.shares;
        }
        match (self.topic.aim, claim.form) {
            (aim, ClaimForm::Topic) => self.is_news(aim, claim, &ties),
            (aim, ClaimForm::Fragment) => self.is_short_report(aim, claim),
            (TurnAim::Deed, _) => self.is_about_deed(claim, &ties),
            (TurnAim::Own, _) => self.is_about_own(claim, &ties),
            (aim, _) => self.is_about_user_otherwise(aim, claim, &ties),
        }
    }

    /// Returns whether it is of a kind that says nothing of a deed, whatever was asked for.
    fn is_report_only(&self, claim: &Claim, ties: &ClaimTies<'_>) -> bool {
        let turn = &self.judge.words.turn;
        let is_of_her =
            ties.is_implied || ["memory", "volume"].iter().any(|name| ties.families.contains(name));
        let is_mine = turn.mine.is_match(&claim.clause) && !ties.is_your && !is_of_her && !ties.is_promise;
        let has_ties = !ties.families.is_empty() || ties.is_outward || ties.shares;
        let is_of_words = turn.words.is_match(&claim.clause) && !has_ties;
        let looks = !claim.deeds.is_empty() && self.deeds(claim).all(|deed| deed.is_look);
        let will_look = looks && matches!(claim.form, ClaimForm::Will | ClaimForm::Doing);
        // "Set your alarm earlier" is advice.
        let is_advice = claim.form == ClaimForm::Bare
            && self.topic.aim != TurnAim::Deed
            && self.judge.words.base.has(&claim.verb);
        is_mine || is_of_words || will_look || is_advice
    }

    /// Returns whether what is reported to be so is what was to become so.
    fn is_news(&self, aim: TurnAim, claim: &Claim, ties: &ClaimTies<'_>) -> bool {
        let is_now = || self.judge.words.turn.now.is_match(&claim.clause);
        match aim {
            TurnAim::Deed if self.has_only_fetched() => false,
            TurnAim::Deed => {
                let is_new = ties.is_bare && self.judge.evidence.done.is_empty() && is_now();
                is_new || self.shares(&claim.object) || self.names_family(&claim.object)
            }
            TurnAim::Own => self.is_topical(&claim.object),
            TurnAim::Nothing => self.names_family(&claim.object) && is_now(),
            TurnAim::Words => false,
        }
    }

    /// Returns whether a sentence without a verb states how something is that was to be done or was asked about: by a
    /// number, or a word for what came of it.
    fn is_short_report(&self, aim: TurnAim, claim: &Claim) -> bool {
        let numbers = &self.judge.language.grammar().numbers;
        let is_number =
            |word: &String| word.starts_with(|c: char| c.is_ascii_digit()) || numbers.counts(word);
        let said = words_of(&claim.clause);
        let repeats = || said.iter().any(|word| is_number(word) && self.topic.wanted.contains(word));
        let is_it = match aim {
            TurnAim::Deed => self.shares(&claim.object) || self.names_family(&claim.object) || repeats(),
            TurnAim::Own => self.is_topical(&claim.object),
            TurnAim::Words | TurnAim::Nothing => false,
        };
        let tells = || said.iter().any(is_number) || self.judge.words.turn.outcomes.is_match(&claim.clause);
        is_it && !self.has_only_fetched() && tells()
    }

    /// Returns whether it is supported where something was to be done.
    fn is_about_deed(&self, claim: &Claim, ties: &ClaimTies<'_>) -> bool {
        let is_related =
            !ties.families.is_empty() || ties.is_outward || (ties.shares && !self.has_only_fetched());
        match claim.form {
            // "I've calculated it."
            ClaimForm::Speaker if claim.deeds.is_empty() && self.has_only_fetched() => false,
            _ if claim.is_hers() => true,
            ClaimForm::Bare | ClaimForm::Settled | ClaimForm::Became => {
                is_related || !self.has_only_fetched()
            }
            _ => is_related || ties.is_bare || ties.is_your,
        }
    }

    /// Returns whether it is supported where it was asked how it is with a thing of the user's.
    fn is_about_own(&self, claim: &Claim, ties: &ClaimTies<'_>) -> bool {
        claim.form == ClaimForm::Settled
            || ties.families.iter().any(|family| self.topic.families.contains(family))
            || ties.shares
            || ties.is_outward
            || ties.is_bare
            || (!ties.families.is_empty() && (ties.is_your || claim.is_hers()))
    }

    /// Returns whether it is supported where nothing was to be done.
    fn is_about_user_otherwise(&self, aim: TurnAim, claim: &Claim, ties: &ClaimTies<'_>) -> bool {
        let has_family = !ties.families.is_empty();
        let is_general = aim == TurnAim::Words || self.topic.is_howto;
        match claim.form {
            ClaimForm::Became | ClaimForm::Is | ClaimForm::State if self.is_of_the_house_now(claim, ties) => {
                true
            }
            // "Done.", behind words that speak of something that can be done.
            ClaimForm::Settled => {
                self.judge.evidence.done.is_empty()
                    && !self.topic.is_fiction
                    && !self.topic.families.is_empty()
            }
            ClaimForm::Told if aim == TurnAim::Words && self.topic.is_fiction => false,
            // "I set alarms" is no deed.
            ClaimForm::Told if is_general && self.judge.words.base.has(&claim.verb) => false,
            ClaimForm::Speaker | ClaimForm::Told if claim.deeds.is_empty() => false,
            ClaimForm::Speaker | ClaimForm::Told => {
                let looked =
                    self.deeds(claim).all(|deed| deed.is_look) && self.judge.evidence.done.is_empty();
                let has_looked_first =
                    ties.is_bare && self.judge.evidence.done.iter().any(|call| !call.has_changed);
                // "It's chilly in the nursery." "I've turned the nursery up."
                let is_named = aim == TurnAim::Nothing && ties.shares;
                let is_hers = has_family || ties.is_outward || ties.is_implied || ties.is_your;
                is_hers || looked || has_looked_first || is_named || self.was_answered(claim)
            }
            ClaimForm::Will if self.topic.is_fiction || self.topic.is_howto => false,
            ClaimForm::Will => ties.is_implied || has_family || ties.is_promise,
            _ if self.topic.is_howto => false,
            ClaimForm::Doing => has_family,
            // "Wiped.", behind a page that wants it wiped.
            ClaimForm::Bare if words_of(&claim.clause).len() <= 2 && self.has_only_fetched() => true,
            // "We're out of cat litter." "Cat litter has been put down."
            ClaimForm::Became if aim == TurnAim::Nothing && ties.shares => true,
            ClaimForm::Became | ClaimForm::Is | ClaimForm::State if aim == TurnAim::Nothing && has_family => {
                let is_of_topic = ties.families.iter().any(|family| self.topic.families.contains(family));
                // What the user reported themselves may be repeated.
                ties.is_your
                    || claim.form == ClaimForm::Became
                    || !is_of_topic
                    || self.judge.words.turn.now.is_match(&claim.clause)
            }
            _ => has_family && ties.is_your,
        }
    }

    /// Returns whether it states how it is with the house at this moment: a text that says "the door is locked now"
    /// knows nothing of the door.
    fn is_of_the_house_now(&self, claim: &Claim, ties: &ClaimTies<'_>) -> bool {
        let turn = &self.judge.words.turn;
        ties.families.contains("home")
            && !self.topic.is_fiction
            && turn.now.is_match(&claim.clause)
            && turn.outcomes.is_match(&claim.clause)
    }

    /// Returns whether it names something that a call of the turn has reported: "milk and eggs", "I took the eggs off".
    fn was_answered(&self, claim: &Claim) -> bool {
        let things = self.things(&claim.object);
        let read = self.judge.evidence.done.iter().filter(|call| !call.has_changed);
        read.into_iter().any(|call| things.iter().any(|thing| self.is_in(thing, &call.answer)))
    }
}
