//! The impulse over a real queue and database, with time made by hand and a model that is not there, or misbehaves.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use jiff::ToSpan as _;

use super::*;
use joi_agent::model::{ModelState, Room, Served};
use joi_agent::{
    ContextConfig, EngineParts, Initiative, MemoryConfig, PersonaConfig, Protocols, QuietWish, ReplyConfig,
};
use joi_base::clock::ManualClock;
use joi_base::message::Place;
use joi_language::testing::in_english;
use joi_llm::{Ask, ChatEvent, ChatStats, Knowledge, LlmConfig, LlmError, ModelSize, OLLAMA, ServedBy};
use joi_messages::outbound::{CarrierName, LetterState, OutgoingId};
use joi_messages::testing::outbox;
use joi_proactive::awareness::{AwarenessConfig, Happening, HomePresence, HouseEvent};
use joi_schedule::announce::{AnnounceConfig, Floor, Next, Presence, Situation};
use joi_tools::{ToolRegistry, ToolsConfig};

mod letters;
mod news;
mod records;

/// The scripted behaviour of the model.
#[derive(Debug, Clone, Copy)]
enum Thought {
    /// It is still loading, for ever.
    Absent,
    /// It answers with these words, whatever is asked.
    Says(&'static str),
    /// It never answers.
    Hangs,
    /// Its answer breaks off.
    Dies,
}

struct Thinker(Thought);

impl ChatModel for Thinker {
    type Words = BoxStream<'static, Result<ChatEvent, LlmError>>;

    fn state(&self) -> ModelState {
        let served = Served {
            model: "thinker".into(),
            size: ModelSize::Large,
            knowledge: Knowledge::Fair,
            has_tools: None,
            by: ServedBy::Server(&OLLAMA),
        };
        if matches!(self.0, Thought::Absent) { ModelState::Starting } else { ModelState::Ready(served) }
    }

    async fn settled(&self) -> ModelState {
        match self.0 {
            Thought::Absent => std::future::pending().await,
            _ => self.state(),
        }
    }

    async fn ask(&self, _: Ask) -> Result<Self::Words, LlmError> {
        let text = |text: &str| Ok(ChatEvent::Text(text.to_owned()));
        Ok(match self.0 {
            Thought::Says(words) => {
                stream::iter([text(words), Ok(ChatEvent::Done(ChatStats::default()))]).boxed()
            }
            Thought::Dies => stream::iter([text("{\"say\": \"By the way, the Win")]).boxed(),
            Thought::Absent | Thought::Hangs => stream::pending().boxed(),
        })
    }
}

struct Bench {
    clock: Arc<ManualClock>,
    announcer: Announcer,
    awareness: Awareness,
    store: Store,
    /// That of the outbox.
    letters: Store,
    initiative: Initiative,
    speaker: ImpulseSpeaker<Thinker>,
    heard: Vec<(Zoned, String)>,
}

/// Returns a Wednesday.
fn start() -> Zoned {
    "2026-03-04T00:00[Europe/Vienna]".parse().unwrap()
}

async fn bench(store: Store, start: Zoned) -> Bench {
    bench_with(Thought::Absent, store, start).await
}

async fn bench_with(thought: Thought, store: Store, start: Zoned) -> Bench {
    bench_of(thought, store, start, &[]).await
}

async fn bench_of(thought: Thought, store: Store, start: Zoned, carriers: &[CarrierName]) -> Bench {
    let clock = Arc::new(ManualClock::at(start));
    let shown = Arc::clone(&clock) as Arc<dyn Clock>;
    let announcer = Announcer::new(&AnnounceConfig::default(), Some(store.clone()), Arc::clone(&shown));
    announcer.restore().await.unwrap();
    let rules = AwarenessConfig::default();
    let awareness = Awareness::recalled(&rules, Some(store.clone()), Arc::clone(&shown)).await;
    let initiative =
        Initiative { announcer: Some(announcer.clone()), not_now_min: 60, ..Initiative::default() };
    let engine = Engine::new(EngineParts {
        agents: None,
        home: None,
        initiative: initiative.clone(),
        reply: ReplyConfig::default(),
        persona: PersonaConfig::default(),
        context: ContextConfig::default(),
        memory: MemoryConfig::default(),
        wake_phrase: None,
        model: Arc::new(Thinker(thought)),
        room: Room::from(&LlmConfig::default()),
        store: Some(store.clone()),
        schedule: None,
        clock: Arc::clone(&shown),
        tools: ToolRegistry::default(),
        tool_rules: ToolsConfig::default(),
        protocols: Protocols::default(),
        languages: in_english(),
    });
    let letters = Store::in_memory().unwrap();
    let parts = ImpulseParts {
        engine: Arc::new(engine),
        awareness: awareness.clone(),
        announcer: announcer.clone(),
        outbox: outbox(letters.clone(), Arc::clone(&shown), carriers),
        store: Some(store.clone()),
        clock: shown,
        languages: in_english(),
        config: ImpulseConfig::default(),
    };
    let speaker = ImpulseSpeaker::new(parts, fastrand::Rng::with_seed(4));
    Bench { clock, announcer, awareness, store, letters, initiative, speaker, heard: Vec::new() }
}

impl Bench {
    /// So many minutes pass, in which somebody is there to hear.
    async fn minutes(&mut self, minutes: u32, floor: Floor) {
        let place = Place::named("home");
        for _ in 0..minutes {
            let now = self.clock.now().checked_add(1.minute()).unwrap();
            self.clock.set(now.clone());
            self.speaker.step().await;
            let situation = Situation { place: &place, floor, presence: Presence::Here };
            if let Next::Say(id, announcement) = self.announcer.next(&situation).await {
                let words = announcement.wording.text(joi_language::testing::english(), &now).0;
                self.heard.push((now, words));
                self.announcer.heard(id, std::time::Instant::now()).await;
            }
        }
    }

