//! Whether a call that an agent makes by itself may run: nobody has asked for it.
//!
//! In: the call, what the owner's configuration allows the agent, whose words are in the turn. Out: the verdict of
//! [`judge`], which a standing permission makes that of a call the user has asked for. What opens or locks something is asked
//! about all the same, and so is whatever hands words to another program after words of strangers. Pure: no I/O, no clock.

use super::{Address, CallFacts, Consent, GateVerdict, Handed, Taint, Wish, judge};
use crate::config::ToolsConfig;
use crate::{Arguments, Tool};

/// Whether the owner's configuration lets an agent call a tool by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandingPermission {
    /// It names the tool.
    Given,
    /// It does not.
    None,
}

/// A call of an agent.
#[derive(Clone, Copy)]
pub struct AgentCall<'a> {
    /// The tool.
    pub tool: &'a dyn Tool,
    /// Its arguments, checked.
    pub arguments: &'a Arguments,
    /// Strangers' words in the turn.
    pub taint: Taint,
    /// The configuration.
    pub standing: StandingPermission,
    /// The owner's yes to this very call.
    pub consent: Consent,
}

/// Decides.
pub fn judge_agent(call: &AgentCall<'_>, config: &ToolsConfig) -> GateVerdict {
    let AgentCall { tool, arguments, taint, standing, consent } = *call;
    let is_allowed = standing == StandingPermission::Given;
    let handed = match (tool.hands_out(), taint, is_allowed) {
        (false, ..) => Handed::Nothing,
        (true, Taint::Clean, true) => Handed::Said,
        (true, Taint::Clean, false) => Handed::Made,
        // The state of the agent holds what the house says.
        (true, Taint::Tainted, _) => Handed::Private,
    };
    let carries = tool.address(arguments).is_some() || tool.query(arguments).is_some();
    let wish = match standing {
        StandingPermission::Given => Wish::Act,
        StandingPermission::None => Wish::Ask("an agent needs a standing permission or a yes"),
    };
    let facts = CallFacts {
        tool: tool.name(),
        effect: tool.effect(arguments),
        taint,
        address: if carries { Address::Made } else { Address::Named },
        permission: tool.permission(),
        handed,
        wish,
        consent,
        refused: false,
        // An agent has a limit of its own.
        lately: 0,
    };
    judge(&facts, config)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use joi_language::Language;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Call, Effect, Output, ToolError, schema};

    struct Deed(Effect, bool);

    impl Tool for Deed {
        fn name(&self) -> &str {
            "deed"
        }
        fn description(&self) -> &str {
            "do it"
        }
        fn schema(&self) -> Value {
            schema::object(json!({}), &[])
        }
        fn effect(&self, _: &Arguments) -> Effect {
            self.0
        }
        fn hands_out(&self) -> bool {
            self.1
        }
        fn in_words(&self, _: &Arguments, _: &Language) -> String {
            "do it".into()
        }
        fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
            async { Ok(Output::own("done")) }.boxed()
        }
    }

    fn verdict(tool: &Deed, taint: Taint, standing: StandingPermission, consent: Consent) -> &'static str {
        let call = AgentCall { tool, arguments: &Arguments::new(), taint, standing, consent };
        judge_agent(&call, &ToolsConfig::default()).name()
    }

    #[test]
    fn without_a_permission_an_agent_only_looks() {
        use StandingPermission::{Given, None};
        use Taint::{Clean, Tainted};
        for (effect, taint, standing, expected) in [
            (Effect::Looks, Clean, None, "allowed"),
            (Effect::Looks, Tainted, None, "allowed"),
            (Effect::Fetches, Clean, None, "allowed"),
            (Effect::Changes, Clean, None, "asked"),
            (Effect::Changes, Clean, Given, "allowed"),
            (Effect::Changes, Tainted, Given, "asked"),
            (Effect::Remembers, Clean, None, "asked"),
            (Effect::Remembers, Clean, Given, "allowed"),
            (Effect::Risks, Clean, None, "asked"),
            (Effect::Risks, Clean, Given, "asked"),
            (Effect::Risks, Tainted, Given, "forbidden"),
        ] {
            let found = verdict(&Deed(effect, false), taint, standing, Consent::NotAsked);
            assert_eq!(found, expected, "{effect:?} {taint:?} {standing:?}");
        }
    }

    #[test]
    fn a_yes_lets_it_run_but_not_what_strangers_may_have_wanted() {
        let (none, given) = (StandingPermission::None, Consent::Given);
        assert_eq!(verdict(&Deed(Effect::Changes, false), Taint::Tainted, none, given), "allowed");
        assert_eq!(verdict(&Deed(Effect::Risks, false), Taint::Clean, none, given), "allowed");
        assert_eq!(verdict(&Deed(Effect::Risks, false), Taint::Tainted, none, given), "forbidden");
    }

    #[test]
    fn words_go_to_another_program_with_a_permission_alone_and_never_after_strangers() {
        use StandingPermission::{Given, None};
        for (taint, standing, expected) in [
            (Taint::Clean, Given, "allowed"),
            (Taint::Clean, None, "asked"),
            (Taint::Tainted, Given, "forbidden"),
            (Taint::Tainted, None, "forbidden"),
        ] {
            let found = verdict(&Deed(Effect::Looks, true), taint, standing, Consent::NotAsked);
            assert_eq!(found, expected, "{taint:?} {standing:?}");
        }
    }

    #[test]
    fn the_rules_for_all_tools_count_for_agents_as_well() {
        let deed = Deed(Effect::Changes, false);
        let call = AgentCall {
            tool: &deed,
            arguments: &Arguments::new(),
            taint: Taint::Clean,
            standing: StandingPermission::Given,
            consent: Consent::NotAsked,
        };
        let never = ToolsConfig { never: vec!["deed".into()], ..ToolsConfig::default() };
        assert_eq!(judge_agent(&call, &never).name(), "forbidden");
        let asking = ToolsConfig { always_ask: vec!["deed".into()], ..ToolsConfig::default() };
        assert_eq!(judge_agent(&call, &asking).name(), "asked");
    }
}
