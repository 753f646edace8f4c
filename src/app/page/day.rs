//! What joi does by itself, for the page: agents, watches, announcements that wait, decisions to speak unasked.
//!
//! In: the agents, the watches, the queue, stored decisions. Out: views, and what the owner decides.

use super::host::RunningHost;
use jiff::Zoned;
use joi_autonomy::agent::lines::AgentRow;
use joi_autonomy::watch::{OrderOrigin, WatchChoice, WatchId, WatchOrder, said};
use joi_base::message::Origin;
use joi_language::Language;
use joi_page::{AgentView, DayHost, DayView, ImpulseView, PageFault, TopicView, WaitingView};
use joi_proactive::awareness::Topic;
use joi_proactive::impulse::ImpulseVerdict;
use joi_proactive::impulse::record::ImpulseRecord;
use joi_schedule::announce::{AnnouncementOrigin, WaitingAnnouncement};

impl DayHost for RunningHost {
    async fn day(&self) -> Result<DayView, PageFault> {
        let (now, language) = (self.clock.now(), self.languages.get());
        let rows = self.board.agents().map(|agents| agents.rows()).unwrap_or_default();
        let watches = match &self.watches {
            Some(watches) => watches.all().await.map_err(PageFault::of)?,
            None => Vec::new(),
        };
        let waits = |waiting: WaitingAnnouncement| WaitingView {
            text: waiting.announcement.wording.text(&language, &now).0,
            origin: origin(waiting.announcement.origin).to_owned(),
        };
        let topics = topics(self.awareness.state().topics.waiting(), &language, &now);
        Ok(DayView {
            agents: rows.into_iter().map(agent).collect(),
            watches: watches.iter().map(|watch| (watch.id.0, said::line(watch, &language, &now))).collect(),
            topics,
            waiting: self.announcer.waiting().into_iter().map(waits).collect(),
            quiet: self.config.announce.quiet_hours.iter().map(ToString::to_string).collect(),
            quiet_until: self.announcer.quiet_until(&now).map(|until| until.timestamp()),
        })
    }

    async fn impulses(&self, most: u32) -> Result<Vec<ImpulseView>, PageFault> {
        let rows = self.store()?.impulses(most).await.map_err(PageFault::of)?;
        let records = rows.iter().filter_map(|row| serde_json::from_str::<ImpulseRecord>(&row.json).ok());
        Ok(records.map(impulse).collect())
    }

    async fn decide(&self, agent: &str, number: u32, is_yes: bool) -> Result<(), PageFault> {
        let agents = self.board.agents().ok_or(PageFault::Gone)?;
        agents.decide(agent, number, is_yes).await.map_err(PageFault::Because)
    }

    async fn remove_watch(&self, id: i64) -> Result<(), PageFault> {
        let watches = self.watches.as_ref().ok_or(PageFault::Gone)?;
        let order = WatchOrder::Remove(WatchChoice::Number(WatchId(id)));
        let words = OrderOrigin { said: String::new(), origin: Origin::Typing };
        let done = watches.obey(order, words, None).await.map_err(PageFault::of)?;
        if done.report.is_done() { Ok(()) } else { Err(PageFault::Gone) }
    }
}

fn topics(waiting: &[Topic], language: &Language, now: &Zoned) -> Vec<TopicView> {
    let view = |topic: &Topic| TopicView {
        text: topic.fact.sentence(language, now),
        at: topic.at,
        is_foreign: !topic.is_worded_by_us(),
    };
    waiting.iter().map(view).collect()
}

fn agent(row: AgentRow) -> AgentView {
    let approvals = row.approvals.into_iter().map(|one| (one.approval, one.deed)).collect();
    AgentView { name: row.name, pace: row.pace, doing: row.doing, next: row.next, approvals }
}

fn origin(origin: AnnouncementOrigin) -> &'static str {
    match origin {
        AnnouncementOrigin::Timer => "timer",
        AnnouncementOrigin::Device => "device",
        AnnouncementOrigin::StartUp => "start",
        AnnouncementOrigin::Impulse => "impulse",
        AnnouncementOrigin::Agent => "agent",
        AnnouncementOrigin::Alert => "alert",
        AnnouncementOrigin::Watch => "watch",
    }
}

fn impulse(record: ImpulseRecord) -> ImpulseView {
    let score = &record.score;
    let about =
        [record.about.as_deref(), record.outcome.map(|outcome| outcome.name()), record.why.as_deref()];
    ImpulseView {
        at: record.at,
        factors: [
            score.base,
            score.silence,
            score.context,
            score.time,
            score.entropy,
            -score.damper,
            score.pattern,
            score.boost,
        ],
        total: score.total,
        needed: record.threshold,
        speaks: matches!(record.verdict, ImpulseVerdict::Speak { .. }),
        decided: record.verdict.name().to_owned(),
        about: about.into_iter().flatten().collect::<Vec<_>>().join(": "),
    }
}
