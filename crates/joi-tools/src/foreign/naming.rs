//! Names: the id of a program, and the name under which a model sees one of its tools.
//!
//! Any thread. A name is never taken apart again to find its program: whoever makes one keeps the original beside it.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;

use joi_base::checksum;

/// Longest id of a program.
const LONGEST_ID: usize = 16;
/// Longest name that all models take.
const LONGEST_NAME: usize = 64;

/// Returns ids for names of programs, in their order: of letters and digits, at most 16, each once.
pub fn program_ids<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let id = |name: &'a str| {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).take(LONGEST_ID).collect();
        let plain = plain.to_ascii_lowercase();
        let plain = if plain.is_empty() { "server".to_owned() } else { plain };
        let numbered = |n: usize| {
            let end = n.to_string();
            format!("{}{end}", &plain[..plain.len().min(LONGEST_ID - end.len())])
        };
        let id = std::iter::once(plain.clone()).chain((2..).map(numbered)).find(|id| !taken.contains(id));
        let id = id.unwrap_or_default();
        taken.insert(id.clone());
        id
    };
    names.into_iter().map(id).collect()
}

/// Returns the names of a program's tools for a model, in their order: `<id>__<tool>`. Signs that no protocol takes
/// become `_`; a name that is too long, or would be another one's, ends with six signs of a hash of the original. Of two
/// with the same original the second has none.
pub(super) fn of_tools(id: &str, tools: &[String]) -> Vec<Option<String>> {
    let plain = |tool: &String| {
        let fits = |sign: char| if sign.is_ascii_alphanumeric() || sign == '-' { sign } else { '_' };
        format!("{id}__{}", tool.chars().map(fits).collect::<String>())
    };
    let all: Vec<String> = tools.iter().map(plain).collect();
    let mut seen = BTreeSet::new();
    let name = |(tool, plain): (&String, &String)| {
        if !seen.insert(tool.clone()) {
            return None;
        }
        let others = all.iter().zip(tools).filter(|(other, original)| *other == plain && *original != tool);
        if plain.len() <= LONGEST_NAME && others.count() == 0 {
            return Some(plain.clone());
        }
        let hash = &checksum::of_bytes(tool.as_bytes())[..6];
        Some(format!("{}_{hash}", &plain[..plain.len().min(LONGEST_NAME - hash.len() - 1)]))
    };
    tools.iter().zip(&all).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_plain_and_different() {
        let names =
            ["Home Assistant", "my-files", "myfiles", "日本", "a-very-long-server-name-indeed", "MYFILES"];
        let expected = ["homeassistant", "myfiles", "myfiles2", "server", "averylongservern", "myfiles3"];
        assert_eq!(program_ids(names), expected);
    }

    #[test]
    fn names_fit_every_protocol_and_none_is_given_twice() {
        let long = "x".repeat(200);
        let tools = ["get_time", "a b", "a.b", "get_time", "wetter 🌦", &long, ""].map(str::to_owned);
        let names = of_tools("time", &tools);
        assert_eq!(names[0].as_deref(), Some("time__get_time"));
        assert_eq!(names[3], None, "the same name twice");
        let given: Vec<&String> = names.iter().flatten().collect();
        assert!(given.iter().all(|name| crate::schema::is_name(name)), "{given:?}");
        assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), 6, "{given:?}");
        assert!(names[1].as_ref().unwrap().starts_with("time__a_b_"), "{names:?}");
        assert_eq!(names[5].as_ref().unwrap().len(), 64);
    }
}
