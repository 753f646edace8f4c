//! Alarms while the program runs: what becomes of them, requests of the control socket, the door for other programs.
//!
//! Two services. In: the queue of announcements, requests, HTTP on this machine. Out: what [`Alerts`] does. Alarms of
//! before the last end are told again at the start.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};

use super::daemon::{Service, ServiceContext};
use crate::alert::{AcknowledgedBy, Alert, AlertConfig, AlertKind, Alerts, door};
use crate::awareness::ReceivedNotice;
use crate::control::StatusBoard;
use crate::message::AlarmRequest;

/// Requests that wait. When full, further ones are refused.
const REQUESTS: usize = 4;

/// The service that follows alarms, and takes requests about them from `board`.
pub(super) fn alerts(alerts: &Alerts, board: &StatusBoard) -> Service {
    let (sender, requests) = mpsc::channel(REQUESTS);
    board.takes_alarms(sender);
    let (alerts, requests) = (alerts.clone(), Arc::new(Mutex::new(requests)));
    let run = move |context: ServiceContext| {
        let (alerts, requests) = (alerts.clone(), Arc::clone(&requests));
        async move {
            if let Err(error) = alerts.restore().await {
                tracing::warn!(%error, "alarms of before are not known");
            }
            let mut requests = requests.lock().await;
            let asked = async {
                while let Some(request) = requests.recv().await {
                    obey(&alerts, request).await;
                }
            };
            // Both arms end only with the service; a request that is dropped is asked again.
            tokio::select! {
                () = alerts.follow(context.stop.clone()) => {}
                () = asked => context.stop.cancelled().await,
            }
            Ok(())
        }
    };
    Service::new("alarms", "alarms are told, and nobody notices that they were heard", run)
}

async fn obey(alerts: &Alerts, request: AlarmRequest) {
    match request {
        AlarmRequest::Test => alerts.raise(Alert::new(AlertKind::Test, alerts.now())).await,
        AlarmRequest::Acknowledge => {
            alerts.acknowledge(AcknowledgedBy::Socket).await;
        }
    }
}

/// The service that takes alerts over HTTP; none where no address is configured.
pub(super) fn door(config: &AlertConfig, notices: mpsc::Sender<ReceivedNotice>) -> Option<Service> {
    let address = config.address()?;
    let run = move |context: ServiceContext| {
        let notices = notices.clone();
        async move {
            let listener = door::open(address).await?;
            door::serve(listener, notices, context.stop).await?;
            Ok(())
        }
    };
    Some(Service::new("alert door", "alerts over HTTP are not taken", run))
}
