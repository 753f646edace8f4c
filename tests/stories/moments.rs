//! Moments and delays that the program tells, beside the sound itself, on a real sound server.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use joi_audio::{
    AudioConfig, AudioSource as _, Microphone, MuteSwitch, PlayEvent, Player, RATE, SourceEvent,
};
use rustix::process::Signal;
use serde_json::Value;
use tokio::sync::mpsc::Receiver;

use super::live::{ALONE, LOUD, Room};
use crate::support::program::FOR_EVER;
use crate::support::sound_server::{FIGURE, SoundServer, with_sound_server};

/// Of the sounds whose moments are compared, the median counts.
const CLICKS: u64 = 11;
/// So much the moment that is told may differ from the one that was recorded, in ms.
const DIFFERENCE_MS: f64 = 20.0;
/// A device that tells of more delay than this carries a backlog along, in ms.
const DELAY_MS: f64 = 60.0;
/// How long the program stands still, in seconds of sound.
const STOPPED_S: f64 = 1.5;

/// A microphone of the test's own, by which sound is timed and counted.
struct Ear {
    microphone: Microphone,
    give_up: Instant,
}

impl Ear {
    /// At the source of that name.
    fn at(server: &SoundServer, source: &str) -> Self {
        let config = AudioConfig { input: vec![source.to_owned()], ..server.config() };
        let microphone = Microphone::open(&config, &MuteSwitch::default());
        Self { microphone, give_up: Instant::now() + FOR_EVER }
    }

    /// The next block, and when its last sample was captured by the device's own timestamps.
    fn block(&mut self) -> (Vec<f32>, Instant) {
        let mut samples = Vec::new();
        while !matches!(self.microphone.read(&mut samples), SourceEvent::Samples(_)) {
            assert!(Instant::now() < self.give_up, "the sound server is silent");
        }
        (samples, Instant::now() - self.microphone.latency())
    }

    /// Waits for so many seconds of sound.
    fn pass(&mut self, seconds: f64) {
        let mut left = (seconds * f64::from(RATE)) as usize;
        while left > 0 {
            left = left.saturating_sub(self.block().0.len());
        }
    }

    /// When the next loud sample was captured, behind some silence.
    fn next_loud(&mut self) -> Instant {
        loop {
            let (samples, newest) = self.block();
            if let Some(first) = samples.iter().position(|sample| sample.abs() > LOUD) {
                let behind = (samples.len() - 1 - first) as f64 / f64::from(RATE);
                return newest - Duration::from_secs_f64(behind);
            }
        }
    }

    /// Waits until it has been silent for a quarter of a second.
    fn until_silent(&mut self) {
        let mut silent = 0;
        while silent < RATE as usize / 4 {
            let samples = self.block().0;
            let is_loud = samples.iter().any(|sample| sample.abs() > LOUD);
            silent = if is_loud { 0 } else { silent + samples.len() };
        }
    }
}

/// When the sound with that tag is heard, by the player.
fn heard_at(events: &mut Receiver<PlayEvent>, of: u64) -> Instant {
    loop {
        match events.blocking_recv().expect("the player lives") {
            PlayEvent::Started { tag, at, .. } if tag == of => return at,
            _ => {}
        }
    }
}

fn signed_ms(later: Instant, earlier: Instant) -> f64 {
    let ms = |span: Duration| span.as_secs_f64() * 1e3;
    ms(later.saturating_duration_since(earlier)) - ms(earlier.saturating_duration_since(later))
}

#[test]
fn a_sound_is_heard_when_the_player_says_and_captured_when_the_microphone_says() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let mut ear = Ear::at(server, "spk.monitor");
        let (player, mut events) = Player::open(&server.config());
        ear.pass(2.0);
        let rate = 48_000_u32;
        let click: Vec<f32> = (0..rate / 20).map(|at| 0.5 * (at as f32 * 0.13).cos()).collect();
        let mut apart = Vec::new();
        for tag in 1..=CLICKS {
            player.play_now(tag, rate, click.clone()).unwrap();
            let captured = ear.next_loud();
            apart.push(signed_ms(heard_at(&mut events, tag), captured));
            ear.until_silent();
        }
        apart.sort_by(f64::total_cmp);
        let median = apart[apart.len() / 2];
        println!("{FIGURE}told {median:.1} ms later than captured; all: {apart:.1?}");
        assert!(median.abs() <= DIFFERENCE_MS, "{apart:?}");
    });
}

/// The delays of a device in ms, as `joi status` tells them: `last_ms` of the newest block, `highest_ms` since the start.
fn delay(room: &Room, device: &str, which: &str) -> f64 {
    let status: Value = serde_json::from_str(&room.home.joi(&["status", "--json"]).well().out).unwrap();
    let told = &status["delays"][device][which];
    told.as_f64().unwrap_or_else(|| panic!("no delay of the {device}: {status}"))
}

/// Sound goes by until neither device tells of a backlog; how much, in seconds.
fn until_caught_up(room: &Room, ear: &mut Ear) -> f64 {
    let mut gone_by = 0.0;
    loop {
        ear.pass(0.5);
        gone_by += 0.5;
        let delays = ["microphone", "speaker"].map(|device| delay(room, device, "last_ms"));
        if delays.iter().all(|ms| *ms < DELAY_MS) {
            return gone_by;
        }
        assert!(gone_by < 15.0, "{delays:?} ms behind after {gone_by} s of sound");
    }
}

#[test]
fn after_an_overload_neither_device_carries_a_backlog_along() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let room = Room::with(server);
        let mut ear = Ear::at(server, "mic");
        until_caught_up(&room, &mut ear);
        room.joi.signal(Signal::STOP);
        ear.pass(STOPPED_S);
        room.joi.signal(Signal::CONT);
        let gone_by = until_caught_up(&room, &mut ear);
        let highest = ["microphone", "speaker"].map(|device| delay(&room, device, "highest_ms"));
        println!("{FIGURE}caught up within {gone_by} s of sound; at most {highest:.0?} ms late");
        // How much waits is up to the sound server: 0.36 s to all of it.
        assert!(highest[0] > DELAY_MS, "what waited meanwhile is told: {highest:?} ms");
        assert_eq!(room.joi.terminate().code, Some(0));
    });
}
