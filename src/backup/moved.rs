//! Maps the paths of a configuration to another machine: what lay below one home lies below another.
//!
//! In: TOML and the two homes, and single files that have a new place. Out: the text, in which only those paths differ.
//! Comments and order stay. A text that would change in any other way stays as it is.
//! Pure: no I/O, no clock.

use std::path::Path;

use toml::{Table, Value};

use crate::config::leaves;

/// A path that is another one on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MovedPath {
    pub(super) from: String,
    pub(super) to: String,
    /// Whether everything below it moves too.
    pub(super) is_folder: bool,
}

impl MovedPath {
    /// Returns the home directory, where it is another one; nothing where it is unknown.
    pub(super) fn home(from: Option<&Path>, to: Option<&Path>) -> Option<Self> {
        let (from, to) = (from?.to_str()?, to?.to_str()?);
        let is_home = |home: &str| home.len() > 1 && home.starts_with('/') && !home.ends_with('/');
        let differ = from != to && is_home(from) && is_home(to);
        differ.then(|| Self { from: from.to_owned(), to: to.to_owned(), is_folder: true })
    }

    fn applied(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(&self.from)?;
        let fits = rest.is_empty() || (self.is_folder && rest.starts_with('/'));
        fits.then(|| format!("{}{rest}", self.to))
    }
}

/// Returns the text with all paths moved, and how many were; the first of `moves` that fits a path counts.
pub(super) fn moved(text: &str, moves: &[MovedPath]) -> (String, usize) {
    let Ok(table) = text.parse::<Table>() else { return (text.to_owned(), 0) };
    let (mut now, mut count) = (text.to_owned(), 0);
    let mut expected = leaves(&table);
    for value in expected.values_mut() {
        let Value::String(path) = value else { continue };
        let Some(to) = moves.iter().find_map(|one| one.applied(path)) else { continue };
        for quote in ['"', '\''] {
            now = now.replace(&format!("{quote}{path}{quote}"), &format!("{quote}{to}{quote}"));
        }
        *path = to;
        count += 1;
    }
    match now.parse::<Table>() {
        Ok(table) if leaves(&table) == expected => (now, count),
        _ => (text.to_owned(), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(from: &str, to: &str) -> Option<MovedPath> {
        MovedPath::home(Some(Path::new(from)), Some(Path::new(to)))
    }

    #[test]
    fn paths_below_the_home_move_and_nothing_else_does() {
        let text = "# /home/ada/x\n[models]\ndir = \"/home/ada/models\" # mine\n[backup]\nfolder = '/home/ada'\n\
                    [persona]\nname = \"/home/adamant\"\n[timers]\nring = \"/srv/bell.wav\"\n";
        let moves = [home("/home/ada", "/home/bob").unwrap()];
        let (now, count) = moved(text, &moves);
        assert_eq!(count, 2);
        let expected = text
            .replace("\"/home/ada/models\"", "\"/home/bob/models\"")
            .replace("'/home/ada'", "'/home/bob'");
        assert_eq!(now, expected);
    }

    #[test]
    fn a_single_file_goes_to_its_new_place_before_the_home_counts() {
        let file =
            MovedPath { from: "/home/ada/t".into(), to: "/etc/joi/home-token".into(), is_folder: false };
        let moves = [file, home("/home/ada", "/home/bob").unwrap()];
        let text = "[home]\ntoken_file = \"/home/ada/t\"\n[ntfy]\ntoken_file = \"/home/ada/t/u\"\n";
        let (now, _) = moved(text, &moves);
        assert_eq!(
            now,
            "[home]\ntoken_file = \"/etc/joi/home-token\"\n[ntfy]\ntoken_file = \"/home/bob/t/u\"\n"
        );
    }

    #[test]
    fn homes_that_can_not_be_mapped_are_left_alone() {
        for (from, to) in [("/", "/home/bob"), ("/home/ada", "/"), ("/home/ada", "/home/ada"), ("x", "/y")] {
            assert_eq!(home(from, to), None, "{from} {to}");
        }
        let odd = "[models]\ndir = \"/home/ada\\u002fm\"\n";
        let moves = [home("/home/ada", "/home/bob").unwrap()];
        assert_eq!(moved(odd, &moves), (odd.to_owned(), 0), "written in escapes: it stays as it is");
    }
}
