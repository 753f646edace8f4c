//! A scrape from outside: over HTTP, read by the rules of the format.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::control::{
    AnsweringModel, BackupStatus, ChatStatus, DelayStatus, DeviceDelays, HomeStatus, Journal, MessagesStatus,
    PersistentMute, ServiceRow, SoundStatus, StatusBoard, StatusBoardParts, gauge_by,
};
use joi_autonomy::agent::lines::Agents;
use joi_autonomy::agent::news::{AgentEvent, AgentNews};
use joi_base::clock::SystemClock;
use joi_base::machine::{DiskRoom, MachineHealth, MemoryRoom, PowerHealth};
use joi_base::message::{Channel, TurnId};
use joi_base::pulse::Pulse;
use joi_base::trace::{Mark, ModelUse, Stage, ToolUse};
use joi_serve::EndpointRules;

fn turn() -> TurnRecord {
    TurnRecord {
        id: TurnId(1),
        channel: Channel::Voice,
        at: String::new(),
        heard: "where is the marmalade".into(),
        reply: "In the marmalade drawer.".into(),
        marks: vec![
            Mark { stage: Stage::Wake, ms: -900.0 },
            Mark { stage: Stage::Transcript, ms: 120.0 },
            Mark { stage: Stage::FirstSample, ms: 800.0 },
        ],
        decisions: Vec::new(),
        model_use: vec![ModelUse {
            backend: "local".into(),
            prompt_tokens: 100,
            reply_tokens: 7,
            ..ModelUse::default()
        }],
        tool_use: vec![ToolUse { name: "find".into(), outcome: "done".into(), ..ToolUse::default() }],
    }
}

/// Returns a board on which everything is shown that a scrape reports.
fn board(data: &std::path::Path) -> StatusBoard {
    let journal = Journal::new(Arc::new(SystemClock));
    let parts = StatusBoardParts {
        mute: PersistentMute::read(data).0,
        pulse: Pulse::default(),
        journal,
        clock: Arc::new(SystemClock),
    };
    let board = StatusBoard::new(parts);
    let service = ServiceRow {
        name: "timers".into(),
        state: ServiceState::Restarting,
        restarts: 3,
        why: Some("it panicked over \"marmalade\"\n".into()),
        degraded: None,
    };
    board.services(vec![service]);
    board.microphone(DeviceStatus::Device("USB \"Mic\"".into()));
    board.sound(|| SoundStatus {
        lost_s: 0.25,
        delays: DeviceDelays {
            microphone: Some(DelayStatus { last_ms: 31.0, highest_ms: 58.0 }),
            speaker: None,
        },
    });
    board.machine(|| MachineHealth {
        board: None,
        temperature_c: Some(61.5),
        power: Some(PowerHealth { was_undervolted: true, ..PowerHealth::default() }),
        memory: Some(MemoryRoom { free: 1, total: 2 }),
        disk: Some(DiskRoom { free: 3, total: 4, read_only: false }),
    });
    board.backups(|| BackupStatus {
        folder: "/media/stick".into(),
        is_well: true,
        told: "kept".into(),
        newest: Some("2026-11-24T12:00:00Z".into()),
    });
    show_connections(&board);
    board
}

/// The house, messages, the chat model, a stage and a queue.
fn show_connections(board: &StatusBoard) {
    let agents = Agents::new([]);
    let at = "2026-03-04T12:00:00Z".parse().unwrap();
    agents.bus().send(AgentEvent {
        news: AgentNews::TurnStarted { turn: 1 },
        agent: "garage".into(),
        at,
        words: None,
    });
    board.has_agents(agents);
    board.home(|| HomeStatus { is_up: true, told: "openHAB".into(), items: 7 });
    board.messages(|| MessagesStatus {
        carriers: Vec::new(),
        waiting: 2,
        last_hour: 5,
        given_up: 0,
        strangers: 0,
    });
    let answering = || AnsweringModel { model: "qwen3".into(), by: "local".into() };
    board.chat_model(move || ChatStatus {
        told: "qwen3 is ready".into(),
        answering: Some(answering()),
        uses: Vec::new(),
    });
    // Its heart ends at once, which is in order.
    drop(board.pulse().heart("listener", std::time::Duration::from_secs(2)));
    board.queues(vec![gauge_by("heard", || Some((3, 8)))]);
}

