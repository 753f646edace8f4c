//! The manual page, made of the command line itself. PURE.

use std::io;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

/// The only argument that asks for it: what a package gives when it is built, and no option of the server.
pub(crate) const ASKED: &str = "--man-page";

/// clap_mangen's page, but for the examples, whose lines it would join.
pub(crate) fn page(command: Command) -> io::Result<Vec<u8>> {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut text = Vec::new();
    Man::new(command.after_help(None::<&'static str>)).manual("Joi").render(&mut text)?;
    let mut examples = Roff::new();
    examples.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in after.lines().filter_map(|line| line.strip_prefix("  ")) {
        examples.text([roman(line)]);
    }
    examples.control("fi", []).control("SH", ["SEE ALSO"]).text([roman("joi(1)")]);
    text.extend(examples.to_roff().into_bytes());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::page;
    use crate::cli::ServerArgs;

    #[test]
    fn the_page_has_every_option_that_is_shown_and_examples_with_their_lines() {
        let text = String::from_utf8(page(ServerArgs::command()).unwrap()).unwrap();
        assert!(text.contains("\n.SH EXAMPLES\n.nf\njoi\\-model \\-\\-model qwen.gguf"), "{text}");
        for option in ServerArgs::command().get_arguments().filter(|option| !option.is_hide_set()) {
            let long = option.get_long().unwrap().replace('-', "\\-");
            assert!(text.contains(&format!("\\fB\\-\\-{long}\\fR")), "{long}: {text}");
        }
        assert!(!text.contains("man\\-page"), "{text}");
    }
}
