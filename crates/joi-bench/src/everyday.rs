//! `joi-bench everyday`: what becomes of the questions of an ordinary day, through Joi and by the same model alone.
//!
//! Each question is a conversation of its own with an empty memory, by voice, at one fixed time. First all of them go
//! through Joi; then the model server is asked the same with one line of character for a prompt. Before each turn both
//! have their prompt read ahead, and both are judged by rules as they would be spoken. The questions are in
//! `tests/evals`, in the language of the configuration. The internet is used where the configuration allows it. What the
//! model alone says can be recorded, and judged from there.

mod filters;
mod judge;
mod questions;
mod recorded;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use jiff::{SignedDuration, Zoned};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use joi::app::Brain;
use joi::cli::context::CliContext;
use joi::cli::{hear, show};
use joi_agent::model::ChatModel as _;
use joi_agent::{ReplyEvent, Session, TurnInput, read_ahead, reply};
use joi_base::clock::{Clock, ManualClock};
use joi_base::message::{ConversationId, Private, TurnId};
use joi_language::Language;
use joi_llm::{Ask, ChatEvent, Length, Message, Mind};
use joi_speak::speakable;
use joi_tools::HttpClient;

use crate::acting;
use filters::FilterTable;
use judge::AnswerRules;
use questions::{Everyday, EverydayKind, EverydayQuestion};
use recorded::{AloneConditions, RecordedAnswers, RecordedTurns};
use report::{AskedTwice, EverydayReport, JudgedAnswers};

const EXAMPLES: &str = "\
Examples:
  joi-bench everyday                                          the model in use, at its temperature
  joi-bench everyday --set llm.temperature=0 --check          the same answers every time, held against the goals
  joi-bench everyday --kind safety --set llm.backend=local    questions of one kind, the embedded model
  joi-bench everyday --marked --recorded tests/data/everyday/alone.en.json --set llm.temperature=0
  joi-bench everyday --filters tests/data/everyday/alone.en.json    what each filter makes of recorded answers
  joi-bench everyday --json | jq .kinds";