/// Returns a request as text, and the answer: its head and its body.
async fn request(address: SocketAddr, text: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.replace('\n', "\r\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// Returns the samples of a scrape by name and labels. Every rule that is broken is a panic.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let lines: Vec<&str> = text.strip_suffix("# EOF\n").expect("an end").lines().collect();
    let (mut kinds, mut found, mut families) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    for line in lines {
        if let Some(about) = line.strip_prefix("# ") {
            let mut words = about.splitn(3, ' ');
            let (what, name, rest) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
            assert!(["HELP", "TYPE", "UNIT"].contains(&what), "{line}");
            if what == "TYPE" {
                assert!(["counter", "gauge", "histogram"].contains(&rest), "{line}");
                assert!(families.insert(name.to_owned()), "{name} is told twice");
                kinds.insert(name.to_owned(), rest.to_owned());
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        let name = series.split('{').next().unwrap();
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        let family = ["_total", "_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let kind =
            kinds.get(name).or_else(|| kinds.get(family?)).unwrap_or_else(|| panic!("no type: {name}"));
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
        assert!(found.insert(series.to_owned(), value).is_none(), "{series} twice");
    }
    found
}

#[tokio::test]
async fn a_scrape_is_valid_and_shows_what_was_counted_but_nothing_that_was_said() {
    let data = tempfile::tempdir().unwrap();
    let (board, metrics) = (board(data.path()), Metrics::default());
    metrics.answered(&turn());
    metrics.answered(&turn());
    metrics.ignored(&TurnRecord { marks: Vec::new(), model_use: Vec::new(), tool_use: Vec::new(), ..turn() });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let logged = LogCounts { warnings: 2, errors: 1 };
    let scrape = move || metrics.scrape(&board.status(), logged).ok();
    let serving = tokio::spawn(endpoint::serve_on(listener, EndpointRules::default(), scrape, stop.clone()));

    let (head, text) =
        request(address, "GET /metrics HTTP/1.1\nHost: 127.0.0.1\nConnection: close\n\n").await;
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("application/openmetrics-text"), "{head}");
    assert!(!text.contains("marmalade") && !text.contains("Mic"), "{text}");
    let found = samples(&text);
    for (series, value) in [
        ("joi_turns_total{outcome=\"answered\"}", 2.0),
        ("joi_turns_total{outcome=\"ignored\"}", 1.0),
        ("joi_turn_stage_seconds_count{stage=\"transcript\"}", 2.0),
        ("joi_turn_stage_seconds_sum{stage=\"first_sample\"}", 1.6),
        ("joi_turn_stage_seconds_bucket{le=\"0.1\",stage=\"transcript\"}", 0.0),
        ("joi_turn_stage_seconds_bucket{le=\"0.2\",stage=\"transcript\"}", 2.0),
        ("joi_turn_stage_seconds_bucket{le=\"+Inf\",stage=\"transcript\"}", 2.0),
        ("joi_model_calls_total{backend=\"local\"}", 2.0),
        ("joi_model_tokens_total{kind=\"prompt\"}", 200.0),
        ("joi_model_tokens_total{kind=\"reply\"}", 14.0),
        ("joi_tool_calls_total{outcome=\"done\"}", 2.0),
        ("joi_log_messages_total{level=\"warning\"}", 2.0),
        ("joi_log_messages_total{level=\"error\"}", 1.0),
        ("joi_service_restarts_total{service=\"timers\"}", 3.0),
        ("joi_service_running{service=\"timers\"}", 0.0),
        ("joi_device_working{device=\"microphone\"}", 1.0),
        ("joi_device_working{device=\"speaker\"}", 0.0),
        ("joi_device_delay_seconds{device=\"microphone\"}", 0.031),
        ("joi_temperature_celsius", 61.5),
        ("joi_undervolted{when=\"now\"}", 0.0),
        ("joi_undervolted{when=\"since_boot\"}", 1.0),
        ("joi_disk_free_bytes", 3.0),
        ("joi_backup_newest_timestamp_seconds", 1_795_521_600.0),
        ("joi_backups_working", 1.0),
        ("joi_muted", 0.0),
        ("joi_house_connected", 1.0),
        ("joi_messages_waiting", 2.0),
        ("joi_model_ready", 1.0),
        ("joi_sound_lost_seconds", 0.25),
        ("joi_stage_alive{stage=\"listener\"}", 1.0),
        ("joi_queue_length{queue=\"heard\"}", 3.0),
        ("joi_queue_capacity{queue=\"heard\"}", 8.0),
    ] {
        assert_eq!(found.get(series), Some(&value), "{series} in\n{text}");
    }
    assert!(found["joi_resident_memory_bytes{process=\"joi\"}"] > 1e6);
    assert!(!found.keys().any(|series| series.contains("stage=\"wake\"")), "before the end of speech");

    for refused in [
        "GET /metrics HTTP/1.1\nHost: evil.example\nConnection: close\n\n",
        "GET /metrics HTTP/1.1\nHost: 127.0.0.1\nOrigin: http://127.0.0.1\nConnection: close\n\n",
    ] {
        assert!(request(address, refused).await.0.starts_with("HTTP/1.1 403"), "{refused}");
    }
    let other = request(address, "GET / HTTP/1.1\nHost: 127.0.0.1\nConnection: close\n\n").await.0;
    assert!(other.starts_with("HTTP/1.1 404"), "{other}");
    stop.cancel();
    serving.await.unwrap().unwrap();
}

/// Returns the figures that the table of `docs/user/metrics.md` names.
fn documented() -> BTreeSet<&'static str> {
    let rows = include_str!("../../docs/user/metrics.md").lines().filter(|line| line.starts_with("| `joi_"));
    rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn every_figure_of_a_scrape_is_in_the_documentation_and_no_other() {
    let data = tempfile::tempdir().unwrap();
    let metrics = Metrics::default();
    metrics.answered(&turn());
    let text = metrics.scrape(&board(data.path()).status(), LogCounts::default()).unwrap();
    let families = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let told: BTreeSet<String> = families
        .map(|(name, kind)| name.to_owned() + if kind == "counter" { "_total" } else { "" })
        .collect();
    let told: BTreeSet<&str> = told.iter().map(String::as_str).collect();
    assert!(told.len() > 25, "only {} were found", told.len());
    let missing: Vec<_> = told.symmetric_difference(&documented()).copied().collect();
    assert!(missing.is_empty(), "only in one of both: {missing:?}");
}
