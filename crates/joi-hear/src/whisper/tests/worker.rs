//! The worker thread: what is begun, aborted, deferred and reported, with a scripted model, and once with the real one.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use super::super::worker::{Transcriber, spawn_loading};
use super::*;

/// Answers with the number of samples; waits for a go-ahead first, or for the abort flag.
struct Scripted {
    begun: Sender<usize>,
    go: Receiver<()>,
}

impl Transcriber for Scripted {
    fn understand(&mut self, utterance: &Utterance, abort: &AtomicBool) -> Result<Transcript, SttError> {
        let Utterance { samples, generation, revision, .. } = utterance;
        self.begun.send(samples.len()).unwrap();
        loop {
            if abort.load(Ordering::Relaxed) {
                return Err(SttError::Aborted);
            }
            match self.go.recv_timeout(Duration::from_millis(1)) {
                Ok(()) => return Ok(said(samples.len(), *generation, *revision)),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(e) => return Err(SttError::Failed(e.to_string())),
            }
        }
    }
}

fn said(length: usize, generation: u64, revision: u32) -> Transcript {
    Transcript {
        language: None,
        generation,
        revision,
        text: length.to_string(),
        mean_logprob: 0.0,
        no_speech: 0.0,
        audio_ctx: 384,
        ran_away: false,
        took: Duration::ZERO,
    }
}

struct Bench {
    stt: Stt<Scripted>,
    events: tokio::sync::mpsc::Receiver<SttEvent>,
    begun: Receiver<usize>,
    go: Sender<()>,
}

impl Bench {
    fn new() -> Self {
        let ((begun_sender, begun), (go, go_receiver)) = (channel(), channel());
        let scripted = Scripted { begun: begun_sender, go: go_receiver };
        let (stt, events) = spawn_loading(move || Some(scripted), Heart::unwatched()).unwrap();
        Self { stt, events, begun, go }
    }

    fn event(&mut self) -> SttEvent {
        self.events.blocking_recv().unwrap()
    }
}

fn event(generation: u64, revision: u32, length: usize, urgency: DecodeUrgency) -> SttEvent {
    SttEvent { generation, revision, urgency, result: Ok(said(length, generation, revision)) }
}

