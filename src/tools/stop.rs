//! `stop`: the user wants nothing more.
//!
//! It ends the conversation without an answer, and what was carried over from earlier answers. Who wants nothing more
//! is not asked whether he means it, so it counts as looking: no yes is needed, whoever's words are in the turn, and no
//! rate holds it up. So the words of a stranger's page may bring a model to call it, too, and this is all they get: the
//! turn and its conversation end, as they do when nobody answers. It silences nothing that rings, mutes no microphone,
//! erases nothing; the next wake phrase begins anew.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{Arguments, Call, Deed, Effect, Output, Tool, ToolError, schema};
use crate::language::Languages;

/// Its name, which is on every turn's allow-list.
pub(super) const NAME: &str = "stop";

/// The tool.
pub(super) struct Stop {
    languages: Languages,
}

impl Stop {
    /// It asks in the present language, where it has to.
    pub(super) fn new(languages: Languages) -> Self {
        Self { languages }
    }
}

impl Tool for Stop {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "end the conversation when the user says that it is over"
    }

    fn schema(&self) -> Value {
        schema::object(json!({}), &[])
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn in_words(&self, _: &Arguments) -> String {
        self.languages.get().sentences().tools.ask_stop.clone()
    }

    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async { Ok(Output::own("").doing(Deed::StopTalking)) }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::tests::in_english;
    use crate::tools::ToolsConfig;
    use crate::tools::gate::{Address, CallFacts, Consent, GateVerdict, Taint, Wish, judge};

    #[test]
    fn the_end_needs_no_yes_unless_the_owner_wants_to_be_asked() {
        let effect = Stop::new(in_english()).effect(&Arguments::new());
        for taint in [Taint::Clean, Taint::Tainted] {
            let facts = CallFacts {
                tool: NAME,
                effect,
                taint,
                address: Address::Named,
                wish: Wish::Act,
                refused: false,
                consent: Consent::NotAsked,
                lately: u32::MAX,
            };
            assert_eq!(judge(&facts, &ToolsConfig::default()), GateVerdict::Allow, "{taint:?}");
            let asking = ToolsConfig { always_ask: vec![NAME.into()], ..ToolsConfig::default() };
            assert!(matches!(judge(&facts, &asking), GateVerdict::Ask(_)));
        }
    }
}
