//! The health of the machine: temperature, power supply, memory, disk.
//!
//! Any thread; reads small files below a root, `/` or that of a test, and keeps nothing. Values that the system does not report
//! are left out, never guessed. [`MachineHealth::troubles`] is pure. On a Raspberry Pi low voltage and throttling are
//! read from the firmware (`get_throttled`), or else from the kernel's voltage monitor (`rpi_volt`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::MemoryRoom;

/// From this temperature on, in °C, a Raspberry Pi slows down: 80, 85 at the latest.
const HOT_C: f32 = 80.0;
/// Less free memory than this, in bytes, and nothing more can be loaded.
const LEAST_MEMORY: u64 = 64 << 20;
/// Less free disk than this, in bytes, and dialogue may not be stored.
pub const LEAST_DISK: u64 = 200_000_000;
/// The names of zones that measure the processor, the best first.
const ZONES: [&str; 5] = ["cpu-thermal", "cpu_thermal", "soc-thermal", "x86_pkg_temp", "acpitz"];

/// Measurements of the machine. Values the system does not report are `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineHealth {
    /// The board, as its device tree names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Of the processor, in °C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<f32>,
    /// Power and heat as the board's firmware reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerHealth>,
    /// Free and total memory in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryRoom>,
    /// The disk of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskRoom>,
}

/// Power and heat of a Raspberry Pi.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerHealth {
    /// The voltage is too low at this moment.
    pub undervolted: bool,
    /// It was too low since the machine was started.
    pub was_undervolted: bool,
    /// The processor is slowed down at this moment.
    pub throttled: bool,
    /// It was slowed down since the machine was started.
    pub was_throttled: bool,
}

/// Room on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskRoom {
    /// Free bytes.
    pub free: u64,
    /// All bytes.
    pub total: u64,
    /// Nothing can be written.
    pub read_only: bool,
}

impl DiskRoom {
    /// Reads the disk that holds `place`, or will hold it. Free is what this user may write.
    ///
    /// # Errors
    /// The system's.
    pub fn of(place: &Path) -> io::Result<Self> {
        let existing = place.ancestors().find(|place| place.exists()).unwrap_or(place);
        let disk = rustix::fs::statvfs(existing)?;
        Ok(Self {
            free: disk.f_bavail.saturating_mul(disk.f_frsize),
            total: disk.f_blocks.saturating_mul(disk.f_frsize),
            read_only: disk.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY),
        })
    }
}

/// Something that is wrong with the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineTrouble {
    /// The power supply is too weak.
    Undervolted,
    /// The processor is slowed down.
    Throttled,
    /// It will be slowed down soon.
    Hot,
    /// Hardly any memory is free.
    LowMemory,
    /// Hardly any disk is free.
    LowDisk,
    /// Nothing can be written to the disk.
    ReadOnlyDisk,
}

impl MachineTrouble {
    /// Returns one sentence with the remedy.
    pub fn description(self) -> &'static str {
        match self {
            Self::Undervolted => {
                "the power supply is too weak: the voltage is or was too low, which makes the machine slow and can damage \
                 the card; use the power supply made for this board and a short cable"
            }
            Self::Throttled => {
                "the processor is or was slowed down by heat or low voltage, so answers take longer; give it a cooler"
            }
            Self::Hot => "the processor is at 80 °C or more and about to be slowed down; give it a cooler",
            Self::LowMemory => {
                "hardly any memory is free; end other programs, or choose a smaller model (docs/user/small-machines.md)"
            }
            Self::LowDisk => {
                "less than 200 MB of the disk are free, so dialogue may soon not be stored; free some space"
            }
            Self::ReadOnlyDisk => {
                "the disk of the data is read-only, so nothing is remembered; check it, mount it writable, or set JOI_DATA"
            }
        }
    }
}

impl MachineHealth {
    /// Reads the files of the system below `root`, and the disk of `data`.
    pub fn read(root: &Path, data: &Path) -> Self {
        Self {
            board: board(root),
            temperature_c: temperature(root),
            power: power(root),
            memory: if root == Path::new("/") { MemoryRoom::now() } else { memory(root) },
            disk: DiskRoom::of(data).ok(),
        }
    }

