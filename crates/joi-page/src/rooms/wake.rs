//! The wake phrases: which there are and whether they are listened for, and one recorded in the owner's voice.
//!
//! In: phrases, a recording that goes on, forms. Out: a section of the health, and what came of a form.

use joi_language::fill;
use joi_language::page::WakePageWords;
use maud::{Markup, html};

use super::deed::RoomDeed;
use crate::PageFault;
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, badge, table};
use crate::notice::PageNotice;

/// Characters of the longest phrase that is looked at.
const LONGEST: usize = 60;

/// What a phrase is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhraseMeans {
    /// A model of its own.
    Model,
    /// Its spelling, by the speech model.
    Scorer,
    /// Both.
    Both,
    /// Recordings alone.
    Recordings,
}

/// Whether a phrase is listened for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhraseReadiness {
    /// It is, by these means.
    Ready(PhraseMeans),
    /// From the next start on.
    NextStart,
    /// Until the next start, since it was removed.
    UntilNext,
    /// It can't be, for this reason.
    TooSlow(String),
}

/// A wake phrase.
#[derive(Debug, Clone, PartialEq)]
pub struct PhraseView {
    /// As it is written.
    pub name: String,
    /// Whether it is listened for.
    pub readiness: PhraseReadiness,
    /// The score from which on it counts as said.
    pub counts_from: f32,
    /// Who has recorded it, and the scores of those voices.
    pub voices: Vec<(String, f32)>,
    /// Whether it was added, and not configured.
    pub is_added: bool,
}

/// A recording of a phrase.
#[derive(Debug, Clone, PartialEq)]
pub struct TakeView {
    /// Its score.
    pub score: f32,
    /// The words that were understood.
    pub heard: String,
    /// Why it does not belong to the others.
    pub refused: Option<String>,
}

/// How far the recording of a phrase has come.
#[derive(Debug, Clone, PartialEq)]
pub enum EnrolmentStage {
    /// Recordings are made.
    Recording {
        /// Those there are.
        takes: Vec<TakeView>,
        /// The score that each needs.
        asked: f32,
    },
    /// It is compared with other speech.
    Trying,
    /// It is kept, and counts from this score on.
    Added(f32),
    /// It is not kept, for this reason.
    Failed(String),
}

/// A phrase that is being recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct EnrolmentView {
    /// As it is written.
    pub phrase: String,
    /// What speaks against it, though it can be used.
    pub weakness: Option<String>,
    /// How far it has come.
    pub stage: EnrolmentStage,
}

/// The wake phrases.
#[derive(Debug, Clone, PartialEq)]
pub struct WakeView {
    /// All phrases.
    pub phrases: Vec<PhraseView>,
    /// The one that is being recorded.
    pub enrolment: Option<EnrolmentView>,
    /// Recordings that are needed, and that are possible.
    pub takes: (usize, usize),
}

/// A change of the wake phrases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WakeDeed {
    /// Record this phrase.
    Begin(String),
    /// Make one more recording, now.
    Record,
    /// Discard this recording, counted from 0.
    Discard(usize),
    /// Compare the phrase with other speech, and keep it.
    Keep,
    /// Forget what was recorded.
    GiveUp,
    /// Remove this phrase.
    Remove(String),
}

/// What this part of the health needs of the program.
pub trait WakeHost: Send + Sync + 'static {
    /// Returns the phrases.
    fn wake(&self) -> impl Future<Output = Result<WakeView, PageFault>> + Send;

    /// Does this. A recording takes some seconds.
    fn change_wake(&self, deed: WakeDeed) -> impl Future<Output = Result<(), PageFault>> + Send;
}

/// Returns the inside of the section.
pub(super) fn show(wake: &WakeView, look: &Look) -> Markup {
    let words = &look.words.wake;
    html! {
        p class="quiet" { (words.about) }
        ul class="items" { @for phrase in &wake.phrases { li { (one(phrase, look)) } } }
        div class="apart" id="enrolment" {
            @match &wake.enrolment {
                None => (begin(look)),
                Some(enrolment) => (enrolling(enrolment, wake.takes, look)),
            }
        }
    }
}

