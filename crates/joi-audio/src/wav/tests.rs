use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{Clip, ClipPart, PlayEvent, Player};

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A file of one second with the same 440 Hz tone on all channels.
fn tone_file(dir: &TempDir, spec: WavSpec) -> PathBuf {
    let path = dir.path().join("in.wav");
    let mut writer = WavWriter::create(&path, spec).unwrap();
    for sample in tone(spec.sample_rate) {
        for _ in 0..spec.channels {
            match spec.sample_format {
                SampleFormat::Float => writer.write_sample(sample).unwrap(),
                SampleFormat::Int => {
                    let full = (1_i64 << (spec.bits_per_sample - 1)) as f64 - 1.0;
                    writer.write_sample((f64::from(sample) * full).round() as i32).unwrap();
                }
            }
        }
    }
    writer.finalize().unwrap();
    path
}

fn tone(rate: u32) -> Vec<f32> {
    let step = std::f32::consts::TAU * 440.0 / rate as f32;
    (0..rate).map(|i| 0.5 * (step * i as f32).sin()).collect()
}

fn read_all(source: &mut WavSource) -> Vec<f32> {
    let mut samples = vec![];
    loop {
        let before = samples.len();
        match source.read(&mut samples) {
            SourceEvent::Samples(count) => assert_eq!(samples.len() - before, count),
            SourceEvent::End => return samples,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_width_rate_and_channel_count_becomes_16_khz_mono() {
    for (bits_per_sample, sample_format, sample_rate, channels) in [
        (8, SampleFormat::Int, 8_000, 1),
        (16, SampleFormat::Int, 44_100, 2),
        (24, SampleFormat::Int, 48_000, 1),
        (32, SampleFormat::Int, 22_050, 2),
        (32, SampleFormat::Float, 16_000, 1),
        (16, SampleFormat::Int, 96_000, 6),
    ] {
        let dir = dir();
        let path = tone_file(&dir, WavSpec { channels, sample_rate, bits_per_sample, sample_format });
        let samples = read_all(&mut WavSource::open(path, Pace::Fast).unwrap());
        assert_eq!(samples.len(), RATE as usize);
        let want = tone(RATE);
        let worst = (400..15_600).map(|i| (samples[i] - want[i]).abs()).fold(0.0, f32::max);
        let allowed = if bits_per_sample == 8 { 0.01 } else { 0.002 };
        assert!(worst < allowed, "{bits_per_sample} bit, {sample_rate} Hz, {channels} channels: {worst}");
    }
}

#[test]
fn the_end_is_reported_by_every_further_read() {
    let dir = dir();
    let path = dir.path().join("short.wav");
    write_wav(&path, RATE, &[0.5; 10]).unwrap();
    let mut source = WavSource::open(&path, Pace::Fast).unwrap();
    let mut samples = vec![];
    assert_eq!(source.read(&mut samples), SourceEvent::Samples(10));
    assert_eq!(source.read(&mut samples), SourceEvent::End);
    assert_eq!(source.read(&mut samples), SourceEvent::End);
    assert_eq!(samples.len(), 10);
}

#[test]
fn what_is_no_sound_is_refused_in_one_sentence_with_the_path() {
    let dir = dir();
    let file = |name: &str, content: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let silent = dir.path().join("silent.wav");
    write_wav(&silent, RATE, &[]).unwrap();
    let cases = [
        (
            dir.path().join("none.wav"),
            "can't be opened (No such file or directory (os error 2)); check the path and its permissions",
        ),
        (file("empty.wav", b""), "is empty; record it again"),
        (
            file("text.wav", b"these are not the samples you want to hear, not at all"),
            "is not a readable WAV file (Ill-formed WAVE file: no RIFF tag found); convert it to 16-bit PCM",
        ),
        (
            file("cut.wav", b"RIFF\x24\0\0\0WAVEfmt "),
            "is not a readable WAV file (Failed to read enough bytes.); convert it to 16-bit PCM",
        ),
        (silent, "holds no samples; record it again"),
        (dir.path().to_owned(), "is not a readable WAV file (it is a directory); convert it to 16-bit PCM"),
    ];
    for (path, why) in cases {
        let Err(error) = WavSource::open(&path, Pace::Fast) else { panic!("{}: opened", path.display()) };
        assert_eq!(error.to_string(), format!("{} {why}", path.display()));
    }
}

#[test]
fn a_file_that_breaks_off_ends_where_it_breaks_off() {
    let dir = dir();
    let path = dir.path().join("in.wav");
    write_wav(&path, RATE, &[0.5; 1000]).unwrap();
    let content = std::fs::read(&path).unwrap();
    std::fs::write(&path, &content[..content.len() - 1001]).unwrap();
    assert_eq!(read_all(&mut WavSource::open(&path, Pace::Fast).unwrap()).len(), 499);
}

#[test]
fn values_that_are_no_number_are_silence() {
    let dir = dir();
    let path = dir.path().join("in.wav");
    let spec = WavSpec { sample_format: SampleFormat::Float, bits_per_sample: 32, ..mono(RATE) };
    let mut writer = WavWriter::create(&path, spec).unwrap();
    for sample in [0.5, f32::NAN, f32::INFINITY, -0.5] {
        writer.write_sample(sample).unwrap();
    }
    writer.finalize().unwrap();
    assert_eq!(read_wav(&path, RATE).unwrap(), [0.5, 0.0, 0.0, -0.5]);
}

#[test]
fn what_is_written_is_read_back_within_half_a_step() {
    let dir = dir();
    let path = dir.path().join("out.wav");
    let samples: Vec<f32> = tone(RATE);
    write_wav(&path, RATE, &samples).unwrap();
    let back = read_wav(&path, RATE).unwrap();
    assert!(back.iter().zip(&samples).all(|(a, b)| (a - b).abs() < 1.0 / 32_767.0));
    assert!(matches!(write_wav(dir.path(), RATE, &samples), Err(WavError::Write { .. })));
}

proptest! {
    /// Whatever bytes a file is damaged with: an error or sound, never a panic.
    #[test]
    fn foreign_bytes_never_break_the_reader_of_wav_files(
        damage in prop::collection::vec((0_usize..120, any::<u8>()), 0..6),
        length in 0_usize..160,
    ) {
        let dir = dir();
        let path = tone_file(&dir, WavSpec { channels: 2, ..mono(8_000) });
        let mut content = std::fs::read(&path).unwrap();
        content.truncate(length.max(20));
        for (at, byte) in damage {
            if let Some(target) = content.get_mut(at) {
                *target = byte;
            }
        }
        std::fs::write(&path, content).unwrap();
        if let Ok(mut source) = WavSource::open(&path, Pace::Fast) {
            read_all(&mut source);
        }
    }
}

#[test]
fn a_player_writes_clips_and_silence_on_one_timeline() {
    let dir = dir();
    let path = dir.path().join("out.wav");
    let (player, mut events) = Player::to_wav(&path, RATE, Pace::Fast).unwrap();
    player.silence(Duration::from_millis(500));
    player.play_now(1, RATE, vec![0.5; 800]).unwrap();
    player.silence(Duration::from_millis(100));
    player.play_now(2, RATE / 2, vec![-0.25; 800]).unwrap();
    assert_eq!(player.finish().unwrap(), Duration::from_millis(750));
    let mut told = vec![];
    while let Ok(event) = events.try_recv() {
        told.push(match event {
            PlayEvent::Started { tag, .. } => format!("started {tag}"),
            PlayEvent::Finished { tag, .. } => format!("finished {tag}"),
            other => format!("{other:?}"),
        });
    }
    // Idle may come between the two: the file plays as fast as the clips arrive.
    told.retain(|event| event != "Idle");
    assert_eq!(told, ["started 1", "finished 1", "started 2", "finished 2"]);
    assert_eq!(player.played(), Duration::from_millis(150));
    let samples = read_wav(&path, RATE).unwrap();
    assert_eq!(samples.len(), 12_000);
    let level = |from: usize, to: usize| samples[from..to].iter().sum::<f32>() / (to - from) as f32;
    assert_eq!(level(0, 8_000), 0.0);
    assert!((level(8_010, 8_790) - 0.5).abs() < 1e-3);
    assert_eq!(level(8_800, 10_400), 0.0);
    assert!((level(10_500, 11_900) + 0.25).abs() < 1e-3);
}

#[test]
fn loud_clips_are_bent_not_clipped() {
    let dir = dir();
    let path = dir.path().join("out.wav");
    let (player, _events) = Player::to_wav(&path, RATE, Pace::Fast).unwrap();
    player.play_now(1, RATE, vec![0.5, 0.9, 1.5, -3.0, f32::NAN]).unwrap();
    player.finish().unwrap();
    let samples = read_wav(&path, RATE).unwrap();
    assert!((samples[0] - 0.5).abs() < 1e-4 && samples[1] > 0.8 && samples[1] < samples[2]);
    assert!(samples[2] < 1.0 && samples[3] > -1.0 && samples[4] == 0.0);
}

#[test]
fn after_the_end_of_the_file_further_clips_go_nowhere_without_harm() {
    let dir = dir();
    let (player, _events) = Player::to_wav(dir.path().join("out.wav"), RATE, Pace::Fast).unwrap();
    player.finish().unwrap();
    let clip = Clip {
        tag: 1,
        rate: RATE,
        samples: vec![0.1; 10].into(),
        part: ClipPart::Whole,
        epoch: player.epoch(),
    };
    player.play(clip).unwrap();
    assert_eq!(player.finish().unwrap(), Duration::ZERO);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let dir = dir();
    let missing = dir.path().join("none/out.wav");
    assert!(matches!(Player::to_wav(missing, RATE, Pace::Fast), Err(WavError::Write { .. })));
    assert!(matches!(Player::to_wav(dir.path().join("o.wav"), 0, Pace::Fast), Err(WavError::Rate { .. })));
    // A full disk shows when the file is closed.
    let (player, _events) = Player::to_wav("/dev/full", RATE, Pace::Fast).unwrap();
    player.play_now(1, RATE, vec![0.1; 100_000]).unwrap();
    assert!(matches!(player.finish(), Err(WavError::Write { .. })));
}
