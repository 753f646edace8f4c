//! Whose words an answer is made of: which page it is from, and what of a page is quoted as it stands.
//!
//! Any thread. In: pages that were found, the question, and what was said. Out: a site and a sentence or two. A
//! page that does not hold what was asked for is not quoted, and a quotation that could be taken for joi's own word
//! about joi's deeds, or that may not go out, is none.
//! Pure: no I/O, no clock.

use crate::gate::{AnswerEnding, OutputGate};
use crate::length::word_count;
use crate::truth::{self, ClaimEvidence};
use joi_language::Language;
use joi_language::words;
use joi_language::words_of;
use joi_tools::FoundPage;

/// Most words of a quotation: about twenty seconds of speech. With fewer than those it would say nothing.
const LONGEST: usize = 40;
const SHORTEST: usize = 10;
/// A search engine puts a date and one of these in front of what it found, within so many bytes.
const DATE_ENDS: [&str; 2] = [" · ", " — "];
const DATE: usize = 24;

/// Which pages may be quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceTrust {
    /// Any.
    Anybody,
    /// Those that the language names.
    Known,
}

/// A page that may be quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteRule {
    pub(crate) trust: SourceTrust,
    /// Most words of it.
    pub(crate) words: usize,
}

impl QuoteRule {
    /// Of an answer that may have `most` words, some of which are `said`; without a number, of one that is read.
    pub fn behind(trust: SourceTrust, said: &str, most: Option<u32>) -> Self {
        let left = most.map(|most| most.saturating_sub(word_count(said)) as usize);
        Self { trust, words: left.map_or(LONGEST, |left| left.clamp(SHORTEST, LONGEST)) }
    }
}

/// Words of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The name of the site.
    pub site: String,
    /// Its words.
    pub text: String,
}

/// Returns what answers `query` best in the pages, of which the first found counts most.
pub fn quoted(language: &Language, query: &str, pages: &[FoundPage], rule: QuoteRule) -> Option<Quote> {
    let sites = &language.safety().first()?.sites;
    let wanted = content(language, query);
    let needed = wanted.len().div_ceil(2).max(1);
    let may = |page: &&FoundPage| rule.trust == SourceTrust::Anybody || sites.is_trusted(host(&page.url));
    let scored = pages.iter().filter(may).enumerate().map(|(at, page)| {
        let held = held(&wanted, &format!("{} {}", page.title, page.text));
        (held, std::cmp::Reverse(at), page)
    });
    let mut fitting: Vec<_> = scored.filter(|(held, ..)| *held >= needed).collect();
    fitting.sort_by_key(|(held, at, _)| std::cmp::Reverse((*held, *at)));
    fitting.into_iter().find_map(|(.., page)| {
        let text = may_go_out(language, &passage(&wanted, &page.text, rule.words))?;
        Some(Quote { site: sites.name(host(&page.url)).to_owned(), text })
    })
}

/// Returns the site whose page the words of an answer are from; nothing when they name it, or are from none of them.
pub fn named(language: &Language, said: &str, asked: &str, pages: &[FoundPage]) -> Option<String> {
    let sites = &language.safety().first()?.sites;
    let known = content(language, asked);
    let mut told = content(language, said);
    told.retain(|word| !known.iter().any(|asked| words::is_same(word, asked)));
    let is_figure = |word: &String| word.chars().any(|c| c.is_ascii_digit());
    let weight = |page: &FoundPage| {
        let there = words_of(&page.text);
        let shared = told.iter().filter(|word| there.contains(word));
        shared.map(|word| if is_figure(word) { 2 } else { 1 }).sum::<usize>()
    };
    let best = pages.iter().rev().map(|page| (weight(page), page)).max_by_key(|(weight, _)| *weight);
    let (_, page) = best.filter(|(weight, _)| *weight >= 2)?;
    let site = sites.name(host(&page.url));
    let has_named = said.to_lowercase().contains(&site.to_lowercase());
    (!has_named && !site.is_empty()).then(|| site.to_owned())
}

