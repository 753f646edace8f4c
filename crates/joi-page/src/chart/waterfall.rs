//! Draws a turn as a waterfall: one bar for each stage, from the stage before it, as a picture (SVG 1.1).
//!
//! In: the record of a turn. Out: the text of the file. Words that were said are not in it.
//! Pure: no I/O, no clock.

use std::fmt::Write as _;

use joi_base::trace::{Mark, Stage, TurnRecord};

use super::escaped;

/// Width of the picture, in pixels.
const WIDTH: f64 = 760.0;
/// Left of the bars: names of stages.
const NAMES: f64 = 130.0;
/// Right of the bars: the last figure.
const MARGIN: f64 = 90.0;
/// One row.
const ROW: f64 = 26.0;
/// Above the rows.
const TOP: f64 = 56.0;
/// So many lines of the scale at most.
const LINES: f64 = 8.0;
/// Distances between lines of the scale, in ms.
const STEPS: [f64; 8] = [50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0];

/// Returns the picture of `turn` as a file; nothing when fewer than two stages were passed.
pub fn file(turn: &TurnRecord) -> Option<String> {
    let title = format!("turn {} by {}: milliseconds after speech ended", turn.id, turn.channel.name());
    drawn(turn, &title)
}

/// The same with another title.
pub(crate) fn drawn(turn: &TurnRecord, title: &str) -> Option<String> {
    // The last sample is the end of the answer, not a wait of the user.
    let marks: Vec<Mark> = turn.marks.iter().copied().filter(|mark| mark.stage != Stage::End).collect();
    let (first, last) = (marks.first()?.ms.min(0.0), marks.last()?.ms);
    if marks.len() < 2 || last <= first {
        return None;
    }
    let scale = (WIDTH - NAMES - MARGIN) / (last - first);
    let at = |ms: f64| NAMES + (ms - first) * scale;
    let height = TOP + ROW * marks.len() as f64 + 12.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" font-family=\"sans-serif\" \
         font-size=\"12\" role=\"img\" aria-label=\"{title}\">\n<rect class=\"ground\" width=\"100%\" height=\"100%\" \
         fill=\"#fff\"/>\n<text x=\"12\" y=\"22\" font-size=\"14\">{title}</text>\n",
        title = escaped(title),
    );
    let step = STEPS.into_iter().find(|step| (last - first) / step <= LINES).unwrap_or(STEPS[7]);
    let mut line = (first / step).ceil() * step;
    while line <= last {
        let x = at(line);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{x:.1} {TOP:.0}V{:.0}\" stroke=\"#ddd\"/><text class=\"scale\" x=\"{x:.1}\" y=\"{:.0}\" fill=\"#666\" \
             text-anchor=\"middle\">{line:.0}</text>",
            height - 8.0,
            TOP - 6.0,
        );
        line += step;
    }
    let mut before = first;
    for (row, mark) in marks.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        // A stage may be noted in another order than the one it stands in.
        let (from, to) = (at(before.min(mark.ms)), at(mark.ms));
        let _ = writeln!(
            svg,
            "<text x=\"12\" y=\"{:.0}\">{}</text><rect x=\"{from:.1}\" y=\"{:.0}\" width=\"{:.1}\" height=\"{:.0}\" \
             rx=\"2\" {}/><text x=\"{:.1}\" y=\"{:.0}\">{:.0}</text>",
            y + 17.0,
            mark.stage.name(),
            y + 4.0,
            (to - from).max(1.5),
            ROW - 8.0,
            paint(mark.stage),
            to + 6.0,
            y + 17.0,
            mark.ms,
        );
        before = before.max(mark.ms);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Whose time it is: waiting, hearing, understanding, speaking.
fn paint(stage: Stage) -> &'static str {
    match stage {
        Stage::Wake | Stage::SpeechEnd => "class=\"waits\" fill=\"#9aa5b1\"",
        Stage::Endpoint | Stage::Transcript => "class=\"hears\" fill=\"#3b82c4\"",
        Stage::FirstToken | Stage::FirstSentence => "class=\"thinks\" fill=\"#c27c1d\"",
        Stage::FirstSample | Stage::Audible | Stage::End => "class=\"speaks\" fill=\"#3a9a5b\"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_base::message::{Channel, TurnId};

    fn turn(marks: &[(Stage, f64)]) -> TurnRecord {
        TurnRecord {
            id: TurnId(7),
            channel: Channel::Voice,
            at: "2026-01-05T12:00:00Z".into(),
            heard: "what time is it & <who> asks".into(),
            reply: "Noon.".into(),
            marks: marks.iter().map(|(stage, ms)| Mark { stage: *stage, ms: *ms }).collect(),
            decisions: Vec::new(),
            model_use: Vec::new(),
            tool_use: Vec::new(),
        }
    }

    #[test]
    fn each_stage_is_a_bar_from_the_one_before_and_no_word_is_shown() {
        let marks = [
            (Stage::Wake, -800.0),
            (Stage::SpeechEnd, 0.0),
            (Stage::Endpoint, 300.0),
            (Stage::Transcript, 300.0),
            (Stage::FirstSample, 380.0),
            (Stage::Audible, 400.0),
            (Stage::End, 1_900.0),
        ];
        let svg = file(&turn(&marks)).unwrap();
        assert_eq!(svg.matches("rx=\"2\"").count(), 6, "one for each stage but the end: {svg}");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("time is it") && !svg.contains("Noon"));
        // 1200 ms on 540 pixels: the endpoint's bar begins at 0 ms and ends at 300 ms.
        assert!(svg.contains("<rect x=\"490.0\" y=\"112\" width=\"135.0\""), "{svg}");
        assert!(svg.contains(">400</text>"));
    }

    #[test]
    fn a_turn_without_times_has_no_picture() {
        assert_eq!(file(&turn(&[])), None);
        assert_eq!(file(&turn(&[(Stage::SpeechEnd, 0.0)])), None);
    }
}
