//! Carries messages of the outbox through Signal.
//!
//! Any Tokio task. In: parcels. Out: one request each, to the owner or the group for alerts, and what became of it. The
//! time stamps of what was sent are given to the gate, so that nothing of our own is taken for the owner's.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::config::{AccountMode, SignalConfig};
use super::gate::SignalGate;
use super::link::{AskFault, SignalLink};
use super::sent;
use crate::outbound::carrier::Parcel;
use crate::outbound::{Audience, Carrier, CarrierLink, CarrierName, CarryFault, MessageStamp};

/// The first message to somebody takes the daemon long.
const SEND: Duration = Duration::from_secs(90);

/// Sends as the account of the configuration.
pub struct SignalCarrier {
    link: SignalLink,
    gate: Arc<Mutex<SignalGate>>,
    to: Recipients,
}

/// Where messages go.
#[derive(Debug, Clone)]
struct Recipients {
    owner: String,
    group: String,
    mode: AccountMode,
}

impl SignalCarrier {
    /// Sends to the owner and the group of the configuration.
    pub fn new(link: SignalLink, gate: Arc<Mutex<SignalGate>>, config: &SignalConfig) -> Self {
        let to = Recipients { owner: config.owner_uuid(), group: config.group.clone(), mode: config.mode };
        Self { link, gate, to }
    }
}

impl Carrier for SignalCarrier {
    fn name(&self) -> CarrierName {
        CarrierName::Signal
    }

    fn link(&self) -> watch::Receiver<CarrierLink> {
        self.link.state()
    }

    fn carry(&self, parcel: Parcel) -> BoxFuture<'static, Result<Option<MessageStamp>, CarryFault>> {
        let (link, gate, to) = (self.link.clone(), Arc::clone(&self.gate), self.to.clone());
        async move {
            let answer = match link.ask("send", params(&to, &parcel), SEND).await {
                Ok(result) => Ok(result),
                Err(AskFault::Refused(error)) => Err(error),
                Err(AskFault::NotSent(why)) => return Err(CarryFault::Unsent(why)),
                Err(AskFault::Lost(why)) => return Err(CarryFault::Unknown(why)),
            };
            let sent = sent::verdict(&answer)?;
            if let Some(stamp) = sent.stamp {
                gate.lock().unwrap_or_else(PoisonError::into_inner).sent(stamp);
            }
            for failure in sent.failures {
                tracing::warn!(failure, "somebody of the group did not get a message");
            }
            Ok(sent.stamp.map(MessageStamp))
        }
        .boxed()
    }
}

/// PURE. The parameters of a request.
fn params(to: &Recipients, parcel: &Parcel) -> Value {
    let message = &parcel.text.0;
    match (parcel.audience, to.mode) {
        (Audience::Group, _) if !to.group.is_empty() => json!({ "groupId": to.group, "message": message }),
        // Without the second, the phone would show it without a sound.
        (_, AccountMode::Linked) => json!({ "noteToSelf": true, "notifySelf": true, "message": message }),
        (_, AccountMode::OwnNumber) => json!({ "recipient": [to.owner], "message": message }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbound::Urgency;
    use joi_base::message::Private;

    #[test]
    fn an_alert_goes_to_the_group_or_to_the_owner_where_there_is_none() {
        let parcel = |audience| Parcel { audience, urgency: Urgency::Critical, text: Private("x".into()) };
        let to = |group: &str, mode| Recipients { owner: "u".into(), group: group.into(), mode };
        let own = to("g=", AccountMode::OwnNumber);
        assert_eq!(params(&own, &parcel(Audience::Group)), json!({ "groupId": "g=", "message": "x" }));
        assert_eq!(params(&own, &parcel(Audience::Owner)), json!({ "recipient": ["u"], "message": "x" }));
        let alone = to("", AccountMode::OwnNumber);
        assert_eq!(params(&alone, &parcel(Audience::Group)), json!({ "recipient": ["u"], "message": "x" }));
        let linked = json!({ "noteToSelf": true, "notifySelf": true, "message": "x" });
        assert_eq!(params(&to("", AccountMode::Linked), &parcel(Audience::Group)), linked);
    }
}