/// Returns what an answer from one of these pages may have behind it, where it is longest.
pub fn longest_name(language: &Language, pages: &[FoundPage]) -> Option<String> {
    let words = language.safety().first()?;
    let names = pages.iter().map(|page| words.look_up.say.source(words.sites.name(host(&page.url))));
    names.max_by_key(|name| word_count(name))
}

/// Returns the words of a text that say what it is about, each once.
fn content(language: &Language, text: &str) -> Vec<String> {
    let form = language.requests().first().map(|words| &words.form);
    let is_idle = |word: &String| {
        let word = std::slice::from_ref(word);
        form.is_some_and(|form| form.function_words.are_in(word) || form.questions.are_in(word))
    };
    let is_long = |word: &String| word.chars().count() > 2 || word.chars().any(|c| c.is_ascii_digit());
    let mut words: Vec<String> =
        words_of(text).into_iter().filter(|word| is_long(word) && !is_idle(word)).collect();
    words.sort();
    words.dedup();
    words
}

/// Returns how many of `wanted` are in `text`, in some form.
fn held(wanted: &[String], text: &str) -> usize {
    let there = words_of(text);
    wanted.iter().filter(|word| there.iter().any(|found| words::is_form_of(found, word))).count()
}

/// Returns the sentence of a text that holds most of what is wanted, and what follows it as far as it is short.
fn passage(wanted: &[String], text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let begins = DATE_ENDS.iter().filter_map(|end| text.find(end).map(|at| at + end.len()));
    let begin = begins.filter(|at| *at <= DATE).max().unwrap_or(0);
    let sentences = sentences(&text[begin..]);
    let worth = |sentence: &str| {
        let held = held(wanted, sentence);
        held * 2 + usize::from(held > 0 && sentence.contains(|c: char| c.is_ascii_digit()))
    };
    let best = sentences.iter().enumerate().rev().max_by_key(|(_, sentence)| worth(sentence));
    let mut passage: Vec<&str> = Vec::new();
    for sentence in sentences.iter().skip(best.map_or(0, |(at, _)| at)) {
        let new: Vec<&str> = sentence.split(' ').collect();
        if !passage.is_empty() && passage.len() + new.len() > most {
            break;
        }
        passage.extend(new);
    }
    let is_cut = passage.len() > most;
    passage.truncate(most);
    let end = if is_cut { "…" } else { "" };
    passage.join(" ").trim_end_matches(['.', '…', ' ']).to_owned() + if is_cut { end } else { "." }
}

