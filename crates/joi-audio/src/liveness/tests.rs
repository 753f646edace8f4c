mod looking;

use super::*;

/// A machine with a clock of its own, in milliseconds since its start.
struct Bench {
    machine: Liveness,
    start: Instant,
}

const SILENT: Duration = Duration::from_secs(5);

const NEW: CallbackCounts = CallbackCounts {
    callbacks: 0,
    zeros: Duration::ZERO,
    restless: false,
    errors: 0,
    changes: 0,
    lost: false,
};

impl Bench {
    fn new() -> Self {
        let start = Instant::now();
        let limits = LivenessLimits { silent: Some(SILENT), ..LivenessLimits::default() };
        Self { machine: Liveness::new(limits, start), start }
    }

    /// The sound system has reported `changes` device events.
    fn changed(&mut self, ms: u64, changes: u64) -> Reaction {
        self.at(ms, Observation::Counts(CallbackCounts { callbacks: ms, changes, ..NEW }))
    }

    fn at(&mut self, ms: u64, seen: Observation) -> Reaction {
        self.machine.step(seen, self.start + Duration::from_millis(ms))
    }

    fn counts(&mut self, ms: u64, callbacks: u64, zeros_ms: u64) -> Reaction {
        let zeros = Duration::from_millis(zeros_ms);
        self.at(ms, Observation::Counts(CallbackCounts { callbacks, zeros, ..NEW }))
    }

    fn lost(&mut self, ms: u64) -> Reaction {
        self.at(ms, Observation::Counts(CallbackCounts { callbacks: 1, lost: true, ..NEW }))
    }

    /// Opens at once and delivers at 100 ms.
    fn running() -> Self {
        let mut bench = Self::new();
        assert_eq!(bench.at(0, Observation::Nothing), act(StreamAction::Open));
        assert_eq!(bench.at(50, opened()), Reaction::default());
        assert_eq!(bench.counts(100, 1, 0), event(back()));
        bench
    }
}

fn opened() -> Observation {
    Observation::Opened { device: "mic".into(), rank: 0 }
}

fn act(act: StreamAction) -> Reaction {
    Reaction { act: Some(act), event: None }
}

fn event(event: DeviceEvent) -> Reaction {
    Reaction { act: None, event: Some(event) }
}

fn close_and(event: DeviceEvent) -> Reaction {
    Reaction { act: Some(StreamAction::Close), event: Some(event) }
}

fn back() -> DeviceEvent {
    DeviceEvent::Back("mic".into())
}

fn not_found() -> DeviceFault {
    DeviceFault::NotFound { wanted: vec!["mic".into()] }
}

#[test]
fn a_missing_device_is_reported_once_and_tried_again_ever_more_slowly() {
    let mut bench = Bench::new();
    assert_eq!(bench.at(0, Observation::Nothing), act(StreamAction::Open));
    assert_eq!(bench.at(10, Observation::Failed(not_found())), close_and(DeviceEvent::Gone(not_found())));
    let mut now = 10;
    for pause in [500, 1000, 2000, 4000, 5000, 5000] {
        assert_eq!(bench.at(now + pause - 1, Observation::Nothing), Reaction::default());
        assert_eq!(bench.at(now + pause, Observation::Nothing), act(StreamAction::Open));
        now += pause + 10;
        assert_eq!(bench.at(now, Observation::Failed(not_found())), act(StreamAction::Close));
    }
}

#[test]
fn a_device_without_a_callback_for_a_second_is_gone_and_comes_back() {
    let mut bench = Bench::running();
    assert_eq!(bench.counts(1000, 7, 0), Reaction::default());
    assert_eq!(bench.counts(1999, 7, 0).event, None);
    let stalled = DeviceFault::Stalled { device: "mic".into() };
    assert_eq!(bench.counts(2000, 7, 0), close_and(DeviceEvent::Gone(stalled)));
    assert_eq!(bench.at(2500, Observation::Nothing), act(StreamAction::Open));
    assert_eq!(bench.at(2600, opened()), Reaction::default());
    assert_eq!(bench.counts(2700, 0, 0), Reaction::default());
    assert_eq!(bench.counts(2800, 1, 0), event(back()));
}

