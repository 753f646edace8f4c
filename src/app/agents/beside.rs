//! The agents of the program that runs beside this one, for turns that are typed.
//!
//! Any task; each request is a connection of its own to the control socket, on a thread that may wait.

use std::path::PathBuf;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::control::{Client, ControlError};
use joi_autonomy::agent::lines::{AgentRest, AgentRow, AgentsReach};

/// Asks whoever serves this runtime directory.
pub(in crate::app) struct AgentsBeside(pub(in crate::app) PathBuf);

impl AgentsBeside {
    fn asked<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&mut Client) -> Result<T, ControlError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, String>> {
        let runtime = self.0.clone();
        async move {
            let asked = tokio::task::spawn_blocking(move || match Client::connect(&runtime) {
                Ok(Some(mut client)) => ask(&mut client).map_err(|error| error.to_string()),
                Ok(None) => Err("joi is not running; start it with `joi run`".to_owned()),
                Err(error) => Err(error.to_string()),
            });
            asked.await.map_err(|error| error.to_string())?
        }
        .boxed()
    }
}

impl AgentsReach for AgentsBeside {
    fn rows(&self) -> BoxFuture<'_, Result<Vec<AgentRow>, String>> {
        self.asked(Client::agents)
    }

    fn talk(&self, agent: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        self.asked(move |client| client.say(&agent, &text))
    }

    fn decide(&self, agent: String, id: u32, is_yes: bool) -> BoxFuture<'_, Result<(), String>> {
        self.asked(move |client| client.decide(&agent, id, is_yes))
    }

    fn rest(&self, agent: String, rest: AgentRest) -> BoxFuture<'_, Result<(), String>> {
        self.asked(move |client| client.rest(&agent, rest))
    }
}
