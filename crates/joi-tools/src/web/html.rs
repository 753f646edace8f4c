//! What a reader sees of a page, and the results on a page of a search engine.
//!
//! The tokenizer of a browser reads; scripts, styles and what surrounds a text are left out. Garbage
//! gives little text or none, never an error.
//! Pure: no I/O, no clock.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// Elements whose inside is no text of the page.
const SKIPPED: [&str; 14] = [
    "script", "style", "noscript", "template", "svg", "nav", "header", "footer", "aside", "form", "iframe",
    "button", "select", "textarea",
];
/// Elements that begin a new line.
const BLOCKS: [&str; 18] = [
    "p",
    "div",
    "br",
    "li",
    "tr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "section",
    "article",
    "table",
    "ul",
    "ol",
    "blockquote",
    "title",
];

/// One piece of a page.
enum Piece {
    Open { name: String, class: String, href: String },
    Close(String),
    Text(String),
}

/// A result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Its title.
    pub(crate) title: String,
    /// Its address.
    pub(crate) url: String,
    /// A few words of it.
    pub(crate) text: String,
}

#[derive(Default)]
struct Collector(RefCell<Vec<Piece>>);

impl TokenSink for Collector {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::CharacterTokens(text) => self.0.borrow_mut().push(Piece::Text(text.to_string())),
            Token::TagToken(tag) => return self.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Collector {
    fn tag(&self, tag: &Tag) -> TokenSinkResult<()> {
        let name = tag.name.to_string();
        if tag.kind == TagKind::EndTag {
            self.0.borrow_mut().push(Piece::Close(name));
            return TokenSinkResult::Continue;
        }
        let attribute = |wanted: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == wanted);
            found.map(|attribute| attribute.value.to_string()).unwrap_or_default()
        };
        let raw = match name.as_str() {
            "script" => Some(RawKind::ScriptData),
            "style" | "iframe" | "noscript" => Some(RawKind::Rawtext),
            "textarea" | "title" => Some(RawKind::Rcdata),
            _ => None,
        };
        let (class, href) = (attribute("class"), attribute("href"));
        self.0.borrow_mut().push(Piece::Open { name, class, href });
        raw.map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
    }
}

/// Separators in a tag, as many as several hundred attributes have.
const MOST_IN_TAG: usize = 2_000;

/// Returns the page without the rest of tags with thousands of attributes: the tokenizer compares each with each.
fn without_giant_tags(page: &str) -> String {
    let mut kept = String::with_capacity(page.len());
    let mut inside: Option<usize> = None;
    for c in page.chars() {
        match (c, &mut inside) {
            ('<', _) => inside = Some(0),
            ('>', _) => inside = None,
            (' ' | '\t' | '\n' | '\r' | '\x0c' | '/' | '"' | '\'', Some(count)) => *count += 1,
            _ => {}
        }
        if inside.is_none_or(|count| count <= MOST_IN_TAG) {
            kept.push(c);
        }
    }
    kept
}

