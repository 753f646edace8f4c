//! Takes the announcements of a place from the queue and reports how they ended.
//!
//! Owned by the conversation's task. In: changes of the queue, what the microphone is able to, what became of what was
//! said. Out: the next announcement when the arbiter allows one, and [`News`] of what waits. It makes no sound; see
//! `speak_up`. A ring is never softer than configured.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::News;
use super::endpoint::Reach;
use super::ring_volume::RingVolume;
use super::signals::After;
use joi_audio::Player;
use joi_base::message::{Place, Private, TurnId};
use joi_language::{LanguageCode, Languages, SentenceName};
use joi_schedule::announce::{
    AnnouncedQuestion, Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority, Announcer,
    Floor, Next, Presence, Situation, WaitingAnnouncement,
};

/// Time the microphone is open after each ring.
const WINDOW: Duration = Duration::from_secs(3);
/// Time it is open after an unasked remark: somebody may want to know more.
const ANSWER_WINDOW: Duration = Duration::from_secs(6);
/// Time it is open after the question of an agent.
const QUESTION_WINDOW: Duration = Duration::from_secs(10);
/// A ring without a voice, which is a tone alone, counts as so much longer.
const WITHOUT_VOICE: Duration = Duration::from_secs(3);
/// A microphone that is lost again within this time is shown and logged, and not announced again: a loose plug must
/// not make joi talk all day. What was not said by then is not said at all.
const SELDOM: Duration = Duration::from_secs(600);

/// The announcements at one place.
pub struct Announcements {
    announcer: Announcer,
    /// In which it is said.
    languages: Languages,
    changes: watch::Receiver<()>,
    place: Place,
    reach: Reach,
    presence: Presence,
    /// The announcement being spoken.
    current: Option<CurrentAnnouncement>,
    /// The question that was heard last, until somebody takes it.
    question: Option<AnnouncedQuestion>,
    /// When the arbiter is to be asked again.
    ask_at: Option<Instant>,
    /// The newest that was shown.
    shown: Option<AnnouncementId>,
    microphone: MicrophoneLoss,
    volume: RingVolume,
}

/// An announcement that is being said.
struct CurrentAnnouncement {
    id: AnnouncementId,
    announcement: Announcement,
    /// The turn it is said in, once that has begun.
    turn: Option<TurnId>,
}

/// That the microphone was lost.
#[derive(Default)]
struct MicrophoneLoss {
    /// When that was last announced.
    announced_at: Option<Instant>,
    announcement: Option<AnnouncementId>,
}

/// The way in which an announcement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnnouncementEnd {
    /// Its last sample has sounded.
    Heard,
    /// The voice is missing: it was shown, and a ring was played.
    Voiceless,
    /// Somebody who heard it said "stop".
    Stopped,
    /// Somebody who heard it talked over it.
    TalkedOver,
    /// Somebody said the wake phrase, or pushed to talk.
    CutShort,
    /// The loudspeaker is missing: it is said once there is one.
    Unheard,
}

impl Announcements {
    /// The announcements of `announcer` that may be heard at `place`, whose rings and alarms are never softer than so
    /// many percent; they are worded in the current one of `languages`.
    pub fn new(
        announcer: Announcer,
        languages: Languages,
        (place, reach): (Place, Reach),
        (ring, alarm): (u8, u8),
    ) -> Self {
        announcer.attend(&place);
        Self {
            changes: announcer.changes(),
            announcer,
            languages,
            place,
            reach,
            presence: Presence::Here,
            current: None,
            question: None,
            ask_at: None,
            shown: None,
            microphone: MicrophoneLoss::default(),
            volume: RingVolume::never_below(ring, alarm),
        }
    }

    /// Waits until something in the queue has changed. Cancel-safe.
    pub(super) async fn changed(&mut self) {
        // The queue lives as long as its handle, which is here.
        let _ = self.changes.changed().await;
    }

    /// When the arbiter is to be asked again though nothing has changed.
    pub(super) fn ask_at(&self) -> Option<Instant> {
        self.ask_at
    }

    /// Asks the arbiter; whether something is to be said now.
    pub(super) async fn is_next(&mut self, floor: Floor) -> bool {
        let situation = Situation { place: &self.place, floor, presence: self.presence };
        match self.announcer.next(&situation).await {
            Next::Say(id, announcement) => {
                self.ask_at = None;
                // A danger may come in the middle of another one.
                if let Some(before) = self.current.take() {
                    self.announcer.cut_short(before.id).await;
                }
                self.current = Some(CurrentAnnouncement { id, announcement, turn: None });
                true
            }
            Next::Wait(_, until) => {
                self.ask_at = until;
                false
            }
        }
    }

    /// Returns whether the announcement to be made now is a danger.
    pub(super) fn is_alarm_next(&self) -> bool {
        let current = self.current.as_ref();
        current.is_some_and(|current| current.announcement.priority == AnnouncementPriority::Critical)
    }

    /// It begins to be said in this turn: in these words, and so urgently.
    pub(super) fn begin(&mut self, turn: TurnId) -> Option<(Private<String>, AnnouncementPriority)> {
        let current = self.current.as_mut()?;
        current.turn = Some(turn);
        let Announcement { wording, priority, .. } = &current.announcement;
        Some((wording.text(&self.languages.get(), &self.announcer.now()), *priority))
    }

