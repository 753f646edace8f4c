//! Draws the decisions to speak unasked over the day: a column of factors for each, and the line of what was needed.
//!
//! In: decisions, newest first. Out: the picture. Pure: no I/O, no clock.

use std::fmt::Write as _;

use jiff::tz::TimeZone;

use super::escaped;
use crate::views::ImpulseView;

/// Width and height of the picture, in pixels.
const SIZE: (f64, f64) = (760.0, 230.0);
/// Left, right, above, below the columns.
const EDGES: (f64, f64, f64, f64) = (34.0, 12.0, 12.0, 30.0);
/// Columns of fewer decisions are as narrow as of so many.
const FEWEST: usize = 24;
/// A color for each factor.
const COLOURS: [&str; 8] =
    ["#8593a0", "#3b82c4", "#c27c1d", "#3a9a5b", "#8b5cb8", "#b04a4a", "#2a9c9c", "#d14d8b"];

/// Returns the picture; nothing of no decision.
pub(crate) fn drawn(impulses: &[ImpulseView], zone: &TimeZone, title: &str) -> Option<String> {
    if impulses.is_empty() {
        return None;
    }
    let (left, right, top, below) = EDGES;
    let sum = |one: &ImpulseView, sign: f64| -> f64 { one.factors.iter().map(|f| (f * sign).max(0.0)).sum() };
    let high = impulses.iter().map(|one| sum(one, 1.0).max(one.needed)).fold(0.1, f64::max) * 1.05;
    let low = impulses.iter().map(|one| sum(one, -1.0)).fold(0.0, f64::max) * 1.05;
    let scale = (SIZE.1 - top - below) / (high + low);
    let zero = top + high * scale;
    let step = (SIZE.0 - left - right) / impulses.len().max(FEWEST) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"12\" \
         role=\"img\" aria-label=\"{}\">\n<path class=\"grid\" d=\"M{left:.1} {zero:.1}H{:.1}\" stroke=\"#bbb\"/>\n",
        SIZE.0,
        SIZE.1,
        escaped(title),
        SIZE.0 - right,
    );
    for value in [0.0, 0.5, 1.0, 1.5].into_iter().filter(|value| *value <= high) {
        let _ = writeln!(
            svg,
            "<text class=\"scale\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#666\">{value:.1}</text>",
            left - 6.0,
            zero - value * scale + 4.0,
        );
    }
    // The oldest one stands on the left.
    for (column, one) in impulses.iter().rev().enumerate() {
        let x = left + step * column as f64;
        let (mut above, mut under) = (zero, zero);
        for (number, factor) in one.factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            let high = factor.abs() * scale;
            let y = if *factor > 0.0 {
                above -= high;
                above
            } else {
                under += high;
                under - high
            };
            let _ = writeln!(
                svg,
                "<rect class=\"f{number}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{high:.1}\" fill=\"{}\"/>",
                x + step * 0.1,
                step * 0.8,
                COLOURS[number],
            );
        }
        let needed = zero - one.needed * scale;
        let _ = writeln!(
            svg,
            "<path class=\"needed\" d=\"M{x:.1} {needed:.1}h{step:.1}\" stroke=\"#c27c1d\" stroke-width=\"2\"/>"
        );
        if column % impulses.len().div_ceil(8).max(3) == 0 {
            let at = one.at.to_zoned(zone.clone());
            let _ = writeln!(
                svg,
                "<text class=\"scale\" x=\"{:.1}\" y=\"{:.1}\" fill=\"#666\">{}</text>",
                x,
                SIZE.1 - 10.0,
                at.strftime("%H:%M"),
            );
        }
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_factor_is_a_piece_and_a_deduction_hangs_below_the_line() {
        let one = ImpulseView {
            at: "2026-03-01T11:00:00Z".parse().unwrap(),
            factors: [0.1, 0.2, 0.0, 0.1, 0.0, -0.3, 0.0, 0.0],
            total: 0.1,
            needed: 0.5,
            speaks: false,
            decided: "<b>".into(),
            about: String::new(),
        };
        let svg = drawn(&[one.clone(), one], &TimeZone::UTC, "a \"b\"").unwrap();
        assert_eq!(svg.matches("<rect").count(), 8, "{svg}");
        assert_eq!((svg.matches("class=\"f5\"").count(), svg.matches("class=\"needed\"").count()), (2, 2));
        assert!(svg.contains("11:00") && svg.contains("a &quot;b&quot;") && !svg.contains("<b>"));
        assert_eq!(drawn(&[], &TimeZone::UTC, ""), None);
    }
}
