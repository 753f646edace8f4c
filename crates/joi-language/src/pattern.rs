//! A pattern of a language's words: a regular expression for sentences, in as little memory as it can be.
//!
//! A language has hundreds of them, each looked for in a text of a line or two. The `regex` crate makes them ready for
//! texts of any length, read by many threads at once: a second automaton that runs backwards, tables that are filled while
//! it runs, and for each pattern what each of these threads needs to search, tens of megabytes for all of them. Here a
//! pattern has one automaton, and a thread one place to search in, for all patterns. That costs a few microseconds more for
//! a sentence, and time linear in its length all the same. Syntax and meaning are those of `regex`.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use regex_automata::nfa::thompson::Compiler;
use regex_automata::nfa::thompson::backtrack::{self, BoundedBacktracker};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::util::captures::Captures;
use regex_automata::util::iter::Searcher;
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::syntax;
use regex_automata::{Input, Match, MatchKind, Span};

use super::steps;

/// Bytes of a thread's place to search in, at most: a bit for each state of the pattern and byte of the text. What does
/// not fit is searched in a way that is slower and needs a place of its own.
const PLACE: usize = 1 << 20;

thread_local! {
    /// Where this thread searches in short texts.
    static SEARCHING: RefCell<Option<backtrack::Cache>> = const { RefCell::new(None) };
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct WordPattern {
    short: BoundedBacktracker,
    long: PikeVM,
}

/// Where it was found, or a group of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternMatch<'t> {
    text: &'t str,
    span: Span,
}

/// Where its groups were found.
#[derive(Debug)]
pub struct PatternGroups<'t> {
    text: &'t str,
    captures: Captures,
}

impl WordPattern {
    /// Compiles what is `written`.
    ///
    /// # Errors
    /// Where it is no pattern.
    pub(crate) fn new(written: &str) -> Result<Self, String> {
        let syntax = syntax::parse(written).map_err(|error| error.to_string())?;
        let prefilter = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &syntax);
        let automaton = Compiler::new().build_from_hir(&syntax);
        let automaton = automaton.map_err(|error| error.to_string())?;
        let short = BoundedBacktracker::config().prefilter(prefilter.clone()).visited_capacity(PLACE);
        let short = BoundedBacktracker::builder().configure(short).build_from_nfa(automaton.clone());
        let long = PikeVM::config().prefilter(prefilter);
        let long = PikeVM::builder().configure(long).build_from_nfa(automaton);
        Ok(Self {
            short: short.map_err(|error| error.to_string())?,
            long: long.map_err(|error| error.to_string())?,
        })
    }

    /// Looks for it once, and for its groups as far as `found` has room for them.
    fn search(&self, input: &Input<'_>, found: &mut Captures) {
        steps::add(input.get_range().len());
        let is_over = SEARCHING.with_borrow_mut(|place| {
            let place = place.get_or_insert_with(|| self.short.create_cache());
            self.short.try_search(place, input, found).is_ok()
        });
        if !is_over {
            self.long.search(&mut self.long.create_cache(), input, found);
        }
    }

    fn first(&self, input: &Input<'_>) -> Option<Match> {
        let mut found = Captures::matches(self.short.get_nfa().group_info().clone());
        self.search(input, &mut found);
        found.get_match()
    }

    /// Whether it is anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.first(&Input::new(text).earliest(true)).is_some()
    }

    /// Where it is first.
    pub fn find<'t>(&self, text: &'t str) -> Option<PatternMatch<'t>> {
        self.find_at(text, 0)
    }

    /// Where it is first at or behind `from`; what is before that counts for the bounds of words.
    pub(crate) fn find_at<'t>(&self, text: &'t str, from: usize) -> Option<PatternMatch<'t>> {
        let found = self.first(&Input::new(text).range(from..));
        found.map(|found| PatternMatch { text, span: found.span() })
    }

    /// Everywhere it is.
    pub fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = PatternMatch<'t>> {
        let mut searcher = Searcher::new(Input::new(text));
        std::iter::from_fn(move || searcher.advance(|input| Ok(self.first(input))))
            .map(move |found| PatternMatch { text, span: found.span() })
    }

    /// Where it is first, with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Option<PatternGroups<'t>> {
        self.captures_iter(text).next()
    }

    /// Everywhere it is, with its groups.
    pub fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = PatternGroups<'t>> {
        let mut searcher = Searcher::new(Input::new(text));
        std::iter::from_fn(move || {
            let mut captures = Captures::all(self.short.get_nfa().group_info().clone());
            searcher.advance(|input| {
                self.search(input, &mut captures);
                Ok(captures.get_match())
            })?;
            Some(PatternGroups { text, captures })
        })
    }

    /// `text` with `instead` in the place of everything that it finds.
    pub fn replace_all<'t>(&self, text: &'t str, instead: &str) -> Cow<'t, str> {
        let (mut replaced, mut from) = (String::new(), 0);
        for found in self.find_iter(text) {
            replaced.push_str(&text[from..found.start()]);
            replaced.push_str(instead);
            from = found.end();
        }
        match from {
            0 if replaced.is_empty() => Cow::Borrowed(text),
            _ => Cow::Owned(replaced + &text[from..]),
        }
    }
}

