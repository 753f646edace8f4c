//! A foreign word anywhere in a command: outside of a free text nothing is recognised, inside of one the value has it.
//!
//! Each phrasing of the files is spoken once, with the samples below in its slots, and a word that means nothing is put at
//! each of its places. Every [`STRIDE`]th place is tried, which keeps the test within seconds.

use std::collections::HashMap;

use serde::Deserialize;

use super::*;

const ENGLISH: &str = include_str!("../../../../../assets/language/en/commands.toml");
const GERMAN: &str = include_str!("../../../../../assets/language/de/commands.toml");

/// Of so many places one is tried.
const STRIDE: usize = 7;

#[derive(Deserialize)]
struct CommandsFile {
    rules: HashMap<String, String>,
    intent: Vec<Row>,
    frame: Vec<Row>,
    times: Times,
}

#[derive(Deserialize)]
struct Times {
    strict: Vec<String>,
}

#[derive(Deserialize)]
struct Row {
    say: Vec<String>,
}

/// One way to say a template: of alternatives the one at `pick`, of what may be left out every second.
struct Speaker<'a> {
    rules: &'a HashMap<String, String>,
    slots: &'a [(&'static str, &'static str)],
    pick: usize,
}

impl Speaker<'_> {
    fn speak(&self, template: &str) -> String {
        let (said, rest) = self.alternatives(template);
        assert_eq!(rest, "", "{template}");
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Speaks `a b|c`, up to a closing bracket or the end; returns what is behind.
    fn alternatives<'t>(&self, template: &'t str) -> (String, &'t str) {
        let (mut all, mut rest) = (Vec::new(), template);
        loop {
            let (said, behind) = self.sequence(rest);
            all.push(said);
            match behind.strip_prefix('|') {
                Some(next) => rest = next,
                None => return (all[self.pick % all.len()].clone(), behind),
            }
        }
    }

    fn sequence<'t>(&self, template: &'t str) -> (String, &'t str) {
        let (mut said, mut rest) = (String::new(), template);
        while let Some(first) = rest.chars().next() {
            let (part, behind) = match first {
                '|' | ')' | ']' => break,
                '(' | '[' => {
                    let (part, behind) = self.alternatives(&rest[1..]);
                    let is_spoken = first == '(' || (self.pick + behind.len()).is_multiple_of(2);
                    (if is_spoken { part } else { String::new() }, &behind[1..])
                }
                '{' => {
                    let (slot, behind) = rest[1..].split_once('}').unwrap();
                    let sample = self.slots.iter().find(|(name, _)| *name == slot);
                    (sample.unwrap_or_else(|| panic!("no sample of {slot}")).1.to_owned(), behind)
                }
                '<' => {
                    let (rule, behind) = rest[1..].split_once('>').unwrap();
                    (self.alternatives(&self.rules[rule]).0, behind)
                }
                _ => {
                    let end = rest.find(['|', '(', ')', '[', ']', '{', '<']).unwrap_or(rest.len());
                    (rest[..end].to_owned(), &rest[end..])
                }
            };
            said += &format!(" {part} ");
            rest = behind;
        }
        (said, rest)
    }
}

/// Returns whether an intent does nothing but say that it can't.
fn is_refusal_of(what: &Intent) -> bool {
    matches!(
        what,
        Intent::CannotRepeat | Intent::NoSuchTime | Intent::TimeOver | Intent::Memory(MemoryOrder::What)
    )
}

/// Returns the utterances in which a foreign word got lost.
fn lost(
    language: &Language,
    file: &str,
    slots: &[(&'static str, &'static str)],
    foreign: &str,
) -> Vec<String> {
    let CommandsFile { rules, intent, frame, times } = toml::from_str(file).unwrap();
    let mut lost = Vec::new();
    let mut tried = 0;
    let commands = intent.iter().flat_map(|row| row.say.iter().cloned());
    // A frame has its time behind it.
    let time = &times.strict[0];
    let frames = frame.iter().flat_map(|row| row.say.iter().map(|say| format!("({say}) ({time})")));
    for (pick, template) in commands.chain(frames).enumerate() {
        let said = Speaker { rules: &rules, slots, pick }.speak(&template);
        let words: Vec<&str> = said.split(' ').collect();
        if words.len() < 2 || intents::match_intent(language, &said).is_none() {
            continue;
        }
        for at in (0..=words.len()).filter(|at| (at + pick).is_multiple_of(STRIDE)) {
            let with_word = [&words[..at], &[foreign], &words[at..]].concat().join(" ");
            tried += 1;
            if let Some(found) = intents::match_intent(language, &with_word)
                && !format!("{:?}", found.what).contains(foreign)
                && !is_refusal_of(&found.what)
            {
                lost.push(format!("{with_word}: {:?} by {}", found.what, found.reason));
            }
        }
    }
    assert!(tried > 500, "{tried}");
    lost
}

#[test]
fn no_foreign_word_gets_lost_in_english() {
    let slots = [
        ("name", "pasta"),
        ("text", "water the plants"),
        ("duration", "ten minutes"),
        ("length", "ten minute"),
        ("clock", "seven"),
        ("due", "seven"),
        ("part", "in the morning"),
        ("today", "tonight"),
        ("day", "friday"),
        ("days", "friday"),
        ("several", "mondays"),
        ("month", "may"),
        ("ordinal", "third"),
        ("monthday", "fifteenth"),
        ("nth", "first"),
        ("kind", "alarm"),
        ("kinds", "alarms"),
        ("rank", "next"),
        ("percent", "forty"),
        ("level", "forty"),
        ("device", "lamp"),
        ("place", "kitchen"),
    ];
    let lost = lost(english(), ENGLISH, &slots, "zebra");
    assert!(lost.is_empty(), "{}: {lost:#?}", lost.len());
}

#[test]
fn no_foreign_word_gets_lost_in_german() {
    let slots = [
        ("name", "nudeln"),
        ("text", "die blumen gießen"),
        ("duration", "zehn minuten"),
        ("length", "zehn minuten"),
        ("clock", "sieben"),
        ("due", "sieben"),
        ("part", "morgens"),
        ("today", "heute abend"),
        ("day", "freitag"),
        ("days", "freitag"),
        ("several", "montags"),
        ("month", "mai"),
        ("ordinal", "dritten"),
        ("monthday", "fünfzehnten"),
        ("nth", "ersten"),
        ("kind", "wecker"),
        ("kinds", "wecker"),
        ("rank", "nächsten"),
        ("percent", "vierzig"),
        ("level", "vierzig"),
        ("device", "lampe"),
        ("place", "küche"),
    ];
    let lost = lost(german(), GERMAN, &slots, "giraffe");
    assert!(lost.is_empty(), "{}: {lost:#?}", lost.len());
}
