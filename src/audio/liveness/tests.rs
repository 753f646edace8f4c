use super::*;

/// A machine with a clock of its own, in milliseconds since its start.
struct Bench {
    machine: Liveness,
    start: Instant,
}

const SILENT: Duration = Duration::from_secs(5);

impl Bench {
    fn new() -> Self {
        let start = Instant::now();
        let limits = Limits { silent: Some(SILENT), ..Limits::default() };
        Self { machine: Liveness::new(limits, start), start }
    }

    fn at(&mut self, ms: u64, seen: Seen) -> Verdict {
        self.machine.step(seen, self.start + Duration::from_millis(ms))
    }

    fn counts(&mut self, ms: u64, callbacks: u64, zeros_ms: u64) -> Verdict {
        let zeros = Duration::from_millis(zeros_ms);
        self.at(ms, Seen::Counts(Counts { callbacks, zeros, lost: false }))
    }

    fn lost(&mut self, ms: u64) -> Verdict {
        self.at(ms, Seen::Counts(Counts { callbacks: 1, zeros: Duration::ZERO, lost: true }))
    }

    /// Opens at once and delivers at 100 ms.
    fn running() -> Self {
        let mut bench = Self::new();
        assert_eq!(bench.at(0, Seen::Nothing), act(Act::Open));
        assert_eq!(bench.at(50, Seen::Opened("mic".into())), Verdict::default());
        assert_eq!(bench.counts(100, 1, 0), news(back()));
        bench
    }
}

fn act(act: Act) -> Verdict {
    Verdict { act: Some(act), news: None }
}

fn news(news: News) -> Verdict {
    Verdict { act: None, news: Some(news) }
}

fn close_and(news: News) -> Verdict {
    Verdict { act: Some(Act::Close), news: Some(news) }
}

fn back() -> News {
    News::Back("mic".into())
}

fn not_found() -> DeviceFault {
    DeviceFault::NotFound { wanted: vec!["mic".into()] }
}

#[test]
fn a_missing_device_is_told_once_and_tried_again_ever_more_slowly() {
    let mut bench = Bench::new();
    assert_eq!(bench.at(0, Seen::Nothing), act(Act::Open));
    assert_eq!(bench.at(10, Seen::Failed(not_found())), close_and(News::Gone(not_found())));
    let mut now = 10;
    for pause in [500, 1000, 2000, 4000, 5000, 5000] {
        assert_eq!(bench.at(now + pause - 1, Seen::Nothing), Verdict::default());
        assert_eq!(bench.at(now + pause, Seen::Nothing), act(Act::Open));
        now += pause + 10;
        assert_eq!(bench.at(now, Seen::Failed(not_found())), act(Act::Close));
    }
}

#[test]
fn a_device_without_a_callback_for_a_second_is_gone_and_comes_back() {
    let mut bench = Bench::running();
    assert_eq!(bench.counts(1000, 7, 0), Verdict::default());
    assert_eq!(bench.counts(1999, 7, 0), Verdict::default());
    let stalled = DeviceFault::Stalled { device: "mic".into() };
    assert_eq!(bench.counts(2000, 7, 0), close_and(News::Gone(stalled)));
    assert_eq!(bench.at(2500, Seen::Nothing), act(Act::Open));
    assert_eq!(bench.at(2600, Seen::Opened("mic".into())), Verdict::default());
    assert_eq!(bench.counts(2700, 0, 0), Verdict::default());
    assert_eq!(bench.counts(2800, 1, 0), news(back()));
}

#[test]
fn a_first_callback_may_take_three_seconds() {
    let mut bench = Bench::new();
    bench.at(0, Seen::Nothing);
    bench.at(0, Seen::Opened("mic".into()));
    assert_eq!(bench.counts(2999, 0, 0), Verdict::default());
    let stalled = DeviceFault::Stalled { device: "mic".into() };
    assert_eq!(bench.counts(3000, 0, 0), close_and(News::Gone(stalled)));
}

#[test]
fn an_error_of_the_sound_system_ends_the_session_at_once() {
    let mut bench = Bench::running();
    let lost = DeviceFault::Lost { device: "mic".into() };
    assert_eq!(bench.lost(150), close_and(News::Gone(lost)));
}

#[test]
fn opening_that_never_answers_is_given_up() {
    let mut bench = Bench::new();
    bench.at(0, Seen::Nothing);
    assert_eq!(bench.at(9_999, Seen::Nothing), Verdict::default());
    assert_eq!(bench.at(10_000, Seen::Nothing), close_and(News::Gone(DeviceFault::Hung)));
}

#[test]
fn a_crashing_device_is_not_opened_in_a_tight_loop_until_it_has_settled() {
    let mut bench = Bench::running();
    bench.lost(200);
    assert_eq!(bench.at(700, Seen::Nothing), act(Act::Open));
    bench.at(700, Seen::Opened("mic".into()));
    assert_eq!(bench.counts(800, 1, 0), news(back()));
    bench.lost(900);
    // The pause has doubled although the device came back in between.
    assert_eq!(bench.at(1800, Seen::Nothing), Verdict::default());
    assert_eq!(bench.at(1900, Seen::Nothing), act(Act::Open));
    bench.at(1900, Seen::Opened("mic".into()));
    assert_eq!(bench.counts(2000, 1, 0), news(back()));
    // Ten good seconds later it is short again.
    for second in 3..=12 {
        assert_eq!(bench.counts(second * 1000 - 500, second, 0), Verdict::default());
        assert_eq!(bench.counts(second * 1000, second + 100, 0), Verdict::default());
    }
    bench.lost(12_100);
    assert_eq!(bench.at(12_600, Seen::Nothing), act(Act::Open));
}

#[test]
fn only_zeros_are_a_missing_device_that_stays_open_until_sound_returns() {
    let mut bench = Bench::running();
    for ms in (500..5_000).step_by(500) {
        assert_eq!(bench.counts(ms, ms, ms), Verdict::default());
    }
    let silent = DeviceFault::Silent { device: "mic".into() };
    assert_eq!(bench.counts(5_000, 5_000, 5_000), news(News::Gone(silent)));
    assert_eq!(bench.counts(5_500, 5_500, 5_500), Verdict::default());
    assert_eq!(bench.counts(6_000, 6_000, 0), news(back()));
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
    assert_eq!(bench.counts(10_100, 10_100, 10_000), act(Act::Close));
    assert_eq!(bench.at(10_200, Seen::Nothing), act(Act::Open));
    bench.at(10_300, Seen::Opened("mic".into()));
    assert_eq!(bench.counts(10_400, 5, 100), Verdict::default());
    assert_eq!(bench.counts(10_500, 6, 0), news(back()));
}

#[test]
fn a_silent_device_that_dies_is_not_told_twice() {
    let mut bench = Bench::running();
    bench.counts(900, 900, 900);
    bench.counts(1_800, 901, 1_800);
    let silent = DeviceFault::Silent { device: "mic".into() };
    assert_eq!(bench.counts(2_700, 902, 5_000), news(News::Gone(silent)));
    assert_eq!(bench.lost(2_800), act(Act::Close));
}
