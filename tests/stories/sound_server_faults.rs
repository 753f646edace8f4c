//! Every fault of microphone and speaker that a real sound server can show: how soon it is told, how soon
//! it is over. The figures are printed; `docs/dev/device-faults.md` has them.

use std::time::{Duration, Instant};

use joi_audio::{
    AudioConfig, AudioSource, DeviceFault, Microphone, MuteSwitch, PlayEvent, Player, RATE, SourceEvent,
    write_wav,
};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::Receiver;

use crate::support::sound_server::{FIGURE, SoundServer, with_sound_server};

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(120);

/// A fault must be told within this, on a machine that has other things to do as well.
const DETECTION: Duration = Duration::from_millis(2_500);

/// A microphone that is read.
struct Ear {
    microphone: Microphone,
    samples: Vec<f32>,
}

impl Ear {
    /// Reads until news that `is_it`; says which and how long that took since `since`.
    fn until(
        &mut self,
        since: Instant,
        mut is_it: impl FnMut(&SourceEvent) -> bool,
    ) -> (SourceEvent, Duration) {
        let mut told = vec![];
        loop {
            assert!(since.elapsed() < FOR_EVER, "still waiting after {told:?}");
            match self.microphone.read(&mut self.samples) {
                SourceEvent::Samples(_) | SourceEvent::Nothing => {}
                news if is_it(&news) => return (news, since.elapsed()),
                news => told.push(news),
            }
        }
    }

    fn opened(config: &AudioConfig) -> Self {
        let microphone = Microphone::open(config, &MuteSwitch::default());
        let mut ear = Self { microphone, samples: vec![] };
        ear.until(Instant::now(), is_back);
        ear
    }

    /// Reads so many seconds of sound.
    fn listen(&mut self, seconds: usize) -> Vec<f32> {
        self.samples.clear();
        let since = Instant::now();
        while self.samples.len() < seconds * RATE as usize {
            assert!(since.elapsed() < FOR_EVER, "{} samples", self.samples.len());
            let news = self.microphone.read(&mut self.samples);
            assert!(matches!(news, SourceEvent::Samples(_) | SourceEvent::Nothing), "{news:?}");
        }
        std::mem::take(&mut self.samples)
    }
}

fn is_gone(news: &SourceEvent) -> bool {
    matches!(news, SourceEvent::Gone(_))
}

fn is_back(news: &SourceEvent) -> bool {
    matches!(news, SourceEvent::Back { .. })
}

/// Prints a row of the table.
fn report(fault: &str, how: &str, detected: Option<Duration>, recovered: Option<Duration>) {
    let time =
        |time: Option<Duration>| time.map_or("-".to_owned(), |time| format!("{:.2} s", time.as_secs_f32()));
    println!("{FIGURE}| {fault} | {how} | {} | {} |", time(detected), time(recovered));
}

/// Noise that is never still, as a real microphone delivers.
fn feed_noise(server: &mut SoundServer) {
    let wav = server.place().join("noise.wav");
    let mut random = fastrand::Rng::with_seed(1);
    let noise: Vec<f32> = (0..48_000 * 90).map(|_| 0.05 * (random.f32() * 2.0 - 1.0)).collect();
    write_wav(&wav, 48_000, &noise).unwrap();
    server.feed(&wav);
}

fn config(server: &SoundServer) -> AudioConfig {
    AudioConfig { silent_after_s: 10, ..server.config() }
}

#[test]
fn a_microphone_that_is_unplugged_is_reported_and_taken_again() {
    with_sound_server(|server| {
        feed_noise(server);
        let mut ear = Ear::opened(&config(server));
        ear.listen(6);
        server.unplug_microphone();
        let (_, detected) = ear.until(Instant::now(), is_gone);
        server.replug();
        feed_noise(server);
        let (_, recovered) = ear.until(Instant::now(), is_back);
        report(
            "microphone unplugged",
            "its modules unloaded while it hears",
            Some(detected),
            Some(recovered),
        );
        assert!(detected < DETECTION, "{detected:?}");
    });
}

