use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32};

use super::*;

/// Impatient limits, so that a test over real threads takes no longer than it must.
fn quick() -> LivenessLimits {
    LivenessLimits {
        report_after: Duration::from_secs(60),
        opening: Duration::from_secs(60),
        first: Duration::from_secs(60),
        starting: Duration::ZERO,
        stall: Duration::from_secs(60),
        storm: 200,
        silent: None,
        dead: Duration::from_secs(60),
        rest: Duration::ZERO,
        rest_max: Duration::ZERO,
        settled: Duration::from_secs(60),
        look: Duration::ZERO,
        look_max: Duration::ZERO,
        look_told: Duration::ZERO,
    }
}

fn line(notice: &DeviceNotice<u32>) -> String {
    match notice {
        DeviceNotice::Up(link) => format!("up {link}"),
        DeviceNotice::Down => "down".to_owned(),
        DeviceNotice::Gone(fault) => format!("gone: {fault}"),
        DeviceNotice::Back { device } => format!("back: {device}"),
    }
}

fn which(rank: usize) -> DeviceIdentity {
    DeviceIdentity { id: format!("device {rank}"), rank }
}

fn access(open: Opener<u32>) -> DeviceAccess<u32> {
    DeviceAccess { open, survey: Arc::new(|_| Survey::Same) }
}

/// Says on which thread it was dropped.
struct Stream(mpsc::Sender<Option<String>>);

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.0.send(thread::current().name().map(str::to_owned));
    }
}

#[test]
fn a_lost_session_is_opened_again_and_closed_on_its_own_thread() {
    let (dropped, drops) = mpsc::channel();
    let attempts = AtomicU32::new(0);
    let opener: Opener<u32> = Arc::new(move |stats| {
        let attempt = attempts.fetch_add(1, Ordering::Relaxed);
        if attempt == 0 {
            return Err(DeviceFault::NotFound { wanted: vec!["x".into()] });
        }
        stats.runs_at(48_000);
        stats.beat(0, false);
        if attempt == 1 {
            // The third look at it finds it dead: after the news that it is back.
            let stats = Arc::clone(stats);
            thread::spawn(move || {
                thread::park_timeout(TICK * 3);
                stats.error(ErrorSeverity::Fatal);
            });
        }
        let stream = Box::new(Stream(dropped.clone()));
        Ok(OpenedStream { device: format!("device {attempt}"), which: which(0), stream, link: attempt })
    });
    let (tell, notices) = mpsc::channel();
    let supervisor = StreamSupervisor::spawn("joi-test", access(opener), quick(), move |notice| {
        let _ = tell.send(line(&notice));
    });
    let story: Vec<_> = notices.iter().take(7).collect();
    assert_eq!(
        story,
        [
            "gone: none of the devices [\"x\"] was found; see `joi devices` for what there is",
            "up 1",
            "back: device 1",
            "down",
            "gone: device 1 was lost; plug it in again or check the sound system",
            "up 2",
            "back: device 2",
        ]
    );
    assert_eq!(drops.recv().unwrap().as_deref(), Some("joi-test-session"));
    drop(supervisor);
    assert_eq!(drops.recv().unwrap().as_deref(), Some("joi-test-session"));
}

#[test]
fn hung_sessions_are_left_behind_but_not_without_end() {
    let (release, hold) = mpsc::channel::<()>();
    let hold = Mutex::new(hold);
    let opener: Opener<u32> = Arc::new(move |_| {
        let _ = hold.lock().unwrap().recv();
        Err(DeviceFault::Hung)
    });
    let limits = LivenessLimits { opening: Duration::ZERO, ..quick() };
    let (tell, notices) = mpsc::channel();
    let mut watch = StreamSupervision::new("joi-test", access(opener));
    let mut liveness = Liveness::new(limits, Instant::now());
    let mut tell = |notice: DeviceNotice<u32>| tell.send(line(&notice)).unwrap();
    for _ in 0..100 {
        watch.step(&mut liveness, &mut tell);
    }
    assert_eq!(watch.threads.load(Ordering::Acquire), MAX_HUNG);
    assert_eq!(
        notices.try_iter().collect::<Vec<_>>(),
        [
            "gone: the sound system hangs while it opens the device; restart it",
            "gone: the sound system hung too often; restart this program",
        ]
    );
    drop(release);
}