    /// Returns whether a danger is announced in this turn.
    pub(super) fn is_alarm(&self, turn: TurnId) -> bool {
        let current = self.current.as_ref().filter(|current| current.turn == Some(turn));
        current.is_some_and(|current| current.announcement.is_alarm())
    }

    /// Somebody has heard the alarms.
    pub(super) fn silence_alarms(&mut self, player: &Player) {
        self.announcer.silence_alarms();
        self.current.take_if(|current| current.announcement.is_alarm());
        self.volume.restore(player);
    }

    /// Returns the current language of announcements.
    pub(super) fn spoken_in(&self) -> LanguageCode {
        self.languages.get().to_code()
    }

    /// Returns whether something is announced in this turn.
    pub(super) fn is_turn(&self, turn: TurnId) -> bool {
        self.current.as_ref().is_some_and(|current| current.turn == Some(turn))
    }

    /// Returns whether a timer rings in this turn.
    pub(super) fn is_ring(&self, turn: TurnId) -> bool {
        let current = self.current.as_ref().filter(|current| current.turn == Some(turn));
        current.is_some_and(|current| current.announcement.priority == AnnouncementPriority::Ring)
    }

    /// Takes in that the announcement ended at `at`; returns what follows.
    pub(super) async fn ended(&mut self, end: AnnouncementEnd, at: Instant) -> After {
        let Some(CurrentAnnouncement { id, announcement, .. }) = self.current.take() else {
            return After::Rest;
        };
        match end {
            AnnouncementEnd::Heard | AnnouncementEnd::Stopped | AnnouncementEnd::TalkedOver => {
                self.announcer.heard(id, at).await
            }
            AnnouncementEnd::Voiceless => self.announcer.heard(id, at + WITHOUT_VOICE).await,
            AnnouncementEnd::CutShort => self.announcer.interrupted(id, at).await,
            AnnouncementEnd::Unheard => {
                self.announcer.unheard(id);
                return After::Rest;
            }
        }
        // A question that was not heard to its end is not open: no yes can answer it.
        if end == AnnouncementEnd::Heard && announcement.question.is_some() {
            self.question = announcement.question;
            return After::FollowUp { lasts: QUESTION_WINDOW };
        }
        let is_ring = announcement.priority == AnnouncementPriority::Ring || announcement.is_alarm();
        let invites = announcement.origin == AnnouncementOrigin::Impulse && end == AnnouncementEnd::Heard;
        match (is_ring && self.rings(), invites) {
            (true, _) => After::FollowUp { lasts: WINDOW },
            (false, true) => After::FollowUp { lasts: ANSWER_WINDOW },
            (false, false) => After::Rest,
        }
    }

    /// Takes the question that was heard last.
    pub(super) fn take_question(&mut self) -> Option<AnnouncedQuestion> {
        self.question.take()
    }

    /// The turn of what is being said though it was withdrawn meanwhile.
    pub(super) fn withdrawn(&mut self) -> Option<TurnId> {
        let id = self.current.as_ref()?.id;
        let is_there = self.announcer.waiting().iter().any(|waiting| waiting.id == id);
        self.current.take_if(|_| !is_there)?.turn
    }

    /// Returns whether something rings here, be it between two rings.
    pub(super) fn rings(&self) -> bool {
        self.announcer.waiting().iter().any(|waiting| waiting.rings_at(&self.place))
    }

    /// Returns whether only timers ring here, and no danger does.
    pub(super) fn only_timers_ring(&self) -> bool {
        self.announcer.only_timers_ring(&self.place)
    }

    /// Ends what rings, until something else does; returns whether something rang.
    pub(super) fn silence(&mut self, player: &Player) -> bool {
        let here = |w: &&WaitingAnnouncement| w.rings_at(&self.place);
        let rang = self.announcer.waiting().iter().filter(here).any(|w| !w.announcement.is_alarm());
        if rang {
            self.announcer.silence(&self.place);
            self.current.take_if(|current| current.announcement.priority == AnnouncementPriority::Ring);
        }
        self.volume.restore(player);
        rang
    }

    /// Takes in that the user called: dangers that were announced before do not interrupt what follows.
    pub(super) fn called(&self, at: Instant) {
        self.announcer.called(&self.place, at);
    }

    /// A ring or an alarm is about to be played.
    pub(super) fn raise_volume(&mut self, player: &Player) {
        let is_alarm = self.current.as_ref().is_some_and(|current| current.announcement.is_alarm());
        self.volume.raise(player, is_alarm);
    }

    /// As loud as before a ring.
    pub(super) fn restore_volume(&mut self, player: &Player) {
        self.volume.restore(player);
    }

    /// Returns what waits since the last call.
    pub(super) fn unshown(&mut self) -> Vec<News> {
        let waiting = self.announcer.waiting();
        let shown = self.shown;
        self.shown = waiting.last().map(|newest| newest.id).max(shown);
        let new = waiting.into_iter().filter(|w| Some(w.id) > shown && w.may_be_heard_at(&self.place));
        let (language, now) = (self.languages.get(), self.announcer.now());
        let told = |announcement: &Announcement| announcement.wording.text(&language, &now);
        new.filter_map(|waiting| news_of(&waiting.announcement, told)).collect()
    }

