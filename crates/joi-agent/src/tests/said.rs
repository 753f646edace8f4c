//! What people say, by kind, and what comes of it: every sentence of `tests/data/say`, each spoken to a fresh bench in its
//! own scene. `make eval-say` prints the tables.

mod expected;
mod growth;
mod happened;
mod house;
mod judge;
mod moment;
mod plans;
mod report;
mod scene;
mod sentences;
mod state;
mod texts;

use happened::Happened;
use judge::{Course, Judged, SaidVerdict};
use report::{Outcome, VerdictCounts};
use sentences::SaidSentence;

const ENGLISH: &str = include_str!("../../../../tests/data/say/en.tsv");
const GERMAN: &str = include_str!("../../../../tests/data/say/de.tsv");

const ENGLISH_TALK: &str = include_str!("../../../../tests/data/say/talk.en.txt");
const GERMAN_TALK: &str = include_str!("../../../../tests/data/say/talk.de.txt");

/// Of so many sentences of talk one may be asked about.
const TALK_FOR_ONE_QUESTION: usize = 10;

/// How many sentences of a language are understood at least, or asked about, and how many are wrong at most. The first
/// may only rise, the second only fall.
struct SaidFloor {
    code: &'static str,
    good: usize,
    wrong: usize,
}

const FLOORS: [SaidFloor; 2] =
    [SaidFloor { code: "en", good: 830, wrong: 2 }, SaidFloor { code: "de", good: 828, wrong: 4 }];

/// Speaks a sentence and judges what came of it.
async fn outcome_of(sentence: &SaidSentence, code: &str) -> Outcome {
    let stage = scene::set(sentence, code).await;
    let house = stage.house.house();
    let before = Happened::before(&stage).await;
    let mut after = before.clone();
    for said in &sentence.turns {
        after = after.then(&stage, said).await;
    }
    let yes = if code == "de" { "ja" } else { "yes" };
    let after_yes = if after.awaits_yes { Some(after.then(&stage, yes).await) } else { None };
    let mut happened = after.written(&before);
    if let Some(yes) = &after_yes {
        happened += &format!(" · after a yes: {}", yes.written(&before));
    }
    let is_idle = after.is_idle(&before);
    let course = Course { before, after, after_yes };
    Outcome {
        is_idle,
        kind: sentence.kind,
        line: sentence.line,
        is_free: sentence.is_free,
        verdict: Judged::new(&stage, house, sentence).verdict(&course, sentence.expected),
        said: sentence.turns.join(" // "),
        expected: sentence.expected,
        happened,
    }
}

