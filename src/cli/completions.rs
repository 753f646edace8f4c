//! `joi completions SHELL`: the completion script, in which `joi home show` and `joi home send` complete the names of items.
//!
//! The fixed part is written by clap. The names are asked of the house when they are completed
//! (`joi home items --names`); a house that is not connected, or is slow, has none.

use std::io;

use clap_complete::Shell;

use super::show;

/// Behind the script for bash: names of items where one is wanted, everything else as it was.
const BASH: &str = r#"
_joi_items() {
    local at word="" before=""
    for ((at = 1; at < COMP_CWORD; at++)); do
        before=$word
        word=${COMP_WORDS[at]}
    done
    if [[ $before == home && ( $word == show || $word == send ) && ${COMP_WORDS[COMP_CWORD]} != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(joi home items --names 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}")
        return
    fi
    _joi "$@"
}
complete -F _joi_items -o bashdefault -o default joi
"#;

/// The same for fish.
const FISH: &str = r#"
complete -c joi -n "__fish_seen_subcommand_from home; and __fish_seen_subcommand_from show send" -f -a "(joi home items --names 2>/dev/null)"
"#;

/// For zsh, in front of the rest of the script.
const ZSH: &str = r#"_joi_items() {
    local -a items
    items=(${(f)"$(joi home items --names 2>/dev/null)"})
    compadd -a items
}

"#;
/// Where it begins.
const ZSH_BEGINS: &str = "_joi() {";
/// What clap writes behind the help of an argument that nothing completes.
const ZSH_ANYTHING: &str = ":_default'";

/// Writes the script for `shell` to stdout.
pub(super) fn write(shell: Shell, command: &mut clap::Command) -> io::Result<()> {
    let mut written = Vec::new();
    clap_complete::generate(shell, command, "joi", &mut written);
    show::line(with_items(shell, &String::from_utf8_lossy(&written)).trim_end())
}

/// `script` with the names of items in it.
fn with_items(shell: Shell, script: &str) -> String {
    match shell {
        Shell::Bash => format!("{script}{BASH}"),
        Shell::Fish => format!("{script}{FISH}"),
        Shell::Zsh => {
            let takes_item = |line: &str| line.starts_with("':item -- ") && line.contains(ZSH_ANYTHING);
            let line = |line: &str| match takes_item(line) {
                true => line.replace(ZSH_ANYTHING, ":_joi_items'"),
                false => line.to_owned(),
            };
            let lines: Vec<String> = script.lines().map(line).collect();
            lines.join("\n").replacen(ZSH_BEGINS, &format!("{ZSH}{ZSH_BEGINS}"), 1)
        }
        _ => script.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn script(shell: Shell) -> String {
        let mut written = Vec::new();
        clap_complete::generate(shell, &mut crate::cli::Cli::command(), "joi", &mut written);
        with_items(shell, &String::from_utf8(written).unwrap())
    }

    #[test]
    fn shells_complete_the_names_of_items_where_one_is_wanted() {
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            let script = script(shell);
            assert_eq!(script.matches("joi home items --names").count(), 1, "{shell}");
        }
        // One of `joi home show`, one of `joi home send`.
        assert_eq!(script(Shell::Zsh).matches(":_joi_items'").count(), 2);
        assert!(!script(Shell::Elvish).contains("joi home items --names)"));
    }
}
