use super::super::ring::{Writer, ring};
use super::*;
use crate::audio::DeviceFault;

fn bench() -> (mpsc::Sender<Notice<Capture>>, Microphone) {
    let (tell, microphone, _) = bench_with_switch(false);
    (tell, microphone)
}

fn bench_with_switch(muted: bool) -> (mpsc::Sender<Notice<Capture>>, Microphone, MuteSwitch) {
    let (tell, notices) = mpsc::channel();
    let switch = MuteSwitch::new(muted);
    (tell, Microphone::reading(notices, switch.clone(), None), switch)
}

fn session(tell: &mpsc::Sender<Notice<Capture>>, rate: u32) -> Writer {
    let (writer, reader) = ring(96_000);
    tell.send(Notice::Up(Capture { reader, rate })).unwrap();
    writer
}

#[test]
fn sound_of_any_rate_arrives_at_16_khz_and_moves_the_meter() {
    let (tell, mut microphone) = bench();
    let mut writer = session(&tell, 48_000);
    tell.send(Notice::Back { device: "desk".into() }).unwrap();
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), Heard::Back { device: "desk".into() });
    writer.push(&[0.1; 4_800]);
    let Heard::Samples(count) = microphone.read(&mut samples) else { panic!("no samples") };
    assert_eq!(count, samples.len());
    // All but the block that is still being filled and the filter's delay.
    assert!((1_400..=1_600).contains(&count), "{count}");
    assert!((microphone.meter().level_db() + 20.0).abs() < 1.0);
    assert_eq!(microphone.read(&mut samples), Heard::Nothing);
}

#[test]
fn a_lost_microphone_is_told_and_the_next_session_is_read() {
    let (tell, mut microphone) = bench();
    let mut old = session(&tell, 16_000);
    let fault = DeviceFault::Lost { device: "desk".into() };
    tell.send(Notice::Down).unwrap();
    tell.send(Notice::Gone(fault.clone())).unwrap();
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), Heard::Gone(fault));
    old.push(&[0.5; 10]);
    assert_eq!(microphone.read(&mut samples), Heard::Nothing);
    let mut new = session(&tell, 16_000);
    tell.send(Notice::Back { device: "desk".into() }).unwrap();
    new.push(&[0.25; 3]);
    assert_eq!(microphone.read(&mut samples), Heard::Back { device: "desk".into() });
    assert_eq!(microphone.read(&mut samples), Heard::Samples(3));
    assert_eq!(samples, [0.25; 3]);
}

#[test]
fn a_silent_microphone_stays_open_for_when_it_is_switched_on() {
    let (tell, mut microphone) = bench();
    let mut writer = session(&tell, 16_000);
    let fault = DeviceFault::Silent { device: "desk".into() };
    tell.send(Notice::Gone(fault.clone())).unwrap();
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), Heard::Gone(fault));
    writer.push(&[0.5; 2]);
    assert_eq!(microphone.read(&mut samples), Heard::Samples(2));
}

#[test]
fn muting_is_told_once_and_what_was_captured_before_is_thrown_away() {
    let (tell, mut microphone, switch) = bench_with_switch(false);
    let mut writer = session(&tell, 16_000);
    writer.push(&[0.5; 160]);
    switch.set(true);
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), Heard::Muted);
    assert_eq!(microphone.meter().level_db(), -120.0);
    // A callback that had begun before.
    writer.push(&[0.5; 160]);
    assert_eq!(microphone.read(&mut samples), Heard::Nothing);
    tell.send(Notice::Back { device: "desk".into() }).unwrap();
    assert_eq!(
        microphone.read(&mut samples),
        Heard::Back { device: "desk".into() },
        "news are told all the same"
    );
    switch.set(false);
    assert_eq!(microphone.read(&mut samples), Heard::Unmuted);
    writer.push(&[0.25; 3]);
    assert_eq!(microphone.read(&mut samples), Heard::Samples(3));
    assert_eq!(samples, [0.25; 3]);
}

#[test]
fn a_microphone_that_begins_muted_says_so() {
    let (tell, mut microphone, switch) = bench_with_switch(true);
    let _writer = session(&tell, 16_000);
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), Heard::Muted);
    assert_eq!(microphone.read(&mut samples), Heard::Nothing);
    switch.set(false);
    assert_eq!(microphone.read(&mut samples), Heard::Unmuted);
}

#[test]
fn a_switch_turned_to_and_fro_between_two_reads_is_not_missed() {
    let (tell, mut microphone, switch) = bench_with_switch(false);
    let mut writer = session(&tell, 16_000);
    writer.push(&[0.5; 160]);
    switch.set(true);
    switch.set(false);
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), Heard::Muted);
    assert_eq!(microphone.read(&mut samples), Heard::Unmuted);
    switch.set(true);
    assert_eq!(microphone.read(&mut samples), Heard::Muted);
    switch.set(false);
    switch.set(true);
    assert_eq!(microphone.read(&mut samples), Heard::Nothing);
    assert!(samples.is_empty(), "nothing from before");
}
