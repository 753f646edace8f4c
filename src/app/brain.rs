//! Makes database, model server and reply engine.
//!
//! Called once at start, inside a Tokio runtime. A database that cannot be opened is reported and joi remembers
//! nothing; the model server is looked for in the background.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use jiff::Zoned;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::agents::AgentsBeside;
use super::alerts::alert_service;
use super::awareness::Awareness;
use super::daemon::{Service, ServiceContext};
use super::goals::handle::{self as goals, GoalsHandle};
use super::home;
use super::messages;
use super::serving;
use super::timers;
use super::tool_sources::{TOOLS_LIMIT, ToolSources};
use crate::config::Config;
use crate::control::ChatStatus;
use joi_agent::model::Room;
use joi_agent::{self as reply, ConnectedHome, Engine, EngineParts, Initiative, Prelude, Protocols};
use joi_autonomy::agent::lines::{Agents, AgentsReach};
use joi_autonomy::agent::orders::AddressedAgents;
use joi_autonomy::watch::Watches;
use joi_base::clock::{Clock, SystemClock};
use joi_base::message::TurnId;
use joi_base::paths::Paths;
use joi_base::pulse::Pulse;
use joi_language::{Language, Languages};
use joi_llm::{LocalModels, Mind, MindParts, ModelServer, RestartPolicy};
use joi_messages::outbound::Outbox;
use joi_proactive::alert::{AlertParts, AlertService, Alerts};
use joi_schedule::announce::Announcer;
use joi_schedule::{Schedule, WakeUp};
use joi_store::{Loss, Store};
use joi_tools::{self as tools, HttpClient, ToolRegistry, ToolServices};

/// No request to the database takes longer, on the slowest card.
const STORE_LIMIT: Duration = Duration::from_secs(60);

/// Database, model server, reply engine.
pub struct Brain {
    /// Answers.
    pub engine: Arc<Engine<Mind>>,
    /// Which model server serves.
    pub mind: Arc<Mind>,
    /// Nothing when the database can't be opened.
    pub store: Option<Store>,
    /// Timers, alarms and reminders; nothing without a database.
    pub schedule: Option<Schedule>,
    /// The watches over the house; nothing without a database.
    pub watches: Option<Watches>,
    /// Takes whatever is to be said without having been asked for.
    pub announcer: Announcer,
    /// All alarms.
    pub alerts: Alerts,
    /// Takes messages that leave the house.
    pub(super) outbox: Outbox,
    /// The context state of the house and the user.
    pub awareness: Awareness,
    /// The agents of this program; they run in the daemon alone.
    pub agents: Agents,
    /// The language that is spoken.
    pub languages: Languages,
    /// The goals, for whoever works on them.
    pub(super) goals: GoalsHandle,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Faults while it was made; one sentence each.
    pub remarks: Vec<String>,
    /// The hearts of its stages, and of all that are made for it.
    pub pulse: Pulse,
    /// Ends the connection to the house, and the servers of tools, where this program has made them.
    house: CancellationToken,
    /// The programs that bring tools, where this program looks after them outside of the daemon.
    tools: Option<(ToolSources, JoinHandle<()>)>,
}

/// What differs between the programs that make a brain.
struct Surroundings {
    local: LocalModels,
    pulse: Pulse,
    /// Wakes the program that rings; nothing in that program itself.
    wake_up: Option<WakeUp>,
    home: Option<ConnectedHome>,
}

impl Brain {
    /// Opens the database, starts looking for a model server, and makes the engine. Our own server ends with it.
    /// Alarms and timers are left to the running program, if there is one.
    pub async fn start(config: &Config, paths: &Paths) -> anyhow::Result<Self> {
        Self::start_with(config, paths, None, None).await
    }

    /// The same for a command that may be followed by another one: our own server waits for that, or is found. The house
    /// is connected in the background; a failure is reported.
    pub async fn start_lingering(config: &Config, paths: &Paths) -> anyhow::Result<Self> {
        let (house, fault) = match super::home(config, paths) {
            Ok(house) => (house, None),
            Err(fault) => (None, Some(format!("{fault}. {}", fault.remedy()))),
        };
        let spoken_to = house.as_ref().map(|(house, _)| home::spoken_to(house, config));
        let mut brain = Self::start_with(config, paths, config.llm.lingers(), spoken_to).await?;
        brain.remarks.extend(fault);
        if let Some((_, follower)) = house {
            tokio::spawn(follower.run(brain.house.clone()));
        }
        Ok(brain)
    }

    /// The same with the servers of tools, which start in the background.
    pub async fn start_with_tools(config: &Config, paths: &Paths) -> anyhow::Result<Self> {
        let mut brain = Self::start_lingering(config, paths).await?;
        if !config.tools.enabled {
            return Ok(brain);
        }
        let tools = ToolSources::new(config, paths, &brain.engine.parts.tools);
        brain.remarks.extend(tools.remarks.clone());
        if !tools.is_empty() {
            let running = tokio::spawn(tools.clone().run(brain.house.clone()));
            brain.tools = Some((tools, running));
        }
        Ok(brain)
    }