async fn is_as_good_as_before(code: &str, file: &'static str) {
    let mut all = Vec::new();
    for sentence in &sentences::sentences(file) {
        all.push(outcome_of(sentence, code).await);
    }
    let table = report::table(code, &all);
    println!("{table}");
    let counts = VerdictCounts::of(&all, |_| true);
    let floor = FLOORS.iter().find(|floor| floor.code == code).unwrap();
    let good = counts.right + counts.asked;
    assert!(good >= floor.good, "{good} of {} are good, not {}", all.len(), floor.good);
    assert!(counts.wrong <= floor.wrong, "{} of {} are wrong, not {}", counts.wrong, all.len(), floor.wrong);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_in_english_is_understood_as_well_as_before() {
    is_as_good_as_before("en", ENGLISH).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_said_in_german_is_understood_as_well_as_before() {
    is_as_good_as_before("de", GERMAN).await;
}

/// What came of talk.
#[derive(Default)]
struct TalkCounts {
    all: usize,
    acted: Vec<String>,
    answered: Vec<String>,
    asked: Vec<String>,
}

/// Speaks every line.
async fn talk(code: &str, lines: &'static str) -> TalkCounts {
    let mut counts = TalkCounts::default();
    for (line, said) in lines.lines().enumerate() {
        let turns = vec![said];
        let sentence = SaidSentence {
            kind: "talk",
            line,
            room: "Living",
            scene: Vec::new(),
            is_free: false,
            turns,
            expected: "model | ask",
        };
        let outcome = outcome_of(&sentence, code).await;
        let came = format!("{said}: {}", outcome.happened);
        counts.all += 1;
        match outcome.verdict {
            _ if !outcome.is_idle => counts.acted.push(came),
            SaidVerdict::Right | SaidVerdict::Model => {}
            SaidVerdict::Asked => counts.asked.push(came),
            SaidVerdict::Wrong => counts.answered.push(came),
        }
    }
    counts
}

/// Our own talk does nothing and is left to the model; few of it is asked about. That of a file that the environment
/// names does nothing.
async fn talk_does_nothing(code: &str, own: &'static str) {
    let TalkCounts { all, acted, answered, asked } = talk(code, own).await;
    assert!(acted.is_empty() && answered.is_empty(), "{acted:#?} {answered:#?}");
    assert!(asked.len() * TALK_FOR_ONE_QUESTION <= all, "{asked:#?}");
    let Some(path) = std::env::var_os(if code == "de" { "JOI_TALK_DE" } else { "JOI_TALK_EN" }) else {
        return;
    };
    let further = std::fs::read_to_string(path).unwrap().leak();
    let TalkCounts { all, acted, answered, asked } = talk(code, further).await;
    println!("{code}: of {all} {} acted, {} were asked about", acted.len(), asked.len());
    println!("answered without a model: {}\n{}", answered.len(), answered.join("\n"));
    assert!(acted.is_empty(), "{acted:#?}");
}

#[tokio::test(start_paused = true)]
async fn english_talk_does_nothing() {
    talk_does_nothing("en", ENGLISH_TALK).await;
}

#[tokio::test(start_paused = true)]
async fn german_talk_does_nothing() {
    talk_does_nothing("de", GERMAN_TALK).await;
}

#[tokio::test(start_paused = true)]
async fn a_verdict_compares_everything_that_came_of_a_sentence() {
    for (said, expected, verdict) in [
        ("set a timer for ten minutes", "set timer 600 s", SaidVerdict::Right),
        ("set a timer for ten minutes", "set timer 540 s", SaidVerdict::Wrong),
        ("set a timer for ten minutes", "ask | model", SaidVerdict::Wrong),
        ("set a timer for ten minutes", "Hall_Light=ON & set timer 600 s", SaidVerdict::Wrong),
        ("set a timer", "ask", SaidVerdict::Right),
        ("set a timer", "set timer 600 s | ask", SaidVerdict::Asked),
        ("set a timer", "set timer 600 s", SaidVerdict::Wrong),
        ("set a timer // ten minutes", "set timer 600 s", SaidVerdict::Right),
        ("why is the sky blue", "model", SaidVerdict::Right),
        ("why is the sky blue", "set timer 600 s", SaidVerdict::Model),
        ("unlock the front door", "yes? Front_Lock=OFF", SaidVerdict::Right),
        ("unlock the front door", "yes? Front_Lock=ON", SaidVerdict::Wrong),
        ("unlock the front door", "Front_Lock=OFF", SaidVerdict::Asked),
        ("cancel all timers", "cancel timer 60 s", SaidVerdict::Right),
        ("cancel all timers", "list timer", SaidVerdict::Wrong),
        ("is the hall light on", "say yes Hall_Light", SaidVerdict::Right),
        ("is the hall light on", "say no Hall_Light", SaidVerdict::Wrong),
        ("put milk on the shopping list", "list add \"milk\" @shopping", SaidVerdict::Right),
        ("put milk on the shopping list", "list add \"milk\", \"eggs\" @shopping", SaidVerdict::Wrong),
        ("remember that Ann likes tea", "remember \"Ann\" \"tea\"", SaidVerdict::Right),
        ("set the volume to 30", "volume -20", SaidVerdict::Right),
        ("turn the hall light off at ten tonight", "Hall_Light=OFF at 22:00 +0", SaidVerdict::Right),
    ] {
        let scene = if said.starts_with("cancel") { vec!["timer 60 s"] } else { vec![] };
        let turns = said.split(" // ").collect();
        let sentence =
            SaidSentence { kind: "any", line: 1, room: "Living", scene, is_free: false, turns, expected };
        let outcome = outcome_of(&sentence, "en").await;
        assert_eq!(outcome.verdict, verdict, "{said}: {expected}: {}", outcome.happened);
    }
}
