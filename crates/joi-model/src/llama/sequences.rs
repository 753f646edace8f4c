//! Which prompts the attention cache holds, which of them a new one continues, and which makes room. PURE.
//!
//! The cache keeps several sequences over one set of cells; sequences with a common beginning share its cells. A
//! prompt continues the sequence with which it has most in common. Where that sequence goes on differently, the
//! prompt branches off into another place, so that neither costs the other anything. A beginning of a few tokens, as two
//! heads have, is no branch: in how many parts a prompt is evaluated changes how its figures are rounded, and a prompt
//! would be answered in one of two ways by what was asked before it. What makes room is what costs least to evaluate
//! again for each request that it has not been wanted for: a dead end of a turn before a head.

use super::TokenId;

/// How many prompts are held: two heads, and for each the end of a dialogue or a question beside it.
pub(super) const SEQUENCES: usize = 4;

/// A prompt branches off where it has at least so many tokens in common with another.
const BRANCH: usize = 24;

/// A prompt in the cache, with the reply as far as it was evaluated.
#[derive(Debug, Clone, Default)]
struct Sequence {
    tokens: Vec<TokenId>,
    /// Number of the last request that it was wanted for.
    used: u64,
}

/// Where a prompt goes: the first `keep` tokens of `from`, which is `to` itself where nothing else is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) keep: usize,
}

/// All prompts in the cache; one of them is the current request's.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    all: [Sequence; SEQUENCES],
    current: usize,
    requests: u64,
}

impl Sequences {
    /// Where `tokens` are to be evaluated. At least one token is left to evaluate: the reply begins there.
    pub(super) fn place(&self, tokens: &[TokenId]) -> Placement {
        // Of two that have as much in common, the one that goes on no further: it loses nothing.
        let fit = |(_, held): &(usize, &Sequence)| {
            let common = common(&held.tokens, tokens);
            (common, common == held.tokens.len(), held.used)
        };
        let (from, best) =
            self.all.iter().enumerate().max_by_key(fit).unwrap_or((self.current, &self.all[self.current]));
        let common = common(&best.tokens, tokens);
        let keep = common.min(tokens.len().saturating_sub(1));
        if common == best.tokens.len() && common > 0 {
            return Placement { from, to: from, keep };
        }
        if common < BRANCH {
            let to = self.cheapest(|_| true).unwrap_or(from);
            return Placement { from: to, to, keep: 0 };
        }
        let to = self.cheapest(|i| i != from).unwrap_or(from);
        Placement { from, to, keep }
    }

    /// Makes `at` the current sequence. It holds the first `keep` of `tokens`.
    pub(super) fn begin(&mut self, at: usize, tokens: &[TokenId]) {
        self.requests += 1;
        self.current = at;
        self.all[at] = Sequence { tokens: tokens.to_vec(), used: self.requests };
    }

    /// Number of the current sequence.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// Tokens of the current sequence.
    pub(super) fn len(&self) -> usize {
        self.all[self.current].tokens.len()
    }

    /// The current sequence has grown.
    pub(super) fn extend(&mut self, tokens: &[TokenId]) {
        self.all[self.current].tokens.extend_from_slice(tokens);
    }

    /// What can make room for the current sequence; it is forgotten. `None` when there is nothing else.
    pub(super) fn spare(&mut self) -> Option<usize> {
        let at = self.cheapest(|i| i != self.current && !self.all[i].tokens.is_empty())?;
        self.all[at].tokens.clear();
        Some(at)
    }

    /// Nothing is held any more.
    pub(super) fn clear(&mut self) {
        self.all.iter_mut().for_each(|sequence| sequence.tokens.clear());
    }

    /// The sequence that costs least to lose among those that `may` go.
    fn cheapest(&self, may: impl Fn(usize) -> bool) -> Option<usize> {
        // Costs per request passed by are compared across: a/b < c/d where a·d < c·b.
        let (cost, age) = (|i| self.alone(i) as u64, |i: usize| (self.requests - self.all[i].used).max(1));
        (0..SEQUENCES).filter(|&i| may(i)).min_by(|&a, &b| {
            let (a_scaled, b_scaled) = (cost(a) * age(b), cost(b) * age(a));
            a_scaled.cmp(&b_scaled).then(self.all[a].used.cmp(&self.all[b].used))
        })
    }

    /// How many tokens only the sequence `i` holds.
    fn alone(&self, i: usize) -> usize {
        let own = &self.all[i].tokens;
        let others = self.all.iter().enumerate().filter(|(other, _)| *other != i);
        own.len() - others.map(|(_, other)| common(own, &other.tokens)).max().unwrap_or(0)
    }
}

