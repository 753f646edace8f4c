//! Entities against what is documented of them, and the whole against its double.

mod parts;
mod stories;

use serde_json::Value;

use super::client::aliases;
use super::model::{HassRead, house};
use super::registry::rows;
use crate::house::{House, HouseRules};