    /// Returns the troubles, the worst first.
    pub fn troubles(&self) -> Vec<MachineTrouble> {
        let power = self.power.unwrap_or_default();
        let is_hot = self.temperature_c.is_some_and(|degrees| degrees >= HOT_C);
        let is_throttled = power.throttled || power.was_throttled;
        let (disk, memory) = (self.disk, self.memory);
        let is_read_only = disk.is_some_and(|disk| disk.read_only);
        let is_low = disk.is_some_and(|disk| disk.free < LEAST_DISK);
        [
            (power.undervolted || power.was_undervolted, MachineTrouble::Undervolted),
            (is_throttled, MachineTrouble::Throttled),
            (is_hot && !is_throttled, MachineTrouble::Hot),
            (memory.is_some_and(|memory| memory.free < LEAST_MEMORY), MachineTrouble::LowMemory),
            (is_low && !is_read_only, MachineTrouble::LowDisk),
            (is_read_only, MachineTrouble::ReadOnlyDisk),
        ]
        .into_iter()
        .filter_map(|(is_so, trouble)| is_so.then_some(trouble))
        .collect()
    }
}

/// Returns the board's name in the device tree, as "Raspberry Pi 5 Model B Rev 1.0"; a PC has none.
pub fn board(root: &Path) -> Option<String> {
    let name = text(&root.join("proc/device-tree/model"))?;
    let name: String = name.chars().filter(|sign| !sign.is_control()).take(80).collect();
    (!name.is_empty()).then_some(name)
}

fn temperature(root: &Path) -> Option<f32> {
    let zones = folders(&root.join("sys/class/thermal"), "thermal_zone");
    let measured = zones.iter().filter_map(|zone| {
        let thousandths: f32 = text(&zone.join("temp"))?.parse().ok()?;
        let name = text(&zone.join("type")).unwrap_or_default();
        let rank = ZONES.iter().position(|known| *known == name).unwrap_or(ZONES.len());
        // A sensor that is not there reads as something impossible.
        let degrees = thousandths / 1000.0;
        (-40.0..150.0).contains(&degrees).then_some((rank, degrees))
    });
    // Of several of the same rank the warmest.
    measured.min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1))).map(|(_, degrees)| degrees)
}

fn power(root: &Path) -> Option<PowerHealth> {
    firmware(root).or_else(|| voltage_monitor(root))
}

/// The firmware's bits, in hexadecimal: 0 to 3 are of this moment, 16 to 19 of the time since the start.
fn firmware(root: &Path) -> Option<PowerHealth> {
    let devices = folders(&root.join("sys/devices/platform"), "soc");
    let inside = devices.iter().flat_map(|soc| folders(soc, "soc"));
    let files = inside.map(|folder| folder.join("get_throttled"));
    let bits = files.filter_map(|file| text(&file)).find_map(|bits| {
        let digits = bits.strip_prefix("0x").unwrap_or(&bits);
        u32::from_str_radix(digits, 16).ok()
    })?;
    let has = |bit: u32| bits & (1 << bit) != 0;
    Some(PowerHealth {
        undervolted: has(0),
        was_undervolted: has(16),
        // The clock is capped, the processor is throttled, the soft limit of temperature is active.
        throttled: has(1) || has(2) || has(3),
        was_throttled: has(17) || has(18) || has(19),
    })
}

/// The kernel's own monitor of a Raspberry Pi's voltage.
fn voltage_monitor(root: &Path) -> Option<PowerHealth> {
    let monitors = folders(&root.join("sys/class/hwmon"), "hwmon");
    let ours = monitors.iter().find(|monitor| text(&monitor.join("name")).as_deref() == Some("rpi_volt"))?;
    let undervolted = text(&ours.join("in0_lcrit_alarm"))? != "0";
    Some(PowerHealth { undervolted, was_undervolted: undervolted, ..PowerHealth::default() })
}

fn memory(root: &Path) -> Option<MemoryRoom> {
    MemoryRoom::within(&fs::read_to_string(root.join("proc/meminfo")).ok()?, &[])
}

/// Reads a small file, without white space and zero bytes at its end.
fn text(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    Some(text.trim_matches(|sign: char| sign.is_whitespace() || sign == '\0').to_owned())
}

