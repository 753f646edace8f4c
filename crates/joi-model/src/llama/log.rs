//! llama.cpp's log: forwarded to `tracing` at debug level, with the first error kept for error messages.
//!
//! The callback may come from any thread of llama.cpp. It never panics and never blocks for long.

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, Once, PoisonError};

use llama_cpp_sys_2 as sys;

static FIRST_ERROR: Mutex<String> = Mutex::new(String::new());
static INSTALL: Once = Once::new();

/// Initialises llama.cpp and takes over its log; a second call does nothing.
pub(super) fn listen() {
    INSTALL.call_once(|| {
        // SAFETY: `take` has the required signature, needs no user data and lives for ever;
        // llama_backend_init may be called at any time and is called once.
        unsafe {
            sys::llama_log_set(Some(take), std::ptr::null_mut());
            sys::llama_backend_init();
        }
    });
}

/// Takes the first error line since the last call: what follows it says only that something failed.
pub(super) fn take_error() -> Option<String> {
    let line = std::mem::take(&mut *FIRST_ERROR.lock().unwrap_or_else(PoisonError::into_inner));
    (!line.is_empty()).then_some(line)
}

unsafe extern "C" fn take(level: sys::ggml_log_level, text: *const c_char, _: *mut c_void) {
    if text.is_null() {
        return;
    }
    // SAFETY: llama.cpp passes a zero-terminated string that lives for the call; null is excluded.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let text = text.trim();
    // Progress dots and layer tables are noise even at debug level.
    if text.len() < 3 {
        return;
    }
    if level == sys::GGML_LOG_LEVEL_ERROR {
        let reason = text.split_once(": ").map_or(text, |(_, reason)| reason);
        let mut first = FIRST_ERROR.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_empty() {
            reason.trim_start_matches("error loading model: ").clone_into(&mut first);
        }
    }
    tracing::debug!(target: "llama", "{text}");
}
