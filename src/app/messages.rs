//! Makes the services of messages: outbox, Signal and ntfy, and shows them on the status board.
//!
//! Called once at the start, inside a Tokio runtime. In: configuration and brain. Out: the outbox, and the services that
//! send and answer. Nothing runs where neither Signal nor ntfy is configured. A missing daemon does not fail a service,
//! which goes on trying.

mod notes;
mod outbox;

use std::sync::{Arc, Mutex, PoisonError};

use notes::WhisperNotes;
pub(crate) use notes::read_for_parent as read_voice_for_parent;
pub use outbox::ntfy;
pub(super) use outbox::{carriers, outbox};

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use crate::control::{CarrierRow, MessagesStatus, StatusBoard};
use joi_base::clock::Clock;
use joi_base::paths::Paths;
use joi_channels::signal::notes::NoteListener;
use joi_channels::signal::{SignalConversation, SignalConversationParts, SignalInbox, inbox};
use joi_llm::Mind;
use joi_messages::outbound::ntfy::NtfyCarrier;
use joi_messages::outbound::{Carrier, CarrierLink, CarrierName, Dispatcher, Outbox};
use joi_messages::signal::account::AccountFault;
use joi_messages::signal::carrier::SignalCarrier;
use joi_messages::signal::envelope::Received;
use joi_messages::signal::gate::{Admission, SignalGate};
use joi_messages::signal::link::{SignalFollower, SignalLink, signal_link};

/// Everything about messages.
pub struct Messages {
    /// Takes whatever is to be sent.
    pub outbox: Outbox,
    dispatcher: Option<Dispatcher>,
    signal: Option<SignalServices>,
    ntfy: Option<Arc<NtfyCarrier>>,
}

struct SignalServices {
    link: SignalLink,
    follower: SignalFollower,
    gate: Arc<Mutex<SignalGate>>,
    inbox: SignalInbox,
    conversation: Arc<SignalConversation<Mind>>,
    clock: Arc<dyn Clock>,
    /// The account's fault since the daemon was reached.
    account: AccountNews,
}

/// Shared by who asks the daemon and who shows it.
type AccountNews = Arc<Mutex<Option<AccountFault>>>;

/// Makes the carriers of the brain's outbox; returns remarks about those that cannot be used.
pub(super) fn messages(config: &Config, paths: &Paths, brain: &Brain) -> (Messages, Vec<String>) {
    let mut remarks = Vec::new();
    let ntfy = ntfy(config).unwrap_or_else(|why| {
        remarks.push(format!("nothing is sent to ntfy: {why}"));
        None
    });
    let linked = config.signal.is_on().then(|| signal_link(&config.signal)).transpose();
    let linked = linked.unwrap_or_else(|why| {
        remarks.push(format!("no Signal: signal.daemon must be {why}"));
        None
    });
    let outbox = brain.outbox.clone();
    let notes: Arc<dyn NoteListener> = WhisperNotes::new(config, paths, &brain.languages);
    let signal = linked.map(|linked| signal_services(config, brain, notes, linked));
    let ntfy = ntfy.map(Arc::new);
    let mut carriers: Vec<Arc<dyn Carrier>> = Vec::new();
    if let Some(signal) = &signal {
        carriers.push(Arc::new(SignalCarrier::new(
            signal.link.clone(),
            Arc::clone(&signal.gate),
            &config.signal,
        )));
    }
    carriers.extend(ntfy.clone().map(|ntfy| ntfy as Arc<dyn Carrier>));
    let dispatcher = (!carriers.is_empty()).then(|| Dispatcher::new(outbox.clone(), carriers));
    (Messages { outbox, dispatcher, signal, ntfy }, remarks)
}

fn signal_services(
    config: &Config,
    brain: &Brain,
    notes: Arc<dyn NoteListener>,
    (link, follower): (SignalLink, SignalFollower),
) -> SignalServices {
    let (inbox, arrived) = inbox();
    let parts = SignalConversationParts {
        engine: Arc::clone(&brain.engine),
        store: brain.store.clone(),
        clock: Arc::clone(&brain.clock),
        outbox: brain.outbox.clone(),
        link: link.clone(),
        notes,
        config: config.signal.clone(),
    };
    SignalServices {
        link,
        follower,
        gate: Arc::new(Mutex::new(SignalGate::new(&config.signal))),
        inbox,
        conversation: Arc::new(SignalConversation::new(parts, arrived)),
        clock: Arc::clone(&brain.clock),
        account: AccountNews::default(),
    }
}

