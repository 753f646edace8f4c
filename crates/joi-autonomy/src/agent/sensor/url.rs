//! Reads an address that the owner has configured, wherever it is.
//!
//! Follows no redirect, sends no credentials, takes no more than the longest reading.

use std::time::Duration;

use futures_util::{Stream, StreamExt};
use reqwest::{Client, Response, Url};

use super::{MOST_BYTES, SensorFault};

/// A server that does not answer within that is given up.
const CONNECT: Duration = Duration::from_secs(5);
/// Time limit of an answer that is read as a whole.
const WHOLE: Duration = Duration::from_secs(20);

/// The client of one address.
pub(super) struct UrlReader {
    client: Client,
    url: Url,
}

impl UrlReader {
    pub(super) fn new(url: &str) -> Result<Self, SensorFault> {
        let url = Url::parse(url).map_err(|_| SensorFault::Unreadable(format!("{url} is not an address")))?;
        joi_base::tls::provide_crypto();
        let client =
            Client::builder().connect_timeout(CONNECT).redirect(reqwest::redirect::Policy::none()).no_proxy();
        let client =
            client.build().map_err(|error| SensorFault::Unreadable(format!("no HTTP client: {error}")))?;
        Ok(Self { client, url })
    }

    /// Returns the body of an answer.
    pub(super) async fn text(&self) -> Result<String, SensorFault> {
        let whole = async {
            let (mut body, mut pieces) = (Vec::new(), Box::pin(self.pieces("").await?));
            while let Some(piece) = pieces.next().await {
                body.extend_from_slice(&piece?);
                if body.len() > MOST_BYTES {
                    return Err(self.failed(format!("it sends more than {MOST_BYTES} bytes")));
                }
            }
            Ok(String::from_utf8_lossy(&body).into_owned())
        };
        tokio::time::timeout(WHOLE, whole)
            .await
            .unwrap_or_else(|_| Err(self.failed("it does not answer in time")))
    }

    /// Returns the pieces of an answer as they come.
    pub(super) async fn pieces(
        &self,
        accept: &'static str,
    ) -> Result<impl Stream<Item = Result<Vec<u8>, SensorFault>> + Send + use<>, SensorFault> {
        let mut request = self.client.get(self.url.clone());
        if !accept.is_empty() {
            request = request.header(reqwest::header::ACCEPT, accept);
        }
        let response = request.send().await.map_err(|error| self.failed(joi_base::root_cause::of(&error)))?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.failed(format!("it answers {status}")));
        }
        let host = self.host();
        let failed = move |error: reqwest::Error| {
            SensorFault::Unreadable(format!("{host}: {}", joi_base::root_cause::of(&error)))
        };
        Ok(Response::bytes_stream(response)
            .map(move |piece| piece.map(|piece| piece.to_vec()).map_err(&failed)))
    }

    fn host(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }

    fn failed(&self, why: impl std::fmt::Display) -> SensorFault {
        SensorFault::Unreadable(format!("cannot read {}: {why}", self.host()))
    }
}
