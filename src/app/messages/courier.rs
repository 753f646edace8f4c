//! The outbox as the courier of alarms and of words of her own accord.
//!
//! Any task. In: messages with audience and urgency. Out: the same in the outbox, which keeps, limits and sends them.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

use crate::alert::courier::{Courier, CourierAudience, CourierMessage, CourierUrgency, NotPosted};
use crate::outbound::{Audience, Outbox, Outgoing, Urgency};

/// Hands messages to the outbox.
pub(in crate::app) struct OutboxCourier(pub(in crate::app) Outbox);

impl Courier for OutboxCourier {
    fn post(&self, message: CourierMessage) -> BoxFuture<'_, Result<(), NotPosted>> {
        async move {
            // The voice tells an alarm; that there is nobody to carry a message is no fault then.
            if !self.0.has_carriers() && message.urgency != CourierUrgency::Critical {
                return Err(NotPosted("no channel is configured".to_owned()));
            }
            let posted = self.0.post(outgoing(message)).await;
            posted.map(drop).map_err(|error| NotPosted(error.to_string()))
        }
        .boxed()
    }

    fn sent_within(&self, _: SignedDuration, _: Timestamp) -> usize {
        // The outbox counts the last hour, which is what its limit is for.
        self.0.last_counts().direct as usize
    }

    fn reaches_owner(&self) -> bool {
        self.0.has_carriers()
    }
}

fn outgoing(message: CourierMessage) -> Outgoing {
    let CourierMessage { audience, text, urgency, key, expires } = message;
    let audience = match audience {
        CourierAudience::Owner => Audience::Owner,
        CourierAudience::Group => Audience::Group,
    };
    let urgency = match urgency {
        CourierUrgency::Critical => Urgency::Critical,
        CourierUrgency::Escalated => Urgency::Escalated,
        CourierUrgency::Direct => Urgency::Direct,
        CourierUrgency::Proactive => Urgency::Proactive,
    };
    Outgoing { audience, text: text.0, urgency, key, expires }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::ManualClock;
    use crate::language::tests::in_english;
    use crate::message::Private;
    use crate::outbound::{CarrierName, OutboundConfig, OutboxParts};
    use crate::store::Store;

    fn courier(carriers: Vec<CarrierName>) -> OutboxCourier {
        let now = "2026-01-05T12:00:00+01:00[Europe/Berlin]".parse().unwrap();
        let (store, clock) = (Store::in_memory().unwrap(), Arc::new(ManualClock::at(now)));
        let config = OutboundConfig::default();
        OutboxCourier(Outbox::new(OutboxParts { store, clock, languages: in_english(), config, carriers }))
    }

    fn message(urgency: CourierUrgency) -> CourierMessage {
        let (audience, text) = (CourierAudience::Group, Private("smoke".to_owned()));
        CourierMessage { audience, text, urgency, key: None, expires: None }
    }

    #[tokio::test]
    async fn an_alarm_is_kept_for_each_carrier() {
        let courier = courier(vec![CarrierName::Signal, CarrierName::Ntfy]);
        courier.post(message(CourierUrgency::Critical)).await.unwrap();
        assert_eq!(courier.0.counts().await.unwrap().waiting, 2);
        assert!(courier.reaches_owner());
    }

    #[tokio::test]
    async fn without_a_carrier_only_an_alarm_is_no_failure() {
        let courier = courier(Vec::new());
        assert!(!courier.reaches_owner());
        assert_eq!(courier.post(message(CourierUrgency::Critical)).await, Ok(()));
        let refused = courier.post(message(CourierUrgency::Proactive)).await;
        assert_eq!(refused, Err(NotPosted("no channel is configured".to_owned())));
        assert_eq!(courier.0.counts().await.unwrap().waiting, 0);
    }
}
