//! Recognises a sentence: normalises it, leaves out templates whose words it lacks, matches the others, reads their slots
//! and puts the matches in order. Comes in: a sentence, lists, context. Goes out: matches, the best first. Refuses:
//! sentences of more than 254 characters, and those that take more than 4 million steps. Pure: no I/O, no clock.

use serde_json::Value;

use crate::accept::{GivenLists, MOST_STEPS, SentenceScan, ValueId};
use crate::context::MatchContext;
use crate::derive::{Derivation, ReadSlot};
use crate::error::RecogniseError;
use crate::lists::{GivenList, ListKind, SlotLists};
use crate::matches::{FilledSlot, IntentMatch, SlotOrigin};
use crate::model::{CompiledTemplates, TemplateBlock, TemplateRow, WildcardEnds};
use crate::positions::{MOST_LETTERS, PlaceSet};
use crate::skip::SkipPlace;
use crate::text::Normalised;

/// Most characters of a sentence.
pub const LONGEST_SENTENCE: usize = MOST_LETTERS - 1;

/// Lists, context and templates for a sentence.
pub(crate) struct Recognition<'a> {
    compiled: &'a CompiledTemplates,
    context: &'a MatchContext,
    given: &'a GivenLists<'a>,
    name_slot: Option<u32>,
    /// Blocks that are out of the question for the context or for want of a keyword.
    excluded: Vec<bool>,
    found: Vec<IntentMatch>,
    steps: u64,
}

/// A form of the sentence, and the templates that are tried on it.
struct TriedForm {
    text: Normalised,
    is_for: fn(WildcardEnds) -> bool,
}

/// Returns all matches, the best first.
pub(crate) fn recognise(
    compiled: &CompiledTemplates,
    sentence: &str,
    lists: &SlotLists,
    context: &MatchContext,
) -> Result<Vec<IntentMatch>, RecogniseError> {
    if sentence.len() > MOST_LETTERS * 16 {
        return Err(RecogniseError::TooLong(sentence.chars().count()));
    }
    let given: Vec<_> =
        compiled.lists.iter().map(|list| lists.get(&list.name).filter(|_| !list.is_local)).collect();
    let text = Normalised::new(sentence);
    if text.letters.len() > LONGEST_SENTENCE {
        return Err(RecogniseError::TooLong(text.letters.len()));
    }
    let mut recognition = Recognition {
        compiled,
        context,
        given: &given,
        name_slot: compiled.grammar.find_name("name"),
        excluded: Vec::new(),
        found: Vec::new(),
        steps: 0,
    };
    recognition.exclude(&text);
    for form in forms(compiled, text) {
        recognition.form(&form)?;
    }
    let mut found = recognition.found;
    found.sort_by(|a, b| a.rank().cmp(&b.rank()));
    Ok(found)
}

/// Returns the forms of a sentence: as it was said, and without the words that may be left out, at the ends where no
/// wildcard takes them.
fn forms(compiled: &CompiledTemplates, said: Normalised) -> Vec<TriedForm> {
    let words = &compiled.skip_words;
    let joins = compiled.ignores_spaces;
    let plain = said.without(words, SkipPlace::Anywhere, joins);
    let starts = said.without(words, SkipPlace::End, joins);
    let ends = said.without(words, SkipPlace::Start, joins);
    let is_short = plain != said;
    let mut forms = Vec::with_capacity(4);
    let (starts_differ, ends_differ) = (starts != said, ends != said);
    let is_whole: fn(WildcardEnds) -> bool =
        match (starts_differ && starts != plain, ends_differ && ends != plain) {
            (false, false) => |_| true,
            (true, false) => |wildcards| wildcards != WildcardEnds::First,
            (false, true) => |wildcards| wildcards != WildcardEnds::Last,
            (true, true) => |wildcards| matches!(wildcards, WildcardEnds::Neither | WildcardEnds::Whole),
        };
    forms.push(TriedForm { text: said, is_for: is_whole });
    if starts_differ {
        forms.push(TriedForm { text: starts, is_for: |wildcards| wildcards == WildcardEnds::First });
    }
    if ends_differ {
        forms.push(TriedForm { text: ends, is_for: |wildcards| wildcards == WildcardEnds::Last });
    }
    if is_short {
        forms.push(TriedForm { text: plain, is_for: |wildcards| wildcards == WildcardEnds::Neither });
    }
    if joins {
        forms.iter_mut().for_each(|form| form.text.drop_inner_spaces());
    }
    forms
}