    fn happens(&self, what: &str) {
        let now = self.clock.now();
        let event = HouseEvent {
            happening: Happening::LeftOpen { open_s: 2400 },
            what: what.into(),
            item: what.into(),
            at: now.timestamp(),
        };
        self.awareness.state().take(event, &AwarenessConfig::default(), &now);
    }

    async fn wishes(&self, wish: QuietWish) -> String {
        let english = joi_language::testing::english();
        let channel = joi_base::message::Channel::Voice;
        self.initiative.obey(wish, (english, &self.clock.now()), channel).await
    }

    async fn decisions(&self) -> BTreeMap<&'static str, usize> {
        let mut found = BTreeMap::new();
        for row in self.store.impulses(5000).await.unwrap() {
            let record: ImpulseRecord = serde_json::from_str(&row.json).unwrap();
            *found.entry(record.verdict.name()).or_default() += 1;
        }
        found
    }
}

#[tokio::test]
async fn a_week_holds_few_words_each_on_its_own_topic_by_day_and_every_decision_is_kept() {
    let mut bench = bench(Store::in_memory().unwrap(), start()).await;
    for day in 0..7 {
        bench.minutes(17 * 60, Floor::Free).await;
        bench.happens(&format!("Window {day}"));
        bench.happens(&format!("Garage {day}"));
        bench.minutes(7 * 60, Floor::Free).await;
    }
    let heard = &bench.heard;
    assert!((7..=14).contains(&heard.len()), "{heard:?}");
    assert!(heard.iter().all(|(at, _)| (8..23).contains(&at.hour())), "{heard:?}");
    assert!(heard.iter().all(|(_, text)| text.contains("has been open for 40 minutes")), "{heard:?}");
    let decisions = bench.decisions().await;
    let all: usize = decisions.values().sum();
    assert!((672..=1008).contains(&all), "every 12.5 minutes: {decisions:?}");
    assert_eq!(decisions["speak"], heard.len(), "{decisions:?}");
    assert!(decisions["quiet_hours"] > 200 && decisions.contains_key("no_viable_topic"), "{decisions:?}");
}

#[tokio::test]
async fn decisions_of_long_ago_are_removed_once_a_day() {
    let mut bench = bench(Store::in_memory().unwrap(), start()).await;
    let kept = SignedDuration::from_hours(24 * 30);
    let old = |hours| start().timestamp().checked_sub(kept).unwrap().checked_add(hours).unwrap();
    let ids = async |bench: &Bench| -> Vec<i64> {
        bench.store.impulses(5000).await.unwrap().iter().map(|row| row.id).collect()
    };
    for hours in [-1, 2, 30] {
        bench.store.add_impulse(old(SignedDuration::from_hours(hours)), "{}".to_owned()).await.unwrap();
    }
    let stored = ids(&bench).await;
    bench.minutes(60, Floor::Free).await;
    assert!(!ids(&bench).await.contains(&stored[2]), "the first look removes what is too old");
    bench.minutes(22 * 60, Floor::Free).await;
    assert!(ids(&bench).await.contains(&stored[1]), "not yet a day later");
    bench.minutes(2 * 60, Floor::Free).await;
    let left = ids(&bench).await;
    assert!(!left.contains(&stored[1]) && left.contains(&stored[0]), "{left:?}");
}

