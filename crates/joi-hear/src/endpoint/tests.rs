//! The endpointer over scripted and arbitrary sequences of frames.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;

mod window;

const F: u64 = FRAME as u64;

/// Shows frames, `#` voiced and `.` not, beginning with the frame that starts at `from`.
fn show(endpointer: &mut Endpointer, from: u64, frames: &str) -> Vec<Edge> {
    (1..)
        .zip(frames.chars())
        .filter_map(|(i, c)| endpointer.observe(Frame { end: from + i * F, voiced: c == '#' }))
        .collect()
}

fn new() -> Endpointer {
    Endpointer::new(&EndpointConfig::default())
}

fn line(voiced: usize, silent: usize) -> String {
    "#".repeat(voiced) + &".".repeat(silent)
}

#[test]
fn an_utterance_keeps_its_pre_roll_and_ends_after_the_patience() {
    let mut endpointer = new();
    endpointer.open(100 * F);
    let edges = show(&mut endpointer, 100 * F, &(line(0, 30) + &line(10, 30)));
    let speech_ends_at = 140 * F;
    let begins_at = 130 * F - 8000;
    let span = |ends_at| SpeechSpan {
        begins_at,
        ends_at,
        speech_begins_at: 130 * F,
        speech_ends_at,
        voiced: 10 * F,
        revision: 0,
    };
    assert_eq!(
        edges,
        [Edge::Started, Edge::Paused(span(144 * F)), Edge::Ended(span(162 * F), EndCause::Silence),]
    );
    assert!(endpointer.is_open(), "the sentence may go on");
    assert_eq!(show(&mut endpointer, 162 * F, &line(0, 60)), [], "silence after the end is no news");
    assert!(!endpointer.is_open());
}

#[test]
fn a_sentence_taken_for_complete_goes_on_within_a_second_and_a_half() {
    let mut endpointer = new();
    endpointer.open(0);
    let edges = show(&mut endpointer, 0, &(line(10, 40) + &line(10, 30)));
    let kinds: Vec<_> = edges.iter().map(kind).collect();
    assert_eq!(kinds, ["started", "paused", "ended", "continued", "paused", "ended"]);
    let (Edge::Ended(first, _), Edge::Ended(whole, _)) = (&edges[2], &edges[5]) else { panic!("{edges:?}") };
    assert_eq!((whole.begins_at, whole.speech_begins_at), (first.begins_at, first.speech_begins_at));
    assert_eq!((whole.voiced, whole.speech_ends_at), (20 * F, 60 * F));
    let mut endpointer = new();
    endpointer.open(0);
    let edges = show(&mut endpointer, 0, &(line(10, 48) + &line(10, 30)));
    assert_eq!(edges.iter().map(kind).collect::<Vec<_>>(), ["started", "paused", "ended"], "1.5 s are over");
}

#[test]
fn a_short_pause_stays_inside_one_utterance() {
    let mut endpointer = new();
    endpointer.open(0);
    let edges = show(&mut endpointer, 0, &(line(10, 12) + &line(10, 30)));
    let kinds: Vec<_> = edges.iter().map(kind).collect();
    assert_eq!(kinds, ["started", "paused", "resumed 1", "paused", "ended"]);
    let Some(Edge::Ended(span, _)) = edges.last() else { panic!("{edges:?}") };
    assert_eq!((span.revision, span.speech_ends_at), (1, 32 * F));
}

#[test]
fn a_click_in_a_pause_changes_nothing() {
    let mut endpointer = new();
    endpointer.open(0);
    let edges = show(&mut endpointer, 0, &(line(10, 9) + &line(1, 30)));
    let kinds: Vec<_> = edges.iter().map(kind).collect();
    assert_eq!(kinds, ["started", "paused", "ended"]);
    assert!(matches!(edges[2], Edge::Ended(SpeechSpan { ends_at, .. }, _) if ends_at == 32 * F));
}

#[test]
fn the_patience_is_what_the_configuration_says() {
    for (patience, frames) in
        [(EndpointPatience::Quick, 13), (EndpointPatience::Normal, 22), (EndpointPatience::Relaxed, 38)]
    {
        let mut endpointer = Endpointer::new(&EndpointConfig { patience, ..EndpointConfig::default() });
        endpointer.open(0);
        let edges = show(&mut endpointer, 0, &line(10, 60));
        let ended = edges.iter().find_map(|e| if let Edge::Ended(s, _) = e { Some(s.ends_at) } else { None });
        assert_eq!(ended, Some((10 + frames) * F), "{patience:?}");
    }
}

