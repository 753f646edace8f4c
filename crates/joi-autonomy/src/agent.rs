//! Agents that set their own pace: they observe, think, act and yield by themselves, within hard limits.
//!
//! In: the configuration, readings of sensors, time. Out: turns of the model, announcements, calls through the gate of
//! tools. Everything that decides is pure; the program does what was decided.

pub mod approval;
pub mod bus;
pub mod entry;
pub mod exchange;
pub mod field;
pub mod guard;
pub mod hot_state;
pub mod kept;
pub mod lines;
pub mod news;
pub mod observe;
pub mod orders;
pub mod pace;
pub mod precheck;
pub mod sensor;
pub mod sensor_entry;
pub mod set_state;
pub mod signal;
pub mod turn;
pub mod yielding;