#[tokio::test]
async fn quiet_until_tomorrow_holds_over_a_restart_while_topics_gather_and_ends_in_the_morning() {
    let store = Store::in_memory().unwrap();
    let evening = start().checked_add(20.hours()).unwrap();
    let before = bench(store.clone(), evening.clone()).await;
    assert_eq!(
        before.wishes(QuietWish::UntilTomorrow).await,
        "All right. I'll be quiet until tomorrow at 7 AM, unless there is danger."
    );
    before.happens("Window");
    before.awareness.save().await;
    let mut after = bench(store, evening).await;
    after.happens("Garage");
    after.minutes(12 * 60 - 1, Floor::Free).await;
    assert_eq!((after.heard.len(), after.awareness.state().topics.len()), (0, 2), "07:59");
    after.minutes(12 * 60, Floor::Free).await;
    assert!(!after.heard.is_empty(), "{:?}", after.decisions().await);
}

#[tokio::test]
async fn not_now_keeps_her_silent_for_an_hour_until_she_may_talk_again() {
    let evening = start().checked_add(17.hours()).unwrap();
    let mut bench = bench(Store::in_memory().unwrap(), evening).await;
    bench.happens("Window");
    bench.wishes(QuietWish::NotNow).await;
    bench.minutes(59, Floor::Free).await;
    assert_eq!(bench.heard, []);
    bench.wishes(QuietWish::Over).await;
    bench.minutes(60, Floor::Free).await;
    assert_eq!(bench.heard.len(), 1);
}

