//! `stop`: the user wants nothing more.
//!
//! It ends the conversation without an answer, and what was carried over from earlier answers. Who wants nothing more
//! is not asked to confirm it: no yes is needed, and no rate holds it up. Where words of strangers are in the turn
//! it runs only when the user's own words ask for it. It silences nothing that rings, mutes no microphone, erases
//! nothing; the next wake phrase begins anew.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::{Arguments, Call, Deed, Effect, Output, Tool, ToolError, schema};

/// Its name, which is on every turn's allow-list.
pub(crate) const NAME: &str = "stop";

/// The tool.
pub(crate) struct Stop;

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
        Effect::Ends
    }

    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async { Ok(Output::own("").doing(Deed::StopTalking)) }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolsConfig;
    use crate::gate::{Address, CallFacts, Consent, GateVerdict, Handed, Taint, ToolPermission, Wish, judge};

    #[test]
    fn the_end_needs_no_yes_unless_the_owner_wants_to_be_asked() {
        let effect = Stop.effect(&Arguments::new());
        let (talk, forbidden) = (Wish::Talk("only talk"), "forbidden");
        for (taint, wish, verdict) in [
            (Taint::Clean, Wish::Act, "allowed"),
            (Taint::Clean, talk, "allowed"),
            (Taint::Tainted, Wish::Act, "allowed"),
            (Taint::Tainted, talk, forbidden),
        ] {
            let facts = CallFacts {
                tool: NAME,
                effect,
                taint,
                address: Address::Named,
                permission: ToolPermission::Allow,
                handed: Handed::Nothing,
                wish,
                refused: false,
                consent: Consent::NotAsked,
                lately: u32::MAX,
            };
            assert_eq!(judge(&facts, &ToolsConfig::default()).name(), verdict, "{taint:?} {wish:?}");
            let facts = CallFacts { wish: Wish::Act, ..facts };
            let asking = ToolsConfig { always_ask: vec![NAME.into()], ..ToolsConfig::default() };
            assert!(matches!(judge(&facts, &asking), GateVerdict::Ask(_)));
        }
    }
}
