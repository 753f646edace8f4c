use std::sync::Arc;

use super::super::ring::{RingWriter, ring};
use super::super::stream_supervisor::CallbackStats;
use super::*;
use crate::DeviceFault;

fn bench() -> (mpsc::Sender<DeviceNotice<CaptureStream>>, Microphone) {
    let (tell, microphone, _) = bench_with_switch(false);
    (tell, microphone)
}

fn bench_with_switch(muted: bool) -> (mpsc::Sender<DeviceNotice<CaptureStream>>, Microphone, MuteSwitch) {
    let (tell, notices) = mpsc::channel();
    let switch = MuteSwitch::new(muted);
    (tell, Microphone::reading(notices, switch.clone(), None), switch)
}

fn session(tell: &mpsc::Sender<DeviceNotice<CaptureStream>>, rate: u32) -> RingWriter {
    session_with(tell, rate, &Arc::default())
}

fn session_with(
    tell: &mpsc::Sender<DeviceNotice<CaptureStream>>,
    rate: u32,
    stats: &Arc<CallbackStats>,
) -> RingWriter {
    let (writer, reader) = ring(96_000);
    tell.send(DeviceNotice::Up(CaptureStream { reader, rate, stats: Arc::clone(stats) })).unwrap();
    writer
}

#[test]
fn what_clips_adds_up_over_sessions() {
    let (tell, mut microphone) = bench();
    for _ in 0..2 {
        let stats = Arc::default();
        let mut writer = session_with(&tell, 16_000, &stats);
        writer.push(&[1.0; 320]);
        stats.clip(1_600);
        assert!(matches!(microphone.read(&mut vec![]), SourceEvent::Samples(_)));
        writer.push(&[0.5; 320]);
        assert!(matches!(microphone.read(&mut vec![]), SourceEvent::Samples(_)), "nothing is counted twice");
    }
    assert_eq!(microphone.meter().clipped(), Duration::from_millis(200));
}

#[test]
fn sound_of_any_rate_arrives_at_16_khz_and_moves_the_meter() {
    let (tell, mut microphone) = bench();
    let mut writer = session(&tell, 48_000);
    tell.send(DeviceNotice::Back { device: "desk".into() }).unwrap();
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), SourceEvent::Back { device: "desk".into() });
    writer.push(&[0.1; 4_800]);
    let SourceEvent::Samples(count) = microphone.read(&mut samples) else { panic!("no samples") };
    assert_eq!(count, samples.len());
    // All but the block that is still being filled and the filter's delay.
    assert!((1_400..=1_600).contains(&count), "{count}");
    assert!((microphone.meter().level_db() + 20.0).abs() < 1.0);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Nothing);
}

#[test]
fn the_wait_of_the_oldest_sample_of_a_block_is_reported() {
    let (tell, mut microphone) = bench();
    let stats = Arc::default();
    let mut writer = session_with(&tell, 16_000, &stats);
    let delay = microphone.meter().delay().clone();
    assert_eq!(microphone.read(&mut vec![]), SourceEvent::Nothing);
    assert_eq!(delay.last(), None);
    stats.lags(Duration::from_millis(15));
    for (backlog, told) in [(320, 35), (16_000, 1_015), (320, 35)] {
        writer.push(&vec![0.1; backlog]);
        assert!(matches!(microphone.read(&mut vec![]), SourceEvent::Samples(_)));
        assert_eq!(delay.last(), Some(Duration::from_millis(told)));
    }
    assert_eq!(delay.highest(), Some(Duration::from_millis(1_015)));
}

#[test]
fn a_lost_microphone_is_reported_and_the_next_session_is_read() {
    let (tell, mut microphone) = bench();
    let mut old = session(&tell, 16_000);
    let fault = DeviceFault::Lost { device: "desk".into() };
    tell.send(DeviceNotice::Down).unwrap();
    tell.send(DeviceNotice::Gone(fault.clone())).unwrap();
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), SourceEvent::Gone(fault));
    old.push(&[0.5; 10]);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Nothing);
    let mut new = session(&tell, 16_000);
    tell.send(DeviceNotice::Back { device: "desk".into() }).unwrap();
    new.push(&[0.25; 3]);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Back { device: "desk".into() });
    assert_eq!(microphone.read(&mut samples), SourceEvent::Samples(3));
    assert_eq!(samples, [0.25; 3]);
}

#[test]
fn a_silent_microphone_stays_open_for_when_it_is_switched_on() {
    let (tell, mut microphone) = bench();
    let mut writer = session(&tell, 16_000);
    let fault = DeviceFault::Silent { device: "desk".into() };
    tell.send(DeviceNotice::Gone(fault.clone())).unwrap();
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), SourceEvent::Gone(fault));
    writer.push(&[0.5; 2]);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Samples(2));
}

#[test]
fn muting_is_reported_once_and_what_was_captured_before_is_thrown_away() {
    let (tell, mut microphone, switch) = bench_with_switch(false);
    let mut writer = session(&tell, 16_000);
    writer.push(&[0.5; 160]);
    switch.set(true);
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), SourceEvent::Muted);
    assert_eq!(microphone.meter().level_db(), -120.0);
    // A callback that had begun before.
    writer.push(&[0.5; 160]);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Nothing);
    tell.send(DeviceNotice::Back { device: "desk".into() }).unwrap();
    assert_eq!(
        microphone.read(&mut samples),
        SourceEvent::Back { device: "desk".into() },
        "news are told all the same"
    );
    switch.set(false);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Unmuted);
    writer.push(&[0.25; 3]);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Samples(3));
    assert_eq!(samples, [0.25; 3]);
}

#[test]
fn a_microphone_that_begins_muted_says_so() {
    let (tell, mut microphone, switch) = bench_with_switch(true);
    let _writer = session(&tell, 16_000);
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), SourceEvent::Muted);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Nothing);
    switch.set(false);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Unmuted);
}

#[test]
fn a_switch_turned_to_and_fro_between_two_reads_is_not_missed() {
    let (tell, mut microphone, switch) = bench_with_switch(false);
    let mut writer = session(&tell, 16_000);
    writer.push(&[0.5; 160]);
    switch.set(true);
    switch.set(false);
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), SourceEvent::Muted);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Unmuted);
    switch.set(true);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Muted);
    switch.set(false);
    switch.set(true);
    assert_eq!(microphone.read(&mut samples), SourceEvent::Nothing);
    assert!(samples.is_empty(), "nothing from before");
}
