//! Sets the scene of a sentence: a fresh bench, with what there is put into the stores, not spoken.

use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};

use super::super::*;
use super::house::{PaperHouse, SharedHouse};
use super::moment::{self, DueWanted};
use super::sentences::{SaidSentence, quoted, tokens};
use joi_home::HomeConfig;
use joi_language::values::entry::Days;
use joi_language::{Language, Languages};
use joi_schedule::announce::{AnnounceConfig, Announcer};
use joi_schedule::{Due, Entry, EntryId, EntryKind, EntryState};
use joi_store::{NewMemory, ScheduleChange, ScheduleWrite};
use joi_tools::{ToolServices, builtin};
use joi_understand::intents::{self, Intent, MemoryOrder};
use joi_understand::requests::list;

/// A bench in a scene.
pub(super) struct Stage {
    pub(super) bench: Bench,
    pub(super) house: SharedHouse,
    pub(super) announcer: Announcer,
    pub(super) language: Arc<Language>,
    /// The last answer, where the scene has one.
    pub(super) said: Option<String>,
}

/// A language, loaded once.
fn language(code: &str) -> Arc<Language> {
    static LOADED: LazyLock<[Arc<Language>; 2]> =
        LazyLock::new(|| ["en", "de"].map(joi_language::testing::spoken));
    let language = LOADED.iter().find(|language| language.code() == code);
    Arc::clone(language.unwrap())
}

/// Returns the bench of a sentence, in its scene.
pub(super) async fn set(sentence: &SaidSentence, code: &str) -> Stage {
    let language = language(code);
    let house = Arc::new(PaperHouse::new(code, &sentence.scene));
    let mut announcer = None;
    let bench = Bench::with(vec![], |parts| {
        parts.languages = Languages::from(Arc::clone(&language));
        parts.schedule = Some(Schedule::new(ScheduleParts {
            store: parts.store.clone().unwrap(),
            clock: Arc::clone(&parts.clock),
            config: TimersConfig::default(),
            languages: parts.languages.clone(),
            is_synchronised: || true,
            wake_up: None,
        }));
        let heard = Announcer::new(&AnnounceConfig::default(), None, Arc::clone(&parts.clock));
        parts.initiative =
            Initiative { announcer: Some(heard.clone()), not_now_min: 60, ..Initiative::default() };
        announcer = Some(heard);
        parts.initiative.known = presence(&sentence.scene);
        let config = HomeConfig { room: sentence.room.into(), ..HomeConfig::default() };
        parts.home = Some(ConnectedHome::new(Arc::clone(&house) as _, &config));
        let services = ToolServices {
            store: parts.store.clone(),
            schedule: parts.schedule.clone(),
            reads_when: intents::when,
            clock: Arc::clone(&parts.clock),
            home: Some(Arc::clone(&house) as _),
            http: None,
        };
        parts.tools = builtin(&ToolsConfig::default(), &services).into();
    });
    bench.clock.set(time("2026-03-02T09:00:00+01:00[Europe/Berlin]"));
    // The embedded model, with which the program ships.
    bench.model.state.send_replace(scripted::knows_little());
    bench.model.follows(Box::new(|_| scripted::answers("Hm.")));
    let mut stage = Stage { bench, house, announcer: announcer.unwrap(), language, said: None };
    for entry in &sentence.scene {
        stage.add(entry).await;
    }
    stage
}

/// Whether anybody is at home, where the scene says who is.
fn presence(scene: &[&str]) -> Option<HouseTeller> {
    let people: Vec<&&str> = scene.iter().filter(|entry| entry.starts_with("person ")).collect();
    let is_anybody_home = people.iter().any(|person| person.ends_with(" home"));
    let known = move |_: &Language, _: &Zoned| HouseKnown {
        is_anybody_home: Some(is_anybody_home),
        ..HouseKnown::default()
    };
    (!people.is_empty()).then(|| Arc::new(known) as HouseTeller)
}

