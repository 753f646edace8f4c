//! A simulated month as text, CSV or a picture.
//!
//! Pure: no I/O, no clock.

use std::fmt::Write as _;

use super::Simulation;

/// Signs of a bar for each contact.
const BAR: &str = "██";

impl Simulation {
    /// One line for each day, with a bar.
    pub fn plot(&self) -> String {
        let mut text = String::new();
        for (date, count) in &self.per_day {
            let day = date.strftime("%a %d %b");
            let bar = BAR.repeat(*count);
            let line = format!("{day}  {count}  {bar}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// One line for each day: `date,contacts`.
    pub fn csv(&self) -> String {
        let mut text = "date,contacts\n".to_owned();
        for (date, count) in &self.per_day {
            let _ = writeln!(text, "{date},{count}");
        }
        text
    }

    /// Returns every contact as a dot over day and hour, quiet hours shaded.
    pub fn svg(&self, title: &str) -> String {
        let days = self.per_day.len().max(1);
        let (left, top, step, hour) = (44.0, 34.0, 22.0, 11.0);
        let (width, height) = (left + days as f64 * step + 12.0, top + 24.0 * hour + 34.0);
        let y = |hours: f64| top + hours * hour;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"10\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
             <text x=\"{left}\" y=\"18\" font-size=\"13\">{title}</text>\n"
        );
        for (from, to) in [(0.0, 7.0), (23.0, 24.0)] {
            let _ = writeln!(
                svg,
                "<rect x=\"{left}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#e8ebf2\"/>",
                y(from),
                days as f64 * step,
                (to - from) * hour
            );
        }
        for hours in [0, 6, 12, 18, 24] {
            let at = y(f64::from(hours));
            let _ = writeln!(
                svg,
                "<text x=\"6\" y=\"{}\">{hours:02}:00</text><line x1=\"{left}\" y1=\"{at}\" x2=\"{}\" y2=\"{at}\" stroke=\"#bbb\"/>",
                at + 4.0,
                left + days as f64 * step
            );
        }
        for (index, (date, count)) in self.per_day.iter().enumerate() {
            let x = left + (index as f64 + 0.5) * step;
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"#777\">{count}</text>",
                y(24.0) + 14.0,
                date.day(),
                y(24.0) + 27.0
            );
        }
        for contact in &self.contacts {
            let Some(day) = self.per_day.iter().position(|(date, _)| *date == contact.at.date()) else {
                continue;
            };
            let hours = f64::from(contact.at.hour()) + f64::from(contact.at.minute()) / 60.0;
            let fill = if contact.is_answered { "#2b6cb0" } else { "#fff" };
            let _ = writeln!(
                svg,
                "<circle cx=\"{}\" cy=\"{:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"#2b6cb0\" stroke-width=\"1.5\"/>",
                left + (day as f64 + 0.5) * step,
                y(hours)
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}
