//! Whether a call may run: the one place that decides.
//!
//! PURE, any thread. In: what the call does, what the owner's configuration says, how often the tool ran
//! lately, whether strangers' words are in the turn, and whether the user asked for a deed at all. Out:
//! [`GateVerdict`]. It fails closed: whatever it does not know is asked about or forbidden. Once a stranger's
//! words are in the turn, nothing that changes the world or writes memory runs without the owner's yes, and
//! nothing is fetched from an address that the model has put together: it could carry off what it knows.

use super::Effect;
use super::config::ToolsConfig;

#[cfg(test)]
mod tests;

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
    /// Its name in the trace.
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

/// Whether strangers' words are in the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taint {
    /// Only what the owner said, and what is his own.
    Clean,
    /// Words of the web, of others' messages, of foreign servers.
    Tainted,
}

/// What the user's words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// They may ask for a deed.
    Request,
    /// They ask about something, or say that it is not to be done.
    Question,
}

/// Where a call goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// Nowhere else than always, or to an address that the owner or a result has named word for word.
    Named,
    /// To one that the model has put together.
    Made,
}

/// Whether the owner was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Not about this call.
    NotAsked,
    /// He said yes to this very call.
    Given,
}

/// All that the decision depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallFacts<'a> {
    /// The tool.
    pub tool: &'a str,
    /// What the call does.
    pub effect: Effect,
    /// Strangers' words.
    pub taint: Taint,
    /// Where it goes.
    pub address: Address,
    /// What the user's words are.
    pub mood: Mood,
    /// The owner's yes.
    pub consent: Consent,
    /// Calls of anything but looking that ran within the last minute.
    pub lately: u32,
}

/// Decides.
pub fn judge(facts: &CallFacts<'_>, config: &ToolsConfig) -> GateVerdict {
    let names = |list: &[String]| list.iter().any(|name| name == facts.tool);
    if names(&config.never) {
        return GateVerdict::Forbid("the owner's configuration forbids this tool");
    }
    if facts.effect != Effect::Looks && facts.lately >= config.calls_per_minute {
        return GateVerdict::Forbid("too many calls within one minute");
    }
    if facts.consent == Consent::Given {
        return GateVerdict::Allow;
    }
    if names(&config.always_ask) {
        return GateVerdict::Ask("the owner wants to be asked before this tool");
    }
    match (facts.effect, facts.taint, facts.mood) {
        (Effect::Fetches, Taint::Tainted, _) if facts.address == Address::Made => {
            GateVerdict::Ask("nobody has named this address, and words of strangers are in this turn")
        }
        (Effect::Looks | Effect::Fetches, _, _) => GateVerdict::Allow,
        (Effect::Remembers | Effect::Changes, Taint::Tainted, _) => {
            GateVerdict::Ask("words of strangers are in this turn")
        }
        (Effect::Remembers | Effect::Changes, Taint::Clean, Mood::Question) => {
            GateVerdict::Ask("the user asked a question and wanted nothing done")
        }
        (Effect::Remembers | Effect::Changes, Taint::Clean, Mood::Request) => GateVerdict::Allow,
    }
}