impl Recognition<'_> {
    fn exclude(&mut self, said: &Normalised) {
        let letters = said.folded();
        let words: Vec<&[char]> = letters.split(|&c| c == ' ').collect();
        let is_out = |block: &TemplateBlock| {
            let has_keyword = || block.keywords.iter().any(|keyword| words.contains(&keyword.as_slice()));
            !block.conditions.may_hold(self.context) || (!block.keywords.is_empty() && !has_keyword())
        };
        self.excluded = self.compiled.blocks.iter().map(is_out).collect();
    }

    fn form(&mut self, form: &TriedForm) -> Result<(), RecogniseError> {
        let letters = form.text.folded();
        if letters.is_empty() {
            return Ok(());
        }
        let compiled = self.compiled;
        let fulfilled = compiled.prefilter.fulfilled(&letters);
        let mut scan = SentenceScan::new(compiled, self.given, letters, self.steps)?;
        let start = PlaceSet::one(scan.start());
        for row in &compiled.templates {
            let clauses = &compiled.clauses[row.clauses.0 as usize..row.clauses.1 as usize];
            let may_match = (form.is_for)(row.wildcards)
                && !self.excluded[row.block as usize]
                && clauses.iter().all(|&clause| fulfilled[clause as usize]);
            if !may_match {
                continue;
            }
            let matches = scan.accept(row.node, &start).iter().any(|place| scan.is_end(place));
            if matches {
                let block = &compiled.blocks[row.block as usize];
                let readings =
                    Derivation::new(&mut scan, &block.conditions, self.name_slot).readings(row.node);
                for reading in readings {
                    self.add(form, row, block, &reading);
                }
            }
            if scan.is_exhausted() {
                return Err(RecogniseError::TooMuchWork(MOST_STEPS));
            }
        }
        self.steps = scan.steps;
        Ok(())
    }

    /// Adds a match, unless the context breaks a condition or the same is there already.
    fn add(&mut self, form: &TriedForm, row: &TemplateRow, block: &TemplateBlock, reading: &[ReadSlot]) {
        let grammar = &self.compiled.grammar;
        let mut context = self.context.clone();
        let (mut slots, mut captures) = (Vec::new(), Vec::new());
        for read in reading {
            let list_use = grammar.list_use(read.list_use);
            if let Some(added) = self.value_context(list_use.list, read.value) {
                context.extend(added);
            }
            let slot = self.filled(form, read);
            if list_use.is_capture { captures.push(slot) } else { slots.push(slot) }
        }
        let Some(from_context) = block.conditions.check(&context) else { return };
        let letters = &form.text.letters;
        let in_slots: usize = reading.iter().map(|read| visible(&letters[range(read.words)])).sum();
        let literal_chars = visible(letters).saturating_sub(in_slots);
        let said: Vec<String> = slots.iter().map(|slot: &FilledSlot| slot.name.clone()).collect();
        let without_words = |name: &str, value: &Value, origin| FilledSlot {
            name: name.to_owned(),
            value: value.clone(),
            text: String::new(),
            span: None,
            metadata: None,
            origin,
        };
        for (name, value) in block.slots.iter().filter(|(name, _)| !said.contains(name)) {
            slots.push(without_words(name, value, SlotOrigin::Template));
        }
        for slot in from_context.into_iter().filter(|slot| !said.contains(&slot.name)) {
            let filled = without_words(&slot.name, &slot.value, SlotOrigin::Context);
            slots.push(FilledSlot { text: slot.text, metadata: slot.metadata, ..filled });
        }
        let found = IntentMatch {
            intent: self.compiled.intents[block.intent as usize].clone(),
            slots,
            captures,
            response: block.response.clone().unwrap_or_else(|| "default".to_owned()),
            context,
            metadata: block.metadata.clone(),
            template: row.text.to_string(),
            literal_chars,
        };
        let is_same = |known: &IntentMatch| {
            known.intent == found.intent && known.slots == found.slots && known.response == found.response
        };
        if !self.found.iter().any(is_same) {
            self.found.push(found);
        }
    }

    fn value_context(&self, list: u32, value: ValueId) -> Option<&MatchContext> {
        let ValueId::Index(index) = value else { return None };
        match self.given[list as usize] {
            Some(GivenList::Values { values, .. }) => values.get(index as usize).map(|value| &value.context),
            Some(GivenList::Wildcard) => None,
            None => match &self.compiled.lists[list as usize].kind {
                ListKind::Values(values) => values.get(index as usize).map(|value| &value.context),
                _ => None,
            },
        }
    }

    fn filled(&self, form: &TriedForm, read: &ReadSlot) -> FilledSlot {
        let list_use = self.compiled.grammar.list_use(read.list_use);
        let letters = &form.text.letters[range(read.words)];
        let text: String = letters.iter().map(|letter| letter.shown).collect();
        let span = letters.first().zip(letters.last());
        let span = span.map(|(first, last)| first.start as usize..last.end as usize);
        let said = || Value::String(text.clone());
        let (value, metadata, origin) = match read.value {
            ValueId::Words => (said(), None, SlotOrigin::Wildcard),
            ValueId::Number(bits) => (number(f64::from_bits(bits)), None, SlotOrigin::Number),
            ValueId::Index(index) => {
                let (value, metadata) = self.list_value(list_use.list, index as usize);
                (value.unwrap_or_else(said), metadata, SlotOrigin::List)
            }
        };
        let name = self.compiled.grammar.name(list_use.slot).to_owned();
        FilledSlot { name, value, text, span, metadata, origin }
    }

    /// Returns the value and metadata of a list's text.
    fn list_value(&self, list: u32, index: usize) -> (Option<Value>, Option<Value>) {
        if let Some(GivenList::Values { values, .. }) = self.given[list as usize] {
            let value = values.get(index);
            return (value.map(|value| value.value.clone()), value.and_then(|value| value.metadata.clone()));
        }
        match &self.compiled.lists[list as usize].kind {
            ListKind::Values(values) => {
                let value = values.get(index);
                (value.and_then(|value| value.out.clone()), value.and_then(|value| value.metadata.clone()))
            }
            _ => (None, None),
        }
    }
}

fn range(words: (u16, u16)) -> std::ops::Range<usize> {
    usize::from(words.0)..usize::from(words.1)
}

/// Returns the number of characters that are no spaces.
fn visible(letters: &[crate::text::SentenceLetter]) -> usize {
    letters.iter().filter(|letter| letter.shown != ' ').count()
}

/// Returns a number as JSON, whole where it is whole.
pub(crate) fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { (number as i64).into() } else { number.into() }
}