#[test]
fn a_final_job_is_answered_by_the_speculative_result_of_its_revision() {
    let mut bench = Bench::new();
    bench.stt.submit(job(1, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.begun.recv(), Ok(10));
    bench.stt.submit(job(1, 0, 12, DecodeUrgency::Final));
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(1, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.event(), event(1, 0, 10, DecodeUrgency::Final));
    assert!(bench.begun.try_recv().is_err(), "nothing was decoded twice");
    drop(bench.stt);
}

#[test]
fn a_newer_revision_or_generation_aborts_the_running_decode_and_voids_its_result() {
    let mut bench = Bench::new();
    bench.stt.submit(job(1, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.begun.recv(), Ok(10));
    bench.stt.submit(job(1, 1, 20, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(20));
    bench.stt.submit(job(2, 0, 30, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(30));
    bench.stt.submit(job(1, 7, 40, DecodeUrgency::Final));
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(2, 0, 30, DecodeUrgency::Final));
    drop(bench.stt);
}

#[test]
fn speech_that_goes_on_voids_the_speculative_result() {
    let mut bench = Bench::new();
    bench.stt.submit(job(3, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.begun.recv(), Ok(10));
    bench.stt.cancel_before(3, 1);
    bench.stt.submit(job(3, 0, 10, DecodeUrgency::Final));
    bench.stt.submit(job(3, 1, 25, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(25));
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(3, 1, 25, DecodeUrgency::Final));
    drop(bench.stt);
}

#[test]
fn a_revision_that_nobody_waits_for_is_given_up_and_may_be_asked_for_again() {
    let mut bench = Bench::new();
    bench.stt.submit(job(3, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.begun.recv(), Ok(10));
    bench.stt.submit(job(3, 0, 11, DecodeUrgency::Final));
    bench.stt.abandon(2, 9);
    bench.stt.abandon(3, 0);
    bench.stt.submit(job(3, 0, 12, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(12), "neither the one that ran nor the one that waited goes on");
    bench.stt.abandon(2, 9);
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(3, 0, 12, DecodeUrgency::Final));
    drop(bench.stt);
}

#[test]
fn what_is_put_off_is_begun_when_it_is_due_and_never_when_it_is_void_or_urgent_by_then() {
    let mut bench = Bench::new();
    let never = Instant::now() + Duration::from_hours(1);
    let put_off =
        |length, then| bench.stt.submit_later(job(1, 0, length, DecodeUrgency::Speculative).utterance, then);
    put_off(10, Instant::now());
    assert_eq!(bench.begun.recv(), Ok(10));
    bench.go.send(()).unwrap();
    assert_eq!(bench.events.blocking_recv(), Some(event(1, 0, 10, DecodeUrgency::Speculative)));
    bench.stt.cancel_before(1, 1);
    bench.stt.submit_later(job(1, 1, 20, DecodeUrgency::Speculative).utterance, never);
    bench.stt.submit(job(1, 1, 21, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(21), "the utterance has ended, and nothing waits any more");
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(1, 1, 21, DecodeUrgency::Final));
    bench.stt.submit_later(job(2, 0, 30, DecodeUrgency::Speculative).utterance, never);
    bench.stt.cancel_before(2, 1);
    bench.stt.submit_later(job(2, 1, 40, DecodeUrgency::Speculative).utterance, Instant::now());
    assert_eq!(bench.begun.recv(), Ok(40), "speech went on");
    drop(bench.stt);
}

#[test]
fn dropping_the_handle_ends_the_thread_and_the_events() {
    let mut bench = Bench::new();
    bench.stt.submit(job(1, 0, 10, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(10));
    drop(bench.stt);
    assert_eq!(bench.begun.try_recv(), Err(TryRecvError::Disconnected), "the model is gone by then");
    assert_eq!(bench.events.blocking_recv(), None);
}

#[test]
fn the_model_is_lent_after_the_transcriptions_and_never_when_the_thread_has_ended() {
    let mut bench = Bench::new();
    let lender = bench.stt.lender();
    bench.stt.submit(job(1, 0, 10, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(10));
    let (done, when) = channel();
    for n in 0..4 {
        let done = done.clone();
        assert!(lender.lend(move |_: &mut Scripted| done.send(n).unwrap()));
    }
    assert!(!lender.lend(|_| unreachable!("a fifth one is refused")));
    assert!(when.try_recv().is_err(), "the transcription goes first");
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(1, 0, 10, DecodeUrgency::Final));
    drop(done);
    assert_eq!(when.iter().collect::<Vec<i32>>(), [0, 1, 2, 3]);
    drop(bench.stt);
    assert!(!lender.lend(|_| unreachable!("nobody would do it")));
}

#[test]
fn what_comes_while_the_model_is_loaded_is_done_when_it_is_there() {
    let ((begun, begins), (go, may_go), (loaded, loading)) = (channel(), channel(), channel());
    let load = move || {
        loading.recv().ok()?;
        Some(Scripted { begun, go: may_go })
    };
    let (stt, mut events) = spawn_loading(load, Heart::unwatched()).unwrap();
    let (done, when) = channel();
    stt.submit(job(1, 0, 10, DecodeUrgency::Speculative));
    stt.submit(job(1, 1, 11, DecodeUrgency::Final));
    assert!(stt.lender().lend(move |_: &mut Scripted| done.send(()).unwrap()));
    assert_eq!(begins.try_recv(), Err(TryRecvError::Empty), "there is no model yet");
    loaded.send(()).unwrap();
    assert_eq!(begins.recv(), Ok(11), "only the newest is wanted");
    assert_eq!(when.try_recv(), Err(TryRecvError::Empty));
    go.send(()).unwrap();
    assert_eq!(events.blocking_recv(), Some(event(1, 1, 11, DecodeUrgency::Final)));
    assert_eq!(when.recv(), Ok(()), "and what was lent comes behind it");
}

#[test]
fn a_model_that_cannot_be_loaded_ends_the_thread_and_nothing_waits_for_it() {
    let (failed, loading) = channel::<()>();
    let load = move || {
        let _ = loading.recv();
        None::<Scripted>
    };
    let (stt, mut events) = spawn_loading(load, Heart::unwatched()).unwrap();
    let (dropped, is_dropped) = channel::<()>();
    assert!(stt.lender().lend(move |_: &mut Scripted| drop(dropped)));
    drop(failed);
    assert_eq!(events.blocking_recv(), None);
    assert!(is_dropped.recv().is_err(), "what was lent is dropped");
    assert!(!stt.lender().lend(|_: &mut Scripted| {}));
}

#[test]
fn the_real_model_works_on_its_thread() {
    let (stt, mut events) = Stt::spawn(tiny(), Heart::unwatched()).unwrap();
    let samples: Arc<[f32]> = jfk().into();
    let mut queue: VecDeque<DecodeUrgency> = [DecodeUrgency::Speculative, DecodeUrgency::Final].into();
    while let Some(urgency) = queue.pop_front() {
        let mut job = job(5, 2, 0, urgency);
        job.utterance.samples = Arc::clone(&samples);
        assert_eq!(samples.len(), 11 * RATE as usize);
        stt.submit(job);
        let event = events.blocking_recv().unwrap();
        let transcript = event.result.unwrap();
        assert_eq!((event.generation, event.revision, event.urgency), (5, 2, urgency));
        assert_eq!((transcript.generation, transcript.revision), (5, 2));
        assert_eq!(words(&transcript.text), words(JFK));
    }
    drop(stt);
}
