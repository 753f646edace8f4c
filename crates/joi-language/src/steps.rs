//! Counts the steps of the two machines that read texts, where tests compare texts of different lengths.
//!
//! A step is a byte that a pattern is looked for in, or an instruction of a grammar's template. Any thread, each with a
//! count of its own. Outside tests nothing is counted.

#[cfg(any(test, feature = "testing"))]
std::thread_local! {
    static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds `steps` to the count of this thread.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn add(steps: usize) {
    TAKEN.set(TAKEN.get().saturating_add(steps as u64));
}

/// Does nothing: nobody looks at the count.
#[cfg(not(any(test, feature = "testing")))]
pub(crate) fn add(_steps: usize) {}

/// Returns the steps of this thread since this was last asked.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn take() -> u64 {
    TAKEN.take()
}
