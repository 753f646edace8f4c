//! The bytes of an attachment, as the daemon answers with them.
//!
//! In: the answer to `getAttachment`, base64 by itself or under `data`. Out: bytes; nothing where there are none. What
//! they mean is not looked at.
//! Pure: no I/O, no clock.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Returns the bytes.
pub fn bytes(answer: &Value) -> Option<Vec<u8>> {
    let text = answer.as_str().or_else(|| answer.get("data")?.as_str())?;
    STANDARD.decode(text.trim()).ok().filter(|bytes| !bytes.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bytes_come_by_themselves_or_under_their_name() {
        assert_eq!(bytes(&json!("aGVsbG8=")).as_deref(), Some(&b"hello"[..]));
        assert_eq!(bytes(&json!({ "data": "aGVsbG8=\n" })).as_deref(), Some(&b"hello"[..]));
        for nothing in [json!(null), json!({}), json!(""), json!("no base64!"), json!({ "data": 7 })] {
            assert_eq!(bytes(&nothing), None, "{nothing}");
        }
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_are_never_too_broken(text in joi_base::testing::damaged_text("aGVsbG8gd29ybGQ=")) {
            let _ = bytes(&Value::String(text));
        }
    }
}
