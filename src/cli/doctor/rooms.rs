//! Checks the satellites in other rooms: each is asked what it is.
//!
//! Connects to the configured addresses; sends nothing else.

use crate::app::checks::Row;
use crate::cli::context::CliContext;
use crate::cli::rooms;

const WHAT: &str = "rooms";

/// Returns a row for each room; none is not a fault.
pub(super) fn checks(context: &CliContext) -> anyhow::Result<Vec<Row>> {
    let all = &context.config().satellites.rooms;
    if all.is_empty() {
        return Ok(vec![Row::good(WHAT, "no satellites; `joi rooms add NAME` adds one")]);
    }
    let remedy = "start the satellite; `joi rooms test` asks it again";
    let mut rows = Vec::new();
    for (name, entry) in all {
        let Some(address) = entry.address() else { continue };
        let (is_well, told) = rooms::asked(&address, context)?;
        let told = format!("{name}: {told}");
        rows.push(if is_well { Row::good(WHAT, told) } else { Row::bad(WHAT, told, remedy) });
    }
    Ok(rows)
}
