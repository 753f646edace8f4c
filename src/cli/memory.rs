//! `joi memory`: what joi remembers, whether it runs or not.
//!
//! Works on the database itself. Whatever is added is redacted before it is stored; a program that runs sees it
//! with its next conversation.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app::typed_memory;
use joi_agent::memory_question;
use joi_store::{HitSource, Memory, MemoryHit, MemoryKind, MemoryQuery, Store};

mod carry;
pub(super) mod document;
mod erase;

const EXAMPLES: &str = "\
Examples:
  joi memory                                       what joi remembers, newest first
  joi memory list --kind diary --limit 7           the last seven pages of the diary
  joi memory search \"what did I cook last week\"    what joi would recall for that
  joi memory show 12                               one entry, whole
  joi memory add \"my sister is called Ann\"         something about you
  joi memory add --kind wish \"always be brief\"     how you want joi to be
  joi memory add boiler.pdf                        a document: text, Markdown or PDF
  joi memory forget 12                             an entry, by its number
  joi memory forget --about \"aunt Philomena\"       everything that was said about something, dialogue included
  joi memory forget --document boiler.pdf
  joi memory export > memory.jsonl                 everything, one JSON object a line
  joi memory import memory.jsonl                   what is there already is not doubled
  joi memory list --json | jq '.[].text'";

/// Most characters of an entry in a table.
const SHORT: usize = 160;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    action: Option<MemoryCommand>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum MemoryCommand {
    /// What joi remembers, newest first
    #[command(after_help = EXAMPLES)]
    List {
        /// Only of this kind
        #[arg(long, value_enum)]
        kind: Option<KindFilter>,
        /// Most entries
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// What joi would recall for a question
    #[command(after_help = EXAMPLES)]
    Search {
        /// The question, or a few words
        #[arg(required = true)]
        words: Vec<String>,
        /// Most entries
        #[arg(long, default_value_t = 10)]
        limit: u32,
    },
    /// One entry, whole
    #[command(after_help = EXAMPLES)]
    Show {
        /// Its number in the list
        number: i64,
    },
    /// Remember something, or a document
    #[command(after_help = EXAMPLES)]
    Add {
        /// Words, or one file: text, Markdown or PDF
        #[arg(required = true)]
        what: Vec<String>,
        /// What the words are about
        #[arg(long, value_enum, default_value_t = KindFilter::User)]
        kind: KindFilter,
    },
    /// Erase entries for good
    #[command(after_help = EXAMPLES)]
    Forget {
        /// Numbers in the list
        #[arg(required_unless_present_any = ["about", "document"])]
        numbers: Vec<i64>,
        /// Everything that was said about this, dialogue and turn records included
        #[arg(long, value_name = "WORDS", conflicts_with = "numbers")]
        about: Option<String>,
        /// A document, by its name in the list
        #[arg(long, value_name = "NAME", conflicts_with_all = ["numbers", "about"])]
        document: Option<String>,
        /// Don't ask
        #[arg(long)]
        yes: bool,
    },
    /// Write everything as JSON Lines
    #[command(after_help = EXAMPLES)]
    Export {
        /// Where to [default: stdout]
        file: Option<PathBuf>,
    },
    /// Take what an export holds
    #[command(after_help = EXAMPLES)]
    Import {
        /// Where from; - is stdin
        file: PathBuf,
    },
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum KindFilter {
    /// You
    User,
    /// How you want joi to be
    Wish,
    /// Anything else
    World,
    /// A conversation, in joi's summary
    Diary,
    /// A piece of a document
    Document,
}

impl From<KindFilter> for MemoryKind {
    fn from(kind: KindFilter) -> Self {
        match kind {
            KindFilter::User => Self::User,
            KindFilter::Wish => Self::Wish,
            KindFilter::World => Self::World,
            KindFilter::Diary => Self::Diary,
            KindFilter::Document => Self::Document,
        }
    }
}

pub(crate) fn run(args: MemoryArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let file = context.paths.database();
    context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let action = args.action.unwrap_or(MemoryCommand::List { kind: None, limit: 50 });
        let done = act(action, &store, context, args.json).await;
        store.close().await?;
        done
    })
}

