//! Every limit of goals, tasks and the assistant, each with its unit and the range in which it makes sense.
//!
//! Constants; what an owner may change is in `config`, with these as defaults.

use std::time::Duration;

use jiff::SignedDuration;

/// Replies of the model in one run, 1 to 100.
pub const MOST_REPLIES: u32 = 20;
/// Calls of one tool in a row, 1 to 20.
pub const SAME_TOOL_IN_A_ROW: u32 = 5;
/// A run that takes longer ends, 1 to 30 min.
pub const RUN_LASTS: Duration = Duration::from_secs(10 * 60);
/// Tokens that one run reads and writes, 1,000 to 1,000,000.
pub const RUN_TOKENS: u64 = 100_000;
/// Calls of one run that speak or change something, 1 to 20.
pub const RUN_ACTIONS: u32 = 5;
/// How often a model that limits its requests is asked again at once, 0 to 5.
pub const IMMEDIATE_RETRIES: u32 = 2;
/// The pause before that, 0.5 to 10 s.
pub const IMMEDIATE_PAUSE: Duration = Duration::from_millis(1_500);

/// Steps of the inner history that are kept, 20 to 1,000.
pub const HISTORY_KEPT: u32 = 100;
/// Steps that the prompt of a task shows, 1 to 100.
pub const TASK_HISTORY: u32 = 20;
/// Messages of the thread that a prompt shows, 2 to 100.
pub const THREAD_SHOWN: u32 = 20;
/// Notes that are kept of one agent, 10 to 1,000.
pub const NOTES_KEPT: u32 = 200;
/// Notes that a prompt shows, 0 to 50.
pub const NOTES_SHOWN: u32 = 10;
/// Learnings that are kept, and shown, of one agent, 1 to 100.
pub const LEARNINGS_KEPT: u32 = 30;
/// Characters of one note, learning or message, 100 to 4,000.
pub const LONGEST_TEXT: usize = 1_000;
/// Characters of a block of a prompt, 500 to 20,000.
pub const LONGEST_BLOCK: usize = 3_000;
/// Characters of a name, 10 to 100.
pub const LONGEST_NAME: usize = 60;

/// Delayed retries where requests are limited, 0 to 20.
pub const RATE_LIMIT_RETRIES: u32 = 5;
/// Delayed retries where the model can't be reached, 0 to 20.
pub const NETWORK_RETRIES: u32 = 3;
/// Delayed retries after any other failure, 0 to 20.
pub const OTHER_RETRIES: u32 = 2;
/// The first delay; each further one is doubled. 1 to 60 s.
pub const RETRY_BASE: SignedDuration = SignedDuration::from_secs(10);
/// The longest delay, 10 to 3,600 s.
pub const RETRY_CAP: SignedDuration = SignedDuration::from_secs(300);
/// Added to each delay at random, 0 to 10 s.
pub const RETRY_JITTER: SignedDuration = SignedDuration::from_secs(2);
/// The pause after somebody talked and the model was theirs, 1 to 60 s.
pub const INTERRUPTED_PAUSE: SignedDuration = SignedDuration::from_secs(5);

/// The health monitor looks so often, 1 to 60 min.
pub const HEALTH_EVERY: SignedDuration = SignedDuration::from_mins(5);
/// A lock that is older is released, 11 min to 24 h.
pub const LOCK_STUCK: SignedDuration = SignedDuration::from_mins(30);
/// A task in which nothing has happened for so long is over, 10 min to 7 days.
pub const TASK_IDLE: SignedDuration = SignedDuration::from_hours(2);
/// The same while developing.
pub const TASK_IDLE_DEVELOPMENT: SignedDuration = SignedDuration::from_hours(1);
/// A goal in which nothing has happened for so long waits, 10 min to 7 days.
pub const GOAL_IDLE: SignedDuration = SignedDuration::from_hours(6);
/// The same while developing.
pub const GOAL_IDLE_DEVELOPMENT: SignedDuration = SignedDuration::from_hours(3);
/// A task that was paused for so long is cancelled, 1 h to 30 days.
pub const PAUSE_EXPIRES: SignedDuration = SignedDuration::from_hours(24);
/// A task that is over is removed after this time, 1 to 365 days.
pub const OVER_KEPT: SignedDuration = SignedDuration::from_hours(15 * 24);
/// Numbers of model calls are kept for so long, 8 to 3,650 days.
pub const USAGE_KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);

/// A session in which nobody spoke for so long is over, 1 to 1,440 min.
pub const SESSION_OVER: SignedDuration = SignedDuration::from_mins(30);
/// Summaries of earlier sessions in a prompt, 0 to 20.
pub const SUMMARIES_SHOWN: u32 = 5;
/// Sessions that a search finds, 1 to 20.
pub const SESSIONS_FOUND: u32 = 5;
/// Tokens of a summary, 50 to 500.
pub const SUMMARY_TOKENS: u32 = 160;
/// Time limit of a summary, 5 to 300 s.
pub const SUMMARY_WITHIN: Duration = Duration::from_secs(120);

/// Check-ins of a goal a day, 0 to 2.
pub const CHECK_INS_PER_DAY: u32 = 2;
/// The shortest time between two of them, 1 to 24 h.
pub const CHECK_IN_APART: SignedDuration = SignedDuration::from_hours(6);
/// Items of the day, 1 to 20.
pub const FEED_ITEMS: u32 = 5;

/// Goals that are not archived, 1 to 100.
pub const MOST_GOALS: usize = 20;
/// Tasks of a goal that are not over, 1 to 10.
pub const MOST_TASKS: usize = 3;
/// Tasks that a goal opens a day, 1 to 50.
pub const TASKS_PER_DAY: usize = 10;
/// Messages of one goal that are said aloud a day, 0 to 10.
pub const SPOKEN_PER_DAY: usize = 2;
/// A message that found no moment within this time is not said; it stands in the thread. 1 to 1,440 min.
pub const SPOKEN_WITHIN: Duration = Duration::from_secs(30 * 60);
/// "It" is the goal that was last spoken of for so long, 1 to 60 min.
pub const IT_LASTS: SignedDuration = SignedDuration::from_mins(5);