#[tokio::test]
async fn words_that_find_no_quiet_moment_are_not_said_and_their_topic_stays() {
    let evening = start().checked_add(17.hours()).unwrap();
    let mut bench = bench(Store::in_memory().unwrap(), evening).await;
    bench.happens("Window");
    bench.minutes(90, Floor::User { since: std::time::Instant::now() }).await;
    let before = bench.awareness.state().last_interaction;
    assert_eq!((bench.heard.len(), bench.awareness.state().topics.len(), before), (0, 1, None));
    let outcomes: Vec<_> = bench.store.impulses(500).await.unwrap();
    assert!(outcomes.iter().any(|row| row.json.contains("not_said")), "{outcomes:?}");
    bench.minutes(40, Floor::Free).await;
    assert_eq!((bench.heard.len(), bench.awareness.state().topics.len()), (1, 0));
    assert!(bench.awareness.state().last_interaction.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_model_that_writes_garbage_or_nothing_costs_its_words_and_never_the_topic() {
    let evening = start().checked_add(17.hours()).unwrap();
    let garbage = [
        Thought::Says("Sure! Here is a message for you."),
        Thought::Says("{\"say\": 7}"),
        Thought::Says("{\"say\": \"\", \"urgent\": false}"),
        Thought::Says("{\"say\": \"The weather is lovely, isn't it?\", \"urgent\": false}"),
        Thought::Says("{\"say\": \"tool_calls: [{}] Window\", \"urgent\": false}"),
        Thought::Says("{\"say\": \"I've closed the Window for you.\", \"urgent\": true}"),
        Thought::Dies,
        Thought::Hangs,
    ];
    for thought in garbage {
        let mut bench = bench_with(thought, Store::in_memory().unwrap(), evening.clone()).await;
        bench.happens("Window");
        bench.minutes(60, Floor::Free).await;
        let left = bench.awareness.state().topics.len();
        assert_eq!((bench.heard.len(), left), (0, 1), "{thought:?}: {:?}", bench.heard);
        let rows = bench.store.impulses(500).await.unwrap();
        assert!(rows.iter().any(|row| row.json.contains("\"refused\"")), "{thought:?}: {rows:?}");
    }
    let good = Thought::Says("{\"say\": \"The Window is still open.\", \"urgent\": false}");
    let mut bench = bench_with(good, Store::in_memory().unwrap(), evening).await;
    bench.happens("Window");
    bench.minutes(60, Floor::Free).await;
    let rows = bench.store.impulses(500).await.unwrap();
    assert_eq!(bench.heard.len(), 1, "{rows:?}");
    assert_eq!(bench.heard[0].1, "The Window is still open.");
}

#[tokio::test]
async fn a_clock_that_jumps_a_day_changes_neither_quiet_hours_nor_how_often_she_speaks() {
    let evening = start().checked_add(17.hours()).unwrap();
    let mut bench = bench(Store::in_memory().unwrap(), evening.clone()).await;
    for day in [0, 1, -1, 0] {
        let jumped = evening.checked_add(day.days()).unwrap();
        bench.clock.set(jumped.clone());
        let before = bench.heard.len();
        bench.happens(&format!("Window {day} {before}"));
        bench.minutes(24 * 60, Floor::Free).await;
        let said = &bench.heard[before..];
        assert!((1..=4).contains(&said.len()), "{day}: {said:?}");
        assert!(said.iter().all(|(at, _)| (8..23).contains(&at.hour())), "{day}: {said:?}");
    }
}

#[tokio::test]
async fn a_database_that_can_not_be_written_neither_silences_her_nor_makes_her_repeat_herself() {
    let evening = start().checked_add(17.hours()).unwrap();
    let mut bench = bench(Store::in_memory().unwrap(), evening).await;
    bench.store.make_read_only().await;
    bench.happens("Window");
    bench.minutes(5 * 60, Floor::Free).await;
    assert_eq!(bench.heard.len(), 1, "{:?}", bench.heard);
}

/// Returns an evening on which nobody is at home, and a message waits for the carrier.
async fn letter_on_its_way(hour: i64) -> (Bench, OutgoingId) {
    let evening = start().checked_add(hour.hours()).unwrap();
    let store = Store::in_memory().unwrap();
    let mut bench = bench_of(Thought::Absent, store, evening, &[CarrierName::Signal]).await;
    bench.announcer.set_away(true);
    bench.happens("Window");
    while bench.speaker.waiting.is_none() {
        bench.minutes(1, Floor::Free).await;
    }
    assert_eq!(bench.heard, [], "there is nobody to hear it");
    (bench, OutgoingId(1))
}

#[tokio::test]
async fn to_whoever_is_not_at_home_she_writes_and_only_what_was_sent_is_reported() {
    let (mut bench, id) = letter_on_its_way(15).await;
    let state = |bench: &Bench| bench.awareness.state().clone();
    assert_eq!((state(&bench).topics.len(), state(&bench).awaiting_answer.len()), (1, 0), "it only waits");
    bench.speaker.parts.outbox.settle(id, LetterState::Sent).await;
    bench.minutes(1, Floor::Free).await;
    let after = state(&bench);
    assert_eq!((after.topics.len(), after.outbound.len()), (0, 1));
    assert_eq!(after.awaiting_answer.len(), 1);
}

#[tokio::test]
async fn what_could_not_be_sent_stays_a_topic_and_counts_for_nothing() {
    let (mut bench, id) = letter_on_its_way(15).await;
    bench.speaker.parts.outbox.settle(id, LetterState::GivenUp).await;
    bench.minutes(1, Floor::Free).await;
    let state = bench.awareness.state().clone();
    assert_eq!((state.topics.len(), state.outbound.len(), state.last_interaction), (1, 0, None));
    // Joi tries again, though it is the same topic.
    while bench.speaker.waiting.is_none() {
        bench.minutes(1, Floor::Free).await;
    }
    let again = bench.speaker.parts.outbox.state(OutgoingId(id.0 + 1)).await.unwrap();
    assert_eq!(again, Some(LetterState::Waiting));
}

#[tokio::test]
async fn a_message_that_waits_is_taken_back_when_the_user_wants_quiet() {
    let (mut bench, id) = letter_on_its_way(15).await;
    bench.wishes(QuietWish::NotNow).await;
    bench.minutes(1, Floor::Free).await;
    assert_eq!(bench.speaker.parts.outbox.state(id).await.unwrap(), Some(LetterState::GivenUp));
    assert_eq!(bench.awareness.state().topics.len(), 1);
}
