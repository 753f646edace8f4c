//! What became of a message that the daemon was asked to send.
//!
//! In: its answer. Out: that it was sent, with what is wrong with single recipients; or the fault. One recipient who got
//! it is enough; a list of results without any is a group in which nobody else is. An answer without such a list (an old
//! daemon) counts as sent.
//! Pure: no I/O, no clock.

use std::time::Duration;

use serde_json::Value;

use super::rpc::RpcError;
use crate::outbound::CarryFault;

/// A message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// Names it; nothing where the daemon does not say.
    pub stamp: Option<i64>,
    /// Why single recipients did not get it.
    pub failures: Vec<&'static str>,
}

/// Returns what the daemon's answer means.
///
/// # Errors
/// Nobody got it.
pub fn verdict(answer: &Result<Value, RpcError>) -> Result<SentMessage, CarryFault> {
    match answer {
        Ok(result) => of_result(result),
        Err(error) => Err(of_error(error)),
    }
}

fn of_result(result: &Value) -> Result<SentMessage, CarryFault> {
    let kinds = kinds(result);
    if kinds.is_empty() && result.get("results").is_some_and(Value::is_array) {
        return Err(CarryFault::Refused("nobody is there who could get it".to_owned()));
    }
    let failures: Vec<&'static str> = kinds.iter().copied().filter_map(failure).collect();
    if !kinds.is_empty() && failures.len() == kinds.len() {
        return Err(of_failures(&kinds, result));
    }
    let stamp = result.get("timestamp").and_then(Value::as_i64);
    Ok(SentMessage { stamp, failures })
}

fn of_error(error: &RpcError) -> CarryFault {
    let response = error.data.get("response").unwrap_or(&Value::Null);
    match error.code {
        -5 => limited(response),
        -4 => CarryFault::Refused(IDENTITY.to_owned()),
        // The server of Signal can't be reached.
        -3 => CarryFault::Unsent(error.to_string()),
        -32603 => CarryFault::Unknown(error.to_string()),
        _ => match kinds(response) {
            kinds if kinds.is_empty() => CarryFault::Refused(error.to_string()),
            kinds => of_failures(&kinds, response),
        },
    }
}

const IDENTITY: &str =
    "the safety number has changed; compare it on the phone, then trust it with `signal-cli trust`";

/// Why one recipient did not get it.
fn failure(kind: &str) -> Option<&'static str> {
    match kind {
        "SUCCESS" => None,
        "NETWORK_FAILURE" => Some("no connection to Signal"),
        "UNREGISTERED_FAILURE" => Some("not registered with Signal"),
        "IDENTITY_FAILURE" => Some(IDENTITY),
        "RATE_LIMIT_FAILURE" => Some("Signal takes no more messages for now"),
        "INVALID_PRE_KEY_FAILURE" => Some("the recipient's keys can't be used"),
        _ => Some("an unknown failure"),
    }
}

/// Nobody got it: what passes soonest counts.
fn of_failures(kinds: &[&str], response: &Value) -> CarryFault {
    let has = |kind: &str| kinds.contains(&kind);
    if has("NETWORK_FAILURE") || has("INVALID_PRE_KEY_FAILURE") {
        return CarryFault::Unsent("no connection to Signal".to_owned());
    }
    if has("RATE_LIMIT_FAILURE") {
        return limited(response);
    }
    let why = kinds.iter().copied().find_map(failure).unwrap_or("an unknown failure");
    CarryFault::Refused(why.to_owned())
}

fn limited(response: &Value) -> CarryFault {
    let results = response.get("results").and_then(Value::as_array);
    let each = || results.into_iter().flatten();
    let seconds = each().filter_map(|result| result.get("retryAfterSeconds")?.as_u64()).max();
    let wants_captcha = each().any(|result| result.get("token").is_some_and(Value::is_string));
    let why = match wants_captcha {
        true => "Signal wants a captcha solved (signal-cli submitRateLimitChallenge)",
        false => "Signal takes no more messages for now",
    };
    CarryFault::RateLimited { why: why.to_owned(), after: seconds.map(Duration::from_secs) }
}

fn kinds(response: &Value) -> Vec<&str> {
    let results = response.get("results").and_then(Value::as_array);
    results
        .into_iter()
        .flatten()
        .map(|result| result.get("type").and_then(Value::as_str).unwrap_or(""))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn results(kinds: &[&str]) -> Value {
        let all: Vec<Value> = kinds.iter().map(|kind| json!({ "type": kind })).collect();
        json!({ "timestamp": 1_763_719_200_123_i64, "results": all })
    }

    fn refused(code: i64, message: &str, data: Value) -> CarryFault {
        verdict(&Err(RpcError { code, message: message.into(), data })).unwrap_err()
    }

    #[test]
    fn one_who_got_it_is_enough_and_the_others_are_reported() {
        let sent = verdict(&Ok(results(&["IDENTITY_FAILURE", "SUCCESS"]))).unwrap();
        assert_eq!(sent, SentMessage { stamp: Some(1_763_719_200_123), failures: vec![IDENTITY] });
        let old = verdict(&Ok(json!({ "timestamp": 999 }))).unwrap();
        assert_eq!(old, SentMessage { stamp: Some(999), failures: Vec::new() });
        assert!(verdict(&Ok(results(&["UNREGISTERED_FAILURE"]))).is_err());
        assert!(matches!(verdict(&Ok(results(&[]))), Err(CarryFault::Refused(_))), "an empty group");
    }

    #[test]
    fn each_error_means_what_it_should() {
        let data = |kinds: &[&str]| json!({ "response": results(kinds) });
        let failed = |kinds: &[&str]| refused(-1, "Failed to send message", data(kinds));
        assert!(matches!(failed(&["UNREGISTERED_FAILURE"]), CarryFault::Refused(_)));
        assert!(matches!(failed(&["NETWORK_FAILURE", "IDENTITY_FAILURE"]), CarryFault::Unsent(_)));
        assert!(matches!(refused(-1, "Group not found: x", Value::Null), CarryFault::Refused(_)));
        assert!(matches!(refused(-3, "unreachable", Value::Null), CarryFault::Unsent(_)));
        let untrusted = refused(-4, "untrusted", data(&["IDENTITY_FAILURE"]));
        assert_eq!(untrusted, CarryFault::Refused(IDENTITY.into()));
        assert!(matches!(
            refused(-32602, "Specified account does not exist", Value::Null),
            CarryFault::Refused(_)
        ));
        assert!(matches!(refused(-32603, "(UnexpectedErrorException)", Value::Null), CarryFault::Unknown(_)));
    }

    #[test]
    fn a_limit_says_how_long_it_lasts_and_whether_a_captcha_ends_it() {
        let plain =
            json!({ "response": { "results": [{ "type": "RATE_LIMIT_FAILURE", "retryAfterSeconds": 86 }] } });
        let why = "Signal takes no more messages for now".to_owned();
        let after = Some(Duration::from_secs(86));
        assert_eq!(refused(-5, "limit", plain), CarryFault::RateLimited { why, after });
        let captcha = json!({ "response": { "results": [{ "type": "RATE_LIMIT_FAILURE", "token": "t" }] } });
        let limited = refused(-5, "limit", captcha);
        assert!(matches!(&limited, CarryFault::RateLimited { why, after: None } if why.contains("captcha")));
    }
}
