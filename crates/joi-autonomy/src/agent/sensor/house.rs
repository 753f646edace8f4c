//! An item of the connected house: its state now, then each state it has.
//!
//! The house and its events are those that watches follow. States that come too fast are left out: the house as it is counts.

use std::collections::VecDeque;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use joi_home::house::{Item, ItemKind, ItemState, Permission, StateValue};
use joi_home::{HomeView, ServerEvent};
use joi_tools::Source;
use serde_json::Value;
use tokio::sync::{broadcast, watch};

use super::{Sensor, SensorFault, SensorReading};

/// The sensor.
pub struct HouseSensor {
    item: String,
    is_trusted: bool,
    view: watch::Receiver<HomeView>,
    events: broadcast::Receiver<ServerEvent>,
    waiting: VecDeque<SensorReading>,
    last: Option<Value>,
    is_first: bool,
}

impl HouseSensor {
    /// Follows `item` in a house.
    pub fn new(
        item: &str,
        is_trusted: bool,
        view: watch::Receiver<HomeView>,
        events: broadcast::Receiver<ServerEvent>,
    ) -> Self {
        let item = item.to_owned();
        Self { item, is_trusted, view, events, waiting: VecDeque::new(), last: None, is_first: true }
    }

    /// Takes in what the item was for a moment, then what it is.
    fn look(&mut self) -> Result<(), SensorFault> {
        let events = self.events();
        let view = self.view.borrow_and_update().clone();
        if !view.link.is_up() || view.house.is_empty() {
            return Ok(());
        }
        let known = view.house.item(&self.item).filter(|item| item.permission >= Permission::ReadOnly);
        let Some(known) = known.cloned() else {
            return Err(SensorFault::Unreadable(format!(
                "the house has no item {} that may be read",
                self.item
            )));
        };
        for text in events {
            let mut then = known.clone();
            then.state = ItemState::read(&text, &known.kind);
            self.take(then);
        }
        self.take(known);
        Ok(())
    }

    fn take(&mut self, item: Item) {
        let value = reading(&item);
        if value.is_null() || self.last.as_ref() == Some(&value) {
            return;
        }
        self.last = Some(value.clone());
        let is_text = matches!(item.state.value, StateValue::Text(_));
        let source = if is_text && !self.is_trusted { Source::Foreign } else { Source::Own };
        self.waiting.push_back(SensorReading { value, source, item: Some(Box::new(item)) });
    }

    fn events(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            match self.events.try_recv() {
                Ok(ServerEvent::State { item, text }) if item == self.item => found.push(text),
                Ok(_) | Err(broadcast::error::TryRecvError::Lagged(_)) => {}
                Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => {
                    return found;
                }
            }
        }
    }
}

impl Sensor for HouseSensor {
    fn next(&mut self) -> BoxFuture<'_, Result<SensorReading, SensorFault>> {
        async move {
            loop {
                if std::mem::take(&mut self.is_first) {
                    self.look()?;
                }
                if let Some(reading) = self.waiting.pop_front() {
                    return Ok(reading);
                }
                self.view.changed().await.map_err(|_| SensorFault::Ended("the house"))?;
                self.look()?;
            }
        }
        .boxed()
    }
}

/// Returns a state as JSON; null while it is unknown.
fn reading(item: &Item) -> Value {
    match &item.state.value {
        StateValue::Unknown | StateValue::Null | StateValue::Undefined | StateValue::Picture => Value::Null,
        StateValue::Percent(closed) if *item.kind.acts_as() == ItemKind::Rollershutter => match closed {
            0.0 => "open".into(),
            100.0 => "closed".into(),
            closed => format!("{closed} % closed").into(),
        },
        StateValue::OnOff(is_on) => if *is_on { "on" } else { "off" }.into(),
        StateValue::OpenClosed(is_open) => if *is_open { "open" } else { "closed" }.into(),
        StateValue::Percent(percent) => (*percent).into(),
        StateValue::Number { value, unit } => match unit {
            Some(unit) => format!("{value} {unit}").into(),
            None => (*value).into(),
        },
        StateValue::Moment(at) => at.to_string().into(),
        StateValue::Playing(text) | StateValue::Text(text) => text.clone().into(),
        StateValue::Colour { hue, saturation, brightness } => {
            format!("{hue},{saturation},{brightness}").into()
        }
        StateValue::Position { latitude, longitude } => format!("{latitude},{longitude}").into(),
    }
}
