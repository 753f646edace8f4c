//! A real sound server with a virtual microphone and a virtual speaker, one for each test.
//!
//! A test that needs one runs itself again as a child process with the server's place in its
//! environment, because environment variables belong to a whole process and tests run side by side.
//! `mic` is the microphone, `mic_feed` the sink that speaks into it, `spk` the speaker and
//! `spk.monitor` what the speaker plays. Needs the Debian package `pulseaudio`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use joi_audio::{AudioConfig, HostChoice};
use rustix::process::Signal;

/// A sound server keeps real time, and a busy machine may starve it: what is broken fails every time.
const ATTEMPTS: usize = 3;

/// In the child: the folder of its server.
const PLACE: &str = "JOI_TEST_SOUND_SERVER";

/// Begins something measured, up to the end of its line: it is shown when the test has passed.
pub(crate) const FIGURE: &str = "measured: ";

const MIC_FEED: [&str; 5] =
    ["module-null-sink", "sink_name=mic_feed", "rate=48000", "channels=1", "norewinds=1"];
const MIC: [&str; 3] = ["module-remap-source", "source_name=mic", "master=mic_feed.monitor"];
const SPEAKER: [&str; 5] = ["module-null-sink", "sink_name=spk", "rate=48000", "channels=2", "norewinds=1"];

/// Runs `story`, a closure of the calling test, with a sound server of its own.
pub(crate) fn with_sound_server<S: FnOnce(&mut SoundServer)>(story: S) {
    if let Some(place) = std::env::var_os(PLACE) {
        let mut server = SoundServer { place: PathBuf::from(place), feeding: None };
        server.start();
        story(&mut server);
        return;
    }
    // A closure's type is named after the test it stands in: crate::path::to::test::{{closure}}.
    let name = std::any::type_name::<S>().trim_end_matches("::{{closure}}");
    let test = name.split_once("::").map_or(name, |(_, test)| test);
    let mut told = String::new();
    for _ in 0..ATTEMPTS {
        let (has_passed, text) = attempt(test);
        if has_passed {
            // What was measured.
            let figures = text.lines().filter_map(|line| line.find(FIGURE).map(|at| &line[at..]));
            figures.for_each(|figure| println!("{figure}"));
            return;
        }
        told += &text;
    }
    panic!("{test} with a sound server, {ATTEMPTS} times:\n{told}");
}

/// One run of `test` in a process of its own, with a server of its own.
fn attempt(test: &str) -> (bool, String) {
    let place = tempfile::tempdir().expect("a folder for the sound server");
    let run = place.path().join("run");
    fs::create_dir_all(run.join("pulse")).expect("a run-time folder for the sound server");
    let output = Command::new(std::env::current_exe().expect("the test binary"))
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(PLACE, place.path())
        .env("XDG_CACHE_HOME", super::program::cache_home())
        .env("HOME", place.path())
        .env("XDG_RUNTIME_DIR", &run)
        .env("PULSE_RUNTIME_PATH", run.join("pulse"))
        .env("PULSE_COOKIE", place.path().join(".config/pulse/cookie"))
        .env("PULSE_SERVER", format!("unix:{}", run.join("pulse/native").display()))
        .output()
        .expect("the test binary runs");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.success() && text.contains("1 passed"), text)
}

/// The server of this test.
pub(crate) struct SoundServer {
    place: PathBuf,
    feeding: Option<Child>,
}

impl SoundServer {
    /// Settings that use the virtual devices.
    pub(crate) fn config(&self) -> AudioConfig {
        AudioConfig {
            host: HostChoice::PulseAudio,
            input: vec!["mic".to_owned()],
            output: vec!["spk".to_owned()],
            volume: 100,
            silent_after_s: 0,
            ..AudioConfig::default()
        }
    }

    /// A folder for the test's files.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// Starts the server; returns when it is ready.
    pub(crate) fn start(&mut self) {
        let socket = self.place.join("run/pulse/native");
        let mut script =
            format!("load-module module-native-protocol-unix auth-anonymous=1 socket={}\n", socket.display());
        for module in [&MIC_FEED[..], &SPEAKER, &MIC] {
            script.push_str(&format!("load-module {}\n", module.join(" ")));
        }
        script.push_str("set-default-source mic\nset-default-sink spk\n");
        let file = self.place.join("server.pa");
        fs::write(&file, script).expect("the server's script");
        let log = self.place.join("server.log");
        // As a daemon it comes back when it is ready to serve.
        let status = Command::new("pulseaudio")
            .args(["-n", "--daemonize=yes", "--use-pid-file=yes", "--exit-idle-time=-1"])
            .args(["--realtime=no", "--high-priority=no", "--disable-shm=yes"])
            .arg(format!("--log-target=newfile:{}", log.display()))
            .arg("-F")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("pulseaudio is installed (apt-get install pulseaudio)");
        assert!(status.success(), "pulseaudio: {status}; {}", fs::read_to_string(log).unwrap_or_default());
    }

