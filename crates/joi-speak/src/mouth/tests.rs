use super::report::REST_AFTER;
use super::*;
use joi_audio::{Pace, read_wav};
use joi_language::testing::english;

fn line(turn: u64, index: u32, text: &str) -> SpokenLine {
    SpokenLine {
        turn: TurnId(turn),
        index,
        text: text.into(),
        part: LineRole::Answer,
        language: english().to_code(),
    }
}

/// A mouth with the real voice that speaks into a file as fast as it can.
fn mouth(file: &std::path::Path) -> (Mouth, Player, mpsc::Receiver<SpeakEvent>) {
    let (player, played) = Player::to_wav(file, 16_000, Pace::Fast).unwrap();
    let (mouth, events) =
        Mouth::spawn(crate::testing::joe().into(), player.clone(), played, Heart::unwatched()).unwrap();
    (mouth, player, events)
}

/// All events of a turn up to its end, without their moments.
async fn until_done(events: &mut mpsc::Receiver<SpeakEvent>, turn: TurnId) -> Vec<String> {
    let mut told = Vec::new();
    while let Some(event) = events.recv().await {
        match event {
            SpeakEvent::Started { turn, .. } => told.push(format!("{turn} started")),
            SpeakEvent::Saying { turn, spoken, .. } => told.push(format!("{turn} says {spoken:?}")),
            SpeakEvent::Heard { line: SpokenLine { turn, index, text, .. }, .. } => {
                told.push(format!("{turn} heard {index} {text:?}"));
            }
            SpeakEvent::Failed { turn, error } => told.push(format!("{turn} failed {error}")),
            SpeakEvent::Done { turn: done, .. } => {
                told.push(format!("{done} done"));
                if done == turn {
                    break;
                }
            }
            SpeakEvent::Voiceless(why) => told.push(format!("no voice: {why}")),
            SpeakEvent::Mute(_) | SpeakEvent::Audible { .. } => {}
        }
    }
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prepared_line_is_reported_and_heard_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let (mouth, player, mut events) = mouth(&folder.path().join("said.wav"));
    for (turn, prepared) in [(1, "It is 9:05."), (2, "It is 9:06.")] {
        mouth.prepare(prepared.into(), english().to_code());
        mouth.say(line(turn, 0, "It is 9:05.")).await.unwrap();
        mouth.finish(TurnId(turn)).await.unwrap();
        let told = [
            format!("{turn} started"),
            format!("{turn} says \"It is 9 oh 5.\""),
            format!("{turn} heard 0 \"It is 9:05.\""),
            format!("{turn} done"),
        ];
        assert_eq!(until_done(&mut events, TurnId(turn)).await, told);
    }
    mouth.close().await;
    drop(player);
}