    /// The microphone is lost.
    pub(super) async fn microphone_lost(&mut self, now: Instant) {
        let announced = self.microphone.announced_at;
        let is_known = announced.is_some_and(|last| now.saturating_duration_since(last) < SELDOM);
        if self.reach == Reach::Network || is_known {
            return;
        }
        let expires = self.announcer.moment_after(SELDOM);
        let place = Some(self.place.clone());
        let lost = Announcement {
            expires,
            place,
            ..Announcement::new(
                AnnouncementOrigin::Device,
                AnnouncementPriority::Notice,
                SentenceName::MicrophoneLost,
            )
        };
        let announcement = Some(self.announcer.announce(lost).await);
        self.microphone = MicrophoneLoss { announced_at: Some(now), announcement };
    }

    /// The microphone is there, or nobody wants to know that it is not.
    pub(super) async fn microphone_found(&mut self) {
        if let Some(id) = self.microphone.announcement.take() {
            self.announcer.withdraw(id).await;
        }
    }

    /// The loudspeaker is there, or is missing.
    pub(super) fn set_heard(&self, is_heard: bool) {
        self.announcer.set_heard(&self.place, is_heard);
    }

    /// The microphone was switched off or on.
    pub(super) fn set_presence(&mut self, presence: Presence) {
        self.presence = presence;
    }
}

/// Returns the news of a waiting announcement; a lost microphone is shown otherwise.
fn news_of(announcement: &Announcement, told: impl FnOnce(&Announcement) -> Private<String>) -> Option<News> {
    match (announcement.priority, announcement.origin) {
        (_, AnnouncementOrigin::Device) => None,
        (AnnouncementPriority::Ring, _) => Some(News::Rings(told(announcement))),
        _ => Some(News::Told(told(announcement))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Zoned;

    use super::*;
    use joi_base::clock::ManualClock;
    use joi_language::Language;
    use joi_language::testing::in_english;
    use joi_schedule::announce::{AnnounceConfig, IfUnheard};

    fn announcer() -> Announcer {
        let config = AnnounceConfig { quiet_hours: vec![], ..Default::default() };
        Announcer::new(&config, None, Arc::new(ManualClock::at(Zoned::now())))
    }

    fn at(reach: Reach, announcer: &Announcer, languages: Languages) -> Announcements {
        Announcements::new(announcer.clone(), languages, (Place::named("home"), reach), (50, 80))
    }

    #[tokio::test]
    async fn a_loose_plug_is_announced_once_in_ten_minutes() {
        let announcer = announcer();
        let mut here = at(Reach::ThisMachine, &announcer, in_english());
        let start = Instant::now();
        let mut announced = Vec::new();
        for after in [0, 1, 599, 600] {
            here.microphone_lost(start + Duration::from_secs(after)).await;
            announced.push(announcer.waiting().len());
            here.microphone_found().await;
            assert_eq!(announcer.waiting(), [], "nobody wants to know that it was gone");
        }
        assert_eq!(announced, [1, 0, 0, 1]);
        assert_eq!(here.unshown(), [], "it is shown in another way");
        at(Reach::Network, &announcer, in_english()).microphone_lost(start).await;
        assert_eq!(announcer.waiting(), [], "whoever holds the connection reports it");
    }

    #[tokio::test]
    async fn the_answer_to_whoever_called_during_an_alarm_is_not_cut_short_by_it() {
        let announcer = announcer();
        let mut here = at(Reach::ThisMachine, &announcer, in_english());
        let alarm = |text: &str| Announcement {
            if_unheard: IfUnheard::Repeat(Duration::from_secs(10)),
            ..Announcement::new(AnnouncementOrigin::Alert, AnnouncementPriority::Critical, text)
        };
        announcer.announce(alarm("fire")).await;
        assert!(here.is_next(Floor::Free).await);
        here.begin(TurnId(1)).unwrap();
        let now = Instant::now();
        here.called(now);
        here.ended(AnnouncementEnd::CutShort, now).await;
        assert!(!here.is_next(Floor::Called { since: now }).await);
        assert!(!here.is_next(Floor::Heard).await && !here.is_next(Floor::Answer).await);
        announcer.announce(alarm("gas")).await;
        assert!(here.is_next(Floor::Answer).await, "a new danger");
    }

    #[tokio::test]
    async fn an_announcement_is_said_in_the_language_that_is_spoken_then() {
        let languages = in_english();
        let mut here = at(Reach::ThisMachine, &announcer(), languages.clone());
        here.microphone_lost(Instant::now()).await;
        let german = Language::load("de").unwrap();
        let lost = german.sentences().device.microphone_lost.clone();
        languages.replace(german);
        assert!(here.is_next(Floor::Free).await);
        let said = here.begin(TurnId(1));
        assert_eq!(said, Some((Private(lost), AnnouncementPriority::Notice)));
    }
}