    async fn start_with(
        config: &Config,
        paths: &Paths,
        outlives: Option<Duration>,
        home: Option<ConnectedHome>,
    ) -> anyhow::Result<Self> {
        let local = LocalModels { outlives, ..super::local_models(config, paths)? };
        let wake_up = Some(timers::wake_up(paths));
        let around = Surroundings { local, pulse: Pulse::default(), wake_up, home };
        let (brain, server) = Self::assemble(config, paths, around).await?;
        brain.mind.attend(server);
        Ok(brain)
    }

    /// The same for the daemon, which rings itself and runs the task that looks for a model server. The hearts of
    /// the stages are in `pulse`; `home` is spoken to.
    pub async fn for_daemon(
        config: &Config,
        paths: &Paths,
        pulse: Pulse,
        home: Option<ConnectedHome>,
    ) -> anyhow::Result<(Self, ModelServer)> {
        let local = super::local_models(config, paths)?;
        Self::assemble(config, paths, Surroundings { local, pulse, wake_up: None, home }).await
    }

    async fn assemble(
        config: &Config,
        paths: &Paths,
        around: Surroundings,
    ) -> anyhow::Result<(Self, ModelServer)> {
        let Surroundings { local, pulse, wake_up, home } = around;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let rings_itself = wake_up.is_none();
        let languages = super::language_library(config, paths).spoken(&config.language)?;
        compile_templates(&languages);
        let mut remarks = Vec::new();
        let store = match open_store(paths, &pulse).await {
            Ok(store) => Some(store),
            Err(error) => {
                remarks.push(format!("nothing is remembered: {error:#}"));
                None
            }
        };
        if let Some(store) = &store {
            remarks.extend(damage(store).await);
            let cutoff = config.store.cutoff(clock.now().timestamp());
            if let Err(error) = store.purge_older_than(cutoff).await {
                remarks.push(format!("old dialogue was not removed: {error}"));
            }
        }
        let http = HttpClient::public();
        if let Err(error) = &http {
            remarks.push(format!("tools can't use the internet: {error}"));
        }
        let watches = store.clone().map(|store| Watches::new(store, Arc::clone(&clock), wake_up.clone()));
        let home = home.map(|home| home.watched_by(watches.clone()));
        let schedule = store
            .clone()
            .map(|store| timers::schedule(config, languages.clone(), store, Arc::clone(&clock), wake_up));
        // Only the program that rings says what was kept to be said.
        let kept = if rings_itself { store.clone() } else { None };
        let announcer = Announcer::new(&config.announce, kept, Arc::clone(&clock));
        if let Err(error) = announcer.restore().await {
            remarks.push(format!("what was to be announced is not known: {error}"));
        }
        let means = ToolServices {
            store: store.clone(),
            schedule: schedule.clone(),
            reads_when: joi_understand::intents::when,
            clock: Arc::clone(&clock),
            home: home.as_ref().map(ConnectedHome::server),
            http: http.ok(),
        };
        let registry = ToolRegistry::from(tools::builtin(&config.tools, &means));
        let goals = match &store {
            Some(store) => {
                let elsewhere = (!rings_itself).then_some(paths);
                goals::tool(config, store, &clock, (&registry, elsewhere)).await
            }
            None => GoalsHandle::default(),
        };
        let protocols = Protocols::recalled(store.as_ref()).await;
        let wake_phrase = super::first_phrase(config, paths);
        // Only the program that rings works on goals.
        let llm = if rings_itself { config.llm.clone() } else { config.llm.clone().for_conversations() };
        if rings_itself {
            remarks.extend(serving::leaving(&llm));
        }
        let (mind, server) = Mind::unattended(MindParts {
            config: llm,
            local,
            head: reply::head(Prelude {
                persona: config.persona.clone(),
                context: config.context.clone(),
                wake_phrase: wake_phrase.clone(),
                tools: registry.clone(),
                protocols: protocols.clone(),
                clock: Arc::clone(&clock),
                languages: languages.clone(),
            }),
            restarts: RestartPolicy::default(),
        });
        let mind = Arc::new(mind);
        let awareness = Awareness::recalled(&config.awareness, store.clone(), Arc::clone(&clock)).await;
        // Only the program that rings also sends.
        let carriers = if rings_itself { messages::carriers(config) } else { Vec::new() };
        let outbox = messages::outbox(config, store.as_ref(), (&clock, &languages), carriers)?;
        let alerts = Alerts::new(AlertParts {
            config: config.alert.clone(),
            announcer: announcer.clone(),
            outbox: outbox.clone(),
            store: if rings_itself { store.clone() } else { None },
            languages: languages.clone(),
        });
        // A wish for quiet is stored in any case: the program that speaks unasked reads it again and again.
        let wishes = Announcer::new(&config.announce, store.clone(), Arc::clone(&clock));
        let initiative = Initiative {
            announcer: Some(if rings_itself { announcer.clone() } else { wishes }),
            alerts: Some(if rings_itself {
                AlertService::Here(alerts.clone())
            } else {
                alert_service(paths)
            }),
            known: Some(Arc::new({
                let awareness = awareness.clone();
                move |language: &Language, now: &Zoned| awareness.known(language, now)
            })),
            not_now_min: config.impulse.not_now_min,
        };
        let agents = match rings_itself && config.goals.enabled {
            true => Agents::with_assistant(config.agents.keys(), goals::ASSISTANT),
            false => Agents::new(config.agents.keys()),
        };
        let reach: Arc<dyn AgentsReach> = match rings_itself {
            true => Arc::new(agents.clone()),
            false => Arc::new(AgentsBeside(paths.runtime.clone())),
        };
        let addressed = AddressedAgents::new(&config.agents, Arc::clone(&reach));
        let engine = Arc::new(Engine::new(EngineParts {
            agents: addressed.or_else(|| config.goals.enabled.then(|| AddressedAgents::unnamed(reach))),
            reply: config.reply.clone(),
            persona: config.persona.clone(),
            context: config.context.clone(),
            memory: config.memory,
            wake_phrase,
            model: Arc::clone(&mind),
            room: Room::from(&config.llm),
            store: store.clone(),
            schedule: schedule.clone(),
            home,
            initiative,
            clock: Arc::clone(&clock),
            tools: registry,
            tool_rules: config.tools.clone(),
            protocols,
            languages: languages.clone(),
        }));
        let house = CancellationToken::new();
        Ok((
            Self {
                agents,
                alerts,
                awareness,
                engine,
                outbox,
                mind,
                store,
                schedule,
                watches,
                languages,
                announcer,
                goals,
                clock,
                remarks,
                pulse,
                house,
                tools: None,
            },
            server,
        ))
    }

