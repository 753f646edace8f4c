//! Prints what `joi run` shows: remarks, the conversation, the microphone's switch.
//!
//! Called from the tasks of the services, one at a time, and never waits. In: [`Shown`]. Out: lines on stderr, the
//! words of an answer on stdout.

use std::sync::{Mutex, PoisonError};

use super::Words;
use crate::app::Shown;
use crate::cli::show::{self, Tone};
use joi_base::trace::{Stage, TurnRecord};
use joi_channels::voice::News;

const MUTED: &str = "○ muted; `joi unmute` switches the microphone on";

/// The terminal, or whatever stands in its place.
pub(super) struct Screen {
    words: Words,
    is_mid_answer: Mutex<bool>,
}

impl Screen {
    pub(super) fn new(words: Words) -> Self {
        Self { words, is_mid_answer: Mutex::new(false) }
    }

    pub(super) fn show(&self, shown: Shown) {
        match shown {
            Shown::Remark(remark) => show::remark(remark),
            Shown::Fault(fault) => show::remark(show::coloured(Tone::Bad, fault)),
            Shown::Muted => show::remark(show::coloured(Tone::Bad, MUTED)),
            Shown::Unmuted => show::remark(show::coloured(Tone::Good, "● not muted any more")),
            Shown::Ready { wake_phrase } => greet(wake_phrase.as_deref().unwrap_or("her name")),
            Shown::News(news) => self.show_news(news),
        }
    }

    fn show_news(&self, news: News) {
        let is_private = matches!(news, News::Understood(_) | News::Words(_) | News::Told(_));
        if self.words == Words::Hidden && is_private {
            return;
        }
        let mut is_mid_answer = self.is_mid_answer.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_mid_answer && !matches!(news, News::Words(_)) {
            show::words("\n");
            *is_mid_answer = false;
        }
        match news {
            News::Woke(_) | News::Asked => show::remark(show::coloured(Tone::Good, "● listening")),
            News::Understood(text) => {
                show::remark(format!("{} {}", show::coloured(Tone::Quiet, "you:"), text.0))
            }
            News::Words(words) => {
                show::words(&words.0);
                *is_mid_answer = true;
            }
            News::Turn(record) => show::remark(show::coloured(Tone::Quiet, timing(&record))),
            News::Rests(why) => show::remark(show::coloured(Tone::Quiet, format!("○ {why}"))),
            News::Remark(remark) => show::remark(remark),
            News::Deaf(fault) => show::remark(show::coloured(Tone::Bad, format!("microphone: {fault}"))),
            News::Speechless(fault) => show::remark(show::coloured(Tone::Bad, format!("speaker: {fault}"))),
            News::Dismissed(record) => show::remark(show::coloured(Tone::Quiet, dismissed(&record))),
            News::Hears(device) => show::remark(format!("listening through {device}")),
            News::Speaks(device) => show::remark(format!("speaking through {device}")),
            News::Told(sentence) => show::remark(sentence.0),
            News::Rings(says) => show::remark(show::coloured(Tone::Fair, ring(&says.0, self.words))),
            News::Begins | News::Activity(_) => {}
        }
    }
}

fn greet(phrase: &str) {
    let phrase = show::coloured(Tone::Good, format!("\"{phrase}\""));
    show::remark(format!("say {phrase} and ask something; Ctrl-C ends"));
}

/// Returns what rings, in one line.
fn ring(says: &str, words: Words) -> String {
    match words {
        Words::Shown => format!("◉ {says} (\"stop\", or `joi timers stop`)"),
        Words::Hidden => "◉ a timer rings".to_owned(),
    }
}

/// Returns why something was not answered.
fn dismissed(record: &TurnRecord) -> String {
    let why = record.decisions.last().map_or("", |decision| decision.reason.as_str());
    format!("○ not answered: {why}")
}

/// Returns the main moments of a turn in one line.
fn timing(record: &TurnRecord) -> String {
    let shown = [Stage::Endpoint, Stage::Transcript, Stage::FirstToken, Stage::Audible];
    let moments: Vec<_> = record
        .marks
        .iter()
        .filter(|mark| shown.contains(&mark.stage))
        .map(|mark| format!("{} {:.1} s", mark.stage.name(), mark.ms / 1e3))
        .collect();
    format!("  after you stopped speaking: {}", moments.join(", "))
}
