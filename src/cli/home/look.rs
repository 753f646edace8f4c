//! `joi home items`, `rooms`, `show`, `permissions`: the house as it is.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::super::context::CliContext;
use super::super::show;
use super::access::{fault_message, find, open, print_json, read};
use crate::app::by_voice;
use joi_home::house::{Caution, House, Item};
use joi_home::no_rooms;

/// A shell that completes a name waits no longer.
const NAMES_WITHIN: Duration = Duration::from_secs(2);

#[derive(Debug, clap::Args)]
pub(super) struct ItemsArgs {
    /// Only those whose name, label or synonym holds this
    filter: Option<String>,
    /// Only those in this room or floor: its item name or label
    #[arg(long)]
    room: Option<String>,
    /// Only their names, one a line; nothing where the house does not answer within two seconds
    #[arg(long, conflicts_with = "json")]
    names: bool,
}

/// Innermost first: "Kitchen, Ground floor".
fn place(house: &House, item: &Item) -> String {
    let places: Vec<_> = house.locations_of(item).map(|location| location.title().to_owned()).collect();
    places.join(", ")
}

fn row(house: &House, item: &Item) -> Value {
    let semantics = item.semantics.as_ref();
    json!({
        "name": item.name,
        "label": item.label,
        "synonyms": item.synonyms,
        "type": item.kind.written(),
        "state": item.state.text,
        "shown": item.shown_state(),
        "unit": item.unit,
        "min": item.range.min,
        "max": item.range.max,
        "step": item.range.step,
        "options": item.options.iter().map(|o| json!({"value": o.value, "label": o.label})).collect::<Vec<_>>(),
        "groups": item.groups,
        "tags": item.tags,
        "class": semantics.map(|semantics| semantics.class.path().join("_")),
        "property": semantics.and_then(|s| s.property.as_ref()).map(|property| property.path().join("_")),
        "location": item.location,
        "places": house.locations_of(item).map(|location| location.item.clone()).collect::<Vec<_>>(),
        "equipment": item.equipment,
        "read_only": item.is_read_only,
        "permission": item.permission,
        "asks_first": item.caution != Caution::None,
    })
}

/// Returns the house, if it answers soon.
fn read_soon(context: &CliContext) -> anyhow::Result<House> {
    let (house, _) = open(context)?;
    let rules = context.config().home.rules();
    context.block_on(async move {
        let read = tokio::time::timeout(NAMES_WITHIN, house.read_once(&rules)).await;
        read.with_context(|| format!("{} did not answer in time", house.address()))?.map_err(fault_message)
    })
}

