//! The sensors of an agent: made of the configuration, each driven by a task of its own.
//!
//! In: readings. Out: news for the agent's task. A failure is reported and retried after longer and longer pauses. A signal
//! that asks a model gives way to whoever talks, and then fires nothing.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::world::AgentWorld;
use joi_agent::model::ChatModel;
use joi_autonomy::agent::exchange::Notification;
use joi_autonomy::agent::sensor::{
    HouseFeed, PolledTool, Sensor, SensorFault, SensorPauses, SensorReading, SensorWorld,
};
use joi_autonomy::agent::sensor_entry::SensorEntry;
use joi_autonomy::agent::signal::{Signal, SignalScore, score};
use joi_llm::ModelPurpose;
use joi_tools::gate::{AgentCall, Consent, GateVerdict, StandingPermission, Taint, judge_agent};
use joi_tools::{self as tools, Call, Effect, Source, schema};

/// Time limit of a score.
const SCORED_WITHIN: Duration = Duration::from_secs(20);
/// Tokens of a score.
const SCORE_TOKENS: u32 = 8;

/// News of a sensor.
#[derive(Debug)]
pub(super) enum SensorNews {
    /// A reading, for these fields.
    Read { sensor: String, updates: Vec<String>, reading: SensorReading },
    /// A signal has fired.
    Fired(Notification),
    /// It has failed.
    Failed { sensor: String, failures: u32, retry: Duration, why: String },
    /// Tokens were spent on a score.
    Spent(u64),
}

/// What sensors take from the program.
struct SensedWorld<'w, M>(&'w Arc<AgentWorld<M>>);

impl<M: ChatModel + 'static> SensorWorld for SensedWorld<'_, M> {
    fn polled(&self, name: &str, arguments: &Map<String, Value>) -> PolledTool {
        let (world, name, arguments) = (Arc::clone(self.0), name.to_owned(), arguments.clone());
        Box::new(move || {
            let (world, name, arguments) = (Arc::clone(&world), name.clone(), arguments.clone());
            async move { looked_up(&world, &name, &arguments).await }.boxed()
        })
    }

    fn house(&self) -> Option<HouseFeed> {
        self.0.house.as_ref().map(|house| house())
    }
}

/// Makes a sensor; nothing is opened yet.
pub(super) fn made<M: ChatModel + 'static>(
    world: &Arc<AgentWorld<M>>,
    entry: &SensorEntry,
) -> Result<Box<dyn Sensor>, SensorFault> {
    entry.sensor(&SensedWorld(world))
}

/// Calls a tool that the configuration names, with its arguments. One that changes something is never called so.
pub(super) async fn looked_up<M: ChatModel>(
    world: &AgentWorld<M>,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<(String, Source), String> {
    let snapshot = world.engine.parts.tools.snapshot();
    let Some(tool) = snapshot.toolbox.get(name) else {
        return Err(format!("there is no tool {name} now; `joi text` lists them with /tools"));
    };
    let arguments = schema::checked(&tool.schema(), arguments)?;
    let effect = tool.effect(&arguments);
    if !matches!(effect, Effect::Looks | Effect::Fetches) {
        return Err(format!("{name} changes something; a sensor or a refresh only looks"));
    }
    // The owner has written the call and its arguments.
    let (standing, consent) = (StandingPermission::Given, Consent::NotAsked);
    let call = AgentCall { tool: &**tool, arguments: &arguments, taint: Taint::Clean, standing, consent };
    let verdict = judge_agent(&call, &world.engine.parts.tool_rules);
    if verdict != GateVerdict::Allow {
        return Err(format!("{name} may not be called: {}", verdict.reason()));
    }
    let (now, language) = (&world.clock.now(), &*world.engine.language());
    let call = Call { arguments: &arguments, effect, now, source: Source::Own, language, conversation: "" };
    match tools::run(&**tool, call).await {
        Ok(output) => Ok((output.text, output.source)),
        Err(error) => Err(error.to_string()),
    }
}

/// Drives a sensor until its agent is gone.
pub(super) async fn drive<M: ChatModel>(
    world: Arc<AgentWorld<M>>,
    name: String,
    entry: SensorEntry,
    mut sensor: Box<dyn Sensor>,
    news: mpsc::Sender<SensorNews>,
) {
    let mut pauses = SensorPauses::new(Duration::from_secs(u64::from(entry.interval_s)));
    let signals = entry.signals.clone().into_iter();
    let mut signals: Vec<Signal> = signals.map(|(name, entry)| Signal::new(name, entry)).collect();
    loop {
        let sent = match sensor.next().await {
            Ok(reading) => {
                pauses.worked();
                taken(&world, (&name, &entry), &mut signals, reading, &news).await
            }
            Err(fault) => {
                let (failures, retry) = pauses.failed();
                let failed =
                    SensorNews::Failed { sensor: name.clone(), failures, retry, why: fault.to_string() };
                let sent = news.send(failed).await;
                tokio::time::sleep(retry).await;
                sent
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Has the signals look at a reading, then hands it on.
async fn taken<M: ChatModel>(
    world: &AgentWorld<M>,
    (name, entry): (&str, &SensorEntry),
    signals: &mut [Signal],
    reading: SensorReading,
    news: &mpsc::Sender<SensorNews>,
) -> Result<(), mpsc::error::SendError<SensorNews>> {
    let (mut fired, mut is_held) = (Vec::new(), false);
    for signal in signals {
        let given = match signal.question(&reading.value) {
            None => SignalScore::Unasked,
            Some(question) => {
                let model = &signal.entry.model;
                let (answer, (read, written)) = world
                    .engine
                    .ask_beside((ModelPurpose::Chat, model), &question, SCORE_TOKENS, SCORED_WITHIN)
                    .await;
                news.send(SensorNews::Spent(read + written)).await?;
                score(answer.as_deref())
            }
        };
        let now = world.clock.now().timestamp();
        let fires = signal.fires(&reading.value, reading.item.as_deref(), given, now);
        is_held |= signal.entry.gates_write && !fires;
        if fires {
            let source = if signal.entry.notify.trim().is_empty() { reading.source } else { Source::Own };
            fired.push(Notification {
                name: signal.name.clone(),
                text: signal.words(&reading.value),
                source,
            });
        }
    }
    if !is_held {
        let updates = entry.updates.clone();
        news.send(SensorNews::Read { sensor: name.to_owned(), updates, reading }).await?;
    }
    for notification in fired {
        news.send(SensorNews::Fired(notification)).await?;
    }
    Ok(())
}