impl Stage {
    /// Adds one entry of the scene; those of the house and of presence are there already.
    async fn add(&mut self, text: &str) {
        let parts = tokens(text);
        let rest = |from: usize| parts[from..].join(" ");
        let name = parts.iter().find_map(|part| quoted(part)).map(str::to_owned);
        match parts[0].as_str() {
            "timer" | "alarm" | "reminder" => self.schedule(self.entry(&parts, name)).await,
            "ringing" => {
                let since = self.bench.clock.now().timestamp();
                let entry = self.entry(&parts[1..], None);
                self.schedule(Entry {
                    due: Due::Moment(since),
                    state: EntryState::Ringing { since },
                    ..entry
                })
                .await;
            }
            "list" => {
                let list = self.list(parts[1].trim_end_matches(':'));
                let entries = rest(2).split(", ").map(str::to_owned).collect();
                self.bench.store.add_notes(&list, entries, self.now()).await.unwrap();
            }
            "fact:" => self.remember(name.unwrap()).await,
            "said" => {
                self.bench.voice.with(|state| state.last_reply.clone_from(&name));
                self.said = name;
            }
            "volume" => assert_eq!(parts[1], "50", "the volume that effects are read against"),
            word => assert!(matches!(word, "item" | "person") || word.contains('='), "{text}"),
        }
    }

    fn now(&self) -> Timestamp {
        self.bench.clock.now().timestamp()
    }

    /// Returns the name under which a list is stored.
    pub(super) fn list(&self, name: &str) -> String {
        list::list_name(name, &self.language)
    }

    /// Returns the entry of `timer 600 s "name" left 240 s paused` or `alarm 7:00 "name" on weekdays`.
    fn entry(&self, parts: &[String], name: Option<String>) -> Entry {
        let now = self.bench.clock.now();
        let kind = [EntryKind::Timer, EntryKind::Alarm, EntryKind::Reminder]
            .into_iter()
            .find(|kind| kind.name() == parts[0])
            .unwrap();
        let mut entry = Entry {
            id: EntryId(0),
            kind,
            name,
            set_at: now.timestamp(),
            length_s: None,
            due: Due::Moment(now.timestamp()),
            days: Days::NONE,
            skips: None,
            does: Vec::new(),
            state: EntryState::Waiting,
            silenced_at: None,
            in_doubt: false,
            is_foreign: false,
            place: None,
        };
        if kind == EntryKind::Timer {
            let behind = |word: &str| parts.iter().position(|part| part == word).map(|at| &parts[at + 1]);
            let length: u32 = parts[1].parse().unwrap();
            let left: u32 = behind("left").map_or(length, |left| left.parse().unwrap());
            entry.length_s = Some(length);
            entry.due = Due::Moment(now.timestamp() + SignedDuration::from_secs(left.into()));
            if parts.last().is_some_and(|last| last == "paused") {
                entry.state = EntryState::Paused { left_s: left };
            }
            return entry;
        }
        let unnamed: Vec<&str> =
            parts[1..].iter().map(String::as_str).filter(|part| quoted(part).is_none()).collect();
        let due = DueWanted::read(&unnamed.join(" "), &now);
        let time = due.times.0;
        match due.date {
            Some(date) => entry.due = Due::Wall(date.to_datetime(time)),
            None => {
                entry.days = moment::days(&due.series);
                entry.due = moment::first_on(entry.days, time, &now);
            }
        }
        entry
    }

    async fn schedule(&self, entry: Entry) {
        let put = move |table: joi_store::ScheduleTable| {
            let text = serde_json::to_string(&entry).unwrap();
            let changes = vec![ScheduleChange::Put(table.next_id, text)];
            Ok(ScheduleWrite { changes, latest: None, answer: () })
        };
        self.bench.store.schedule(put).await.unwrap();
    }

    /// Stores a fact as the kind that it would be if it was spoken.
    async fn remember(&self, text: String) {
        let before = if self.language.code() == "de" { "merk dir dass" } else { "remember that" };
        let intent =
            intents::match_intent(&self.language, &format!("{before} {text}")).map(|quick| quick.what);
        let Some(Intent::Memory(MemoryOrder::Remember { kind, .. })) = intent else { panic!("{text}") };
        let new = NewMemory { kind, at: self.now(), text: Private(text), source: "said".into() };
        self.bench.store.remember(vec![new]).await.unwrap();
    }
}
