use std::sync::atomic::AtomicUsize;

use super::*;

mod parts;

/// A speaker of 1000 samples per second that plays as much as the test lets it.
#[derive(Clone, Default)]
struct Speaker(Arc<Mutex<Heap>>);

#[derive(Default)]
struct Heap {
    pushed: Vec<f32>,
    past: usize,
    heard: Vec<f32>,
    resting: bool,
    starved: usize,
}

const ROOM: usize = 50;

impl Speaker {
    fn play(&self, count: usize) {
        let mut heap = self.0.lock().unwrap();
        let end = (heap.past + count).min(heap.pushed.len());
        let played = heap.pushed[heap.past..end].to_vec();
        heap.heard.extend(played);
        heap.past = end;
    }

    fn heard(&self) -> Vec<f32> {
        self.0.lock().unwrap().heard.clone()
    }

    fn resting(&self) -> bool {
        self.0.lock().unwrap().resting
    }

    fn starved(&self) -> usize {
        self.0.lock().unwrap().starved
    }
}

impl AudioSink for Speaker {
    fn rate(&self) -> u32 {
        1000
    }

    fn push(&mut self, samples: &[f32], _volume: f32) -> usize {
        let mut heap = self.0.lock().unwrap();
        let room = samples.len().min(ROOM - (heap.pushed.len() - heap.past));
        heap.pushed.extend_from_slice(&samples[..room]);
        heap.resting &= room == 0;
        room
    }

    fn position(&self) -> u64 {
        self.0.lock().unwrap().past as u64
    }

    fn heard(&self) -> u64 {
        self.0.lock().unwrap().heard.len() as u64
    }

    fn flush(&mut self, _epoch: u64) {
        let mut heap = self.0.lock().unwrap();
        heap.past = heap.pushed.len();
    }

    fn rest(&mut self) {
        self.0.lock().unwrap().resting = true;
    }

    fn starve(&mut self) {
        self.0.lock().unwrap().starved += 1;
    }
}

/// A player without a thread: the test steps the feeder.
struct Bench {
    player: Player,
    feeder: Feeder,
    events: mpsc::Receiver<PlayEvent>,
    now: Instant,
}

impl Bench {
    fn new(sink: Option<Box<dyn AudioSink>>) -> Self {
        let shared = PlayerState::new(Volume::percent(100));
        let (sender, events) = mpsc::channel(EVENTS);
        let feeder = Feeder::new(Arc::clone(&shared), sink, sender);
        let handle = Arc::new(Handle { shared: Arc::clone(&shared), _supervisor: None });
        Self { player: Player { shared, _handle: handle }, feeder, events, now: Instant::now() }
    }

    fn with(speaker: &Speaker) -> Self {
        Self::new(Some(Box::new(speaker.clone())))
    }

    fn step(&mut self) -> Vec<PlayEvent> {
        self.feeder.step(self.now);
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }

    fn clip(&self, tag: u64, samples: &[f32]) -> Clip {
        Clip { tag, rate: 1000, samples: samples.into(), part: ClipPart::Whole, epoch: self.player.epoch() }
    }

    fn part(&self, tag: u64, part: ClipPart, samples: &[f32]) -> Clip {
        Clip { part, ..self.clip(tag, samples) }
    }

    /// Steps and plays so much each time.
    fn run(&mut self, speaker: &Speaker, steps: usize, each: usize) -> Vec<PlayEvent> {
        let mut events = Vec::new();
        for _ in 0..steps {
            events.extend(self.step());
            speaker.play(each);
        }
        events
    }

    fn started(&self, tag: u64) -> PlayEvent {
        PlayEvent::Started { tag, taken: self.now, at: self.now }
    }

    fn finished(&self, tag: u64) -> PlayEvent {
        PlayEvent::Finished { tag, at: self.now }
    }
}

#[test]
fn events_report_playback_not_queueing() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    bench.player.play(bench.clip(1, &[0.1; 80])).unwrap();
    bench.player.play(bench.clip(2, &[0.2; 30])).unwrap();
    assert!(bench.player.is_playing());
    assert_eq!(bench.step(), []);
    speaker.play(1);
    assert_eq!(bench.step(), [bench.started(1)]);
    speaker.play(48);
    assert_eq!(bench.step(), []);
    speaker.play(31);
    assert_eq!(bench.step(), [bench.finished(1)]);
    speaker.play(29);
    assert_eq!(bench.step(), [bench.started(2)]);
    assert!(bench.player.is_playing());
    speaker.play(1);
    assert_eq!(bench.step(), [bench.finished(2), PlayEvent::Idle]);
    assert!(!bench.player.is_playing() && speaker.resting());
    assert_eq!(speaker.heard(), [[0.1; 80].as_slice(), &[0.2; 30]].concat());
    assert_eq!(bench.player.played(), Duration::from_millis(110));
}

