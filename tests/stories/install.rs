//! The service: what is installed where, that it can be taken back, and what systemd thinks of the units; and what is
//! fetched for who starts joi from the sources.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::program::project;

/// A machine to install on.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder for a machine"))
    }

    fn place(&self) -> PathBuf {
        self.0.path().join("image")
    }

    /// Runs the installer; what it told.
    #[track_caller]
    fn install(&self, flavour: &str, arguments: &[&str]) -> String {
        let built = Path::new(env!("CARGO_BIN_EXE_joi")).parent().unwrap();
        let output = Command::new(project("scripts/install.sh"))
            .args(arguments)
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("JOI_MODELS")
            .env("HOME", self.0.path().join("home"))
            .env("DESTDIR", self.place())
            .env("FLAVOUR", flavour)
            .env("BUILT", built)
            .env("MODELS", "skip")
            .output()
            .expect("the installer runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        told
    }

    /// The installed files, relative to the machine's root.
    fn files(&self) -> BTreeSet<String> {
        let (mut found, mut open) = (BTreeSet::new(), vec![self.place()]);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.insert(path.strip_prefix(self.place()).unwrap().display().to_string());
                }
            }
        }
        found
    }
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o111 == 0o111)
}

#[test]
fn the_system_flavour_is_installed_twice_and_taken_back() {
    let machine = Machine::new();
    machine.install("system", &[]);
    let first = machine.files();
    let expected = [
        "etc/joi/config.toml",
        "usr/local/bin/joi",
        "usr/local/bin/joi-model",
        "usr/local/lib/systemd/system/joi.service",
        "usr/local/share/bash-completion/completions/joi",
        "usr/local/share/fish/vendor_completions.d/joi.fish",
        "usr/local/share/zsh/site-functions/_joi",
    ];
    assert_eq!(first, expected.map(str::to_owned).into());
    for program in ["usr/local/bin/joi", "usr/local/bin/joi-model"] {
        assert!(is_program(&machine.place().join(program)), "{program}");
    }
    let configuration = machine.place().join("etc/joi/config.toml");
    fs::write(&configuration, "# mine\n").unwrap();
    machine.install("system", &[]);
    assert_eq!(machine.files(), first, "the second time changes nothing");
    assert_eq!(fs::read_to_string(&configuration).unwrap(), "# mine\n");

    let told = machine.install("system", &["uninstall"]);
    assert_eq!(machine.files(), ["etc/joi/config.toml".to_owned()].into());
    assert!(told.contains("/var/lib/joi") && told.contains("/etc/joi"), "{told}");
    machine.install("system", &["uninstall"]);
}

#[test]
fn the_user_flavour_is_installed_below_the_home_and_taken_back() {
    let machine = Machine::new();
    machine.install("user", &[]);
    let home = machine.place().join(machine.0.path().strip_prefix("/").unwrap()).join("home");
    let mode = |path: &str| fs::metadata(home.join(path)).unwrap().permissions().mode() & 0o777;
    assert!(is_program(&home.join(".local/bin/joi")) && is_program(&home.join(".local/bin/joi-model")));
    assert_eq!(mode(".local/share/joi"), 0o700);
    assert_eq!(mode(".config/systemd/user/joi.service"), 0o644);
    let completions = fs::read_to_string(home.join(".local/share/bash-completion/completions/joi")).unwrap();
    assert!(completions.contains("unmute"));
    fs::write(home.join(".local/share/joi/joi.db"), "memories").unwrap();
    let first = machine.files();
    machine.install("user", &[]);
    assert_eq!(machine.files(), first);
    let told = machine.install("user", &["uninstall"]);
    let left = machine.files();
    assert!(left.iter().all(|file| file.ends_with(".local/share/joi/joi.db")) && left.len() == 1, "{left:?}");
    assert!(told.contains(".local/share/joi (dialogue"), "{told}");
}

/// What `systemd-analyze` says, with the units' programs at hand.
fn analyse(manager: &str, arguments: &[&str]) -> (bool, String) {
    let run = TempDir::new().unwrap();
    let output = Command::new("systemd-analyze")
        .arg(manager)
        .args(arguments)
        .env("XDG_RUNTIME_DIR", run.path())
        .output()
        .expect("systemd is installed (apt-get install systemd)");
    let told = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.success(), told.concat())
}

