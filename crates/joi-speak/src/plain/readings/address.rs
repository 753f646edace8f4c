//! Reads e-mail addresses, links, network addresses, file names.
//!
//! Pure: no I/O, no clock.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::matching::{digits, group, pattern, replace};
use joi_language::ReadingWords;

static MAIL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"));
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:https?://|ftp://|www\.)(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(?P<port>\d+))?(?P<path>/[^\s<>()\[\]]*)?",
    )
});
static NETWORK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?P<ip>\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})(?::(?P<port>\d{1,5}))?(?P<net>/\d{1,2})?")
});
static PATH: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:~|\.{1,2})?(?:/[A-Za-z0-9._-]+){2,}/?"));
static DOTTED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[A-Za-z][A-Za-z0-9_-]+(?:\.[A-Za-z][A-Za-z0-9_-]*)+"));
static HANDLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[@#](?P<name>[A-Za-z]\w*)"));

#[derive(Debug)]
pub(super) struct Addresses(Arc<ReadingWords>);

impl Addresses {
    pub(super) fn new(words: &Arc<ReadingWords>) -> Self {
        Self(Arc::clone(words))
    }

    pub(super) fn read(&self, text: &str) -> String {
        let words = &self.0.addresses;
        let text = replace(text, &MAIL, |found, _| {
            Some(self.spell(&found[0].replace('@', &format!(" {} ", words.at))))
        });
        let text = replace(&text, &LINK, |found, _| {
            let (host, port) = (group(found, "host"), group(found, "port"));
            let host = self.spell(host.strip_prefix("www.").unwrap_or(host));
            let said = if port.is_empty() { host } else { format!("{host} {} {port}", words.port) };
            // Punctuation at the end belongs to the sentence, not to the address.
            let tail =
                found[0].len() - found[0].trim_end_matches(['.', ',', '!', '?', ';', ':', '"', '\'']).len();
            Some(said + &found[0][found[0].len() - tail..])
        });
        let text = self.read_networks(&text);
        let text = replace(&text, &PATH, |found, around| {
            let begins = around.last().is_none_or(|c| c.is_whitespace() || "\"'(`".contains(c));
            let path = found[0].trim_end_matches('.');
            begins.then(|| {
                let slash = format!(" {} ", words.slash);
                let said = self.spell(&path.replace('~', &format!("{} ", words.home)).replace('/', &slash));
                said.trim().to_owned() + &found[0][path.len()..]
            })
        });
        let text = self.read_names(&text);
        replace(&text, &HANDLE, |found, around| {
            let begins = !around.last().is_some_and(char::is_alphanumeric);
            let sign = if found[0].starts_with('@') { &words.at } else { &words.hashtag };
            begins.then(|| format!("{sign} {}", group(found, "name")))
        })
    }

    fn read_networks(&self, text: &str) -> String {
        let words = &self.0.addresses;
        replace(text, &NETWORK, |found, around| {
            let is_octet = |part: &str| part.parse::<u16>().is_ok_and(|number| number < 256);
            if !around.is_apart() || !group(found, "ip").split('.').all(is_octet) {
                return None;
            }
            let mut said = group(found, "ip").replace('.', &format!(" {} ", words.dot));
            if let Some(port) = found.name("port") {
                said.push_str(&format!(" {} {}", words.port, port.as_str()));
            }
            if let Some(net) = found.name("net") {
                said.push_str(&format!(" {} {}", words.slash, digits(net.as_str()).replace(' ', "")));
            }
            Some(said)
        })
    }

    /// Names with dots in them: "config.toml".
    fn read_names(&self, text: &str) -> String {
        let is_abbreviation = |name: &str| {
            let words = &self.0.words;
            words.dotted.keys().chain(words.inner.keys()).any(|known| known.eq_ignore_ascii_case(name))
        };
        replace(text, &DOTTED, |found, around| {
            let parts: Vec<&str> = found[0].split('.').collect();
            let is_abbreviated = parts.iter().all(|part| part.len() == 1);
            // "end.Start" is a missing space, not a name.
            let is_glued = parts.len() == 2 && parts[1].len() > 1 && parts[1].starts_with(char::is_uppercase);
            match (around.is_apart() && !is_abbreviated, is_glued && parts[0].chars().all(char::is_lowercase))
            {
                (true, true) => Some(parts.join(". ")),
                (true, false) if !is_abbreviation(&found[0]) => Some(self.spell(&found[0])),
                _ => None,
            }
        })
    }

    /// Punctuation of names as words.
    fn spell(&self, name: &str) -> String {
        let words = &self.0.addresses;
        let signs = [('.', &words.dot), ('-', &words.dash), ('_', &words.underscore), ('+', &words.plus)];
        let spelled = signs
            .iter()
            .fold(name.to_owned(), |name, (sign, word)| name.replace(*sign, &format!(" {word} ")));
        spelled.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
