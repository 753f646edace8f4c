//! Which goal is meant by the words somebody said: "the Tokyo trip" is the goal "trip to Tokyo".
//!
//! Names are understood as those of lists are: the same words, then all of the words said, then the only one there is.
//! Pure: no I/O, no clock.

use joi_language::words;

/// The goals that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedGoal {
    /// This one.
    One(i64),
    /// Each of these may be meant.
    Several(Vec<String>),
    /// None.
    None,
}

/// Returns which of `goals` is meant by `said`; `unnamed` are words that are no part of a name.
pub fn meant(goals: &[(i64, String)], said: &str, unnamed: &[String]) -> NamedGoal {
    let bare = |text: &str| -> Vec<String> {
        let all = words::words(text);
        let kept: Vec<String> = all.iter().filter(|word| !unnamed.contains(word)).cloned().collect();
        if kept.is_empty() { all } else { kept }
    };
    let wanted = bare(said);
    let lower = said.trim().to_lowercase();
    if let Some((id, _)) = goals.iter().find(|(_, name)| name.to_lowercase() == lower) {
        return NamedGoal::One(*id);
    }
    let holding: Vec<&(i64, String)> =
        goals.iter().filter(|(_, name)| words::mention(&words::words(name), &wanted)).collect();
    let whole: Vec<&(i64, String)> =
        holding.iter().copied().filter(|(_, name)| bare(name).len() == wanted.len()).collect();
    let found = if whole.len() == 1 { whole } else { holding };
    match found.as_slice() {
        [] => NamedGoal::None,
        [(id, _)] => NamedGoal::One(*id),
        several => NamedGoal::Several(several.iter().map(|(_, name)| name.clone()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_found_by_its_words_in_any_order() {
        let goals = [
            (1, "trip to Tokyo".to_owned()),
            (2, "trip to Rome".to_owned()),
            (3, "Reise nach Tokio".to_owned()),
            (4, "garden".to_owned()),
        ];
        let unnamed = ["the", "my", "to", "goal", "die", "nach"].map(str::to_owned);
        let found = |said: &str| meant(&goals, said, &unnamed);
        for (said, id) in [
            ("the Tokyo trip", 1),
            ("Tokyo", 1),
            ("trip to tokyo", 1),
            ("Rome", 2),
            ("die Tokio Reise", 3),
            ("my garden", 4),
            ("the garden goal", 4),
        ] {
            assert_eq!(found(said), NamedGoal::One(id), "{said}");
        }
        let both = vec!["trip to Tokyo".to_owned(), "trip to Rome".to_owned()];
        assert_eq!(found("the trip"), NamedGoal::Several(both));
        for said in ["Osaka", "the weather", "it", ""] {
            assert_eq!(found(said), NamedGoal::None, "{said}");
        }
    }
}
