//! Requests that are a call of `lists` as they stand: "put milk and eggs on the shopping list".
//!
//! In: a request. Out: its arguments, or nothing when anything else is in it; then the model reads it. How
//! people say it stands in the files of the languages. "The list" is the shopping list. Things that only a conversation
//! knows ("put it on the list") are left to the model, as are questions whether something is there.
//! Pure: no I/O, no clock.

use serde_json::Value;

use crate::templates::list;
use joi_language::Language;
use joi_language::tools::{ListWords, NAMES, Way};
use joi_language::values::deed::Arguments;

/// The list of what is no list: notes.
pub const NOTES: &str = "notes";
/// The list that has other names.
pub const SHOPPING: &str = "shopping";
/// The list of what is to be done, which has them, too.
pub const TODO: &str = "to-do";

/// Returns the arguments of `asked`.
pub fn arguments(asked: &str, language: &Language) -> Option<Arguments> {
    let asked = asked.trim().trim_end_matches(['.', '!', '?']).replace('’', "'");
    let read = |asked: &str, is_bare: bool| {
        let ways = language.lists().flat_map(|words| words.ready.ways.iter().map(move |way| (words, way)));
        let mut ways = ways.filter(|(_, way)| way.is_bare == is_bare);
        ways.find_map(|(words, way)| arguments_of(way, words, asked, language))
    };
    let cores = super::cores(&asked, language);
    let with_verb = || cores.iter().find_map(|core| read(core, false));
    let misheard = || read(&meant(&asked, language)?, false);
    let bare = || cores.iter().find_map(|core| read(core, true));
    with_verb().or_else(misheard).or_else(bare).or_else(|| by_template(&asked, language))
}

/// Returns `asked` with the name of the list `last`, which was spoken of just before, where it is about that without its
/// name: "put a tent on there", "take the milk off again".
pub fn in_full(asked: &str, last: &str, language: &Language) -> Option<String> {
    let asked = asked.trim().trim_end_matches(['.', '!', '?']).replace('’', "'");
    let words = || language.lists().map(|words| &words.ready);
    let names: Vec<String> =
        words().flat_map(|words| &words.called).map(|called| called.replace("{name}", last)).collect();
    let is_of_last = |full: &String| {
        let Some(found) = arguments(full, language) else { return false };
        let text = |name: &str| found.get(name).and_then(Value::as_str).unwrap_or_default();
        let begins = text("text").split(' ').next().unwrap_or_default();
        let is_joint = language.grammar().carried.joints.iter().any(|joint| joint == begins);
        list_name(text("list"), language) == last && !is_joint
    };
    let named = |core: &str| {
        let mut ways = words().flat_map(|words| &words.there);
        ways.find_map(|way| names.iter().filter_map(|name| way.named(core, name)).find(is_of_last))
    };
    if arguments(&asked, language).is_some() {
        return None;
    }
    // The barest first: politeness is no thing on a list.
    super::cores(&asked, language).into_iter().rev().find_map(named)
}

/// Returns the arguments of a request that a sentence template knows, in a language without patterns of its own: what stands
/// for a thing on a list may be any words there.
fn by_template(asked: &str, language: &Language) -> Option<Arguments> {
    let call = language.is_by_templates().then(|| list::call(language, asked)).flatten()?;
    if language.lists().any(|words| words.ready.is_vague(&call.text)) {
        return None;
    }
    let list = call.list.unwrap_or_else(|| SHOPPING.to_owned());
    let rows = [("action", call.action), ("list", &list), ("text", &call.text)];
    Some(rows.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect())
}

/// Returns the request with the verb that its first word was misheard for.
fn meant(asked: &str, language: &Language) -> Option<String> {
    let (first, rest) = asked.split_once(' ')?;
    let tells = |words: &ListWords| {
        let is_told = |word: &str| words.ready.tells.iter().any(|tells| word.eq_ignore_ascii_case(tells));
        rest.split_whitespace().any(is_told)
    };
    let verb = |words: &ListWords| {
        let mut all = words.ready.misheard.iter();
        all.find(|(heard, _)| heard.eq_ignore_ascii_case(first)).map(|(_, verb)| verb.clone())
    };
    let verb = language.lists().filter(|words| !tells(words)).find_map(verb)?;
    Some(format!("{verb} {rest}"))
}

