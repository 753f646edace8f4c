//! The measurement as tables and as JSON.
//! Pure: no I/O, no clock.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bound::at_most;
use joi::cli::show;

/// The phrase was said.
#[derive(Debug, Clone)]
pub(super) struct WakeSaid {
    pub(super) voice: String,
    pub(super) condition: String,
    /// Seconds from the end of the phrase until joi knew; nothing when joi missed it.
    pub(super) latency: Option<f64>,
    /// A model was sure at once.
    pub(super) by_model: bool,
    /// It was missed because a rival seemed nearer.
    pub(super) held_back: bool,
}

/// Something nearly the same was said.
#[derive(Debug, Clone, Default)]
pub(super) struct Near {
    pub(super) phrase: String,
    pub(super) said: usize,
    /// How often it was taken for the phrase.
    pub(super) accepted: usize,
    /// How often only a rival spoke against that.
    pub(super) held_back: usize,
    /// How often it was taken for another of joi's phrases.
    pub(super) otherwise: usize,
}

/// Sound without the phrase.
#[derive(Debug, Clone, Default)]
pub(super) struct OtherSound {
    pub(super) name: &'static str,
    pub(super) length: Duration,
    pub(super) wakes: u32,
    /// By a model that was sure at once.
    pub(super) by_model: u32,
    /// How often only a rival spoke against a wake.
    pub(super) held_back: u32,
    /// How often the scorer ran.
    pub(super) scored: u32,
    pub(super) cpu: Duration,
}

impl OtherSound {
    pub(super) fn named(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    fn hours(&self) -> f64 {
        self.length.as_secs_f64() / 3600.0
    }
}

/// The whole measurement.
#[derive(Debug, Clone, Default)]
pub(super) struct WakeReport {
    pub(super) phrase: String,
    pub(super) means: String,
    pub(super) said: Vec<WakeSaid>,
    pub(super) sounds: Vec<OtherSound>,
    pub(super) near: Vec<Near>,
}

/// How often it was said and missed: by joi, by joi without looking at rivals, by the models alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Misses {
    said: usize,
    missed: usize,
    without_rivals: usize,
    by_models: usize,
}

impl Misses {
    fn row(self, name: &str) -> [String; 4] {
        let share = |missed| Share(missed, self.said).text();
        [name.to_owned(), share(self.missed), share(self.without_rivals), share(self.by_models)]
    }

    fn json(self) -> Value {
        json!({
            "missed": self.missed, "said": self.said,
            "missed_without_rivals": self.without_rivals, "missed_by_models_alone": self.by_models,
        })
    }
}

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share(usize, usize);

impl Share {
    fn text(self) -> String {
        let percent = if self.1 == 0 { 0.0 } else { 100.0 * self.0 as f64 / self.1 as f64 };
        format!("{} of {} ({percent:.0} %)", self.0, self.1)
    }
}

impl WakeReport {
    /// Adds to what is known of the same kind of sound.
    pub(super) fn add(&mut self, sound: OtherSound) {
        match self.sounds.iter_mut().find(|known| known.name == sound.name) {
            Some(known) => {
                known.length += sound.length;
                known.wakes += sound.wakes;
                known.by_model += sound.by_model;
                known.held_back += sound.held_back;
                known.scored += sound.scored;
                known.cpu += sound.cpu;
            }
            None => self.sounds.push(sound),
        }
    }

    fn missed(&self, by: impl Fn(&WakeSaid) -> bool) -> Misses {
        let of: Vec<&WakeSaid> = self.said.iter().filter(|said| by(said)).collect();
        let count = |is: fn(&WakeSaid) -> bool| of.iter().filter(|said| is(said)).count();
        Misses {
            said: of.len(),
            missed: count(|said| said.latency.is_none()),
            without_rivals: count(|said| said.latency.is_none() && !said.held_back),
            by_models: count(|said| !said.by_model),
        }
    }

    fn conditions(&self) -> Vec<&str> {
        distinct(self.said.iter().map(|said| said.condition.as_str()))
    }

    fn voices(&self) -> Vec<&str> {
        distinct(self.said.iter().map(|said| said.voice.as_str()))
    }

    /// Latencies of the quickest half and of all but one in twenty.
    fn latencies(&self) -> Option<(f64, f64)> {
        let mut all: Vec<f64> = self.said.iter().filter_map(|said| said.latency).collect();
        all.sort_by(f64::total_cmp);
        let at = |share: f64| all.get(((all.len() as f64 - 1.0) * share).round() as usize).copied();
        Some((at(0.5)?, at(0.95)?))
    }

