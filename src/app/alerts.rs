//! Alarms while the program runs: what becomes of them, requests of the control socket, the endpoint for other programs.
//!
//! Two services. In: the queue of announcements, requests, HTTP on this machine. Out: what [`Alerts`] does. Alarms of
//! before the last end are announced again at the start.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use super::daemon::{Service, ServiceContext};
use super::outside::token_of;
use crate::control::wire::ControlRequest;
use crate::control::{Client, ControlError, StatusBoard};
use joi_base::message::AlarmRequest;
use joi_base::paths::Paths;
use joi_proactive::alert::endpoint::SentNotice;
use joi_proactive::alert::{
    AcknowledgedBy, Alert, AlertConfig, AlertKind, AlertService, Alerts, AlertsElsewhere, endpoint,
};

/// Requests that wait. When full, further ones are refused.
const REQUESTS: usize = 4;
/// Alarms of before that can't be read are looked for again after this time.
const AGAIN: Duration = Duration::from_secs(30);

/// A look at what became of alarms that takes so long hangs.
const LOOK: Duration = Duration::from_secs(60);

/// Returns the service that follows alarms, and takes requests about them from `board`.
pub(super) fn alerts(alerts: &Alerts, board: &StatusBoard) -> Service {
    let (sender, requests) = mpsc::channel(REQUESTS);
    let ringing = alerts.clone();
    board.takes_alarms(sender, move || ringing.unheard().len());
    let (alerts, requests) = (alerts.clone(), Arc::new(Mutex::new(requests)));
    let run = move |context: ServiceContext| {
        let (alerts, requests) = (alerts.clone(), Arc::clone(&requests));
        async move {
            let mut requests = requests.lock().await;
            let asked = async {
                let mut behind = JoinSet::new();
                while let Some(request) = requests.recv().await {
                    obey(&alerts, request, &mut behind).await;
                    while behind.try_join_next().is_some() {}
                }
            };
            // What rings meanwhile is followed, also where the database hangs.
            let restored = async {
                while let Err(error) = alerts.restore().await {
                    tracing::warn!(%error, "alarms of before are not known");
                    tokio::time::sleep(AGAIN).await;
                }
                std::future::pending::<()>().await;
            };
            // Each arm ends only with the service; a request that is dropped is asked again.
            tokio::select! {
                () = alerts.follow(context.stop.clone(), &context.heart) => {}
                () = asked => context.stop.cancelled().await,
                () = restored => {}
            }
            Ok(())
        }
    };
    Service::new("alarms", "alarms are told, and nobody notices that they were heard", run)
        .heartbeat(LOOK)
        .indispensable()
}

/// Does what is asked; what of it waits for the database or a messenger is done behind it.
async fn obey(alerts: &Alerts, request: AlarmRequest, behind: &mut JoinSet<()>) {
    match request {
        AlarmRequest::Test => {
            if let Some(announced) = alerts.announce_new(Alert::new(AlertKind::Test, alerts.now())).await {
                let alerts = alerts.clone();
                behind.spawn(async move { alerts.keep_announced(announced).await });
            }
        }
        AlarmRequest::Acknowledge(told) => {
            // Whoever asked may be gone.
            let _ = told.send(alerts.acknowledge(AcknowledgedBy::Socket).await);
        }
    }
}

/// Returns the alarms of the program that runs, for one that only types beside it.
pub(super) fn alert_service(paths: &Paths) -> AlertService {
    AlertService::Elsewhere(Arc::new(AlertsBeside(paths.runtime.clone())))
}

/// Asks whoever serves this runtime directory.
struct AlertsBeside(PathBuf);

impl AlertsBeside {
    /// Returns what it answers; nothing where nobody runs, or it does not answer.
    fn asked<T>(&self, ask: impl FnOnce(&mut Client) -> Result<T, ControlError>) -> Option<T> {
        let client = Client::connect(&self.0);
        let answer = client.and_then(|client| client.map(|mut client| ask(&mut client)).transpose());
        answer.unwrap_or_else(|error| {
            tracing::warn!(%error, "the running joi was not asked about its alarms");
            None
        })
    }
}

impl AlertsElsewhere for AlertsBeside {
    fn acknowledge(&self) -> usize {
        // Silent is what counts: their number is missing while its database does not answer.
        self.asked(|client| client.alarm(ControlRequest::Acknowledge)).map_or(0, |heard| heard.unwrap_or(1))
    }

    fn ringing(&self) -> usize {
        self.asked(Client::status).map_or(0, |status| status.alarms)
    }
}

/// Returns the service that takes alerts over HTTP; none where no address is configured.
pub(super) fn endpoint(config: &AlertConfig, notices: mpsc::Sender<SentNotice>) -> Option<Service> {
    let (address, token_file) = (config.address()?, config.token_file.clone());
    let run = move |context: ServiceContext| {
        let (notices, token_file) = (notices.clone(), token_file.clone());
        async move {
            let token = token_of(&token_file)?;
            let listener = endpoint::open(address).await?;
            endpoint::serve(listener, token, notices, context.stop).await?;
            Ok(())
        }
    };
    Some(Service::new("alert endpoint", "alerts over HTTP are not taken", run))
}
