//! Rows as tests of decisions need them.

use jiff::{Timestamp, Zoned};
use joi_base::message::Origin;
use joi_store::{ThreadCell, WorkNote, WorkRow};

pub(crate) fn noon() -> Zoned {
    "2026-03-04T12:00+01:00[Europe/Vienna]".parse().unwrap()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(noon().timestamp().as_second() - 86_400 + seconds).unwrap()
}

pub(crate) fn row(id: i64, kind: &str, status: &str) -> WorkRow {
    WorkRow {
        id,
        kind: kind.into(),
        parent: 0,
        name: format!("work {id}"),
        brief: "plan it".into(),
        status: status.into(),
        tools: Vec::new(),
        checks_per_day: 0,
        origin: Origin::Speech,
        created: at(0),
        active: at(0),
        status_since: at(0),
        is_woken: false,
        locked: None,
        run: None,
        failure: String::new(),
        attempts: 0,
        retry: None,
        unread: 0,
        last_message: None,
        session_messages: 0,
    }
}

pub(crate) fn cell(id: i64, author: &str, text: &str) -> ThreadCell {
    ThreadCell {
        id,
        at: at(id),
        author: author.into(),
        kind: "text".into(),
        text: text.into(),
        origin: if author == "user" { Origin::Speech } else { Origin::Ours },
        channel: String::new(),
        is_processed: true,
        run: None,
        is_archived: false,
    }
}

pub(crate) fn note(id: i64, text: &str) -> WorkNote {
    WorkNote { id, work: 1, at: at(id), text: text.into(), source: String::new(), origin: Origin::Ours }
}
