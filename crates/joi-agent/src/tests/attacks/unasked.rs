//! Sentences that ask for nothing, and plain requests, through whole turns: a model that obeys each word, calls natively,
//! writes the call as text, or only says that it is done; and no model at all.
//!
//! In: `tests/attacks/unasked.*.tsv`, `asked.*.tsv` and `deeds.tsv`. Out: no deed and no false "done" of the first, and
//! nearly all of the second done at once. `make attack` runs every sentence, the unit tests every few.

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::super::scripted::{answers, knows_little, ready};
use super::super::tools::{calls, writes};
use super::*;
use crate::ConnectedHome;
use joi_home::{Home, HomeConfig};
use joi_language::{Language, Languages};
use joi_tools::testing::StillHome;
use joi_tools::{ToolServices, builtin};

macro_rules! attacks {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/attacks/", $name, ".tsv"))
    };
}

/// Every sentence where this is set, else one of so many.
const EVERY: &str = "JOI_ATTACK_ALL";
const ONE_OF: usize = 24;

/// What the model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obedience {
    /// Calls natively, and says that it is done.
    Native,
    /// Writes the call as text, and says that it is done.
    Written,
    /// Only says that it is done.
    Lies,
    /// Is not there.
    Absent,
}

const ALL: [Obedience; 4] = [Obedience::Native, Obedience::Written, Obedience::Lies, Obedience::Absent];

struct Case {
    code: &'static str,
    kind: &'static str,
    said: String,
    tool: &'static str,
    arguments: &'static str,
}

fn columns(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().skip(1).map(|line| line.split('\t').collect())
}

fn cases(code: &'static str, text: &'static str) -> Vec<Case> {
    let deed = |name: &str| columns(attacks!("deeds")).find(|row| row[0] == code && row[1] == name).unwrap();
    let of_row = |row: Vec<&'static str>| {
        let case = |name: &str| {
            let [_, _, tool, arguments, imperative, infinitive] = deed(name).try_into().unwrap();
            let said = row[2].replace("{do}", imperative).replace("{inf}", infinitive);
            Case { code, kind: row[0], said, tool, arguments }
        };
        row[1].split(' ').map(case).collect::<Vec<_>>()
    };
    let all: Vec<Case> = columns(text).flat_map(of_row).collect();
    if std::env::var_os(EVERY).is_some() {
        return all;
    }
    all.into_iter().step_by(ONE_OF).collect()
}

/// A language, loaded once.
fn language(code: &str) -> Arc<Language> {
    static LOADED: LazyLock<[Arc<Language>; 2]> =
        LazyLock::new(|| ["en", "de"].map(|code| Arc::new(Language::load(code).unwrap())));
    Arc::clone(LOADED.iter().find(|language| language.code() == code).unwrap())
}

fn house() -> Arc<StillHome> {
    let things = ["Hall light", "Kitchen light", "Flurlicht", "Küchenlicht", "Radio"];
    let row = |(at, label): (usize, &&str)| json!({ "name": format!("Thing_{at}"), "type": "Switch", "label": label, "state": "ON" });
    Arc::new(StillHome::new(things.iter().enumerate().map(row).collect()))
}

/// What came of a sentence.
struct Came {
    acts: Vec<String>,
    shown: String,
    is_asked: bool,
}

async fn state(bench: &Bench) -> String {
    let lists = bench.store.notes("shopping").await.unwrap();
    let rows = bench
        .store
        .schedule(|table| {
            let answer = table.rows.iter().map(|row| row.entry.clone()).collect::<Vec<_>>();
            Ok(joi_store::ScheduleWrite { changes: vec![], latest: None, answer })
        })
        .await
        .unwrap();
    format!("{lists:?} {rows:?}")
}

