//! `joi man-pages`: the manual pages, one for each command, made of the command line itself.
//!
//! Any thread, no state. In: what clap knows of the commands. Out: roff files in a directory that exists. It is hidden:
//! packages start it while they are built.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

/// Heading of the examples in every help.
const EXAMPLES: &str = "Examples:\n";

/// A file to be.
struct Page {
    /// `joi-wake-add.1`
    name: String,
    text: Vec<u8>,
}

pub(super) fn write(directory: &Path, program: Command) -> anyhow::Result<ExitCode> {
    for Page { name, text } in pages(program)? {
        let path = directory.join(name);
        std::fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the page of `program`, and those of its commands that are shown, at any depth.
fn pages(program: Command) -> io::Result<Vec<Page>> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let (mut pages, mut open) = (Vec::new(), vec![(program, None)]);
    while let Some((command, above)) = open.pop() {
        let shown = command.get_subcommands().filter(|below| !below.is_hide_set());
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        open.extend(shown.map(|below| (below.clone(), Some(name.clone()))));
        pages.push(page(command, above.as_deref())?);
    }
    Ok(pages)
}

/// clap_mangen's page, but for the examples, whose lines it would join.
fn page(command: Command, above: Option<&str>) -> io::Result<Page> {
    let after = command.get_after_long_help().or_else(|| command.get_after_help()).map(ToString::to_string);
    let command = command.after_help(None::<&'static str>).after_long_help(None::<&'static str>);
    let man = Man::new(command).manual("Joi");
    let mut text = Vec::new();
    man.render(&mut text)?;
    let mut more = Roff::new();
    if let Some(after) = after {
        let (heading, lines) = match after.strip_prefix(EXAMPLES) {
            Some(examples) => ("EXAMPLES", examples),
            None => ("NOTES", after.as_str()),
        };
        more.control("SH", [heading]).control("nf", []);
        for line in lines.lines() {
            more.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        more.control("fi", []);
    }
    if let Some(above) = above {
        more.control("SH", ["SEE ALSO"]).text([roman(format!("{above}(1)"))]);
    }
    text.extend(more.to_roff().into_bytes());
    Ok(Page { name: man.get_filename(), text })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// Returns every command that is shown, as its page is called.
    fn commands(command: &Command, name: &str) -> Vec<String> {
        let shown = command.get_subcommands().filter(|below| !below.is_hide_set());
        let below = shown.flat_map(|below| commands(below, &format!("{name}-{}", below.get_name())));
        below.chain([format!("{name}.1")]).collect()
    }

    fn text(page: &Page) -> &str {
        std::str::from_utf8(&page.text).unwrap()
    }

    #[test]
    fn every_command_has_a_page_and_none_that_is_hidden() {
        let pages = pages(super::super::Cli::command()).unwrap();
        let mut names: Vec<String> = pages.iter().map(|page| page.name.clone()).collect();
        let mut expected = commands(&super::super::Cli::command(), "joi");
        names.sort();
        expected.sort();
        assert_eq!(names, expected);
        assert!(names.contains(&"joi-wake-add.1".to_owned()), "{names:?}");
        assert!(!names.iter().any(|name| name.contains("man-pages")), "{names:?}");
        for page in &pages {
            let text = text(page);
            assert!(text.contains(".SH NAME\n") && text.contains(".SH SYNOPSIS\n"), "{}: {text}", page.name);
            assert!(page.name == "joi.1" || text.contains(".SH \"SEE ALSO\"\njoi"), "{}: {text}", page.name);
        }
    }

    #[test]
    fn examples_keep_their_lines() {
        let program = Command::new("joi").version("1").subcommand(
            Command::new("sing").about("Sing").after_help("Examples:\n  joi sing            a song\n  .joi"),
        );
        let pages = pages(program).unwrap();
        let sing = text(pages.iter().find(|page| page.name == "joi-sing.1").unwrap());
        let end = ".SH EXAMPLES\n.nf\njoi sing            a song\n\\&.joi\n.fi\n.SH \"SEE ALSO\"\njoi(1)\n";
        assert!(sing.ends_with(end), "{sing}");
        let pages = super::pages(super::super::Cli::command()).unwrap();
        let examples = |page: &&Page| text(page).contains("\n.SH EXAMPLES\n.nf\njoi ");
        assert!(pages.iter().filter(examples).count() > 20, "most commands have examples");
    }
}