/// Says one line in a turn of its own, to its end.
async fn say_alone(
    mouth: &Mouth,
    events: &mut mpsc::Receiver<SpeakEvent>,
    turn: u64,
    text: &str,
) -> Vec<String> {
    mouth.say(line(turn, 0, text)).await.unwrap();
    mouth.finish(TurnId(turn)).await.unwrap();
    until_done(events, TurnId(turn)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_line_that_was_said_before_is_not_synthesised_again_and_sounds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("said.wav");
    let (mouth, player, mut events) = mouth(&file);
    let long = "It is a long story that goes on for quite a while before it ends.";
    let said = [("Okay.", 1), ("Okay.", 1), (long, 2), (long, 3), ("Okay.", 3), ("Okay?", 4), ("*Okay.*", 4)];
    for ((text, syntheses), turn) in said.into_iter().zip(1..) {
        let before = player.played();
        let told = say_alone(&mouth, &mut events, turn, text).await;
        let expected =
            [format!("{turn} started"), format!("{turn} heard 0 {text:?}"), format!("{turn} done")];
        assert!(expected.iter().all(|event| told.contains(event)), "{told:?}");
        assert_eq!(mouth.syntheses(), syntheses, "{text} in turn {turn}");
        assert!(player.played() > before, "it is counted as played");
    }
    mouth.prepare("Okay.".into(), english().to_code());
    say_alone(&mouth, &mut events, 9, "Okay.").await;
    assert_eq!(mouth.syntheses(), 4, "what is ready needs no preparation");
    mouth.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_has_the_samples_that_were_synthesised() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("said.wav");
    let (mouth, player, mut events) = mouth(&file);
    for turn in 1..=2 {
        say_alone(&mouth, &mut events, turn, "One moment, please.").await;
    }
    tokio::task::spawn_blocking(move || player.finish()).await.unwrap().unwrap();
    let samples = read_wav(&file, 16_000).unwrap();
    assert!(samples.iter().any(|sample| sample.abs() > 0.1));
    let (one, other) = samples.split_at(samples.len() / 2);
    let apart = one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
    assert!(apart < 1e-3, "they differ by {apart}");
    mouth.close().await;
}

/// A mouth whose voice comes, or does not, once it is said so.
fn mouth_loading(
    file: &std::path::Path,
    voice: std::sync::mpsc::Receiver<Result<LanguageVoices, String>>,
) -> (Mouth, Player, mpsc::Receiver<SpeakEvent>) {
    let (player, played) = Player::to_wav(file, 16_000, Pace::Fast).unwrap();
    let load = move || voice.recv().map_err(|e| e.to_string())?;
    let (mouth, events) = Mouth::loading(load, player.clone(), played, Heart::unwatched()).unwrap();
    (mouth, player, events)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_while_the_voice_is_loaded_sounds_when_it_is_there_and_what_was_stopped_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let (comes, voice) = std::sync::mpsc::channel();
    let (mouth, player, mut events) = mouth_loading(&folder.path().join("said.wav"), voice);
    mouth.say(line(1, 0, "Not this.")).await.unwrap();
    mouth.finish(TurnId(1)).await.unwrap();
    mouth.stop();
    mouth.say(line(2, 0, "It is 9:05.")).await.unwrap();
    mouth.finish(TurnId(2)).await.unwrap();
    assert!(events.try_recv().is_err(), "there is no voice yet");
    comes.send(Ok(crate::testing::joe().into())).unwrap();
    let told = ["2 started", "2 says \"It is 9 oh 5.\"", "2 heard 0 \"It is 9:05.\"", "2 done"];
    assert_eq!(until_done(&mut events, TurnId(2)).await, told);
    mouth.close().await;
    drop(player);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_voice_that_cannot_be_loaded_is_reported_once_and_every_turn_ends_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let (comes, voice) = std::sync::mpsc::channel();
    let (mouth, player, mut events) = mouth_loading(&folder.path().join("said.wav"), voice);
    mouth.say(line(1, 0, "It is 9:05.")).await.unwrap();
    mouth.finish(TurnId(1)).await.unwrap();
    comes.send(Err("fetch it".into())).unwrap();
    let told = ["no voice: fetch it", "1 heard 0 \"It is 9:05.\"", "1 done"];
    assert_eq!(until_done(&mut events, TurnId(1)).await, told);
    mouth.prepare("Hello.".into(), english().to_code());
    mouth.say(line(2, 0, "Hello.")).await.unwrap();
    mouth.finish(TurnId(2)).await.unwrap();
    assert_eq!(until_done(&mut events, TurnId(2)).await, ["2 heard 0 \"Hello.\"", "2 done"]);
    mouth.close().await;
    drop(player);
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_are_spoken_in_order_and_reported_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("said.wav");
    let (mouth, player, mut events) = mouth(&file);
    for (index, text) in [(0, "**Good** morning. "), (1, "🙂\n"), (2, "It is 9:05.")] {
        mouth.say(line(1, index, text)).await.unwrap();
    }
    mouth.finish(TurnId(1)).await.unwrap();
    assert_eq!(
        until_done(&mut events, TurnId(1)).await,
        [
            "1 started",
            "1 says \"Good morning.\"",
            "1 heard 0 \"**Good** morning. \"",
            "1 heard 1 \"🙂\\n\"",
            "1 says \"It is 9 oh 5.\"",
            "1 heard 2 \"It is 9:05.\"",
            "1 done"
        ]
    );
    let length = tokio::task::spawn_blocking(move || player.finish()).await.unwrap().unwrap();
    assert!((1.5..6.0).contains(&length.as_secs_f64()), "{length:?}");
    let samples = read_wav(&file, 16_000).unwrap();
    assert!(samples.iter().any(|s| s.abs() > 0.1));
    mouth.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_turn_is_silent_and_the_next_one_speaks() {
    let folder = tempfile::tempdir().unwrap();
    let (mouth, player, mut events) = mouth(&folder.path().join("said.wav"));
    let long = "And another thing that goes on for quite a while before anything happens. ".repeat(30);
    mouth.say(line(1, 0, &long)).await.unwrap();
    assert!(matches!(events.recv().await, Some(SpeakEvent::Audible { .. } | SpeakEvent::Started { .. })));
    mouth.stop();
    assert_eq!(mouth.say(line(1, 1, "Never said.")).await, Err(Stopped));
    assert_eq!(mouth.finish(TurnId(1)).await, Err(Stopped));
    let before = player.played();

    mouth.say(line(2, 0, "Yes?")).await.unwrap();
    mouth.finish(TurnId(2)).await.unwrap();
    let told = until_done(&mut events, TurnId(2)).await;
    let of_second: Vec<&String> = told.iter().filter(|event| event.starts_with('2')).collect();
    assert_eq!(of_second, ["2 started", "2 says \"Yes?\"", "2 heard 0 \"Yes?\"", "2 done"]);
    assert!(
        !told.iter().any(|event| event.starts_with("1 heard") || event.starts_with("1 done")),
        "{told:?}"
    );
    let spoken = player.played().saturating_sub(before);
    assert!(spoken.as_secs_f64() < 8.0, "{spoken:?}");
    mouth.close().await;
}

#[tokio::test(start_paused = true)]
async fn half_a_minute_behind_the_last_sound_the_voice_may_rest_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mouth, player, _events) = mouth(&folder.path().join("said.wav"));
    let (plays, played) = mpsc::channel(EVENTS);
    let (orders, mut inbox) = mpsc::channel(LINES);
    let (events, _told) = mpsc::channel(EVENTS);
    tokio::spawn(report(Arc::clone(&mouth.shared), played, orders.downgrade(), events));
    let second = std::time::Duration::from_secs(1);
    let now = Instant::now();
    tokio::time::sleep(REST_AFTER * 2).await;
    assert!(inbox.try_recv().is_err(), "she has said nothing");
    for _ in 0..3 {
        plays.send(PlayEvent::Started { tag: 1 << 40, taken: now, at: now }).await.unwrap();
        tokio::time::sleep(REST_AFTER - second).await;
        assert!(inbox.try_recv().is_err(), "that is not long");
    }
    tokio::time::sleep(2 * second).await;
    assert!(matches!(inbox.try_recv(), Ok(VoiceRequest::Rest)));
    tokio::time::sleep(REST_AFTER * 2).await;
    assert!(inbox.try_recv().is_err(), "it rests already");
    mouth.close().await;
    drop(player);
}