#[test]
fn a_microphone_that_is_switched_off_at_its_case_is_reported_and_heard_again() {
    with_sound_server(|server| {
        feed_noise(server);
        let mut ear = Ear::opened(&config(server));
        ear.listen(6);
        server.switch_microphone_off(true);
        let (gone, detected) = ear.until(Instant::now(), is_gone);
        assert!(matches!(gone, SourceEvent::Gone(DeviceFault::Silent { .. })), "{gone:?}");
        server.switch_microphone_off(false);
        let (_, recovered) = ear.until(Instant::now(), is_back);
        report("microphone delivers only zeros", "source muted after sound", Some(detected), Some(recovered));
        assert!(detected < DETECTION, "{detected:?}");
    });
}

#[test]
fn a_microphone_that_stalls_without_an_error_is_reported_and_heard_again() {
    with_sound_server(|server| {
        let mut ear = Ear::opened(&config(server));
        server.suspend_microphone(true);
        let (_, detected) = ear.until(Instant::now(), is_gone);
        server.suspend_microphone(false);
        let (_, recovered) = ear.until(Instant::now(), is_back);
        report("microphone stalls without an error", "source suspended", Some(detected), Some(recovered));
        assert!(detected < DETECTION, "{detected:?}");
    });
}

#[test]
fn a_sound_server_that_hangs_is_reported_and_used_again_when_it_goes_on() {
    with_sound_server(|server| {
        let mut ear = Ear::opened(&config(server));
        server.freeze();
        let (_, detected) = ear.until(Instant::now(), is_gone);
        server.thaw();
        let (_, recovered) = ear.until(Instant::now(), is_back);
        report("sound server hangs", "SIGSTOP, then SIGCONT", Some(detected), Some(recovered));
        assert!(detected < DETECTION, "{detected:?}");
        server.freeze();
        let opening = Instant::now();
        let microphone = Microphone::open(&config(server), &MuteSwitch::default());
        let mut late = Ear { microphone, samples: vec![] };
        let (_, detected) = late.until(opening, is_gone);
        server.thaw();
        let (_, recovered) = late.until(Instant::now(), is_back);
        report("opening hangs", "microphone opened while SIGSTOP", Some(detected), Some(recovered));
        assert!(detected < DETECTION, "{detected:?}");
    });
}

#[test]
fn all_devices_gone_and_a_killed_server_are_reported_by_both_ends_and_survived() {
    with_sound_server(|server| {
        let runtime = Runtime::new().unwrap();
        let mut ear = Ear::opened(&config(server));
        let (_player, mut events) = Player::open(&server.config());
        next(&runtime, &mut events, Instant::now(), |event| matches!(event, PlayEvent::Back { .. }));
        type Fault = (&'static str, &'static str, fn(&mut SoundServer), fn(&mut SoundServer));
        let faults: [Fault; 2] = [
            ("all devices gone", "every module unloaded", SoundServer::unplug_all, SoundServer::replug),
            ("sound server killed", "SIGKILL, started again", SoundServer::kill, SoundServer::start),
        ];
        for (fault, how, breaks, mends) in faults {
            breaks(server);
            let since = Instant::now();
            let (_, detected) = ear.until(since, is_gone);
            let told = next(&runtime, &mut events, since, |event| matches!(event, PlayEvent::Gone(_)));
            mends(server);
            let since = Instant::now();
            let (_, recovered) = ear.until(since, is_back);
            let played = next(&runtime, &mut events, since, |event| matches!(event, PlayEvent::Back { .. }));
            report(&format!("{fault} (microphone)"), how, Some(detected), Some(recovered));
            report(&format!("{fault} (speaker)"), how, Some(told), Some(played));
            assert!(detected.max(told) < DETECTION, "{detected:?} {told:?}");
        }
    });
}

/// Waits for an event that `is_it`; how long after `since` it came.
fn next(
    runtime: &Runtime,
    events: &mut Receiver<PlayEvent>,
    since: Instant,
    mut is_it: impl FnMut(&PlayEvent) -> bool,
) -> Duration {
    let wait = async {
        while let Some(event) = events.recv().await {
            if is_it(&event) {
                return since.elapsed();
            }
        }
        panic!("the player has ended");
    };
    runtime.block_on(async { tokio::time::timeout(FOR_EVER, wait).await }).expect("in time")
}