async fn act(
    action: MemoryCommand,
    store: &Store,
    context: &CliContext,
    json: bool,
) -> anyhow::Result<ExitCode> {
    match action {
        MemoryCommand::List { kind, limit } => {
            list(&store.memories(kind.map(MemoryKind::from), limit).await?, json)?;
        }
        MemoryCommand::Search { words, limit } => search(store, &words.join(" "), limit, json).await?,
        MemoryCommand::Show { number } => {
            let Some(memory) = store.memory(number).await? else {
                anyhow::bail!("there is no entry {number}; `joi memory` lists them");
            };
            show_one(&memory, json)?;
        }
        MemoryCommand::Add { what, kind } => add(store, &what, kind, json).await?,
        MemoryCommand::Forget { numbers, about, document, yes } => {
            return match (about, document) {
                (Some(about), _) => erase::about(store, context, &about, yes, json).await,
                (None, Some(name)) => erase::document(store, &name, json).await,
                (None, None) => erase::numbers(store, numbers, json).await,
            };
        }
        MemoryCommand::Export { file } => carry::export(store, file.as_deref()).await?,
        MemoryCommand::Import { file } => carry::import(store, &file, json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(memories: &[Memory], json: bool) -> anyhow::Result<()> {
    if json {
        let rows: Vec<Value> = memories.iter().map(row).collect();
        show::line(serde_json::to_string_pretty(&rows)?)?;
        return Ok(());
    }
    if memories.is_empty() {
        show::line("she remembers nothing; `joi memory add \"my name is Max\"` is a beginning")?;
        return Ok(());
    }
    let mut table = show::table(["NO", "KIND", "WHEN", "FROM", "WHAT"]);
    for memory in memories {
        let what = joi_tools::fence::shortened(&memory.text.0, SHORT);
        let kind = memory.kind.name().to_owned();
        table.add_row([memory.id.to_string(), kind, day(memory.at), memory.source.clone(), what]);
    }
    show::line(table)?;
    Ok(())
}

fn row(memory: &Memory) -> Value {
    json!({
        "no": memory.id,
        "kind": memory.kind.name(),
        "at": memory.at.to_string(),
        "source": memory.source,
        "text": memory.text.0,
    })
}

fn day(at: Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d").to_string()
}

fn show_one(memory: &Memory, json: bool) -> anyhow::Result<()> {
    if json {
        show::line(serde_json::to_string_pretty(&row(memory))?)?;
        return Ok(());
    }
    let at = memory.at.to_zoned(jiff::tz::TimeZone::system()).strftime("%A, %-d %B %Y, %H:%M");
    let head = format!("{} {}, {at}, from {}", memory.id, memory.kind.name(), memory.source);
    show::line(show::coloured(Tone::Quiet, head))?;
    show::line(&memory.text.0)?;
    Ok(())
}

async fn search(store: &Store, asked: &str, limit: u32, json: bool) -> anyhow::Result<()> {
    let now = jiff::Zoned::now();
    let asked = joi_redact::redact(asked);
    let question = memory_question(asked.as_str(), &now);
    let search = MemoryQuery { limit: limit as usize, ..question };
    let hits = store.search(search).await?;
    if json {
        let rows: Vec<Value> = hits.iter().map(found).collect();
        show::line(serde_json::to_string_pretty(&rows)?)?;
        return Ok(());
    }
    if hits.is_empty() {
        show::line("nothing was found")?;
        return Ok(());
    }
    let mut table = show::table(["NO", "KIND", "WHEN", "SCORE", "WHAT"]);
    for hit in &hits {
        let (number, kind) = source_name(hit.origin);
        let what = joi_tools::fence::shortened(&hit.text.0, SHORT);
        table.add_row([number, kind.to_owned(), day(hit.at), format!("{:.2}", hit.score), what]);
    }
    show::line(table)?;
    Ok(())
}

/// Returns the number in the list, where there is one, and the kind.
fn source_name(origin: HitSource) -> (String, &'static str) {
    match origin {
        HitSource::Memory(id, kind) => (id.to_string(), kind.name()),
        HitSource::Message(_) => (String::new(), "said"),
    }
}

fn found(hit: &MemoryHit) -> Value {
    let (number, kind) = source_name(hit.origin);
    json!({
        "no": number.parse::<i64>().ok(),
        "kind": kind,
        "at": hit.at.to_string(),
        "source": hit.source,
        "score": hit.score,
        "text": hit.text.0,
    })
}

async fn add(store: &Store, what: &[String], kind: KindFilter, json: bool) -> anyhow::Result<()> {
    if let [one] = what
        && document::is_meant(one)
    {
        let (name, pieces) = document::read(Path::new(one))?;
        let pieces: Vec<String> =
            pieces.iter().map(|piece| joi_redact::redact_structured(piece).into_string()).collect();
        let count = pieces.len();
        store.put_document(&name, pieces, Timestamp::now()).await?;
        if json {
            show::line(json!({ "document": name, "pieces": count }))?;
        } else {
            show::line(format!("{name} is in her memory, in {count} pieces"))?;
        }
        return Ok(());
    }
    let kind = MemoryKind::from(kind);
    let new = typed_memory(&what.join(" "), kind, Timestamp::now())?;
    if kind == MemoryKind::Document {
        anyhow::bail!("--kind document takes a file; allowed for words: user, wish, world, diary");
    }
    let number = store.remember(vec![new]).await?.pop().unwrap_or_default();
    if json {
        show::line(json!({ "no": number, "kind": kind.name() }))?;
    } else {
        show::line(format!("she remembers it as number {number}"))?;
    }
    Ok(())
}
