//! `joi-bench wake --learnt`: the phrase known by recordings alone, as `joi wake add --engine rustpotter` makes them. Every
//! voice is the owner once: it records the phrase six times, then says it in every room, and everybody else speaks.
//!
//! A synthetic voice says everything alike; its recordings differ only in how fast they are played. People differ more.

use std::time::Duration;

use serde_json::{Value, json};

use joi::cli::show;
use joi::cli::wake::noise::{NoiseKind, bring_to, piece};
use joi::cli::wake::other;
use joi::cli::wake::voices::{Speaker, Spoken, VoiceGroup, Voices};
use joi_audio::RATE;
use joi_base::machine::own_cpu_time;
use joi_hear::enrol::{counts_from, trimmed};
use joi_hear::vad::FRAME;
use joi_hear::wake::{TemplateWake, Templates, WakeConfig, WakeDetector};

use super::{WakeBench, WakeRoom, near, silence};

/// How fast the recordings are played, in percent.
const RECORDED: [usize; 6] = [94, 97, 100, 102, 104, 106];
/// How fast what is said later is.
const SAID: [usize; 4] = [92, 96, 103, 108];
/// On so many stretches of other sound the recordings are tried.
const STRETCHES: usize = 120;

/// What became of the recordings of one voice.
#[derive(Debug, Clone, Default)]
pub(super) struct LearntVoice {
    voice: String,
    /// From which likeness on the phrase counts as said; nothing where the recordings were refused.
    from: Option<f32>,
    /// Missed in each room, of as many as were said.
    missed: [usize; WakeRoom::ALL.len()],
    said: usize,
    /// Phrases nearly the same, by this voice, and how many of them were taken for it.
    near: usize,
    accepted: usize,
    sounds: Vec<HeardSound>,
}

/// Sound without the phrase.
#[derive(Debug, Clone)]
struct HeardSound {
    name: &'static str,
    length: Duration,
    wakes: usize,
    cpu: Duration,
}

impl WakeBench {
    pub(super) fn learnt(
        &mut self,
        (voices, speakers): (&mut Voices, &[Speaker]),
        (phrase, words): (&str, &str),
        minutes: u32,
    ) -> anyhow::Result<Vec<LearntVoice>> {
        let sounds = self.other_sounds(minutes);
        let progress = show::progress("voices", speakers.len() as u64);
        let mut all = Vec::new();
        for speaker in speakers {
            let spoken = |word: &str| Spoken {
                word: word.into(),
                speaker: speaker.clone(),
                group: VoiceGroup::HeldOut,
            };
            let said = voices.say(&spoken(words))?;
            let mut learnt = LearntVoice { voice: spoken(words).voice(), ..LearntVoice::default() };
            if let Some((templates, from)) = self.enrolled(phrase, &said)? {
                learnt.from = Some(from);
                let mut detector = TemplateWake::new(phrase, &templates, &WakeConfig::default())?;
                self.say_in_rooms(&said, &mut detector, &mut learnt);
                for rival in near::phrases(words) {
                    let said = voices.say(&spoken(&rival))?;
                    learnt.near += 1;
                    learnt.accepted += usize::from(self.is_heard(said, WakeRoom::Quiet, &mut detector));
                }
                learnt.sounds =
                    sounds.iter().map(|(name, sound)| hear_on(name, sound, &mut detector)).collect();
            }
            all.push(learnt);
            progress.inc(1);
        }
        progress.finish_and_clear();
        Ok(all)
    }

    /// The templates of a voice, and from where on they count, as `joi wake add` finds it.
    fn enrolled(&mut self, phrase: &str, said: &[f32]) -> anyhow::Result<Option<(Templates, f32)>> {
        let takes = RECORDED.map(|percent| played(said, percent));
        let takes: Vec<Vec<f32>> =
            takes.iter().filter_map(|take| trimmed(take).ok()).map(<[f32]>::to_vec).collect();
        let alike = Templates::among_themselves(phrase, &takes)?;
        let templates = Templates::learn(phrase, &takes)?;
        let mut likest: f32 = 0.0;
        for number in 0..STRETCHES {
            likest = likest.max(templates.likeness(&other(number, &mut self.rng, &self.speech))?);
        }
        let from = counts_from(&alike, likest);
        Ok(from.map(|from| (templates.counting_from(from), from)))
    }

    fn say_in_rooms(&mut self, said: &[f32], detector: &mut TemplateWake, learnt: &mut LearntVoice) {
        for percent in SAID {
            learnt.said += 1;
            for (missed, room) in learnt.missed.iter_mut().zip(WakeRoom::ALL) {
                *missed += usize::from(!self.is_heard(played(said, percent), room, detector));
            }
        }
    }

    fn is_heard(&mut self, mut said: Vec<f32>, room: WakeRoom, detector: &mut TemplateWake) -> bool {
        bring_to(&mut said, -26.0 + 6.0 * (self.rng.f32() - 0.5));
        let sound = self.in_room(&said, room, 2 * RATE as usize);
        detector.reset();
        wakes(&sound, detector) > 0
    }

    /// Makes the sounds that the detectors of every voice hear, each with its name.
    fn other_sounds(&mut self, minutes: u32) -> Vec<(&'static str, Vec<f32>)> {
        let few = (minutes as usize).div_ceil(4);
        let speech: Vec<f32> = (0..minutes).flat_map(|_| self.minute_of_speech()).collect();
        let mut sounds = vec![("continuous speech", speech), ("silence", silence(60.0 * few as f64))];
        for (name, kinds) in [
            ("crowd", &[NoiseKind::Babble][..]),
            ("music", &[NoiseKind::Music]),
            ("noise", &[NoiseKind::Fan, NoiseKind::Rain, NoiseKind::Hum, NoiseKind::Clatter]),
        ] {
            let piece = |at: usize| piece(kinds[at % kinds.len()], &mut self.rng, &self.speech);
            sounds.push((name, (0..3 * few).flat_map(piece).collect()));
        }
        sounds
    }
}

