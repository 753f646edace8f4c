//! The `options` object of a request: types checked, values clamped to their ranges. PURE.
//!
//! Unknown keys are ignored, as are null values. A wrong type is refused in Ollama's words.

use serde_json::{Map, Value};

use crate::engine::Runner;
use crate::llama::{Grammar, Sampling};

/// The options of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    /// Runner options.
    pub runner: Runner,
    /// Sampling parameters.
    pub sampling: Sampling,
    /// Most tokens to write; 0 or less: no limit.
    pub num_predict: i64,
    /// Texts that end the reply.
    pub stops: Vec<String>,
}

const INTEGERS: [&str; 11] = [
    "num_ctx",
    "num_predict",
    "num_keep",
    "num_batch",
    "num_thread",
    "num_gpu",
    "main_gpu",
    "top_k",
    "seed",
    "repeat_last_n",
    "draft_num_predict",
];
const FLOATS: [&str; 7] =
    ["temperature", "top_p", "min_p", "typical_p", "repeat_penalty", "presence_penalty", "frequency_penalty"];

impl Options {
    /// Reads the object; `None` is all defaults.
    pub(crate) fn read(given: Option<&Map<String, Value>>) -> Result<Self, String> {
        let empty = Map::new();
        let given = given.unwrap_or(&empty);
        check_types(given)?;
        let integer = |key: &str| given.get(key).and_then(Value::as_f64).map(|n| n as i64);
        let float = |key: &str, default: f32, low: f32, high: f32| {
            let value = given.get(key).and_then(Value::as_f64).map_or(default, |n| n as f32);
            value.clamp(low, high)
        };
        // llama.cpp takes only penalties above zero; Ollama treats 0 as "none".
        let repeat_penalty = match float("repeat_penalty", 1.0, 0.0, 10.0) {
            none if none <= 0.0 => 1.0,
            penalty => penalty,
        };
        let sampling = Sampling {
            temperature: float("temperature", 0.8, 0.0, 100.0),
            top_k: integer("top_k").unwrap_or(40).clamp(0, i64::from(i32::MAX)) as i32,
            top_p: float("top_p", 0.9, 0.0, 1.0),
            min_p: float("min_p", 0.0, 0.0, 1.0),
            repeat_penalty,
            presence_penalty: float("presence_penalty", 0.0, -10.0, 10.0),
            frequency_penalty: float("frequency_penalty", 0.0, -10.0, 10.0),
            repeat_last_n: integer("repeat_last_n")
                .map_or(64, |n| if n < 0 { 4096 } else { n.min(4096) as i32 }),
            seed: seed(integer("seed")),
            grammar: Grammar::Free,
        };
        let runner = Runner {
            num_ctx: integer("num_ctx").filter(|n| *n > 0).map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            threads: integer("num_thread").filter(|n| *n > 0).map(|n| n.min(cores()) as u16),
        };
        let stops = given.get("stop").and_then(Value::as_array).map_or_else(Vec::new, |list| {
            list.iter().filter_map(|stop| stop.as_str().map(str::to_owned)).collect()
        });
        Ok(Self { runner, sampling, num_predict: integer("num_predict").unwrap_or(-1), stops })
    }
}

/// More threads than cores only wait for each other.
fn cores() -> i64 {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(512) as i64)
}

/// A given seed makes replies repeatable; without one (or a negative one) each is different.
fn seed(given: Option<i64>) -> u32 {
    match given.and_then(|n| u64::try_from(n).ok()) {
        Some(seed) => (seed ^ (seed >> 32)) as u32,
        None => jiff::Timestamp::now().as_nanosecond() as u32,
    }
}

fn check_types(given: &Map<String, Value>) -> Result<(), String> {
    for (key, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        let expected = if INTEGERS.contains(&key.as_str()) && !value.is_number() {
            "integer"
        } else if FLOATS.contains(&key.as_str()) && !value.is_number() {
            "float32"
        } else if key == "use_mmap" && !value.is_boolean() {
            "boolean"
        } else if key == "stop" && !value.is_array() {
            "array"
        } else if key == "stop" && value.as_array().is_some_and(|l| l.iter().any(|s| !s.is_string())) {
            return Err("option \"stop\" must be of an array of strings".to_owned());
        } else {
            continue;
        };
        return Err(format!("option {key:?} must be of type {expected}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(options: Value) -> Result<Options, String> {
        Options::read(options.as_object())
    }

    #[test]
    fn defaults_are_ollamas() {
        let options = read(json!({"seed": 7})).unwrap();
        let sampling = Sampling {
            temperature: 0.8,
            top_k: 40,
            top_p: 0.9,
            min_p: 0.0,
            repeat_penalty: 1.0,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            repeat_last_n: 64,
            seed: 7,
            grammar: Grammar::Free,
        };
        let expected = Options { runner: Runner::default(), sampling, num_predict: -1, stops: Vec::new() };
        assert_eq!(options, expected);
    }

    #[test]
    fn a_wrong_type_is_refused_in_ollamas_words() {
        let error = |v: Value| read(v).unwrap_err();
        assert_eq!(error(json!({"num_ctx": "4096"})), r#"option "num_ctx" must be of type integer"#);
        assert_eq!(error(json!({"temperature": true})), r#"option "temperature" must be of type float32"#);
        assert_eq!(error(json!({"stop": "x"})), r#"option "stop" must be of type array"#);
        assert_eq!(error(json!({"stop": [1]})), r#"option "stop" must be of an array of strings"#);
        assert_eq!(error(json!({"use_mmap": 1})), r#"option "use_mmap" must be of type boolean"#);
    }

    #[test]
    fn unknown_and_null_options_are_ignored() {
        assert!(read(json!({"mirostat_magic": "x", "num_ctx": null, "temperature": null})).is_ok());
    }

    #[test]
    fn values_that_would_break_the_sampler_are_brought_into_range() {
        let mad = json!({"repeat_penalty": -3, "temperature": 1e300, "top_p": -1, "top_k": -5,
            "num_ctx": -1, "num_thread": 100_000, "frequency_penalty": 1e300, "seed": 1});
        let options = read(mad).unwrap();
        let s = &options.sampling;
        assert_eq!((s.repeat_penalty, s.temperature, s.top_p, s.top_k), (1.0, 100.0, 0.0, 0));
        assert_eq!(s.frequency_penalty, 10.0);
        assert_eq!((options.runner.num_ctx, options.runner.threads), (None, Some(cores() as u16)));
    }
}