/// Returns the frames of silence until the end, if the words before the pause `revision` mean `more` and are known `late`
/// frames later.
fn silence(config: &EndpointConfig, late: usize, revision: u32, more: More) -> u64 {
    let mut endpointer = Endpointer::new(config);
    endpointer.open(0);
    show(&mut endpointer, 0, &line(10, 6 + late));
    endpointer.expect(revision, more);
    let edges = show(&mut endpointer, (16 + late) as u64 * F, &line(0, 40));
    let Some(Edge::Ended(span, EndCause::Silence)) = edges.last() else { panic!("{edges:?}") };
    (span.ends_at - span.speech_ends_at) / F
}

#[test]
fn a_whole_command_ends_soon_and_a_begun_one_late() {
    let config = EndpointConfig::default();
    assert_eq!(silence(&config, 0, 0, More::Unlikely), 7, "0.2 s in frames");
    assert_eq!(silence(&config, 8, 0, More::Unlikely), 15, "known later: at the next frame");
    assert_eq!(silence(&config, 0, 0, More::Likely), 38, "1.2 s");
    assert_eq!(silence(&config, 0, 1, More::Unlikely), 22, "told of other words");
    let off = EndpointConfig { by_meaning: false, ..config.clone() };
    let relaxed = EndpointConfig { patience: EndpointPatience::Relaxed, ..config.clone() };
    let all = |config| {
        [More::Unlikely, More::Amendable, More::Answerable, More::Sentence, More::Possible, More::Likely]
            .map(|more| silence(config, 0, 0, more))
    };
    assert_eq!(
        [all(&config), all(&relaxed), all(&off)],
        [[7, 10, 13, 19, 19, 38], [7, 10, 13, 33, 19, 38], [22; 6]]
    );
}

#[test]
fn the_outlook_is_void_when_speech_goes_on() {
    let mut endpointer = new();
    endpointer.open(0);
    show(&mut endpointer, 0, &line(10, 6));
    endpointer.expect(0, More::Unlikely);
    let edges = show(&mut endpointer, 16 * F, &line(10, 30));
    let kinds: Vec<_> = edges.iter().map(kind).collect();
    assert_eq!(kinds, ["resumed 1", "paused", "ended"]);
    let Some(Edge::Ended(span, _)) = edges.last() else { panic!("{edges:?}") };
    assert_eq!(span.ends_at - span.speech_ends_at, 22 * F);
    let mut endpointer = new();
    endpointer.open(0);
    endpointer.expect(0, More::Unlikely);
    show(&mut endpointer, 0, &line(10, 2));
    endpointer.expect(0, More::Unlikely);
    let edges = show(&mut endpointer, 12 * F, &line(0, 20));
    assert_eq!(edges.len(), 2, "there was no pause yet: {edges:?}");
    let Some(Edge::Ended(span, _)) = edges.last() else { panic!("{edges:?}") };
    assert_eq!(span.ends_at - span.speech_ends_at, 22 * F);
}

#[test]
fn the_tail_of_the_phrase_is_no_speech_and_more_in_one_breath_is() {
    let mut endpointer = new();
    endpointer.open_after_phrase(100 * F);
    assert_eq!(show(&mut endpointer, 95 * F, &line(5 + 8, 100)), [], "the tail");
    endpointer.open_after_phrase(100 * F);
    let edges = show(&mut endpointer, 95 * F, &line(5 + 14, 100));
    let Some(Edge::Ended(span, EndCause::Silence)) = edges.last() else { panic!("{edges:?}") };
    assert_eq!(span.begins_at, 100 * F - LEAD);
}

#[test]
fn after_the_phrase_and_a_silence_the_pre_roll_does_not_reach_into_the_phrase() {
    let mut endpointer = new();
    endpointer.open_after_phrase(100 * F);
    let edges = show(&mut endpointer, 100 * F, &(line(3, 6) + &line(20, 30)));
    let Some(Edge::Ended(span, EndCause::Silence)) = edges.last() else { panic!("{edges:?}") };
    assert_eq!(span.begins_at, 103 * F);
}