#[test]
fn clips_of_another_rate_are_converted_and_keep_their_length() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    for (tag, rate, count) in [(1, 2000, 200), (2, 2000, 200), (3, 4000, 400)] {
        let samples: Vec<f32> = vec![0.25; count];
        let clip =
            Clip { tag, rate, samples: samples.into(), part: ClipPart::Whole, epoch: bench.player.epoch() };
        bench.player.play(clip).unwrap();
    }
    let events = bench.run(&speaker, 400, 1);
    let expected = [1, 2, 3].into_iter().flat_map(|tag| [bench.started(tag), bench.finished(tag)]);
    assert_eq!(events, expected.chain([PlayEvent::Idle]).collect::<Vec<_>>());
    let heard = speaker.heard();
    assert_eq!(heard.len(), 300);
    // The joint of two clips of one rate is not heard.
    assert!(heard[60..140].iter().all(|sample| (sample - 0.25).abs() < 0.01));
}

#[test]
fn a_flush_empties_everything_and_old_clips_are_refused() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    bench.player.play(bench.clip(1, &[0.1; 80])).unwrap();
    let late = bench.clip(2, &[0.2; 80]);
    bench.step();
    speaker.play(10);
    assert_eq!(bench.step(), [bench.started(1)]);
    bench.player.flush();
    assert!(!bench.player.is_playing());
    assert_eq!(bench.player.play(late), Err(Flushed));
    assert_eq!(bench.step(), [PlayEvent::Idle]);
    bench.player.play(bench.clip(3, &[0.3; 10])).unwrap();
    bench.step();
    speaker.play(100);
    assert_eq!(bench.step(), [bench.started(3), bench.finished(3), PlayEvent::Idle]);
    assert_eq!(speaker.heard(), [[0.1; 10].as_slice(), &[0.3; 10]].concat());
}

#[test]
fn a_full_queue_makes_the_caller_wait_until_a_flush() {
    let bench = Bench::new(None);
    for tag in 0..QUEUE as u64 {
        bench.player.play(bench.clip(tag, &[0.1])).unwrap();
    }
    let (player, clip) = (bench.player.clone(), bench.clip(99, &[0.1]));
    let waits = std::thread::spawn(move || player.play(clip));
    bench.player.flush();
    assert_eq!(waits.join().unwrap(), Err(Flushed));
}

#[test]
fn nonsensical_rates_are_refused_and_an_empty_clip_is_over_at_once() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    let clip = Clip { rate: 0, ..bench.clip(1, &[0.1]) };
    assert_eq!(bench.player.play(clip), Err(Flushed));
    bench.player.play(bench.clip(2, &[])).unwrap();
    assert_eq!(bench.step(), [bench.started(2), bench.finished(2), PlayEvent::Idle]);
}

fn gone(bench: &Bench, fault: DeviceFault) {
    bench.player.shared.change(|queue| {
        queue.notices.push_back(DeviceNotice::Down);
        queue.notices.push_back(DeviceNotice::Gone(fault));
    });
}

fn up(bench: &Bench, speaker: &Speaker) {
    let sink: Box<dyn AudioSink> = Box::new(speaker.clone());
    bench.player.shared.change(|queue| {
        queue.notices.push_back(DeviceNotice::Up(sink));
        queue.notices.push_back(DeviceNotice::Back { device: "new".into() });
    });
}

#[test]
fn a_clip_that_a_lost_device_cut_short_goes_on_where_it_was() {
    let (old, new) = (Speaker::default(), Speaker::default());
    let mut bench = Bench::with(&old);
    let samples: Vec<f32> = (0..100).map(|i| i as f32 / 200.0).collect();
    bench.player.play(bench.clip(1, &samples)).unwrap();
    bench.player.play(bench.clip(2, &[0.7; 5])).unwrap();
    bench.step();
    old.play(40);
    bench.step();
    let fault = DeviceFault::Lost { device: "old".into() };
    gone(&bench, fault.clone());
    bench.now += Duration::from_secs(1);
    assert_eq!(bench.step(), [PlayEvent::Gone(fault)]);
    assert!(bench.player.is_playing());
    bench.now += Duration::from_secs(1);
    up(&bench, &new);
    assert_eq!(bench.step(), [PlayEvent::Back { device: "new".into() }]);
    new.play(ROOM);
    bench.step();
    new.play(ROOM);
    let events = bench.step();
    assert_eq!(events, [bench.finished(1), bench.started(2), bench.finished(2), PlayEvent::Idle]);
    assert_eq!([old.heard(), new.heard()].concat(), [&samples[..], &[0.7; 5]].concat());
}