    /// Ends the server without any good-bye, as a crash does.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        let _ = fs::remove_file(self.pid_file());
    }

    /// The server does nothing more, and does not end either.
    pub(crate) fn freeze(&mut self) {
        self.signal(Signal::STOP);
    }

    /// The server goes on after [`SoundServer::freeze`].
    pub(crate) fn thaw(&mut self) {
        self.signal(Signal::CONT);
    }

    fn pid_file(&self) -> PathBuf {
        self.place.join("run/pulse/pid")
    }

    fn signal(&self, signal: Signal) {
        let Ok(pid) = fs::read_to_string(self.pid_file()) else { return };
        let pid = pid.trim().parse().ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
        // It may have ended by itself.
        let _ = rustix::process::kill_process(pid, signal);
    }

    /// Plays a WAV file into the microphone, in the background, instead of what is playing.
    pub(crate) fn feed(&mut self, wav: &Path) {
        self.feed_into("mic_feed", wav);
    }

    /// Plays a WAV file into the sink of that name.
    pub(crate) fn feed_into(&mut self, sink: &str, wav: &Path) {
        self.stop_feeding();
        let player = Command::new("paplay").arg(format!("--device={sink}")).arg(wav).spawn();
        self.feeding = Some(player.expect("paplay is installed (apt-get install pulseaudio-utils)"));
    }

    fn stop_feeding(&mut self) {
        if let Some(mut feeding) = self.feeding.take() {
            let _ = feeding.kill();
            let _ = feeding.wait();
        }
    }

    /// Takes every device away, so that there is nothing the server could move a stream to.
    pub(crate) fn unplug_all(&mut self) {
        self.stop_feeding();
        self.control(&["unload-module", "module-remap-source"]);
        self.control(&["unload-module", "module-null-sink"]);
    }

    /// Takes the microphone away and leaves the speaker.
    pub(crate) fn unplug_microphone(&mut self) {
        self.stop_feeding();
        self.control(&["unload-module", "module-remap-source"]);
        let modules = self.control(&["list", "short", "modules"]);
        let feed = modules.lines().find(|line| line.contains("sink_name=mic_feed")).expect("the feed");
        let index = feed.split_whitespace().next().expect("its number").to_owned();
        self.control(&["unload-module", &index]);
    }

    /// Takes the speaker away and leaves the rest.
    pub(crate) fn unplug_speaker(&mut self) {
        let modules = self.control(&["list", "short", "modules"]);
        let speaker = modules.lines().find(|line| line.contains("sink_name=spk")).expect("the speaker");
        let index = speaker.split_whitespace().next().expect("its number").to_owned();
        self.control(&["unload-module", &index]);
    }

    /// The microphone stays and delivers nothing, or delivers again.
    pub(crate) fn suspend_microphone(&mut self, is_suspended: bool) {
        self.control(&["suspend-source", "mic", if is_suspended { "1" } else { "0" }]);
    }

    /// What the speaker plays is heard by the microphone, as in a room.
    pub(crate) fn put_into_one_room(&mut self) {
        let path = ["source=spk.monitor", "sink=mic_feed", "latency_msec=60"];
        self.control(&[&["load-module", "module-loopback"][..], &path].concat());
    }

    /// The switch on the microphone's case: it delivers zeros.
    pub(crate) fn switch_microphone_off(&mut self, is_off: bool) {
        self.control(&["set-source-mute", "mic", if is_off { "1" } else { "0" }]);
    }

    /// Another microphone `name.monitor`, spoken into by the sink `name`.
    pub(crate) fn plug(&mut self, name: &str, (rate, channels, format): (u32, u16, &str)) {
        let shape = [format!("rate={rate}"), format!("channels={channels}"), format!("format={format}")];
        let names = [format!("sink_name={name}"), format!("sink_properties=device.description={name}")];
        let arguments =
            [&["load-module".to_owned(), "module-null-sink".to_owned()][..], &names, &shape].concat();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.control(&[&arguments[..], &["norewinds=1"]].concat());
    }

    /// A room: what the speaker plays comes into the microphone, softer by about 13 dB and 40 ms later.
    pub(crate) fn loop_back(&mut self) {
        let source = ["load-module", "module-loopback", "source=spk.monitor", "sink=mic_feed"];
        let loopback = self.control(&[&source[..], &["latency_msec=40"]].concat());
        let inputs = self.control(&["list", "short", "sink-inputs"]);
        let module = loopback.trim();
        let input = inputs.lines().last().unwrap_or_else(|| panic!("module {module} plays nothing"));
        let index = input.split_whitespace().next().expect("its number");
        self.control(&["set-sink-input-volume", index, "60%"]);
    }

    /// How many connections it serves, the one that asks included.
    pub(crate) fn connections(&self) -> usize {
        self.control(&["list", "short", "clients"]).lines().count()
    }

    /// Puts back what was taken away.
    pub(crate) fn replug(&mut self) {
        let present = self.control(&["list", "short", "modules"]);
        for module in [&MIC_FEED[..], &SPEAKER, &MIC] {
            if !present.contains(module[1]) {
                self.control(&[&["load-module"], module].concat());
            }
        }
    }

    fn control(&self, arguments: &[&str]) -> String {
        let output = Command::new("pactl").args(arguments).output();
        let output = output.expect("pactl is installed (apt-get install pulseaudio-utils)");
        assert!(output.status.success(), "pactl {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for SoundServer {
    fn drop(&mut self) {
        self.stop_feeding();
        // A frozen one would not end.
        self.thaw();
        self.kill();
    }
}