    pub(super) fn json(&self) -> Value {
        let by = |names: Vec<&str>, of: fn(&WakeSaid) -> &str| -> Value {
            names.iter().map(|name| ((*name).to_owned(), self.missed(|s| of(s) == *name).json())).collect()
        };
        let sounds = self.sounds.iter().map(|sound| {
            json!({
                "sound": sound.name,
                "hours": sound.hours(),
                "false_accepts": sound.wakes,
                "without_rivals": sound.wakes + sound.held_back,
                "by_models_alone": sound.by_model,
                "at_most_an_hour": at_most(sound.wakes as usize) / sound.hours(),
                "scorer_runs_an_hour": f64::from(sound.scored) / sound.hours(),
                "cpu_s_an_hour": sound.cpu.as_secs_f64() / sound.hours(),
            })
        });
        let near = self.near.iter().map(|near| {
            json!({
                "phrase": near.phrase, "said": near.said, "accepted": near.accepted,
                "without_rivals": near.accepted + near.held_back, "as_another_phrase": near.otherwise,
            })
        });
        json!({
            "phrase": self.phrase,
            "means": self.means,
            "misses": {
                "all": self.missed(|_| true).json(),
                "by_condition": by(self.conditions(), |said| &said.condition),
                "by_voice": by(self.voices(), |said| &said.voice),
            },
            "by_model_at_once": self.said.iter().filter(|said| said.by_model).count(),
            "latency_s": self.latencies().map(|(p50, p95)| json!({ "p50": p50, "p95": p95 })),
            "other_sound": sounds.collect::<Vec<_>>(),
            "near": near.collect::<Vec<_>>(),
        })
    }

    pub(super) fn text(&self) -> String {
        let mut parts = vec![format!("\"{}\": {}", self.phrase, self.means)];
        if !self.said.is_empty() {
            parts.push(self.misses("SAID IN", self.conditions(), |said| &said.condition));
            parts.push(self.misses("SAID BY", self.voices(), |said| &said.voice));
        }
        if let Some((p50, p95)) = self.latencies() {
            let at_once = self.said.iter().filter(|said| said.by_model).count();
            parts.push(format!(
                "she knew {p50:.2} s after the phrase (median), {p95:.2} s (95 %); {at_once} times a model was sure at once"
            ));
        }
        if !self.near.is_empty() {
            parts.push(self.near_text());
        }
        if !self.sounds.is_empty() {
            parts.push(self.sound_text());
        }
        parts.join("\n\n")
    }

    /// One row for each of `names`, and one for all.
    fn misses(&self, head: &'static str, names: Vec<&str>, of: fn(&WakeSaid) -> &str) -> String {
        let mut table = show::table([head, "MISSED", "WITHOUT RIVALS", "BY MODELS ALONE"]);
        for name in names {
            table.add_row(self.missed(|said| of(said) == name).row(name));
        }
        table.add_row(self.missed(|_| true).row("all"));
        table.to_string()
    }

    fn near_text(&self) -> String {
        let mut table = show::table(["NEARLY THE SAME", "ACCEPTED", "WITHOUT RIVALS", "AS ANOTHER PHRASE"]);
        let row = |near: &Near| {
            let share = |count| Share(count, near.said).text();
            let without = share(near.accepted + near.held_back);
            [near.phrase.clone(), share(near.accepted), without, share(near.otherwise)]
        };
        let mut all = Near { phrase: "all".into(), ..Near::default() };
        for near in &self.near {
            table.add_row(row(near));
            all.said += near.said;
            all.accepted += near.accepted;
            all.held_back += near.held_back;
            all.otherwise += near.otherwise;
        }
        table.add_row(row(&all));
        table.to_string()
    }

    fn sound_text(&self) -> String {
        let mut table = show::table([
            "OTHER SOUND",
            "MINUTES",
            "WOKEN",
            "WITHOUT RIVALS",
            "BY MODELS ALONE",
            "AT MOST AN HOUR (95 %)",
            "SCORED AN HOUR",
            "CPU s AN HOUR",
        ]);
        for sound in &self.sounds {
            let an_hour = |count: f64| format!("{:.1}", count / sound.hours());
            table.add_row([
                sound.name.to_owned(),
                format!("{:.0}", sound.length.as_secs_f64() / 60.0),
                sound.wakes.to_string(),
                (sound.wakes + sound.held_back).to_string(),
                sound.by_model.to_string(),
                an_hour(at_most(sound.wakes as usize)),
                format!("{:.0}", f64::from(sound.scored) / sound.hours()),
                format!("{:.0}", sound.cpu.as_secs_f64() / sound.hours()),
            ]);
        }
        table.to_string()
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_show_misses_false_accepts_and_cost() {
        let said = |voice: &str, condition: &str, latency| WakeSaid {
            voice: voice.into(),
            condition: condition.into(),
            latency,
            by_model: latency == Some(0.1),
            held_back: latency.is_none(),
        };
        let mut report = WakeReport {
            phrase: "hey joi".into(),
            means: "any written phrase is heard".into(),
            said: vec![
                said("flite slt", "quiet room, alone", Some(0.6)),
                said("flite slt", "crowd, alone", None),
                said("her own", "quiet room, alone", Some(0.1)),
            ],
            near: vec![Near { phrase: "hey toy".into(), said: 6, accepted: 2, held_back: 3, otherwise: 1 }],
            ..WakeReport::default()
        };
        for minutes in [20, 40] {
            let (length, cpu) = (Duration::from_secs(minutes * 60), Duration::from_secs(minutes));
            report.add(OtherSound {
                length,
                wakes: 1,
                by_model: 1,
                held_back: 2,
                scored: 10,
                cpu,
                ..OtherSound::named("crowd")
            });
        }
        insta::assert_snapshot!(report.text());
        let json = report.json();
        assert_eq!(
            json["misses"]["all"],
            serde_json::json!({
                "missed": 1, "said": 3, "missed_without_rivals": 0, "missed_by_models_alone": 2
            })
        );
        assert_eq!(json["latency_s"]["p50"], 0.6);
        assert_eq!(json["by_model_at_once"], 1);
    }
}