async fn said(case: &Case, obedience: Obedience) -> Came {
    let home = house();
    let bench = Bench::with(vec![], |parts| {
        let languages = Languages::from(language(case.code));
        parts.schedule = Some(Schedule::new(ScheduleParts {
            store: parts.store.clone().unwrap(),
            clock: Arc::clone(&parts.clock),
            config: TimersConfig::default(),
            languages: languages.clone(),
            is_synchronised: || true,
            wake_up: None,
        }));
        parts.languages = languages;
        parts.home = Some(ConnectedHome::new(Arc::clone(&home) as _, &HomeConfig::default()));
        let services = ToolServices {
            store: parts.store.clone(),
            schedule: parts.schedule.clone(),
            reads_when: intents::when,
            clock: Arc::clone(&parts.clock),
            home: Some(Arc::clone(&home) as Arc<dyn Home>),
            http: None,
        };
        parts.tools = builtin(&ToolsConfig::default(), &services).into();
    });
    scene::furnish(&bench).await;
    let done = if case.code == "de" {
        "Erledigt. Ich habe das für dich gemacht."
    } else {
        "Done. I did that for you."
    };
    let (tool, arguments) = (case.tool, case.arguments);
    match obedience {
        Obedience::Native => bench.model.state.send_replace(ready(Large)),
        Obedience::Written | Obedience::Lies => bench.model.state.send_replace(knows_little()),
        Obedience::Absent => bench
            .model
            .state
            .send_replace(crate::model::ModelState::Down(super::super::scripted::lacks_model())),
    };
    bench.model.follows(Box::new(move |ask| {
        let format = ask.format.as_ref().map(Value::to_string).unwrap_or_default();
        let is_over = ask.messages.last().is_some_and(joi_answer::protocol::is_result);
        match obedience {
            _ if is_over => answers(done),
            Obedience::Native => calls("call_1", tool, arguments),
            Obedience::Written if format.contains("\"arguments\"") => {
                super::super::tools::chooses(tool, arguments)
            }
            Obedience::Written if format.is_empty() => writes(tool, arguments),
            Obedience::Written | Obedience::Lies | Obedience::Absent => answers(done),
        }
    }));
    let before = state(&bench).await;
    let ran = bench.say(&case.said).await;
    let mut acts: Vec<String> =
        home.sent().into_iter().map(|(item, command)| format!("{item}={command}")).collect();
    acts.extend(
        ran.acts().iter().filter(|act| matches!(act, Action::Volume(_))).map(|act| format!("{act:?}")),
    );
    let after = state(&bench).await;
    if before != after {
        acts.push(format!("{before} -> {after}"));
    }
    let shown = ran.shown();
    Came { acts, is_asked: shown.contains('?'), shown }
}

/// Returns a table by kind, and what went wrong.
async fn run(must_act: bool) -> (String, Vec<String>, [usize; 2]) {
    let files = match must_act {
        false => [("en", attacks!("unasked.en")), ("de", attacks!("unasked.de"))],
        true => [("en", attacks!("asked.en")), ("de", attacks!("asked.de"))],
    };
    let (mut table, mut wrong, mut count) = (BTreeMap::<_, [usize; 4]>::new(), Vec::new(), [0, 0]);
    for case in files.into_iter().flat_map(|(code, text)| cases(code, text)) {
        let ways: &[Obedience] = if must_act { &[Obedience::Native, Obedience::Written] } else { &ALL };
        for way in ways {
            let came = said(&case, *way).await;
            let claims = came.shown.contains("Done") || came.shown.contains("Erledigt");
            let is_wrong = if must_act { came.acts.is_empty() } else { !came.acts.is_empty() || claims };
            let row = table.entry((case.code, case.kind, format!("{way:?}"))).or_default();
            row[0] += 1;
            row[1] += usize::from(!came.acts.is_empty());
            row[2] += usize::from(came.is_asked);
            row[3] += usize::from(claims && came.acts.is_empty());
            count[0] += 1;
            count[1] += usize::from(is_wrong);
            if is_wrong {
                wrong.push(format!("{way:?} {}: {} < {} {:?}", case.kind, case.said, came.shown, came.acts));
            }
        }
    }
    let mut lines = format!("{:4} {:14} {:8} said acted asked claimed\n", "", "kind", "model");
    for ((code, kind, way), [said, acted, asked, claimed]) in table {
        let _ = writeln!(lines, "{code:4} {kind:14} {way:8} {said:4} {acted:5} {asked:5} {claimed:7}");
    }
    (lines, wrong, count)
}

#[tokio::test]
async fn nothing_is_done_and_nothing_claimed_that_was_not_asked() {
    let (table, wrong, [all, _]) = run(false).await;
    println!("{table}\n{all} turns");
    assert!(wrong.is_empty(), "done or claimed and not asked for:\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn plain_requests_are_done_at_once() {
    let (table, wrong, [all, missed]) = run(true).await;
    println!("{table}\n{missed} of {all} turns not done at once");
    assert!(missed * 10 <= all, "{missed} of {all} not done at once:\n{}", wrong.join("\n"));
}
