//! How long the model stays in memory after a request. PURE.
//!
//! A number of seconds, or a duration as Go writes it ("30m", "1h30m", "-1s"). Negative: for ever.

use std::time::Duration;

use serde_json::Value;

/// Time in memory after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepAlive {
    /// This long; zero frees it at once.
    For(Duration),
    /// Until another request says otherwise.
    Forever,
}

impl Default for KeepAlive {
    fn default() -> Self {
        Self::For(Duration::from_secs(5 * 60))
    }
}

impl KeepAlive {
    /// Whether the model is to leave memory at once.
    pub(crate) fn is_zero(self) -> bool {
        self == Self::For(Duration::ZERO)
    }

    /// Reads the request's field; absent or null is the default of five minutes.
    pub(crate) fn read(value: Option<&Value>) -> Result<Self, String> {
        match value {
            None | Some(Value::Null) => Ok(Self::default()),
            Some(Value::Number(n)) => n.as_f64().map(Self::seconds).ok_or_else(|| not_one(&n.to_string())),
            Some(Value::String(text)) => go_duration(text).map(Self::seconds),
            Some(other) => Err(format!("json: cannot unmarshal {other} into a duration")),
        }
    }

    fn seconds(seconds: f64) -> Self {
        if seconds < 0.0 {
            return Self::Forever;
        }
        // Beyond what a duration holds (and NaN, which JSON can't carry) there is no end.
        Duration::try_from_secs_f64(seconds).map_or(Self::Forever, Self::For)
    }
}

fn not_one(text: &str) -> String {
    format!("time: invalid duration {text:?}")
}

/// Seconds of a duration in Go's notation.
fn go_duration(text: &str) -> Result<f64, String> {
    let (sign, mut rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { -1.0 } else { 1.0 }, rest),
        None => (1.0, text),
    };
    if rest == "0" {
        return Ok(0.0);
    }
    if rest.is_empty() {
        return Err(not_one(text));
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| not_one(text))?;
        rest = &rest[digits..];
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let unit = match &rest[..end] {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "" => return Err(format!("time: missing unit in duration {text:?}")),
            unit => return Err(format!("time: unknown unit {unit:?} in duration {text:?}")),
        };
        seconds += number * unit;
        rest = &rest[end..];
    }
    Ok(sign * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seconds(n: u64) -> Result<KeepAlive, String> {
        Ok(KeepAlive::For(Duration::from_secs(n)))
    }

    #[test]
    fn numbers_are_seconds_and_texts_are_go_durations() {
        let read = |v: Value| KeepAlive::read(Some(&v));
        assert_eq!(KeepAlive::read(None), seconds(300));
        assert_eq!(read(Value::Null), seconds(300));
        assert_eq!(read(json!(0)), seconds(0));
        assert_eq!(read(json!("0")), seconds(0));
        assert_eq!(read(json!(90)), seconds(90));
        assert_eq!(read(json!("1h30m")), seconds(5400));
        assert_eq!(read(json!("1.5s")), Ok(KeepAlive::For(Duration::from_millis(1500))));
        for forever in [json!(-1), json!("-1s"), json!(1e300)] {
            assert_eq!(read(forever), Ok(KeepAlive::Forever));
        }
    }

    #[test]
    fn what_is_no_duration_is_said_in_gos_words() {
        let error = |text: &str| KeepAlive::read(Some(&json!(text))).unwrap_err();
        assert_eq!(error(""), r#"time: invalid duration """#);
        assert_eq!(error("soon"), r#"time: invalid duration "soon""#);
        assert_eq!(error("5"), r#"time: missing unit in duration "5""#);
        assert_eq!(error("5 days"), r#"time: unknown unit " days" in duration "5 days""#);
    }
}