#[test]
fn a_preferred_device_that_is_back_is_changed_to_without_a_fault() {
    let preferred_is_there = Arc::new(AtomicBool::new(false));
    let there = Arc::clone(&preferred_is_there);
    let open: Opener<u32> = Arc::new(move |stats| {
        stats.beat(0, false);
        let rank = usize::from(!there.load(Ordering::Relaxed));
        let device = ["preferred", "stand-in"][rank].to_owned();
        Ok(OpenedStream { device, which: which(rank), stream: Box::new(()), link: rank as u32 })
    });
    let there = Arc::clone(&preferred_is_there);
    let asked = Arc::new(Mutex::new(vec![]));
    let asks = Arc::clone(&asked);
    let survey = Arc::new(move |which: &DeviceIdentity| {
        asks.lock().unwrap().push(which.rank);
        if which.rank > 0 && there.load(Ordering::Relaxed) { Survey::Better } else { Survey::Same }
    });
    let (tell, notices) = mpsc::channel();
    let limits =
        LivenessLimits { look: Duration::from_millis(1), look_max: Duration::from_millis(1), ..quick() };
    let _supervisor =
        StreamSupervisor::spawn("joi-test", DeviceAccess { open, survey }, limits, move |notice| {
            let _ = tell.send(line(&notice));
        });
    let mut story: Vec<_> = notices.iter().take(2).collect();
    preferred_is_there.store(true, Ordering::Relaxed);
    story.extend(notices.iter().take(3));
    assert_eq!(story, ["up 1", "back: stand-in", "down", "up 0", "back: preferred"]);
    assert!(asked.lock().unwrap().contains(&1));
}

#[cfg(feature = "pulseaudio")]
#[test]
fn a_device_that_comes_while_they_are_listed_is_seen_by_another_look() {
    let (tell_stats, opened) = mpsc::channel();
    let open: Opener<u32> = Arc::new(move |stats| {
        stats.beat(0, false);
        stats.devices_changed();
        let _ = tell_stats.send(Arc::clone(stats));
        Ok(OpenedStream { device: "device".into(), which: which(0), stream: Box::new(()), link: 0 })
    });
    let (begun, begins) = mpsc::channel();
    let (go_on, may_end) = mpsc::channel::<()>();
    let may_end = Mutex::new(may_end);
    let survey = Arc::new(move |_: &DeviceIdentity| {
        let _ = begun.send(());
        let _ = may_end.lock().unwrap().recv();
        Survey::Same
    });
    let seldom = Duration::from_secs(3600);
    let limits = LivenessLimits { look: seldom, look_max: seldom, look_told: seldom, ..quick() };
    let mut watch = StreamSupervision::new("joi-test", DeviceAccess { open, survey });
    let mut liveness = Liveness::new(limits, Instant::now());
    let is_back = Arc::new(AtomicBool::new(false));
    let back = Arc::clone(&is_back);
    let mut tell = move |notice: DeviceNotice<u32>| {
        if matches!(notice, DeviceNotice::Back { .. }) {
            back.store(true, Ordering::Relaxed);
        }
    };
    while !is_back.load(Ordering::Relaxed) {
        watch.step(&mut liveness, &mut tell);
    }
    let stats = opened.recv().unwrap();
    stats.devices_changed();
    watch.step(&mut liveness, &mut tell);
    begins.recv().unwrap();
    stats.devices_changed();
    watch.step(&mut liveness, &mut tell);
    assert!(begins.try_recv().is_err(), "one at a time");
    go_on.send(()).unwrap();
    while watch.survey.is_none() || watch.is_survey_due {
        watch.step(&mut liveness, &mut tell);
    }
    drop(go_on);
    begins.recv().unwrap();
}
