//! When the list of devices is looked at, and what follows.

use super::*;

#[test]
fn a_preferred_device_is_looked_for_while_another_stands_in() {
    let mut bench = Bench::new();
    bench.at(0, Observation::Nothing);
    bench.at(0, Observation::Opened { device: "stand-in".into(), rank: 2 });
    assert_eq!(bench.counts(100, 1, 0), event(DeviceEvent::Back("stand-in".into())));
    for ms in (500..5_100).step_by(500) {
        assert_eq!(bench.counts(ms, ms, 0), Reaction::default());
    }
    assert_eq!(bench.counts(5_100, 5_100, 0), act(StreamAction::Survey));
    assert_eq!(bench.counts(5_150, 5_150, 0), Reaction::default(), "asked already");
    assert_eq!(bench.at(5_200, Observation::Better), act(StreamAction::Reopen));
    assert_eq!(bench.at(5_300, opened()), Reaction::default());
    assert_eq!(bench.counts(5_400, 1, 0), event(back()));
}

#[test]
fn a_device_that_is_not_there_any_more_is_lost_though_its_session_goes_on() {
    let mut bench = Bench::running();
    assert_eq!(bench.counts(1_000, 2, 0), Reaction::default());
    assert_eq!(bench.counts(1_750, 3, 0), act(StreamAction::Survey));
    let lost = DeviceFault::Lost { device: "mic".into() };
    assert_eq!(bench.at(1_800, Observation::Missing), close_and(DeviceEvent::Gone(lost)));
}

#[test]
fn a_sound_system_with_device_events_is_asked_after_each_and_seldom_else() {
    let mut bench = Bench::running();
    for ms in (900..59_000).step_by(900) {
        assert_eq!(bench.changed(ms, 1), Reaction::default(), "no event came");
    }
    assert_eq!(bench.changed(59_100, 2), act(StreamAction::Survey), "one came");
    assert_eq!(bench.changed(59_200, 2), Reaction::default());
    assert_eq!(bench.changed(59_300, 4), act(StreamAction::Survey), "two more came");
    for ms in (60_000..119_200).step_by(900) {
        assert_eq!(bench.changed(ms, 4), Reaction::default());
    }
    assert_eq!(bench.changed(119_400, 4), act(StreamAction::Survey), "all the same, now and then");
}

#[test]
fn a_preferred_device_that_could_not_be_used_when_it_came_is_looked_for_as_often_as_ever() {
    let mut bench = Bench::new();
    bench.at(0, Observation::Nothing);
    bench.at(0, Observation::Opened { device: "stand-in".into(), rank: 1 });
    assert_eq!(bench.changed(100, 1), event(DeviceEvent::Back("stand-in".into())));
    assert_eq!(
        bench.changed(500, 2),
        act(StreamAction::Survey),
        "it came, while she spoke through the other one"
    );
    for ms in (900..5_600).step_by(500) {
        assert_eq!(bench.changed(ms, 2), Reaction::default());
    }
    assert_eq!(bench.changed(5_600, 2), act(StreamAction::Survey));
}

#[test]
fn a_preferred_device_that_will_not_open_is_looked_for_ever_more_rarely() {
    let mut bench = Bench::new();
    let stand_in = || Observation::Opened { device: "stand-in".into(), rank: 1 };
    bench.at(0, Observation::Nothing);
    bench.at(0, stand_in());
    let mut opened = 0;
    assert_eq!(bench.counts(100, 1, 0), event(DeviceEvent::Back("stand-in".into())));
    for pause in [5_100, 10_200, 20_400, 40_800] {
        for ms in (opened + 900..opened + pause).step_by(900) {
            assert_eq!(bench.counts(ms, ms, 0), Reaction::default());
        }
        let now = opened + pause;
        assert_eq!(bench.counts(now, now, 0), act(StreamAction::Survey));
        assert_eq!(bench.at(now, Observation::Better), act(StreamAction::Reopen));
        assert_eq!(bench.at(now, stand_in()), Reaction::default());
        assert_eq!(bench.counts(now + 100, 1, 0), Reaction::default(), "nothing has changed");
        opened = now;
    }
}
