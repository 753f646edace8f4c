//! `joi run`: talk to her. A missing microphone is told once and retried; on a terminal one can type too.

use std::io::IsTerminal;
use std::process::ExitCode;

use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use super::session::Session;
use super::show::{self, Mood};
use super::typed::{self, Typist};
use crate::app::{self, Brain, Conversing, Sound};
use crate::channels::voice::News;
use crate::trace::{Stage, TurnRecord};

const EXAMPLES: &str = "\
Examples:
  joi run                                          then say \"hey jarvis, what time is it?\"
  joi run --set hear.endpoint.patience=quick       answer after a shorter pause
  joi run --log info                               tell more on stderr";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

pub(crate) fn run(_: Args, session: &Session) -> anyhow::Result<ExitCode> {
    session.block_on(async {
        show::remark("waking up …");
        let brain = Brain::start(session.config(), &session.paths).await?;
        for remark in &brain.remarks {
            show::remark(remark);
        }
        let talk = app::converse(session.config(), &session.paths, &brain, Sound::Devices).await?;
        let Conversing { conversation, news, stop, .. } = talk;
        greet(session);
        typed::end_on_signal(stop.clone());
        let showing = tokio::spawn(show_news(news));
        let conversation = conversation.run(stop.clone());
        tokio::select! {
            () = conversation => {}
            () = answer_typed(&brain, &stop) => {}
        }
        stop.cancel();
        showing.abort();
        brain.shutdown().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn greet(session: &Session) {
    let phrases = &session.config().hear.wake.phrases;
    let phrase = phrases.first().map_or("her name", |phrase| phrase.name.as_str());
    show::remark(format!(
        "say {} and ask something; Ctrl-C ends",
        show::coloured(Mood::Good, format!("\"{phrase}\""))
    ));
}

/// Answers what is typed, when somebody can type; else waits for ever.
async fn answer_typed(brain: &Brain, stop: &CancellationToken) {
    if std::io::stdin().is_terminal() {
        let mut typist = Typist::new(brain).await;
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Some(line) = next_line(&mut lines).await {
            if !line.trim().is_empty() {
                typist.ask(&line).await;
            }
        }
    }
    stop.cancelled().await;
}

async fn next_line(lines: &mut Lines<BufReader<Stdin>>) -> Option<String> {
    lines.next_line().await.ok().flatten()
}

/// Shows what happens until the conversation is over.
pub(crate) async fn show_news(mut news: Receiver<News>) {
    let mut is_mid_answer = false;
    while let Some(news) = news.recv().await {
        if is_mid_answer && !matches!(news, News::Words(_)) {
            show::words("\n");
            is_mid_answer = false;
        }
        match news {
            News::Woke(_) => show::remark(show::coloured(Mood::Good, "● listening")),
            News::Understood(text) => {
                show::remark(format!("{} {}", show::coloured(Mood::Quiet, "you:"), text.0))
            }
            News::Words(words) => {
                show::words(&words.0);
                is_mid_answer = true;
            }
            News::Turn(record) => show::remark(show::coloured(Mood::Quiet, timing(&record))),
            News::Rests(why) => show::remark(show::coloured(Mood::Quiet, format!("○ {why}"))),
            News::Remark(remark) => show::remark(remark),
            News::Deaf(fault) => show::remark(show::coloured(Mood::Bad, fault)),
            News::Dismissed(record) => show::remark(show::coloured(Mood::Quiet, dismissed(&record))),
            News::Activity(_) => {}
            News::Hears(device) => show::remark(format!("listening through {device}")),
        }
    }
}

/// Why something was not answered.
fn dismissed(record: &TurnRecord) -> String {
    let why = record.decisions.last().map_or("", |decision| decision.reason.as_str());
    format!("○ not answered: {why}")
}

/// The turn's most telling moments in one line.
fn timing(record: &TurnRecord) -> String {
    let told = [Stage::Endpoint, Stage::Transcript, Stage::FirstToken, Stage::FirstSample];
    let moments: Vec<_> = record
        .marks
        .iter()
        .filter(|mark| told.contains(&mark.stage))
        .map(|mark| format!("{} {:.1} s", mark.stage.name(), mark.ms / 1e3))
        .collect();
    format!("  after you stopped speaking: {}", moments.join(", "))
}
