//! Number of threads that a model computes with.
//!
//! In: `llm.threads`. Out: counts for this machine. Plain data; it reads the number of cores.

use std::thread::available_parallelism;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How many threads the model computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// One fewer than the machine has, so that ears and mouth keep one; of two the embedded server takes both for the first
    /// sentence of an answer.
    Auto,
    /// Exactly so many.
    Count(u32),
}

impl Threads {
    /// The number for a model on this machine.
    pub fn count(self) -> u32 {
        match self {
            Self::Count(count) => count,
            Self::Auto => cores().max(2) - 1,
        }
    }

    /// The number for the first tokens of an answer of the embedded server, behind which the voice begins. Of two cores it gets
    /// both: one is all that is left to it else.
    pub fn first(self) -> u32 {
        match self {
            Self::Auto => cores().min(2).max(self.count()),
            Self::Count(count) => count,
        }
    }
}

fn cores() -> u32 {
    available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1))
}

impl Serialize for Threads {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => to.serialize_str("auto"),
            Self::Count(count) => to.serialize_u32(*count),
        }
    }
}

impl<'de> Deserialize<'de> for Threads {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum WrittenThreads {
            Count(u32),
            Word(String),
        }
        match WrittenThreads::deserialize(from)? {
            WrittenThreads::Count(count) => Ok(Self::Count(count)),
            WrittenThreads::Word(word) if word == "auto" => Ok(Self::Auto),
            WrittenThreads::Word(word) => {
                Err(de::Error::invalid_value(de::Unexpected::Str(&word), &"\"auto\" or a number"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_tokens_never_get_fewer_threads_and_exactly_those_that_are_configured() {
        assert_eq!(Threads::Count(1).first(), 1);
        assert!(Threads::Auto.first() >= Threads::Auto.count().max(cores().min(2)));
        assert!(Threads::Auto.first() <= cores());
    }
}