#[test]
fn silence_is_reported_after_five_seconds() {
    let mut endpointer = new();
    endpointer.open_after_phrase(0);
    // A knock in between changes nothing.
    let edges = show(&mut endpointer, 0, &(line(2, 60) + &line(2, 200)));
    assert_eq!(edges, [Edge::NothingSaid]);
    endpointer.open(0);
    assert_eq!(endpointer.finish(7), Some(Edge::NothingSaid));
    assert_eq!(endpointer.finish(7), None);
}

#[test]
fn the_longest_utterance_is_cut() {
    let mut endpointer = new();
    endpointer.open(0);
    let edges = show(&mut endpointer, 0, &line(600, 0));
    let Some(Edge::Ended(span, EndCause::MaxLength)) = edges.last() else { panic!("{edges:?}") };
    assert_eq!(span.ends_at, 469 * F); // the first frame end at or behind 15 s
    endpointer.open(469 * F);
    let edges = show(&mut endpointer, 469 * F, &line(40, 40));
    let Some(Edge::Ended(next, EndCause::Silence)) = edges.last() else { panic!("{edges:?}") };
    assert_eq!(next.begins_at, span.ends_at, "no sample is in both");
}

fn kind(edge: &Edge) -> String {
    match edge {
        Edge::Started => "started".into(),
        Edge::Continued => "continued".into(),
        Edge::Paused(_) => "paused".into(),
        Edge::Resumed(revision) => format!("resumed {revision}"),
        Edge::Ended(_, EndCause::Silence) => "ended".into(),
        Edge::Ended(_, cause) => format!("ended {cause:?}"),
        Edge::NothingSaid => "nothing said".into(),
    }
}

fn phase(phase: EndpointPhase) -> &'static str {
    match phase {
        EndpointPhase::Idle => "idle",
        EndpointPhase::Phrase { .. } => "phrase",
        EndpointPhase::Ahead { .. } => "ahead",
        EndpointPhase::Waiting(Wait { ended: None, .. }) => "waiting",
        EndpointPhase::Waiting(Wait { ended: Some(_), .. }) => "lingering",
        EndpointPhase::Onset(..) => "onset",
        EndpointPhase::Talking(Talk { paused: None, .. }) => "talking",
        EndpointPhase::Talking(Talk { paused: Some(_), .. }) => "paused",
    }
}

/// What one more stretch of sound does in each phase.
#[test]
fn the_transition_table() {
    let ended = format!("w{}", line(7, 23));
    let phases = ["", "p", "f", "w", "w##", "w#######", "w#######........", &ended];
    let inputs = ["#", "##", "#######", "...", "........", "......................", "z"];
    let mut table = String::new();
    for before in phases {
        for input in inputs {
            let mut endpointer = new();
            match before.chars().next() {
                Some('p') => endpointer.open_after_phrase(0),
                Some('f') => endpointer.open_window(0, 5 * F, 50 * F),
                Some(_) => endpointer.open(0),
                None => {}
            }
            let setup = before.get(1..).unwrap_or("");
            show(&mut endpointer, 0, setup);
            let from = setup.len() as u64 * F;
            let was = phase(endpointer.phase);
            let (what, edges) = match input {
                "z" => ("5 s of silence".into(), show(&mut endpointer, from, &line(0, 157))),
                run if run.starts_with('#') => {
                    (format!("{} voiced", run.len()), show(&mut endpointer, from, run))
                }
                run => (format!("{} silent", run.len()), show(&mut endpointer, from, run)),
            };
            let edges: Vec<_> = edges.iter().map(kind).collect();
            writeln!(table, "{was:8} {what:15} {:8} {}", phase(endpointer.phase), edges.join(", ")).unwrap();
        }
    }
    insta::assert_snapshot!(table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
}

/// What a listener may do to an endpointer.
#[derive(Debug, Clone)]
enum Act {
    Frames(bool, usize),
    Open,
    Phrase(i64),
    Window(u64, u64),
    Reopen,
    Close,
    Expect(u32, More),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => (any::<bool>(), 1usize..60).prop_map(|(voiced, n)| Act::Frames(voiced, n)),
        1 => Just(Act::Open),
        2 => (-6000i64..8000).prop_map(Act::Phrase),
        1 => (0u64..10_000, 0u64..60_000).prop_map(|(after, lasts)| Act::Window(after, lasts)),
        1 => Just(Act::Reopen),
        1 => Just(Act::Close),
        2 => (0u32..3, prop::sample::select(vec![More::Unlikely, More::Answerable, More::Sentence, More::Possible, More::Likely]))
            .prop_map(|(revision, more)| Act::Expect(revision, more)),
    ];
    prop::collection::vec(act, 1..60)
}

