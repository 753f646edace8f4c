//! Whether the house is connected: address, token, version, semantic model.

use super::super::context::CliContext;
use super::Row;
use crate::app;

/// One row; a house that nobody wants is no fault.
pub(super) fn check(context: &CliContext) -> anyhow::Result<Row> {
    let house = match app::home(context.config(), &context.paths) {
        Ok(Some((house, _))) => house,
        Ok(None) => {
            return Ok(Row::good(
                "house",
                "none is connected; `joi home connect` connects openHAB or Home Assistant",
            ));
        }
        Err(fault) => return Ok(Row::bad("house", fault.to_string(), fault.remedy())),
    };
    let checked = context.block_on(async { Ok(house.check().await) })?;
    Ok(match checked {
        Ok(found) if found.items == 0 => Row::fair(
            "house",
            format!("{} {} at {} has no items", found.hub.name(), found.version, house.address()),
            "Add items in openHAB; a server that has just started shows them after a minute.",
        ),
        Ok(found) if !found.has_semantics => Row::fair(
            "house",
            format!(
                "{} {} at {}, {} items, none in rooms",
                found.hub.name(),
                found.version,
                house.address(),
                found.items
            ),
            "Give the items places in openHAB's semantic model (Settings, Model); until then only their labels count.",
        ),
        Ok(found) => Row::good(
            "house",
            format!(
                "{} {} at {}, {} items, {} rooms and floors",
                found.hub.name(),
                found.version,
                house.address(),
                found.items,
                found.locations
            ),
        ),
        Err(fault) if fault.is_passing() => Row::fair("house", fault.to_string(), fault.remedy()),
        Err(fault) => Row::bad("house", fault.to_string(), fault.remedy()),
    })
}
