//! `joi home meanings`: which items report danger, doors, warmth and presence, and a proposal for the configuration.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::json;

use super::super::context::CliContext;
use super::super::show::{self, Tone};
use super::access::{print_json, read};
use joi_home::house::{ItemMeaning, MeaningSign, meaning};

pub(super) fn run(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let house = read(context)?;
    let config = &context.config().home.meaning;
    let configured = config.meanings(&house);
    let proposed: Vec<_> =
        meaning::proposals(&house).into_iter().filter(|p| !configured.contains_key(&p.item)).collect();
    if as_json {
        let known = configured
            .iter()
            .map(|(item, meaning)| json!({"item": item, "meaning": meaning.key(), "by": "configuration"}));
        let guessed = proposed.iter().map(
            |proposal| json!({"item": proposal.item, "meaning": proposal.meaning.key(), "by": proposal.sign}),
        );
        return print_json(&known.chain(guessed).collect::<Vec<_>>());
    }
    let mut table = show::table(["ITEM", "LABEL", "STATE", "MEANS", "BECAUSE"]);
    let mut add = |item: &str, meaning: ItemMeaning, why: String| {
        if let Some(item) = house.item(item) {
            let label = item.label.clone().unwrap_or_default();
            table.add_row([item.name.clone(), label, item.shown_state(), meaning.key().to_owned(), why]);
        }
    };
    for (item, meaning) in &configured {
        add(item, *meaning, show::coloured(Tone::Good, "[home.meaning]"));
    }
    for proposal in &proposed {
        let why = match proposal.sign {
            MeaningSign::Class => "proposed: its class",
            MeaningSign::Category => "proposed: its icon",
            MeaningSign::Word => "proposed: its name",
        };
        add(&proposal.item, proposal.meaning, why.to_owned());
    }
    show::line(table)?;
    for name in config.unknown(&house) {
        show::line(show::coloured(
            Tone::Bad,
            format!("[home.meaning] names {name}, and there is no such item"),
        ))?;
    }
    if !proposed.is_empty() {
        let mut lists: BTreeMap<ItemMeaning, Vec<&str>> = BTreeMap::new();
        for proposal in &proposed {
            lists.entry(proposal.meaning).or_default().push(&proposal.item);
        }
        show::line("\nWhat is proposed means nothing until it is in the configuration:\n\n[home.meaning]")?;
        for (meaning, items) in lists {
            let known = config.of(meaning).iter().map(String::as_str);
            let names: Vec<String> = known.chain(items).map(|name| format!("\"{name}\"")).collect();
            show::line(format!("{} = [{}]", meaning.key(), names.join(", ")))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