proptest! {
    #[test]
    fn whatever_is_said_every_rule_holds(acts in acts()) {
        let mut endpointer = new();
        let longest = (15.0 * 16_000.0) as u64 + LEAD.max(8000) + F;
        let (mut now, mut spent, mut started) = (0u64, 0u64, false);
        // Where the utterance must not begin before: for one that goes on, where it began.
        let (mut floor, mut last) = (0u64, 0u64);
        let mut revision = 0;
        let mut voiced_run: Option<u64> = None; // start of the newest voiced run
        for act in acts {
            let frames = match act {
                Act::Open => { endpointer.open(now); started = false; continue }
                Act::Phrase(offset) => {
                    endpointer.open_after_phrase(now.saturating_add_signed(offset));
                    started = false;
                    continue
                }
                Act::Window(after, lasts) => {
                    endpointer.open_window(now, now + after, now + after + lasts);
                    started = false;
                    continue
                }
                Act::Reopen => { endpointer.reopen_window(now); started = false; continue }
                Act::Close => { endpointer.close(); started = false; continue }
                Act::Expect(revision, more) => { endpointer.expect(revision, more); continue }
                Act::Frames(voiced, n) => std::iter::repeat_n(voiced, n),
            };
            for voiced in frames {
                now += F;
                voiced_run = voiced.then(|| voiced_run.unwrap_or(now - F));
                let was_open = endpointer.is_open();
                let edge = endpointer.observe(Frame { end: now, voiced });
                prop_assert!(was_open || edge.is_none(), "an event while nobody listens");
                match edge {
                    Some(Edge::Started) => {
                        prop_assert!(!started, "started twice");
                        (started, revision, floor) = (true, 0, spent);
                    }
                    Some(Edge::Continued) => {
                        prop_assert!(!started, "continued what has not ended");
                        (started, revision, floor) = (true, 0, last);
                    }
                    Some(Edge::Resumed(r)) => {
                        prop_assert!(started);
                        revision += 1;
                        prop_assert_eq!(r, revision);
                    }
                    Some(Edge::Paused(span)) => {
                        prop_assert!(started);
                        prop_assert_eq!(span.revision, revision);
                        prop_assert_eq!(span.ends_at, now);
                        prop_assert!(span.begins_at >= floor);
                    }
                    Some(Edge::Ended(span, cause)) => {
                        prop_assert!(started, "ended without a start");
                        prop_assert!(span.begins_at >= floor, "overlaps the one before");
                        prop_assert!(span.begins_at < span.speech_ends_at);
                        prop_assert!(span.speech_ends_at <= span.ends_at);
                        prop_assert!(span.begins_at <= span.speech_begins_at.max(spent));
                        prop_assert!(span.voiced > 0 && span.voiced <= span.ends_at - span.speech_begins_at);
                        prop_assert_eq!(span.ends_at, now, "sound is missing at the end");
                        prop_assert!(span.ends_at - span.begins_at <= longest, "too long");
                        if cause == EndCause::Silence {
                            prop_assert!(now - span.speech_ends_at >= ENOUGH);
                        } else if let Some(run) = voiced_run {
                            prop_assert!(span.begins_at <= run.max(spent) || run + 240_000 <= now);
                        }
                        (spent, last) = (span.ends_at, span.begins_at);
                        started = false;
                    }
                    Some(Edge::NothingSaid) => prop_assert!(!started),
                    None => {}
                }
                prop_assert!(!started || endpointer.is_open());
            }
        }
        let edge = endpointer.finish(now);
        prop_assert_eq!(matches!(edge, Some(Edge::Ended(_, EndCause::SourceEnded))), started);
    }

    /// After a request, all of the first run of speech is in the utterance.
    #[test]
    fn nothing_after_the_onset_is_lost(before in 0usize..100, knock in 0usize..3, speech in 7usize..200) {
        let mut endpointer = new();
        endpointer.open(0);
        let frames = line(knock, before) + &line(speech, 40);
        let edges = show(&mut endpointer, 0, &frames);
        let Some(Edge::Ended(span, EndCause::Silence)) = edges.last() else { panic!("{edges:?}") };
        let (from, to) = ((knock + before) as u64 * F, (knock + before + speech) as u64 * F);
        prop_assert!(span.begins_at <= from.saturating_sub(8000));
        prop_assert_eq!(span.speech_ends_at, to);
    }
}
