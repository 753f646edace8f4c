//! What a clause claims, by its grammar.
//!
//! In: a clause. Out: who is said to do which deed to what, and when; nothing for a clause that denies, wishes,
//! imagines or advises, or whose deed is somebody else's.
//! Pure: no I/O, no clock.

use joi_language::PatternGroups;
use joi_language::{ClaimForm, ClaimPattern, TruthWords, VerbTense};
use joi_language::{RequestWords, words_of};

use super::clauses::SaidClause;

/// A claim that a deed was done, is done, or will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) form: ClaimForm,
    /// The kinds of deed it may be.
    pub(super) deeds: Vec<usize>,
    pub(super) verb: String,
    /// The object of the deed.
    pub(super) object: String,
    /// Further things that are counted up.
    pub(super) behind: String,
    /// The form in front of its verb.
    pub(super) lead: String,
    /// The words of it are no verb with things, but state the deed by themselves.
    pub(super) is_whole: bool,
    /// The whole clause.
    pub(super) clause: String,
}

impl Claim {
    /// What `clause` claims.
    pub(super) fn of(words: &TruthWords, requests: &RequestWords, clause: &SaidClause) -> Option<Self> {
        let exempt = &words.exempt;
        if exempt.directives.is_match(&clause.text) || exempt.conditions.is_match(&clause.text) {
            return None;
        }
        let is_negated = exempt.negations.is_match(&clause.text);
        let text = led(words, requests, &clause.text);
        let patterns = words.claims.iter().filter(|pattern| pattern.is_negated == is_negated);
        // What denies may begin with its no.
        let text = if is_negated { &clause.text } else { text };
        let claim = patterns.filter_map(|pattern| found(words, requests, pattern, text)).next()?;
        let claim = Self { behind: clause.behind.clone(), clause: clause.text.clone(), ..claim };
        (!claim.is_dependent(words, clause)).then_some(claim)
    }

    /// What a sentence without a verb claims: that what it names is so.
    pub(super) fn of_fragment(clause: &SaidClause) -> Self {
        let text = || clause.text.clone();
        Self {
            form: ClaimForm::Fragment,
            deeds: Vec::new(),
            verb: String::new(),
            object: text(),
            behind: String::new(),
            lead: String::new(),
            is_whole: true,
            clause: text(),
        }
    }

    /// The same, said by who said the clause before.
    pub(super) fn led_by(self, words: &TruthWords, before: Option<&Self>) -> Self {
        let is_speaker = |word: &String| words.exempt.speakers.contains(word);
        // "I found two lamps and switched off both."
        let is_of_her = |before: &Self| {
            before.form == ClaimForm::Topic && words_of(&before.object).first().is_some_and(is_speaker)
        };
        if self.form == ClaimForm::Bare && before.is_some_and(is_of_her) {
            return Self { form: ClaimForm::Speaker, ..self };
        }
        match (self.form, before.map(|before| before.form)) {
            (
                ClaimForm::Bare,
                Some(
                    form @ (ClaimForm::Speaker
                    | ClaimForm::Told
                    | ClaimForm::Will
                    | ClaimForm::State
                    | ClaimForm::Is),
                ),
            ) => Self { form, ..self },
            _ => self,
        }
    }

    /// Returns whether the claim is about joi itself.
    pub(super) fn is_hers(&self) -> bool {
        matches!(self.form, ClaimForm::Speaker | ClaimForm::Told | ClaimForm::Doing | ClaimForm::Will)
    }

    /// Returns whether it is so only if something else is so: what was done by joi was done.
    fn is_dependent(&self, words: &TruthWords, clause: &SaidClause) -> bool {
        let tells_how_it_is = matches!(
            self.form,
            ClaimForm::Is
                | ClaimForm::Was
                | ClaimForm::State
                | ClaimForm::Bare
                | ClaimForm::Became
                | ClaimForm::Topic
                | ClaimForm::Fragment
        );
        match self.form {
            ClaimForm::Speaker | ClaimForm::Told | ClaimForm::Settled => false,
            // "There are two lamps in the kitchen, which one?"
            ClaimForm::Topic if clause.asks => true,
            _ => clause.depends || tells_how_it_is && words.exempt.behind.is_match(&clause.text),
        }
    }
}