/// When everything is asked: a prompt that gave another time would be answered in other words.
const NOW: &str = "2026-11-22T14:05:30+01:00[Europe/Vienna]";
/// From one turn to the next.
const PAUSE: SignedDuration = SignedDuration::from_secs(20);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EverydayArgs {
    /// Only the marked questions, a few of each kind
    #[arg(long)]
    marked: bool,
    /// Only questions of this kind; may be given several times
    #[arg(long, value_enum, conflicts_with = "check")]
    kind: Vec<EverydayKind>,
    /// Fail when Joi is worse than the model alone in any kind, when an answer is dangerous or too long, when joi's first
    /// token comes later than 1.5 times the model's alone, or when fewer are good than were before
    #[arg(long)]
    check: bool,
    /// Take what the model alone says from this file; refused when another model, other options or another line of
    /// character made it
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    recorded: Option<PathBuf>,
    /// Ask the model alone, and write what it says to this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "recorded", "json"])]
    record: Option<PathBuf>,
    /// Show what each filter of answers makes of those in these recorded files, without asking any model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "recorded", "record", "json", "marked", "kind"])]
    filters: Vec<PathBuf>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl EverydayArgs {
    fn wants(&self, question: &EverydayQuestion) -> bool {
        (!self.marked || question.is_marked) && (self.kind.is_empty() || self.kind.contains(&question.kind))
    }
}

pub(crate) fn run(args: &EverydayArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    if !args.filters.is_empty() {
        return show_filters(&args.filters).map(|()| ExitCode::SUCCESS);
    }
    let everyday = Everyday::of(&context.config().language)?;
    let floor = match (args.marked, args.kind.is_empty()) {
        (_, false) => 0,
        (true, true) => everyday.floor.marked,
        (false, true) => everyday.floor.all,
    };
    let asked: Vec<&EverydayQuestion> = everyday.questions.iter().filter(|asked| args.wants(asked)).collect();
    let report = context.block_on(async {
        let brain = Brain::start(context.config(), &context.paths).await?;
        hear::ready(&brain).await;
        let report = match &args.record {
            Some(path) => record(context, &brain, (&everyday.alone, &asked), path).await.map(|()| None),
            None => ask_all(context, &brain, &everyday, &asked, args.recorded.as_deref()).await.map(Some),
        };
        brain.shutdown().await;
        report
    })?;
    let Some(report) = report else { return Ok(ExitCode::SUCCESS) };
    if args.json {
        show::line(serde_json::to_string_pretty(&report.json(floor))?)?;
    } else {
        report.print(floor)?;
    }
    let is_well = !args.check || report.missed(floor).is_empty();
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints what each filter makes of recorded answers, a table for each file.
fn show_filters(files: &[PathBuf]) -> anyhow::Result<()> {
    for path in files {
        let recorded = RecordedAnswers::read_as_they_are(path)?;
        let everyday = Everyday::by_character(&recorded.made_with.character)?;
        let language = Language::load(everyday.language)?;
        let mut table = FilterTable::default();
        table.add_all((&everyday, &language), &recorded.conversations);
        report::print_filters(&recorded.made_with.model, &table)?;
    }
    Ok(())
}

/// Asks everything both ways, the model alone only where its answers are not `recorded`. One after the other, so that
/// neither drops the prompt of the other out of the server's memory.
async fn ask_all<'a>(
    context: &CliContext,
    brain: &Brain,
    everyday: &'a Everyday,
    asked: &[&'a EverydayQuestion],
    recorded: Option<&Path>,
) -> anyhow::Result<EverydayReport<'a>> {
    let Everyday { alone, rules, .. } = everyday;
    let recorded = match recorded {
        Some(path) => Some(RecordedAnswers::read(path, &AloneConditions::now(context, &brain.mind, alone)?)?),
        None => None,
    };
    let language = Language::load(everyday.language)?;
    let judged =
        |question: &EverydayQuestion, given: JudgedAnswers| judged(rules, &language, question, given);
    let bar = show::progress("asked", 2 * asked.len() as u64);
    let mut rows = Vec::new();
    for question in asked {
        let joi = judged(question, through_joi(context, brain, question).await?);
        rows.push(AskedTwice { question, joi, alone: JudgedAnswers::default() });
        bar.inc(1);
    }
    for row in &mut rows {
        let given = match &recorded {
            Some(recorded) => {
                JudgedAnswers { answers: recorded.of(row.question)?, ..JudgedAnswers::default() }
            }
            None => by_model_alone(&brain.mind, alone, row.question).await?,
        };
        row.alone = judged(row.question, given);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(EverydayReport { serving: brain.serving(), asked: rows })
}

/// Asks the model alone, and writes down what it says.
async fn record(
    context: &CliContext,
    brain: &Brain,
    (character, asked): (&str, &[&EverydayQuestion]),
    path: &Path,
) -> anyhow::Result<()> {
    let made_with = AloneConditions::now(context, &brain.mind, character)?;
    let bar = show::progress("asked", asked.len() as u64);
    let mut conversations = Vec::new();
    for question in asked {
        let given = by_model_alone(&brain.mind, character, question).await?;
        conversations.push(RecordedTurns { said: question.turns.clone(), answers: given.answers });
        bar.inc(1);
    }
    bar.finish_and_clear();
    RecordedAnswers { made_with, conversations }.write(path)
}

/// The answers as they would be spoken, and what is wrong with them.
fn judged(
    rules: &AnswerRules,
    language: &Language,
    question: &EverydayQuestion,
    given: JudgedAnswers,
) -> JudgedAnswers {
    let answers: Vec<String> = given.answers.iter().map(|answer| speakable(answer, language)).collect();
    JudgedAnswers { faults: rules.judge(question, &answers), answers, ..given }
}

/// The answers through Joi.
async fn through_joi(
    context: &CliContext,
    brain: &Brain,
    question: &EverydayQuestion,
) -> anyhow::Result<JudgedAnswers> {
    let mut now: Zoned = NOW.parse().context("a time in the source")?;
    let clock = Arc::new(ManualClock::at(now.clone()));
    let tools = context.config().tools.clone();
    let http = HttpClient::public().ok().filter(|_| tools.online);
    let engine = acting::engine(context, brain, Arc::clone(&clock) as Arc<dyn Clock>, tools, http).await?;
    // As at the start of the program: what everyday sentences mean is known before anybody asks.
    engine.embed_memories().await?;
    let session = Session::new(ConversationId::voice(ConversationId::HOME));
    let mut given = JudgedAnswers::default();
    for said in &question.turns {
        // As at the wake word.
        read_ahead(&engine, &session).await?;
        let (events, mut received) = mpsc::channel(64);
        let input =
            TurnInput { id: TurnId(1), text: Private(said.clone()), language: None, is_unsure: false };
        let (asked, mut first, mut answer) = (Instant::now(), None, String::new());
        let listening = async {
            while let Some(event) = received.recv().await {
                match event {
                    ReplyEvent::FirstToken(_) => {
                        first.get_or_insert_with(|| asked.elapsed());
                    }
                    ReplyEvent::Text(words) => {
                        first.get_or_insert_with(|| asked.elapsed());
                        answer.push_str(&words);
                    }
                    // It is spoken, too.
                    ReplyEvent::Offer(question) => answer = format!("{} {question}", answer.trim_end()),
                    _ => {}
                }
            }
        };
        tokio::join!(reply(&engine, &session, input, events, CancellationToken::new()), listening);
        given.first_token.extend(first);
        given.answers.push(answer);
        now = now.checked_add(PAUSE)?;
        clock.set(now.clone());
    }
    Ok(given)
}

/// What the model makes of it with a line of character and the conversation. The prompt is read ahead as it is for Joi:
/// in how many parts a prompt is read changes how its figures are rounded, and so an answer now and then.
async fn by_model_alone(
    mind: &Mind,
    character: &str,
    question: &EverydayQuestion,
) -> anyhow::Result<JudgedAnswers> {
    let mut messages = vec![Message::system(character)];
    let mut given = JudgedAnswers::default();
    for said in &question.turns {
        let ahead = messages.iter().cloned().chain([Message::user("")]).collect();
        let mut reading =
            mind.ask(Ask { messages: ahead, length: Length::OneToken, ..Ask::default() }).await?;
        while let Some(event) = reading.next().await {
            event?;
        }
        messages.push(Message::user(said));
        let (asked, mut first, mut answer) = (Instant::now(), None, String::new());
        let mut words = mind.ask(Ask { messages: messages.clone(), ..Ask::default() }).await?;
        while let Some(event) = words.next().await {
            if let ChatEvent::Text(words) = event? {
                first.get_or_insert_with(|| asked.elapsed());
                answer.push_str(&words);
            }
        }
        given.first_token.extend(first);
        messages.push(Message::assistant(&answer));
        given.answers.push(answer);
    }
    Ok(given)
}
