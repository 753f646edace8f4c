//! Whisper's tokens as bytes. `vocabulary.txt` writes every byte as one printable character;
//! ggml files hold the bytes themselves.
//! Pure: no I/O, no clock.

use super::error::ConvertError;

/// Tokens that have text; whisper.cpp makes up the names of the special ones behind them.
const TOKENS: usize = 50_257;

/// The tokens with text of a `vocabulary.txt`, one a line.
pub(super) fn tokens(text: &str) -> Result<Vec<Vec<u8>>, ConvertError> {
    let decode = |(n, line): (usize, &str)| {
        line.chars().map(byte).collect::<Option<Vec<u8>>>().ok_or(ConvertError::Token(n + 1))
    };
    text.split('\n').take(TOKENS).enumerate().map(decode).collect()
}

/// The byte that `c` stands for: printable Latin-1 characters for themselves, the 68 other bytes, in
/// order, as the characters from 256 on.
fn byte(c: char) -> Option<u8> {
    let code = u32::from(c);
    match u8::try_from(code) {
        Ok(byte) => printable(byte).then_some(byte),
        Err(_) => (0..=255_u8).filter(|b| !printable(*b)).nth(usize::try_from(code - 256).ok()?),
    }
}

fn printable(byte: u8) -> bool {
    matches!(byte, 33..=126 | 161..=172 | 174..=255)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_one_character_and_nothing_else_has() {
        let mut bytes: Vec<u8> = (0..400).filter_map(char::from_u32).filter_map(byte).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
    }

    #[test]
    fn tokens_become_bytes() {
        assert_eq!(
            tokens("Ġhello\nâĤ¬\n<|en|>").unwrap(),
            [b" hello".to_vec(), "€".as_bytes().to_vec(), b"<|en|>".to_vec()]
        );
        assert!(matches!(tokens("a\nb c"), Err(ConvertError::Token(2))));
    }
}
