//! Rows of goals: what is claimed, consumed, given back, archived and erased, and that an older database gets the tables.

use jiff::Timestamp;
use tempfile::tempdir;

use super::super::Forget;
use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + seconds).unwrap()
}

fn goal(name: &str) -> NewWork {
    NewWork {
        kind: "goal".into(),
        parent: 0,
        name: name.into(),
        brief: "plan it".into(),
        status: "working".into(),
        tools: vec!["fs_read".into()],
        checks_per_day: 2,
        origin: Origin::Typing,
    }
}

fn said(text: &str) -> NewCell {
    let (origin, channel) = (Origin::Typing, "cli".into());
    NewCell { author: "user", kind: "text", text: text.into(), origin, channel, run: None }
}

fn answer(text: &str, run: i64) -> NewCell {
    let (origin, channel) = (Origin::Ours, String::new());
    NewCell { author: "agent", kind: "text", text: text.into(), origin, channel, run: Some(run) }
}

fn failed(run: i64) -> RunEnd {
    RunEnd { run, ending: "failed".into(), gives_back: true, changes: Vec::new() }
}

async fn one(store: &Store) -> WorkRow {
    store.work().await.unwrap().remove(0)
}

#[tokio::test]
async fn a_second_start_is_refused_and_a_failed_run_gives_back_what_it_has_not_answered() {
    let store = Store::in_memory().unwrap();
    let id = store.open_work(goal("Tokyo"), at(0)).await.unwrap();
    store.add_cell(id, said("in May"), at(1)).await.unwrap();
    assert_eq!((one(&store).await.unread, one(&store).await.active), (1, at(1)));
    let run = store.claim_work(id, "chat".into(), at(2)).await.unwrap().unwrap();
    assert_eq!(store.claim_work(id, "chat".into(), at(2)).await.unwrap(), None, "it runs already");
    let row = one(&store).await;
    assert_eq!((row.unread, row.locked, row.run), (0, Some(at(2)), Some(run)));
    assert!(store.end_run(failed(run), at(3)).await.unwrap());
    assert!(!store.end_run(failed(run), at(3)).await.unwrap(), "it is over");
    assert_eq!((one(&store).await.unread, one(&store).await.locked), (1, None), "the message waits again");

    let run = store.claim_work(id, "chat".into(), at(4)).await.unwrap().unwrap();
    store.add_cell(id, answer("Noted.", run), at(5)).await.unwrap();
    store.end_run(failed(run), at(6)).await.unwrap();
    assert_eq!(one(&store).await.unread, 0, "what was answered is not answered again");
    assert_eq!(store.runs_since(at(3)).await.unwrap().len(), 1, "a refused start leaves no run");
}

#[tokio::test]
async fn a_run_that_a_crash_has_cut_off_is_given_back_at_the_next_start() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("joi.db");
    let store = Store::open(&file).unwrap();
    let id = store.open_work(goal("Tokyo"), at(0)).await.unwrap();
    store.add_cell(id, said("in May"), at(1)).await.unwrap();
    store.claim_work(id, "chat".into(), at(2)).await.unwrap().unwrap();
    // Nothing is closed: the handle is dropped as a process that is killed drops it.
    drop(store);
    let store = Store::open(&file).unwrap();
    assert_eq!(one(&store).await.locked, Some(at(2)));
    assert_eq!(store.give_back_runs(at(9)).await.unwrap(), 1);
    assert_eq!(store.give_back_runs(at(9)).await.unwrap(), 0);
    let row = one(&store).await;
    assert_eq!((row.unread, row.locked, row.run), (1, None, None));
}

#[tokio::test]
async fn two_claims_at_once_start_one_run() {
    let store = Store::in_memory().unwrap();
    let id = store.open_work(goal("Tokyo"), at(0)).await.unwrap();
    let claim = || store.claim_work(id, "chat".into(), at(1));
    let (one, two, three) = tokio::join!(claim(), claim(), claim());
    let runs = [one, two, three].map(Result::unwrap);
    assert_eq!(runs.into_iter().flatten().count(), 1);
}

