//! The corpus of what people say, with the call a careless model makes after it: nothing runs that was not asked for, and
//! plain requests run without a question.

use serde_json::Value;

use super::*;
use crate::language::Library;

use crate::tools::tests::shipped;

/// What the corpus says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Act,
    Ask,
    Talk,
    No,
}

struct Row {
    kind: &'static str,
    expected: Expected,
    asked_back: Option<&'static str>,
    asked: &'static str,
    tool: &'static str,
    arguments: Value,
}

fn rows(text: &'static str) -> Vec<Row> {
    let lines = text.lines().skip(1).filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let row = |line: &'static str| {
        let [kind, expected, asked_back, asked, tool, arguments] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("six columns: {line}"));
        let expected = match expected {
            "act" => Expected::Act,
            "ask" => Expected::Ask,
            "talk" => Expected::Talk,
            "no" => Expected::No,
            other => panic!("{other} is no expectation"),
        };
        let arguments = serde_json::from_str(arguments).unwrap();
        Row { kind, expected, asked_back: (asked_back != "-").then_some(asked_back), asked, tool, arguments }
    };
    lines.map(row).collect()
}

fn wish_of(row: &Row, language: &Language) -> Wish {
    let toolbox = shipped(None);
    let tool = toolbox.get(row.tool).unwrap();
    let arguments = row.arguments.as_object().unwrap();
    let call = CallWords { deed: tool.deed(arguments), values: tool.values(arguments), cues: Vec::new() };
    wish(language, &Said { asked: row.asked, asked_back: row.asked_back, dialogue: &[] }, &call)
}

/// Requests that run at once, of all there are; and every row with another outcome than it should have.
fn measured(text: &'static str, language: &Language) -> (f64, Vec<String>, Vec<String>) {
    let (mut plain, mut acted, mut asked, mut not_asked) = (0, 0, Vec::new(), Vec::new());
    for row in rows(text) {
        let wish = wish_of(&row, language);
        let told = format!("{:?} {} {:?} {} {} -> {wish:?}", row.expected, row.kind, row.asked, row.tool, row.arguments);
        let is_plain = matches!(row.kind, "plain" | "polite");
        plain += u32::from(is_plain);
        acted += u32::from(is_plain && wish == Wish::Act);
        match (row.expected, wish) {
            (Expected::Act, Wish::Act) => {}
            (Expected::Act, _) => asked.push(told),
            (_, Wish::Act) => not_asked.push(told),
            _ => {}
        }
    }
    (f64::from(acted) / f64::from(plain), asked, not_asked)
}

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/data/consent/", $name, ".tsv"))
    };
}

#[test]
fn try_out() {
    let library = Library::with_folder("assets/language");
    let corpora = [("en", corpus!("en")), ("de", corpus!("de")), ("en", corpus!("en.held-out")), ("de", corpus!("de.held-out"))];
    for (index, (code, text)) in corpora.into_iter().enumerate() {
        let language = library.load(code).unwrap();
        let (acted, asked, not_asked) = measured(text, &language);
        println!("## {code} {index}: plain {acted:.3}; not run {}; run and not asked for {}", asked.len(), not_asked.len());
        if index < 2 {
            asked.iter().for_each(|row| println!("{row}"));
        }
        not_asked.iter().for_each(|row| println!("{row}"));
    }
}
