//! Distinguishes markers of numbered lists from other numbers at the beginning of lines.
//!
//! Markdown takes every "1984. " for a list. Here a marker is removed only in a real list: at least two
//! adjacent lines with numbers up to 99. Blank lines and indented lines between two items do not separate
//! them when the second number follows the first. Pure: no I/O, no clock.

/// A line that begins like an item.
struct ListItem {
    line: usize,
    number: u32,
    /// Bytes of indentation, of the digits, and of the whole marker.
    indent: usize,
    digits: usize,
}

/// Rewrites markers of real lists as bullets and escapes the others, so that markdown leaves them alone. Also
/// returns the number of the item that `text` ends in. `before` is that of the text before this one.
pub(super) fn prepare(text: &str, at_line_start: bool, before: Option<u32>) -> (String, Option<u32>) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let items = items(&lines, at_line_start);
    let mut prepared = String::with_capacity(text.len() + 8);
    for (at, line) in lines.iter().enumerate() {
        let Some(index) = items.iter().position(|item| item.line == at) else {
            prepared.push_str(line);
            continue;
        };
        let item = &items[index];
        let (indent, rest) = line.split_at(item.indent);
        let (number, rest) = rest.split_at(item.digits);
        prepared.push_str(indent);
        if is_real(&items, index, &lines, before) {
            prepared.push('-');
            prepared.push_str(rest.get(1..).unwrap_or_default());
        } else {
            prepared.push_str(number);
            prepared.push('\\');
            prepared.push_str(rest);
        }
    }
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    let item = match (last, items.last()) {
        (None, _) => before,
        (Some(last), Some(item)) if lines[item.line + 1..=last].iter().all(|line| is_inside(line)) => {
            Some(item.number)
        }
        (Some(0), None) if !at_line_start => before,
        _ => None,
    };
    (prepared, item)
}

/// Returns all lines outside of code blocks that begin with a number and a dot or parenthesis.
fn items(lines: &[&str], at_line_start: bool) -> Vec<ListItem> {
    let mut items = Vec::new();
    let mut is_code = false;
    for (line, text) in lines.iter().enumerate() {
        if line == 0 && !at_line_start {
            continue;
        }
        let bare = text.trim_start_matches([' ', '\t']);
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_code = !is_code;
        }
        let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let rest = &bare[digits..];
        let is_marker = (1..=9).contains(&digits)
            && rest.strip_prefix(['.', ')']).is_some_and(|rest| rest.starts_with([' ', '\t', '\n']));
        if let (false, true, Ok(number)) = (is_code, is_marker, bare[..digits].parse()) {
            items.push(ListItem { line, number, indent: text.len() - bare.len(), digits });
        }
    }
    items
}

/// Returns whether the item has a neighbour: on the next line, or the next number behind lines that belong to an
/// item.
fn is_real(items: &[ListItem], index: usize, lines: &[&str], before: Option<u32>) -> bool {
    let item = &items[index];
    if item.number > 99 {
        return false;
    }
    let are_neighbours = |first: &ListItem, second: &ListItem| {
        second.number <= 99
            && first.number <= 99
            && (second.line == first.line + 1
                || second.number == first.number + 1
                    && lines[first.line + 1..second.line].iter().all(|line| is_inside(line)))
    };
    let follows = match index.checked_sub(1) {
        Some(previous) => are_neighbours(&items[previous], item),
        None => {
            before.is_some_and(|number| item.number == number + 1)
                && lines[..item.line].iter().all(|line| is_inside(line))
        }
    };
    follows || items.get(index + 1).is_some_and(|next| are_neighbours(item, next))
}

/// Returns whether a line is blank or indented, as the rest of an item is.
fn is_inside(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with([' ', '\t'])
}