#[test]
fn a_sink_that_asks_once_and_then_not_for_a_while_is_not_gone() {
    let mut bench = Bench::new();
    bench.at(0, Observation::Nothing);
    bench.at(0, opened());
    assert_eq!(bench.counts(20, 2, 0), event(back()));
    assert_eq!(bench.counts(1_650, 2, 0), Reaction::default());
    assert_eq!(bench.counts(1_690, 3, 0), Reaction::default(), "it goes on");
    let stalled = DeviceFault::Stalled { device: "mic".into() };
    let mut bench = Bench::new();
    bench.at(0, Observation::Nothing);
    bench.at(0, opened());
    assert_eq!(bench.counts(20, 2, 0), event(back()));
    assert_eq!(bench.counts(1_820, 2, 0), event(DeviceEvent::Gone(stalled)), "told within two seconds");
    assert_eq!(bench.counts(5_020, 2, 0), act(StreamAction::Close), "and opened anew");
}

#[test]
fn a_first_callback_that_is_late_is_reported_within_two_seconds_and_waited_for_five() {
    let stalled = || DeviceFault::Stalled { device: "mic".into() };
    let mut bench = Bench::new();
    bench.at(0, Observation::Nothing);
    bench.at(0, opened());
    assert_eq!(bench.counts(1799, 0, 0), Reaction::default());
    assert_eq!(bench.counts(1800, 0, 0), event(DeviceEvent::Gone(stalled())));
    assert_eq!(bench.counts(4900, 0, 0), Reaction::default());
    assert_eq!(bench.counts(4950, 1, 0), event(back()), "a slow one is not made to fail");
    let mut bench = Bench::new();
    bench.at(0, Observation::Nothing);
    bench.at(0, opened());
    assert_eq!(bench.counts(1800, 0, 0), event(DeviceEvent::Gone(stalled())));
    assert_eq!(bench.counts(5000, 0, 0), act(StreamAction::Close), "told already");
}

#[test]
fn an_error_of_the_sound_system_ends_the_session_at_once() {
    let mut bench = Bench::running();
    let lost = DeviceFault::Lost { device: "mic".into() };
    assert_eq!(bench.lost(150), close_and(DeviceEvent::Gone(lost)));
}

#[test]
fn a_storm_of_passing_errors_ends_the_session_and_a_few_do_not() {
    let mut bench = Bench::running();
    let errors = |count| Observation::Counts(CallbackCounts { callbacks: 1, errors: count, ..NEW });
    assert_eq!(bench.at(200, errors(200)), Reaction::default());
    assert_eq!(bench.at(1060, errors(200)), Reaction::default(), "another second");
    let mut bench = Bench::running();
    assert_eq!(
        bench.at(200, errors(201)),
        close_and(DeviceEvent::Gone(DeviceFault::Lost { device: "mic".into() }))
    );
}

#[test]
fn opening_that_never_answers_is_reported_within_two_seconds_and_given_up_after_ten() {
    let mut bench = Bench::new();
    bench.at(0, Observation::Nothing);
    assert_eq!(bench.at(1_799, Observation::Nothing), Reaction::default());
    assert_eq!(bench.at(1_800, Observation::Nothing), event(DeviceEvent::Gone(DeviceFault::Hung)));
    assert_eq!(bench.at(9_999, Observation::Nothing), Reaction::default());
    assert_eq!(bench.at(10_000, Observation::Nothing), act(StreamAction::Close));
    assert_eq!(bench.at(10_500, Observation::Nothing), act(StreamAction::Open));
    bench.at(10_600, opened());
    assert_eq!(bench.counts(10_700, 1, 0), event(back()));
}

