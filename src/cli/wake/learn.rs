//! `joi wake add --engine rustpotter`: a phrase that is known by recordings alone, for machines that are too slow to score
//! it. The recordings are compared with each other and with other speech; their templates are kept for this user.

use std::process::ExitCode;

use fastrand::Rng;

use super::add::{WakeAddArgs, other, sentences};
use super::input::written;
use super::record::{self, Recorder};
use super::voices::Voices;
use crate::app;
use crate::cli::context::CliContext;
use crate::cli::show::{self, Tone};
use joi_hear::enrol::{TAKES, counts_from, refusals};
use joi_hear::wake::{
    Enrolled, LIKENESS, PhraseBook, SavedPhrase, TEMPLATES_ARE_BUILT_IN, TemplateError, Templates, WakeMode,
};

/// A recording that was cut out.
struct RecordedPhrase {
    name: String,
    sound: Vec<f32>,
    /// How like it is to all the others.
    alike: f32,
}

pub(super) fn run(args: &WakeAddArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(TEMPLATES_ARE_BUILT_IN, TemplateError::NotBuilt);
    let name = written(&args.phrase)?;
    let takes = together(recorded(args, &name, context)?)?;
    let alike: Vec<f32> = takes.iter().map(|take| take.alike).collect();
    let sounds: Vec<Vec<f32>> = takes.into_iter().map(|take| take.sound).collect();
    let templates = Templates::learn(&name, &sounds)?;
    let from = counting_from(args, &alike, likest_other(args, &templates, context)?)?;
    show::line(format!("  from {} recordings, {}'s voice counts from {from:.2} on", alike.len(), args.user))?;
    let templates = templates.counting_from(from);
    keep(args, &name, (templates.clone(), alike.len()), context)?;
    show::line(format!("{} \"{name}\" wakes her from her next start on", show::coloured(Tone::Good, "✓")))?;
    warn_if_unused(&name, context)?;
    if args.record { live_test(&templates, from, context) } else { Ok(ExitCode::SUCCESS) }
}

/// From which likeness on the recordings count, where other sound came to `likest`.
fn counting_from(args: &WakeAddArgs, alike: &[f32], likest: f32) -> anyhow::Result<f32> {
    let stretches = args.stretches;
    show::line(format!(
        "  the likest of {stretches} stretches of other speech and noise came to {likest:.2}"
    ))?;
    let near = format!("other speech came to {likest:.2}, too near to these recordings");
    match counts_from(alike, likest) {
        Some(from) => Ok(from),
        None if args.force => {
            show::remark(format!("{} {near}", show::coloured(Tone::Bad, "✗")));
            Ok(LIKENESS)
        }
        None => anyhow::bail!("{near}; choose a longer phrase, record it more clearly, or add --force"),
    }
}

/// Keeps the templates of this voice beside what is known of the phrase already.
fn keep(
    args: &WakeAddArgs,
    name: &str,
    (templates, takes): (Templates, usize),
    context: &CliContext,
) -> anyhow::Result<()> {
    let file = PhraseBook::file(&context.paths.data);
    let mut book = PhraseBook::read(&file)?;
    let mut kept = book.get(name).cloned().unwrap_or_else(|| SavedPhrase::new(name));
    if !args.alike.is_empty() {
        kept.alike = args.alike.iter().map(|form| written(form)).collect::<anyhow::Result<_>>()?;
    }
    let known = kept.voices.iter().find(|voice| voice.user == args.user);
    let margin = known.map_or(kept.margin, |known| known.margin);
    kept.negatives = args.stretches;
    let user = args.user.clone();
    kept.enrol(Enrolled { user, margin, takes: takes as u32, templates: Some(templates) });
    book.put(kept);
    Ok(book.write(&file)?)
}

