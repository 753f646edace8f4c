//! `joi-bench trust`: how often noise passes for words, and how many short words are kept.
//!
//! Noise made from a seed goes through the true ears while the microphone is open all the time, which is the
//! worst case: every stretch that sounds like a voice becomes an utterance, is transcribed and judged, once as
//! if it came after an answer and once as if it came after the wake phrase. Short words of several synthetic
//! voices are judged as follow-ups, the stricter way.

use std::path::PathBuf;
use std::process::ExitCode;

use fastrand::Rng;

use joi::app;
use joi::cli::context::CliContext;
use joi::cli::show;
use joi::cli::wake::noise::{self, NoiseKind, PIECE_SECONDS};

mod cast;
mod ears;
mod report;
mod words;

use cast::Cast;
use ears::TrustEars;
use report::{NoiseTrial, TrustReport, WordTrial};

const EXAMPLES: &str = "\
Examples:
  joi-bench trust                       an hour of noise and a hundred words of each group of voices
  joi-bench trust --minutes 5 --words 20 --seed 7
  joi-bench trust --json | jq .noise.follow_up
  joi-bench trust --names 'Kitchen,Hall,Floor lamp'   as with a house whose names are told
  joi-bench trust recordings/           babble from recordings/*.wav, words from recordings/words/*.wav";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TrustArgs {
    /// Recordings of speech for the babble (*.wav) and of short words (words/WORD.wav) instead of synthetic ones
    #[arg(value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// The same seed makes the same noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Minutes of noise
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(0..=6000))]
    minutes: u32,
    /// Words of each group of voices
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    words: u32,
    /// Names that are given to the speech model, as those of a house are
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    names: Vec<String>,
    /// As JSON, with every transcript
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &TrustArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let (model, file) = app::chosen_whisper(context.config(), &context.paths)?;
    let mut ears = TrustEars::load(context, &file, &args.names)?;
    let mut cast = Cast::open(context, args.recordings.as_deref())?;
    for remark in cast.voices.remarks() {
        show::remark(remark);
    }
    let noise = listen_to_noise(args, &mut ears, &mut cast)?;
    let words = listen_to_words(args, &mut ears, &mut cast)?;
    let report = TrustReport {
        seed: args.seed,
        model: app::whisper_model(model),
        minutes: args.minutes,
        noise,
        words,
    };
    if args.json {
        show::line(serde_json::to_string_pretty(&report.json())?)?;
    } else {
        show::line(report.noise_table())?;
        show::line(format!("\n{}", report.word_table()))?;
        show::line(format!("\n{}", report.summary()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn listen_to_noise(
    args: &TrustArgs,
    ears: &mut TrustEars,
    cast: &mut Cast,
) -> anyhow::Result<Vec<NoiseTrial>> {
    let speech = if args.minutes == 0 { Vec::new() } else { cast.speech()? };
    let bar = show::progress("noise", u64::from(args.minutes) * 60);
    let mut trials = Vec::new();
    for piece in 0..args.minutes * 60 / PIECE_SECONDS {
        let kind = NoiseKind::ALL[piece as usize % NoiseKind::ALL.len()];
        // Each piece has a seed of its own: joi's voice is never twice the same, and a crowd draws as it goes.
        let mut rng = Rng::with_seed(args.seed.wrapping_mul(100_003).wrapping_add(u64::from(piece)));
        let samples = noise::piece(kind, &mut rng, &speech);
        for utterance in ears.hear(&samples)? {
            trials.push(NoiseTrial { kind, utterance });
        }
        bar.inc(u64::from(PIECE_SECONDS));
    }
    bar.finish_and_clear();
    Ok(trials)
}

fn listen_to_words(
    args: &TrustArgs,
    ears: &mut TrustEars,
    cast: &mut Cast,
) -> anyhow::Result<Vec<WordTrial>> {
    let mut rng = Rng::with_seed(!args.seed);
    let plan = cast.plan(args.words as usize, args.seed);
    let bar = show::progress("words", plan.len() as u64);
    let mut trials = Vec::new();
    for spoken in plan {
        let samples = noise::around_word(&cast.voices.say(&spoken)?, &mut rng);
        trials.push(WordTrial { heard: ears.hear_alone(&samples)?, spoken });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(trials)
}
