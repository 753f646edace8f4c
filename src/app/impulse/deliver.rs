//! From a decision to words that are said: composed, checked, announced or sent, and what became of them.
//!
//! Part of the impulse's task. A topic leaves the queue only when its words were heard or are sure to be sent; whatever
//! fails before leaves everything as it was.

use std::time::Duration;

use jiff::{Timestamp, Zoned};

use super::ImpulseSpeaker;
use super::recall::key_of;
use joi_agent::model::ChatModel;
use joi_agent::{ComposeFault, ComposedWords, ProactiveBrief};
use joi_answer::check::{check, estimated_tokens};
use joi_language::fill;
use joi_messages::outbound::{Audience, LetterState, Outgoing, OutgoingId, Urgency};
use joi_proactive::awareness::{Significance, Topic};
use joi_proactive::impulse::ImpulseRecord;
use joi_proactive::impulse::rates;
use joi_proactive::impulse::record::ImpulseOutcome;
use joi_proactive::impulse::words::check_proactive;
use joi_schedule::announce::{
    Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementOutcome, AnnouncementPriority,
};

/// The way in which words reach the user.
#[derive(Clone, Copy)]
pub(super) enum WordsWay {
    /// They wait for a quiet moment.
    Announced(AnnouncementId),
    /// They wait for a carrier.
    Posted(OutgoingId),
}

/// The outcome of words.
enum WordsFate {
    Told(ImpulseOutcome),
    NotTold(&'static str),
}

/// Words that are underway.
pub(super) struct WaitingWords {
    pub(super) way: WordsWay,
    pub(super) topic: Topic,
    pub(super) text: String,
    /// The decision that led to them, where it is stored.
    pub(super) kept: Option<(i64, ImpulseRecord)>,
}

impl<M: ChatModel> ImpulseSpeaker<M> {
    /// Has words made and sends them.
    pub(super) async fn deliver(
        &mut self,
        topic: Topic,
        record: ImpulseRecord,
        row: Option<i64>,
        now: &Zoned,
    ) {
        let words = match self.words(&topic, now).await {
            Ok(words) => words,
            Err(why) => {
                self.parts.awareness.state().topics.refused(topic.id);
                return self.amend(row, record, (ImpulseOutcome::Refused, Some(why))).await;
            }
        };
        // The model may have taken its time.
        let now = self.parts.clock.now();
        if self.parts.announcer.quiet_until(&now).is_some() {
            let why = Some("it has become quiet meanwhile".to_owned());
            return self.amend(row, record, (ImpulseOutcome::NotSaid, why)).await;
        }
        self.escalate(&words, &topic, &now).await;
        if self.parts.announcer.is_away() && self.parts.outbox.has_carriers() {
            return self.post(topic, words.text, (record, row), &now).await;
        }
        let expires = now.timestamp().checked_add(self.parts.config.wait()).ok();
        let new = Announcement::new(
            AnnouncementOrigin::Impulse,
            AnnouncementPriority::Background,
            words.text.as_str(),
        );
        let announced = self.parts.announcer.announce(Announcement { expires, ..new }).await;
        self.amend(row, record.clone(), (ImpulseOutcome::Waiting, None)).await;
        let way = WordsWay::Announced(announced);
        let kept = row.map(|row| (row, record));
        self.waiting = Some(WaitingWords { way, topic, text: words.text, kept });
    }

    /// What has become of the words that waited.
    pub(super) async fn settle_waiting(&mut self) {
        let Some(way) = self.waiting.as_ref().map(|waiting| waiting.way) else { return };
        let Some(fate) = self.fate(way).await else { return };
        let Some(WaitingWords { way, topic, text, kept }) = self.waiting.take() else { return };
        let became = match fate {
            WordsFate::Told(outcome) => {
                self.record_delivery(topic, &text).await;
                (outcome, None)
            }
            WordsFate::NotTold(why) => {
                if let WordsWay::Posted(_) = way {
                    self.parts.awareness.state().topics.refused(topic.id);
                }
                (ImpulseOutcome::NotSaid, Some(why.to_owned()))
            }
        };
        if let Some((row, record)) = kept {
            self.amend(Some(row), record, became).await;
        }
    }

    /// Returns what has become of words; nothing while they wait.
    async fn fate(&self, way: WordsWay) -> Option<WordsFate> {
        use AnnouncementOutcome::{CutShort, Heard, Silenced};
        match way {
            WordsWay::Announced(id) => Some(match self.parts.announcer.outcome(id)? {
                Heard | CutShort | Silenced => WordsFate::Told(ImpulseOutcome::Said),
                _ => WordsFate::NotTold("no quiet moment came"),
            }),
            WordsWay::Posted(id) => match self.parts.outbox.state(id).await.ok()? {
                Some(LetterState::Sent) => Some(WordsFate::Told(ImpulseOutcome::Posted)),
                Some(LetterState::GivenUp) | None => Some(WordsFate::NotTold("it could not be sent in time")),
                Some(LetterState::Underway) => None,
                Some(LetterState::Waiting) => {
                    self.parts.announcer.quiet_until(&self.parts.clock.now())?;
                    self.parts.outbox.withdraw(id).await.ok()?;
                    Some(WordsFate::NotTold("it has become quiet before it could be sent"))
                }
            },
        }
    }

