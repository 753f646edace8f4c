use proptest::prelude::*;

use super::*;

/// Seconds of a tone at this level in dBFS, and of a room.
fn tone(seconds: f32, db: f32) -> Vec<f32> {
    let amplitude = 10_f32.powf(db / 20.0) * std::f32::consts::SQRT_2;
    (0..(seconds * RATE as f32) as usize).map(|i| amplitude * (i as f32 * 0.3).sin()).collect()
}

fn room(seconds: f32) -> Vec<f32> {
    tone(seconds, -70.0)
}

#[test]
fn a_phrase_is_cut_out_with_a_short_edge_and_without_clicks() {
    let recording =
        [room(0.5), tone(0.02, -10.0), room(0.6), tone(0.4, -20.0), room(0.2), tone(0.3, -26.0), room(0.8)];
    let recording = recording.concat();
    let phrase = trimmed(&recording).unwrap();
    let seconds = phrase.len() as f32 / RATE as f32;
    assert!((0.95..=0.98).contains(&seconds), "{seconds}");
}

#[test]
fn unfit_recordings_are_refused_with_the_remedy() {
    let told = |parts: &[Vec<f32>]| trimmed(&parts.concat()).unwrap_err().to_string();
    assert_eq!(told(&[]), "no speech was recorded; speak after the tone");
    assert_eq!(told(&[room(2.0)]), "no speech was recorded; speak after the tone");
    assert!(
        told(&[tone(1.0, -80.0), tone(0.5, -50.0), tone(1.0, -80.0)])
            .starts_with("the recording is too quiet (-50 dBFS)")
    );
    assert!(
        told(&[tone(1.0, -30.0), tone(0.5, -24.0), tone(1.0, -30.0)]).starts_with("the room is too loud")
    );
    assert!(
        told(&[room(1.0), tone(0.15, -20.0), room(1.0)]).starts_with("the recording is too short (150 ms)")
    );
    assert!(
        told(&[room(1.0), tone(2.4, -20.0), room(1.0)]).starts_with("the recording is too long (2400 ms)")
    );
    let loud: Vec<f32> = tone(0.5, 6.0).iter().map(|s| s.clamp(-1.0, 1.0)).collect();
    assert!(told(&[room(1.0), loud, room(1.0)]).starts_with("the recording is clipped"));
}

fn takes(margins: &[f32]) -> Vec<Take> {
    let take = |(n, margin): (usize, &f32)| Take {
        name: format!("{n}"),
        text: "Hey Joy".into(),
        margin: *margin,
        rival: None,
    };
    margins.iter().enumerate().map(take).collect()
}

fn refused(takes: &[Take]) -> Vec<(usize, String)> {
    left_out(takes).into_iter().enumerate().filter_map(|(at, one)| Some((at, one.refused?))).collect()
}

#[test]
fn a_recording_unlike_the_others_is_refused_with_the_reason() {
    assert_eq!(refused(&takes(&[-0.9, -1.2, -0.7, -1.6, -1.1])), []);
    let mut some = takes(&[-0.9, -1.2, -3.4, -0.7, -1.1]);
    some[2].text = "Hello.".into();
    let told = "it came to -3.4, the others to -0.9; it sounds like \"Hello.\"";
    assert_eq!(refused(&some), [(2, told.into())]);
    some[0].rival = Some("hey joe".into());
    assert_eq!(
        refused(&some)[0],
        (0, "it sounds more like \"hey joe\"; if that is how you say it, add --alike \"hey joe\"".into())
    );
    let all: Vec<usize> = refused(&takes(&[-5.0, -5.2, -4.9])).into_iter().map(|(at, _)| at).collect();
    assert_eq!(all, [0, 1, 2], "alike, and none of them the phrase");
    assert_eq!(refused(&takes(&[-1.0, f32::NAN, -1.0])).len(), 1);
    assert_eq!(left_out(&[]), []);
}

#[test]
fn each_is_held_against_what_the_others_ask_for() {
    let asked = left_out(&takes(&[-1.0, -2.0, -2.6]));
    let asked: Vec<String> = asked.iter().map(|one| format!("{:.1}", one.asked)).collect();
    assert_eq!(asked, ["-3.3", "-3.3", "-2.7"]);
}

#[test]
fn the_margin_lets_the_voice_in_and_keeps_the_rest_out() {
    assert_eq!(margin(&takes(&[-0.5, -1.0]), -7.0, 0.5), Some(-2.0), "never stricter than this");
    assert_eq!(margin(&takes(&[-0.5, -2.0]), -7.0, 0.5), Some(-2.7));
    assert_eq!(margin(&takes(&[-0.5, -3.6]), -7.0, 0.5), Some(-4.0), "never laxer than this");
    assert_eq!(margin(&takes(&[-0.5, -3.0]), -4.0, 0.5), Some(-3.5));
    assert_eq!(margin(&takes(&[-0.5, -3.0]), -3.2, 0.5), None, "other speech is as like it");
}

proptest! {
    #[test]
    fn whatever_is_recorded_is_cut_or_refused(
        levels in prop::collection::vec((0.0_f32..0.7, -100.0_f32..10.0), 0..12),
    ) {
        let recording: Vec<f32> = levels.iter().flat_map(|(seconds, db)| tone(*seconds, *db)).collect();
        if let Ok(phrase) = trimmed(&recording) {
            let ms = phrase.len() * 1000 / RATE as usize;
            prop_assert!((LENGTHS.start..LENGTHS.end + 70).contains(&ms), "{}", ms);
        }
    }

    #[test]
    fn no_margin_shuts_out_a_recording_it_was_made_from(
        margins in prop::collection::vec(-4.0_f32..0.0, 5..8),
        likest in -10.0_f32..-1.0,
    ) {
        if let Some(margin) = margin(&takes(&margins), likest, 0.5) {
            prop_assert!(margins.iter().all(|take| *take >= margin - 0.01));
            prop_assert!(margin >= likest + 0.49);
        }
    }
}
