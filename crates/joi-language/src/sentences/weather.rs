//! Words of the weather, read as part of [`Sentences`](super::Sentences). PURE.

use serde::Deserialize;

/// How the weather is told.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct WeatherSentences {
    pub now: String,
    pub now_and_today: String,
    pub later: String,
    pub tomorrow: String,
    pub day: String,
    pub rain: String,
    pub gusts: String,
    pub skies: SkyWords,
}

/// What the sky is like.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct SkyWords {
    pub clear: String,
    pub clouds: String,
    pub overcast: String,
    pub fog: String,
    pub drizzle: String,
    pub rain: String,
    pub snow: String,
    pub showers: String,
    pub snow_showers: String,
    pub thunderstorms: String,
    pub changing: String,
}
