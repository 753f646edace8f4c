//! The words of the page that `joi run` serves: `page.toml`.
//!
//! In: the text of the file. Out: its words by section; a language without them, or without a key, has the English ones.
//! Pure: no I/O, no clock.

use serde::Deserialize;

mod goals;
mod health;
mod wake;

pub use goals::GoalPageWords;
pub use health::HealthWords;
pub use wake::WakePageWords;

/// All words of the page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the sections of the file: docs/user/languages.md")]
pub struct PageWords {
    pub shell: ShellWords,
    pub enter: EnterWords,
    pub now: NowWords,
    pub why: WhyWords,
    pub day: DayWords,
    pub goals: GoalPageWords,
    pub memory: MemoryPageWords,
    pub house: HousePageWords,
    pub health: HealthWords,
    pub wake: WakePageWords,
    pub settings: SettingsWords,
}

/// What every page has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct ShellWords {
    pub language: String,
    pub skip: String,
    pub menu: String,
    pub leave: String,
    pub yes: String,
    pub no: String,
    pub save: String,
    pub remove: String,
    pub more: String,
    pub none: String,
    pub failed: String,
    pub off: String,
    pub on: String,
    pub foreign: String,
    pub not_found: String,
    pub lost: String,
}

/// The log-in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct EnterWords {
    pub title: String,
    pub how: String,
    pub token: String,
    pub enter: String,
    pub wrong: String,
    pub too_many: String,
    pub left: String,
    pub busy: String,
}

/// What goes on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct NowWords {
    pub title: String,
    pub state: String,
    pub starting: String,
    pub idle: String,
    pub listening: String,
    pub thinking: String,
    pub speaking: String,
    pub timer: String,
    pub muted: String,
    pub error: String,
    pub level: String,
    pub controls: String,
    pub talk: String,
    pub stop: String,
    pub mute: String,
    pub unmute: String,
    pub volume: String,
    pub set: String,
    pub conversation: String,
    pub r#type: String,
    pub placeholder: String,
    pub send: String,
    pub empty: String,
    pub you: String,
    pub woke: String,
    pub ignored: String,
    pub announced: String,
    pub rings: String,
    pub typed: String,
    pub said: String,
    pub why: String,
    pub muted_now: String,
    pub unmuted_now: String,
    pub listens: String,
    pub hold: String,
    pub hold_note: String,
    pub hold_opening: String,
    pub hold_speak: String,
    pub hold_sending: String,
    pub hold_short: String,
    pub hold_insecure: String,
    pub hold_missing: String,
    pub hold_refused: String,
    pub unclear: String,
    pub is_muted: String,
    pub not_yet: String,
    pub stopped: String,
    pub no_speaker: String,
    pub microphone: String,
    pub speaker: String,
    pub model: String,
    pub house: String,
    pub alarms: String,
}

/// The last turns.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct WhyWords {
    pub title: String,
    pub about: String,
    pub heard: String,
    pub answered: String,
    pub dismissed: String,
    pub by: String,
    pub decisions: String,
    pub who: String,
    pub decided: String,
    pub because: String,
    pub tools: String,
    pub tool: String,
    pub arguments: String,
    pub came_to: String,
    pub took: String,
    pub calls: String,
    pub purpose: String,
    pub model: String,
    pub read: String,
    pub known: String,
    pub reply: String,
    pub waterfall: String,
    pub waterfall_title: String,
    pub histogram: String,
    pub histogram_title: String,
    pub histogram_axis: String,
    pub no_times: String,
    pub none: String,
    pub show: String,
    pub all: String,
    pub answered_only: String,
    pub ignored_only: String,
}

/// What Joi does by itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct DayWords {
    pub title: String,
    pub approvals: String,
    pub wishes: String,
    pub approve: String,
    pub deny: String,
    pub approved: String,
    pub denied: String,
    pub no_approvals: String,
    pub agents: String,
    pub agent: String,
    pub pace: String,
    pub does: String,
    pub next: String,
    pub when_something: String,
    pub no_agents: String,
    pub watches: String,
    pub no_watches: String,
    pub removed_watch: String,
    pub waiting: String,
    pub no_waiting: String,
    pub topics: String,
    pub no_topics: String,
    pub quiet: String,
    pub quiet_from: String,
    pub quiet_none: String,
    pub quiet_now: String,
    pub quiet_wish: String,
    pub impulse: String,
    pub impulse_about: String,
    pub impulse_title: String,
    pub no_impulse: String,
    pub when: String,
    pub base: String,
    pub silence: String,
    pub context: String,
    pub time: String,
    pub chance: String,
    pub damper: String,
    pub habit: String,
    pub boost: String,
    pub total: String,
    pub needed: String,
    pub decided: String,
    pub about: String,
}

/// Memory, lists and timers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct MemoryPageWords {
    pub title: String,
    pub search: String,
    pub search_label: String,
    pub found: String,
    pub nothing: String,
    pub newest: String,
    pub kind: String,
    pub any: String,
    pub user: String,
    pub wish: String,
    pub world: String,
    pub diary: String,
    pub document: String,
    pub said: String,
    pub from: String,
    pub add: String,
    pub add_label: String,
    pub added: String,
    pub secret: String,
    pub empty_text: String,
    pub correct: String,
    pub corrected: String,
    pub forget: String,
    pub forgotten: String,
    pub forget_about: String,
    pub forget_about_label: String,
    pub forget_look: String,
    pub forget_found: String,
    pub forget_all: String,
    pub forgotten_about: String,
    pub forget_none: String,
    pub gone: String,
    pub lists: String,
    pub no_lists: String,
    pub add_to_list: String,
    pub added_to_list: String,
    pub removed_from_list: String,
    pub timers: String,
    pub no_timers: String,
    pub timer_when: String,
    pub timer_example: String,
    pub timer_name: String,
    pub timer_remind: String,
    pub timer_add: String,
    pub no_time: String,
    pub timer_cancelled: String,
    pub timer: String,
    pub alarm: String,
    pub reminder: String,
    pub house: String,
    pub timer_kind: String,
    pub timer_due: String,
    pub timer_left: String,
    pub timer_cancel: String,
    pub timer_pause: String,
    pub timer_resume: String,
    pub paused: String,
    pub rings: String,
    pub missed: String,
    pub silence: String,
}

/// Rooms and things.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct HousePageWords {
    pub title: String,
    pub none: String,
    pub r#try: String,
    pub try_label: String,
    pub try_example: String,
    pub try_button: String,
    pub try_note: String,
    pub would: String,
    pub answer: String,
    pub not_house: String,
    pub rooms: String,
    pub no_room: String,
    pub thing: String,
    pub kind: String,
    pub state: String,
    pub names: String,
    pub permission: String,
    pub unmapped: String,
    pub unmapped_about: String,
    pub down: String,
}

/// The configuration.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct SettingsWords {
    pub title: String,
    pub about: String,
    pub search: String,
    pub default: String,
    pub allowed: String,
    pub from_file: String,
    pub from_elsewhere: String,
    pub saved: String,
    pub back: String,
    pub reset: String,
    pub wrong: String,
    pub restart: String,
    pub differs: String,
    pub unwritable: String,
    pub named: String,
}

impl PageWords {
    /// Reads a language's file.
    ///
    /// # Errors
    /// The message of the TOML parser.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned())
    }
}