impl Messages {
    /// Returns the services, and shows their state on `board`.
    pub(super) fn services(self, board: &StatusBoard) -> Vec<Service> {
        let Some(dispatcher) = self.dispatcher.clone() else { return Vec::new() };
        self.show(board);
        let send = move |context: ServiceContext| {
            let dispatcher = dispatcher.clone();
            async move {
                dispatcher.run(context.stop, context.heart).await;
                Ok(())
            }
        };
        let mut services =
            vec![Service::new("outbox", "no message leaves the house", send).heartbeat(Dispatcher::ROUND)];
        if let Some(signal) = self.signal {
            services.extend([signal.connection(), signal.conversation()]);
        }
        services
    }

    fn show(&self, board: &StatusBoard) {
        let (outbox, ntfy) = (self.outbox.clone(), self.ntfy.clone());
        let signal = self.signal.as_ref().map(|signal| {
            let address = signal.follower.address().to_string();
            (signal.link.clone(), address, Arc::clone(&signal.gate), Arc::clone(&signal.account))
        });
        board.messages(move || {
            let counts = outbox.last_counts();
            let mut carriers = Vec::new();
            let mut strangers = 0;
            if let Some((link, address, gate, account)) = &signal {
                let fault = account.lock().unwrap_or_else(PoisonError::into_inner).clone();
                carriers.push(signal_row(link, address, fault));
                strangers = gate.lock().unwrap_or_else(PoisonError::into_inner).counts().strangers;
            }
            carriers.extend(ntfy.as_ref().map(|ntfy| CarrierRow {
                name: CarrierName::Ntfy.name().to_owned(),
                is_up: true,
                told: ntfy.server(),
            }));
            let (waiting, last_hour, given_up) = (counts.waiting, counts.direct, counts.given_up);
            MessagesStatus { carriers, waiting, last_hour, given_up, strangers }
        });
    }
}

fn signal_row(link: &SignalLink, address: &str, fault: Option<AccountFault>) -> CarrierRow {
    let (is_up, told) = match (&*link.state().borrow(), fault) {
        (CarrierLink::Up, Some(fault)) => (false, fault.to_string()),
        (CarrierLink::Up, None) => {
            let version = link.version().unwrap_or_default();
            (true, format!("signal-cli {version} at {address}"))
        }
        (CarrierLink::Down(why), _) => (false, why.clone()),
    };
    CarrierRow { name: CarrierName::Signal.name().to_owned(), is_up, told }
}

/// Checks the account after each new connection to the daemon. Ends with the follower.
async fn watch_account(link: &SignalLink, account: &AccountNews) {
    let mut state = link.state();
    while state.wait_for(|state| *state == CarrierLink::Up).await.is_ok() {
        let fault = link.check_account().await.err();
        if let Some(fault) = &fault {
            tracing::error!(%fault, "messages over Signal can't be sent");
        }
        *account.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        if state.wait_for(|state| *state != CarrierLink::Up).await.is_err() {
            return;
        }
    }
}

impl SignalServices {
    /// Returns the service that keeps the daemon connected and admits the owner's messages.
    fn connection(&self) -> Service {
        let (follower, gate) = (self.follower.clone(), Arc::clone(&self.gate));
        let (inbox, clock) = (self.inbox.clone(), Arc::clone(&self.clock));
        let (link, account) = (self.link.clone(), Arc::clone(&self.account));
        let run = move |context: ServiceContext| {
            let (follower, gate) = (follower.clone(), Arc::clone(&gate));
            let (inbox, clock) = (inbox.clone(), Arc::clone(&clock));
            let (link, account) = (link.clone(), Arc::clone(&account));
            async move {
                let received = |params| {
                    let Some(received) = Received::read(&params) else { return };
                    let now = clock.now().timestamp();
                    match gate.lock().unwrap_or_else(PoisonError::into_inner).admit(received, now) {
                        Admission::Heard(message) => inbox.put(message),
                        Admission::Ignored(why) => tracing::debug!(why, "a message is ignored"),
                    }
                };
                let stop = context.stop.clone();
                tokio::join!(
                    follower.run(context.stop, received),
                    stop.run_until_cancelled(watch_account(&link, &account)),
                );
                Ok(())
            }
        };
        Service::new("signal link", "Signal is not connected", run)
    }

    fn conversation(&self) -> Service {
        let conversation = Arc::clone(&self.conversation);
        let run = move |context: ServiceContext| {
            let conversation = Arc::clone(&conversation);
            async move {
                conversation.run(context.stop).await;
                Ok(())
            }
        };
        Service::new("signal", "messages over Signal are not answered", run)
    }
}