#[test]
fn zeros_from_a_microphone_that_was_never_still_are_a_dead_one_within_two_seconds() {
    let mut bench = Bench::running();
    let zeros = |callbacks, ms| {
        Observation::Counts(CallbackCounts {
            callbacks,
            zeros: Duration::from_millis(ms),
            restless: true,
            ..NEW
        })
    };
    assert_eq!(bench.at(900, zeros(2, 1_499)), Reaction::default());
    let silent = DeviceFault::Silent { device: "mic".into() };
    assert_eq!(bench.at(1_000, zeros(3, 1_500)), close_and(DeviceEvent::Gone(silent)));
    // Opened afresh, and it has to prove itself with sound.
    assert_eq!(bench.at(1_500, Observation::Nothing), act(StreamAction::Open));
    bench.at(1_600, opened());
    assert_eq!(bench.counts(1_700, 1, 100), Reaction::default());
    assert_eq!(bench.counts(1_800, 2, 0), event(back()));
}

#[test]
fn a_crashing_device_is_not_opened_in_a_tight_loop_until_it_has_settled() {
    let mut bench = Bench::running();
    bench.lost(200);
    assert_eq!(bench.at(700, Observation::Nothing), act(StreamAction::Open));
    bench.at(700, opened());
    assert_eq!(bench.counts(800, 1, 0), event(back()));
    bench.lost(900);
    // The pause has doubled although the device came back in between.
    assert_eq!(bench.at(1800, Observation::Nothing), Reaction::default());
    assert_eq!(bench.at(1900, Observation::Nothing), act(StreamAction::Open));
    bench.at(1900, opened());
    assert_eq!(bench.counts(2000, 1, 0), event(back()));
    // Ten good seconds later it is short again.
    for second in 3..=12 {
        assert_eq!(bench.counts(second * 1000 - 500, second, 0).event, None);
        assert_eq!(bench.counts(second * 1000, second + 100, 0).event, None);
    }
    bench.lost(12_100);
    assert_eq!(bench.at(12_600, Observation::Nothing), act(StreamAction::Open));
}

#[test]
fn only_zeros_are_a_missing_device_that_stays_open_until_sound_returns() {
    let mut bench = Bench::running();
    for ms in (500..5_000).step_by(500) {
        assert_eq!(bench.counts(ms, ms, ms).event, None);
    }
    let silent = DeviceFault::Silent { device: "mic".into() };
    assert_eq!(bench.counts(5_000, 5_000, 5_000), event(DeviceEvent::Gone(silent)));
    assert_eq!(bench.counts(5_500, 5_500, 5_500), Reaction::default());
    assert_eq!(bench.counts(6_000, 6_000, 0), event(back()));
}

#[test]
fn a_silent_device_is_opened_afresh_now_and_then_and_must_prove_itself() {
    let mut bench = Bench::running();
    bench.counts(900, 900, 900);
    bench.counts(5_000, 5_000, 5_000);
    // The stall limit is judged first, so the counts have to move.
    for ms in (5_100..10_050).step_by(500) {
        bench.counts(ms, ms, ms);
    }
    assert_eq!(bench.counts(10_100, 10_100, 10_000), act(StreamAction::Close));
    assert_eq!(bench.at(10_200, Observation::Nothing), act(StreamAction::Open));
    bench.at(10_300, opened());
    assert_eq!(bench.counts(10_400, 5, 100), Reaction::default());
    assert_eq!(bench.counts(10_500, 6, 0), event(back()));
}

#[test]
fn a_silent_device_that_dies_is_not_reported_twice() {
    let mut bench = Bench::running();
    bench.counts(900, 900, 900);
    bench.counts(1_800, 901, 1_800);
    let silent = DeviceFault::Silent { device: "mic".into() };
    assert_eq!(bench.counts(2_700, 902, 5_000), event(DeviceEvent::Gone(silent)));
    assert_eq!(bench.lost(2_800), act(StreamAction::Close));
}

