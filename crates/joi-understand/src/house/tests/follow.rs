//! Words that go on with others, in the family's house: `tests/data/homes/follow.*.tsv`. An empty line begins anew.

use super::super::follow::{self, Picked};
use super::*;

/// What a conversation has come to.
#[derive(Default)]
struct Talk {
    it: Vec<String>,
    chosen: Vec<String>,
    /// An utterance, what it may be, whether a room was asked for.
    asked: Option<(String, Vec<NamedThing>, bool)>,
}

impl Talk {
    fn hears(&mut self, said: &str, house: &House, spoken: &Spoken) -> String {
        let Spoken { words, phrasings, phonetic } = spoken;
        let situation = |follow| HouseSituation {
            house,
            words,
            phrasings,
            phonetic: *phonetic,
            room: None,
            follow,
            templates: None,
        };
        let mut text = said.to_owned();
        let mut place = None;
        if let Some((asked, things, wants_place)) = self.asked.take() {
            let of = (things.as_slice(), wants_place);
            match follow::picked(said, of, &situation(FollowUp::default())) {
                Some(Picked::These(names)) => self.chosen.extend(names),
                Some(Picked::In(named)) => place = Some(named),
                Some(Picked::OneOf(fewer)) => {
                    let written = format!("which {}", in_order(&fewer));
                    self.asked = Some((asked, fewer, false));
                    return written;
                }
                None => return "no answer".to_owned(),
            }
            text = asked;
        } else {
            self.chosen.clear();
        }
        if follow::is_undo(&text, words) {
            return "undo".to_owned();
        }
        let follow = FollowUp { it: &self.it, chosen: &self.chosen, place: place.as_deref(), before: None };
        let decision = decide(&text, &situation(follow));
        self.it = decision.as_ref().map(follow::spoken_of).unwrap_or_default();
        match &decision {
            Some(HouseDecision::Which(things)) => self.asked = Some((text, things.clone(), false)),
            Some(HouseDecision::Where(things)) => self.asked = Some((text, things.clone(), true)),
            _ => {}
        }
        written(decision.as_ref())
    }
}

#[test]
fn what_goes_on_with_words_before_it_is_understood_in_both_languages() {
    let (mut count, mut wrong) = (0, Vec::new());
    for code in ["en", "de"] {
        let (spoken, house) = (spoken_in(code), home(&format!("family.{code}")));
        let mut talk = Talk::default();
        for line in file(&format!("homes/follow.{code}.tsv")).lines() {
            let Some((said, expected)) = line.split_once('\t') else {
                talk = Talk::default();
                continue;
            };
            count += 1;
            let got = talk.hears(said, &house, &spoken);
            if got != expected {
                wrong.push(format!("{code}: {said}\n  expected {expected}\n  got      {got}"));
            }
        }
    }
    assert!(count >= 60, "only {count} utterances");
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