#[test]
fn without_a_speaker_clips_wait_five_seconds_and_are_dropped_and_reported() {
    let mut bench = Bench::new(None);
    bench.player.play(bench.clip(1, &[0.1; 5])).unwrap();
    bench.player.play(bench.clip(2, &[0.1; 5])).unwrap();
    assert_eq!(bench.step(), []);
    bench.now += Duration::from_millis(4_900);
    assert_eq!(bench.step(), []);
    bench.now += Duration::from_millis(100);
    let dropped = [1, 2].map(|tag| PlayEvent::Dropped { tag });
    assert_eq!(bench.step(), [&dropped[..], &[PlayEvent::Idle]].concat());
    assert!(!bench.player.is_playing());
    // Later ones do not wait again.
    bench.player.play(bench.clip(3, &[0.1; 5])).unwrap();
    assert_eq!(bench.step(), [PlayEvent::Dropped { tag: 3 }, PlayEvent::Idle]);
}

#[test]
fn events_nobody_takes_hold_back_further_clips_but_are_never_lost() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    let (sender, events) = mpsc::channel(1);
    bench.feeder = Feeder::new(Arc::clone(&bench.player.shared), Some(Box::new(speaker.clone())), sender);
    bench.events = events;
    for tag in 1..=3 {
        bench.player.play(bench.clip(tag, &[0.1; 5])).unwrap();
    }
    let mut tags = vec![];
    for _ in 0..12 {
        bench.feeder.step(bench.now);
        speaker.play(5);
        tags.extend(bench.events.try_recv().ok());
    }
    let expected = [1, 2, 3].into_iter().flat_map(|tag| [bench.started(tag), bench.finished(tag)]);
    assert_eq!(tags, expected.chain([PlayEvent::Idle]).collect::<Vec<_>>());
}

#[test]
fn the_volume_is_what_was_set() {
    let bench = Bench::new(None);
    bench.player.set_volume(Volume::percent(30));
    assert_eq!(bench.player.volume(), Volume::percent(30));
}

#[test]
fn ducking_leaves_the_volume_and_ends_with_a_flush_and_with_the_last_clip() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    bench.player.set_volume(Volume::percent(50));
    let full = bench.player.shared.gain();
    let is_ducked = |bench: &Bench| bench.player.shared.gain() < 0.11 * full;
    bench.player.play(bench.clip(1, &[0.1; 10])).unwrap();
    bench.step();
    bench.player.duck(Duck::Ducked);
    assert!(is_ducked(&bench));
    assert_eq!(bench.player.volume(), Volume::percent(50));
    bench.step();
    assert!(is_ducked(&bench), "as long as something plays");
    speaker.play(10);
    bench.step();
    assert!(!is_ducked(&bench));
    bench.player.duck(Duck::Ducked);
    bench.player.flush();
    assert!(!is_ducked(&bench));
    bench.player.duck(Duck::Ducked);
    bench.player.duck(Duck::Full);
    assert_eq!(bench.player.shared.gain(), full);
}

#[test]
fn a_speaker_that_died_without_news_leaves_its_clips_to_the_next_one() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    bench.player.play(bench.clip(1, &[0.1; 10])).unwrap();
    bench.step();
    bench.player.shared.change(|queue| queue.notices.push_back(DeviceNotice::Down));
    bench.step();
    bench.now += Duration::from_secs(5);
    assert_eq!(bench.step(), [PlayEvent::Dropped { tag: 1 }, PlayEvent::Idle]);
}

#[test]
fn dropping_the_last_handle_ends_the_feeder() {
    struct Ends(Speaker, Arc<AtomicUsize>, std_mpsc::Sender<()>);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
            let _ = self.2.send(());
        }
    }
    impl AudioSink for Ends {
        fn rate(&self) -> u32 {
            self.0.rate()
        }
        fn push(&mut self, samples: &[f32], volume: f32) -> usize {
            self.0.push(samples, volume)
        }
        fn position(&self) -> u64 {
            self.0.position()
        }
        fn heard(&self) -> u64 {
            AudioSink::heard(&self.0)
        }
        fn flush(&mut self, epoch: u64) {
            self.0.flush(epoch);
        }
        fn rest(&mut self) {
            self.0.rest();
        }
    }
    let (ended, ends) = std_mpsc::channel();
    let count = Arc::<AtomicUsize>::default();
    let sink = Ends(Speaker::default(), Arc::clone(&count), ended);
    let (player, _events) = Player::start(PlayerState::new(Volume::percent(1)), Some(Box::new(sink)), None);
    let clone = player.clone();
    drop(player);
    assert_eq!(count.load(Ordering::Relaxed), 0);
    drop(clone);
    ends.recv().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn handles_may_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Player>();
}