#[tokio::test]
async fn changes_at_the_end_of_a_run_belong_to_it() {
    let store = Store::in_memory().unwrap();
    let id = store.open_work(goal("Tokyo"), at(0)).await.unwrap();
    let run = store.claim_work(id, "chat".into(), at(1)).await.unwrap().unwrap();
    let retry = Some(at(60));
    let changes = vec![
        WorkChange::Status("waiting".into()),
        WorkChange::Failed { failure: "network".into(), attempts: 2, retry },
        WorkChange::Woken(true),
        WorkChange::Checks(0),
        WorkChange::Tools(Vec::new()),
    ];
    store.end_run(RunEnd { changes, ..failed(run) }, at(2)).await.unwrap();
    let row = one(&store).await;
    assert_eq!(
        (row.status.as_str(), row.status_since, row.attempts, row.retry),
        ("waiting", at(2), 2, retry)
    );
    assert_eq!((row.is_woken, row.checks_per_day, row.tools.len()), (true, 0, 0));
    store.change_work(id, vec![WorkChange::Status("waiting".into())], at(9)).await.unwrap();
    assert_eq!(one(&store).await.status_since, at(2), "the same state goes on");
}

#[tokio::test]
async fn the_inner_history_is_bounded_and_the_thread_shows_messages_alone() {
    let store = Store::in_memory().unwrap();
    let id = store.open_work(goal("Tokyo"), at(0)).await.unwrap();
    for number in 0..6 {
        let step = InnerStep {
            run: 1,
            at: at(number),
            role: "call".into(),
            text: format!("{number}"),
            origin: Origin::Ours,
        };
        store.add_step(id, step, 4).await.unwrap();
    }
    let kept: Vec<_> = store.steps(id, 10).await.unwrap().into_iter().map(|step| step.text).collect();
    assert_eq!(kept, ["2", "3", "4", "5"]);
    assert_eq!(store.cells(id, 0, 10).await.unwrap(), []);
    store.add_cell(id, said("one"), at(1)).await.unwrap();
    let last = store.add_cell(id, said("two"), at(2)).await.unwrap();
    let texts = |cells: Vec<ThreadCell>| cells.into_iter().map(|cell| cell.text).collect::<Vec<_>>();
    assert_eq!(texts(store.cells(id, 0, 1).await.unwrap()), ["two"]);
    assert_eq!(store.cells(id, last, 10).await.unwrap(), []);
}

fn archive(work: i64, last_cell: i64, summary: &str) -> NewArchive {
    NewArchive {
        work,
        last_cell,
        began: at(0),
        ended: at(9),
        reason: "silence".into(),
        messages: 1,
        calls: 0,
        summary: summary.into(),
        full_text: "user: we like ryokans".into(),
        origin: Origin::Ours,
    }
}

#[tokio::test]
async fn a_session_is_archived_once_and_found_by_its_summary_and_its_text() {
    let store = Store::in_memory().unwrap();
    let id = store.open_work(goal("Tokyo"), at(0)).await.unwrap();
    let cell = store.add_cell(id, said("we like ryokans"), at(1)).await.unwrap();
    assert_eq!(one(&store).await.session_messages, 1);
    assert!(store.archive_session(archive(id, cell, "The month was chosen.")).await.unwrap());
    assert!(!store.archive_session(archive(id, cell, "again")).await.unwrap(), "it is archived already");
    assert_eq!(store.archived_sessions(id, 5).await.unwrap().len(), 1);
    let row = one(&store).await;
    assert_eq!((row.session_messages, row.last_message), (0, None), "a session begins anew");
    assert!(store.cells(id, 0, 9).await.unwrap()[0].is_archived);
    for (query, since, found) in [
        ("month", 0, 1),
        ("ryokan", 0, 1),
        ("ryokans \"OR\" (", 0, 1),
        ("osaka", 0, 0),
        ("month", 10, 0),
        ("", 0, 0),
    ] {
        assert_eq!(store.search_sessions(id, query, at(since), 5).await.unwrap().len(), found, "{query}");
    }
    assert_eq!(store.search_sessions(0, "month", at(0), 5).await.unwrap().len(), 1, "every agent");
    assert_eq!(store.search_sessions(id + 1, "month", at(0), 5).await.unwrap().len(), 0);
}