pub(super) fn items(args: &ItemsArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let house = if args.names { read_soon(context)? } else { read(context)? };
    let filter = args.filter.as_deref().unwrap_or_default().to_lowercase();
    let room = args.room.as_deref().map(|name| room(&house, name)).transpose()?;
    let fits = |item: &&Item| {
        let is_named =
            item.names().chain([item.name.as_str()]).any(|name| name.to_lowercase().contains(&filter));
        is_named && room.as_ref().is_none_or(|room| house.is_within(item, room))
    };
    let found: Vec<&Item> = house.items().filter(fits).collect();
    if args.names {
        found.iter().try_for_each(|item| show::line(&item.name))?;
        return Ok(ExitCode::SUCCESS);
    }
    if as_json {
        return print_json(&found.iter().map(|item| row(&house, item)).collect::<Vec<_>>());
    }
    let mut table = show::table(["ITEM", "LABEL", "TYPE", "STATE", "WHERE"]);
    for item in &found {
        let label = item.label.clone().unwrap_or_default();
        table.add_row([
            item.name.clone(),
            label,
            item.kind.written(),
            item.shown_state(),
            place(&house, item),
        ]);
    }
    show::line(table)?;
    Ok(if found.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn room(house: &House, name: &str) -> anyhow::Result<String> {
    let wanted = name.to_lowercase();
    let is_called = |called: &str| called.to_lowercase() == wanted;
    let found = house.locations().iter().find(|location| {
        is_called(&location.item)
            || location.names().any(is_called)
            || location.class_names.iter().any(|n| is_called(n))
    });
    match found {
        Some(location) => Ok(location.item.clone()),
        None => anyhow::bail!("there is no room {name}; `joi home rooms` shows all"),
    }
}

pub(super) fn rooms(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let house = read(context)?;
    let count = |location: &str| house.items().filter(|item| house.is_within(item, location)).count();
    if as_json {
        let rows: Vec<_> = house
            .locations()
            .iter()
            .map(|location| {
                json!({
                    "item": location.item, "label": location.label, "synonyms": location.synonyms,
                    "class": location.class.path().join("_"), "class_names": location.class_names,
                    "parent": location.parent, "items": count(&location.item),
                })
            })
            .collect();
        return print_json(&rows);
    }
    if house.locations().is_empty() {
        anyhow::bail!("no item is a room. {}", no_rooms());
    }
    let mut table = show::table(["ROOM", "ITEM", "KIND", "ALSO CALLED", "ITEMS"]);
    let mut open: Vec<(usize, &str)> = Vec::new();
    let children = |parent: Option<&str>| {
        let mut found: Vec<_> = house.locations().iter().filter(|l| l.parent.as_deref() == parent).collect();
        found.reverse();
        found
    };
    open.extend(children(None).iter().map(|location| (0, location.item.as_str())));
    while let Some((depth, item)) = open.pop() {
        let Some(location) = house.location(item) else { continue };
        let indent = "  ".repeat(depth);
        table.add_row([
            format!("{indent}{}", location.title()),
            location.item.clone(),
            location.class.name().to_owned(),
            location.synonyms.join(", "),
            count(item).to_string(),
        ]);
        open.extend(children(Some(item)).iter().map(|location| (depth + 1, location.item.as_str())));
    }
    show::line(table)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn show_item(name: &str, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let house = read(context)?;
    let item = find(&house, name)?;
    if as_json {
        return print_json(&row(&house, item));
    }
    let range = match (item.range.min, item.range.max) {
        (None, None) => String::new(),
        (min, max) => {
            let end = |end: Option<f64>| end.map_or_else(|| "…".to_owned(), |end| end.to_string());
            format!("{} to {}", end(min), end(max))
        }
    };
    let options = if item.command_options.is_empty() { &item.options } else { &item.command_options };
    let options: Vec<_> =
        options.iter().map(|option| format!("{} ({})", option.value, option.label)).collect();
    let class = item.semantics.as_ref().map(|semantics| {
        let property = semantics.property.as_ref().map(|p| format!(", {}", p.name())).unwrap_or_default();
        format!("{}{property}", semantics.class.path().join(" › "))
    });
    let is_bare = item.state.text == item.shown_state() || item.state.text.is_empty();
    let rows = [
        ("name", item.name.clone()),
        ("label", item.label.clone().unwrap_or_default()),
        ("also called", item.synonyms.join(", ")),
        ("type", item.kind.written()),
        (
            "state",
            if is_bare {
                item.shown_state()
            } else {
                format!("{} ({})", item.shown_state(), item.state.text)
            },
        ),
        ("takes", range),
        ("options", options.join(", ")),
        ("where", place(&house, item)),
        ("part of", item.equipment.clone().filter(|name| *name != item.name).unwrap_or_default()),
        ("is a", class.unwrap_or_default()),
        ("groups", item.groups.join(", ")),
        ("by voice", by_voice(item)),
    ];
    for (what, told) in rows.iter().filter(|(_, told)| !told.is_empty()) {
        show::line(format!("{what:12} {told}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn permissions(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let house = read(context)?;
    if as_json {
        let row = |item: &Item| {
            json!({
                "name": item.name, "permission": item.permission,
                "asks_first": item.caution != Caution::None, "read_only": item.is_read_only,
            })
        };
        return print_json(&house.items().map(row).collect::<Vec<_>>());
    }
    let mut table = show::table(["ITEM", "LABEL", "BY VOICE"]);
    for item in house.items() {
        table.add_row([item.name.clone(), item.label.clone().unwrap_or_default(), by_voice(item)]);
    }
    show::line(table)?;
    Ok(ExitCode::SUCCESS)
}
