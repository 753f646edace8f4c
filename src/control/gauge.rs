//! How full a queue is, without keeping it open.
//!
//! Any thread asks; nothing is kept.

use tokio::sync::mpsc;

use super::status::QueueStatus;

/// Tells how full a queue is; nothing once it is gone.
pub type Gauge = Box<dyn Fn() -> Option<QueueStatus> + Send + Sync>;

/// A gauge of `queue`, which does not keep it open.
pub fn gauge<T: Send + 'static>(name: &'static str, queue: &mpsc::Sender<T>) -> Gauge {
    let (queue, capacity) = (queue.downgrade(), queue.max_capacity());
    Box::new(move || {
        let length = capacity - queue.upgrade()?.capacity();
        Some(QueueStatus { name: name.to_owned(), length, capacity })
    })
}

/// A gauge of a queue that tells its length and capacity by itself.
pub fn gauge_by(
    name: &'static str,
    told: impl Fn() -> Option<(usize, usize)> + Send + Sync + 'static,
) -> Gauge {
    Box::new(move || {
        let (length, capacity) = told()?;
        Some(QueueStatus { name: name.to_owned(), length, capacity })
    })
}