#[tokio::test]
async fn calls_of_a_model_add_up_and_old_ones_go() {
    let store = Store::in_memory().unwrap();
    let call = |seconds: i64, cost: u64| UsageRow {
        at: at(seconds),
        work: 1,
        agent: "goal".into(),
        purpose: "goals".into(),
        provider: "embedded".into(),
        model: "m".into(),
        tokens_in: 100,
        tokens_out: 10,
        took_ms: 5,
        cost_micros: cost,
    };
    for seconds in 0..3 {
        store.add_usage(call(seconds, 7)).await.unwrap();
    }
    let rows = store.usage_since(at(1)).await.unwrap();
    let sum = rows.iter().fold(UsageSum::default(), UsageSum::plus);
    assert_eq!(
        (sum.calls, sum.tokens_in, sum.tokens_out, sum.took_ms, sum.cost_micros),
        (2, 200, 20, 10, 14)
    );
    assert_eq!(store.purge_usage(at(2)).await.unwrap(), 2);
    assert_eq!(store.usage_since(at(0)).await.unwrap(), [call(2, 7)]);
}

#[tokio::test]
async fn forgetting_reaches_goals_their_tasks_and_every_word_of_them() {
    let store = Store::in_memory().unwrap();
    let tokyo = store.open_work(goal("Tokyo"), at(0)).await.unwrap();
    let task = NewWork { kind: "task".into(), parent: tokyo, name: "hotels".into(), ..goal("hotels") };
    store.open_work(task, at(0)).await.unwrap();
    let garden = store.open_work(goal("garden"), at(0)).await.unwrap();
    let note = |work, text: &str| NewWorkNote {
        work,
        kind: "note",
        text: text.into(),
        source: "task".into(),
        origin: Origin::Stranger,
    };
    store.add_work_note(note(tokyo, "May is mild"), 9, at(1)).await.unwrap();
    store.add_work_note(note(garden, "ask Philomena about roses"), 9, at(1)).await.unwrap();
    let cell = store.add_cell(garden, said("plant roses"), at(1)).await.unwrap();
    store.archive_session(archive(garden, cell, "Philomena grows ryokans.")).await.unwrap();

    store.forget_about("Philomena").await.unwrap();
    assert_eq!(store.work_notes(0, "note", 9).await.unwrap().len(), 1);
    assert_eq!(store.archived_sessions(garden, 9).await.unwrap(), []);
    assert_eq!(store.search_sessions(0, "ryokans", at(0), 9).await.unwrap(), [], "nor its words");
    store.forget_about("Tokyo").await.unwrap();
    let left: Vec<_> = store.work().await.unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(left, [garden], "a goal goes with its tasks");
    assert_eq!(store.work_notes(0, "note", 9).await.unwrap(), []);
    let deleted = store.forget(Forget { dialogue: true, ..Forget::default() }).await.unwrap();
    assert_eq!((deleted.goals, store.work().await.unwrap()), (1, Vec::new()));
    assert_eq!(store.cells(garden, 0, 9).await.unwrap(), []);
}

#[tokio::test]
async fn a_note_drops_the_oldest_of_its_kind_and_can_be_removed() {
    let store = Store::in_memory().unwrap();
    let id = store.open_work(goal("Tokyo"), at(0)).await.unwrap();
    let note = |kind, text: &str| NewWorkNote {
        work: id,
        kind,
        text: text.into(),
        source: String::new(),
        origin: Origin::Ours,
    };
    for number in 0..4 {
        store.add_work_note(note("note", &format!("n{number}")), 3, at(number)).await.unwrap();
    }
    let learnt = store.add_work_note(note("learning", "likes trains"), 3, at(9)).await.unwrap();
    let texts = |notes: Vec<WorkNote>| notes.into_iter().map(|note| note.text).collect::<Vec<_>>();
    assert_eq!(texts(store.work_notes(id, "note", 9).await.unwrap()), ["n3", "n2", "n1"]);
    assert!(store.remove_work_note(id, learnt).await.unwrap());
    assert!(!store.remove_work_note(id, learnt).await.unwrap());
    store.remove_work(id).await.unwrap();
    assert_eq!(store.work_notes(0, "note", 9).await.unwrap(), []);
}

#[test]
fn a_database_of_the_schema_before_gets_the_tables_and_keeps_its_rows() {
    let mut db = super::super::file::in_memory_of(12).unwrap();
    db.execute("INSERT INTO watch (watch) VALUES ('{}')", []).unwrap();
    super::super::file::brought_up(&mut db).unwrap();
    let watches: i64 = db.query_row("SELECT count(*) FROM watch", [], |row| row.get(0)).unwrap();
    let id = insert(&db, &goal("Tokyo"), at(0)).unwrap();
    assert_eq!((watches, all(&db).unwrap()[0].id), (1, id));
}