#[test]
fn the_units_have_no_mistake_and_little_power() {
    let (folder, packaged) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut made = Command::new(project("scripts/deb.sh"));
    let made = made.arg("units").arg(packaged.path()).env("ARCH", "amd64").output();
    let made = made.expect("the script of the package runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let packaged = |name: &str| packaged.path().join(name);
    // Most that `systemd-analyze security` may find, in tenths: 0 is a cage, 100 an open door.
    for (manager, file, exposure) in [
        ("--system", project("systemd/joi.service"), "20"),
        ("--user", project("systemd/user/joi.service"), "39"),
        ("--system", packaged("joi.service"), "20"),
        ("--system", packaged("joi-models.service"), "20"),
        ("--user", packaged("joi.user.service"), "39"),
        ("--system", project("examples/joi-button.service"), "30"),
        ("--system", project("examples/joi-leds.service"), "30"),
    ] {
        // A user's unit has another name while it is gathered.
        let others = ["joi-models.service", "joi-button.service", "joi-leds.service"];
        let name = others.into_iter().find(|name| file.ends_with(name)).unwrap_or("joi.service");
        let text = fs::read_to_string(file).unwrap();
        // Verified is also that the program is there, which it is not before it is installed.
        let program = env!("CARGO_BIN_EXE_joi");
        let text = text.replace("/usr/local/bin/joi", program).replace("%h/.local/bin/joi", program);
        let text = text.replace("=/usr/bin/joi", &format!("={program}"));
        let unit = folder.path().join(name);
        fs::write(&unit, text).unwrap();
        let unit = unit.to_str().unwrap();
        let (_, told) = analyse(manager, &["verify", "--man=no", unit]);
        let mistakes: Vec<&str> = told
            .lines()
            .filter(|line| line.contains(name))
            // Keys that an older systemd ignores; the installer leaves them out there.
            .filter(|line| !line.contains("'RestartSteps'") && !line.contains("'RestartMaxDelaySec'"))
            .collect();
        assert_eq!(mistakes, [""; 0], "{told}");
        let limit = format!("--threshold={exposure}");
        let (is_safe, told) = analyse(manager, &["security", "--offline=true", "--no-pager", &limit, unit]);
        assert!(is_safe, "{told}");
    }
}

#[test]
fn the_units_bring_her_back_in_bounds_and_outlive_their_model() {
    for unit in ["systemd/joi.service", "systemd/user/joi.service"] {
        let text = fs::read_to_string(project(unit)).unwrap();
        for line in [
            "Type=notify",
            "WatchdogSec=30s",
            "Restart=on-failure",
            "RestartSec=5s",
            "RestartMaxDelaySec=1min",
            "StartLimitIntervalSec=10min",
            "StartLimitBurst=10",
            "OOMPolicy=continue",
            "MemoryMax=90%",
            "TimeoutStopSec=60s",
            "LimitCORE=0",
        ] {
            assert!(text.lines().any(|other| other == line), "{unit}: {line}");
        }
    }
}

/// A start with the router down is as quick as any other; models that are missing are waited for.
#[test]
fn no_unit_of_the_package_waits_for_the_network() {
    let folder = TempDir::new().unwrap();
    let mut made = Command::new(project("scripts/deb.sh"));
    assert!(made.arg("units").arg(folder.path()).env("ARCH", "amd64").status().unwrap().success());
    let file = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for unit in ["joi.service", "joi.user.service", "joi-models.service", "joi-models.user.service"] {
        assert!(!file(unit).contains("network-online"), "{unit}");
    }
    let home = TempDir::new().unwrap();
    for unit in ["joi-models.service", "joi-models.user.service"] {
        let unit = file(unit);
        let told = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/joi ")).unwrap();
        assert_eq!(told, "models fetch --keep-trying");
        // Joi knows these words, and goes on trying for nothing that a network would not bring.
        let mut joi = Command::new(env!("CARGO_BIN_EXE_joi"));
        joi.args(told.split(' ')).arg("no-such-model").env("HOME", home.path());
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "JOI_CONFIG", "JOI_DATA"] {
            joi.env_remove(name);
        }
        let ended = joi.output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{told}");
        assert!(told.contains("there is no model \"no-such-model\""), "{told}");
    }
}

/// The package leaves out of its unit what Debian 12's systemd does not know, and brings it for a newer one.
#[test]
fn the_package_brings_pauses_that_grow_for_a_systemd_that_knows_them() {
    let folder = TempDir::new().unwrap();
    let made =
        Command::new(project("scripts/deb.sh")).arg("units").arg(folder.path()).env("ARCH", "amd64").output();
    assert!(made.expect("the script of the package runs").status.success());
    let file = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("Restart")).map(str::to_owned).collect()
    };
    assert_eq!(lines(&file("restart.conf")), ["RestartSteps=5", "RestartMaxDelaySec=1min"]);
    assert!(file("restart.conf").lines().any(|line| line == "[Service]"));
    for unit in ["joi.service", "joi.user.service"] {
        let unit = lines(&file(unit));
        assert_eq!(unit, ["Restart=on-failure", "RestartPreventExitStatus=2", "RestartSec=5s"]);
    }
}