fn arguments_of(way: &Way, words: &ListWords, asked: &str, language: &Language) -> Option<Arguments> {
    let said = way.says.captures(asked)?;
    if way.action == NAMES {
        let all = words.all.first()?.as_str();
        return Some(
            [("action", "read"), ("list", all)]
                .map(|(name, value)| (name.to_owned(), Value::from(value)))
                .into_iter()
                .collect(),
        );
    }
    let named = said.name("list").map(|list| list.as_str().to_owned());
    // An entry that is ticked off stands on one of them.
    let of_all = || words.all.first().filter(|_| way.action == "remove").cloned();
    let mut list = named.or_else(|| (way.action == "read").then(|| SHOPPING.to_owned())).or_else(of_all)?;
    // A list that is emptied must be named.
    if way.action != "clear" && words.ready.unnamed.contains(&list.to_lowercase()) {
        SHOPPING.clone_into(&mut list);
    }
    let is_named = list_name(&list, language) != NOTES || words.notes.contains(&list.to_lowercase());
    let mut text = said.name("text").map(|text| text.as_str().trim());
    while let Some((first, rest)) =
        text.filter(|_| way.action == "remove").and_then(|text| text.split_once(' '))
        && words.unnamed.contains(&first.to_lowercase())
    {
        text = Some(rest);
    }
    // "Is anything on the list" asks what is on it.
    text = text.filter(|text| way.action != "read" || !words.ready.any.contains(&text.to_lowercase()));
    let is_vague = |text: &str| words.ready.is_vague(text);
    let is_told = |text: &str| {
        let text = text.to_lowercase();
        let told = words.ready.tells.iter().chain(&words.ready.not_bare);
        text.split_whitespace().any(|word| told.clone().any(|told| told == word.trim_end_matches(',')))
    };
    if !is_named || text.is_some_and(is_vague) || way.is_bare && text.is_some_and(is_told) {
        return None;
    }
    let rows = [("action", Some(way.action)), ("list", Some(list.as_str())), ("text", text)];
    let row = |(name, value): (&str, Option<&str>)| Some((name.to_owned(), Value::from(value?)));
    Some(rows.into_iter().filter_map(row).collect())
}

/// Returns what the list `said` is called, for the database: "the Shopping List" → "shopping".
pub fn list_name(said: &str, language: &Language) -> String {
    let is = |list: fn(&ListWords) -> &Vec<String>, word: &String| {
        language.lists().any(|words| list(words).contains(word))
    };
    match bare_name(said, language) {
        name if name.is_empty() || is(|words| &words.notes, &name) => NOTES.to_owned(),
        name if is(|words| &words.shopping, &name) => SHOPPING.to_owned(),
        name if language.lists().any(|words| words.todo.iter().any(|todo| is_alike(todo, &name))) => {
            TODO.to_owned()
        }
        name => name,
    }
}

/// Returns whether two names are the same but for hyphens and blanks: "to-do", "todo".
pub fn is_alike(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    plain(one) == plain(other)
}

