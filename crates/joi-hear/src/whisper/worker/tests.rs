use super::*;

#[test]
fn a_model_that_is_overdue_rests_as_soon_as_nothing_is_to_be_done() {
    let queue = WorkerQueue::<()>::default();
    queue.pile().errands.push_back(Box::new(|()| {}));
    assert!(matches!(queue.take(Some(Duration::ZERO)), Some(WorkerTask::Lend(_))), "work goes first");
    assert!(matches!(queue.take(Some(Duration::ZERO)), Some(WorkerTask::Rest)));
}

#[test]
fn the_model_rests_once_when_nothing_was_to_be_done_for_a_while() {
    let queue = WorkerQueue::<()>::default();
    let (mut pile, now) = (queue.pile(), Instant::now());
    assert!(pile.next(now + REST_AFTER).is_none() && pile.due().is_none(), "it has not worked yet");
    pile.rest = Some(now + REST_AFTER);
    assert!(pile.next(now + REST_AFTER - Duration::from_millis(1)).is_none());
    assert_eq!(pile.due(), Some(now + REST_AFTER));
    pile.errands.push_back(Box::new(|()| {}));
    assert!(matches!(pile.next(now + REST_AFTER), Some(WorkerTask::Lend(_))), "work goes first");
    assert!(matches!(pile.next(now + REST_AFTER), Some(WorkerTask::Rest)));
    assert!(pile.next(now + REST_AFTER).is_none() && pile.due().is_none(), "once");
}