    /// Returns the newest turn ever recorded; new ones count on from it.
    pub async fn last_turn(&self) -> TurnId {
        self.for_voice().last_turn().await
    }

    /// Returns one line about the model server, for people.
    pub fn serving(&self) -> String {
        serving::sentence(&self.mind.serving().borrow(), self.mind.config())
    }

    /// Returns a function that reports the same at any later time, with the reason why no better model of ours answers.
    pub fn serving_now(&self) -> impl Fn() -> ChatStatus + Send + Sync + 'static {
        let (now, llm, uses) = (self.mind.serving(), self.mind.config().clone(), serving::uses(&self.mind));
        move || {
            let uses = uses.iter().map(serving::of_use).collect();
            ChatStatus { uses, ..serving::status(&now.borrow(), &llm) }
        }
    }

    /// Waits until the servers of tools have started, or failed to; 5 s at most. Cancel-safe.
    pub async fn tools_settled(&self) {
        if let Some((tools, _)) = &self.tools {
            tools.settled(Some(TOOLS_LIMIT)).await;
        }
    }

    /// Ends the model server, then closes the database.
    pub async fn shutdown(self) {
        self.house.cancel();
        if let Some((_, running)) = self.tools {
            let _ = running.await;
        }
        self.mind.shutdown().await;
        drop(self.engine);
        drop(self.schedule);
        if let Some(store) = self.store
            && let Err(error) = store.close().await
        {
            tracing::warn!(%error, "the database was not closed cleanly");
        }
    }
}

/// Compiles the sentence templates of the languages that are spoken beside the start; whoever needs them earlier waits.
fn compile_templates(languages: &Languages) {
    let languages = languages.all();
    let compile = move || {
        for language in languages {
            let _ = language.templates();
        }
    };
    if let Err(error) = std::thread::Builder::new().name("joi-templates".into()).spawn(compile) {
        tracing::warn!(%error, "sentence templates are compiled when they are first needed");
    }
}

/// Returns the service that looks for a model server, starts the embedded one where there is none, and ends it.
pub(super) fn model_server(server: ModelServer) -> Service {
    let run = move |context: ServiceContext| {
        let server = server.clone();
        async move {
            server.run(context.stop).await;
            Ok(())
        }
    };
    Service::new("model server", "questions that need the language model are not answered", run)
        .end_within(Duration::from_secs(10))
}

/// Returns what opening a damaged database has cost.
async fn damage(store: &Store) -> Option<String> {
    let kept = store.set_aside()?.display();
    let told = match store.losses().await {
        Ok(losses) => losses.last().map(Loss::summary).unwrap_or_default(),
        Err(error) => format!("what was lost is not known: {error}"),
    };
    Some(format!("the database was damaged and is kept as {kept}; {told}; `joi doctor` shows it again"))
}

async fn open_store(paths: &Paths, pulse: &Pulse) -> anyhow::Result<Store> {
    let (file, heart) = (paths.database(), pulse.heart("store", STORE_LIMIT));
    let opened = tokio::task::spawn_blocking(move || Store::open_watched(&file, heart)).await;
    Ok(opened.context("opening the database was given up")??)
}