/// Returns the sentences of a text; a full stop before a small letter or a figure ends none.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    for (at, sign) in text.char_indices() {
        let end = at + sign.len_utf8();
        let mut behind = text[end..].chars();
        let ends = matches!(sign, '.' | '!' | '?' | '…') && behind.next() == Some(' ');
        if ends && behind.next().is_some_and(char::is_uppercase) {
            found.push(text[begin..end].trim());
            begin = end;
        }
    }
    found.push(text[begin..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// `text` as far as it may be said at all; nothing when it could be taken for joi's own deed.
fn may_go_out(language: &Language, text: &str) -> Option<String> {
    let mut gate = OutputGate::default();
    let first = gate.push(text).ok()?;
    let rest = gate.finish(AnswerEnding::Whole).ok()?;
    let evidence = ClaimEvidence { asked: "", done: &[], ..ClaimEvidence::default() };
    let is_true = truth::unsupported(language, text, evidence).is_none();
    is_true.then(|| first + &rest).filter(|text| !text.trim().is_empty())
}

/// Returns the host of an address.
fn host(url: &str) -> &str {
    let behind = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    fn page(url: &str, title: &str, text: &str) -> FoundPage {
        FoundPage { url: url.into(), title: title.into(), text: text.into() }
    }

    fn pages() -> Vec<FoundPage> {
        vec![
            page("https://forum.example.com/1", "Towers I like", "Have a look at my photos of towers."),
            page(
                "https://en.wikipedia.org/wiki/Eiffel_Tower",
                "Eiffel Tower",
                "Apr 3, 2024 · It was built by G. Eiffel. The Eiffel Tower is approx. 330 metres tall. It stands in Paris.",
            ),
            page("https://user@www.example.org:8080/t?a=b", "The Eiffel Tower", "The Eiffel Tower is tall."),
        ]
    }

    fn anybody() -> QuoteRule {
        QuoteRule::behind(SourceTrust::Anybody, "", None)
    }

    #[test]
    fn a_quotation_behind_other_words_is_as_short_as_they_leave() {
        let rule = |said: &str| QuoteRule::behind(SourceTrust::Anybody, said, Some(60)).words;
        assert_eq!((rule(""), rule(&"word ".repeat(35)), rule(&"word ".repeat(58))), (40, 25, 10));
        let text = format!("The tower {}is tall.", "very ".repeat(60));
        let page = [page("https://a.example", "", &text)];
        let rule = QuoteRule { words: 12, ..anybody() };
        let quote = quoted(english(), "the tower", &page, rule).unwrap();
        assert!(quote.text.split(' ').count() == 12 && quote.text.ends_with('…'), "{quote:?}");
    }

    #[test]
    fn the_sentence_that_answers_is_quoted_and_its_site_named() {
        let quote = quoted(english(), "How tall is the Eiffel Tower?", &pages(), anybody());
        let text = "The Eiffel Tower is approx. 330 metres tall. It stands in Paris.".to_owned();
        assert_eq!(quote, Some(Quote { site: "Wikipedia".into(), text }));
        let quote = quoted(english(), "Who won the world cup?", &pages(), anybody());
        assert_eq!(quote, None, "nothing there answers it");
        let quote = quoted(german(), "Wie hoch ist der Eiffel Tower?", &pages(), anybody());
        assert_eq!(quote.map(|quote| quote.site), Some("Wikipedia".into()));
    }

    #[test]
    fn about_a_matter_only_known_sites_are_quoted() {
        let mut found = pages();
        found.remove(1);
        let asked = "How tall is the Eiffel Tower?";
        assert_eq!(
            quoted(english(), asked, &found, QuoteRule { trust: SourceTrust::Known, ..anybody() }),
            None
        );
        let quote = quoted(english(), asked, &found, anybody()).unwrap();
        assert_eq!((quote.site.as_str(), quote.text.as_str()), ("example.org", "The Eiffel Tower is tall."));
    }

    #[test]
    fn a_quotation_is_short_and_claims_no_deed() {
        let long = format!("The tower {}is tall.", "very ".repeat(60));
        let quote = quoted(english(), "the tower", &[page("https://a.example", "", &long)], anybody());
        let text = quote.unwrap().text;
        assert!(text.split(' ').count() == LONGEST && text.ends_with('…'), "{text}");
        let claim = "I've set a timer for the tower.";
        let quote = quoted(english(), "the tower", &[page("https://a.example", "", claim)], anybody());
        assert_eq!(quote, None);
    }

    #[test]
    fn an_answer_is_from_the_page_that_holds_its_words() {
        let asked = "How tall is the Eiffel Tower?";
        for (said, site) in [
            ("It is 330 metres tall.", Some("Wikipedia")),
            ("Wikipedia says it is 330 metres tall.", None),
            ("I couldn't find that.", None),
            ("The Eiffel Tower is tall.", None),
            ("There are photos in the forum.", None),
        ] {
            assert_eq!(named(english(), said, asked, &pages()).as_deref(), site, "{said}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_page_can_be_quoted_from(text in "\\PC{0,200}", url in "\\PC{0,30}", query in "\\PC{0,30}") {
            let pages = [page(&url, "", &text)];
            quoted(english(), &query, &pages, anybody());
            named(english(), &text, &query, &pages);
        }
    }
}
