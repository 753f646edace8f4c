//! Classifies answers of the server: a wrong token, a start that is not over, another server.
//!
//! A server that starts or stops answers with pages of its web server, with empty bodies, with 500, and all of it in
//! turns; none of this means that an item or a house is gone.
//! Pure: no I/O, no clock.

use serde_json::Value;

use crate::fault::HomeFault;
use crate::wire_text::shown_target;

/// The server's name as its makers write it.
pub(super) const NAME: &str = "openHAB";

/// The parts of an answer that decide what it means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) address: &'a str,
    pub(super) status: u16,
    pub(super) content_type: &'a str,
    pub(super) location: Option<&'a str>,
    pub(super) body: &'a str,
    /// Whether a token was sent.
    pub(super) had_token: bool,
}

/// Returns the fault that an answer means; `None` for a success.
pub(super) fn fault(answer: Answer<'_>) -> Option<HomeFault> {
    let message = message(answer.body);
    let is_page = answer.content_type.starts_with("text/html");
    let not_a_server =
        |why: &str| HomeFault::NotAServer { address: answer.address.to_owned(), why: why.to_owned() };
    let starting = |why: &str| HomeFault::Starting { why: why.to_owned() };
    Some(match answer.status {
        200..=299 if is_page => not_a_server("a web page"),
        200..=299 => return None,
        300..=399 => HomeFault::Moved { target: shown_target(answer.location.unwrap_or_default()) },
        401 if message.is_none() => not_a_server("it wants a login of its own (status 401)"),
        401 if answer.had_token => HomeFault::WrongToken,
        401 => HomeFault::TokenMissing,
        403 => HomeFault::Forbidden,
        404 => match message {
            Some(text) => HomeFault::NoItem { item: item_of(&text) },
            None if is_page && is_of_another_server(answer.body) => {
                not_a_server("page not found (status 404)")
            }
            None => starting("status 404"),
        },
        400 => HomeFault::Refused,
        502..=504 => HomeFault::Proxy { status: answer.status },
        500 if message.is_none() => starting("status 500"),
        status => HomeFault::Unreadable {
            why: message
                .map_or_else(|| format!("status {status}"), |text| format!("status {status}, {text}")),
        },
    })
}

/// The message of an error body: JSON, or, with status 500, a JSON text that holds JSON.
fn message(body: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(body).ok()?;
    if let Value::String(inner) = &value {
        value = serde_json::from_str(inner).ok()?;
    }
    Some(value.get("error")?.get("message")?.as_str()?.to_owned())
}

/// `Item Foo does not exist!`
fn item_of(message: &str) -> String {
    message.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// While it starts, openHAB's own web server answers with pages of these words.
fn is_of_another_server(page: &str) -> bool {
    !["No service was found", "Jetty", "HTTP ERROR"].iter().any(|words| page.contains(words))
}

/// The server's version out of its root document: `runtimeInfo.version`, of which only the leading numbers count.
pub(super) fn version(root: &Value, address: &str) -> Result<String, HomeFault> {
    let version = root.get("runtimeInfo").and_then(|info| info.get("version")).and_then(Value::as_str);
    let Some(version) = version else {
        let is_old = root.get("version").is_some() && root.get("links").is_some();
        return Err(if is_old {
            too_old("2 or older")
        } else {
            HomeFault::NotAServer { address: address.to_owned(), why: "its root names no version".to_owned() }
        });
    };
    let major: String = version.chars().take_while(char::is_ascii_digit).collect();
    match major.parse::<u32>() {
        Ok(major) if major < 4 => Err(too_old(version)),
        _ => Ok(version.to_owned()),
    }
}

fn too_old(version: &str) -> HomeFault {
    HomeFault::TooOld { hub: NAME, version: version.to_owned(), oldest: "4.0" }
}
