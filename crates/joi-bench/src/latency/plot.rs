//! How soon joi was heard as a picture (SVG 1.1): a histogram for each kind of turns, one below the other, on one scale.
//!
//! In: a name and the milliseconds of its turns, for each kind. Out: the text of the file. Words that were said are not in it.
//! Pure: no I/O, no clock.

use std::fmt::Write as _;

use super::figures::{Spread, histogram};

/// Width of the picture, in pixels.
const WIDTH: f64 = 720.0;
/// Left and right of the bars.
const MARGIN: f64 = 30.0;
/// Above the first panel.
const TOP: f64 = 30.0;
/// One panel, its name included.
const PANEL: f64 = 120.0;
/// Of which the highest bar takes so much.
const HIGHEST: f64 = 84.0;
/// Below the last panel: the scale.
const BOTTOM: f64 = 26.0;
/// So many bars at most, and so many lines of the scale.
const BARS: f64 = 60.0;
const LINES: f64 = 10.0;
/// What a bar may stand for, and the distance between two lines, in ms.
const STEPS: [f64; 9] = [25.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0];
/// One colour for each kind, in turn.
const COLOURS: [&str; 4] = ["#3b82c4", "#c27c1d", "#9aa5b1", "#3a9a5b"];

/// The picture; nothing where nothing was heard.
pub(super) fn picture(kinds: &[(String, Vec<f64>)]) -> Option<String> {
    let kinds: Vec<_> =
        kinds.iter().filter_map(|(name, ms)| Some((name, ms, Spread::of(ms.clone())?))).collect();
    let longest = kinds.iter().map(|(.., spread)| spread.most).reduce(f64::max)?.max(1.0);
    let step = step_for(longest, BARS);
    let end = ((longest / step).floor() + 1.0) * step;
    let scale = (WIDTH - 2.0 * MARGIN) / end;
    let foot = TOP + PANEL * kinds.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {:.0}\" font-family=\"sans-serif\" \
         font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN:.0}\" y=\"18\" font-size=\"13\">From the last word to her first sound: turns by {step:.0} ms</text>\n",
        foot + BOTTOM,
    );
    let line_step = step_for(end, LINES);
    let lines = (0..=(end / line_step) as usize).map(|nth| nth as f64 * line_step);
    for ms in lines {
        let x = MARGIN + ms * scale;
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {TOP:.0}V{foot:.0}\" stroke=\"#eee\"/><text x=\"{x:.1}\" y=\"{:.0}\" fill=\"#777\" \
             text-anchor=\"middle\">{ms:.0} ms</text>",
            foot + 16.0,
        );
    }
    for ((nth, (name, ms, spread)), colour) in kinds.iter().enumerate().zip(COLOURS.into_iter().cycle()) {
        let panel = Panel { floor: TOP + PANEL * (nth + 1) as f64 - 8.0, step, scale, colour };
        panel.draw(&mut svg, (name.as_str(), ms.as_slice()), *spread);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// The first step by which `length` has no more than so many parts.
fn step_for(length: f64, parts: f64) -> f64 {
    STEPS.into_iter().find(|step| length / step <= parts).unwrap_or(STEPS[STEPS.len() - 1])
}

/// Where and how one kind is drawn.
struct Panel {
    floor: f64,
    step: f64,
    scale: f64,
    colour: &'static str,
}

impl Panel {
    fn draw(&self, svg: &mut String, (name, ms): (&str, &[f64]), spread: Spread) {
        let Self { floor, step, scale, colour } = self;
        let counts = histogram(ms, *step);
        let tallest = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
        for (nth, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let height = HIGHEST * *count as f64 / tallest;
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>",
                MARGIN + nth as f64 * step * scale + 0.5,
                floor - height,
                (step * scale - 1.0).max(1.0),
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{MARGIN:.0} {floor:.0}H{:.0}\" stroke=\"#bbb\"/><text x=\"{:.0}\" y=\"{:.0}\" font-size=\"11\" \
             text-anchor=\"end\">{}: {} heard, median {:.0} ms, 95 % {:.0} ms</text>",
            WIDTH - MARGIN,
            WIDTH - MARGIN,
            floor - HIGHEST - 8.0,
            escaped(name),
            spread.count,
            spread.median,
            spread.p95,
        );
        for (ms, dashes) in [(spread.median, ""), (spread.p95, " stroke-dasharray=\"3 3\"")] {
            let x = MARGIN + ms * scale;
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {:.1}V{floor:.1}\" stroke=\"#333\"{dashes}/>",
                floor - HIGHEST - 4.0
            );
        }
    }
}

/// A name as the text of an element.
fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_a_panel_of_bars_on_one_scale_with_its_median_and_95_percent() {
        let commands = vec![410.0, 480.0, 490.0, 980.0];
        let questions = vec![1_280.0, 2_890.0];
        let svg = picture(&[
            ("joi, commands".into(), commands),
            ("<peer>".into(), vec![]),
            ("joi, questions".into(), questions),
        ])
        .unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("viewBox=\"0 0 720 296\""), "two panels: {svg}");
        assert!(svg.contains(">joi, commands: 4 heard, median 480 ms, 95 % 980 ms<"), "{svg}");
        assert!(svg.contains(">joi, questions: 2 heard, median 1280 ms, 95 % 2890 ms<"), "{svg}");
        // 58 bars of 50 ms on 660 pixels: 400 ms and 450 ms, one and two turns, the most of their panel.
        assert_eq!(svg.matches("fill=\"#3b82c4\"").count(), 3);
        assert_eq!(svg.matches("fill=\"#c27c1d\"").count(), 2);
        assert!(svg.contains("<rect x=\"121.5\" y=\"100.0\" width=\"10.4\" height=\"42.0\""), "{svg}");
        assert!(svg.contains("<rect x=\"132.9\" y=\"58.0\" width=\"10.4\" height=\"84.0\""), "{svg}");
        assert!(svg.contains(">2500 ms</text>") && !svg.contains(">3000 ms</text>"), "{svg}");
    }

    #[test]
    fn names_are_text_and_nothing_heard_is_no_picture() {
        let svg = picture(&[("a <b> & c".into(), vec![0.0])]).unwrap();
        assert!(svg.contains("a &lt;b> &amp; c: 1 heard"), "{svg}");
        assert_eq!(picture(&[("nobody".into(), vec![])]), None);
        assert_eq!(picture(&[]), None);
    }
}