impl<'t> PatternMatch<'t> {
    /// Returns the text that was found.
    pub fn as_str(&self) -> &'t str {
        &self.text[self.range()]
    }

    /// Returns where it begins, in bytes of the text.
    pub fn start(&self) -> usize {
        self.span.start
    }

    /// Returns where it ends, in bytes of the text.
    pub fn end(&self) -> usize {
        self.span.end
    }

    fn range(&self) -> Range<usize> {
        self.span.range()
    }
}

impl<'t> PatternGroups<'t> {
    /// The group of this number; 0 is all of it.
    pub fn get(&self, group: usize) -> Option<PatternMatch<'t>> {
        self.captures.get_group(group).map(|span| PatternMatch { text: self.text, span })
    }

    /// Returns the group of this name, if it took part.
    pub fn name(&self, group: &str) -> Option<PatternMatch<'t>> {
        self.captures.get_group_by_name(group).map(|span| PatternMatch { text: self.text, span })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WRITTEN: [&str; 6] = [
        r"(?:\b|^)(?:für|the \w+|küche)(?:\b|$)",
        r"(?i)^(?:please )?(?P<verb>turn|läs?t) (?P<rest>[^?!;:]+?)[.!?]*$",
        r"[,;:–—()]+(?:\s+|$)(?:(?P<behind>and|und)\s+)?|\s+(?P<joint>and|und)\s+",
        r"\w \b(?:if|once|wenn)\b",
        r"",
        r"(?:[^\s,.;:!?]+ ){0,2}?(?:light|licht)\W*$",
    ];

    fn spans(groups: &PatternGroups<'_>) -> Vec<Option<(usize, usize)>> {
        (0..4).map(|group| groups.get(group).map(|found| (found.start(), found.end()))).collect()
    }

    proptest! {
        #[test]
        fn it_finds_what_the_regex_crate_finds(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "please", "turn", "Lät", "für", "the", "light", "licht", "küche", ",", "and", "und", "if", "wenn",
                    "—", "?", "  ", "\u{a0}", "é",
                ]),
                0..12,
            ),
            is_close in any::<bool>(),
        ) {
            let text = words.join(if is_close { "" } else { " " });
            for written in WRITTEN {
                let (ours, theirs) = (WordPattern::new(written).unwrap(), regex::Regex::new(written).unwrap());
                prop_assert_eq!(ours.is_match(&text), theirs.is_match(&text));
                let found: Vec<&str> = ours.find_iter(&text).map(|found| found.as_str()).collect();
                let expected: Vec<&str> = theirs.find_iter(&text).map(|found| found.as_str()).collect();
                prop_assert_eq!(found, expected);
                let groups: Vec<_> = ours.captures_iter(&text).map(|groups| spans(&groups)).collect();
                let expected: Vec<Vec<_>> = theirs
                    .captures_iter(&text)
                    .map(|groups| (0..4).map(|at| groups.get(at).map(|group| (group.start(), group.end()))).collect())
                    .collect();
                prop_assert_eq!(groups, expected);
                prop_assert_eq!(ours.replace_all(&text, "-"), theirs.replace_all(&text, "-"));
                for (at, _) in text.char_indices() {
                    let expected = theirs.find_at(&text, at).map(|found| found.range());
                    prop_assert_eq!(ours.find_at(&text, at).map(|found| found.range()), expected);
                }
            }
        }
    }

    #[test]
    fn a_text_too_long_for_its_place_is_searched_all_the_same() {
        let pattern = WordPattern::new(r"\b(?P<verb>turn|switch) the (?P<rest>\w{3,90}) off$").unwrap();
        let text = format!("{} turn the lights off", "the cat sat on the mat and ".repeat(4_000));
        assert!(pattern.short.max_haystack_len() < text.len(), "another text is needed");
        let groups = pattern.captures(&text).unwrap();
        assert_eq!(
            (groups.name("verb").unwrap().as_str(), groups.name("rest").unwrap().as_str()),
            ("turn", "lights")
        );
        assert!(pattern.is_match(&text) && pattern.find_at(&text, text.len() - 10).is_none());
        assert_eq!(pattern.find_iter(&text).count(), 1);
    }

    #[test]
    fn groups_have_names_and_a_faulty_pattern_is_an_error() {
        let pattern = WordPattern::new("(?P<what>timer|alarm) for (?P<when>.+)").unwrap();
        let groups = pattern.captures("a timer for noon").unwrap();
        assert_eq!(groups.name("what").unwrap().as_str(), "timer");
        assert_eq!(groups.name("when").unwrap().as_str(), "noon");
        assert!(groups.name("who").is_none() && pattern.captures("a timer").is_none());
        let error = WordPattern::new("a(b").unwrap_err();
        assert!(error.contains("unclosed group"), "{error}");
    }

    #[test]
    fn a_text_it_is_not_in_is_not_copied() {
        let pattern = WordPattern::new("x").unwrap();
        assert!(matches!(pattern.replace_all("abc", " "), Cow::Borrowed("abc")));
        assert_eq!(pattern.replace_all("x", ""), "");
    }
}
