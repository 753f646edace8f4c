//! A tool or an address that is read at an interval, at once the first time.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use joi_tools::Source;

use super::url::UrlReader;
use super::{Sensor, SensorFault, SensorReading, author, value_at};

/// Calls the tool of a sensor once, through the gate: the text of its answer, and whose words it is.
pub type PolledTool = Box<dyn Fn() -> BoxFuture<'static, Result<(String, Source), String>> + Send>;

enum Polled {
    Tool(PolledTool),
    Url(UrlReader),
}

/// The sensor.
pub struct PollSensor {
    polled: Polled,
    pointer: String,
    interval: Duration,
    is_trusted: bool,
    is_first: bool,
}

impl PollSensor {
    /// Calls a tool.
    pub fn tool(tool: PolledTool, pointer: String, interval: Duration, is_trusted: bool) -> Self {
        Self { polled: Polled::Tool(tool), pointer, interval, is_trusted, is_first: true }
    }

    /// Reads an address.
    ///
    /// # Errors
    /// It is none, or no HTTP client can be made.
    pub fn url(
        url: &str,
        pointer: String,
        interval: Duration,
        is_trusted: bool,
    ) -> Result<Self, SensorFault> {
        let polled = Polled::Url(UrlReader::new(url)?);
        Ok(Self { polled, pointer, interval, is_trusted, is_first: true })
    }

    async fn read(&mut self) -> Result<SensorReading, SensorFault> {
        let (text, source) = match &self.polled {
            Polled::Tool(call) => call().await.map_err(SensorFault::Unreadable)?,
            Polled::Url(reader) => (reader.text().await?, Source::Foreign),
        };
        let source = if self.is_trusted { author(true) } else { source };
        Ok(SensorReading::of(value_at(&text, &self.pointer)?, source))
    }
}

impl Sensor for PollSensor {
    fn next(&mut self) -> BoxFuture<'_, Result<SensorReading, SensorFault>> {
        async move {
            if !self.is_first {
                tokio::time::sleep(self.interval).await;
            }
            let read = self.read().await;
            // After a failure the pause of the driver counts, not the interval as well.
            self.is_first = read.is_err();
            read
        }
        .boxed()
    }
}
