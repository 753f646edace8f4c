//! The weather at home while the program runs: looked at every four hours, where a place is configured and the internet
//! may be asked.
//!
//! One task. In: the forecast. Out: what is known of it in the context state, a topic where it is worth a word, an alarm
//! where it is a storm. A look that fails is repeated after a growing wait, and costs nothing else.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::awareness::Awareness;
use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use joi_base::clock::Clock;
use joi_language::Languages;
use joi_proactive::alert::{Alert, Alerts};
use joi_proactive::awareness::WeatherOutlook;
use joi_proactive::impulse::rhythm::{Rhythm, RhythmDue};
use joi_tools::weather::weather_ahead;
use joi_tools::{HttpClient, ToolsConfig};

/// It looks at the clock at least this often: it may be set.
const AT_LEAST: Duration = Duration::from_secs(60);
/// No look takes longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The parts that a look needs.
#[derive(Clone)]
pub(super) struct WeatherParts {
    pub(super) awareness: Awareness,
    pub(super) alerts: Alerts,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) languages: Languages,
    pub(super) http: HttpClient,
    pub(super) tools: ToolsConfig,
}

/// Returns the service; none where no place is known, or the internet is not to be asked.
pub(super) fn weather(brain: &Brain, config: &Config) -> Option<Service> {
    let tools = &config.tools;
    let is_wanted = tools.enabled && tools.online && !tools.never.iter().any(|name| name == "weather");
    if !is_wanted || tools.weather.place.trim().is_empty() {
        return None;
    }
    let parts = WeatherParts {
        awareness: brain.awareness.clone(),
        alerts: brain.alerts.clone(),
        clock: Arc::clone(&brain.clock),
        languages: brain.languages.clone(),
        http: HttpClient::public().ok()?,
        tools: tools.clone(),
    };
    let run = move |context: ServiceContext| {
        let watcher = WeatherWatcher::new(parts.clone());
        async move {
            watcher.run(context.stop).await;
            Ok(())
        }
    };
    Some(Service::new("weather", "no storm is foretold", run))
}

/// The task.
pub(super) struct WeatherWatcher {
    parts: WeatherParts,
    /// Nothing before the first look.
    due: Option<RhythmDue>,
}

impl WeatherWatcher {
    pub(super) fn new(parts: WeatherParts) -> Self {
        Self { parts, due: None }
    }

    async fn run(mut self, stop: CancellationToken) {
        loop {
            tokio::select! {
                // A look that is dropped is repeated at the next start.
                () = stop.cancelled() => return,
                () = self.step() => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(AT_LEAST) => {}
            }
        }
    }

    /// Looks, if it is time.
    pub(super) async fn step(&mut self) {
        let now = self.parts.clock.now().timestamp();
        if self.due.is_some_and(|due| !due.is_due(now)) {
            return;
        }
        let looked = self.look().await;
        let (now, draw) = (self.parts.clock.now().timestamp(), fastrand::f64());
        let due = self.due.get_or_insert_with(|| RhythmDue::after(Rhythm::WEATHER, now, draw));
        match looked {
            Ok(()) => due.done(now, draw),
            Err(why) => {
                tracing::warn!(why, "the weather is not known; it is looked at again later");
                due.failed(now, draw);
            }
        }
    }

    async fn look(&self) -> Result<(), String> {
        let language = self.parts.languages.get();
        let look = weather_ahead(&self.parts.tools.weather, &self.parts.http, &language);
        let ahead = tokio::time::timeout(PATIENCE, look).await.map_err(|_| "no answer in time".to_owned())?;
        let ahead = ahead.map_err(|error| error.to_string())?;
        let outlook = WeatherOutlook { told: ahead.told, gust: ahead.gust, thunder: ahead.thunder };
        let (awareness, now) = (&self.parts.awareness, self.parts.clock.now());
        let noticed = awareness.state().take_forecast(&outlook, awareness.rules(), &now);
        for alert in noticed.iter().filter_map(|noticed| Alert::of(&noticed.event)) {
            self.parts.alerts.raise(alert).await;
        }
        awareness.save_after(&self.parts.alerts).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
