//! Whether a call may run: the one place that decides.
//!
//! Any thread. In: what the call does, what the owner's configuration says, how often the tool ran
//! lately, whether strangers' words are in the turn, and whether the user's words ask for this very call. Out:
//! [`GateVerdict`]. It fails closed: whatever it does not know is asked about or forbidden. Once a stranger's
//! words are in the turn, nothing that changes the world or writes memory runs without the owner's yes, and
//! nothing is fetched from an address that the model has put together: it could carry off what it knows. To a
//! tool of another program goes only what the user said, or agreed to; what the memory or the house holds never goes
//! there in such a turn.
//! Pure: no I/O, no clock.

pub use crate::permission::ToolPermission;
pub use joi_language::values::Wish;

use super::Effect;
use super::config::ToolsConfig;

mod agent;
#[cfg(test)]
mod tests;

pub use agent::{AgentCall, StandingPermission, judge_agent};

/// The reason of a call that is one too many.
const TOO_MANY: &str = "too many calls within one minute";

/// May it run?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateVerdict {
    /// It may.
    Allow,
    /// Only after the owner's yes; the reason is for the trace.
    Ask(&'static str),
    /// Not at all; the reason is for the trace and the model.
    Forbid(&'static str),
}

impl GateVerdict {
    /// Returns its name in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allowed",
            Self::Ask(_) => "asked",
            Self::Forbid(_) => "forbidden",
        }
    }

    /// Why.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Allow => "nothing speaks against it",
            Self::Ask(why) | Self::Forbid(why) => why,
        }
    }
}

/// The presence of strangers' words in the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taint {
    /// Only what the owner said, and what is their own.
    Clean,
    /// Words of the web, of others' messages, of foreign servers.
    Tainted,
}

/// Whose words a call carries out of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// None, the user's own of this turn, or the first address that is followed from a list of results.
    Named,
    /// Those of a model that has read words of strangers.
    Made,
}

/// The words that a call hands to another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// None: the tool is part of this program.
    Nothing,
    /// The user's own words of this turn.
    Said,
    /// Words that the user touched on.
    Mentioned,
    /// Words of the model.
    Made,
    /// Words that the user did not say, and that the memory, the house or the conversation holds.
    Private,
}

/// The owner's answer about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Not about this call.
    NotAsked,
    /// The owner said yes to this very call.
    Given,
}

/// All that the decision depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallFacts<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The effect of the call.
    pub effect: Effect,
    /// Strangers' words.
    pub taint: Taint,
    /// Where it goes.
    pub address: Address,
    /// What the owner allows of the tool.
    pub permission: ToolPermission,
    /// The words it hands to another program.
    pub handed: Handed,
    /// The wish in the user's words.
    pub wish: Wish,
    /// The owner's yes.
    pub consent: Consent,
    /// The owner said no to the same deed, and has not asked for it since.
    pub refused: bool,
    /// Calls of anything but looking that ran within the last minute.
    pub lately: u32,
}

/// Decides.
pub fn judge(facts: &CallFacts<'_>, config: &ToolsConfig) -> GateVerdict {
    let names = |list: &[String]| list.iter().any(|name| name == facts.tool);
    if names(&config.never) {
        return GateVerdict::Forbid("the owner's configuration forbids this tool");
    }
    if facts.permission == ToolPermission::Deny {
        return GateVerdict::Forbid("the owner does not allow this tool");
    }
    if !matches!(facts.effect, Effect::Looks | Effect::Ends) && facts.lately >= config.calls_per_minute {
        return GateVerdict::Forbid(TOO_MANY);
    }
    if facts.effect == Effect::Risks && facts.taint == Taint::Tainted {
        // Not even a yes counts: what was asked about may be a stranger's idea.
        return GateVerdict::Forbid("words of strangers are in this turn, and it opens or locks something");
    }
    if facts.handed == Handed::Private && facts.taint == Taint::Tainted {
        return GateVerdict::Forbid(
            "words of strangers are in this turn, and the call would carry off what the memory or the house holds",
        );
    }
    if facts.consent == Consent::Given {
        return GateVerdict::Allow;
    }
    if facts.refused && matches!(facts.wish, Wish::Ask(_)) && facts.effect != Effect::Ends {
        return GateVerdict::Forbid("the user refused this");
    }
    if names(&config.always_ask) && !matches!(facts.wish, Wish::Talk(_)) {
        return GateVerdict::Ask("the owner wants to be asked before this tool");
    }
    if let Some(why) = reason_to_ask(facts).filter(|_| !matches!(facts.wish, Wish::Talk(_))) {
        return GateVerdict::Ask(why);
    }
    match (facts.effect, facts.wish) {
        // A stranger's words do not even end the conversation.
        (Effect::Ends, Wish::Ask(_) | Wish::Talk(_)) if facts.taint == Taint::Tainted => {
            GateVerdict::Forbid("the user did not ask for an end, and words of strangers are in this turn")
        }
        (Effect::Ends, _) => GateVerdict::Allow,
        // A call that nobody asked for is not even asked about.
        (_, Wish::Talk(why)) => GateVerdict::Forbid(why),
        (Effect::Fetches, _) if facts.taint == Taint::Tainted && facts.address == Address::Made => {
            GateVerdict::Ask(
                "the user has not named this address or query, and words of strangers are in this turn",
            )
        }
        (Effect::Looks | Effect::Fetches, _) => GateVerdict::Allow,
        (Effect::Remembers | Effect::Changes | Effect::Risks, Wish::Ask(why)) => GateVerdict::Ask(why),
        (Effect::Risks, Wish::Act) => GateVerdict::Ask("it opens or locks something"),
        (Effect::Remembers | Effect::Changes, Wish::Act) if facts.taint == Taint::Tainted => {
            GateVerdict::Ask("words of strangers are in this turn")
        }
        (Effect::Remembers | Effect::Changes, Wish::Act) => GateVerdict::Allow,
    }
}

/// Returns why a call to another program is asked about, whatever else the user's words say of it.
fn reason_to_ask(facts: &CallFacts<'_>) -> Option<&'static str> {
    match (facts.permission, facts.handed, facts.taint) {
        (ToolPermission::Confirm, ..) => Some("the owner wants to be asked before this tool"),
        (_, Handed::Made | Handed::Private, _) => {
            Some("the user did not say every word that goes to another program")
        }
        (_, Handed::Mentioned, Taint::Tainted) => {
            Some("the user did not say every word of the call, and words of strangers are in this turn")
        }
        (_, Handed::Nothing | Handed::Said | Handed::Mentioned, _) => None,
    }
}