/// Commands of the service of the machine are run where it lives, whatever its unit says.
#[test]
fn the_packages_wrapper_has_the_places_of_its_unit() {
    let folder = TempDir::new().unwrap();
    let mut made = Command::new(project("scripts/deb.sh"));
    assert!(made.arg("units").arg(folder.path()).env("ARCH", "amd64").status().unwrap().success());
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let (unit, wrapper, fetching) = (text("joi.service"), text("joi-service"), text("joi-models.service"));
    let places = |unit: &str| -> BTreeSet<(String, String)> {
        let lines = unit.lines().filter_map(|line| line.strip_prefix("Environment="));
        lines.filter_map(|line| line.split_once('=')).map(|(n, v)| (n.to_owned(), v.to_owned())).collect()
    };
    let of_unit = places(&unit);
    assert!(of_unit.contains(&("JOI_DATA".to_owned(), "/var/lib/joi".to_owned())), "{of_unit:?}");
    for (name, value) in &of_unit {
        assert!(wrapper.contains(&format!("export {name}='{value}'\n")), "{name}: {wrapper}");
    }
    assert!(
        !wrapper.contains('@') || wrapper.matches('@').count() == wrapper.matches("\"$@\"").count(),
        "{wrapper}"
    );
    assert!(
        places(&fetching).is_subset(&of_unit),
        "models are fetched to where they are looked for: {fetching}"
    );
}

/// The better chat model is asked for, or not, on a machine of so much memory; what a double of joi was told to do, and
/// what was said.
fn better_mind(mind: &str, megabytes: u32, arguments: &[&str], is_there: bool) -> (String, String) {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    fs::write(place("meminfo"), format!("MemTotal:       {} kB\n", megabytes * 1000)).unwrap();
    fs::create_dir(place("models")).unwrap();
    if is_there {
        fs::create_dir(place("models/chat-qwen3-1.7b")).unwrap();
    }
    fs::write(place("joi"), format!("#!/bin/sh\necho \"$*\" >> {}\n", place("done").display())).unwrap();
    fs::set_permissions(place("joi"), fs::Permissions::from_mode(0o755)).unwrap();
    let script = "set -euo pipefail; say() { echo \"joi: $*\" >&2; }; fail() { say \"$*\"; exit 1; }; \
        . \"$MIND_SCRIPT\"; offer_better \"$@\"";
    let output = Command::new("bash")
        .args(["-c", script, "joi.sh"])
        .args(arguments)
        .env("MIND_SCRIPT", project("scripts/mind.sh"))
        .env("MIND", mind)
        .env("MEMINFO", place("meminfo"))
        .env("models", place("models"))
        .env("joi", place("joi"))
        .output()
        .expect("bash runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), ["", "better"].contains(&mind), "{told}");
    (fs::read_to_string(place("done")).unwrap_or_default(), told)
}

#[test]
fn a_better_mind_is_fetched_where_it_fits_and_offered_to_who_runs_her() {
    let fetched = "models fetch chat-qwen3-1.7b\n";
    let said = |told: &str| told.lines().count();
    let (done, told) = better_mind("better", 7_900, &["run"], false);
    assert_eq!((done.as_str(), said(&told)), (fetched, 0), "{told}");
    let (done, told) = better_mind("better", 1_900, &["run"], false);
    assert_eq!((done.as_str(), said(&told)), ("", 1), "{told}");
    assert!(told.contains("needs a machine with 4 GB of memory, and this one has 1900 MB"), "{told}");
    let (done, told) = better_mind("better", 1_900, &["run"], true);
    assert_eq!((done.as_str(), said(&told)), ("", 0), "it is there: {told}");
    let (done, told) = better_mind("", 7_900, &["run"], false);
    assert!(done.is_empty() && told.contains("make run MIND=better"), "{told}");
    for (megabytes, arguments, is_there) in
        [(7_900, "home demo", false), (7_900, "bench", false), (1_900, "run", false), (7_900, "run", true)]
    {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let (done, told) = better_mind("", megabytes, &arguments, is_there);
        assert_eq!((done.as_str(), told.as_str()), ("", ""), "{arguments:?}");
    }
    let (done, told) = better_mind("best", 7_900, &["run"], false);
    assert!(done.is_empty() && told.contains("MIND is \"best\"; it can be better"), "{told}");
}