/// The sound, played so fast, in percent.
fn played(sound: &[f32], percent: usize) -> Vec<f32> {
    (0..sound.len() * 100 / percent).map(|at| sound[at * percent / 100]).collect()
}

fn wakes(sound: &[f32], detector: &mut TemplateWake) -> usize {
    let frames = sound.chunks(FRAME).enumerate();
    frames.filter(|(number, frame)| detector.feed(frame, (number * FRAME) as u64).is_some()).count()
}

fn hear_on(name: &'static str, sound: &[f32], detector: &mut TemplateWake) -> HeardSound {
    detector.reset();
    let before = own_cpu_time();
    let wakes = wakes(sound, detector);
    let length = Duration::from_secs_f64(sound.len() as f64 / f64::from(RATE));
    HeardSound { name, length, wakes, cpu: own_cpu_time().saturating_sub(before) }
}

/// PURE: one row for each voice, then one for each kind of other sound.
pub(super) fn text(phrase: &str, all: &[LearntVoice]) -> String {
    let [quiet, fan, crowd] = &WakeRoom::ALL.map(|room| format!("MISSED, {}", room.name()));
    let mut table = show::table(["VOICE", "COUNTS FROM", quiet, fan, crowd, "NEARLY THE SAME"]);
    for one in all {
        let of = |count: usize, all: usize| format!("{count} of {all}");
        let from = one.from.map_or_else(|| "refused".into(), |from| format!("{from:.2}"));
        let missed = one.missed.iter().map(|missed| of(*missed, one.said));
        let row = [one.voice.clone(), from].into_iter().chain(missed).chain([of(one.accepted, one.near)]);
        table.add_row(row.collect::<Vec<String>>());
    }
    let mut sounds = show::table(["OTHER SOUND", "MINUTES", "WOKEN", "AN HOUR", "CPU s AN HOUR"]);
    for (name, length, wakes, cpu) in summed(all) {
        let an_hour = |count: f64| format!("{:.1}", count / (length.as_secs_f64() / 3600.0));
        let minutes = format!("{:.0}", length.as_secs_f64() / 60.0);
        let row =
            [name.into(), minutes, wakes.to_string(), an_hour(wakes as f64), an_hour(cpu.as_secs_f64())];
        sounds.add_row(row);
    }
    format!("\"{phrase}\", known by six recordings of each voice\n\n{table}\n\n{sounds}")
}

/// PURE: the same for programs.
pub(super) fn json(phrase: &str, all: &[LearntVoice]) -> Value {
    let voices = all.iter().map(|one| {
        json!({
            "voice": one.voice, "counts_from": one.from, "said_in_each_room": one.said,
            "missed_in_rooms": one.missed, "near": one.near, "near_accepted": one.accepted,
        })
    });
    let sounds = summed(all).into_iter().map(|(name, length, wakes, cpu)| {
        let hours = length.as_secs_f64() / 3600.0;
        json!({ "sound": name, "hours": hours, "false_accepts": wakes, "cpu_s_an_hour": cpu.as_secs_f64() / hours })
    });
    json!({ "phrase": phrase, "voices": voices.collect::<Vec<_>>(), "other_sound": sounds.collect::<Vec<_>>() })
}

/// All voices together, for each kind of sound.
fn summed(all: &[LearntVoice]) -> Vec<(&'static str, Duration, usize, Duration)> {
    let mut summed: Vec<(&'static str, Duration, usize, Duration)> = Vec::new();
    for sound in all.iter().flat_map(|one| &one.sounds) {
        match summed.iter_mut().find(|(name, ..)| *name == sound.name) {
            Some((_, length, wakes, cpu)) => {
                *length += sound.length;
                *wakes += sound.wakes;
                *cpu += sound.cpu;
            }
            None => summed.push((sound.name, sound.length, sound.wakes, sound.cpu)),
        }
    }
    summed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voices_stand_alone_and_other_sound_is_summed_over_them() {
        let sound = |wakes| HeardSound {
            name: "crowd",
            length: Duration::from_secs(1800),
            wakes,
            cpu: Duration::from_secs(6),
        };
        let good = LearntVoice {
            voice: "flite slt".into(),
            from: Some(0.61),
            missed: [0, 1, 2],
            said: 4,
            near: 15,
            accepted: 3,
            sounds: vec![sound(1)],
        };
        let refused = LearntVoice { voice: "flite kal".into(), ..LearntVoice::default() };
        let all = [good.clone(), refused, LearntVoice { sounds: vec![sound(2)], ..good }];
        let told = text("hey joi", &all);
        assert!(told.contains("flite kal") && told.contains("refused") && told.contains("3 of 15"), "{told}");
        let json = json("hey joi", &all);
        assert_eq!(json["other_sound"][0]["false_accepts"], 3);
        assert_eq!(json["other_sound"][0]["cpu_s_an_hour"], 12.0);
        assert_eq!(json["voices"][0]["missed_in_rooms"], json!([0, 1, 2]));
        assert_eq!(json["voices"][1]["counts_from"], Value::Null);
    }

    #[test]
    fn what_is_played_faster_is_shorter() {
        assert_eq!(played(&[0.0; 1000], 104).len(), 961);
        assert_eq!(played(&[1.0, 2.0, 3.0, 4.0], 200), [1.0, 3.0]);
    }
}
