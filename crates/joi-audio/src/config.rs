//! `[audio]`: which devices, how loud, how long the buffers. Plain data, read once at the start.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::gain::Volume;
use joi_base::problem::Problem;

/// The sound system to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HostChoice {
    /// PulseAudio (or PipeWire's compatible server) if it answers, otherwise ALSA.
    #[default]
    Auto,
    /// ALSA devices of the kernel, without a sound server.
    Alsa,
    /// PulseAudio or PipeWire.
    PulseAudio,
}

/// Whether echo cancellation runs on the microphone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EchoCancel {
    /// Unless the microphone's name says that the sound system already cancels echo.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

impl EchoCancel {
    /// Returns whether it applies to the microphone of this name.
    pub(super) fn is_for(self, device: &str) -> bool {
        let name = device.to_lowercase().replace(['-', '_', ' '], "");
        match self {
            Self::Auto => !name.contains("echocancel"),
            Self::On => true,
            Self::Off => false,
        }
    }
}

/// Settings of the microphone and the speaker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AudioConfig {
    /// The name of the room in which microphone and speaker are: announcements may be meant for one room, and the
    /// conversation is kept under it.
    pub room: String,
    /// Sound system: "auto", "alsa" or "pulseaudio" (PipeWire counts as pulseaudio).
    pub host: HostChoice,
    /// Microphones by id (see `joi devices`) in order of preference; "default" is the system's choice.
    /// A part of a device's name will do.
    pub input: Vec<String>,
    /// Gain on the microphone in dB, -20 to 30, before everything that listens. Raise it where quiet speech is missed;
    /// lower it where `joi doctor` reports that the microphone clips.
    pub input_gain_db: f32,
    /// Speakers by id, in order of preference, like `input`.
    pub output: Vec<String>,
    /// Loudness at the start in percent, 0 to 100. Higher is louder; 100 is the voice as it was made.
    pub volume: u8,
    /// Whether a short soft tone says that the wake phrase was heard.
    pub tone: bool,
    /// Length of one capture period in ms, 5 to 200. Higher costs less CPU and hears later.
    pub input_period_ms: u32,
    /// Length of one playback period in ms, 5 to 200. Higher survives a busier machine and speaks later.
    pub output_period_ms: u32,
    /// A microphone that delivers only zeros for this many seconds counts as missing, 0 to 3600. Higher
    /// detects a dead microphone later; 0 never does. A microphone that had a noise floor before is detected
    /// after 1.5 s.
    pub silent_after_s: u32,
    /// Echo cancellation: "auto", "on" or "off". "auto" leaves it to the sound system if the microphone's
    /// name says that its echo is already cancelled.
    pub echo_cancel: EchoCancel,
}

impl Default for AudioConfig {
    fn default() -> Self {
        Self {
            host: HostChoice::Auto,
            room: "home".to_owned(),
            input: vec!["default".to_owned()],
            input_gain_db: 0.0,
            output: vec!["default".to_owned()],
            volume: 80,
            tone: true,
            input_period_ms: 20,
            output_period_ms: 20,
            silent_after_s: 10,
            echo_cancel: EchoCancel::Auto,
        }
    }
}

impl AudioConfig {
    /// Every problem of these settings; empty when all is well.
    pub fn check(&self) -> Vec<Problem> {
        let ids = [("audio.input", &self.input), ("audio.output", &self.output)];
        let no_device = ids.into_iter().filter(|(_, ids)| ids.iter().all(|id| id.trim().is_empty()));
        let mut problems: Vec<_> = no_device
            .map(|(key, ids)| {
                Problem::new(key, format!("{ids:?}"), "a list of at least one device id")
                    .remedy("Write [\"default\"] for the system's choice; `joi devices` shows the others")
            })
            .collect();
        problems.extend(
            [
                Problem::outside("audio.input_gain_db", self.input_gain_db.into(), -20.0..=30.0, "dB"),
                Problem::outside("audio.volume", self.volume.into(), 0.0..=100.0, "%"),
                Problem::outside("audio.input_period_ms", self.input_period_ms.into(), 5.0..=200.0, "ms"),
                Problem::outside("audio.output_period_ms", self.output_period_ms.into(), 5.0..=200.0, "ms"),
                Problem::outside("audio.silent_after_s", self.silent_after_s.into(), 0.0..=3600.0, "s"),
            ]
            .into_iter()
            .flatten(),
        );
        problems
    }

    /// Returns the loudness at the start.
    pub(crate) fn start_volume(&self) -> Volume {
        Volume::percent(self.volume)
    }

    pub(super) fn silent_after(&self) -> Option<Duration> {
        (self.silent_after_s > 0).then(|| Duration::from_secs(self.silent_after_s.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_have_no_problem_and_survive_toml() {
        let config = AudioConfig::default();
        assert_eq!(config.check(), vec![]);
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<AudioConfig>(&text).unwrap(), config);
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let config = AudioConfig {
            input: vec![],
            input_gain_db: 30.5,
            output: vec![" ".into()],
            volume: 101,
            input_period_ms: 4,
            output_period_ms: 201,
            silent_after_s: 3601,
            ..AudioConfig::default()
        };
        let keys: Vec<_> = config.check().into_iter().map(|problem| problem.key).collect();
        assert_eq!(
            keys,
            [
                "audio.input",
                "audio.output",
                "audio.input_gain_db",
                "audio.volume",
                "audio.input_period_ms",
                "audio.output_period_ms",
                "audio.silent_after_s"
            ]
        );
    }

    #[test]
    fn echo_is_left_to_a_microphone_that_cancels_it_already() {
        for name in
            ["alsa_input.usb.echo-cancel", "Echo-Cancel Source", "Desk (echo cancelled)", "echo_cancel"]
        {
            assert!(!EchoCancel::Auto.is_for(name), "{name}");
            assert!(EchoCancel::On.is_for(name) && !EchoCancel::Off.is_for(name));
        }
        assert!(EchoCancel::Auto.is_for("Echo Dot") && EchoCancel::Auto.is_for("Desk microphone"));
    }

    #[test]
    fn an_unknown_key_is_refused() {
        assert!(toml::from_str::<AudioConfig>("volum = 3").is_err());
    }
}