    /// Until when a message is worth being sent: never in quiet hours.
    fn worth_until(&self, now: &Zoned) -> Option<Timestamp> {
        let wait = now.timestamp().checked_add(self.parts.config.wait()).ok()?;
        let quiet = self.parts.announcer.quiet_from(now);
        Some(quiet.map_or(wait, |quiet| wait.min(quiet.timestamp())))
    }

    /// To the owner, who is not at home.
    async fn post(
        &mut self,
        topic: Topic,
        text: String,
        (record, row): (ImpulseRecord, Option<i64>),
        now: &Zoned,
    ) {
        let message = Outgoing {
            audience: Audience::Owner,
            text: text.clone(),
            urgency: Urgency::Proactive,
            key: Some(key_of(&topic)),
            expires: self.worth_until(now),
        };
        // The message outlives the program, and so must what it is about.
        self.parts.awareness.save().await;
        match self.parts.outbox.post(message).await {
            Ok(id) => {
                self.amend(row, record.clone(), (ImpulseOutcome::Waiting, None)).await;
                let way = WordsWay::Posted(id);
                let kept = row.map(|row| (row, record));
                self.waiting = Some(WaitingWords { way, topic, text, kept });
            }
            Err(error) => {
                self.amend(row, record, (ImpulseOutcome::Failed, Some(error.to_string()))).await;
            }
        }
    }

    /// Records that a message was sent: its topic is done, and counts as contact with the user.
    async fn record_delivery(&mut self, topic: Topic, text: &str) {
        let at = self.parts.clock.now().timestamp();
        {
            let mut state = self.parts.awareness.state();
            state.topics.mark_announced(topic.id, at);
            state.sent(text, at);
            state.awaiting_answer.push(at);
            state.in_hand = Some(Topic { at, ..topic });
        }
        self.parts.awareness.save().await;
    }

    /// Returns the words for a topic that have passed every check, or why there are none.
    async fn words(&mut self, topic: &Topic, now: &Zoned) -> Result<ComposedWords, String> {
        let language = self.parts.languages.get();
        let fact = topic.fact.part(&language, now);
        let (others, last) = {
            let state = self.parts.awareness.state();
            let last: Vec<String> = state.messages.iter().map(|message| message.text.clone()).collect();
            (state.topics.waiting().to_vec(), last)
        };
        let passes = |text: &str| {
            let last: Vec<&str> = last.iter().map(String::as_str).collect();
            check(text, estimated_tokens(text)).map_err(|refusal| refusal.to_string())?;
            check_proactive(text, (topic, &fact), &others, &last).map_err(|refusal| refusal.to_string())
        };
        if topic.is_quoted() {
            let text = topic.fact.sentence(&language, now);
            return passes(&text).map(|()| ComposedWords { text, is_urgent: false });
        }
        if self.parts.config.composed {
            let brief = ProactiveBrief {
                fact: fact.clone(),
                last: last.iter().rev().take(5).cloned().collect(),
                is_critical: topic.significance == Significance::Critical,
            };
            let limit = Duration::from_secs(self.parts.config.compose_s.into());
            match self.parts.engine.compose(&brief, limit).await {
                Ok(words) => return passes(&words.text).map(|()| words),
                Err(ComposeFault::TakeTemplate) => {}
                Err(fault) => return Err(fault.to_string()),
            }
        }
        // One of the openings after the other, from a chance one on: the first that says nothing twice.
        let openings = &language.sentences().wind.openings;
        let first = self.chance.usize(0..openings.len().max(1));
        let mut why = String::new();
        for opening in openings.iter().cycle().skip(first).take(openings.len()) {
            let text = fill(opening, &[("fact", &fact)]);
            match passes(&text) {
                Ok(()) => return Ok(ComposedWords { text, is_urgent: false }),
                Err(refusal) => why = refusal,
            }
        }
        Err(why)
    }

    /// What a model calls urgent goes to the group as well, where that is allowed.
    async fn escalate(&mut self, words: &ComposedWords, topic: &Topic, now: &Zoned) {
        let at = now.timestamp();
        self.escalated.retain(|sent| at.duration_since(*sent) < rates::WINDOW);
        let may = self.parts.config.allow_llm_escalation
            && rates::escalates(&self.escalated, at, self.parts.outbox.most_escalated());
        if !(words.is_urgent && may && self.parts.outbox.has_carriers()) {
            return;
        }
        let message = Outgoing {
            audience: Audience::Group,
            text: words.text.clone(),
            urgency: Urgency::Escalated,
            key: Some(format!("escalated-{}-{}", topic.id, topic.at.as_millisecond())),
            expires: self.worth_until(now),
        };
        match self.parts.outbox.post(message).await {
            Ok(_) => self.escalated.push(at),
            Err(error) => tracing::warn!(%error, "what a model called urgent was not sent"),
        }
    }
}
