//! Microphone and speaker through a real sound server: sound arrives, devices go and come, the server dies.

use std::time::{Duration, Instant};

use joi_audio::{
    AudioConfig, AudioSource, DeviceFault, Direction, HostChoice, Microphone, MuteSwitch, PlayEvent, Player,
    RATE, SourceEvent, devices, write_wav,
};
use tokio::sync::mpsc::Receiver;

use crate::support::sound_server::{SoundServer, with_sound_server};

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(120);

const PITCH: f32 = 440.0;

fn tone(rate: u32, seconds: f32) -> Vec<f32> {
    let step = std::f32::consts::TAU * PITCH / rate as f32;
    (0..(seconds * rate as f32) as usize).map(|i| 0.3 * (step * i as f32).sin()).collect()
}

/// Seconds of the tone in 16 kHz samples: blocks of 20 ms whose power is nearly all at its pitch.
fn tone_seconds(samples: &[f32]) -> f32 {
    let step = std::f32::consts::TAU * PITCH / RATE as f32;
    let is_tone = |block: &&[f32]| {
        let (mut re, mut im, mut power) = (0.0, 0.0, 0.0);
        for (i, sample) in block.iter().enumerate() {
            re += sample * (step * i as f32).cos();
            im += sample * (step * i as f32).sin();
            power += sample * sample;
        }
        power > 1e-3 && 2.0 * (re * re + im * im) / block.len() as f32 > 0.9 * power
    };
    samples.chunks_exact(320).filter(is_tone).count() as f32 * 0.02
}

/// Reads until `enough` says so of all that was heard so far; news end up in `told`.
fn listen(
    microphone: &mut Microphone,
    mut enough: impl FnMut(&[f32], &[SourceEvent]) -> bool,
) -> (Vec<f32>, Vec<SourceEvent>) {
    let (mut samples, mut told) = (vec![], vec![]);
    let give_up = Instant::now() + FOR_EVER;
    while !enough(&samples, &told) {
        assert!(Instant::now() < give_up, "still waiting after {told:?} and {} samples", samples.len());
        match microphone.read(&mut samples) {
            SourceEvent::Samples(_) | SourceEvent::Nothing => {}
            news => told.push(news),
        }
    }
    (samples, told)
}

fn news(microphone: &mut Microphone) -> SourceEvent {
    listen(microphone, |_, told| !told.is_empty()).1.remove(0)
}

fn event(events: &mut Receiver<PlayEvent>) -> PlayEvent {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let next = runtime.block_on(async { tokio::time::timeout(FOR_EVER, events.recv()).await });
    next.expect("an event in time").expect("the player lives")
}

fn monitor(server: &SoundServer) -> Microphone {
    let config = AudioConfig { input: vec!["spk.monitor".to_owned()], ..server.config() };
    let mut microphone = Microphone::open(&config, &MuteSwitch::default());
    assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
    microphone
}

fn feed_tone(server: &mut SoundServer, seconds: f32) {
    let wav = server.place().join("tone.wav");
    write_wav(&wav, 48_000, &tone(48_000, seconds)).unwrap();
    server.feed(&wav);
}

#[test]
fn what_is_said_into_the_microphone_is_heard() {
    with_sound_server(|server| {
        let mut microphone = Microphone::open(&server.config(), &MuteSwitch::default());
        assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
        feed_tone(server, 3.0);
        let (samples, told) = listen(&mut microphone, |samples, _| tone_seconds(samples) > 2.5);
        assert_eq!(told, vec![]);
        // Of three seconds: a busy machine makes the server stumble.
        assert!(tone_seconds(&samples) > 2.5);
    });
}

#[test]
fn what_is_played_comes_out_of_the_speaker_and_is_reported() {
    with_sound_server(|server| {
        let mut microphone = monitor(server);
        let (player, mut events) = Player::open(&server.config());
        assert!(matches!(event(&mut events), PlayEvent::Back { .. }));
        player.play_now(7, 22_050, tone(22_050, 2.0)).unwrap();
        assert!(matches!(event(&mut events), PlayEvent::Started { tag: 7, .. }));
        let (samples, _) = listen(&mut microphone, |samples, _| tone_seconds(samples) > 1.5);
        assert!(tone_seconds(&samples) > 1.5);
        assert!(matches!(event(&mut events), PlayEvent::Finished { tag: 7, .. }));
        assert_eq!(event(&mut events), PlayEvent::Idle);
        assert!((player.played().as_secs_f32() - 2.0).abs() < 0.001);
    });
}

