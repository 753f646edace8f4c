//! A room to measure in: what joi plays reaches joi's microphone late, reflected and from another clock, and
//! somebody may talk in it. Frame by frame, so that what joi does about it counts.
//!
//! In: what is played and what is said. Out: an [`AudioSource`] as the microphone hears it, beside the far end. Made
//! from a seed; no thread, no clock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use joi_audio::{AudioSource, EchoReference, EchoReferenceFeed, RATE, SourceEvent};

/// The echo's reflections: so many, within this time.
const REFLECTIONS: usize = 60;
const REVERBERATION: Duration = Duration::from_millis(250);
/// From the speaker to the microphone, the sound system included.
pub(super) const DELAY: Duration = Duration::from_millis(60);
/// The longest delay that can be set.
const LONGEST: Duration = Duration::from_millis(600);
/// Samples that are read at once: 20 ms.
const PIECE: usize = RATE as usize / 50;
/// What becomes softer or louder does so within 30 ms.
const GLIDE: f32 = 1.0 / (0.03 * RATE as f32);

/// What the room is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) seed: u64,
    /// The echo against what is played, in dB.
    pub(super) level_db: f32,
    /// How much faster the microphone's clock is, in parts per million.
    pub(super) drift_ppm: f64,
}

/// Directs what happens in the room. Clones direct the same one.
#[derive(Clone)]
pub(super) struct RoomDirector(Arc<Mutex<RoomState>>);

struct RoomState {
    played: VecDeque<f32>,
    said: VecDeque<f32>,
    gain: f32,
    target: f32,
    way: SoundPath,
    feed: EchoReferenceFeed,
}

/// The microphone.
pub(super) struct Room(RoomDirector);

/// A room of this shape: who directs it, the microphone, and the far end.
pub(super) fn room(shape: Shape) -> (RoomDirector, Room, EchoReference) {
    let (feed, far) = EchoReference::by_hand(RATE);
    let (played, said) = (VecDeque::new(), VecDeque::new());
    let state = RoomState { played, said, gain: 1.0, target: 1.0, way: SoundPath::new(shape), feed };
    let stage = RoomDirector(Arc::new(Mutex::new(state)));
    (stage.clone(), Room(stage), far)
}

impl RoomDirector {
    fn state(&self) -> MutexGuard<'_, RoomState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joi plays this next.
    pub(super) fn play(&self, samples: &[f32]) {
        self.state().played.extend(samples);
    }

    /// Somebody says this from now on; as long as nobody does, the room is quiet.
    pub(super) fn talk(&self, samples: &[f32]) {
        self.state().said.extend(samples);
    }

    /// Joi speaks so loud from now on; 1 is full.
    pub(super) fn loudness(&self, factor: f32) {
        self.state().target = factor;
    }

    /// The way from the speaker to the microphone takes so long from now on.
    pub(super) fn delay(&self, delay: Duration) {
        self.state().way.delay = samples(delay.min(LONGEST));
    }
}

impl AudioSource for Room {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        let mut state = self.0.state();
        let count = PIECE.min(state.played.len());
        if count == 0 {
            return SourceEvent::Nothing;
        }
        let mut played = Vec::with_capacity(count);
        for _ in 0..count {
            let step = (state.target - state.gain).clamp(-GLIDE, GLIDE);
            state.gain += step;
            let sample = state.played.pop_front().unwrap_or_default() * state.gain;
            let said = state.said.pop_front().unwrap_or_default();
            into.push((state.way.hear(sample) + said).clamp(-1.0, 1.0));
            played.push(sample);
        }
        state.feed.played(&played);
        SourceEvent::Samples(count)
    }
}

/// The way from the speaker to the microphone: a delay, decaying reflections, another clock, a little noise.
struct SoundPath {
    /// How long after the first one, and how strong.
    taps: Vec<(usize, f32)>,
    delay: usize,
    /// The samples that were played, the newest first.
    past: VecDeque<f32>,
    drift: f64,
    /// How far the clocks are apart by now, in samples.
    apart: f64,
    random: fastrand::Rng,
}

impl SoundPath {
    fn new(shape: Shape) -> Self {
        let mut random = fastrand::Rng::with_seed(shape.seed);
        let length = samples(REVERBERATION);
        let mut taps = vec![(0, 1.0)];
        for _ in 0..REFLECTIONS {
            let at = random.usize(1..length);
            let decay = (-6.9 * at as f32 / length as f32).exp();
            taps.push((at, 0.5 * decay * (2.0 * random.f32() - 1.0)));
        }
        let power: f32 = taps.iter().map(|(_, gain)| gain * gain).sum();
        let scale = 10_f32.powf(shape.level_db / 20.0) / power.sqrt();
        taps.iter_mut().for_each(|(_, gain)| *gain *= scale);
        let past = vec![0.0; samples(LONGEST) + length + RATE as usize].into();
        let drift = shape.drift_ppm * 1e-6;
        Self { taps, delay: samples(DELAY), past, drift, apart: 0.0, random }
    }

