//! What the C library's allocator keeps of what was freed.
//!
//! Models are loaded in large pieces, by several threads, and some of them only for a while. By default glibc raises the
//! size from which a piece is given back to the system with every piece that is freed, up to 32 MB, and keeps a heap for
//! each thread: after the models were loaded, measured and loaded again it held 540 MB, and 404 with these
//! settings (`joi bench machine`, two cores). See mallopt(3).

/// A piece of this size or more is given back when it is freed.
#[cfg(target_env = "gnu")]
const GIVEN_BACK: libc::c_int = 256 * 1024;
/// More than this at the end of a heap is given back.
#[cfg(target_env = "gnu")]
const KEPT: libc::c_int = 512 * 1024;
/// Heaps that the threads share.
#[cfg(target_env = "gnu")]
const HEAPS: libc::c_int = 2;

/// Has what is freed given back to the system. Called once, before there are other threads.
#[cfg(target_env = "gnu")]
pub fn give_back_memory() {
    for (what, value) in
        [(libc::M_MMAP_THRESHOLD, GIVEN_BACK), (libc::M_TRIM_THRESHOLD, KEPT), (libc::M_ARENA_MAX, HEAPS)]
    {
        // SAFETY: mallopt takes two numbers and keeps no pointer; each of these parameters may have any positive value.
        unsafe { libc::mallopt(what, value) };
    }
}

/// Other C libraries do so by themselves.
#[cfg(not(target_env = "gnu"))]
pub fn give_back_memory() {}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;
    use crate::machine::alone::is_alone;

    const MEGABYTE: usize = 1 << 20;

    /// Pieces that are given back when they are freed.
    fn mapped() -> usize {
        // SAFETY: it only counts.
        unsafe { libc::mallinfo2().hblks }
    }

    #[test]
    fn a_large_piece_that_was_freed_does_not_make_smaller_ones_stay() {
        if !is_alone(module_path!(), "a_large_piece_that_was_freed_does_not_make_smaller_ones_stay") {
            return;
        }
        give_back_memory();
        drop(std::hint::black_box(vec![1_u8; 24 * MEGABYTE]));
        let before = mapped();
        let pieces: Vec<Vec<u8>> = (0..64).map(|n| std::hint::black_box(vec![n as u8; MEGABYTE])).collect();
        assert!(mapped() >= before + pieces.len(), "{} of {}", mapped().saturating_sub(before), pieces.len());
        drop(pieces);
        assert!(mapped() <= before, "{} are kept", mapped() - before);
    }
}
