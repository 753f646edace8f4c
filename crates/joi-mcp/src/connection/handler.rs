//! InputAnswers what a server asks, and passes on what it reports.
//!
//! The task of the connection. In: requests and notices of a server. Out: refusals, since nothing is offered that it
//! could ask for, except to a test of conformance; [`Notice`]s. It never waits for whoever reads them.

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, Implementation, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, watch};

/// What a server is answered that asks for input of the user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InputAnswers {
    /// It can't ask.
    #[default]
    Nothing,
    /// It gets the defaults of its own schema: for tests of conformance.
    Defaults,
}

/// Something that a connection reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The tools have changed.
    ToolsChanged,
    /// The connection has ended.
    Ended,
}

/// The client as the library wants it.
pub(crate) struct Handler {
    answers: InputAnswers,
    notices: mpsc::Sender<Notice>,
    progress: Arc<watch::Sender<u64>>,
}

impl Handler {
    pub(crate) fn new(
        answers: InputAnswers,
        notices: mpsc::Sender<Notice>,
        progress: watch::Sender<u64>,
    ) -> Self {
        Self { answers, notices, progress: Arc::new(progress) }
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = match self.answers {
            InputAnswers::Nothing => None,
            InputAnswers::Defaults => Some(ElicitationCapability::default()),
        };
        let mut config =
            ClientConfig::new(capabilities, Implementation::new("joi", env!("CARGO_PKG_VERSION")));
        // By default the library offers a revision that has no handshake.
        config.protocol_version = ProtocolVersion::V_2025_11_25;
        config
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let answer = match (self.answers, &request) {
            (InputAnswers::Defaults, ElicitRequestParams::FormElicitationParams { requested_schema, .. }) => {
                let schema = serde_json::to_value(requested_schema).unwrap_or_default();
                ElicitResult::new(ElicitationAction::Accept).with_content(defaults(&schema))
            }
            _ => ElicitResult::new(ElicitationAction::Decline),
        };
        Ok(answer)
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.send_modify(|count| *count = count.wrapping_add(1));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.notices.try_send(Notice::ToolsChanged);
    }
}

/// Returns the defaults in a schema by the names of its properties.
fn defaults(schema: &Value) -> Value {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let set =
        properties.filter_map(|(name, property)| Some((name.clone(), property.get("default")?.clone())));
    Value::Object(set.collect::<Map<_, _>>())
}
