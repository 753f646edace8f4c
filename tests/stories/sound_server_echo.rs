//! Joi's voice goes through a real sound server from the speaker to the microphone and is taken out there.

use std::time::{Duration, Instant};

use joi_audio::{AudioSource, EchoCancel, EchoCancelled, Microphone, MuteSwitch, Player, RATE, SourceEvent};

use crate::support::sound_server::{FIGURE, with_sound_server};

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(120);

/// Seconds joi may speak until joi is taken out.
const PATIENCE: usize = 40;

/// Noise in syllables, with pauses: as hard to predict as a voice.
fn babble(seconds: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(3);
    let mut last = 0.0_f32;
    (0..seconds * RATE as usize)
        .map(|i| {
            let syllable = (std::f32::consts::TAU * 3.0 * i as f32 / RATE as f32).sin().max(0.0);
            last = 0.7 * last + 0.3 * (random.f32() * 2.0 - 1.0);
            0.5 * syllable * last
        })
        .collect()
}

/// Reads until `seconds` of sound came.
fn listen(ear: &mut EchoCancelled, seconds: usize) -> Vec<f32> {
    let (mut samples, since) = (vec![], Instant::now());
    while samples.len() < seconds * RATE as usize {
        assert!(since.elapsed() < FOR_EVER, "{} samples", samples.len());
        let news = ear.read(&mut samples);
        assert!(
            matches!(news, SourceEvent::Samples(_) | SourceEvent::Nothing | SourceEvent::Back { .. }),
            "{news:?}"
        );
    }
    samples
}

fn level(samples: &[f32]) -> f32 {
    10.0 * (samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32).max(1e-12).log10()
}

#[test]
fn her_voice_is_taken_out_on_the_way_through_a_sound_server() {
    with_sound_server(|server| {
        server.put_into_one_room();
        let (player, events) = Player::open(&server.config());
        drop(events);
        let echo = {
            let microphone = Box::new(Microphone::open(&server.config(), &MuteSwitch::default()));
            let mut bare = EchoCancelled::new(microphone, player.echo_reference(), EchoCancel::Off);
            listen(&mut bare, 1);
            player.play_now(1, RATE, babble(3)).unwrap();
            level(&listen(&mut bare, 3)[RATE as usize..])
        };
        player.flush();
        let microphone = Box::new(Microphone::open(&server.config(), &MuteSwitch::default()));
        let mut ear = EchoCancelled::new(microphone, player.echo_reference(), EchoCancel::Auto);
        listen(&mut ear, 1);
        player.play_now(2, RATE, babble(PATIENCE + 2)).unwrap();
        // On a busy machine the server stumbles, and every time the echo stands elsewhere.
        let seconds = (1..PATIENCE).find_map(|second| {
            let left = level(&listen(&mut ear, 1));
            let report = ear.meter().report();
            eprintln!("second {second}: {left:.1} dBFS, {report:?}");
            // Without anything heard digital silence would be left; in a room without noise almost nothing is.
            let is_well = report.converged && report.erle_db > 15.0 && (-115.0..echo - 15.0).contains(&left);
            is_well.then_some((second, left, report))
        });
        let (second, left, report) = seconds.expect("her voice is taken out");
        println!(
            "{FIGURE}echo through a sound server: {echo:.0} dBFS became {left:.0} dBFS in second {second}, \
             {report:?}"
        );
        assert!(report.wanted && report.active, "{report:?}");
    });
}