/// What the machine says at the end of a story, one line.
fn line(when: &str, story: Vec<(u64, Observation)>) -> String {
    let mut bench = Bench::new();
    let mut last = Reaction::default();
    for (ms, seen) in story {
        last = bench.at(ms, seen);
    }
    let act = last.act.map_or("-".to_owned(), |act| format!("{act:?}").to_lowercase());
    let event = match last.event {
        None => "-",
        Some(DeviceEvent::Gone(_)) => "gone",
        Some(DeviceEvent::Back(_)) => "back",
    };
    format!("{when:42} {act:8} {event}")
}

#[test]
fn the_table_of_transitions() {
    let counts = |counts: CallbackCounts| Observation::Counts(counts);
    let beat = |callbacks| counts(CallbackCounts { callbacks, ..NEW });
    let zeros = |callbacks, ms, restless| {
        counts(CallbackCounts { callbacks, zeros: Duration::from_millis(ms), restless, ..NEW })
    };
    let resting = || vec![(0, Observation::Nothing)];
    let after =
        |from: &dyn Fn() -> Vec<(u64, Observation)>, more: Vec<(u64, Observation)>| [from(), more].concat();
    let open = || after(&resting, vec![(0, opened())]);
    let running = || after(&open, vec![(10, beat(1))]);
    let silent = || after(&running, vec![(900, zeros(2, 5_000, false))]);
    let table = [
        line("resting, the back-off is over", resting()),
        line("opening, refused", after(&resting, vec![(10, Observation::Failed(not_found()))])),
        line("opening, no answer for 1.8 s", after(&resting, vec![(1_800, Observation::Nothing)])),
        line(
            "opening, no answer for 10 s",
            after(&resting, vec![(1_800, Observation::Nothing), (10_000, Observation::Nothing)]),
        ),
        line("open, first callback", running()),
        line("open, no first callback for 1.8 s", after(&open, vec![(1_800, beat(0))])),
        line("open, no first callback for 5 s", after(&open, vec![(1_800, beat(0)), (5_000, beat(0))])),
        line("open, error", after(&running, vec![(20, counts(CallbackCounts { lost: true, ..NEW }))])),
        line("open, 201 errors", after(&running, vec![(20, counts(CallbackCounts { errors: 201, ..NEW }))])),
        line("open, none since the first 0.5 s for 1 s", after(&running, vec![(1_010, beat(1))])),
        line("open, none since the first 0.5 s for 1.8 s", after(&running, vec![(1_820, beat(1))])),
        line("open, no further callback for 1 s", after(&running, vec![(600, beat(2)), (1_600, beat(2))])),
        line(
            "open, zeros for 1.5 s after restless sound",
            after(&running, vec![(20, zeros(2, 1_500, true))]),
        ),
        line("open, zeros for the limit", silent()),
        line("open, sound after zeros", after(&silent, vec![(950, beat(3))])),
        line("open, not among the devices any more", after(&running, vec![(20, Observation::Missing)])),
        line("open, a preferred device is there", after(&running, vec![(20, Observation::Better)])),
    ];
    insta::assert_snapshot!(table.join("\n"), @r"
    resting, the back-off is over              open     -
    opening, refused                           close    gone
    opening, no answer for 1.8 s               -        gone
    opening, no answer for 10 s                close    -
    open, first callback                       -        back
    open, no first callback for 1.8 s          -        gone
    open, no first callback for 5 s            close    -
    open, error                                close    gone
    open, 201 errors                           close    gone
    open, none since the first 0.5 s for 1 s   -        -
    open, none since the first 0.5 s for 1.8 s -        gone
    open, no further callback for 1 s          close    gone
    open, zeros for 1.5 s after restless sound close    gone
    open, zeros for the limit                  -        gone
    open, sound after zeros                    -        back
    open, not among the devices any more       close    gone
    open, a preferred device is there          reopen   -
    ");
}
