//! `joi run`: talk to her. A missing microphone is told once and retried; on a terminal one can type too.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use super::session::Session;
use super::show::{self, Mood};
use super::slash::{self, Slash};
use super::typed::{self, Typist};
use crate::app::{self, Brain, Conversing, Outside, Sound};
use crate::channels::voice::News;
use crate::clock::SystemClock;
use crate::control::{Board, BoardParts, ControlError, Door, KeptMute, Subscription};
use crate::message::Activity;
use crate::pulse::Pulse;
use crate::trace::{Stage, TurnRecord};

const EXAMPLES: &str = "\
Examples:
  joi run                                          then say \"hey jarvis, what time is it?\"
  joi run --set hear.endpoint.patience=quick       answer after a shorter pause
  joi run --log info                               tell more on stderr
  joi run --discreet                               show no word of what is said, as for a service's log";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Show what she does, never what is said; always so when stderr goes to the journal
    #[arg(long)]
    discreet: bool,
}

/// Whether the words of a conversation are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Shown,
    Hidden,
}

pub(crate) fn run(args: Args, session: &Session) -> anyhow::Result<ExitCode> {
    let is_logged = std::env::var_os("JOURNAL_STREAM").is_some() && !std::io::stderr().is_terminal();
    let words = if args.discreet || is_logged { Words::Hidden } else { Words::Shown };
    let door = match Door::open(&session.paths.runtime) {
        Ok(door) => Some(door),
        Err(error @ ControlError::Running { .. }) => return Err(error.into()),
        Err(error) => {
            show::remark(error);
            None
        }
    };
    session.block_on(async {
        let board = board(session);
        let outside = Outside::start(&board, door)?;
        let done = talk(session, &board, words, outside).await;
        done.map(|()| ExitCode::SUCCESS)
    })
}

/// The board, with the switch as its owner left it.
fn board(session: &Session) -> Board {
    let (mute, fault) = KeptMute::read(&session.paths.data);
    if let Some(fault) = fault {
        show::remark(show::coloured(Mood::Bad, fault));
    } else if mute.switch().is_muted() {
        show::remark(show::coloured(Mood::Bad, MUTED));
    }
    let (journal, clock) = (session.journal.clone(), Arc::new(SystemClock));
    Board::new(BoardParts { mute, pulse: Pulse::default(), journal, clock })
}

async fn talk(session: &Session, board: &Board, words: Words, outside: Outside) -> anyhow::Result<()> {
    show::remark("waking up …");
    let switching = tokio::spawn(show_switch(board.subscribe()));
    let (config, paths) = (session.config(), &session.paths);
    let brain = Brain::start_watched(config, paths, board.pulse().clone()).await?;
    for remark in &brain.remarks {
        show::remark(remark);
    }
    board.chat_model(brain.serving_now());
    let sound = Sound::Devices { mute: board.mute().clone() };
    let talk = app::converse(config, paths, &brain, sound).await?;
    let Conversing { conversation, news, stop, requests, gauges, meter, echo, rings, .. } = talk;
    board.queues(gauges);
    if let Some(meter) = meter {
        board.sound_lost(move || meter.lost());
    }
    if let Some(echo) = echo {
        board.echo(echo);
    }
    board.takes_requests(requests);
    if let Some(schedule) = brain.schedule.clone() {
        board.takes_timers(move || schedule.look_again());
    }
    let ringing = tokio::spawn(app::show_rings(rings, board.clone()));
    let whisper = app::chosen_whisper(config, paths)?.0;
    board.models(app::whisper_model(whisper).to_owned(), config.speak.voice.clone());
    typed::end_on_signal(stop.clone());
    greet(session);
    let showing = tokio::spawn(show_news(news, board.clone(), words));
    let keeping = tokio::spawn(app::keep_diary(&brain, &config.store, stop.clone()));
    let conversation = conversation.run(stop.clone());
    tokio::select! {
        () = conversation => {}
        () = answer_typed(&brain, &stop) => {}
    }
    stop.cancel();
    outside.end().await;
    showing.abort();
    switching.abort();
    ringing.abort();
    // It ends with `stop`; what it was writing is written next time.
    let _ = keeping.await;
    brain.shutdown().await;
    Ok(())
}

const MUTED: &str = "○ muted; `joi unmute` switches the microphone on";

/// Shows when the microphone is switched off and on.
async fn show_switch(mut changes: Subscription) {
    let mut is_muted = changes.now.state == Activity::Muted;
    while let Ok(change) = changes.next().await {
        let was_muted = std::mem::replace(&mut is_muted, change.state == Activity::Muted);
        match (was_muted, is_muted) {
            (false, true) => show::remark(show::coloured(Mood::Bad, MUTED)),
            (true, false) => show::remark(show::coloured(Mood::Good, "● not muted any more")),
            (true, true) | (false, false) => {}
        }
    }
}

fn greet(session: &Session) {
    let phrase = app::first_phrase(session.config(), &session.paths).unwrap_or_else(|| "her name".into());
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
        let mut last = None;
        while let Some(line) = next_line(&mut lines).await {
            if line.trim().is_empty() {
                continue;
            }
            match slash::run(&line, brain, last.as_ref()).await {
                Ok(Slash::NotOne) => last = Some(typist.ask(&line).await.record),
                Ok(Slash::Done | Slash::Unknown) => {}
                Err(error) => show::remark(format!("{error:#}")),
            }
        }
    }
    stop.cancelled().await;
}

async fn next_line(lines: &mut Lines<BufReader<Stdin>>) -> Option<String> {
    lines.next_line().await.ok().flatten()
}

/// Shows what happens until the conversation is over.
async fn show_news(mut news: Receiver<News>, board: Board, words: Words) {
    let mut is_mid_answer = false;
    while let Some(news) = news.recv().await {
        app::post(&board, &news);
        if words == Words::Hidden && matches!(news, News::Understood(_) | News::Words(_) | News::Told(_)) {
            continue;
        }
        if is_mid_answer && !matches!(news, News::Words(_)) {
            show::words("\n");
            is_mid_answer = false;
        }
        match news {
            News::Woke(_) | News::Asked => show::remark(show::coloured(Mood::Good, "● listening")),
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
            News::Deaf(fault) => show::remark(show::coloured(Mood::Bad, format!("microphone: {fault}"))),
            News::Speechless(fault) => show::remark(show::coloured(Mood::Bad, format!("speaker: {fault}"))),
            News::Dismissed(record) => show::remark(show::coloured(Mood::Quiet, dismissed(&record))),
            News::Hears(device) => show::remark(format!("listening through {device}")),
            News::Speaks(device) => show::remark(format!("speaking through {device}")),
            News::Told(sentence) => show::remark(sentence.0),
            News::Rings(says) => show::remark(show::coloured(Mood::Fair, ring(&says.0, words))),
            News::Activity(_) => {}
        }
    }
}

/// What rings, in one line.
fn ring(says: &str, words: Words) -> String {
    match words {
        Words::Shown => format!("◉ {says} (\"stop\", or `joi timers stop`)"),
        Words::Hidden => "◉ a timer rings".to_owned(),
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
