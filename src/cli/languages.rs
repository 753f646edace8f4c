//! `joi languages`: the languages there are, and what each of them has.

use std::process::ExitCode;

use serde_json::json;

use super::context::CliContext;
use super::show;
use crate::app::{VoicePlace, config_at, language_library, voice_choice};
use joi_language::{Language, LanguageError};

const EXAMPLES: &str = "\
Examples:
  joi languages
  joi ask --set language=fr \"allume la lumière de la cuisine\"
  joi models fetch sentence-templates     what other languages than English and German are understood by";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LanguagesArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// What a language has.
struct LanguageRow {
    code: String,
    understood: &'static str,
    templates: usize,
    talks: bool,
    voice: String,
    heard: &'static str,
}

pub(crate) fn run(args: LanguagesArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let library = language_library(context.config(), &context.paths);
    let rows: Vec<LanguageRow> = library
        .known()
        .iter()
        .map(|code| library.load(code).map(|language| row(&language, context)))
        .collect::<Result<_, LanguageError>>()?;
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| {
                json!({
                    "code": row.code, "understood": row.understood, "templates": row.templates,
                    "talks": row.talks, "voice": row.voice, "heard": row.heard,
                })
            })
            .collect();
        show::line(serde_json::to_string_pretty(&rows)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = show::table(["", "CODE", "COMMANDS", "TEMPLATES", "PROMPTS", "VOICE", "HEARD BY"]);
    let spoken = &context.config().language;
    for row in rows {
        table.add_row([
            if row.code == *spoken { "*".to_owned() } else { String::new() },
            row.code,
            row.understood.to_owned(),
            if row.templates == 0 { "-".to_owned() } else { row.templates.to_string() },
            if row.talks { "own" } else { "English" }.to_owned(),
            row.voice,
            row.heard.to_owned(),
        ]);
    }
    show::line(table)?;
    show::line("\n* the language that is set; `joi models fetch` gets what is missing")?;
    Ok(ExitCode::SUCCESS)
}

fn row(language: &Language, context: &CliContext) -> LanguageRow {
    let is_spoken = language.code() == context.config().language;
    let config = config_at(if is_spoken { VoicePlace::First } else { VoicePlace::Further }, context.config());
    let templates = language.templates().map_or(0, |templates| templates.len());
    let has_patterns = language.house().is_some_and(|words| !words.deed.is_empty());
    LanguageRow {
        code: language.code().to_owned(),
        understood: match (has_patterns, templates > 0) {
            (true, true) => "patterns, templates",
            (true, false) => "patterns",
            (false, true) => "templates",
            (false, false) => "quick commands only",
        },
        templates,
        talks: Language::available().iter().any(|code| code == language.code()),
        voice: voice_choice(&config, &context.paths, language)
            .map_or_else(|_| "none".to_owned(), |choice| choice.name),
        heard: if language.voice().whisper == "en" { "whisper tiny.en" } else { "whisper base" },
    }
}
