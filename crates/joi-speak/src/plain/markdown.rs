//! Parses markdown into blocks of plain text.
//!
//! A link becomes its description, an image its alternative text, a table row a line with commas; tags and
//! markers are removed, their content stays. Markers whose partner is in another segment are removed too.
//! Pure: no I/O, no clock.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Tags that end a line.
const BREAKING: [&str; 6] = ["br", "p", "div", "li", "tr", "hr"];
/// Tags by name; anything else in angle brackets is text.
const TAGS: &[&str] = &[
    "a",
    "abbr",
    "b",
    "big",
    "blockquote",
    "br",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
];

/// Stands before text that does not begin a line, so that it is not taken for a heading or an item.
const NO_BLOCK: char = '\u{2060}';

/// Returns the blocks of `markdown`: paragraphs, headings, items, rows.
pub(super) fn blocks(markdown: &str, at_line_start: bool) -> Vec<String> {
    let guarded;
    let source = if at_line_start {
        markdown
    } else {
        guarded = format!("{NO_BLOCK}{}", markdown.trim_start());
        &guarded
    };
    let mut blocks = Blocks::default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for event in Parser::new_ext(source, options) {
        blocks.take(event);
    }
    blocks.end();
    blocks.done
}

#[derive(Default)]
struct Blocks {
    done: Vec<String>,
    text: String,
}

impl Blocks {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(code) | Event::InlineMath(code) | Event::DisplayMath(code) => {
                self.text.push_str(&code)
            }
            Event::SoftBreak => self.text.push(' '),
            Event::HardBreak | Event::Rule => self.end(),
            Event::Html(html) | Event::InlineHtml(html) => self.take_html(&html),
            Event::Start(Tag::TableCell) if !self.text.trim().is_empty() => self.text.push_str(", "),
            Event::Start(tag) if is_block(&tag) => self.end(),
            Event::End(TagEnd::TableCell) => {}
            Event::End(tag) if is_block_end(tag) => self.end(),
            Event::Start(_) | Event::End(_) | Event::TaskListMarker(_) | Event::FootnoteReference(_) => {}
        }
    }

    /// Text with tags: known tags and comments are removed, everything else stays.
    fn take_html(&mut self, html: &str) {
        let mut rest = html;
        while let Some(open) = rest.find('<') {
            self.text.push_str(&rest[..open]);
            rest = &rest[open..];
            let Some(length) = tag_length(rest) else {
                self.text.push('<');
                rest = &rest[1..];
                continue;
            };
            if BREAKING.contains(&tag_name(&rest[1..]).as_str()) {
                self.end();
            }
            rest = &rest[length..];
        }
        self.text.push_str(rest);
    }

    fn end(&mut self) {
        let text = std::mem::take(&mut self.text).replace(NO_BLOCK, "");
        // Code keeps its lines; each is spoken by itself.
        self.done.extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
    }
}

/// Bytes of the tag or comment that `text` begins with, if it is one.
fn tag_length(text: &str) -> Option<usize> {
    if text.starts_with("<!--") {
        return Some(text.find("-->").map_or(text.len(), |at| at + 3));
    }
    // A tag ends before the next one begins, so that no bracket is looked for more than once.
    let end = 1 + text[1..].find(['<', '>'])?;
    let length = end + 1;
    if !text[end..].starts_with('>') {
        return None;
    }
    let name = tag_name(&text[1..]);
    let inside = &text[1..length - 1];
    let attributes = inside.trim_start_matches('/').get(name.len()..)?.trim_end_matches('/').trim();
    (TAGS.contains(&name.as_str()) && (attributes.is_empty() || attributes.contains('='))).then_some(length)
}

/// Returns the name in front of attributes, in small letters.
fn tag_name(inside: &str) -> String {
    inside
        .trim_start_matches('/')
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_lowercase()
}

fn is_block(tag: &Tag<'_>) -> bool {
    is_block_end(tag.to_end())
}

fn is_block_end(tag: TagEnd) -> bool {
    !matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::TableCell
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_without_end_are_looked_through_once() {
        let factor = joi_base::testing::growth(|size| {
            let html = "<a ".repeat(size * 20_000) + ">";
            move || Blocks::default().take_html(&html)
        });
        assert!(factor < 8.0, "four times the text took {factor:.1} times as long");
        let mut blocks = Blocks::default();
        blocks.take_html("1 < 2, <b>bold</b> and <br> 3 > 2");
        blocks.end();
        assert_eq!(blocks.done, ["1 < 2, bold and", "3 > 2"]);
    }
}