#[test]
fn a_speaker_that_is_unplugged_is_noticed_though_the_server_plays_on_elsewhere() {
    with_sound_server(|server| {
        let runtime = Runtime::new().unwrap();
        let (player, mut events) = Player::open(&server.config());
        next(&runtime, &mut events, Instant::now(), |event| matches!(event, PlayEvent::Back { .. }));
        player.play_now(1, 22_050, vec![0.1; 22_050 * 30]).unwrap();
        server.unplug_speaker();
        let since = Instant::now();
        let detected = next(&runtime, &mut events, since, |event| matches!(event, PlayEvent::Gone(_)));
        server.replug();
        let since = Instant::now();
        let recovered = next(&runtime, &mut events, since, |event| matches!(event, PlayEvent::Back { .. }));
        report(
            "speaker unplugged, another there",
            "its module unloaded while she speaks; the server moves the stream",
            Some(detected),
            Some(recovered),
        );
        assert!(player.is_playing(), "the sentence goes on");
        assert!(detected < DETECTION, "{detected:?}");
    });
}

#[test]
fn a_preferred_microphone_is_taken_again_when_it_is_back() {
    with_sound_server(|server| {
        server.plug("spare", (48_000, 1, "s16le"));
        let input = vec!["mic".to_owned(), "spare.monitor".to_owned()];
        let mut ear = Ear::opened(&AudioConfig { input, ..server.config() });
        server.unplug_microphone();
        let since = Instant::now();
        let (_, detected) = ear.until(since, is_gone);
        assert!(detected < DETECTION, "{detected:?}");
        let (stand_in, in_use) = ear.until(since, is_back);
        assert!(format!("{stand_in:?}").contains("spare"), "{stand_in:?}");
        report(
            "preferred microphone gone, another stands in",
            "its modules unloaded",
            Some(detected),
            Some(in_use),
        );
        server.replug();
        let (preferred, recovered) = ear.until(Instant::now(), |news| is_back(news) || is_gone(news));
        assert!(is_back(&preferred) && !format!("{preferred:?}").contains("spare"), "{preferred:?}");
        report("preferred microphone back", "its modules loaded", None, Some(recovered));
    });
}

#[test]
fn devices_of_any_rate_channels_and_format_are_heard() {
    with_sound_server(|server| {
        let step = std::f32::consts::TAU * 440.0 / 48_000.0;
        let tone: Vec<f32> = (0..48_000 * 20).map(|i| 0.3 * (step * i as f32).sin()).collect();
        let wav = server.place().join("tone.wav");
        write_wav(&wav, 48_000, &tone).unwrap();
        let shapes = [
            (44_100, 2, "s16le"),
            (44_100, 1, "float32le"),
            (48_000, 1, "s32le"),
            (48_000, 2, "float32le"),
            (16_000, 1, "s16le"),
            (48_000, 4, "s16le"),
            (48_000, 6, "float32le"),
        ];
        for (number, shape) in shapes.into_iter().enumerate() {
            let name = format!("shape{number}");
            server.plug(&name, shape);
            let config = AudioConfig { input: vec![format!("{name}.monitor")], ..server.config() };
            let mut ear = Ear::opened(&config);
            server.feed_into(&name, &wav);
            let samples = ear.listen(3);
            let (from, to) = (samples.len() - RATE as usize, samples.len());
            let power = samples[from..to].iter().map(|s| s * s).sum::<f32>() / RATE as f32;
            assert!((0.02..0.1).contains(&power), "{shape:?}: {power}");
            let crossings =
                samples[from..to].windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count();
            assert!((420..=460).contains(&crossings), "{shape:?}: {crossings} Hz");
        }
        report("44.1 and 48 kHz, mono and stereo, i16, i32 and f32", "null sinks of each shape", None, None);
    });
}
