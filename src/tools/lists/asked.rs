//! Requests that are a call of `lists` as they stand: "put milk and eggs on the shopping list".
//!
//! PURE. In: a request. Out: its arguments, or nothing when anything else is in it; then the model reads it. How
//! people say it stands in `assets/tools`. A list that is not named, and things that only a conversation knows ("put
//! it on the list"), are left to the model, as are questions whether something is there.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{NOTES, list_name};
use crate::tools::Arguments;
use crate::tools::language::{self, ListWords};

/// One way to say something.
struct Way {
    action: &'static str,
    says: Regex,
    /// Things that only a conversation knows.
    vague: &'static [String],
    notes: &'static [String],
    /// No part of what is on a list.
    articles: &'static [String],
}

/// The arguments of `asked`.
pub(super) fn arguments(asked: &str) -> Option<Arguments> {
    static WAYS: LazyLock<Vec<Way>> = LazyLock::new(|| language::lists().flat_map(ways).collect());
    let asked = asked.trim().replace('’', "'");
    WAYS.iter().find_map(|way| way.arguments(&asked))
}

fn ways(words: &'static ListWords) -> Vec<Way> {
    let ready = &words.ready;
    let (before, behind) = (ready.before.join("|"), ready.behind.join("|"));
    let all =
        [("add", &ready.add), ("remove", &ready.remove), ("read", &ready.read), ("clear", &ready.clear)];
    let way = |(action, says): (&'static str, &'static String)| {
        let says = says.replace("{text}", "(?P<text>[^?!;:]+?)").replace("{list}", &ready.list);
        // A file whose pattern is none costs that way of saying it; a test reads all of them.
        let says =
            Regex::new(&format!("(?i)^(?:(?:{before}),? )*(?:{says})(?:,? (?:{behind}))?[.!?]*$")).ok()?;
        Some(Way { action, says, vague: &ready.vague, notes: &words.notes, articles: &words.unnamed })
    };
    all.into_iter()
        .flat_map(|(action, says)| says.iter().map(move |says| (action, says)))
        .filter_map(way)
        .collect()
}

impl Way {
    fn arguments(&self, asked: &str) -> Option<Arguments> {
        let said = self.says.captures(asked)?;
        let list = said.name("list")?.as_str().to_lowercase();
        let is_named = list_name(&list) != NOTES || self.notes.contains(&list);
        let mut text = said.name("text").map(|text| text.as_str().trim());
        while let Some((first, rest)) =
            text.filter(|_| self.action == "remove").and_then(|text| text.split_once(' '))
            && self.articles.contains(&first.to_lowercase())
        {
            text = Some(rest);
        }
        let is_vague = |text: &str| {
            let text = text.to_lowercase();
            self.vague.contains(&text) || text.split_whitespace().next().is_none()
        };
        if !is_named || text.is_some_and(is_vague) {
            return None;
        }
        let rows = [("action", Some(self.action)), ("list", Some(list.as_str())), ("text", text)];
        let row = |(name, value): (&str, Option<&str>)| Some((name.to_owned(), Value::from(value?)));
        Some(rows.into_iter().filter_map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(asked: &str) -> String {
        let Some(arguments) = arguments(asked) else { return "-".into() };
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        format!("{} {}: {}", text("action"), list_name(&text("list")), text("text"))
            .trim_end_matches(": ")
            .to_owned()
    }

    #[test]
    fn every_way_in_the_files_can_be_read() {
        for words in language::lists() {
            let ready = &words.ready;
            let count = [&ready.add, &ready.remove, &ready.read, &ready.clear]
                .into_iter()
                .map(Vec::len)
                .sum::<usize>();
            assert_eq!(ways(words).len(), count);
        }
    }

    #[test]
    fn a_request_that_is_a_call_as_it_stands_needs_no_model() {
        for (asked, expected) in [
            ("Put milk and eggs on the shopping list.", "add shopping: milk and eggs"),
            ("Add bread to my shopping list", "add shopping: bread"),
            ("Could you please add oat milk to the shopping list?", "add shopping: oat milk"),
            (
                "add olive oil, salt and pepper to the grocery list, please",
                "add shopping: olive oil, salt and pepper",
            ),
            ("put a new tent on the camping list", "add camping: a new tent"),
            ("Remove soap from the shopping list.", "remove shopping: soap"),
            ("take the milk off the shopping list", "remove shopping: milk"),
            ("What's on the shopping list?", "read shopping"),
            ("what is on my to-do list", "read to-do"),
            ("Read me the shopping list", "read shopping"),
            ("read my notes", "read notes"),
            ("show me the list", "-"),
            ("Empty the shopping list, please", "clear shopping"),
            ("Setz Milch und Eier auf die Einkaufsliste", "add shopping: Milch und Eier"),
            ("Was steht auf der Einkaufsliste?", "read shopping"),
            ("Streich bitte Seife von der Einkaufsliste", "remove shopping: Seife"),
        ] {
            assert_eq!(told(asked), expected, "{asked}");
        }
    }

    #[test]
    fn questions_negations_and_what_only_a_conversation_knows_are_left_to_the_model() {
        for asked in [
            "Did you add tea to the shopping list?",
            "Please don't add tea to the shopping list.",
            "How do I put something on the shopping list?",
            "Is milk on the shopping list?",
            "put it on the shopping list",
            "add that to my shopping list",
            "add milk to the list",
            "put milk on the list",
            "what's on the list",
            "add milk to the shopping list and tell me a joke",
            "I put milk on the shopping list",
            "We are out of bread, add it to the shopping list",
            "never put milk on the shopping list",
            "what is on your mind",
            "clear the table",
            "read me a story",
            "",
        ] {
            assert_eq!(told(asked), "-", "{asked}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(asked in "\\PC{0,80}") {
            let _ = arguments(&asked);
        }
    }
}