fn one(phrase: &PhraseView, look: &Look) -> Markup {
    let words = &look.words.wake;
    let (tone, label, how) = match &phrase.readiness {
        PhraseReadiness::Ready(means) => (BadgeTone::Good, &words.ready, means_text(*means, words).clone()),
        PhraseReadiness::NextStart => (BadgeTone::Fair, &words.next_start, String::new()),
        PhraseReadiness::UntilNext => (BadgeTone::Quiet, &words.until_next, String::new()),
        PhraseReadiness::TooSlow(why) => {
            (BadgeTone::Bad, &look.words.health.bad, fill(&words.too_slow, &[("why", why)]))
        }
    };
    let voices: Vec<String> =
        phrase.voices.iter().map(|(user, score)| format!("{user} {score:.1}")).collect();
    html! {
        div class="line" {
            strong { (phrase.name) } (badge(tone, label))
            @if phrase.is_added { (badge(BadgeTone::Quiet, &words.added_by_you)) }
        }
        div class="line quiet" {
            @if !how.is_empty() { span { (how) } }
            span { (fill(&words.counts_from, &[("score", &number(phrase.counts_from))])) }
            @if !voices.is_empty() { span { (fill(&words.voices, &[("voices", &voices.join(", "))])) } }
        }
        @if phrase.is_added && phrase.readiness != PhraseReadiness::UntilNext {
            div class="actions" {
                (look.button("health/wake-remove", "small danger", &look.words.shell.remove, &[("phrase", &phrase.name)]))
            }
        }
    }
}

fn means_text(means: PhraseMeans, words: &WakePageWords) -> &String {
    match means {
        PhraseMeans::Model => &words.model,
        PhraseMeans::Scorer => &words.scorer,
        PhraseMeans::Both => &words.both,
        PhraseMeans::Recordings => &words.recordings,
    }
}

/// Returns a score as it is shown; one that is far away says nothing but that.
fn number(score: f32) -> String {
    if score < -20.0 { "< −20".to_owned() } else { format!("{score:.1}").replace('-', "−") }
}

fn begin(look: &Look) -> Markup {
    let words = &look.words.wake;
    html! {
        h3 { (words.new) }
        (look.form("health/wake-begin", "bar", &html! {
            div class="field" {
                label for="phrase" { (words.new_label) }
                input id="phrase" name="phrase" required maxlength=(LONGEST) autocomplete="off" autocapitalize="none"
                    placeholder=(words.new_example);
            }
            button type="submit" { (words.begin) }
        }))
    }
}

fn enrolling(enrolment: &EnrolmentView, (least, most): (usize, usize), look: &Look) -> Markup {
    let words = &look.words.wake;
    let of = |text: &str| fill(text, &[("phrase", &enrolment.phrase)]);
    html! {
        h3 { (of(&words.saying)) }
        @match &enrolment.stage {
            EnrolmentStage::Recording { takes, asked } => {
                @if let Some(weakness) = &enrolment.weakness { p { (badge(BadgeTone::Fair, &look.words.health.fair)) " " (weakness) } }
                p class="quiet" { (fill(&words.how, &[("least", &least.to_string()), ("most", &most.to_string())])) }
                (recorded(takes, *asked, look))
                (next_steps(takes, *asked, (least, most), look))
            }
            EnrolmentStage::Trying => {
                p data-again="3" { (of(&words.trying)) }
                p class="quiet" { (words.trying_note) }
                div class="actions" {
                    form class="inline" method="get" action="/health" { button type="submit" { (words.look) } }
                    (look.button("health/wake-give-up", "", &words.give_up, &[]))
                }
            }
            EnrolmentStage::Added(score) => {
                p class="notice" { (fill(&words.added, &[("phrase", &enrolment.phrase), ("score", &number(*score))])) }
                (begin(look))
            }
            EnrolmentStage::Failed(why) => {
                p class="notice bad" { (fill(&words.failed, &[("phrase", &enrolment.phrase), ("why", why)])) }
                (begin(look))
            }
        }
    }
}

fn recorded(takes: &[TakeView], asked: f32, look: &Look) -> Markup {
    let words = &look.words.wake;
    let rows: Vec<Vec<Markup>> = takes
        .iter()
        .enumerate()
        .map(|(at, take)| {
            let hidden = at.to_string();
            let score = number(take.score);
            vec![
                html! { (at + 1) },
                html! {
                    @match &take.refused {
                        None => { (badge(BadgeTone::Good, &words.good)) " " (score) },
                        Some(why) => {
                            (badge(BadgeTone::Fair, &look.words.health.fair)) " "
                            @if take.score < asked { (fill(&words.weak, &[("score", &score), ("asked", &number(asked))])) }
                            @else { (score) }
                            br; span class="quiet" { (why) }
                        }
                    }
                },
                html! { (take.heard) },
                look.button("health/wake-discard", "small", &words.discard, &[("take", &hidden)]),
            ]
        })
        .collect();
    let heads = [words.take.as_str(), &words.score, &words.heard, &words.discard];
    html! { @if !rows.is_empty() { (table(&words.take, &heads, &rows)) } }
}