    /// Returns the sample that is heard while this one is played.
    fn hear(&mut self, played: f32) -> f32 {
        self.past.pop_back();
        self.past.push_front(played);
        // A clock that is apart by a second was never seen.
        self.apart = (self.apart + self.drift).clamp(-(self.delay as f64), f64::from(RATE) - 2.0);
        let late = self.delay as f64 + self.apart;
        let (whole, part) = (late.floor() as usize, late.fract() as f32);
        let at = |lag: usize| self.past.get(lag).copied().unwrap_or_default();
        let echo: f32 = self
            .taps
            .iter()
            .map(|(lag, gain)| gain * (at(whole + lag) * (1.0 - part) + at(whole + lag + 1) * part))
            .sum();
        echo + (self.random.f32() - 0.5) * 1e-3
    }
}

/// So many samples fit into `length`.
pub(super) fn samples(length: Duration) -> usize {
    (length.as_secs_f64() * f64::from(RATE)) as usize
}

/// The level of the loud parts of speech, in dBFS: of the tenths of a second within 20 dB of the loudest.
pub(super) fn level_db(speech: &[f32]) -> f32 {
    let power = |piece: &[f32]| piece.iter().map(|s| s * s).sum::<f32>() / piece.len() as f32;
    let powers: Vec<f32> = speech.chunks(RATE as usize / 10).map(power).collect();
    let loudest = powers.iter().copied().fold(0.0, f32::max);
    let loud: Vec<f32> = powers.into_iter().filter(|power| *power > loudest / 100.0).collect();
    10.0 * (loud.iter().sum::<f32>() / loud.len().max(1) as f32).max(1e-12).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(count: u32) -> Vec<f32> {
        (0..count).map(|i| ((i * 7919) % 1000) as f32 / 1000.0 - 0.5).collect()
    }

    fn heard(shape: Shape, played: &[f32], direct: impl Fn(&RoomDirector, usize)) -> Vec<f32> {
        let (stage, mut room, _far) = room(shape);
        stage.play(played);
        let mut heard = Vec::new();
        for piece in 0.. {
            direct(&stage, piece);
            if room.read(&mut heard) == SourceEvent::Nothing {
                break;
            }
        }
        heard
    }

    const SHAPE: Shape = Shape { seed: 3, level_db: -10.0, drift_ppm: 0.0 };

    #[test]
    fn the_echo_comes_late_and_softer() {
        let noise = noise(16_000);
        let heard = heard(SHAPE, &noise, |_, _| {});
        assert_eq!(heard.len(), noise.len());
        assert!(heard[..960].iter().all(|s| s.abs() <= 5e-4), "nothing but noise before the delay");
        let level = level_db(&heard[8000..]) - level_db(&noise);
        assert!((-13.0..-7.0).contains(&level), "{level} dB");
    }

    #[test]
    fn she_can_speak_softly_and_somebody_else_is_heard_whole() {
        let noise = noise(16_000);
        let soft = heard(SHAPE, &noise, |stage, piece| {
            if piece == 10 {
                stage.loudness(0.1);
            }
        });
        assert!(level_db(&soft[8000..]) < level_db(&soft[..3200]) - 15.0);
        let talked = heard(SHAPE, &vec![0.0; 16_000], |stage, piece| {
            if piece == 25 {
                stage.talk(&[0.25; 1600]);
            }
        });
        assert!(talked[8000..9600].iter().all(|s| (s - 0.25).abs() < 1e-3));
        assert!(talked[9600..].iter().chain(&talked[..8000]).all(|s| s.abs() < 1e-3));
    }

    #[test]
    fn another_clock_moves_the_echo_and_a_jump_of_the_delay_at_once() {
        let mut click = vec![0.0; 48_000];
        click[40_000] = 1.0;
        let place = |heard: Vec<f32>| {
            let loudest = (0..heard.len()).max_by(|a, b| heard[*a].abs().total_cmp(&heard[*b].abs()));
            loudest.unwrap() - 40_000
        };
        assert_eq!(place(heard(SHAPE, &click, |_, _| {})), 960);
        let drifting = Shape { drift_ppm: 1000.0, ..SHAPE };
        assert!((999..=1002).contains(&place(heard(drifting, &click, |_, _| {}))));
        let jumped = heard(SHAPE, &click, |stage, _| stage.delay(Duration::from_millis(260)));
        assert_eq!(place(jumped), 4160);
    }
}
