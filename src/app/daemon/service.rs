//! What the daemon has to know of a service: its name, how it is started, when it is stuck, whether it is
//! restarted, how long its end may take, and what is missing without it.
//!
//! Plain data and one closure; nothing runs here.

use std::future::Future;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::supervision::RestartRule;
use joi_base::pulse::Heart;
use joi_base::restart::RestartPolicy;

/// A service that says nothing else has so long for its end.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Passed to a service at each start.
pub struct ServiceContext {
    /// Cancelled when the service is to end.
    pub stop: CancellationToken,
    /// Its heart; nobody watches it unless the service has a [heartbeat](Service::heartbeat).
    pub heart: Heart,
}

type ServiceFuture = BoxFuture<'static, anyhow::Result<()>>;

/// A long-lived part of the program that the daemon starts, supervises and ends.
pub struct Service {
    pub(super) name: &'static str,
    pub(super) loss: &'static str,
    pub(super) make: Box<dyn FnMut(ServiceContext) -> ServiceFuture + Send>,
    pub(super) heartbeat: Option<Duration>,
    pub(super) rule: RestartRule,
    pub(super) end_within: Duration,
}

impl Service {
    /// A service that `make` makes anew at each start, without blocking. It runs until its token is cancelled;
    /// whatever ends earlier has failed. `loss` says in one sentence what is missing while it does not run.
    pub fn new<F, R>(name: &'static str, loss: &'static str, mut make: F) -> Self
    where
        F: FnMut(ServiceContext) -> R + Send + 'static,
        R: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        Self {
            name,
            loss,
            make: Box::new(move |context| Box::pin(make(context))),
            heartbeat: None,
            rule: RestartRule::OnFailure(RestartPolicy::default()),
            end_within: END_WITHIN,
        }
    }

    /// A service that can be started once only, and without which the program is nothing: its end is the
    /// daemon's end.
    pub fn essential<F, R>(name: &'static str, loss: &'static str, make: F) -> Self
    where
        F: FnOnce(ServiceContext) -> R + Send + 'static,
        R: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let mut make = Some(make);
        let once = move |context| {
            let run = make.take().map(|make| make(context));
            async move {
                match run {
                    Some(run) => run.await,
                    None => anyhow::bail!("it can't be started twice"),
                }
            }
        };
        Self::new(name, loss, once).restart(RestartRule::EndDaemon)
    }

    /// It begins when `loaded` is cancelled: others come first.
    #[must_use]
    pub fn behind(self, loaded: &CancellationToken) -> Self {
        let (mut make, loaded) = (self.make, loaded.clone());
        let wait = move |context: ServiceContext| -> ServiceFuture {
            let (stop, loaded) = (context.stop.clone(), loaded.clone());
            let run = make(context);
            Box::pin(async move {
                // Both arms are cancel-safe.
                tokio::select! {
                    () = stop.cancelled() => return Ok(()),
                    () = loaded.cancelled() => {}
                }
                run.await
            })
        };
        Self { make: Box::new(wait), ..self }
    }

    /// It is stuck when it works, or needs for a round, `limit` or longer.
    #[must_use]
    pub fn heartbeat(self, limit: Duration) -> Self {
        Self { heartbeat: Some(limit), ..self }
    }

    /// Sets the rule for a failure; without this it is restarted by the usual policy.
    #[must_use]
    pub fn restart(self, rule: RestartRule) -> Self {
        Self { rule, ..self }
    }

    /// The program is not to go on without it: when it has failed too often in a row, the daemon ends, so that whoever
    /// started the program starts all of it anew.
    #[must_use]
    pub fn indispensable(self) -> Self {
        self.restart(RestartRule::OnFailureThenEnd(RestartPolicy::default()))
    }

    /// Sets the time limit of its end; afterwards it is left behind.
    #[must_use]
    pub fn end_within(self, limit: Duration) -> Self {
        Self { end_within: limit, ..self }
    }
}