fn pieces(page: &str) -> Vec<Piece> {
    let page = without_giant_tags(page);
    let tokenizer = Tokenizer::new(Collector::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(page.as_str()));
    // Scripts are not run, so the tokenizer never waits for one.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

/// Returns the text of a page: its title first, a line for each block.
pub(super) fn text(page: &str) -> String {
    let (mut title, mut body, mut in_title) = (String::new(), String::new(), false);
    let (mut skipped, mut open) = (Vec::new(), [0_usize; SKIPPED.len()]);
    for piece in pieces(page) {
        match piece {
            Piece::Open { name, .. } if name == "title" => in_title = title.is_empty(),
            Piece::Close(name) if name == "title" => in_title = false,
            Piece::Text(text) if in_title => title.push_str(&text),
            Piece::Open { name, .. } => {
                if let Some(kind) = SKIPPED.iter().position(|skipped| *skipped == name) {
                    skipped.push(kind);
                    open[kind] += 1;
                }
                if BLOCKS.contains(&name.as_str()) {
                    body.push('\n');
                }
            }
            Piece::Close(name) => {
                // Looked for only where one is open: what is looked through is taken off.
                if let Some(kind) = SKIPPED.iter().position(|skipped| *skipped == name)
                    && open[kind] > 0
                {
                    while let Some(last) = skipped.pop() {
                        open[last] -= 1;
                        if last == kind {
                            break;
                        }
                    }
                }
                if BLOCKS.contains(&name.as_str()) {
                    body.push('\n');
                }
            }
            Piece::Text(text) if skipped.is_empty() => body.push_str(&text),
            Piece::Text(_) => {}
        }
    }
    let lines = std::iter::once(title.as_str()).chain(body.lines());
    let tidy = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    tidy.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns the results on DuckDuckGo's page without scripts.
pub(crate) fn hits(page: &str) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let (mut into, mut is_hit): (Option<HtmlPart>, bool) = (None, false);
    for piece in pieces(page) {
        match (piece, into) {
            (Piece::Open { name, class, href }, _) if name == "a" && has(&class, "result__a") => {
                let url = target(&href);
                is_hit = url.is_some();
                into = url.map(|url| {
                    hits.push(Hit { title: String::new(), url, text: String::new() });
                    HtmlPart::Title
                });
            }
            (Piece::Open { class, .. }, _) if has(&class, "result__snippet") => {
                into = is_hit.then_some(HtmlPart::Text)
            }
            (Piece::Close(name), Some(_)) if matches!(name.as_str(), "a" | "td" | "div") => into = None,
            (Piece::Text(text), Some(part)) => {
                if let Some(hit) = hits.last_mut() {
                    match part {
                        HtmlPart::Title => hit.title.push_str(&text),
                        HtmlPart::Text => hit.text.push_str(&text),
                    }
                }
            }
            _ => {}
        }
    }
    for hit in &mut hits {
        hit.title = hit.title.split_whitespace().collect::<Vec<_>>().join(" ");
        hit.text = hit.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    hits
}

#[derive(Clone, Copy)]
enum HtmlPart {
    Title,
    Text,
}

fn has(classes: &str, class: &str) -> bool {
    classes.split_whitespace().any(|c| c == class)
}

/// Returns where a result leads: the address itself, or the one inside the engine's own; no advertisement.
fn target(href: &str) -> Option<String> {
    let whole = if href.starts_with("//") { format!("https:{href}") } else { href.to_owned() };
    let url = reqwest::Url::parse(&whole).ok()?;
    let is_engine = url.host_str().is_some_and(|host| host.ends_with("duckduckgo.com"));
    if !is_engine {
        return Some(whole);
    }
    let inner = url.query_pairs().find(|(key, _)| key == "uddg").map(|(_, inner)| inner.into_owned())?;
    (!inner.contains("duckduckgo.com/y.js")).then_some(inner)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_page_is_its_title_and_its_text() {
        let page = "<!doctype html><html><head><title>The  &amp; tower</title><style>p{}</style>\
            <script>if (a < b) { \"</p>\" }</script></head><body><nav>Home <a href=x>Menu</a></nav>\
            <h1>The tower</h1><p>It is <b>324</b> metres&nbsp;high.<p>Old.<ul><li>One<li>Two</ul>\
            <footer>Imprint</footer><!-- hidden --></body>";
        assert_eq!(text(page), "The & tower\nThe tower\nIt is 324 metres high.\nOld.\nOne\nTwo");
    }

    #[test]
    fn results_are_found_and_advertisements_are_not() {
        let page = r#"<div class="result results_links"><h2><a rel="nofollow" class="result__a"
            href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Ftower%3Fa%3D1&amp;rut=x">The <b>tower</b></a></h2>
            <a class="result__snippet" href="x">It is <b>324</b> m high.</a></div>
            <div class="result result--ad"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad">Buy</a>
            <a class="result__snippet">Cheap towers</a></div>
            <div class="result"><a class="result__a" href="https://example.net/">Net</a><td class="result__snippet">More</td></div>"#;
        let hit = |title: &str, url: &str, text: &str| Hit {
            title: title.into(),
            url: url.into(),
            text: text.into(),
        };
        let found = hits(page);
        assert_eq!(found[0].title, "The tower");
        assert_eq!(found[0].url, "https://example.org/tower?a=1");
        assert_eq!(found.last(), Some(&hit("Net", "https://example.net/", "More")));
        assert!(found.iter().all(|hit| hit.title != "Buy"), "{found:?}");
    }

    #[test]
    fn twice_the_page_takes_about_twice_the_time() {
        let attributes = |count: usize| {
            let attributes: String = (0..count).map(|n| format!(" a{n}")).collect();
            format!("<p{attributes}>text</p>")
        };
        let open = |count: usize| "<nav>".repeat(count) + &"</form></p>".repeat(count);
        for page in [attributes as fn(usize) -> String, open] {
            let factor = joi_base::testing::growth(|size| {
                let page = page(size * 4_000);
                move || drop(text(&page))
            });
            assert!(factor < 8.0, "four times the page took {factor:.1} times as long");
        }
        assert!(text(&attributes(5_000)).ends_with("text"));
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_break_the_reader_of_pages(page in "(<[a-z!/]{0,6}[ a-z=\"'>]{0,9}|\\PC){0,40}") {
            text(&page);
            hits(&page);
        }
    }
}
