//! Draws how long spoken turns take until something is heard: a column for each tenth of a second.
//!
//! In: records of turns. Out: the picture with its figures. Pure: no I/O, no clock.

use std::fmt::Write as _;

use joi_base::trace::{Stage, TurnRecord};

use super::escaped;

/// Width and height of the picture, in pixels.
const SIZE: (f64, f64) = (760.0, 190.0);
/// Left, right, above, below the columns.
const EDGES: (f64, f64, f64, f64) = (34.0, 12.0, 12.0, 44.0);
/// Most columns; the last one holds all that took longer.
const COLUMNS: usize = 40;
/// Widths of a column, in seconds: the first one with which the slowest of twenty fits.
const WIDTHS: [f64; 6] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0];

/// The picture and its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyPicture {
    /// SVG.
    pub svg: String,
    /// Turns that count.
    pub turns: usize,
    /// Their median, in seconds.
    pub median: String,
    /// Time within which 95 of 100 are, in seconds.
    pub most: String,
}

/// Returns the picture of all turns of which something was heard; nothing where there is none. `axis` names the scale.
pub fn answers(turns: &[TurnRecord], axis: &str) -> Option<LatencyPicture> {
    let mut times: Vec<f64> =
        turns.iter().filter_map(|turn| turn.moment(Stage::Audible)).filter(|ms| *ms > 0.0).collect();
    times.sort_by(f64::total_cmp);
    let (median, most) = (percentile(&times, 0.5)? / 1e3, percentile(&times, 0.95)? / 1e3);
    let width = WIDTHS.into_iter().find(|width| most < width * COLUMNS as f64).unwrap_or(WIDTHS[5]);
    let mut counts = vec![0_u32; COLUMNS];
    for ms in &times {
        // Not negative, and cut to the last column.
        let column = ((ms / 1e3 / width) as usize).min(COLUMNS - 1);
        counts[column] += 1;
    }
    let svg = drawn(&counts, width, (median, most), axis);
    Some(LatencyPicture {
        svg,
        turns: times.len(),
        median: format!("{median:.1}"),
        most: format!("{most:.1}"),
    })
}

/// Returns the nearest-rank percentile of ascending values; nothing of none.
pub fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize - 1;
    sorted.get(rank).copied()
}

fn drawn(counts: &[u32], width: f64, (median, most): (f64, f64), axis: &str) -> String {
    let (left, right, top, below) = EDGES;
    let highest = f64::from(counts.iter().copied().max().unwrap_or(1).max(1));
    let step = (SIZE.0 - left - right) / counts.len() as f64;
    let ground = SIZE.1 - below;
    let height = |count: u32| (ground - top) * f64::from(count) / highest;
    let at = |seconds: f64| left + step * (seconds / width).min(counts.len() as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"12\" \
         role=\"img\" aria-label=\"{axis}\">\n<rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        SIZE.0,
        SIZE.1,
        axis = escaped(axis),
    );
    let _ = writeln!(
        svg,
        "<path class=\"grid\" d=\"M{left:.1} {ground:.1}H{:.1}\" stroke=\"#bbb\"/><text class=\"scale\" x=\"{:.1}\" y=\"{:.1}\" \
         text-anchor=\"end\" fill=\"#666\">{highest:.0}</text>",
        SIZE.0 - right,
        left - 6.0,
        top + 10.0,
    );
    for (column, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (x, high) = (left + step * column as f64, height(*count).max(2.0));
        let _ = writeln!(
            svg,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" rx=\"1.500\" fill=\"#3b82c4\"/>",
            x + 1.0,
            ground - high,
            step - 2.0,
        );
    }
    for column in (0..=counts.len()).step_by(8) {
        let seconds = column as f64 * width;
        let _ = writeln!(
            svg,
            "<text class=\"scale\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\">{seconds:.1}</text>",
            at(seconds),
            ground + 16.0,
        );
    }
    for (seconds, class) in [(median, "median"), (most, "most")] {
        let _ = writeln!(
            svg,
            "<path class=\"{class}\" d=\"M{0:.1} {top:.1}V{ground:.1}\" stroke=\"#c27c1d\" stroke-dasharray=\"4 3\"/>",
            at(seconds)
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"scale\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\">{}</text>\n</svg>",
        left + (SIZE.0 - left - right) / 2.0,
        SIZE.1 - 8.0,
        escaped(axis),
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_base::message::{Channel, TurnId};
    use joi_base::trace::Mark;

    fn turn(ms: f64) -> TurnRecord {
        TurnRecord {
            id: TurnId(1),
            channel: Channel::Voice,
            at: String::new(),
            heard: "a <b>".into(),
            reply: String::new(),
            marks: vec![Mark { stage: Stage::Audible, ms }],
            decisions: Vec::new(),
            model_use: Vec::new(),
            tool_use: Vec::new(),
        }
    }

    #[test]
    fn every_turn_stands_in_a_column_and_those_beyond_the_scale_in_the_last() {
        let mut turns: Vec<TurnRecord> = (0..19).map(|_| turn(400.0)).collect();
        turns.push(turn(1_000_000.0));
        let drawn = answers(&turns, "seconds <x>").unwrap();
        assert_eq!((drawn.turns, drawn.median.as_str(), drawn.most.as_str()), (20, "0.4", "0.4"));
        assert_eq!(drawn.svg.matches("class=\"bar\"").count(), 2, "{}", drawn.svg);
        assert!(drawn.svg.contains("seconds &lt;x&gt;") && !drawn.svg.contains("<x>"));
        assert_eq!(answers(&[turn(-5.0)], ""), None);
        assert_eq!(percentile(&[7.0, 8.0], 0.95), Some(8.0));
    }
}
