use super::super::ring::{Writer, ring};
use super::*;

fn bench() -> (mpsc::Sender<Notice<Capture>>, Microphone) {
    let (tell, notices) = mpsc::channel();
    (tell, Microphone::reading(notices, None))
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
fn a_muted_microphone_stays_open_for_when_it_is_unmuted() {
    let (tell, mut microphone) = bench();
    let mut writer = session(&tell, 16_000);
    let fault = DeviceFault::Silent { device: "desk".into() };
    tell.send(Notice::Gone(fault.clone())).unwrap();
    let mut samples = vec![];
    assert_eq!(microphone.read(&mut samples), Heard::Gone(fault));
    writer.push(&[0.5; 2]);
    assert_eq!(microphone.read(&mut samples), Heard::Samples(2));
}
