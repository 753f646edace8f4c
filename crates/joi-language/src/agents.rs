//! Words with which agents are spoken of, in one language: `agents.toml`.
//!
//! In: the file's text, the names of the agents, an utterance. Out: what is wanted of which agent. A phrase stands for the
//! whole utterance or for nothing. It refuses a file with a missing key or an invalid pattern. Pure: no I/O, no clock.

use serde::Deserialize;

use super::pattern::{PatternGroups, WordPattern};

/// The words; what each is for is said in the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct AgentWords {
    pub named: Vec<String>,
    pub bare: Vec<String>,
    #[serde(default)]
    pub lead: String,
    #[serde(default)]
    pub tail: String,
    pub grant: Vec<String>,
    pub refuse: Vec<String>,
    #[serde(default)]
    pub it_grant: Vec<String>,
    #[serde(default)]
    pub it_refuse: Vec<String>,
    pub pause: Vec<String>,
    pub resume: Vec<String>,
    pub waiting: Vec<String>,
    pub doing: Vec<String>,
    pub ask: Vec<String>,
}

/// A wish about an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentPhrase {
    /// It may do what it asked about.
    Grant,
    /// It may not.
    Refuse,
    /// It is to rest.
    Pause,
    /// It is to go on.
    Resume,
    /// What does it want to do?
    Waiting,
    /// What does it do?
    Doing,
    /// Words are for it.
    Ask,
}

/// A phrase about agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSaid {
    /// The wish.
    pub phrase: AgentPhrase,
    /// Of which agent, as it was named; nothing for all.
    pub name: Option<String>,
    /// The words for it; empty where there are none.
    pub words: String,
}

/// The phrases of a language for agents of these names.
#[derive(Debug)]
pub struct AgentReader {
    phrases: Vec<(AgentPhrase, WordPattern)>,
    it_refuse: Vec<WordPattern>,
    it_grant: Vec<WordPattern>,
}

impl AgentWords {
    /// Reads the file.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let words: Self = toml::from_str(text).map_err(|error: toml::de::Error| error.to_string())?;
        words.reader(&["agent".to_owned()]).map(|_| words)
    }

    /// Returns the phrases for agents that are called `names`, in small letters, several words parted by a space.
    ///
    /// # Errors
    /// One of them is not a valid pattern.
    pub fn reader(&self, names: &[String]) -> Result<AgentReader, String> {
        let names: Vec<String> = names.iter().map(|name| escaped(name)).collect();
        let names = names.join("|");
        let compiled = |phrase: &String| self.compiled(phrase, &names);
        let all = |phrases: &[String]| phrases.iter().map(compiled).collect::<Result<Vec<_>, _>>();
        // A no comes before a yes that is in it.
        let rows = [
            (AgentPhrase::Refuse, &self.refuse),
            (AgentPhrase::Grant, &self.grant),
            (AgentPhrase::Pause, &self.pause),
            (AgentPhrase::Resume, &self.resume),
            (AgentPhrase::Waiting, &self.waiting),
            (AgentPhrase::Doing, &self.doing),
            (AgentPhrase::Ask, &self.ask),
        ];
        let mut phrases = Vec::new();
        for (phrase, written) in rows {
            phrases.extend(all(written)?.into_iter().map(|pattern| (phrase, pattern)));
        }
        Ok(AgentReader { phrases, it_refuse: all(&self.it_refuse)?, it_grant: all(&self.it_grant)? })
    }

    fn compiled(&self, phrase: &str, names: &str) -> Result<WordPattern, String> {
        let named = self.named.join("|");
        let any = format!("{named}|{}", self.bare.join("|"));
        let phrase =
            phrase.replace("{agent}", &format!("(?:{named})")).replace("{any}", &format!("(?:{any})"));
        let mut written = String::new();
        for (at, part) in phrase.split("{name}").enumerate() {
            if at > 0 {
                // Groups must differ in their names.
                written.push_str(&format!("(?P<name{at}>{names})"));
            }
            written.push_str(part);
        }
        WordPattern::new(&format!("(?i)^{}(?:{written}){}$", self.lead, self.tail))
    }
}

impl AgentReader {
    /// Returns what `text` wants of agents; nothing when it is not about them.
    pub fn said(&self, text: &str) -> Option<AgentSaid> {
        let text = plain(text);
        self.phrases.iter().find_map(|(phrase, pattern)| {
            let groups = pattern.captures(&text)?;
            let words = groups.name("words").map(|words| words.as_str().trim().to_owned());
            Some(AgentSaid { phrase: *phrase, name: name_in(&groups), words: words.unwrap_or_default() })
        })
    }

    /// Returns whether `text`, right behind the question of an agent, is a yes or a no to it by a pronoun: "don't let it".
    pub fn answers(&self, text: &str) -> Option<bool> {
        let text = plain(text);
        let fits = |patterns: &[WordPattern]| patterns.iter().any(|pattern| pattern.is_match(&text));
        if fits(&self.it_refuse) { Some(false) } else { fits(&self.it_grant).then_some(true) }
    }
}

/// Returns `text` with plain signs and spaces, without those at its end.
fn plain(text: &str) -> String {
    let text = text.replace(['’', '`', '´'], "'");
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!', '?', ',', ';', ' ']).to_owned()
}

fn name_in(groups: &PatternGroups<'_>) -> Option<String> {
    let found = (1..).map_while(|at| (at < MOST_NAMES).then(|| groups.name(&format!("name{at}"))));
    let name = found.flatten().next()?;
    Some(name.as_str().to_lowercase().replace('-', " "))
}

/// More places of a name no phrase has.
const MOST_NAMES: usize = 16;

/// Returns the pattern of a name. A space may be a hyphen.
fn escaped(name: &str) -> String {
    let mut pattern = String::new();
    for sign in name.chars() {
        match sign {
            ' ' => pattern.push_str("[- ]"),
            sign if sign.is_alphanumeric() => pattern.push(sign),
            sign => pattern.extend(['\\', sign]),
        }
    }
    pattern
}
