//! Fits a conversation into the model's window. PURE, but for the tokenizer it is given.
//!
//! The oldest messages are dropped first; the system message and the newest message stay. A newest message
//! that is too long by itself is cut in the middle: its beginning says what it is about, its end what is
//! asked.

use crate::llama::TokenId;
use crate::template::Message;

/// The window and its reserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContextWindow {
    /// Size in tokens.
    pub size: usize,
    /// Tokens reserved for the reply.
    pub reserve: usize,
}

impl ContextWindow {
    /// A window of `size` tokens that leaves room for `num_predict` of reply (0 or less: no limit
    /// set), but never more than a quarter of it.
    pub(crate) fn new(size: usize, num_predict: i64) -> Self {
        let quarter = (size / 4).max(1);
        let wanted = usize::try_from(num_predict).ok().filter(|n| *n > 0).unwrap_or(quarter);
        Self { size, reserve: wanted.min(quarter) }
    }

    /// Most tokens of a prompt.
    pub(crate) fn room(self) -> usize {
        self.size.saturating_sub(self.reserve).max(1)
    }

    /// The tokens of the longest end of the conversation that fits. `tokens_of` renders and counts; its error
    /// ends the search. It is called a few times only, even for thousands of messages.
    pub(crate) fn fit<E>(
        self,
        messages: &[Message],
        mut tokens_of: impl FnMut(&[Message]) -> Result<Vec<TokenId>, E>,
    ) -> Result<Fitted, E> {
        let whole = tokens_of(messages)?;
        let starts = starts(messages);
        let Some(&newest) = starts.last().filter(|_| whole.len() > self.room()) else {
            return Ok(self.fitted(whole, 0));
        };
        let mut best = None;
        let (mut low, mut high) = (0, starts.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let (kept, dropped) = from(messages, starts[middle]);
            let tokens = tokens_of(&kept)?;
            if tokens.len() <= self.room() {
                best = Some((tokens, dropped));
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if let Some((tokens, dropped)) = best {
            return Ok(self.fitted(tokens, dropped));
        }
        let (kept, dropped) = from(messages, newest);
        Ok(self.fitted(tokens_of(&kept)?, dropped))
    }

    fn fitted(self, tokens: Vec<TokenId>, dropped: usize) -> Fitted {
        let cut = tokens.len().saturating_sub(self.room());
        Fitted { tokens: self.cut_middle(tokens), dropped, cut }
    }

    /// `tokens` without the part of the middle that does not fit.
    pub(crate) fn cut_middle(self, mut tokens: Vec<TokenId>) -> Vec<TokenId> {
        let room = self.room();
        if tokens.len() > room {
            let head = room / 4;
            let tail = tokens.len() - (room - head);
            tokens.drain(head..tail);
        }
        tokens
    }
}

/// A prompt that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fitted {
    /// Its tokens.
    pub tokens: Vec<TokenId>,
    /// Messages dropped.
    pub dropped: usize,
    /// Tokens cut out of the middle.
    pub cut: usize,
}

/// Where a conversation may begin when its beginning is dropped, oldest first: not with a reply without its
/// question or a tool's result without its call, and at the latest with the newest message.
fn starts(messages: &[Message]) -> Vec<usize> {
    let newest = messages.len().saturating_sub(1);
    let may_begin = |i: &usize| *i == newest || messages[*i].role == "user";
    (0..messages.len()).filter(may_begin).collect()
}

/// The messages from `start` on and all system messages before it, and how many are dropped.
fn from(messages: &[Message], start: usize) -> (Vec<Message>, usize) {
    let is_kept = |i: usize, m: &Message| i >= start || m.role == "system";
    let kept: Vec<Message> =
        messages.iter().enumerate().filter(|(i, m)| is_kept(*i, m)).map(|(_, m)| m.clone()).collect();
    let dropped = messages.len() - kept.len();
    (kept, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Ten tokens a message, numbered by its content.
    fn ten_each(messages: &[Message]) -> Result<Vec<TokenId>, Infallible> {
        let number = |m: &Message| m.content.parse::<TokenId>().unwrap();
        Ok(messages.iter().flat_map(|m| std::iter::repeat_n(number(m), 10)).collect())
    }

    fn conversation() -> Vec<Message> {
        ["system", "user", "assistant", "user", "assistant", "user"]
            .iter()
            .enumerate()
            .map(|(i, role)| Message::new(role, &i.to_string()))
            .collect()
    }

    fn numbers(tokens: &[TokenId]) -> Vec<TokenId> {
        let mut seen = tokens.to_vec();
        seen.dedup();
        seen
    }

    #[test]
    fn what_fits_is_left_alone() {
        let fitted = ContextWindow { size: 70, reserve: 10 }.fit(&conversation(), ten_each).unwrap();
        assert_eq!((numbers(&fitted.tokens), fitted.dropped, fitted.cut), (vec![0, 1, 2, 3, 4, 5], 0, 0));
    }

    #[test]
    fn the_oldest_exchange_goes_first_and_the_system_message_stays() {
        let fitted = ContextWindow { size: 60, reserve: 10 }.fit(&conversation(), ten_each).unwrap();
        assert_eq!((numbers(&fitted.tokens), fitted.dropped, fitted.cut), (vec![0, 3, 4, 5], 2, 0));
    }

    #[test]
    fn the_newest_message_stays_and_is_cut_in_the_middle() {
        let window = ContextWindow { size: 12, reserve: 4 };
        let fitted = window.fit(&conversation(), ten_each).unwrap();
        assert_eq!(fitted, Fitted { tokens: vec![0, 0, 5, 5, 5, 5, 5, 5], dropped: 4, cut: 12 });
    }

    #[test]
    fn thousands_of_messages_are_rendered_a_few_times_only() {
        let messages: Vec<Message> = (0..5000).map(|i| Message::new("user", &i.to_string())).collect();
        let mut calls = 0;
        let fitted = ContextWindow { size: 120, reserve: 20 }.fit(&messages, |kept| {
            calls += 1;
            ten_each(kept)
        });
        let expected: Vec<TokenId> = (4990..5000).collect();
        assert_eq!((numbers(&fitted.unwrap().tokens), calls < 20), (expected, true));
    }

    #[test]
    fn the_reserve_is_what_is_asked_for_up_to_a_quarter() {
        assert_eq!(ContextWindow::new(4096, 200), ContextWindow { size: 4096, reserve: 200 });
        assert_eq!(ContextWindow::new(4096, -1), ContextWindow { size: 4096, reserve: 1024 });
        assert_eq!(ContextWindow::new(4096, 9999), ContextWindow { size: 4096, reserve: 1024 });
    }
}
