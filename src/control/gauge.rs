//! Reads the length of a queue without keeping the queue open.
//!
//! Any thread; stores nothing.

use tokio::sync::mpsc;

use super::status::QueueStatus;

/// Returns the length of a queue; nothing once it is gone.
pub type Gauge = Box<dyn Fn() -> Option<QueueStatus> + Send + Sync>;

/// Returns a gauge of `queue` that does not keep it open.
pub fn gauge<T: Send + 'static>(name: &'static str, queue: &mpsc::Sender<T>) -> Gauge {
    let (queue, capacity) = (queue.downgrade(), queue.max_capacity());
    Box::new(move || {
        let length = capacity - queue.upgrade()?.capacity();
        Some(QueueStatus { name: name.to_owned(), length, capacity })
    })
}

/// Returns a gauge of a queue that reports its own length and capacity.
pub fn gauge_by(
    name: &'static str,
    told: impl Fn() -> Option<(usize, usize)> + Send + Sync + 'static,
) -> Gauge {
    Box::new(move || {
        let (length, capacity) = told()?;
        Some(QueueStatus { name: name.to_owned(), length, capacity })
    })
}
