//! Sentences about lists: what was added or taken off, what stands on one, which entry is meant.
//!
//! In: a list, its entries, a language. Out: a sentence. Pure: no I/O, no clock.

use crate::{Source, ToolError};
use joi_language::{Language, capital, fill};
use joi_understand::requests::list::{NOTES, SHOPPING};

/// Most entries spoken at once.
const MOST_TOLD: usize = 30;

/// Returns what is said once `items` were added to `list`.
pub(super) fn added(list: &str, items: &[String], language: &Language) -> String {
    let say = &language.sentences().tools;
    if list == NOTES {
        return say.noted.clone();
    }
    let [one, several] = &say.added;
    let added = if items.len() == 1 { one } else { several };
    let told = language.sentences().time.listed(items);
    capital(&fill(added, &[("items", &told), ("list", spoken_name(list, language))]))
}

/// Returns what a list is called when it is spoken of.
pub(super) fn spoken_name<'a>(list: &'a str, language: &'a Language) -> &'a str {
    match list {
        NOTES => &language.sentences().tools.notes,
        SHOPPING => &language.sentences().tools.shopping,
        name => name,
    }
}

/// That `gone` was taken off `list`.
pub fn taken_off(list: &str, gone: &[String], language: &Language) -> String {
    let items = language.sentences().time.listed(gone);
    let spoken = ("list", spoken_name(list, language));
    capital(&fill(&language.sentences().tools.removed, &[("items", &items), spoken]))
}

/// Returns what is on a list, in a sentence.
pub(super) fn spoken_list(list: &str, now: &[String], language: &Language) -> String {
    let say = &language.sentences().tools;
    let ([one, several, long], empty) = match list {
        NOTES => (&say.on_notes, &say.notes_empty),
        _ => (&say.on_list, &say.list_empty),
    };
    let more = now.len().saturating_sub(MOST_TOLD);
    let sentence = match (now.len(), more) {
        (0, _) => empty,
        (1, _) => one,
        (_, 0) => several,
        _ => long,
    };
    let (count, older) = (now.len().to_string(), more.to_string());
    let items = language.sentences().time.listed(&now[more..]);
    let list = spoken_name(list, language);
    fill(sentence, &[("list", list), ("count", &count), ("older", &older), ("items", &items)])
}

/// Returns what is on a list, for the model.
pub(super) fn as_spoken(list: &str, now: &[String]) -> String {
    let more = now.len().saturating_sub(MOST_TOLD);
    let shown = match &now[more..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        shown => shown.join(""),
    };
    let what = if list == NOTES { "your notes".to_owned() } else { format!("the {list} list") };
    match (now.len(), more) {
        (0, _) => format!("{what} {} empty", if list == NOTES { "are" } else { "is" }),
        (count, 0) => format!("{what} has {count} {}: {shown}", if count == 1 { "entry" } else { "entries" }),
        (count, more) => format!("{what} has {count} entries; without the oldest {more}: {shown}"),
    }
}

/// Asks which entry is meant; what a stranger may have written is not said unasked.
pub(super) fn which(entries: &[String], source: Source, language: &Language) -> ToolError {
    let say = language.sentences();
    match entries.get(..MOST_TOLD.min(entries.len())) {
        Some(entries) if source == Source::Own => {
            let items = say.time.either(entries);
            ToolError::EndTurn(fill(&say.tools.which_entry, &[("items", &items)]))
        }
        _ => ToolError::TellModel("several entries fit; ask which one is meant, in its full words".into()),
    }
}

pub(super) fn lost(language: &Language, why: &str) -> ToolError {
    tracing::warn!(%why, "the lists can't be used");
    ToolError::EndTurn(language.sentences().tools.no_notes.clone())
}