fn next_steps(takes: &[TakeView], asked: f32, (least, most): (usize, usize), look: &Look) -> Markup {
    let words = &look.words.wake;
    let good = takes.iter().filter(|take| take.refused.is_none()).count();
    let is_enough = good >= least;
    let record = html! { button class=(if is_enough { "" } else { "main" }) type="submit" data-busy=(words.recording) { (words.record) } };
    html! {
        p id="take-count" class="quiet" { (fill(&words.keep_more, &[("count", &good.to_string()), ("least", &least.to_string()), ("asked", &number(asked))])) }
        div class="actions" {
            @if takes.len() < most { (look.form("health/wake-record", "inline", &record)) }
            @if is_enough { (look.button("health/wake-keep", "main", &words.keep, &[])) }
            (look.button("health/wake-give-up", "", &words.give_up, &[]))
        }
        @if is_enough { p class="quiet apart" { (words.keep_note) } }
    }
}

/// Does what a form asks for.
pub(super) async fn act<H: WakeHost>(
    action: &str,
    host: &H,
    look: &Look,
    form: &FormFields,
) -> Option<RoomDeed> {
    let phrase = || form.text("phrase").chars().take(LONGEST).collect::<String>();
    let deed = match action {
        "wake-begin" => WakeDeed::Begin(phrase()),
        "wake-record" => WakeDeed::Record,
        "wake-discard" => WakeDeed::Discard(form.number("take").unwrap_or(usize::MAX)),
        "wake-keep" => WakeDeed::Keep,
        "wake-give-up" => WakeDeed::GiveUp,
        "wake-remove" => WakeDeed::Remove(phrase()),
        _ => return None,
    };
    let words = &look.words.wake;
    let done = match &deed {
        WakeDeed::GiveUp => words.gave_up.clone(),
        WakeDeed::Remove(phrase) => fill(&words.removed, &[("phrase", phrase)]),
        // What came of it stands in the section.
        _ => String::new(),
    };
    let notice = match host.change_wake(deed).await {
        Ok(()) => PageNotice::done(done),
        Err(fault) => PageNotice::fault(fault, &look.words),
    };
    Some(RoomDeed { notice, back: Some("/health#enrolment".to_owned()) })
}

#[cfg(test)]
mod double {
    use super::*;
    use crate::tests::double::{HostileHost, hostile};

    impl WakeHost for HostileHost {
        async fn wake(&self) -> Result<WakeView, PageFault> {
            let phrase = |readiness| PhraseView {
                name: hostile(),
                readiness,
                counts_from: -3.0,
                voices: vec![(hostile(), -2.5)],
                is_added: true,
            };
            let ways = [
                PhraseReadiness::Ready(PhraseMeans::Both),
                PhraseReadiness::NextStart,
                PhraseReadiness::TooSlow(hostile()),
            ];
            let take = |refused| TakeView { score: -1.0, heard: hostile(), refused };
            let stages = [
                EnrolmentStage::Recording { takes: vec![take(None), take(Some(hostile()))], asked: -4.0 },
                EnrolmentStage::Trying,
                EnrolmentStage::Added(-3.0),
                EnrolmentStage::Failed(hostile()),
            ];
            // Another one each time that it is looked at.
            let looks = self.next_look();
            let stage = stages.into_iter().cycle().nth(looks % 4).unwrap();
            let enrolment = EnrolmentView { phrase: hostile(), weakness: Some(hostile()), stage };
            Ok(WakeView { phrases: ways.map(phrase).into(), enrolment: Some(enrolment), takes: (5, 8) })
        }

        async fn change_wake(&self, deed: WakeDeed) -> Result<(), PageFault> {
            self.did(format!("{deed:?}"));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::LanguageLibrary;

    #[test]
    fn a_score_that_is_enough_is_not_called_too_little() {
        let words = LanguageLibrary::built_in().page("en").unwrap().into();
        let (lang, form_key) = ("en".to_owned(), String::new());
        let (now, zone) = (jiff::Zoned::default(), jiff::tz::TimeZone::UTC);
        let look = Look { words, rooms: [].into(), lang, form_key, now, zone };
        let unlike = |score| TakeView {
            score,
            heard: "Valon".to_owned(),
            refused: Some("it came to less than the others".to_owned()),
        };
        let shown = |score| recorded(&[unlike(score)], -4.0, &look).into_string();
        assert!(shown(-5.0).contains("is needed"));
        let enough = shown(-3.0);
        assert!(enough.contains("than the others") && !enough.contains("is needed"), "{enough}");
    }
}