/// Length of the common beginning.
fn common(one: &[TokenId], other: &[TokenId]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A cache that does what is decided, with room for any number of tokens. Returns what was evaluated.
    fn ask(cache: &mut Sequences, prompt: &[TokenId], reply: &[TokenId]) -> usize {
        let Placement { from, to, keep } = cache.place(prompt);
        assert_eq!(cache.all[from].tokens.get(..keep), prompt.get(..keep), "what is kept is what is asked");
        cache.begin(to, &prompt[..keep]);
        cache.extend(&prompt[keep..]);
        cache.extend(reply);
        prompt.len() - keep
    }

    /// A head of `length` tokens of its own, then `rest`.
    fn prompt(head: TokenId, length: usize, rest: &[TokenId]) -> Vec<TokenId> {
        let mut tokens = vec![1];
        tokens.extend(std::iter::repeat_n(head, length));
        tokens.extend(rest);
        tokens
    }

    #[test]
    fn two_heads_that_alternate_are_each_read_once() {
        let mut cache = Sequences::default();
        for turn in 0..20 {
            // Each question and its reply are new; they are never part of the next prompt.
            let (talk, tools) = (prompt(2, 300, &[100 + turn; 30]), prompt(3, 1200, &[200 + turn; 30]));
            let talked = ask(&mut cache, &talk, &[500; 40]);
            let called = ask(&mut cache, &tools, &[600; 40]);
            if turn > 0 {
                assert_eq!((talked, called), (30, 30), "turn {turn}");
            }
        }
    }

    #[test]
    fn talk_alone_for_many_turns_does_not_cost_the_other_head() {
        let mut cache = Sequences::default();
        ask(&mut cache, &prompt(3, 1200, &[9]), &[]);
        for turn in 0..25 {
            ask(&mut cache, &prompt(2, 300, &[100 + turn; 60]), &[500; 40]);
        }
        assert_eq!(ask(&mut cache, &prompt(3, 1200, &[8; 20]), &[]), 20);
    }

    #[test]
    fn a_question_beside_the_dialogue_costs_the_dialogue_nothing() {
        let mut cache = Sequences::default();
        let dialogue = prompt(2, 300, &[5; 400]);
        ask(&mut cache, &dialogue, &[6; 50]);
        // A planner that sees the head and not the dialogue, then one that sees both.
        assert_eq!(ask(&mut cache, &prompt(2, 300, &[7; 25]), &[1; 10]), 25);
        let mut beside = dialogue.clone();
        beside.extend([8; 25]);
        assert_eq!(ask(&mut cache, &beside, &[1; 10]), 25);
        let mut next = dialogue;
        next.extend([6; 50]);
        next.extend([9; 12]);
        assert_eq!(ask(&mut cache, &next, &[]), 12);
    }

    #[test]
    fn a_prompt_that_nobody_comes_back_to_leaves_in_the_end() {
        let mut cache = Sequences::default();
        for dead in 0..3 {
            ask(&mut cache, &prompt(50 + dead, 2000, &[]), &[]);
        }
        for turn in 0..12 {
            ask(&mut cache, &prompt(2, 300, &[100 + turn; 30]), &[]);
            ask(&mut cache, &prompt(3, 1200, &[200 + turn; 30]), &[]);
        }
        assert_eq!(ask(&mut cache, &prompt(2, 300, &[7; 30]), &[]), 30);
        assert_eq!(ask(&mut cache, &prompt(3, 1200, &[7; 30]), &[]), 30);
    }

    #[test]
    fn a_prompt_that_goes_on_stays_where_it_is_and_its_last_token_is_evaluated_again() {
        let mut cache = Sequences::default();
        ask(&mut cache, &[1, 2, 3], &[]);
        assert_eq!(cache.place(&[1, 2, 3, 4]), Placement { from: 0, to: 0, keep: 3 });
        assert_eq!(cache.place(&[1, 2, 3]), Placement { from: 0, to: 0, keep: 2 });
        assert_eq!(cache.place(&[9]).keep, 0);
    }

    #[test]
    fn room_is_made_by_what_costs_least_and_never_by_the_current_one() {
        let mut cache = Sequences::default();
        ask(&mut cache, &prompt(3, 1200, &[9]), &[]);
        ask(&mut cache, &prompt(2, 300, &[4; 30]), &[]);
        ask(&mut cache, &prompt(2, 300, &[5; 40]), &[]);
        let first = cache.spare().unwrap();
        assert!(cache.all[first].tokens.is_empty());
        assert_eq!(cache.all.iter().map(|held| held.tokens.len()).max(), Some(1202), "the dead end went");
        assert!(cache.spare().is_some());
        assert_eq!((cache.spare(), cache.len()), (None, 341));
    }

    #[test]
    fn two_heads_that_begin_alike_are_evaluated_as_if_each_were_alone() {
        let (mut cache, mut alone) = (Sequences::default(), Sequences::default());
        let (tools, talk) =
            ([[7; 18].as_slice(), &[3; 1000]].concat(), [[7; 18].as_slice(), &[2; 20]].concat());
        ask(&mut cache, &tools, &[]);
        assert_eq!(ask(&mut cache, &talk, &[]), ask(&mut alone, &talk, &[]));
        let question = [talk.as_slice(), &[5; 9]].concat();
        assert_eq!(ask(&mut cache, &question, &[6; 30]), 9, "behind the whole of it");
        let other = [talk.as_slice(), &[4; 8]].concat();
        assert_eq!(ask(&mut cache, &other, &[]), 8, "and beside it");
    }

    proptest! {
        #[test]
        fn what_is_kept_is_always_a_beginning_of_what_is_asked(
            asked in prop::collection::vec(prop::collection::vec(0..3, 1..12), 1..40),
        ) {
            let mut cache = Sequences::default();
            for prompt in asked {
                // Long enough for branches.
                let prompt: Vec<TokenId> = prompt.iter().flat_map(|&token| [token; 6]).collect();
                let best = cache.all.iter().map(|held| common(&held.tokens, &prompt)).max().unwrap_or(0);
                let goes_on = cache.all.iter().any(|held| held.tokens.len() == best);
                let held = if goes_on || best >= BRANCH { best } else { 0 };
                let evaluated = ask(&mut cache, &prompt, &[1]);
                prop_assert_eq!(evaluated, prompt.len() - held.min(prompt.len() - 1));
                prop_assert_eq!(cache.len(), prompt.len() + 1);
            }
        }
    }
}