/// `text` without what only leads to it.
fn led<'a>(words: &TruthWords, requests: &RequestWords, text: &'a str) -> &'a str {
    let mut rest = text;
    loop {
        let said = words_of(rest);
        let is_adverb = said.first().is_some_and(|first| words.parts.adverbs.is_match(first));
        let is_subject = said.first().is_some_and(|first| words.exempt.others.contains(first));
        let count = requests.form.lead.at_start(&said).or(is_adverb.then_some(1)).filter(|_| !is_subject);
        let Some(count) = count.filter(|count| *count < said.len()) else { return rest };
        let Some((at, _)) = rest.match_indices(' ').nth(count - 1) else { return rest };
        rest = rest[at..].trim_start();
    }
}

/// Returns what `pattern` finds in `text`.
fn found(words: &TruthWords, requests: &RequestWords, pattern: &ClaimPattern, text: &str) -> Option<Claim> {
    let found = pattern.says.captures(text)?;
    let object = found.name("object").map_or("", |object| object.as_str()).trim();
    let unknown = found.name("unknown");
    let does_nothing = |verb: &str| words.exempt.thinks.contains(verb) || words.done.has(verb);
    if unknown.is_some_and(|verb| does_nothing(verb.as_str())) {
        return None;
    }
    let verb = found.name("verb").or(unknown);
    let deeds = match found.name("verb").filter(|_| pattern.deeds.is_empty()) {
        Some(verb) => {
            // Where the verb is the last word its particle stands in front of it.
            let rest = match text[verb.end()..].trim() {
                "" => &text[..verb.start()],
                rest => rest,
            };
            words.verbs(pattern.tense).deeds(verb.as_str(), &words_of(rest))
        }
        None => pattern.deeds.clone(),
    };
    if found.name("verb").is_some() && deeds.is_empty() {
        return None;
    }
    let before = &text[..verb.map_or(found.get(0)?.end(), |verb| verb.start())];
    let is_imagined = !pattern.is_negated && words.exempt.modals.is_match(before);
    // "The list that …", but not "a timer for that".
    let is_of_it = words_of(object).iter().rev().nth(1).is_some_and(|word| words.parts.ends.contains(word));
    let is_description = unknown.is_none()
        && pattern.tense == VerbTense::Done
        && !is_of_it
        && words.exempt.relatives.is_match(object);
    if is_imagined || is_description || is_anothers(words, requests, pattern.kind, &found) {
        return None;
    }
    // "Added to your list": what it was done to stands behind it.
    let object = match (object, verb) {
        ("", Some(verb)) if pattern.kind == ClaimForm::Bare => text[verb.end()..].trim(),
        (object, _) => object,
    };
    Some(Claim {
        form: pattern.kind,
        deeds,
        verb: verb.map_or(String::new(), |verb| verb.as_str().to_owned()),
        object: object.to_owned(),
        behind: String::new(),
        lead: text[..verb.map_or(0, |verb| verb.start())].to_owned(),
        is_whole: verb.is_none() || !pattern.deeds.is_empty(),
        clause: String::new(),
    })
}

/// Returns whether somebody else does it, or it is reported in general.
fn is_anothers(
    words: &TruthWords,
    requests: &RequestWords,
    kind: ClaimForm,
    found: &PatternGroups<'_>,
) -> bool {
    let object = found.name("object");
    let verb = found.name("verb").or(found.name("unknown"));
    let said = words_of(object.map_or("", |object| object.as_str()));
    let names_another = || said.iter().any(|word| words.exempt.others.contains(word));
    let is_verbal = || object.is_some_and(|object| words.parts.auxiliaries.is_match(object.as_str()));
    match kind {
        // "Sending messages is beyond me."
        ClaimForm::Doing => verb.is_some_and(|verb| verb.start() == 0) && is_verbal(),
        ClaimForm::Topic => said.first().is_some_and(|word| words.doing.has(word)) || names_another(),
        ClaimForm::Bare => is_verbal() || requests.form.finite.are_in(&said),
        ClaimForm::State => {
            let names_her = || said.iter().any(|word| words.exempt.speakers.contains(word));
            object.is_some_and(|object| object.start() == 0) && (names_another() || names_her())
        }
        // "I have the list that you wrote."
        ClaimForm::Speaker => {
            object.zip(verb).is_some_and(|(object, verb)| object.end() <= verb.start()) && names_another()
        }
        _ => false,
    }
}
