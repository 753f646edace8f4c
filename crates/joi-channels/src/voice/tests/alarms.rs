//! A danger while somebody has called or speaks, or seems to, and how loud it is.

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;
use joi_audio::{DeviceFault, PlayEvent};

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_secs(60);

fn smoke() -> Announcement {
    let alarm = Announcement::new(AnnouncementOrigin::Alert, AnnouncementPriority::Critical, "Smoke!");
    Announcement { if_unheard: IfUnheard::Repeat(Duration::from_secs(60)), ..alarm }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wake_phrase_that_nobody_said_does_not_hold_an_alarm_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alarm.wav");
    let announcer = announcer(3);
    let mut bench = Bench::with(&file, 3, &Voice::None, ConversationConfig::default(), &announcer);
    let wake = HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() };
    bench.hears(wake).await;
    bench.until(Activity::Listening).await;
    announcer.announce(smoke()).await;
    // The listener says nothing of an utterance, nor of its end.
    let told = timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is told");
    assert!(told.contains(&News::Told(Private("Smoke!".into()))), "{told:?}");
    timeout(LIMIT, bench.until(Activity::Listening)).await.expect("somebody may say that he has heard it");
    assert_eq!(announcer.counts().heard, 1);
    bench.end(&file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_television_that_talks_on_is_interrupted_by_an_alarm_and_the_record_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("television.wav");
    let announcer = announcer(3);
    let mut bench = Bench::with(&file, 3, &Voice::None, ConversationConfig::default(), &announcer);
    let wake = HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() };
    bench.hears(wake).await;
    bench.until(Activity::Listening).await;
    bench.hears(HearEvent::Started { generation: 1 }).await;
    announcer.announce(smoke()).await;
    // The listener says nothing of an end.
    let told = timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is told");
    assert!(told.contains(&News::Told(Private("Smoke!".into()))), "{told:?}");
    let given_up = told.iter().find_map(|news| match news {
        News::Dismissed(record) => record.decisions.last().map(|decision| decision.reason.as_str()),
        _ => None,
    });
    assert_eq!(given_up, Some("there is an alarm"));
    timeout(LIMIT, bench.until(Activity::Listening)).await.expect("somebody may say that he has heard it");
    bench.end(&file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_does_not_take_the_record_of_what_was_given_up_does_not_hold_the_alarm_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hangs.wav");
    let (announcer, records) = (announcer(3), Store::in_memory().unwrap());
    let (player, _) = Player::to_wav(&file, RATE, Pace::Fast).unwrap();
    let ring = RingSound::built_in();
    let output = EndpointOutput { player, mouth: None, echo: None, tones: Tones::On, ring };
    let config = ConversationConfig::default();
    let mut bench = Bench::through(output, 3, config, &announcer, Some(records.clone()));
    records.hang();
    let wake = HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() };
    bench.hears(wake).await;
    bench.until(Activity::Listening).await;
    bench.hears(HearEvent::Started { generation: 1 }).await;
    announcer.announce(smoke()).await;
    timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is told");
    timeout(LIMIT, bench.until(Activity::Listening)).await.expect("somebody may say that he has heard it");
    records.answer_again();
    bench.end(&file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alarm_is_never_softer_than_configured_and_afterwards_she_is_as_soft_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loud.wav");
    let announcer = announcer(3);
    let mut bench = Bench::with(&file, 3, &Voice::None, ConversationConfig::default(), &announcer);
    bench.player.set_volume(joi_audio::Volume::percent(5));
    announcer.announce(smoke()).await;
    timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is told");
    assert_eq!(bench.player.volume().as_percent(), 80);
    assert!(announcer.silence_alarms());
    let as_before = async {
        while bench.player.volume().as_percent() != 5 {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, as_before).await.expect("as soft as before");
    bench.end(&file).await;
}

/// A voice over a file that plays the loudspeaker, and the sender that reports what became of its sound.
fn with_a_loudspeaker_of_ours(file: &Path) -> (EndpointOutput, Receiver<PlayEvent>, Sender<PlayEvent>) {
    let (player, played) = Player::to_wav(file, RATE, Pace::Fast).unwrap();
    let (tells, told) = mpsc::channel(256);
    let joe = joe().into();
    let mouth = Some(Mouth::spawn(joe, player.clone(), told, Heart::unwatched()).unwrap());
    let ring = RingSound::built_in();
    (EndpointOutput { player, mouth, echo: None, tones: Tones::On, ring }, played, tells)
}

fn missing() -> PlayEvent {
    PlayEvent::Gone(DeviceFault::NotFound { wanted: vec!["usb".into()] })
}

fn found() -> PlayEvent {
    PlayEvent::Back { device: "usb".into() }
}

impl Bench {
    /// Waits until this is reported.
    async fn until_reported(&mut self, wanted: &News) {
        let told = async { while self.news.recv().await.expect("it goes on") != *wanted {} };
        timeout(LIMIT, told).await.expect("it is told");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_loudspeaker_no_alarm_is_synthesised_and_with_one_all_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("missing.wav");
    let announcer = announcer(3);
    let (output, mut played, tells) = with_a_loudspeaker_of_ours(&file);
    let voice = output.mouth.as_ref().map(|(mouth, _)| mouth.clone()).unwrap();
    let mut bench = Bench::through(output, 3, ConversationConfig::default(), &announcer, None);
    tells.send(missing()).await.unwrap();
    while !matches!(bench.news.recv().await, Some(News::Speechless(_))) {}
    let if_unheard = IfUnheard::Repeat(Duration::from_secs(3600));
    let alarm = |n| Announcement { wording: format!("Smoke in cellar {n}!").into(), if_unheard, ..smoke() };
    for n in 0..6 {
        announcer.announce(alarm(n)).await;
    }
    // Each change of the queue is reported before it is asked what is to be said.
    bench.until_reported(&News::Told(Private("Smoke in cellar 5!".into()))).await;
    announcer.announce(alarm(6)).await;
    bench.until_reported(&News::Told(Private("Smoke in cellar 6!".into()))).await;
    assert_eq!((voice.syntheses(), announcer.counts().heard), (0, 0));

    tells.send(found()).await.unwrap();
    let forward = tokio::spawn(async move {
        while let Some(event) = played.recv().await {
            if tells.send(event).await.is_err() {
                return;
            }
        }
    });
    let all = async {
        while announcer.counts().heard < 7 {
            bench.news.recv().await.expect("it goes on");
        }
    };
    timeout(LIMIT * 2, all).await.expect("all of them are said");
    assert_eq!(voice.syntheses(), 7);
    bench.end(&file).await;
    drop(voice);
    forward.abort();
}

/// Hands on what becomes of sound, as `changed` makes it, until `last` is.
async fn forward(
    (played, tells): (&mut Receiver<PlayEvent>, &Sender<PlayEvent>),
    changed: impl Fn(PlayEvent) -> PlayEvent,
    last: impl Fn(&PlayEvent) -> bool,
) {
    let mut is_over = false;
    while !is_over {
        let event = timeout(LIMIT, played.recv()).await.unwrap().unwrap();
        is_over = last(&event);
        tells.send(changed(event)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_loudspeaker_that_was_pulled_out_did_not_play_is_said_once_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pulled.wav");
    let announcer = announcer(12);
    let (output, mut played, tells) = with_a_loudspeaker_of_ours(&file);
    let mut bench = Bench::through(output, 12, ConversationConfig::default(), &announcer, None);
    let is_idle = |event: &PlayEvent| *event == PlayEvent::Idle;
    for if_unheard in [IfUnheard::Keep, IfUnheard::Drop] {
        let report =
            Announcement::new(AnnouncementOrigin::Agent, AnnouncementPriority::Notice, "It is done.");
        let id = announcer.announce(Announcement { if_unheard, ..report }).await;
        let has_begun = |event: &PlayEvent| matches!(event, PlayEvent::Started { .. });
        forward((&mut played, &tells), |event| event, has_begun).await;
        timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it begins");
        tells.send(missing()).await.unwrap();
        while !matches!(bench.news.recv().await, Some(News::Speechless(_))) {}
        let dropped = |event| match event {
            PlayEvent::Finished { tag, .. } => PlayEvent::Dropped { tag },
            event => event,
        };
        forward((&mut played, &tells), dropped, is_idle).await;
        timeout(LIMIT, bench.until(Activity::Idle)).await.expect("it has ended");
        assert!(announcer.is_waiting(id), "{if_unheard:?}");
        tells.send(found()).await.unwrap();
        forward((&mut played, &tells), |event| event, is_idle).await;
        timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is said again");
        timeout(LIMIT, bench.until(Activity::Idle)).await.expect("it has ended");
        assert_eq!(announcer.outcome(id), Some(joi_schedule::announce::AnnouncementOutcome::Heard));
    }
    bench.end(&file).await;
}