/// Returns the folders in `folder` whose name starts so, in the order of their names.
fn folders(folder: &Path, start: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let fitting = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(start));
    let mut found: Vec<PathBuf> = fitting.map(|entry| entry.path()).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a folder with the files of a system.
    pub(crate) fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (file, content) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        root
    }

    fn read(files: &[(&str, &str)]) -> MachineHealth {
        let root = system(files);
        MachineHealth { disk: None, ..MachineHealth::read(root.path(), root.path()) }
    }

    const PI_4: &str = "sys/devices/platform/soc/soc:firmware/get_throttled";
    const PI_5: &str = "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled";

    #[test]
    fn a_raspberry_pi_that_is_well() {
        let health = read(&[
            ("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0"),
            ("proc/meminfo", "MemTotal:  8000000 kB\nMemAvailable:  6000000 kB\n"),
            ("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n"),
            ("sys/class/thermal/thermal_zone0/temp", "48312\n"),
            ("sys/class/thermal/thermal_zone1/type", "rp1_adc\n"),
            ("sys/class/thermal/thermal_zone1/temp", "91000\n"),
            (PI_5, "0\n"),
        ]);
        let expected = MachineHealth {
            board: Some("Raspberry Pi 5 Model B Rev 1.0".into()),
            temperature_c: Some(48.312),
            power: Some(PowerHealth::default()),
            memory: Some(MemoryRoom { free: 6_000_000 * 1024, total: 8_000_000 * 1024 }),
            disk: None,
        };
        assert_eq!(health, expected);
        assert_eq!(health.troubles(), []);
    }

    #[test]
    fn each_bit_of_the_firmware_is_a_trouble_of_now_or_of_before() {
        use MachineTrouble::{Throttled, Undervolted};
        for (bits, troubles) in [
            ("0", vec![]),
            ("1", vec![Undervolted]),
            ("10000", vec![Undervolted]),
            ("2", vec![Throttled]),
            ("4", vec![Throttled]),
            ("8", vec![Throttled]),
            ("20000", vec![Throttled]),
            ("40000", vec![Throttled]),
            ("80000", vec![Throttled]),
            ("0x50005", vec![Undervolted, Throttled]),
        ] {
            assert_eq!(read(&[(PI_4, bits)]).troubles(), troubles, "{bits}");
        }
        assert_eq!(read(&[(PI_4, "what")]).power, None);
    }

    #[test]
    fn without_the_firmware_the_voltage_monitor_is_read() {
        let other = ("sys/class/hwmon/hwmon0/name", "cpu_thermal\n");
        let monitor = ("sys/class/hwmon/hwmon1/name", "rpi_volt\n");
        let alarm = |value| ("sys/class/hwmon/hwmon1/in0_lcrit_alarm", value);
        assert_eq!(read(&[other, monitor, alarm("1\n")]).troubles(), [MachineTrouble::Undervolted]);
        assert_eq!(read(&[other, monitor, alarm("0\n")]).power, Some(PowerHealth::default()));
        assert_eq!(read(&[other, ("sys/class/hwmon/hwmon0/in0_lcrit_alarm", "1")]).power, None);
        let both = read(&[monitor, alarm("1"), (PI_4, "0")]);
        assert_eq!(both.troubles(), [], "the firmware knows better");
    }

    #[test]
    fn heat_and_a_lack_of_room_are_troubles() {
        let zone = |temp| [("sys/class/thermal/thermal_zone0/temp", temp)];
        assert_eq!(read(&zone("80000")).troubles(), [MachineTrouble::Hot]);
        assert_eq!(read(&zone("79999")).troubles(), []);
        assert_eq!(read(&zone("-274000")).temperature_c, None, "no sensor");
        let memory = read(&[("proc/meminfo", "MemTotal: 500000 kB\nMemAvailable: 50000 kB\n")]);
        assert_eq!(memory.troubles(), [MachineTrouble::LowMemory]);
        let disk = |free, read_only| MachineHealth {
            disk: Some(DiskRoom { free, total: 1 << 40, read_only }),
            ..MachineHealth::default()
        };
        assert_eq!(disk(LEAST_DISK, false).troubles(), []);
        assert_eq!(disk(LEAST_DISK - 1, false).troubles(), [MachineTrouble::LowDisk]);
        assert_eq!(disk(0, true).troubles(), [MachineTrouble::ReadOnlyDisk]);
    }

    #[test]
    fn a_system_that_reports_nothing_has_no_trouble() {
        let health = read(&[]);
        assert_eq!(health, MachineHealth::default());
        assert_eq!(health.troubles(), []);
    }

    #[test]
    fn this_machine_is_read() {
        let health = MachineHealth::read(Path::new("/"), Path::new("/nowhere/at/all"));
        assert!(health.memory.is_some() && health.disk.is_some_and(|disk| disk.total > 0), "{health:?}");
    }
}
