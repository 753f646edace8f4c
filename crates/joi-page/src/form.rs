//! Reads what browsers send in addresses and forms.
//!
//! In: bytes in the form of HTML forms. Out: fields by name. Pure: no I/O, no clock.

use axum::http::{HeaderMap, header};

/// The name of the cookie of a browser that is signed in.
pub(crate) const COOKIE: &str = "joi_page";

/// Fields of a form, or of the query of an address.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Reads the fields of `bytes`.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// Returns a field without blank edges; "" where it is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    /// Returns a field that is a number.
    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name).parse().ok()
    }
}

/// Returns the secret in the cookie of a browser.
pub(crate) fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// Returns the languages that a browser prefers, best first, as two-letter codes.
pub(crate) fn preferred_languages(headers: &HeaderMap) -> Vec<String> {
    let asked =
        headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut codes: Vec<(String, f32)> = asked
        .split(',')
        .filter_map(|part| {
            let mut pieces = part.trim().split(';');
            let code = pieces.next()?.split('-').next()?.to_ascii_lowercase();
            let weight =
                pieces.find_map(|piece| piece.trim().strip_prefix("q=")?.parse().ok()).unwrap_or(1.0);
            (!code.is_empty()).then_some((code, weight))
        })
        .collect();
    codes.sort_by(|one, other| other.1.total_cmp(&one.1));
    codes.into_iter().map(|(code, _)| code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name.clone(), line.parse().unwrap());
        }
        headers
    }

    #[test]
    fn fields_and_cookies_are_read_as_browsers_send_them() {
        let form = FormFields::read(b"key=a%26b&text=+gr%C3%BC%C3%9F+dich+&n=12&key=second");
        assert_eq!(
            (form.text("key"), form.text("text"), form.text("none")),
            ("a&b", "gr\u{fc}\u{df} dich", "")
        );
        assert_eq!((form.number::<u8>("n"), form.number::<u8>("text")), (Some(12), None));
        assert_eq!(cookie(&headers(header::COOKIE, &["a=1; joi_page=abc; b=2"])), Some("abc"));
        assert_eq!(cookie(&headers(header::COOKIE, &["xjoi_page=abc", "joi_page=d"])), Some("d"));
        assert_eq!(cookie(&headers(header::COOKIE, &["joi_page"])), None);
    }

    #[test]
    fn the_language_that_a_browser_prefers_comes_first() {
        let preferred = |asked| preferred_languages(&headers(header::ACCEPT_LANGUAGE, &[asked]));
        assert_eq!(preferred("de-AT,de;q=0.9,en;q=0.8"), ["de", "de", "en"]);
        assert_eq!(preferred("fr;q=0.3, en-GB;q=0.7, *;q=0.1"), ["en", "fr", "*"]);
        assert!(preferred(";;,").is_empty());
    }
}
