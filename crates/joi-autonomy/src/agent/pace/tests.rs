use jiff::ToSpan;
use serde_json::json;

use super::*;
use crate::agent::exchange::TurnBrief;
use crate::agent::precheck::PrecheckVerdict;
use joi_tools::Source;

mod approvals;
mod limits;
mod restarts;
mod rounds;

/// An agent with injected time, whose effects are what is looked at.
struct Scene {
    agent: AgentLoop,
    hot: HotState,
    now: Zoned,
}

impl Scene {
    fn new(entry: &str) -> Self {
        Self::at(entry, "2026-03-04T12:00:00[Europe/Vienna]")
    }

    fn at(entry: &str, now: &str) -> Self {
        let entry: AgentEntry = toml::from_str(entry).unwrap();
        let now: Zoned = now.parse().unwrap();
        Self { agent: AgentLoop::new(&entry, now.timestamp()), hot: HotState::new(&entry.fields), now }
    }

    fn step(&mut self, input: AgentInput) -> Vec<AgentEffect> {
        self.agent.step(input, &self.hot, &self.now)
    }

    fn pass(&mut self, ms: i64) -> Vec<AgentEffect> {
        self.now = self.now.checked_add(ms.milliseconds()).unwrap();
        self.step(AgentInput::Tick)
    }

    /// Lets time pass until the loop wants to be looked at again.
    fn wait(&mut self) -> Vec<AgentEffect> {
        let next = self.agent.next().expect("a moment");
        self.now = self.now.timestamp().max(next).to_zoned(self.now.time_zone().clone());
        self.step(AgentInput::Tick)
    }

    fn set(&mut self, field: &str, value: serde_json::Value) -> Vec<AgentEffect> {
        let at = self.now.timestamp();
        self.hot.read(field, &value, Source::Own, at).unwrap();
        self.step(AgentInput::Changed)
    }

    fn notify(&mut self, name: &str) -> Vec<AgentEffect> {
        let (name, text, source) = (name.to_owned(), format!("{name}!"), Source::Own);
        self.step(AgentInput::Notified(Notification { name, text, source }))
    }

    fn over(&mut self, order: Option<YieldOrder>) -> Vec<AgentEffect> {
        self.ended(TurnEnding::Finished, 100, 0, order)
    }

    fn ended(
        &mut self,
        end: TurnEnding,
        tokens: u64,
        actions: u32,
        order: Option<YieldOrder>,
    ) -> Vec<AgentEffect> {
        self.step(AgentInput::TurnOver(TurnReport { end, tokens, actions, order }))
    }

    fn since(&self, began: &Zoned) -> i64 {
        self.now.duration_since(began).as_secs()
    }
}

const OWN: &str = "prompt = \"You watch.\"\nautonomy = { enabled = true }\nfields.door = {}";

fn sleep(seconds: i64, names: &[&str]) -> Option<YieldOrder> {
    let wakes_for = names.iter().map(ToString::to_string).collect();
    Some(YieldOrder::Sleep { seconds, wakes_for })
}

fn turn(effects: &[AgentEffect]) -> Option<&TurnBrief> {
    effects.iter().find_map(|effect| match effect {
        AgentEffect::Think(brief) => Some(brief),
        _ => None,
    })
}

fn held(effects: &[AgentEffect]) -> Option<Guardrail> {
    effects.iter().find_map(|effect| match effect {
        AgentEffect::Report(AgentNews::GuardrailTriggered { guardrail, .. }) => Some(*guardrail),
        _ => None,
    })
}

fn reported(effects: &[AgentEffect]) -> Vec<&'static str> {
    let news = effects.iter().filter_map(|effect| match effect {
        AgentEffect::Report(news) => Some(news.name()),
        _ => None,
    });
    news.collect()
}
