//! Secrets as people say them: "my password is …", "the door code is four seven one one",
//! "put my password … on the list", "jane dot doe at example dot org".
//!
//! Speech has no quotes and no `=`, so the words around decide; they are those of a language, in its
//! `secrets.toml`. What people say about a password ("is wrong", "is too short") must stay readable.
//! Pure: no I/O, no clock.

use std::ops::Range;

use joi_language::secrets::SecretWords;

/// Finds a spoken address, which counts when its local part is spelled out, or the talk is of mail.
pub(super) fn email(
    text: &str,
    hit: Range<usize>,
    words: &SecretWords,
    secrets: &mut Vec<Range<usize>>,
) -> usize {
    const REACH: usize = 60;
    let end = hit.end;
    let is_among = |list: &[String], word: &str| list.contains(&trimmed(word).to_lowercase());
    let is_spelled = text[hit.clone()]
        .split_whitespace()
        .take_while(|word| !is_among(&words.at, word))
        .any(|word| is_among(&words.spelt, word));
    let reach = text[..hit.start].char_indices().rev().take(REACH).last().map_or(hit.start, |(at, _)| at);
    let before = &text[reach..hit.start];
    if is_spelled || before.split_whitespace().any(|word| is_among(&words.mail, word)) {
        secrets.push(hit);
    }
    end
}

/// Everything up to the end of the clause, unless it only speaks about the password.
pub(super) fn password(
    text: &str,
    hit: Range<usize>,
    words: &SecretWords,
    secrets: &mut Vec<Range<usize>>,
) -> usize {
    let rest = &text[hit.end..];
    if rest.trim().is_empty() || begins(rest, &words.about) {
        return hit.end;
    }
    let end = hit.end + clause_end(rest);
    // Only by itself: "correct horse battery staple" is a passphrase.
    if words.alone.contains(&text[hit.end..end].to_lowercase()) {
        return end;
    }
    secrets.push(hit.end..end);
    end
}

/// Returns what stands behind the name of a password that is to be kept, up to where it is to be kept, or to the verb
/// in a language that ends a subordinate clause with it.
pub(super) fn kept(
    text: &str,
    hit: Range<usize>,
    words: &SecretWords,
    secrets: &mut Vec<Range<usize>>,
) -> usize {
    let rest = &text[hit.end..];
    let clause = &rest[..clause_end(rest)];
    let is_other = [&words.is, &words.about, &words.compounds].iter().any(|list| begins(clause, list));
    if is_other {
        return hit.end;
    }
    let mut end = 0;
    for word in clause.split_whitespace() {
        let at = word.as_ptr() as usize - clause.as_ptr() as usize;
        let behind = &clause[at..];
        if begins(behind, &words.onto) || (words.verb_last && begins(behind, &words.is)) {
            break;
        }
        // "My password manager is": then it was no password.
        if begins(behind, &words.is) {
            return hit.end;
        }
        end = at + word.len();
    }
    if end > 0 {
        secrets.push(hit.end..hit.end + end);
    }
    hit.end + end
}

/// Returns the digits behind "the code is": three or more, as figures or as words, or a token that mixes both.
pub(super) fn code(
    text: &str,
    hit: Range<usize>,
    words: &SecretWords,
    secrets: &mut Vec<Range<usize>>,
) -> usize {
    if is_public(text, &hit, words) {
        return hit.end;
    }
    let rest = &text[hit.end..];
    let (mut end, mut digits) = (0, 0);
    let mut behind = "";
    for word in rest.split_whitespace() {
        let Some(count) = digits_said(trimmed(word), words) else {
            behind = trimmed(word);
            break;
        };
        digits += count;
        let start = word.as_ptr() as usize - rest.as_ptr() as usize;
        end = start + word.trim_end_matches(['.', ',', ';', '!', '?']).len();
        if word.ends_with(['.', ';', '!', '?']) {
            break;
        }
    }
    let is_measure = words.measures.contains(&behind.to_lowercase());
    if digits < 3 || is_measure {
        return hit.end;
    }
    secrets.push(hit.end..hit.end + end);
    hit.end + end
}

/// Returns whether the code at `hit` is one that anybody may know: a zip code, a status code.
fn is_public(text: &str, hit: &Range<usize>, words: &SecretWords) -> bool {
    let said = &text[hit.clone()];
    let name = words.code_name.find(said);
    let (start, name) = name.map_or((0, ""), |name| (name.start(), name.as_str()));
    let before = text[..hit.start + start].split_whitespace().next_back().unwrap_or_default();
    let first = name.split_whitespace().next().unwrap_or_default();
    [before, first].iter().any(|word| words.public.contains(&trimmed(word).to_lowercase()))
}

/// Returns how many digits a word of a spoken code stands for; nothing when it can't belong to one.
fn digits_said(word: &str, words: &SecretWords) -> Option<usize> {
    let written = word.bytes().filter(u8::is_ascii_digit).count();
    let is_letter = word.chars().count() == 1 && !matches!(word, "a" | "A" | "I");
    match written {
        0 => words.digits(word).or(is_letter.then_some(0)),
        // A time of day or a decimal is no code; letters among the digits make one.
        _ if word.contains([':', '.', '/', '%', '$', '€', '£']) => None,
        _ => Some(written + word.bytes().filter(u8::is_ascii_alphabetic).count()),
    }
}

/// Returns whether `rest` begins with one of the phrases, in small letters or capitals.
fn begins(rest: &str, phrases: &[String]) -> bool {
    let mut words = rest.split_whitespace().map(|word| trimmed(word).to_lowercase());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    phrases.iter().any(|phrase| match phrase.split_once(' ') {
        None => *phrase == first,
        Some((one, two)) => one == first && two == second,
    })
}

/// Returns where a clause ends: at a line break, or at punctuation with white space or nothing behind it.
pub(super) fn clause_end(rest: &str) -> usize {
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let closes = matches!(c, '.' | ',' | ';' | '!' | '?');
        if c == '\n' || (closes && chars.peek().is_none_or(|(_, next)| next.is_whitespace())) {
            return at;
        }
    }
    rest.trim_end().len()
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}