#[test]
fn a_loudspeaker_of_six_channels_plays_too() {
    with_sound_server(|server| {
        server.plug("surround", (48_000, 6, "s16le"));
        let config = AudioConfig {
            input: vec!["surround.monitor".to_owned()],
            output: vec!["surround".to_owned()],
            ..server.config()
        };
        let mut microphone = Microphone::open(&config, &MuteSwitch::default());
        assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
        let (player, mut events) = Player::open(&config);
        assert!(matches!(event(&mut events), PlayEvent::Back { .. }));
        player.play_now(7, 22_050, tone(22_050, 2.0)).unwrap();
        let (samples, _) = listen(&mut microphone, |samples, _| tone_seconds(samples) > 1.5);
        assert!(tone_seconds(&samples) > 1.5);
    });
}

#[test]
fn a_flush_silences_the_speaker_in_the_middle_of_a_clip() {
    with_sound_server(|server| {
        let mut microphone = monitor(server);
        let (player, mut events) = Player::open(&server.config());
        assert!(matches!(event(&mut events), PlayEvent::Back { .. }));
        player.play_now(1, 22_050, tone(22_050, 60.0)).unwrap();
        assert!(matches!(event(&mut events), PlayEvent::Started { tag: 1, .. }));
        listen(&mut microphone, |samples, _| tone_seconds(samples) > 0.5);
        player.flush();
        assert_eq!(event(&mut events), PlayEvent::Idle);
        assert!(!player.is_playing());
        // Half a second of silence: only what the sound server already had is still heard.
        let quiet =
            |samples: &[f32]| samples.len() > 8_000 && tone_seconds(&samples[samples.len() - 8_000..]) == 0.0;
        listen(&mut microphone, |samples, _| quiet(samples));
        assert!(player.played() < Duration::from_secs(55));
        // And the next clip is played.
        player.play_now(2, 22_050, tone(22_050, 0.5)).unwrap();
        assert!(matches!(event(&mut events), PlayEvent::Started { tag: 2, .. }));
        assert!(matches!(event(&mut events), PlayEvent::Finished { tag: 2, .. }));
    });
}

#[test]
fn devices_that_vanish_are_reported_once_and_used_again_when_they_are_back() {
    with_sound_server(|server| {
        let mut microphone = Microphone::open(&server.config(), &MuteSwitch::default());
        assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
        let (player, mut events) = Player::open(&server.config());
        assert!(matches!(event(&mut events), PlayEvent::Back { .. }));
        server.unplug_all();
        assert!(matches!(news(&mut microphone), SourceEvent::Gone(_)));
        assert!(matches!(event(&mut events), PlayEvent::Gone(_)));
        server.replug();
        assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
        assert!(matches!(event(&mut events), PlayEvent::Back { .. }));
        feed_tone(server, 3.0);
        listen(&mut microphone, |samples, _| tone_seconds(samples) > 0.5);
        player.play_now(1, 22_050, tone(22_050, 0.5)).unwrap();
        assert!(matches!(event(&mut events), PlayEvent::Started { tag: 1, .. }));
        assert!(matches!(event(&mut events), PlayEvent::Finished { tag: 1, .. }));
    });
}