/// Returns the same without words that are no part of a name, which may leave nothing; not what else it is called.
pub fn bare_name(said: &str, language: &Language) -> String {
    let lower = said.to_lowercase();
    let is_named =
        |word: &&str| !language.lists().any(|words| words.unnamed.iter().any(|known| known == word));
    lower.split_whitespace().filter(is_named).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use joi_language::testing::english;

    fn read(asked: &str) -> String {
        let Some(arguments) = arguments(asked, english()) else { return "-".into() };
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        format!("{} {}: {}", text("action"), list_name(&text("list"), english()), text("text"))
            .trim_end_matches(": ")
            .to_owned()
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
            ("show me the list", "read shopping"),
            ("what's on the list", "read shopping"),
            ("What have we got on the list?", "read shopping"),
            ("put olive oil on the list", "add shopping: olive oil"),
            ("We are out of bread, add it to the shopping list", "add shopping: bread"),
            ("shopping list: rice and beans", "add shopping: rice and beans"),
            ("rice on the shopping list please", "add shopping: rice"),
            ("pita bread on the list", "add shopping: pita bread"),
            ("is anything on the list", "read shopping"),
            ("what have I got on my to do list", "read to-do"),
            ("read my to-dos", "read to-do"),
            ("add milk to my list", "add shopping: milk"),
            ("take soap off the list", "remove shopping: soap"),
            ("Empty the shopping list, please", "clear shopping"),
            ("tell me what's on the shopping list", "read shopping"),
            ("And put eggs on the list", "add shopping: eggs"),
            ("also add eggs to the list", "add shopping: eggs"),
            ("and eggs to the shopping list.", "add shopping: eggs"),
            ("And oat milk to the list", "add shopping: oat milk"),
            ("und Eier auf die Einkaufsliste", "add shopping: Eier"),
            ("put eggs on the list too", "add shopping: eggs"),
            ("I'd like to add eggs to the list", "add shopping: eggs"),
            ("I want you to put eggs on the shopping list", "add shopping: eggs"),
            ("Let's add eggs to the list", "add shopping: eggs"),
            ("add to the shopping list: eggs and milk", "add shopping: eggs and milk"),
            ("check milk off the list", "remove shopping: milk"),
            ("tick milk off my list", "remove shopping: milk"),
            ("scratch the milk off the shopping list", "remove shopping: milk"),
            ("cross milk off the list", "remove shopping: milk"),
            ("Is milk on the shopping list?", "read shopping: milk"),
            ("do I have any milk on the list", "read shopping: milk"),
            ("are there eggs on my packing list?", "read packing: eggs"),
            ("Steht Milch auf der Einkaufsliste?", "read shopping: Milch"),
            ("what do we need to buy?", "read shopping"),
            ("Was muss ich noch einkaufen?", "read shopping"),
            ("Start a packing list", "begin packing"),
            ("Can you make me a new camping list, please?", "begin camping"),
            ("Mach mir bitte eine Packliste", "begin packliste"),
            ("Leg eine neue Campingliste an", "begin campingliste"),
            ("Boot olive oil on the list.", "add shopping: olive oil"),
            ("But milk on the shopping list", "add shopping: milk"),
            ("Sitz Milch auf die Liste", "add shopping: Milch"),
            ("What lists do I have?", "read all"),
            ("which lists are there", "read all"),
            ("what's left on the list", "read shopping"),
            ("What is still on the shopping list?", "read shopping"),
            ("add candles to grandma's list", "add grandma's: candles"),
            ("add candles to my mom's shopping list", "add mom's shopping: candles"),
            ("put down eggs on the shopping list", "add shopping: eggs"),
            ("write down eggs on the shopping list", "add shopping: eggs"),
            ("add soap to the list for the drug store", "add for drug store: soap"),
            ("add eggs to the list for me", "add shopping: eggs"),
            ("Setz bitte auch Eier auf die Liste", "add shopping: Eier"),
            ("und schreib Eier auf die Einkaufsliste", "add shopping: Eier"),
            ("Ich möchte Eier auf die Liste setzen", "add shopping: Eier"),
            ("Kannst du bitte Eier auf die Liste setzen?", "add shopping: Eier"),
            ("Lass uns Eier auf die Liste schreiben", "add shopping: Eier"),
            ("Setz auf die Einkaufsliste: Eier", "add shopping: Eier"),
            ("Setz Seife auf die Liste für die Drogerie", "add für drogerie: Seife"),
            ("Hak Milch von der Liste ab", "remove shopping: Milch"),
            ("Sag mir, was auf der Einkaufsliste steht", "read shopping"),
            ("Was steht noch auf der Liste?", "read shopping"),
            ("Welche Listen habe ich?", "read alle"),
            ("Setz Kerzen auf Omas Liste", "add omas: Kerzen"),
            ("Setz Milch und Eier auf die Einkaufsliste", "add shopping: Milch und Eier"),
            ("Was steht auf der Einkaufsliste?", "read shopping"),
            ("Streich bitte Seife von der Einkaufsliste", "remove shopping: Seife"),
            ("Was steht auf der Liste?", "read shopping"),
            ("Setz Olivenöl auf die Liste", "add shopping: Olivenöl"),
        ] {
            assert_eq!(read(asked), expected, "{asked}");
        }
    }

    #[test]
    fn questions_negations_and_what_only_a_conversation_knows_are_left_to_the_model() {
        for asked in [
            "Did you add tea to the shopping list?",
            "Please don't add tea to the shopping list.",
            "How do I put something on the shopping list?",
            "put it on the shopping list",
            "put it on the list",
            "put me on the list",
            "clear the list",
            "delete the list of my friends",
            "add that to my shopping list",
            "what is on the list of participants",
            "don't put milk on the list",
            "add milk to the shopping list and tell me a joke",
            "I put milk on the shopping list",
            "never put milk on the shopping list",
            "what is on your mind",
            "we need milk",
            "buy milk",
            "should I add eggs to the list",
            "I would like to not add eggs to the list",
            "I want to know if you can add eggs to the list",
            "I added eggs to the list",
            "and did you add eggs to the list",
            "and I put eggs to the list",
            "do you have to add eggs to the list",
            "what is left",
            "what list of friends do I have",
            "cross the street",
            "Soll ich Milch auf die Liste setzen?",
            "Ich möchte nicht Milch auf die Liste setzen",
            "Setz keine Milch auf die Liste",
            "Hast du Milch auf die Liste gesetzt?",
            "wir brauchen Milch",
            "clear the table",
            "but milk is on the list",
            "But I put milk on the list",
            "but the milk she wrote on the list",
            "bought the milk on the list",
            "at home we wrote milk to the list",
            "Jetzt habe ich Milch auf die Liste gesetzt",
            "jetzt Milch auf der Liste",
            "Bad things should be on the list",
            "boot the computer",
            "at what time is it on the list",
            "make a list",
            "make a new list",
            "make a list of my friends",
            "start a packing list with socks",
            "read me a story",
            "",
        ] {
            assert_eq!(read(asked), "-", "{asked}");
        }
    }

    #[test]
    fn what_is_said_of_the_list_before_needs_no_name_of_it() {
        let read = |language: &Language, asked: &str| {
            let full = in_full(asked, "camping", language);
            let Some(arguments) = full.and_then(|full| arguments(&full, language)) else { return "-".into() };
            let text =
                |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let list = list_name(&text("list"), language);
            format!("{} {list}: {}", text("action"), text("text")).trim_end_matches(": ").to_owned()
        };
        for (asked, expected) in [
            ("put the tent and two sleeping bags on it", "add camping: the tent and two sleeping bags"),
            ("add four cans of chickpeas, please", "add camping: four cans of chickpeas"),
            ("and matches", "add camping: matches"),
            ("take off the matches again", "remove camping: matches"),
            ("I've got the chickpeas", "remove camping: chickpeas"),
            ("we're out of gas too", "add camping: gas"),
            ("is the tent on there?", "read camping: tent"),
            ("how many things are on there", "read camping"),
            ("read it to me", "read camping"),
            ("what's on it", "read camping"),
            ("wipe it", "clear camping"),
            ("we need to talk", "-"),
            ("and you", "-"),
            ("turn it off", "-"),
            ("don't put the tent on it", "-"),
            ("did you put the tent on it", "-"),
        ] {
            assert_eq!(read(english(), asked), expected, "{asked}");
        }
        for (asked, expected) in [
            ("setz noch zwei Schlafsäcke drauf", "add camping: zwei Schlafsäcke"),
            ("nimm die Streichhölzer wieder runter", "remove camping: Streichhölzer"),
            ("was steht da drauf", "read camping"),
            ("steht das Zelt drauf", "read camping: das Zelt"),
            ("lies sie mir vor", "read camping"),
            ("und noch Streichhölzer", "add camping: Streichhölzer"),
            ("leere sie", "clear camping"),
            ("mach das Licht aus", "-"),
        ] {
            assert_eq!(read(joi_language::testing::german(), asked), expected, "{asked}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(asked in "\\PC{0,80}") {
            let _ = arguments(&asked, english());
        }
    }
}
