//! Handles of a conversation for proactive messages: wishes for quiet, alarms that were heard.
//!
//! Plain handles, any task. Input: what the user wishes. Output: quiet until a moment, silent alarms, and the sentence
//! that answers. Without the handles (a command that only types) it says that nothing is there.

mod compose;

use std::fmt;
use std::sync::Arc;

use jiff::{SignedDuration, Zoned};

pub use compose::{ComposeFault, ComposedWords, ProactiveBrief};

use joi_base::message::Channel;
use joi_language::values::moment::resolve;
use joi_language::values::{Bias, EntryKind, Said};
use joi_language::{Language, fill};
use joi_proactive::alert::{AcknowledgedBy, AlertService};
use joi_schedule::announce::{Announcer, QuietHours};
use joi_schedule::{Days, words};
use joi_tools::HouseKnown;
use joi_understand::intents::QuietWish;
use joi_understand::intents::{self, Intent};

/// Describes what is known of the house, in a language and at a moment.
pub type HouseTeller = Arc<dyn Fn(&Language, &Zoned) -> HouseKnown + Send + Sync>;

/// Handles of the proactive part, for conversations.
#[derive(Clone, Default)]
pub struct Initiative {
    /// Holds back what is to be said unasked.
    pub announcer: Option<Announcer>,
    /// All alarms.
    pub alerts: Option<AlertService>,
    /// Describes what is known of the house beside its states.
    pub known: Option<HouseTeller>,
    /// Duration of "not now", in minutes.
    pub not_now_min: u32,
}

impl fmt::Debug for Initiative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Initiative").field("alerts", &self.alerts).finish_non_exhaustive()
    }
}

impl Initiative {
    /// Does what is wished, and says so. The user's questions are answered at any time.
    pub async fn obey(
        &self,
        wish: QuietWish,
        (language, now): (&Language, &Zoned),
        channel: Channel,
    ) -> String {
        let say = &language.sentences().wind;
        let end = |of: fn(&QuietHours, &Zoned) -> Zoned| {
            self.announcer.as_ref().map_or_else(|| now.clone(), |announcer| of(&announcer.quiet(), now))
        };
        let told = |until: &Zoned| words::moment(until.datetime(), Days::default(), now, language);
        match wish {
            QuietWish::NotNow => {
                let rest = SignedDuration::from_mins(self.not_now_min.max(10).into());
                self.quiet_until(now.checked_add(rest).ok().as_ref(), now).await;
                say.not_now.clone()
            }
            QuietWish::UntilTomorrow | QuietWish::Sleep => {
                let is_sleep = wish == QuietWish::Sleep;
                let until = end(if is_sleep { QuietHours::next_end } else { QuietHours::next_morning });
                self.quiet_until(Some(&until), now).await;
                let sentence = if is_sleep { &say.sleep_well } else { &say.quiet_until };
                fill(sentence, &[("when", &told(&until))])
            }
            QuietWish::For(seconds) => {
                let until = now.checked_add(SignedDuration::from_secs(seconds.into())).ok();
                self.quiet_as_asked(until, (language, now)).await
            }
            QuietWish::Until(said) => self.quiet_as_asked(moment_of(&said, now), (language, now)).await,
            QuietWish::Over => {
                if let Some(announcer) = &self.announcer {
                    announcer.be_quiet_until(None).await;
                }
                say.talks_again.clone()
            }
            QuietWish::Heard | QuietWish::Seen => {
                let count = self.acknowledge(channel).await;
                let say = &language.sentences().alert;
                if count == 0 { say.none.clone() } else { say.acknowledged.clone() }
            }
        }
    }

    /// The words say that an alarm which rings was heard: they silence all, and this answers them, unless they ask for
    /// more than that ("stop").
    pub(crate) async fn heard_in(&self, text: &str, language: &Language, channel: Channel) -> Option<String> {
        let intent = intents::match_intent(language, text)?.what;
        let says_so = matches!(intent, Intent::Quiet(QuietWish::Heard | QuietWish::Seen));
        if !(says_so || intent == Intent::Stop) || !self.is_ringing() {
            return None;
        }
        let count = self.acknowledge(channel).await;
        (says_so && count > 0).then(|| language.sentences().alert.acknowledged.clone())
    }

    /// All alarms were heard, as somebody said or wrote in this channel; how many there were.
    pub(crate) async fn acknowledge(&self, channel: Channel) -> usize {
        let by = match channel {
            Channel::Voice => AcknowledgedBy::Voice,
            Channel::Signal => AcknowledgedBy::Message,
            Channel::Console | Channel::Page | Channel::Agent | Channel::Program => AcknowledgedBy::Socket,
        };
        match &self.alerts {
            Some(alerts) => alerts.acknowledge(by).await,
            None => 0,
        }
    }

    /// Returns what is known of the house beside its states.
    pub(crate) fn known(&self, language: &Language, now: &Zoned) -> HouseKnown {
        self.known.as_ref().map(|known| known(language, now)).unwrap_or_default()
    }

    /// Returns whether an alarm rings.
    pub(crate) fn is_ringing(&self) -> bool {
        self.alerts.as_ref().is_some_and(AlertService::is_ringing)
    }

    /// Is quiet until a moment, and says so; where there is none it asks for one.
    async fn quiet_as_asked(&self, until: Option<Zoned>, (language, now): (&Language, &Zoned)) -> String {
        let sentences = language.sentences();
        let Some(until) = until else { return sentences.schedule.for_when.clone() };
        self.quiet_until(Some(&until), now).await;
        let when = words::moment(until.datetime(), Days::default(), now, language);
        fill(&sentences.wind.quiet_until, &[("when", &when)])
    }

    /// Never shortens a longer wish.
    async fn quiet_until(&self, until: Option<&Zoned>, now: &Zoned) {
        let Some(announcer) = &self.announcer else { return };
        let before = announcer.quiet().wished_until(now);
        let until = until.cloned().max(before);
        announcer.be_quiet_until(until.map(|until| until.timestamp())).await;
    }
}

/// Returns the next moment that `said` may mean; nothing for one that is over, or comes again and again.
fn moment_of(said: &Said, now: &Zoned) -> Option<Zoned> {
    let (at, days) = resolve(said, EntryKind::Alarm, Bias::Next, now).ok()?;
    days.is_none().then(|| at.to_zoned(now.time_zone().clone()).ok()).flatten()
}