#[test]
fn a_killed_sound_server_is_survived_and_the_sentence_goes_on() {
    with_sound_server(|server| {
        let mut microphone = Microphone::open(&server.config(), &MuteSwitch::default());
        assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
        let (player, mut events) = Player::open(&server.config());
        assert!(matches!(event(&mut events), PlayEvent::Back { .. }));
        player.play_now(1, 22_050, tone(22_050, 4.0)).unwrap();
        assert!(matches!(event(&mut events), PlayEvent::Started { tag: 1, .. }));
        server.kill();
        server.start();
        assert!(matches!(news(&mut microphone), SourceEvent::Gone(_)));
        assert!(matches!(event(&mut events), PlayEvent::Gone(_)));
        assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
        assert!(matches!(event(&mut events), PlayEvent::Back { .. }));
        assert!(matches!(event(&mut events), PlayEvent::Finished { tag: 1, .. }));
        assert_eq!(event(&mut events), PlayEvent::Idle);
        assert!((player.played().as_secs_f32() - 4.0).abs() < 0.01, "{:?}", player.played());
        feed_tone(server, 3.0);
        listen(&mut microphone, |samples, _| tone_seconds(samples) > 0.5);
    });
}

#[test]
fn a_microphone_the_server_replaced_by_silence_counts_as_missing() {
    with_sound_server(|server| {
        feed_tone(server, 60.0);
        let config = AudioConfig { silent_after_s: 1, ..server.config() };
        let mut microphone = Microphone::open(&config, &MuteSwitch::default());
        assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
        listen(&mut microphone, |samples, _| tone_seconds(samples) > 0.5);
        // The server moves the stream to the speaker's monitor and reports nothing.
        server.unplug_microphone();
        assert!(matches!(news(&mut microphone), SourceEvent::Gone(_)));
        server.replug();
        feed_tone(server, 60.0);
        assert!(matches!(news(&mut microphone), SourceEvent::Back { .. }));
        listen(&mut microphone, |samples, _| tone_seconds(samples) > 0.5);
    });
}

#[test]
fn devices_are_listed_and_a_dead_sound_server_is_named_as_the_fault() {
    with_sound_server(|server| {
        let found = devices(HostChoice::PulseAudio).unwrap();
        let default = |direction| {
            let found = found.iter().find(|device| device.direction == direction && device.default).unwrap();
            (found.id.as_str(), found.rate, found.channels)
        };
        assert_eq!(default(Direction::Input), ("pulseaudio:mic", 48_000, 1));
        assert_eq!(default(Direction::Output), ("pulseaudio:spk", 48_000, 2));
        server.kill();
        assert!(matches!(devices(HostChoice::PulseAudio), Err(DeviceFault::NoHost { .. })));
        let mut microphone = Microphone::open(&server.config(), &MuteSwitch::default());
        assert!(matches!(news(&mut microphone), SourceEvent::Gone(DeviceFault::NoHost { .. })));
    });
}

#[test]
fn a_device_that_does_not_exist_is_named_in_the_fault() {
    with_sound_server(|server| {
        let config = AudioConfig { input: vec!["desk".into(), "usb".into()], ..server.config() };
        let wanted = config.input.clone();
        assert_eq!(
            news(&mut Microphone::open(&config, &MuteSwitch::default())),
            SourceEvent::Gone(DeviceFault::NotFound { wanted })
        );
        let config = AudioConfig { input: vec!["desk".into(), "default".into()], ..server.config() };
        assert!(matches!(
            news(&mut Microphone::open(&config, &MuteSwitch::default())),
            SourceEvent::Back { .. }
        ));
    });
}

#[test]
fn a_machine_without_any_sound_device_is_reported_and_nothing_hangs() {
    with_sound_server(|server| {
        // ALSA's default may lead to the server, where its plugin is installed.
        server.kill();
        let config = AudioConfig {
            host: HostChoice::Alsa,
            input: vec!["default".into()],
            output: vec!["default".into()],
            ..server.config()
        };
        assert!(matches!(news(&mut Microphone::open(&config, &MuteSwitch::default())), SourceEvent::Gone(_)));
        let (player, mut events) = Player::open(&config);
        assert!(matches!(event(&mut events), PlayEvent::Gone(_)));
        player.play_now(1, 22_050, tone(22_050, 0.1)).unwrap();
        assert_eq!(event(&mut events), PlayEvent::Dropped { tag: 1 });
        assert_eq!(event(&mut events), PlayEvent::Idle);
        assert_eq!(player.finish().unwrap(), Duration::ZERO);
    });
}