/// Once more, as it will be: is it heard?
fn live_test(templates: &Templates, from: f32, context: &CliContext) -> anyhow::Result<ExitCode> {
    show::remark("Now from where you usually are, after the tone:");
    let said = record::one(&mut Recorder::open(context)?, "the test", 1)?;
    let likeness = templates.likeness(&said)?;
    let is_heard = likeness >= from;
    let (tone, sign, what) =
        if is_heard { (Tone::Good, "✓", "heard") } else { (Tone::Bad, "✗", "not heard") };
    show::line(format!("{} {what} ({likeness:.2}, from {from:.2} on)", show::coloured(tone, sign)))?;
    Ok(if is_heard { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Where phrases are scored, recordings are not compared with.
fn warn_if_unused(name: &str, context: &CliContext) -> anyhow::Result<()> {
    let means = app::wake_setup(context.config(), &context.paths)?;
    if means.mode == WakeMode::Scored {
        show::remark(format!(
            "{} here \"{name}\" is scored ({}), which takes fewer other words for it; \
             with hear.wake.mode = \"stock\" the recordings decide",
            show::coloured(Tone::Fair, "!"),
            means.why
        ));
    }
    Ok(())
}

/// Returns the phrase, cut out of recordings by the microphone or from a folder.
fn recorded(args: &WakeAddArgs, phrase: &str, context: &CliContext) -> anyhow::Result<Vec<RecordedPhrase>> {
    match (args.record, &args.from) {
        (true, _) => guided(&mut Recorder::open(context)?, phrase, usize::from(args.takes)),
        (false, Some(folder)) => compared(phrase, record::phrases_in(folder)?),
        (false, None) => {
            anyhow::bail!(
                "rustpotter knows a phrase by recordings alone; add --record, or --from DIR with WAV files"
            )
        }
    }
}

/// Records the phrase so many times, and again where a recording is not fit or unlike the others.
fn guided(recorder: &mut Recorder<'_>, phrase: &str, count: usize) -> anyhow::Result<Vec<RecordedPhrase>> {
    record::invite(phrase, count);
    let mut sounds = Vec::new();
    for number in 1..=count {
        let name = format!("recording {number}");
        let sound = record::one(recorder, &name, count)?;
        sounds.push((name, sound));
    }
    let takes = compared(phrase, sounds)?;
    let alike: Vec<f32> = takes.iter().map(|take| take.alike).collect();
    let unlike: Vec<bool> = refusals(&alike).iter().map(Option::is_some).collect();
    if !unlike.contains(&true) {
        return Ok(takes);
    }
    let mut sounds = Vec::new();
    for (take, is_unlike) in takes.into_iter().zip(unlike) {
        let sound = if is_unlike {
            show::remark(format!("{} was unlike the others", take.name));
            record::one(recorder, &take.name, count)?
        } else {
            take.sound
        };
        sounds.push((take.name, sound));
    }
    compared(phrase, sounds)
}

/// Returns each recording beside all others.
fn compared(phrase: &str, sounds: Vec<(String, Vec<f32>)>) -> anyhow::Result<Vec<RecordedPhrase>> {
    anyhow::ensure!(sounds.len() > 1, "one recording says too little; at least {} are needed", TAKES.start());
    let (names, sounds): (Vec<String>, Vec<Vec<f32>>) = sounds.into_iter().unzip();
    let alike = Templates::among_themselves(phrase, &sounds)?;
    let all = names.into_iter().zip(sounds).zip(alike);
    Ok(all.map(|((name, sound), alike)| RecordedPhrase { name, sound, alike }).collect())
}

/// Prints a line for each recording, and returns those that belong together.
fn together(takes: Vec<RecordedPhrase>) -> anyhow::Result<Vec<RecordedPhrase>> {
    let alike: Vec<f32> = takes.iter().map(|take| take.alike).collect();
    let refused = refusals(&alike);
    let mut table = show::table(["RECORDING", "LIKE THE OTHERS", ""]);
    for (take, refusal) in takes.iter().zip(&refused) {
        let verdict = refusal.as_ref().map_or_else(|| "good".to_owned(), |why| format!("refused: {why}"));
        table.add_row([take.name.clone(), format!("{:.2}", take.alike), verdict]);
    }
    show::line(table)?;
    let good = takes.into_iter().zip(refused).filter(|(_, refusal)| refusal.is_none());
    let good: Vec<RecordedPhrase> = good.map(|(take, _)| take).collect();
    record::are_enough(good.len())?;
    Ok(good)
}

/// Returns how like other sound comes to the phrase at most.
fn likest_other(args: &WakeAddArgs, templates: &Templates, context: &CliContext) -> anyhow::Result<f32> {
    let mut voices = Voices::open(context)?;
    for remark in voices.remarks() {
        show::remark(remark);
    }
    let speech = sentences(&mut voices)?;
    let mut rng = Rng::with_seed(args.seed);
    let progress = show::progress("trying", u64::from(args.stretches));
    let mut likest: f32 = 0.0;
    for number in 0..args.stretches as usize {
        likest = likest.max(templates.likeness(&other(number, &mut rng, &speech))?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(likest)
}

#[cfg(all(test, feature = "rustpotter"))]
mod tests {
    use super::*;
    use joi_audio::RATE;
    use joi_hear::testing::wav;

    /// The same phrase, a little slower or faster.
    fn variants() -> Vec<(String, Vec<f32>)> {
        let phrase = wav("phrase.wav");
        let stretched = |percent: usize| -> Vec<f32> {
            (0..phrase.len() * 100 / percent).map(|at| phrase[at * percent / 100]).collect()
        };
        [94, 96, 98, 100, 103, 106].map(|percent| (format!("{percent}"), stretched(percent))).into()
    }

    #[test]
    fn recordings_of_one_phrase_belong_together_and_another_word_does_not() {
        let mut sounds = variants();
        sounds.push(("another".into(), wav("stop.wav")));
        let takes = compared("hey jarvis", sounds).unwrap();
        let good = together(takes).unwrap();
        let names: Vec<&str> = good.iter().map(|take| take.name.as_str()).collect();
        assert_eq!(names, ["94", "96", "98", "100", "103", "106"]);
        let few = compared("hey jarvis", variants().split_off(3)).unwrap();
        let told = together(few).err().unwrap().to_string();
        assert!(told.starts_with("3 recordings are good, at least 5 are needed"), "{told}");
        assert!(compared("hey jarvis", vec![("1".into(), vec![0.1; RATE as usize])]).is_err());
    }
}
