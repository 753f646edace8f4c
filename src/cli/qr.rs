//! Codes that a phone scans from the terminal.

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use qrcode::QrCode;
use qrcode::render::unicode;

/// Returns the code in half blocks: dark on light, whatever the colours of the terminal.
pub(crate) fn code(uri: &str) -> anyhow::Result<String> {
    let code = QrCode::new(uri.as_bytes()).context("the code is too long")?;
    let drawn = code
        .render::<unicode::Dense1x2>()
        // The code is drawn in the foreground, which is the light one here.
        .dark_color(unicode::Dense1x2::Light)
        .light_color(unicode::Dense1x2::Dark)
        .quiet_zone(true)
        .build();
    let style =
        Style::new().fg_color(Some(AnsiColor::BrightWhite.into())).bg_color(Some(AnsiColor::Black.into()));
    let lines: Vec<String> = drawn.lines().map(|line| format!("{style}{line}{style:#}")).collect();
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_of_usual_length_fits_into_a_terminal() {
        let uri = format!("sgnl://linkdevice?uuid={}&pub_key={}", "a".repeat(24), "b".repeat(60));
        let drawn = code(&uri).unwrap();
        let drawn = anstream::adapter::strip_str(&drawn).to_string();
        let widest = drawn.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80 && drawn.lines().count() <= 40, "{widest} x {}", drawn.lines().count());
    }
}
