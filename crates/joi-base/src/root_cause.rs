//! The root cause of an error. Pure, any thread.

use std::error::Error;

/// Returns the innermost cause, which is the system's own error ("Connection refused"): the errors of libraries around it
/// describe their operation instead, often with the whole address.
pub fn of(error: &(dyn Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}

#[cfg(test)]
mod tests {
    use std::io;

    #[derive(Debug, thiserror::Error)]
    #[error("error sending request for http://user:secret@host/")]
    struct Outer(#[source] io::Error);

    #[test]
    fn the_innermost_cause_is_returned() {
        let refused = || io::Error::new(io::ErrorKind::ConnectionRefused, "Connection refused");
        assert_eq!(super::of(&refused()), "Connection refused");
        assert_eq!(super::of(&Outer(refused())), "Connection refused");
    }
}
