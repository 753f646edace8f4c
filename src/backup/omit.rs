//! Removes the secrets from the text of a configuration, and leaves everything else as it was written.
//!
//! In: TOML. Out: the text with a remark in the place of each line that held a secret, and their keys. It fails closed:
//! where a secret would stay, or anything else would change, there is no text.
//! Pure: no I/O, no clock.

use toml::{Table, Value};

use crate::config::leaves;

/// Keys whose value is a secret, each with those that make no sense without it.
const SECRET: [(&str, &[&str]); 1] = [("ntfy.topic", &["ntfy.url"])];

/// Returns the text without secrets, and the keys that were left out; or the key that can't be.
pub(super) fn without_secrets(text: &str) -> Result<(String, Vec<String>), String> {
    let broken = |_| "(the file is not valid TOML)".to_owned();
    let table: Table = text.parse().map_err(broken)?;
    let keys = secret_keys(&table);
    let Some(first) = keys.first().cloned() else { return Ok((text.to_owned(), keys)) };
    let mut section = String::new();
    let mut left = String::with_capacity(text.len());
    for line in text.lines() {
        if let Some(name) = header(line) {
            section = name;
        }
        match key(line, &section).filter(|key| keys.contains(key)) {
            Some(key) => left.push_str(&format!("# {key} was left out of the backup: it is a secret.\n")),
            None => {
                left.push_str(line);
                left.push('\n');
            }
        }
    }
    let now: Table = left.parse().map_err(|_| first.clone())?;
    let mut expected = leaves(&table);
    expected.retain(|key, _| !keys.contains(key));
    let stays = keys.iter().find(|key| leaves(&now).contains_key(*key));
    match stays {
        Some(key) => Err(key.clone()),
        None if leaves(&now) != expected => Err(first),
        None => Ok((left, keys)),
    }
}

fn secret_keys(table: &Table) -> Vec<String> {
    let all = leaves(table);
    let is_set = |key: &&str| all.get(*key).and_then(Value::as_str).is_some_and(|value| !value.is_empty());
    let mut keys: Vec<String> = SECRET
        .iter()
        .filter(|(key, _)| is_set(key))
        .flat_map(|(key, with)| [key].into_iter().chain(with.iter()))
        .filter(|key| all.contains_key(**key))
        .map(|key| (*key).to_owned())
        .collect();
    keys.extend(all.iter().filter(|(_, value)| holds_login(value)).map(|(key, _)| key.clone()));
    keys.dedup();
    keys
}

/// Returns whether it is, or holds, an address with a login: `http://me:word@host`.
fn holds_login(value: &Value) -> bool {
    match value {
        Value::String(text) => text.split_once("://").is_some_and(|(_, rest)| {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            host.contains('@')
        }),
        Value::Array(values) => values.iter().any(holds_login),
        Value::Table(table) => table.values().any(holds_login),
        _ => false,
    }
}

/// Returns the dotted name of a section where a line begins one.
fn header(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix('[')?.split(']').next()?;
    Some(plain(name))
}

/// Returns the dotted key that a line sets.
fn key(line: &str, section: &str) -> Option<String> {
    let (key, _) = line.split_once('=')?;
    let key = plain(key);
    Some(if section.is_empty() { key } else { format!("{section}.{key}") })
}

fn plain(key: &str) -> String {
    key.split('.').map(|part| part.trim().trim_matches(['"', '\''])).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_everything_else_stays_as_it_was_written() {
        let text = "# mine\nlanguage = \"de\" # yes\n\n[ntfy]\nurl = \"https://ntfy.sh\"\ntopic = 'marmalade'\n\n\
                    [llm]\nurl = \"http://me:word@nas:11434\"\nmodel = \"auto\"\n";
        let (left, keys) = without_secrets(text).unwrap();
        assert_eq!(keys, ["ntfy.topic", "ntfy.url", "llm.url"]);
        assert!(!left.contains("marmalade") && !left.contains("word@"), "{left}");
        assert!(left.starts_with("# mine\nlanguage = \"de\" # yes\n\n[ntfy]\n"), "{left}");
        assert!(left.contains("model = \"auto\"\n"), "{left}");
        let plain = "[llm]\nurl = \"http://nas:11434/a@b\"\n";
        assert_eq!(without_secrets(plain), Ok((plain.to_owned(), Vec::new())));
    }

    #[test]
    fn other_ways_to_write_it_are_left_out_too_or_refused() {
        for text in ["ntfy.topic = \"marmalade\"\n", "[ \"ntfy\" ]\n\"topic\" = \"marmalade\"\n"] {
            let (left, keys) = without_secrets(text).unwrap();
            assert!(keys == ["ntfy.topic"] && !left.contains("marmalade"), "{left}");
        }
        for text in [
            "ntfy = { topic = \"marmalade\" }\n",
            "[ntfy]\ntopic = \"\"\"\nmarmalade\"\"\"\n",
            "[ntfy]\ntopic = \"\"\"\\\n  url = marmalade\"\"\"\n",
        ] {
            assert_eq!(without_secrets(text), Err("ntfy.topic".to_owned()), "{text}");
        }
        assert!(without_secrets("topic = ").is_err());
    }

    #[test]
    fn a_text_that_looks_like_a_secret_is_no_reason_to_change_another_key() {
        // The second line of the text looks like the key itself.
        let text = "[persona]\nname = \"\"\"\n[ntfy]\ntopic = none\"\"\"\n[ntfy]\ntopic = \"marmalade\"\n";
        assert_eq!(without_secrets(text), Err("ntfy.topic".to_owned()));
    }
}
