//! `joi wake test`: what both stages make of what is said, live or over files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::Instant;

use serde_json::json;

use super::rig::{Rig, RigResult, reason};
use crate::app;
use crate::cli::context::CliContext;
use crate::cli::show::{self, Tone};
use joi_audio::{AudioSource, Microphone, MuteSwitch, RATE, SourceEvent as Read, read_wav};
use joi_base::pulse::Heart;
use joi_hear::wake::{ScoredCandidate, ScoredPhrase};
use joi_hear::{HearCommand, HearEvent};

const EXAMPLES: &str = "\
Examples:
  joi wake test                              say the phrase; Ctrl-C ends
  joi wake test --wav kitchen.wav bedroom.wav
  joi wake test --wav kitchen.wav --json | jq .wakes";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WakeTestArgs {
    /// Over these files instead of the microphone: any rate and number of channels
    #[arg(long, value_name = "FILE", num_args = 1..)]
    wav: Vec<PathBuf>,
    /// As JSON, one object per file
    #[arg(long, requires = "wav")]
    json: bool,
}

pub(super) fn run(args: &WakeTestArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    if args.wav.is_empty() {
        return live(context);
    }
    let mut rig = Rig::load(context)?;
    let mut woken = 0;
    for file in &args.wav {
        let heard = rig.hear_alone(&[read_wav(file, RATE)?, vec![0.0; RATE as usize]].concat());
        woken += usize::from(!heard.wakes.is_empty());
        if args.json {
            show::line(in_json(file, &heard))?;
        } else {
            show::line(file.display())?;
            print(&heard)?;
        }
    }
    Ok(if woken == args.wav.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn seconds(samples: u64) -> f64 {
    (samples as f64 / f64::from(RATE) * 100.0).round() / 100.0
}

fn in_json(file: &std::path::Path, heard: &RigResult) -> serde_json::Value {
    let wakes = heard.wakes.iter().map(|wake| {
        let by = if wake.scoring.is_some() { "scorer" } else { "model" };
        json!({ "phrase": wake.phrase, "at_s": seconds(wake.at), "score": wake.score, "by": by })
    });
    let (unlike, scored): (Vec<_>, Vec<_>) = heard.weighed.iter().partition(|weighed| weighed.is_unlike());
    let unlike = unlike.iter().map(
        |weighed| json!({ "from_s": seconds(weighed.candidate.from), "to_s": seconds(weighed.candidate.to) }),
    );
    let scored = scored.into_iter().map(|weighed| {
        json!({
            "from_s": seconds(weighed.candidate.from),
            "to_s": seconds(weighed.candidate.to),
            "why": reason(&weighed.candidate.why),
            "margins": margins(weighed),
            "leads": leads(weighed),
            "held_back": weighed.phrases.iter().filter(|p| p.is_held_back()).map(|p| &p.phrase).collect::<Vec<_>>(),
            "ms": weighed.took.as_millis() as u64,
        })
    });
    json!({
        "file": file.display().to_string(),
        "wakes": wakes.collect::<Vec<_>>(),
        "scored": scored.collect::<Vec<_>>(),
        "unlike": unlike.collect::<Vec<_>>(),
    })
}

fn margins(weighed: &ScoredCandidate) -> std::collections::BTreeMap<&str, f32> {
    weighed.phrases.iter().map(|weight| (weight.phrase.as_str(), weight.score.margin())).collect()
}

/// Returns how far each phrase is ahead of its rivals, in nats, where that was looked at.
fn leads(weighed: &ScoredCandidate) -> std::collections::BTreeMap<&str, f32> {
    let of = |weight: &'_ ScoredPhrase| weight.score.lead.nats;
    let known = weighed.phrases.iter().filter(|weight| of(weight).is_finite());
    known.map(|weight| (weight.phrase.as_str(), of(weight))).collect()
}

fn print(heard: &RigResult) -> anyhow::Result<()> {
    for weighed in &heard.weighed {
        show::line(candidate_line(weighed))?;
    }
    for wake in &heard.wakes {
        let by = if wake.scoring.is_some() { "the scorer" } else { "its model" };
        let woken = show::coloured(Tone::Good, format!("● \"{}\"", wake.phrase));
        show::line(format!("  {woken} at {:.2} s, by {by} ({:.2})", seconds(wake.at), wake.score))?;
    }
    if heard.wakes.is_empty() {
        show::line(format!("  {}", show::coloured(Tone::Fair, "no wake phrase")))?;
    }
    Ok(())
}

/// Returns one line about a candidate.
fn candidate_line(weighed: &ScoredCandidate) -> String {
    let of = |weight: &ScoredPhrase| {
        // A score that is too low is not computed to its end: it may be less.
        let at_most = if weight.fits { "" } else { "at most " };
        let margin = format!("{} {at_most}{:.1}", weight.phrase, weight.score.margin());
        match &weight.score.lead.rival {
            Some(rival) if weight.is_held_back() => format!("{margin}, more like \"{rival}\""),
            _ => margin,
        }
    };
    let margins: Vec<_> = weighed.phrases.iter().map(of).collect();
    let (from, to) = (seconds(weighed.candidate.from), seconds(weighed.candidate.to));
    let why = reason(&weighed.candidate.why);
    if weighed.is_unlike() {
        return format!("  {from:.2}–{to:.2} s  {why}: too unlike a wake phrase to be scored");
    }
    format!("  {from:.2}–{to:.2} s  {why}: {}  ({} ms)", margins.join(", "), weighed.took.as_millis())
}

fn live(context: &CliContext) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !crate::cli::mute::is_muted(context),
        "the microphone is switched off; `joi unmute` switches it on"
    );
    let (mut listener, _worker) =
        app::wakeful_listener(context.config(), &context.paths, Heart::unwatched())?;
    let (watcher, weighed) = channel();
    listener.watched_by(watcher);
    let mut microphone = Microphone::open(&context.config().audio, &MuteSwitch::default());
    show::remark(format!("{} say it; Ctrl-C ends", show::coloured(Tone::Good, "●")));
    let (mut samples, mut events) = (Vec::new(), Vec::new());
    loop {
        samples.clear();
        match microphone.read(&mut samples) {
            Read::Samples(_) => listener.step(samples.as_slice(), Instant::now(), &mut events),
            Read::Gone(fault) => show::remark(show::coloured(Tone::Bad, fault)),
            Read::Back { device } => show::remark(format!("listening through {device}")),
            Read::End => return Ok(ExitCode::SUCCESS),
            Read::Nothing | Read::Called { .. } | Read::Muted | Read::Unmuted => {}
        }
        for weighed in weighed.try_iter() {
            show::line(candidate_line(&weighed))?;
        }
        for event in events.drain(..) {
            if let HearEvent::Wake { phrase, score, .. } = event {
                show::line(format!(
                    "  {} ({score:.2})",
                    show::coloured(Tone::Good, format!("● \"{phrase}\""))
                ))?;
                listener.command(HearCommand::Cancel);
            }
        }
    }
}
